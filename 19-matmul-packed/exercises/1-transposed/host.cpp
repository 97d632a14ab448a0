// C = A·Bᵀ: the kernel gets B transposed, N×K.
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
    "  C is M×N, A is M×K, B is K×N, stored as N×K (default 256; one number: square)\n";

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
  // Every work-item is alone in its group; pack_a and pack_b fill a panel each, matmul computes
  // TM×TN elements of C.
  const size_t tm = 4, tn = 8; // TM and TN in kernel.cl
  const size_t a_rows = (m + tm - 1) / tm, b_cols = (n + tn - 1) / tn;
  const size_t local_size[2] = {1, 1};
  const size_t matmul_size[2] = {b_cols, a_rows};
  check_memory(device,
               {buffer_bytes(m, k), buffer_bytes(n, k), buffer_bytes(m, n),
                buffer_bytes(a_rows * tm, k), buffer_bytes(b_cols * tn, k)},
               usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel pack_a = clCreateKernel(program, "pack_a", &status);
  clerr_chk(status);
  cl_kernel pack_b = clCreateKernel(program, "pack_b", &status);
  clerr_chk(status);
  cl_kernel matmul = clCreateKernel(program, "matmul", &status);
  clerr_chk(status);

  // Small whole numbers, whose sums a float holds exactly; the result starts out as NaN.
  std::vector<float> a(m * k), b(k * n), b_stored(n * k), c(m * n, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);
  for (size_t row = 0; row < k; row++)
    for (size_t col = 0; col < n; col++)
      b_stored[col * k + row] = b[row * n + col];
  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   a.size() * sizeof(float), a.data(), &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   b_stored.size() * sizeof(float), b_stored.data(), &status);
  clerr_chk(status);
  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                   c.size() * sizeof(float), c.data(), &status);
  clerr_chk(status);
  cl_mem a_panels =
      clCreateBuffer(context, CL_MEM_READ_WRITE, a_rows * tm * k * sizeof(float), nullptr, &status);
  clerr_chk(status);
  cl_mem b_panels =
      clCreateBuffer(context, CL_MEM_READ_WRITE, b_cols * tn * k * sizeof(float), nullptr, &status);
  clerr_chk(status);

  const cl_uint m_arg = static_cast<cl_uint>(m);
  const cl_uint n_arg = static_cast<cl_uint>(n);
  const cl_uint k_arg = static_cast<cl_uint>(k);
  clerr_chk(clSetKernelArg(pack_a, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(pack_a, 1, sizeof(cl_mem), &a_panels));
  clerr_chk(clSetKernelArg(pack_a, 2, sizeof(cl_uint), &m_arg));
  clerr_chk(clSetKernelArg(pack_a, 3, sizeof(cl_uint), &k_arg));
  clerr_chk(clSetKernelArg(pack_b, 0, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(pack_b, 1, sizeof(cl_mem), &b_panels));
  clerr_chk(clSetKernelArg(pack_b, 2, sizeof(cl_uint), &n_arg));
  clerr_chk(clSetKernelArg(pack_b, 3, sizeof(cl_uint), &k_arg));
  clerr_chk(clSetKernelArg(matmul, 0, sizeof(cl_mem), &a_panels));
  clerr_chk(clSetKernelArg(matmul, 1, sizeof(cl_mem), &b_panels));
  clerr_chk(clSetKernelArg(matmul, 2, sizeof(cl_mem), &c_buffer));
  clerr_chk(clSetKernelArg(matmul, 3, sizeof(cl_uint), &m_arg));
  clerr_chk(clSetKernelArg(matmul, 4, sizeof(cl_uint), &n_arg));
  clerr_chk(clSetKernelArg(matmul, 5, sizeof(cl_uint), &k_arg));
  clerr_chk(
      clEnqueueNDRangeKernel(queue, pack_a, 1, nullptr, &a_rows, local_size, 0, nullptr, nullptr));
  clerr_chk(
      clEnqueueNDRangeKernel(queue, pack_b, 1, nullptr, &b_cols, local_size, 0, nullptr, nullptr));
  clerr_chk(clEnqueueNDRangeKernel(queue, matmul, 2, nullptr, matmul_size, local_size, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                nullptr, nullptr));

  const bool ok = check_matmul(c, a, b, m, n, k);

  clerr_chk(clReleaseMemObject(b_panels));
  clerr_chk(clReleaseMemObject(a_panels));
  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(matmul));
  clerr_chk(clReleaseKernel(pack_b));
  clerr_chk(clReleaseKernel(pack_a));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
