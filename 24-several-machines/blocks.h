// What each process has of the matrices, and how its block of the product is checked.
#pragma once

#include "../common/clerr.h"
#include "../common/compare.h"

#include <cstdio>
#include <vector>

#include <mpi.h>

constexpr size_t tile_side = 128;     // blocks are filled up to whole tiles, with zeros
constexpr size_t most_in_panel = 256; // of K: columns of A, rows of B
constexpr size_t slots = 3; // panels on their way at a time: the third while the first is computed

// C is m×n, A is m×k, B is k×n. A panel has `deep` of K; the last one is filled up, too.
struct shape {
  size_t m, n, k, deep;
};

// The elements of A and B, each made from its place: the same for any number of processes.
inline float a_at(const shape &s, const size_t row, const size_t i) {
  return row < s.m && i < s.k ? whole_number(row * s.k + i, 1) : 0.0f;
}

inline float b_at(const shape &s, const size_t i, const size_t col) {
  return i < s.k && col < s.n ? whole_number(i * s.n + col, 2) : 0.0f;
}

// A or B, as one process sees it: the rows of A, or the columns of B, that its block of C needs.
// All processes of a row of the grid need the same rows of A, and those of a column the same
// columns of B. They share the panels out: each owns those whose turn it is.
struct factor {
  size_t side;                   // how many rows or columns these are,
  size_t first;                  // and the first of them
  size_t sharers;                // how many processes need the same ones,
  size_t number;                 // and which of them this one is
  size_t panel;                  // floats in a panel
  MPI_Comm comm = MPI_COMM_NULL; // these processes
  bool one_machine = false;      // are all of them on this machine? Then nothing is sent
  MPI_Win window = MPI_WIN_NULL; // the host's memory: all panels, in common with these processes;
  float *host = nullptr;         // or slots for panels that come, then those it owns
  cl_mem pinned = nullptr;       // the same, pinned
  cl_mem on_device[slots] = {};
  std::vector<cl_event> copied = {}; // of each panel, to the device
};

// How many panels fit into the host's memory.
inline size_t places(const factor &x, const size_t panels) {
  return x.one_machine ? panels : slots + (panels - 1) / x.sharers + 1;
}

// The place of panel `p` in the host's memory.
inline float *panel_at(const factor &x, const size_t p) {
  if (x.one_machine)
    return x.host + p * x.panel;
  const bool own = p % x.sharers == x.number;
  const size_t place = own ? slots + p / x.sharers : p % slots;
  return x.host + place * x.panel;
}

// Makes the numbers of the panels that this process owns.
inline void fill(const shape &s, const factor &a, const factor &b) {
  for (size_t p = a.number; p * s.deep < s.k; p += a.sharers)
    for (size_t at = 0; at < a.panel; at++)
      panel_at(a, p)[at] = a_at(s, a.first + at / s.deep, p * s.deep + at % s.deep);
  for (size_t p = b.number; p * s.deep < s.k; p += b.sharers)
    for (size_t at = 0; at < b.panel; at++)
      panel_at(b, p)[at] = b_at(s, p * s.deep + at / b.side, b.first + at % b.side);
}

// What C's block must be, by chapter 09's method. The rows of A and columns of B are made once
// more, so nothing that others wrote or sent has a part in it.
inline product_check expect_block(const shape &s, const factor &a, const factor &b) {
  std::vector<float> rows(a.side * s.k);
  std::vector<float> cols(s.k * b.side);
  for (size_t i = 0; i < s.k; i++) {
    for (size_t row = 0; row < a.side; row++)
      rows[row * s.k + i] = a_at(s, a.first + row, i);
    for (size_t col = 0; col < b.side; col++)
      cols[i * b.side + col] = b_at(s, i, b.first + col);
  }
  return expect_product(rows, cols, a.side, b.side, s.k);
}

// Prints C's first element, which process 0 has, and in how many runs some element was wrong.
inline void print_check(const shape &s, const float value, const int wrong_runs) {
  double expected = 0;
  for (size_t i = 0; i < s.k; i++)
    expected += static_cast<double>(a_at(s, 0, i)) * static_cast<double>(b_at(s, i, 0));
  printf("result    C[0][0] = %.9g\n", static_cast<double>(value));
  printf("expected  C[0][0] = %.9g (C is wrong in %d runs)\n", expected, wrong_runs);
}
