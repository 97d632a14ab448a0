// Dot product of whole numbers: int in, long out, and not a digit lost.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements in each vector (default 1048576)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1048576, usage);

  // The launch: at most 32 work-groups of 64 work-items, whatever N is.
  const size_t local_size = 64;
  const size_t num_groups = std::min<size_t>(32, (n + local_size - 1) / local_size);
  const size_t global_size = num_groups * local_size;

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n), buffer_bytes(n, 1, sizeof(cl_ulong))},
               usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "dot_product", &status);
  clerr_chk(status);

  // Whole numbers from -1,000,000 to 999,999: a product may have 13 digits. The results start out
  // as a number that no product can be.
  std::vector<cl_int> a(n), b(n);
  std::vector<cl_long> products(n, CL_LONG_MAX / 2);
  for (size_t i = 0; i < n; i++) {
    a[i] = static_cast<cl_int>(scrambled(i, 1) % 2000000) - 1000000;
    b[i] = static_cast<cl_int>(scrambled(i, 2) % 2000000) - 1000000;
  }

  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(cl_int), a.data(), &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(cl_int), b.data(), &status);
  clerr_chk(status);
  cl_mem products_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                          n * sizeof(cl_long), products.data(), &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &products_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &n_arg));

  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, products_buffer, CL_TRUE, 0, n * sizeof(cl_long),
                                products.data(), 0, nullptr, nullptr));

  // The host adds what the device has left to do: N products.
  // Unsigned: where it overflows, it wraps around, and that is allowed.
  cl_ulong result = 0;
  for (const cl_long product : products)
    result += static_cast<cl_ulong>(product);

  cl_ulong expected = 0;
  for (size_t i = 0; i < n; i++)
    expected += static_cast<cl_ulong>(cl_long{a[i]} * cl_long{b[i]});
  printf("result    %lld\n", static_cast<long long>(result));
  printf("expected  %lld\n", static_cast<long long>(expected));
  const bool ok = result == expected;

  clerr_chk(clReleaseMemObject(products_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
