// An instruction that the compiler refuses, in a program's binary: chapter 21's product by wgmma.
#include "beyond.h"

#include "../common/args.h"
#include "../common/check_rows.h"
#include "../common/timing.h"

static const char *const usage = "usage: wgmma [N]\n"
                                 "  A, B and C are N×N (default 1024; a multiple of 128)\n";

// Builds the source with the refused lines as comments, "//@", takes these marks off what it
// became, and names the target that has them.
static cl_program build_with_marks_off(cl_context context, cl_device_id device,
                                       const std::string &source, const std::string &options) {
  cl_program refused = build_program(context, device, source, options);
  std::string ptx = binary_of(refused);
  clerr_chk(clReleaseProgram(refused));
  ptx.resize(ptx.find_last_not_of('\0') + 1);
  for (size_t at = 0; (at = ptx.find("//@", at)) != std::string::npos;)
    ptx.replace(at, 3, "");
  const std::string target = ".target sm_90";
  const size_t at = ptx.find(target);
  if (at == std::string::npos)
    skip("the binary is no PTX for sm_90");
  ptx.insert(at + target.size(), "a");
  cl_program program = from_binary(context, device, ptx);
  if (program == nullptr)
    skip("the driver does not take the binary");
  return program;
}

// A kernel with these arguments; `sizes` are uints.
static cl_kernel kernel_of(cl_program program, const char *name, const std::vector<cl_mem> &buffers,
                           const std::vector<cl_uint> &sizes) {
  cl_int status;
  cl_kernel kernel = clCreateKernel(program, name, &status);
  clerr_chk(status);
  cl_uint i = 0;
  for (const cl_mem &buffer : buffers)
    clerr_chk(clSetKernelArg(kernel, i++, sizeof buffer, &buffer));
  for (const cl_uint &size : sizes)
    clerr_chk(clSetKernelArg(kernel, i++, sizeof size, &size));
  return kernel;
}

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 1024, usage);
  const size_t tile = 128;
  if (n % tile != 0 || n > 32768)
    usage_error(usage, "not a multiple of 128, or above 32768: ", argv[1]);
  cl_device_id device = pick_device();
  print_device(device);
  if (nvidia_capability(device) != 9)
    skip("wgmma is an instruction of NVIDIA's Hopper generation, and of no other");

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const std::string source = load_source("../21-matmul-matrix-units/kernel.cl") +
                             load_source("../21-matmul-matrix-units/units.cl") +
                             load_source("wgmma.cl");
  cl_program program = build_with_marks_off(context, device, source, "-D TILE=128");

  std::vector<float> a(n * n), b(n * n), c(n * n);
  const auto buffer_of = [&](const size_t floats) {
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE, floats * sizeof(float), nullptr, &status);
    clerr_chk(status);
    return buffer;
  };
  cl_mem a_buffer = buffer_of(n * n);
  cl_mem b_buffer = buffer_of(n * n);
  cl_mem c_buffer = buffer_of(n * n);
  cl_mem a_halves = buffer_of(n * n); // the halves of a float take as many bytes as it does
  cl_mem b_halves = buffer_of(n * n);
  cl_mem b_turned = buffer_of(n * n);
  cl_mem a_scales = buffer_of(n);
  cl_mem b_scales = buffer_of(n);
  const cl_uint size = static_cast<cl_uint>(n);
  cl_kernel split_a = kernel_of(program, "split", {a_buffer, a_halves, a_scales}, {size, size, 1});
  cl_kernel split_b = kernel_of(program, "split", {b_buffer, b_halves, b_scales}, {size, size, 0});
  cl_kernel turn = kernel_of(program, "turn", {b_halves, b_turned}, {});
  cl_kernel matmul =
      kernel_of(program, "matmul_wgmma", {a_halves, b_turned, a_scales, b_scales, c_buffer},
                {size, size, size});

  const size_t local_size = 256;
  const size_t split_size = n / 8 * local_size;
  const size_t turn_size = n * n / 16; // two rows of a slice each, of big halves or of small ones
  const size_t matmul_size = n / tile * (n / tile) * local_size;
  // First whole numbers, and all of C must be exact; then reals, as in chapter 21.
  const double share = 0x1p-21 + (static_cast<double>(n) / 16 + 64) * 0x1p-23;
  const size_t bytes = n * n * sizeof(float);
  bool ok = true;
  std::vector<double> times;       // of each run, in ms; the first one is the warm-up
  std::vector<double> multiplying; // the last launch alone
  for (const bool whole : {true, false}) {
    const auto fill = whole ? fill_whole : fill_real;
    fill(a, 1);
    fill(b, 2);
    std::fill(c.begin(), c.end(), NAN);
    clerr_chk(
        clEnqueueWriteBuffer(queue, a_buffer, CL_TRUE, 0, bytes, a.data(), 0, nullptr, nullptr));
    clerr_chk(
        clEnqueueWriteBuffer(queue, b_buffer, CL_TRUE, 0, bytes, b.data(), 0, nullptr, nullptr));
    clerr_chk(
        clEnqueueWriteBuffer(queue, c_buffer, CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr));
    while (whole ? times.empty() : more_runs(times)) {
      cl_event first, last;
      clerr_chk(clEnqueueNDRangeKernel(queue, split_a, 1, nullptr, &split_size, &local_size, 0,
                                       nullptr, &first));
      clerr_chk(clEnqueueNDRangeKernel(queue, split_b, 1, nullptr, &split_size, &local_size, 0,
                                       nullptr, nullptr));
      clerr_chk(clEnqueueNDRangeKernel(queue, turn, 1, nullptr, &turn_size, &local_size, 0, nullptr,
                                       nullptr));
      clerr_chk(clEnqueueNDRangeKernel(queue, matmul, 1, nullptr, &matmul_size, &local_size, 0,
                                       nullptr, &last));
      clerr_chk(clWaitForEvents(1, &last));
      times.push_back(kernels_ms(first, last));
      multiplying.push_back(kernel_ms(last));
      clerr_chk(clReleaseEvent(last));
      clerr_chk(clReleaseEvent(first));
    }
    clerr_chk(
        clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr));
    ok = (whole ? check_matmul(c, a, b, n, n, n) : check_rows(c, a, b, n, n, n, share)) && ok;
  }
  const double gflop = 2e-9 * static_cast<double>(n * n) * static_cast<double>(n);
  print_time("kernels", median_ms(times), gflop, "GFLOP/s");
  print_time("product", median_ms(multiplying), gflop, "GFLOP/s");

  for (cl_mem buffer :
       {b_scales, a_scales, b_turned, b_halves, a_halves, c_buffer, b_buffer, a_buffer})
    clerr_chk(clReleaseMemObject(buffer));
  for (cl_kernel kernel : {matmul, turn, split_b, split_a})
    clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
