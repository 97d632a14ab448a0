// Matrix product C = A·B with float accuracy from numbers of 11 bits: each float becomes two
// halves, and three products of halves are added up. In plain OpenCL C; units.cl has the units.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
//
// A line is a row of A or a column of B: what meets a line of the other matrix. Both matrices are
// split into halves, which lie in the same order, filled up with 0: tile by tile, of TILE lines; in
// a tile block by block, of 16 values of k; in a block first the big halves, PART pieces of them,
// and then the small ones. A piece is 16 bytes: four values of k (a quad) of two lines (a pair).
//
// From the host: TILE, a multiple of LINES.
#define LINES 8 // of a group that splits
#define PART (2 * TILE)

// Four values of k of a line, and then of the next one; 0 where the matrix has ended.
float8 load_pair(__global const float *x, const uint line, const uint k, const uint lines,
                 const uint K, const uint of_a) {
  float found[8];
#pragma unroll
  for (uint i = 0; i < 8; i++) {
    const size_t at_line = line + i / 4;
    const size_t at_k = k + i % 4;
    const bool inside = at_line < lines && at_k < K;
    found[i] = inside ? x[of_a ? at_line * K + at_k : at_k * lines + at_line] : 0.0f;
  }
  return vload8(0, found);
}

// The power of two that brings the largest number of a line to at least 2^14, and below 2^15, as
// the bits of a float: given are those of the largest. At most 2^126; infinity and NaN stay what
// they are.
uint power_for(const uint largest) {
  const uint exponent = largest < 0x7f800000 ? max(largest >> 23, 15u) : 127 + 14;
  return (127 + 127 + 14 - exponent) << 23;
}

// First two launches: A is split, then B. A group has LINES lines. It looks for the largest number
// of each, and multiplies the line by a power of two. Of every number the nearest half is the big
// part; what is left of it, again as a half, is the small one.
//
// pieces  out  the halves
// scales    out  one over the power of two, for each line
// of_a    1: x is A; the two lines of a piece take turns, every two values, as units want it
__kernel void split(__global const float *restrict x, __global uint4 *restrict pieces,
                    __global float *restrict scales, const uint lines, const uint K,
                    const uint of_a) {
  __local uint largest[LINES]; // as bits: those of numbers that are not negative are in order
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  const uint first = get_group_id(0) * LINES;
  const uint blocks = (K + 15) / 16;
  pieces += (size_t)(first / TILE) * blocks * 2 * PART + first % TILE * 2;
  for (uint i = item; i < LINES; i += items)
    largest[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint i = item; i < blocks * LINES * 2; i += items) { // pieces: quad by quad, pair by pair,
    const uint quad = i % 4;                                // block by block
    const uint line = i / 4 % (LINES / 2) * 2;
    const uint block = i / (LINES * 2);
    const float8 v = load_pair(x, first + line, block * 16 + quad * 4, lines, K, of_a);
    const uint8 bits = as_uint8(fabs(v)); // the same 32 bits each, read as whole numbers
    atomic_max(&largest[line], max(max(bits.s0, bits.s1), max(bits.s2, bits.s3)));
    atomic_max(&largest[line + 1], max(max(bits.s4, bits.s5), max(bits.s6, bits.s7)));
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint i = item; i < LINES; i += items)
    scales[first + i] = 1.0f / as_float(power_for(largest[i]));
  for (uint i = item; i < blocks * LINES * 2; i += items) { // the same pieces
    const uint quad = i % 4;
    const uint line = i / 4 % (LINES / 2) * 2;
    const uint block = i / (LINES * 2);
    float8 v = load_pair(x, first + line, block * 16 + quad * 4, lines, K, of_a);
    v.lo *= as_float(power_for(largest[line]));
    v.hi *= as_float(power_for(largest[line + 1]));
    if (of_a)
      v = v.s01452367;
    uint4 big; // 16 bytes for eight halves: OpenCL C has no variables of that type
    uint4 rest;
    vstore_half8_rte(v, 0, (half *)&big);
    vstore_half8_rte(v - vload_half8(0, (half *)&big), 0, (half *)&rest);
    __global uint4 *to = pieces + (size_t)block * 2 * PART + line * 2 + quad;
    to[0] = big;
    to[PART] = rest;
  }
}

// Takes the powers of two of a row and of a column off again, first the one that makes the sum
// smaller: so it cannot overflow. A macro, for a float here and for a float4 in units.cl.
#define WITHOUT_POWERS(sum, of_a, of_b) (fmin(of_a, of_b) * (sum)*fmax(of_a, of_b))

// Adds the products of a pair of A's lines and one of B's, for four values of k.
void add_products(float4 part[4], const float8 a, const float8 b) {
  part[0] += a.s0145 * b.lo;
  part[1] += a.s0145 * b.hi;
  part[2] += a.s2367 * b.lo;
  part[3] += a.s2367 * b.hi;
}

// Third launch: the product. A work-item has a pair of lines of A and one of B, four elements of C.
__kernel void matmul(__global const uint4 *restrict a, __global const uint4 *restrict b,
                     __global const float *restrict a_scales,
                     __global const float *restrict b_scales, __global float *restrict c,
                     const uint M, const uint N, const uint K) {
  const uint blocks = (K + 15) / 16;
  const uint first_row = get_global_id(1) * 2;
  const uint first_col = get_global_id(0) * 2;
  a += (size_t)(first_row / TILE) * blocks * 2 * PART + first_row % TILE * 2;
  b += (size_t)(first_col / TILE) * blocks * 2 * PART + first_col % TILE * 2;

  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (uint block = 0; block < blocks; block++, a += 2 * PART, b += 2 * PART) {
    float4 part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint quad = 0; quad < 4; quad++) {
      const float8 big_a = vload_half8(quad, (__global const half *)a);
      const float8 big_b = vload_half8(quad, (__global const half *)b);
      const float8 small_a = vload_half8(quad, (__global const half *)(a + PART));
      const float8 small_b = vload_half8(quad, (__global const half *)(b + PART));
      add_products(part, small_a, big_b); // the smallest first
      add_products(part, big_a, small_b);
      add_products(part, big_a, big_b);
    }
    for (uint i = 0; i < 4; i++)
      sums[i] += (part[i].x + part[i].y) + (part[i].z + part[i].w);
  }

  for (uint i = 0; i < 4; i++) {
    const uint row = first_row + i / 2;
    const uint col = first_col + i % 2;
    if (row < M && col < N)
      c[(size_t)row * N + col] = WITHOUT_POWERS(sums[i], a_scales[row], b_scales[col]);
  }
}
