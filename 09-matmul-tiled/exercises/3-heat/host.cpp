// Heat on a plate, step by step: each element comes closer to its four neighbours.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/group_size.h"
#include "../../../common/source.h"
#include "../../../common/timing.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

static const char *const usage =
    "usage: program [HEIGHT [WIDTH [STEPS]]]\n"
    "  a plate of HEIGHT×WIDTH elements (default 1000; one number: square)\n"
    "  STEPS  time steps (default 10)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t height = size_arg(argc, argv, 1, 1000, usage);
  const size_t width = size_arg(argc, argv, 2, height, usage);
  const size_t steps = size_arg(argc, argv, 3, 10, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      HEIGHT = %zu, WIDTH = %zu, STEPS = %zu\n", height, width, steps);
  check_memory(device, {buffer_bytes(height, width), buffer_bytes(height, width)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const std::string source = load_source("kernel.cl");
  cl_program program;
  cl_kernel kernel;

  // The launch: square work-groups, smaller ones where the device allows no others, and enough of
  // them to cover the plate. Dimension 0 is its columns.
  // TILE is a constant for the compiler: what is too large is built once more, for half of it.
  size_t side = 16; // elements of the plate along each side of a group
  for (;; side /= 2) {
    program = build_program(context, device, source, "-D TILE=" + std::to_string(side));
    kernel = clCreateKernel(program, "heat", &status);
    clerr_chk(status);
    if (group_fits(kernel, device, {side, side}))
      break;
    clerr_chk(clReleaseKernel(kernel));
    clerr_chk(clReleaseProgram(program));
  }
  const size_t local_size[2] = {side, side};
  const size_t num_groups[2] = {(width + side - 1) / side, (height + side - 1) / side};
  const size_t global_size[2] = {num_groups[0] * local_size[0], num_groups[1] * local_size[1]};

  // The plate begins with whole degrees from -4 to 4; the other buffer starts out as NaN.
  std::vector<float> first(height * width), last(height * width, NAN);
  fill_whole(first, 1);
  cl_mem first_buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE, first.size() * sizeof(float), nullptr, &status);
  clerr_chk(status);
  cl_mem second_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                        last.size() * sizeof(float), last.data(), &status);
  clerr_chk(status);

  const cl_ulong height_arg = height;
  const cl_ulong width_arg = width;
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &height_arg));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &width_arg));

  cl_mem before = first_buffer;
  cl_mem after = second_buffer;
  std::vector<double> times; // of all steps of a run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    before = first_buffer;
    after = second_buffer;
    clerr_chk(clEnqueueWriteBuffer(queue, before, CL_TRUE, 0, first.size() * sizeof(float),
                                   first.data(), 0, nullptr, nullptr));
    double ms = 0;
    for (size_t step = 0; step < steps; step++) {
      clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &before));
      clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &after));
      cl_event event;
      clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global_size, local_size, 0,
                                       nullptr, &event));
      clerr_chk(clWaitForEvents(1, &event));
      ms += kernel_ms(event);
      clerr_chk(clReleaseEvent(event));
      std::swap(before, after); // the next step reads what this one has written
    }
    times.push_back(ms);
  }
  clerr_chk(clEnqueueReadBuffer(queue, before, CL_TRUE, 0, last.size() * sizeof(float), last.data(),
                                0, nullptr, nullptr));

  // The reference: a plain loop, in double. The edge stays as it is in both vectors.
  std::vector<double> expected(first.begin(), first.end());
  std::vector<double> next = expected;
  for (size_t step = 0; step < steps; step++) {
    for (size_t row = 1; row + 1 < height; row++)
      for (size_t col = 1; col + 1 < width; col++) {
        const size_t i = row * width + col;
        next[i] = 0.5 * expected[i] + 0.125 * (expected[i - width] + expected[i - 1] +
                                               expected[i + 1] + expected[i + width]);
      }
    std::swap(expected, next);
  }

  // In whatever order a kernel adds, a step rounds by less than 2^-20 degrees at these
  // temperatures. Later steps only average, so that the errors add up and do not grow.
  const double allowed = static_cast<double>(steps) * 0x1p-20;
  double error = 0;
  size_t shown = height * width - 1; // where the error is largest; the last one if there is none
  for (size_t i = 0; i < height * width; i++) {
    const double off = std::fabs(static_cast<double>(last[i]) - expected[i]);
    if (!(off <= error)) { // true for NaN
      error = off;
      shown = i;
      if (std::isnan(off))
        break;
    }
  }
  printf("result    plate[%zu][%zu] = %.9g\n", shown / width, shown % width,
         static_cast<double>(last[shown]));
  printf("expected  plate[%zu][%zu] = %.9g (error %.2g, allowed %.2g)\n", shown / width,
         shown % width, expected[shown], error, allowed);
  print_time("kernel", median_ms(times),
             1e-6 * static_cast<double>(height) * static_cast<double>(width) *
                 static_cast<double>(steps),
             "million elements per s");

  clerr_chk(clReleaseMemObject(second_buffer));
  clerr_chk(clReleaseMemObject(first_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(error <= allowed); // false for NaN
}
