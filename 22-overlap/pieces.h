// Where the numbers come from, piece by piece: made here, or from a file.
#pragma once

#include "../common/args.h"
#include "../common/compare.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

// Two vectors, of which only pieces are ever in memory: so many elements of a, and those of b that
// belong to them.
struct pieces {
  size_t n;           // elements of each vector,
  size_t piece;       // and of a piece; the last one may be shorter
  const char *name;   // of the file that has them; null: they are made here
  std::ifstream file; // n floats of a, then n of b, as this machine keeps them
  size_t room;        // floats of the host's memory that they need
  float *memory;      // so many
};

// Made numbers: each piece begins at another of so many places, which are so many floats apart.
constexpr size_t places = 4096;
constexpr size_t apart = 16;

// How many elements each vector of a file has. One that is not there, is no file, or was cut off in
// the middle of a number: exit 2.
inline size_t elements_of_file(const char *name, const char *usage) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(name, error) || !std::ifstream(name, std::ios::binary))
    usage_error(usage, "not a file that can be read: ", name);
  const uintmax_t bytes = std::filesystem::file_size(name, error);
  if (bytes == 0 || bytes % (2 * sizeof(float)) != 0)
    usage_error(usage, "not two vectors of floats, or cut off: ",
                (name + (", of " + std::to_string(bytes) + " bytes")).c_str());
  return static_cast<size_t>(bytes / (2 * sizeof(float)));
}

// Takes N and PIECE from the command line. N must be that of the file, if there is one:
// exit 2 if it is not. `name`: the file's, or null; `slots`: how many pieces the host is to have at
// a time.
inline pieces pieces_asked_for(const int argc, char **argv, const char *name, const size_t slots,
                               const char *usage) {
  check_args(argc, argv, 3, usage);
  const size_t there = name == nullptr ? 16777216 : elements_of_file(name, usage);
  const size_t n = size_arg(argc, argv, 1, there, usage);
  const size_t piece = std::min(n, size_arg(argc, argv, 2, 1048576, usage));
  if (n > size_t{1} << 49) // 16 times as much is 2^53
    usage_error(usage, "too large for this program: a double may round the sum, beyond 2^49", "");
  if (name == nullptr)
    return {n, piece, name, {}, 2 * piece + places * apart, nullptr};
  if (there != n)
    usage_error(usage, "cut off, or of another N: ",
                (name + (", with vectors of " + std::to_string(there) + " floats")).c_str());
  return {n, piece, name, std::ifstream(name, std::ios::binary), 2 * piece * slots, nullptr};
}

// Hands over the host's memory, and makes the numbers there, if they are made: whole ones, whose
// sums a float holds exactly.
inline void prepare(pieces &from, void *memory) {
  from.memory = static_cast<float *>(memory);
  std::vector<float> numbers(from.name == nullptr ? from.room : 0);
  fill_whole(numbers, 1);
  std::copy(numbers.begin(), numbers.end(), from.memory);
}

// The number of elements in piece `p`.
inline size_t length_of(const pieces &from, const size_t p) {
  return std::min(from.piece, from.n - p * from.piece);
}

// Reads floats of the file, the first one being number `first`. A file that has become shorter:
// exit 1.
inline void read_floats(pieces &from, const size_t first, const size_t count, float *to) {
  from.file.clear();
  from.file.seekg(static_cast<std::streamoff>(first) * static_cast<std::streamoff>(sizeof(float)));
  from.file.read(reinterpret_cast<char *>(to), static_cast<std::streamsize>(count * sizeof(float)));
  if (from.file)
    return;
  fflush(stdout);
  fprintf(stderr, "%s: cannot be read from float %zu on\n", from.name, first);
  _Exit(EXIT_FAILURE); // as clerr_chk: the device may still be at work
}

// Where piece `p` lies in the host's memory: its elements of a, then those of b. From a file, it is
// read now, into `slot`. Made numbers are there already, at another place for each piece, so that
// no time goes into making them, and none of 4,096 pieces is like another.
inline const float *piece_of(pieces &from, const size_t p, const size_t slot) {
  if (from.name == nullptr)
    return from.memory + apart * (p % places);
  float *const to = from.memory + slot * 2 * from.piece;
  const size_t length = length_of(from, p);
  read_floats(from, p * from.piece, length, to);
  read_floats(from, from.n + p * from.piece, length, to + length);
  return to;
}

// What the host computes, in double: the dot product, and the sum of the products' magnitudes.
struct expectation {
  double sum, magnitudes;
};

// Adds a piece.
inline void add_expected(expectation &expected, const float *piece, const size_t length) {
  for (size_t i = 0; i < length; i++) {
    const double product = static_cast<double>(piece[i]) * static_cast<double>(piece[length + i]);
    expected.sum += product;
    expected.magnitudes += std::fabs(product);
  }
}

// Is `result` right? A file may have an infinity or a NaN in it, and then so must the sum: compared
// with a bound, no NaN would ever be right, and next to an infinity everything.
inline bool agrees(const double result, const double expected, const double allowed) {
  if (std::isnan(expected))
    return std::isnan(result);
  if (std::isinf(expected))
    return result == expected;
  return std::fabs(result - expected) <= allowed;
}

// Checks the dot products of all runs, and prints one that is wrong, if one is. Made numbers must
// give the very sum. Of others, a work-item adds its share of a piece, and its group adds up in
// log2(local_size) steps: so many roundings at most, for what the host adds to that in double is
// off by next to nothing.
inline bool check_totals(const pieces &from, const expectation &expected,
                         const std::vector<double> &totals, const size_t global_size,
                         const size_t local_size) {
  const double roundings = static_cast<double>((from.piece + global_size - 1) / global_size) +
                           std::log2(static_cast<double>(local_size));
  double allowed = 0.0;
  if (from.name != nullptr)
    allowed = roundings * FLT_EPSILON * expected.magnitudes;
  double result = totals[0];
  for (const double total : totals)
    if (!agrees(total, expected.sum, allowed))
      result = total;
  if (from.name != nullptr && std::isfinite(expected.sum))
    return check_close(result, expected.sum, allowed);
  check_equal(result, expected.sum); // prints both
  return agrees(result, expected.sum, allowed);
}
