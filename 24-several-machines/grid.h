// The processes of an MPI job as a grid.
#pragma once

#include <chrono>
#include <cstddef>

#include <mpi.h>

struct grid {
  int rank, processes; // this process, and how many there are
  int local_rank;      // this one among those on the same machine
  size_t row, col;     // its place in the grid,
  size_t rows, cols;   // of so many rows and columns
  MPI_Comm in_row;     // all of its row, ranked by column
  MPI_Comm in_col;     // all of its column, ranked by row
};

// Arranges all processes in a grid that is as square as their number allows: 4 as 2 × 2, but 7
// as 7 × 1.
inline grid make_grid() {
  grid g = {};
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g.processes);
  int sides[2] = {0, 0}; // 0: MPI chooses
  MPI_Dims_create(g.processes, 2, sides);
  const int row = g.rank / sides[1];
  const int col = g.rank % sides[1];
  MPI_Comm_split(MPI_COMM_WORLD, row, col, &g.in_row);
  MPI_Comm_split(MPI_COMM_WORLD, col, row, &g.in_col);
  MPI_Comm machine; // those that share memory with this one
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, g.rank, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &g.local_rank);
  MPI_Comm_free(&machine);
  g.row = static_cast<size_t>(row);
  g.col = static_cast<size_t>(col);
  g.rows = static_cast<size_t>(sides[0]);
  g.cols = static_cast<size_t>(sides[1]);
  return g;
}

inline void leave_grid(grid &g) {
  MPI_Comm_free(&g.in_col);
  MPI_Comm_free(&g.in_row);
  MPI_Finalize();
}

inline double now_ms() {
  static const auto t0 = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0).count();
}

// MPI counts elements in an int; main has seen to it that they are few enough.
inline int mpi_count(const size_t elements) {
  return static_cast<int>(elements);
}
