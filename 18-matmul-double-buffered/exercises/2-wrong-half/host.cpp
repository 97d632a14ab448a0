// Matrix product C = A·B, a work-item for each element of C.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage =
    "usage: program [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 256; one number: square)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 256, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, m, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  if (std::max({m, n, k}) > 0x40000000) // kernel.cl counts rows and columns in 32 bits
    usage_error(usage, "too large for this program: rows or columns above 2^30", "");
  check_memory(device, {buffer_bytes(m, k), buffer_bytes(k, n), buffer_bytes(m, n)}, usage);

  const size_t tile = 8; // TILE in kernel.cl
  const size_t local_size[2] = {tile, tile};
  const size_t global_size[2] = {(n + tile - 1) / tile * tile, (m + tile - 1) / tile * tile};

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "matmul", &status);
  clerr_chk(status);

  // Small whole numbers, whose sums a float holds exactly; the result starts out as NaN.
  std::vector<float> a(m * k), b(k * n), c(m * n, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);
  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   a.size() * sizeof(float), a.data(), &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   b.size() * sizeof(float), b.data(), &status);
  clerr_chk(status);
  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                   c.size() * sizeof(float), c.data(), &status);
  clerr_chk(status);

  const cl_uint m_arg = static_cast<cl_uint>(m);
  const cl_uint n_arg = static_cast<cl_uint>(n);
  const cl_uint k_arg = static_cast<cl_uint>(k);
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &c_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_uint), &m_arg));
  clerr_chk(clSetKernelArg(kernel, 4, sizeof(cl_uint), &n_arg));
  clerr_chk(clSetKernelArg(kernel, 5, sizeof(cl_uint), &k_arg));
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global_size, local_size, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                nullptr, nullptr));

  const bool ok = check_matmul(c, a, b, m, n, k);

  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
