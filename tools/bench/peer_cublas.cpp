// cuBLAS: cublasSgemm and cublasSdot, in float precision unless NVIDIA_TF32_OVERRIDE=1 is set.
#include "peer.h"

#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>

// 0 is success in both libraries.
static void cuda_chk(const int status, const int line = __builtin_LINE()) {
  if (status == 0)
    return;
  fprintf(stderr, "%s:%d: CUDA reports status %d\n", __FILE__, line, status);
  exit(EXIT_FAILURE);
}

int main(const int argc, char **argv) {
  cudaDeviceProp properties;
  cuda_chk(cudaGetDeviceProperties(&properties, 0));
  printf("device    %s (cuBLAS)\n", properties.name);
  peer_task task = peer_start(argc, argv);
  cublasHandle_t handle;
  cuda_chk(cublasCreate(&handle));
  cuda_chk(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH)); // no TF32
  cuda_chk(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  cudaStream_t stream;
  cuda_chk(cudaStreamCreate(&stream));
  cuda_chk(cublasSetStream(handle, stream));
  cudaEvent_t start, end;
  cuda_chk(cudaEventCreate(&start));
  cuda_chk(cudaEventCreate(&end));

  const double copy = now_ms();
  std::vector<float> *const host[3] = {&task.a, &task.b, &task.c};
  float *memory[3];
  for (int i = 0; i < 3; i++) {
    const size_t bytes = host[i]->size() * sizeof(float);
    cuda_chk(cudaMalloc(&memory[i], bytes));
    cuda_chk(cudaMemcpy(memory[i], host[i]->data(), bytes, cudaMemcpyHostToDevice));
  }
  double transfer_ms = now_ms() - copy;
  const float factors[2] = {1.0f, 0.0f};
  float *device_factors;
  cuda_chk(cudaMalloc(&device_factors, sizeof factors));
  cuda_chk(cudaMemcpy(device_factors, factors, sizeof factors, cudaMemcpyHostToDevice));
  const int m = static_cast<int>(task.m);
  const int n = static_cast<int>(task.n);
  const int k = static_cast<int>(task.k);
  const auto call = [&] {
    // cuBLAS counts columns first: there our row-major product reads Cᵀ = Bᵀ·Aᵀ.
    if (task.gemm)
      cuda_chk(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, device_factors, memory[1], n,
                           memory[0], k, device_factors + 1, memory[2], n));
    else
      cuda_chk(cublasSdot(handle, n, memory[0], 1, memory[1], 1, memory[2]));
  };
  call(); // what happens once, such as the loading of a kernel, is not to be captured
  // Ten calls in a graph: neither the way to the device nor the host's work on a call is part of
  // each one's time. That is the library at its best where a product is short.
  const int calls = 10;
  cudaGraph_t graph;
  cudaGraphExec_t in_a_row;
  cuda_chk(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < calls; i++)
    call();
  cuda_chk(cudaStreamEndCapture(stream, &graph));
  cuda_chk(cudaGraphInstantiate(&in_a_row, graph, 0));
  const double ms = peer_time([&] {
    cuda_chk(cudaEventRecord(start, stream));
    cuda_chk(cudaGraphLaunch(in_a_row, stream));
    cuda_chk(cudaEventRecord(end, stream));
    cuda_chk(cudaEventSynchronize(end));
    float elapsed;
    cuda_chk(cudaEventElapsedTime(&elapsed, start, end));
    return static_cast<double>(elapsed) / calls;
  });
  const double back = now_ms();
  cuda_chk(
      cudaMemcpy(task.c.data(), memory[2], task.c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  transfer_ms += now_ms() - back;
  for (float *one : memory)
    cuda_chk(cudaFree(one));
  cuda_chk(cudaFree(device_factors));
  cuda_chk(cudaGraphExecDestroy(in_a_row));
  cuda_chk(cudaGraphDestroy(graph));
  cuda_chk(cudaEventDestroy(end));
  cuda_chk(cudaEventDestroy(start));
  cuda_chk(cublasDestroy(handle));
  cuda_chk(cudaStreamDestroy(stream));
  return peer_finish(task, ms, transfer_ms);
}
