// Are the checks of common/compare.h, and chapter 21's check_rows, able to say no? Gives them right
// and wrong results, and counts.
//
//   compare_test inputs | numbers | rows | counts | small-matrices | large-matrices
//
// Exit code 0 if every right result is accepted and every wrong one rejected.
#include "../../common/check_rows.h"
#include "../../common/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <unistd.h>

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
  fprintf(stderr, "FAILED  %s: %s\n", what.c_str(),
          right ? "a right result is rejected" : "a wrong result is accepted");
}

// ---- Do the inputs tell right from wrong? -------------------------------------------------------

// The dot product as chapters 05 to 07 and the sum as 11 and 12 form it. Any one element left out,
// any partial sum left out, and a result of 0 must differ from the right one.
static void inputs() {
  for (const size_t n : std::vector<size_t>{1, 2, 5, 63, 64, 65, 256, 1000, 1000003, 1048576}) {
    std::vector<float> a(n), b(n);
    fill_whole(a, 1);
    fill_whole(b, 2);
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
    }
    const std::string size = "N = " + std::to_string(n);
    expect(!zero, true, size + ": no element is 0, so that none can be left out");
    expect(static_cast<double>(sum_in_float) == sum, true, size + ": the sum is exact in float");
    expect(static_cast<double>(dot_in_float) == dot, true, size + ": the dot product is exact");
    expect(backwards == dot_in_float, true, size + ": in any order of addition");
    expect(dot == 0.0, false, size + ": the dot product is 0, as if nothing had been added");
    expect(sum == 0.0, false, size + ": the sum is 0, as if nothing had been added");
    expect(magnitudes < 16777216.0, true, size + ": even all of one sign are exact");
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
  const double wrong_always[] = {static_cast<double>(nan_value), static_cast<double>(infinity),
                                 -static_cast<double>(infinity)};
  for (const double right : {1.0, -53.0, 2097152.0, 0.25}) {
    const double allowed = 1e-3;
    expect(check_equal(right, right), true, "check_equal");
    expect(check_close(right, right, allowed), true, "check_close");
    expect(check_close(right + 0.9e-3, right, allowed), true, "check_close, within");
    expect(check_close(right - 0.9e-3, right, allowed), true, "check_close, within");
    for (const double wrong : wrong_always) {
      expect(check_equal(wrong, right), false, "check_equal, NaN or infinite");
      expect(check_close(wrong, right, allowed), false, "check_close, NaN or infinite");
      expect(check_close(right, wrong, allowed), false, "check_close, expected not finite");
    }
    for (const double wrong : {0.0, -right, right + 1.0, right - 1.0, std::nextafter(right, 1e9)})
      expect(check_equal(wrong, right), false, "check_equal, another number");
    for (const double wrong : {0.0, -right, right + 1.1e-3, right - 1.1e-3})
      expect(check_close(wrong, right, allowed), false, "check_close, too far");
    expect(check_close(right + 1.0, right, static_cast<double>(nan_value)), false,
           "check_close, allowed is NaN");
  }

  // A sum of G partial sums with one of them left out, written twice, swapped for its neighbour's,
  // or never written: each of them, at each size that the chapters are tested with.
  size_t zero_sums = 0;
  for (const size_t n : std::vector<size_t>{63, 64, 65, 1000, 1000003, 1048576}) {
    std::vector<float> a(n), b(n);
    fill_whole(a, 1);
    fill_whole(b, 2);
    const size_t groups = std::min<size_t>(32, (n + 63) / 64);
    std::vector<float> partial_sums(groups, 0.0f);
    for (size_t i = 0; i < n; i++)
      partial_sums[i / 64 % groups] += a[i] * b[i];
    float right = 0;
    for (const float sum : partial_sums)
      right += sum;
    for (size_t g = 0; g < groups; g++) {
      const std::string what = std::to_string(n) + ": partial sum " + std::to_string(g);
      const float sum = partial_sums[g];
      zero_sums += sum == 0.0f; // without it the result is right indeed; see below
      if (sum != 0.0f) {
        expect(check_equal(static_cast<double>(right - sum), static_cast<double>(right)), false,
               what + " left out");
        expect(check_equal(static_cast<double>(right + sum), static_cast<double>(right)), false,
               what + " added twice");
      }
      expect(check_equal(static_cast<double>(right - sum + nan_value), static_cast<double>(right)),
             false, what + " never written");
    }
  }
  expect(zero_sums == 0, true, "a partial sum happens to be 0, so that leaving it out is no error");

  // The program's last line and its exit code belong together.
  expect(verdict(true) == EXIT_SUCCESS, true, "verdict(true)");
  expect(verdict(false) == EXIT_FAILURE, true, "verdict(false)");
}

// ---- Matrices -----------------------------------------------------------------------------------

struct known_product {
  size_t m, n, k;
  std::vector<float> a, b, c; // c is the right result
  std::string size() const {
    return std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k);
  }
  bool check(const std::vector<float> &result) const {
    return n > 0 && check_matmul(result, a, b, m, n, k); // n > 0: no matrix here is without columns
  }
  void expect_wrong(const std::vector<float> &result, const std::string &what) const {
    expect(check(result), false, size() + ": " + what);
  }
};

// A product whose right result is known without check_matmul. In each column of B at most
// `per_column` elements are not 0, so that large sizes take no longer than O(n²).
static known_product make(const size_t m, const size_t n, const size_t k, const size_t per_column) {
  known_product p{m, n, k, std::vector<float>(m * k), std::vector<float>(k * n), {}};
  p.c.assign(m * n, 0.0f);
  fill_whole(p.a, 1);
  std::vector<float> values(k * n);
  fill_whole(values, 2);
  for (size_t j = 0; j < n; j++)
    for (size_t t = 0; t < std::min(k, per_column); t++) {
      const size_t i = per_column >= k ? t : scrambled(j * per_column + t, 3) % k;
      p.b[i * n + j] = values[i * n + j];
    }
  std::vector<size_t> used; // of one column, the elements that are not 0
  for (size_t j = 0; j < n; j++) {
    used.clear();
    for (size_t i = 0; i < k; i++)
      if (p.b[i * n + j] != 0.0f)
        used.push_back(i);
    for (size_t row = 0; row < m; row++)
      for (const size_t i : used)
        p.c[row * n + j] += p.a[row * k + i] * p.b[i * n + j];
  }
  return p;
}

// The mistakes that a whole result can have.
static void whole_mistakes(const known_product &p) {
  const size_t m = p.m, n = p.n, k = p.k;
  const size_t size = m * n;
  expect(p.check(p.c), true, p.size());
  p.expect_wrong(std::vector<float>(size, nan_value), "nothing written, all NaN");
  p.expect_wrong(std::vector<float>(size, infinity), "all infinite");
  p.expect_wrong(std::vector<float>(size, 0.0f), "all zeros");
  p.expect_wrong(std::vector<float>(size, p.a[0] * p.b[0] + 1e6f), "one constant");
  if (m > 1 && n > 1) {
    std::vector<float> transposed(size);
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < n; j++)
        transposed[j * m + i] = p.c[i * n + j];
    p.expect_wrong(transposed, "transposed");
    p.expect_wrong(std::vector<float>(size, p.a[0] * p.b[0]), "A[0]*B[0] everywhere");
    std::vector<float> shifted(p.c);
    std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
    p.expect_wrong(shifted, "shifted by one element");
    std::vector<float> rows(p.c);
    std::swap_ranges(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n),
                     rows.end() - static_cast<std::ptrdiff_t>(n));
    p.expect_wrong(rows, "first and last row swapped");
    std::vector<float> columns(p.c);
    for (size_t i = 0; i < m; i++)
      std::swap(columns[i * n], columns[i * n + n - 1]);
    p.expect_wrong(columns, "first and last column swapped");
  }
  if (k > 1) { // the last of the K products is missing everywhere
    std::vector<float> shorter(p.c);
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < n; j++)
        shorter[i * n + j] -= p.a[i * k + k - 1] * p.b[(k - 1) * n + j];
    if (shorter != p.c)
      p.expect_wrong(shorter, "K one too small");
  }
  std::vector<float> last_row(p.c);
  std::fill(last_row.end() - static_cast<std::ptrdiff_t>(n), last_row.end(), nan_value);
  p.expect_wrong(last_row, "last row never written");
}

// The mistakes that the element number `at` can have; `other` is another one, to swap it with.
static void one_mistake(const known_product &p, std::vector<float> &c, const size_t at,
                        const size_t other) {
  const float right = c[at];
  const std::string element = "element " + std::to_string(at);
  for (const float wrong : {nan_value, infinity, -infinity, right + 1.0f, right - 0.5f,
                            std::nextafter(right, 1e9f), 1e30f}) {
    c[at] = wrong;
    p.expect_wrong(c, element + " wrong");
    c[at] = right;
  }
  if (c[at] == c[other])
    return;
  std::swap(c[at], c[other]);
  p.expect_wrong(c, element + " and " + std::to_string(other) + " swapped");
  std::swap(c[at], c[other]);
}

static void small_matrices() {
  const size_t sizes[][3] = {{1, 1, 1},    {1, 1, 64},     {1, 64, 1},   {64, 1, 1},
                             {2, 3, 4},    {15, 16, 17},   {17, 33, 65}, {32, 32, 32},
                             {64, 64, 64}, {300, 200, 100}};
  for (const auto &[m, n, k] : sizes) {
    const known_product p = make(m, n, k, k);
    whole_mistakes(p);
    if (m * n > size_t{64} * 64)
      continue;
    std::vector<float> c(p.c);
    for (size_t at = 0; at < m * n; at++) // anywhere means everywhere
      one_mistake(p, c, at, (at + 1) % (m * n));
  }
  // Two results of the same row swapped: every pair of columns.
  const known_product p = make(1, 1024, 3, 3);
  std::vector<float> c(p.c);
  for (size_t i = 0; i < 1024; i += 3)
    for (size_t j = 0; j < i; j++)
      if (c[i] != c[j]) {
        std::swap(c[i], c[j]);
        p.expect_wrong(c,
                       "columns " + std::to_string(j) + " and " + std::to_string(i) + " swapped");
        std::swap(c[i], c[j]);
      }
}

// Each element is held against its own bound. The rows of A are of very different size: what is
// right for one row is far too much for the next.
static void rows() {
  const size_t sizes[][3] = {{1, 1, 1}, {5, 3, 4}, {2, 7, 1}, {4, 1, 9}, {300, 130, 1030}};
  const double share = 0x1p-10;
  for (const auto &[m, n, k] : sizes) {
    std::vector<float> a(m * k), b(k * n), c(m * n);
    std::vector<double> allowed(m * n);
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
      allowed[at] = share * magnitudes;
      c[at] = static_cast<float>(sum + 0.9 * allowed[at]);
    }
    const std::string size =
        "rows " + std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(k);
    expect(check_rows(c, a, b, m, n, k, share), true, size + ": all within their bounds");
    // The last row is always looked at; all of them where there is little to multiply.
    const size_t first = m * n * k < size_t{1} << 25 ? 0 : (m - 1) * n;
    for (size_t at = first; at < c.size(); at += c.size() / 50 + 1) {
      const float right = c[at];
      for (const float wrong :
           {right + static_cast<float>(0.3 * allowed[at]), nan_value, infinity}) {
        c[at] = wrong;
        expect(check_rows(c, a, b, m, n, k, share), false,
               size + ": element " + std::to_string(at) + " is " + std::to_string(wrong));
      }
      c[at] = right;
    }
  }
}

// What check_matmul says of so many wrong rows: how many elements differ, and of more than 64 rows
// "at least" those of 64. Reads what was printed: standard output becomes a file.
static void counts() {
  const size_t m = 100, n = 3, k = 2;
  const known_product p = make(m, n, k, k);
  FILE *const file = tmpfile();
  if (file == nullptr || dup2(fileno(file), fileno(stdout)) < 0) {
    perror("a file for standard output");
    exit(EXIT_FAILURE);
  }
  for (const size_t wrong : std::vector<size_t>{1, 2, 63, 64, 65, 100}) {
    std::vector<float> c(p.c);
    for (size_t row = m - wrong; row < m; row++)
      c[row * n] = c[row * n + 2] = 1000.0f;
    if (lseek(fileno(stdout), 0, SEEK_SET) != 0 || ftruncate(fileno(stdout), 0) != 0)
      exit(EXIT_FAILURE);
    check_matmul(c, p.a, p.b, m, n, k);
    fflush(stdout);
    char text[512] = "";
    if (pread(fileno(file), text, sizeof text - 1, 0) < 0)
      exit(EXIT_FAILURE);
    const std::string said = (wrong > 64 ? "(at least " : "(") +
                             std::to_string(2 * std::min<size_t>(64, wrong)) +
                             " of 300 elements differ)";
    expect(strstr(text, said.c_str()) != nullptr, true,
           std::to_string(wrong) + " wrong rows: " + said + ", not\n" + text);
  }
  fclose(file);
}

static void large_matrices() {
  const size_t sizes[][3] = {{1024, 1024, 1024}, {4096, 1000, 33}, {4096, 4096, 4096}};
  for (const auto &[m, n, k] : sizes) {
    const known_product p = make(m, n, k, 4);
    whole_mistakes(p);
    std::vector<float> c(p.c);
    one_mistake(p, c, m * n - 1, n / 2);
    if (m * n <= size_t{1024} * 1024)
      for (const size_t at : {size_t{0}, n - 1, m * n / 2 + n / 3})
        one_mistake(p, c, at, at + n / 2 + 1);
  }
}

int main(const int argc, char **argv) {
  const std::string part = argc == 2 ? argv[1] : "";
  // The checks print what they compare, thousands of lines; only what is wrong is of interest.
  if (freopen("/dev/null", "w", stdout) == nullptr) {
    perror("/dev/null");
    return EXIT_FAILURE;
  }
  if (part == "inputs") {
    inputs();
  } else if (part == "numbers") {
    numbers();
  } else if (part == "rows") {
    rows();
  } else if (part == "counts") {
    counts();
  } else if (part == "small-matrices") {
    small_matrices();
  } else if (part == "large-matrices") {
    large_matrices();
  } else {
    fprintf(
        stderr,
        "usage: compare_test inputs | numbers | rows | counts | small-matrices | large-matrices\n");
    return 2;
  }
  fprintf(stderr, "compare_test %s: %zu results judged, %zu of them wrongly\n", part.c_str(), cases,
          failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
