// The file in which chapter 20 remembers the candidate that won.
#pragma once

#include "candidates.h"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

// The smallest power of two that is at least `size`, from 16 on.
inline size_t size_class(const size_t size) {
  size_t power = 16;
  while (power < size)
    power *= 2;
  return power;
}

// Half of it, again and again, until a product has no more work than side × side × side: what the
// search measures with.
inline product reduced(product p, const size_t side) {
  p.k = std::min(p.k, side);
  while (p.m * p.n > side * side * side / p.k) {
    size_t &longer = p.m > p.n ? p.m : p.n;
    longer = (longer + 1) / 2;
  }
  return p;
}

// A product of the same class that no candidate's parts divide: what is remembered for the class
// must be right there as well. Not larger than it takes.
inline product odd_one(const product &p) {
  const size_t most = 1024;
  return {std::min(size_class(p.m), most) - 1, std::min(size_class(p.n), most) - 1,
          std::min(size_class(p.k), most) - 1};
}

// FNV-1a, a hash of a string (Fowler, Noll and Vo).
inline uint64_t hash_of(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// What a winner holds for, a line each: the device with the number of its compute units, its
// driver, a hash of the kernels, and the kind of product.
struct winner_key {
  std::string device, driver, kernels, size;
};

inline winner_key key_for(const setup &s, const product &p) {
  cl_uint units;
  clerr_chk(clGetDeviceInfo(s.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr));
  const bool edges = p.m % 64 != 0 || p.n % 64 != 0 || p.k % 64 != 0; // for most of the candidates
  return {device_text(s.device, CL_DEVICE_NAME) + " (" + platform_name(s.device) + "), " +
              std::to_string(units) + " compute units",
          device_text(s.device, CL_DRIVER_VERSION), std::to_string(hash_of(s.tiles + s.panels)),
          std::to_string(size_class(p.m)) + "x" + std::to_string(size_class(p.n)) + "x" +
              std::to_string(size_class(p.k)) + (edges ? " with edges" : "")};
}

// Returns the file for this key: one for each device and size class, under XDG_CACHE_HOME or else
// HOME/.cache. Empty if neither is set (to an absolute path, as the XDG rules ask for).
inline std::filesystem::path winner_file(const winner_key &key) {
  std::filesystem::path folder;
  const char *xdg = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  if (xdg != nullptr && std::filesystem::path(xdg).is_absolute())
    folder = xdg;
  else if (home != nullptr && std::filesystem::path(home).is_absolute())
    folder = std::filesystem::path(home) / ".cache";
  else
    return {};
  char name[64];
  snprintf(name, sizeof name, "20-matmul-autotuned-%016" PRIx64 ".txt",
           hash_of(key.device + "\n" + key.size));
  return folder / "opencl-step-by-step" / name;
}

// What the file says before the winner.
inline std::string file_header(const winner_key &key) {
  return "opencl-step-by-step: the winner of 20-matmul-autotuned; may be deleted at any time\n"
         "device " +
         key.device + "\nsize " + key.size + "\nkernels " + key.kernels + "\ndriver " + key.driver +
         "\nwinner ";
}

// Is a winner remembered? Then nothing but it stays in `list`. A file that cannot be used is
// ignored, with a word on standard error.
inline bool recall(const winner_key &key, std::vector<candidate> &list) {
  const std::filesystem::path path = winner_file(key);
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error))
    return false;
  if (!std::filesystem::is_regular_file(path, error)) { // a folder, for instance
    fprintf(stderr, "search    ignored, no file: %s\n", path.string().c_str());
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::string header = file_header(key);
  for (const candidate &one : list)
    if (text == header + candidate_text(one) + "\n") {
      fprintf(stderr, "search    remembered: %s (%s)\n", candidate_text(one).c_str(),
              path.string().c_str());
      list = {candidate(one)};
      return true;
    }
  // Up to the kernels' line it is ours: then the kernels or the driver have changed since.
  const size_t ours = header.find("\nkernels ");
  const bool stale = text.compare(0, ours, header, 0, ours) == 0 && !text.empty() &&
                     text.back() == '\n' && text.compare(0, header.size(), header) != 0;
  fprintf(stderr, "search    ignored, %s: %s\n",
          stale ? "made with another driver or kernel" : "damaged", path.string().c_str());
  return false;
}

// Remembers the winner. Written beside and then renamed, so that nobody reads half a file.
inline void remember(const winner_key &key, const candidate &winner) {
  const std::filesystem::path path = winner_file(key);
  if (path.empty()) {
    fprintf(stderr, "search    not remembered: neither XDG_CACHE_HOME nor HOME is set\n");
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::filesystem::path temporary = path;
  temporary +=
      "." + std::to_string(hash_of(std::to_string(reinterpret_cast<uintptr_t>(&error)))) + ".tmp";
  std::ofstream file(temporary, std::ios::binary);
  file << file_header(key) << candidate_text(winner) << "\n";
  file.close();
  if (file)
    std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    fprintf(stderr, "search    not remembered: cannot write %s\n", path.string().c_str());
  } else
    fprintf(stderr, "search    remembered in %s\n", path.string().c_str());
}
