// check_rows: real numbers in a matrix product, each compared with its sum in double.
#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

// Checks rows of C = A·B, row-major: `c` is m×n, `a` is m×k, `b` is k×n. All rows, or as many as
// take 2^25 multiply-adds. An element may be wrong by `share` of the sum of |a·b| that makes it up.
// Prints the one with the largest error; true if every one is close enough. NaN never is.
inline bool check_rows(const std::vector<float> &c, const std::vector<float> &a,
                       const std::vector<float> &b, const size_t m, const size_t n, const size_t k,
                       const double share) {
  bool ok = true;
  size_t shown = 0;                             // index of the element to print
  double expected = 0, error = -1, allowed = 0; // its right value, and how wrong it is and may be
  const size_t step = static_cast<size_t>(static_cast<double>(m) * static_cast<double>(n) *
                                          static_cast<double>(k) * 0x1p-25) +
                      1;
  for (size_t row = (m - 1) % step; row < m; row += step) { // the last one is always among them
    std::vector<double> sums(n, 0.0), magnitudes(n, 0.0);
    for (size_t i = 0; i < k; i++)
      for (size_t j = 0; j < n; j++) {
        const double product =
            static_cast<double>(a[row * k + i]) * static_cast<double>(b[i * n + j]);
        sums[j] += product;
        magnitudes[j] += std::fabs(product);
      }
    for (size_t j = 0; j < n; j++) {
      const double wrong = std::fabs(static_cast<double>(c[row * n + j]) - sums[j]);
      ok = ok && wrong <= share * magnitudes[j]; // false for NaN
      if (wrong <= error || std::isnan(error))
        continue;
      shown = row * n + j;
      expected = sums[j];
      error = wrong;
      allowed = share * magnitudes[j];
    }
  }
  printf("result    C[%zu][%zu] = %.9g\n", shown / n, shown % n, static_cast<double>(c[shown]));
  printf("expected  C[%zu][%zu] = %.9g (error %.2g, allowed %.2g)\n", shown / n, shown % n,
         expected, error, allowed);
  return ok;
}
