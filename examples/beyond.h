// What the programs of docs/beyond.md share: OpenCL 3.0's calls, and an end for a device that lacks
// what a program shows.
#pragma once

// The headers then have the calls of 2.0 to 3.0, too, and do not warn of those of 1.2. Whether a
// device has them is another question.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/source.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// Says in a sentence what is missing here, and ends the program: exit 77, which tests report as
// skipped.
[[noreturn]] inline void skip(const std::string &why) {
  printf("SKIPPED: %s\n", why.c_str());
  exit(fflush(stdout) == 0 ? 77 : 1);
}

// The version of OpenCL that a device has: "OpenCL 3.0". Such strings can be compared with <.
inline std::string version_of(cl_device_id device) {
  return device_text(device, CL_DEVICE_VERSION).substr(0, 10);
}

// Returns what was compiled for the program's one device.
inline std::string binary_of(cl_program program) {
  size_t size;
  clerr_chk(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
  std::string binary(size, '\0');
  char *place = binary.data(); // one for each device
  clerr_chk(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr));
  return binary;
}

// Returns a program made of a binary; nullptr where the device does not take it.
inline cl_program from_binary(cl_context context, cl_device_id device, const std::string &binary) {
  const size_t size = binary.size();
  const auto *bytes = reinterpret_cast<const unsigned char *>(binary.data());
  cl_int of_this_device, status;
  cl_program program =
      clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &of_this_device, &status);
  if (status == CL_SUCCESS && of_this_device == CL_SUCCESS &&
      clBuildProgram(program, 1, &device, "", nullptr, nullptr) == CL_SUCCESS)
    return program;
  if (program != nullptr)
    clerr_chk(clReleaseProgram(program));
  return nullptr;
}
