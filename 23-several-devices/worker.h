// A device with everything that it needs to work; which devices these are, and what each is to do.
#pragma once

#include "../common/device.h"
#include "../common/tiles.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

constexpr size_t strip = 128; // rows of C that are dealt out together: those of the largest tiles

// Nothing is shared between two of them: devices of different platforms have no context in common.
struct worker {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  tiles tile;
  cl_mem a_buffer; // each with room for all of a matrix, since the other devices may fail
  cl_mem b_buffer;
  cl_mem c_buffer;
  size_t first;   // it computes the rows of C from here
  size_t end;     // up to, and without, this one
  size_t strips;  // which are so many strips
  double speed;   // strips in a millisecond, or 1 while not all are known
  cl_event event; // of its kernel
  double ms;      // that its kernel took
  cl_int status;  // CL_SUCCESS, or why it has failed
};

// The devices that OCL_DEVICE names: "all", or words with commas between them, and here every
// device that one of them fits ("0:0,1:0"; "gpu,": every GPU). Without a comma: what pick_device
// takes.
inline std::vector<cl_device_id> pick_devices() {
  const char *env = getenv("OCL_DEVICE");
  const std::string wish = env == nullptr ? "" : env;
  if (lower(wish) != "all" && wish.find(',') == std::string::npos)
    return {pick_device()};
  return devices_that_fit(wish);
}

// Two sub-devices with half of the compute units each, or the device where it has no such ones.
inline std::vector<cl_device_id> divided(cl_device_id device) {
  cl_uint units;
  cl_device_partition_property ways[16] = {}; // in which it can be divided
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, nullptr));
  if (units < 2 || std::find(ways, ways + 16, CL_DEVICE_PARTITION_BY_COUNTS) == ways + 16)
    return {device};

  const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, units / 2,
                                                 units - units / 2,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  std::vector<cl_device_id> sub_devices(2);
  clerr_chk(clCreateSubDevices(device, counts, 2, sub_devices.data(), nullptr));
  return sub_devices;
}

// Does for one device what every chapter does for its own: context, queue, and buffers, with a copy
// of `b`. Its rows of A and C come later.
inline worker set_up(cl_device_id device, const size_t a_bytes, std::vector<float> &b,
                     const size_t c_bytes) {
  cl_int status;
  worker w = {};
  w.device = device;
  w.speed = 1; // nothing is known yet: all are taken to be as fast
  w.context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  w.queue = clCreateCommandQueue(w.context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  w.a_buffer = clCreateBuffer(w.context, CL_MEM_READ_ONLY, a_bytes, nullptr, &status);
  clerr_chk(status);
  w.b_buffer = clCreateBuffer(w.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                              b.size() * sizeof(float), b.data(), &status);
  clerr_chk(status);
  w.c_buffer = clCreateBuffer(w.context, CL_MEM_WRITE_ONLY, c_bytes, nullptr, &status);
  clerr_chk(status);
  return w;
}

// Brings a device rows of A, and fills those of C with NaN.
inline void bring_rows(worker &w, const size_t first, const size_t end, const std::vector<float> &a,
                       const size_t n, const size_t k) {
  w.first = first;
  w.end = end;
  const size_t rows = end - first;
  const float nan = NAN;
  w.status = clEnqueueWriteBuffer(w.queue, w.a_buffer, CL_FALSE, 0, rows * k * sizeof(float),
                                  &a[first * k], 0, nullptr, nullptr);
  if (w.status == CL_SUCCESS)
    w.status = clEnqueueFillBuffer(w.queue, w.c_buffer, &nan, sizeof nan, 0,
                                   rows * n * sizeof(float), 0, nullptr, nullptr);
  if (w.status == CL_SUCCESS)
    w.status = clFinish(w.queue);
}

// Releases what set_up made.
inline void tear_down(worker &w) {
  for (cl_mem buffer : {w.c_buffer, w.b_buffer, w.a_buffer})
    clerr_chk(clReleaseMemObject(buffer));
  clerr_chk(clReleaseKernel(w.tile.kernel));
  clerr_chk(clReleaseProgram(w.tile.program));
  clerr_chk(clReleaseCommandQueue(w.queue));
  clerr_chk(clReleaseContext(w.context));
  clerr_chk(clReleaseDevice(w.device)); // a sub-device; to a whole device this does nothing
}

// Deals out strips of C, one by one: each to the device that would be done with it first. So a
// device gets none where the others would be done before it has computed a single one.
inline void deal_out(std::vector<worker> &workers, const size_t strips) {
  for (worker &w : workers)
    w.strips = 0;
  const auto done = [](const worker &w) { return static_cast<double>(w.strips + 1) / w.speed; };
  for (size_t s = 0; s < strips; s++) {
    worker *first = &workers[0];
    for (worker &w : workers)
      if (done(w) < done(*first)) // in ms
        first = &w;
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

// Devices that have failed get no more work: says so, and takes them out of `workers`. True if
// there are any. Where none is left, ends as clerr_chk does.
inline bool leave_out_failed(std::vector<worker> &workers) {
  std::vector<worker> left;
  for (const worker &w : workers)
    if (w.status == CL_SUCCESS)
      left.push_back(w);
  if (left.empty())
    clerr_chk(workers[0].status);

  for (const worker &w : workers)
    if (w.status != CL_SUCCESS) {
      fflush(stdout);
      fprintf(stderr, "%s: %s (%d), left out; the others compute its rows\n",
              device_text(w.device, CL_DEVICE_NAME).c_str(), clerr_find(w.status).name, w.status);
    }
  const bool found = left.size() < workers.size();
  workers = left;
  return found;
}
