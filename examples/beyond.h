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
