// Choosing UF by measuring: the sum of a vector with several UF, and which of them was the fastest.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"
#include "../../../common/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements (default 4194304)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 4194304, usage);

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

  std::vector<float> x(n);
  fill_whole(x, 1);
  double expected = 0.0;
  for (const float value : x)
    expected += static_cast<double>(value);
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), x.data(), &status);
  clerr_chk(status);
  cl_mem data_buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), nullptr, &status);
  clerr_chk(status);

  bool ok = true;
  const size_t best_uf = 0;
  const size_t candidates[] = {2, 4, 8, 16, 32, 64};
  for (const size_t uf : candidates) {
    const std::string options = "-D UF=" + std::to_string(uf) + "ul"; // a constant for the compiler
    cl_program program = build_program(context, device, load_source("kernel.cl"), options);
    cl_kernel kernel = clCreateKernel(program, "sum_unrolled", &status);
    clerr_chk(status);
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &data_buffer));

    std::vector<double> times; // of each run, in ms; the first one is the warm-up
    while (more_runs(times)) {
      clerr_chk(clEnqueueCopyBuffer(queue, x_buffer, data_buffer, 0, 0, n * sizeof(float), 0,
                                    nullptr, nullptr));
      double ms = 0.0; // of all levels
      size_t items;    // work-items of this level, and elements of the next
      for (size_t left = n; left > 1; left = items) {
        items = std::max<size_t>(1, left / uf); // fewer than left, so the last level comes
        const size_t global_size = (items + 63) / 64 * 64;
        const size_t local_size = 64;
        const cl_ulong left_arg = left;
        clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_ulong), &left_arg));
        cl_event event;
        clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                         nullptr, &event));
        clerr_chk(clWaitForEvents(1, &event));
        ms = kernel_ms(event); // TODO: of this level only
        clerr_chk(clReleaseEvent(event));
      }
      times.push_back(ms);
    }
    const double ms = median_ms(times);
    // TODO: which UF is the best?
    float result = NAN;
    clerr_chk(clEnqueueReadBuffer(queue, data_buffer, CL_TRUE, 0, sizeof result, &result, 0,
                                  nullptr, nullptr));
    ok = check_equal(static_cast<double>(result), expected) && ok;
    printf("time      UF = %zu: %.6f ms\n", uf, ms);
    clerr_chk(clReleaseKernel(kernel));
    clerr_chk(clReleaseProgram(program));
  }
  printf("best      UF = %zu\n", best_uf);

  clerr_chk(clReleaseMemObject(data_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
