// Three kernels that do one thing only, to see how fast the device can do it. All three have the
// same three arguments.
//
// From the host: VECTOR, the type that a work-item works with (-D VECTOR=float4); CHAINS, how many
// of them it has under way at a time; STRETCH, 1 if each work-item reads a stretch of its own, 0 if
// neighbours read neighbouring VECTORs; FMA, fma or mad, whichever is an instruction of the device.

// Reads, and keeps only sums. `in` is cut into CHAINS parts, and a work-item goes through all of
// them at a time, with a sum for each.
//
// in   in   n VECTORs; n is a multiple of CHAINS
// out  out  one VECTOR for each work-item: the sum of what it has read
// n    in   number of VECTORs; any number of work-items will do
__kernel void read_all(__global const VECTOR *restrict in, __global VECTOR *restrict out,
                       const ulong n) {
  const size_t part = n / CHAINS;
#if STRETCH // from one end of it to the other: what a core's caches fetch ahead for
  const size_t step = 1;
  const size_t share = (part + get_global_size(0) - 1) / get_global_size(0);
  const size_t first = get_global_id(0) * share;
  const size_t end = min(first + share, part);
#else // neighbours read neighbouring VECTORs at the same time: what a GPU joins to long accesses
  const size_t step = get_global_size(0);
  const size_t first = get_global_id(0);
  const size_t end = part;
#endif
  VECTOR sums[CHAINS]; // CHAINS is a constant: with the loops unrolled, sums stays in registers
#pragma unroll
  for (uint chain = 0; chain < CHAINS; chain++)
    sums[chain] = 0.0f;
  for (size_t i = first; i < end; i += step)
#pragma unroll
    for (uint chain = 0; chain < CHAINS; chain++)
      sums[chain] += in[chain * part + i];
#pragma unroll
  for (uint chain = 1; chain < CHAINS; chain++)
    sums[0] += sums[chain];
  out[get_global_id(0)] = sums[0];
}

// Copies: as many bytes written as read.
//
// in   in   n VECTORs
// out  out  n VECTORs
// n    in   number of VECTORs; any number of work-items will do
__kernel void copy(__global const VECTOR *restrict in, __global VECTOR *restrict out,
                   const ulong n) {
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    out[i] = in[i];
}

// Multiplies and adds: nothing is read in the loop, nothing written. A chain is a value that goes
// through one multiply-add after the other, each waiting for the one before.
//
// in   in   2 floats, the factor and the summand. The host has 1 and 1 there, which the compiler
//           does not know: a chain grows by 1 in each step, and its end says how many there were
// out  out  one VECTOR for each work-item: the sum of its chains
// n    in   number of steps
__kernel void multiply_add(__global const float *restrict in, __global VECTOR *restrict out,
                           const ulong n) {
  const VECTOR factor = in[0];
  const VECTOR summand = in[1];
  VECTOR x[CHAINS];
#pragma unroll
  for (uint chain = 0; chain < CHAINS; chain++)
    x[chain] = (float)(get_global_id(0) % 64 + chain);
  for (ulong i = 0; i < n; i++)
#pragma unroll
    for (uint chain = 0; chain < CHAINS; chain++)
      x[chain] = FMA(x[chain], factor, summand); // x * factor + summand in one step
#pragma unroll
  for (uint chain = 1; chain < CHAINS; chain++)
    x[0] += x[chain];
  out[get_global_id(0)] = x[0];
}
