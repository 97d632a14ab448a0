// Launch geometry: which work-item does which element, and what the shape of a launch costs.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/source.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: 03-launch-geometry [N]\n"
                                 "  N  number of elements (default 1000003)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1000003, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n, 1, sizeof(cl_ulong))}, usage);

  // The launches. A kernel with one work-item for each element needs ⌈N / local size⌉ work-groups;
  // a grid-stride loop takes what it is given.
  struct launch {
    const char *kernel;
    size_t num_groups;
    size_t local_size;
  };
  const launch launches[] = {
      {"one_each", n, 1},     {"one_each", (n + 63) / 64, 64}, {"grid_stride", 1, 1},
      {"grid_stride", 1, 64}, {"grid_stride", 32, 64},         {"grid_stride", 1024, 64},
  };

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");

  // What no work-item has as its id: an element that nobody writes cannot pass.
  const cl_ulong nobody = ~cl_ulong{0};
  std::vector<cl_ulong> owner(n);
  const size_t bytes = n * sizeof(cl_ulong);
  cl_mem owner_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, nullptr, &status);
  clerr_chk(status);

  bool ok = true;
  for (const launch &shape : launches) {
    const size_t global_size = shape.num_groups * shape.local_size;
    cl_kernel kernel = clCreateKernel(program, shape.kernel, &status);
    clerr_chk(status);
    size_t max_items; // in a work-group of this kernel, on this device
    clerr_chk(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof max_items,
                                       &max_items, nullptr));
    if (shape.local_size > max_items) {
      printf("left out  %s in groups of %zu: on this device they have at most %zu work-items\n",
             shape.kernel, shape.local_size, max_items);
      clerr_chk(clReleaseKernel(kernel));
      continue;
    }
    const cl_ulong n_arg = n;
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &owner_buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_ulong), &n_arg));
    clerr_chk(clEnqueueFillBuffer(queue, owner_buffer, &nobody, sizeof nobody, 0, bytes, 0, nullptr,
                                  nullptr));

    // The fastest of five runs: the one that the machine's other work disturbed least.
    double best_ms = 0.0;
    for (int run = 0; run < 5; run++) {
      clerr_chk(clFinish(queue)); // nothing is left in the queue when the clock starts
      const auto start = std::chrono::steady_clock::now();
      clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &shape.local_size,
                                       0, nullptr, nullptr));
      clerr_chk(clFinish(queue)); // wait: the call above only puts the kernel into the queue
      const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
      best_ms = run == 0 ? ms.count() : std::min(best_ms, ms.count());
    }
    clerr_chk(clEnqueueReadBuffer(queue, owner_buffer, CL_TRUE, 0, bytes, owner.data(), 0, nullptr,
                                  nullptr));

    // Both kernels deal the elements out in turn, as one deals cards: element i to i mod global
    // size.
    size_t differ = 0;
    for (size_t i = 0; i < n; i++)
      if (owner[i] != i % global_size)
        differ++;
    printf("result    owner[%zu] = %llu\n", n - 1, static_cast<unsigned long long>(owner[n - 1]));
    printf("expected  owner[%zu] = %zu (%zu of %zu elements differ)\n", n - 1,
           (n - 1) % global_size, differ, n);
    printf("time      %s, %zu group%s of %zu: %.3f ms\n", shape.kernel, shape.num_groups,
           shape.num_groups == 1 ? "" : "s", shape.local_size, best_ms);
    ok = ok && differ == 0;
    clerr_chk(clReleaseKernel(kernel));
  }

  clerr_chk(clReleaseMemObject(owner_buffer));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
