// Adds the sum of a piece to what is there already: chapter 06's tree.
//
// x             in      n floats
// partial_sums  in/out  one float for each work-group
// n             in      length of the piece
// sums          local   one float for each work-item; the local size is a power of two
__kernel void add_piece(__global const float *restrict x, __global float *restrict partial_sums,
                        const ulong n, __local float *sums) {
  float sum = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += x[i];

  const size_t lid = get_local_id(0);
  sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t active = get_local_size(0) / 2; active > 0; active /= 2) {
    if (lid < active)
      sums[lid] += sums[lid + active];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0)
    partial_sums[get_group_id(0)] += sums[0];
}
