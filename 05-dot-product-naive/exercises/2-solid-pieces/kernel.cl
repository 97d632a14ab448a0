// Products of two vectors, element by element; the host adds them up.
//
// a, b      in   n floats each
// products  out  n floats, products[i] = a[i] * b[i]
// n         in   number of elements; any number of work-items will do
__kernel void dot_product(__global const float *restrict a, __global const float *restrict b,
                          __global float *restrict products, const ulong n) {
  // Solid pieces: each work-item does neighbouring elements; the last pieces may be shorter.
  const size_t piece = n / get_global_size(0);
  const size_t first = get_global_id(0) * piece;
  for (size_t i = first; i < first + piece; i++)
    products[i] = a[i] * b[i];
}
