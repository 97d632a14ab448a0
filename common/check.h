// Inputs whose results tell right from wrong, and the comparison of results.
//
// Chapter 01 spells out the idea. The rule everywhere: NaN passes no comparison, and every output
// starts out as NaN, so a result that nobody wrote cannot pass either.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// A number that looks random but is always the same for the same `i` and `seed`.
// Source: the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
inline uint64_t scrambled(const uint64_t i, const uint64_t seed) {
  uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u + seed * 0xD1B54A32D192ED03u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Fills `v` with whole numbers from -4 to 4, never 0. Sums of them, and of their products, stay
// far below 2^24 = 16,777,216, up to which a float holds every whole number exactly. So any order
// of addition gives the very same result, and one element left out gives another.
inline void fill_whole(std::vector<float> &v, const uint64_t seed) {
  for (size_t i = 0; i < v.size(); i++) {
    const int k = static_cast<int>(scrambled(i, seed) % 8) - 4; // -4 .. 3
    v[i] = static_cast<float>(k < 0 ? k : k + 1);
  }
}

// Fills `v` with reals spread evenly over [-1, 1], each an exact float.
inline void fill_real(std::vector<float> &v, const uint64_t seed) {
  for (size_t i = 0; i < v.size(); i++) {
    const int32_t k = static_cast<int32_t>(scrambled(i, seed) >> 39); // 25 bits
    v[i] = static_cast<float>(k - (1 << 24)) * 0x1p-24f;
  }
}

// Prints both lines; true if the two are equal to the last bit.
inline bool check_equal(const double result, const double expected) {
  printf("result    %.9g\nexpected  %.9g\n", result, expected);
  return result == expected;
}

// Prints both lines; true if the error is at most `allowed`.
inline bool check_close(const double result, const double expected, const double allowed) {
  const double error = std::fabs(result - expected);
  printf("result    %.9g\nexpected  %.9g (error %.2g, allowed %.2g)\n", result, expected, error,
         allowed);
  return error <= allowed; // false for NaN
}

// Checks C = A·B, row-major: `c` is m×n, `a` is m×k, `b` is k×n. Prints both lines: the first
// element that differs, or the last one if none does, and how many differ. True if none does.
//
// Method: Freivalds (1977). For a random vector x, C·x must equal A·(B·x), which takes O(n²) steps
// instead of O(n³). Each x has whole numbers from ±1 to ±65,536: a wrong row goes unnoticed by one
// x at most once in 131,072 times, and there are four. Inputs are whole numbers: the sums are exact
// in double (up to about 90,000 × 90,000), and the comparison is equality. The elements of a wrong
// row are then compared one by one; of more than 64 wrong rows only the first 64, and the count is
// printed as "at least".
inline bool check_matmul(const std::vector<float> &c, const std::vector<float> &a,
                         const std::vector<float> &b, const size_t m, const size_t n,
                         const size_t k) {
  constexpr size_t X = 4; // vectors x, side by side: xs is n×X, and so on
  std::vector<double> bx(k * X, 0.0);
  std::vector<double> xs(n * X);
  for (size_t i = 0; i < xs.size(); i++) {
    const uint64_t bits = scrambled(i, 77) >> 47; // 17 of them
    const double magnitude = static_cast<double>((bits >> 1) + 1);
    xs[i] = (bits & 1) != 0 ? magnitude : -magnitude;
  }
  // out += matrix · in, for one row of the matrix
  const auto row_times = [](const float *row, const size_t length, const std::vector<double> &in,
                            double *out) {
    for (size_t j = 0; j < length; j++)
      for (size_t x = 0; x < X; x++)
        out[x] += static_cast<double>(row[j]) * in[j * X + x];
  };
  for (size_t i = 0; i < k; i++)
    row_times(&b[i * n], n, xs, &bx[i * X]);

  size_t wrong_rows = 0;
  size_t differ = 0;
  size_t shown = m * n - 1; // index of the element to print
  double shown_expected = 0;
  for (size_t i = 0; i < k; i++)
    shown_expected +=
        static_cast<double>(a[(m - 1) * k + i]) * static_cast<double>(b[i * n + n - 1]);
  for (size_t row = 0; row < m; row++) {
    double cx[X] = {};
    double abx[X] = {};
    row_times(&c[row * n], n, xs, cx);
    row_times(&a[row * k], k, bx, abx);
    bool equal = true;
    for (size_t x = 0; x < X; x++)
      equal = equal && cx[x] == abx[x]; // false for NaN
    for (size_t j = 0; j < n; j++)      // a fraction so small that the sums do not show it
      equal = equal && c[row * n + j] == std::floor(c[row * n + j]);
    if (equal || ++wrong_rows > 64)
      continue;
    std::vector<double> right(n, 0.0);
    for (size_t i = 0; i < k; i++)
      for (size_t j = 0; j < n; j++)
        right[j] += static_cast<double>(a[row * k + i]) * static_cast<double>(b[i * n + j]);
    for (size_t j = 0; j < n; j++)
      if (!(static_cast<double>(c[row * n + j]) == right[j]) && differ++ == 0) {
        shown = row * n + j;
        shown_expected = right[j];
      }
  }
  printf("result    C[%zu][%zu] = %.9g\n", shown / n, shown % n, static_cast<double>(c[shown]));
  printf("expected  C[%zu][%zu] = %.9g (%s%zu of %zu elements differ)\n", shown / n, shown % n,
         shown_expected, wrong_rows > 64 ? "at least " : "", differ, m * n);
  return wrong_rows == 0;
}

// The last line, and the program's exit code. Call it when everything else has succeeded.
inline int verdict(const bool ok) {
  printf(ok ? "PASSED\n" : "FAILED\n");
  if (fflush(stdout) != 0) { // a full disk, say: nobody can read PASSED, so it does not count
    perror("standard output");
    return EXIT_FAILURE;
  }
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
