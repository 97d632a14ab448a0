// pick_device: the device that the chapters run on. print_device: its line in the output.
// fma_or_mad: its multiply-add.
//
// Chapter 01 takes the first device it finds; chapter 02 spells out what is done here, and chapter
// 15 what fma_or_mad is for.
#pragma once

#include "clerr.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// All platforms, in the order of the ICD loader. None: an error that says what to install; exit 1.
inline std::vector<cl_platform_id> all_platforms() {
  cl_uint count = 0;
  const cl_int status = clGetPlatformIDs(0, nullptr, &count);
  if (status == -1001 /* CL_PLATFORM_NOT_FOUND_KHR */ || (status == CL_SUCCESS && count == 0)) {
    fprintf(stderr,
            "no OpenCL platform found: install one, for instance PoCL (on Debian and Ubuntu:\n"
            "apt install pocl-opencl-icd); README.md, \"When no device is found\"\n");
    clerr_chk(-1001);
  }
  clerr_chk(status);
  std::vector<cl_platform_id> platforms(count);
  clerr_chk(clGetPlatformIDs(count, platforms.data(), nullptr));
  return platforms;
}

// Has a platform or a device answered? If not, says so on standard error: a driver that fails here
// is passed over, since the others may work.
inline bool answered(const cl_int status, const std::string &who,
                     const char *file = __builtin_FILE(), const int line = __builtin_LINE()) {
  if (status != CL_SUCCESS)
    fprintf(stderr, "%s:%d: OpenCL error %s (%d): %s is passed over\n", file, line,
            clerr_find(status).name, status, who.c_str());
  return status == CL_SUCCESS;
}

// All devices of a platform; one without devices, or that does not answer, gives an empty list.
inline std::vector<cl_device_id> all_devices(cl_platform_id platform) {
  size_t size = 0;
  if (!answered(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, &size), "a platform"))
    return {};
  std::vector<char> name(size + 1, '\0');
  if (!answered(clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, name.data(), nullptr),
                "a platform"))
    return {};
  cl_uint count = 0;
  const cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && count == 0))
    return {};
  if (!answered(status, name.data()))
    return {};
  std::vector<cl_device_id> devices(count);
  if (!answered(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr),
                name.data()))
    return {};
  return devices;
}

// Does the device number `d` of platform number `p` answer at all?
inline bool device_answers(cl_device_id device, const size_t p, const size_t d) {
  const std::string who = "device " + std::to_string(p) + ":" + std::to_string(d);
  size_t size;
  cl_device_type type;
  return answered(clGetDeviceInfo(device, CL_DEVICE_NAME, 0, nullptr, &size), who) &&
         answered(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr), who);
}

// A text property of a device, such as CL_DEVICE_NAME.
inline std::string device_text(cl_device_id device, const cl_device_info property) {
  size_t size = 0;
  clerr_chk(clGetDeviceInfo(device, property, 0, nullptr, &size));
  std::vector<char> text(size + 1, '\0');
  clerr_chk(clGetDeviceInfo(device, property, size, text.data(), nullptr));
  return text.data();
}

// Can the chapters use the device number `d` of platform number `p`? If not, says on standard error
// why.
inline bool usable(cl_device_id device, const size_t p, const size_t d) {
  const std::string who = "device " + std::to_string(p) + ":" + std::to_string(d);
  cl_bool free, compiler;
  if (!answered(clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof free, &free, nullptr), who) ||
      !answered(clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler,
                                nullptr),
                who))
    return false;
  const std::string version = device_text(device, CL_DEVICE_VERSION); // "OpenCL 1.1 ..."
  std::string why;
  if (free != CL_TRUE)
    why = "is in use by another program, or switched off";
  else if (compiler != CL_TRUE)
    why = "takes no kernel in OpenCL C, only ready-made programs";
  else if (version < "OpenCL 1.2")
    why = "has " + version + ", and the chapters need OpenCL 1.2";
  if (!why.empty())
    fprintf(stderr, "%s is passed over: it %s (OCL_DEVICE=%zu:%zu takes it all the same)\n",
            who.c_str(), why.c_str(), p, d);
  return why.empty();
}

inline cl_platform_id device_platform(cl_device_id device) {
  cl_platform_id platform;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr));
  return platform;
}

// The name of the platform that a device belongs to.
inline std::string platform_name(cl_device_id device) {
  cl_platform_id platform = device_platform(device);
  size_t size = 0;
  clerr_chk(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, &size));
  std::vector<char> text(size + 1, '\0');
  clerr_chk(clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, text.data(), nullptr));
  return text.data();
}

inline cl_device_type device_type(cl_device_id device) {
  cl_device_type type;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr));
  return type;
}

inline std::string lower(std::string text) {
  for (char &c : text)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

// Is `part` in `text`? Upper and lower case count as the same.
inline bool contains(const std::string &text, const std::string &part) {
  return lower(text).find(lower(part)) != std::string::npos;
}

// Does the device number `d` of platform number `p` answer to `wish`, the value of OCL_DEVICE?
inline bool device_matches(cl_device_id device, const size_t p, const size_t d,
                           const std::string &wish) {
  if (lower(wish) == "gpu")
    return (device_type(device) & CL_DEVICE_TYPE_GPU) != 0;
  if (lower(wish) == "cpu")
    return (device_type(device) & CL_DEVICE_TYPE_CPU) != 0;
  if (wish == std::to_string(p) + ":" + std::to_string(d))
    return true;
  return contains(device_text(device, CL_DEVICE_NAME), wish) ||
         contains(platform_name(device), wish);
}

// Returns the device to use: a GPU, else a CPU, else an accelerator, else whatever there is, over
// all platforms; the first of several. The environment variable OCL_DEVICE narrows the choice: gpu,
// cpu, part of a device's or platform's name, or P:D, the numbers that chapter 02 prints. What does
// not answer is passed over, and so is, without OCL_DEVICE, what cannot be used.
// No match: the list of what there is; exit 1.
inline cl_device_id pick_device() {
  const char *env = getenv("OCL_DEVICE");
  const std::string wish = env == nullptr ? "" : env;
  cl_device_id best = nullptr;
  int best_rank = -1;
  std::string list;
  const std::vector<cl_platform_id> platforms = all_platforms();
  for (size_t p = 0; p < platforms.size(); p++) {
    const std::vector<cl_device_id> devices = all_devices(platforms[p]);
    for (size_t d = 0; d < devices.size(); d++) {
      if (!device_answers(devices[d], p, d))
        continue;
      list += "  " + std::to_string(p) + ":" + std::to_string(d) + "  " +
              device_text(devices[d], CL_DEVICE_NAME) + " (" + platform_name(devices[d]) + ")\n";
      if (wish.empty() ? !usable(devices[d], p, d) : !device_matches(devices[d], p, d, wish))
        continue;
      const cl_device_type type = device_type(devices[d]);
      const int rank = (type & CL_DEVICE_TYPE_GPU) != 0           ? 3
                       : (type & CL_DEVICE_TYPE_CPU) != 0         ? 2
                       : (type & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? 1
                                                                  : 0;
      if (rank > best_rank) {
        best = devices[d];
        best_rank = rank;
      }
    }
  }
  if (best != nullptr)
    return best;
  if (wish.empty() || list.empty())
    fprintf(stderr,
            "no OpenCL device found: %zu platform%s, none with a device that can be used. (A GPU's "
            "driver has none where your user may not open it; PoCL has none where it cannot write: "
            "set POCL_CACHE_DIR.) README.md, \"When no device is found\"\n",
            platforms.size(), platforms.size() == 1 ? "" : "s");
  else
    fprintf(stderr, "no OpenCL device matches OCL_DEVICE=%s; there %s:\n%s", wish.c_str(),
            list.find('\n') + 1 == list.size() ? "is" : "are", list.c_str());
  exit(EXIT_FAILURE);
}

// Every device, over all platforms, that fits one of the words in `list`, which has commas between
// them: "all" is every one that can be used, and any other word is as pick_device takes it. A word
// that fits none, or no word: exit 1.
inline std::vector<cl_device_id> devices_that_fit(const std::string &list) {
  std::set<std::string> words;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, ',');)
    words.insert(word);
  words.erase("");

  std::vector<cl_device_id> chosen;
  std::set<std::string> unknown = words;
  const std::vector<cl_platform_id> platforms = all_platforms();
  for (size_t p = 0; p < platforms.size(); p++) {
    const std::vector<cl_device_id> devices = all_devices(platforms[p]);
    for (size_t d = 0; d < devices.size(); d++) {
      if (!device_answers(devices[d], p, d))
        continue;
      bool fits = false;
      for (const std::string &word : words)
        if (lower(word) == "all" ? usable(devices[d], p, d)
                                 : device_matches(devices[d], p, d, word)) {
          fits = true;
          unknown.erase(word);
        }
      if (fits)
        chosen.push_back(devices[d]);
    }
  }
  if (!chosen.empty() && unknown.empty())
    return chosen;
  fprintf(stderr, "no OpenCL device matches \"%s\" of OCL_DEVICE=%s; chapter 02 lists them all\n",
          unknown.empty() ? "" : unknown.begin()->c_str(), list.c_str());
  exit(EXIT_FAILURE);
}

// Prints the line "device    NAME (PLATFORM)".
inline void print_device(cl_device_id device) {
  printf("device    %s (%s)\n", device_text(device, CL_DEVICE_NAME).c_str(),
         platform_name(device).c_str());
}

// The function of OpenCL C that multiplies and adds fast: fma, where the device has an instruction
// for it, else mad. fma rounds once on every device, and without the instruction that takes dozens
// of others. How mad rounds, OpenCL 1.2 leaves open.
inline std::string fma_or_mad(cl_device_id device) {
  cl_device_fp_config floats; // a set of bits: what the device can do with floats
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof floats, &floats, nullptr));
  return (floats & CL_FP_FMA) != 0 ? "fma" : "mad";
}

#ifndef CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV // of the extension cl_nv_device_attribute_query
#define CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#endif

// The first number of an NVIDIA GPU's compute capability, which stands for its generation: 9 is
// Hopper, say. Another vendor's device has none: 0.
inline cl_uint nvidia_capability(cl_device_id device) {
  const std::string extensions = " " + device_text(device, CL_DEVICE_EXTENSIONS) + " ";
  cl_uint major = 0;
  if (extensions.find(" cl_nv_device_attribute_query ") != std::string::npos)
    clerr_chk(clGetDeviceInfo(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof major, &major,
                              nullptr));
  return major;
}
