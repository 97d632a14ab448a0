// What a program of which MPI starts several processes needs besides: who speaks, who ends, which
// device each takes, and where PoCL keeps its kernels.
#pragma once

#include "clerr.h"
#include "device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <mpi.h>

// Process 0 speaks for all: of the others, nothing that they print to standard output is seen.
inline void silence_others(const int rank) {
  if (rank > 0 && freopen("/dev/null", "w", stdout) == nullptr) {
    perror("/dev/null");
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
}

// For clerr_end: an OpenCL call that fails in one process ends all of them, on all machines.
inline void end_all(const int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

// As print_device, for the devices of all processes, in their order; only process 0 prints.
inline void print_devices(cl_device_id device, const int rank, const int processes) {
  char line[256];
  snprintf(line, sizeof line, "%s (%s)", device_text(device, CL_DEVICE_NAME).c_str(),
           platform_name(device).c_str());
  std::vector<char> lines(rank == 0 ? sizeof line * static_cast<size_t>(processes) : 0);
  MPI_Gather(line, sizeof line, MPI_CHAR, lines.data(), sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (size_t at = 0; at < lines.size(); at += sizeof line)
    printf("device    %s\n", &lines[at]);
}

// PoCL keeps compiled kernels in a folder, and before version 6 two processes that compile the same
// kernel into the same folder at once may fail. So each process but the first has one of its own.
// To be called before anything of OpenCL.
inline void keep_caches_apart(const int rank) {
  if (rank == 0)
    return;
  const char *own = getenv("POCL_CACHE_DIR");
  const char *cache = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  std::string folder = std::string(home != nullptr ? home : ".") + "/.cache/pocl/kcache";
  if (cache != nullptr)
    folder = std::string(cache) + "/pocl/kcache";
  if (own != nullptr)
    folder = own;
  setenv("POCL_CACHE_DIR", (folder + "-rank-" + std::to_string(rank)).c_str(), 1);
}

// Are all processes of `comm` on one machine? All of them have to call it.
inline bool on_one_machine(MPI_Comm comm) {
  MPI_Comm here;
  int all;
  int neighbours; // this one among them
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(comm, &all);
  MPI_Comm_size(here, &neighbours);
  MPI_Comm_free(&here);
  return neighbours == all;
}

// Of the devices that are as good as the one that pick_device takes (on its platform, of its type,
// and OCL_DEVICE fits them), the one whose turn it is: four processes on a machine with four GPUs
// have one each; with one GPU, all of them that one. All processes have to call it.
inline cl_device_id local_device(const int rank) {
  MPI_Comm machine; // the processes that share memory with this one,
  int local_rank;   // and its number among them
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &local_rank);
  MPI_Comm_free(&machine);

  cl_device_id best = pick_device();
  const char *env = getenv("OCL_DEVICE");
  const std::string wish = env == nullptr ? "" : env;
  const cl_device_type other = CL_DEVICE_TYPE_DEFAULT; // a bit that one of several GPUs may have
  std::vector<cl_device_id> alike;
  for (cl_device_id device : devices_that_fit(wish.empty() ? "all" : wish))
    if (device_platform(device) == device_platform(best) &&
        (device_type(device) | other) == (device_type(best) | other))
      alike.push_back(device);
  return alike[static_cast<size_t>(local_rank) % alike.size()];
}
