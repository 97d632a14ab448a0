// Sum of a long vector with an error bound that does not grow with its length.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"
#include "../../../common/timing.h"

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements (default 1000003)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1000003, usage);

  // The launch: two work-groups of 16 work-items, so that each one has many elements to add.
  const size_t local_size = 16;
  const size_t global_size = 2 * local_size;

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(global_size)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "sum", &status);
  clerr_chk(status);

  // Numbers a little above 1: in a long sum, the little is lost again and again.
  std::vector<float> x(n), sums(global_size, NAN);
  fill_real(x, 1);
  for (float &value : x)
    value = 1.0f + (value + 1.0f) / 8192.0f;

  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), x.data(), &status);
  clerr_chk(status);
  cl_mem sums_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                      global_size * sizeof(float), sums.data(), &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &sums_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    cl_event event;
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, &event));
    clerr_chk(clWaitForEvents(1, &event));
    times.push_back(kernel_ms(event));
    clerr_chk(clReleaseEvent(event));
  }
  clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, global_size * sizeof(float),
                                sums.data(), 0, nullptr, nullptr));

  // The host adds in double: only the device's additions are rounded to float.
  double result = 0.0;
  for (const float sum : sums)
    result += static_cast<double>(sum);
  double expected = 0.0;
  for (const float value : x)
    expected += static_cast<double>(value);
  // Terms on the longest path: the levels of a tree over a work-item's elements, twice, since at
  // the end the levels are added up.
  const double levels = std::floor(std::log2(static_cast<double>(n) / 32.0 + 1.0)) + 1.0;
  const bool ok = check_close(result, expected, levels * double{FLT_EPSILON} * expected);
  print_time("kernel", median_ms(times), static_cast<double>(n) * sizeof(float) * 1e-9, "GB/s");

  clerr_chk(clReleaseMemObject(sums_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
