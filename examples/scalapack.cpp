// A matrix product over any number of processes by ScaLAPACK: chapter 24's, with the data laid out
// as a library wants it.
#include "../common/compare.h"

#include <mpi.h>

// ScaLAPACK and its BLACS have no header: Fortran and C functions, declared by whoever calls them.
extern "C" {
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *place, const int *first, const int *places);
void descinit_(int *description, const int *m, const int *n, const int *row_block,
               const int *col_block, const int *first_row, const int *first_col, const int *context,
               const int *leading, int *info);
void pdgemm_(const char *transpose_a, const char *transpose_b, const int *m, const int *n,
             const int *k, const double *alpha, const double *a, const int *row_a, const int *col_a,
             const int *description_a, const double *b, const int *row_b, const int *col_b,
             const int *description_b, const double *beta, double *c, const int *row_c,
             const int *col_c, const int *description_c);
}

constexpr int block = 32; // rows and columns that stay together
constexpr int zero = 0, one = 1;

// A process's part of a matrix: of its blocks of 32 x 32, dealt out like cards, along the rows and
// along the columns of the grid. Column after column, as Fortran has it.
struct part {
  int row, col, grid_rows, grid_cols; // of the process, and of the grid
  int rows, cols;                     // that this process has
  int description[9];
  std::vector<double> values;
  // The row (column) of the whole matrix that stands in row (column) i here.
  int whole_row(const int i) const {
    return (i / block * grid_rows + row) * block + i % block;
  }
  int whole_col(const int j) const {
    return (j / block * grid_cols + col) * block + j % block;
  }
};

// The element of the whole matrix: small whole numbers.
static double element(const int row, const int col, const int seed) {
  return static_cast<double>(
             scrambled(static_cast<uint64_t>(row) * 100003 + static_cast<uint64_t>(col),
                       static_cast<uint64_t>(seed)) %
             9) -
         4;
}

static part part_of(const int context, const int m, const int n, const int seed) {
  part p = {};
  Cblacs_gridinfo(context, &p.grid_rows, &p.grid_cols, &p.row, &p.col);
  p.rows = numroc_(&m, &block, &p.row, &zero, &p.grid_rows);
  p.cols = numroc_(&n, &block, &p.col, &zero, &p.grid_cols);
  const int leading = p.rows > 0 ? p.rows : 1;
  int info;
  descinit_(p.description, &m, &n, &block, &block, &zero, &zero, &context, &leading, &info);
  if (info != 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int j = 0; j < p.cols; j++)
    for (int i = 0; i < p.rows; i++)
      p.values.push_back(seed == 0 ? NAN : element(p.whole_row(i), p.whole_col(j), seed));
  p.values.resize(p.values.size() + 1); // never empty
  return p;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, dims[2] = {0, 0}, context;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "Row", dims[0], dims[1]);

  const int m = 300, n = 200, k = 100;
  const part a = part_of(context, m, k, 1), b = part_of(context, k, n, 2);
  part c = part_of(context, m, n, 0);
  const double alpha = 1, beta = 0;
  pdgemm_("N", "N", &m, &n, &k, &alpha, a.values.data(), &one, &one, a.description, b.values.data(),
          &one, &one, b.description, &beta, c.values.data(), &one, &one, c.description);

  long long wrong = 0;
  for (int j = 0; j < c.cols; j++)
    for (int i = 0; i < c.rows; i++) {
      double expected = 0;
      for (int l = 0; l < k; l++)
        expected += element(c.whole_row(i), l, 1) * element(l, c.whole_col(j), 2);
      wrong += !(
          c.values[static_cast<size_t>(j) * static_cast<size_t>(c.rows) + static_cast<size_t>(i)] ==
          expected);
    }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("grid      %d x %d processes, %lld of %d elements differ\n", dims[0], dims[1], wrong,
           m * n);
  Cblacs_gridexit(context);
  MPI_Finalize();
  return rank == 0 ? verdict(wrong == 0) : wrong == 0 ? 0 : 1;
}
