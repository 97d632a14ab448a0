// Vector addition: c[i] = a[i] + b[i].
//
// a, b   in   n floats each
// c      out  n floats
// n      in   number of elements; the launch has at least n work-items
__kernel void vector_add(__global const float *restrict a, __global const float *restrict b,
                         __global float *restrict c, const ulong n) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
