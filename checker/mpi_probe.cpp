// A library that is loaded before MPI (LD_PRELOAD), behind the layer (layer/), and notes in the
// layer's log what a process of an MPI job sends; it can also kill a process in the middle.
//
//   mpi rank N
//   mpi Ibcast ROOT BYTES | Bcast ROOT BYTES     ROOT is 1 in the process that sends, else 0
//   mpi Allreduce BYTES | send TO BYTES | Barrier | Waitall
//   mpi overwritten BYTES (of a send that was not waited for)
//   mpi Finalize
//
//   MPI_LAYER_CHANGE  1: each float that is sent from one process to another arrives larger by 1
//   MPI_LAYER_SPOIL  1: what a collective call brings to a process other than the first, floats,
//                    doubles or whole numbers of 64 bits, is larger by 1
//   MPI_LAYER_MACHINE  N: as if N processes, and then the next N, had a machine of their own
//   MPI_LAYER_KILL  "R N": the process of rank R ends by SIGKILL at its N-th call of MPI_Ibcast
//
// In a child that the layer has split off (fork), MPI's own threads are not there: MPI_Abort
// only ends the child, and MPI_Finalize does nothing.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <map>
#include <mpi.h>
#include <string>
#include <unistd.h>
#include <vector>

static pid_t process;
static int rank = -1;
static long broadcasts;

static void note(const std::string &line) {
  using function = void(const char *);
  static auto *const layer_note = reinterpret_cast<function *>(dlsym(RTLD_DEFAULT, "layer_note"));
  if (layer_note != nullptr)
    layer_note(("mpi " + line).c_str());
}

static long long bytes(const int count, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return static_cast<long long>(count) * size;
}

static std::string sent(const int count, MPI_Datatype type, const int root, MPI_Comm comm) {
  int own;
  PMPI_Comm_rank(comm, &own);
  return (own == root ? "1 " : "0 ") + std::to_string(bytes(count, type));
}

static void note_send(const int to, const int count, MPI_Datatype type) {
  note("send " + std::to_string(to) + " " + std::to_string(bytes(count, type)));
}

// What arrives in place of `data`; it stays for as long as the process does.
static const void *changed(const void *data, const int count, MPI_Datatype type) {
  if (getenv("MPI_LAYER_CHANGE") == nullptr)
    return data;
  static std::deque<std::vector<float>> &kept = *new std::deque<std::vector<float>>;
  const auto *const floats = static_cast<const float *>(data);
  kept.emplace_back(floats, floats + static_cast<size_t>(bytes(count, type)) / sizeof(float));
  for (float &value : kept.back())
    value += 1.0F;
  return kept.back().data();
}

// As MPI_LAYER_SPOIL says.
static void spoil(void *data, const int first, const int count, MPI_Datatype type) {
  if (getenv("MPI_LAYER_SPOIL") == nullptr || rank <= 0)
    return;
  for (int i = first; i < first + count; i++)
    if (type == MPI_FLOAT)
      static_cast<float *>(data)[i] += 1;
    else if (type == MPI_DOUBLE)
      static_cast<double *>(data)[i] += 1;
    else if (bytes(1, type) == 8)
      static_cast<long long *>(data)[i] += 1;
}

static int begun(const int code) {
  process = getpid();
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  note("rank " + std::to_string(rank));
  return code;
}

int MPI_Init(int *argc, char ***argv) {
  return begun(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  return begun(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Comm_split_type(MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm *found) {
  if (const char *each = getenv("MPI_LAYER_MACHINE"))
    return PMPI_Comm_split(comm, rank / static_cast<int>(strtol(each, nullptr, 10)), key, found);
  return PMPI_Comm_split_type(comm, kind, key, info, found);
}

int MPI_Abort(MPI_Comm comm, int code) {
  if (getpid() != process)
    _Exit(code);
  return PMPI_Abort(comm, code);
}

int MPI_Finalize() {
  if (getpid() != process)
    return MPI_SUCCESS;
  note("Finalize");
  return PMPI_Finalize();
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  note("Bcast " + sent(count, type, root, comm));
  const int code = PMPI_Bcast(buffer, count, type, root, comm);
  if (rank != root)
    spoil(buffer, 0, count, type);
  return code;
}

int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request) {
  note("Ibcast " + sent(count, type, root, comm));
  if (const char *kill_at = getenv("MPI_LAYER_KILL"); kill_at != nullptr) {
    char *end = nullptr;
    const long victim = strtol(kill_at, &end, 10);
    if (victim == rank && ++broadcasts == strtol(end, nullptr, 10))
      raise(SIGKILL);
  }
  return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  note("Allreduce " + std::to_string(bytes(count, type)));
  const int code = PMPI_Allreduce(in, out, count, type, op, comm);
  spoil(out, 0, count, type);
  return code;
}

int MPI_Allgatherv(const void *in, int count, MPI_Datatype type, void *out, const int *counts,
                   const int *places, MPI_Datatype out_type, MPI_Comm comm) {
  const int code = PMPI_Allgatherv(in, count, type, out, counts, places, out_type, comm);
  int processes;
  PMPI_Comm_size(comm, &processes);
  for (int i = 0; i < processes; i++)
    spoil(out, places[i], counts[i], out_type);
  return code;
}

int MPI_Allgather(const void *in, int count, MPI_Datatype type, void *out, int out_count,
                  MPI_Datatype out_type, MPI_Comm comm) {
  const int code = PMPI_Allgather(in, count, type, out, out_count, out_type, comm);
  int processes;
  PMPI_Comm_size(comm, &processes);
  spoil(out, 0, processes * out_count, out_type);
  return code;
}

// These have ended at once where their results are to be spoilt: only then can they be.
#define AT_ONCE(NAME, WAITING, PARAMETERS, ...)                                                    \
  int MPI_##NAME PARAMETERS {                                                                      \
    if (getenv("MPI_LAYER_SPOIL") == nullptr)                                                      \
      return PMPI_##NAME(__VA_ARGS__, request);                                                    \
    *request = MPI_REQUEST_NULL;                                                                   \
    return MPI_##WAITING(__VA_ARGS__);                                                             \
  }
AT_ONCE(Iallreduce, Allreduce,
        (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
         MPI_Request *request),
        in, out, count, type, op, comm)
AT_ONCE(Iallgather, Allgather,
        (const void *in, int count, MPI_Datatype type, void *out, int out_count,
         MPI_Datatype out_type, MPI_Comm comm, MPI_Request *request),
        in, count, type, out, out_count, out_type, comm)
AT_ONCE(Iallgatherv, Allgatherv,
        (const void *in, int count, MPI_Datatype type, void *out, const int *counts,
         const int *places, MPI_Datatype out_type, MPI_Comm comm, MPI_Request *request),
        in, count, type, out, counts, places, out_type, comm)

int MPI_Sendrecv(const void *out, int count, MPI_Datatype type, int to, int tag, void *in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status *status) {
  note_send(to, count, type);
  return PMPI_Sendrecv(changed(out, count, type), count, type, to, tag, in, in_count, in_type, from,
                       in_tag, comm, status);
}

int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int tag, int from,
                         int in_tag, MPI_Comm comm, MPI_Status *status) {
  note_send(to, count, type);
  if (const void *const other = changed(data, count, type); other != data)
    memcpy(data, other, static_cast<size_t>(bytes(count, type)));
  return PMPI_Sendrecv_replace(data, count, type, to, tag, from, in_tag, comm, status);
}

// What is on its way, by its request: until the wait for it nobody may write to where it lies.
struct sending {
  const char *from;
  std::vector<char> content;
};
static std::map<MPI_Request, sending> &on_its_way() {
  static auto &all = *new std::map<MPI_Request, sending>; // outlives every other static
  return all;
}

static void has_ended(const int count, const MPI_Request *requests) {
  for (int i = 0; i < count; i++) {
    const auto found = on_its_way().find(requests[i]);
    if (found == on_its_way().end())
      continue;
    const sending &one = found->second;
    if (memcmp(one.from, one.content.data(), one.content.size()) != 0)
      note("overwritten " + std::to_string(one.content.size()));
    on_its_way().erase(found);
  }
}

int MPI_Send(const void *out, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  note_send(to, count, type);
  return PMPI_Send(changed(out, count, type), count, type, to, tag, comm);
}

int MPI_Isend(const void *out, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  note_send(to, count, type);
  const int code = PMPI_Isend(changed(out, count, type), count, type, to, tag, comm, request);
  const char *const from = static_cast<const char *>(out);
  on_its_way()[*request] = {from, {from, from + bytes(count, type)}};
  return code;
}

int MPI_Barrier(MPI_Comm comm) {
  note("Barrier");
  return PMPI_Barrier(comm);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  note("Waitall");
  has_ended(1, request);
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  note("Waitall");
  has_ended(count, requests);
  return PMPI_Waitall(count, requests, statuses);
}
