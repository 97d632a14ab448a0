// Reading back no more than is needed: the last M elements.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: program [N [M]]\n"
                                 "  N  number of elements (default 1000003)\n"
                                 "  M  how many of them to read back, at most N (default N)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 2, usage);
  const size_t n = size_arg(argc, argv, 1, 1000003, usage);
  const size_t m = std::min(n, size_arg(argc, argv, 2, n, usage));
  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu, M = %zu\n", n, m);

  check_memory(device, {buffer_bytes(n), buffer_bytes(n)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "twice_plus_one", &status);
  clerr_chk(status);

  std::vector<float> input(n);
  for (size_t i = 0; i < n; i++)
    input[i] = static_cast<float>(i); // so a wrong y[i] tells which element it is
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, n * sizeof(float), nullptr, &status);
  clerr_chk(status);
  cl_mem y_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, n * sizeof(float), nullptr, &status);
  clerr_chk(status);
  clerr_chk(clEnqueueWriteBuffer(queue, x_buffer, CL_TRUE, 0, n * sizeof(float), input.data(), 0,
                                 nullptr, nullptr));

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &y_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
  const size_t local_size = 64;
  const size_t global_size = (n + local_size - 1) / local_size * local_size;
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0, nullptr,
                                   nullptr));

  // TODO: these are the first m elements, not the last.
  std::vector<float> y(m, NAN);
  clerr_chk(clEnqueueReadBuffer(queue, y_buffer, CL_TRUE, 0, m * sizeof(float), y.data(), 0,
                                nullptr, nullptr));

  size_t differ = 0;
  size_t shown = m - 1; // the first element that differs, or the last one
  for (size_t i = 0; i < m; i++)
    if (!(y[i] == 2.0f * input[n - m + i] + 1.0f) && differ++ == 0)
      shown = i;
  printf("result    y[%zu] = %.9g\n", n - m + shown, static_cast<double>(y[shown]));
  printf("expected  y[%zu] = %.9g (%zu of %zu elements differ)\n", n - m + shown,
         static_cast<double>(2.0f * input[n - m + shown] + 1.0f), differ, m);
  const bool ok = differ == 0;

  clerr_chk(clReleaseMemObject(y_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
