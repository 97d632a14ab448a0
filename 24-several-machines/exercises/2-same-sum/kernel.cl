// The dot product of each chunk of 256 elements, whose order of additions is always the same.
//
// a, b   in     n floats each
// sums   out    one float for each work-group: that of the chunk with its number
// n      in     number of elements
// local  in     one float for each of the 64 work-items of a group
__kernel void chunks(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict sums, const ulong n, __local float *local_sums) {
  const size_t lid = get_local_id(0);
  float sum = 0.0f;
  for (size_t i = get_group_id(0) * 256 + lid; i < n && i < (get_group_id(0) + 1) * 256; i += 64)
    sum += a[i] * b[i];
  local_sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t active = 32; active > 0; active /= 2) {
    if (lid < active)
      local_sums[lid] += local_sums[lid + active];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0)
    sums[get_group_id(0)] = local_sums[0];
}
