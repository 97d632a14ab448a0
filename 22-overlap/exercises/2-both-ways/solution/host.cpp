// c = a + b in pieces: they come, are added, and go back, all at a time.
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
                                 "  N  number of elements in each vector (default 100000)\n";

constexpr size_t piece = 1024;  // elements
constexpr size_t slots = 2;     // pieces on the device at a time
constexpr size_t num_steps = 4; // for a piece: a comes, b comes, they are added, c goes back

int main(const int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 100000, usage);

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu\n", n);
  const double one = buffer_bytes(piece), whole = buffer_bytes(n);
  check_memory(device, {one, one, one, one, one, one, whole, whole, whole}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queues[3] = {};
  for (cl_command_queue &queue : queues) {
    queue = clCreateCommandQueue(context, device, 0, &status);
    clerr_chk(status);
  }
  cl_command_queue there = queues[0], kernels = queues[1], back = queues[2];
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "vector_add", &status);
  clerr_chk(status);

  std::vector<float> a(n), b(n), c(n, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);
  cl_mem buffers[slots][3]; // for a, b and c
  for (size_t i = 0; i < slots * 3; i++) {
    buffers[i / 3][i % 3] =
        clCreateBuffer(context, CL_MEM_READ_WRITE, piece * sizeof(float), nullptr, &status);
    clerr_chk(status);
  }

  cl_event events[slots][num_steps] = {}; // of the piece that is in a slot
  for (size_t p = 0; p * piece < n; p++) {
    const size_t s = p % slots;
    const size_t length = std::min(piece, n - p * piece), bytes = length * sizeof(float);
    const cl_ulong n_arg = length;
    cl_event *const before = events[s];
    cl_event now[num_steps];
    const cl_uint used = p < slots ? 0 : 1; // was there a piece in this slot before?
    clerr_chk(clEnqueueWriteBuffer(there, buffers[s][0], CL_FALSE, 0, bytes, &a[p * piece], used,
                                   used != 0 ? &before[2] : nullptr, &now[0]));
    clerr_chk(clEnqueueWriteBuffer(there, buffers[s][1], CL_FALSE, 0, bytes, &b[p * piece], 0,
                                   nullptr, &now[1]));
    clerr_chk(clFlush(there));
    for (cl_uint i = 0; i < 3; i++)
      clerr_chk(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[s][i]));
    clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &n_arg));
    const cl_event inputs[2] = {now[1], before[3]}; // b is there; c of the piece before has gone
    clerr_chk(clEnqueueNDRangeKernel(kernels, kernel, 1, nullptr, &piece, nullptr, 1 + used, inputs,
                                     &now[2]));
    clerr_chk(clFlush(kernels));
    clerr_chk(clEnqueueReadBuffer(back, buffers[s][2], CL_FALSE, 0, bytes, &c[p * piece], 1,
                                  &now[2], &now[3]));
    clerr_chk(clFlush(back));
    for (size_t e = 0; e < num_steps; e++) {
      if (used != 0)
        clerr_chk(clReleaseEvent(before[e]));
      before[e] = now[e];
    }
  }
  for (cl_command_queue queue : queues)
    clerr_chk(clFinish(queue));

  size_t differ = 0;
  for (size_t i = 0; i < n; i++)
    differ += c[i] == a[i] + b[i] ? 0 : 1; // NaN is equal to nothing
  printf("result    c[%zu] = %g\n", n - 1, static_cast<double>(c[n - 1]));
  printf("expected  c[%zu] = %g (%zu of %zu elements differ)\n", n - 1,
         static_cast<double>(a[n - 1] + b[n - 1]), differ, n);

  for (size_t i = 0; i < slots * num_steps; i++)
    if (events[i / num_steps][i % num_steps] != nullptr)
      clerr_chk(clReleaseEvent(events[i / num_steps][i % num_steps]));
  for (size_t i = 0; i < slots * 3; i++)
    clerr_chk(clReleaseMemObject(buffers[i / 3][i % 3]));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  for (cl_command_queue queue : queues)
    clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(differ == 0);
}
