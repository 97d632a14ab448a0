// group_fits, group_size: how large a work-group of a kernel can be on the device in use.
//
// Chapter 03 spells out the question; a device's answer differs from kernel to kernel.
#pragma once

#include "clerr.h"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

// Can work-groups of this kernel have `local_size` work-items, dimension by dimension, on this
// device? That takes as many as the kernel can have there, no more than the device allows in a
// dimension, and local memory for what the kernel declares. If not even one work-item fits: says
// so; exit 1.
inline bool group_fits(cl_kernel kernel, cl_device_id device,
                       const std::initializer_list<size_t> local_size,
                       const char *file = __builtin_FILE(), const int line = __builtin_LINE()) {
  size_t max_items, bytes;
  cl_ulong used, local_memory;
  clerr_chk(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof max_items,
                                     &max_items, nullptr),
            file, line);
  clerr_chk(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof used, &used,
                                     nullptr),
            file, line);
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_memory, &local_memory,
                            nullptr),
            file, line);
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, 0, nullptr, &bytes), file, line);
  std::vector<size_t> max_sizes(bytes / sizeof(size_t)); // one for each dimension, at least three
  clerr_chk(
      clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, bytes, max_sizes.data(), nullptr),
      file, line);
  size_t items = 1, dimension = 0;
  bool fits = used <= local_memory;
  for (const size_t size : local_size) {
    fits = fits && size <= max_sizes[dimension++];
    items *= size;
  }
  fits = fits && items <= max_items;
  if (!fits && items == 1) {
    fflush(stdout);
    fprintf(stderr,
            "this device is too small for the kernel: %llu bytes of local memory, where it needs "
            "%llu; at most %zu work-items in a group\n",
            static_cast<unsigned long long>(local_memory), static_cast<unsigned long long>(used),
            max_items);
    exit(EXIT_FAILURE);
  }
  return fits;
}

// Returns `wanted`, a power of two, or half of it, again and again, until a work-group of this
// kernel can have so many work-items on this device: the local size of a launch in one dimension.
inline size_t group_size(cl_kernel kernel, cl_device_id device, size_t wanted,
                         const char *file = __builtin_FILE(), const int line = __builtin_LINE()) {
  while (!group_fits(kernel, device, {wanted}, file, line))
    wanted /= 2;
  return wanted;
}
