// Are the checks of common/compare.h, and chapter 21's check_rows, able to say no? Gives them right
// and wrong results, and counts.
//
//   compare_test          inputs, numbers, small matrices
//   compare_test large    matrices up to 4096×4096: half a minute
//
// Exit code 0 if every right result is accepted and every wrong one rejected.
#include "../../common/check_rows.h"
#include "../../common/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

static const float nan_value = std::numeric_limits<float>::quiet_NaN();
static const float infinity = std::numeric_limits<float>::infinity();

static size_t cases = 0;
static size_t failures = 0;

// Counts a case: `got` is what a check said, `right` what it should have said.
static void expect(const bool got, const bool right, const std::string &what) {
  cases++;
  if (got == right)
    return;
  failures++;
  fprintf(stderr, "FAILED  %s: it says %s\n", what.c_str(), got ? "right" : "wrong");
}

// ---- Do the inputs tell right from wrong? -------------------------------------------------------

// The dot product as chapters 05 to 07 and the sum as 11 and 12 form it. Any one element left out,
// any partial sum left out, and a result of 0 must differ from the right one.
static void inputs() {
  for (const size_t n : std::vector<size_t>{1, 2, 5, 63, 64, 65, 256, 1000, 1000003, 1048576}) {
    std::vector<float> a(n), b(n);
    fill_whole(a, 1);
    fill_whole(b, 2);
    const size_t groups = std::min<size_t>(32, (n + 63) / 64);
    std::vector<float> partial_sums(groups, 0.0f);
    double sum = 0, dot = 0, magnitudes = 0;
    float sum_in_float = 0, dot_in_float = 0, backwards = 0;
    bool zero = false;
    for (size_t i = 0; i < n; i++) {
      zero = zero || a[i] == 0.0f || b[i] == 0.0f;
      sum += static_cast<double>(a[i]);
      dot += static_cast<double>(a[i] * b[i]);
      magnitudes += std::fabs(static_cast<double>(a[i] * b[i]));
      sum_in_float += a[i];
      dot_in_float += a[i] * b[i];
      backwards += a[n - 1 - i] * b[n - 1 - i];
      partial_sums[i / 64 % groups] += a[i] * b[i];
    }
    const bool exact =
        static_cast<double>(sum_in_float) == sum && static_cast<double>(dot_in_float) == dot;
    const std::string size = "N = " + std::to_string(n);
    expect(!zero, true, size + ": no element is 0, so that none can be left out");
    expect(exact, true, size + ": the sum and the dot product are exact in float");
    expect(backwards == dot_in_float, true, size + ": in any order of addition");
    expect(magnitudes < 16777216.0, true, size + ": even all of one sign are exact");
    expect(dot != 0.0 && sum != 0.0, true, size + ": not as if nothing had been added");
    if (n >= 63)
      expect(std::count(partial_sums.begin(), partial_sums.end(), 0.0f) == 0, true,
             size + ": no partial sum is 0, so that none can be left out");
  }

  // Not constant and not symmetric, so that a transposed or shifted matrix differs.
  std::vector<float> a(size_t{64} * 64);
  fill_whole(a, 1);
  size_t same = 0;
  for (size_t i = 0; i < 64; i++)
    for (size_t j = 0; j < i; j++)
      same += a[i * 64 + j] == a[j * 64 + i];
  expect(same < 64 * 63 / 2 / 4, true, "a square of fill_whole is not symmetric");

  std::vector<float> real(100000);
  fill_real(real, 1);
  const auto [low, high] = std::minmax_element(real.begin(), real.end());
  expect(*low >= -1.0f && *low < -0.999f && *high <= 1.0f && *high > 0.999f, true,
         "fill_real spreads over [-1, 1]");
}

// ---- One number ---------------------------------------------------------------------------------

static void numbers() {
  const double allowed = 1e-3;
  const double nan = static_cast<double>(nan_value), infinite = static_cast<double>(infinity);
  for (const double right : {1.0, -53.0, 2097152.0, 0.25}) {
    expect(check_equal(right, right), true, "check_equal");
    expect(check_close(right, right, allowed), true, "check_close");
    for (const double near : {std::nextafter(right, 1e9), right + 0.9e-3, right - 0.9e-3}) {
      expect(check_equal(near, right), false, "check_equal, another number");
      expect(check_close(near, right, allowed), true, "check_close, within");
    }
    for (const double wrong : {right + 1.1e-3, right - 1.1e-3, right + 1.0, right - 1.0, 0.0,
                               -right, nan, infinite, -infinite}) {
      expect(check_equal(wrong, right), false, "check_equal, wrong");
      expect(check_close(wrong, right, allowed), false, "check_close, too far");
    }
    for (const double wrong : {nan, infinite, -infinite})
      expect(check_close(right, wrong, allowed), false, "check_close, expected not finite");
    expect(check_close(right + 1.0, right, nan), false, "check_close, allowed is NaN");
  }

  // The program's last line and its exit code belong together.
  expect(verdict(true) == EXIT_SUCCESS, true, "verdict(true)");
  expect(verdict(false) == EXIT_FAILURE, true, "verdict(false)");
}

// ---- Matrices -----------------------------------------------------------------------------------

struct known_product {
  size_t m, n, k;
  std::vector<float> a, b, c; // c is the right result

  void judge(const std::vector<float> &result, const std::string &what) const {
    const bool got = n > 0 && check_matmul(result, a, b, m, n, k); // none is without columns
    expect(got, result == c,
           std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k) + ": " + what);
  }
};

// A product whose right result is known without check_matmul. In each column of B about
// `per_column` elements are not 0, so that large sizes take no longer than O(n²).
static known_product make(const size_t m, const size_t n, const size_t k, const size_t per_column) {
  known_product p{m, n, k, std::vector<float>(m * k), std::vector<float>(k * n), {}};
  p.c.assign(m * n, 0.0f);
  fill_whole(p.a, 1);
  fill_whole(p.b, 2);
  for (size_t at = 0; at < k * n; at++) {
    if (scrambled(at, 3) % k >= per_column) {
      p.b[at] = 0.0f;
      continue;
    }
    for (size_t row = 0; row < m; row++)
      p.c[row * n + at % n] += p.a[row * k + at / n] * p.b[at];
  }
  return p;
}

// A product's mistakes: those of the whole result, and those of one element, at every place of a
// small matrix (anywhere means everywhere) and at three of a large one, the last among them.
static void matrices(const size_t m, const size_t n, const size_t k, const size_t per_column) {
  const known_product p = make(m, n, k, per_column);
  p.judge(p.c, "right");
  p.judge(std::vector<float>(m * n, nan_value), "nothing written, all NaN");
  p.judge(std::vector<float>(m * n, 0.0f), "all zeros");

  std::vector<float> transposed(m * n), shorter(p.c), shifted(p.c), last_row(p.c);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      transposed[j * m + i] = p.c[i * n + j];
      shorter[i * n + j] -= p.a[i * k + k - 1] * p.b[(k - 1) * n + j];
    }
  p.judge(transposed, "transposed");
  p.judge(shorter, "K one too small");
  std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  p.judge(shifted, "shifted by one element");
  std::fill(last_row.end() - static_cast<std::ptrdiff_t>(n), last_row.end(), nan_value);
  p.judge(last_row, "last row never written");

  std::vector<float> c(p.c);
  const size_t step = m * n < 1000 ? 1 : m * n / 3 + 1;
  for (size_t back = 0; back < m * n; back += step) {
    const size_t at = m * n - 1 - back, next = (at + 1) % (m * n);
    const float right = c[at];
    const std::string element = "element " + std::to_string(at);
    for (const float wrong : {nan_value, infinity, -infinity, right + 1.0f, right - 0.5f,
                              std::nextafter(right, 1e9f), 1e30f}) {
      c[at] = wrong;
      p.judge(c, element + " wrong");
    }
    c[at] = right;
    std::swap(c[at], c[next]);
    p.judge(c, element + " and the next one swapped");
    std::swap(c[at], c[next]);
  }
}

// Each element is held against its own bound. The rows of A are of very different size: what is
// right for one row is far too much for the next.
static void rows() {
  const size_t sizes[][3] = {{1, 1, 1}, {5, 3, 4}, {2, 7, 1}, {4, 1, 9}, {300, 130, 1030}};
  const double share = 0x1p-10;
  for (const auto &[m, n, k] : sizes) {
    std::vector<float> a(m * k), b(k * n), c(m * n), too_far(m * n);
    fill_real(a, 1);
    fill_real(b, 2);
    for (size_t i = 0; i < a.size(); i++)
      a[i] = std::ldexp(a[i], i / k % 2 == 0 ? 0 : -30);
    for (size_t at = 0; at < c.size(); at++) {
      double sum = 0, magnitudes = 0;
      for (size_t i = 0; i < k; i++) {
        const double product = static_cast<double>(a[at / n * k + i] * b[i * n + at % n]);
        sum += product;
        magnitudes += std::fabs(product);
      }
      c[at] = static_cast<float>(sum + 0.9 * share * magnitudes);
      too_far[at] = static_cast<float>(sum + 1.2 * share * magnitudes);
    }
    const std::string size = "rows " + std::to_string(m) + ": ";
    expect(check_rows(c, a, b, m, n, k, share), true, size + "all within their bounds");

    // The last row is always looked at; all of them where there is little to multiply.
    const size_t first = m < 300 ? 0 : (m - 1) * n;
    for (size_t at = first; at < c.size(); at += c.size() / 50 + 1) {
      const float right = c[at];
      for (const float wrong : {too_far[at], nan_value, infinity}) {
        c[at] = wrong;
        expect(check_rows(c, a, b, m, n, k, share), false, size + std::to_string(wrong));
      }
      c[at] = right;
    }
  }
}

int main(const int argc, char **) {
  const size_t small[][3] = {{1, 1, 1}, {1, 1, 64},   {1, 64, 1},   {64, 1, 1},
                             {2, 3, 4}, {15, 16, 17}, {17, 33, 65}, {300, 200, 100}};
  const size_t large[][3] = {{1024, 1024, 1024}, {4096, 1000, 33}, {4096, 4096, 4096}};
  // The checks print what they compare, thousands of lines; only what is wrong is of interest.
  if (freopen("/dev/null", "w", stdout) == nullptr)
    return 2;
  if (argc > 1) {
    for (const auto &[m, n, k] : large)
      matrices(m, n, k, 4);
  } else {
    inputs();
    numbers();
    for (const auto &[m, n, k] : small)
      matrices(m, n, k, k);
    rows();
  }
  fprintf(stderr, "compare_test: %zu results judged, %zu of them wrongly\n", cases, failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
