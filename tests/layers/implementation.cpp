// Says which OpenCL implementation the chapters run on, and whether it ends loops early. llvmpipe
// of Mesa 22.3 gives a work-item 65,535 rounds for all of its loops together, and goes on after
// them as if they had come to their end.
//   implementation  PoCL 3.1+debian, CPU
//   rounds          100000 of 100000
#include "../../common/device.h"
#include "../../common/source.h"

static const char source[] = R"(
// Two loops, each of them short enough. volatile: every round counts.
__kernel void count_rounds(volatile __global uint *done, const uint n) {
  for (uint i = 0; i < n / 2; i++)
    done[0]++;
  for (uint i = 0; i < n / 2; i++)
    done[0]++;
}
)";

int main() {
  const cl_uint n = 100000;
  cl_uint done = 0;
  cl_int status;
  cl_device_id device = pick_device();
  const std::string platform = platform_name(device);
  const std::string driver = device_text(device, CL_DRIVER_VERSION);
  std::string name = contains(driver, platform) ? driver : platform + " " + driver;
  if (platform == "Portable Computing Language")
    name = "PoCL " + driver;
  // Of CPUs there are too many to name them.
  const bool is_cpu = (device_type(device) & CL_DEVICE_TYPE_CPU) != 0;
  printf("implementation  %s, %s\n", name.c_str(),
         is_cpu ? "CPU" : device_text(device, CL_DEVICE_NAME).c_str());

  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, source, "");
  cl_kernel kernel = clCreateKernel(program, "count_rounds", &status);
  clerr_chk(status);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof done,
                                 &done, &status);
  clerr_chk(status);
  clerr_chk(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof n, &n));
  const size_t one = 1;
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr));
  clerr_chk(
      clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof done, &done, 0, nullptr, nullptr));
  printf("rounds          %u of %u\n", done, n);

  clerr_chk(clReleaseMemObject(buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
}
