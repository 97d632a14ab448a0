// Half precision as a way to store numbers: half the bytes, 11 bits of each.
#include "beyond.h"

#include <CL/cl_half.h>

int main() {
  cl_device_id device = pick_device();
  print_device(device);
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("half-storage.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "scale", &status);
  clerr_chk(status);

  // 11 bits: of the whole numbers above 2048, a half has every second one.
  const float numbers[] = {1.0f, 2047.0f, 2049.0f, 0.1f};
  const double expected[] = {0.5, 1023.5, 1024.0, 819.0 / 16384.0};
  cl_half x[4];
  for (size_t i = 0; i < 4; i++)
    x[i] = cl_half_from_float(numbers[i], CL_HALF_RTE); // to the nearest; of two, to the even one
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &status);
  clerr_chk(status);
  const cl_float factor = 0.5f;
  const size_t global_size = 4;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof factor, &factor));
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, nullptr, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof x, x, 0, nullptr, nullptr));
  bool ok = true;
  for (size_t i = 0; i < 4; i++) {
    const auto result = static_cast<double>(cl_half_to_float(x[i]));
    printf("half of   %.9g: %.9g\n", static_cast<double>(numbers[i]), result);
    ok = ok && result == expected[i];
  }

  clerr_chk(clReleaseMemObject(buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
