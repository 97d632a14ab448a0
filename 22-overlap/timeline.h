// When each command ran, by its event, as an SVG.
#pragma once

#include "../common/args.h"
#include "../common/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

// A command of piece `piece`, of one of three kinds; its times in nanoseconds, on the device's
// clock.
struct bar {
  size_t kind, piece;
  cl_ulong start, end;
};

// Asks a finished command when it ran; where the device reports no times, there is no bar.
inline void note(std::vector<bar> &bars, const size_t kind, const size_t piece, cl_event event) {
  bar now = {kind, piece, 0, 0};
  if (std::isnan(kernel_ms(event)))
    return;
  clerr_chk(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof now.start, &now.start,
                                    nullptr));
  clerr_chk(
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof now.end, &now.end, nullptr));
  bars.push_back(now);
}

// The milliseconds that all commands of a kind took, one by one; NAN if there are no times.
inline double sum_ms(const std::vector<bar> &bars, const size_t kind) {
  double ms = bars.empty() ? NAN : 0;
  for (const bar &each : bars)
    ms += each.kind == kind ? static_cast<double>(each.end - each.start) * 1e-6 : 0;
  return ms;
}

// Before anything is computed: can the drawing be written, and is it not the file that is to be
// read? Otherwise exit 2.
inline void check_drawing(const char *path, const char *input, const char *usage) {
  std::error_code error;
  if (path != nullptr && input != nullptr && std::filesystem::equivalent(path, input, error))
    usage_error(usage, "the timeline would overwrite the numbers: ", path);
  if (path != nullptr && !std::ofstream(path, std::ios::app)) // what is there stays, so far
    usage_error(usage, "the timeline cannot be written to ", path);
}

// Draws the first pieces: a row for each kind of command, time from left to right. No times, or a
// full disk: says so; exit 1.
inline void draw(const char *path, const std::vector<bar> &bars, const size_t num_queues) {
  constexpr size_t most_pieces = 12;
  const char *const kinds[] = {"copies", "kernels", "results"};
  const char *const colours[] = {"#2a6db0", "#c8641e", "#3a8a4a"};
  cl_ulong first = ~cl_ulong{0};
  cl_ulong last = 0;
  for (const bar &each : bars)
    if (each.piece < most_pieces) {
      first = std::min(first, each.start);
      last = std::max(last, each.end);
    }
  const double all_ms = static_cast<double>(last - first) * 1e-6;
  const double scale = 800 / all_ms; // the drawing is 900 wide, and time begins at 80

  std::ofstream svg(path);
  svg << R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 190" )"
      << R"(font-family="sans-serif" font-size="13"><rect width="900" height="190" fill="white"/>)";
  for (size_t kind = 0; kind < 3; kind++)
    svg << R"(<text x="8" y=")" << 36 + 34 * kind << R"(">)" << kinds[kind] << "</text>";
  for (const bar &each : bars)
    if (each.piece < most_pieces) {
      const double start = static_cast<double>(each.start - first) * 1e-6;
      const double ms = static_cast<double>(each.end - each.start) * 1e-6;
      const double width = std::max(1.5, scale * ms); // a result takes next to no time
      svg << R"(<rect x=")" << 80 + scale * start << R"(" y=")" << 16 + 34 * each.kind
          << R"(" width=")" << width << R"(" height="28" fill=")" << colours[each.kind]
          << R"(" fill-opacity=")" << (each.piece % 2 == 0 ? 1 : 0.5) << R"("><title>piece )"
          << each.piece << "</title></rect>";
    }

  // The axis: ticks at 1, 2 or 5 times a power of ten, ten of them at most.
  double tick = std::pow(10.0, std::floor(std::log10(all_ms / 10)));
  for (const double larger : {2.0, 2.5, 2.0})
    if (all_ms / tick > 10)
      tick *= larger;
  svg << R"(<path d="M80 124H880" stroke="black"/><text x="8" y="143">ms</text>)";
  for (int i = 0; i * tick <= all_ms; i++) {
    const double x = 80 + scale * i * tick;
    svg << R"(<path d="M)" << x << R"( 124v5" stroke="black"/>)";
    svg << R"(<text x=")" << x << R"(" y="143" text-anchor="middle">)" << i * tick << "</text>";
  }
  svg << R"(<text x="80" y="172">)" << num_queues << (num_queues == 1 ? " queue" : " queues")
      << ": the first pieces, " << all_ms << " ms; every second piece is pale</text></svg>\n";
  svg.close();
  if (svg && !bars.empty())
    return;
  const char *const why = bars.empty() ? "this device reports no times" : "it cannot be written";
  fflush(stdout);
  fprintf(stderr, "no timeline in %s: %s\n", path, why);
  exit(EXIT_FAILURE);
}
