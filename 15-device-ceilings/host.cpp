// The device's ceilings: how many bytes it reads and copies, how much it computes, each second.
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
#include <numeric>
#include <string>
#include <vector>

static const char *const usage =
    "usage: 15-device-ceilings [N]\n"
    "  N  number of floats to read and to copy (default 67108864 or less)\n";

// One way to run a kernel. No shape is the best one on every device, so each device tries them all.
struct shape {
  std::string kernel;
  std::string vector;     // the type VECTOR
  size_t width;           // floats in a VECTOR
  size_t chains;          // VECTORs under way at a time; at most 8 to read
  size_t local_size;      // 1: each work-item reads a stretch of its own
  size_t groups_per_unit; // work-groups for each compute unit

  // Filled in by main:
  size_t items = 0; // work-items of the launch
  double ms = 0;    // of the fastest run
  double work = 0;  // of each run: gigabytes, or 10^9 operations
};

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  cl_device_id device = pick_device();

  // By default more than most caches hold, if a buffer can be as large.
  cl_ulong most; // bytes in a buffer
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, nullptr));
  const size_t n = size_arg(argc, argv, 1, std::min<size_t>(67108864, most / 512 * 128), usage);
  print_device(device);
  printf("size      N = %zu\n", n);

  cl_uint units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr));
  const size_t floats = (n - 1) / 128 * 128 + 128; // whole VECTORs of 16, in up to 8 chains
  const size_t bytes = floats * sizeof(float);
  const size_t out_size = std::max(floats, size_t{units} * 64 * 64 * 16); // of any shape
  check_memory(device, {buffer_bytes((n - 1) / 128 + 1, 128), buffer_bytes(out_size)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);

  std::vector<float> in(floats);
  std::vector<float> out(floats);
  fill_whole(in, 1); // whole numbers so small that a float holds their sums exactly
  in[0] = 1.0f;      // multiply_add's factor
  in[1] = 1.0f;      // and its summand
  const double in_sum = std::accumulate(in.begin(), in.end(), 0.0);
  const float poison = NAN; // what every output begins as, before each measurement anew

  cl_mem in_buffer =
      clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, in.data(), &status);
  clerr_chk(status);
  cl_mem out_buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE, out_size * sizeof(float), nullptr, &status);
  clerr_chk(status);

  // The runtime's own copy, in whatever shape it chooses.
  clerr_chk(clEnqueueFillBuffer(queue, out_buffer, &poison, sizeof poison, 0, bytes, 0, nullptr,
                                nullptr));
  std::vector<double> times; // of each run, in ms
  while (more_runs(times)) {
    cl_event event;
    clerr_chk(clEnqueueCopyBuffer(queue, in_buffer, out_buffer, 0, 0, bytes, 0, nullptr, &event));
    clerr_chk(clWaitForEvents(1, &event));
    times.push_back(kernel_ms(event));
    clerr_chk(clReleaseEvent(event));
  }
  clerr_chk(
      clEnqueueReadBuffer(queue, out_buffer, CL_TRUE, 0, bytes, out.data(), 0, nullptr, nullptr));
  size_t right = out == in ? 1 : 0; // measurements with right results

  // A ceiling is the most that was ever measured: the fastest run of the best shape.
  const double gigabytes = 1e-9 * static_cast<double>(bytes); // of each of the two vectors
  const double copy_ms = *std::min_element(times.begin(), times.end());

  std::vector<shape> shapes = {
      // kernel, VECTOR, its width, chains, local size, groups for each unit
      {"read_all", "float", 1, 1, 256, 32},       {"read_all", "float4", 4, 2, 1024, 2},
      {"read_all", "float4", 4, 8, 256, 8},       {"read_all", "float16", 16, 2, 1, 16},
      {"read_all", "float16", 16, 8, 1, 16},      {"copy", "float4", 4, 1, 256, 32},
      {"copy", "float16", 16, 1, 1, 4},           {"multiply_add", "float", 1, 2, 64, 64},
      {"multiply_add", "float", 1, 12, 64, 64},   {"multiply_add", "float8", 8, 12, 64, 64},
      {"multiply_add", "float16", 16, 8, 64, 64}, {"multiply_add", "float16", 16, 12, 64, 64},
  };
  for (shape &s : shapes) {
    const std::string options = "-D VECTOR=" + s.vector + " -D CHAINS=" + std::to_string(s.chains) +
                                " -D STRETCH=" + (s.local_size == 1 ? "1" : "0") +
                                " -D FMA=" + fma_or_mad(device);
    cl_program program = build_program(context, device, load_source("kernel.cl"), options);
    cl_kernel kernel = clCreateKernel(program, s.kernel.c_str(), &status);
    clerr_chk(status);
    const size_t local_size = group_size(kernel, device, s.local_size);
    s.items = units * s.groups_per_unit * local_size;

    const bool adds = s.kernel == "multiply_add";
    const bool copies = s.kernel == "copy";
    size_t results = s.items * s.width; // floats of the output
    cl_ulong n_arg = floats / s.width;  // VECTORs
    if (copies)
      results = floats;
    if (adds)
      n_arg = 1; // steps
    out.resize(results);

    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &in_buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &out_buffer));
    clerr_chk(clEnqueueFillBuffer(queue, out_buffer, &poison, sizeof poison, 0,
                                  results * sizeof(float), 0, nullptr, nullptr));

    // A run should last long enough for its start not to count: double the steps until it does.
    bool too_short = true;
    while (too_short) {
      times.clear();
      while (more_runs(times)) {
        clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
        cl_event event;
        clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &s.items, &local_size, 0,
                                         nullptr, &event));
        clerr_chk(clWaitForEvents(1, &event));
        times.push_back(kernel_ms(event));
        clerr_chk(clReleaseEvent(event));
      }
      s.ms = *std::min_element(times.begin(), times.end());
      too_short = adds && s.ms < 4.0 && n_arg < 1048576; // false for NaN
      if (too_short)
        n_arg *= 2;
    }

    clerr_chk(clEnqueueReadBuffer(queue, out_buffer, CL_TRUE, 0, results * sizeof(float),
                                  out.data(), 0, nullptr, nullptr));

    const double sum = std::accumulate(out.begin(), out.end(), 0.0);
    bool is_right;
    if (adds) {
      // A chain begins at item % 64 + chain, on average at 31.5 + (chains - 1) / 2, and grows by 1
      // in each step.
      const double chains = static_cast<double>(s.chains);
      const double ends = static_cast<double>(results) * chains;
      const double steps = static_cast<double>(n_arg);
      is_right = sum == ends * (steps + 31.0 + 0.5 * chains);
      s.work = 2e-9 * ends * steps;
    } else if (copies) {
      is_right = out == in;
      s.work = 2 * gigabytes;
    } else {
      is_right = sum == in_sum;
      s.work = gigabytes;
    }
    if (is_right)
      right++;

    clerr_chk(clReleaseKernel(kernel));
    clerr_chk(clReleaseProgram(program));
  }

  const size_t measurements = 1 + shapes.size();
  const bool ok = check_equal(static_cast<double>(right), static_cast<double>(measurements));
  print_time("clEnqueueCopyBuffer:", copy_ms, 2 * gigabytes, "GB/s");

  double read = NAN; // the ceilings, 10^9 each second
  double copied = 2 * gigabytes / (copy_ms * 1e-3);
  double computed = NAN;
  for (const shape &s : shapes) {
    const bool adds = s.kernel == "multiply_add";
    const std::string what = s.kernel + ", " + std::to_string(s.chains) + " x " + s.vector + ", " +
                             std::to_string(s.items) + " work-items:";
    print_time(what.c_str(), s.ms, s.work, adds ? "GFLOP/s" : "GB/s");

    const double rate = s.work / (s.ms * 1e-3);
    if (adds)
      computed = std::fmax(computed, rate); // of NaN and a number: the number
    else if (s.kernel == "copy")
      copied = std::fmax(copied, rate);
    else
      read = std::fmax(read, rate);
  }
  printf("time      ceilings: %.1f GB/s read, %.1f GB/s copied, %.1f GFLOP/s; ", read, copied,
         computed);
  printf("balance %.1f FLOP per byte\n", computed / std::fmax(read, copied));

  clerr_chk(clReleaseMemObject(out_buffer));
  clerr_chk(clReleaseMemObject(in_buffer));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
