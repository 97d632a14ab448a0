// Sum of a vector: each work-group adds its share to one number; the host adds those.
//
// x             in     n floats
// partial_sums  out    one float for each work-group
// n             in     number of elements; any number of work-groups will do
// sums          local  one float for each work-item
// scratch       local  for the emulated sub-groups: leave it alone
__kernel void sum(__global const float *restrict x, __global float *restrict partial_sums,
                  const ulong n, __local float *sums, __local float *scratch) {
  float sum = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += x[i];
  const size_t lid = get_local_id(0);
  sum = sub_group_reduce_add(sum);
  // TODO: there is a 32 in this, and a 4 that follows from it
  if (lid % 32 == 0)
    sums[lid / 32] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0.0f;
  for (uint i = 0; i < 4; i++)
    sum += sums[i];
  if (lid == 0)
    partial_sums[get_group_id(0)] = sum;
}
