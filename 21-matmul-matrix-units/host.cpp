// Matrix product C = A·B with float accuracy from matrix units of lower precision, where the device
// has them: every float is split into two parts.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"
#include "../common/timing.h"
#include "check_rows.h"
#include "has_units.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 21-matmul-matrix-units [M [N [K]]]\n"
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
  const bool units = has_units(device, context, source);
  printf("units     %s\n", units ? "yes: mma.sync, of TF32 numbers" : "no: multiply-adds instead");
  cl_ulong local_memory;
  size_t max_items;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_memory, &local_memory,
                            nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items,
                            nullptr));

  std::vector<float> a(m * k), b(k * n), c(m * n);
  cl_mem a_buffer =
      clCreateBuffer(context, CL_MEM_READ_ONLY, a.size() * sizeof(float), nullptr, &status);
  clerr_chk(status);
  cl_mem b_buffer =
      clCreateBuffer(context, CL_MEM_READ_ONLY, b.size() * sizeof(float), nullptr, &status);
  clerr_chk(status);
  cl_mem c_buffer =
      clCreateBuffer(context, CL_MEM_WRITE_ONLY, c.size() * sizeof(float), nullptr, &status);
  clerr_chk(status);

  // Three ways, each with whole numbers, whose sums are exact, and then with reals. A real sum may
  // be wrong by a share of its |a·b|: what the parts leave out, and one rounding for each addition
  // on the longest path to it (README.md derives it).
  const char *const name[] = {"three products: kernel", "one product: kernel", "floats: kernel"};
  const int products[] = {3, 1, 0};
  const double left_out[] = {5 * 0x1p-22, 0x1p-10 + 0x1p-22, 0};
  const double additions = std::ceil(static_cast<double>(k) / 16) + 64;
  bool ok = true;
  for (int way = 0; way < 3; way++) {
    cl_program program;
    cl_kernel kernel;
    // The launch: a group of four warps computes 64×128 elements of C, k goes in steps of 16. Fewer
    // warps where the device's local memory or its groups, or those of the kernel, are too small.
    const size_t bm = 64, bk = 16;
    size_t bn, local_size;
    for (size_t warps = 4;; warps /= 2) {
      if (warps == 0) {
        fprintf(stderr, "this device is too small: a group needs 32 work-items and 12,544 bytes\n");
        return EXIT_FAILURE;
      }
      bn = local_size = warps * 32;
      if (local_size > max_items || 8448 + warps * 4096 > local_memory)
        continue;
      const bool edges = m % bm != 0 || n % bn != 0 || k % bk != 0;
      const std::string options =
          "-D WARPS=" + std::to_string(warps) + " -D PRODUCTS=" + std::to_string(products[way]) +
          (units && way < 2 ? " -D UNITS=1 -cl-nv-maxrregcount=255" : " -D UNITS=0") +
          " -D EDGES=" + (edges ? "1" : "0");
      program = build_program(context, device, source, options);
      kernel = clCreateKernel(program, "matmul", &status);
      clerr_chk(status);
      if (group_fits(kernel, device, {local_size}))
        break;
      clerr_chk(clReleaseKernel(kernel));
      clerr_chk(clReleaseProgram(program));
    }
    const size_t global_size = (m + bm - 1) / bm * ((n + bn - 1) / bn) * local_size;
    const cl_uint m_arg = static_cast<cl_uint>(m);
    const cl_uint n_arg = static_cast<cl_uint>(n);
    const cl_uint k_arg = static_cast<cl_uint>(k);
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
    clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &c_buffer));
    clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_uint), &m_arg));
    clerr_chk(clSetKernelArg(kernel, 4, sizeof(cl_uint), &n_arg));
    clerr_chk(clSetKernelArg(kernel, 5, sizeof(cl_uint), &k_arg));
    for (const bool whole : {true, false}) {
      const auto fill = whole ? fill_whole : fill_real;
      fill(a, 1);
      fill(b, 2);
      std::fill(c.begin(), c.end(), NAN);
      clerr_chk(clEnqueueWriteBuffer(queue, a_buffer, CL_TRUE, 0, a.size() * sizeof(float),
                                     a.data(), 0, nullptr, nullptr));
      clerr_chk(clEnqueueWriteBuffer(queue, b_buffer, CL_TRUE, 0, b.size() * sizeof(float),
                                     b.data(), 0, nullptr, nullptr));
      clerr_chk(clEnqueueWriteBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float),
                                     c.data(), 0, nullptr, nullptr));
      std::vector<double> times; // of each run, in ms; the first one is the warm-up
      while (whole ? times.empty() : more_runs(times)) {
        cl_event event;
        clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                         nullptr, &event));
        clerr_chk(clWaitForEvents(1, &event));
        times.push_back(kernel_ms(event));
        clerr_chk(clReleaseEvent(event));
      }
      clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(),
                                    0, nullptr, nullptr));
      const double share = left_out[way] + additions * double{FLT_EPSILON};
      ok = (whole ? check_matmul(c, a, b, m, n, k) : check_rows(c, a, b, m, n, k, share)) && ok;
      if (!whole)
        print_time(name[way], median_ms(times),
                   2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
                   "GFLOP/s");
    }
    clerr_chk(clReleaseKernel(kernel));
    clerr_chk(clReleaseProgram(program));
  }

  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
