// A device with everything that it needs to work; which devices these are, and what each is to do.
#pragma once

#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

constexpr size_t strip = 32; // rows of C that are dealt out together: the largest tile

// Nothing is shared between two of them: devices of different platforms have no context in common.
struct worker {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  size_t tile, wpt; // as in chapter 10
  cl_mem a_buffer, b_buffer, c_buffer;
  double speed;      // rows of C in a millisecond, or 1 while not all are known; 0: left out
  size_t first, end; // the rows that it computes now: from `first` up to, and without, `end`
  cl_event event;    // of its kernel
  double ms;         // that its kernel took; NAN where it was told to do nothing
  cl_int status;     // CL_SUCCESS, or why it has failed,
  const char *file;  // and where
  int line;
};

// Returns the devices that OCL_DEVICE names: "all", or words with commas between them, each as
// pick_device takes it, and here every device that it fits ("0:0,1:0"; "gpu,": every GPU). A word
// that fits none: exit 1. Without a comma: what pick_device takes.
inline std::vector<cl_device_id> pick_devices() {
  const char *env = getenv("OCL_DEVICE");
  const std::string wish = env == nullptr ? "" : env;
  const bool all = lower(wish) == "all";
  if (!all && wish.find(',') == std::string::npos)
    return {pick_device()};
  std::vector<cl_platform_id> platforms = all_platforms();
  std::vector<std::string> words, unknown;
  std::istringstream text(all ? "" : wish);
  for (std::string word; std::getline(text, word, ',');)
    if (!word.empty())
      words.push_back(word);
  unknown = words;
  std::vector<cl_device_id> chosen;
  for (size_t p = 0; p < platforms.size(); p++) {
    const std::vector<cl_device_id> devices = all_devices(platforms[p]);
    for (size_t d = 0; d < devices.size(); d++) {
      if (!device_answers(devices[d], p, d))
        continue;
      bool fits = all && usable(devices[d], p, d);
      for (const std::string &word : words)
        if (device_matches(devices[d], p, d, word)) {
          fits = true;
          unknown.erase(std::remove(unknown.begin(), unknown.end(), word), unknown.end());
        }
      if (fits)
        chosen.push_back(devices[d]);
    }
  }
  if (!chosen.empty() && unknown.empty())
    return chosen;
  fprintf(stderr, "no OpenCL device matches \"%s\" of OCL_DEVICE=%s; chapter 02 lists them all\n",
          unknown.empty() ? "" : unknown[0].c_str(), wish.c_str());
  exit(EXIT_FAILURE);
}

inline cl_uint compute_units(cl_device_id device) {
  cl_uint units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr));
  return units;
}

// Can the device be divided into two of it, each with a number of compute units that the host says?
inline bool can_be_divided(cl_device_id device) {
  size_t bytes; // none, or a single 0, where it cannot be divided at all
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, 0, nullptr, &bytes));
  std::vector<cl_device_partition_property> ways(bytes / sizeof(cl_device_partition_property));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, bytes, ways.data(), nullptr));
  return compute_units(device) > 1 &&
         std::find(ways.begin(), ways.end(), CL_DEVICE_PARTITION_BY_COUNTS) != ways.end();
}

// Does for one device what every chapter does for its own: context, queue, kernel, and buffers with
// copies of `a`, `b` and `c`.
inline worker set_up(cl_device_id device, const std::string &source, std::vector<float> &a,
                     std::vector<float> &b, std::vector<float> &c) {
  cl_int status;
  worker w = {};
  w.device = device;
  w.context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  w.queue = clCreateCommandQueue(w.context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  for (w.tile = strip;; w.tile /= 2) {
    w.wpt = std::max<size_t>(1, w.tile / 4);
    const std::string options =
        "-D TILE=" + std::to_string(w.tile) + " -D WPT=" + std::to_string(w.wpt);
    w.program = build_program(w.context, device, source, options);
    w.kernel = clCreateKernel(w.program, "matmul", &status);
    clerr_chk(status);
    if (group_fits(w.kernel, device, {w.tile, w.tile / w.wpt}))
      break;
    clerr_chk(clReleaseKernel(w.kernel));
    clerr_chk(clReleaseProgram(w.program));
  }
  w.a_buffer = clCreateBuffer(w.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                              a.size() * sizeof(float), a.data(), &status);
  clerr_chk(status);
  w.b_buffer = clCreateBuffer(w.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                              b.size() * sizeof(float), b.data(), &status);
  clerr_chk(status);
  w.c_buffer = clCreateBuffer(w.context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                              c.size() * sizeof(float), c.data(), &status);
  clerr_chk(status);
  w.speed = 1; // nothing is known yet: all are taken to be as fast
  return w;
}

// Releases what set_up made.
inline void tear_down(const worker &w) {
  clerr_chk(clReleaseMemObject(w.c_buffer));
  clerr_chk(clReleaseMemObject(w.b_buffer));
  clerr_chk(clReleaseMemObject(w.a_buffer));
  clerr_chk(clReleaseKernel(w.kernel));
  clerr_chk(clReleaseProgram(w.program));
  clerr_chk(clReleaseCommandQueue(w.queue));
  clerr_chk(clReleaseContext(w.context));
}

// Deals out the first `rows` rows of C: to each device as many strips as it is fast.
inline void deal_out(std::vector<worker> &workers, const size_t rows) {
  double all = 0, so_far = 0; // speeds
  for (const worker &w : workers)
    all += w.speed;
  const double strips = static_cast<double>((rows + strip - 1) / strip);
  size_t next = 0;
  for (worker &w : workers) {
    so_far += w.speed; // of the last one all, so that nothing is left
    w.first = next;
    w.end = std::min(rows, static_cast<size_t>(std::lround(so_far / all * strips)) * strip);
    w.ms = NAN;
    next = w.end;
  }
}

// Takes over how fast the devices have just been, if all that are left have worked and report
// times.
inline void measure_speeds(std::vector<worker> &workers) {
  for (const worker &w : workers)
    if (w.speed > 0 && std::isnan(w.ms))
      return;
  for (worker &w : workers)
    if (w.speed > 0)
      w.speed = static_cast<double>(w.end - w.first) / w.ms;
}

// As clerr_chk, but a device that fails only has it noted, with the place.
inline void note(worker &w, const cl_int status, const char *file = __builtin_FILE(),
                 const int line = __builtin_LINE()) {
  w.status = status;
  w.file = file;
  w.line = line;
}

// Did nothing fail of what the devices that are left were told to do?
inline bool all_well(const std::vector<worker> &workers) {
  for (const worker &w : workers)
    if (w.status != CL_SUCCESS && w.speed > 0)
      return false;
  return true;
}

// Devices that have failed get no more work: says so. Where none is left, ends as clerr_chk does.
inline void leave_out_failed(std::vector<worker> &workers) {
  for (worker &w : workers) {
    if (w.status == CL_SUCCESS || w.speed == 0)
      continue;
    w.speed = 0;
    const bool last = std::all_of(workers.begin(), workers.end(),
                                  [](const worker &other) { return other.speed == 0; });
    if (last)
      clerr_chk(w.status, w.file, w.line);
    fflush(stdout);
    fprintf(stderr, "%s: %s (%d), left out; the others compute its rows %zu to %zu\n",
            device_text(w.device, CL_DEVICE_NAME).c_str(), clerr_find(w.status).name, w.status,
            w.first, w.end - 1);
  }
}
