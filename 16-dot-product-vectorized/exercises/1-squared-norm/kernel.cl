// Squared norm of a vector, the sum of the squares of its elements: vector loads, UNROLL at a time.
//
// x             in     n floats: n / 4 whole vectors, then fewer than 4 floats
// partial_sums  out    one float for each work-group
// n             in     number of floats; any number of work-groups will do
// sums          local  one float for each work-item; the local size is a power of two, 1 as well
#define UNROLL 4

__kernel void squared_norm(__global const float4 *restrict x, __global float *restrict partial_sums,
                           const ulong n, __local float *sums) {
  const size_t num_vectors = n / 4;
  const size_t step = get_global_size(0);
  size_t i = get_global_id(0);
  float4 vector_sums[UNROLL];
  for (size_t u = 0; u < UNROLL; u++)
    vector_sums[u] = 0.0f;
  for (; i + (UNROLL - 1) * step < num_vectors; i += UNROLL * step)
    for (size_t u = 0; u < UNROLL; u++)
      vector_sums[u] += x[i + u * step] * x[i + u * step];

  // TODO: vectors for which the main loop had no whole step left
  // TODO: the other sums
  float sum = vector_sums[0].x; // TODO: the other lanes
  // TODO: the floats that fill no vector

  // The tree of chapter 06.
  const size_t lid = get_local_id(0);
  sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE); // every sum is written before any is read
  for (size_t active = get_local_size(0) / 2; active > 0; active /= 2) {
    if (lid < active)
      sums[lid] += sums[lid + active];
    barrier(CLK_LOCAL_MEM_FENCE); // outside the if: every work-item has to reach it
  }
  if (lid == 0)
    partial_sums[get_group_id(0)] = sums[0];
}
