// Matrix product C = A·B with two pairs of tiles: one is multiplied while the next is on its way.
// TODO: find the two mistakes.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// The launch has groups of TILE×TILE work-items, one for each element of a tile of C.
#define TILE 8

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, const uint M, const uint N, const uint K) {
  __local float a_tiles[2][TILE][TILE];
  __local float b_tiles[2][TILE][TILE];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const uint col = get_global_id(0);
  const uint row = get_global_id(1);
  a_tiles[0][y][x] = row < M && x < K ? a[(size_t)row * K + x] : 0.0f;
  b_tiles[0][y][x] = y < K && col < N ? b[(size_t)y * N + col] : 0.0f;

  float sum = 0.0f;
  uint now = 0; // the half of local memory whose tiles are complete
  for (uint k0 = 0; k0 < K; k0 += TILE) {
    // The next tiles, into registers; outside the matrices, and after the last step, 0.
    const uint next = k0 + TILE;
    const float a_next = row < M && next + x < K ? a[(size_t)row * K + next + x] : 0.0f;
    const float b_next = next + y < K && col < N ? b[(size_t)(next + y) * N + col] : 0.0f;

    for (uint k = 0; k < TILE; k++)
      sum += a_tiles[now][y][k] * b_tiles[now][k][x];

    a_tiles[now][y][x] = a_next;
    b_tiles[now][y][x] = b_next;
    now = 1 - now;
    barrier(CLK_LOCAL_MEM_FENCE); // the next tiles are complete
  }
  if (row < M && col < N)
    c[(size_t)row * N + col] = sum;
}
