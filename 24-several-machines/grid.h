// The processes of an MPI job as a grid, and what each of them has of a matrix.
#pragma once

#include "../common/args.h"
#include "../common/compare.h"
#include "../common/device.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <mpi.h>

constexpr size_t panel_width = 256; // of K: columns of A and rows of B that are sent at a time

struct grid {
  int rank, processes;     // this process, and how many there are
  int local_rank;          // this one among those on the same machine
  int row, col;            // its place in the grid,
  int rows, cols;          // of so many rows and columns
  MPI_Comm in_row, in_col; // all of its row, ranked by column; all of its column, by row
};

// Arranges all processes in a grid that is as square as their number allows: 4 as 2 × 2, but 7
// as 7 × 1.
inline grid make_grid() {
  grid g = {};
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g.processes);
  int sides[2] = {0, 0}; // 0: MPI chooses
  MPI_Dims_create(g.processes, 2, sides);
  g.rows = sides[0];
  g.cols = sides[1];
  g.row = g.rank / g.cols;
  g.col = g.rank % g.cols;
  MPI_Comm_split(MPI_COMM_WORLD, g.row, g.col, &g.in_row);
  MPI_Comm_split(MPI_COMM_WORLD, g.col, g.row, &g.in_col);
  MPI_Comm machine; // those that share memory with this one
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, g.rank, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &g.local_rank);
  MPI_Comm_free(&machine);
  return g;
}

// Process 0 speaks for all: of the others, nothing that they print to standard output is seen.
inline void silence_others(const grid &g) {
  if (g.rank > 0 && freopen("/dev/null", "w", stdout) == nullptr) {
    perror("/dev/null");
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
}

inline void leave_grid(grid &g) {
  MPI_Comm_free(&g.in_col);
  MPI_Comm_free(&g.in_row);
  MPI_Finalize();
}

// For clerr_end: an OpenCL call that fails in one process ends all of them, on all machines.
inline void end_all(const int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

// As print_device, for the devices of all processes, in their order; only process 0 prints.
inline void print_devices(cl_device_id device, const grid &g) {
  char line[256];
  snprintf(line, sizeof line, "%s (%s)", device_text(device, CL_DEVICE_NAME).c_str(),
           platform_name(device).c_str());
  std::vector<char> lines(g.rank == 0 ? sizeof line * static_cast<size_t>(g.processes) : 0);
  MPI_Gather(line, sizeof line, MPI_CHAR, lines.data(), sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (size_t at = 0; at < lines.size(); at += sizeof line)
    printf("device    %s\n", &lines[at]);
}

// This machine's clock, in milliseconds since the first call: a small number keeps its digits.
inline double now_ms() {
  static const auto t0 = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0).count();
}

// From `first` up to, and without, `end`.
struct part {
  size_t first, end;
  size_t size() const {
    return end - first;
  }
};

// Part number `i` of `parts` of n rows or columns. The first n % parts of them have one more than
// the others; of few rows, the last parts are empty.
inline part part_of(const size_t n, const int parts, const int i) {
  const size_t p = static_cast<size_t>(parts), at = static_cast<size_t>(i);
  return {n / p * at + std::min(at, n % p), n / p * (at + 1) + std::min(at + 1, n % p)};
}

// A piece of K whose columns of A are all in one column of the grid, and whose rows of B in one
// row.
struct panel {
  part k;
  int a_owner, b_owner; // that column, and that row
};

// All panels, in order. The columns of A are divided among the columns of the grid, the rows of B
// among its rows; a panel ends where either part does.
inline std::vector<panel> all_panels(const size_t k, const grid &g) {
  std::vector<panel> panels;
  panel next = {};
  for (size_t first = 0; first < k; first = next.k.end) {
    while (part_of(k, g.cols, next.a_owner).end <= first)
      next.a_owner++;
    while (part_of(k, g.rows, next.b_owner).end <= first)
      next.b_owner++;
    next.k = {first, std::min({first + panel_width, part_of(k, g.cols, next.a_owner).end,
                               part_of(k, g.rows, next.b_owner).end})};
    panels.push_back(next);
  }
  return panels;
}

// The whole number from -4 to 4, never 0, that fill_whole puts at place `i`.
inline float whole_number(const size_t i, const uint64_t seed) {
  const int k = static_cast<int>(scrambled(i, seed) % 8) - 4; // -4 .. 3
  return static_cast<float>(k < 0 ? k : k + 1);
}

// The rows and columns of a matrix with `columns` columns in all, each element made of its place:
// the same matrix for any number of processes.
inline std::vector<float> make_block(const part rows, const part cols, const size_t columns,
                                     const uint64_t seed) {
  std::vector<float> block;
  block.reserve(rows.size() * cols.size());
  for (size_t row = rows.first; row < rows.end; row++)
    for (size_t col = cols.first; col < cols.end; col++)
      block.push_back(whole_number(row * columns + col, seed));
  return block;
}

// Columns `cols` of a block that has columns `has` of a matrix, side by side in `to`.
inline void copy_columns(const std::vector<float> &block, const part has, const part cols,
                         std::vector<float> &to) {
  const size_t height = block.size() / has.size();
  for (size_t row = 0; row < height; row++)
    std::copy_n(&block[row * has.size() + cols.first - has.first], cols.size(),
                &to[row * cols.size()]);
}

// Rows `rows` of a block that has rows `has` of a matrix, one below the other in `to`.
inline void copy_rows(const std::vector<float> &block, const part has, const part rows,
                      std::vector<float> &to) {
  const size_t width = block.size() / has.size();
  std::copy_n(block.begin() + static_cast<std::ptrdiff_t>((rows.first - has.first) * width),
              rows.size() * width, to.begin());
}

// The sum of the squares of all elements of a matrix of `rows` × `columns`, from their places.
inline double sum_of_squares(const size_t rows, const size_t columns, const uint64_t seed) {
  double sum = 0;
  for (size_t i = 0; i < rows * columns; i++)
    sum += static_cast<double>(whole_number(i, seed)) * static_cast<double>(whole_number(i, seed));
  return sum;
}

// MPI counts elements in an int, so that is the most that a panel may have: what check_counts has
// seen to. More: exit 2.
inline int mpi_count(const size_t elements) {
  return static_cast<int>(elements);
}

inline void check_counts(const size_t rows, const size_t cols, const size_t width,
                         const char *usage) {
  if (std::max(rows, cols) > INT_MAX / width)
    usage_error(usage, "too large a panel for MPI, which counts in int", "");
}

// What a process's block of C must be: the rows of A and the columns of B that it comes from, which
// are made once more for this, so that what was sent counts for nothing; and the expectation of
// compare.h.
struct block_check {
  part rows, cols;
  size_t n, k;
  std::vector<float> a, b;
  product_check product;
};

inline block_check expect_block(const part rows, const part cols, const size_t n, const size_t k) {
  block_check check = {
      rows, cols, n, k, make_block(rows, {0, k}, k, 1), make_block({0, k}, cols, n, 2), {}};
  if (!check.a.empty() && !check.b.empty())
    check.product = expect_product(check.a, check.b, rows.size(), cols.size(), k);
  return check;
}

inline bool block_is_right(const block_check &check, const std::vector<float> &c) {
  return c.empty() || product_is_right(check.product, c);
}

// Prints, for all processes together, what check_matmul prints of the product: the first element
// that differs, or the last of all, from the process that has it, and how many differ. True if
// none.
inline bool check_blocks(const block_check &check, const std::vector<float> &c, const size_t m) {
  const size_t width = check.cols.size(), n = check.n;
  const auto expected = [&](const size_t row, const size_t col) {
    double sum = 0;
    for (size_t i = 0; i < check.k; i++)
      sum += static_cast<double>(check.a[row * check.k + i]) *
             static_cast<double>(check.b[i * width + col]);
    return sum;
  };
  unsigned long long differ = 0, shown = m * n - 1;
  for (size_t row = 0; row < check.rows.size() && !c.empty(); row++)
    for (size_t col = row_is_right(check.product, c, row) ? width : 0; col < width; col++)
      if (!(static_cast<double>(c[row * width + col]) == expected(row, col)) && differ++ == 0)
        shown = (check.rows.first + row) * n + check.cols.first + col;
  MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &shown, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
  const size_t row = shown / n, col = shown % n;
  double pair[2] = {0, 0}; // its value and the right one; 0 in all processes that do not have it
  if (row >= check.rows.first && row < check.rows.end && col >= check.cols.first &&
      col < check.cols.end) {
    pair[0] = static_cast<double>(c[(row - check.rows.first) * width + col - check.cols.first]);
    pair[1] = expected(row - check.rows.first, col - check.cols.first);
  }
  MPI_Allreduce(MPI_IN_PLACE, pair, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  printf("result    C[%zu][%zu] = %.9g\n", row, col, pair[0]);
  printf("expected  C[%zu][%zu] = %.9g (%llu of %zu elements differ)\n", row, col, pair[1], differ,
         m * n);
  return differ == 0;
}
