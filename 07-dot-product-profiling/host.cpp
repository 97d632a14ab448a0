// How long a kernel really takes: the kernels of chapters 05 and 06, timed by the device and by
// the host.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: 07-dot-product-profiling [N]\n"
                                 "  N  number of elements in each vector (default 1048576)\n";

// Milliseconds on the host's clock since `start`.
static double ms_since(const std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// The middle one of the values, once sorted: unlike the mean, it does not move with one slow run.
static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1048576, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n), buffer_bytes(n)}, usage);
  size_t resolution; // how often the device's clock ticks, in nanoseconds; 0: it has none
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof resolution,
                            &resolution, nullptr));

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  const char *const names[2] = {"dot_product_naive", "dot_product_reduction"};
  cl_kernel kernels[2];
  for (int v = 0; v < 2; v++) {
    kernels[v] = clCreateKernel(program, names[v], &status);
    clerr_chk(status);
  }

  // The launch: at most 32 work-groups of 64 work-items, whatever N is, or of fewer work-items,
  // where one of the kernels cannot have 64 in a group on this device.
  const size_t local_size = group_size(kernels[1], device, group_size(kernels[0], device, 64));
  const size_t num_groups = std::min<size_t>(32, (n + local_size - 1) / local_size);
  const size_t global_size = num_groups * local_size;

  // Small whole numbers, whose sums a float holds exactly.
  std::vector<float> a(n), b(n);
  fill_whole(a, 1);
  fill_whole(b, 2);
  double expected = 0.0;
  for (size_t i = 0; i < n; i++)
    expected += static_cast<double>(a[i]) * static_cast<double>(b[i]);

  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), a.data(), &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), b.data(), &status);
  clerr_chk(status);

  const size_t num_results[2] = {n, num_groups}; // what the kernel leaves for the host to add
  bool ok = true;
  for (int v = 0; v < 2; v++) {
    cl_kernel kernel = kernels[v];
    std::vector<float> results(num_results[v], NAN);
    const size_t result_bytes = num_results[v] * sizeof(float);
    cl_mem results_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                           result_bytes, results.data(), &status);
    clerr_chk(status);
    const cl_ulong n_arg = n;
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
    clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &results_buffer));
    clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &n_arg));
    if (v == 1)
      clerr_chk(clSetKernelArg(kernel, 4, local_size * sizeof(float), nullptr)); // local memory

    std::vector<double> device_ms, host_ms, read_ms;
    const cl_profiling_info moments[4] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                          CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_ulong ns[4] = {}; // nanoseconds on the device's clock
    float result = 0.0f;
    for (int run = 0; run < 6; run++) {
      const auto launch = std::chrono::steady_clock::now();
      cl_event event;
      clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                       nullptr, &event));
      clerr_chk(clWaitForEvents(1, &event));
      const double ms = ms_since(launch);
      for (int i = 0; i < 4; i++) {
        status = clGetEventProfilingInfo(event, moments[i], sizeof ns[i], &ns[i], nullptr);
        if (status != CL_PROFILING_INFO_NOT_AVAILABLE) // that one is no reason to stop
          clerr_chk(status);
      }
      clerr_chk(clReleaseEvent(event));

      const auto read = std::chrono::steady_clock::now();
      clerr_chk(clEnqueueReadBuffer(queue, results_buffer, CL_TRUE, 0, result_bytes, results.data(),
                                    0, nullptr, nullptr));
      float added = 0.0f;
      for (const float r : results)
        added += r;
      const double read_and_add = ms_since(read);
      if (run == 0 || static_cast<double>(result) == expected)
        result = added; // a run that is wrong stays wrong, whatever the next one brings

      if (run == 0)
        continue; // the warm-up: the first run pays for things that later ones find done
      host_ms.push_back(ms);
      device_ms.push_back(static_cast<double>(ns[3] - ns[2]) * 1e-6);
      read_ms.push_back(read_and_add);
    }
    ok = check_equal(static_cast<double>(result), expected) && ok;

    const double bytes = static_cast<double>((2 * n + num_results[v]) * sizeof(float));
    if (resolution > 0 && median(device_ms) > 0)
      printf("time      %s: kernel %.3f ms, %.1f GB/s\n"
             "time        last run: submitted %.3f, started %.3f, ended %.3f ms after queued\n",
             names[v], median(device_ms), bytes / (median(device_ms) * 1e6),
             static_cast<double>(ns[1] - ns[0]) * 1e-6, static_cast<double>(ns[2] - ns[0]) * 1e-6,
             static_cast<double>(ns[3] - ns[0]) * 1e-6);
    else
      printf("time      %s: this device reports no times\n", names[v]);
    printf("time        host's clock: launch and wait %.3f ms, read back and add %.3f ms\n",
           median(host_ms), median(read_ms));

    clerr_chk(clReleaseMemObject(results_buffer));
  }

  // And without OpenCL: the loop that everyone would write, on one core of the host.
  std::vector<double> loop_ms;
  float sums[6]; // one for each run: GCC 12 would write a single float to memory in each step
  for (int run = 0; run < 6; run++) {
    const auto start = std::chrono::steady_clock::now();
    sums[run] = 0.0f;
    for (size_t i = 0; i < n; i++)
      sums[run] += a[i] * b[i];
    const double ms = ms_since(start);
    if (run > 0)
      loop_ms.push_back(ms);
  }
  ok = check_equal(static_cast<double>(sums[5]), expected) && ok;
  printf("time      plain C loop, one core: %.3f ms\n", median(loop_ms));

  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  for (cl_kernel kernel : kernels)
    clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
