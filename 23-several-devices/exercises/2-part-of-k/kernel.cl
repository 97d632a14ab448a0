// A part of a matrix product: c = A·B with only a part of K, first_k up to and without end_k.
//
// a  in   M×K floats, row-major
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// A work-item has one element of c: as many of them as there are, rounded up to whole work-groups.
__kernel void matmul_part(__global const float *restrict a, __global const float *restrict b,
                          __global float *restrict c, const ulong M, const ulong N, const ulong K,
                          const ulong first_k, const ulong end_k) {
  const size_t col = get_global_id(0);
  const size_t row = get_global_id(1);
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  for (size_t k = first_k; k < end_k; k++)
    sum += a[row * K + k] * b[k * N + col];
  c[row * N + col] = sum;
}
