// An OpenCL layer that makes one API call fail on purpose, or gives wrong answers on purpose, and
// keeps account of all objects.
//
// The ICD loader puts it between a program and the OpenCL implementation when the environment
// variable OPENCL_LAYERS names it (see <CL/cl_layer.h>). It then counts the program's API calls and
// every object that is created, retained and released. Environment variables:
//
//   LAYER_REPORT    the file that the account is written to at exit, see write_report below
//   LAYER_FAIL      the number of the call that fails, the first one being 1; none if unset or 0
//   LAYER_CODE      the code it fails with, a number; unset: the usual one for that function
//   LAYER_ONWARD    if 1, all later calls fail as well, as on a device that is lost
//   LAYER_FUNCTION  the name of a function: of the later calls, only those of this one fail
//   LAYER_FORK      a folder: the process is split in two before each call, once for each plausible
//                   code; in the child the call fails, the parent waits for its end and goes on.
//                   One run then stands for hundreds, at a tenth of the time; see split below
//   LAYER_ALONE     ",name,name,": before these functions the process is not split; they are noted
//   with
//                   the status -1, to be failed in processes of their own
//   LAYER_LOCALE    if 1, the environment's locale is put into force, as some implementations do
//   LAYER_CLOCK     a factor: each command's times are those of a fixed table, times this factor,
//                   and not the device's; see clock_in below. Unset or 0: they are the device's
//   LAYER_FLOOR     microseconds (times that factor) that each of these commands takes more
//   LAYER_DROP      the number of a series of commands (see series below), the first one being 1:
//                   each of them reports success and does nothing; none if unset or 0. Kernels and
//                   clEnqueueCopyBuffer only
//   LAYER_STALE     a folder: the contents of each buffer are kept there when it is released, and a
//                   later run's buffer that begins without contents begins with these, as on a
//                   device that gives out memory as the last program left it
//   LAYER_MEMORY    bytes: what the device says of its memory, and of the largest buffer; unset or
//                   0: what it has
//
// A call that fails is not passed on: it has no effect but the code it returns.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl_layer.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_report();

// An intercepted function: its name, the codes that it plausibly fails with (the first one is the
// usual one), and its place in the dispatch table.
struct function_entry {
  const char *name;
  std::vector<cl_int> codes;
};

enum object_type { CONTEXT, QUEUE, BUFFER, PROGRAM, KERNEL, EVENT, NUM_TYPES };
static const char *const type_names[NUM_TYPES] = {"context", "queue",  "buffer",
                                                  "program", "kernel", "event"};

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

// A command in the account: which one it was, and its times on the clock of LAYER_CLOCK.
struct entry_of_command {
  const char *function;
  std::string kernel; // "-": none
  size_t items;       // work-items; 0 where there is no kernel
  long series;
  cl_ulong ns[4]; // queued, submitted, started, ended
};

// Everything the layer knows. Never freed: the report is written while the program ends.
struct state {
  std::recursive_mutex mutex;
  const cl_icd_dispatch *target = nullptr; // what would be called without the layer
  cl_icd_dispatch pretending = {};         // the same, but for the layer's pretences
  cl_icd_dispatch table = {};              // what the loader calls
  size_t fail_at = 0;
  cl_int forced_code = 0;
  bool onward = false;
  std::string function; // empty: any
  std::string report_path;
  std::string fork_folder; // empty: no forks, or this is a child
  std::string alone;       // no forks before these functions
  bool is_child = false;
  bool exited = false; // by exit or the end of main, not by _Exit
  FILE *fork_log = nullptr;
  std::vector<const char *> calls; // the functions called so far
  std::string failed;              // the function that was made to fail, and its code
  std::map<void *, object> alive;
  size_t bytes_now = 0, bytes_at_most = 0; // in buffers
  long created[NUM_TYPES] = {};
  long released[NUM_TYPES] = {};
  std::vector<std::string> misuse; // releases of what is not alive
  std::vector<command> pending;
  long commands = 0;
  std::vector<std::string> unfinished;
  cl_ulong clock = 0;             // the factor
  cl_ulong floor = 0;             // microseconds
  long drop = 0;                  // the series
  std::string stale_folder;       // empty: none
  std::map<cl_mem, long> buffers; // their numbers
  long buffers_created = 0;
  cl_ulong memory = 0;                   // bytes
  bool shared = false;                   // is it the host's as well?
  long series = 0;                       // how many there were
  std::map<std::string, long> in_series; // what goes on: kernel or function, the series' number
  std::map<std::string, size_t> repetitions;
  std::vector<entry_of_command> account;
  std::map<cl_event, std::vector<cl_ulong>> times;
  std::multimap<void *, const char *> mapped; // regions mapped into the host's memory
};
static state &the = *new state; // NOLINT(cert-err58-cpp): without memory nothing can be tested

template <typename T> constexpr object_type type_of() {
  if constexpr (std::is_same_v<T, cl_context>)
    return CONTEXT;
  else if constexpr (std::is_same_v<T, cl_command_queue>)
    return QUEUE;
  else if constexpr (std::is_same_v<T, cl_mem>)
    return BUFFER;
  else if constexpr (std::is_same_v<T, cl_program>)
    return PROGRAM;
  else if constexpr (std::is_same_v<T, cl_kernel>)
    return KERNEL;
  else if constexpr (std::is_same_v<T, cl_event>)
    return EVENT;
  else
    return NUM_TYPES;
}

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

// Notes a new object, or one more reference to an object.
static void note_created(void *handle, const object_type type, const char *by) {
  if (handle == nullptr || type == NUM_TYPES)
    return;
  the.created[type]++;
  const auto place = the.alive.find(handle);
  if (place != the.alive.end()) {
    place->second.references++;
    return;
  }
  size_t bytes = 0;
  if (type == BUFFER)
    the.target->clGetMemObjectInfo(static_cast<cl_mem>(handle), CL_MEM_SIZE, sizeof bytes, &bytes,
                                   nullptr);
  the.alive[handle] = {type, 1, by, bytes};
  the.bytes_now += bytes;
  the.bytes_at_most = std::max(the.bytes_at_most, the.bytes_now);
}

static void note_released(void *handle, const object_type type, const char *by) {
  const auto place = the.alive.find(handle);
  if (place == the.alive.end() || place->second.type != type) {
    the.misuse.push_back(std::string(by) + " of a " + type_names[type] + " that is not alive");
    return;
  }
  the.released[type]++;
  if (--place->second.references == 0) {
    the.bytes_now -= place->second.bytes;
    the.alive.erase(place);
  }
}

// Asks what became of the commands of a queue that is about to go.
static void settle_commands(cl_command_queue queue) {
  std::vector<command> others;
  for (const command &each : the.pending) {
    if (each.queue != queue) {
      others.push_back(each);
      continue;
    }
    cl_int status = CL_QUEUED;
    the.target->clGetEventInfo(each.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                               &status, nullptr);
    if (status != CL_COMPLETE)
      the.unfinished.push_back(std::string(each.name) + " had the status " +
                               std::to_string(status) + " when its queue was released");
    the.target->clReleaseEvent(each.event);
  }
  the.pending = others;
}

// Makes the call that is about to happen fail in a child process, for each of its codes. Returns in
// the parent after all of them have ended, and in each child with fail_at set to this very call.
// Notes for each child a line in <folder>/log: number, function, code and how it ended (the status
// of waitpid); what the child prints is in <folder>/<number>.<code>.out and .err.
//
// The child has none of the parent's other threads, so it can only do what the programs do after a
// failure: say so and end. One that hangs is ended by SIGALRM, which counts as a crash; it is the
// last one, since others would hang as well, each for as long.
static void split(const function_entry &entry) {
  const size_t number = the.calls.size();
  for (const cl_int code : entry.codes) {
    const std::string name =
        the.fork_folder + "/" + std::to_string(number) + "." + std::to_string(code);
    if (the.alone.find("," + std::string(entry.name) + ",") != std::string::npos) {
      fprintf(the.fork_log, "%zu %s %d -1\n", number, entry.name, code);
      fflush(the.fork_log);
      continue;
    }
    const pid_t child = fork();
    if (child == 0) {
      const int out = open((name + ".out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      const int err = open((name + ".err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (out < 0 || err < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
        _Exit(99);
      alarm(20);
      the.report_path = name + ".report";
      the.fork_folder.clear();
      the.is_child = true;
      the.fail_at = number;
      the.forced_code = code;
      return;
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child) {
      perror("layer: fork");
      _Exit(99);
    }
    fprintf(the.fork_log, "%zu %s %d %d\n", number, entry.name, code, status);
    fflush(the.fork_log); // nothing of it may be left for the next child to write once more
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
      the.fork_folder.clear();
      return;
    }
  }
}

// A series: commands of one kind, that is of one kernel or, without a kernel, of one function, such
// as the repetitions that a program takes the time of. A transfer between host and device ends all
// series, and so does a new kernel; a fill or a copy on the device may be part of each repetition.
// Returns the number of the series that the command belongs to.
static long series_of(const std::string &kind) {
  const auto [place, is_new] = the.in_series.try_emplace(kind, the.series + 1);
  if (is_new) {
    the.series++;
    the.repetitions[kind] = 0;
  }
  return place->second;
}

static void end_series() {
  the.in_series.clear();
}

static std::string kernel_name(cl_kernel kernel) {
  char name[256] = "?";
  the.target->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  return name;
}

// The times of the next command, in nanoseconds: after all those before it; the four moments are
// the factor times some 100 microseconds apart, no two of the gaps the same. The first command of a
// series, the warm-up, takes many times as long. Of the five after it, the third longest
// is neither the first, the middle nor the last one, and not their mean; another series is slower
// or faster. Without LAYER_CLOCK: zeros.
static void clock_in(entry_of_command &command, const size_t repetition) {
  const cl_ulong us = 1000 * the.clock;
  const cl_ulong number = the.account.size() + 1;
  const cl_ulong warm_up = 8000;
  const cl_ulong usual[5] = {88, 25, 125, 63, 38};
  const cl_ulong factors[5] = {2, 5, 3, 6, 4};
  const cl_ulong duration =
      ((repetition == 0 ? warm_up : usual[(repetition - 1) % 5]) + number % 11) *
          factors[command.series % 5] +
      the.floor;
  const cl_ulong before = the.account.empty() ? 0 : the.account.back().ns[3];
  command.ns[0] = before + (70 + number % 13) * us;
  command.ns[1] = command.ns[0] + (30 + number % 7) * us;
  command.ns[2] = command.ns[1] + (50 + number % 11) * us;
  command.ns[3] = command.ns[2] + duration * us;
}

// The wrapper of one function. Its place in the dispatch table and its signature are the template's
// arguments; name and codes are filled in when the layer is loaded.
using launch_arguments =
    std::tuple<cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
               cl_uint, const cl_event *, cl_event *>; // of clEnqueueNDRangeKernel
template <auto member> struct hook;
template <typename R, typename... A, R (*cl_icd_dispatch::*member)(A...)> struct hook<member> {
  static inline function_entry entry;

  static constexpr bool returns_status = std::is_same_v<R, cl_int>;

  template <size_t i> using argument = std::tuple_element_t<i, std::tuple<A...>>;
  static constexpr size_t last = sizeof...(A) - 1;

  // Does the function enqueue a command, with an event to give back?
  static constexpr bool gives_event() {
    for (const bool is : {std::is_same_v<A, cl_event *>...})
      if (is)
        return std::is_same_v<argument<0>, cl_command_queue>;
    return false;
  }

  // Returns what the call that fails returns.
  static R fail(const std::tuple<A...> &arguments, const cl_int code) {
    if constexpr (returns_status) {
      return code;
    } else {
      if (std::get<last>(arguments) != nullptr)
        *std::get<last>(arguments) = code;
      return nullptr;
    }
  }

  static R call(A... args) {
    std::unique_lock<std::recursive_mutex> lock(the.mutex);
    std::tuple<A...> arguments(args...);
    the.calls.push_back(entry.name);
    if (!the.fork_folder.empty()) {
      lock.unlock(); // a child does not own what its parent has locked
      split(entry);
      lock.lock();
    }
    const size_t number = the.calls.size();
    const bool later = the.fail_at > 0 && number > the.fail_at;
    const bool fails = the.function.empty()
                           ? number == the.fail_at || (the.onward && later)
                           : (number == the.fail_at || later) && the.function == entry.name;
    if (fails) {
      const cl_int code = the.forced_code != 0 ? the.forced_code : entry.codes.front();
      if (the.failed.empty())
        the.failed = std::string(entry.name) + " " + std::to_string(code);
      if (!the.is_child)
        write_report(); // now: the program may end with _Exit, which no exit handler sees
      return fail(arguments, code);
    }

    // Every command gets an event, so that it can be asked later whether it has finished.
    cl_event own_event = nullptr;
    cl_event *event = nullptr;
    if constexpr (gives_event()) {
      cl_event *&asked = std::get<cl_event *>(arguments);
      event = asked;
      if (asked == nullptr)
        asked = &own_event;
    }
    if constexpr (std::is_same_v<argument<0>, cl_command_queue>)
      if (starts_with(entry.name, "clReleaseCommandQueue") &&
          the.alive.count(std::get<0>(arguments)) != 0)
        settle_commands(std::get<0>(arguments));

    const R result = std::apply(the.target->*member, arguments);

    bool succeeded = true;
    if constexpr (returns_status)
      succeeded = result == CL_SUCCESS;
    else
      succeeded = result != nullptr;
    if (succeeded)
      account(arguments, result, event, own_event);
    return result;
  }

  // Keeps the books after a call that succeeded.
  static void account(const std::tuple<A...> &arguments, const R result, const cl_event *asked,
                      cl_event own_event) {
    constexpr object_type made = type_of<R>();
    constexpr object_type given = type_of<argument<0>>();
    if constexpr (made != NUM_TYPES)
      note_created(result, made, entry.name);
    else if constexpr (given != NUM_TYPES && sizeof...(A) == 1) {
      if (starts_with(entry.name, "clRetain"))
        note_created(std::get<0>(arguments), given, entry.name);
      if (starts_with(entry.name, "clRelease"))
        note_released(std::get<0>(arguments), given, entry.name);
    }
    if constexpr (gives_event()) {
      cl_event event = asked != nullptr ? *asked : own_event;
      if (asked != nullptr) { // the program owns it; the layer needs it for longer
        note_created(event, EVENT, entry.name);
        the.target->clRetainEvent(event);
      }
      the.commands++;
      the.pending.push_back({std::get<0>(arguments), event, entry.name});
      entry_of_command now = {entry.name, "-", 0, 0, {}};
      if constexpr (std::is_same_v<argument<1>, cl_kernel>)
        now.kernel = kernel_name(std::get<1>(arguments));
      if constexpr (std::is_same_v<std::tuple<A...>, launch_arguments>) {
        now.items = 1;
        for (cl_uint i = 0; i < std::get<2>(arguments); i++)
          now.items *= std::get<4>(arguments)[i];
      }
      if (starts_with(entry.name, "clEnqueueRead") || starts_with(entry.name, "clEnqueueWrite") ||
          starts_with(entry.name, "clEnqueueMap"))
        end_series();
      const std::string kind = now.kernel == "-" ? entry.name : now.kernel;
      now.series = series_of(kind);
      clock_in(now, the.repetitions[kind]++);
      the.times[event] = {now.ns[0], now.ns[1], now.ns[2], now.ns[3]};
      the.account.push_back(now);
    }
    if constexpr (made == KERNEL)
      end_series();
    if constexpr (std::is_same_v<R, void *>)
      the.mapped.insert({result, entry.name});
    if (strcmp(entry.name, "clEnqueueUnmapMemObject") == 0)
      if constexpr (sizeof...(A) > 2 &&
                    std::is_same_v<argument<(sizeof...(A) > 2 ? 2 : 0)>, void *>)
        if (const auto region = the.mapped.find(std::get<2>(arguments)); region != the.mapped.end())
          the.mapped.erase(region);
    if constexpr (std::is_same_v<argument<last>, cl_uint *> && sizeof...(A) == 4)
      if constexpr (std::is_same_v<argument<2>, cl_kernel *>) // clCreateKernelsInProgram
        for (cl_uint i = 0; std::get<2>(arguments) != nullptr && i < std::get<1>(arguments); i++)
          note_created(std::get<2>(arguments)[i], KERNEL, entry.name);
  }
};

template <auto member> static void intercept(const char *name, const std::vector<cl_int> &codes) {
  if (the.target->*member == nullptr)
    return;
  hook<member>::entry = {name, codes};
  the.table.*member = hook<member>::call;
}

// Every function of OpenCL 1.2 that a program without images and callbacks can call, with the codes
// that the specification gives it and that happen in practice.
static void intercept_all() {
#define HOOK(function, ...) intercept<&cl_icd_dispatch::function>(#function, {__VA_ARGS__})
  HOOK(clGetPlatformIDs, -1001, CL_OUT_OF_HOST_MEMORY);
  HOOK(clGetPlatformInfo, CL_INVALID_PLATFORM, CL_OUT_OF_HOST_MEMORY);
  HOOK(clGetDeviceIDs, CL_INVALID_PLATFORM, CL_OUT_OF_RESOURCES);
  HOOK(clGetDeviceInfo, CL_INVALID_DEVICE, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE);
  HOOK(clCreateSubDevices, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE);
  HOOK(clRetainDevice, CL_INVALID_DEVICE);
  HOOK(clReleaseDevice, CL_INVALID_DEVICE);
  HOOK(clCreateContext, CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_HOST_MEMORY, CL_INVALID_DEVICE);
  HOOK(clCreateContextFromType, CL_DEVICE_NOT_AVAILABLE, CL_DEVICE_NOT_FOUND);
  HOOK(clRetainContext, CL_INVALID_CONTEXT);
  HOOK(clReleaseContext, CL_INVALID_CONTEXT, CL_OUT_OF_RESOURCES);
  HOOK(clGetContextInfo, CL_INVALID_CONTEXT, CL_OUT_OF_HOST_MEMORY);
  HOOK(clCreateCommandQueue, CL_INVALID_QUEUE_PROPERTIES, CL_OUT_OF_RESOURCES);
  HOOK(clRetainCommandQueue, CL_INVALID_COMMAND_QUEUE);
  HOOK(clReleaseCommandQueue, CL_INVALID_COMMAND_QUEUE, CL_OUT_OF_RESOURCES);
  HOOK(clGetCommandQueueInfo, CL_INVALID_COMMAND_QUEUE, CL_OUT_OF_RESOURCES);
  HOOK(clCreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_BUFFER_SIZE,
       CL_OUT_OF_RESOURCES);
  HOOK(clCreateSubBuffer, CL_INVALID_VALUE, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  HOOK(clRetainMemObject, CL_INVALID_MEM_OBJECT);
  HOOK(clReleaseMemObject, CL_INVALID_MEM_OBJECT, CL_OUT_OF_RESOURCES);
  HOOK(clGetMemObjectInfo, CL_INVALID_MEM_OBJECT, CL_OUT_OF_RESOURCES);
  HOOK(clCreateProgramWithSource, CL_OUT_OF_HOST_MEMORY, CL_INVALID_VALUE);
  HOOK(clCreateProgramWithBinary, CL_INVALID_BINARY, CL_OUT_OF_HOST_MEMORY);
  HOOK(clCreateProgramWithBuiltInKernels, CL_INVALID_VALUE, CL_OUT_OF_RESOURCES);
  HOOK(clRetainProgram, CL_INVALID_PROGRAM);
  HOOK(clReleaseProgram, CL_INVALID_PROGRAM, CL_OUT_OF_RESOURCES);
  HOOK(clBuildProgram, CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE,
       CL_INVALID_BUILD_OPTIONS);
  HOOK(clCompileProgram, CL_COMPILER_NOT_AVAILABLE, CL_OUT_OF_RESOURCES);
  HOOK(clLinkProgram, CL_LINK_PROGRAM_FAILURE, CL_OUT_OF_RESOURCES);
  HOOK(clUnloadPlatformCompiler, CL_INVALID_PLATFORM);
  HOOK(clGetProgramInfo, CL_INVALID_PROGRAM_EXECUTABLE, CL_OUT_OF_RESOURCES);
  HOOK(clGetProgramBuildInfo, CL_INVALID_DEVICE, CL_OUT_OF_RESOURCES);
  HOOK(clCreateKernel, CL_INVALID_KERNEL_NAME, CL_INVALID_PROGRAM_EXECUTABLE,
       CL_OUT_OF_HOST_MEMORY);
  HOOK(clCreateKernelsInProgram, CL_INVALID_PROGRAM_EXECUTABLE, CL_OUT_OF_RESOURCES);
  HOOK(clRetainKernel, CL_INVALID_KERNEL);
  HOOK(clReleaseKernel, CL_INVALID_KERNEL, CL_OUT_OF_RESOURCES);
  HOOK(clSetKernelArg, CL_INVALID_ARG_SIZE, CL_INVALID_ARG_INDEX, CL_OUT_OF_RESOURCES);
  HOOK(clGetKernelInfo, CL_INVALID_KERNEL, CL_OUT_OF_RESOURCES);
  HOOK(clGetKernelArgInfo, CL_KERNEL_ARG_INFO_NOT_AVAILABLE, CL_INVALID_ARG_INDEX);
  HOOK(clGetKernelWorkGroupInfo, CL_INVALID_KERNEL, CL_OUT_OF_RESOURCES);
  HOOK(clWaitForEvents, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_OUT_OF_RESOURCES);
  HOOK(clGetEventInfo, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES);
  HOOK(clCreateUserEvent, CL_OUT_OF_RESOURCES);
  HOOK(clSetUserEventStatus, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES);
  HOOK(clSetEventCallback, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES);
  HOOK(clRetainEvent, CL_INVALID_EVENT);
  HOOK(clReleaseEvent, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES);
  HOOK(clGetEventProfilingInfo, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES);
  HOOK(clFlush, CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE);
  HOOK(clFinish, CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE);
  HOOK(clEnqueueReadBuffer, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE, CL_INVALID_COMMAND_QUEUE);
  HOOK(clEnqueueReadBufferRect, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE);
  HOOK(clEnqueueWriteBuffer, CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  HOOK(clEnqueueWriteBufferRect, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE);
  HOOK(clEnqueueCopyBuffer, CL_MEM_COPY_OVERLAP, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueFillBuffer, CL_INVALID_VALUE, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueMapBuffer, CL_MAP_FAILURE, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueUnmapMemObject, CL_INVALID_VALUE, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueMigrateMemObjects, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES, CL_INVALID_WORK_GROUP_SIZE,
       CL_INVALID_KERNEL_ARGS);
  HOOK(clEnqueueTask, CL_OUT_OF_RESOURCES, CL_INVALID_KERNEL_ARGS);
  HOOK(clEnqueueMarker, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueMarkerWithWaitList, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueBarrier, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueBarrierWithWaitList, CL_OUT_OF_RESOURCES);
#undef HOOK
}

// The layer's pretences: functions that stand in the place of the implementation's own.
static const cl_icd_dispatch *real = nullptr;

static cl_int CL_API_CALL times_of_the_table(cl_event event, const cl_profiling_info what,
                                             const size_t size, void *value, size_t *size_ret) {
  const cl_int status = real->clGetEventProfilingInfo(event, what, size, value, size_ret);
  if (status != CL_SUCCESS || value == nullptr)
    return status;
  for (cl_uint i = 0; i < 4; i++)
    if (what == CL_PROFILING_COMMAND_QUEUED + i)
      memcpy(value, &the.times.at(event)[i], sizeof(cl_ulong));
  return status;
}

static cl_int CL_API_CALL launch_or_drop(cl_command_queue queue, cl_kernel kernel,
                                         const cl_uint dims, const size_t *offset,
                                         const size_t *global_size, const size_t *local_size,
                                         const cl_uint count, const cl_event *list,
                                         cl_event *event) {
  if (series_of(kernel_name(kernel)) == the.drop)
    return real->clEnqueueMarkerWithWaitList(queue, count, list, event);
  return real->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global_size, local_size, count,
                                      list, event);
}

static cl_int CL_API_CALL copy_or_drop(cl_command_queue queue, cl_mem from, cl_mem to,
                                       const size_t from_offset, const size_t to_offset,
                                       const size_t bytes, const cl_uint count,
                                       const cl_event *list, cl_event *event) {
  if (series_of("clEnqueueCopyBuffer") == the.drop)
    return real->clEnqueueMarkerWithWaitList(queue, count, list, event);
  return real->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, count, list,
                                   event);
}

// A queue of the layer's own, to look at a buffer or to change it; gone with the transfer.
template <typename F> static void with_queue(cl_mem buffer, const F &transfer) {
  cl_context context;
  cl_device_id device;
  cl_int status =
      real->clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, nullptr);
  if (status == CL_SUCCESS)
    status = real->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr);
  cl_command_queue queue = nullptr;
  if (status == CL_SUCCESS)
    queue = real->clCreateCommandQueue(context, device, 0, &status);
  if (status == CL_SUCCESS)
    status = transfer(queue);
  if (status == CL_SUCCESS)
    status = real->clReleaseCommandQueue(queue);
  if (status != CL_SUCCESS) {
    fprintf(stderr, "layer: a buffer's contents cannot be read or written: %d\n", status);
    _Exit(99);
  }
}

static cl_mem CL_API_CALL create_stale(cl_context context, const cl_mem_flags flags,
                                       const size_t bytes, void *host, cl_int *status) {
  cl_mem buffer = real->clCreateBuffer(context, flags, bytes, host, status);
  if (buffer == nullptr)
    return buffer;
  the.buffers[buffer] = ++the.buffers_created;
  if (host != nullptr)
    return buffer;
  std::ifstream file(the.stale_folder + "/" + std::to_string(the.buffers_created),
                     std::ios::binary);
  const std::string old((std::istreambuf_iterator<char>(file)), {});
  if (old.size() == bytes)
    with_queue(buffer, [&](cl_command_queue queue) {
      return real->clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, old.data(), 0, nullptr,
                                        nullptr);
    });
  return buffer;
}

static cl_int CL_API_CALL keep_and_release(cl_mem buffer) {
  const auto place = the.buffers.find(buffer);
  if (place != the.buffers.end()) {
    size_t bytes = 0;
    real->clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    std::string now(bytes, '\0');
    with_queue(buffer, [&](cl_command_queue queue) {
      return real->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, now.data(), 0, nullptr,
                                       nullptr);
    });
    const std::string path = the.stale_folder + "/" + std::to_string(place->second);
    if (the.drop == 0 && !std::ifstream(path)) // the contents are those of an unharmed run
      std::ofstream(path, std::ios::binary) << now;
    the.buffers.erase(place);
  }
  return real->clReleaseMemObject(buffer);
}

static cl_int CL_API_CALL other_memory(cl_device_id device, const cl_device_info what,
                                       const size_t size, void *value, size_t *size_ret) {
  const cl_int status = real->clGetDeviceInfo(device, what, size, value, size_ret);
  if (status == CL_SUCCESS && value != nullptr &&
      (what == CL_DEVICE_GLOBAL_MEM_SIZE || what == CL_DEVICE_MAX_MEM_ALLOC_SIZE)) {
    memcpy(value, &the.memory, sizeof the.memory);
    cl_bool shared = CL_FALSE;
    real->clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shared, &shared, nullptr);
    the.shared = shared == CL_TRUE;
  }
  return status;
}

static void pretend() {
  real = the.target;
  the.pretending = *real;
  if (the.clock > 0)
    the.pretending.clGetEventProfilingInfo = times_of_the_table;
  if (the.drop > 0) {
    the.pretending.clEnqueueNDRangeKernel = launch_or_drop;
    the.pretending.clEnqueueCopyBuffer = copy_or_drop;
  }
  if (!the.stale_folder.empty()) {
    the.pretending.clCreateBuffer = create_stale;
    the.pretending.clReleaseMemObject = keep_and_release;
  }
  if (the.memory > 0)
    the.pretending.clGetDeviceInfo = other_memory;
  the.target = &the.pretending;
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
//                                         submitted, started, ended (0 without LAYER_CLOCK)
//   unfinished ...                        a command not complete when its queue was released
//   mapped clEnqueueMapBuffer             a region never unmapped
static void write_report() {
  FILE *file = fopen(the.report_path.c_str(), "w");
  if (file == nullptr) {
    fprintf(stderr, "layer: LAYER_REPORT names no file that can be written\n");
    _Exit(99);
  }
  const std::lock_guard<std::recursive_mutex> lock(the.mutex);
  for (const char *name : the.calls)
    fprintf(file, "call %s\n", name);
  if (!the.failed.empty())
    fprintf(file, "failed %s\n", the.failed.c_str());
  if (the.exited)
    fprintf(file, "exited\n");
  for (int type = 0; type < NUM_TYPES; type++)
    fprintf(file, "created %s %ld\nreleased %s %ld\n", type_names[type], the.created[type],
            type_names[type], the.released[type]);
  for (const auto &[handle, what] : the.alive)
    fprintf(file, "alive %s %s\n", type_names[what.type], what.created_by);
  for (const std::string &line : the.misuse)
    fprintf(file, "misuse %s\n", line.c_str());
  if (the.memory > 0)
    fprintf(file, "shared %d\n", the.shared ? 1 : 0);
  fprintf(file, "bytes_at_most %zu\n", the.bytes_at_most);
  fprintf(file, "commands %ld\n", the.commands);
  size_t number = 0;
  for (const entry_of_command &each : the.account) {
    fprintf(file, "command %zu %s %s %zu %ld", ++number, each.function, each.kernel.c_str(),
            each.items, each.series);
    for (const cl_ulong ns : each.ns)
      fprintf(file, " %llu", static_cast<unsigned long long>(ns));
    fprintf(file, "\n");
  }
  for (const std::string &line : the.unfinished)
    fprintf(file, "unfinished %s\n", line.c_str());
  for (const command &each : the.pending)
    fprintf(file, "unfinished %s, whose queue was never released\n", each.name);
  for (const auto &[pointer, by] : the.mapped)
    fprintf(file, "mapped %s\n", by);
  fclose(file);
}

// At exit: writes the report. A child of a split then ends at once, which saves most of its time;
// how the libraries take the end of the program shows in the processes that are not split. So do
// leaks: in a child, what only another thread's stack pointed to would count as one.
static void at_exit(const int status, void *) {
  the.exited = true;
  write_report();
  if (the.is_child) {
    fflush(nullptr);
    _exit(status);
  }
}

static std::string text_from(const char *variable) {
  const char *text = getenv(variable);
  return text == nullptr ? "" : text;
}

static long number_from(const char *variable) {
  return strtol(text_from(variable).c_str(), nullptr, 10);
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(const cl_layer_info param_name,
                                                          const size_t param_value_size,
                                                          void *param_value,
                                                          size_t *param_value_size_ret) {
  static const char name[] = "fault_layer";
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const void *value = &version;
  size_t size = sizeof version;
  if (param_name == CL_LAYER_NAME) {
    value = name;
    size = sizeof name;
  } else if (param_name != CL_LAYER_API_VERSION) {
    return CL_INVALID_VALUE;
  }
  if (param_value != nullptr) {
    if (param_value_size < size)
      return CL_INVALID_VALUE;
    memcpy(param_value, value, size);
  }
  if (param_value_size_ret != nullptr)
    *param_value_size_ret = size;
  return CL_SUCCESS;
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clInitLayer(const cl_uint num_entries,
                                                       const cl_icd_dispatch *target_dispatch,
                                                       cl_uint *num_entries_ret,
                                                       const cl_icd_dispatch **layer_dispatch_ret) {
  if (target_dispatch == nullptr || num_entries_ret == nullptr || layer_dispatch_ret == nullptr ||
      num_entries < sizeof(cl_icd_dispatch) / sizeof(void *))
    return CL_INVALID_VALUE;
  the.target = target_dispatch;
  the.table = *target_dispatch;
  intercept_all();
  the.fail_at = static_cast<size_t>(number_from("LAYER_FAIL"));
  the.forced_code = static_cast<cl_int>(number_from("LAYER_CODE"));
  the.function = text_from("LAYER_FUNCTION");
  the.onward = number_from("LAYER_ONWARD") == 1;
  the.report_path = text_from("LAYER_REPORT");
  the.fork_folder = text_from("LAYER_FORK");
  the.alone = text_from("LAYER_ALONE");
  the.clock = static_cast<cl_ulong>(number_from("LAYER_CLOCK"));
  the.floor = static_cast<cl_ulong>(number_from("LAYER_FLOOR"));
  the.drop = number_from("LAYER_DROP");
  the.stale_folder = text_from("LAYER_STALE");
  the.memory = static_cast<cl_ulong>(number_from("LAYER_MEMORY"));
  pretend();
  if (!the.fork_folder.empty()) {
    the.fork_log = fopen((the.fork_folder + "/log").c_str(), "w");
    if (the.fork_log == nullptr) {
      perror(the.fork_folder.c_str());
      _Exit(99);
    }
  }
  if (number_from("LAYER_LOCALE") == 1)
    setlocale(LC_ALL, "");
  *layer_dispatch_ret = &the.table;
  *num_entries_ret = sizeof(cl_icd_dispatch) / sizeof(void *);
  on_exit(at_exit, nullptr);
  return CL_SUCCESS;
}
