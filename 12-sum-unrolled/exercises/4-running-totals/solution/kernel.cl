// Running totals. The host launches scan_groups over the elements, then, with one group, over the
// groups' totals, and then add_before.

// Running totals within each work-group.
//
// x           in     n numbers
// sums        out    n numbers: the sum of the group's elements up to and including this one
// totals      out    one number for each work-group: the sum of its elements
// n           in     number of elements; the last group may have fewer than it has work-items
// local_sums  local  two numbers for each work-item; the local size is a power of two
__kernel void scan_groups(__global const int *restrict x, __global int *restrict sums,
                          __global int *restrict totals, const ulong n, __local int *local_sums) {
  const size_t i = get_global_id(0);
  const size_t lid = get_local_id(0);
  local_sums[lid] = i < n ? x[i] : 0; // past n, too: every work-item is needed at the barriers
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t distance = 1; distance < get_local_size(0); distance *= 2) {
    const int before = lid >= distance ? local_sums[lid - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE); // all have read before any of them writes
    local_sums[lid] += before;
    barrier(CLK_LOCAL_MEM_FENCE); // all have written before any of them reads again
  }
  if (i < n)
    sums[i] = local_sums[lid];
  if (lid == get_local_size(0) - 1)
    totals[get_group_id(0)] = local_sums[lid];
}

// Adds the total of all groups before its own to each group's sums.
//
// sums        in/out  n numbers, as scan_groups left them
// group_sums  in      a number for each group: the sum of all elements up to and including its own
// n           in      number of elements
__kernel void add_before(__global int *restrict sums, __global const int *restrict group_sums,
                         const ulong n) {
  const size_t i = get_global_id(0);
  const size_t group = get_group_id(0);
  if (i < n && group > 0)
    sums[i] += group_sums[group - 1];
}
