// Sum of a long vector with functions that a device may lack: ask for them, use them where they
// are, and have another way where they are not.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"
#include "../common/timing.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#ifndef CL_DEVICE_OPENCL_C_FEATURES // from OpenCL 3.0; common/opencl.h asks the headers for 1.2
#define CL_DEVICE_OPENCL_C_FEATURES 0x106F
struct cl_name_version {
  cl_uint version;
  char name[64];
};
#endif

static const char *const usage =
    "usage: 14-sum-sub-groups [N [WAY]]\n"
    "  N    number of elements (default 16777216)\n"
    "  WAY  1 work-group function, 2 sub-groups, 3 tree (default: the first that the device has)\n";

// Is `word` one of the words in `list`, which have blanks between them?
static bool has_word(const std::string &list, const std::string &word) {
  return (" " + list + " ").find(" " + word + " ") != std::string::npos;
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 2, usage);
  const size_t n = size_arg(argc, argv, 1, 16777216, usage);
  const size_t wanted = size_arg(argc, argv, 2, 0, usage); // WAY; 0: the first there is

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);

  cl_uint compute_units;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units,
                            &compute_units, nullptr));
  const size_t num_groups = size_t{compute_units} * 64;
  check_memory(device, {buffer_bytes(n), buffer_bytes(num_groups)}, usage);

  // Ask. The version first: it says which other questions make sense.
  const std::string version = device_text(device, CL_DEVICE_VERSION); // "OpenCL 3.0 and more"
  const bool from_2 = version >= "OpenCL 2"; // strings are compared letter by letter
  const bool from_3 = version >= "OpenCL 3";
  const std::string extensions = device_text(device, CL_DEVICE_EXTENSIONS);

  bool has[4] = {};           // has[WAY]: is it there? (WAY counts from 1)
  has[1] = from_2 && !from_3; // a part of 2.0, 2.1 and 2.2
  has[2] = from_2 && has_word(extensions, "cl_khr_subgroups");
  has[3] = true; // the tree needs neither

  if (from_3) { // what came after 1.2 is optional there, and has a name
    size_t size;
    clerr_chk(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, 0, nullptr, &size));
    std::vector<cl_name_version> features(size / sizeof(cl_name_version));
    clerr_chk(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, size, features.data(), nullptr));
    for (const cl_name_version &feature : features) {
      const std::string name = feature.name;
      if (name == "__opencl_c_work_group_collective_functions")
        has[1] = true;
      if (name == "__opencl_c_subgroups")
        has[2] = true;
    }
  }

  printf("offers    work-group functions: %s, sub-groups: %s\n", has[1] ? "yes" : "no",
         has[2] ? "yes" : "no");
  const bool names_a_way = wanted != 0;
  if (names_a_way && (wanted > 3 || !has[wanted]))
    usage_error(usage, "not a way that this device has: ", argv[2]);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);

  // Use the first way that is there, if it builds: a device may promise what its compiler cannot
  // do.
  const std::string source = load_source("kernel.cl");
  const char *text = source.c_str();
  const std::string standard = from_3 ? "-cl-std=CL3.0" : "-cl-std=CL2.0"; // else it is 1.2
  const std::string options[] = {"", standard + " -D WAY=1", standard + " -D WAY=2", "-D WAY=3"};
  cl_program program = nullptr;
  size_t way = wanted;
  if (!names_a_way) {
    for (way = 1; way < 3; way++) {
      if (!has[way])
        continue;
      program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
      clerr_chk(status);
      if (clBuildProgram(program, 1, &device, options[way].c_str(), nullptr, nullptr) == CL_SUCCESS)
        break;
      printf("refused   way %zu: offered, but its kernel does not build\n", way);
      clerr_chk(clReleaseProgram(program));
      program = nullptr;
    }
  }

  // Fall back to the tree. (Or the command line has named a way, which then has to build.)
  if (program == nullptr)
    program = build_program(context, device, source, options[way]);

  const char *const name[] = {"", "work-group function", "sub-groups", "tree of chapter 11"};
  printf("way       %zu: %s, built with %s\n", way, name[way], options[way].c_str());
  cl_kernel kernel = clCreateKernel(program, "sum_sub_groups", &status);
  clerr_chk(status);
  const size_t local_size = group_size(kernel, device, 256); // a power of two, for the tree
  const size_t global_size = num_groups * local_size;

  std::vector<float> x(n);
  std::vector<float> partial_sums(num_groups, NAN);
  fill_whole(x, 1);
  double expected = 0.0;
  for (float &value : x) {
    value /= 4; // quarters: exact as well, and a sum kept in an int would lose them
    expected += static_cast<double>(value);
  }

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

  std::vector<double> times; // of each run, in ms; the first one is the warm-up
  while (more_runs(times)) {
    cl_event event;
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, &event));
    clerr_chk(clWaitForEvents(1, &event));
    times.push_back(kernel_ms(event));
    clerr_chk(clReleaseEvent(event));
  }
  clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, num_groups * sizeof(float),
                                partial_sums.data(), 0, nullptr, nullptr));

  double result = 0.0;
  for (const float partial_sum : partial_sums)
    result += static_cast<double>(partial_sum);
  const bool ok = check_equal(result, expected);
  const double gigabytes = static_cast<double>(n * sizeof(float)) * 1e-9;
  print_time("kernel", median_ms(times), gigabytes, "GB/s");

  clerr_chk(clReleaseMemObject(sums_buffer));
  clerr_chk(clReleaseMemObject(x_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
