// A picture of the Mandelbrot set, computed with work-groups of three shapes.
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

static const char *const usage =
    "usage: program [HEIGHT [WIDTH [LIMIT]]] [--picture FILE]\n"
    "  a picture of HEIGHT×WIDTH pixels (default 1000; one number: square)\n"
    "  LIMIT  the most steps of a pixel, up to 1000000 (default 256)\n"
    "  --picture FILE  writes the picture, as a PGM: many programs show these\n";

// How many steps the point c takes to leave the circle of radius 2, or `limit`.
//
// The long v stands for v / 2^28. Whole numbers give the same on every device. With floats, a
// compiler may round a product and a sum as one (an FMA) on one side only, and a point at the
// border then takes another number of steps.
static cl_int steps_at(const cl_long c_re, const cl_long c_im, const cl_int limit) {
  const cl_long one = 1L << 28;
  cl_long re = 0;
  cl_long im = 0;
  cl_int n = 0;
  while (n < limit && re * re + im * im <= 4 * one * one) {
    const cl_long next_re = ((re * re - im * im) >> 28) + c_re; // >> rounds down, here and there
    im = ((2 * re * im) >> 28) + c_im;
    re = next_re;
    n++;
  }
  return n;
}

// Which part of the turns of the loop is lost if each work-item waits for the last of its group?
static double waiting(const std::vector<cl_int> &steps, const size_t height, const size_t width,
                      const size_t local_size[2]) {
  double used = 0;
  double taken = 0;
  for (size_t top = 0; top < height; top += local_size[1])
    for (size_t left = 0; left < width; left += local_size[0]) {
      cl_int most = 0;
      for (size_t row = top; row < std::min(top + local_size[1], height); row++)
        for (size_t col = left; col < std::min(left + local_size[0], width); col++) {
          most = std::max(most, steps[row * width + col]);
          used += steps[row * width + col];
        }
      taken += static_cast<double>(most) * static_cast<double>(local_size[0] * local_size[1]);
    }
  return 1 - used / taken;
}

// Writes the picture: black where the limit was reached, and the lighter the fewer the steps.
static void write_picture(const char *name, const std::vector<cl_int> &steps, const size_t height,
                          const size_t width, const cl_int limit) {
  std::vector<unsigned char> grey(steps.size());
  for (size_t i = 0; i < steps.size(); i++)
    grey[i] =
        static_cast<unsigned char>(steps[i] >= limit ? 0 : 255 - 4 * std::clamp(steps[i], 0, 60));
  FILE *file = fopen(name, "wb");
  bool written = file != nullptr && fprintf(file, "P5\n%zu %zu\n255\n", width, height) > 0 &&
                 fwrite(grey.data(), 1, grey.size(), file) == grey.size();
  if (file != nullptr)
    written = fclose(file) == 0 && written;
  if (!written)
    usage_error(usage, "cannot write ", name);
}

int main(int argc, char **argv) {
  const char *const picture = take_option(argc, argv, "--picture", usage);
  check_args(argc, argv, 3, usage);
  const size_t height = size_arg(argc, argv, 1, 1000, usage);
  const size_t width = size_arg(argc, argv, 2, height, usage);
  const size_t most_steps = size_arg(argc, argv, 3, 256, usage);
  if (most_steps > 1000000)
    usage_error(usage, "too many steps: ", argv[3]);
  const cl_int limit = static_cast<cl_int>(most_steps);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      HEIGHT = %zu, WIDTH = %zu, LIMIT = %d\n", height, width, limit);
  check_memory(device, {buffer_bytes(height, width)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "mandelbrot", &status);
  clerr_chk(status);

  // Where you stand without OpenCL: one core, one loop. It is the reference, too.
  std::vector<cl_int> expected(height * width);
  const cl_long side = 5L << 27; // 2.5, of what the picture shows
  std::vector<double> loop_times;
  while (more_runs(loop_times)) {
    const double start = now_ms();
    for (size_t row = 0; row < height; row++)
      for (size_t col = 0; col < width; col++) {
        const cl_long across = side * static_cast<cl_long>(col) / static_cast<cl_long>(width);
        const cl_long down = side * static_cast<cl_long>(row) / static_cast<cl_long>(height);
        expected[row * width + col] = steps_at(across - (2L << 28), down - side / 2, limit);
      }
    loop_times.push_back(now_ms() - start);
  }
  double millions = 0; // of steps, of all pixels
  for (const cl_int n : expected)
    millions += 1e-6 * n;

  std::vector<cl_int> steps(height * width);
  cl_mem steps_buffer =
      clCreateBuffer(context, CL_MEM_WRITE_ONLY, steps.size() * sizeof(cl_int), nullptr, &status);
  clerr_chk(status);
  const cl_ulong height_arg = height;
  const cl_ulong width_arg = width;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &steps_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_ulong), &height_arg));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &width_arg));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_int), &limit));

  // Groups of 64 work-items in a row, in a square, and in a column, one shape after the other, as
  // long as the results are right. Dimension 0 is the columns of the picture.
  size_t differ = 0;
  size_t shown = height * width - 1; // the first pixel that differs, or the last if none does
  for (const size_t columns : {64, 8, 1}) {
    size_t local_size[2] = {columns, 64 / columns};
    while (!group_fits(kernel, device, {local_size[0], local_size[1]}))
      local_size[local_size[0] < local_size[1] ? 1 : 0] /= 2; // halve the longer side
    const size_t num_groups[2] = {(width + local_size[0] - 1) / local_size[0],
                                  (height + local_size[1] - 1) / local_size[1]};
    const size_t global_size[2] = {num_groups[0] * local_size[0], num_groups[1] * local_size[1]};

    // The results start out as -1, which no number of steps can be.
    std::fill(steps.begin(), steps.end(), -1);
    clerr_chk(clEnqueueWriteBuffer(queue, steps_buffer, CL_TRUE, 0, steps.size() * sizeof(cl_int),
                                   steps.data(), 0, nullptr, nullptr));
    std::vector<double> times; // of each run, in ms; the first one is the warm-up
    while (more_runs(times)) {
      cl_event event;
      clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global_size, local_size, 0,
                                       nullptr, &event));
      clerr_chk(clWaitForEvents(1, &event));
      times.push_back(kernel_ms(event));
      clerr_chk(clReleaseEvent(event));
    }
    clerr_chk(clEnqueueReadBuffer(queue, steps_buffer, CL_TRUE, 0, steps.size() * sizeof(cl_int),
                                  steps.data(), 0, nullptr, nullptr));
    for (size_t i = 0; i < height * width; i++)
      if (steps[i] != expected[i] && differ++ == 0)
        shown = i;

    const std::string shape =
        "groups of " + std::to_string(local_size[0]) + "×" + std::to_string(local_size[1]);
    printf("waiting   %s: %.1f %% of the turns of the loop\n", shape.c_str(),
           100 * waiting(expected, height, width, local_size));
    print_time(shape.c_str(), median_ms(times), 1e-3 * millions, "billion steps per s");
    if (differ > 0)
      break;
  }
  print_time("plain C loop on one core", median_ms(loop_times), 1e-3 * millions,
             "billion steps per s");
  printf("result    steps[%zu][%zu] = %d\n", shown / width, shown % width, steps[shown]);
  printf("expected  steps[%zu][%zu] = %d (%zu of %zu pixels differ)\n", shown / width,
         shown % width, expected[shown], differ, height * width);
  if (picture != nullptr)
    write_picture(picture, steps, height, width, limit);

  clerr_chk(clReleaseMemObject(steps_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(differ == 0);
}
