// A device with everything that it needs to work; which devices these are, and what each is to do.
#pragma once

#include "../common/device.h"
#include "../common/tiles.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

constexpr size_t strip = 128; // rows of C that are dealt out together: those of the largest tiles

// Nothing is shared between two of them: devices of different platforms have no context in common.
struct worker {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  tiles tile;
  cl_mem b_buffer;           // all of B
  cl_mem a_buffer, c_buffer; // the rows that it computes now,
  size_t first, end;         // from `first` up to, and without, `end`
  size_t strips;             // of these rows
  double speed;              // strips in a millisecond, or 1 while not all are known; 0: left out
  cl_event event;            // of its kernel
  double ms;                 // that its kernel took
  cl_int status;             // CL_SUCCESS, or why it has failed,
  const char *file;          // and where
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
  std::vector<std::string> words;
  std::istringstream text(all ? "" : wish);
  for (std::string word; std::getline(text, word, ',');)
    if (!word.empty())
      words.push_back(word);
  std::vector<std::string> unknown = words;
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

// Does for one device what every chapter does for its own: context, queue, kernel, and a buffer
// with a copy of `b`. Its rows of A and C come later.
inline worker set_up(cl_device_id device, const std::string &source, std::vector<float> &b,
                     const size_t m, const size_t n, const size_t k) {
  cl_int status;
  worker w = {};
  w.device = device;
  w.context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  w.queue = clCreateCommandQueue(w.context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  w.tile = build_tiles(w.context, device, source, m, n, k);
  w.b_buffer = clCreateBuffer(w.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                              b.size() * sizeof(float), b.data(), &status);
  clerr_chk(status);
  w.speed = 1; // nothing is known yet: all are taken to be as fast
  return w;
}

// Releases the buffers of a device's rows.
inline void drop_rows(worker &w) {
  if (w.first == w.end)
    return;
  clerr_chk(clReleaseMemObject(w.c_buffer));
  clerr_chk(clReleaseMemObject(w.a_buffer));
  w.first = w.end;
}

// Gives a device the rows from `first` to before `end`, if it has not got just these: the rows of
// A, and room for those of C.
inline void bring_rows(worker &w, const size_t first, const size_t end, std::vector<float> &a,
                       std::vector<float> &c, const size_t n, const size_t k) {
  if (w.first == first && w.end == end)
    return;
  drop_rows(w);
  if (first == end)
    return;
  cl_int status;
  w.a_buffer = clCreateBuffer(w.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                              (end - first) * k * sizeof(float), &a[first * k], &status);
  clerr_chk(status);
  w.c_buffer = clCreateBuffer(w.context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                              (end - first) * n * sizeof(float), &c[first * n], &status);
  clerr_chk(status);
  w.first = first;
  w.end = end;
}

// Releases what set_up made.
inline void tear_down(worker &w) {
  drop_rows(w);
  clerr_chk(clReleaseMemObject(w.b_buffer));
  clerr_chk(clReleaseKernel(w.tile.kernel));
  clerr_chk(clReleaseProgram(w.tile.program));
  clerr_chk(clReleaseCommandQueue(w.queue));
  clerr_chk(clReleaseContext(w.context));
}

// Deals out strips of C, one by one: each to the device that would be done with it first. So a
// device gets none where the others would be done before it has computed a single one.
inline void deal_out(std::vector<worker> &workers, const size_t strips) {
  for (worker &w : workers)
    w.strips = 0;
  for (size_t s = 0; s < strips; s++) {
    worker *first = nullptr;
    double first_end = INFINITY;
    for (worker &w : workers) {
      if (w.speed == 0)
        continue;
      const double end = static_cast<double>(w.strips + 1) / w.speed; // in ms
      if (end < first_end) {
        first = &w;
        first_end = end;
      }
    }
    first->strips++;
  }
}

// Takes over how fast the devices have just been, if all that worked report times. One that had no
// strip is as fast as it was when it last had one.
inline void measure_speeds(std::vector<worker> &workers) {
  for (const worker &w : workers)
    if (w.strips > 0 && std::isnan(w.ms))
      return;
  for (worker &w : workers)
    if (w.strips > 0)
      w.speed = static_cast<double>(w.strips) / w.ms;
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
