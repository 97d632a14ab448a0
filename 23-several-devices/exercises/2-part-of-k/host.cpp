// Matrix product on two devices: each multiplies a part of K, and the host adds two matrices.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/group_size.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage =
    "usage: program [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 256; one number: square)\n";

struct worker {
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem a_buffer, b_buffer, c_buffer;
};

// Two sub-devices; where the device cannot be divided, the same twice: two contexts have nothing
// in common in either case.
static std::vector<cl_device_id> two_devices(cl_device_id device) {
  cl_uint units;
  size_t bytes;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, 0, nullptr, &bytes));
  std::vector<cl_device_partition_property> ways(bytes / sizeof(cl_device_partition_property));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, bytes, ways.data(), nullptr));
  if (units < 2 || std::count(ways.begin(), ways.end(), CL_DEVICE_PARTITION_BY_COUNTS) == 0)
    return {device, device};
  const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, units / 2,
                                                 units - units / 2,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  std::vector<cl_device_id> devices(2);
  clerr_chk(clCreateSubDevices(device, halves, 2, devices.data(), nullptr));
  return devices;
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 256, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, m, usage);
  cl_device_id device = pick_device();
  print_device(device);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  const double a_bytes = buffer_bytes(m, k), b_bytes = buffer_bytes(k, n);
  const double c_bytes = buffer_bytes(m, n);
  check_memory(device, {a_bytes, b_bytes, c_bytes, a_bytes, b_bytes, c_bytes}, usage);

  std::vector<float> a(m * k), b(k * n), c(m * n, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);
  const size_t local_size[2] = {4, 4};
  const size_t global_size[2] = {(n + 3) / 4 * 4, (m + 3) / 4 * 4};
  std::vector<cl_device_id> devices = two_devices(device);
  std::vector<worker> workers(2);
  cl_int status;
  for (size_t i = 0; i < workers.size(); i++) {
    worker &w = workers[i];
    w.context = clCreateContext(nullptr, 1, &devices[i], nullptr, nullptr, &status);
    clerr_chk(status);
    w.queue = clCreateCommandQueue(w.context, devices[i], 0, &status);
    clerr_chk(status);
    w.program = build_program(w.context, devices[i], load_source("kernel.cl"), "");
    w.kernel = clCreateKernel(w.program, "matmul_part", &status);
    clerr_chk(status);
    w.a_buffer = clCreateBuffer(w.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                a.size() * sizeof(float), a.data(), &status);
    clerr_chk(status);
    w.b_buffer = clCreateBuffer(w.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                b.size() * sizeof(float), b.data(), &status);
    clerr_chk(status);
    w.c_buffer = clCreateBuffer(w.context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                c.size() * sizeof(float), c.data(), &status);
    clerr_chk(status);
    const cl_ulong sizes[3] = {m, n, k};
    // TODO: which part of K?
    const cl_ulong first_k = 0;
    const cl_ulong end_k = k;
    clerr_chk(clSetKernelArg(w.kernel, 0, sizeof(cl_mem), &w.a_buffer));
    clerr_chk(clSetKernelArg(w.kernel, 1, sizeof(cl_mem), &w.b_buffer));
    clerr_chk(clSetKernelArg(w.kernel, 2, sizeof(cl_mem), &w.c_buffer));
    for (cl_uint s = 0; s < 3; s++)
      clerr_chk(clSetKernelArg(w.kernel, 3 + s, sizeof(cl_ulong), &sizes[s]));
    clerr_chk(clSetKernelArg(w.kernel, 6, sizeof(cl_ulong), &first_k));
    clerr_chk(clSetKernelArg(w.kernel, 7, sizeof(cl_ulong), &end_k));
  }

  for (worker &w : workers) {
    clerr_chk(clEnqueueNDRangeKernel(w.queue, w.kernel, 2, nullptr, global_size, local_size, 0,
                                     nullptr, nullptr));
    clerr_chk(clFlush(w.queue));
  }
  for (worker &w : workers)
    clerr_chk(clFinish(w.queue));
  // TODO: C is the sum of what the two have computed.
  const bool ok = check_matmul(c, a, b, m, n, k);

  for (size_t i = 0; i < workers.size(); i++) {
    clerr_chk(clReleaseMemObject(workers[i].c_buffer));
    clerr_chk(clReleaseMemObject(workers[i].b_buffer));
    clerr_chk(clReleaseMemObject(workers[i].a_buffer));
    clerr_chk(clReleaseKernel(workers[i].kernel));
    clerr_chk(clReleaseProgram(workers[i].program));
    clerr_chk(clReleaseCommandQueue(workers[i].queue));
    clerr_chk(clReleaseContext(workers[i].context));
    if (devices[i] != device)
      clerr_chk(clReleaseDevice(devices[i]));
  }
  return verdict(ok);
}
