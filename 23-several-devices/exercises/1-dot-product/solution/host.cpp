// Dot product on two devices: each has a piece of the vectors; the host adds what they bring.
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

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements (default 1000003)\n";

struct worker {
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem a_buffer, b_buffer, sums_buffer;
  size_t first, end; // its piece of the vectors: from `first` up to, and without, `end`
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
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1000003, usage);
  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n)}, usage);

  std::vector<float> a(n), b(n);
  fill_whole(a, 1);
  fill_whole(b, 2);
  const size_t local_size = 32, num_groups = 8;
  const size_t global_size = num_groups * local_size;
  std::vector<cl_device_id> devices = two_devices(device);
  std::vector<worker> workers(2);
  cl_int status;
  for (size_t i = 0; i < workers.size(); i++) {
    worker &w = workers[i];
    w.first = n * i / 2;
    w.end = n * (i + 1) / 2;
    // A buffer has at least one element, also where the piece has none.
    const size_t bytes = std::max<size_t>(1, w.end - w.first) * sizeof(float);
    w.context = clCreateContext(nullptr, 1, &devices[i], nullptr, nullptr, &status);
    clerr_chk(status);
    w.queue = clCreateCommandQueue(w.context, devices[i], 0, &status);
    clerr_chk(status);
    w.program = build_program(w.context, devices[i], load_source("kernel.cl"), "");
    w.kernel = clCreateKernel(w.program, "dot_product", &status);
    clerr_chk(status);
    w.a_buffer = clCreateBuffer(w.context, CL_MEM_READ_ONLY, bytes, nullptr, &status);
    clerr_chk(status);
    w.b_buffer = clCreateBuffer(w.context, CL_MEM_READ_ONLY, bytes, nullptr, &status);
    clerr_chk(status);
    w.sums_buffer =
        clCreateBuffer(w.context, CL_MEM_WRITE_ONLY, num_groups * sizeof(float), nullptr, &status);
    clerr_chk(status);
    if (w.end > w.first) {
      clerr_chk(clEnqueueWriteBuffer(w.queue, w.a_buffer, CL_TRUE, 0, bytes, &a[w.first], 0,
                                     nullptr, nullptr));
      clerr_chk(clEnqueueWriteBuffer(w.queue, w.b_buffer, CL_TRUE, 0, bytes, &b[w.first], 0,
                                     nullptr, nullptr));
    }
    const cl_ulong n_arg = w.end - w.first;
    clerr_chk(clSetKernelArg(w.kernel, 0, sizeof(cl_mem), &w.a_buffer));
    clerr_chk(clSetKernelArg(w.kernel, 1, sizeof(cl_mem), &w.b_buffer));
    clerr_chk(clSetKernelArg(w.kernel, 2, sizeof(cl_mem), &w.sums_buffer));
    clerr_chk(clSetKernelArg(w.kernel, 3, sizeof(cl_ulong), &n_arg));
    clerr_chk(clSetKernelArg(w.kernel, 4, local_size * sizeof(float), nullptr));
  }

  for (worker &w : workers) {
    clerr_chk(clEnqueueNDRangeKernel(w.queue, w.kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, nullptr));
    clerr_chk(clFlush(w.queue));
  }
  double result = 0;
  for (worker &w : workers) {
    std::vector<float> sums(num_groups, NAN);
    clerr_chk(clEnqueueReadBuffer(w.queue, w.sums_buffer, CL_TRUE, 0, num_groups * sizeof(float),
                                  sums.data(), 0, nullptr, nullptr));
    for (const float sum : sums)
      result += static_cast<double>(sum);
  }

  double expected = 0;
  for (size_t i = 0; i < n; i++)
    expected += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  const bool ok = check_equal(result, expected);

  for (size_t i = 0; i < workers.size(); i++) {
    clerr_chk(clReleaseMemObject(workers[i].sums_buffer));
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
