// Matrix product C = A·B: the work-items of a group share tiles of A and B in local memory.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// The launch has groups of TILE×TILE work-items, enough of them to cover the columns of C
// (dimension 0) and its rows (dimension 1). TILE comes from the host: -D TILE=32, or less.
#define TILE_K (TILE < 4 ? 1 : TILE / 4) // how much of K is brought at a time

__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, const ulong M, const ulong N, const ulong K) {
  __local float a_tile[TILE][TILE_K] __attribute__((aligned(16)));
  __local float b_tile[TILE_K][TILE] __attribute__((aligned(16)));
  const size_t col = get_global_id(0);
  const size_t row = get_global_id(1);
  const size_t tile_col = get_local_id(0);
  const size_t tile_row = get_local_id(1);
  float sum = 0.0f;
  for (size_t first = 0; first < K; first += TILE_K) {
    // The tiles have fewer elements than there are work-items: not all of them bring one. Outside
    // the matrices, 0 adds nothing.
    const size_t a_col = first + tile_col;
    const size_t b_row = first + tile_row;
    if (tile_col < TILE_K)
      a_tile[tile_row][tile_col] = row < M && a_col < K ? a[row * K + a_col] : 0.0f;
    if (tile_row < TILE_K)
      b_tile[tile_row][tile_col] = b_row < K && col < N ? b[b_row * N + col] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete before any work-item reads them
    for (size_t k = 0; k < TILE_K; k++)
      sum += a_tile[tile_row][k] * b_tile[k][tile_col];
    barrier(CLK_LOCAL_MEM_FENCE); // everyone has read them before anyone brings the next ones
  }
  if (row < M && col < N) // only here: up to here every work-item is needed at the barriers
    c[row * N + col] = sum;
}
