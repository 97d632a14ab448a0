// Sizes and options from the command line, refused with a clear message before anything is
// allocated.
//
// Exit codes: 0 after --help, 2 for an argument that makes no sense or does not fit the device.
#pragma once

#include "clerr.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>

// Ends the program with exit code 2: `what` is wrong with the arguments. Prints the usage too.
[[noreturn]] inline void usage_error(const char *usage, const char *what, const char *text) {
  fflush(stdout);
  fprintf(stderr, "%s%s\n%s", what, text, usage);
  exit(2);
}

// Call this first. --help prints `usage` and ends the program with exit code 0; more than
// `max_args` arguments is an error. An argument that is present but empty counts.
inline void check_args(const int argc, char **argv, const int max_args, const char *usage) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      printf("%s", usage);
      exit(EXIT_SUCCESS);
    }
  if (argc - 1 > max_args)
    usage_error(usage, "too many arguments, first one too many: ", argv[max_args + 1]);
}

// Returns argument number `index` (the first is 1) as a whole number of at least `smallest`, or
// `default_value` when there is no such argument. Digits only: no sign, no exponent, no unit.
inline size_t size_arg(const int argc, char **argv, const int index, const size_t default_value,
                       const char *usage, const size_t smallest = 1) {
  if (index >= argc)
    return default_value;
  const char *text = argv[index];
  size_t value = 0;
  if (*text == '\0')
    usage_error(usage, "not a size: an empty argument", "");
  for (const char *c = text; *c != '\0'; c++) {
    if (*c < '0' || *c > '9')
      usage_error(usage, "not a size (digits only): ", text);
    const size_t digit = static_cast<size_t>(*c - '0');
    if (value > (std::numeric_limits<size_t>::max() - digit) / 10)
      usage_error(usage, "too large a number: ", text);
    value = value * 10 + digit;
  }
  if (value < smallest)
    usage_error(usage,
                smallest == 1 ? "a size must be at least 1, not " : "a number too small: ", text);
  return value;
}

// Returns what follows the option `name` on the command line, and takes both out of `argv`; null if
// it is not there.
inline const char *take_option(int &argc, char **argv, const char *name, const char *usage) {
  char **const end = argv + argc;
  char **const found = std::find_if(argv, end, [name](const char *a) { return !strcmp(a, name); });
  if (found == end)
    return nullptr;
  if (found + 1 == end)
    usage_error(usage, "a file's name is missing after ", name);
  const char *value = found[1];
  std::copy(found + 2, end, found);
  argc -= 2;
  return value;
}

// Is the option `name` on the command line? Takes it out of `argv`.
inline bool take_flag(int &argc, char **argv, const char *name) {
  char **const end = argv + argc;
  char **const left =
      std::remove_if(argv + 1, end, [name](const char *a) { return !strcmp(a, name); });
  argc = static_cast<int>(left - argv);
  return left != end;
}

// The bytes of a buffer of rows × columns elements; a vector has one column. In double, because the
// product may be more than a size_t holds.
inline double buffer_bytes(const size_t rows, const size_t columns = 1,
                           const size_t element_size = sizeof(float)) {
  return static_cast<double>(rows) * static_cast<double>(columns) *
         static_cast<double>(element_size);
}

// Ends the program with exit code 2 unless the device can hold buffers of all these `sizes`, in
// bytes, at a time: each within CL_DEVICE_MAX_MEM_ALLOC_SIZE, all together within
// CL_DEVICE_GLOBAL_MEM_SIZE. Where the device shares the host's memory, the host's own copies count
// too. Call it before anything is allocated.
inline void check_memory(cl_device_id device, const std::initializer_list<double> sizes,
                         const char *usage) {
  cl_ulong max_alloc, global_size;
  cl_bool shared;
  clerr_chk(
      clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max_alloc, &max_alloc, nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global_size, &global_size,
                            nullptr));
  clerr_chk(
      clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shared, &shared, nullptr));
  double largest = 0;
  double total = 0;
  for (const double bytes : sizes) {
    largest = bytes > largest ? bytes : largest;
    total += bytes * (shared == CL_TRUE ? 2 : 1);
  }
  const double gib = 1024.0 * 1024.0 * 1024.0;
  char what[256];
  if (largest > static_cast<double>(max_alloc)) {
    snprintf(what, sizeof what,
             "too large for this device: a buffer of %.3g GiB, where it allows %.3g GiB",
             largest / gib, static_cast<double>(max_alloc) / gib);
    usage_error(usage, what, "");
  }
  if (total > static_cast<double>(global_size)) {
    snprintf(what, sizeof what,
             "too large for this device: %.3g GiB in all%s, where it has %.3g GiB", total / gib,
             shared == CL_TRUE ? " (with the host's copies, in the same memory)" : "",
             static_cast<double>(global_size) / gib);
    usage_error(usage, what, "");
  }
  // The host may still have less than the device: say so instead of ending with an exception.
  std::set_new_handler([] {
    fprintf(stderr, "the host has no memory left for its copies: try a smaller size\n");
    exit(EXIT_FAILURE);
  });
}
