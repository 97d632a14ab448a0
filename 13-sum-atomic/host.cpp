// Sum of a long vector with atomic functions: one launch, and the host has nothing left to add.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"
#include "../common/timing.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage = "usage: 13-sum-atomic [N]\n"
                                 "  N  number of elements (default 16777216; in full: 67108864)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 16777216, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);

  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  const size_t most_groups = size_t{compute_units} * 64;
  check_memory(device, {buffer_bytes(n), buffer_bytes(std::min(n, most_groups))}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);

  // Three kernels from one file, three ways to add.
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  const char *const names[3] = {"sum_int", "sum_cas", "sum_last_group"};
  cl_kernel kernels[3];
  size_t local_size = 256;
  for (int way = 0; way < 3; way++) {
    kernels[way] = clCreateKernel(program, names[way], &status);
    clerr_chk(status);
    local_size = group_size(kernels[way], device, local_size); // what all three can have
  }

  // The launch that chapter 11 takes from the device, but no work-group without an element.
  const size_t num_groups = std::min(most_groups, (n + local_size - 1) / local_size);
  const size_t global_size = num_groups * local_size;

  std::vector<float> x(n);
  std::vector<float> partial_sums(num_groups, NAN);
  float no_total = NAN; // what the total begins as
  cl_uint done = 0;     // work-groups that have stored their partial sum

  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, n * sizeof(float), nullptr, &status);
  clerr_chk(status);
  cl_mem total_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       sizeof no_total, &no_total, &status);
  clerr_chk(status);
  cl_mem sums_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      num_groups * sizeof(float), partial_sums.data(), &status);
  clerr_chk(status);
  cl_mem done_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      sizeof done, &done, &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  for (cl_kernel kernel : kernels) {
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &total_buffer));
    clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
  }

  clerr_chk(clSetKernelArg(kernels[1], 3, local_size * sizeof(float), nullptr)); // local memory

  clerr_chk(clSetKernelArg(kernels[2], 3, local_size * sizeof(float), nullptr));
  clerr_chk(clSetKernelArg(kernels[2], 4, sizeof(cl_mem), &sums_buffer));
  clerr_chk(clSetKernelArg(kernels[2], 5, sizeof(cl_mem), &done_buffer));

  // Whole numbers first: their sum must be exact, and the runs are timed, the first one being the
  // warm-up. Then reals: their sum is rounded, and one run is enough to see it.
  bool ok = true;
  for (const bool whole : {true, false}) {
    if (whole)
      fill_whole(x, 1);
    else
      fill_real(x, 1);
    const int num_runs = whole ? 6 : 1;

    double expected = 0.0;
    double sum_of_magnitudes = 0.0;
    for (const float value : x) {
      expected += static_cast<double>(value);
      sum_of_magnitudes += std::fabs(static_cast<double>(value));
    }
    clerr_chk(clEnqueueWriteBuffer(queue, x_buffer, CL_TRUE, 0, n * sizeof(float), x.data(), 0,
                                   nullptr, nullptr));

    const int first_way = whole ? 0 : 1; // sum_int is for whole numbers only
    for (int way = first_way; way < 3; way++) {
      // The total that the first two add to has to be 0 before each run. (0 and 0.0f have the same
      // bits.) The third one writes its total: it starts out as NaN, which shows if it does not.
      const bool adds_to_total = way < 2;
      const float start = adds_to_total ? 0.0f : NAN;

      std::vector<double> times; // of each run, in ms
      for (int run = 0; run < num_runs; run++) {
        cl_event fill;
        clerr_chk(clEnqueueFillBuffer(queue, total_buffer, &start, sizeof start, 0, sizeof start, 0,
                                      nullptr, &fill));
        cl_event launch;
        clerr_chk(clEnqueueNDRangeKernel(queue, kernels[way], 1, nullptr, &global_size, &local_size,
                                         0, nullptr, &launch));
        clerr_chk(clWaitForEvents(1, &launch));
        if (adds_to_total) // then a caller waits for the fill as well
          times.push_back(kernels_ms(fill, launch));
        else
          times.push_back(kernel_ms(launch));
        clerr_chk(clReleaseEvent(launch));
        clerr_chk(clReleaseEvent(fill));
      }

      double result;
      if (way == 0) {
        cl_int total;
        clerr_chk(clEnqueueReadBuffer(queue, total_buffer, CL_TRUE, 0, sizeof total, &total, 0,
                                      nullptr, nullptr));
        result = static_cast<double>(total);
      } else {
        float total;
        clerr_chk(clEnqueueReadBuffer(queue, total_buffer, CL_TRUE, 0, sizeof total, &total, 0,
                                      nullptr, nullptr));
        result = static_cast<double>(total);
      }

      if (whole) {
        ok = check_equal(result, expected) && ok;
        std::string what = names[way];
        what += adds_to_total ? ": fill and kernel" : ": kernel";
        const double gigabytes = static_cast<double>(n * sizeof(float)) * 1e-9;
        print_time(what.c_str(), median_ms(times), gigabytes, "GB/s");
      } else {
        // Additions on the longest path: a work-item's own, and the steps of the tree.
        const double groups = static_cast<double>(num_groups);
        const double tree = std::log2(static_cast<double>(local_size));
        double path = std::ceil(static_cast<double>(n) / static_cast<double>(global_size)) + tree;
        if (way == 1)
          path += groups; // then those of all groups, one after the other
        else              // then those that a work-item of the last group fetches, and a tree again
          path += std::ceil(groups / static_cast<double>(local_size)) + tree;
        ok = check_close(result, expected, path * double{FLT_EPSILON} * sum_of_magnitudes) && ok;
      }
    }
  }

  clerr_chk(clReleaseMemObject(done_buffer));
  clerr_chk(clReleaseMemObject(sums_buffer));
  clerr_chk(clReleaseMemObject(total_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  for (cl_kernel kernel : kernels)
    clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
