// Products of two vectors, element by element; the host adds them up.
//
// a, b      in   n floats each
// products  out  n floats, products[i] = a[i] * b[i]
// n         in   number of elements; any number of work-items will do
__kernel void dot_product(__global const float *restrict a, __global const float *restrict b,
                          __global float *restrict products, const ulong n) {
  // Grid-stride loop: the work-items go through the vectors together, each one taking a step as
  // long as the whole launch.
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    products[i] = a[i] * b[i];
}
