// Host and device memory: copying data to the device and back against mapping it.
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

static const char *const usage = "usage: 04-host-device-memory [N]\n"
                                 "  N  number of elements (default 8388608)\n";

// The host's clock, in milliseconds since the first call: a small number keeps its digits.
static double now_ms() {
  static const auto t0 = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0).count();
}

// Is y = 2 * x + 1 everywhere? NaN is not. Prints it for the last run, and for each that is wrong.
static bool check_result(const std::vector<float> &y, const std::vector<float> &x, const int run) {
  size_t differ = 0;
  for (size_t i = 0; i < x.size(); i++)
    if (!(y[i] == 2.0f * x[i] + 1.0f))
      differ++;
  if (run == 4 || differ > 0)
    printf("result    y[%zu] = %g\nexpected  y[%zu] = %g (%zu of %zu elements differ)\n",
           y.size() - 1, static_cast<double>(y.back()), x.size() - 1,
           2.0 * static_cast<double>(x.back()) + 1.0, differ, x.size());
  return differ == 0;
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 8388608, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n)}, usage);
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "twice_plus_one", &status);
  clerr_chk(status);
  const size_t bytes = n * sizeof(float);
  const size_t local_size = group_size(kernel, device, 64);
  const size_t global_size = (n + local_size - 1) / local_size * local_size;
  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
  std::vector<float> x(n), y(n);
  fill_whole(x, 1);
  bool ok = true;
  const float nan = NAN; // poisons the output before each run: what is not written cannot pass

  // Copying: the host writes its array into one buffer, and reads the result out of another.
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem y_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, nullptr, &status);
  clerr_chk(status);
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &y_buffer));
  double there_ms = INFINITY, kernel_ms = INFINITY, back_ms = INFINITY; // fastest of five runs
  for (int run = 0; run < 5; run++) {
    std::fill(y.begin(), y.end(), nan);
    clerr_chk(
        clEnqueueFillBuffer(queue, y_buffer, &nan, sizeof nan, 0, bytes, 0, nullptr, nullptr));
    clerr_chk(clFinish(queue)); // nothing is left in the queue when the clock starts
    double start = now_ms();
    clerr_chk(
        clEnqueueWriteBuffer(queue, x_buffer, CL_TRUE, 0, bytes, x.data(), 0, nullptr, nullptr));
    there_ms = std::min(there_ms, now_ms() - start);

    start = now_ms();
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, nullptr));
    clerr_chk(clFinish(queue));
    kernel_ms = std::min(kernel_ms, now_ms() - start);

    start = now_ms();
    clerr_chk(
        clEnqueueReadBuffer(queue, y_buffer, CL_TRUE, 0, bytes, y.data(), 0, nullptr, nullptr));
    back_ms = std::min(back_ms, now_ms() - start);
    ok = check_result(y, x, run) && ok;
  }
  printf("time      write and read: there %.3f ms, kernel %.3f ms, back %.3f ms\n", there_ms,
         kernel_ms, back_ms);
  clerr_chk(clReleaseMemObject(y_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));

  // Mapping: the host reaches into the buffers. Plain ones first, then ones made for that.
  for (const cl_mem_flags place : {cl_mem_flags{0}, cl_mem_flags{CL_MEM_ALLOC_HOST_PTR}}) {
    x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | place, bytes, nullptr, &status);
    clerr_chk(status);
    y_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | place, bytes, nullptr, &status);
    clerr_chk(status);
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &y_buffer));
    there_ms = kernel_ms = back_ms = INFINITY;
    for (int run = 0; run < 5; run++) {
      clerr_chk(
          clEnqueueFillBuffer(queue, y_buffer, &nan, sizeof nan, 0, bytes, 0, nullptr, nullptr));
      clerr_chk(clFinish(queue));
      double start = now_ms();
      void *mapped = clEnqueueMapBuffer(queue, x_buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                        bytes, 0, nullptr, nullptr, &status);
      clerr_chk(status);
      double ms = now_ms() - start;
      std::copy(x.begin(), x.end(), static_cast<float *>(mapped)); // the host's work: not counted
      start = now_ms();
      clerr_chk(clEnqueueUnmapMemObject(queue, x_buffer, mapped, 0, nullptr, nullptr));
      clerr_chk(clFinish(queue));
      there_ms = std::min(there_ms, ms + now_ms() - start);

      start = now_ms();
      clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                       nullptr, nullptr));
      clerr_chk(clFinish(queue));
      kernel_ms = std::min(kernel_ms, now_ms() - start);

      start = now_ms();
      mapped = clEnqueueMapBuffer(queue, y_buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0, nullptr,
                                  nullptr, &status);
      clerr_chk(status);
      ms = now_ms() - start;
      std::copy_n(static_cast<const float *>(mapped), n, y.begin()); // not counted either
      start = now_ms();
      clerr_chk(clEnqueueUnmapMemObject(queue, y_buffer, mapped, 0, nullptr, nullptr));
      clerr_chk(clFinish(queue));
      back_ms = std::min(back_ms, ms + now_ms() - start);
      ok = check_result(y, x, run) && ok;
    }
    printf("time      map, %s: there %.3f ms, kernel %.3f ms, back %.3f ms\n",
           place == 0 ? "plain buffer" : "ALLOC_HOST_PTR", there_ms, kernel_ms, back_ms);
    clerr_chk(clReleaseMemObject(y_buffer));
    clerr_chk(clReleaseMemObject(x_buffer));
  }

  // And without OpenCL: the same loop in plain C, on one core of the host.
  double loop_ms = INFINITY;
  for (int run = 0; run < 5; run++) {
    std::fill(y.begin(), y.end(), nan);
    const double start = now_ms();
    for (size_t i = 0; i < n; i++)
      y[i] = 2.0f * x[i] + 1.0f;
    loop_ms = std::min(loop_ms, now_ms() - start);
    ok = check_result(y, x, run) && ok;
  }
  printf("time      plain C loop, one core: %.3f ms\n", loop_ms);

  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
