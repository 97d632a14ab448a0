// y[i] = 2 * x[i] + 1.
//
// x  in   n floats
// y  out  n floats
// n  in   number of elements; the launch has at least n work-items
__kernel void twice_plus_one(__global const float *restrict x, __global float *restrict y,
                             const ulong n) {
  const size_t i = get_global_id(0);
  if (i < n) // the launch is rounded up: its last work-items may have no element
    y[i] = 2.0f * x[i] + 1.0f;
}
