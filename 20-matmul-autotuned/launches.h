// What chapter 20's candidates launch, and with which constants they are built.
#pragma once

#include "candidates.h"

#include <algorithm>
#include <string>
#include <vector>

// What the candidates run on. A and B are copied into panels, or into rows that are filled up.
// Tiles that are cut have parts.
struct setup {
  cl_context context;
  cl_device_id device;
  cl_command_queue queue;
  std::string tiles, panels; // the kernels' sources
  cl_mem a, b, c, a_copy, b_copy, parts;
};

constexpr size_t panel_step = 16; // KS in panels.cl
constexpr size_t most_adders = 4; // ADDERS in tiles.cl
constexpr size_t behind_b = 64;   // floats that are read, but not used: TN - 1 at most

// How many floats `parts` must hold for all candidates.
inline size_t floats_in_parts(const std::vector<candidate> &list) {
  size_t most = 1;
  for (const candidate &c : list)
    most = std::max(most, 2 * c.groups * c.bm * c.bn);
  return most;
}

// How many floats tiles.cl loads at a time. Of odd rows 1, if a row of a tile is no longer than the
// group (BN and BK are powers of two) and few of them make a work-item's share; else 4, from copies
// that are filled up.
inline size_t load_width(const candidate &c, const product &p) {
  const size_t items = (c.bm / c.tm) * (c.bn / c.tn);
  const bool one_by_one = c.tm * c.tn <= 64 && items % c.bn == 0 && items % c.bk == 0;
  return has_odd_rows(p) && one_by_one ? 1 : 4;
}

// The constants for the compiler.
inline std::string options_of(const candidate &c, const setup &s, const product &p) {
  std::string options = "-D BM=" + std::to_string(c.bm) + " -D BN=" + std::to_string(c.bn) +
                        " -D BK=" + std::to_string(c.bk) + " -D TM=" + std::to_string(c.tm) +
                        " -D TN=" + std::to_string(c.tn);
  if (!c.panels)
    return options + " -D WIDTH=" + std::to_string(load_width(c, p));
  options += " -D WIDTH=" + std::to_string(c.width);
  options += " -D PACKED=" + std::to_string(c.packed);
  return options + " -D FMA=" + fma_or_mad(s.device);
}

// A launch: a kernel's name, its arguments, which are buffers and then sizes, and its work-items.
struct launch {
  const char *kernel;
  std::vector<cl_mem> buffers;
  std::vector<size_t> sizes;
  size_t global_size[2], local_size[2];
};

// What a candidate with panels launches: chapter 19's three kernels, or the last one alone.
inline std::vector<launch> panel_launches(const candidate &c, const setup &s, const product &p) {
  const size_t across = parts_of(p.n, c.bn);
  const size_t down = parts_of(p.m, c.bm);
  if (!c.packed)
    return {{"matmul", {s.a, s.b, s.c}, {p.m, p.n, p.k}, {across, down}, {1, 1}}};
  const size_t steps = parts_of(p.k, panel_step);
  return {{"pack_a", {s.a, s.a_copy}, {p.m, p.k}, {steps, parts_of(p.m, c.tm)}, {1, 1}},
          {"pack_b", {s.b, s.b_copy}, {p.n, p.k}, {parts_of(p.n, c.tn), steps}, {1, 1}},
          {"matmul", {s.a_copy, s.b_copy, s.c}, {p.m, p.n, p.k}, {across, down}, {1, 1}}};
}

// What a candidate with tiles launches: two copies, if rows have to be filled up; then as many
// rounds of whole tiles as all groups take part in; then what is left of the tiles, cut, and the
// adding of their parts.
inline std::vector<launch> tile_launches(const candidate &c, const setup &s, const product &p) {
  std::vector<launch> list;
  const bool padded = has_odd_rows(p) && load_width(c, p) == 4;
  const cl_mem a = padded ? s.a_copy : s.a;
  const cl_mem b = padded ? s.b_copy : s.b;
  if (padded) {
    const size_t a_wide = parts_of(parts_of(p.k, 4), 32) * 32;
    const size_t b_wide = parts_of(parts_of(p.n, 4), 32) * 32;
    const size_t a_turns = std::min<size_t>(p.m, 1024);
    const size_t b_turns = std::min<size_t>(p.k, 1024);
    list.push_back({"pad", {s.a, a}, {p.m, p.k}, {a_wide, a_turns}, {32, 1}});
    list.push_back({"pad", {s.b, b}, {p.k, p.n}, {b_wide, b_turns}, {32, 1}});
  }

  const size_t items = (c.bm / c.tm) * (c.bn / c.tn);
  const size_t tiles = parts_of(p.m, c.bm) * parts_of(p.n, c.bn);
  const size_t cut = c.groups > 0 ? tiles % c.groups : 0;
  const size_t whole = tiles - cut;
  if (whole > 0)
    list.push_back({"matmul", {a, b, s.c}, {p.m, p.n, p.k}, {whole * items, 1}, {items, 1}});
  if (cut > 0) {
    const size_t steps = parts_of(p.k, c.bk);
    const size_t share = parts_of(cut * steps, c.groups);
    const std::vector<size_t> sizes = {p.m, p.n, p.k, whole, share};
    list.push_back({"matmul_cut", {a, b, s.parts}, sizes, {c.groups * items, 1}, {items, 1}});
    size_t adders = 1;
    while (adders < most_adders && 4 * adders <= steps / share)
      adders *= 2;
    const size_t quads = c.bm * c.bn / 4;
    list.push_back({"add_parts", {s.parts, s.c}, sizes, {quads, cut * adders}, {64, adders}});
  }
  return list;
}
