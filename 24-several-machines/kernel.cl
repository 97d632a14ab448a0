// What each process has its device do: chapter 06's dot product and chapter 10's matrix product,
// which adds to C here.

// Dot product: each work-group adds its products to one number; the host adds those.
//
// a, b          in     n floats each
// partial_sums  out    one float for each work-group
// n             in     number of elements; any number of work-groups will do
// sums          local  one float for each work-item; the local size is a power of two
__kernel void dot_product(__global const float *restrict a, __global const float *restrict b,
                          __global float *restrict partial_sums, const ulong n,
                          __local float *sums) {
  // Grid-stride loop: the work-items go through the vectors together, each one taking a step as
  // long as the whole launch.
  float sum = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += a[i] * b[i];

  // Tree: in each step the first half of the work-items adds what the second half has.
  const size_t lid = get_local_id(0);
  sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE); // every sum is written before any is read
  for (size_t active = get_local_size(0) / 2; active > 0; active /= 2) {
    if (lid < active)
      sums[lid] += sums[lid + active];
    barrier(CLK_LOCAL_MEM_FENCE); // outside the if: every work-item has to reach it
  }
  if (lid == 0)
    partial_sums[get_group_id(0)] = sums[0];
}

// C = A·B or, where `add` is not 0, C = C + A·B: a process has its rows and columns of C, and one
// panel of A and of B after the other.
//
// a    in          M×K floats, row-major: a[row * K + column]
// b    in          K×N floats, row-major
// c    out or in   M×N floats, row-major
// The launch has groups of TILE × TILE/WPT work-items, enough of them for the TILE×TILE tiles of C
// to cover its columns (dimension 0) and its rows (dimension 1). TILE and WPT come from the host;
// WPT divides TILE.
#define STEP (TILE / WPT) // rows between two elements of C of the same work-item

__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, const ulong M, const ulong N, const ulong K,
                     const uint add) {
  __local float a_tile[TILE][TILE];
  __local float b_tile[TILE][TILE];
  const size_t col = get_global_id(0);
  const size_t row = get_group_id(1) * TILE + get_local_id(1); // the first one; w * STEP below it
  const size_t tile_col = get_local_id(0);
  const size_t tile_row = get_local_id(1);
  float sums[WPT] = {0.0f}; // WPT is a constant, so the compiler can keep these in registers
  for (size_t first = 0; first < K; first += TILE) {
    // Each work-item brings WPT elements of each tile; outside the matrices, 0 adds nothing.
    const size_t a_col = first + tile_col;
    const size_t b_row = first + tile_row;
    for (size_t w = 0; w < WPT; w++) {
      const size_t step = w * STEP;
      a_tile[tile_row + step][tile_col] =
          row + step < M && a_col < K ? a[(row + step) * K + a_col] : 0.0f;
      b_tile[tile_row + step][tile_col] =
          b_row + step < K && col < N ? b[(b_row + step) * N + col] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete before any work-item reads them
    for (size_t k = 0; k < TILE; k++) {
      const float b_value = b_tile[k][tile_col]; // read once, used WPT times
      for (size_t w = 0; w < WPT; w++)
        sums[w] += a_tile[tile_row + w * STEP][k] * b_value;
    }
    barrier(CLK_LOCAL_MEM_FENCE); // everyone has read them before anyone brings the next ones
  }
  for (size_t w = 0; w < WPT; w++)
    if (row + w * STEP < M && col < N) { // only here: the barriers need every work-item
      const size_t place = (row + w * STEP) * N + col;
      c[place] = add != 0 ? c[place] + sums[w] : sums[w];
    }
}
