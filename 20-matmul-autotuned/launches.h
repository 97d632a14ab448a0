// What chapter 20's candidates launch, and with which constants they are built.
#pragma once

#include "candidates.h"

#include <algorithm>
#include <string>
#include <vector>

// What the candidates run on. panels.cl copies A and B into panels; tiles that are cut have parts.
struct setup {
  cl_context context;
  cl_device_id device;
  cl_command_queue queue;
  std::string tiles, panels; // the kernels' sources
  cl_mem a, b, c, a_panels, b_panels, parts;
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

// The constants for the compiler.
inline std::string options_of(const candidate &c, const setup &s, const product &p) {
  std::string options = "-D BM=" + std::to_string(c.bm) + " -D BN=" + std::to_string(c.bn) +
                        " -D BK=" + std::to_string(c.bk) + " -D TM=" + std::to_string(c.tm) +
                        " -D TN=" + std::to_string(c.tn);
  if (!c.panels)
    return options + (has_odd_rows(p) ? " -D WIDTH=1" : " -D WIDTH=4");
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
  return {{"pack_a", {s.a, s.a_panels}, {p.m, p.k}, {steps, parts_of(p.m, c.tm)}, {1, 1}},
          {"pack_b", {s.b, s.b_panels}, {p.n, p.k}, {parts_of(p.n, c.tn), steps}, {1, 1}},
          {"matmul", {s.a_panels, s.b_panels, s.c}, {p.m, p.n, p.k}, {across, down}, {1, 1}}};
}

// What a candidate with tiles launches: as many rounds of whole tiles as all groups take part in;
// then what is left of the tiles, cut, and the adding of their parts.
inline std::vector<launch> tile_launches(const candidate &c, const setup &s, const product &p) {
  std::vector<launch> list;
  const size_t items = items_of(c);
  const size_t tiles = parts_of(p.m, c.bm) * parts_of(p.n, c.bn);
  const size_t cut = c.groups > 0 ? tiles % c.groups : 0;
  const size_t whole = tiles - cut;
  if (whole > 0)
    list.push_back({"matmul", {s.a, s.b, s.c}, {p.m, p.n, p.k}, {whole * items, 1}, {items, 1}});
  if (cut > 0) {
    const size_t steps = parts_of(p.k, c.bk);
    const size_t share = parts_of(cut * steps, c.groups);
    const std::vector<size_t> sizes = {p.m, p.n, p.k, whole, share};
    list.push_back({"matmul_cut", {s.a, s.b, s.parts}, sizes, {c.groups * items, 1}, {items, 1}});
    const size_t most_items = info_of<size_t>(s.device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    size_t adders = 1;
    while (adders < most_adders && 4 * adders <= steps / share && 2 * 64 * adders <= most_items)
      adders *= 2;
    const size_t quads = c.bm * c.bn / 4;
    list.push_back({"add_parts", {s.parts, s.c}, sizes, {quads, cut * adders}, {64, adders}});
  }
  return list;
}
