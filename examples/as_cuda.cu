// A matrix chapter's kernel as CUDA C++, timed: nvcc compiles the chapter's text, with OpenCL C's
// words defined here, and as_cuda.sh exchanges what CUDA marks in other places.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// float4 as OpenCL C has it: CUDA's own has no operators.
struct __align__(16) vector4 {
  float x, y, z, w;
  vector4() = default;
  __device__ vector4(const float s) : x(s), y(s), z(s), w(s) {}
};
__device__ vector4 operator*(const float s, vector4 v) {
  v.x *= s;
  v.y *= s;
  v.z *= s;
  v.w *= s;
  return v;
}
__device__ void operator+=(vector4 &sum, const vector4 v) {
  sum.x += v.x;
  sum.y += v.y;
  sum.z += v.z;
  sum.w += v.w;
}
__device__ unsigned get_local_id(const int d) {
  return d == 0 ? threadIdx.x : threadIdx.y;
}
__device__ unsigned get_group_id(const int d) {
  return d == 0 ? blockIdx.x : blockIdx.y;
}
__device__ size_t get_global_id(const int d) {
  return d == 0 ? blockIdx.x * size_t(blockDim.x) + threadIdx.x
                : blockIdx.y * size_t(blockDim.y) + threadIdx.y;
}
#define float4 vector4
#define uint unsigned
#define ulong unsigned long long
#define __kernel __global__
#define __global
#define __local
#define restrict __restrict__
#define barrier(flags) __syncthreads()
#include "kernel.cu"

static void cuda_chk(const cudaError_t result) {
  if (result == cudaSuccess)
    return;
  fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
  exit(EXIT_FAILURE);
}

// Chapters 08 to 10 have their sizes in ulong, 17 and 18 in uint.
template <class size>
static void launch(void (*kernel)(const float *, const float *, float *, size, size, size),
                   const dim3 blocks, const dim3 threads, const float *a, const float *b, float *c,
                   const size_t n) {
  const size s = static_cast<size>(n);
  kernel<<<blocks, threads>>>(a, b, c, s, s, s);
}

int main(const int argc, char **argv) {
  unsigned number[6] = {};
  bool is_right = argc == 6;
  for (int i = 1; is_right && i < 6; i++) {
    number[i] = static_cast<unsigned>(strtoul(argv[i], nullptr, 10));
    is_right = number[i] > 0 && number[i] < 65536;
  }
  if (!is_right) {
    fprintf(stderr, "usage: as_cuda BLOCKS_X BLOCKS_Y THREADS_X THREADS_Y N (1 to 65535 each)\n");
    return 2;
  }
  const dim3 blocks(number[1], number[2]);
  const dim3 threads(number[3], number[4]);
  const size_t n = number[5];

  // Small whole numbers, whose sums a float holds exactly.
  std::vector<float> x(n * n);
  for (size_t i = 0; i < x.size(); i++)
    x[i] = static_cast<float>(i * 7 % 13) - 6.0f;
  const size_t bytes = x.size() * sizeof(float);
  float *a;
  float *b;
  float *c;
  cuda_chk(cudaMalloc(&a, bytes));
  cuda_chk(cudaMalloc(&b, bytes));
  cuda_chk(cudaMalloc(&c, bytes));
  cuda_chk(cudaMemcpy(a, x.data(), bytes, cudaMemcpyHostToDevice));
  cuda_chk(cudaMemcpy(b, x.data(), bytes, cudaMemcpyHostToDevice));

  const int runs = 10;
  cudaEvent_t start;
  cudaEvent_t end;
  cuda_chk(cudaEventCreate(&start));
  cuda_chk(cudaEventCreate(&end));
  std::vector<double> times; // of a launch, in ms
  for (int turn = 0; turn < 6; turn++) {
    cuda_chk(cudaEventRecord(start));
    for (int run = 0; run < runs; run++)
      launch(matmul, blocks, threads, a, b, c, n);
    cuda_chk(cudaEventRecord(end));
    cuda_chk(cudaEventSynchronize(end));
    cuda_chk(cudaGetLastError());
    float ms;
    cuda_chk(cudaEventElapsedTime(&ms, start, end));
    if (turn > 0) // the first one warms up
      times.push_back(ms / runs);
  }

  // Some of the elements beside sums of their own.
  std::vector<float> result(n * n);
  cuda_chk(cudaMemcpy(result.data(), c, bytes, cudaMemcpyDeviceToHost));
  size_t wrong = 0;
  for (size_t i = 0; i < result.size(); i += 99991) {
    double sum = 0.0;
    for (size_t k = 0; k < n; k++)
      sum += static_cast<double>(x[i / n * n + k]) * x[k * n + i % n];
    wrong += result[i] != static_cast<float>(sum);
  }
  std::sort(times.begin(), times.end());
  const double ms = times[times.size() / 2];
  printf("time      kernel %.3f ms, %.1f GFLOP/s\n%s\n", ms,
         2e-6 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / ms,
         wrong == 0 ? "PASSED" : "FAILED");
  return wrong == 0 ? 0 : 1;
}
