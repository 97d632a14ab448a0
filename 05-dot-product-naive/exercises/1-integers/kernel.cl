// Products of two vectors of whole numbers, element by element; the host adds them up.
//
// a, b      in   n ints each
// products  out  n longs, products[i] = a[i] * b[i]
// n         in   number of elements; any number of work-items will do
__kernel void dot_product(__global const int *restrict a, __global const int *restrict b,
                          __global long *restrict products, const ulong n) {
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    products[i] = a[i] * b[i];
}
