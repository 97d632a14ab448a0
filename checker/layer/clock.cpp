// Known times, on the device's clock and on the host's; series of commands; what became of each.
//
// The host's clock is std::chrono's steady one, when the program itself asks it. By this clock each
// OpenCL call takes CALL_NS, each reading READING_NS, and the host's own work nothing. A command
// begins when the call that enqueued it returns, or when the one before it in its queue has ended,
// and takes as long as on the device's clock from queued to ended; a call that waits returns then.
#include "layer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <dlfcn.h>
#include <sys/auxv.h>

constexpr cl_ulong CALL_NS = 3000;
constexpr cl_ulong READING_NS = 17000;
// What both clocks begin with, as of 2023: a double or a float does not hold such a number exactly.
constexpr cl_ulong SINCE_1970_NS = 1700000000123456789;
// What every other series' commands take beyond whole microseconds: so little below a half that who
// subtracts the moments as doubles, there 256 ns apart, rounds up about every other time.
constexpr cl_ulong JUST_BELOW_NS = 497;

using moments = std::array<cl_ulong, 4>; // queued, submitted, started, ended
static std::string text_of(const moments &ns) {
  return line_of(ns[0], ns[1], ns[2], ns[3]);
}
struct series {
  long number = 0; // 0: it has not begun
  size_t repetitions = 0;
};
struct held_command {
  size_t call;
  cl_command_queue queue;
  cl_event event;
};
struct clock_state {
  cl_ulong factor = 0; // 0: the device's own times
  cl_ulong floor = 0;  // microseconds, as warm_up
  cl_ulong warm_up = 8000;
  std::vector<double> durations; // ms
  bool holds = false;
  size_t commands = 0;
  cl_ulong device_now = SINCE_1970_NS; // when the last command ended
  std::map<cl_event, moments> times;
  cl_ulong host_now = SINCE_1970_NS;
  std::map<cl_command_queue, cl_ulong> idle_at; // host's clock: when all commands have ended
  std::map<cl_event, cl_ulong> ended_at;        // the same of one
  std::vector<held_command> held;
  long num_series = 0;
  std::map<std::string, series> in_series; // what goes on, by kernel or function
};
static clock_state &the = *new clock_state; // NOLINT(cert-err58-cpp): see layer.cpp
static functions below;
static bool answers = false; // for the clocks; before, nothing of the layer may be there yet

bool holds_events() {
  return the.holds;
}

// ---- Series -------------------------------------------------------------------------------------

// A series: commands of one kind, that is of one kernel or, without a kernel, of one function, such
// as the repetitions that a program takes the time of. A transfer between host and device ends all
// series, and so does a new kernel; a fill, a copy on the device, or a write that the host does not
// wait for may be part of each repetition.
static series &current(const std::string &kind) {
  series &it = the.in_series[kind];
  if (it.number == 0)
    it.number = ++the.num_series;
  return it;
}

void note_new_kernel() {
  the.in_series.clear();
}

static bool ends_series(const std::string &function, const bool blocking) {
  const bool writes = function.rfind("clEnqueueWrite", 0) == 0;
  return function.rfind("clEnqueueRead", 0) == 0 || function.rfind("clEnqueueMap", 0) == 0 ||
         (writes && blocking);
}

// ---- The device's clock -------------------------------------------------------------------------

// After all the commands before. The four moments are the factor times some 100 microseconds apart,
// no two of the gaps the same. A series' first command, the warm-up, takes many times as long. Of
// the five after it, the third longest is neither the first, the middle nor the last one, and not
// their mean; another series is slower or faster, and which is up to the factor.
static moments next_of_table(const long series, const size_t repetition) {
  const cl_ulong us = 1000 * the.factor;
  const cl_ulong number = ++the.commands;
  const cl_ulong usual[5] = {88, 25, 125, 63, 38};
  const cl_ulong factors[5] = {2, 5, 3, 6, 4};
  const cl_ulong first = repetition == 0 ? the.warm_up : usual[(repetition - 1) % 5];
  const cl_ulong duration =
      (first + number % 11) * factors[(static_cast<cl_ulong>(series) + the.factor) % 5] + the.floor;
  moments now;
  now[0] = the.device_now + (70 + number % 13) * us;
  now[1] = now[0] + (30 + number % 7) * us;
  now[2] = now[1] + (50 + number % 11) * us;
  now[3] = now[2] + duration * us + (series % 2 != 0 ? JUST_BELOW_NS : 0);
  return now;
}

// The durations that were given, one after the other, and then from the beginning.
static moments next_duration() {
  const double ms = the.durations[the.commands++ % the.durations.size()];
  const cl_ulong start = the.device_now + 2000;
  return {start - 1000, start - 500, start, start + static_cast<cl_ulong>(std::llround(ms * 1e6))};
}

static cl_int known_times(cl_event event, const cl_profiling_info what, const size_t size,
                          void *value, size_t *size_ret) {
  const cl_int status = below.clGetEventProfilingInfo(event, what, size, value, size_ret);
  const auto place = the.times.find(event);
  const cl_uint moment = what - CL_PROFILING_COMMAND_QUEUED;
  if (status == CL_SUCCESS && value != nullptr && place != the.times.end() && moment < 4)
    memcpy(value, &place->second[moment], sizeof(cl_ulong));
  return status;
}

void note_command(const size_t call, cl_command_queue queue, cl_event event, const bool is_asked,
                  const std::string &kind, const char *function, const bool blocking) {
  if (ends_series(function, blocking))
    the.in_series.clear();
  series &its = current(kind);
  moments now = {};
  if (the.factor > 0)
    now = next_of_table(its.number, its.repetitions++);
  else if (!the.durations.empty() && is_asked && event != nullptr)
    now = next_duration();
  if (now[3] > 0) {
    the.device_now = now[3];
    the.times[event] = now;
    cl_ulong &idle = the.idle_at[queue];
    idle = std::max(idle, the.host_now) + now[3] - now[0];
    the.ended_at[event] = idle;
  }
  note("command", call, its.number, text_of(now));
  if (!the.holds)
    return;
  if (is_asked) // the program owns it; the layer needs it for longer
    real.clRetainEvent(event);
  the.held.push_back({call, queue, event});
}

void note_ends(cl_command_queue queue) {
  for (held_command &each : the.held) {
    if (each.queue != queue || each.event == nullptr)
      continue;
    moments ns;
    for (cl_uint i = 0; i < 4; i++)
      ns[i] = asked<cl_ulong>(real.clGetEventProfilingInfo, each.event,
                              CL_PROFILING_COMMAND_QUEUED + i);
    note("ended", each.call,
         asked<cl_int>(real.clGetEventInfo, each.event, CL_EVENT_COMMAND_EXECUTION_STATUS),
         text_of(ns));
    real.clReleaseEvent(each.event);
    each.event = nullptr;
  }
}

void start_clock() {
  the.factor = number("clock");
  the.floor = number("floor");
  the.warm_up = number("warm_up", the.warm_up);
  for (const std::string &ms : words_of(setting("durations")))
    the.durations.push_back(strtod(ms.c_str(), nullptr));
  the.holds = number("commands") == 1 || the.factor > 0;
  answers = the.factor > 0;
  below = table;
  if (the.factor > 0 || !the.durations.empty())
    table.clGetEventProfilingInfo = known_times;
}

// ---- The host's clock ---------------------------------------------------------------------------

void host_call() {
  the.host_now += CALL_NS;
}

void host_waits_for(cl_command_queue queue) {
  the.host_now = std::max(the.host_now, the.idle_at[queue]);
}

void host_waits_for(cl_event event) {
  const auto place = the.ended_at.find(event);
  if (place != the.ended_at.end())
    the.host_now = std::max(the.host_now, place->second);
}

// Is the address in the program, and not in a library, as PoCL's?
static bool in_program(const void *address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how the system gives it
  const void *entry = reinterpret_cast<const void *>(getauxval(AT_ENTRY));
  Dl_info asked = {}, program = {};
  return dladdr(address, &asked) != 0 && dladdr(entry, &program) != 0 &&
         asked.dli_fbase == program.dli_fbase;
}

// std::chrono's steady clock, as libstdc++ names it: nanoseconds.
#define STEADY "_ZNSt6chrono3_V212steady_clock3nowEv"
int64_t steady_now() __asm__(STEADY);
int64_t steady_now() {
  if (!answers || !in_program(__builtin_return_address(0))) {
    const auto now = reinterpret_cast<int64_t (*)()>(dlsym(RTLD_NEXT, STEADY));
    if (now == nullptr)
      give_up("no clock to ask");
    return now();
  }
  const std::lock_guard<std::recursive_mutex> lock(layer.mutex);
  the.host_now += READING_NS;
  return static_cast<int64_t>(the.host_now);
}
