// Matrix product C = A·B: the kernel and its parameters are chosen by measuring on the device in
// use, checked, and remembered.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/source.h"
#include "../common/timing.h"
#include "candidates.h"
#include "remembered.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 20-matmul-autotuned [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 512; one number: square)\n";

// Computes the product that `check` knows with a candidate, as often as more_runs says, and reads
// it into `c`. Is it right? If not, or if it does not even build or launch, says so in a line.
static bool is_right(const setup &s, const candidate &one, const product_check &check,
                     std::vector<float> &c, run_times &times) {
  const product p = {check.m, check.n, check.k};
  cl_int status;
  const char *source = one.panels ? s.panels.c_str() : s.tiles.c_str();
  cl_program program = clCreateProgramWithSource(s.context, 1, &source, nullptr, &status);
  clerr_chk(status);
  status = clBuildProgram(program, 1, &s.device, options_of(one, s, p).c_str(), nullptr, nullptr);
  const std::vector<launch> list = launches(one, s, p);
  std::vector<cl_kernel> kernels;
  for (size_t i = 0; i < list.size() && status == CL_SUCCESS; i++) {
    cl_kernel kernel = clCreateKernel(program, list[i].kernel, &status);
    if (status != CL_SUCCESS)
      break;
    kernels.push_back(kernel);
    cl_uint at = 0;
    for (const cl_mem &buffer : list[i].buffers)
      clerr_chk(clSetKernelArg(kernel, at++, sizeof(cl_mem), &buffer));
    for (const cl_uint &size : list[i].sizes)
      clerr_chk(clSetKernelArg(kernel, at++, sizeof(cl_uint), &size));
  }
  const size_t bytes = p.m * p.n * sizeof(float);
  std::fill_n(c.begin(), p.m * p.n, NAN); // what nobody writes is not right
  clerr_chk(clEnqueueWriteBuffer(s.queue, s.c, CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr));
  times = {};
  while (status == CL_SUCCESS && more_runs(times.host)) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<cl_event> events;
    for (size_t i = 0; i < list.size() && status == CL_SUCCESS; i++) {
      cl_event event = nullptr;
      status = clEnqueueNDRangeKernel(s.queue, kernels[i], 2, nullptr, list[i].global_size,
                                      list[i].local_size, 0, nullptr, &event);
      if (status == CL_SUCCESS)
        events.push_back(event);
    }
    if (status == CL_SUCCESS)
      status = clWaitForEvents(1, &events.back());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (status == CL_SUCCESS) {
      times.host.push_back(taken.count() * 1e3);
      times.device.push_back(kernels_ms(events.front(), events.back()));
      times.packing.push_back(times.device.back() - kernel_ms(events.back()));
    }
    for (cl_event event : events)
      clerr_chk(clReleaseEvent(event));
  }
  if (status == CL_SUCCESS)
    clerr_chk(clEnqueueReadBuffer(s.queue, s.c, CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr));
  for (cl_kernel kernel : kernels)
    clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  if (status == CL_SUCCESS && product_is_right(check, c))
    return true;
  show_left_out(one, p, status);
  return false;
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 512, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, m, usage);

  setup s;
  s.device = pick_device();
  print_device(s.device);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  if (std::max({m, n, k}) > 0x40000000) // the kernels count rows and columns in 32 bits
    usage_error(usage, "too large for this program: rows or columns above 2^30", "");

  // The search measures with a product that is no larger than it takes to tell candidates apart,
  // and checks the winner with an odd one. Copies of A and B are filled up at their edges.
  const bool cpu = (device_type(s.device) & CL_DEVICE_TYPE_CPU) != 0;
  const product whole = {m, n, k}, part = reduced(whole, cpu), odd = odd_one(part);
  const product most = {std::max(m, odd.m), std::max(n, odd.n), std::max(k, odd.k)};
  const product &copied = cpu || has_odd_rows(whole) || has_odd_rows(part) ? most : odd;
  const size_t a_size = std::max(m * k, odd.m * odd.k), b_size = std::max(k * n, odd.k * odd.n);
  const size_t c_size = std::max(m * n, odd.m * odd.n), parts = most_parts(s.device);
  const size_t a_copy = (copied.m + 16) * (copied.k + panel_step);
  const size_t b_copy = (copied.n + 64) * (copied.k + panel_step);
  check_memory(s.device,
               {buffer_bytes(a_size), buffer_bytes(b_size + behind_b), buffer_bytes(c_size),
                buffer_bytes(a_copy), buffer_bytes(b_copy), buffer_bytes(parts)},
               usage);

  cl_int status;
  s.context = clCreateContext(nullptr, 1, &s.device, nullptr, nullptr, &status);
  clerr_chk(status);
  s.queue = clCreateCommandQueue(s.context, s.device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  s.tiles = load_source("tiles.cl");
  s.panels = load_source("panels.cl");
  // Small whole numbers, whose sums a float holds exactly.
  std::vector<float> a(a_size), b(b_size), c(c_size);
  fill_whole(a, 1);
  fill_whole(b, 2);
  b.resize(b_size + behind_b, NAN); // who uses them gets NaN, too
  const cl_mem_flags input = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, both = CL_MEM_READ_WRITE;
  s.a = clCreateBuffer(s.context, input, a_size * sizeof(float), a.data(), &status);
  clerr_chk(status);
  s.b = clCreateBuffer(s.context, input, b.size() * sizeof(float), b.data(), &status);
  clerr_chk(status);
  s.c = clCreateBuffer(s.context, both, c_size * sizeof(float), nullptr, &status);
  clerr_chk(status);
  s.a_copy = clCreateBuffer(s.context, both, a_copy * sizeof(float), nullptr, &status);
  clerr_chk(status);
  s.b_copy = clCreateBuffer(s.context, both, b_copy * sizeof(float), nullptr, &status);
  clerr_chk(status);
  s.parts = clCreateBuffer(s.context, both, parts * sizeof(float), nullptr, &status);
  clerr_chk(status);

  // The winner: remembered from an earlier run, if it is still right here, or searched for now.
  const winner_key key = key_for(s, part, is_cut(whole, part));
  std::vector<candidate> list = candidates(s.device, part, is_cut(whole, part));
  const product_check whole_check = expect_product(a, b, m, n, k);
  candidate winner = {};
  run_times times;
  if (!recall(key, list, winner) || !is_right(s, winner, whole_check, c, times)) {
    const product_check check = expect_product(a, b, part.m, part.n, part.k);
    const product_check odd_check = expect_product(a, b, odd.m, odd.n, odd.k);
    for (int round = 1; round <= 2; round++) { // all, and the best four once more
      const size_t tried = round == 1 ? list.size() : std::min<size_t>(4, list.size());
      for (size_t i = 0; i < tried; i++) {
        const bool right = is_right(s, list[i], check, c, times);
        list[i].fastest_ms = right ? std::min(list[i].fastest_ms, fastest(times.host)) : INFINITY;
        show(round, list, i, tried, part);
      }
      std::stable_sort(list.begin(), list.end(), is_faster);
      while (!list.empty() && std::isinf(list.back().fastest_ms))
        list.pop_back();
    }
    // The fastest one that is right at the odd size, too, and at the one asked for.
    while (!list.empty() && !(is_right(s, list[0], odd_check, c, times) &&
                              is_right(s, list[0], whole_check, c, times)))
      list.erase(list.begin());
    if (list.empty()) {
      fprintf(stderr, "no candidate computes the right product on this device\n");
      return EXIT_FAILURE;
    }
    winner = list[0];
    remember(key, winner);
  }
  const bool ok = check_matmul(c, a, b, m, n, k);
  print_times(winner, whole, times);

  clerr_chk(clReleaseMemObject(s.parts));
  clerr_chk(clReleaseMemObject(s.b_copy));
  clerr_chk(clReleaseMemObject(s.a_copy));
  clerr_chk(clReleaseMemObject(s.c));
  clerr_chk(clReleaseMemObject(s.b));
  clerr_chk(clReleaseMemObject(s.a));
  clerr_chk(clReleaseCommandQueue(s.queue));
  clerr_chk(clReleaseContext(s.context));
  return verdict(ok);
}
