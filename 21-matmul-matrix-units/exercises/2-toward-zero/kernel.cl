// Matrix product C = A·B, added up as a matrix unit adds: rounded toward zero.
//
// a  in   M×K floats of 11 bits, row-major: a[row * K + column]
// b  in   K×N floats of 11 bits, row-major
// c  out  M×N floats, row-major
#define CHUNK 16 // products that a unit adds up by itself

// sum + product, as a unit rounds it: where a float addition is rounded away from zero, one step
// back.
float unit(const float sum, const float product) {
  const float rounded = sum + product;
  const float added = rounded - sum;                                // instead of `product`
  const float lost = (sum - (rounded - added)) + (product - added); // exactly (Knuth)
  if (lost != 0.0f && (lost < 0.0f) == (rounded > 0.0f))
    return as_float(as_int(rounded) - 1);
  return rounded;
}

__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, const ulong M, const ulong N, const ulong K) {
  const size_t col = get_global_id(0);
  const size_t row = get_global_id(1);
  if (row >= M || col >= N)
    return;
  // TODO: only CHUNK products one after the other in the unit; then their sum goes to a float sum,
  // with a float's addition, and the unit begins again at 0
  float sum = 0.0f;
  for (size_t k = 0; k < K; k++)
    sum = unit(sum, a[row * K + k] * b[k * N + col]);
  c[row * N + col] = sum;
}
