// Kernel times from the device's own clock, the host's clock, and how times are summed up.
//
// Chapters 07 and 04 spell out what is done here.
#pragma once

#include "clerr.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

// Returns the milliseconds between start and end of a finished command, measured by the device.
// The queue must have CL_QUEUE_PROFILING_ENABLE. NAN where the device reports no times: an error
// that says so, an end that is not after the start, or a clock with a resolution of 0 ns, as Mesa
// 22.3's Rusticl has, whose "times" are 0, 1, 2 and 3 ns whatever was run.
inline double kernel_ms(cl_event event, const char *file = __builtin_FILE(),
                        const int line = __builtin_LINE()) {
  cl_command_queue queue;
  cl_device_id device;
  size_t resolution; // of the device's clock, in nanoseconds
  clerr_chk(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr), file,
            line);
  clerr_chk(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr), file,
            line);
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof resolution,
                            &resolution, nullptr),
            file, line);
  cl_ulong start = 0;
  cl_ulong end = 0; // both in nanoseconds
  cl_int status =
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr);
  if (status == CL_SUCCESS)
    status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
  if (status == CL_PROFILING_INFO_NOT_AVAILABLE)
    return NAN;
  clerr_chk(status, file, line);
  return resolution > 0 && end > start ? static_cast<double>(end - start) * 1e-6 : NAN;
}

// Returns the milliseconds from the start of the first to the end of the last of several commands,
// the gaps between them included. As kernel_ms otherwise.
inline double kernels_ms(cl_event first, cl_event last, const char *file = __builtin_FILE(),
                         const int line = __builtin_LINE()) {
  if (std::isnan(kernel_ms(first, file, line)) || std::isnan(kernel_ms(last, file, line)))
    return NAN;
  cl_ulong start = 0;
  cl_ulong end = 0; // both in nanoseconds
  clerr_chk(
      clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
      file, line);
  clerr_chk(clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
            file, line);
  return end > start ? static_cast<double>(end - start) * 1e-6 : NAN;
}

// The host's clock, in milliseconds since this was first asked.
inline double now_ms() {
  static const auto t0 = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0).count();
}

// Is another run worth its time? True until there are a warm-up and five runs, or a warm-up and
// one run that took two seconds in all. `times`: milliseconds of the runs so far.
inline bool more_runs(const std::vector<double> &times) {
  double total = 0;
  for (const double ms : times)
    total += std::isnan(ms) ? 0 : ms;
  return times.size() < 2 || (times.size() < 6 && total < 2000);
}

// The median of the runs without the first, which is the warm-up. NAN where no times were reported.
inline double median_ms(std::vector<double> times) {
  times.erase(times.begin());
  for (const double ms : times)
    if (std::isnan(ms))
      return NAN;
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Prints "time      WHAT 1.234 ms, 5.6 UNIT". `work` is what one run does, in 10^9 of the unit:
// gigabytes moved (unit "GB/s") or 10^9 floating-point operations (unit "GFLOP/s").
inline void print_time(const char *what, const double ms, const double work, const char *unit) {
  if (std::isnan(ms)) {
    const size_t length = strlen(what);
    const bool colon = length > 0 && what[length - 1] == ':'; // WHAT may bring its own
    printf("time      %s%s this device reports no times\n", what, colon ? "" : ":");
  } else if (ms > 0)
    printf("time      %s %.3f ms, %.1f %s\n", what, ms, work / (ms * 1e-3), unit);
  else // nothing was launched
    printf("time      %s %.3f ms\n", what, ms);
}
