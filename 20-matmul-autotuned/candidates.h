// Chapter 20's candidates: two kernels, each with many choices of its parameters, and what each of
// them launches.
#pragma once

#include "../common/clerr.h"
#include "../common/device.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

// The sizes of a product: C is m×n, A is m×k, B is k×n.
struct product {
  size_t m, n, k;
};

// Its operations, in 10^9: a multiplication and an addition for each m, n and k.
inline double gflop(const product &p) {
  return 2e-9 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

// A kernel and its parameters, named as in tiles.cl and panels.cl.
struct candidate {
  bool panels;                  // panels.cl, else tiles.cl
  size_t bm, bn, bk;            // a work-group's part of C, and its steps through K
  size_t tm, tn;                // the part of it that is in registers at a time
  size_t width = 4;             // floats in a vector
  double fastest_ms = INFINITY; // of its runs in the search; INFINITY before the first one
};

constexpr size_t panel_step = 16; // KS in panels.cl

inline std::string candidate_text(const candidate &c) {
  return std::string(c.panels ? "panels" : "tiles") + " " + std::to_string(c.bm) + "x" +
         std::to_string(c.bn) + "x" + std::to_string(c.bk) + ", registers " + std::to_string(c.tm) +
         "x" + std::to_string(c.tn);
}

inline bool is_faster(const candidate &x, const candidate &y) {
  return x.fastest_ms < y.fastest_ms;
}

// What the candidates run on. The panels hold one float where no candidate has any.
struct setup {
  cl_context context;
  cl_device_id device;
  cl_command_queue queue;
  std::string tiles, panels; // the kernels' sources
  cl_mem a, b, c, a_panels, b_panels;
};

// The constants for the compiler.
inline std::string options_of(const candidate &c, const setup &s, const product &p) {
  const bool edges = p.m % c.bm != 0 || p.n % c.bn != 0 || p.k % c.bk != 0;
  return "-D BM=" + std::to_string(c.bm) + " -D BN=" + std::to_string(c.bn) +
         " -D BK=" + std::to_string(c.bk) + " -D TM=" + std::to_string(c.tm) +
         " -D TN=" + std::to_string(c.tn) +
         (c.panels ? " -D WIDTH=" + std::to_string(c.width) + " -D FMA=" + fma_or_mad(s.device)
                   : std::string(" -D EDGES=") + (edges ? "1" : "0"));
}

// A launch: a kernel's name, its arguments, which are buffers and then sizes, and its work-items.
struct launch {
  const char *kernel;
  std::vector<cl_mem> buffers;
  std::vector<cl_uint> sizes;
  size_t global_size[2], local_size[2];
};

// Returns what a candidate launches: chapter 19's three kernels, or chapter 18's one.
inline std::vector<launch> launches(const candidate &c, const setup &s, const product &p) {
  const cl_uint m = static_cast<cl_uint>(p.m);
  const cl_uint n = static_cast<cl_uint>(p.n);
  const cl_uint k = static_cast<cl_uint>(p.k);
  const size_t across = (p.n + c.bn - 1) / c.bn, down = (p.m + c.bm - 1) / c.bm;
  const size_t items = (c.bm / c.tm) * (c.bn / c.tn), steps = (p.k + panel_step - 1) / panel_step;
  if (!c.panels)
    return {{"matmul", {s.a, s.b, s.c}, {m, n, k}, {across * down * items, 1}, {items, 1}}};
  return {{"pack_a", {s.a, s.a_panels}, {m, k}, {steps, (p.m + c.tm - 1) / c.tm}, {1, 1}},
          {"pack_b", {s.b, s.b_panels}, {n, k}, {(p.n + c.tn - 1) / c.tn, steps}, {1, 1}},
          {"matmul", {s.a_panels, s.b_panels, s.c}, {m, n, k}, {across, down}, {1, 1}}};
}

// What a candidate's runs took, in ms; the first one is the warm-up.
struct run_times {
  std::vector<double> host;    // on the host's clock, which every device has
  std::vector<double> device;  // from the first launch's start to the last one's end
  std::vector<double> packing; // of this, until the last launch starts
};

// Returns the shortest of a candidate's runs, the warm-up left out.
inline double fastest(const std::vector<double> &times) {
  return *std::min_element(times.begin() + 1, times.end());
}

// Says on standard error why a candidate is left out: the status with which its build or launch
// failed, or else, with CL_SUCCESS, what it computed for the product p.
inline void show_left_out(const candidate &c, const product &p, const cl_int status) {
  fprintf(stderr, "search    %s: ", candidate_text(c).c_str());
  if (status != CL_SUCCESS)
    fprintf(stderr, "%s (%d), left out\n", clerr_find(status).name, status);
  else
    fprintf(stderr, "WRONG at %zu %zu %zu, left out\n", p.m, p.n, p.k);
}

// Shows on standard error the best rate of candidate number `i`, if it has one, in a round that
// tries so many with the product p.
inline void show(const int round, const std::vector<candidate> &list, const size_t i,
                 const size_t tried, const product &p) {
  const double ms = list[i].fastest_ms;
  if (std::isfinite(ms))
    fprintf(stderr, "search    round %d, %zu of %zu: %s: %.1f GFLOP/s%s\n", round, i + 1, tried,
            candidate_text(list[i]).c_str(), gflop(p) / (ms * 1e-3),
            ms <= std::min_element(list.begin(), list.end(), is_faster)->fastest_ms
                ? ", the best so far"
                : "");
}

// Returns the candidates for a product on this device, pruned by its limits:
// - tiles, for every device: a work-group not larger than CL_DEVICE_MAX_WORK_GROUP_SIZE, local
//   memory within CL_DEVICE_LOCAL_MEM_SIZE, an estimate of the registers within 255 (what an NVIDIA
//   GPU gives a work-item), no loads left over, and no part of C that is mostly outside of it. On a
//   CPU one of them, for comparison: a CPU steps through each work-item of a group in turn.
// - panels, for CPUs only, since a GPU would run a group of one work-item on one of its lanes:
//   as many sums as the vector registers hold.
inline std::vector<candidate> candidates(cl_device_id device, const product &p) {
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
  std::vector<candidate> list;

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
          if ((bm > 32 && bm / 2 >= p.m) || (bn > 32 && bn / 2 >= p.n))
            continue;
          if (cpu && (tm != 8 || !list.back().panels)) // the first one with 8×8 sums
            continue;
          list.push_back({false, bm, bn, bk, tm, tn});
        }
  return list;
}
