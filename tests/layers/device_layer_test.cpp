// What the first device says of itself, and what it refuses: for the check of device_layer.cpp.
//
// Prints "said KEY VALUE" for the keys of a profile, and "code WHAT NUMBER" for what was tried at a
// limit and above it.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static void need(const cl_int status, const char *what) {
  if (status != CL_SUCCESS) {
    fprintf(stderr, "%s: %d\n", what, status);
    exit(EXIT_FAILURE);
  }
}

template <typename T> static T ask(cl_device_id device, const cl_device_info what) {
  T value{};
  need(clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}

int main() {
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  need(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  need(status, "clCreateContext");
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  need(status, "clCreateCommandQueue");
  const char *text =
      "__kernel void k(__global float *x, __local float *y) { y[0] = 1; x[0] = y[0]; }";
  cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
  need(status, "clCreateProgramWithSource");
  need(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "k", &status);
  need(status, "clCreateKernel");
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float), nullptr, &status);
  need(status, "clCreateBuffer");
  need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");

  size_t kernel_group, multiple, size_bytes;
  char word[1024];
  need(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, 0, nullptr, &size_bytes), "sizes");
  std::vector<size_t> sizes(size_bytes / sizeof(size_t));
  need(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, size_bytes, sizes.data(), nullptr),
       "sizes");
  need(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof kernel_group,
                                &kernel_group, nullptr),
       "kernel_group");
  need(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                sizeof multiple, &multiple, nullptr),
       "multiple");
  const cl_device_type type = ask<cl_device_type>(device, CL_DEVICE_TYPE);
  const cl_ulong local_memory = ask<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  const cl_ulong most = ask<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  const auto fp = ask<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG);
  need(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof word, word, nullptr), "name");
  printf("said name %s\n", word);
  need(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof word, word, nullptr), "driver");
  printf("said driver %s\n", word);
  need(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof word, word, nullptr), "version");
  printf("said version %.3s\n", word + strlen("OpenCL "));
  char extensions[8192];
  need(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, nullptr),
       "extensions");
  const char last[] = "cl_khr_byte_addressable_store "; // of those that the layer always names
  const char *const others = strstr(extensions, last);
  printf("said extensions %s\n", others == nullptr ? "" : others + strlen(last));
  printf("said type %s%s\n",
         (type & CL_DEVICE_TYPE_GPU) != 0   ? "gpu"
         : (type & CL_DEVICE_TYPE_CPU) != 0 ? "cpu"
                                            : "accelerator",
         (type & CL_DEVICE_TYPE_DEFAULT) != 0 ? " default" : "");
  printf("said group %zu\n", ask<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  printf("said sizes");
  for (const size_t size : sizes)
    printf(" %zu", size);
  printf("\n");
  printf("said kernel_group %zu\nsaid multiple %zu\n", kernel_group, multiple);
  printf("said compute_units %u\n", ask<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  printf("said vector_width %u\n", ask<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
  printf("said local_memory %llu\n", static_cast<unsigned long long>(local_memory));
  printf("said global_memory %llu\n",
         static_cast<unsigned long long>(ask<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE)));
  printf("said buffer %llu\n", static_cast<unsigned long long>(most));
  printf("said unified %u\n", ask<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY));
  printf("said resolution %zu\n", ask<size_t>(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION));
  printf("said fma %d\n", (fp & CL_FP_FMA) != 0);

  const auto launch = [&](const char *what, const size_t x, const size_t y, const cl_ulong bytes,
                          const size_t groups_times) {
    const size_t local[2] = {x, y}, global[2] = {x * groups_times, y};
    need(clSetKernelArg(kernel, 1, static_cast<size_t>(bytes), nullptr), "clSetKernelArg");
    cl_event event = nullptr;
    cl_int code =
        clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, &event);
    printf("code %s %d\n", what, code);
    if (code != CL_SUCCESS)
      return;
    need(clWaitForEvents(1, &event), "clWaitForEvents");
    cl_ulong end;
    code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
    printf("code times %d\n", code);
  };
  launch("at-the-kernel's-limit", kernel_group, 1, 64, 2);
  launch("at-the-local-memory's-limit", 1, 1, local_memory, 1);
  launch("above-the-local-memory's-limit", 1, 1, local_memory + 4096, 1);
  if (kernel_group < sizes[0])
    launch("above-the-kernel's-limit", kernel_group + 1, 1, 64, 1);
  launch("above-the-size-of-a-dimension", 1, sizes[1] + 1, 64, 1);
  clCreateBuffer(context, CL_MEM_READ_WRITE, static_cast<size_t>(most) + 1, nullptr, &status);
  printf("code above-the-largest-buffer %d\n", status);
  clCreateCommandQueueWithProperties(context, device, nullptr, &status);
  printf("code a-newer-call %d\n", status);
  size_t bytes;
  printf("code a-newer-question %d\n",
         clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0, nullptr, &bytes));
  printf("code a-newer-standard %d\n",
         clBuildProgram(program, 1, &device, "-cl-std=CL3.0", nullptr, nullptr));
  return EXIT_SUCCESS;
}
