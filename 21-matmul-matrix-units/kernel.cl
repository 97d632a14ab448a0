// Matrix product C = A·B with float accuracy from numbers of 11 bits: each float becomes two
// halves, and three products of halves are added up. In plain OpenCL C; units.cl uses the matrix
// units. A is M×K, B is K×N, C is M×N, all row-major.
//
// B is used transposed: from here on a row is a row of A or a column of B. The halves of both lie
// in the same order, filled up with 0: tile by tile, of TILE rows; in a tile slice by slice, of 16
// values of k; in a slice first the big halves, then the small ones, in fragments. A fragment is
// eight halves, 16 bytes: four values of k of two neighbouring rows.
//
// From the host: TILE, a multiple of ROWS.
#define ROWS 8           // of a group that splits
#define SLICE (4 * TILE) // fragments in a slice of a tile
#define SMALL (2 * TILE) // the first of them that has small halves

// Four values of k of a row, and then of the next one; 0 where the matrix has ended.
float8 load_fragment(__global const float *x, const uint row, const uint k, const uint rows,
                     const uint K, const uint of_a) {
  float found[8];
#pragma unroll
  for (uint i = 0; i < 8; i++) {
    const size_t at_row = row + i / 4;
    const size_t at_k = k + i % 4;
    const bool inside = at_row < rows && at_k < K;
    found[i] = inside ? x[of_a ? at_row * K + at_k : at_k * rows + at_row] : 0.0f;
  }
  return vload8(0, found);
}

// The power of two that brings a row's largest number to at least 2^14, and below 2^15; both as the
// bits of a float. At most 2^126; infinity and NaN stay what they are.
uint power_for(const uint largest) {
  const uint exponent = largest < 0x7f800000 ? max(largest >> 23, 15u) : 127 + 14;
  return (127 + 127 + 14 - exponent) << 23;
}

// First two launches: A is split, then B. A group multiplies each of its ROWS rows by a power of
// two. Of every number the nearest half is the big one; what is left, as a half, is the small one.
//
// fragments  out  the halves
// scales     out  one over the power of two, for each row
// of_a       1: x is A; the two rows of a fragment take turns, every two values, as units want it
__kernel void split(__global const float *restrict x, __global uint4 *restrict fragments,
                    __global float *restrict scales, const uint rows, const uint K,
                    const uint of_a) {
  __local uint largest[ROWS]; // as bits: those of numbers that are not negative are in order
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  const uint first = get_group_id(0) * ROWS;
  const uint slices = (K + 15) / 16;
  fragments += (size_t)(first / TILE) * slices * SLICE + first % TILE * 2;
  for (uint i = item; i < ROWS; i += items)
    largest[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint i = item; i < slices * ROWS * 2; i += items) { // fragments: four by four values of k,
    const uint row = i / 4 % (ROWS / 2) * 2;               // two by two rows, slice by slice
    const uint k = i / (ROWS * 2) * 16 + i % 4 * 4;
    const float8 v = load_fragment(x, first + row, k, rows, K, of_a);
    const uint8 bits = as_uint8(fabs(v)); // the same 32 bits each, read as whole numbers
    atomic_max(&largest[row], max(max(bits.s0, bits.s1), max(bits.s2, bits.s3)));
    atomic_max(&largest[row + 1], max(max(bits.s4, bits.s5), max(bits.s6, bits.s7)));
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint i = item; i < ROWS; i += items)
    scales[first + i] = 1.0f / as_float(power_for(largest[i]));
  for (uint i = item; i < slices * ROWS * 2; i += items) { // the same fragments
    const uint row = i / 4 % (ROWS / 2) * 2;
    const uint k = i / (ROWS * 2) * 16 + i % 4 * 4;
    float8 v = load_fragment(x, first + row, k, rows, K, of_a);
    v.lo *= as_float(power_for(largest[row]));
    v.hi *= as_float(power_for(largest[row + 1]));
    if (of_a)
      v = v.s01452367;
    uint4 big; // 16 bytes for eight halves: OpenCL C has no variables of that type
    uint4 rest;
    vstore_half8_rte(v, 0, (half *)&big);
    vstore_half8_rte(v - vload_half8(0, (half *)&big), 0, (half *)&rest);
    __global uint4 *to = fragments + (size_t)(k / 16) * SLICE + row * 2 + k % 16 / 4;
    to[0] = big;
    to[SMALL] = rest;
  }
}

// Takes the powers of two of a row and of a column off again, first the one that makes the sum
// smaller: so it cannot overflow. A macro, for a float here and for a float4 in units.cl.
#define WITHOUT_POWERS(sum, of_a, of_b) (fmin(of_a, of_b) * (sum)*fmax(of_a, of_b))

// Adds the products of two rows of A and two of B, for four values of k.
void add_products(float4 partial[4], const float8 a, const float8 b) {
  partial[0] += a.s0145 * b.lo;
  partial[1] += a.s0145 * b.hi;
  partial[2] += a.s2367 * b.lo;
  partial[3] += a.s2367 * b.hi;
}

// Third launch: the product. A work-item has two rows of A and two of B, four elements of C.
__kernel void matmul(__global const uint4 *restrict a, __global const uint4 *restrict b,
                     __global const float *restrict a_scales,
                     __global const float *restrict b_scales, __global float *restrict c,
                     const uint M, const uint N, const uint K) {
  const uint slices = (K + 15) / 16;
  const uint first_row = get_global_id(1) * 2;
  const uint first_col = get_global_id(0) * 2;
  a += (size_t)(first_row / TILE) * slices * SLICE + first_row % TILE * 2;
  b += (size_t)(first_col / TILE) * slices * SLICE + first_col % TILE * 2;

  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (uint slice = 0; slice < slices; slice++, a += SLICE, b += SLICE) {
    float4 partial[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint fragment = 0; fragment < 4; fragment++) {
      const float8 big_a = vload_half8(fragment, (__global const half *)a);
      const float8 big_b = vload_half8(fragment, (__global const half *)b);
      const float8 small_a = vload_half8(fragment, (__global const half *)(a + SMALL));
      const float8 small_b = vload_half8(fragment, (__global const half *)(b + SMALL));
      add_products(partial, small_a, big_b); // the smallest first
      add_products(partial, big_a, small_b);
      add_products(partial, big_a, big_b);
    }
    for (uint i = 0; i < 4; i++)
      sums[i] += (partial[i].x + partial[i].y) + (partial[i].z + partial[i].w);
  }

  for (uint i = 0; i < 4; i++) {
    const uint row = first_row + i / 2;
    const uint col = first_col + i % 2;
    if (row < M && col < N)
      c[(size_t)row * N + col] = WITHOUT_POWERS(sums[i], a_scales[row], b_scales[col]);
  }
}
