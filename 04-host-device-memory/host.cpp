// Host and device memory: copying data against mapping it, and where the buffer lies.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static const char *const usage = "usage: 04-host-device-memory [N]\n"
                                 "  N  number of elements (default 8388608)\n";

static double ms_since(const std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// How many elements of `y` are not 2 * x + 1? NaN counts.
static size_t count_wrong(const float *y, const std::vector<float> &x) {
  size_t differ = 0;
  for (size_t i = 0; i < x.size(); i++)
    if (!(y[i] == 2.0f * x[i] + 1.0f))
      differ++;
  return differ;
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
  const size_t local_size = 64;
  const size_t global_size = (n + local_size - 1) / local_size * local_size;

  // The host's arrays. They begin at the start of a page of memory, as some devices ask of memory
  // that they are to share.
  struct page {
    alignas(4096) float values[1024];
  };
  std::vector<page> x_pages(n / 1024 + 1), y_pages(n / 1024 + 1);
  float *const x = reinterpret_cast<float *>(x_pages.data());
  float *const y = reinterpret_cast<float *>(y_pages.data());
  std::vector<float> input(n);
  fill_whole(input, 1);

  struct way {
    const char *name;
    cl_mem_flags flags; // where the buffer is to lie
    bool copy;          // write and read; else map and unmap
  };
  const way ways[] = {
      {"write and read", 0, true},
      {"map, plain buffer", 0, false},
      {"map, ALLOC_HOST_PTR", CL_MEM_ALLOC_HOST_PTR, false},
      {"map, USE_HOST_PTR", CL_MEM_USE_HOST_PTR, false},
  };
  bool ok = true;
  float last = NAN;
  for (const way &w : ways) {
    const bool use = (w.flags & CL_MEM_USE_HOST_PTR) != 0;
    cl_mem x_buffer =
        clCreateBuffer(context, CL_MEM_READ_ONLY | w.flags, bytes, use ? x : nullptr, &status);
    clerr_chk(status);
    cl_mem y_buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | w.flags, bytes, use ? y : nullptr, &status);
    clerr_chk(status);
    const cl_ulong n_arg = n;
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &y_buffer));
    clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));

    double there_ms = INFINITY, kernel_ms = INFINITY, back_ms = INFINITY; // fastest of five runs
    size_t differ = 0;
    for (int run = 0; run < 5; run++) {
      const float nan = NAN; // what is not written and brought back cannot pass
      std::fill(y, y + n, nan);
      clerr_chk(
          clEnqueueFillBuffer(queue, y_buffer, &nan, sizeof nan, 0, bytes, 0, nullptr, nullptr));
      clerr_chk(clFinish(queue)); // nothing is left in the queue when the clock starts

      // There. The host's work of producing the data, here a memcpy, is not counted.
      double ms = 0.0;
      if (w.copy) {
        memcpy(x, input.data(), bytes);
        const auto start = std::chrono::steady_clock::now();
        clerr_chk(clEnqueueWriteBuffer(queue, x_buffer, CL_TRUE, 0, bytes, x, 0, nullptr, nullptr));
        ms = ms_since(start);
      } else {
        auto start = std::chrono::steady_clock::now();
        void *mapped = clEnqueueMapBuffer(queue, x_buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                          0, bytes, 0, nullptr, nullptr, &status);
        clerr_chk(status);
        ms = ms_since(start);
        memcpy(mapped, input.data(), bytes);
        start = std::chrono::steady_clock::now();
        clerr_chk(clEnqueueUnmapMemObject(queue, x_buffer, mapped, 0, nullptr, nullptr));
        clerr_chk(clFinish(queue));
        ms += ms_since(start);
      }
      there_ms = std::min(there_ms, ms);

      const auto launch = std::chrono::steady_clock::now();
      clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                       nullptr, nullptr));
      clerr_chk(clFinish(queue));
      kernel_ms = std::min(kernel_ms, ms_since(launch));

      // Back. The host's work of looking at the result is not counted.
      if (w.copy) {
        const auto start = std::chrono::steady_clock::now();
        clerr_chk(clEnqueueReadBuffer(queue, y_buffer, CL_TRUE, 0, bytes, y, 0, nullptr, nullptr));
        ms = ms_since(start);
        differ += count_wrong(y, input);
        last = y[n - 1];
      } else {
        auto start = std::chrono::steady_clock::now();
        void *mapped = clEnqueueMapBuffer(queue, y_buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0,
                                          nullptr, nullptr, &status);
        clerr_chk(status);
        ms = ms_since(start);
        const float *result = static_cast<const float *>(mapped);
        differ += count_wrong(result, input);
        last = result[n - 1];
        start = std::chrono::steady_clock::now();
        clerr_chk(clEnqueueUnmapMemObject(queue, y_buffer, mapped, 0, nullptr, nullptr));
        clerr_chk(clFinish(queue));
        ms += ms_since(start);
      }
      back_ms = std::min(back_ms, ms);
    }
    printf("result    y[%zu] = %g\n", n - 1, static_cast<double>(last));
    printf("expected  y[%zu] = %g (%zu of %zu elements differ in 5 runs)\n", n - 1,
           2.0 * static_cast<double>(input[n - 1]) + 1.0, differ, 5 * n);
    printf("time      %s: there %.3f ms, kernel %.3f ms, back %.3f ms\n", w.name, there_ms,
           kernel_ms, back_ms);
    ok = ok && differ == 0;
    clerr_chk(clReleaseMemObject(y_buffer));
    clerr_chk(clReleaseMemObject(x_buffer));
  }

  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
