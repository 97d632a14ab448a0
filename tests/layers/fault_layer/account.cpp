// The account of a run: every object that is created, retained and released, every command.
//
//   LAYER_REPORT    the file that it is written to at exit, see write_report below
#include "layer.h"

#include <algorithm>
#include <filesystem>
#include <map>

static const char *const type_names[NUM_TYPES] = {"context", "queue",  "buffer",
                                                  "program", "kernel", "event"};

const char *type_name(const object_type type) {
  return type_names[type];
}

struct object {
  object_type type;
  int references;
  const char *created_by;
  size_t bytes; // 0 unless it is a buffer
};

// A command that was enqueued: what became of it is asked when its queue goes.
struct command {
  cl_command_queue queue;
  cl_event event;
  const char *name;
};

// A command in the account.
struct entry_of_command {
  const char *function;
  std::string kernel; // "-": none
  size_t items;       // work-items; 0 where there is no kernel
  long series;
  command_times times; // by LAYER_CLOCK
  std::string options; // that the kernel was built with
};

struct account_state {
  std::map<void *, object> alive;
  size_t bytes_now = 0, bytes_at_most = 0; // in buffers
  long created[NUM_TYPES] = {};
  long released[NUM_TYPES] = {};
  std::vector<std::string> misuse; // releases of what is not alive
  std::vector<command> pending;
  std::vector<std::string> unfinished;
  std::vector<entry_of_command> commands;
  std::multimap<void *, const char *> mapped; // regions mapped into the host's memory
  long series = 0;                            // how many there were
  std::map<std::string, long> in_series; // what goes on: kernel or function, the series' number
  std::map<std::string, size_t> repetitions;
};
static account_state &account = *new account_state; // NOLINT(cert-err58-cpp): see layer.cpp

void note_created(void *handle, const object_type type, const char *by) {
  if (handle == nullptr || type == NUM_TYPES)
    return;
  account.created[type]++;
  const auto place = account.alive.find(handle);
  if (place != account.alive.end()) {
    place->second.references++;
    return;
  }
  size_t bytes = 0;
  if (type == BUFFER)
    the.target->clGetMemObjectInfo(static_cast<cl_mem>(handle), CL_MEM_SIZE, sizeof bytes, &bytes,
                                   nullptr);
  account.alive[handle] = {type, 1, by, bytes};
  account.bytes_now += bytes;
  account.bytes_at_most = std::max(account.bytes_at_most, account.bytes_now);
}

void note_released(void *handle, const object_type type, const char *by) {
  const auto place = account.alive.find(handle);
  if (place == account.alive.end() || place->second.type != type) {
    account.misuse.push_back(std::string(by) + " of a " + type_names[type] + " that is not alive");
    return;
  }
  account.released[type]++;
  if (--place->second.references == 0) {
    account.bytes_now -= place->second.bytes;
    account.alive.erase(place);
  }
}

void settle_commands(cl_command_queue queue) {
  if (account.alive.count(queue) == 0)
    return;
  std::vector<command> others;
  for (const command &each : account.pending) {
    if (each.queue != queue) {
      others.push_back(each);
      continue;
    }
    cl_int status = CL_QUEUED;
    the.target->clGetEventInfo(each.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                               &status, nullptr);
    if (status != CL_COMPLETE)
      account.unfinished.push_back(std::string(each.name) + " had the status " +
                                   std::to_string(status) + " when its queue was released");
    the.target->clReleaseEvent(each.event);
  }
  account.pending = others;
}

// A series: commands of one kind, that is of one kernel or, without a kernel, of one function, such
// as the repetitions that a program takes the time of. A transfer between host and device ends all
// series, and so does a new kernel; a fill, a copy on the device, or a write that the host does not
// wait for may be part of each repetition.
long series_of(const std::string &kind) {
  const auto [place, is_new] = account.in_series.try_emplace(kind, account.series + 1);
  if (is_new) {
    account.series++;
    account.repetitions[kind] = 0;
  }
  return place->second;
}

void note_new_kernel() {
  account.in_series.clear();
}

void note_command(const char *function, cl_command_queue queue, cl_event event, cl_kernel kernel,
                  const size_t items, const bool blocking) {
  account.pending.push_back({queue, event, function});
  entry_of_command now = {function, kernel == nullptr ? "-" : kernel_name(kernel),        items, 0,
                          {},       kernel == nullptr ? "" : build_options(kernel, queue)};
  if (starts_with(function, "clEnqueueRead") ||
      (starts_with(function, "clEnqueueWrite") && blocking) ||
      starts_with(function, "clEnqueueMap"))
    account.in_series.clear();
  const std::string kind = kernel == nullptr ? function : now.kernel;
  now.series = series_of(kind);
  now.times = next_times(queue, event, now.series, account.repetitions[kind]++);
  account.commands.push_back(now);
}

void note_mapped(void *region, const char *by) {
  account.mapped.insert({region, by});
}

void note_unmapped(void *region) {
  const auto place = account.mapped.find(region);
  if (place != account.mapped.end())
    account.mapped.erase(place);
}

// The files of a disk that are open now, and their paths.
std::map<std::string, std::string> open_files() {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (const auto &descriptor : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const std::filesystem::path path = std::filesystem::read_symlink(descriptor.path(), error);
    if (!error && std::filesystem::is_regular_file(path, error))
      files[descriptor.path().filename()] = path;
  }
  return files;
}

// Writes the account, a line each, so that a script can read it:
//   call clGetPlatformIDs                 each API call, in order
//   failed clCreateBuffer -4              the call made to fail; absent if none was
//   exited                                the program ended by exit or with main, not by _Exit
//   created buffer 3 / released buffer 3  for each type; a retained reference counts as created
//   alive buffer clCreateBuffer           an object never released, and the call that made it
//   misuse ...                            a release of something that is not alive
//   shared 1                              with LAYER_MEMORY: 1 if host and device share theirs
//   bytes_at_most 8192                    in all buffers, the most at any time
//   commands 4                            commands enqueued
//   command 7 clEnqueueNDRangeKernel matmul 1024 5 61000 95000 148000 9152000
//                                         each of them: its number, function, kernel ("-": none),
//                                         work-items, series, and the table's times in ns: queued,
//                                         submitted, started, ended (0 without LAYER_CLOCK); then
//                                         the options that the kernel was built with
//   host_ns 3000 17000                    the host's clock: what a call takes, what a reading takes
//   readings 12                           how often the program asked the host's clock
//   unfinished ...                        a command not complete when its queue was released
//   mapped clEnqueueMapBuffer             a region never unmapped
//   open kernel.cl                        a file that the program has opened and not closed
void write_report() {
  static const std::map<std::string, std::string> at_first = open_files();
  const std::map<std::string, std::string> now = open_files();
  FILE *file = fopen(the.report_path.c_str(), "w");
  if (file == nullptr)
    give_up("LAYER_REPORT names no file that can be written");
  const std::lock_guard<std::recursive_mutex> lock(the.mutex);
  for (const char *name : the.calls)
    fprintf(file, "call %s\n", name);
  if (!failed_call().empty())
    fprintf(file, "failed %s\n", failed_call().c_str());
  if (the.exited)
    fprintf(file, "exited\n");
  for (int type = 0; type < NUM_TYPES; type++)
    fprintf(file, "created %s %ld\nreleased %s %ld\n", type_names[type], account.created[type],
            type_names[type], account.released[type]);
  for (const auto &[handle, what] : account.alive)
    fprintf(file, "alive %s %s\n", type_names[what.type], what.created_by);
  for (const std::string &line : account.misuse)
    fprintf(file, "misuse %s\n", line.c_str());
  report_pretences(file);
  fprintf(file, "bytes_at_most %zu\n", account.bytes_at_most);
  fprintf(file, "commands %zu\n", account.commands.size());
  size_t number = 0;
  for (const entry_of_command &each : account.commands) {
    fprintf(file, "command %zu %s %s %zu %ld", ++number, each.function, each.kernel.c_str(),
            each.items, each.series);
    for (const cl_ulong ns : each.times.ns)
      fprintf(file, " %llu", static_cast<unsigned long long>(ns));
    fprintf(file, " %s\n", each.options.c_str());
  }
  report_clock(file);
  for (const std::string &line : account.unfinished)
    fprintf(file, "unfinished %s\n", line.c_str());
  for (const command &each : account.pending)
    fprintf(file, "unfinished %s, whose queue was never released\n", each.name);
  for (const auto &[pointer, by] : account.mapped)
    fprintf(file, "mapped %s\n", by);
  for (const auto &[descriptor, path] : now)
    if (at_first.count(descriptor) == 0)
      fprintf(file, "open %s\n", path.c_str());
  fclose(file);
}
