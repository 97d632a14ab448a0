// Chapter 21's product by wgmma, the instruction of an H100's and an H200's matrix units. 128
// work-items, four warps, do it together: 64×16 halves of A, in their registers, times 16×64 of B,
// in local memory. To be read with chapter 21's kernel.cl and units.cl before it, and a TILE of
// 128.
//
// NVIDIA's OpenCL compiles for a target that does not have the instruction. So its lines are
// comments, "//@", and wgmma.cpp takes these marks off what the compiler has made of them.
#define STAGES 3 // slices of B that are on their way, or in use
#define HALF 64  // columns of C that are computed at a time
#define WARPS 8  // of a group: two times four, each four with 64 rows of the tile

// Puts B's fragments into the order that wgmma wants: 8 values of k of one row side by side, then
// those of the next row. As A's fragments pair k = 4t, 4t + 1 with 4t + 2, 4t + 3, the first 8 are
// the first pair of each four. A work-item turns two rows of a slice, four fragments.
__kernel void turn(__global const uint4 *restrict from, __global uint4 *restrict to) {
  const size_t rows = get_global_id(0);
  const uint4 f0 = from[rows * 4];
  const uint4 f1 = from[rows * 4 + 1];
  const uint4 f2 = from[rows * 4 + 2];
  const uint4 f3 = from[rows * 4 + 3];
  to += rows / (TILE / 2) * SMALL + rows % (TILE / 2) * 2;
  to[0] = (uint4)(f0.x, f1.x, f2.x, f3.x);
  to[1] = (uint4)(f0.z, f1.z, f2.z, f3.z);
  to[TILE] = (uint4)(f0.y, f1.y, f2.y, f3.y);
  to[TILE + 1] = (uint4)(f0.w, f1.w, f2.w, f3.w);
}

// Where wgmma finds 16×64 halves of B, and how they lie: 16 bytes at a time, the next 8 values of k
// TILE of these on, the next 8 rows 8 on.
ulong describe(__local const uint4 *b) {
  return ADDRESS(b) >> 4 | (ulong)TILE << 16 | (ulong)8 << 32;
}

// Three products of halves, the smallest first, as in chapter 21: one instruction each. `add` says
// whether the sums begin with what is there. It all runs beside the work-items, so they wait for
// the end here, and nobody touches the sums before.
// clang-format off
#define SUMS "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, " \
             "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define WGMMA(a, b) "//@ wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS ", " a ", " b ", add, 1, 1, 0;\n"
#define SMALL_A "{%32, %33, %34, %35}"
#define BIG_A "{%36, %37, %38, %39}"
#define BIG_B "%40"
#define SMALL_B "%41"
#define PRODUCTS                             \
  "bar.warp.sync 0xffffffff;\n"              \
  "//@ { .reg .pred add;\n"                  \
  "//@ wgmma.fence.sync.aligned;\n"          \
  "//@ setp.ne.u32 add, 0, 0;\n"             \
  WGMMA(SMALL_A, BIG_B)                      \
  "//@ setp.eq.u32 add, 0, 0;\n"             \
  WGMMA(BIG_A, SMALL_B)                      \
  WGMMA(BIG_A, BIG_B)                        \
  "//@ wgmma.commit_group.sync.aligned;\n"   \
  "//@ wgmma.wait_group.sync.aligned 0; }\n"
#define FOUR(p) "=f"((p)[0]), "=f"((p)[1]), "=f"((p)[2]), "=f"((p)[3])
// clang-format on

// Of a work-item's partial sums of 64×64 elements.
void multiply_half(float partial[HALF / 2], const uint4 small_a, const uint4 big_a,
                   const ulong big_b, const ulong small_b) {
  asm volatile(PRODUCTS
               : FOUR(partial), FOUR(partial + 4), FOUR(partial + 8), FOUR(partial + 12),
                 FOUR(partial + 16), FOUR(partial + 20), FOUR(partial + 24), FOUR(partial + 28)
               : "r"(small_a.x), "r"(small_a.y), "r"(small_a.z), "r"(small_a.w), "r"(big_a.x),
                 "r"(big_a.y), "r"(big_a.z), "r"(big_a.w), "l"(big_b), "l"(small_b)
               : "memory");
}

// Has a slice of B's tile brought.
void start_copy(__local uint4 *to, __global const uint4 *from, __local ulong *arrived) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(ADDRESS(arrived)), "r"(SLICE * 16)
               : "memory");
  copy(to, from, SLICE, arrived);
}

// In place of `matmul_units`. A group of 256 work-items computes a tile of C; the launch has one
// for each, in bands of 8 tiles down. M, N and K are multiples of TILE.
__kernel __attribute__((reqd_work_group_size(WARPS * 32, 1, 1))) void
matmul_wgmma(__global const uint4 *restrict a, __global const uint4 *restrict b,
             __global const float *restrict a_scales, __global const float *restrict b_scales,
             __global float *restrict c, const uint M, const uint N, const uint K) {
  __local uint4 b_slices[STAGES][SLICE] __attribute__((aligned(128)));
  __local ulong arrived[STAGES]; // bytes of a slice
  __local ulong read[STAGES];    // warps that have read it
  const uint item = get_local_id(0);
  const uint slices = K / 16;
  const uint band = get_group_id(0) / (8 * (N / TILE)) * 8;
  const uint deep = min(8u, M / TILE - band);
  const uint in_band = get_group_id(0) - band * (N / TILE);
  const uint tile_row = band + in_band % deep;
  const uint tile_col = in_band / deep;
  a += (size_t)tile_row * slices * SLICE + item; // a work-item's own fragment
  b += (size_t)tile_col * slices * SLICE;

  float sums[TILE / HALF][HALF / 2];
#pragma unroll
  for (uint i = 0; i < TILE / 2; i++)
    sums[i / (HALF / 2)][i % (HALF / 2)] = 0.0f;

  if (item < STAGES)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; mbarrier.init.shared::cta.b64 [%1], %2; "
                 "fence.proxy.async.shared::cta;"
                 :
                 : "r"(ADDRESS(&arrived[item])), "r"(ADDRESS(&read[item])), "r"(WARPS)
                 : "memory");
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0)
    for (uint slice = 0; slice < STAGES; slice++)
      start_copy(b_slices[slice], b + slice * SLICE, &arrived[slice]);

  uint4 next_big = a[0];
  uint4 next_small = a[SMALL];
  uint now = 0;   // the stage that has this slice,
  uint phase = 0; // and how often, modulo 2, it had one before
  for (uint slice = 0; slice < slices; slice++) {
    const uint4 big_a = next_big;
    const uint4 small_a = next_small;
    a += SLICE;
    if (slice + 1 < slices) { // on their way while these are multiplied
      next_big = a[0];
      next_small = a[SMALL];
    }
    wait_for(&arrived[now], phase);
#pragma unroll
    for (uint half_tile = 0; half_tile < TILE / HALF; half_tile++) {
      __local const uint4 *big_b = b_slices[now] + half_tile * HALF;
      float partial[HALF / 2];
      multiply_half(partial, small_a, big_a, describe(big_b), describe(big_b + SMALL));
#pragma unroll
      for (uint i = 0; i < HALF / 2; i++)
        sums[half_tile][i] += partial[i];
    }

    if (item % 32 == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                   :
                   : "r"(ADDRESS(&read[now]))
                   : "memory");
    if (item == 0 && slice + STAGES < slices) { // when all have read it, the stage is filled anew
      wait_for(&read[now], phase);
      start_copy(b_slices[now], b + (size_t)(slice + STAGES) * SLICE, &arrived[now]);
    }
    now = now + 1 < STAGES ? now + 1 : 0;
    phase ^= now == 0;
  }

  // A work-item has two neighbouring rows, and of every eight columns two.
  const uint row = tile_row * TILE + item / 4 * 2;
#pragma unroll
  for (uint i = 0; i < TILE / 4; i++) {
    const uint col = tile_col * TILE + i / 2 * 8 + item % 4 * 2;
    const float *two = &sums[i / (HALF / 4)][i % (HALF / 4) * 2];
    const float2 v = WITHOUT_POWERS((float2)(two[0], two[1]), (float2)(a_scales[row + i % 2]),
                                    vload2(0, b_scales + col));
    vstore2(v, 0, c + (size_t)(row + i % 2) * N + col);
  }
}
