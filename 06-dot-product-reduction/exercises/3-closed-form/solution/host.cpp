// Dot product of a[i] = i and b[i] = 2i, whose value has a closed form: 2·Σi².
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/group_size.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage =
    "usage: program [N]\n"
    "  N  number of elements in each vector (default 33792 = 33·1024)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 33792, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "dot_product", &status);
  clerr_chk(status);

  // The launch: at most 32 work-groups of 64 work-items, whatever N is.
  const size_t local_size = group_size(kernel, device, 64);
  const size_t num_groups = std::min<size_t>(32, (n + local_size - 1) / local_size);
  const size_t global_size = num_groups * local_size;
  check_memory(device, {buffer_bytes(n), buffer_bytes(n), buffer_bytes(num_groups)}, usage);

  // Whole numbers whose products soon need more digits than a float has; the results start as NaN.
  std::vector<float> a(n), b(n), partial_sums(num_groups, NAN);
  for (size_t i = 0; i < n; i++) {
    a[i] = static_cast<float>(i);
    b[i] = 2.0f * static_cast<float>(i);
  }

  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), a.data(), &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), b.data(), &status);
  clerr_chk(status);
  cl_mem sums_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                      num_groups * sizeof(float), partial_sums.data(), &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &sums_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &n_arg));
  clerr_chk(clSetKernelArg(kernel, 4, local_size * sizeof(float), nullptr)); // local memory

  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, num_groups * sizeof(float),
                                partial_sums.data(), 0, nullptr, nullptr));

  // The host adds what the device has left to do: one number per work-group.
  float result = 0.0f;
  for (const float partial_sum : partial_sums)
    result += partial_sum;

  // The closed form. Three whole numbers in a row are divisible by 3, so the division is exact;
  // 64 bits hold the product up to N = 2,097,152.
  const unsigned long long count = n;
  const unsigned long long exact = count * (count - 1) * (2 * count - 1) / 3;
  const double expected = static_cast<double>(exact);
  // How far is the float nearest to the closed form from the next larger one?
  const float nearest = static_cast<float>(exact);
  const double spacing = static_cast<double>(std::nextafter(nearest, INFINITY) - nearest);
  // Terms on the longest path: a work-item's own, the tree's, and the host's.
  const double path = std::ceil(static_cast<double>(n) / static_cast<double>(global_size)) + 6.0 +
                      static_cast<double>(num_groups);
  const bool ok =
      check_close(static_cast<double>(result), expected, path * double{FLT_EPSILON} * expected);
  printf("spacing   %.9g\n", spacing);

  clerr_chk(clReleaseMemObject(sums_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
