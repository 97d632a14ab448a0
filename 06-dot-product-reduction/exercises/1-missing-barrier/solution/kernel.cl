// Dot product: each work-group adds its products to one number; the host adds those.
//
// a, b          in     n floats each
// partial_sums  out    one float for each work-group
// n             in     number of elements; any number of work-groups will do
// sums          local  one float for each work-item; any local size will do
__kernel void dot_product(__global const float *restrict a, __global const float *restrict b,
                          __global float *restrict partial_sums, const ulong n,
                          __local float *sums) {
  float sum = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += a[i] * b[i];
  const size_t lid = get_local_id(0);
  const size_t size = get_local_size(0);
  sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  // Two levels instead of a tree. First, each of up to eight work-items adds a share of the sums,
  // and puts what it gets to the front.
  const size_t share = (size + 7) / 8;
  const size_t end = min((lid + 1) * share, size);
  float share_sum = 0.0f;
  for (size_t i = lid * share; i < end; i++)
    share_sum += sums[i];
  barrier(CLK_LOCAL_MEM_FENCE); // what is overwritten below, another work-item has read above
  if (lid < 8)
    sums[lid] = share_sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  // Then work-item 0 adds those.
  if (lid == 0) {
    float total = 0.0f;
    for (size_t i = 0; i < min(size, (size_t)8); i++)
      total += sums[i];
    partial_sums[get_group_id(0)] = total;
  }
}
