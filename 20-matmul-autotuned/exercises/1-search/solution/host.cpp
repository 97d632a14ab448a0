// Searching the fastest kernel: each candidate is looked at, checked and timed; the best computes
// C.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"
#include "../../../common/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: program [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 256; one number: square)\n";

// A candidate: the constants TILE and VERSION of kernel.cl.
struct candidate {
  size_t tile, version;
};

static std::string text(const candidate &one) {
  const char *const versions[] = {"everything", "whole steps of K", "whole tiles of C"};
  return "TILE = " + std::to_string(one.tile) + ", " + versions[one.version];
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 256, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, m, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  check_memory(device, {buffer_bytes(m, k), buffer_bytes(k, n), buffer_bytes(m, n)}, usage);
  size_t max_items; // in a work-group
  cl_ulong local_memory;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items,
                            nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_memory, &local_memory,
                            nullptr));

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const std::string source = load_source("kernel.cl");

  // Small whole numbers, whose sums a float holds exactly.
  std::vector<float> a(m * k), b(k * n), c(m * n);
  fill_whole(a, 1);
  fill_whole(b, 2);
  const product_check check = expect_product(a, b, m, n, k);
  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   a.size() * sizeof(float), a.data(), &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   b.size() * sizeof(float), b.data(), &status);
  clerr_chk(status);
  cl_mem c_buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE, c.size() * sizeof(float), nullptr, &status);
  clerr_chk(status);

  const cl_ulong m_arg = m;
  const cl_ulong n_arg = n;
  const cl_ulong k_arg = k;
  const std::vector<candidate> list = {{16, 1}, {8, 0}, {16, 0}, {32, 0}, {16, 2}};
  candidate winner = list[1];
  double best_ms = INFINITY;
  // Each candidate in turn, and last the winner once more: that is the product that counts.
  for (size_t i = 0; i <= list.size(); i++) {
    const bool last = i == list.size();
    const candidate one = last ? winner : list[i];
    if (one.tile * one.tile > max_items || 2 * one.tile * one.tile * sizeof(float) > local_memory) {
      printf("pruned    %s\n", text(one).c_str());
      continue;
    }
    const std::string options =
        "-D TILE=" + std::to_string(one.tile) + " -D VERSION=" + std::to_string(one.version);
    cl_program program = build_program(context, device, source, options);
    cl_kernel kernel = clCreateKernel(program, "matmul", &status);
    clerr_chk(status);
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
    clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &c_buffer));
    clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &m_arg));
    clerr_chk(clSetKernelArg(kernel, 4, sizeof(cl_ulong), &n_arg));
    clerr_chk(clSetKernelArg(kernel, 5, sizeof(cl_ulong), &k_arg));
    std::fill(c.begin(), c.end(), NAN);
    clerr_chk(clEnqueueWriteBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(),
                                   0, nullptr, nullptr));

    const size_t local_size[2] = {one.tile, one.tile};
    const size_t global_size[2] = {(n + one.tile - 1) / one.tile * one.tile,
                                   (m + one.tile - 1) / one.tile * one.tile};
    std::vector<double> times; // of each run, in ms; the first one is the warm-up
    while (more_runs(times)) {
      cl_event event;
      clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global_size, local_size, 0,
                                       nullptr, &event));
      clerr_chk(clWaitForEvents(1, &event));
      times.push_back(kernel_ms(event));
      clerr_chk(clReleaseEvent(event));
    }
    const double ms = median_ms(times);
    clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(),
                                  0, nullptr, nullptr));
    if (!last && !product_is_right(check, c)) {
      printf("wrong     %s\n", text(one).c_str());
    } else if (!last) {
      printf("time      %s: %.6f ms\n", text(one).c_str(), ms);
      if (ms < best_ms) {
        best_ms = ms;
        winner = one;
      }
    }
    clerr_chk(clReleaseKernel(kernel));
    clerr_chk(clReleaseProgram(program));
  }
  printf("best      %s\n", text(winner).c_str());
  const bool ok = check_matmul(c, a, b, m, n, k);

  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
