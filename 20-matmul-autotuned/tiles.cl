// Matrix product C = A·B with tiles, for a GPU: chapter 18's kernel, and two finishing touches.
// Pointers move along instead of being computed anew, and the multiply-adds have an order.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// The launch has groups of (BM/TM)·(BN/TN) work-items, in one dimension; group number g computes
// tile g of C, counted along its rows. From the host:
//   BM, BN, BK  a group's tile of C is BM×BN; it goes through K in steps of BK
//   TM, TN      a work-item's part of it (multiples of 4)
//   EDGES       0 if M, N and K are multiples of BM, BN and BK: then the guards are not needed
#define COLS (BN / TN) // the work-items of a group: ROWS×COLS of them
#define ROWS (BM / TM)
#define ITEMS (ROWS * COLS)
#define A_STRIDE (BM + 4)             // 4 more than it takes: fewer stores then meet in a bank
#define A_LOADS (BM * BK / 4 / ITEMS) // float4s of each tile that a work-item brings
#define B_LOADS (BK * BN / 4 / ITEMS)
#define A_STEP (ITEMS / (BK / 4)) // rows of A from one of them to the next
#define B_STEP (ITEMS / (BN / 4))
#define A_TILE (BK * A_STRIDE / 4) // float4s in a tile
#define B_TILE (BK * BN / 4)

// Four floats of a matrix's row, from `x` on; `rows` and `cols` are what is left of the matrix from
// there (0 or less: outside it), `stride` is the length of its rows. Outside the matrix, 0.
float4 load4(__global const float *restrict x, const int rows, const int cols, const uint stride) {
#if EDGES
  if (rows <= 0 || cols <= 0)
    return 0.0f;
  if (stride % 4 != 0) { // rows that begin anywhere: one float at a time
    float4 v = 0.0f;
    v.x = x[0];
    if (cols > 1)
      v.y = x[1];
    if (cols > 2)
      v.z = x[2];
    if (cols > 3)
      v.w = x[3];
    return v;
  }
#endif
  return *(__global const float4 *)x; // 16 bytes, aligned to 16
}

// Writes them; outside the matrix, nothing.
void store4(__global float *restrict x, const int rows, const int cols, const uint stride,
            const float4 v) {
#if EDGES
  if (rows <= 0 || cols <= 0)
    return;
  if (stride % 4 != 0) {
    x[0] = v.x;
    if (cols > 1)
      x[1] = v.y;
    if (cols > 2)
      x[2] = v.z;
    if (cols > 3)
      x[3] = v.w;
    return;
  }
#endif
  *(__global float4 *)x = v;
}

// A work-item's share of the next tiles, from global memory to its registers. `a` and `b` point to
// its first four floats; the next ones lie A_STEP and B_STEP rows below.
void load_tiles(float4 *a_next, float4 *b_next, __global const float *restrict a,
                __global const float *restrict b, const int a_rows, const int a_cols,
                const int b_rows, const int b_cols, const uint N, const uint K) {
#pragma unroll
  for (uint i = 0; i < A_LOADS; i++, a += (size_t)A_STEP * K)
    a_next[i] = load4(a, a_rows - (int)(i * A_STEP), a_cols, K);
#pragma unroll
  for (uint i = 0; i < B_LOADS; i++, b += (size_t)B_STEP * N)
    b_next[i] = load4(b, b_rows - (int)(i * B_STEP), b_cols, N);
}

// From there to local memory. A is turned on its way, so that the four rows a work-item needs below
// lie side by side.
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

// What a work-item multiplies at one k: its TM rows of A and TN columns of B, in fours.
void load_parts(float4 *a_part, float4 *b_part, __local const float4 *a_tile,
                __local const float4 *b_tile, const uint k) {
#pragma unroll
  for (uint i = 0; i < TM / 4; i++)
    a_part[i] = a_tile[k * (A_STRIDE / 4) + i * ROWS + get_local_id(0) / COLS];
#pragma unroll
  for (uint j = 0; j < TN / 4; j++)
    b_part[j] = b_tile[k * (BN / 4) + j * COLS + get_local_id(0) % COLS];
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, const uint M, const uint N, const uint K) {
  __local float4 a_tiles[2 * A_TILE]; // two each; (row, k) at k * A_STRIDE + row
  __local float4 b_tiles[2 * B_TILE];
  const uint groups_across = (N + BN - 1) / BN;
  const uint first_row = get_group_id(0) / groups_across * BM;
  const uint first_col = get_group_id(0) % groups_across * BN;
  // Where this work-item's share of the first tiles lies, and how much of the matrices from there.
  const uint item = get_local_id(0);
  const uint a_row = first_row + item / (BK / 4);
  const uint b_col = first_col + item % (BN / 4) * 4;
  uint a_col = item % (BK / 4) * 4;
  uint b_row = item / (BN / 4);
  __global const float *a_from = a + (size_t)a_row * K + a_col;
  __global const float *b_from = b + (size_t)b_row * N + b_col;

  float4 sums[TM][TN / 4];
#pragma unroll
  for (uint i = 0; i < TM; i++)
#pragma unroll
    for (uint j = 0; j < TN / 4; j++)
      sums[i][j] = 0.0f;

  float4 a_next[A_LOADS];
  float4 b_next[B_LOADS];
  load_tiles(a_next, b_next, a_from, b_from, M - a_row, K - a_col, K - b_row, N - b_col, N, K);
  store_tiles(a_tiles, b_tiles, a_next, b_next);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint now = 0; // the half of local memory that is complete
  for (uint k0 = 0; k0 < K; k0 += BK) {
    const bool more = k0 + BK < K;
    if (more) { // nobody waits for these loads before the stores below
      a_from += BK;
      b_from += (size_t)BK * N;
      a_col += BK;
      b_row += BK;
      load_tiles(a_next, b_next, a_from, b_from, M - a_row, K - a_col, K - b_row, N - b_col, N, K);
    }

    __local const float4 *a_tile = a_tiles + now * A_TILE;
    __local const float4 *b_tile = b_tiles + now * B_TILE;
#pragma unroll
    for (uint k = 0; k < BK; k++) {
      float4 a_part[TM / 4];
      float4 b_part[TN / 4];
      load_parts(a_part, b_part, a_tile, b_tile, k);
      // Two rows of sums at a time, across and back again: each multiply-add shares a factor with
      // the one before it.
#pragma unroll
      for (uint i = 0; i < TM / 2; i++) {
        const float2 a_pair = i % 2 ? a_part[i / 2].zw : a_part[i / 2].xy;
#pragma unroll
        for (uint across = 0; across < TN / 4; across++) {
          const uint j = i % 2 ? TN / 4 - 1 - across : across;
          sums[2 * i][j] += a_pair.x * b_part[j];
          sums[2 * i + 1][j] += a_pair.y * b_part[j];
        }
      }
    }

    if (more) { // into the half that everyone finished reading before the last barrier
      now = 1 - now;
      store_tiles(a_tiles + now * A_TILE, b_tiles + now * B_TILE, a_next, b_next);
    }
    barrier(CLK_LOCAL_MEM_FENCE); // one barrier a step: the other half is complete
  }

  const uint row = first_row + item / COLS * 4;
  const uint col = first_col + item % COLS * 4;
  __global float *to = c + (size_t)row * N + col;
#pragma unroll
  for (uint i = 0; i < TM; i++)
#pragma unroll
    for (uint j = 0; j < TN / 4; j++) {
      const uint down = i / 4 * (ROWS * 4) + i % 4;
      const uint right = j * (COLS * 4);
      store4(to + (size_t)down * N + right, M - row - down, N - col - right, N, sums[i][j]);
    }
}
