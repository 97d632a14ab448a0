// Chapter 20's search: prepares, checks and times the candidates.
#pragma once

#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/source.h"
#include "../common/timing.h"
#include "shapes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// The buffers that every candidate works on. The panels hold nothing where no candidate has any.
struct buffers {
  cl_mem a, b, c, a_panels, b_panels;
};

// A kernel with its arguments, ready to be launched.
struct launch {
  cl_kernel kernel;
  cl_uint dims;
  size_t global_size[2], local_size[2];
};

// A candidate: its launches in their order. With panels three of them, else one.
struct candidate {
  cl_program program;
  std::vector<launch> launches;
};

inline candidate prepare(cl_context context, cl_device_id device, const std::string &source,
                         const shape &s, const buffers &buf, const size_t m, const size_t n,
                         const size_t k) {
  const bool edges = m % s.bm != 0 || n % s.bn != 0 || k % s.bk != 0;
  const std::string options = // constants for the compiler
      std::string("-D PANELS=") + (s.panels ? "1" : "0") + " -D BM=" + std::to_string(s.bm) +
      " -D BN=" + std::to_string(s.bn) + " -D BK=" + std::to_string(s.bk) +
      " -D TM=" + std::to_string(s.tm) + " -D TN=" + std::to_string(s.tn) +
      " -D WIDTH=" + std::to_string(s.width) + " -D EDGES=" + (edges && !s.panels ? "1" : "0");
  candidate one = {build_program(context, device, source, options), {}};
  // Adds a launch; the kernel's arguments are the buffers and then the sizes.
  const auto add = [&](const char *name, const std::vector<cl_mem> &mems,
                       const std::vector<size_t> &sizes, launch l) {
    cl_int status;
    l.kernel = clCreateKernel(one.program, name, &status);
    clerr_chk(status);
    cl_uint at = 0;
    for (const cl_mem mem : mems)
      clerr_chk(clSetKernelArg(l.kernel, at++, sizeof(cl_mem), &mem));
    for (const size_t size : sizes) {
      const cl_uint size_32 = static_cast<cl_uint>(size);
      clerr_chk(clSetKernelArg(l.kernel, at++, sizeof(cl_uint), &size_32));
    }
    one.launches.push_back(l);
  };
  const size_t local_size = s.panels ? 1 : (s.bm / s.tm) * (s.bn / s.tn);
  const size_t groups = (m + s.bm - 1) / s.bm * ((n + s.bn - 1) / s.bn);
  if (s.panels) {
    const size_t steps = (k + panel_step - 1) / panel_step;
    add("pack_a", {buf.a, buf.a_panels}, {m, k},
        {nullptr, 2, {steps, (m + s.tm - 1) / s.tm}, {1, 1}});
    add("pack_b", {buf.b, buf.b_panels}, {n, k},
        {nullptr, 2, {(n + s.tn - 1) / s.tn, steps}, {1, 1}});
  }
  add("matmul", {s.panels ? buf.a_panels : buf.a, s.panels ? buf.b_panels : buf.b, buf.c},
      {m, n, k}, {nullptr, 1, {groups * local_size, 1}, {local_size, 1}});
  return one;
}

// What a run took, in milliseconds.
struct run_times {
  double host;   // on the host's clock, which every device has
  double device; // from the first launch's start to the last one's end; NAN if none is reported
  double pack;   // of this, until the last launch starts; 0 where that is the only one
};

// Runs a candidate once.
inline run_times run(cl_command_queue queue, const candidate &one) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<cl_event> events(one.launches.size());
  for (size_t i = 0; i < events.size(); i++) {
    const launch &l = one.launches[i];
    clerr_chk(clEnqueueNDRangeKernel(queue, l.kernel, l.dims, nullptr, l.global_size, l.local_size,
                                     0, nullptr, &events[i]));
  }
  clerr_chk(clWaitForEvents(1, &events.back()));
  run_times times;
  times.host =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  times.device = kernels_ms(events.front(), events.back());
  times.pack = events.size() == 1 ? 0 : times.device - kernel_ms(events.back());
  for (const cl_event event : events)
    clerr_chk(clReleaseEvent(event));
  return times;
}

inline void release(const candidate &one) {
  for (const launch &l : one.launches)
    clerr_chk(clReleaseKernel(l.kernel));
  clerr_chk(clReleaseProgram(one.program));
}

// Returns the fastest candidate for an m×n×k product of the first elements of `a` and `b`, which
// are in their buffers already. Shows on standard error where it is. Uses the host's clock, which
// tells times on every device.
inline shape search(cl_context context, cl_device_id device, cl_command_queue queue,
                    const std::string &source, const std::vector<shape> &list, const buffers &buf,
                    const std::vector<float> &a, const std::vector<float> &b, const size_t m,
                    const size_t n, const size_t k) {
  const product_check check = expect_product(a, b, m, n, k);
  const float poison = NAN;
  std::vector<float> c(m * n);
  const double gflop =
      2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  struct entry {
    shape s;
    candidate one;
    double fastest; // run, in ms on the host's clock; INFINITY for a wrong result
  };
  std::vector<entry> tried; // the fastest first
  const auto faster = [](const entry &x, const entry &y) { return x.fastest < y.fastest; };
  const auto show = [&](const int round, const size_t at, const size_t of, const entry &e) {
    fprintf(stderr, "search    round %d, %zu of %zu: %s: ", round, at, of, shape_text(e.s).c_str());
    if (std::isinf(e.fastest))
      fprintf(stderr, "WRONG, left out\n");
    else
      fprintf(stderr, "%.1f GFLOP/s%s\n", gflop / (e.fastest * 1e-3),
              e.fastest <= tried[0].fastest ? ", the best so far" : "");
  };

  // Round 1: all of them.
  for (size_t i = 0; i < list.size(); i++) {
    entry e = {list[i], prepare(context, device, source, list[i], buf, m, n, k), INFINITY};
    clerr_chk(clEnqueueFillBuffer(queue, buf.c, &poison, sizeof poison, 0, c.size() * sizeof(float),
                                  0, nullptr, nullptr));
    clerr_chk(clFinish(queue));
    run(queue, e.one); // the warm-up, and what is checked
    clerr_chk(clEnqueueReadBuffer(queue, buf.c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                  nullptr, nullptr));
    const bool right = product_is_right(check, c);
    for (int timed = 0; right && timed < 5; timed++) {
      e.fastest = std::min(e.fastest, run(queue, e.one).host);
      if (!tried.empty() && e.fastest > 3 * tried[0].fastest)
        break; // far behind
    }
    tried.insert(std::upper_bound(tried.begin(), tried.end(), e, faster), e);
    show(1, i + 1, list.size(), e);
  }

  // Round 2: the best four once more, in turns, so that a moment in which the machine was busy
  // with something else does not decide.
  const size_t last = std::min<size_t>(4, tried.size());
  for (int turn = 0; turn < 5; turn++)
    for (size_t i = 0; i < last; i++)
      if (!std::isinf(tried[i].fastest))
        tried[i].fastest = std::min(tried[i].fastest, run(queue, tried[i].one).host);
  std::sort(tried.begin(), tried.end(), faster);
  for (size_t i = 0; i < last; i++)
    show(2, i + 1, last, tried[i]);
  for (const entry &e : tried)
    release(e.one);
  if (tried.empty() || std::isinf(tried[0].fastest)) {
    fprintf(stderr, tried.empty() ? "no candidate fits this device\n"
                                  : "no candidate computes the right product on this device\n");
    exit(EXIT_FAILURE);
  }
  return tried[0].s;
}
