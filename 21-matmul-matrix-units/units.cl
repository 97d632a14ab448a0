// kernel.cl's product, with the same arguments, for NVIDIA's matrix units.
// A group of four warps, 32 work-items each, computes TILE×TILE elements of C. TILE is 128 or 64.
#define SIDE (TILE / 2) // of a tile: a warp computes SIDE×SIDE elements

// Adds the product of 16×16 and 16×8 halves to 16×8 float sums. All 32 work-items of a warp do it
// together. Of each matrix, work-item 4g + t has these elements (row, column), by the PTX manual:
//   a     (g, 2t) and its right neighbour, the same in row g + 8, and both once more 8 columns on
//   b     (2t, g) and the one below, and both once more 8 rows on
//   sums  (g, 2t) and its right neighbour, and the same in row g + 8
// Here its four values of k are neighbours, and so are the rows g and g + 8: a sum does not care
// which k comes first, if a and b agree, nor a product which rows it is given. So a is a fragment.
float4 mma(const uint4 a, const uint2 b, const float4 sums) {
  float x, y, z, w;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "f"(sums.x),
                 "f"(sums.y), "f"(sums.z), "f"(sums.w));
  return (float4)(x, y, z, w);
}

// In local memory, which PTX calls shared, an address has 32 bits.
#define ADDRESS(x) ((uint)(size_t)(x))

// Has the device's copying engine bring `count` fragments; `arrived` hears of their bytes.
void copy(__local uint4 *to, __global const uint4 *from, const uint count, __local ulong *arrived) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];"
               :
               : "r"(ADDRESS(to)), "l"(from), "r"(count * 16), "r"(ADDRESS(arrived))
               : "memory");
}

// Starts the copies of a slice of both tiles. One work-item does it, and says how many bytes come.
void start_copies(__local uint4 *tiles, __global const uint4 *a, __global const uint4 *b,
                  __local ulong *arrived) {
  if (get_local_id(0) > 0 || get_local_id(1) > 0)
    return;
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(ADDRESS(arrived)), "r"(2 * SLICE * 16)
               : "memory");
  copy(tiles, a, SLICE, arrived);
  copy(tiles + SLICE, b, SLICE, arrived);
}

// Waits until all bytes of a slice are there. The barrier's phase is 0 and 1 in turn, a slice each;
// `parity` is the phase of the slice that is waited for.
void wait_for(__local ulong *arrived, const uint parity) {
  uint there = 0;
  while (there == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(there)
                 : "r"(ADDRESS(arrived)), "r"(parity)
                 : "memory");
}

// Multiplies a warp's SIDE rows of A by its SIDE rows of B, for the 16 values of k of a slice.
// That much a matrix unit adds up; the rest is for float sums.
void multiply(float4 sums[SIDE / 16][SIDE / 8], __local const uint4 *tiles) {
  __local const uint4 *a = tiles + get_local_id(1) / 2 * SIDE * 2 + get_local_id(0);
  __local const uint4 *b = tiles + SLICE + get_local_id(1) % 2 * SIDE * 2 + get_local_id(0);
  uint2 big_b[SIDE / 8];
  uint2 small_b[SIDE / 8];
#pragma unroll
  for (uint j = 0; j < SIDE / 8; j++) {
    big_b[j] = j % 2 ? b[j / 2 * 32].hi : b[j / 2 * 32].lo;
    small_b[j] = j % 2 ? b[SMALL + j / 2 * 32].hi : b[SMALL + j / 2 * 32].lo;
  }
#pragma unroll
  for (uint i = 0; i < SIDE / 16; i++) {
    const uint4 big_a = a[i * 32];
    const uint4 small_a = a[SMALL + i * 32];
#pragma unroll
    for (uint j = 0; j < SIDE / 8; j++) {
      float4 partial = mma(small_a, big_b[j], 0.0f); // the smallest first
      partial = mma(big_a, small_b[j], partial);
      partial = mma(big_a, big_b[j], partial);
      sums[i][j] += partial;
    }
  }
}

// Third launch, in place of `matmul`. It has a group of 32×4 work-items for each tile of C.
__kernel void matmul_units(__global const uint4 *restrict a, __global const uint4 *restrict b,
                           __global const float *restrict a_scales,
                           __global const float *restrict b_scales, __global float *restrict c,
                           const uint M, const uint N, const uint K) {
  __local uint4 tiles[2][2 * SLICE];
  __local ulong arrived[2]; // a barrier for each pair of tiles: not of work-items, but of bytes
  const uint slices = (K + 15) / 16;
  a += get_group_id(1) * slices * SLICE;
  b += get_group_id(0) * slices * SLICE;

  float4 sums[SIDE / 16][SIDE / 8] = {{0.0f}};

  if (get_local_id(0) == 0 && get_local_id(1) < 2)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.proxy.async.shared::cta;"
                 :
                 : "r"(ADDRESS(&arrived[get_local_id(1)]))
                 : "memory");
  barrier(CLK_LOCAL_MEM_FENCE);
  start_copies(tiles[0], a, b, &arrived[0]);

  for (uint slice = 0; slice < slices; slice++) {
    const uint now = slice % 2;
    wait_for(&arrived[now], slice / 2 % 2);
    barrier(CLK_LOCAL_MEM_FENCE); // nobody reads the other pair of tiles any more
    a += SLICE;
    b += SLICE;
    if (slice + 1 < slices)
      start_copies(tiles[1 - now], a, b, &arrived[1 - now]);
    multiply(sums, tiles[now]);
  }

  // Of one `mma` a work-item has two rows and two columns, of two of them four columns.
  const uint up = get_group_id(1) * TILE + get_local_id(1) / 2 * SIDE + get_local_id(0) / 4 * 2;
  const uint left = get_group_id(0) * TILE + get_local_id(1) % 2 * SIDE + get_local_id(0) % 4 * 4;
#pragma unroll
  for (uint i = 0; i < SIDE * SIDE / 128; i++) {
    const uint row = up + i / (SIDE / 8) * 16 + i % 2;
    const uint col = left + i / 2 % (SIDE / 16) * 16;
    const float4 *of_two = &sums[i / (SIDE / 8)][i / 2 % (SIDE / 16) * 2];
    float4 v = i % 2 ? (float4)(of_two[0].z, of_two[1].z, of_two[0].w, of_two[1].w)
                     : (float4)(of_two[0].x, of_two[1].x, of_two[0].y, of_two[1].y);
    v = WITHOUT_POWERS(v, (float4)a_scales[row], vload4(0, b_scales + col));
    if (row < M && col < N && N % 4 == 0)
      *(__global float4 *)(c + (size_t)row * N + col) = v; // 16 bytes, aligned to 16
    else
      for (uint e = 0; e < 4; e++)
        if (row < M && col + e < N)
          c[(size_t)row * N + col + e] = ((float *)&v)[e];
  }
}
