// What Oclgrind is to report, a case at a time (-D CASE); chapter 01 runs it: checks/reports.py.
//
// a, b   in   n floats each
// c      out  n floats
// n      in   number of elements, 64: one work-group
__kernel void vector_add(__global const float *restrict a, __global const float *restrict b,
                         __global float *restrict c, const ulong n) {
  __local float sums[64];
  const size_t i = get_global_id(0);
  const size_t lid = get_local_id(0);
#if defined(LOCAL_RACE)
  sums[lid] = b[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid / 2 == 1) {
    sums[lid] += a[i];
    c[i] = sums[lid ^ 1];
  }
#elif defined(GLOBAL_RACE)
  if (i / 2 == 1)
    c[i / 2] = a[i] + b[i];
#elif defined(OUTSIDE_READ)
  c[i] = a[i + 1] + b[i];
#elif defined(OUTSIDE_WRITE)
  c[i + 1] = a[i] + b[i];
#elif defined(OUTSIDE_LOCAL)
  sums[lid + 1] = a[i] + b[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  c[i] = sums[63 - lid];
#elif defined(IN_FRONT)
  c[i] = a[i - 1] + b[i];
#elif defined(DIVERGENCE)
  sums[lid] = a[i] + b[i];
  if (lid < 32)
    barrier(CLK_LOCAL_MEM_FENCE);
  c[i] = sums[lid];
#elif defined(UNINITIALIZED)
  if (lid > 0)
    sums[lid] = a[i];
  c[i] = sums[lid] + b[i];
#endif
}
