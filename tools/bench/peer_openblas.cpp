// OpenBLAS: cblas_sgemm and cblas_sdot, on all cores that it chooses to use.
#include "peer.h"

#include <cblas.h>

extern "C" {
char *openblas_get_corename(void);
int openblas_get_num_threads(void);
}

int main(const int argc, char **argv) {
  printf("device    OpenBLAS for %s, %d threads\n", openblas_get_corename(),
         openblas_get_num_threads());
  peer_task task = peer_start(argc, argv);
  const int m = static_cast<int>(task.m);
  const int n = static_cast<int>(task.n);
  const int k = static_cast<int>(task.k);
  const double ms = peer_time_host([&] {
    if (task.gemm)
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, task.a.data(), k,
                  task.b.data(), n, 0.0f, task.c.data(), n);
    else
      task.c[0] = cblas_sdot(n, task.a.data(), 1, task.b.data(), 1);
  });
  return peer_finish(task, ms, 0.0);
}
