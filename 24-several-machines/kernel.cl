// C = A·B or, where `add` is not 0, C = C + A·B: chapter 18's kernel, for a process that gets one
// panel of A and of B after the other. All sides are multiples of the tiles': nothing is guarded.
//
// a  in      a panel of A, rows of K floats: a[row * K + column]
// b  in      a panel of B, K rows of N floats
// c  in/out  rows of N floats; only out where `add` is 0
// The launch, and BM, BN, BK, TM and TN from the host, are chapter 18's.
#define COLS (BN / TN) // the work-items of a group: ROWS×COLS of them
#define ROWS (BM / TM)
#define ITEMS (ROWS * COLS)
#define A_STRIDE (BM + 4)             // 4 more: then no two stores of a warp meet in a bank
#define A_LOADS (BM * BK / 4 / ITEMS) // float4s of each tile that a work-item brings
#define B_LOADS (BK * BN / 4 / ITEMS)
#define A_STEP (ITEMS / (BK / 4))  // rows of A from one of them to the next
#define A_TILE (BK * A_STRIDE / 4) // float4s in a tile
#define B_TILE (BK * BN / 4)

// Elements (row, col) to (row, col + 3) of a matrix: 16 bytes, aligned to 16.
float4 load4(__global const float *restrict x, const uint row, const uint col, const uint cols) {
  return *(__global const float4 *)(x + (size_t)row * cols + col);
}

// A work-item's share of the tiles at k0, from global memory to its registers: 16 bytes at a time,
// neighbours reading neighbours.
void load_tiles(float4 *a_next, float4 *b_next, __global const float *restrict a,
                __global const float *restrict b, const uint first_row, const uint first_col,
                const uint k0, const uint N, const uint K) {
#pragma unroll
  for (uint i = 0; i < A_LOADS; i++) {
    const uint quad = get_local_id(0) + i * ITEMS;
    a_next[i] = load4(a, first_row + quad / (BK / 4), k0 + quad % (BK / 4) * 4, K);
  }
#pragma unroll
  for (uint i = 0; i < B_LOADS; i++) {
    const uint quad = get_local_id(0) + i * ITEMS;
    b_next[i] = load4(b, k0 + quad / (BN / 4), first_col + quad % (BN / 4) * 4, N);
  }
}

// From there to local memory. A is transposed on its way, so that the four rows a work-item needs
// below lie side by side.
void store_tiles(__local float4 *a_tile, __local float4 *b_tile, const float4 *a_next,
                 const float4 *b_next) {
  const uint item = get_local_id(0);
  __local float *a_to = (__local float *)a_tile + item % (BK / 4) * 4 * A_STRIDE + item / (BK / 4);
#pragma unroll
  for (uint i = 0; i < A_LOADS; i++, a_to += A_STEP) {
    a_to[0] = a_next[i].x;
    a_to[A_STRIDE] = a_next[i].y;
    a_to[2 * A_STRIDE] = a_next[i].z;
    a_to[3 * A_STRIDE] = a_next[i].w;
  }
#pragma unroll
  for (uint i = 0; i < B_LOADS; i++)
    b_tile[item + i * ITEMS] = b_next[i];
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, const uint N, const uint K, const uint add) {
  // Two halves each. A's are transposed: element (row, k) at k * A_STRIDE + row.
  __local float4 a_tiles[2 * A_TILE];
  __local float4 b_tiles[2 * B_TILE];
  const uint item = get_local_id(0);
  const uint item_col = item % COLS;
  const uint item_row = item / COLS;
  const uint groups_across = N / BN;
  const uint first_row = get_group_id(0) / groups_across * BM;
  const uint first_col = get_group_id(0) % groups_across * BN;

  // The sums begin with what C has. Loaded here, and not where C is written, they come together
  // with the first tiles, and nobody waits for them.
  float4 sums[TM][TN / 4];
#pragma unroll
  for (uint i = 0; i < TM; i++)
#pragma unroll
    for (uint j = 0; j < TN / 4; j++)
      sums[i][j] = add == 0 ? 0.0f
                            : load4(c, first_row + (i / 4 * ROWS + item_row) * 4 + i % 4,
                                    first_col + (j * COLS + item_col) * 4, N);

  float4 a_next[A_LOADS];
  float4 b_next[B_LOADS];
  load_tiles(a_next, b_next, a, b, first_row, first_col, 0, N, K);
  store_tiles(a_tiles, b_tiles, a_next, b_next);
  barrier(CLK_LOCAL_MEM_FENCE); // the first tiles are complete before any work-item reads them

  uint now = 0; // the half of local memory whose tiles are complete
  for (uint k0 = 0; k0 < K; k0 += BK) {
    const bool more = k0 + BK < K;
    if (more) // nobody waits for these loads before the stores below
      load_tiles(a_next, b_next, a, b, first_row, first_col, k0 + BK, N, K);

    __local const float4 *a_tile = a_tiles + now * A_TILE;
    __local const float4 *b_tile = b_tiles + now * B_TILE;
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

    now = 1 - now;
    if (more) // into the half that everyone had finished reading at the last barrier
      store_tiles(a_tiles + now * A_TILE, b_tiles + now * B_TILE, a_next, b_next);
    barrier(CLK_LOCAL_MEM_FENCE); // one barrier per step: the other half is complete
  }

#pragma unroll
  for (uint i = 0; i < TM; i++)
#pragma unroll
    for (uint j = 0; j < TN / 4; j++)
      *(__global float4 *)(c + (size_t)(first_row + (i / 4 * ROWS + item_row) * 4 + i % 4) * N +
                           first_col + (j * COLS + item_col) * 4) = sums[i][j];
}
