// Sum of a vector in pieces: one queue copies, another one computes.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/group_size.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements (default 100000)\n";

constexpr size_t piece = 1000;   // elements
constexpr size_t slots = 2;      // pieces on the device at a time
constexpr size_t num_groups = 4; // that work on a piece

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 100000, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(
      device, {buffer_bytes(piece), buffer_bytes(piece), buffer_bytes(num_groups), buffer_bytes(n)},
      usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue copies = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_command_queue kernels = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "add_piece", &status);
  clerr_chk(status);
  const size_t local_size = group_size(kernel, device, 256);
  const size_t global_size = num_groups * local_size;

  std::vector<float> x(n), partial_sums(num_groups, 0.0f);
  fill_whole(x, 1);
  cl_mem x_buffers[slots];
  for (cl_mem &buffer : x_buffers) {
    buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, piece * sizeof(float), nullptr, &status);
    clerr_chk(status);
  }
  cl_mem sums_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      num_groups * sizeof(float), partial_sums.data(), &status);
  clerr_chk(status);
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &sums_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, local_size * sizeof(float), nullptr)); // local memory

  cl_event copied[slots] = {}, computed[slots] = {}; // of the last piece that was in a slot
  for (size_t p = 0; p * piece < n; p++) {
    const size_t s = p % slots;
    const bool used = p >= slots; // was there a piece in this slot before?
    const cl_ulong length = std::min(piece, n - p * piece);
    cl_event now;
    clerr_chk(clEnqueueWriteBuffer(copies, x_buffers[s], CL_FALSE, 0, length * sizeof(float),
                                   &x[p * piece], 0, nullptr, &now));
    clerr_chk(clFlush(copies));
    if (used) {
      clerr_chk(clReleaseEvent(copied[s]));
      clerr_chk(clReleaseEvent(computed[s]));
    }
    copied[s] = now;
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffers[s]));
    clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &length));
    clerr_chk(clEnqueueNDRangeKernel(kernels, kernel, 1, nullptr, &global_size, &local_size, 1,
                                     &copied[s], &computed[s]));
    clerr_chk(clFlush(kernels));
  }
  clerr_chk(clEnqueueReadBuffer(kernels, sums_buffer, CL_TRUE, 0, num_groups * sizeof(float),
                                partial_sums.data(), 0, nullptr, nullptr));
  clerr_chk(clFinish(copies));

  double result = 0.0, expected = 0.0;
  for (const float sum : partial_sums)
    result += static_cast<double>(sum);
  for (const float value : x)
    expected += static_cast<double>(value);
  const bool ok = check_equal(result, expected);

  for (size_t s = 0; s < slots; s++)
    if (computed[s] != nullptr) {
      clerr_chk(clReleaseEvent(computed[s]));
      clerr_chk(clReleaseEvent(copied[s]));
    }
  clerr_chk(clReleaseMemObject(sums_buffer));
  for (cl_mem buffer : x_buffers)
    clerr_chk(clReleaseMemObject(buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(kernels));
  clerr_chk(clReleaseCommandQueue(copies));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
