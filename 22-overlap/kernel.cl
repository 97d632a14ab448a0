// Dot product of a piece: the grid-stride loop of chapter 03, the tree of chapter 06.
//
// piece         in     n floats of a, then the n floats of b that belong to them
// partial_sums  out    one float for each work-group; 0 from a group that has no elements
// n             in     length of the piece; any number of work-groups will do
// sums          local  one float for each work-item; the local size is a power of two
__kernel void dot_product(__global const float *restrict piece,
                          __global float *restrict partial_sums, const ulong n,
                          __local float *sums) {
  __global const float *a = piece, *b = piece + n;
  float sum = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += a[i] * b[i];

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
