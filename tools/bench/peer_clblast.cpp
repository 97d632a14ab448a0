// CLBlast: CLBlastSgemm and CLBlastSdot on the device that the chapters run on.
#include "../../common/device.h"
#include "peer.h"

#include <clblast_c.h>
#include <cstdlib>

static void clblast_chk(const CLBlastStatusCode status) {
  if (status == CLBlastSuccess)
    return;
  fprintf(stderr, "CLBlast reports status %d\n", static_cast<int>(status));
  exit(EXIT_FAILURE);
}

int main(const int argc, char **argv) {
  cl_device_id device = pick_device();
  print_device(device);
  peer_task task = peer_start(argc, argv);
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  const auto start = std::chrono::steady_clock::now();
  std::vector<float> *const host[3] = {&task.a, &task.b, &task.c};
  cl_mem buffer[3];
  for (int i = 0; i < 3; i++) {
    buffer[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, host[i]->size() * sizeof(float), nullptr,
                               &status);
    clerr_chk(status);
    clerr_chk(clEnqueueWriteBuffer(queue, buffer[i], CL_TRUE, 0, host[i]->size() * sizeof(float),
                                   host[i]->data(), 0, nullptr, nullptr));
  }
  double transfer_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  // It launches several kernels, some of them to bring the matrices into shape: all are counted.
  const double ms = peer_time_host([&] {
    if (task.gemm)
      clblast_chk(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo,
                               task.m, task.n, task.k, 1.0f, buffer[0], 0, task.k, buffer[1], 0,
                               task.n, 0.0f, buffer[2], 0, task.n, &queue, nullptr));
    else
      clblast_chk(
          CLBlastSdot(task.n, buffer[2], 0, buffer[0], 0, 1, buffer[1], 0, 1, &queue, nullptr));
    clerr_chk(clFinish(queue));
  });
  const auto back = std::chrono::steady_clock::now();
  clerr_chk(clEnqueueReadBuffer(queue, buffer[2], CL_TRUE, 0, task.c.size() * sizeof(float),
                                task.c.data(), 0, nullptr, nullptr));
  transfer_ms +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - back).count();
  for (int i = 2; i >= 0; i--)
    clerr_chk(clReleaseMemObject(buffer[i]));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return peer_finish(task, ms, transfer_ms);
}
