// A picture turned by 90 degrees clockwise: one work-item, one pixel of the turned picture.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/group_size.h"
#include "../../../common/source.h"
#include "../../../common/timing.h"

#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage =
    "usage: program [HEIGHT [WIDTH]]\n"
    "  a picture of HEIGHT rows of WIDTH pixels (default 1000; one number: square)\n"
    "  up to 8 rows and columns are shown, before and after\n";

// Prints a picture, row after row, if it is small. What nobody has written is nan.
static void show(const char *name, const std::vector<float> &pixels, const size_t height,
                 const size_t width) {
  if (height > 8 || width > 8)
    return;
  for (size_t row = 0; row < height; row++) {
    printf("%-9s", row == 0 ? name : "");
    for (size_t col = 0; col < width; col++)
      printf(" %3.0f", static_cast<double>(pixels[row * width + col]));
    printf("\n");
  }
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 2, usage);
  const size_t height = size_arg(argc, argv, 1, 1000, usage);
  const size_t width = size_arg(argc, argv, 2, height, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      HEIGHT = %zu, WIDTH = %zu\n", height, width);
  check_memory(device, {buffer_bytes(height, width), buffer_bytes(width, height)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "turn", &status);
  clerr_chk(status);

  // The launch: square work-groups, smaller ones where the device allows no others, and enough of
  // them to cover the turned picture. Dimension 0 is its columns, of which it has `height`.
  size_t side = 16; // work-items along each side of a work-group
  while (!group_fits(kernel, device, {side, side}))
    side /= 2;
  const size_t local_size[2] = {side, side};
  const size_t num_groups[2] = {(height + side - 1) / side, (width + side - 1) / side};
  const size_t global_size[2] = {num_groups[0] * local_size[0], num_groups[1] * local_size[1]};

  // Whole numbers from 0 to 999 that look random; the result starts out as NaN.
  std::vector<float> picture(height * width), turned(width * height, NAN);
  for (size_t i = 0; i < picture.size(); i++)
    picture[i] = static_cast<float>(scrambled(i, 1) % 1000);

  cl_mem picture_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                         picture.size() * sizeof(float), picture.data(), &status);
  clerr_chk(status);
  cl_mem turned_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                        turned.size() * sizeof(float), turned.data(), &status);
  clerr_chk(status);

  const cl_ulong height_arg = height;
  const cl_ulong width_arg = width;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &picture_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &turned_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &height_arg));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &width_arg));

  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    cl_event event;
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global_size, local_size, 0, nullptr,
                                     &event));
    clerr_chk(clWaitForEvents(1, &event));
    times.push_back(kernel_ms(event));
    clerr_chk(clReleaseEvent(event));
  }
  clerr_chk(clEnqueueReadBuffer(queue, turned_buffer, CL_TRUE, 0, turned.size() * sizeof(float),
                                turned.data(), 0, nullptr, nullptr));
  show("picture", picture, height, width);
  show("turned", turned, width, height);

  // The reference takes the picture column by column, from the left, each from the bottom up: so
  // come the pixels of the turned picture, row after row.
  std::vector<float> expected;
  for (size_t col = 0; col < width; col++)
    for (size_t row = height; row-- > 0;)
      expected.push_back(picture[row * width + col]);
  size_t differ = 0;
  size_t shown = width * height - 1; // the first pixel that differs, or the last if none does
  for (size_t i = 0; i < width * height; i++)
    if (turned[i] != expected[i] && differ++ == 0) // NaN differs from everything
      shown = i;
  printf("result    turned[%zu][%zu] = %.9g\n", shown / height, shown % height,
         static_cast<double>(turned[shown]));
  printf("expected  turned[%zu][%zu] = %.9g (%zu of %zu pixels differ)\n", shown / height,
         shown % height, static_cast<double>(expected[shown]), differ, width * height);
  const double gigabytes = 1e-9 * 2 * buffer_bytes(height, width); // read and written
  print_time("kernel", median_ms(times), gigabytes, "GB/s");

  clerr_chk(clReleaseMemObject(turned_buffer));
  clerr_chk(clReleaseMemObject(picture_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(differ == 0);
}
