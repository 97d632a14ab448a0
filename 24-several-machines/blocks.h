// What each process has of the matrices, and how its block of the product is checked.
#pragma once

#include "../common/clerr.h"
#include "../common/compare.h"

#include <cstdio>
#include <vector>

#include <mpi.h>

constexpr size_t tile_side = 128;   // blocks are filled up to whole tiles, with zeros
constexpr size_t panel_width = 256; // of K: columns of A, rows of B; the last is filled up, too
constexpr size_t slots = 3; // panels on their way at a time: the third while the first is computed

// The matrices as they were asked for: C is m×n, A is m×k, B is k×n.
struct shape {
  size_t m, n, k;
};

// The elements of A and B, each made from its place: the same for any number of processes.
inline float a_at(const shape &s, const size_t row, const size_t i) {
  return row < s.m && i < s.k ? whole_number(row * s.k + i, 1) : 0.0f;
}

inline float b_at(const shape &s, const size_t i, const size_t col) {
  return i < s.k && col < s.n ? whole_number(i * s.n + col, 2) : 0.0f;
}

// How many of n rows or columns each of `parts` processes has.
inline size_t equal_part(const size_t n, const size_t parts) {
  return ((n - 1) / (parts * tile_side) + 1) * tile_side;
}

// A or B, as one process sees it: the rows of A, or the columns of B, that its block of C needs.
// All processes of a row of the grid need the same rows of A, and those of a column the same
// columns of B. They share the panels out: each owns those whose turn it is.
struct factor {
  size_t lines;                  // how many rows or columns these are,
  size_t first;                  // and the first of them
  size_t sharers;                // how many processes need the same ones,
  size_t number;                 // and which of them this one is
  MPI_Comm comm = MPI_COMM_NULL; // these processes
  cl_mem pinned = nullptr; // the host's memory: slots for panels that come, then those it owns
  float *host = nullptr;   // the same, mapped
  cl_mem on_device[slots] = {};
};

// How many panels fit into the host's memory.
inline size_t places(const factor &x, const size_t panels) {
  return slots + (panels - 1) / x.sharers + 1;
}

// The place of panel `p` in the host's memory.
inline float *panel_at(const factor &x, const size_t p) {
  const bool own = p % x.sharers == x.number;
  const size_t place = own ? slots + p / x.sharers : p % slots;
  return x.host + place * x.lines * panel_width;
}

// Makes the numbers of the panels that this process owns.
inline void fill(const shape &s, const factor &a, const factor &b) {
  for (size_t p = a.number; p * panel_width < s.k; p += a.sharers) {
    float *to = panel_at(a, p);
    for (size_t row = 0; row < a.lines; row++)
      for (size_t i = 0; i < panel_width; i++)
        *to++ = a_at(s, a.first + row, p * panel_width + i);
  }
  for (size_t p = b.number; p * panel_width < s.k; p += b.sharers) {
    float *to = panel_at(b, p);
    for (size_t i = 0; i < panel_width; i++)
      for (size_t col = 0; col < b.lines; col++)
        *to++ = b_at(s, p * panel_width + i, b.first + col);
  }
}

// Checks C, of which each process has a block, as chapter 09 does. The rows of A and columns of B
// are made once more, so nothing that was sent has a part in it. Prints C's first element, which
// process 0 has, and how many rows of blocks are wrong; true if none is.
inline bool check_blocks(const shape &s, const factor &a, const factor &b,
                         const std::vector<float> &c) {
  std::vector<float> rows(a.lines * s.k);
  for (size_t row = 0; row < a.lines; row++)
    for (size_t i = 0; i < s.k; i++)
      rows[row * s.k + i] = a_at(s, a.first + row, i);
  std::vector<float> cols(s.k * b.lines);
  for (size_t i = 0; i < s.k; i++)
    for (size_t col = 0; col < b.lines; col++)
      cols[i * b.lines + col] = b_at(s, i, b.first + col);

  const product_check check = expect_product(rows, cols, a.lines, b.lines, s.k);
  int wrong = 0;
  for (size_t row = 0; row < a.lines; row++)
    wrong += row_is_right(check, c, row) ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

  double expected = 0;
  for (size_t i = 0; i < s.k; i++)
    expected += static_cast<double>(rows[i]) * static_cast<double>(cols[i * b.lines]);
  printf("result    C[0][0] = %.9g\n", static_cast<double>(c[0]));
  printf("expected  C[0][0] = %.9g (%d rows of blocks differ)\n", expected, wrong);
  return wrong == 0;
}
