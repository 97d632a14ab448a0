// In which order are the parts of C computed? A matrix product, and the order beside it.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: program [M [N [K]]]\n"
                                 "  C is M×N, A is M×K, B is K×N (default 512, 512, 16)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 512, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, 16, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  if (std::max({m, n, k}) > 0x40000000) // kernel.cl counts rows and columns in 32 bits
    usage_error(usage, "too large for this program: rows or columns above 2^30", "");
  check_memory(device,
               {buffer_bytes(m, k), buffer_bytes(k, n), buffer_bytes(m, n),
                buffer_bytes(m, n, sizeof(cl_uint2))},
               usage);

  // The launch: a work-group for each 4×4 part of C, a work-item for each element of it.
  const size_t down = (m + 3) / 4, across = (n + 3) / 4;
  const size_t local_size = 16;
  const size_t global_size = down * across * local_size;

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "matmul", &status);
  clerr_chk(status);

  // Small whole numbers, whose sums a float holds exactly; the results start out as nonsense.
  std::vector<float> a(m * k), b(k * n), c(m * n, NAN);
  std::vector<cl_uint2> parts(down * across, cl_uint2{{0xffffffff, 0xffffffff}});
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
  cl_mem parts_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                       parts.size() * sizeof(cl_uint2), parts.data(), &status);
  clerr_chk(status);

  const cl_uint m_arg = static_cast<cl_uint>(m);
  const cl_uint n_arg = static_cast<cl_uint>(n);
  const cl_uint k_arg = static_cast<cl_uint>(k);
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &c_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_mem), &parts_buffer));
  clerr_chk(clSetKernelArg(kernel, 4, sizeof(cl_uint), &m_arg));
  clerr_chk(clSetKernelArg(kernel, 5, sizeof(cl_uint), &n_arg));
  clerr_chk(clSetKernelArg(kernel, 6, sizeof(cl_uint), &k_arg));
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                nullptr, nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, parts_buffer, CL_TRUE, 0, parts.size() * sizeof(cl_uint2),
                                parts.data(), 0, nullptr, nullptr));

  bool ok = check_matmul(c, a, b, m, n, k);
  // The order: bands of 8 rows of parts; in a band all of a column, then the next column.
  size_t group = 0;
  for (size_t band = 0; band < down && ok; band += 8)
    for (size_t col = 0; col < across && ok; col++)
      for (size_t row = band; row < std::min(band + 8, down) && ok; row++, group++)
        if (parts[group].s[0] != row || parts[group].s[1] != col) {
          printf("result    part of group %zu = (%u,%u)\n", group, parts[group].s[0],
                 parts[group].s[1]);
          printf("expected  part of group %zu = (%zu,%zu)\n", group, row, col);
          ok = false;
        }
  // What the first 132 groups read, which is how many an H200 has compute units.
  const size_t first = std::min<size_t>(132, parts.size());
  std::vector<bool> rows(down), cols(across);
  for (size_t g = 0; g < first; g++) {
    if (parts[g].s[0] < down)
      rows[parts[g].s[0]] = true;
    if (parts[g].s[1] < across)
      cols[parts[g].s[1]] = true;
  }
  printf("strips    %zu groups read %zu strips of A and %zu of B\n", first,
         static_cast<size_t>(std::count(rows.begin(), rows.end(), true)),
         static_cast<size_t>(std::count(cols.begin(), cols.end(), true)));

  clerr_chk(clReleaseMemObject(parts_buffer));
  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
