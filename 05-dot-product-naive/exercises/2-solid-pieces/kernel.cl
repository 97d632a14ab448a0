// Products of two vectors, element by element; the host adds them up.
//
// a, b      in   n floats each
// products  out  n floats, products[i] = a[i] * b[i]
// n         in   number of elements; any number of work-items will do
__kernel void dot_product(__global const float *restrict a, __global const float *restrict b,
                          __global float *restrict products, const ulong n) {
  // TODO: multiply one solid piece of neighbouring elements; the last pieces may be shorter, or
  // empty.
}
