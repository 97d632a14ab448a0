// The device that a process takes, and everything of OpenCL that it needs there.
#pragma once

#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

// The work-groups of the dot product: 32 as in chapter 06, and more where one of them would add
// more than 2^20 squares. Of so many, none above 16, a float holds the sum exactly.
inline size_t groups_for(const size_t elements) {
  return std::max<size_t>(32, (elements + (1 << 20) - 1) >> 20);
}

// PoCL keeps compiled kernels in a folder, and before version 6 two processes that compile the same
// kernel into the same folder at once may fail. So each process but the first has one of its own.
// To be called before anything of OpenCL.
inline void keep_caches_apart(const int rank) {
  if (rank == 0)
    return;
  const char *own = getenv("POCL_CACHE_DIR"), *cache = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  const std::string folder = own != nullptr ? own
                             : cache != nullptr
                                 ? std::string(cache) + "/pocl/kcache"
                                 : std::string(home ? home : ".") + "/.cache/pocl/kcache";
  setenv("POCL_CACHE_DIR", (folder + "-rank-" + std::to_string(rank)).c_str(), 1);
}

// Of the devices that are as good as the one that pick_device takes (on its platform, of its type,
// and OCL_DEVICE fits them), the one whose turn it is: four processes on a machine with four GPUs
// have one each; with one GPU, all of them that one.
inline cl_device_id local_device(const int local_rank) {
  const cl_device_id best = pick_device();
  const char *env = getenv("OCL_DEVICE");
  const std::string wish = env == nullptr ? "" : env;
  const cl_device_type other = CL_DEVICE_TYPE_DEFAULT; // a bit that one of several GPUs may have
  std::vector<cl_device_id> alike;
  const std::vector<cl_platform_id> platforms = all_platforms();
  for (size_t p = 0; p < platforms.size(); p++) {
    const std::vector<cl_device_id> devices = all_devices(platforms[p]);
    if (std::find(devices.begin(), devices.end(), best) == devices.end())
      continue;
    for (size_t d = 0; d < devices.size(); d++)
      if (device_answers(devices[d], p, d) &&
          (device_type(devices[d]) | other) == (device_type(best) | other) &&
          (wish.empty() ? usable(devices[d], p, d) : device_matches(devices[d], p, d, wish)))
        alike.push_back(devices[d]);
  }
  if (alike.empty()) // its platform lists it no longer
    return best;
  return alike[static_cast<size_t>(local_rank) % alike.size()];
}

struct worker {
  cl_context context;
  cl_command_queue queue;
  cl_program program, dot_program;
  cl_kernel dot, matmul;
  size_t tile, wpt; // of matmul, as in chapter 10
  cl_mem a, sums;   // of the dot product: this process's block of A; a sum for each group
  cl_mem a_panel, b_panel,
      c; // of the matrix product: a panel of A and of B; this process's block of C
};

// A buffer of so many floats, copies of those at `from` where that is no nullptr; OpenCL has none
// without any, so at least of one.
inline cl_mem make_buffer(cl_context context, const cl_mem_flags flags, const size_t floats,
                          const float *from, const char *file = __builtin_FILE(),
                          const int line = __builtin_LINE()) {
  cl_int status;
  const bool copy = from != nullptr && floats > 0;
  cl_mem buffer = clCreateBuffer(context, flags | (copy ? CL_MEM_COPY_HOST_PTR : 0),
                                 std::max<size_t>(1, floats) * sizeof(float),
                                 copy ? const_cast<float *>(from) : nullptr, &status);
  clerr_chk(status, file, line);
  return buffer;
}

// Does what every chapter does: context, queue, kernels, and buffers with copies of `a`, `sums` and
// `c`, and for panels of so many floats.
inline worker set_up(cl_device_id device, const std::vector<float> &a,
                     const std::vector<float> &sums, const size_t a_panel, const size_t b_panel,
                     const std::vector<float> &c) {
  cl_int status;
  worker w = {};
  w.context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  w.queue = clCreateCommandQueue(w.context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const std::string source = load_source("kernel.cl");
  for (w.tile = 32;; w.tile /= 2) {
    w.wpt = std::max<size_t>(1, w.tile / 4);
    const std::string options =
        "-D TILE=" + std::to_string(w.tile) + " -D WPT=" + std::to_string(w.wpt);
    w.program = build_program(w.context, device, source, options);
    w.matmul = clCreateKernel(w.program, "matmul", &status);
    clerr_chk(status);
    if (group_fits(w.matmul, device, {w.tile, w.tile / w.wpt}))
      break;
    clerr_chk(clReleaseKernel(w.matmul));
    clerr_chk(clReleaseProgram(w.program));
  }
  w.dot_program = build_program(w.context, device, load_source("dot.cl"), "");
  w.dot = clCreateKernel(w.dot_program, "dot_product", &status);
  clerr_chk(status);
  w.a = make_buffer(w.context, CL_MEM_READ_ONLY, a.size(), a.data());
  w.sums = make_buffer(w.context, CL_MEM_WRITE_ONLY, sums.size(), sums.data());
  w.a_panel = make_buffer(w.context, CL_MEM_READ_ONLY, a_panel, nullptr);
  w.b_panel = make_buffer(w.context, CL_MEM_READ_ONLY, b_panel, nullptr);
  w.c = make_buffer(w.context, CL_MEM_READ_WRITE, c.size(), c.data());
  return w;
}

// Releases what set_up made.
inline void tear_down(const worker &w) {
  clerr_chk(clReleaseMemObject(w.c));
  clerr_chk(clReleaseMemObject(w.b_panel));
  clerr_chk(clReleaseMemObject(w.a_panel));
  clerr_chk(clReleaseMemObject(w.sums));
  clerr_chk(clReleaseMemObject(w.a));
  clerr_chk(clReleaseKernel(w.dot));
  clerr_chk(clReleaseKernel(w.matmul));
  clerr_chk(clReleaseProgram(w.dot_program));
  clerr_chk(clReleaseProgram(w.program));
  clerr_chk(clReleaseCommandQueue(w.queue));
  clerr_chk(clReleaseContext(w.context));
}
