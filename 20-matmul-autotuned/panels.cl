// Matrix product C = A·B for a CPU: A and B are copied into panels, in the order in which they are
// needed, and then multiplied, vector by vector. Or they are multiplied as they lie.
//
// a  in   M×K floats, row-major: a[row * K + column]
// b  in   K×N floats, row-major
// c  out  M×N floats, row-major
// From the host:
//   BM, BN, BK  a work-group's part of C is BM×BN; it goes through K in steps of BK
//   TM, TN      what is kept in registers at a time: TM×TN elements of C
//   WIDTH       floats in a vector: 4, 8 or 16
//   FMA         fma or mad, whichever is an instruction of the device
//   PACKED      1, or 0: the product is the only launch, and reads A and B as they lie
// BM, BN and BK are multiples of TM, TN and KS, and TN is one of WIDTH.
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(float, WIDTH)
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)
#define TV (TN / WIDTH) // vectors across the registers' part of C
#define KS 16           // panels are filled up with 0 to a multiple of KS along K
// How far K goes from one turn of the loop to the next. Panels have whole multiples of KS, so their
// turns are unrolled: with a loop inside, compilers move sums to memory and back at its ends.
#define STEP (PACKED ? KS : 1)
#define BAND 4 // so many parts of C below each other are computed one after the other

// First launch: A in panels of TM rows. KS floats of a row lie side by side, then come those of the
// next row, so that a panel is read from its beginning to its end. Filled up with 0 at the edges.
//
// panels  out  ceil(M / TM) panels of ceil(K / KS) * TM * KS floats
// The launch has ceil(K / KS) × ceil(M / TM) work-items, one for each TM×KS floats.
__kernel void pack_a(__global const float *restrict a, __global float *restrict panels,
                     const uint M, const uint K) {
  const uint k = get_global_id(0) * KS;
  const uint row = get_global_id(1) * TM;
  __global float *to =
      panels + (get_global_id(1) * get_global_size(0) + get_global_id(0)) * TM * KS;
  __global const float *from = a + (size_t)row * K + k;
  for (uint i = 0; i < TM; i++, from += K)
    if (row + i < M && k + KS <= K)
      vstore16(vload16(0, from), i, to);
    else
      for (uint j = 0; j < KS; j++)
        to[i * KS + j] = row + i < M && k + j < K ? from[j] : 0.0f;
}

// Second launch: B in panels of TN columns, row by row, filled up with 0 at the edges.
//
// panels  out  ceil(N / TN) panels of ceil(K / KS) * KS * TN floats
// The launch has ceil(N / TN) × ceil(K / KS) work-items, one for each KS×TN floats.
__kernel void pack_b(__global const float *restrict b, __global float *restrict panels,
                     const uint N, const uint K) {
  const uint col = get_global_id(0) * TN;
  const uint k = get_global_id(1) * KS;
  __global float *to =
      panels + (get_global_id(0) * get_global_size(1) + get_global_id(1)) * KS * TN;
  __global const float *from = b + (size_t)k * N + col;
  for (uint i = 0; i < KS; i++, from += N)
    if (k + i < K && col + TN <= N)
#pragma unroll
      for (uint j = 0; j < TV; j++)
        STORE(LOAD(j, from), i * TV + j, to);
    else
      for (uint j = 0; j < TN; j++)
        to[i * TN + j] = k + i < K && col + j < N ? from[j] : 0.0f;
}

// Inlined at once, the sums live in registers; a compiler that inlines late leaves them in memory.
#define INLINE __attribute__((always_inline))

// The sums of TM rows of A and TN columns of B, along `length` of K.
INLINE void multiply(VECTOR sums[TM][TV], __global const float *a_rows[TM], __global const float *b,
                     const uint b_stride, const uint length) {
#pragma unroll
  for (uint i = 0; i < TM; i++)
#pragma unroll
    for (uint j = 0; j < TV; j++)
      sums[i][j] = 0.0f;

  for (uint k0 = 0; k0 < length; k0 += STEP)
#pragma unroll
    for (uint k = 0; k < STEP; k++, b += b_stride) {
      VECTOR b_values[TV];
#pragma unroll
      for (uint j = 0; j < TV; j++)
        b_values[j] = LOAD(j, b);

#pragma unroll
      for (uint i = 0; i < TM; i++) {
        const VECTOR a_value = a_rows[i][k0 * (PACKED ? TM : 1) + k]; // one float, in every lane
#pragma unroll
        for (uint j = 0; j < TV; j++)
          sums[i][j] = FMA(a_value, b_values[j], sums[i][j]);
      }
    }
}

// Writes them to C, or adds them to what earlier steps along K have left there. At the edges, where
// `rows` × `cols` are left, float by float.
INLINE void store(__global float *c, VECTOR sums[TM][TV], const uint rows, const uint cols,
                  const uint N, const bool add) {
  if (rows >= TM && cols >= TN) {
#pragma unroll
    for (uint i = 0; i < TM; i++, c += N)
#pragma unroll
      for (uint j = 0; j < TV; j++)
        STORE(add ? LOAD(j, c) + sums[i][j] : sums[i][j], j, c);
    return;
  }

  float edge[TM * TN];
#pragma unroll
  for (uint i = 0; i < TM; i++)
#pragma unroll
    for (uint j = 0; j < TV; j++)
      STORE(sums[i][j], i * TV + j, edge);
  for (uint i = 0; i < min((uint)TM, rows); i++, c += N)
    for (uint j = 0; j < min((uint)TN, cols); j++)
      c[j] = add ? c[j] + edge[i * TN + j] : edge[i * TN + j];
}

// Third launch: the product. One work-item a group, and no barrier: a CPU runs the work-items of a
// group one after the other, so there is nobody to share tiles with.
//
// a, b  in  the panels; or A, and B with TN - 1 floats behind it, which are read, but not used
// The launch has ceil(N / BN) × ceil(M / BM) work-items, one for each part of C.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, const uint M, const uint N, const uint K) {
  // Neighbours go down BAND parts of C before the next column: they need the same part of B while
  // it is in the cache. The last band may have fewer rows of parts.
  const uint band = get_global_id(1) / BAND * BAND;
  const uint deep = min((uint)BAND, (uint)get_global_size(1) - band);
  const uint place = (get_global_id(1) - band) * get_global_size(0) + get_global_id(0);
  const uint first_row = (band + place % deep) * BM;
  const uint first_col = place / deep * BN;
  const uint end_row = min(first_row + BM, M); // the first one that is not this group's
  const uint end_col = min(first_col + BN, N);
  const uint padded = PACKED ? (K + KS - 1) / KS * KS : K; // what the panels have along K

  // BK steps of a panel of B stay in one of the core's own caches, L1 or L2 by their size, while
  // all the group's panels of A pass by.
  for (uint k0 = 0; k0 < padded; k0 += BK) {
    const uint length = min((uint)BK, padded - k0);
    for (uint col = first_col; col < end_col; col += TN) {
      __global const float *b_panel =
          PACKED ? b + (size_t)col * padded + (size_t)k0 * TN : b + (size_t)k0 * N + col;
      for (uint row = first_row; row < end_row; row += TM) {
        __global const float *a_rows[TM]; // beyond the last row any will do: nobody writes the sums
#pragma unroll
        for (uint i = 0; i < TM; i++)
          a_rows[i] = PACKED ? a + (size_t)row * padded + (size_t)k0 * TM + i * KS
                             : a + (size_t)min(row + i, M - 1) * K + k0;
        VECTOR sums[TM][TV];
        multiply(sums, a_rows, b_panel, PACKED ? TN : N, length);
        store(c + (size_t)row * N + col, sums, M - row, N - col, N, k0 > 0);
      }
    }
  }
}
