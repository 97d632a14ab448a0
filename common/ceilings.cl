// The kernels of chapter 15, word for word, for common/ceilings.h.
//
// Two kernels that do one thing only, to see how fast the device can do it.
//
// From the host: VECTOR, the type that a work-item works with (-D VECTOR=float4), and CHAINS.

// Copy: as many bytes written as read, and nothing computed.
//
// from  in   n VECTORs
// to    out  n VECTORs
// n     in   number of VECTORs; any number of work-items will do
__kernel void copy(__global const VECTOR *restrict from, __global VECTOR *restrict to,
                   const ulong n) {
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    to[i] = from[i];
}

// Multiply-adds: nothing is read in the loop, nothing written. A chain is a value that goes through
// one multiply-add after the other, each waiting for the one before. CHAINS of them wait side by
// side, so that the arithmetic units always find one that is ready.
//
// results     out  one VECTOR for each work-item: the sum of its chains
// factor      in   the host passes -1: then every second step takes a chain back to where it was,
//                  to a small whole number, however many steps there are
// summand     in   a whole number
// iterations  in   each is 4 multiply-adds in each chain; one more follows at the end
__kernel void multiply_add(__global VECTOR *restrict results, const float factor,
                           const float summand, const uint iterations) {
  const VECTOR f = factor;
  const VECTOR s = summand;
  VECTOR x[CHAINS]; // CHAINS is a constant: with the loops unrolled, x stays in registers
#pragma unroll
  for (uint chain = 0; chain < CHAINS; chain++)
    x[chain] = (float)(get_global_id(0) % 64 + chain);
  for (uint i = 0; i < iterations; i++)
#pragma unroll
    for (uint step = 0; step < 4; step++)
#pragma unroll
      for (uint chain = 0; chain < CHAINS; chain++)
        x[chain] = fma(x[chain], f, s); // x * f + s in one step
  VECTOR sum = 0.0f;
#pragma unroll
  for (uint chain = 0; chain < CHAINS; chain++)
    sum += fma(x[chain], f, s);
  results[get_global_id(0)] = sum;
}
