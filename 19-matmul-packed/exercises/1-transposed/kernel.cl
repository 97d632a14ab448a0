// C = A·Bᵀ: B is stored transposed. Only the packing has to know.
//
// a         in   M×K floats, row-major: a[row * K + column]
// b         in   N×K floats, row-major: b[column of C * K + k]
// a_panels  out  ceil(M / TM) panels of K·TM floats: TM rows of A, side by side for each k
// b_panels  out  ceil(N / TN) panels of K·TN floats: TN columns of C, side by side for each k
// c         out  M×N floats, row-major
// Panels are filled up with 0 at the edges. Every work-item is alone in its group.
#define TM 4
#define TN 8

// The launch has ceil(M / TM) work-items, one for each panel.
__kernel void pack_a(__global const float *restrict a, __global float *restrict panels,
                     const uint M, const uint K) {
  const uint row = get_global_id(0) * TM;
  __global float *to = panels + (size_t)row * K;
  for (uint k = 0; k < K; k++, to += TM)
    for (uint i = 0; i < TM; i++)
      to[i] = row + i < M ? a[(size_t)(row + i) * K + k] : 0.0f;
}

// The launch has ceil(N / TN) work-items, one for each panel.
__kernel void pack_b(__global const float *restrict b, __global float *restrict panels,
                     const uint N, const uint K) {
  const uint col = get_global_id(0) * TN;
  __global float *to = panels + (size_t)col * K;
  for (uint k = 0; k < K; k++, to += TN)
    for (uint j = 0; j < TN; j++)
      to[j] = col + j < N ? b[(size_t)k * N + col + j] : 0.0f; // TODO: B lies there transposed
}

// The launch has ceil(N / TN) × ceil(M / TM) work-items, one for each TM×TN elements of C.
__kernel void matmul(__global const float *restrict a_panels,
                     __global const float *restrict b_panels, __global float *restrict c,
                     const uint M, const uint N, const uint K) {
  const uint col = get_global_id(0) * TN;
  const uint row = get_global_id(1) * TM;
  __global const float *a_part = a_panels + (size_t)row * K;
  __global const float *b_part = b_panels + (size_t)col * K;
  float8 sums[TM] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (uint k = 0; k < K; k++, a_part += TM, b_part += TN) {
    const float8 b_values = vload8(0, b_part);
    for (uint i = 0; i < TM; i++)
      sums[i] += a_part[i] * b_values;
  }
  for (uint i = 0; i < TM && row + i < M; i++) {
    float lanes[TN];
    vstore8(sums[i], 0, lanes);
    for (uint j = 0; j < TN && col + j < N; j++)
      c[(size_t)(row + i) * N + col + j] = lanes[j];
  }
}
