// OpenBLAS: cblas_sgemm and cblas_sdot, on all cores that it chooses to use.
#include "peer.h"

enum { ROW_MAJOR = 101, AS_IT_IS = 111 };
extern "C" {
void cblas_sgemm(int layout, int of_a, int of_b, int m, int n, int k, float alpha, const float *a,
                 int row_a, const float *b, int row_b, float beta, float *c, int row_c);
float cblas_sdot(int n, const float *x, int step_x, const float *y, int step_y);
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
      cblas_sgemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k, 1.0f, task.a.data(), k, task.b.data(), n,
                  0.0f, task.c.data(), n);
    else
      task.c[0] = cblas_sdot(n, task.a.data(), 1, task.b.data(), 1);
  });
  return peer_finish(task, ms, 0.0);
}
