// Matrix product C = A·B with tiles, for a GPU: chapter 18's kernel, and finishing touches, which
// docs/fast-tiles.md explains. Two kernels share its functions: in `matmul` each group computes a
// tile of C, in `matmul_cut` several groups share a tile's steps along K, and `add_parts` adds what
// they have.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// The launches have groups of (BM/TM)·(BN/TN) work-items, in one dimension. From the host:
//   BM, BN, BK  a group computes tiles of C of BM×BN; it goes through K in steps of BK
//   TM, TN      a work-item's part of one (multiples of 4)
//   WIDTH       how many floats are loaded at a time: 4, or 1 where K or N is no multiple of 4
// BK/WIDTH and BN/WIDTH divide the number of work-items in a group.
#define COLS (BN / TN) // the work-items of a group: ROWS×COLS of them
#define ROWS (BM / TM)
#define ITEMS (ROWS * COLS)
#define SUMS (TM * TN / 4)                // float4s of C that a work-item computes
#define A_STRIDE (BM + 4)                 // 4 more than it takes: fewer stores then meet in a bank
#define A_LOADS (BM * BK / WIDTH / ITEMS) // loads of each tile that a work-item does
#define B_LOADS (BK * BN / WIDTH / ITEMS)
#define A_STEP (ITEMS / (BK / WIDTH)) // rows of A from one of them to the next
#define B_STEP (ITEMS / (BN / WIDTH))
#define A_TILE (BK * A_STRIDE / 4) // float4s in a tile
#define B_TILE (BK * BN / 4)
#define AHEAD (TM * TN <= 64) // 16×8 sums leave no registers for the parts of two k

#if WIDTH == 4
typedef float4 floats;
#else
typedef float floats;
#endif

// A work-item's share of the next tiles, from global memory to its registers. `a` and `b` point to
// the first; the next ones lie A_STEP and B_STEP rows below. No row of A is more than `a_below`
// rows below: what is asked for there is the last one's, for rows of C that nobody writes. Of K,
// `left` is left, from the tiles' beginning; what lies beyond is 0.
void load_tiles(floats *a_next, floats *b_next, __global const float *restrict a,
                __global const float *restrict b, const uint N, const uint K, const uint a_below,
                const uint left) {
  const uint a_k = get_local_id(0) % (BK / WIDTH) * WIDTH;
  const uint b_k = get_local_id(0) / (BN / WIDTH);

  if (left < BK) { // the last step of all: the only one with guards
#pragma unroll
    for (uint i = 0; i < A_LOADS; i++) {
      a_next[i] = 0.0f;
      if (a_k < left)
        a_next[i] = *(__global const floats *)(a + (size_t)min(i * A_STEP, a_below) * K);
    }
#pragma unroll
    for (uint i = 0; i < B_LOADS; i++) {
      b_next[i] = 0.0f;
      if (b_k + i * B_STEP < left)
        b_next[i] = *(__global const floats *)(b + (size_t)(i * B_STEP) * N);
    }
    return;
  }

#pragma unroll
  for (uint i = 0; i < A_LOADS; i++)
    a_next[i] = *(__global const floats *)(a + (size_t)min(i * A_STEP, a_below) * K);
#pragma unroll
  for (uint i = 0; i < B_LOADS; i++, b += (size_t)B_STEP * N)
    b_next[i] = *(__global const floats *)b;
}

// From there to local memory. A is transposed on its way, so that the four rows a work-item needs
// below lie side by side.
void store_tiles(__local float4 *a_tile, __local float4 *b_tile, const floats *a_next,
                 const floats *b_next) {
  const uint item = get_local_id(0);
  const uint k = item % (BK / WIDTH) * WIDTH;
  __local float *a_to = (__local float *)a_tile + k * A_STRIDE + item / (BK / WIDTH);
  __local floats *b_to = (__local floats *)b_tile + item;
#pragma unroll
  for (uint i = 0; i < A_LOADS; i++, a_to += A_STEP) {
#if WIDTH == 4
    a_to[0] = a_next[i].x;
    a_to[A_STRIDE] = a_next[i].y;
    a_to[2 * A_STRIDE] = a_next[i].z;
    a_to[3 * A_STRIDE] = a_next[i].w;
#else
    a_to[0] = a_next[i];
#endif
  }
#pragma unroll
  for (uint i = 0; i < B_LOADS; i++)
    b_to[i * ITEMS] = b_next[i];
}

// What a work-item multiplies at one k, its parts: its TM rows of A and TN columns of B, in fours.
void load_parts(float4 *a_part, float4 *b_part, __local const float4 *a_tile,
                __local const float4 *b_tile, const uint k) {
#pragma unroll
  for (uint i = 0; i < TM / 4; i++)
    a_part[i] = a_tile[k * (A_STRIDE / 4) + i * ROWS + get_local_id(0) / COLS];
#pragma unroll
  for (uint j = 0; j < TN / 4; j++)
    b_part[j] = b_tile[k * (BN / 4) + j * COLS + get_local_id(0) % COLS];
}

// Two rows of sums at a time, across and back again: most multiply-adds share a factor with one of
// the two before.
void multiply_parts(float4 sums[TM][TN / 4], const float4 *a_part, const float4 *b_part) {
#pragma unroll
  for (uint i = 0; i < TM / 2; i++) {
    const float4 four = a_part[i / 2];
    const float2 a_pair = i % 2 ? four.zw : four.xy;
#pragma unroll
    for (uint across = 0; across < TN / 4; across++) {
      const uint j = i % 2 ? TN / 4 - 1 - across : across;
      sums[2 * i][j] += a_pair.x * b_part[j];
      sums[2 * i + 1][j] += a_pair.y * b_part[j];
    }
  }
}

// A work-item's sums of one tile of C, along K from k0 up to end_k. The tiles in local memory have
// two halves each; A's are transposed: (row, k) at k * A_STRIDE + row.
void multiply_tiles(float4 sums[TM][TN / 4], __local float4 *a_tiles, __local float4 *b_tiles,
                    __global const float *restrict a, __global const float *restrict b,
                    const uint first_row, const uint first_col, uint k0, const uint end_k,
                    const uint M, const uint N, const uint K) {
  const uint item = get_local_id(0);
  // Where this work-item's share of the first tiles lies: never outside of the matrices.
  const uint a_row = min(first_row + item / (BK / WIDTH), M - 1);
  const uint b_col = min(first_col + item % (BN / WIDTH) * WIDTH, N - WIDTH);
  const uint a_below = M - 1 - a_row;
  a += (size_t)a_row * K + k0 + item % (BK / WIDTH) * WIDTH;
  b += ((size_t)k0 + item / (BN / WIDTH)) * N + b_col;

#pragma unroll
  for (uint i = 0; i < TM; i++)
#pragma unroll
    for (uint j = 0; j < TN / 4; j++)
      sums[i][j] = 0.0f;

  floats a_next[A_LOADS];
  floats b_next[B_LOADS];
  load_tiles(a_next, b_next, a, b, N, K, a_below, K - k0);
  store_tiles(a_tiles, b_tiles, a_next, b_next);
  barrier(CLK_LOCAL_MEM_FENCE); // the first tiles are complete before any work-item reads them

  float4 a_part[1 + AHEAD][TM / 4]; // for this k and, loaded ahead, for the next one
  float4 b_part[1 + AHEAD][TN / 4];
  uint now = 0; // the half of local memory that is complete
  if (AHEAD)
    load_parts(a_part[0], b_part[0], a_tiles, b_tiles, 0);

  for (; k0 < end_k; k0 += BK) {
    const bool more = k0 + BK < end_k;
    if (more) { // nobody waits for these loads before the stores below
      a += BK;
      b += (size_t)BK * N;
      load_tiles(a_next, b_next, a, b, N, K, a_below, K - k0 - BK);
    }

    __local const float4 *a_tile = a_tiles + now * A_TILE;
    __local const float4 *b_tile = b_tiles + now * B_TILE;
#pragma unroll
    for (uint k = 0; k < BK - AHEAD; k++) {
      const uint at = AHEAD ? k % 2 : 0;
      if (AHEAD) // while these are multiplied, the parts for the next k are on their way
        load_parts(a_part[1 - at], b_part[1 - at], a_tile, b_tile, k + 1);
      else
        load_parts(a_part[0], b_part[0], a_tile, b_tile, k);
      multiply_parts(sums, a_part[at], b_part[at]);
    }

    now = 1 - now;
    if (more) // into the half that everyone finished reading before the last barrier
      store_tiles(a_tiles + now * A_TILE, b_tiles + now * B_TILE, a_next, b_next);
    barrier(CLK_LOCAL_MEM_FENCE); // one barrier a step: the other half is complete

    if (AHEAD) { // the last k of this step, and the first parts of the next
      load_parts(a_part[0], b_part[0], a_tiles + now * A_TILE, b_tiles + now * B_TILE, 0);
      multiply_parts(sums, a_part[1], b_part[1]);
    }
  }
}

// Writes four floats; outside of C, nothing. `rows` and `cols` are what is left of it from there (0
// or less: outside), `stride` is the length of its rows.
void store4(__global float *restrict x, const int rows, const int cols, const uint stride,
            const float4 v) {
  if (rows <= 0 || cols <= 0)
    return;
  if (stride % 4 == 0) {
    *(__global float4 *)x = v;
    return;
  }
  x[0] = v.x; // rows that begin anywhere: one float at a time
  if (cols > 1)
    x[1] = v.y;
  if (cols > 2)
    x[2] = v.z;
  if (cols > 3)
    x[3] = v.w;
}

// Writes four sums of work-item number `item`, `i` down and `j` across, to its tile of C.
void store_sum(__global float *restrict c, const uint item, const uint i, const uint j,
               const uint first_row, const uint first_col, const uint M, const uint N,
               const float4 sum) {
  const uint row = first_row + i / 4 * (ROWS * 4) + item / COLS * 4 + i % 4;
  const uint col = first_col + j * (COLS * 4) + item % COLS * 4;
  store4(c + (size_t)row * N + col, M - row, N - col, N, sum);
}

// The product, where there is a group for each tile of C.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, const uint M, const uint N, const uint K) {
  __local float4 a_tiles[2 * A_TILE];
  __local float4 b_tiles[2 * B_TILE];
  const uint across = (N + BN - 1) / BN;
  const uint first_row = get_group_id(0) / across * BM;
  const uint first_col = get_group_id(0) % across * BN;

  float4 sums[TM][TN / 4];
  multiply_tiles(sums, a_tiles, b_tiles, a, b, first_row, first_col, 0, K, M, N, K);
#pragma unroll
  for (uint i = 0; i < TM; i++)
#pragma unroll
    for (uint j = 0; j < TN / 4; j++)
      store_sum(c, get_local_id(0), i, j, first_row, first_col, M, N, sums[i][j]);
}

// The tiles of C from number `first_tile` on, cut: tile after tile into pieces of `share` steps of
// BK along K, one piece for each group, which lies in one tile or in two.
//
// parts  out  the sums of each group: BM×BN floats for the tile in which its piece begins, and as
//             many for the next one
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul_cut(__global const float *restrict a, __global const float *restrict b,
           __global float4 *restrict parts, const uint M, const uint N, const uint K,
           const uint first_tile, const uint share) {
  __local float4 a_tiles[2 * A_TILE];
  __local float4 b_tiles[2 * B_TILE];
  const uint across = (N + BN - 1) / BN;
  const uint steps = (K + BK - 1) / BK;
  const ulong tiles = (ulong)((M + BM - 1) / BM) * across - first_tile; // that are cut
  const ulong end_step = min((ulong)get_group_id(0) * share + share, tiles * steps);
  parts += (size_t)get_group_id(0) * (2 * SUMS * ITEMS) + get_local_id(0);

  ulong step = (ulong)get_group_id(0) * share;
  while (step < end_step) {
    const uint cut = (uint)(step / steps); // number of this tile among the cut ones
    const ulong from = (ulong)cut * steps; // its first step
    const ulong to = min(end_step, from + steps);
    const uint first_row = (first_tile + cut) / across * BM;
    const uint first_col = (first_tile + cut) % across * BN;
    float4 sums[TM][TN / 4];
    multiply_tiles(sums, a_tiles, b_tiles, a, b, first_row, first_col, (uint)(step - from) * BK,
                   min((uint)(to - from) * BK, K), M, N, K);
    step = to;
#pragma unroll
    for (uint i = 0; i < TM; i++)
#pragma unroll
      for (uint j = 0; j < TN / 4; j++, parts += ITEMS)
        *parts = sums[i][j];
    barrier(CLK_LOCAL_MEM_FENCE); // nobody needs what is in local memory any more
  }
}

// Adds the parts of each tile that was cut, and writes it. A launch of its own: when it begins, all
// parts are there.
// The launch: a work-item for each float4 of a tile, and down, a group for each cut tile, in which
// several share the parts where there are many.
#define ADDERS 4 // at most
__kernel void add_parts(__global const float4 *restrict parts, __global float *restrict c,
                        const uint M, const uint N, const uint K, const uint first_tile,
                        const uint share) {
  __local float4 sums[ADDERS][64];
  const uint quad = get_global_id(0);
  const uint adder = get_local_id(1);
  const uint steps = (K + BK - 1) / BK;
  const ulong from = (ulong)get_group_id(1) * steps; // the tile's first step
  const uint first = (uint)(from / share);           // the first group that has a part of it
  const uint end = (uint)((from + steps - 1) / share) + 1;

  float4 sum = 0.0f;
  for (uint group = first + adder; group < end; group += get_local_size(1)) {
    const uint is_second = (ulong)group * share < from; // it began in the tile before
    sum += parts[((size_t)group * 2 + is_second) * (SUMS * ITEMS) + quad];
  }
  sums[adder][get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE); // all adders are done
  if (adder > 0)
    return;
  for (uint other = 1; other < get_local_size(1); other++)
    sum += sums[other][get_local_id(0)];

  const uint tile = first_tile + get_group_id(1);
  const uint across = (N + BN - 1) / BN;
  const uint i = quad / ITEMS / (TN / 4);
  const uint j = quad / ITEMS % (TN / 4);
  store_sum(c, quad % ITEMS, i, j, tile / across * BM, tile % across * BN, M, N, sum);
}
