// Matrix product C = A·B in two variants; the host measures which one, and with which parameters.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// From the host:
//   PANELS      1 for the variant with panels (a CPU's), 0 for the one with tiles (a GPU's)
//   BM, BN, BK  a work-group's part of C is BM×BN; it goes through K in steps of BK
//   TM, TN      what is kept in registers at a time: TM×TN elements of C
//   WIDTH       panels only: floats in a vector; TN is a multiple of it
//   EDGES       tiles only: 0 if M, N and K are multiples of BM, BN and BK
// Work-group number g computes the part of C that `place` gives for it.
#define BAND 8 // rows of parts that are worked on together

// Which part of C: not along a whole row of parts, but through BAND rows at a time, down each
// column. Groups that run at the same time then share both rows of A and columns of B in the cache.
uint2 place(const uint group, const uint parts_down, const uint parts_across) {
  const uint band = group / (BAND * parts_across);
  const uint in_band = group % (BAND * parts_across);
  const uint rows = min(parts_down - band * BAND, (uint)BAND); // of this band; the last has fewer
  return (uint2)(band * BAND + in_band % rows, in_band / rows);
}

#if !PANELS // ------------------------------------------------------------------------------------

// As in chapter 17, and on top of it: while the work-items multiply one pair of tiles, the next one
// is on its way from global memory to registers, and then goes to the other half of local memory.
#define COLS (BN / TN) // the work-items of a group: ROWS×COLS of them
#define ROWS (BM / TM)
#define ITEMS (ROWS * COLS)
#define A_STRIDE (BM + 4)             // 4 more than it takes: fewer stores then meet in a bank
#define A_LOADS (BM * BK / 4 / ITEMS) // float4s of each tile that a work-item brings
#define B_LOADS (BK * BN / 4 / ITEMS)
#define A_STEP (ITEMS / (BK / 4)) // rows from one of them to the next
#define B_STEP (ITEMS / (BN / 4))

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
  for (uint l = 0; l < A_LOADS; l++, a += (size_t)A_STEP * K)
    a_next[l] = load4(a, a_rows - (int)(l * A_STEP), a_cols, K);
#pragma unroll
  for (uint l = 0; l < B_LOADS; l++, b += (size_t)B_STEP * N)
    b_next[l] = load4(b, b_rows - (int)(l * B_STEP), b_cols, N);
}

// From there to local memory; A is turned on its way.
void store_tiles(__local float4 *a_tile, __local float4 *b_tile, const float4 *a_next,
                 const float4 *b_next) {
  const uint item = get_local_id(0);
  __local float *a_to = (__local float *)a_tile + item % (BK / 4) * 4 * A_STRIDE + item / (BK / 4);
#pragma unroll
  for (uint l = 0; l < A_LOADS; l++, a_to += A_STEP) {
    a_to[0] = a_next[l].x;
    a_to[A_STRIDE] = a_next[l].y;
    a_to[2 * A_STRIDE] = a_next[l].z;
    a_to[3 * A_STRIDE] = a_next[l].w;
  }
#pragma unroll
  for (uint l = 0; l < B_LOADS; l++)
    b_tile[item + l * ITEMS] = b_next[l];
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
  __local float4 a_tiles[2 * BK * A_STRIDE / 4]; // two each; (row, k) at k * A_STRIDE + row
  __local float4 b_tiles[2 * BK * BN / 4];
  const uint2 part = place(get_group_id(0), (M + BM - 1) / BM, (N + BN - 1) / BN);
  // Where this work-item's share of the first tiles lies, and how much of the matrices from there.
  const uint item = get_local_id(0);
  const uint a_row = part.x * BM + item / (BK / 4);
  const uint b_col = part.y * BN + item % (BN / 4) * 4;
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

    __local const float4 *a_tile = a_tiles + now * (BK * A_STRIDE / 4);
    __local const float4 *b_tile = b_tiles + now * (BK * BN / 4);
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
      store_tiles(a_tiles + now * (BK * A_STRIDE / 4), b_tiles + now * (BK * BN / 4), a_next,
                  b_next);
    }
    barrier(CLK_LOCAL_MEM_FENCE); // one barrier a step: the other half is complete
  }

  const uint row = part.x * BM + item / COLS * 4;
  const uint col = part.y * BN + item % COLS * 4;
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

#else // ------------------------------------------------------------------------------------------

// One work-item a group, and no barrier: a CPU runs a group's work-items one after the other, so
// there is nobody to share tiles with. What counts instead: vectors as long as the processor's,
// operands that lie in memory in the order in which they are needed (panels), and TM×TN sums that
// fit into the vector registers.
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(float, WIDTH)
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)
#define TV (TN / WIDTH) // vectors across the registers' part of C
#define KS 16           // panels are filled up with 0 to a multiple of KS along K; BK is one

// First launch: A in panels of TM rows. KS floats of a row lie side by side, then come those of the
// next row, so that a panel is read from its beginning to its end. Filled up with 0 at the edges.
//
// panels  out  ceil(M / TM) panels of ceil(K / KS) * TM * KS floats
// The launch has ceil(K / KS) × ceil(M / TM) work-items, one for each TM×KS floats.
__kernel void pack_a(__global const float *restrict a, __global float *restrict panels,
                     const uint M, const uint K) {
  const uint k = get_global_id(0) * KS;
  const uint row = get_global_id(1) * TM;
  __global float *to =
      panels + (get_global_id(1) * get_global_size(0) + get_global_id(0)) * TM * KS;
  __global const float *from = a + (size_t)row * K + k;
  for (uint i = 0; i < TM; i++, from += K)
    if (row + i < M && k + KS <= K)
      vstore16(vload16(0, from), i, to);
    else
      for (uint j = 0; j < KS; j++)
        to[i * KS + j] = row + i < M && k + j < K ? from[j] : 0.0f;
}

// Second launch: B in panels of TN columns, row by row, filled up with 0 at the edges.
//
// panels  out  ceil(N / TN) panels of ceil(K / KS) * KS * TN floats
// The launch has ceil(N / TN) × ceil(K / KS) work-items, one for each KS×TN floats.
__kernel void pack_b(__global const float *restrict b, __global float *restrict panels,
                     const uint N, const uint K) {
  const uint col = get_global_id(0) * TN;
  const uint k = get_global_id(1) * KS;
  __global float *to =
      panels + (get_global_id(0) * get_global_size(1) + get_global_id(1)) * KS * TN;
  __global const float *from = b + (size_t)k * N + col;
  for (uint i = 0; i < KS; i++, from += N)
    if (k + i < K && col + TN <= N)
#pragma unroll
      for (uint j = 0; j < TV; j++)
        STORE(LOAD(j, from), i * TV + j, to);
    else
      for (uint j = 0; j < TN; j++)
        to[i * TN + j] = k + i < K && col + j < N ? from[j] : 0.0f;
}

// Third launch. a, b: the panels.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, const uint M, const uint N, const uint K) {
  const uint2 part = place(get_group_id(0), (M + BM - 1) / BM, (N + BN - 1) / BN);
  const uint last_row = min((part.x + 1) * BM, M); // the first one that is not this group's
  const uint last_col = min((part.y + 1) * BN, N);
  const uint padded = (K + KS - 1) / KS * KS; // what the panels have along K

  // BK steps of a panel of B stay in the cache while all the group's panels of A pass by.
  for (uint k0 = 0; k0 < padded; k0 += BK)
    for (uint col = part.y * BN; col < last_col; col += TN)
      for (uint row = part.x * BM; row < last_row; row += TM) {
        __global const float *a_part = a + (size_t)row * padded + (size_t)k0 * TM;
        __global const float *b_part = b + (size_t)col * padded + (size_t)k0 * TN;
        VECTOR sums[TM][TV];
#pragma unroll
        for (uint i = 0; i < TM; i++)
#pragma unroll
          for (uint j = 0; j < TV; j++)
            sums[i][j] = 0.0f;
        for (uint s = k0; s < min(k0 + BK, padded); s += KS, a_part += TM * KS)
          for (uint k = 0; k < KS; k++, b_part += TN) {
            VECTOR b_values[TV];
#pragma unroll
            for (uint j = 0; j < TV; j++)
              b_values[j] = LOAD(j, b_part);
#pragma unroll
            for (uint i = 0; i < TM; i++) {
              const VECTOR a_value = a_part[i * KS + k]; // one float of A, in every lane
#pragma unroll
              for (uint j = 0; j < TV; j++)
                sums[i][j] = fma(a_value, b_values[j], sums[i][j]);
            }
          }

        // To C: the first step writes, the others add. At the edges float by float.
        __global float *to = c + (size_t)row * N + col;
        if (row + TM <= M && col + TN <= N) {
#pragma unroll
          for (uint i = 0; i < TM; i++, to += N)
#pragma unroll
            for (uint j = 0; j < TV; j++)
              STORE(k0 > 0 ? LOAD(j, to) + sums[i][j] : sums[i][j], j, to);
        } else {
          float edge[TM * TN];
#pragma unroll
          for (uint i = 0; i < TM; i++)
#pragma unroll
            for (uint j = 0; j < TV; j++)
              STORE(sums[i][j], i * TV + j, edge);
          for (uint i = 0; i < min((uint)TM, M - row); i++, to += N)
            for (uint j = 0; j < min((uint)TN, N - col); j++)
              to[j] = k0 > 0 ? to[j] + edge[i * TN + j] : edge[i * TN + j];
        }
      }
}
#endif
