// Maximum of a vector without barriers: one launch per level, each work-item compares UF elements.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage = "usage: program [N [UF]]\n"
                                 "  N   number of elements (default 1000003)\n"
                                 "  UF  elements for each work-item, at least 2 (default 2)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 2, usage);
  const size_t n = size_arg(argc, argv, 1, 1000003, usage);
  const size_t uf = size_arg(argc, argv, 2, 2, usage, 2);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu, UF = %zu\n", n, uf);
  check_memory(device, {buffer_bytes(n)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  const std::string options = "-D UF=" + std::to_string(uf) + "ul"; // a constant for the compiler
  cl_program program = build_program(context, device, load_source("kernel.cl"), options);
  cl_kernel kernel = clCreateKernel(program, "max_unrolled", &status);
  clerr_chk(status);

  bool ok = true;
  // Numbers of either sign, negative ones only, ones far below zero, and as far as can be.
  for (const float shift : {0.0f, -5.0f, -1e30f, -INFINITY}) {
    std::vector<float> x(n);
    fill_real(x, n);
    for (float &value : x)
      value += shift;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), x.data(), &status);
    clerr_chk(status);
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer));
    size_t items; // work-items of this level, and elements of the next
    for (size_t left = n; left > 1; left = items) {
      items = std::max<size_t>(1, left / uf); // fewer than left, so the last level comes
      const size_t global_size = (items + 63) / 64 * 64;
      const size_t local_size = 64;
      const cl_ulong left_arg = left;
      clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_ulong), &left_arg));
      clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                       nullptr, nullptr));
    }

    float result = NAN;
    clerr_chk(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, &result, 0, nullptr,
                                  nullptr));
    const float expected = *std::max_element(x.begin(), x.end());
    ok = check_equal(static_cast<double>(result), static_cast<double>(expected)) && ok;

    clerr_chk(clReleaseMemObject(buffer));
  }

  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
