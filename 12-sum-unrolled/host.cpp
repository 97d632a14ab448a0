// Sum of a vector without barriers: one launch per level, each work-item adds UF elements, in
// place.
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

static const char *const usage = "usage: 12-sum-unrolled [N [UF]]\n"
                                 "  N   number of elements (default 16777216)\n"
                                 "  UF  elements that a work-item adds, at least 2 (default 2)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 2, usage);
  const size_t n = size_arg(argc, argv, 1, 16777216, usage);
  const size_t uf = size_arg(argc, argv, 2, 2, usage, 2);
  const size_t bytes = n * sizeof(float);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu, UF = %zu\n", n, uf);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const std::string options = "-D UF=" + std::to_string(uf) + "ul"; // a constant for the compiler
  cl_program program = build_program(context, device, load_source("kernel.cl"), options);
  cl_kernel kernel = clCreateKernel(program, "sum_unrolled", &status);
  clerr_chk(status);
  const size_t local_size = group_size(kernel, device, 64);

  // The sum destroys its input, so it works on a copy, made anew for each run.
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem data_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  clerr_chk(status);
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &data_buffer));

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
    clerr_chk(
        clEnqueueWriteBuffer(queue, x_buffer, CL_TRUE, 0, bytes, x.data(), 0, nullptr, nullptr));

    std::vector<double> times; // of each run, in ms
    size_t launches = 0;       // in a run
    for (int run = 0; run < num_runs; run++) {
      clerr_chk(
          clEnqueueCopyBuffer(queue, x_buffer, data_buffer, 0, 0, bytes, 0, nullptr, nullptr));
      double ms = 0.0; // of all levels
      launches = 0;
      size_t left = n; // elements of this level
      while (left > 1) {
        const size_t items = std::max<size_t>(1, left / uf); // fewer than left: the loop ends
        const size_t global_size = (items + local_size - 1) / local_size * local_size;
        const cl_ulong left_arg = left;
        clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_ulong), &left_arg));
        cl_event event;
        clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                         nullptr, &event));
        clerr_chk(clWaitForEvents(1, &event));
        ms += kernel_ms(event);
        clerr_chk(clReleaseEvent(event));
        launches++;
        left = items; // one sum for each work-item: the elements of the next level
      }
      times.push_back(ms);
    }
    float result = NAN;
    clerr_chk(clEnqueueReadBuffer(queue, data_buffer, CL_TRUE, 0, sizeof result, &result, 0,
                                  nullptr, nullptr));

    if (whole) {
      ok = check_equal(static_cast<double>(result), expected) && ok;
    } else {
      // Additions on the longest path, that of work-item 0: at each level its own UF elements and
      // up to UF - 1 left over; never more than there are elements.
      const double path = std::min(static_cast<double>(n),
                                   2.0 * static_cast<double>(uf) * static_cast<double>(launches));
      ok = check_close(static_cast<double>(result), expected,
                       path * double{FLT_EPSILON} * sum_of_magnitudes) &&
           ok;
      const std::string what = std::to_string(launches) + " launches of sum_unrolled: kernels";
      print_time(what.c_str(), median_ms(times), static_cast<double>(bytes) * 1e-9, "GB/s");
    }
  }

  clerr_chk(clReleaseMemObject(data_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
