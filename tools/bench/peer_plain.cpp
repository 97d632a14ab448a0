// A plain C loop on one core: where you stand before any OpenCL, as a peer of the others.
//
// Nobody has tuned it: it is the loop that one writes down first, as the compiler makes it with
// -O2. Its time is the processor's, so that a busy machine does not make it look slow.
#include "peer.h"

#include <ctime>

static float dot(const float *a, const float *b, const size_t n) {
  float sum = 0.0f;
  for (size_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static void matmul(const float *a, const float *b, float *c, const size_t m, const size_t n,
                   const size_t k) {
  for (size_t row = 0; row < m; row++) {
    for (size_t col = 0; col < n; col++) {
      float sum = 0.0f;
      for (size_t i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
      c[row * n + col] = sum;
    }
  }
}

int main(const int argc, char **argv) {
  printf("device    a plain C loop, one core\n");
  peer_task task = peer_start(argc, argv);
  const double ms = peer_time([&] {
    const std::clock_t start = std::clock();
    if (task.gemm)
      matmul(task.a.data(), task.b.data(), task.c.data(), task.m, task.n, task.k);
    else
      task.c[0] = dot(task.a.data(), task.b.data(), task.n);
    return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  });
  return peer_finish(task, ms, 0.0);
}
