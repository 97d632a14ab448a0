// Matrix product C = A·B: the kernel and its parameters are chosen by measuring on the device in
// use, checked, and remembered.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/source.h"
#include "../common/timing.h"
#include "candidates.h"
#include "launches.h"
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

// What a candidate's runs took, in ms; the first one is the warm-up.
struct run_times {
  std::vector<double> host;    // on the host's clock, which every device has
  std::vector<double> device;  // from the first launch's start to the last one's end
  std::vector<double> packing; // of this, until the last launch starts
};

// The operations of a product, in 10^9: a multiplication and an addition for each m, n and k.
static double gflop(const product &p) {
  return 2e-9 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

static bool is_faster(const candidate &x, const candidate &y) {
  return x.fastest_ms < y.fastest_ms;
}

static bool is_wrong(const candidate &x) {
  return std::isinf(x.fastest_ms);
}

// Makes the kernels of a candidate's launches, and sets their arguments. Returns the status of what
// failed, or CL_SUCCESS.
static cl_int make_kernels(cl_program program, const std::vector<launch> &launches,
                           std::vector<cl_kernel> &kernels) {
  cl_int status;
  for (const launch &one : launches) {
    cl_kernel kernel = clCreateKernel(program, one.kernel, &status);
    if (status != CL_SUCCESS)
      return status;
    kernels.push_back(kernel);
    cl_uint at = 0;
    for (const cl_mem &buffer : one.buffers)
      clerr_chk(clSetKernelArg(kernel, at++, sizeof(cl_mem), &buffer));
    for (const size_t size : one.sizes) {
      const cl_uint size_arg = static_cast<cl_uint>(size);
      clerr_chk(clSetKernelArg(kernel, at++, sizeof(cl_uint), &size_arg));
    }
  }
  return CL_SUCCESS;
}

// Runs the kernels one after the other, and adds what they took to `times`. Returns the status of
// what failed, or CL_SUCCESS.
static cl_int run_once(const setup &s, const std::vector<launch> &launches,
                       const std::vector<cl_kernel> &kernels, run_times &times) {
  const auto start = std::chrono::steady_clock::now();
  cl_int status = CL_SUCCESS;
  std::vector<cl_event> events;
  for (size_t i = 0; i < launches.size() && status == CL_SUCCESS; i++) {
    cl_event event;
    status = clEnqueueNDRangeKernel(s.queue, kernels[i], 2, nullptr, launches[i].global_size,
                                    launches[i].local_size, 0, nullptr, &event);
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
  return status;
}

// Takes a candidate all the way: builds it, computes the product that `check` knows as often as
// more_runs says, leaves what that took in `times`, and reads the product into `c`. True if it is
// right. If not, or if the candidate does not even build or launch, says so in a line.
static bool run_and_check(const setup &s, const candidate &one, const product_check &check,
                          std::vector<float> &c, run_times &times) {
  const product p = {check.m, check.n, check.k};
  const std::vector<launch> launches =
      one.panels ? panel_launches(one, s, p) : tile_launches(one, s, p);
  cl_int status;
  const char *source = one.panels ? s.panels.c_str() : s.tiles.c_str();
  cl_program program = clCreateProgramWithSource(s.context, 1, &source, nullptr, &status);
  clerr_chk(status);
  status = clBuildProgram(program, 1, &s.device, options_of(one, s, p).c_str(), nullptr, nullptr);

  std::vector<cl_kernel> kernels;
  if (status == CL_SUCCESS)
    status = make_kernels(program, launches, kernels);

  // What nobody writes is not right.
  const size_t bytes = p.m * p.n * sizeof(float);
  std::fill_n(c.begin(), p.m * p.n, NAN);
  clerr_chk(clEnqueueWriteBuffer(s.queue, s.c, CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr));

  times = {};
  while (status == CL_SUCCESS && more_runs(times.host))
    status = run_once(s, launches, kernels, times);
  if (status == CL_SUCCESS)
    clerr_chk(clEnqueueReadBuffer(s.queue, s.c, CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr));

  for (cl_kernel kernel : kernels)
    clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));

  if (status == CL_SUCCESS && product_is_right(check, c))
    return true;
  fprintf(stderr, "search    %s: ", candidate_text(one).c_str());
  if (status == CL_SUCCESS)
    fprintf(stderr, "WRONG at %zu %zu %zu, left out\n", p.m, p.n, p.k);
  else
    fprintf(stderr, "%s (%d), left out\n", clerr_find(status).name, status);
  return false;
}

// Measures all candidates with `part`, and the best four once more with `whole`. The fastest of
// these comes first then; candidates that are not right are no longer in the list.
static void search(const setup &s, std::vector<candidate> &list, const product_check &part,
                   const product_check &whole, std::vector<float> &c) {
  const bool is_part = part.m < whole.m || part.n < whole.n || part.k < whole.k;
  run_times times;
  for (int round = 1; round <= 2; round++) {
    const product_check &check = round == 1 ? part : whole;
    const product p = {check.m, check.n, check.k};
    const size_t tried = round == 1 ? list.size() : std::min<size_t>(4, list.size());
    double best_ms = INFINITY;
    for (size_t i = 0; i < tried; i++) {
      candidate &one = list[i];
      if (round == 2 && is_part)
        one.fastest_ms = INFINITY; // the time of a smaller product
      if (!run_and_check(s, one, check, c, times)) {
        one.fastest_ms = INFINITY;
        continue;
      }
      const double fastest_ms = *std::min_element(times.host.begin() + 1, times.host.end());
      one.fastest_ms = std::min(one.fastest_ms, fastest_ms);
      const bool is_best = one.fastest_ms <= best_ms;
      best_ms = std::min(best_ms, one.fastest_ms);
      fprintf(stderr, "search    round %d, %zu of %zu: %s: %.1f GFLOP/s%s\n", round, i + 1, tried,
              candidate_text(one).c_str(), gflop(p) / (one.fastest_ms * 1e-3),
              is_best ? ", the best so far" : "");
    }
    const auto end_of_tried = list.begin() + static_cast<std::ptrdiff_t>(tried);
    std::stable_sort(list.begin(), end_of_tried, is_faster);
    list.erase(std::remove_if(list.begin(), list.end(), is_wrong), list.end());
  }
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

  // Three products: the one asked for, the part of it that the search measures with, and an odd one
  // that the winner has to compute as well.
  const product whole = {m, n, k};
  const product part = reduced(whole, is_cpu(s.device));
  const product odd = odd_one(part);
  std::vector<candidate> list = candidates(s.device, part, is_cut(whole, part));

  // Panels are for CPUs only, and filled up at their edges.
  const product larger = {std::max(m, odd.m), std::max(n, odd.n), std::max(k, odd.k)};
  const product copied = is_cpu(s.device) ? larger : product{1, 1, 1};
  const size_t a_size = std::max(m * k, odd.m * odd.k);
  const size_t b_size = std::max(k * n, odd.k * odd.n);
  const size_t c_size = std::max(m * n, odd.m * odd.n);
  const size_t a_panels_size = (copied.m + 16) * (copied.k + panel_step);
  const size_t b_panels_size = (copied.n + 64) * (copied.k + panel_step);
  const size_t parts_size = floats_in_parts(list);
  check_memory(s.device,
               {buffer_bytes(a_size), buffer_bytes(b_size + behind_b), buffer_bytes(c_size),
                buffer_bytes(a_panels_size), buffer_bytes(b_panels_size), buffer_bytes(parts_size)},
               usage);

  cl_int status;
  s.context = clCreateContext(nullptr, 1, &s.device, nullptr, nullptr, &status);
  clerr_chk(status);
  s.queue = clCreateCommandQueue(s.context, s.device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  s.tiles = load_source("tiles.cl");
  s.panels = load_source("panels.cl");

  // Small whole numbers, whose sums a float holds exactly.
  std::vector<float> a(a_size);
  std::vector<float> b(b_size);
  std::vector<float> c(c_size);
  std::vector<float> no_parts(parts_size, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);
  b.resize(b_size + behind_b, NAN); // who uses them gets NaN, too

  const cl_mem_flags input = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
  const cl_mem_flags both = CL_MEM_READ_WRITE;
  s.a = clCreateBuffer(s.context, input, a_size * sizeof(float), a.data(), &status);
  clerr_chk(status);
  s.b = clCreateBuffer(s.context, input, b.size() * sizeof(float), b.data(), &status);
  clerr_chk(status);
  s.c = clCreateBuffer(s.context, both, c_size * sizeof(float), nullptr, &status);
  clerr_chk(status);
  s.a_panels = clCreateBuffer(s.context, both, a_panels_size * sizeof(float), nullptr, &status);
  clerr_chk(status);
  s.b_panels = clCreateBuffer(s.context, both, b_panels_size * sizeof(float), nullptr, &status);
  clerr_chk(status);
  s.parts = clCreateBuffer(s.context, both | CL_MEM_COPY_HOST_PTR, parts_size * sizeof(float),
                           no_parts.data(), &status);
  clerr_chk(status);

  // The winner: remembered from an earlier run, if it is still right here, or searched for now.
  const winner_key key = key_for(s, whole, is_cut(whole, part));
  const product_check whole_check = expect_product(a, b, m, n, k);
  candidate winner = {};
  run_times times;
  bool found = recall(key, list, winner) && run_and_check(s, winner, whole_check, c, times);
  if (!found) {
    const product_check part_check = expect_product(a, b, part.m, part.n, part.k);
    const product_check odd_check = expect_product(a, b, odd.m, odd.n, odd.k);
    search(s, list, part_check, whole_check, c);

    // The fastest one that is right at the odd size, too, and then at the one asked for.
    for (const candidate &one : list) {
      if (!run_and_check(s, one, odd_check, c, times))
        continue;
      if (!run_and_check(s, one, whole_check, c, times))
        continue;
      winner = one;
      found = true;
      break;
    }
    if (!found) {
      fprintf(stderr, "no candidate computes the right product on this device\n");
      return EXIT_FAILURE;
    }
    remember(key, winner);
  }

  const bool ok = check_matmul(c, a, b, m, n, k);
  print_time((candidate_text(winner) + ":").c_str(), median_ms(times.device), gflop(whole),
             "GFLOP/s");
  if (winner.panels && winner.packed && !std::isnan(median_ms(times.device)))
    printf("time      of which packing %.3f ms\n", median_ms(times.packing));
  print_time("as the host waits:", median_ms(times.host), gflop(whole), "GFLOP/s");

  for (cl_mem buffer : {s.parts, s.b_panels, s.a_panels, s.c, s.b, s.a})
    clerr_chk(clReleaseMemObject(buffer));
  clerr_chk(clReleaseCommandQueue(s.queue));
  clerr_chk(clReleaseContext(s.context));
  return verdict(ok);
}
