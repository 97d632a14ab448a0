// Matrix product C = A·B; which part of C each work-group computes is up to `place`.
//
// a      in   M×K floats, row-major: a[row * K + column]
// b      in   K×N floats, row-major
// c      out  M×N floats, row-major
// parts  out  for each work-group, which part it computed: its row and its column
// A part of C has TILE×TILE elements. The launch has a group of TILE·TILE work-items for each part.
#define TILE 4
#define BAND 8 // rows of parts in a band

// The row (x) and the column (y) of the part of C that a group computes.
uint2 place(const uint group, const uint parts_down, const uint parts_across) {
  const uint band = group / (BAND * parts_across);
  const uint in_band = group % (BAND * parts_across);
  const uint rows = min(parts_down - band * BAND, (uint)BAND); // the last band has fewer
  return (uint2)(band * BAND + in_band % rows, in_band / rows);
}

__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, __global uint2 *restrict parts, const uint M,
                     const uint N, const uint K) {
  const uint2 part = place(get_group_id(0), (M + TILE - 1) / TILE, (N + TILE - 1) / TILE);
  if (get_local_id(0) == 0)
    parts[get_group_id(0)] = part;
  const uint row = part.x * TILE + get_local_id(0) / TILE;
  const uint col = part.y * TILE + get_local_id(0) % TILE;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (uint k = 0; k < K; k++)
      sum += a[(size_t)row * K + k] * b[(size_t)k * N + col];
    c[(size_t)row * N + col] = sum;
  }
}
