// Sum of a long vector of real numbers: how large may its rounding error be? Two launches, and a
// plain loop beside them.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"
#include "../common/timing.h"

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage = "usage: 11-sum-reduction [N]\n"
                                 "  N  number of elements (default 16777216; in full: 67108864)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 16777216, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);

  // Two launches: the same on every device, and one that gives each compute unit 64 work-groups,
  // so that it always finds some that are not waiting for memory.
  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  const size_t num_groups[2] = {256, size_t{compute_units} * 64};
  const char *const origin[2] = {"fixed", "from the device"};
  check_memory(device, {buffer_bytes(n), buffer_bytes(std::max(num_groups[0], num_groups[1]))},
               usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "sum_reduction", &status);
  clerr_chk(status);
  const size_t local_size = group_size(kernel, device, 256); // a power of two, for the tree
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, n * sizeof(float), nullptr, &status);
  clerr_chk(status);

  // Whole numbers first: their sum must be exact, and one run is enough to see it. Then reals:
  // their sum is rounded, and the runs are timed, the first one being the warm-up.
  std::vector<float> x(n);
  bool ok = true;
  for (const bool whole : {true, false}) {
    if (whole)
      fill_whole(x, 1);
    else
      fill_real(x, 1);
    const int num_runs = whole ? 1 : 6;
    double expected = 0.0;
    double sum_of_magnitudes = 0.0;
    for (const float value : x) {
      expected += static_cast<double>(value);
      sum_of_magnitudes += std::fabs(static_cast<double>(value));
    }
    clerr_chk(clEnqueueWriteBuffer(queue, x_buffer, CL_TRUE, 0, n * sizeof(float), x.data(), 0,
                                   nullptr, nullptr));
    const double gigabytes = static_cast<double>(n * sizeof(float)) * 1e-9;

    // Where you stand without OpenCL: one core, one loop, one float, N additions in a row.
    if (!whole) {
      std::vector<double> times; // of each run, in ms
      float sum = NAN;
      while (more_runs(times)) {
        const auto start = std::chrono::steady_clock::now();
        sum = 0.0f;
        for (const float value : x)
          sum += value;
        const std::chrono::duration<double, std::milli> ms =
            std::chrono::steady_clock::now() - start;
        times.push_back(ms.count());
      }
      const double error = std::fabs(static_cast<double>(sum) - expected);
      const double allowed = static_cast<double>(n) * double{FLT_EPSILON} * sum_of_magnitudes;
      ok = error <= allowed && ok;
      char what[100];
      snprintf(what, sizeof what, "plain C loop on one core (error %.2g, allowed %.2g):", error,
               allowed);
      print_time(what, median_ms(times), gigabytes, "GB/s");
    }

    for (int shape = 0; shape < 2; shape++) {
      const size_t global_size = num_groups[shape] * local_size;
      std::vector<float> partial_sums(num_groups[shape], NAN);
      const size_t sums_bytes = partial_sums.size() * sizeof(float);
      cl_mem sums_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                          sums_bytes, partial_sums.data(), &status);
      clerr_chk(status);
      const cl_ulong n_arg = n;
      clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffer));
      clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &sums_buffer));
      clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
      clerr_chk(clSetKernelArg(kernel, 3, local_size * sizeof(float), nullptr)); // local memory

      std::vector<double> times; // of each run, in ms
      for (int run = 0; run < num_runs; run++) {
        cl_event event;
        clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                         nullptr, &event));
        clerr_chk(clWaitForEvents(1, &event));
        times.push_back(kernel_ms(event));
        clerr_chk(clReleaseEvent(event));
      }
      clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, sums_bytes, partial_sums.data(),
                                    0, nullptr, nullptr));

      double result = 0.0; // in double: only the device's additions are rounded to float
      for (const float partial_sum : partial_sums)
        result += static_cast<double>(partial_sum);
      if (whole) {
        ok = check_equal(result, expected) && ok;
      } else {
        // Additions on the longest path to a partial sum: a work-item's own, then the tree's.
        const double path = std::ceil(static_cast<double>(n) / static_cast<double>(global_size)) +
                            std::log2(static_cast<double>(local_size));
        ok = check_close(result, expected, path * double{FLT_EPSILON} * sum_of_magnitudes) && ok;
        const std::string what = std::to_string(num_groups[shape]) + " work-groups of " +
                                 std::to_string(local_size) + " (" + origin[shape] + "): kernel";
        print_time(what.c_str(), median_ms(times), gigabytes, "GB/s");
      }
      clerr_chk(clReleaseMemObject(sums_buffer));
    }
  }

  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
