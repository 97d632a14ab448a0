// Dot product: vector loads, and UNROLL pairs of them in flight at a time.
//
// From the host: WIDTH, floats in a vector (4, 8 or 16); UNROLL, sums that a work-item keeps; and
// STRETCH, 1 if each work-item has a stretch of the vectors to itself, 0 if neighbours read
// neighbouring vectors.
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(float, WIDTH)

// Adds up a work-group's `sum`s: the tree of chapter 06. Returns the total to work-item 0.
// sums  one float for each work-item; the local size is a power of two
float group_sum(const float sum, __local float *sums) {
  const size_t lid = get_local_id(0);
  sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE); // every sum is written before any is read
  for (size_t active = get_local_size(0) / 2; active > 0; active /= 2) {
    if (lid < active)
      sums[lid] += sums[lid + active];
    barrier(CLK_LOCAL_MEM_FENCE); // outside the if: every work-item has to reach it
  }
  return sums[0];
}

// a, b          in     n floats each, n / WIDTH whole vectors, then fewer than WIDTH floats
// partial_sums  out    one float for each work-group
// n             in     number of floats; any number of work-groups will do
// sums          local  one float for each work-item; the local size is a power of two
__kernel void dot_product(__global const VECTOR *restrict a, __global const VECTOR *restrict b,
                          __global float *restrict partial_sums, const ulong n,
                          __local float *sums) {
  const size_t num_vectors = n / WIDTH;
#if STRETCH // from one end of its stretch to the other: what a core's caches fetch ahead for
  const size_t step = 1;
  const size_t share = (num_vectors + get_global_size(0) - 1) / get_global_size(0);
  size_t i = get_global_id(0) * share;
  const size_t end = min(i + share, num_vectors);
#else // neighbours read neighbouring vectors at the same time: what a GPU joins to long accesses
  const size_t step = get_global_size(0);
  size_t i = get_global_id(0);
  const size_t end = num_vectors;
#endif
  // UNROLL sums that do not wait for one another, and so 2 * UNROLL loads that do not either.
  VECTOR vector_sums[UNROLL];
#pragma unroll
  for (size_t u = 0; u < UNROLL; u++)
    vector_sums[u] = 0.0f;
  for (; i + (UNROLL - 1) * step < end; i += UNROLL * step)
#pragma unroll
    for (size_t u = 0; u < UNROLL; u++)
      vector_sums[u] += a[i + u * step] * b[i + u * step];
  for (; i < end; i += step) // fewer than UNROLL are left
    vector_sums[0] += a[i] * b[i];
#pragma unroll
  for (size_t u = 1; u < UNROLL; u++)
    vector_sums[0] += vector_sums[u];

  float lanes[WIDTH];
  JOIN(vstore, WIDTH)(vector_sums[0], 0, lanes);
  float sum = 0.0f;
#pragma unroll
  for (size_t lane = 0; lane < WIDTH; lane++)
    sum += lanes[lane];
  if (get_global_id(0) == 0) // the n mod WIDTH floats that fill no vector
    for (size_t j = num_vectors * WIDTH; j < n; j++)
      sum += ((__global const float *)a)[j] * ((__global const float *)b)[j];

  const float total = group_sum(sum, sums);
  if (get_local_id(0) == 0)
    partial_sums[get_group_id(0)] = total;
}

// The second launch: a single work-group adds what the first one left, and the host reads one
// float.
//
// partial_sums  in     num_sums floats
// result        out    1 float
// num_sums      in     number of partial sums
// sums          local  one float for each work-item; the local size is a power of two
__kernel void add_partial_sums(__global const float *restrict partial_sums,
                               __global float *restrict result, const ulong num_sums,
                               __local float *sums) {
  float sum = 0.0f;
  for (size_t i = get_local_id(0); i < num_sums; i += get_local_size(0))
    sum += partial_sums[i];
  const float total = group_sum(sum, sums);
  if (get_local_id(0) == 0)
    *result = total;
}
