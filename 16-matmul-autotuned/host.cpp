// Matrix product C = A·B: the kernel's variant and parameters are chosen by measuring on the device
// in use, and remembered.
#include "../common/args.h"
#include "../common/ceilings.h"
#include "../common/check.h"
#include "../common/clerr.h"
#include "../common/device.h"
#include "../common/source.h"
#include "../common/timing.h"
#include "search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 16-matmul-autotuned [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 512; one number: square)\n";

// The buffers that every candidate works on; `panels` is empty where no candidate needs it.
struct buffers {
  cl_mem a, b, c, panels;
};

// A candidate ready to be launched.
struct candidate {
  cl_program program;
  cl_kernel pack, kernel; // pack: for panels only
  size_t pack_size, global_size, local_size;
};

static candidate prepare(cl_context context, cl_device_id device, const std::string &source,
                         const shape &s, const buffers &buf, const size_t m, const size_t n,
                         const size_t k) {
  const bool edges = m % s.bm != 0 || n % s.bn != 0 || k % s.bk != 0;
  const std::string options = // constants for the compiler
      std::string("-D PANELS=") + (s.panels ? "1" : "0") + " -D BM=" + std::to_string(s.bm) +
      " -D BN=" + std::to_string(s.bn) + " -D BK=" + std::to_string(s.bk) +
      " -D TM=" + std::to_string(s.tm) + " -D TN=" + std::to_string(s.tn) +
      " -D WIDTH=" + std::to_string(s.width) + " -D EDGES=" + (edges && !s.panels ? "1" : "0");
  candidate one = {};
  cl_int status;
  one.program = build_program(context, device, source, options);
  one.kernel = clCreateKernel(one.program, "matmul", &status);
  clerr_chk(status);
  one.local_size = s.panels ? 1 : (s.bm / s.tm) * (s.bn / s.tn);
  one.global_size = (m + s.bm - 1) / s.bm * ((n + s.bn - 1) / s.bn) * one.local_size;
  const cl_uint sizes[3] = {static_cast<cl_uint>(m), static_cast<cl_uint>(n),
                            static_cast<cl_uint>(k)};
  clerr_chk(clSetKernelArg(one.kernel, 0, sizeof(cl_mem), s.panels ? &buf.panels : &buf.a));
  clerr_chk(clSetKernelArg(one.kernel, 1, sizeof(cl_mem), &buf.b));
  clerr_chk(clSetKernelArg(one.kernel, 2, sizeof(cl_mem), &buf.c));
  for (cl_uint i = 0; i < 3; i++)
    clerr_chk(clSetKernelArg(one.kernel, 3 + i, sizeof(cl_uint), &sizes[i]));
  if (s.panels) {
    one.pack = clCreateKernel(one.program, "pack_panels", &status);
    clerr_chk(status);
    one.pack_size = (m + s.tm - 1) / s.tm;
    clerr_chk(clSetKernelArg(one.pack, 0, sizeof(cl_mem), &buf.a));
    clerr_chk(clSetKernelArg(one.pack, 1, sizeof(cl_mem), &buf.panels));
    clerr_chk(clSetKernelArg(one.pack, 2, sizeof(cl_uint), &sizes[0]));
    clerr_chk(clSetKernelArg(one.pack, 3, sizeof(cl_uint), &sizes[2]));
  }
  return one;
}

// Runs a candidate once. Returns the device's milliseconds, packing included; NAN if it reports
// none. In host_ms the host's, from launch to end, which always exist.
static double run(cl_command_queue queue, const candidate &one, double &host_ms) {
  const auto start = std::chrono::steady_clock::now();
  cl_event events[2];
  const size_t single = 1;
  if (one.pack != nullptr)
    clerr_chk(clEnqueueNDRangeKernel(queue, one.pack, 1, nullptr, &one.pack_size, &single, 0,
                                     nullptr, &events[1]));
  clerr_chk(clEnqueueNDRangeKernel(queue, one.kernel, 1, nullptr, &one.global_size, &one.local_size,
                                   0, nullptr, &events[0]));
  clerr_chk(clWaitForEvents(1, events));
  host_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  const double ms = kernels_ms(events[one.pack != nullptr ? 1 : 0], events[0]);
  clerr_chk(clReleaseEvent(events[0]));
  if (one.pack != nullptr)
    clerr_chk(clReleaseEvent(events[1]));
  return ms;
}

static void release(const candidate &one) {
  if (one.pack != nullptr)
    clerr_chk(clReleaseKernel(one.pack));
  clerr_chk(clReleaseKernel(one.kernel));
  clerr_chk(clReleaseProgram(one.program));
}

// out = matrix · in, where `in` has 4 columns. The sums of whole numbers are exact.
static std::vector<double> times_4(const std::vector<float> &matrix, const size_t rows,
                                   const size_t columns, const std::vector<double> &in) {
  std::vector<double> out(rows * 4, 0.0);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      for (size_t x = 0; x < 4; x++)
        out[i * 4 + x] += static_cast<double>(matrix[i * columns + j]) * in[j * 4 + x];
  return out;
}

// Returns the fastest candidate for an m×n×k product of the first elements of `a` and `b`, which
// are in their buffers already. Shows on standard error where it is.
static shape search(cl_context context, cl_device_id device, cl_command_queue queue,
                    const std::string &source, const std::vector<shape> &list, const buffers &buf,
                    const std::vector<float> &a, const std::vector<float> &b, const size_t m,
                    const size_t n, const size_t k) {
  // The check in brief (Freivalds): C·x = A·(B·x) for four vectors x of ±1.
  std::vector<double> signs(n * 4);
  for (size_t i = 0; i < signs.size(); i++)
    signs[i] = (scrambled(i, 77) & 1) != 0 ? 1.0 : -1.0;
  const std::vector<double> expected = times_4(a, m, k, times_4(b, k, n, signs));
  const float poison = NAN;
  std::vector<float> c(m * n);
  const double gflop =
      2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  size_t best = list.size();
  double best_ms = INFINITY;
  // Round 1: all tiles; of panels, which take longer to compile, the middle candidate of each shape
  // in the registers. Round 2: if panels won, the other ones with the registers' shape that won.
  for (int round = 1; round <= 2; round++) {
    std::vector<size_t> tried;
    for (size_t i = 0; i < list.size(); i++) {
      size_t first = i, last = i; // of those with the same shape: they stand side by side
      while (first > 0 && same_registers(list[first - 1], list[i]))
        first--;
      while (last + 1 < list.size() && same_registers(list[last + 1], list[i]))
        last++;
      const bool at_once = !list[i].panels || i == (first + last) / 2;
      const bool won = best < list.size() && same_registers(list[best], list[i]);
      if (round == 1 ? at_once : !at_once && won)
        tried.push_back(i);
    }
    for (size_t t = 0; t < tried.size(); t++) {
      const shape &s = list[tried[t]];
      const candidate one = prepare(context, device, source, s, buf, m, n, k);
      clerr_chk(clEnqueueFillBuffer(queue, buf.c, &poison, sizeof poison, 0,
                                    c.size() * sizeof(float), 0, nullptr, nullptr));
      clerr_chk(clFinish(queue));
      double ms; // on the host's clock: it tells times on every device
      run(queue, one, ms);
      clerr_chk(clEnqueueReadBuffer(queue, buf.c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                    nullptr, nullptr));
      const bool right = times_4(c, m, n, signs) == expected; // false for NaN
      double fastest = INFINITY;
      for (int timed = 0; right && timed < 5; timed++) {
        run(queue, one, ms);
        fastest = std::min(fastest, ms);
        if (fastest > 3 * best_ms)
          break; // far behind
      }
      if (fastest < best_ms) {
        best_ms = fastest;
        best = tried[t];
      }
      fprintf(stderr, "search    round %d, %zu of %zu: %s: %.1f GFLOP/s%s\n", round, t + 1,
              tried.size(), shape_text(s).c_str(), gflop / (fastest * 1e-3),
              !right             ? ", WRONG, left out"
              : best == tried[t] ? ", the best so far"
                                 : "");
      release(one);
    }
  }
  if (best == list.size()) {
    fprintf(stderr, "no candidate computes the right product on this device\n");
    exit(EXIT_FAILURE);
  }
  return list[best];
}

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
  const bool cpu = (device_type(device) & CL_DEVICE_TYPE_CPU) != 0;
  const float_buffer panels = cpu ? float_buffer{m + 16, k + 16} : float_buffer{1};
  check_memory(device, {{m, k}, {k, n}, {m, n}, panels}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const std::string source = load_source("kernel.cl");

  // Small whole numbers, whose sums a float holds exactly; the result starts out as NaN.
  std::vector<float> a(m * k), b(k * n), c(m * n, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);

  buffers buf;
  buf.a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, a.size() * sizeof(float),
                         a.data(), &status);
  clerr_chk(status);
  buf.b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, b.size() * sizeof(float),
                         b.data(), &status);
  clerr_chk(status);
  buf.c = clCreateBuffer(context, CL_MEM_READ_WRITE, c.size() * sizeof(float), nullptr, &status);
  clerr_chk(status);
  buf.panels = clCreateBuffer(context, CL_MEM_READ_WRITE,
                              panels.rows * panels.columns * sizeof(float), nullptr, &status);
  clerr_chk(status);

  // The winner: remembered from an earlier run, or searched now, on a product that is not larger
  // than it takes to tell (a large one has the same winner).
  const size_t largest = cpu ? 1024 : 4096;
  const memory_key key = {device_text(device, CL_DEVICE_NAME) + " (" + platform_name(device) + ")",
                          device_text(device, CL_DRIVER_VERSION), std::to_string(text_hash(source)),
                          std::to_string(size_class(m, largest)) + "x" +
                              std::to_string(size_class(n, largest)) + "x" +
                              std::to_string(size_class(k, largest))};
  const std::vector<shape> list = candidates(device, std::min(m, largest), std::min(n, largest));
  const size_t recalled = recall(key, list);
  shape winner;
  if (recalled < list.size())
    winner = list[recalled];
  else {
    winner = search(context, device, queue, source, list, buf, a, b, std::min(m, largest),
                    std::min(n, largest), std::min(k, largest));
    remember(key, winner);
  }

  clerr_chk(clEnqueueWriteBuffer(queue, buf.c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                 nullptr, nullptr)); // NaN again
  const candidate one = prepare(context, device, source, winner, buf, m, n, k);
  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    double host_ms;
    times.push_back(run(queue, one, host_ms));
  }
  clerr_chk(clEnqueueReadBuffer(queue, buf.c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                nullptr, nullptr));

  const bool ok = check_matmul(c, a, b, m, n, k);
  const double gflop =
      2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  print_time((shape_text(winner) + (winner.panels ? ": both kernels" : ": kernel")).c_str(),
             median_ms(times), gflop, "GFLOP/s");
  print_share(gflop / (median_ms(times) * 1e-3), arithmetic_ceiling(context, device, queue),
              "GFLOP/s");

  release(one);
  clerr_chk(clReleaseMemObject(buf.panels));
  clerr_chk(clReleaseMemObject(buf.c));
  clerr_chk(clReleaseMemObject(buf.b));
  clerr_chk(clReleaseMemObject(buf.a));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
