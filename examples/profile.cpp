// Lets NVIDIA's profiler see a kernel of a matrix chapter. The profiler looks at CUDA programs
// only; but what NVIDIA's OpenCL compiles a kernel into is PTX, as with CUDA, and CUDA's driver
// launches that.
#include "beyond.h"

#include "../common/args.h"

#include <cuda.h>

#include <regex>
#include <sstream>

static const char *usage =
    "usage: ncu profile FILE OPTIONS GROUPS LOCAL [M [N [K]]]\n"
    "  FILE           a kernel.cl with a kernel `matmul` of A, B, C, M, N and K\n"
    "  OPTIONS        for the compiler, as the chapter's host has them: \"-D TILE=16\", or \"\"\n"
    "  GROUPS, LOCAL  work-groups, and work-items in each, along x and y: \"64 64\" \"16 16\"\n"
    "  M, N, K        sizes (default: 1024, M, M)\n";

static void cuda_chk(const CUresult result) {
  const char *text = "unknown";
  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorString(result, &text);
  fprintf(stderr, "CUDA: %s\n", text);
  exit(EXIT_FAILURE);
}

struct pair {
  unsigned x = 0, y = 1;
};

// "64 32" or "64".
static pair pair_of(const char *text) {
  pair p;
  std::istringstream(text) >> p.x >> p.y;
  if (p.x == 0 || p.y == 0) {
    fprintf(stderr, "not one or two numbers above 0: %s\n%s", text, usage);
    exit(2);
  }
  return p;
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fputs(usage, stderr);
    return 2;
  }
  const pair groups = pair_of(argv[3]), local = pair_of(argv[4]);
  check_args(argc, argv, 7, usage);
  const size_t m = size_arg(argc, argv, 5, 1024, usage);
  const size_t n = size_arg(argc, argv, 6, m, usage), k = size_arg(argc, argv, 7, m, usage);
  cl_device_id device = pick_device();
  print_device(device);
  if (!contains(platform_name(device), "NVIDIA"))
    skip("not a device of NVIDIA");

  // OpenCL compiles; the program's binary is PTX, which is text.
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source(argv[1]), argv[2]);
  // Where a launch of OpenCL's begins stands in registers that CUDA leaves as they are: at 0.
  const std::string ptx = std::regex_replace(binary_of(program), std::regex("%envreg[0-9]+"), "0");
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseContext(context));

  // CUDA's driver launches.
  CUdevice gpu;
  CUcontext cuda;
  CUmodule module;
  CUfunction kernel;
  cuda_chk(cuInit(0));
  cuda_chk(cuDeviceGet(&gpu, 0));
  cuda_chk(cuDevicePrimaryCtxRetain(&cuda, gpu));
  cuda_chk(cuCtxSetCurrent(cuda));
  cuda_chk(cuModuleLoadData(&module, ptx.c_str()));
  cuda_chk(cuModuleGetFunction(&kernel, module, "matmul"));
  std::vector<float> a(m * k), b(k * n), c(m * n, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);
  const auto bytes = [](const std::vector<float> &v) { return v.size() * sizeof(float); };
  CUdeviceptr a_buffer, b_buffer, c_buffer;
  cuda_chk(cuMemAlloc(&a_buffer, bytes(a)));
  cuda_chk(cuMemAlloc(&b_buffer, bytes(b)));
  cuda_chk(cuMemAlloc(&c_buffer, bytes(c)));
  cuda_chk(cuMemcpyHtoD(a_buffer, a.data(), bytes(a)));
  cuda_chk(cuMemcpyHtoD(b_buffer, b.data(), bytes(b)));
  cuda_chk(cuMemcpyHtoD(c_buffer, c.data(), bytes(c)));
  cl_ulong sizes[] = {m, n, k}; // a kernel with `uint` takes the lower half of each
  void *arguments[] = {&a_buffer, &b_buffer, &c_buffer, &sizes[0], &sizes[1], &sizes[2]};
  for (int run = 0; run < 2; run++) // the first warms up
    cuda_chk(cuLaunchKernel(kernel, groups.x, groups.y, 1, local.x, local.y, 1, 0, nullptr,
                            arguments, nullptr));
  cuda_chk(cuMemcpyDtoH(c.data(), c_buffer, bytes(c)));
  const bool ok = check_matmul(c, a, b, m, n, k);
  cuda_chk(cuMemFree(a_buffer));
  cuda_chk(cuMemFree(b_buffer));
  cuda_chk(cuMemFree(c_buffer));
  cuda_chk(cuModuleUnload(module));
  return verdict(ok);
}
