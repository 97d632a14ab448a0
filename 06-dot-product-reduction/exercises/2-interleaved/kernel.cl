// Dot product: each work-group adds its products to one number; the host adds those.
// The tree adds neighbours first: 0 and 1, 2 and 3, ...; then 0 and 2, 4 and 6, ...; and so on.
//
// a, b          in     n floats each
// partial_sums  out    one float for each work-group
// n             in     number of elements; any number of work-groups will do
// sums          local  one float for each work-item; the local size is a power of two
__kernel void dot_product(__global const float *restrict a, __global const float *restrict b,
                          __global float *restrict partial_sums, const ulong n,
                          __local float *sums) {
  float sum = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += a[i] * b[i];

  const size_t lid = get_local_id(0);
  sums[lid] = sum;
  // TODO: the tree. Add up the sums of the group, neighbours first, until sums[0] has them all.
  if (lid == 0)
    partial_sums[get_group_id(0)] = sums[0];
}
