// C += A·B for a part of K: one work-item, one element of C.
//
// a      in          rows×K floats, row-major: of A, all columns
// b      in          part×N floats, row-major: of B, the rows from `first_k` on
// c      in and out  rows×N floats, row-major
__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, const ulong rows, const ulong N, const ulong K,
                     const ulong first_k, const ulong part) {
  const size_t col = get_global_id(0);
  const size_t row = get_global_id(1);
  if (row >= rows || col >= N)
    return;
  float sum = c[row * N + col];
  for (size_t k = 0; k < part; k++)
    sum += a[row * K + first_k + k] * b[k * N + col];
  c[row * N + col] = sum;
}
