// Sums of a vector, compensated: each work-item adds its elements, the host adds the work-items'
// sums.
//
// x     in   n floats
// sums  out  one float for each work-item
// n     in   number of elements; any number of work-items will do
__kernel void sum(__global const float *restrict x, __global float *restrict sums, const ulong n) {
  float total = 0.0f;
  float lost = 0.0f; // what rounding has added to the total so far, and has to be taken off again
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) {
    const float value = x[i] - lost;
    const float rounded = total + value;
    lost = (rounded - total) - value; // in exact arithmetic: 0
    total = rounded;
  }
  sums[get_global_id(0)] = total;
}
