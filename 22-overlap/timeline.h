// When each command ran, by its event, as an SVG.
#pragma once

#include "../common/args.h"
#include "../common/timing.h"

#include <algorithm>
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
  constexpr double left = 80, width = 800, height = 34;
  const char *const kinds[] = {"copies", "kernels", "results"};
  const char *const colours[] = {"#2a6db0", "#c8641e", "#3a8a4a"};
  cl_ulong first = ~cl_ulong{0}, last = 0;
  for (const bar &each : bars)
    if (each.piece < most_pieces) {
      first = std::min(first, each.start);
      last = std::max(last, each.end);
    }
  std::ofstream svg(path);
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 160\" "
         "font-family=\"sans-serif\" font-size=\"13\">\n"
         "<rect width=\"900\" height=\"160\" fill=\"white\"/>\n";
  for (size_t kind = 0; kind < 3; kind++)
    svg << "<text x=\"8\" y=\"" << 36 + height * static_cast<double>(kind) << "\">" << kinds[kind]
        << "</text>\n";
  for (const bar &each : bars) {
    if (each.piece >= most_pieces)
      continue;
    const double scale = width / static_cast<double>(last - first);
    const double x = left + scale * static_cast<double>(each.start - first);
    const double y = 16 + height * static_cast<double>(each.kind);
    svg << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\""
        << scale * static_cast<double>(each.end - each.start)
        << "\" height=\"28\" stroke=\"white\" stroke-width=\"0.5\" fill=\"" << colours[each.kind]
        << "\" fill-opacity=\"" << (each.piece % 2 == 0 ? "1" : "0.6") << "\"><title>piece "
        << each.piece << "</title></rect>\n";
  }
  svg << "<text x=\"80\" y=\"145\">" << num_queues << (num_queues == 1 ? " queue" : " queues")
      << ": the first pieces, " << static_cast<double>(last - first) * 1e-6
      << " ms</text>\n</svg>\n";
  svg.close();
  if (svg && !bars.empty())
    return;
  fflush(stdout);
  fprintf(stderr, "no timeline in %s: %s\n", path,
          bars.empty() ? "this device reports no times" : "it cannot be written");
  exit(EXIT_FAILURE);
}
