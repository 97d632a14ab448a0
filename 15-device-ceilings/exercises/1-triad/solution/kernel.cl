// Triad: a = b + s * c, element by element.
//
// b, c  in   n floats each
// a     out  n floats
// s     in   a number
// n     in   number of elements; any number of work-items will do
__kernel void triad(__global const float *restrict b, __global const float *restrict c,
                    __global float *restrict a, const float s, const ulong n) {
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    a[i] = b[i] + s * c[i];
}
