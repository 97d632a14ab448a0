// Squared norm of a vector: each work-group adds its share, the host adds those.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"
#include "../../../common/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements (default 4194304)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 4194304, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);

  // A group for each 1024 floats, 4 float4s a work-item; not more than it takes to be busy.
  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  const size_t local_size = 64;
  const size_t most = size_t{compute_units} * 32;
  const size_t num_groups = std::min(most, std::max<size_t>(1, n / (local_size * 16)));
  const size_t global_size = num_groups * local_size;
  check_memory(device, {buffer_bytes(n), buffer_bytes(num_groups)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "squared_norm", &status);
  clerr_chk(status);

  // Small whole numbers, whose sums a float holds exactly; the results start out as NaN.
  std::vector<float> x(n), partial_sums(num_groups, NAN);
  fill_whole(x, 1);
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), x.data(), &status);
  clerr_chk(status);
  cl_mem sums_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                      num_groups * sizeof(float), partial_sums.data(), &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &sums_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
  clerr_chk(clSetKernelArg(kernel, 3, local_size * sizeof(float), nullptr)); // local memory

  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    cl_event event;
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, &event));
    clerr_chk(clWaitForEvents(1, &event));
    times.push_back(kernel_ms(event));
    clerr_chk(clReleaseEvent(event));
  }
  clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, num_groups * sizeof(float),
                                partial_sums.data(), 0, nullptr, nullptr));

  double result = 0.0;
  for (const float partial_sum : partial_sums)
    result += static_cast<double>(partial_sum);
  double expected = 0.0;
  for (const float value : x)
    expected += static_cast<double>(value) * static_cast<double>(value);
  const bool ok = check_equal(result, expected);
  print_time("kernel", median_ms(times), 1e-9 * static_cast<double>(n * sizeof(float)), "GB/s");

  clerr_chk(clReleaseMemObject(sums_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
