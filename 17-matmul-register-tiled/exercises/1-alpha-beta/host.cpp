// C = alpha * A·B + beta * C, twice: with an old C that counts, and with one that must not be read.
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
  check_memory(device, {buffer_bytes(m, k + n), buffer_bytes(k + n, n), buffer_bytes(m, n)}, usage);

  // The launch: a work-group for each 32×32 tile of C, a work-item for 4×4 elements of it.
  const size_t local_size = 64;
  const size_t global_size = (m + 31) / 32 * ((n + 31) / 32) * local_size;

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "matmul", &status);
  clerr_chk(status);

  // Small whole numbers, whose sums a float holds exactly.
  std::vector<float> a(m * k), b(k * n), old_c(m * n);
  fill_whole(a, 1);
  fill_whole(b, 2);
  fill_whole(old_c, 3);
  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   a.size() * sizeof(float), a.data(), &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   b.size() * sizeof(float), b.data(), &status);
  clerr_chk(status);
  cl_mem c_buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE, m * n * sizeof(float), nullptr, &status);
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

  bool ok = true;
  const float factors[2][2] = {{2.0f, 3.0f}, {-1.0f, 0.0f}};
  for (const auto &[alpha, beta] : factors) {
    printf("factors   alpha = %g, beta = %g\n", static_cast<double>(alpha),
           static_cast<double>(beta));
    std::vector<float> c = old_c;
    if (beta == 0.0f)
      for (size_t i = 0; i < c.size(); i++)
        c[i] = i % 2 == 0 ? NAN : INFINITY; // nothing of it may come through
    clerr_chk(clEnqueueWriteBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(),
                                   0, nullptr, nullptr));
    clerr_chk(clSetKernelArg(kernel, 6, sizeof alpha, &alpha));
    clerr_chk(clSetKernelArg(kernel, 7, sizeof beta, &beta));
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, nullptr));
    clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(),
                                  0, nullptr, nullptr));

    // The check knows products only. alpha * A·B + beta * C is one: that of the matrices
    // (alpha * A | beta * C), side by side, and B with an N×N unit matrix below it.
    std::vector<float> left(m * (k + n)), right((k + n) * n, 0.0f);
    for (size_t row = 0; row < m; row++) {
      for (size_t col = 0; col < k; col++)
        left[row * (k + n) + col] = alpha * a[row * k + col];
      for (size_t col = 0; col < n; col++)
        left[row * (k + n) + k + col] = beta * old_c[row * n + col];
    }
    std::copy(b.begin(), b.end(), right.begin());
    for (size_t i = 0; i < n; i++)
      right[(k + i) * n + i] = 1.0f;
    ok = check_matmul(c, left, right, m, n, k + n) && ok;
  }

  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
