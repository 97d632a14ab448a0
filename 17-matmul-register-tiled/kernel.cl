// Matrix product C = A·B: a two-dimensional tile of C in the registers of each work-item.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// The launch has groups of (BM/TM)·(BN/TN) work-items, in one dimension; group number g computes
// tile g of C, counted along its rows. From the host:
//   BM, BN, BK  a group's tile of C is BM×BN; it goes through K in steps of BK (multiples of 4)
//   TM, TN      a work-item's part of it (multiples of 4)
//   EDGES       0 if M, N and K are multiples of BM, BN and BK: then the guards are not needed
#define COLS (BN / TN) // the work-items of a group: ROWS×COLS of them
#define ROWS (BM / TM)
#define ITEMS (ROWS * COLS)
#define A_STRIDE (BM + 4) // 4 more than it takes: fewer stores then meet in a bank

// Elements (row, col) to (row, col + 3) of a matrix; outside it, 0.
float4 load4(__global const float *restrict x, const uint row, const uint col, const uint rows,
             const uint cols) {
#if EDGES
  if (row >= rows || col >= cols)
    return 0.0f;
  if (cols % 4 != 0) { // rows that begin anywhere: one float at a time
    float4 v = 0.0f;
    x += (size_t)row * cols;
    v.x = x[col];
    if (col + 1 < cols)
      v.y = x[col + 1];
    if (col + 2 < cols)
      v.z = x[col + 2];
    if (col + 3 < cols)
      v.w = x[col + 3];
    return v;
  }
#endif
  return *(__global const float4 *)(x + (size_t)row * cols + col); // 16 bytes, aligned to 16
}

// Writes them; outside the matrix, nothing.
void store4(__global float *restrict x, const uint row, const uint col, const uint rows,
            const uint cols, const float4 v) {
#if EDGES
  if (row >= rows || col >= cols)
    return;
  if (cols % 4 != 0) {
    x += (size_t)row * cols;
    x[col] = v.x;
    if (col + 1 < cols)
      x[col + 1] = v.y;
    if (col + 2 < cols)
      x[col + 2] = v.z;
    if (col + 3 < cols)
      x[col + 3] = v.w;
    return;
  }
#endif
  *(__global float4 *)(x + (size_t)row * cols + col) = v;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, const uint M, const uint N, const uint K) {
  __local float4 a_tile[BK * A_STRIDE / 4]; // transposed: element (row, k) at k * A_STRIDE + row
  __local float4 b_tile[BK * BN / 4];
  const uint item = get_local_id(0);
  const uint item_col = item % COLS;
  const uint item_row = item / COLS;
  const uint groups_across = (N + BN - 1) / BN;
  const uint first_row = get_group_id(0) / groups_across * BM;
  const uint first_col = get_group_id(0) % groups_across * BN;

  float4 sums[TM][TN / 4];
#pragma unroll
  for (uint i = 0; i < TM; i++)
#pragma unroll
    for (uint j = 0; j < TN / 4; j++)
      sums[i][j] = 0.0f;

  for (uint k0 = 0; k0 < K; k0 += BK) {
    // The tiles, 16 bytes at a time, neighbours reading neighbours. A is transposed on its way in,
    // so that the four rows a work-item needs below lie side by side.
#pragma unroll
    for (uint quad = item; quad < BM * BK / 4; quad += ITEMS) {
      const uint row = quad / (BK / 4);
      const uint col = quad % (BK / 4) * 4;
      const float4 v = load4(a, first_row + row, k0 + col, M, K);
      __local float *to = (__local float *)a_tile + col * A_STRIDE + row;
      to[0] = v.x;
      to[A_STRIDE] = v.y;
      to[2 * A_STRIDE] = v.z;
      to[3 * A_STRIDE] = v.w;
    }
#pragma unroll
    for (uint quad = item; quad < BK * BN / 4; quad += ITEMS)
      b_tile[quad] = load4(b, k0 + quad / (BN / 4), first_col + quad % (BN / 4) * 4, K, N);
    barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete before any work-item reads them

#pragma unroll
    for (uint k = 0; k < BK; k++) {
      // A work-item's rows and columns come in fours, and neighbours have neighbouring fours. It
      // reads TM + TN floats, for TM * TN multiply-adds.
      float4 a_part[TM / 4];
      float4 b_part[TN / 4];
#pragma unroll
      for (uint i = 0; i < TM / 4; i++)
        a_part[i] = a_tile[k * (A_STRIDE / 4) + i * ROWS + item_row];
#pragma unroll
      for (uint j = 0; j < TN / 4; j++)
        b_part[j] = b_tile[k * (BN / 4) + j * COLS + item_col];
#pragma unroll
      for (uint i = 0; i < TM / 4; i++)
#pragma unroll
        for (uint j = 0; j < TN / 4; j++) {
          sums[4 * i][j] += a_part[i].x * b_part[j];
          sums[4 * i + 1][j] += a_part[i].y * b_part[j];
          sums[4 * i + 2][j] += a_part[i].z * b_part[j];
          sums[4 * i + 3][j] += a_part[i].w * b_part[j];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE); // everyone has read them before anyone brings the next ones
  }

#pragma unroll
  for (uint i = 0; i < TM; i++)
#pragma unroll
    for (uint j = 0; j < TN / 4; j++)
      store4(c, first_row + (i / 4 * ROWS + item_row) * 4 + i % 4,
             first_col + (j * COLS + item_col) * 4, M, N, sums[i][j]);
}
