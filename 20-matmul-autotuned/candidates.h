// Chapter 20's candidates: two kernels, each with many choices of its parameters, and what each of
// them launches.
#pragma once

#include "../common/clerr.h"
#include "../common/device.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// The sizes of a product: C is m×n, A is m×k, B is k×n.
struct product {
  size_t m, n, k;
};

// A kernel and its parameters, named as in tiles.cl and panels.cl.
struct candidate {
  bool panels;                  // panels.cl, else tiles.cl
  size_t bm, bn, bk;            // a work-group's tile of C, and its steps through K
  size_t tm, tn;                // the part of it that is in registers at a time
  size_t width = 4;             // of panels: floats in a vector
  size_t groups = 0;            // of tiles: work-groups among which the last ones are cut; 0: none
  bool packed = true;           // of panels: false leaves A and B as they lie
  double fastest_ms = INFINITY; // of its runs in the search; INFINITY before the first one
};

inline std::string candidate_text(const candidate &c) {
  std::string text = c.panels ? "panels " : "tiles ";
  text += std::to_string(c.bm) + "x" + std::to_string(c.bn) + "x" + std::to_string(c.bk);
  text += ", registers " + std::to_string(c.tm) + "x" + std::to_string(c.tn);
  if (c.groups > 0)
    text += ", " + std::to_string(c.groups) + " groups";
  if (!c.packed)
    text += ", not packed";
  return text;
}

// The work-items of a group that computes a tile.
inline size_t items_of(const candidate &c) {
  return (c.bm / c.tm) * (c.bn / c.tn);
}

// Tiles worth a try. What stands here won somewhere on one model of GPU, NVIDIA's H100 and H200, or
// lies beside what won; on another one, other shapes may be missing.
const candidate tile_shapes[] = {
    {false, 256, 128, 8, 16, 8}, // large C: the most multiply-adds for a float of local memory
    {false, 128, 128, 8, 16, 8}, // the same for a tile half as large
    {false, 128, 128, 16, 8, 8}, // C of middle size: half as many sums, so more warps run at once
    {false, 128, 64, 16, 8, 8},  // about 1000 each way: a group for each compute unit
    {false, 64, 128, 16, 8, 8},  // the same, with rows for columns
    {false, 64, 64, 16, 8, 8},   // smaller C
    {false, 64, 32, 16, 8, 8},   // the fewest work-items: devices that allow no more; CPUs
    {false, 64, 64, 16, 4, 4},   // small C: four times as many work-items for as many sums
    {false, 64, 32, 32, 4, 4},   // 512 each way: half as many barriers
    {false, 64, 32, 16, 4, 4},   // the same where local memory is small
    {false, 32, 32, 16, 4, 4},   // C of less than that
    {false, 128, 16, 16, 8, 8},  // C of few columns
    {false, 16, 128, 16, 8, 8},  // C of few rows
};

// What a CPU's registers hold: rows of A, and vectors of B across. The sums, the vectors of B and
// one value of A should nearly fill them. Chapter 19's 14×2 are too many once the loop is unrolled.
struct register_sums {
  size_t rows, vectors;
};
const std::vector<register_sums> sums_in_16 = {{6, 2}, {4, 3}};          // SSE and AVX2
const std::vector<register_sums> sums_in_32 = {{12, 2}, {8, 3}, {6, 4}}; // AVX-512

// A CPU's tile of C for a group, and its steps through K. BK floats of TN columns of B should stay
// in the L1 cache, or at least in the L2 cache, beside BK of the tile's rows of A.
struct panel_shape {
  size_t bm, bn, bk;
  bool packed;
};
const panel_shape panel_shapes[] = {
    {64, 128, 256, true},  // small enough for many groups
    {64, 128, 1024, true}, // C is written and read again a fourth as often
    {24, 64, 1024, true},  // what a group needs of A and C stays close to it
    {64, 128, 256, false}, // small C, or one of few rows: packing would cost more than it saves
};

// All of the tables, as a text.
inline std::string all_shapes() {
  std::string text;
  for (const candidate &c : tile_shapes)
    text += candidate_text(c) + "\n";
  for (const panel_shape &shape : panel_shapes)
    for (const auto *all : {&sums_in_16, &sums_in_32})
      for (const register_sums &sums : *all)
        text += candidate_text({true, shape.bm, shape.bn, shape.bk, sums.rows, sums.vectors, 1, 0,
                                shape.packed}) +
                "\n";
  return text;
}

template <typename T> T info_of(cl_device_id device, const cl_device_info what) {
  T value;
  clerr_chk(clGetDeviceInfo(device, what, sizeof value, &value, nullptr));
  return value;
}

inline bool is_cpu(cl_device_id device) {
  return (device_type(device) & CL_DEVICE_TYPE_CPU) != 0;
}

inline size_t parts_of(const size_t size, const size_t part) {
  return (size + part - 1) / part;
}

// Are the rows of A or B no multiple of 16 bytes? Then no four floats can be loaded at a time.
inline bool has_odd_rows(const product &p) {
  return p.k % 4 != 0 || p.n % 4 != 0;
}

// What the search measures with: half of a product, again and again, until it has no more work than
// 4096 each way on a GPU, 2048 on a CPU, whose candidates step through K in any case. Odd rows stay
// odd.
inline product reduced(product p, const bool cpu) {
  const size_t side = cpu ? 2048 : 4096;
  const size_t most_k = cpu ? side : 1048576;
  if (p.k > most_k)
    p.k = p.k % 4 == 0 ? most_k : most_k - 4 + p.k % 4;
  while (p.m * p.n > side * side * side / p.k) {
    size_t &longer = p.m > p.n ? p.m : p.n;
    longer = longer / 8 * 4 + longer % 4;
  }
  return p;
}

// Is C larger than that of what it is measured with?
inline bool is_cut(const product &whole, const product &part) {
  return part.m < whole.m || part.n < whole.n;
}

// The smallest power of two that is at least `size`, from 16 on.
inline size_t size_class(const size_t size) {
  size_t power = 16;
  while (power < size)
    power *= 2;
  return power;
}

// A product of the same class that no candidate's tiles divide: what is remembered for the class
// must be right there as well. Not larger than it takes; its rows are odd where those of `p` are.
inline product odd_one(const product &p) {
  const size_t off = has_odd_rows(p) ? 1 : 4;
  const auto below = [](const size_t size) { return std::min<size_t>(size_class(size), 1024); };
  return {below(p.m) - 1, below(p.n) - off, below(p.k) - off};
}

// The candidates with panels, for a CPU: a GPU would run a group of one work-item on one lane.
// `cut`: the product is cut out of a larger one, whose rows are further apart than those that are
// measured; then all is packed.
inline void add_panels(std::vector<candidate> &list, cl_device_id device, const product &p,
                       const bool cut) {
  const cl_uint native = info_of<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
  const size_t width = std::clamp<size_t>(native, 4, 16);
  const size_t enough_groups = 2 * info_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  for (const register_sums &sums : width == 16 ? sums_in_32 : sums_in_16)
    for (const panel_shape &shape : panel_shapes) {
      if (cut && !shape.packed)
        continue;
      const size_t tm = sums.rows;
      const size_t tn = sums.vectors * width;
      size_t bm = shape.bm / tm * tm;
      size_t bn = shape.bn / tn * tn;
      const auto groups = [&] { return parts_of(p.m, bm) * parts_of(p.n, bn); };
      while (groups() < enough_groups && (bm > tm || bn > tn)) { // of a small C smaller tiles
        if (bn > tn && (bn > bm || bm == tm))
          bn = std::max(bn / 2 / tn, size_t{1}) * tn;
        else
          bm = std::max(bm / 2 / tm, size_t{1}) * tm;
      }
      const candidate one = {true, bm, bn, shape.bk, tm, tn, width, 0, shape.packed};
      const std::string text = candidate_text(one); // two shapes may shrink to the same one
      if (std::none_of(list.begin(), list.end(),
                       [&](const candidate &other) { return candidate_text(other) == text; }))
        list.push_back(one);
    }
}

// Can the device run tiles of this shape, and would enough of them lie inside of C?
inline bool is_worth_a_try(const candidate &c, cl_device_id device, const product &p) {
  const bool is_smallest = c.bm == 64 && c.bn == 32 && c.bk == 16 && c.tm == 8;
  if (is_cpu(device) && !is_smallest) // one of them, for comparison: it steps through the items
    return false;
  const size_t items = items_of(c);
  if (items > info_of<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE))
    return false;
  if (has_odd_rows(p) && c.bn > items) // loaded float by float, a row of B takes an item for each
    return false;
  const size_t local_bytes = 2 * c.bk * (c.bm + 4 + c.bn) * sizeof(float);
  if (local_bytes > info_of<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE))
    return false;
  if ((c.bm == 16 && p.m > 16) || (c.bn == 16 && p.n > 16)) // for C of few rows or columns only
    return false;
  if (is_smallest && !is_cpu(device)) // a GPU may give a kernel no more work-items than this takes
    return true;
  const bool is_half_empty = (c.bm > 32 && c.bm / 2 >= p.m) || (c.bn > 32 && c.bn / 2 >= p.n);
  return !is_half_empty;
}

// The candidates with tiles: each shape whole, and with its last tiles cut along K. Cut among one
// to eight groups for each unit, as long as it holds them at a time and each has eight steps; not
// where there are so many tiles that the last ones do not count.
inline void add_tiles(std::vector<candidate> &list, cl_device_id device, const product &p) {
  const size_t units = info_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  for (candidate c : tile_shapes) {
    if (!is_worth_a_try(c, device, p))
      continue;
    list.push_back(c);
    const size_t tiles = parts_of(p.m, c.bm) * parts_of(p.n, c.bn);
    const size_t steps = parts_of(p.k, c.bk);
    if (is_cpu(device)) { // among three, so that this kernel can be tried there as well
      c.groups = 3;
      if (tiles % c.groups * steps >= c.groups)
        list.push_back(c);
      continue;
    }
    const size_t items = items_of(c);
    for (const size_t times : {1u, 2u, 3u, 4u, 8u}) {
      c.groups = times * units;
      if (times * items <= 512 && tiles < 8 * c.groups && tiles % c.groups * steps >= 8 * c.groups)
        list.push_back(c);
    }
  }
}

// The candidates for a product on this device, pruned by its limits.
inline std::vector<candidate> candidates(cl_device_id device, const product &p, const bool cut) {
  std::vector<candidate> list;
  if (is_cpu(device))
    add_panels(list, device, p, cut);
  add_tiles(list, device, p);
  return list;
}
