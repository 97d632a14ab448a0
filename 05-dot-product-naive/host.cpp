// Dot product: the device multiplies, the host adds N products.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: 05-dot-product-naive [N]\n"
                                 "  N  number of elements in each vector (default 1048576)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1048576, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n), buffer_bytes(n)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "dot_product", &status);
  clerr_chk(status);

  // The launch: at most 32 work-groups of 64 work-items, whatever N is, or of fewer work-items,
  // where this kernel cannot have 64 in a group on this device.
  const size_t local_size = group_size(kernel, device, 64);
  const size_t num_groups = std::min<size_t>(32, (n + local_size - 1) / local_size);
  const size_t global_size = num_groups * local_size;

  // Small whole numbers, whose sums a float holds exactly; the results start out as NaN.
  std::vector<float> a(n), b(n), products(n, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);

  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), a.data(), &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), b.data(), &status);
  clerr_chk(status);
  cl_mem products_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                          n * sizeof(float), products.data(), &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &products_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &n_arg));

  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, products_buffer, CL_TRUE, 0, n * sizeof(float),
                                products.data(), 0, nullptr, nullptr));

  // The host adds what the device has left to do: N products.
  float result = 0.0f;
  for (const float product : products)
    result += product;

  double expected = 0.0;
  for (size_t i = 0; i < n; i++)
    expected += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  const bool ok = check_equal(static_cast<double>(result), expected);

  clerr_chk(clReleaseMemObject(products_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
