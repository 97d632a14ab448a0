// Which work-item does which element? Each kernel writes the answer into `owner`.
//
// owner  out  n whole numbers: owner[i] is the global id of the work-item that did element i
// n      in   number of elements

// One work-item, one element: the launch has at least n work-items.
__kernel void one_each(__global ulong *restrict owner, const ulong n) {
  const size_t i = get_global_id(0);
  if (i < n) // the guard: the last work-items may have no element
    owner[i] = get_group_id(0) * get_local_size(0) + get_local_id(0); // another way to count: i
}

// Any number of work-items: the launch may be larger than n or much smaller.
__kernel void grid_stride(__global ulong *restrict owner, const ulong n) {
  for (size_t i = get_global_id(0); i < n; i += get_local_size(0))
    owner[i] = get_global_id(0);
}
