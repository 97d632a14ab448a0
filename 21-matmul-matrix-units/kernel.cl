// Matrix product C = A·B: float accuracy from matrix units that read 11 bits of each float.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// The launch has groups of WARPS·32 work-items, in one dimension; group number g computes tile g of
// C, counted along its rows. The warps of a group, 32 work-items each, stand side by side in it,
// and each computes 64×32 elements. From the host:
//   WARPS     how many a group has: 1, 2 or 4
//   PRODUCTS  3: every float is split into two parts, and three products of parts are added up;
//             1: the product of the big parts alone; 0: the product of the floats as they are
//   UNITS     1: the products come from matrix units (NVIDIA's); 0: from multiply-adds
//   EDGES     0 if M, N and K are multiples of BM, BN and BK: then the guards are not needed
#define BM 64
#define BN (32 * WARPS)
#define BK 16 // as many products are added up before they go to the float sums
#define ITEMS (32 * WARPS)
#define A_LOADS (BM * BK / 4 / ITEMS) // float4s of each tile that a work-item brings
#define B_LOADS (BK * BN / 4 / ITEMS)
#define A_TILE (BM * BK / 4)     // float4s in a tile
#define B_TILE (BK * BN / 4 + 8) // after each four rows of B's a gap of two

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

// A work-item's share of the tiles at k0, from global memory to its registers: 16 bytes at a time,
// neighbours reading neighbours.
void load_tiles(float4 *a_next, float4 *b_next, __global const float *restrict a,
                __global const float *restrict b, const uint first_row, const uint first_col,
                const uint k0, const uint M, const uint N, const uint K) {
#pragma unroll
  for (uint i = 0; i < A_LOADS; i++) {
    const uint quad = get_local_id(0) + i * ITEMS;
    a_next[i] = load4(a, first_row + quad / (BK / 4), k0 + quad % (BK / 4) * 4, M, K);
  }
#pragma unroll
  for (uint i = 0; i < B_LOADS; i++) {
    const uint quad = get_local_id(0) + i * ITEMS;
    b_next[i] = load4(b, k0 + quad / (BN / 4), first_col + quad % (BN / 4) * 4, K, N);
  }
}

// From there to local memory, as they are.
void store_tiles(__local float4 *a_tile, __local float4 *b_tile, const float4 *a_next,
                 const float4 *b_next) {
#pragma unroll
  for (uint i = 0; i < A_LOADS; i++)
    a_tile[get_local_id(0) + i * ITEMS] = a_next[i];
#pragma unroll
  for (uint i = 0; i < B_LOADS; i++) {
    const uint quad = get_local_id(0) + i * ITEMS;
    b_tile[quad + quad / BN * 2] = b_next[i];
  }
}

// x = big + small: `big` is the nearest number of 11 bits, `small` what is left of x's 24. Of
// 8193·x, which is 8192·x + x, a float holds x's first 11 bits and no more; 8192·x is taken off
// again.
void split(const float4 x, float4 *big, float4 *small) {
#if PRODUCTS == 0
  *big = x;
  *small = 0.0f;
#else
  *big = fma(x, -8192.0f, 8193.0f * x);
  *small = x - *big; // exact
#if !UNITS // a unit reads 11 bits of each by itself
  *big = as_float4(as_uint4(*big) & 0xffffe000u);
  *small = as_float4(as_uint4(*small) & 0xffffe000u);
#endif
#endif
}

#if UNITS
// Adds the product of 16×8 and 8×8 numbers to 16×8 sums. All 32 work-items of a warp do it
// together, and each has its share of all three. Of work-item 4 * g + t these are: (g, t), (g + 8,
// t), (g, t + 4) and (g + 8, t + 4) in `a`; (t, g) in `b0`, (t + 4, g) in `b1`; (g, 2 * t), (g, 2 *
// t + 1), (g + 8, 2 * t) and (g + 8, 2 * t + 1) in `sums`.
float4 unit(const float4 a, const float b0, const float b1, const float4 sums) {
  float x, y, z, w;
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
      : "r"(as_uint(a.x)), "r"(as_uint(a.y)), "r"(as_uint(a.z)), "r"(as_uint(a.w)),
        "r"(as_uint(b0)), "r"(as_uint(b1)), "f"(sums.x), "f"(sums.y), "f"(sums.z), "f"(sums.w));
  return (float4)(x, y, z, w);
}

// Adds 16 rows of A times 32 columns of B, for 16 values of k, to four blocks of sums. Which k a
// unit calls its first does not matter, so a work-item's are four neighbours; likewise its columns.
void add_products(float4 *blocks, const float4 up, const float4 down, const float4 *b) {
  const float4 first = (float4)(up.x, down.x, up.y, down.y);
  const float4 second = (float4)(up.z, down.z, up.w, down.w);
  blocks[0] = unit(first, b[0].x, b[1].x, blocks[0]);
  blocks[1] = unit(first, b[0].y, b[1].y, blocks[1]);
  blocks[2] = unit(first, b[0].z, b[1].z, blocks[2]);
  blocks[3] = unit(first, b[0].w, b[1].w, blocks[3]);
  blocks[0] = unit(second, b[2].x, b[3].x, blocks[0]);
  blocks[1] = unit(second, b[2].y, b[3].y, blocks[1]);
  blocks[2] = unit(second, b[2].z, b[3].z, blocks[2]);
  blocks[3] = unit(second, b[2].w, b[3].w, blocks[3]);
}

// Multiplies a warp's 64 rows of A's tile by its 32 columns of B's.
void multiply(float4 sums[BM / 16][4], __local const float4 *a_tile, __local const float4 *b_tile) {
  const uint g = get_local_id(0) % 32 / 4;
  const uint t = get_local_id(0) % 4;
  a_tile += g * (BK / 4) + t;
  b_tile += t * (BN + 2) + get_local_id(0) / 32 * 8 + g;
  float4 big_b[4];
  float4 small_b[4];
#pragma unroll
  for (uint i = 0; i < 4; i++)
    split(b_tile[i * (BN / 4)], &big_b[i], &small_b[i]);
#pragma unroll
  for (uint i = 0; i < BM / 16; i++) {
    float4 big_up, small_up, big_down, small_down;
    split(a_tile[i * 4 * BK], &big_up, &small_up);
    split(a_tile[i * 4 * BK + 2 * BK], &big_down, &small_down);
    float4 blocks[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#if PRODUCTS == 3 // the smallest first
    add_products(blocks, small_up, small_down, big_b);
    add_products(blocks, big_up, big_down, small_b);
#endif
    add_products(blocks, big_up, big_down, big_b);
    sums[i][0] += (float4)(blocks[0].x, blocks[1].x, blocks[2].x, blocks[3].x);
    sums[i][1] += (float4)(blocks[0].y, blocks[1].y, blocks[2].y, blocks[3].y);
    sums[i][2] += (float4)(blocks[0].z, blocks[1].z, blocks[2].z, blocks[3].z);
    sums[i][3] += (float4)(blocks[0].w, blocks[1].w, blocks[2].w, blocks[3].w);
  }
}
#else
// Adds a number of an upper and of a lower row of A, four times each, times eight columns of B.
void add_products(float4 *part, const float4 up, const float4 down, const float4 left,
                  const float4 right) {
  part[0] += up * left;
  part[1] += up * right;
  part[2] += down * left;
  part[3] += down * right;
}

// Multiplies a warp's 64 rows of A's tile by its 32 columns of B's. Every work-item has the same
// elements of C as with units, and reads all that it needs for them itself.
void multiply(float4 sums[BM / 16][4], __local const float4 *a_tile, __local const float4 *b_tile) {
  const uint g = get_local_id(0) % 32 / 4;
  const uint t = get_local_id(0) % 4;
  __local const float *a_row = (__local const float *)a_tile + g * BK;
  b_tile += get_local_id(0) / 32 * 8 + 2 * t;
  for (uint i = 0; i < BM / 16; i++) {
    float4 part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint k = 0; k < BK; k++) {
      float4 big_up, small_up, big_down, small_down, big_left, small_left, big_right, small_right;
      split(a_row[i * 16 * BK + k], &big_up, &small_up);
      split(a_row[(i * 16 + 8) * BK + k], &big_down, &small_down);
      split(b_tile[k * (BN / 4) + k / 4 * 2], &big_left, &small_left);
      split(b_tile[k * (BN / 4) + k / 4 * 2 + 1], &big_right, &small_right);
#if PRODUCTS == 3 // the smallest first
      add_products(part, small_up, small_down, big_left, big_right);
      add_products(part, big_up, big_down, small_left, small_right);
#endif
      add_products(part, big_up, big_down, big_left, big_right);
    }
    for (uint j = 0; j < 4; j++)
      sums[i][j] += part[j];
  }
}
#endif

__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, const uint M, const uint N, const uint K) {
  __local float4 a_tiles[2 * A_TILE]; // two halves each, row-major
  __local float4 b_tiles[2 * B_TILE];
  const uint groups_across = (N + BN - 1) / BN;
  const uint first_row = get_group_id(0) / groups_across * BM;
  const uint first_col = get_group_id(0) % groups_across * BN;

  // Of each 16 rows, four floats of an upper row, their right neighbours, and those of a lower row.
  float4 sums[BM / 16][4];
#pragma unroll
  for (uint i = 0; i < BM / 16; i++)
#pragma unroll
    for (uint j = 0; j < 4; j++)
      sums[i][j] = 0.0f;

  float4 a_next[A_LOADS];
  float4 b_next[B_LOADS];
  load_tiles(a_next, b_next, a, b, first_row, first_col, 0, M, N, K);
  store_tiles(a_tiles, b_tiles, a_next, b_next);
  barrier(CLK_LOCAL_MEM_FENCE); // the first tiles are complete before any work-item reads them

  uint now = 0; // the half of local memory whose tiles are complete
  for (uint k0 = 0; k0 < K; k0 += BK) {
    const bool more = k0 + BK < K;
    if (more) // nobody waits for these loads before the stores below
      load_tiles(a_next, b_next, a, b, first_row, first_col, k0 + BK, M, N, K);

    multiply(sums, a_tiles + now * A_TILE, b_tiles + now * B_TILE);
    now = 1 - now;
    if (more) // into the half that everyone had finished reading at the last barrier
      store_tiles(a_tiles + now * A_TILE, b_tiles + now * B_TILE, a_next, b_next);
    barrier(CLK_LOCAL_MEM_FENCE); // one barrier per step: the other half is complete
  }

  const uint row = first_row + get_local_id(0) % 32 / 4;
  const uint col = first_col + get_local_id(0) / 32 * 32 + get_local_id(0) % 4 * 8;
#pragma unroll
  for (uint i = 0; i < BM / 16; i++)
#pragma unroll
    for (uint j = 0; j < 4; j++)
      store4(c, row + i * 16 + j / 2 * 8, col + j % 2 * 4, M, N, sums[i][j]);
}
