// One time step of heat on a plate: half of what an element had, and an eighth of each neighbour.
// The edge of the plate keeps its temperature.
//
// before  in   height×width floats, row-major: before[row * width + column]
// after   out  height×width floats, one step later
// The launch has groups of TILE×TILE work-items, enough of them to cover the columns of the plate
// (dimension 0) and its rows (dimension 1). TILE comes from the host: -D TILE=16, or less.
__kernel void heat(__global const float *restrict before, __global float *restrict after,
                   const ulong height, const ulong width) {
  const size_t col = get_global_id(0);
  const size_t row = get_global_id(1);
  // TODO: the group brings its tile, with a border of one element around it, to local memory, each
  // element once. After a barrier nothing reads `before` any more.
  if (row >= height || col >= width)
    return;
  const size_t i = row * width + col;
  if (row == 0 || row + 1 == height || col == 0 || col + 1 == width)
    after[i] = before[i];
  else
    after[i] = 0.5f * before[i] +
               0.125f * (before[i - width] + before[i - 1] + before[i + 1] + before[i + width]);
}
