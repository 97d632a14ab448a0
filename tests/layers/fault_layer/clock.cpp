// Times that are known. The layer answers for the device's clock:
//
//   LAYER_CLOCK     a factor: each command's times are those of a fixed table, times this factor,
//                   and not the device's; see next_times below. Unset or 0: they are the device's
//   LAYER_FLOOR     microseconds (times that factor) that each of these commands takes more; with
//   LAYER_DIP=1     not the second one of a series
//   LAYER_WARM_UP   microseconds (times that factor) that the first command of a series takes;
//                   8000 if unset
//
// And, where the program has loaded the layer before libstdc++ as well (LD_PRELOAD), for the
// host's: std::chrono's clocks, when the program itself asks them. By this clock each OpenCL call
// takes CALL_NS and each reading READING_NS. A command begins when the call that enqueued it
// returns, or when the one before it in its queue has ended, and takes as long as on the device's
// clock from queued to ended; a call that waits returns when what it waits for has ended. The
// host's own work takes no time. So "enqueue, wait" takes, from one reading to the next, exactly
// CALL_NS + (ended - queued) + READING_NS.
#include "layer.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>

#include <dlfcn.h>
#include <sys/auxv.h>

constexpr cl_ulong CALL_NS = 3000;
constexpr cl_ulong READING_NS = 17000;
// What both clocks begin with, as of 2023: a double or a float does not hold such a number exactly.
constexpr cl_ulong SINCE_1970_NS = 1700000000123456789;
// What commands of every other series take beyond whole microseconds: so little below a half that
// whoever subtracts the moments as doubles, which are 256 ns apart there, rounds up about every
// other time. Of every other one, so that two launches that are timed as one do, too.
constexpr cl_ulong JUST_BELOW_NS = 497;

struct clock_state {
  cl_ulong factor = 0; // 0: the device's own times
  cl_ulong floor = 0;  // microseconds, as warm_up
  bool dip = false;
  cl_ulong warm_up = 8000;
  size_t commands = 0;
  cl_ulong device_now = 0; // when the last command ended
  std::map<cl_event, command_times> times;
  cl_ulong host_now = 0;
  std::map<cl_command_queue, cl_ulong> idle_at; // host's clock: when all commands have ended
  std::map<cl_event, cl_ulong> ended_at;        // the same of one
  size_t readings = 0;
};
static clock_state &clocks = *new clock_state; // NOLINT(cert-err58-cpp): see layer.cpp

void read_clock_settings() {
  clocks.factor = static_cast<cl_ulong>(number_from("LAYER_CLOCK"));
  if (clocks.factor > 0)
    clocks.device_now = clocks.host_now = SINCE_1970_NS;
  clocks.floor = static_cast<cl_ulong>(number_from("LAYER_FLOOR"));
  clocks.dip = number_from("LAYER_DIP") != 0;
  if (!text_from("LAYER_WARM_UP").empty())
    clocks.warm_up = static_cast<cl_ulong>(number_from("LAYER_WARM_UP"));
}

// In nanoseconds: after all the commands before; the four moments are the factor times some 100
// microseconds apart, no two of the gaps the same. The first command of a series, the warm-up,
// takes many times as long. Of the five after it, the third longest is neither the first, the
// middle nor the last one, and not their mean; another series is slower or faster, and which is up
// to the factor. Without LAYER_CLOCK: zeros.
command_times next_times(cl_command_queue queue, cl_event event, const long series,
                         const size_t repetition) {
  const cl_ulong us = 1000 * clocks.factor;
  const cl_ulong number = ++clocks.commands;
  const cl_ulong usual[5] = {88, 25, 125, 63, 38};
  const cl_ulong factors[5] = {2, 5, 3, 6, 4};
  const cl_ulong duration =
      ((repetition == 0 ? clocks.warm_up : usual[(repetition - 1) % 5]) + number % 11) *
          factors[(static_cast<cl_ulong>(series) + clocks.factor) % 5] +
      (clocks.dip && repetition == 1 ? 0 : clocks.floor);
  command_times now = {};
  now.ns[0] = clocks.device_now + (70 + number % 13) * us;
  now.ns[1] = now.ns[0] + (30 + number % 7) * us;
  now.ns[2] = now.ns[1] + (50 + number % 11) * us;
  now.ns[3] = now.ns[2] + duration * us + (series % 2 != 0 ? JUST_BELOW_NS : 0);
  clocks.device_now = now.ns[3];
  clocks.times[event] = now;
  cl_ulong &idle = clocks.idle_at[queue];
  idle = std::max(idle, clocks.host_now) + now.ns[3] - now.ns[0];
  clocks.ended_at[event] = idle;
  return now;
}

void host_call() {
  clocks.host_now += CALL_NS;
}
void host_waits_for(cl_command_queue queue) {
  clocks.host_now = std::max(clocks.host_now, clocks.idle_at[queue]);
}
void host_waits_for(cl_event event) {
  const auto place = clocks.ended_at.find(event);
  if (place != clocks.ended_at.end())
    clocks.host_now = std::max(clocks.host_now, place->second);
}

static cl_int CL_API_CALL times_of_the_table(cl_event event, const cl_profiling_info what,
                                             const size_t size, void *value, size_t *size_ret) {
  const cl_int status = the.real->clGetEventProfilingInfo(event, what, size, value, size_ret);
  if (status != CL_SUCCESS || value == nullptr)
    return status;
  for (cl_uint i = 0; i < 4; i++)
    if (what == CL_PROFILING_COMMAND_QUEUED + i)
      memcpy(value, &clocks.times.at(event).ns[i], sizeof(cl_ulong));
  return status;
}

void pretend_times(cl_icd_dispatch &table) {
  if (clocks.factor > 0)
    table.clGetEventProfilingInfo = times_of_the_table;
}

void report_clock(FILE *file) {
  fprintf(file, "host_ns %llu %llu\nreadings %zu\n", static_cast<unsigned long long>(CALL_NS),
          static_cast<unsigned long long>(READING_NS), clocks.readings);
}

// ---- The host's clock ---------------------------------------------------------------------------

// Is the address in the program, and not in a library? What PoCL asks the time for is its own
// affair.
static bool in_program(const void *address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how the system gives it
  const void *entry = reinterpret_cast<const void *>(getauxval(AT_ENTRY));
  Dl_info asked = {}, program = {};
  return dladdr(address, &asked) != 0 && dladdr(entry, &program) != 0 &&
         asked.dli_fbase == program.dli_fbase;
}

// The answer of one of std::chrono's clocks, in nanoseconds: `name` is that of the real function.
// The clock of the day, which can be set, is set `back` here all the time.
static int64_t reading(const void *caller, const char *name, const bool back) {
  if (clocks.factor == 0 || !in_program(caller)) {
    const auto now = reinterpret_cast<int64_t (*)()>(dlsym(RTLD_NEXT, name));
    if (now == nullptr)
      give_up("no clock to ask");
    return now();
  }
  const std::lock_guard<std::recursive_mutex> lock(the.mutex);
  clocks.readings++;
  clocks.host_now += READING_NS;
  return static_cast<int64_t>(back ? 2 * SINCE_1970_NS - clocks.host_now : clocks.host_now);
}

// std::chrono's now(), as libstdc++ names it; both give back a number of nanoseconds.
#define STEADY "_ZNSt6chrono3_V212steady_clock3nowEv"
#define SYSTEM "_ZNSt6chrono3_V212system_clock3nowEv"
int64_t steady_now() __asm__(STEADY);
int64_t steady_now() {
  return reading(__builtin_return_address(0), STEADY, false);
}
int64_t system_now() __asm__(SYSTEM);
int64_t system_now() {
  return reading(__builtin_return_address(0), SYSTEM, true);
}
