// The device's two ceilings, measured in a moment: bytes copied and multiply-adds done, a second.
//
// Chapter 15 spells out what is done here, and tries more shapes; its kernels stand again in
// ceilings.cl, so that a chapter needs no other chapter's folder.
#pragma once

#include "clerr.h"
#include "device.h"
#include "source.h"
#include "timing.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// Elements of the two vectors that copy_ceiling needs for a chapter's vectors of n: not more than
// it takes to fill the caches of any device.
inline size_t copy_ceiling_size(const size_t n) {
  return (std::min<size_t>(n, 67108864) + 15) / 16 * 16;
}

// Returns the GB/s, read and written, at which the device copies copy_ceiling_size(n) floats: the
// best of the runtime's copy and two kernels'. NAN where the device reports no times. The queue
// must have CL_QUEUE_PROFILING_ENABLE.
inline double copy_ceiling(cl_context context, cl_device_id device, cl_command_queue queue,
                           const size_t n) {
  cl_int status;
  const size_t size = copy_ceiling_size(n);
  const size_t bytes = size * sizeof(float);
  std::vector<float> ones(size, 1.0f);
  cl_mem from_buffer =
      clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, ones.data(), &status);
  clerr_chk(status);
  cl_mem to_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  clerr_chk(status);
  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  double best_ms = NAN;
  for (const size_t width : {0u, 4u, 16u}) { // 0: the runtime's own copy
    cl_program program = nullptr;
    cl_kernel kernel = nullptr;
    if (width > 0) {
      program = build_program(context, device, load_source("../common/ceilings.cl"),
                              "-D CHAINS=1 -D VECTOR=float" + std::to_string(width));
      kernel = clCreateKernel(program, "copy", &status);
      clerr_chk(status);
      const cl_ulong n_arg = size / width;
      clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &from_buffer));
      clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &to_buffer));
      clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
    }
    const size_t local_size = width == 4 ? 256 : 1; // many work-items, or few: GPU or CPU
    const size_t global_size = compute_units * (width == 4 ? 32 * local_size : 4);
    std::vector<double> times;
    while (more_runs(times)) {
      cl_event event;
      if (width == 0)
        clerr_chk(
            clEnqueueCopyBuffer(queue, from_buffer, to_buffer, 0, 0, bytes, 0, nullptr, &event));
      else
        clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                         nullptr, &event));
      clerr_chk(clWaitForEvents(1, &event));
      times.push_back(kernel_ms(event));
      clerr_chk(clReleaseEvent(event));
    }
    best_ms = std::fmin(best_ms, median_ms(times)); // of NAN and a number: the number
    if (width > 0) {
      clerr_chk(clReleaseKernel(kernel));
      clerr_chk(clReleaseProgram(program));
    }
  }
  clerr_chk(clReleaseMemObject(to_buffer));
  clerr_chk(clReleaseMemObject(from_buffer));
  return 2e-6 * static_cast<double>(bytes) / best_ms;
}

// Floats in the buffer that arithmetic_ceiling needs: 64 groups of 64 work-items for each compute
// unit, a float16 each.
inline size_t arithmetic_ceiling_size(cl_device_id device) {
  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  return size_t{compute_units} * 64 * 64 * 16;
}

// Returns the GFLOP/s of float multiply-adds in registers: the best of scalars, and of float16
// vectors. NAN where the device reports no times. The queue must have CL_QUEUE_PROFILING_ENABLE.
inline double arithmetic_ceiling(cl_context context, cl_device_id device, cl_command_queue queue) {
  cl_int status;
  const size_t floats = arithmetic_ceiling_size(device);
  const size_t items = floats / 16;
  const size_t local_size = 64;
  const size_t chains = 12;
  cl_mem buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE, floats * sizeof(float), nullptr, &status);
  clerr_chk(status);
  double best = NAN;
  for (const size_t width : {1u, 16u}) {
    cl_program program =
        build_program(context, device, load_source("../common/ceilings.cl"),
                      "-D CHAINS=" + std::to_string(chains) +
                          (width == 1 ? " -D VECTOR=float" : " -D VECTOR=float16"));
    cl_kernel kernel = clCreateKernel(program, "multiply_add", &status);
    clerr_chk(status);
    const float factor = -1.0f;
    const float summand = 3.0f;
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof factor, &factor));
    clerr_chk(clSetKernelArg(kernel, 2, sizeof summand, &summand));
    std::vector<double> times;
    cl_uint iterations = 1;
    while (more_runs(times)) { // the work is doubled until it takes 4 ms
      clerr_chk(clSetKernelArg(kernel, 3, sizeof iterations, &iterations));
      cl_event event;
      clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &local_size, 0, nullptr,
                                       &event));
      clerr_chk(clWaitForEvents(1, &event));
      const double ms = kernel_ms(event);
      clerr_chk(clReleaseEvent(event));
      if (times.empty() && ms < 4.0 && iterations < 1u << 24)
        iterations *= 2;
      else
        times.push_back(ms);
    }
    const double steps = 4.0 * static_cast<double>(iterations) + 1.0;
    best = std::fmax(best,
                     2e-6 * steps * static_cast<double>(chains * items * width) / median_ms(times));
    clerr_chk(clReleaseKernel(kernel));
    clerr_chk(clReleaseProgram(program));
  }
  clerr_chk(clReleaseMemObject(buffer));
  return best;
}

// Prints "time      share of the ceiling: 93 % of 28.8 GB/s". `rate` and `ceiling` are in `unit`.
// Nothing where the device reports no times.
inline void print_share(const double rate, const double ceiling, const char *unit) {
  if (rate > 0 && ceiling > 0) // false for NAN
    printf("time      share of the ceiling: %.0f %% of %.1f %s\n", 100.0 * rate / ceiling, ceiling,
           unit);
}
