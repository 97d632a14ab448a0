// How fast do messages go from one process to another? For the model of chapter 24: MPI_Ibcast to
// a second process, from one of the two or from both at once, of data that no cache has: each
// message is the next piece of a large block, as chapter 24's panels are.
//
//   mpicxx -O2 messages.cpp -o messages && mpirun -n 2 ./messages
#include <algorithm>
#include <cstdio>
#include <vector>

#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const size_t block_bytes = size_t{1} << 29;
  const int runs = 31;
  std::vector<char> block(block_bytes, 1);
  std::vector<char> arrived(size_t{4} << 26, 1);
  if (rank == 0)
    printf("bytes,from,median us,fastest,slowest,GB/s received by each\n");
  for (int bytes = 1; bytes <= 1 << 26; bytes = bytes < 1024 ? 1024 : bytes * 4)
    for (int roots = 1; roots <= 2; roots++) {
      std::vector<double> times;
      for (int run = 0; run < runs; run++) {
        const size_t size = static_cast<size_t>(bytes);
        char *const from = &block[static_cast<size_t>(run) * size % (block_bytes - size)];
        char *const to = &arrived[static_cast<size_t>(run % 4) * size];
        MPI_Request requests[2];
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        for (int root = 0; root < roots; root++)
          MPI_Ibcast(rank == root ? from : to, bytes, MPI_CHAR, root, MPI_COMM_WORLD,
                     &requests[root]);
        MPI_Waitall(roots, requests, MPI_STATUSES_IGNORE);
        double taken = MPI_Wtime() - start;
        MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (run > 0) // the first one makes connections
          times.push_back(1e6 * taken);
      }
      std::sort(times.begin(), times.end());
      const double median = times[times.size() / 2];
      if (rank == 0)
        printf("%d,%s,%.2f,%.2f,%.2f,%.2f\n", bytes, roots == 1 ? "one" : "both", median,
               times.front(), times.back(), bytes / median * 1e-3);
    }
  MPI_Finalize();
}
