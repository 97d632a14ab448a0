// Running totals, also called an inclusive prefix sum or scan, in three launches: each group scans
// its own elements, one group scans the groups' totals, and each group adds what comes before it.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/group_size.h"
#include "../../../common/source.h"
#include "../../../common/timing.h"

#include <cstdio>
#include <string>
#include <vector>

static const char *const usage =
    "usage: program [N]\n"
    "  N  number of elements, at most 65536, on small devices fewer (default 65000)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 65000, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel scan_groups = clCreateKernel(program, "scan_groups", &status);
  clerr_chk(status);
  cl_kernel add_before = clCreateKernel(program, "add_before", &status);
  clerr_chk(status);

  // The second launch has one group, with a work-item for each total: that limits N.
  const size_t local_size = group_size(add_before, device, group_size(scan_groups, device, 256));
  const size_t num_groups = (n + local_size - 1) / local_size;
  const size_t global_size = num_groups * local_size;
  if (num_groups > local_size)
    usage_error(usage, "too many elements: with groups of this device three launches do at most ",
                std::to_string(local_size * local_size).c_str());

  // Whole numbers below 2^15: 65,536 of them stay below 2^31, so every sum is exact. The results
  // start out as -1, which no sum can be.
  std::vector<cl_int> x(n), sums(n, -1), expected(n);
  for (size_t i = 0; i < n; i++)
    x[i] = static_cast<cl_int>(scrambled(i, 1) >> 49);
  cl_int total = -1;
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(cl_int), x.data(), &status);
  clerr_chk(status);
  cl_mem sums_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      n * sizeof(cl_int), sums.data(), &status);
  clerr_chk(status);
  cl_mem totals_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                        num_groups * sizeof(cl_int), sums.data(), &status);
  clerr_chk(status);
  cl_mem group_sums_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                            num_groups * sizeof(cl_int), sums.data(), &status);
  clerr_chk(status);
  cl_mem unused_buffer =
      clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof(cl_int), nullptr, &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  const cl_ulong num_groups_arg = num_groups;
  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    // 1. Each group scans its own elements and writes their total.
    cl_event first, last;
    clerr_chk(clSetKernelArg(scan_groups, 0, sizeof(cl_mem), &x_buffer));
    clerr_chk(clSetKernelArg(scan_groups, 1, sizeof(cl_mem), &sums_buffer));
    clerr_chk(clSetKernelArg(scan_groups, 2, sizeof(cl_mem), &totals_buffer));
    clerr_chk(clSetKernelArg(scan_groups, 3, sizeof(cl_ulong), &n_arg));
    clerr_chk(clSetKernelArg(scan_groups, 4, 2 * local_size * sizeof(cl_int), nullptr)); // local
    clerr_chk(clEnqueueNDRangeKernel(queue, scan_groups, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, &first));

    // 2. The same kernel scans those totals, with one group, whose own total nobody needs.
    clerr_chk(clSetKernelArg(scan_groups, 0, sizeof(cl_mem), &totals_buffer));
    clerr_chk(clSetKernelArg(scan_groups, 1, sizeof(cl_mem), &group_sums_buffer));
    clerr_chk(clSetKernelArg(scan_groups, 2, sizeof(cl_mem), &unused_buffer));
    clerr_chk(clSetKernelArg(scan_groups, 3, sizeof(cl_ulong), &num_groups_arg));
    clerr_chk(clEnqueueNDRangeKernel(queue, scan_groups, 1, nullptr, &local_size, &local_size, 0,
                                     nullptr, nullptr));

    // 3. Each group adds the total of all groups before it.
    clerr_chk(clSetKernelArg(add_before, 0, sizeof(cl_mem), &sums_buffer));
    clerr_chk(clSetKernelArg(add_before, 1, sizeof(cl_mem), &group_sums_buffer));
    clerr_chk(clSetKernelArg(add_before, 2, sizeof(cl_ulong), &n_arg));
    clerr_chk(clEnqueueNDRangeKernel(queue, add_before, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, &last));
    clerr_chk(clWaitForEvents(1, &last)); // the queue works in order, so the others have ended too
    times.push_back(kernels_ms(first, last));
    clerr_chk(clReleaseEvent(first));
    clerr_chk(clReleaseEvent(last));
  }
  clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, n * sizeof(cl_int), sums.data(), 0,
                                nullptr, nullptr));
  // No group adds the last group's total, so the sums would not show that it is wrong.
  clerr_chk(clEnqueueReadBuffer(queue, group_sums_buffer, CL_TRUE,
                                (num_groups - 1) * sizeof(cl_int), sizeof total, &total, 0, nullptr,
                                nullptr));

  // Where you stand without OpenCL: one core, one loop.
  std::vector<double> loop_times;
  while (more_runs(loop_times)) {
    const double start = now_ms();
    cl_int sum = 0;
    for (size_t i = 0; i < n; i++) {
      sum += x[i];
      expected[i] = sum;
    }
    loop_times.push_back(now_ms() - start);
  }

  size_t differ = 0;
  size_t shown = n - 1; // the first sum that differs, or the last one if none does
  for (size_t i = n; i-- > 0;)
    if (sums[i] != expected[i]) {
      shown = i;
      differ++;
    }
  printf("result    sums[%zu] = %d\n", shown, sums[shown]);
  printf("expected  sums[%zu] = %d (%zu of %zu sums differ)\n", shown, expected[shown], differ, n);
  printf("result    group_sums[%zu] = %d\n", num_groups - 1, total);
  printf("expected  group_sums[%zu] = %d\n", num_groups - 1, expected[n - 1]);
  const double millions = static_cast<double>(n) * 1e-6;
  print_time("plain C loop on one core", median_ms(loop_times), millions, "million elements per s");
  print_time("three launches", median_ms(times), millions, "million elements per s");

  clerr_chk(clReleaseMemObject(unused_buffer));
  clerr_chk(clReleaseMemObject(group_sums_buffer));
  clerr_chk(clReleaseMemObject(totals_buffer));
  clerr_chk(clReleaseMemObject(sums_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(add_before));
  clerr_chk(clReleaseKernel(scan_groups));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(differ == 0 && total == expected[n - 1]);
}
