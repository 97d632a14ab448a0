// What a device offers beyond OpenCL 1.2, and whether its compiler keeps what the list promises.
#include "beyond.h"

// Builds `source` with these options and returns what its kernel `known` writes: `count` numbers.
static std::vector<cl_int> answers(cl_context context, cl_device_id device, cl_command_queue queue,
                                   const std::string &source, const char *options,
                                   const size_t count) {
  cl_int status;
  cl_program program = build_program(context, device, source, options);
  cl_kernel kernel = clCreateKernel(program, "known", &status);
  clerr_chk(status);
  std::vector<cl_int> out(count, -1);
  cl_mem buffer =
      clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, count * sizeof(cl_int), out.data(), &status);
  clerr_chk(status);
  clerr_chk(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  const size_t one = 1;
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr));
  clerr_chk(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(cl_int), out.data(), 0,
                                nullptr, nullptr));
  clerr_chk(clReleaseMemObject(buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  return out;
}

int main() {
  cl_device_id device = pick_device();
  print_device(device);
  if (version_of(device) < "OpenCL 3")
    skip("no list of features on this device: it has " + version_of(device));
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);

  // From 2.0 on: the properties are a list of names and values, ended by 0.
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, &status);
  clerr_chk(status);

  // From 3.0 on: what came after 1.2 is optional, and each part has a name.
  size_t size;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, 0, nullptr, &size));
  std::vector<cl_name_version> features(size / sizeof(cl_name_version));
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, size, features.data(), nullptr));

  // A feature's name is also a macro. So a kernel can say what its compiler knows.
  std::string source = "__kernel void known(__global int *out) {\n"
                       "  *out++ = __OPENCL_C_VERSION__;\n";
  for (const cl_name_version &feature : features)
    source += std::string("#ifdef ") + feature.name + "\n  *out = 1;\n#endif\n  out++;\n";
  source += "}\n";
  const auto known = [&](const char *options) {
    return answers(context, device, queue, source, options, 1 + features.size());
  };
  const std::vector<cl_int> by_default = known(""), with_1 = known("-cl-std=CL1.2"),
                            with_3 = known("-cl-std=CL3.0");
  printf("OpenCL C  %d with -cl-std=CL1.2, %d with -cl-std=CL3.0, %d without\n", with_1[0],
         with_3[0], by_default[0]);
  bool ok = with_1[0] == 120 && with_3[0] == 300;
  for (size_t i = 0; i < features.size(); i++) {
    printf("feature   %s%s\n", features[i].name, with_3[i + 1] == 1 ? "" : ", but no such macro");
    ok = ok && with_3[i + 1] == 1;
  }
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
