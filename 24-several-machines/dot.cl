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
