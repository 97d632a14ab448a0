// Histogram: how often does each of 64 values occur?
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"
#include "../../../common/timing.h"

#include <cstdio>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of values (default 16777216)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 16777216, usage);
  const size_t bins = 64;
  const size_t local_size = 32; // half as many as there are bins
  const size_t global_size = 8 * local_size;

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(bins)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "-D BINS=64");
  cl_kernel kernel = clCreateKernel(program, "histogram", &status);
  clerr_chk(status);

  // Some values are frequent and others are rare: two random numbers, and the bits that both have.
  std::vector<cl_uint> values(n), counts(bins), expected(bins, 0);
  const std::vector<cl_uint> zeros(bins, 0);
  for (size_t i = 0; i < n; i++) {
    values[i] = static_cast<cl_uint>(scrambled(i, 1) & scrambled(i, 2)) % bins;
    expected[values[i]]++;
  }
  cl_mem values_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                        n * sizeof(cl_uint), values.data(), &status);
  clerr_chk(status);
  cl_mem counts_buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE, bins * sizeof(cl_uint), nullptr, &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &values_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &counts_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
  clerr_chk(clSetKernelArg(kernel, 3, bins * sizeof(cl_uint), nullptr)); // local memory
  std::vector<double> times;
  do {
    clerr_chk(clEnqueueWriteBuffer(queue, counts_buffer, CL_TRUE, 0, bins * sizeof(cl_uint),
                                   zeros.data(), 0, nullptr, nullptr));
    cl_event event;
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, &event));
    clerr_chk(clWaitForEvents(1, &event));
    times.push_back(kernel_ms(event));
    clerr_chk(clReleaseEvent(event));
  } while (more_runs(times));
  clerr_chk(clEnqueueReadBuffer(queue, counts_buffer, CL_TRUE, 0, bins * sizeof(cl_uint),
                                counts.data(), 0, nullptr, nullptr));

  size_t differ = 0;
  size_t shown = bins - 1; // the first bin that differs, or the last one if none does
  for (size_t i = bins; i-- > 0;)
    if (counts[i] != expected[i]) {
      shown = i;
      differ++;
    }
  printf("result    counts[%zu] = %u\n", shown, counts[shown]);
  printf("expected  counts[%zu] = %u (%zu of %zu counts differ)\n", shown, expected[shown], differ,
         bins);
  print_time("kernel", median_ms(times), static_cast<double>(n) * 1e-6, "million values per s");

  clerr_chk(clReleaseMemObject(counts_buffer));
  clerr_chk(clReleaseMemObject(values_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(differ == 0);
}
