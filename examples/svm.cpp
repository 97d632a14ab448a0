// Coarse-grained shared virtual memory: one address for host and device, so that a list can be
// handed over as it is.
#include "beyond.h"

#include <numeric>

struct node { // as in svm.cl
  cl_float value;
  const node *next;
};

int main() {
  cl_device_id device = pick_device();
  print_device(device);
  if (version_of(device) < "OpenCL 2")
    skip("no shared virtual memory on this device: it has " + version_of(device));
  cl_device_svm_capabilities can;
  clerr_chk(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, nullptr));
  if ((can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) == 0)
    skip("no shared virtual memory on this device: its CL_DEVICE_SVM_CAPABILITIES are without it");

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("svm.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "sum_list", &status);
  clerr_chk(status);

  std::vector<float> values(1000);
  fill_whole(values, 1);
  const size_t bytes = values.size() * sizeof(node);
  auto *nodes = static_cast<node *>(clSVMAlloc(context, CL_MEM_READ_ONLY, bytes, 0));
  auto *sum = static_cast<float *>(clSVMAlloc(context, CL_MEM_WRITE_ONLY, sizeof(float), 0));
  if (nodes == nullptr || sum == nullptr)
    clerr_chk(CL_MEM_OBJECT_ALLOCATION_FAILURE);

  // Coarse-grained: the host may touch it only while it is mapped, as with a buffer. But the
  // pointer is known already, and it is the device's, too.
  clerr_chk(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, nodes, bytes, 0,
                            nullptr, nullptr));
  for (size_t i = 0; i < values.size(); i++)
    nodes[i] = {values[i], i == 0 ? nullptr : &nodes[i - 1]};
  clerr_chk(clEnqueueSVMUnmap(queue, nodes, 0, nullptr, nullptr));

  clerr_chk(clSetKernelArgSVMPointer(kernel, 0, &nodes[values.size() - 1]));
  clerr_chk(clSetKernelArgSVMPointer(kernel, 1, sum));
  const size_t one = 1;
  clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr));
  clerr_chk(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, sum, sizeof(float), 0, nullptr, nullptr));
  const bool ok = check_equal(*sum, std::accumulate(values.begin(), values.end(), 0.0));
  clerr_chk(clEnqueueSVMUnmap(queue, sum, 0, nullptr, nullptr));
  clerr_chk(clFinish(queue)); // freeing waits for nothing

  clSVMFree(context, sum);
  clSVMFree(context, nodes);
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
