// What the peer programs share: their arguments, data and output are those of the chapters.
//
//   PEER gemm M N K     C = A·B as in chapters 08 to 20
//   PEER real M N K     the same with real numbers, as in chapter 21: how wrong is the result?
//   PEER dot N          the dot product as in chapters 05 to 07 and 16
#pragma once

#include "../../common/args.h"
#include "../../common/check_rows.h"
#include "../../common/compare.h"
#include "../../common/timing.h"

#include <cstdio>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <vector>

struct peer_task {
  bool gemm, real;
  size_t m, n, k; // n alone for a dot product
  std::vector<float> a, b, c;
};

// Reads the arguments, makes the data, prints the size.
inline peer_task peer_start(const int argc, char **argv) {
  static const char *const usage = "usage: peer gemm M N K | peer real M N K | peer dot N\n";
  check_args(argc, argv, 4, usage);
  peer_task task = {};
  task.real = argc == 5 && strcmp(argv[1], "real") == 0;
  task.gemm = task.real || (argc == 5 && strcmp(argv[1], "gemm") == 0);
  if (!task.gemm && !(argc == 3 && strcmp(argv[1], "dot") == 0))
    usage_error(usage, "neither gemm or real with three sizes nor dot with one", "");
  task.m = task.gemm ? size_arg(argc, argv, 2, 1, usage) : 1;
  task.n = size_arg(argc, argv, task.gemm ? 3 : 2, 1, usage);
  task.k = task.gemm ? size_arg(argc, argv, 4, 1, usage) : 1;
  std::set_new_handler([] {
    fprintf(stderr, "too large for this machine's memory\n");
    exit(2);
  });
  task.a.resize(task.gemm ? task.m * task.k : task.n);
  task.b.resize(task.gemm ? task.k * task.n : task.n);
  task.c.assign(task.gemm ? task.m * task.n : 1, NAN);
  const auto fill = task.real ? fill_real : fill_whole;
  fill(task.a, 1);
  fill(task.b, 2);
  if (task.gemm)
    printf("size      M = %zu, N = %zu, K = %zu\n", task.m, task.n, task.k);
  else
    printf("size      N = %zu\n", task.n);
  return task;
}

// Calls `run` until there are enough times. `run` returns the milliseconds of one call.
inline double peer_time(const std::function<double()> &run) {
  std::vector<double> times;
  while (more_runs(times))
    times.push_back(run());
  return median_ms(times);
}

// The same, for calls that return when they are done, on the host's clock.
inline double peer_time_host(const std::function<void()> &call) {
  return peer_time([&] {
    const double start = now_ms();
    call();
    return now_ms() - start;
  });
}

// Checks task.c and prints the rest; returns the exit code.
inline int peer_finish(const peer_task &task, const double ms, const double transfer_ms) {
  bool ok;
  if (task.gemm) {
    // As wrong as plain floats may be, or numbers of 11 bits, which a library may be told to use.
    const double share = static_cast<double>(task.k) * double{FLT_EPSILON} + 0x1p-9;
    ok = task.real ? check_rows(task.c, task.a, task.b, task.m, task.n, task.k, share)
                   : check_matmul(task.c, task.a, task.b, task.m, task.n, task.k);
    print_time("library", ms,
               2e-9 * static_cast<double>(task.m) * static_cast<double>(task.n) *
                   static_cast<double>(task.k),
               "GFLOP/s");
  } else {
    double expected = 0.0;
    for (size_t i = 0; i < task.n; i++)
      expected += static_cast<double>(task.a[i]) * static_cast<double>(task.b[i]);
    ok = check_equal(static_cast<double>(task.c[0]), expected);
    print_time("library", ms, 8e-9 * static_cast<double>(task.n), "GB/s");
  }
  if (transfer_ms > 0)
    printf("time      transfers to the device and back: %.3f ms, not counted above\n", transfer_ms);
  return verdict(ok);
}
