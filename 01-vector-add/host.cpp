// Vector addition on an OpenCL device, with every call spelled out.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/files.h"
#include "../common/opencl.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const char *const usage = "usage: 01-vector-add [N]\n"
                                 "  N  number of elements (default 1048576)\n";

// Every OpenCL call reports a status. Anything but CL_SUCCESS, which is 0, ends the program.
static void check(const cl_int status, const char *call, const int line) {
  if (status == CL_SUCCESS)
    return;
  const clerr_entry error = clerr_find(status); // the name of the code and its usual cause
  fprintf(stderr, "%s:%d: %s: %s (%d): %s\n", __FILE__, line, call, error.name, status,
          error.cause);
  fflush(stdout);
  _Exit(EXIT_FAILURE); // exit would tidy up as well, under a device that may still be at work
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1048576, usage);
  cl_int status;

  // Platform and device: the first platform that has a device, and its first device. A platform is
  // an installed OpenCL implementation; some of them have no device on this machine.
  cl_platform_id platforms[16];
  cl_uint num_platforms = 0;
  status = clGetPlatformIDs(16, platforms, &num_platforms);
  check(status, "clGetPlatformIDs", __LINE__);
  if (num_platforms > 16)
    num_platforms = 16; // the count is of all there are, not of those that fit
  cl_device_id device = nullptr;
  cl_platform_id platform = nullptr;
  for (cl_uint p = 0; p < num_platforms && device == nullptr; p++) {
    platform = platforms[p];
    status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    if (status != CL_SUCCESS)
      device = nullptr; // no device here, or a driver that fails: on to the next platform
    if (status != CL_SUCCESS && status != CL_DEVICE_NOT_FOUND)
      fprintf(stderr, "%s:%d: clGetDeviceIDs: %s (%d): platform %u is passed over\n", __FILE__,
              __LINE__, clerr_find(status).name, status, p);
  }
  if (device == nullptr) {
    fprintf(stderr,
            "no OpenCL device found: none of %u platforms has one. (A GPU's driver has none where "
            "your user may not open it; PoCL has none where it cannot write: set POCL_CACHE_DIR.) "
            "README.md, \"When no device is found\"\n",
            num_platforms);
    return EXIT_FAILURE;
  }
  char device_name[256] = "";
  char platform_name[256] = "";
  status = clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof device_name, device_name, nullptr);
  check(status, "clGetDeviceInfo", __LINE__);
  status =
      clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, nullptr);
  check(status, "clGetPlatformInfo", __LINE__);
  printf("device    %s (%s)\n", device_name, platform_name);
  printf("size      N = %zu\n", n);
  check_memory(device, {buffer_bytes(n), buffer_bytes(n), buffer_bytes(n)}, usage);

  // Context: what the device, its buffers and its programs belong to.
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext", __LINE__);
  // Queue: where the host puts the commands that the device carries out, one after the other.
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue", __LINE__);

  // Program: the kernel's source, read from its file and compiled for this device.
  FILE *file = fopen(find_file("kernel.cl").c_str(), "rb");
  std::vector<char> source(65536);
  const size_t length = file == nullptr ? 0 : fread(source.data(), 1, source.size(), file);
  if (length == 0 || length == source.size()) {
    fprintf(stderr, "kernel.cl is empty, unreadable or longer than %zu bytes\n", source.size() - 1);
    return EXIT_FAILURE;
  }
  fclose(file);
  const char *text = source.data();
  cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &status);
  check(status, "clCreateProgramWithSource", __LINE__);
  // The "" are options for the kernel's compiler, as on a command line: there are none here.
  status = clBuildProgram(program, 1, &device, "", nullptr, nullptr);
  if (status != CL_SUCCESS) { // the compiler's messages are in the build log: first its size
    size_t log_size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &log_size);
    std::vector<char> log(log_size + 1, '\0');
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log_size, log.data(), nullptr);
    fprintf(stderr, "build log:\n%s\n", log.data());
  }
  check(status, "clBuildProgram", __LINE__);
  // Kernel: one function of the program, by its name.
  cl_kernel kernel = clCreateKernel(program, "vector_add", &status);
  check(status, "clCreateKernel", __LINE__);

  // Data on the host. The result starts out as NaN, "not a number", which equals nothing: an
  // element that the kernel does not write cannot pass the check below.
  std::vector<float> a(n), b(n), c(n, NAN);
  for (size_t i = 0; i < n; i++) {
    a[i] = static_cast<float>(i % 4096);
    b[i] = static_cast<float>(3 * (i % 1021) + 1);
  }

  // Buffers: memory of the device, here filled from the host's when they are created.
  const size_t bytes = n * sizeof(float);
  cl_mem a_buffer =
      clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, a.data(), &status);
  check(status, "clCreateBuffer", __LINE__);
  cl_mem b_buffer =
      clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, b.data(), &status);
  check(status, "clCreateBuffer", __LINE__);
  cl_mem c_buffer =
      clCreateBuffer(context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR, bytes, c.data(), &status);
  check(status, "clCreateBuffer", __LINE__);

  // Arguments: numbered as in the kernel's declaration, from 0.
  const cl_ulong n_arg = n;
  status = clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer);
  check(status, "clSetKernelArg", __LINE__);
  status = clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer);
  check(status, "clSetKernelArg", __LINE__);
  status = clSetKernelArg(kernel, 2, sizeof(cl_mem), &c_buffer);
  check(status, "clSetKernelArg", __LINE__);
  status = clSetKernelArg(kernel, 3, sizeof(cl_ulong), &n_arg);
  check(status, "clSetKernelArg", __LINE__);

  // Launch: work-items in groups of 64, as many groups as it takes to have one for every element.
  const size_t local_size = 64;
  const size_t global_size = (n + local_size - 1) / local_size * local_size;
  status = clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0, nullptr,
                                  nullptr);
  check(status, "clEnqueueNDRangeKernel", __LINE__);
  // Read back. The queue works in order, so the kernel is done first; CL_TRUE waits for the copy.
  status = clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr);
  check(status, "clEnqueueReadBuffer", __LINE__);

  // Check every element on the host. The sums are whole numbers that a float holds exactly.
  size_t differ = 0;
  for (size_t i = 0; i < n; i++)
    if (c[i] != a[i] + b[i]) // NaN differs from everything
      differ++;
  printf("result    c[%zu] = %g\n", n - 1, static_cast<double>(c[n - 1]));
  printf("expected  c[%zu] = %g (%zu of %zu elements differ)\n", n - 1,
         static_cast<double>(a[n - 1] + b[n - 1]), differ, n);

  // Release everything that was created, the last first.
  check(clReleaseMemObject(c_buffer), "clReleaseMemObject", __LINE__);
  check(clReleaseMemObject(b_buffer), "clReleaseMemObject", __LINE__);
  check(clReleaseMemObject(a_buffer), "clReleaseMemObject", __LINE__);
  check(clReleaseKernel(kernel), "clReleaseKernel", __LINE__);
  check(clReleaseProgram(program), "clReleaseProgram", __LINE__);
  check(clReleaseCommandQueue(queue), "clReleaseCommandQueue", __LINE__);
  check(clReleaseContext(context), "clReleaseContext", __LINE__);
  printf(differ == 0 ? "PASSED\n" : "FAILED\n");
  if (fflush(stdout) != 0 || ferror(stdout) != 0) { // a full disk, say: nobody can read PASSED
    fprintf(stderr, "standard output could not be written: is a disk full?\n");
    return EXIT_FAILURE;
  }
  return differ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
