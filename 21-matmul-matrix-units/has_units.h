// has_units: can kernel.cl use matrix units of this device?
#pragma once

#include "../common/clerr.h"
#include "../common/device.h"

#include <string>

#ifndef CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV // from the extension cl_nv_device_attribute_query
#define CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#endif

// True if `device` is NVIDIA's, of compute capability 8 or later, and its compiler takes the words
// that OpenCL C does not have: a trial build of `source`, the kernel file, shows that.
inline bool has_units(cl_device_id device, cl_context context, const std::string &source) {
  const std::string extensions = " " + device_text(device, CL_DEVICE_EXTENSIONS) + " ";
  if (extensions.find(" cl_nv_device_attribute_query ") == std::string::npos)
    return false;
  cl_uint major;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof major, &major,
                            nullptr));
  if (major < 8)
    return false;
  cl_int status;
  const char *text = source.c_str();
  cl_program trial = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
  clerr_chk(status);
  const bool builds =
      clBuildProgram(trial, 1, &device, "-D WARPS=1 -D PRODUCTS=3 -D UNITS=1 -D EDGES=1", nullptr,
                     nullptr) == CL_SUCCESS;
  clerr_chk(clReleaseProgram(trial));
  return builds;
}
