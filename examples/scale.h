// The rest of each program that has scale.cl from somewhere: launches it and looks at the result.
#pragma once

#include "beyond.h"

#include <chrono>

// Milliseconds since `start`.
inline double ms_since(const std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// Multiplies 1000 numbers by 3 on the device; true if all are right. It returns when the launch has
// ended, since some implementations compile only then.
inline bool scales(cl_context context, cl_device_id device, cl_program program) {
  cl_int status;
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_kernel kernel = clCreateKernel(program, "scale", &status);
  clerr_chk(status);
  std::vector<float> x(1000);
  fill_whole(x, 1);
  std::vector<float> expected = x;
  for (float &value : expected)
    value *= 3.0f;
  cl_mem buffer =
      clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, x.size() * sizeof(float), x.data(), &status);
  clerr_chk(status);
  const cl_float factor = 3.0f;
  const size_t global_size = x.size();
  clerr_chk(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof factor, &factor));
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, nullptr, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, x.size() * sizeof(float), x.data(), 0,
                                nullptr, nullptr));
  clerr_chk(clReleaseMemObject(buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseCommandQueue(queue));
  return x == expected;
}
