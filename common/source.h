// load_source, build_program, build_if_possible: from a .cl file to a program built for a device.
//
// Chapter 01 spells out what is done here.
#pragma once

#include "clerr.h"
#include "files.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// Returns the text of the kernel file `name`, byte for byte; `name` is looked for as find_file
// does. Absent, unreadable or empty: an error that names the places; exit 1. The file is read each
// time the program runs, so an edited kernel needs no rebuild.
inline std::string load_source(const char *name, const char *caller = __builtin_FILE()) {
  const std::string path = find_file(name, caller);
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (file.bad() || text.find_first_not_of(" \t\r\n") == std::string::npos) {
    fprintf(stderr, "the kernel file is empty or cannot be read: %s\n", path.c_str());
    exit(EXIT_FAILURE);
  }
  return text;
}

// Returns a program built from `source` for `device`, which belongs to `context`.
// `options` are the compiler's, such as "-D TILE=16"; "" for none.
// On failure prints the whole build log and ends the program as clerr_chk does.
inline cl_program build_program(cl_context context, cl_device_id device, const std::string &source,
                                const std::string &options, const char *file = __builtin_FILE(),
                                const int line = __builtin_LINE()) {
  cl_int status;
  const char *text = source.data();
  const size_t length = source.size();
  cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &status);
  clerr_chk(status, file, line);
  status = clBuildProgram(program, 1, &device, options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) {
    size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::vector<char> log(size + 1, '\0');
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    fflush(stdout);
    fprintf(stderr, "the kernel does not build; options \"%s\"; build log:\n%s\n", options.c_str(),
            log.data());
    clerr_chk(status, file, line);
  }
  return program;
}

// As build_program, for a source that not every compiler takes: returns nullptr where it does not
// build. Chapter 14 spells this out.
inline cl_program build_if_possible(cl_context context, cl_device_id device,
                                    const std::string &source, const std::string &options,
                                    const char *file = __builtin_FILE(),
                                    const int line = __builtin_LINE()) {
  cl_int status;
  const char *text = source.data();
  const size_t length = source.size();
  cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &status);
  clerr_chk(status, file, line);
  if (clBuildProgram(program, 1, &device, options.c_str(), nullptr, nullptr) == CL_SUCCESS)
    return program;
  clerr_chk(clReleaseProgram(program), file, line);
  return nullptr;
}
