// How fast could it be? The device's ceilings: bytes copied and multiply-adds done, a second.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/source.h"
#include "../common/timing.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 15-device-ceilings [N]\n"
    "  N  number of floats to copy (default: more than the caches hold, at most 67108864)\n";

// What one shape of a kernel took, and what it did: 10^9 bytes or floating-point operations.
struct measurement {
  std::string what;
  double ms;
  double work;
};

constexpr float poison = NAN; // every output starts as NaN, before each shape anew

// Prints a line for each; returns the highest rate, or NAN where the device reports no times.
static double print_best(const std::vector<measurement> &measurements, const char *unit) {
  double best = NAN;
  for (const measurement &one : measurements) {
    print_time(one.what.c_str(), one.ms, one.work, unit);
    best = std::fmax(best, one.work / (one.ms * 1e-3)); // of NaN and a number: the number
  }
  return best;
}

// The first ceiling: copying, by the runtime (width 0) and by a kernel in several shapes. `n` is a
// multiple of 16. Sets `ok` to false if an element was not copied.
static std::vector<measurement> measure_copies(cl_context context, cl_device_id device,
                                               cl_command_queue queue, const std::string &source,
                                               const size_t n, const size_t compute_units,
                                               bool &ok) {
  cl_int status;
  std::vector<float> from(n), to(n);
  fill_whole(from, 1);
  const size_t bytes = n * sizeof(float);
  cl_mem from_buffer =
      clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, from.data(), &status);
  clerr_chk(status);
  cl_mem to_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  clerr_chk(status);

  std::vector<measurement> copies;
  double right = 0.0; // elements copied right, over all shapes
  for (const size_t width : {0u, 1u, 4u, 16u}) {
    const std::string vector = width == 1 ? "float" : "float" + std::to_string(width);
    cl_program program = nullptr;
    cl_kernel kernel = nullptr;
    if (width > 0) {
      program = build_program(context, device, source, "-D CHAINS=1 -D VECTOR=" + vector);
      kernel = clCreateKernel(program, "copy", &status);
      clerr_chk(status);
      const cl_ulong n_arg = n / width;
      clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &from_buffer));
      clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &to_buffer));
      clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
    }
    // A CPU wants few work-items, since it runs those of a group one after the other; a GPU wants
    // many, in groups.
    for (const bool many : {false, true}) {
      if (width == 0 && many)
        continue; // the runtime chooses its own shape
      const size_t local_size = many ? 256 : 1;
      const size_t num_groups = compute_units * (many ? 32 : 4);
      const size_t global_size = num_groups * local_size;
      clerr_chk(clEnqueueFillBuffer(queue, to_buffer, &poison, sizeof poison, 0, bytes, 0, nullptr,
                                    nullptr));
      std::vector<double> times; // of each run, in ms; the first one is the warm-up
      while (more_runs(times)) {
        cl_event event;
        if (width == 0)
          clerr_chk(
              clEnqueueCopyBuffer(queue, from_buffer, to_buffer, 0, 0, bytes, 0, nullptr, &event));
        else
          clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                           nullptr, &event));
        clerr_chk(clWaitForEvents(1, &event));
        times.push_back(kernel_ms(event));
        clerr_chk(clReleaseEvent(event));
      }
      clerr_chk(
          clEnqueueReadBuffer(queue, to_buffer, CL_TRUE, 0, bytes, to.data(), 0, nullptr, nullptr));
      for (size_t i = 0; i < n; i++)
        right += to[i] == from[i] ? 1.0 : 0.0;
      copies.push_back({width == 0 ? "clEnqueueCopyBuffer:"
                                   : "copy kernel, " + vector + ", " + std::to_string(num_groups) +
                                         " work-groups of " + std::to_string(local_size) + ":",
                        median_ms(times), 2e-9 * static_cast<double>(bytes)}); // read and written
    }
    if (width > 0) {
      clerr_chk(clReleaseKernel(kernel));
      clerr_chk(clReleaseProgram(program));
    }
  }
  ok = check_equal(right, static_cast<double>(copies.size() * n)) && ok;
  clerr_chk(clReleaseMemObject(to_buffer));
  clerr_chk(clReleaseMemObject(from_buffer));
  return copies;
}

// The second ceiling: multiply-adds, on vectors of several widths, in few chains and in many, by
// `items` work-items. Sets `ok` to false if a result is wrong.
static std::vector<measurement> measure_multiply_adds(cl_context context, cl_device_id device,
                                                      cl_command_queue queue,
                                                      const std::string &source, const size_t items,
                                                      bool &ok) {
  cl_int status;
  std::vector<float> sums(items * 16);
  cl_mem sums_buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE, sums.size() * sizeof(float), nullptr, &status);
  clerr_chk(status);

  std::vector<measurement> rates;
  const size_t local_size = 64;
  double right = 0.0, results = 0.0;
  for (const size_t width : {1u, 4u, 16u})
    for (const size_t chains : {2u, 12u}) {
      const std::string vector = width == 1 ? "float" : "float" + std::to_string(width);
      cl_program program = build_program(
          context, device, source, "-D CHAINS=" + std::to_string(chains) + " -D VECTOR=" + vector);
      cl_kernel kernel = clCreateKernel(program, "multiply_add", &status);
      clerr_chk(status);
      const float factor = -1.0f;
      const float summand = 3.0f;
      clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &sums_buffer));
      clerr_chk(clSetKernelArg(kernel, 1, sizeof factor, &factor));
      clerr_chk(clSetKernelArg(kernel, 2, sizeof summand, &summand));
      clerr_chk(clEnqueueFillBuffer(queue, sums_buffer, &poison, sizeof poison, 0,
                                    sums.size() * sizeof(float), 0, nullptr, nullptr));
      // A run should last long enough for its start not to count: double the work until it does.
      std::vector<double> times;
      cl_uint iterations = 1;
      while (more_runs(times)) {
        clerr_chk(clSetKernelArg(kernel, 3, sizeof iterations, &iterations));
        cl_event event;
        clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &local_size, 0, nullptr,
                                         &event));
        clerr_chk(clWaitForEvents(1, &event));
        const double ms = kernel_ms(event);
        clerr_chk(clReleaseEvent(event));
        // false for NaN, where the device reports no times; a clock that stands still ends it, too
        if (times.empty() && ms < 4.0 && iterations < 1u << 24)
          iterations *= 2;
        else
          times.push_back(ms);
      }
      clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, items * width * sizeof(float),
                                    sums.data(), 0, nullptr, nullptr));
      // An odd number of steps takes each chain from x to summand - x; x is item % 64 + chain.
      for (size_t i = 0; i < items * width; i++) {
        float sum = 0.0f;
        for (size_t chain = 0; chain < chains; chain++)
          sum += summand - static_cast<float>(i / width % 64 + chain);
        right += sums[i] == sum ? 1.0 : 0.0;
      }
      results += static_cast<double>(items * width);
      const double steps = 4.0 * static_cast<double>(iterations) + 1.0;
      rates.push_back(
          {"multiply_add, " + vector + ", " + std::to_string(chains) + " chains:", median_ms(times),
           2e-9 * steps * static_cast<double>(chains * items * width)});
      clerr_chk(clReleaseKernel(kernel));
      clerr_chk(clReleaseProgram(program));
    }
  ok = check_equal(right, results) && ok;
  clerr_chk(clReleaseMemObject(sums_buffer));
  return rates;
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  size_arg(argc, argv, 1, 1, usage); // refuses what is no size before it looks for a device
  cl_device_id device = pick_device();
  // More than the caches hold: the copy has to come from memory. A CPU says what its last cache
  // holds, a GPU often what its first one does.
  cl_ulong cache;
  clerr_chk(
      clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache, &cache, nullptr));
  size_t large = (device_type(device) & CL_DEVICE_TYPE_GPU) != 0 ? 67108864 : 4194304;
  while (large < 67108864 && large * sizeof(float) < 2 * cache)
    large *= 2;
  const size_t n = size_arg(argc, argv, 1, large, usage);
  print_device(device);
  printf("size      N = %zu\n", n);
  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  const size_t padded = (n + 15) / 16 * 16;             // whole vectors of up to 16 floats
  const size_t items = size_t{compute_units} * 64 * 64; // of the multiply-adds, in groups of 64
  check_memory(
      device, {buffer_bytes(n / 16 + 1, 16), buffer_bytes(n / 16 + 1, 16), buffer_bytes(items, 16)},
      usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const std::string source = load_source("kernel.cl");

  bool ok = true;
  const std::vector<measurement> copies =
      measure_copies(context, device, queue, source, padded, compute_units, ok);
  const double copy_ceiling = print_best(copies, "GB/s");
  const std::vector<measurement> rates =
      measure_multiply_adds(context, device, queue, source, items, ok);
  const double arithmetic_ceiling = print_best(rates, "GFLOP/s");
  printf("time      ceilings: %.1f GB/s, %.1f GFLOP/s; balance %.1f FLOP per byte\n", copy_ceiling,
         arithmetic_ceiling, arithmetic_ceiling / copy_ceiling);

  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
