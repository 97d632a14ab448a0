// Matrix product C = A·B: the work-items of a group share tiles of A and B in local memory.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"
#include "../common/timing.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 09-matmul-tiled [M [N [K]]]\n"
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
  cl_program program;
  cl_kernel kernel;

  // The launch: square work-groups, smaller ones where the device allows no others, and enough of
  // them to cover C. Dimension 0 is its columns.
  // TILE is a constant for the compiler: what is too large is built once more, for half of it.
  size_t side = 32; // elements of C along each side of a group
  for (;; side /= 2) {
    program = build_program(context, device, source, "-D TILE=" + std::to_string(side));
    kernel = clCreateKernel(program, "matmul", &status);
    clerr_chk(status);
    if (group_fits(kernel, device, {side, side}))
      break;
    clerr_chk(clReleaseKernel(kernel));
    clerr_chk(clReleaseProgram(program));
  }
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

  const bool ok = check_matmul(c, a, b, m, n, k);
  const double gflop =
      2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  print_time("kernel", median_ms(times), gflop, "GFLOP/s");

  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
