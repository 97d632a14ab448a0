// Matrix product C = A·B: tiles in local memory, and WPT elements of C for each work-item.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// The launch has groups of TILE × TILE/WPT work-items, enough of them for the TILE×TILE tiles of C
// to cover its columns (dimension 0) and its rows (dimension 1). TILE and WPT come from the host;
// WPT divides TILE.
#define STEP (TILE / WPT) // rows between two elements of C of the same work-item

__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, const ulong M, const ulong N, const ulong K) {
  // Aligned to 16 bytes, so that a compiler may read four floats of a row at once (chapter 10).
  __local float a_tile[TILE][TILE] __attribute__((aligned(16)));
  __local float b_tile[TILE][TILE] __attribute__((aligned(16)));
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
    if (row + w * STEP < M && col < N) // only here: the barriers need every work-item
      c[(row + w * STEP) * N + col] = sums[w];
}
