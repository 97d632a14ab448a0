// Keep the elements that are greater than 0, one after the other, in any order.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements (default 16777216)\n";

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 16777216, usage);
  const size_t local_size = 64;
  const size_t global_size = (n + local_size - 1) / local_size * local_size;

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "keep_positive", &status);
  clerr_chk(status);

  std::vector<float> x(n), kept(n, NAN), expected;
  fill_real(x, 1);
  for (size_t i = 5; i < n; i += 7)
    x[i] = 0.0f; // which is not greater than 0
  for (const float value : x)
    if (value > 0.0f)
      expected.push_back(value);
  cl_uint count = 0;
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), x.data(), &status);
  clerr_chk(status);
  cl_mem kept_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      n * sizeof(float), kept.data(), &status);
  clerr_chk(status);
  cl_mem count_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       sizeof count, &count, &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &kept_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &count_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &n_arg));
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, count_buffer, CL_TRUE, 0, sizeof count, &count, 0, nullptr,
                                nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, kept_buffer, CL_TRUE, 0, n * sizeof(float), kept.data(), 0,
                                nullptr, nullptr));

  printf("result    count = %u\nexpected  count = %zu\n", count, expected.size());
  bool ok = count == expected.size();
  if (!expected.empty()) {
    // Any order is right, so both are sorted; what nobody wrote (NaN) comes first.
    kept.resize(expected.size());
    std::sort(expected.begin(), expected.end());
    const auto written =
        std::partition(kept.begin(), kept.end(), [](float value) { return value != value; });
    std::sort(written, kept.end());
    const auto unwritten = written - kept.begin();
    size_t differ = 0;
    size_t shown = 0;
    for (size_t i = kept.size(); i-- > 0;)
      if (!(kept[i] == expected[i])) {
        shown = i;
        differ++;
      }
    printf("result    sorted[%zu] = %.9g\n", shown, static_cast<double>(kept[shown]));
    printf("expected  sorted[%zu] = %.9g (%td of %zu places unwritten)\n", shown,
           static_cast<double>(expected[shown]), unwritten, kept.size());
    ok = ok && differ == 0;
  }

  clerr_chk(clReleaseMemObject(count_buffer));
  clerr_chk(clReleaseMemObject(kept_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
