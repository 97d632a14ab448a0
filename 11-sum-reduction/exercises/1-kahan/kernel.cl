// Sums of a vector: each work-item adds its elements, the host adds the work-items' sums.
//
// x     in   n floats
// sums  out  one float for each work-item
// n     in   number of elements; any number of work-items will do
__kernel void sum(__global const float *restrict x, __global float *restrict sums, const ulong n) {
  float total = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    total += x[i]; // TODO: keep what rounding has added
  sums[get_global_id(0)] = total;
}
