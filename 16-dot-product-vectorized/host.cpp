// Dot product at the ceiling of memory: vector loads, many of them in flight at a time.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"
#include "../common/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage = "usage: 16-dot-product-vectorized [N]\n"
                                 "  N  number of elements in each vector (default 1048576)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1048576, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);

  // For a CPU: few work-items, each with long vectors and a stretch of its own. For a GPU: many,
  // each with the 16 bytes that it can load at once, next to its neighbours'.
  const bool gpu = (device_type(device) & CL_DEVICE_TYPE_GPU) != 0;
  const size_t width = gpu ? 4 : 16; // floats in a vector
  const size_t unroll = gpu ? 2 : 8; // sums that a work-item keeps
  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  const size_t most_groups = size_t{compute_units} * (gpu ? 1024 : 16); // a partial sum for each
  check_memory(device, {buffer_bytes(n), buffer_bytes(n), buffer_bytes(std::min(n, most_groups))},
               usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const std::string options = "-D WIDTH=" + std::to_string(width) +
                              " -D UNROLL=" + std::to_string(unroll) +
                              " -D STRETCH=" + (gpu ? "0" : "1");
  cl_program program = build_program(context, device, load_source("kernel.cl"), options);
  cl_kernel kernel = clCreateKernel(program, "dot_product", &status);
  clerr_chk(status);
  cl_kernel last_kernel = clCreateKernel(program, "add_partial_sums", &status);
  clerr_chk(status);

  // The launch: groups of one work-item for a CPU, of 256 for a GPU, a power of two for the tree.
  size_t local_size = group_size(kernel, device, gpu ? 256 : 1);
  local_size = group_size(last_kernel, device, local_size); // what both kernels can have

  // 1,024 work-items for each unit of a GPU, which is what was measured to be best on one. No more
  // work-groups than there are vectors for.
  const size_t groups_per_unit = gpu ? 1024 / local_size : 16;
  const size_t items_wanted = (n + width * unroll - 1) / (width * unroll);
  const size_t num_groups = std::min<size_t>(compute_units * groups_per_unit,
                                             (items_wanted + local_size - 1) / local_size);
  const size_t global_size = num_groups * local_size;

  // Small whole numbers, whose sums a float holds exactly; the results start out as NaN.
  std::vector<float> a(n);
  std::vector<float> b(n);
  std::vector<float> partial_sums(num_groups, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);
  float result = NAN;

  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), a.data(), &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), b.data(), &status);
  clerr_chk(status);
  cl_mem sums_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      num_groups * sizeof(float), partial_sums.data(), &status);
  clerr_chk(status);
  cl_mem result_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                        sizeof result, &result, &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  const cl_ulong num_sums_arg = num_groups;
  const size_t last_size = local_size; // one work-group
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &sums_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &n_arg));
  clerr_chk(clSetKernelArg(kernel, 4, local_size * sizeof(float), nullptr)); // local memory

  clerr_chk(clSetKernelArg(last_kernel, 0, sizeof(cl_mem), &sums_buffer));
  clerr_chk(clSetKernelArg(last_kernel, 1, sizeof(cl_mem), &result_buffer));
  clerr_chk(clSetKernelArg(last_kernel, 2, sizeof(cl_ulong), &num_sums_arg));
  clerr_chk(clSetKernelArg(last_kernel, 3, last_size * sizeof(float), nullptr));

  std::vector<double> times; // of both kernels of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    cl_event events[2];
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, &events[0]));
    clerr_chk(clEnqueueNDRangeKernel(queue, last_kernel, 1, nullptr, &last_size, &last_size, 0,
                                     nullptr, &events[1]));
    clerr_chk(clWaitForEvents(2, events));
    times.push_back(kernels_ms(events[0], events[1]));
    clerr_chk(clReleaseEvent(events[1]));
    clerr_chk(clReleaseEvent(events[0]));
  }
  clerr_chk(clEnqueueReadBuffer(queue, result_buffer, CL_TRUE, 0, sizeof result, &result, 0,
                                nullptr, nullptr));

  double expected = 0.0;
  for (size_t i = 0; i < n; i++)
    expected += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  const bool ok = check_equal(static_cast<double>(result), expected);
  const double gigabytes = 2e-9 * static_cast<double>(n * sizeof(float));
  print_time("both kernels", median_ms(times), gigabytes, "GB/s");

  clerr_chk(clReleaseMemObject(result_buffer));
  clerr_chk(clReleaseMemObject(sums_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(last_kernel));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
