// Matrix product C = A·B with tiles, for a GPU: chapter 18's kernel, and finishing touches.
// Pointers move along, the multiply-adds have an order, nothing is guarded that need not be, what
// is multiplied next is loaded ahead, and where tiles do not fill the device, K is cut.
//
// a  in   M rows of K floats, row-major; if WIDTH is 4, each is filled up to a multiple of four, as
//         `pad` leaves it
// b  in   K rows of N floats, likewise
// c  out  M×N floats, row-major
// The launches have groups of (BM/TM)·(BN/TN) work-items, in one dimension. From the host:
//   BM, BN, BK  a group computes tiles of C of BM×BN; it goes through K in steps of BK
//   TM, TN      a work-item's part of one (multiples of 4)
//   WIDTH       how many floats are loaded at a time: 4, or 1 where rows begin anywhere
//   CUT         0 if there is a group for each tile; 1 if the last tiles are cut along K, so that
//               all groups have the same to do
#define COLS (BN / TN) // the work-items of a group: ROWS×COLS of them
#define ROWS (BM / TM)
#define ITEMS (ROWS * COLS)
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

// First launch, where rows of A or B are no multiple of four floats and WIDTH is 4: copies both,
// and fills the rows up with 0, so that each begins at a multiple of 16 bytes.
//
// x         in   rows × width floats, A or B
// x_padded  out  rows × ceil(width / 4) float4s
// The launch has at least as many work-items across as the wider one has float4s in a row; down
// they take rows in turns. The first half of the second dimension copies A, the other B.
void pad_rows(__global const float *restrict x, __global float4 *restrict x_padded,
              const size_t rows, const size_t width, size_t row, const size_t turns) {
  const size_t length = (width + 3) / 4;
  const size_t quad = get_global_id(0);
  if (quad >= length)
    return;
  for (; row < rows; row += turns) {
    __global const float *from = x + row * width + quad * 4;
    float4 v = 0.0f;
    v.x = from[0];
    if (quad * 4 + 1 < width)
      v.y = from[1];
    if (quad * 4 + 2 < width)
      v.z = from[2];
    if (quad * 4 + 3 < width)
      v.w = from[3];
    x_padded[row * length + quad] = v;
  }
}

__kernel void pad(__global const float *restrict a, __global float4 *restrict a_padded,
                  __global const float *restrict b, __global float4 *restrict b_padded,
                  const uint M, const uint N, const uint K) {
  const size_t turns = get_global_size(1) / 2;
  const size_t row = get_global_id(1);
  if (row < turns)
    pad_rows(a, a_padded, M, K, row, turns);
  else
    pad_rows(b, b_padded, K, N, row - turns, turns);
}

// A work-item's share of the next tiles, from global memory to its registers. `a` and `b` point to
// the first; the next ones lie A_STEP and B_STEP rows below. No row of A is more than
// `a_below` rows below: what is asked for there is the last one's, for rows of C that nobody
// writes. Of K, `left` is left, from the tiles' beginning; what lies beyond is 0.
void load_tiles(floats *a_next, floats *b_next, __global const float *restrict a,
                __global const float *restrict b, const uint a_length, const uint b_length,
                const uint a_below, const uint left) {
  const uint a_k = get_local_id(0) % (BK / WIDTH) * WIDTH;
  const uint b_k = get_local_id(0) / (BN / WIDTH);
  if (left < BK) { // the last step of all: the only one with guards
#pragma unroll
    for (uint i = 0; i < A_LOADS; i++) {
      a_next[i] = 0.0f;
      if (a_k < left)
        a_next[i] = *(__global const floats *)(a + (size_t)min(i * A_STEP, a_below) * a_length);
    }
#pragma unroll
    for (uint i = 0; i < B_LOADS; i++) {
      b_next[i] = 0.0f;
      if (b_k + i * B_STEP < left)
        b_next[i] = *(__global const floats *)(b + (size_t)(i * B_STEP) * b_length);
    }
    return;
  }
#pragma unroll
  for (uint i = 0; i < A_LOADS; i++)
    a_next[i] = *(__global const floats *)(a + (size_t)min(i * A_STEP, a_below) * a_length);
#pragma unroll
  for (uint i = 0; i < B_LOADS; i++, b += (size_t)B_STEP * b_length)
    b_next[i] = *(__global const floats *)b;
}

// From there to local memory. A is turned on its way, so that the four rows a work-item needs below
// lie side by side.
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

// Writes four floats; outside of C, nothing. `rows` and `cols` are what is left of it from there (0
// or less: outside), `stride` is the length of its rows.
void store4(__global float *restrict x, const int rows, const int cols, const uint stride,
            const float4 v) {
  if (rows <= 0 || cols <= 0)
    return;
  if (stride % 4 != 0) { // rows that begin anywhere: one float at a time
    x[0] = v.x;
    if (cols > 1)
      x[1] = v.y;
    if (cols > 2)
      x[2] = v.z;
    if (cols > 3)
      x[3] = v.w;
    return;
  }
  *(__global float4 *)x = v;
}

// The product. The groups take tiles of C in turns, up to number `whole`. What is left is cut: tile
// after tile, into pieces of `share` steps of BK along K, one for each group, so that all have the
// same to do. Such a piece lies in one tile, or in two.
//
// parts  out  of each group two tiles of sums, for what it has of a cut one
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, __global float *restrict parts, const uint M, const uint N,
       const uint K, const uint whole, const uint share) {
  __local float4 a_tiles[2 * A_TILE]; // two each; (row, k) at k * A_STRIDE + row
  __local float4 b_tiles[2 * B_TILE];
  const uint groups_across = (N + BN - 1) / BN;
  const uint item = get_local_id(0);
  const uint a_length = (K + WIDTH - 1) / WIDTH * WIDTH;
  const uint b_length = (N + WIDTH - 1) / WIDTH * WIDTH;
  uint tile = get_group_id(0);
  uint k0 = 0;
  uint end_k = K;
#if CUT
  const uint steps = (K + BK - 1) / BK;
  const ulong tiles = (ulong)((M + BM - 1) / BM) * groups_across;
  const ulong cut_steps = (tiles - whole) * steps;
  ulong step = (ulong)get_group_id(0) * share; // of those tiles that are cut
  const ulong end_step = min(step + share, cut_steps);
  parts += (size_t)get_group_id(0) * 2 * BM * BN;
  while (tile < whole || step < end_step) {
    const uint from = step % steps;
    const uint to = min((ulong)steps, from + end_step - step);
    const bool is_whole = tile < whole;
    if (!is_whole) {
      tile = whole + step / steps;
      k0 = from * BK;
      end_k = min(to * BK, K);
    } else
      k0 = 0;
#endif
    const uint first_row = tile / groups_across * BM;
    const uint first_col = tile % groups_across * BN;
    // Where this work-item's share of the first tiles lies: never outside of the matrices.
    const uint a_row = min(first_row + item / (BK / WIDTH), M - 1);
    const uint b_col = min(first_col + item % (BN / WIDTH) * WIDTH, b_length - WIDTH);
    __global const float *a_from = a + (size_t)a_row * a_length + k0 + item % (BK / WIDTH) * WIDTH;
    __global const float *b_from = b + ((size_t)k0 + item / (BN / WIDTH)) * b_length + b_col;

    float4 sums[TM][TN / 4];
#pragma unroll
    for (uint i = 0; i < TM; i++)
#pragma unroll
      for (uint j = 0; j < TN / 4; j++)
        sums[i][j] = 0.0f;

    floats a_next[A_LOADS];
    floats b_next[B_LOADS];
    load_tiles(a_next, b_next, a_from, b_from, a_length, b_length, M - 1 - a_row, K - k0);
#if CUT
    barrier(CLK_LOCAL_MEM_FENCE); // nobody reads the tiles of the piece before any more
#endif
    store_tiles(a_tiles, b_tiles, a_next, b_next);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint now = 0; // the half of local memory that is complete

    float4 a_part[1 + AHEAD][TM / 4]; // for this k and, loaded ahead, for the next one
    float4 b_part[1 + AHEAD][TN / 4];
#if AHEAD
    load_parts(a_part[0], b_part[0], a_tiles, b_tiles, 0);
#endif
    for (; k0 < end_k; k0 += BK) {
      const bool more = k0 + BK < end_k;
      if (more) { // nobody waits for these loads before the stores below
        a_from += BK;
        b_from += (size_t)BK * b_length;
        load_tiles(a_next, b_next, a_from, b_from, a_length, b_length, M - 1 - a_row, K - k0 - BK);
      }

      __local const float4 *a_tile = a_tiles + now * A_TILE;
      __local const float4 *b_tile = b_tiles + now * B_TILE;
#pragma unroll
      for (uint k = 0; k < BK; k++) {
#if AHEAD // while these are multiplied, the parts for the next k are on their way
        const uint at = k % 2;
        if (k < BK - 1)
          load_parts(a_part[1 - at], b_part[1 - at], a_tile, b_tile, k + 1);
        else { // of the next tiles; after the last step nobody uses them
          now = 1 - now;
          if (more)
            store_tiles(a_tiles + now * A_TILE, b_tiles + now * B_TILE, a_next, b_next);
          barrier(CLK_LOCAL_MEM_FENCE);
          load_parts(a_part[0], b_part[0], a_tiles + now * A_TILE, b_tiles + now * B_TILE, 0);
        }
#else
      const uint at = 0;
      load_parts(a_part[0], b_part[0], a_tile, b_tile, k);
#endif
        // Two rows of sums at a time, across and back again: each multiply-add shares a factor
        // with the one before it.
#pragma unroll
        for (uint i = 0; i < TM / 2; i++) {
          const float4 four = a_part[at][i / 2];
          const float2 a_pair = i % 2 ? four.zw : four.xy;
#pragma unroll
          for (uint across = 0; across < TN / 4; across++) {
            const uint j = i % 2 ? TN / 4 - 1 - across : across;
            sums[2 * i][j] += a_pair.x * b_part[at][j];
            sums[2 * i + 1][j] += a_pair.y * b_part[at][j];
          }
        }
      }
#if !AHEAD
      now = 1 - now;
      if (more) // into the half that everyone finished reading before the last barrier
        store_tiles(a_tiles + now * A_TILE, b_tiles + now * B_TILE, a_next, b_next);
      barrier(CLK_LOCAL_MEM_FENCE); // one barrier a step: the other half is complete
#endif
    }

    const uint row = first_row + item / COLS * 4;
    const uint col = first_col + item % COLS * 4;
    __global float *to_c = c + (size_t)row * N + col;
#if CUT
    if (is_whole)
      tile += get_num_groups(0);
    else {
      step += to - from;
      __global float *to_parts = parts + item / COLS * 4 * BN + item % COLS * 4;
#pragma unroll
      for (uint i = 0; i < TM; i++)
#pragma unroll
        for (uint j = 0; j < TN / 4; j++)
          *(__global float4 *)(to_parts + (i / 4 * (ROWS * 4) + i % 4) * BN + j * (COLS * 4)) =
              sums[i][j];
      parts += BM * BN;
      continue;
    }
#endif
#pragma unroll
    for (uint i = 0; i < TM; i++)
#pragma unroll
      for (uint j = 0; j < TN / 4; j++) {
        const uint down = i / 4 * (ROWS * 4) + i % 4;
        const uint right = j * (COLS * 4);
        store4(to_c + (size_t)down * N + right, M - row - down, N - col - right, N, sums[i][j]);
      }
#if CUT
  }
#endif
}

// Last launch, where tiles are cut: adds their parts. A work-item adds, of four floats of C, the
// part of every so many-th group; those side by side in the second dimension add what they have.
//
// parts  in  as the product's launch wrote them
// The launch has BM·BN/4 work-items across for each such tile, in groups of 64.
__kernel void add_parts(__global const float4 *restrict parts, __global float *restrict c,
                        const uint M, const uint N, const uint K, const uint whole,
                        const uint share) {
  __local float4 sums[64];
  const size_t steps = (K + BK - 1) / BK;
  const size_t groups_across = (N + BN - 1) / BN;
  const size_t cut = get_global_id(0) / (BM * BN / 4); // number of its tile among the cut ones
  const size_t quad = get_global_id(0) % (BM * BN / 4);
  const size_t last = ((cut + 1) * steps - 1) / share; // the last group that has a part of it
  float4 sum = 0.0f;
  for (size_t g = cut * steps / share + get_local_id(1); g <= last; g += get_local_size(1)) {
    const size_t second = g * share / steps < cut; // of this group's two tiles
    sum += parts[(g * 2 + second) * (BM * BN / 4) + quad];
  }
  sums[get_local_id(1) * get_local_size(0) + get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(1) > 0)
    return;
  for (size_t i = 1; i < get_local_size(1); i++)
    sum += sums[i * get_local_size(0) + get_local_id(0)];
  const size_t row = (whole + cut) / groups_across * BM + quad / (BN / 4);
  const size_t col = (whole + cut) % groups_across * BN + quad % (BN / 4) * 4;
  store4(c + row * N + col, M - (uint)row, N - (uint)col, N, sum);
}
