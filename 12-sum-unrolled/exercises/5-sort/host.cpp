// A bitonic sort, in place, one launch for each pass of compare-and-exchange.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/group_size.h"
#include "../../../common/source.h"
#include "../../../common/timing.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements (default 1000000)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1000000, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "compare_and_exchange", &status);
  clerr_chk(status);
  const size_t local_size = group_size(kernel, device, 256);

  std::vector<cl_uint> x(n), data(n), expected;
  // With this seed the first few are out of order, so that a tiny N has something to sort.
  for (size_t i = 0; i < n; i++)
    x[i] = static_cast<cl_uint>(scrambled(i, 9) >> 32);
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(cl_uint), x.data(), &status);
  clerr_chk(status);
  cl_mem data_buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(cl_uint), nullptr, &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &data_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_ulong), &n_arg));
  std::vector<cl_event> passes;
  size_t launches = 0;       // of a run
  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    // The sort destroys its input, so every run begins with a copy, which is not counted.
    clerr_chk(clEnqueueCopyBuffer(queue, x_buffer, data_buffer, 0, 0, n * sizeof(cl_uint), 0,
                                  nullptr, nullptr));
    // Before each stage blocks of sorted / 2 elements are in order, after it those of `sorted`.
    for (size_t sorted = 2; sorted / 2 < n; sorted *= 2)
      for (size_t block = sorted; block > 1; block /= 2) {
        const cl_ulong block_arg = block;
        const cl_uint mirrored_arg = block == sorted; // the first pass of the stage
        const size_t pairs = (n + block - 1) / block * (block / 2);
        const size_t global_size = (pairs + local_size - 1) / local_size * local_size;
        cl_event event;
        clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &block_arg));
        clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_uint), &mirrored_arg));
        clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                         nullptr, &event));
        passes.push_back(event);
      }
    launches = passes.size();
    if (launches > 0) {                              // one element is in order already
      clerr_chk(clWaitForEvents(1, &passes.back())); // the queue works in order: all have ended
      times.push_back(kernels_ms(passes.front(), passes.back()));
    } else
      times.push_back(0);
    for (cl_event event : passes)
      clerr_chk(clReleaseEvent(event));
    passes.clear();
  }
  clerr_chk(clEnqueueReadBuffer(queue, data_buffer, CL_TRUE, 0, n * sizeof(cl_uint), data.data(), 0,
                                nullptr, nullptr));

  // Where you stand without OpenCL: one core, and the library's sort.
  std::vector<double> sort_times;
  while (more_runs(sort_times)) {
    expected = x;
    const double start = now_ms();
    std::sort(expected.begin(), expected.end());
    sort_times.push_back(now_ms() - start);
  }

  size_t differ = 0;
  size_t shown = n - 1; // the first element that differs, or the last one if none does
  for (size_t i = n; i-- > 0;)
    if (data[i] != expected[i]) {
      shown = i;
      differ++;
    }
  printf("result    data[%zu] = %u\n", shown, data[shown]);
  printf("expected  data[%zu] = %u (%zu of %zu elements differ)\n", shown, expected[shown], differ,
         n);
  const double millions = static_cast<double>(n) * 1e-6;
  print_time("std::sort on one core", median_ms(sort_times), millions, "million elements per s");
  print_time((std::to_string(launches) + " launches").c_str(), median_ms(times), millions,
             "million elements per s");

  clerr_chk(clReleaseMemObject(data_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(differ == 0);
}
