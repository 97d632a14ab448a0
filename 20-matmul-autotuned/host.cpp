// Matrix product C = A·B: the kernel's variant and parameters are chosen by measuring on the device
// in use, and remembered.
#include "../common/args.h"
#include "../common/ceilings.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/source.h"
#include "../common/timing.h"
#include "memory.h"
#include "search.h"
#include "shapes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 20-matmul-autotuned [M [N [K]]]\n"
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
  const bool cpu = (device_type(device) & CL_DEVICE_TYPE_CPU) != 0;
  // Panels are filled up to multiples of at most 16 rows of A, 64 columns of B and panel_step
  // steps; a GPU has none.
  const size_t a_panels = cpu ? (m + 16) * (k + panel_step) : 1;
  const size_t b_panels = cpu ? (n + 64) * (k + panel_step) : 1;
  check_memory(device,
               {buffer_bytes(m, k), buffer_bytes(k, n), buffer_bytes(m, n), buffer_bytes(a_panels),
                buffer_bytes(b_panels), buffer_bytes(arithmetic_ceiling_size(device))},
               usage);

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
  buf.a_panels =
      clCreateBuffer(context, CL_MEM_READ_WRITE, a_panels * sizeof(float), nullptr, &status);
  clerr_chk(status);
  buf.b_panels =
      clCreateBuffer(context, CL_MEM_READ_WRITE, b_panels * sizeof(float), nullptr, &status);
  clerr_chk(status);

  // The winner: remembered from an earlier run, or searched now, on a product that is not larger
  // than it takes to tell: a larger one has the same winner.
  const size_t enough = cpu ? 1024 : 4096;
  size_t search_m = m, search_n = n;
  const size_t search_k = std::min(k, enough);
  while (search_m * search_n > enough * enough * enough / search_k) {
    size_t &longer = search_m > search_n ? search_m : search_n;
    longer = (longer + 1) / 2;
  }
  const memory_key key = {device_text(device, CL_DEVICE_NAME) + " (" + platform_name(device) + ")",
                          device_text(device, CL_DRIVER_VERSION), std::to_string(text_hash(source)),
                          std::to_string(size_class(search_m)) + "x" +
                              std::to_string(size_class(search_n)) + "x" +
                              std::to_string(size_class(search_k))};
  const std::vector<shape> list = candidates(device, size_class(search_m), size_class(search_n));
  const size_t recalled = recall(key, list);
  shape winner;
  if (recalled < list.size())
    winner = list[recalled];
  else {
    winner = search(context, device, queue, source, list, buf, a, b, search_m, search_n, search_k);
    remember(key, winner);
  }

  clerr_chk(clEnqueueWriteBuffer(queue, buf.c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                 nullptr, nullptr)); // NaN again
  const candidate one = prepare(context, device, source, winner, buf, m, n, k);
  std::vector<double> times, pack_times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    const run_times now = run(queue, one);
    times.push_back(now.device);
    pack_times.push_back(now.pack);
  }
  clerr_chk(clEnqueueReadBuffer(queue, buf.c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                nullptr, nullptr));

  const bool ok = check_matmul(c, a, b, m, n, k);
  const double gflop =
      2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  print_time((shape_text(winner) + ":").c_str(), median_ms(times), gflop, "GFLOP/s");
  if (winner.panels && !std::isnan(median_ms(times)))
    printf("time      of which packing %.3f ms\n", median_ms(pack_times));
  print_share(gflop / (median_ms(times) * 1e-3), arithmetic_ceiling(context, device, queue),
              "GFLOP/s");

  release(one);
  clerr_chk(clReleaseMemObject(buf.b_panels));
  clerr_chk(clReleaseMemObject(buf.a_panels));
  clerr_chk(clReleaseMemObject(buf.c));
  clerr_chk(clReleaseMemObject(buf.b));
  clerr_chk(clReleaseMemObject(buf.a));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
