// Matrix product C = A·B: one work-item, one element of C.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"
#include "../common/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 08-matmul-naive [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 512; one number: square)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 512, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, m, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  check_memory(device, {buffer_bytes(m, k), buffer_bytes(k, n), buffer_bytes(m, n)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const std::string source = load_source("kernel.cl");
  cl_program program = build_program(context, device, source, "");
  cl_kernel kernel = clCreateKernel(program, "matmul", &status);
  clerr_chk(status);

  // The launch: square work-groups, smaller ones where the device allows no others, and enough of
  // them to cover C. Dimension 0 is its columns.
  size_t side = 16; // work-items along each side of a work-group
  while (!group_fits(kernel, device, {side, side}))
    side /= 2;
  const size_t local_size[2] = {side, side};
  const size_t num_groups[2] = {(n + side - 1) / side, (m + side - 1) / side};
  const size_t global_size[2] = {num_groups[0] * local_size[0], num_groups[1] * local_size[1]};

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

  const cl_ulong m_arg = m;
  const cl_ulong n_arg = n;
  const cl_ulong k_arg = k;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &c_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &m_arg));
  clerr_chk(clSetKernelArg(kernel, 4, sizeof(cl_ulong), &n_arg));
  clerr_chk(clSetKernelArg(kernel, 5, sizeof(cl_ulong), &k_arg));

  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    cl_event event;
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global_size, local_size, 0, nullptr,
                                     &event));
    clerr_chk(clWaitForEvents(1, &event));
    times.push_back(kernel_ms(event));
    clerr_chk(clReleaseEvent(event));
  }
  clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                nullptr, nullptr));

  // The reference: the plain triple loop, in float as the kernel is, and timed like it. The
  // innermost loop runs along rows of B and C, through neighbouring elements, which is far faster
  // than down a column of B.
  std::vector<float> expected(m * n);
  std::vector<double> loop_times; // of each run, in ms
  while (more_runs(loop_times)) {
    const auto start = std::chrono::steady_clock::now();
    std::fill(expected.begin(), expected.end(), 0.0f);
    for (size_t row = 0; row < m; row++)
      for (size_t i = 0; i < k; i++)
        for (size_t col = 0; col < n; col++)
          expected[row * n + col] += a[row * k + i] * b[i * n + col];
    const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    loop_times.push_back(ms.count());
  }
  size_t differ = 0;
  size_t shown = m * n - 1; // the first element that differs, or the last one if none does
  for (size_t i = 0; i < m * n; i++)
    if (c[i] != expected[i] && differ++ == 0) // NaN differs from everything
      shown = i;
  printf("result    C[%zu][%zu] = %.9g\n", shown / n, shown % n, static_cast<double>(c[shown]));
  printf("expected  C[%zu][%zu] = %.9g (%zu of %zu elements differ)\n", shown / n, shown % n,
         static_cast<double>(expected[shown]), differ, m * n);
  const bool ok = differ == 0;
  const double gflop =
      2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  print_time("kernel", median_ms(times), gflop, "GFLOP/s");
  print_time("plain C loops, one core:", median_ms(loop_times), gflop, "GFLOP/s");

  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
