// The time of a kernel: the median of five runs, after a warm-up.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/group_size.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements in each vector (default 1000003)\n";

// Milliseconds from the moment a finished command was queued to its end, by the device's clock.
static double device_ms(cl_event event) {
  cl_ulong start_ns = 0, end_ns = 0;
  clerr_chk(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, sizeof start_ns, &start_ns,
                                    nullptr));
  clerr_chk(
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, nullptr));
  return static_cast<double>(end_ns - start_ns) * 1e-6;
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1000003, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "dot_product", &status);
  clerr_chk(status);

  const size_t local_size = group_size(kernel, device, 64);
  const size_t num_groups = std::min<size_t>(32, (n + local_size - 1) / local_size);
  const size_t global_size = num_groups * local_size;
  check_memory(device, {buffer_bytes(n), buffer_bytes(n), buffer_bytes(num_groups)}, usage);

  std::vector<float> a(n), b(n), partial_sums(num_groups, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);

  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, n * sizeof(float), nullptr, &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), b.data(), &status);
  clerr_chk(status);
  cl_mem sums_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                      num_groups * sizeof(float), partial_sums.data(), &status);
  clerr_chk(status);
  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &sums_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &n_arg));
  clerr_chk(clSetKernelArg(kernel, 4, local_size * sizeof(float), nullptr)); // local memory

  clerr_chk(clEnqueueWriteBuffer(queue, a_buffer, CL_TRUE, 0, n * sizeof(float), a.data(), 0,
                                 nullptr, nullptr));

  std::vector<double> times;
  for (int run = 0; run < 6; run++) {
    cl_event event;
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, &event));
    clerr_chk(clWaitForEvents(1, &event));
    const double ms = device_ms(event);
    clerr_chk(clReleaseEvent(event));
    times.push_back(ms);
  }
  double sum = 0.0;
  for (const double ms : times)
    sum += ms;
  printf("time      kernel %.3f ms\n", sum / static_cast<double>(times.size())); // TODO

  clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, num_groups * sizeof(float),
                                partial_sums.data(), 0, nullptr, nullptr));
  float result = 0.0f;
  for (const float partial_sum : partial_sums)
    result += partial_sum;
  double expected = 0.0;
  for (size_t i = 0; i < n; i++)
    expected += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  const bool ok = check_equal(static_cast<double>(result), expected);

  clerr_chk(clReleaseMemObject(sums_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
