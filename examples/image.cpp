// An image: memory that a device addresses by coordinates, and reads between its pixels.
#include "beyond.h"

int main() {
  cl_device_id device = pick_device();
  print_device(device);
  cl_bool images;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr));
  if (images != CL_TRUE)
    skip("no images on this device: its CL_DEVICE_IMAGE_SUPPORT is false");
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("image.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "look", &status);
  clerr_chk(status);

  // Four floats a pixel, of which the first is used: a format that every device with images has.
  float pixels[2][2][4] = {{{5, 0, 0, 0}, {1, 0, 0, 0}}, {{2, 0, 0, 0}, {4, 0, 0, 0}}};
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = 2;
  description.image_height = 2;
  cl_mem picture = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format,
                                 &description, pixels, &status);
  clerr_chk(status);
  float out[2] = {NAN, NAN};
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof out, out, &status);
  clerr_chk(status);
  clerr_chk(clSetKernelArg(kernel, 0, sizeof picture, &picture));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
  const size_t one = 1;
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, nullptr, nullptr));
  const bool between = check_equal(static_cast<double>(out[0]), (5 + 1 + 2 + 4) / 4.0);
  const bool outside = check_equal(static_cast<double>(out[1]), 5.0);

  clerr_chk(clReleaseMemObject(buffer));
  clerr_chk(clReleaseMemObject(picture));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(between && outside);
}
