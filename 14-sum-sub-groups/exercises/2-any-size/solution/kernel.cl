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
  if (get_sub_group_local_id() == 0)
    sums[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  // Each sub-group adds the totals: its work-items take turns, as there may be more totals.
  sum = 0.0f;
  for (uint i = get_sub_group_local_id(); i < get_num_sub_groups(); i += get_sub_group_size())
    sum += sums[i];
  sum = sub_group_reduce_add(sum);
  if (lid == 0)
    partial_sums[get_group_id(0)] = sum;
}
