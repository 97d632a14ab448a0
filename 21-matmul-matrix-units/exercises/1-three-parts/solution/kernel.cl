// Matrix product C = A·B with a unit that reads only 8 bits of each float (bfloat16).

// The nearest number of 8 bits: half of the last bit is added, and the 16 bits below it go.
float nearest(const float x) {
  return as_float((as_uint(x) + 0x8000u) & 0xffff0000u);
}

// x      in   n floats
// parts  out  part p of x[i] at p * n + i: a number of 8 bits, and the three together are x[i]
__kernel void split(__global const float *restrict x, __global float *restrict parts,
                    const ulong n) {
  const size_t i = get_global_id(0);
  if (i < n) {
    const float big = nearest(x[i]);
    const float middle = nearest(x[i] - big); // the subtractions are exact
    parts[i] = big;
    parts[n + i] = middle;
    parts[2 * n + i] = x[i] - big - middle; // has no more than 8 bits left
  }
}

// a, b  in   the parts of A, which is M×K, and of B, which is K×N; both row-major
// c     out  M×N floats, row-major
__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, const ulong M, const ulong N, const ulong K) {
  const size_t col = get_global_id(0);
  const size_t row = get_global_id(1);
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  for (size_t k = 0; k < K; k++)
    for (int small = 2; small >= 0; small--) // the smallest products first
      for (int p = 0; p <= small; p++)
        sum += a[p * M * K + row * K + k] * b[(small - p) * K * N + k * N + col];
  c[row * N + col] = sum;
}
