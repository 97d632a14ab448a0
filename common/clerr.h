// clerr_chk: end the program with an explanation when an OpenCL call fails.
//
// Chapter 01 spells out what is done here. Source of the codes and their meanings: the OpenCL 3.0
// specification, and the ICD loader's extension cl_khr_icd for CL_PLATFORM_NOT_FOUND_KHR.
#pragma once

#include "opencl.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

struct clerr_entry {
  cl_int code;
  const char *name;
  const char *cause; // the usual one, in a line
};

// docs/errors.md treats every name in this table under a heading of that name.
inline constexpr clerr_entry clerr_table[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND",
     "the platform has no device of the type asked for"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE",
     "the device is there, but another program or a setting keeps it from being used"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE",
     "this OpenCL installation comes without its compiler for kernels"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE",
     "the device has no room left for a buffer: try a smaller size"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES",
     "the kernel needs more than the device has, reached outside its buffers, or ran too long"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY",
     "the host has no memory left: try a smaller size; from clGetDeviceIDs: a driver does not "
     "start"},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE",
     "the queue was made without CL_QUEUE_PROFILING_ENABLE, or the command has not finished"},
    {CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP", "a copy's source and destination overlap"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE",
     "the kernel does not compile: the build log above says where"},
    {CL_MAP_FAILURE, "CL_MAP_FAILURE", "the buffer cannot be mapped into the host's memory"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
     "a command that this one waited for has failed"},
    {CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE",
     "the program does not link: a function is declared but defined nowhere"},
    {CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
     "the program was built without -cl-kernel-arg-info"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE",
     "an argument makes no sense: a zero size, a null pointer, or a range outside the buffer"},
    {CL_INVALID_DEVICE_TYPE, "CL_INVALID_DEVICE_TYPE",
     "no such device type: is it one of CL_DEVICE_TYPE_...?"},
    {CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM", "the platform was not given by clGetPlatformIDs"},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE",
     "the device was not given by clGetDeviceIDs, or does not belong to this context"},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT",
     "the context was never created, was released, or is not the one the other object belongs to"},
    {CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES",
     "the device does not support a property asked of the queue"},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE",
     "the queue was never created or was released; on some devices: an earlier kernel crashed it"},
    {CL_INVALID_HOST_PTR, "CL_INVALID_HOST_PTR",
     "CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR without a pointer, or a pointer without either"},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT",
     "the buffer was never created or was released, or something else was passed as a buffer"},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY",
     "the program binary was made for another device or driver"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS",
     "the compiler does not know an option: look at the options string"},
    {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM", "the program was never created or was released"},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE",
     "the program has not been built for this device: clBuildProgram comes first"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME",
     "no __kernel function of this name in the .cl file: compare the spelling"},
    {CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION",
     "the kernel's arguments differ between the devices the program was built for"},
    {CL_INVALID_KERNEL, "CL_INVALID_KERNEL", "the kernel was never created or was released"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX",
     "the kernel has fewer arguments: the first one is number 0"},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE",
     "a null value for an argument that is not __local, or a value for one that is"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE",
     "the size given differs from the kernel's type: sizeof(cl_mem) for a buffer, sizeof(cl_ulong) "
     "for a ulong"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS",
     "not every argument has been set: one clSetKernelArg for each"},
    {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION",
     "the number of dimensions must be 1, 2 or 3"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE",
     "the local size does not divide the global size, or is more than this kernel can have on this "
     "device"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE",
     "the local size is zero, or too large in one dimension for this device"},
    {CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET",
     "offset and global size together overflow"},
    {CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST",
     "a wait list with a null pointer, a count of zero, or an event that is none"},
    {CL_INVALID_EVENT, "CL_INVALID_EVENT", "the event was never created or was released"},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION",
     "the call is not allowed on this object in its present state"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE",
     "a buffer of zero bytes, or larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE"},
    {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE",
     "the global size is zero or larger than the device can count"},
    {CL_INVALID_PROPERTY, "CL_INVALID_PROPERTY", "an unknown property, or one given twice"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR",
     "no OpenCL implementation is installed: the README says how to get PoCL"},
};

// The other codes up to OpenCL 3.0, of calls that this tutorial does not make, and the one of a
// vendor's that people meet. By number: headers of OpenCL 1.2 do not have all of the names.
inline constexpr clerr_entry clerr_rare[] = {
    {-9, "CL_IMAGE_FORMAT_MISMATCH", "two images of different formats are copied"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED",
     "the device has no images of this format: clGetSupportedImageFormats lists them"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET",
     "a sub-buffer begins at no multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN (in bits)"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE",
     "clCompileProgram: the source does not compile; the build log says where"},
    {-16, "CL_LINKER_NOT_AVAILABLE",
     "this OpenCL installation comes without a linker for programs"},
    {-18, "CL_DEVICE_PARTITION_FAILED", "the device can be divided, but not now or not once more"},
    {-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
     "the image's order or type of channels makes no sense"},
    {-40, "CL_INVALID_IMAGE_SIZE",
     "the image is larger than this device's: CL_DEVICE_IMAGE2D_MAX_WIDTH and so on"},
    {-41, "CL_INVALID_SAMPLER", "the sampler was never created or was released"},
    {-60, "CL_INVALID_GL_OBJECT", "no such object of OpenGL's, or one without memory"},
    {-62, "CL_INVALID_MIP_LEVEL",
     "the texture has no such level, or OpenCL may use none but the first"},
    {-65, "CL_INVALID_IMAGE_DESCRIPTOR", "the image's type, sizes or pitches do not fit together"},
    {-66, "CL_INVALID_COMPILER_OPTIONS",
     "clCompileProgram does not know an option: look at the options string"},
    {-67, "CL_INVALID_LINKER_OPTIONS",
     "clLinkProgram does not know an option: look at the options string"},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT",
     "more parts or compute units than the device has: CL_DEVICE_PARTITION_MAX_SUB_DEVICES"},
    {-69, "CL_INVALID_PIPE_SIZE",
     "a pipe's packets are of 0 bytes, or larger than CL_DEVICE_PIPE_MAX_PACKET_SIZE"},
    {-70, "CL_INVALID_DEVICE_QUEUE",
     "the kernel's argument is to be a queue on the device, and is none"},
    {-71, "CL_INVALID_SPEC_ID", "the program has no specialization constant of this number"},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED",
     "a size that the kernel's source limits is larger than that limit"},
    {-9999, "NVIDIA's own code",
     "a kernel read or wrote outside its buffers: run it under Oclgrind"},
};

// The table's line for a code; for a code it does not hold, a line that says so.
inline clerr_entry clerr_find(const cl_int code) {
  for (const clerr_entry &entry : clerr_table)
    if (entry.code == code)
      return entry;
  for (const clerr_entry &entry : clerr_rare)
    if (entry.code == code)
      return entry;
  return {code, "unknown code",
          "a code of an extension or of this implementation: see its documentation"};
}

// Prints the statement on `line` of the source file `file`, all its lines, and, where that is only
// `clerr_chk(status);`, the statement before it: the call itself. Nothing if the file is not there.
inline void clerr_print_source(const char *file, const int line) {
  std::ifstream source(file);
  std::vector<std::string> lines;
  for (std::string text; std::getline(source, text);)
    lines.push_back(text);
  if (line < 1 || lines.size() < static_cast<size_t>(line))
    return;
  const auto ends_statement = [](const std::string &text) {
    return text.empty() || std::string(";{}").find(text.back()) != std::string::npos ||
           text.find("//") != std::string::npos;
  };
  size_t first = static_cast<size_t>(line) - 1; // lines are counted from 1, the vector from 0
  size_t last = first;
  if (lines[first].find("clerr_chk(status)") != std::string::npos && first > 0)
    first--;
  while (first > 0 && !ends_statement(lines[first - 1]))
    first--;
  while (last + 1 < lines.size() && !ends_statement(lines[last]))
    last++;
  for (; first <= last; first++)
    fprintf(stderr, "%6zu | %s\n", first + 1, lines[first].c_str());
}

// How clerr_chk ends the program. Not by exit, which would tidy up as well, under a device that may
// still be at work. Chapter 24, of which several processes run, has another way.
inline void (*clerr_end)(int) = [](const int code) { _Exit(code); };

// Does nothing when `status` is CL_SUCCESS. Otherwise prints to standard error where it happened,
// the source line, the code's name and number, its usual cause and where to read on; exits 1.
// `file` and `line` are filled in by the compiler with the place of the call.
inline void clerr_chk(const cl_int status, const char *file = __builtin_FILE(),
                      const int line = __builtin_LINE()) {
  if (status == CL_SUCCESS)
    return;
  const clerr_entry error = clerr_find(status);
  fflush(stdout); // so that what was printed before the error also stands before it
  fprintf(stderr, "%s:%d: OpenCL error %s (%d)\n", file, line, error.name, status);
  clerr_print_source(file, line);
  fprintf(stderr, "usual cause: %s\n", error.cause);
  std::string anchor = error.name;
  for (const clerr_entry &rare : clerr_rare)
    if (rare.code == status)
      anchor = "rare codes";
  for (char &c : anchor)
    c = c == ' ' ? '-' : static_cast<char>(std::tolower(c));
  fprintf(stderr, "read on:     docs/errors.md#%s\n", anchor.c_str());
  clerr_end(EXIT_FAILURE);
}
