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
  // TODO: steps whose distances double.
}

// Adds the total of all groups before its own to each group's sums.
//
// sums        in/out  n numbers, as scan_groups left them
// group_sums  in      a number for each group: the sum of all elements up to and including its own
// n           in      number of elements
__kernel void add_before(__global int *restrict sums, __global const int *restrict group_sums,
                         const ulong n) {
  // TODO: a single addition.
}
