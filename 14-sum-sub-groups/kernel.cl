// Sum of a vector: each work-group adds its share to one number; the host adds those.
//
// x             in     n floats
// partial_sums  out    one float for each work-group
// n             in     number of elements; any number of work-groups will do
// sums          local  one float for each work-item; for WAY 3 the local size is a power of two
//
// WAY, from the host, is how a work-group adds the sums of its work-items: 1 with the work-group
// function, 2 with sub-groups, 3 with the tree of chapter 11, which needs neither.
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable // needed where OpenCL C is older than 3.0
#endif

__kernel void sum_sub_groups(__global const float *restrict x,
                             __global float *restrict partial_sums, const ulong n,
                             __local float *sums) {
  // Grid-stride loop: the work-items go through the vector together, each one taking a step as
  // long as the whole launch.
  float sum = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += x[i];

  const size_t lid = get_local_id(0);
#if WAY == 1
  sum = work_group_reduce_add(sum);
#elif WAY == 2
  // Each sub-group adds its sums, and one of its work-items writes the total to local memory.
  sum = sub_group_reduce_add(sum);
  if (get_sub_group_local_id() == 0)
    sums[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE); // every total is written before any is read
  // Then each sub-group adds those totals. There may be more of them than it has work-items.
  sum = 0.0f;
  for (uint i = get_sub_group_local_id(); i < get_num_sub_groups(); i += get_sub_group_size())
    sum += sums[i];
  sum = sub_group_reduce_add(sum);
#else
  // Tree: in each step the first half of the work-items adds what the second half has.
  sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE); // every sum is written before any is read
  for (size_t active = get_local_size(0) / 2; active > 0; active /= 2) {
    if (lid < active)
      sums[lid] += sums[lid + active];
    barrier(CLK_LOCAL_MEM_FENCE); // outside the if: every work-item has to reach it
  }
  sum = sums[0];
#endif
  if (lid == 0)
    partial_sums[get_group_id(0)] = sum;
}
