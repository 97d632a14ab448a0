// The shapes of the kernel that chapter 20's search goes through.
#pragma once

#include "../common/clerr.h"
#include "../common/device.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

// A variant of the kernel and its parameters, named as in kernel.cl.
struct shape {
  bool panels;
  size_t bm, bn, bk; // a work-group's part of C, and its steps through K
  size_t tm, tn;     // the part of it that is in registers at a time
  size_t width;      // of a vector, in panels; 4 in tiles
};

constexpr size_t panel_step = 16; // KS in kernel.cl

inline std::string shape_text(const shape &s) {
  return std::string(s.panels ? "panels" : "tiles") + " " + std::to_string(s.bm) + "x" +
         std::to_string(s.bn) + "x" + std::to_string(s.bk) + ", registers " + std::to_string(s.tm) +
         "x" + std::to_string(s.tn);
}

// Returns the candidates for an m×n×k product on this device, pruned by its limits:
// - tiles, for every device: a work-group not larger than CL_DEVICE_MAX_WORK_GROUP_SIZE, local
//   memory within CL_DEVICE_LOCAL_MEM_SIZE, an estimate of the registers within 255 (what current
//   GPUs give a work-item), no loads left over, and no part of C that is mostly outside of it. On a
//   CPU one of them, for comparison: a CPU steps through each work-item of a group in turn.
// - panels, for CPUs only, since a GPU would run a group of one work-item on one of its lanes:
//   as many sums as the vector registers hold.
inline std::vector<shape> candidates(cl_device_id device, const size_t m, const size_t n) {
  size_t max_items;
  cl_ulong local_memory;
  cl_uint native_width;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items,
                            nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_memory, &local_memory,
                            nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof native_width,
                            &native_width, nullptr));
  const bool cpu = (device_type(device) & CL_DEVICE_TYPE_CPU) != 0;
  std::vector<shape> list;

  if (cpu) {
    const size_t width = native_width >= 16 ? 16 : native_width >= 8 ? 8 : 4;
    // Rows, and vectors across. AVX-512 has 32 vector registers, AVX2 and SSE have 16: the sums,
    // the vectors of B and one value of A should just fill them.
    std::vector<std::pair<size_t, size_t>> sums = {{6, 2}, {4, 3}};
    if (width == 16)
      sums = {{14, 2}, {8, 3}, {6, 4}};
    for (const auto &[tm, vectors] : sums) {
      const size_t tn = vectors * width;
      for (const size_t bk : {256u, 512u, 1024u})
        list.push_back({true, 64 / tm * tm, 128 / tn * tn, bk, tm, tn, width});
    }
  }

  for (const size_t tm : {4u, 8u, 16u})
    for (const size_t bm : {32u, 64u, 128u, 256u})
      for (const size_t bn : {32u, 64u, 128u, 256u})
        for (const size_t bk : {8u, 16u}) {
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
          if (cpu && (tm != 8 || !list.back().panels)) // the first one with 8×8 sums
            continue;
          list.push_back({false, bm, bn, bk, tm, tn, 4});
        }
  return list;
}
