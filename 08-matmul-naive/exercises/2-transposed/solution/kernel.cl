// Matrix product C = A·Bᵀ: one work-item, one element of C.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   N×K floats, row-major: its rows are the columns that A is multiplied by
// c  out  M×N floats, row-major
// The launch has at least N work-items in dimension 0 (columns of C) and M in dimension 1 (rows).
__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, const ulong M, const ulong N, const ulong K) {
  const size_t col = get_global_id(0);
  const size_t row = get_global_id(1);
  if (row >= M || col >= N) // the launch is rounded up in both dimensions
    return;
  float sum = 0.0f;
  for (size_t k = 0; k < K; k++)
    sum += a[row * K + k] * b[col * K + k];
  c[row * N + col] = sum;
}
