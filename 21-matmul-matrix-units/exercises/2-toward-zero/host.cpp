// A matrix product that is added up as a matrix unit adds, and how wrong it becomes.
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
                                 "  C is M×N, A is M×K, B is K×N (default 16, 16, 4096)\n";

// Floats of 11 bits from 1/64 to 2, of many sizes. All are positive: then what is cut off adds up.
static void fill_short(std::vector<float> &v, const uint64_t seed) {
  for (size_t i = 0; i < v.size(); i++) {
    const uint64_t bits = scrambled(i, seed);
    v[i] =
        std::ldexp(static_cast<float>(1024 + bits % 1024), -10 - static_cast<int>(bits >> 60) % 7);
  }
}

// sum + product, rounded toward zero; the exact sum fits a double.
static float unit(const float sum, const float product) {
  const double exact = static_cast<double>(sum) + static_cast<double>(product);
  const float rounded = static_cast<float>(exact);
  return std::fabs(static_cast<double>(rounded)) > std::fabs(exact) ? std::nextafterf(rounded, 0)
                                                                    : rounded;
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 16, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, 4096, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  check_memory(device, {buffer_bytes(m, k), buffer_bytes(k, n), buffer_bytes(m, n)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "matmul", &status);
  clerr_chk(status);

  std::vector<float> a(m * k), b(k * n), c(m * n, NAN);
  fill_short(a, 1);
  fill_short(b, 2);
  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   a.size() * sizeof(float), a.data(), &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   b.size() * sizeof(float), b.data(), &status);
  clerr_chk(status);
  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                   c.size() * sizeof(float), c.data(), &status);
  clerr_chk(status);
  const cl_ulong sizes[3] = {m, n, k};
  const size_t global_size[2] = {(n + 7) / 8 * 8, (m + 7) / 8 * 8};
  const size_t local_size[2] = {8, 8};
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &c_buffer));
  for (cl_uint i = 0; i < 3; i++)
    clerr_chk(clSetKernelArg(kernel, 3 + i, sizeof(cl_ulong), &sizes[i]));
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global_size, local_size, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                nullptr, nullptr));

  // What must come out, to the last bit: 16 products in the unit, their sum to a float sum. Beside
  // it, how wrong this is, and how wrong it would be if the unit added up everything.
  bool ok = true;
  double worst = 0, worst_alone = 0;
  for (size_t i = 0; i < m * n && ok; i++) {
    double exact = 0;
    float sum = 0, part = 0, alone = 0;
    for (size_t j = 0; j < k; j++) {
      const float product = a[i / n * k + j] * b[j * n + i % n]; // 22 bits: exact
      exact += static_cast<double>(product);
      alone = unit(alone, product);
      part = unit(part, product);
      if (j % 16 == 15 || j == k - 1) {
        sum += part;
        part = 0;
      }
    }
    worst = std::max(worst, std::fabs(static_cast<double>(sum) - exact) / exact);
    worst_alone = std::max(worst_alone, std::fabs(static_cast<double>(alone) - exact) / exact);
    ok = c[i] == sum; // false for NaN
    if (!ok || i == m * n - 1)
      printf("result    C[%zu][%zu] = %.9g\nexpected  C[%zu][%zu] = %.9g\n", i / n, i % n,
             static_cast<double>(c[i]), i / n, i % n, static_cast<double>(sum));
  }
  printf("error     %.2g of the sum, the largest; if the unit added up everything: %.2g\n", worst,
         worst_alone);

  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
