"""The layer behind `small_devices`: a device that it pretends grants what it says, and refuses what is above it with the code
of the specification. (What it says of itself, chapter 02 prints.)"""

import os
import subprocess

from tests import running

SOURCE = r"""
#include "../common/device.h"
int main() {
  cl_device_id device = pick_device();
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  const char *text = "__kernel void k(__global float *x, __local float *y) { y[0] = 1; x[0] = y[0]; }";
  cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
  clBuildProgram(program, 1, &device, "", nullptr, nullptr);
  cl_kernel kernel = clCreateKernel(program, "k", &status);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float), nullptr, &status);
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  const auto launch = [&](const size_t x, const size_t y, const size_t bytes) {
    const size_t local[2] = {x, y};
    clSetKernelArg(kernel, 1, bytes, nullptr);
    printf("%d ", clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, local, local, 0, nullptr, nullptr));
    clFinish(queue);
  };
  launch(48, 1, 32768);
  launch(49, 1, 32768);
  launch(1, 3, 32768);
  launch(1, 1, 32772);
  for (const size_t bytes : {4096, 4097}) {
    clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    printf("%d ", status);
  }
  printf("%d ", clBuildProgram(program, 1, &device, "-cl-std=CL2.0", nullptr, nullptr));
}
"""
DEVICE = "version 1.2\nkernel_group 48\nsizes 64 2 1\nlocal_memory 32768\nbuffer 4096\n"
CODES = [0, -54, -55, -5, 0, -61, -43]


def test_layer(report, tmp_path):
    source, device = tmp_path / "limits.cpp", tmp_path / "device.txt"
    source.write_text(SOURCE.replace("../common", f"{running.ROOT}/common"))
    device.write_text(DEVICE)
    command = [os.environ.get("CXX", "c++"), "-std=c++17", source, "-o", tmp_path / "limits", "-lOpenCL"]
    subprocess.run(command, check=True)
    code, out, err = running.run([tmp_path / "limits"], env=running.as_device(device))
    report.must(f"at and above its limits: {CODES}", out.split() == list(map(str, CODES)), out + err)
