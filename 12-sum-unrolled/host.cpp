// Sum of a vector without barriers: one launch a level, each work-item adds UF elements, in place.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/source.h"
#include "../common/timing.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage = "usage: 12-sum-unrolled [N [UF]]\n"
                                 "  N   number of elements (default 16777216)\n"
                                 "  UF  elements that a work-item adds, at least 2 (default 2)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 2, usage);
  const size_t n = size_arg(argc, argv, 1, 16777216, usage);
  const size_t uf = size_arg(argc, argv, 2, 2, usage, 2);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu, UF = %zu\n", n, uf);

  // The launch of chapter 11's kernel, derived from the device as there.
  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  const size_t local_size = 256;
  const size_t num_groups = size_t{compute_units} * 64;
  const size_t reduction_size = num_groups * local_size;
  check_memory(device, {buffer_bytes(n), buffer_bytes(n), buffer_bytes(num_groups)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const std::string options = "-D UF=" + std::to_string(uf) + "ul"; // a constant for the compiler
  cl_program program = build_program(context, device, load_source("kernel.cl"), options);
  cl_kernel unrolled = clCreateKernel(program, "sum_unrolled", &status);
  clerr_chk(status);
  cl_kernel reduction = clCreateKernel(program, "sum_reduction", &status);
  clerr_chk(status);

  // The unrolled sum destroys its input, so it works on a copy, made anew for each run.
  const size_t bytes = n * sizeof(float);
  std::vector<float> x(n), partial_sums(num_groups, NAN);
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem data_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem sums_buffer =
      clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                     partial_sums.size() * sizeof(float), partial_sums.data(), &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(unrolled, 0, sizeof(cl_mem), &data_buffer));
  clerr_chk(clSetKernelArg(reduction, 0, sizeof(cl_mem), &x_buffer));
  clerr_chk(clSetKernelArg(reduction, 1, sizeof(cl_mem), &sums_buffer));
  clerr_chk(clSetKernelArg(reduction, 2, sizeof(cl_ulong), &n_arg));
  clerr_chk(clSetKernelArg(reduction, 3, local_size * sizeof(float), nullptr)); // local memory

  // Whole numbers first: their sum must be exact. Then reals: their sum is rounded.
  bool ok = true;
  for (const bool whole : {true, false}) {
    if (whole)
      fill_whole(x, 1);
    else
      fill_real(x, 1);
    double expected = 0.0;
    double sum_of_magnitudes = 0.0;
    for (const float value : x) {
      expected += static_cast<double>(value);
      sum_of_magnitudes += std::fabs(static_cast<double>(value));
    }
    clerr_chk(
        clEnqueueWriteBuffer(queue, x_buffer, CL_TRUE, 0, bytes, x.data(), 0, nullptr, nullptr));

    std::vector<double> times; // of each run, in ms; the first one is the warm-up
    size_t launches;
    do {
      clerr_chk(
          clEnqueueCopyBuffer(queue, x_buffer, data_buffer, 0, 0, bytes, 0, nullptr, nullptr));
      double ms = 0.0;
      launches = 0;
      size_t items; // work-items of this level, and elements of the next
      for (size_t left = n; left > 1; left = items) {
        items = std::max<size_t>(1, left / uf); // fewer than left, so the last level comes
        const size_t global_size = (items + 63) / 64 * 64;
        const size_t unrolled_local_size = 64;
        const cl_ulong left_arg = left;
        clerr_chk(clSetKernelArg(unrolled, 1, sizeof(cl_ulong), &left_arg));
        cl_event event;
        clerr_chk(clEnqueueNDRangeKernel(queue, unrolled, 1, nullptr, &global_size,
                                         &unrolled_local_size, 0, nullptr, &event));
        clerr_chk(clWaitForEvents(1, &event));
        ms += kernel_ms(event);
        clerr_chk(clReleaseEvent(event));
        launches++;
      }
      times.push_back(ms);
    } while (!whole && more_runs(times)); // the whole numbers are there for the check only
    float result = NAN;
    clerr_chk(clEnqueueReadBuffer(queue, data_buffer, CL_TRUE, 0, sizeof result, &result, 0,
                                  nullptr, nullptr));

    std::vector<double> reduction_times;
    do {
      cl_event event;
      clerr_chk(clEnqueueNDRangeKernel(queue, reduction, 1, nullptr, &reduction_size, &local_size,
                                       0, nullptr, &event));
      clerr_chk(clWaitForEvents(1, &event));
      reduction_times.push_back(kernel_ms(event));
      clerr_chk(clReleaseEvent(event));
    } while (!whole && more_runs(reduction_times));
    clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0,
                                  partial_sums.size() * sizeof(float), partial_sums.data(), 0,
                                  nullptr, nullptr));
    double reduction_result = 0.0;
    for (const float partial_sum : partial_sums)
      reduction_result += static_cast<double>(partial_sum);

    if (whole) {
      ok = check_equal(static_cast<double>(result), expected) && ok;
      ok = check_equal(reduction_result, expected) && ok;
      continue;
    }
    // Terms on the longest path: UF at each level, and for work-item 0 up to UF - 1 left over.
    const double path = std::min(static_cast<double>(n),
                                 2.0 * static_cast<double>(uf) * static_cast<double>(launches));
    const double gigabytes = static_cast<double>(bytes) * 1e-9;
    ok = check_close(static_cast<double>(result), expected,
                     path * double{FLT_EPSILON} * sum_of_magnitudes) &&
         ok;
    const std::string what = std::to_string(launches) + " launches of sum_unrolled: kernels";
    print_time(what.c_str(), median_ms(times), gigabytes, "GB/s");
    const double reduction_path =
        std::ceil(static_cast<double>(n) / static_cast<double>(reduction_size)) +
        std::log2(static_cast<double>(local_size));
    ok = check_close(reduction_result, expected,
                     reduction_path * double{FLT_EPSILON} * sum_of_magnitudes) &&
         ok;
    print_time("1 launch of sum_reduction (chapter 11): kernel", median_ms(reduction_times),
               gigabytes, "GB/s");
  }

  clerr_chk(clReleaseMemObject(sums_buffer));
  clerr_chk(clReleaseMemObject(data_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(reduction));
  clerr_chk(clReleaseKernel(unrolled));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
