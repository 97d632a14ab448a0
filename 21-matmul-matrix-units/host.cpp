// Matrix product C = A·B with float accuracy from matrix units of lower precision, where the device
// has them: every float is split into two halves.
#include "../common/args.h"
#include "../common/check_rows.h"
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
  if (std::max({m, n, k}) > 0x40000000) // the kernels count rows and columns in 32 bits
    usage_error(usage, "too large for this program: rows or columns above 2^30", "");

  // The halves of a float take as many bytes as it does. K is filled up to slices of 16, rows and
  // columns to tiles: of 16, or with matrix units of 128, or of 64 where these would be too few.
  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  const bool may_have_units = nvidia_capability(device) >= 9;
  size_t tile = 16;
  if (may_have_units)
    tile = (m + 127) / 128 * ((n + 127) / 128) >= compute_units ? 128 : 64;
  const size_t rows = (m + tile - 1) / tile * tile;
  const size_t cols = (n + tile - 1) / tile * tile;
  const size_t depth = (k + 15) / 16 * 16;
  check_memory(device,
               {buffer_bytes(m, k), buffer_bytes(k, n), buffer_bytes(m, n),
                buffer_bytes(rows, depth), buffer_bytes(cols, depth), buffer_bytes(rows + cols)},
               usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);

  // Matrix units, if the compiler takes the words for them.
  const std::string source = load_source("kernel.cl");
  const std::string options = "-D TILE=" + std::to_string(tile);
  cl_program program = nullptr;
  if (may_have_units)
    program = build_if_possible(context, device, source + load_source("units.cl"), options);
  const bool units = program != nullptr;
  if (!units)
    program = build_program(context, device, source, options);
  printf("units     %s\n", units ? "yes: mma.sync, of halves" : "no: plain OpenCL C instead");
  cl_kernel split_a = clCreateKernel(program, "split", &status);
  clerr_chk(status);
  cl_kernel split_b = clCreateKernel(program, "split", &status);
  clerr_chk(status);
  cl_kernel matmul = clCreateKernel(program, units ? "matmul_units" : "matmul", &status);
  clerr_chk(status);

  std::vector<float> a(m * k), b(k * n), c(m * n);
  const size_t a_bytes = a.size() * sizeof(float);
  const size_t b_bytes = b.size() * sizeof(float);
  const size_t c_bytes = c.size() * sizeof(float);
  const size_t a_split_bytes = rows * depth * sizeof(float);
  const size_t b_split_bytes = cols * depth * sizeof(float);
  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, a_bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, b_bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, c_bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem a_halves = clCreateBuffer(context, CL_MEM_READ_WRITE, a_split_bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem b_halves = clCreateBuffer(context, CL_MEM_READ_WRITE, b_split_bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem a_scales =
      clCreateBuffer(context, CL_MEM_READ_WRITE, rows * sizeof(float), nullptr, &status);
  clerr_chk(status);
  cl_mem b_scales =
      clCreateBuffer(context, CL_MEM_READ_WRITE, cols * sizeof(float), nullptr, &status);
  clerr_chk(status);

  const cl_uint m_arg = static_cast<cl_uint>(m);
  const cl_uint n_arg = static_cast<cl_uint>(n);
  const cl_uint k_arg = static_cast<cl_uint>(k);
  const cl_uint yes = 1;
  const cl_uint no = 0;
  clerr_chk(clSetKernelArg(split_a, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(split_a, 1, sizeof(cl_mem), &a_halves));
  clerr_chk(clSetKernelArg(split_a, 2, sizeof(cl_mem), &a_scales));
  clerr_chk(clSetKernelArg(split_a, 3, sizeof(cl_uint), &m_arg));
  clerr_chk(clSetKernelArg(split_a, 4, sizeof(cl_uint), &k_arg));
  clerr_chk(clSetKernelArg(split_a, 5, sizeof(cl_uint), &yes));
  clerr_chk(clSetKernelArg(split_b, 0, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(split_b, 1, sizeof(cl_mem), &b_halves));
  clerr_chk(clSetKernelArg(split_b, 2, sizeof(cl_mem), &b_scales));
  clerr_chk(clSetKernelArg(split_b, 3, sizeof(cl_uint), &n_arg));
  clerr_chk(clSetKernelArg(split_b, 4, sizeof(cl_uint), &k_arg));
  clerr_chk(clSetKernelArg(split_b, 5, sizeof(cl_uint), &no));
  clerr_chk(clSetKernelArg(matmul, 0, sizeof(cl_mem), &a_halves));
  clerr_chk(clSetKernelArg(matmul, 1, sizeof(cl_mem), &b_halves));
  clerr_chk(clSetKernelArg(matmul, 2, sizeof(cl_mem), &a_scales));
  clerr_chk(clSetKernelArg(matmul, 3, sizeof(cl_mem), &b_scales));
  clerr_chk(clSetKernelArg(matmul, 4, sizeof(cl_mem), &c_buffer));
  clerr_chk(clSetKernelArg(matmul, 5, sizeof(cl_uint), &m_arg));
  clerr_chk(clSetKernelArg(matmul, 6, sizeof(cl_uint), &n_arg));
  clerr_chk(clSetKernelArg(matmul, 7, sizeof(cl_uint), &k_arg));

  // The launches. A group splits 8 rows or columns. With units, one of 32×4 work-items multiplies
  // a tile; without, a work-item has two rows and two columns.
  const size_t split_local = group_size(split_a, device, 256);
  const size_t split_a_size = rows / 8 * split_local;
  const size_t split_b_size = cols / 8 * split_local;
  const size_t local_size[2] = {group_size(matmul, device, units ? 32 : 8), units ? 4u : 1u};
  const size_t global_size[2] = {units ? cols / tile * 32 : cols / 2,
                                 units ? rows / tile * 4 : rows / 2};

  // First with whole numbers, whose sums are exact; then with reals, whose sums may be wrong by a
  // share of their |a·b|: what halves leave out, and a rounding for each addition (see README.md).
  const size_t slices = depth / 16;
  const double share = 0x1p-21 + (static_cast<double>(slices) + 64) * 0x1p-23;
  bool ok = true;
  std::vector<double> times;     // of each run, in ms; the first one is the warm-up
  std::vector<double> splitting; // what of it goes into splitting
  for (const bool whole : {true, false}) {
    const auto fill = whole ? fill_whole : fill_real;
    fill(a, 1);
    fill(b, 2);
    std::fill(c.begin(), c.end(), NAN);
    clerr_chk(
        clEnqueueWriteBuffer(queue, a_buffer, CL_TRUE, 0, a_bytes, a.data(), 0, nullptr, nullptr));
    clerr_chk(
        clEnqueueWriteBuffer(queue, b_buffer, CL_TRUE, 0, b_bytes, b.data(), 0, nullptr, nullptr));
    clerr_chk(
        clEnqueueWriteBuffer(queue, c_buffer, CL_TRUE, 0, c_bytes, c.data(), 0, nullptr, nullptr));

    while (whole ? times.empty() : more_runs(times)) {
      cl_event first;
      cl_event last;
      clerr_chk(clEnqueueNDRangeKernel(queue, split_a, 1, nullptr, &split_a_size, &split_local, 0,
                                       nullptr, &first));
      clerr_chk(clEnqueueNDRangeKernel(queue, split_b, 1, nullptr, &split_b_size, &split_local, 0,
                                       nullptr, nullptr));
      clerr_chk(clEnqueueNDRangeKernel(queue, matmul, 2, nullptr, global_size, local_size, 0,
                                       nullptr, &last));
      clerr_chk(clWaitForEvents(1, &last));
      times.push_back(kernels_ms(first, last)); // all three of them, and the gaps between
      splitting.push_back(times.back() - kernel_ms(last));
      clerr_chk(clReleaseEvent(last));
      clerr_chk(clReleaseEvent(first));
    }
    clerr_chk(
        clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c_bytes, c.data(), 0, nullptr, nullptr));
    ok = (whole ? check_matmul(c, a, b, m, n, k) : check_rows(c, a, b, m, n, k, share)) && ok;
  }
  const double gflop =
      2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  print_time("kernels", median_ms(times), gflop, "GFLOP/s");
  if (!std::isnan(median_ms(times)))
    printf("time      of which splitting %.3f ms\n", median_ms(splitting));

  for (cl_mem buffer : {b_scales, a_scales, b_halves, a_halves, c_buffer, b_buffer, a_buffer})
    clerr_chk(clReleaseMemObject(buffer));
  for (cl_kernel kernel : {matmul, split_b, split_a})
    clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
