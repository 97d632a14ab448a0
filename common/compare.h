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

// A whole number from -4 to 4, never 0, always the same for the same `i` and `seed`.
inline float whole_number(const uint64_t i, const uint64_t seed) {
  const int k = static_cast<int>(scrambled(i, seed) % 8) - 4; // -4 .. 3
  return static_cast<float>(k < 0 ? k : k + 1);
}

// Fills `v` with such numbers. Sums of them, and of their products, stay far below 2^24 =
// 16,777,216, up to which a float holds every whole number exactly, since their signs are mixed: a
// sum of n products is typically about 7.5·√n. So any order of addition gives the very same result,
// and one element left out gives another.
inline void fill_whole(std::vector<float> &v, const uint64_t seed) {
  for (size_t i = 0; i < v.size(); i++)
    v[i] = whole_number(i, seed);
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

// What the rows of a product C = A·B must give, by Freivalds' method (1977): for a random vector x,
// C·x must equal A·(B·x), which takes O(n²) steps instead of O(n³). Each x has whole numbers from
// ±1 to ±65,536: a wrong row goes unnoticed by one x at most once in 131,072 times, and there are
// four. The matrices hold whole numbers: the sums are exact in double (up to about 90,000 ×
// 90,000), and the comparison is equality.
struct product_check {
  static constexpr size_t X = 4; // vectors x, side by side
  size_t m, n, k;
  std::vector<double> xs;  // n×X
  std::vector<double> abx; // m×X: A·(B·x)
};

// out += row · in: a row of a matrix, `length` long, times vectors side by side.
inline void row_times(const float *row, const size_t length, const double *in, double *out) {
  for (size_t j = 0; j < length; j++)
    for (size_t x = 0; x < product_check::X; x++)
      out[x] += static_cast<double>(row[j]) * in[j * product_check::X + x];
}

// Prepares the check of a product of `a`, m×k, and `b`, k×n, both row-major.
inline product_check expect_product(const std::vector<float> &a, const std::vector<float> &b,
                                    const size_t m, const size_t n, const size_t k) {
  constexpr size_t X = product_check::X;
  product_check check = {m, n, k, std::vector<double>(n * X), std::vector<double>(m * X, 0.0)};
  for (size_t i = 0; i < n * X; i++) {
    const uint64_t bits = scrambled(i, 77) >> 47; // 17 of them
    const double magnitude = static_cast<double>((bits >> 1) + 1);
    check.xs[i] = (bits & 1) != 0 ? magnitude : -magnitude;
  }
  std::vector<double> bx(k * X, 0.0);
  for (size_t i = 0; i < k; i++)
    row_times(&b[i * n], n, check.xs.data(), &bx[i * X]);
  for (size_t i = 0; i < m; i++)
    row_times(&a[i * k], k, bx.data(), &check.abx[i * X]);
  return check;
}

// Is this row of `c`, m×n and row-major, the product's?
inline bool row_is_right(const product_check &check, const std::vector<float> &c,
                         const size_t row) {
  double cx[product_check::X] = {};
  row_times(&c[row * check.n], check.n, check.xs.data(), cx);
  bool right = true;
  for (size_t x = 0; x < product_check::X; x++)
    right = right && cx[x] == check.abx[row * product_check::X + x]; // false for NaN
  for (size_t j = 0; j < check.n; j++) // a fraction so small that the sums do not show it
    right = right && c[row * check.n + j] == std::floor(c[row * check.n + j]);
  return right;
}

// Are all rows? Prints nothing.
inline bool product_is_right(const product_check &check, const std::vector<float> &c) {
  for (size_t row = 0; row < check.m; row++)
    if (!row_is_right(check, c, row))
      return false;
  return true;
}

// Checks C = A·B, row-major: `c` is m×n, `a` is m×k, `b` is k×n. Prints both lines: the first
// element that differs, or the last one if none does, and how many differ. True if none does.
//
// Rows are checked by Freivalds' method (above). The elements of a wrong row are then compared one
// by one; of more than 64 wrong rows only the first 64, and the count is printed as "at least".
inline bool check_matmul(const std::vector<float> &c, const std::vector<float> &a,
                         const std::vector<float> &b, const size_t m, const size_t n,
                         const size_t k) {
  const product_check check = expect_product(a, b, m, n, k);
  size_t wrong_rows = 0;
  size_t differ = 0;
  size_t shown = m * n - 1; // index of the element to print
  double shown_expected = 0;
  for (size_t i = 0; i < k; i++)
    shown_expected +=
        static_cast<double>(a[(m - 1) * k + i]) * static_cast<double>(b[i * n + n - 1]);
  for (size_t row = 0; row < m; row++) {
    if (row_is_right(check, c, row) || ++wrong_rows > 64)
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
  if (fflush(stdout) != 0 || ferror(stdout) != 0) { // a full disk, say: nobody can read PASSED
    fprintf(stderr, "standard output could not be written: is a disk full?\n");
    return EXIT_FAILURE;
  }
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
