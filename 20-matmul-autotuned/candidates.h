// Chapter 20's candidates: two kernels, each with many choices of its parameters, and what each of
// them launches.
#pragma once

#include "../common/clerr.h"
#include "../common/device.h"
#include "../common/timing.h"

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
  size_t groups = 0;            // of tiles: work-groups among which the last tiles are cut; 0: none
  bool packed = true;           // of panels: false leaves A and B as they lie
  double fastest_ms = INFINITY; // of its runs in the search; INFINITY before the first one
};

constexpr size_t panel_step = 16;        // KS in panels.cl
constexpr size_t behind_b = 64;          // floats that are read, but not used: TN - 1 at most
constexpr size_t sums_of_unit = 32768;   // in the registers of a GPU's compute unit, at most
constexpr size_t enough_adders = 131072; // work-items: to start more takes longer than they save

inline std::string candidate_text(const candidate &c) {
  return std::string(c.panels ? "panels" : "tiles") + " " + std::to_string(c.bm) + "x" +
         std::to_string(c.bn) + "x" + std::to_string(c.bk) + ", registers " + std::to_string(c.tm) +
         "x" + std::to_string(c.tn) +
         (c.groups > 0 ? ", " + std::to_string(c.groups) + " groups" : "") +
         (c.packed ? "" : ", not packed");
}

inline bool is_faster(const candidate &x, const candidate &y) {
  return x.fastest_ms < y.fastest_ms;
}

// What the candidates run on. A and B are copied into panels, or into rows that are filled up; of
// tiles that are cut there are parts. One float where there is nothing of the kind.
struct setup {
  cl_context context;
  cl_device_id device;
  cl_command_queue queue;
  std::string tiles, panels; // the kernels' sources
  cl_mem a, b, c, a_copy, b_copy, parts;
};

// Are the rows of A or B no multiple of 16 bytes? Then no four floats can be loaded at a time.
inline bool has_odd_rows(const product &p) {
  return p.k % 4 != 0 || p.n % 4 != 0;
}

// How many floats tiles.cl loads at a time. Of odd rows 1, if a row of a tile is no longer than the
// group (BN and BK are powers of two) and few of them make a work-item's share; else 4, from copies
// that are filled up.
inline size_t load_width(const candidate &c, const product &p) {
  const size_t items = (c.bm / c.tm) * (c.bn / c.tn);
  return has_odd_rows(p) && c.tm * c.tn <= 64 && items % c.bn == 0 ? 1 : 4;
}

// The constants for the compiler.
inline std::string options_of(const candidate &c, const setup &s, const product &p) {
  const size_t width = c.panels ? c.width : load_width(c, p);
  return "-D BM=" + std::to_string(c.bm) + " -D BN=" + std::to_string(c.bn) +
         " -D BK=" + std::to_string(c.bk) + " -D TM=" + std::to_string(c.tm) +
         " -D TN=" + std::to_string(c.tn) + " -D WIDTH=" + std::to_string(width) +
         (c.panels ? " -D PACKED=" + std::to_string(c.packed) + " -D FMA=" + fma_or_mad(s.device)
                   : " -D CUT=" + std::to_string(c.groups > 0));
}

// A launch: a kernel's name, its arguments, which are buffers and then sizes, and its work-items.
struct launch {
  const char *kernel;
  std::vector<cl_mem> buffers;
  std::vector<cl_uint> sizes;
  size_t global_size[2], local_size[2];
};

// Returns what a candidate launches: chapter 19's three kernels, the last one alone, or those of
// tiles.cl.
inline std::vector<launch> launches(const candidate &c, const setup &s, const product &p) {
  const cl_uint m = static_cast<cl_uint>(p.m);
  const cl_uint n = static_cast<cl_uint>(p.n);
  const cl_uint k = static_cast<cl_uint>(p.k);
  const size_t across = (p.n + c.bn - 1) / c.bn, down = (p.m + c.bm - 1) / c.bm;
  if (!c.packed)
    return {{"matmul", {s.a, s.b, s.c}, {m, n, k}, {across, down}, {1, 1}}};
  if (c.panels) {
    const size_t steps = (p.k + panel_step - 1) / panel_step;
    return {{"pack_a", {s.a, s.a_copy}, {m, k}, {steps, (p.m + c.tm - 1) / c.tm}, {1, 1}},
            {"pack_b", {s.b, s.b_copy}, {n, k}, {(p.n + c.tn - 1) / c.tn, steps}, {1, 1}},
            {"matmul", {s.a_copy, s.b_copy, s.c}, {m, n, k}, {across, down}, {1, 1}}};
  }
  std::vector<launch> list;
  const bool padded = has_odd_rows(p) && load_width(c, p) == 4;
  if (padded) {
    const size_t quads = (std::max(p.k, p.n) + 3) / 4; // of the longer rows
    const size_t turns = std::min<size_t>(std::max(p.m, p.k), 1024);
    list.push_back({"pad",
                    {s.a, s.a_copy, s.b, s.b_copy},
                    {m, n, k},
                    {(quads + 31) / 32 * 32, 2 * turns},
                    {32, 1}});
  }
  // As many rounds of whole tiles as all groups take part in; of the rest each has a share.
  const size_t tiles = across * down, steps = (p.k + c.bk - 1) / c.bk;
  const size_t items = (c.bm / c.tm) * (c.bn / c.tn), groups = c.groups > 0 ? c.groups : tiles;
  const size_t cut = tiles % groups, share = (cut * steps + groups - 1) / groups;
  const cl_uint whole_arg = static_cast<cl_uint>(tiles - cut);
  const cl_uint share_arg = static_cast<cl_uint>(share);
  list.push_back({"matmul",
                  {padded ? s.a_copy : s.a, padded ? s.b_copy : s.b, s.c, s.parts},
                  {m, n, k, whole_arg, share_arg},
                  {groups * items, 1},
                  {items, 1}});
  if (cut > 0) {
    const size_t quads = cut * (c.bm * c.bn / 4);
    size_t adders = 1; // work-items that add the parts of a quad, each a share of them
    while (adders < 16 && adders * cut < groups && 2 * adders * quads <= enough_adders)
      adders *= 2;
    list.push_back({"add_parts",
                    {s.parts, s.c},
                    {m, n, k, whole_arg, share_arg},
                    {quads, adders},
                    {64 / adders, adders}});
  }
  return list;
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

// Prints what the winner took, by the device's clock and by the host's.
inline void print_times(const candidate &winner, const product &p, const run_times &times) {
  print_time((candidate_text(winner) + ":").c_str(), median_ms(times.device), gflop(p), "GFLOP/s");
  if (winner.panels && winner.packed && !std::isnan(median_ms(times.device)))
    printf("time      of which packing %.3f ms\n", median_ms(times.packing));
  print_time("as the host waits:", median_ms(times.host), gflop(p), "GFLOP/s");
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

// Returns the compute units of a device.
inline cl_uint compute_units(cl_device_id device) {
  cl_uint units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr));
  return units;
}

// The smallest power of two that is at least `size`, from 16 on.
inline size_t size_class(const size_t size) {
  size_t power = 16;
  while (power < size)
    power *= 2;
  return power;
}

// Returns the floats that the parts of cut tiles take: two tiles for each group.
inline size_t most_parts(cl_device_id device) {
  const bool cpu = (device_type(device) & CL_DEVICE_TYPE_CPU) != 0;
  return 2 * (cpu ? 3 * 32 * 64 : compute_units(device) * sums_of_unit);
}

// Returns the candidates for a product on this device, pruned by its limits:
// - tiles, for every device: a work-group not larger than CL_DEVICE_MAX_WORK_GROUP_SIZE, local
//   memory within CL_DEVICE_LOCAL_MEM_SIZE, an estimate of the registers within 255 (what an NVIDIA
//   GPU gives a work-item), no loads left over, and no part of C that is mostly outside of it. On a
//   CPU one of them, for comparison: a CPU steps through each work-item of a group in turn. Steps
//   of 16 along K for 8×8 sums and less, of 8 for 16×8: what else there was has not won yet.
// - panels, for CPUs only, since a GPU would run a group of one work-item on one of its lanes:
//   as many sums as the vector registers hold. Packed, steps of 256 along K, whose part of a panel
//   of B stays in the nearest cache, or of 1024; and once not packed, unless C is `cut` out of a
//   larger one, whose rows are further apart than those that are measured.
inline std::vector<candidate> candidates(cl_device_id device, const product &p, const bool cut) {
  size_t max_items;
  cl_ulong local_memory;
  cl_uint native_width;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items,
                            nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_memory, &local_memory,
                            nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof native_width,
                            &native_width, nullptr));
  const size_t units = compute_units(device);
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
      // Of a small C smaller parts, down to one tile of registers, so that each core has two.
      size_t bm = 64 / tm * tm, bn = 128 / tn * tn;
      const auto groups = [&] {
        return (size_class(p.m) + bm - 1) / bm * ((size_class(p.n) + bn - 1) / bn);
      };
      while (groups() < 2 * units && bm > tm) { // bn comes down to tn first
        if (bn > tn && bn > bm)
          bn = std::max(bn / 2 / tn, size_t{1}) * tn;
        else
          bm = std::max(bm / 2 / tm, size_t{1}) * tm;
      }
      for (const size_t bk : {256u, 1024u})
        list.push_back({true, bm, bn, bk, tm, tn, width});
      if (!cut)
        list.push_back({true, bm, bn, 256, tm, tn, width, 0, false});
    }
  }

  for (const size_t tm : {4u, 8u, 16u})
    for (const size_t bm : {16u, 32u, 64u, 128u, 256u})
      for (const size_t bn : {16u, 32u, 64u, 128u, 256u}) {
        const size_t tn = std::min<size_t>(tm, 8), bk = tm == 16 ? 8 : 16;
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
        // As few work-items as there are: not left out on a GPU, which may give a kernel no more.
        const bool fewest = tm == 8 && bm == 32 && bn == 64;
        if ((cpu || !fewest) && ((bm > 32 && bm / 2 >= p.m) || (bn > 32 && bn / 2 >= p.n)))
          continue;
        if ((bm == 16 && p.m > 16) || (bn == 16 && p.n > 16))
          continue;
        if (tm == 16 && bm * bn < 8192)
          continue;
        if (cpu && !fewest)
          continue;
        list.push_back({false, bm, bn, bk, tm, tn});
        // The same, cut. More tiles than groups: as many as the units hold at a time, so that none
        // is idle at the end. Fewer tiles than units: as many as pay, by a few steps for each.
        const size_t tiles = (p.m + bm - 1) / bm * ((p.n + bn - 1) / bn);
        const size_t steps = (p.k + bk - 1) / bk, most = sums_of_unit / (tm * tn) / items * units;
        const auto cut_among = [&](const size_t groups) {
          if (tiles % groups * steps >= (cpu ? 1 : 8) * groups)
            list.push_back({false, bm, bn, bk, tm, tn, 4, groups});
        };
        if (cpu)
          cut_among(3);
        else if (tm == 16 && tiles > most && tiles < 8 * most)
          cut_among(most);
        else if (tm > 4 && tiles < units) {
          cut_among(most / 2);
          cut_among(most / 4);
        }
      }
  return list;
}
