// The triad a = b + s * c: how fast it is, and how many bytes and operations that takes.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"
#include "../../../common/timing.h"

#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements in each vector (default 4194304)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 4194304, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n), buffer_bytes(n)}, usage);

  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  const size_t local_size = 64;
  const size_t global_size = size_t{compute_units} * 16 * local_size;

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "triad", &status);
  clerr_chk(status);

  // Small whole numbers, whose sums a float holds exactly; the result starts out as NaN.
  std::vector<float> a(n, NAN), b(n), c(n);
  fill_whole(b, 1);
  fill_whole(c, 2);
  const float s = 3.0f;

  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), b.data(), &status);
  clerr_chk(status);
  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), c.data(), &status);
  clerr_chk(status);
  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), a.data(), &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &c_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof s, &s));
  clerr_chk(clSetKernelArg(kernel, 4, sizeof(cl_ulong), &n_arg));

  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    cl_event event;
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, &event));
    clerr_chk(clWaitForEvents(1, &event));
    times.push_back(kernel_ms(event));
    clerr_chk(clReleaseEvent(event));
  }
  clerr_chk(clEnqueueReadBuffer(queue, a_buffer, CL_TRUE, 0, n * sizeof(float), a.data(), 0,
                                nullptr, nullptr));

  // What one run moves between memory and the processor, and what it computes.
  const size_t bytes = 2 * n * sizeof(float); // TODO: that is a copy's
  const size_t operations = 0;                // TODO: and a copy computes nothing
  printf("moved     %zu bytes\n", bytes);
  printf("intensity %.3f FLOP per byte\n",
         static_cast<double>(operations) / static_cast<double>(bytes));
  print_time("kernel", median_ms(times), static_cast<double>(bytes) * 1e-9, "GB/s");

  size_t differ = 0;
  size_t shown = n - 1; // the first element that differs, else the last one
  for (size_t i = 0; i < n; i++)
    if (!(a[i] == b[i] + s * c[i]) && differ++ == 0) // true for NaN
      shown = i;
  printf("result    a[%zu] = %g\n", shown, static_cast<double>(a[shown]));
  printf("expected  a[%zu] = %g (%zu of %zu elements differ)\n", shown,
         static_cast<double>(b[shown] + s * c[shown]), differ, n);

  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(differ == 0);
}
