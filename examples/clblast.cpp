// A library does the product, in our queue and on our buffers.
#include "beyond.h"

#include <clblast_c.h>

int main() {
  cl_device_id device = pick_device();
  print_device(device);
  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  const size_t m = 300, n = 200, k = 100;
  std::vector<float> a(m * k), b(k * n), c(m * n, NAN);
  fill_whole(a, 1);
  fill_whole(b, 2);
  std::vector<float> *const host[] = {&a, &b, &c};
  cl_mem buffers[3];
  for (size_t i = 0; i < 3; i++) {
    buffers[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, host[i]->size() * sizeof(float),
                                host[i]->data(), &status);
    clerr_chk(status);
  }

  // C = 1 A B + 0 C, row-major; each matrix begins at element 0 of its buffer, and the next row
  // comes so many elements later.
  const CLBlastStatusCode done =
      CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, m, n, k, 1.0f,
                   buffers[0], 0, k, buffers[1], 0, n, 0.0f, buffers[2], 0, n, &queue, nullptr);
  if (done != CLBlastSuccess) {
    fprintf(stderr, "CLBlastSgemm failed: %d\n", static_cast<int>(done));
    return EXIT_FAILURE;
  }
  clerr_chk(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, c.size() * sizeof(float), c.data(),
                                0, nullptr, nullptr));
  const bool ok = check_matmul(c, a, b, m, n, k);
  for (cl_mem buffer : buffers)
    clerr_chk(clReleaseMemObject(buffer));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
