// Matrix product C = A·B: tiles in local memory, and WPT elements of a row of C for each
// work-item.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// The launch has groups of TILE × TILE/WPT work-items, enough of them for the TILE×TILE tiles of C
// to cover its columns (dimension 0) and its rows (dimension 1). TILE and WPT come from the host;
// WPT divides TILE.
#define STEP (TILE / WPT) // columns between two elements of C of the same work-item

__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, const ulong M, const ulong N, const ulong K) {
  __local float a_tile[TILE][TILE] __attribute__((aligned(16)));
  __local float b_tile[TILE][TILE] __attribute__((aligned(16)));
  const size_t tile_col = get_local_id(0);
  const size_t tile_row = get_local_id(1);
  // The group's work-items are renumbered: TILE rows of STEP of them.
  const size_t number = tile_row * TILE + tile_col;
  const size_t my_row = number / STEP; // in the tile of C; the columns are my_col + w * STEP
  const size_t my_col = number % STEP;
  float sums[WPT] = {0.0f};
  for (size_t first = 0; first < K; first += TILE) {
    // Bringing the tiles is as in the chapter: each work-item WPT elements, STEP rows apart.
    for (size_t r = tile_row; r < TILE; r += STEP) {
      const size_t a_row = get_group_id(1) * TILE + r;
      const size_t a_col = first + tile_col;
      const size_t b_row = first + r;
      const size_t b_col = get_group_id(0) * TILE + tile_col;
      a_tile[r][tile_col] = a_row < M && a_col < K ? a[a_row * K + a_col] : 0.0f;
      b_tile[r][tile_col] = b_row < K && b_col < N ? b[b_row * N + b_col] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete before any work-item reads them
    for (size_t k = 0; k < TILE; k++) {
      const float a_value = a_tile[my_row][k]; // read once, used WPT times
      for (size_t w = 0; w < WPT; w++)
        sums[w] += a_value * b_tile[k][my_col + w * STEP];
    }
    barrier(CLK_LOCAL_MEM_FENCE); // everyone has read them before anyone brings the next ones
  }
  const size_t row = get_group_id(1) * TILE + my_row;
  for (size_t w = 0; w < WPT; w++) {
    const size_t col = get_group_id(0) * TILE + my_col + w * STEP;
    if (row < M && col < N)
      c[row * N + col] = sums[w];
  }
}
