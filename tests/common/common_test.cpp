// Are the checks of common/compare.h, and chapter 21's check_rows, able to say no? They get right
// and wrong results where no chapter's program gets: every element of small matrices, infinities.
// And the source line of an error, at the ends of a file.
//
// Exit code 0 if every right result is accepted, and every wrong one rejected.
#include "../../common/check_rows.h"
#include "../../common/clerr.h"
#include "../../common/compare.h"

#include <array>
#include <cmath>
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
  failures += got != right;
  if (got != right)
    fprintf(stderr, "FAILED  %s: it says %s\n", what.c_str(), got ? "right" : "wrong");
}

static void numbers() {
  const double allowed = 1e-3;
  const double nan = static_cast<double>(nan_value), infinite = static_cast<double>(infinity);
  for (const double right : {1.0, -53.0, 2097152.0, 0.25}) {
    expect(check_equal(right, right), true, "check_equal");
    expect(check_close(right + 0.9e-3, right, allowed), true, "check_close, within");
    for (const double wrong : {right + 1.1e-3, right - 1.1e-3, -right, nan, infinite, -infinite}) {
      expect(check_equal(wrong, right), false, "check_equal, wrong");
      expect(check_close(wrong, right, allowed), false, "check_close, too far");
    }
    for (const double wrong : {nan, infinite, -infinite})
      expect(check_close(right, wrong, allowed), false, "check_close, expected not finite");
    expect(check_close(right + 1.0, right, nan), false, "check_close, allowed is NaN");
  }
}

// A product's mistakes: those of the whole result, and those of one element, at every place of a
// small matrix and at three of a larger one, the last among them.
static void matrices(const size_t m, const size_t n, const size_t k) {
  std::vector<float> a(m * k), b(k * n), right(m * n), transposed(m * n), shorter(m * n);
  fill_whole(a, 1);
  fill_whole(b, 2);
  for (size_t row = 0; row < m; row++)
    for (size_t col = 0; col < n; col++) {
      float sum = 0, last = 0;
      for (size_t i = 0; i < k; i++)
        sum += last = a[row * k + i] * b[i * n + col];
      right[row * n + col] = transposed[col * m + row] = sum;
      shorter[row * n + col] = sum - last;
    }
  const auto judge = [&, m, n, k](const std::vector<float> &result, const std::string &what) {
    expect(check_matmul(result, a, b, m, n, k), result == right,
           std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k) + ": " + what);
  };
  judge(right, "right");
  judge(std::vector<float>(m * n, nan_value), "nothing written, all NaN");
  judge(std::vector<float>(m * n, 0.0f), "all zeros");
  judge(transposed, "transposed");
  judge(shorter, "K one too small");

  std::vector<float> c(right);
  const size_t step = m * n < 1000 ? 1 : m * n / 3 + 1;
  for (size_t back = 0; back < m * n; back += step) {
    const size_t at = m * n - 1 - back, next = (at + 1) % (m * n);
    const std::string element = "element " + std::to_string(at);
    for (const float wrong : {nan_value, infinity, -infinity, right[at] + 1.0f, right[at] - 0.5f,
                              std::nextafter(right[at], 1e9f), 1e30f}) {
      c[at] = wrong;
      judge(c, element + " wrong");
    }
    c[at] = right[at];
    std::swap(c[at], c[next]);
    judge(c, element + " and the next one swapped");
    std::swap(c[at], c[next]);
  }
}

// Of a large matrix not all rows are looked at, but the last one is.
static void rows() {
  const size_t m = 300, n = 130, k = 1030;
  const std::vector<float> a(m * k), b(k * n);
  for (const float last : {0.0f, 1e-30f, nan_value, infinity}) {
    std::vector<float> c(m * n);
    c.back() = last;
    expect(check_rows(c, a, b, m, n, k, 0x1p-10), last == 0.0f, "rows " + std::to_string(last));
  }
}

// What clerr_print_source says of a line of `text`.
static void shows(const std::string &text, const int line, const std::string &expected) {
  char source[] = "/tmp/common_test.XXXXXX";
  FILE *const said = tmpfile();
  const int file = mkstemp(source), before = dup(STDERR_FILENO);
  if (said == nullptr || write(file, text.data(), text.size()) < 0 ||
      dup2(fileno(said), STDERR_FILENO) < 0)
    exit(2);
  clerr_print_source(source, line);
  dup2(before, STDERR_FILENO);
  std::string got(static_cast<size_t>(lseek(fileno(said), 0, SEEK_END)), '\0');
  expect(pread(fileno(said), got.data(), got.size(), 0) >= 0 && got == expected, true,
         "line " + std::to_string(line) + " of\n" + text + "\n" + got);
  for (const int each : {file, before})
    close(each);
  fclose(said);
  remove(source);
}

int main() {
  // The checks print what they compare, thousands of lines; only what is wrong is of interest.
  if (freopen("/dev/null", "w", stdout) == nullptr)
    return 2;
  numbers();
  for (const auto &[m, n, k] : {std::array<size_t, 3>{1, 1, 1},
                                {1, 1, 64},
                                {1, 64, 1},
                                {64, 1, 1},
                                {2, 3, 4},
                                {15, 16, 17},
                                {17, 33, 65},
                                {300, 200, 100}})
    matrices(m, n, k);
  rows();

  const std::string text = "  clerr_chk(status);\n"
                           "  x = clCreateBuffer(context,\n"
                           "                     &status);\n"
                           "  clerr_chk(status);\n"
                           "  clerr_chk(clFinish(\n"
                           "      queue)";
  const std::string create = "     2 |   x = clCreateBuffer(context,\n"
                             "     3 |                      &status);\n";
  shows(text, 0, "");
  shows(text, 7, ""); // behind the last one
  shows(text, 1, "     1 |   clerr_chk(status);\n");
  shows(text, 3, create);
  shows(text, 4, create + "     4 |   clerr_chk(status);\n");
  shows(text, 5, "     5 |   clerr_chk(clFinish(\n     6 |       queue)\n");
  shows("  f(\n      0);\n", 2, "     1 |   f(\n     2 |       0);\n");
  expect(std::string(clerr_find(-12345).name) == "unknown code", true, "a code of no table");

  fprintf(stderr, "common_test: %zu cases, %zu of them wrong\n", cases, failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
