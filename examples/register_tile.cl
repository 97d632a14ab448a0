// Matrix product C = A·B with a tile of C in the registers of each work-item: chapter 17's kernel
// at its simplest, which docs/gpu.md explains. Chapter 17's program runs it in place of its own.
#define ITEMS ((BM / TM) * (BN / TN)) // work-items of a group

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, const uint M, const uint N, const uint K) {
  __local float a_tile[BK][BM] __attribute__((aligned(16))); // turned: a row is one k
  __local float b_tile[BK][BN] __attribute__((aligned(16)));
  const uint item = get_local_id(0);
  const uint groups_across = (N + BN - 1) / BN;
  const uint first_row = get_group_id(0) / groups_across * BM; // of the group's tile of C
  const uint first_col = get_group_id(0) % groups_across * BN;
  const uint row = item / (BN / TN) * TM; // of the work-item's results in it
  const uint col = item % (BN / TN) * TN;

  float sums[TM][TN];
  for (uint i = 0; i < TM; i++)
    for (uint j = 0; j < TN; j++)
      sums[i][j] = 0.0f;

  for (uint k0 = 0; k0 < K; k0 += BK) {
    for (uint e = item; e < BM * BK; e += ITEMS) // all work-items bring both tiles together
      a_tile[e % BK][e / BK] = first_row + e / BK < M && k0 + e % BK < K
                                   ? a[(size_t)(first_row + e / BK) * K + k0 + e % BK]
                                   : 0.0f;
    for (uint e = item; e < BK * BN; e += ITEMS)
      b_tile[e / BN][e % BN] = k0 + e / BN < K && first_col + e % BN < N
                                   ? b[(size_t)(k0 + e / BN) * N + first_col + e % BN]
                                   : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete before any work-item reads them

#pragma unroll
    for (uint k = 0; k < BK; k++) {
      float a_part[TM];
      float b_part[TN];
      for (uint i = 0; i < TM; i++)
        a_part[i] = a_tile[k][row + i];
      for (uint j = 0; j < TN; j++)
        b_part[j] = b_tile[k][col + j];
      for (uint i = 0; i < TM; i++)
        for (uint j = 0; j < TN; j++)
          sums[i][j] += a_part[i] * b_part[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE); // everyone has read them before anyone brings the next ones
  }

  for (uint i = 0; i < TM; i++)
    for (uint j = 0; j < TN; j++)
      if (first_row + row + i < M && first_col + col + j < N)
        c[(size_t)(first_row + row + i) * N + first_col + col + j] = sums[i][j];
}
