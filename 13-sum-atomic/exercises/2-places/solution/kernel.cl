// Keep the elements that are greater than 0, one after the other, in any order.
//
// x      in      n floats
// kept   out     as many floats as there are elements greater than 0
// count  in/out  how many are kept; 0 at the start
// n      in      number of elements
__kernel void keep_positive(__global const float *restrict x, __global float *kept,
                            volatile __global uint *count, const ulong n) {
  const size_t i = get_global_id(0);
  if (i < n && x[i] > 0.0f) {
    const uint place = atomic_inc(count); // no two work-items get the same number
    kept[place] = x[i];
  }
}
