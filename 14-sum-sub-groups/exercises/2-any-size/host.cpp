// Sum of a vector on sub-groups of any size, which this program emulates: it runs on every device.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

static const char *const usage = "usage: program [N [SIZE]]\n"
                                 "  N     number of elements (default 100003)\n"
                                 "  SIZE  work-items in a sub-group (default 32)\n";

// Put before kernel.cl: what a device with sub-groups of SIZE work-items has of itself. The last
// sub-group of a work-group gets what is left.
static const char *const emulation = R"(
#define get_sub_group_id() ((uint)get_local_id(0) / SIZE)
#define get_sub_group_local_id() ((uint)get_local_id(0) % SIZE)
#define get_num_sub_groups() (((uint)get_local_size(0) + SIZE - 1) / SIZE)
#define get_sub_group_size() min(SIZE, (uint)get_local_size(0) - get_sub_group_id() * SIZE)
#define sub_group_reduce_add(value) emulated_reduce_add(value, scratch)
float emulated_reduce_add(const float value, __local float *scratch) {
  scratch[get_local_id(0)] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  const uint first = get_sub_group_id() * SIZE;
  for (uint i = first; i < first + get_sub_group_size(); i++)
    sum += scratch[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}
#line 1
)";

int main(const int argc, char **argv) {
  check_args(argc, argv, 2, usage);
  const size_t n = size_arg(argc, argv, 1, 100003, usage);
  const size_t size = size_arg(argc, argv, 2, 32, usage);
  const size_t local_size = 128;
  const size_t num_groups = 3;
  const size_t global_size = num_groups * local_size;

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu, sub-groups of %zu in work-groups of %zu\n", n, size, local_size);
  if (size > local_size)
    usage_error(usage, "a sub-group is no larger than its work-group: ", argv[2]);
  check_memory(device, {buffer_bytes(n), buffer_bytes(num_groups)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  const std::string options = "-D SIZE=" + std::to_string(size) + "u";
  cl_program program =
      build_program(context, device, emulation + load_source("kernel.cl"), options);
  cl_kernel kernel = clCreateKernel(program, "sum", &status);
  clerr_chk(status);

  // Small whole numbers, whose sums a float holds exactly; the results start out as NaN.
  std::vector<float> x(n), partial_sums(num_groups, NAN);
  fill_whole(x, 1);
  cl_mem x_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   n * sizeof(float), x.data(), &status);
  clerr_chk(status);
  cl_mem sums_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR,
                                      num_groups * sizeof(float), partial_sums.data(), &status);
  clerr_chk(status);

  const cl_ulong n_arg = n;
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &x_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &sums_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &n_arg));
  clerr_chk(clSetKernelArg(kernel, 3, local_size * sizeof(float), nullptr)); // local memory
  clerr_chk(clSetKernelArg(kernel, 4, local_size * sizeof(float), nullptr)); // the emulation's
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0, nullptr,
                                   nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, num_groups * sizeof(float),
                                partial_sums.data(), 0, nullptr, nullptr));

  float result = 0.0f;
  for (const float partial_sum : partial_sums)
    result += partial_sum;
  float expected = 0.0f;
  for (const float value : x)
    expected += value;
  const bool ok = check_equal(static_cast<double>(result), static_cast<double>(expected));

  clerr_chk(clReleaseMemObject(sums_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
