// Matrix product C = A·B on several devices: each computes rows in proportion to its speed.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/timing.h"
#include "worker.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 23-several-devices [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 512; one number: square)\n"
    "  OCL_DEVICE=all: all devices; a list, such as 0:0,1:0: those that fit one of its words\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 512, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, m, usage);

  std::vector<cl_device_id> devices = pick_devices();
  const bool alone = devices.size() == 1;
  if (alone)
    devices = divided(devices[0]);
  const double others = alone && devices.size() == 2 ? 1 : 0; // in the same memory
  const double a_bytes = buffer_bytes(m, k);
  const double b_bytes = buffer_bytes(k, n);
  const double c_bytes = buffer_bytes(m, n);
  for (cl_device_id device : devices) {
    print_device(device);
    check_memory(device,
                 {a_bytes, b_bytes, c_bytes, others * a_bytes, others * b_bytes, others * c_bytes},
                 usage);
  }
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  if (std::max({m, n, k}) > 0x40000000) // kernel.cl counts rows and columns in 32 bits
    usage_error(usage, "too large for this program: rows or columns above 2^30", "");

  // Small whole numbers, whose sums a float holds exactly; the result starts out as NaN.
  std::vector<float> a(m * k), b(k * n), c(m * n, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);

  const cl_uint n_arg = static_cast<cl_uint>(n);
  const cl_uint k_arg = static_cast<cl_uint>(k);
  std::vector<worker> workers;
  for (cl_device_id device : devices) {
    worker w = set_up(device, a.size() * sizeof(float), b, c.size() * sizeof(float));
    w.tile = build_tiles(w.context, device, load_source("kernel.cl"), m, n, k);
    clerr_chk(clSetKernelArg(w.tile.kernel, 0, sizeof(cl_mem), &w.a_buffer));
    clerr_chk(clSetKernelArg(w.tile.kernel, 1, sizeof(cl_mem), &w.b_buffer));
    clerr_chk(clSetKernelArg(w.tile.kernel, 2, sizeof(cl_mem), &w.c_buffer));
    clerr_chk(clSetKernelArg(w.tile.kernel, 4, sizeof(cl_uint), &n_arg));
    clerr_chk(clSetKernelArg(w.tile.kernel, 5, sizeof(cl_uint), &k_arg));
    workers.push_back(w);
  }

  const size_t all_strips = (m + strip - 1) / strip;
  std::vector<double> times; // of each run of all rows, in ms, by the host's clock
  double dealing_ms = 0;     // what it took to bring rows of A to devices, in all
  bool complete = false;     // is all of C with the host?
  for (int run = 0; !complete; run++) {
    // The first two runs tell how fast each device is, with a strip for each of them: the first
    // makes it ready to work, the second is measured.
    deal_out(workers, run < 2 ? std::min(all_strips, workers.size()) : all_strips);
    const double dealing = now_ms();
    size_t next = 0;
    for (worker &w : workers) {
      const size_t first = next;
      next = std::min(m, first + w.strips * strip);
      if (w.strips > 0 && (w.first != first || w.end != next)) // else it has them already
        bring_rows(w, first, next, a, n, k);
    }

    // All devices begin before the host waits for the first of them.
    const double start = now_ms();
    dealing_ms += start - dealing;
    for (worker &w : workers) {
      if (w.strips == 0 || w.status != CL_SUCCESS)
        continue;
      const cl_uint m_arg = static_cast<cl_uint>(w.end - w.first);
      const size_t global_size = global_size_for(w.tile, w.end - w.first, n);
      clerr_chk(clSetKernelArg(w.tile.kernel, 3, sizeof(cl_uint), &m_arg));
      w.status = clEnqueueNDRangeKernel(w.queue, w.tile.kernel, 1, nullptr, &global_size,
                                        &w.tile.local_size, 0, nullptr, &w.event);
      if (w.status == CL_SUCCESS)
        w.status = clFlush(w.queue);
    }
    for (worker &w : workers)
      if (w.strips > 0 && w.status == CL_SUCCESS)
        w.status = clWaitForEvents(1, &w.event);
    const double taken = now_ms() - start;

    for (worker &w : workers)
      if (w.strips > 0 && w.status == CL_SUCCESS) {
        w.ms = kernel_ms(w.event);
        clerr_chk(clReleaseEvent(w.event));
      }
    if (leave_out_failed(workers)) {
      times.clear(); // from now on it takes the others longer
      continue;      // who compute these rows in the next run
    }
    if (run > 0)
      measure_speeds(workers);
    if (run > 1)
      times.push_back(taken);
    if (times.empty() || more_runs(times))
      continue;

    for (worker &w : workers)
      if (w.strips > 0)
        w.status = clEnqueueReadBuffer(w.queue, w.c_buffer, CL_TRUE, 0,
                                       (w.end - w.first) * n * sizeof(float), &c[w.first * n], 0,
                                       nullptr, nullptr);
    complete = !leave_out_failed(workers);
    if (!complete)
      times.clear();
  }

  const bool ok = check_matmul(c, a, b, m, n, k);
  const double gflop_of_row = 2e-9 * static_cast<double>(n) * static_cast<double>(k);
  for (const worker &w : workers)
    if (w.strips > 0) {
      const std::string rows =
          "rows " + std::to_string(w.first) + " to " + std::to_string(w.end - 1) + ": kernel";
      print_time(rows.c_str(), w.ms, gflop_of_row * static_cast<double>(w.end - w.first),
                 "GFLOP/s");
    }
  printf("time      dealing out %.3f ms in all\n", dealing_ms);
  print_time("all devices", median_ms(times), gflop_of_row * static_cast<double>(m), "GFLOP/s");

  if (workers.size() < devices.size())
    _Exit(verdict(ok)); // a device that failed may still be at work: nothing is tidied up under it
  for (worker &w : workers)
    tear_down(w);
  return verdict(ok);
}
