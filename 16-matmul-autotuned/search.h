// What the search of chapter 16 goes through, and where it remembers the winner.
#pragma once

#include "../common/clerr.h"
#include "../common/device.h"

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

// A variant of the kernel and its parameters, named as in kernel.cl.
struct shape {
  bool panels;
  size_t bm, bn, bk; // a work-group's part of C, and its steps through K
  size_t tm, tn;     // the part of it that is in registers at a time
  size_t width;      // of a vector, in panels; 4 in tiles
};

inline std::string shape_text(const shape &s) {
  return std::string(s.panels ? "panels" : "tiles") + " " + std::to_string(s.bm) + "x" +
         std::to_string(s.bn) + "x" + std::to_string(s.bk) + ", registers " + std::to_string(s.tm) +
         "x" + std::to_string(s.tn);
}

inline bool same_registers(const shape &s, const shape &t) {
  return s.panels == t.panels && s.tm == t.tm && s.tn == t.tn;
}

// Returns the candidates for an m×n×k product on this device, pruned by its limits:
// - tiles, for every device: a work-group not larger than CL_DEVICE_MAX_WORK_GROUP_SIZE, local
//   memory within CL_DEVICE_LOCAL_MEM_SIZE, an estimate of the registers within 255 (what current
//   GPUs give a work-item), and no loads left over. On a CPU one of them, for comparison: a CPU
//   steps through each work-item of a group in turn.
// - panels, for CPUs only, since a GPU would run a group of one work-item on one of its lanes:
//   as many sums as the vector registers hold, and at least as many groups as cores.
// - of both, only groups whose part of C is not mostly outside of it.
// Those with the same shape in the registers stand side by side.
inline std::vector<shape> candidates(cl_device_id device, const size_t m, const size_t n) {
  size_t max_items;
  cl_ulong local_memory;
  cl_uint compute_units, native_width;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items,
                            nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_memory, &local_memory,
                            nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof native_width,
                            &native_width, nullptr));
  const bool cpu = (device_type(device) & CL_DEVICE_TYPE_CPU) != 0;
  std::vector<shape> list;

  if (cpu) {
    const size_t width = native_width >= 16 ? 16 : native_width >= 8 ? 8 : 4;
    const size_t registers = width == 16 ? 32 : 16; // AVX-512 has 32, AVX2 and SSE have 16
    const size_t tiles[4][2] = {{14, 2}, {8, 3}, {6, 2}, {4, 3}}; // rows, vectors across
    for (const auto &[tm, vectors] : tiles) {
      // The sums, the vectors of B, and one value of A; but not less than 2/3 of what there is.
      const size_t needed = tm * vectors + vectors + 1;
      if (needed > registers || 3 * needed < 2 * registers)
        continue;
      const size_t tn = vectors * width;
      const size_t bn = std::max<size_t>(1, 128 / tn) * tn;
      for (const size_t rows : {64, 256})
        for (const size_t bk : {192, 384}) {
          const size_t bm = std::max<size_t>(1, rows / tm) * tm;
          const size_t groups = (m + bm - 1) / bm * ((n + bn - 1) / bn);
          const bool local_fits = bn * bk * sizeof(float) <= local_memory;
          if (local_fits && (rows == 64 || (bm / 2 < m && groups >= compute_units)))
            list.push_back({true, bm, bn, bk, tm, tn, width});
        }
    }
  }

  for (const size_t tm : {4, 8, 16})
    for (const size_t bm : {32, 64, 128, 256})
      for (const size_t bn : {32, 64, 128, 256})
        for (const size_t bk : {8, 16}) {
          const size_t tn = std::min<size_t>(tm, 8);
          const size_t items = (bm / tm) * (bn / tn);
          if (items < 32 || items > std::min<size_t>(max_items, 256))
            continue;
          if (2 * bk * (bm + 4 + bn) * sizeof(float) > local_memory)
            continue;
          if (bm * bk / 4 % items != 0 || bk * bn / 4 % items != 0 || items % (bn / 4) != 0)
            continue;
          const size_t registers = tm * tn + 2 * (tm + tn) + bk * (bm + bn) / items + 24;
          if (registers > 255)
            continue;
          if ((bm > 32 && bm / 2 >= m) || (bn > 32 && bn / 2 >= n))
            continue;
          if (cpu &&
              std::any_of(list.begin(), list.end(), [](const shape &s) { return !s.panels; }))
            continue;
          list.push_back({false, bm, bn, bk, tm, tn, 4});
        }
  return list;
}

// The smallest power of two that is at least `size`, from 64 to `largest`: sizes of one class share
// a winner.
inline size_t size_class(const size_t size, const size_t largest) {
  size_t power = 64;
  while (power < size && power < largest)
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
  snprintf(name, sizeof name, "16-matmul-autotuned-%016" PRIx64 ".txt",
           text_hash(key.device + "\n" + key.size));
  return folder / "opencl-step-by-step" / name;
}

// The text of the file up to the winner.
inline std::string memory_header(const memory_key &key) {
  return "opencl-step-by-step: the winner of 16-matmul-autotuned; may be deleted at any time\n"
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
