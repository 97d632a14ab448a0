// What each process has of the matrices, and how all of them together check the product.
#pragma once

#include "../common/args.h"
#include "../common/compare.h"
#include "grid.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr size_t panel_width = 256; // of K: columns of A, rows of B

// From `first` up to, and without, `end`.
struct part {
  size_t first, end;
  size_t size() const {
    return end - first;
  }
};

// Part number `i` of `parts` of n rows or columns. The first n % parts of them have one more than
// the others; of few rows, the last parts are empty.
inline part part_of(const size_t n, const size_t parts, const size_t i) {
  return {n / parts * i + std::min(i, n % parts), n / parts * (i + 1) + std::min(i + 1, n % parts)};
}

// Panel `p` of K; the last one may be narrower.
inline part panel_of(const size_t k, const size_t p) {
  return {p * panel_width, std::min(k, (p + 1) * panel_width)};
}

// Panels are dealt out in turn: process number `i` of `of` has the panels i, i + of, i + 2·of, ...
// Returns how much of K these are.
inline size_t own_part_of(const size_t k, const size_t of, const size_t i) {
  size_t sum = 0;
  for (size_t p = i; p * panel_width < k; p += of)
    sum += panel_of(k, p).size();
  return sum;
}

// The whole number from -4 to 4, never 0, that fill_whole puts at place `i`.
inline float whole_number(const size_t i, const uint64_t seed) {
  const int k = static_cast<int>(scrambled(i, seed) % 8) - 4; // -4 .. 3
  return static_cast<float>(k < 0 ? k : k + 1);
}

// A block of C with the numbers that it comes from: this process's panels of A, with its rows of
// them, and its panels of B, with its columns of them; one panel after the other.
struct block {
  part rows, cols;
  size_t n, k; // of the whole matrices
  float *a, *b;
};

// Makes A's and B's numbers, each of its place: the same matrices for any number of processes.
inline void fill(const block &x, const grid &g) {
  float *to = x.a;
  for (size_t p = g.col; p * panel_width < x.k; p += g.cols)
    for (size_t row = x.rows.first; row < x.rows.end; row++)
      for (size_t i = panel_of(x.k, p).first; i < panel_of(x.k, p).end; i++)
        *to++ = whole_number(row * x.k + i, 1);
  to = x.b;
  for (size_t p = g.row; p * panel_width < x.k; p += g.rows)
    for (size_t i = panel_of(x.k, p).first; i < panel_of(x.k, p).end; i++)
      for (size_t col = x.cols.first; col < x.cols.end; col++)
        *to++ = whole_number(i * x.n + col, 2);
}

// Freivalds' check (common/compare.h) by all processes together: each multiplies its own panels of
// B, and then of A, with vectors, and the products are added. That takes n²/p steps and a few
// vectors, and nothing that was sent for the product.
inline product_check expect_product(const block &x, const grid &g) {
  constexpr size_t X = product_check::X;
  const size_t height = x.rows.size();
  const size_t width = x.cols.size();
  product_check check = expect_product({}, {}, 0, x.cols.end, 0); // for its xs: one for a column
  check.xs.erase(check.xs.begin(), check.xs.begin() + static_cast<long>(x.cols.first * X));

  std::vector<double> bx(x.k * X, 0.0);
  const float *b = x.b;
  for (size_t p = g.row; p * panel_width < x.k; p += g.rows)
    for (size_t i = panel_of(x.k, p).first; i < panel_of(x.k, p).end; i++, b += width)
      row_times(b, width, check.xs.data(), &bx[i * X]);
  MPI_Allreduce(MPI_IN_PLACE, bx.data(), mpi_count(bx.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  check.abx.assign(height * X, 0.0);
  const float *a = x.a;
  for (size_t p = g.col; p * panel_width < x.k; p += g.cols)
    for (size_t row = 0; row < height; row++, a += panel_of(x.k, p).size())
      row_times(a, panel_of(x.k, p).size(), &bx[p * panel_width * X], &check.abx[row * X]);
  MPI_Allreduce(MPI_IN_PLACE, check.abx.data(), mpi_count(check.abx.size()), MPI_DOUBLE, MPI_SUM,
                g.in_row);
  return check;
}

// The rows of C, of those that this row of the grid has, that are not the product's.
inline std::vector<size_t> wrong_rows(const product_check &check, const block &x, const grid &g,
                                      const std::vector<float> &c) {
  constexpr size_t X = product_check::X;
  const size_t width = x.cols.size();
  std::vector<double> cx(x.rows.size() * X, 0.0);
  for (size_t row = 0; row < x.rows.size(); row++) {
    row_times(c.data() + row * width, width, check.xs.data(), &cx[row * X]);
    for (size_t col = 0; col < width; col++)
      if (c[row * width + col] != std::floor(c[row * width + col])) // so small that no sum shows it
        cx[row * X] = NAN;
  }
  MPI_Allreduce(MPI_IN_PLACE, cx.data(), mpi_count(cx.size()), MPI_DOUBLE, MPI_SUM, g.in_row);

  std::vector<size_t> wrong;
  for (size_t row = 0; row < x.rows.size(); row++)
    for (size_t i = 0; i < X; i++)
      if (!(cx[row * X + i] == check.abx[row * X + i])) { // NaN is wrong, too
        wrong.push_back(row);
        break;
      }
  return wrong;
}

// What an element of C must be, from nothing but the places of A's and B's.
inline double expected_at(const block &x, const size_t row, const size_t col) {
  double sum = 0;
  for (size_t i = 0; i < x.k; i++)
    sum += static_cast<double>(whole_number(row * x.k + i, 1)) *
           static_cast<double>(whole_number(i * x.n + col, 2));
  return sum;
}

// Prints, for all processes together, what check_matmul prints: the first element that differs, or
// the last of all, from the process that has it, and how many differ in the wrong rows (at most 64
// of them in each process). True if none.
inline bool print_check(const block &x, const size_t m, const std::vector<float> &c,
                        const std::vector<size_t> &wrong) {
  const size_t width = x.cols.size();
  unsigned long long differ = 0;
  unsigned long long shown = m * x.n - 1;
  for (size_t i = 0; i < std::min<size_t>(64, wrong.size()); i++)
    for (size_t col = 0; col < width; col++) {
      const size_t row = wrong[i];
      const double value = static_cast<double>(c[row * width + col]);
      if (value == expected_at(x, x.rows.first + row, x.cols.first + col))
        continue;
      if (differ == 0)
        shown = (x.rows.first + row) * x.n + x.cols.first + col;
      differ++;
    }
  MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &shown, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);

  const size_t row = shown / x.n;
  const size_t col = shown % x.n;
  double value = 0; // 0 in all processes that do not have it
  if (row >= x.rows.first && row < x.rows.end && col >= x.cols.first && col < x.cols.end)
    value = static_cast<double>(c[(row - x.rows.first) * width + col - x.cols.first]);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  printf("result    C[%zu][%zu] = %.9g\n", row, col, value);
  printf("expected  C[%zu][%zu] = %.9g (%llu of %zu elements differ)\n", row, col,
         expected_at(x, row, col), differ, m * x.n);
  return differ == 0;
}
