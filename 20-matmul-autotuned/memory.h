// Where chapter 20 remembers the shape that won.
#pragma once

#include "shapes.h"

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

// The smallest power of two that is at least `size`, from 64 on: sizes of one class share a winner.
inline size_t size_class(const size_t size) {
  size_t power = 64;
  while (power < size)
    power *= 2;
  return power;
}

// FNV-1a, a hash of a text (Fowler, Noll and Vo).
inline uint64_t text_hash(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// What a remembered winner holds for: device, driver, kernel and size class; a line each.
struct memory_key {
  std::string device, driver, kernel, size;
};

// Returns the file for this key: one for each device and size class, under XDG_CACHE_HOME or else
// HOME/.cache. Empty if neither is set (to an absolute path, as the XDG rules ask for).
inline std::filesystem::path memory_file(const memory_key &key) {
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
           text_hash(key.device + "\n" + key.size));
  return folder / "opencl-step-by-step" / name;
}

// The text of the file up to the winner.
inline std::string memory_header(const memory_key &key) {
  return "opencl-step-by-step: the winner of 20-matmul-autotuned; may be deleted at any time\n"
         "device " +
         key.device + "\nsize " + key.size + "\nkernel " + key.kernel + "\ndriver " + key.driver +
         "\nwinner ";
}

// Returns the number of the remembered winner in `list`, or list.size() if none is remembered. A
// file that cannot be used is ignored, with a word on standard error.
inline size_t recall(const memory_key &key, const std::vector<shape> &list) {
  const std::filesystem::path path = memory_file(key);
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error))
    return list.size();
  if (!std::filesystem::is_regular_file(path, error)) { // a folder, for instance
    fprintf(stderr, "search    ignored, no file: %s\n", path.string().c_str());
    return list.size();
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::string header = memory_header(key);
  for (size_t i = 0; i < list.size(); i++)
    if (text == header + shape_text(list[i]) + "\n") {
      fprintf(stderr, "search    remembered: %s (%s)\n", shape_text(list[i]).c_str(),
              path.string().c_str());
      return i;
    }
  // Up to the kernel's line it is ours: then the kernel or the driver has changed since.
  const size_t ours = header.find("\nkernel ");
  const bool stale = text.compare(0, ours, header, 0, ours) == 0 && !text.empty() &&
                     text.back() == '\n' && text.compare(0, header.size(), header) != 0;
  fprintf(stderr, "search    ignored, %s: %s\n",
          stale ? "made with another driver or kernel" : "damaged", path.string().c_str());
  return list.size();
}

// Remembers the winner. Written beside and then renamed, so that nobody reads half a file.
inline void remember(const memory_key &key, const shape &winner) {
  const std::filesystem::path path = memory_file(key);
  if (path.empty()) {
    fprintf(stderr, "search    not remembered: neither XDG_CACHE_HOME nor HOME is set\n");
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::filesystem::path temporary = path;
  temporary +=
      "." + std::to_string(text_hash(std::to_string(reinterpret_cast<uintptr_t>(&error)))) + ".tmp";
  std::ofstream file(temporary, std::ios::binary);
  file << memory_header(key) << shape_text(winner) << "\n";
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
