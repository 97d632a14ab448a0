// C = alpha * A·B + beta * C: a 4×4 tile of C in the registers of each work-item.
//
// a            in      M×K floats, row-major: a[row * K + column]
// b            in      K×N floats, row-major
// c            in/out  M×N floats, row-major; with beta = 0 only out: it may hold anything before
// alpha, beta  in      two numbers
// The launch has groups of ITEMS work-items, in one dimension; group number g computes tile g of C,
// BM×BN elements, counted along its rows.
#define BM 32
#define BN 32
#define BK 8
#define TM 4           // rows of C for each work-item
#define TN 4           // columns: one float4
#define COLS (BN / TN) // the work-items of a group: ROWS×COLS of them
#define ROWS (BM / TM)
#define ITEMS (ROWS * COLS)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, const uint M, const uint N, const uint K, const float alpha,
       const float beta) {
  __local float a_tile[BK][BM]; // transposed
  __local float b_tile[BK][BN];
  const uint item = get_local_id(0);
  const uint groups_across = (N + BN - 1) / BN;
  const uint first_row = get_group_id(0) / groups_across * BM;
  const uint first_col = get_group_id(0) % groups_across * BN;
  const uint my_row = item / COLS * TM; // in the tile
  const uint my_col = item % COLS * TN;

  float4 sums[TM];
  for (uint i = 0; i < TM; i++)
    sums[i] = 0.0f;
  for (uint k0 = 0; k0 < K; k0 += BK) {
    for (uint at = item; at < BM * BK; at += ITEMS) {
      const uint row = first_row + at / BK;
      const uint k = k0 + at % BK;
      a_tile[at % BK][at / BK] = row < M && k < K ? a[(size_t)row * K + k] : 0.0f;
    }
    for (uint at = item; at < BK * BN; at += ITEMS) {
      const uint k = k0 + at / BN;
      const uint col = first_col + at % BN;
      b_tile[at / BN][at % BN] = k < K && col < N ? b[(size_t)k * N + col] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete before any work-item reads them
    for (uint k = 0; k < BK; k++) {
      const float4 b_part = vload4(0, &b_tile[k][my_col]);
      for (uint i = 0; i < TM; i++)
        sums[i] += a_tile[k][my_row + i] * b_part;
    }
    barrier(CLK_LOCAL_MEM_FENCE); // everyone has read them before anyone brings the next ones
  }

  const uint col = first_col + my_col;
  for (uint i = 0; i < TM; i++) {
    const uint row = first_row + my_row + i;
    if (row < M && col < N) {
      float lanes[TN];
      vstore4(alpha * sums[i], 0, lanes);
      __global float *to = c + (size_t)row * N + col;
      for (uint j = 0; j < TN && col + j < N; j++)
        to[j] = beta == 0.0f ? lanes[j] : lanes[j] + beta * to[j];
    }
  }
}
