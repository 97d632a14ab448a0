// A kernel in SPIR-V, compiled from scale.cl long before this program starts.
#include "scale.h"

int main() {
  cl_device_id device = pick_device();
  print_device(device);
  if (version_of(device) < "OpenCL 2.1")
    skip("no SPIR-V on this device: it has " + version_of(device));
  const std::string versions = device_text(device, CL_DEVICE_IL_VERSION);
  if (versions.find("SPIR-V") == std::string::npos)
    skip("no SPIR-V on this device: its CL_DEVICE_IL_VERSION names none");
  printf("takes     %s\n", versions.c_str());
  const std::string spirv = load_source("scale.spv"); // any bytes
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);

  const auto start = std::chrono::steady_clock::now();
  cl_program program = clCreateProgramWithIL(context, spirv.data(), spirv.size(), &status);
  clerr_chk(status);
  clerr_chk(clBuildProgram(program, 1, &device, "", nullptr, nullptr));
  const bool ok = scales(context, device, program);
  printf("time      first result after %.3f ms, from SPIR-V\n", ms_since(start));

  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
