// One time step of heat on a plate: half of what an element had, and an eighth of each neighbour.
// The edge of the plate keeps its temperature.
//
// before  in   height×width floats, row-major: before[row * width + column]
// after   out  height×width floats, one step later
// The launch has groups of TILE×TILE work-items, enough of them to cover the columns of the plate
// (dimension 0) and its rows (dimension 1). TILE comes from the host: -D TILE=16, or less.
__kernel void heat(__global const float *restrict before, __global float *restrict after,
                   const ulong height, const ulong width) {
  __local float tile[TILE + 2][TILE + 2];
  const size_t col = get_global_id(0);
  const size_t row = get_global_id(1);
  const size_t tile_col = get_local_id(0) + 1; // column 0 and row 0 of the tile are border
  const size_t tile_row = get_local_id(1) + 1;
  const size_t i = row * width + col;
  const bool inside = row < height && col < width;
  if (inside) {
    tile[tile_row][tile_col] = before[i];
    // Who stands at a side of the tile brings the border beside it, too. Beyond the plate there is
    // nothing to bring, and nobody reads it: the edge does not look at its neighbours.
    if (tile_col == 1 && col > 0)
      tile[tile_row][0] = before[i - 1];
    if (tile_col == TILE && col + 1 < width)
      tile[tile_row][TILE + 1] = before[i + 1];
    if (tile_row == 1 && row > 0)
      tile[0][tile_col] = before[i - width];
    if (tile_row == TILE && row + 1 < height)
      tile[TILE + 1][tile_col] = before[i + width];
  }
  // The tile is complete before any work-item reads its neighbours. All of the group have to come
  // here, so those beyond the plate leave only now.
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!inside)
    return;
  if (row == 0 || row + 1 == height || col == 0 || col + 1 == width)
    after[i] = tile[tile_row][tile_col];
  else
    after[i] = 0.5f * tile[tile_row][tile_col] +
               0.125f * (tile[tile_row - 1][tile_col] + tile[tile_row][tile_col - 1] +
                         tile[tile_row][tile_col + 1] + tile[tile_row + 1][tile_col]);
}
