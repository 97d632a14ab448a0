// build_tiles: the kernel of chapter 18, built with the largest tiles that a device can hold.
//
// Chapter 18 spells out what is done here; chapters 23 and 24 use its kernel.
#pragma once

#include "clerr.h"
#include "group_size.h"
#include "source.h"

#include <algorithm>
#include <string>

struct tiles {
  size_t bm, bn;     // the rows and columns of C that a work-group computes
  size_t local_size; // its work-items
  cl_program program;
  cl_kernel kernel;
};

// Builds `source` for matrices C of m×n elements, as sums of k products. The caller releases kernel
// and program. A device that is too small for the smallest tiles: says so; exit 1.
inline tiles build_tiles(cl_context context, cl_device_id device, const std::string &source,
                         const size_t m, const size_t n, const size_t k) {
  cl_int status;
  cl_ulong local_memory;
  size_t max_items;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_memory, &local_memory,
                            nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max_items, &max_items,
                            nullptr));
  for (size_t side = 128;; side /= 4) { // 128, 32, 8
    const size_t bk = side > 8 ? 8 : 4;
    const size_t tm = side > 32 ? 16 : 8;
    const size_t tn = 8;
    const size_t local_size = (side / tm) * (side / tn);
    const size_t tile_bytes = 2 * (side + 4 + side) * bk * sizeof(float);
    if (side > 8 && (tile_bytes > local_memory || local_size > max_items))
      continue;
    const bool edges = m % side != 0 || n % side != 0 || k % bk != 0;
    const std::string options = "-D BM=" + std::to_string(side) + " -D BN=" + std::to_string(side) +
                                " -D BK=" + std::to_string(bk) + " -D TM=" + std::to_string(tm) +
                                " -D TN=" + std::to_string(tn) + " -D EDGES=" + (edges ? "1" : "0");
    cl_program program = build_program(context, device, source, options);
    cl_kernel kernel = clCreateKernel(program, "matmul", &status);
    clerr_chk(status);
    if (group_fits(kernel, device, {local_size}))
      return {side, side, local_size, program, kernel};
    clerr_chk(clReleaseKernel(kernel));
    clerr_chk(clReleaseProgram(program));
  }
}

// The work-items of a launch that computes `rows` rows and `cols` columns of C.
inline size_t global_size_for(const tiles &t, const size_t rows, const size_t cols) {
  return (rows + t.bm - 1) / t.bm * ((cols + t.bn - 1) / t.bn) * t.local_size;
}
