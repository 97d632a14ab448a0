// Half precision as a way to compute: where it stops counting.
#include "beyond.h"

#include <CL/cl_half.h>

int main() {
  cl_device_id device = pick_device();
  print_device(device);
  if (!contains(device_text(device, CL_DEVICE_EXTENSIONS) + " ", "cl_khr_fp16 "))
    skip("no arithmetic in half on this device: it does not have cl_khr_fp16");
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("half-arithmetic.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "count_to", &status);
  clerr_chk(status);

  cl_half count = cl_half_from_float(NAN, CL_HALF_RTE);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof count, &count, &status);
  clerr_chk(status);
  const cl_int n = 3000;
  const size_t one = 1;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof n, &n));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr));
  clerr_chk(
      clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof count, &count, 0, nullptr, nullptr));
  const auto result = static_cast<double>(cl_half_to_float(count));
  printf("counted   to %d: %.9g\n", n, result);
  // 2048 + 1 is 2048 in half. A compiler that computes in float, and rounds at the end, gets 3000.
  const bool ok = result == 2048.0 || result == 3000.0;

  clerr_chk(clReleaseMemObject(buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
