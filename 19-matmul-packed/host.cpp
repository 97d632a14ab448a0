// Matrix product C = A·B for a CPU: A and B are copied into panels first, and then multiplied.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/source.h"
#include "../common/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 19-matmul-packed [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 512; one number: square)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 512, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, m, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  if (std::max({m, n, k}) > 0x40000000) // kernel.cl counts rows and columns in 32 bits
    usage_error(usage, "too large for this program: rows or columns above 2^30", "");

  // The launch: a work-item, alone in its group, computes bm×bn elements of C; tm×tn sums are in
  // registers at a time. They should just fill the vector registers, beside one value of A and a
  // row of B: AVX-512 has 32 of them, AVX2, SSE and NEON have 16 or more.
  cl_uint native_width;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof native_width,
                            &native_width, nullptr));
  size_t width = 4; // floats in a vector
  if (native_width >= 8)
    width = 8;
  if (native_width >= 16)
    width = 16;
  const size_t tm = width == 16 ? 14 : 6;
  const size_t tn = 2 * width;
  const size_t bm = 64 / tm * tm;
  const size_t bn = 128;
  const size_t bk = 512;

  const size_t ks = 16;                    // KS in kernel.cl
  const size_t a_rows = (m + tm - 1) / tm; // panels of A
  const size_t b_cols = (n + tn - 1) / tn; // panels of B
  const size_t steps = (k + ks - 1) / ks;
  const size_t local_size[2] = {1, 1};
  const size_t pack_a_size[2] = {steps, a_rows};
  const size_t pack_b_size[2] = {b_cols, steps};
  const size_t matmul_size[2] = {(n + bn - 1) / bn, (m + bm - 1) / bm};

  const size_t a_bytes = a_rows * tm * steps * ks * sizeof(float);
  const size_t b_bytes = b_cols * tn * steps * ks * sizeof(float);
  check_memory(device,
               {buffer_bytes(m, k), buffer_bytes(k, n), buffer_bytes(m, n),
                buffer_bytes(a_rows * tm, steps * ks), buffer_bytes(b_cols * tn, steps * ks)},
               usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);

  const std::string options = // constants for the compiler
      "-D BM=" + std::to_string(bm) + " -D BN=" + std::to_string(bn) +
      " -D BK=" + std::to_string(bk) + " -D TM=" + std::to_string(tm) +
      " -D TN=" + std::to_string(tn) + " -D WIDTH=" + std::to_string(width) +
      " -D FMA=" + fma_or_mad(device);
  cl_program program = build_program(context, device, load_source("kernel.cl"), options);
  cl_kernel pack_a = clCreateKernel(program, "pack_a", &status);
  clerr_chk(status);
  cl_kernel pack_b = clCreateKernel(program, "pack_b", &status);
  clerr_chk(status);
  cl_kernel matmul = clCreateKernel(program, "matmul", &status);
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
  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   c.size() * sizeof(float), c.data(), &status);
  clerr_chk(status);

  cl_mem a_panels = clCreateBuffer(context, CL_MEM_READ_WRITE, a_bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem b_panels = clCreateBuffer(context, CL_MEM_READ_WRITE, b_bytes, nullptr, &status);
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

  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  std::vector<double> packing;
  while (more_runs(times)) {
    cl_event first;
    cl_event last;
    clerr_chk(clEnqueueNDRangeKernel(queue, pack_a, 2, nullptr, pack_a_size, local_size, 0, nullptr,
                                     &first));
    clerr_chk(clEnqueueNDRangeKernel(queue, pack_b, 2, nullptr, pack_b_size, local_size, 0, nullptr,
                                     nullptr));
    clerr_chk(clEnqueueNDRangeKernel(queue, matmul, 2, nullptr, matmul_size, local_size, 0, nullptr,
                                     &last));
    clerr_chk(clWaitForEvents(1, &last));
    times.push_back(kernels_ms(first, last)); // all three of them, and the gaps between
    packing.push_back(times.back() - kernel_ms(last));
    clerr_chk(clReleaseEvent(last));
    clerr_chk(clReleaseEvent(first));
  }
  clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                nullptr, nullptr));

  const bool ok = check_matmul(c, a, b, m, n, k);
  const double gflop =
      2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  print_time("kernels", median_ms(times), gflop, "GFLOP/s");
  if (!std::isnan(median_ms(times)))
    printf("time      of which packing %.3f ms\n", median_ms(packing));

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
