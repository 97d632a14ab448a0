// Sum of a vector without barriers: one level of it. Each work-item adds UF elements.
//
// data  in/out  n floats; the first max(1, n / UF) become the sums, whose sum is that of all
// n     in      number of elements
// The launch has at least max(1, n / UF) work-items. UF comes from the host: -D UF=2.
//
// In place, and still no barrier: element i is read by one work-item only, and that is the one
// that writes it.
__kernel void sum_unrolled(__global float *data, const ulong n) {
  const size_t i = get_global_id(0);
  const size_t stride = n / UF; // work-items with UF elements; none if n < UF
  if (i >= stride && i > 0)
    return;
  float sum = 0.0f;
  if (i < stride)
    for (size_t k = 0; k < UF; k++) // UF is a constant: the compiler can unroll this loop
      sum += data[i + k * stride];
  if (i == 0)
    for (size_t j = stride * UF; j < n; j++) // the n mod UF elements that are left over
      sum += data[j];
  data[i] = sum;
}

// Chapter 11, for comparison: each work-group adds its share to one number; the host adds those.
//
// x             in     n floats
// partial_sums  out    one float for each work-group
// n             in     number of elements; any number of work-groups will do
// sums          local  one float for each work-item; the local size is a power of two
__kernel void sum_reduction(__global const float *restrict x, __global float *restrict partial_sums,
                            const ulong n, __local float *sums) {
  // Grid-stride loop: the work-items go through the vector together, each one taking a step as
  // long as the whole launch.
  float sum = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += x[i];

  // Tree: in each step the first half of the work-items adds what the second half has.
  const size_t l = get_local_id(0);
  sums[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE); // every sum is written before any is read
  for (size_t active = get_local_size(0) / 2; active > 0; active /= 2) {
    if (l < active)
      sums[l] += sums[l + active];
    barrier(CLK_LOCAL_MEM_FENCE); // outside the if: every work-item has to reach it
  }
  if (l == 0)
    partial_sums[get_group_id(0)] = sums[0];
}
