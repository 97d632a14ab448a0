// Matrix product C = A·B on several devices: each computes as many rows of C as it is fast.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/timing.h"
#include "worker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 23-several-devices [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 512; one number: square)\n"
    "  OCL_DEVICE=all takes every device; a list, such as 0:0,1:0, every one that fits one of its "
    "words\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 512, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, m, usage);

  std::vector<cl_device_id> devices = pick_devices();
  const bool divided = devices.size() == 1 && can_be_divided(devices[0]);
  const double a_bytes = buffer_bytes(m, k);
  const double b_bytes = buffer_bytes(k, n);
  const double c_bytes = buffer_bytes(m, n);
  if (divided) { // in two devices, each with half of the compute units, and the one memory for both
    cl_device_id whole = devices[0];
    check_memory(whole, {a_bytes, b_bytes, b_bytes, c_bytes}, usage);
    const cl_device_partition_property halves[] = {
        CL_DEVICE_PARTITION_BY_COUNTS, compute_units(whole) / 2,
        compute_units(whole) - compute_units(whole) / 2, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    devices.resize(2);
    clerr_chk(clCreateSubDevices(whole, halves, 2, devices.data(), nullptr));
  }
  for (cl_device_id device : devices) {
    print_device(device);
    check_memory(device, {a_bytes, b_bytes, c_bytes}, usage); // it may have to do all of it
  }
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  if (std::max({m, n, k}) > 0x40000000) // kernel.cl counts rows and columns in 32 bits
    usage_error(usage, "too large for this program: rows or columns above 2^30", "");

  // Small whole numbers, whose sums a float holds exactly; the result starts out as NaN.
  std::vector<float> a(m * k), b(k * n), c(m * n, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);

  const std::string source = load_source("kernel.cl");
  const cl_uint n_arg = static_cast<cl_uint>(n);
  const cl_uint k_arg = static_cast<cl_uint>(k);
  std::vector<worker> workers;
  for (cl_device_id device : devices) {
    workers.push_back(set_up(device, source, b, m, n, k));
    cl_kernel kernel = workers.back().tile.kernel;
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &workers.back().b_buffer));
    clerr_chk(clSetKernelArg(kernel, 4, sizeof(cl_uint), &n_arg));
    clerr_chk(clSetKernelArg(kernel, 5, sizeof(cl_uint), &k_arg));
  }

  const size_t all_strips = (m + strip - 1) / strip;
  std::vector<double> times; // of each run of all rows, in ms, by the host's clock
  bool complete = false;     // is all of C with the host?
  for (int run = 0; !complete; run++) {
    leave_out_failed(workers);

    // The first two runs tell how fast each device is, with a strip for each of them: the first
    // makes it ready to work, the second is measured.
    deal_out(workers, run < 2 ? std::min(all_strips, workers.size()) : all_strips);
    size_t next = 0;
    for (worker &w : workers) {
      const size_t end = std::min(m, next + w.strips * strip);
      if (w.speed > 0) // a device that has failed is asked for nothing
        bring_rows(w, next, end, a, c, n, k);
      next = end;
    }

    // All devices begin before the host waits for the first of them.
    const auto start = std::chrono::steady_clock::now();
    for (worker &w : workers) {
      if (w.strips == 0)
        continue;
      const cl_uint m_arg = static_cast<cl_uint>(w.end - w.first);
      const size_t global_size = global_size_for(w.tile, w.end - w.first, n);
      clerr_chk(clSetKernelArg(w.tile.kernel, 0, sizeof(cl_mem), &w.a_buffer));
      clerr_chk(clSetKernelArg(w.tile.kernel, 2, sizeof(cl_mem), &w.c_buffer));
      clerr_chk(clSetKernelArg(w.tile.kernel, 3, sizeof(cl_uint), &m_arg));
      note(w, clEnqueueNDRangeKernel(w.queue, w.tile.kernel, 1, nullptr, &global_size,
                                     &w.tile.local_size, 0, nullptr, &w.event));
      if (w.status == CL_SUCCESS)
        note(w, clFlush(w.queue));
    }
    for (worker &w : workers)
      if (w.strips > 0 && w.status == CL_SUCCESS)
        note(w, clWaitForEvents(1, &w.event));
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;

    for (worker &w : workers)
      if (w.strips > 0 && w.status == CL_SUCCESS) {
        w.ms = kernel_ms(w.event);
        clerr_chk(clReleaseEvent(w.event));
      }
    if (!all_well(workers))
      continue; // the others compute these rows in the next run
    if (run > 0)
      measure_speeds(workers);
    if (run > 1)
      times.push_back(taken.count());
    if (times.empty() || more_runs(times))
      continue;

    for (worker &w : workers)
      if (w.strips > 0)
        note(w, clEnqueueReadBuffer(w.queue, w.c_buffer, CL_TRUE, 0,
                                    (w.end - w.first) * n * sizeof(float), &c[w.first * n], 0,
                                    nullptr, nullptr));
    complete = all_well(workers);
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
  print_time("all devices", median_ms(times), gflop_of_row * static_cast<double>(m), "GFLOP/s");

  for (const worker &w : workers)
    if (w.status != CL_SUCCESS)
      _Exit(verdict(ok)); // that device may still be at work: nothing is tidied up under it
  for (worker &w : workers)
    tear_down(w);
  for (cl_device_id device : devices)
    if (divided)
      clerr_chk(clReleaseDevice(device));
  return verdict(ok);
}
