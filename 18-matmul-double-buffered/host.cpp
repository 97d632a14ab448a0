// Matrix product C = A·B: while a pair of tiles is multiplied, the next one is on its way.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"
#include "../common/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 18-matmul-double-buffered [M [N [K]]]\n"
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

  // The launch: a work-group computes bm×bn elements of C, a work-item tm×tn of them; k goes in
  // steps of bk. Smaller tiles where the device's local memory or its groups, or those of the
  // kernel once it is built, are too small; the last ones are for a group of one work-item.
  // Two pairs of tiles with bk = 8 take no more local memory than one pair with 16.
  cl_ulong local_memory;
  size_t max_items;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_memory, &local_memory,
                            nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items,
                            nullptr));
  size_t bm;
  size_t bn;
  size_t bk;
  size_t tm;
  size_t tn;
  size_t local_size;
  for (size_t side = 128;; side /= 4) { // 128, 32, 8
    bm = bn = side;
    bk = side > 8 ? 8 : 4;
    tm = side > 32 ? 16 : 8;
    tn = 8;
    local_size = (bm / tm) * (bn / tn);
    const size_t tile_bytes = 2 * (bm + 4 + bn) * bk * sizeof(float); // in local memory
    if (side > 8 && (tile_bytes > local_memory || local_size > max_items))
      continue;

    const bool edges = m % bm != 0 || n % bn != 0 || k % bk != 0;
    const std::string options = // constants for the compiler
        "-D BM=" + std::to_string(bm) + " -D BN=" + std::to_string(bn) +
        " -D BK=" + std::to_string(bk) + " -D TM=" + std::to_string(tm) +
        " -D TN=" + std::to_string(tn) + " -D EDGES=" + (edges ? "1" : "0");
    program = build_program(context, device, source, options);
    kernel = clCreateKernel(program, "matmul", &status);
    clerr_chk(status);

    if (group_fits(kernel, device, {local_size}))
      break;
    clerr_chk(clReleaseKernel(kernel));
    clerr_chk(clReleaseProgram(program));
  }
  const size_t num_groups = (m + bm - 1) / bm * ((n + bn - 1) / bn);
  const size_t global_size = num_groups * local_size;

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

  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    cl_event event;
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, &event));
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
