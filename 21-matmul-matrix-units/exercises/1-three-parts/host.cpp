// A matrix product from floats that are split into three parts of 8 bits each.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static const char *const usage =
    "usage: program [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 64; one number: square)\n";

// Has every part of x no more than 8 bits, and are the three together x? `name` is the matrix's.
static bool check_parts(const char *name, const std::vector<float> &x,
                        const std::vector<float> &parts) {
  for (size_t i = 0; i < x.size(); i++) {
    double sum = 0;
    for (size_t p = 0; p < 3; p++) {
      const float part = parts[p * x.size() + i];
      cl_uint bits;
      memcpy(&bits, &part, sizeof bits);
      sum += static_cast<double>(part);
      if ((bits & 0xffff) == 0)
        continue;
      printf("result    part %zu of element %zu of %s, its lower 16 bits = %u\n", p, i, name,
             bits & 0xffff);
      printf("expected  part %zu of element %zu of %s, its lower 16 bits = 0\n", p, i, name);
      return false;
    }
    if (!(sum == static_cast<double>(x[i]))) {
      printf("result    the parts of element %zu of %s, together = %.9g\n", i, name, sum);
      printf("expected  the parts of element %zu of %s, together = %.9g\n", i, name,
             static_cast<double>(x[i]));
      return false;
    }
  }
  return true;
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 64, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, m, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  check_memory(device,
               {buffer_bytes(m, k), buffer_bytes(k, n), buffer_bytes(m, n), 3 * buffer_bytes(m, k),
                3 * buffer_bytes(k, n)},
               usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel split = clCreateKernel(program, "split", &status);
  clerr_chk(status);
  cl_kernel matmul = clCreateKernel(program, "matmul", &status);
  clerr_chk(status);

  // x[0] is A, x[1] is B; their parts and C start out as NaN.
  std::vector<float> x[2] = {std::vector<float>(m * k), std::vector<float>(k * n)};
  std::vector<float> c(m * n, NAN);
  cl_mem parts_buffer[2];
  bool ok = true;
  for (cl_uint i = 0; i < 2; i++) {
    fill_real(x[i], i + 1);
    const size_t count = x[i].size();
    for (size_t e = 0; e < count; e++) // large and small ones
      x[i][e] = std::ldexp(x[i][e], static_cast<int>(e % 7) * 3 - 9);
    std::vector<float> parts(3 * count, NAN);
    cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                     count * sizeof(float), x[i].data(), &status);
    clerr_chk(status);
    parts_buffer[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                     parts.size() * sizeof(float), parts.data(), &status);
    clerr_chk(status);
    const cl_ulong count_arg = count;
    const size_t global_size = (count + 63) / 64 * 64;
    const size_t local_size = 64;
    clerr_chk(clSetKernelArg(split, 0, sizeof(cl_mem), &x_buffer));
    clerr_chk(clSetKernelArg(split, 1, sizeof(cl_mem), &parts_buffer[i]));
    clerr_chk(clSetKernelArg(split, 2, sizeof(cl_ulong), &count_arg));
    clerr_chk(clEnqueueNDRangeKernel(queue, split, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, nullptr));
    clerr_chk(clEnqueueReadBuffer(queue, parts_buffer[i], CL_TRUE, 0, parts.size() * sizeof(float),
                                  parts.data(), 0, nullptr, nullptr));
    clerr_chk(clReleaseMemObject(x_buffer));
    ok = ok && check_parts(i == 0 ? "A" : "B", x[i], parts);
  }

  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                   c.size() * sizeof(float), c.data(), &status);
  clerr_chk(status);
  const cl_ulong sizes[3] = {m, n, k};
  const size_t global_size[2] = {(n + 7) / 8 * 8, (m + 7) / 8 * 8};
  const size_t local_size[2] = {8, 8};
  clerr_chk(clSetKernelArg(matmul, 0, sizeof(cl_mem), &parts_buffer[0]));
  clerr_chk(clSetKernelArg(matmul, 1, sizeof(cl_mem), &parts_buffer[1]));
  clerr_chk(clSetKernelArg(matmul, 2, sizeof(cl_mem), &c_buffer));
  for (cl_uint i = 0; i < 3; i++)
    clerr_chk(clSetKernelArg(matmul, 3 + i, sizeof(cl_ulong), &sizes[i]));
  clerr_chk(clEnqueueNDRangeKernel(queue, matmul, 2, nullptr, global_size, local_size, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                nullptr, nullptr));

  // Each sum may be wrong by one rounding for each of its additions, and by what is left out: three
  // of the nine products, all below 2^-23 of a·b.
  const double share = (6 * static_cast<double>(k) + 2) * double{FLT_EPSILON};
  double largest = 0;
  for (size_t i = 0; i < m * n && ok; i++) {
    double sum = 0, magnitude = 0;
    for (size_t j = 0; j < k; j++) {
      const double product =
          static_cast<double>(x[0][i / n * k + j]) * static_cast<double>(x[1][j * n + i % n]);
      sum += product;
      magnitude += std::fabs(product);
    }
    const double error = std::fabs(static_cast<double>(c[i]) - sum);
    largest = std::fmax(largest, error);
    ok = error <= share * magnitude; // false for NaN
    if (!ok || i == m * n - 1)
      printf("result    C[%zu][%zu] = %.9g\nexpected  C[%zu][%zu] = %.9g (error %.2g)\n", i / n,
             i % n, static_cast<double>(c[i]), i / n, i % n, sum, error);
  }
  if (ok)
    printf("error     %.2g, the largest of all\n", largest);

  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(parts_buffer[1]));
  clerr_chk(clReleaseMemObject(parts_buffer[0]));
  clerr_chk(clReleaseKernel(matmul));
  clerr_chk(clReleaseKernel(split));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
