// Chapter 01's: c = a + b, of a piece.
//
// a, b  in   n floats each
// c     out  n floats
// n     in   length of the piece; the launch may have more work-items
__kernel void vector_add(__global const float *restrict a, __global const float *restrict b,
                         __global float *restrict c, const ulong n) {
  const size_t i = get_global_id(0);
  if (i < n)
    c[i] = a[i] + b[i];
}
