// Sum of a vector in one launch, in three ways. Work-groups cannot wait for each other: a place in
// which more than one of them writes is touched by atomic functions only.
//
// x             in      n floats
// total         in/out  the sum; 0 before sum_int and sum_cas, anything before sum_last_group
// n             in      number of elements; any number of work-groups will do
// sums          local   one float for each work-item; the local size is a power of two
// partial_sums  in/out  one float for each work-group; each is NaN again in the end
// done          in/out  how many work-groups have stored their partial sum; 0 before and after

// Whole numbers: each work-item adds its sum to the total, whenever it is ready. No barrier.
__kernel void sum_int(__global const float *restrict x, volatile __global int *total,
                      const ulong n) {
  int sum = 0;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += (int)x[i];
  atomic_add(total, sum);
}

// The tree of chapter 11: returns the sum of all `sum`s of a work-group. Not a kernel, but a
// function that kernels call; every work-item of the group has to.
float add_in_tree(const float sum, __local float *sums) {
  const size_t lid = get_local_id(0);
  sums[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE); // every sum is written before any is read
  for (size_t active = get_local_size(0) / 2; active > 0; active /= 2) {
    if (lid < active)
      sums[lid] += sums[lid + active];
    barrier(CLK_LOCAL_MEM_FENCE); // outside the if: every work-item has to reach it
  }
  return sums[0];
}

// Floats: each work-group adds its share to the total, in a loop of compare-and-swap. There is no
// atomic addition of floats, so `total` is the float's 32 bits, in a uint.
__kernel void sum_cas(__global const float *restrict x, volatile __global uint *total,
                      const ulong n, __local float *sums) {
  float sum = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += x[i];
  const float share = add_in_tree(sum, sums);

  if (get_local_id(0) == 0) {
    uint found = as_uint(0.0f); // a guess: a wrong one costs one more round
    uint guess;
    do {
      guess = found;
      found = atomic_cmpxchg(total, guess, as_uint(as_float(guess) + share));
    } while (found != guess); // another group was faster: now add to what it has left there
  }
}

// Floats: each work-group stores its share among the partial sums, and the last one to do so adds
// those. Partial sums are stored and fetched by atomic_xchg, which acts where all groups see it.
__kernel void sum_last_group(__global const float *restrict x, __global float *restrict total,
                             const ulong n, __local float *sums,
                             volatile __global float *partial_sums, volatile __global uint *done) {
  float sum = 0.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += x[i];
  const float share = add_in_tree(sum, sums);

  __local int last; // for the whole group: work-item 0 counts, and all must take the same branch
  if (get_local_id(0) == 0) {
    // `before` is always NaN here. The 1 is computed from it only so that the count cannot start
    // before the exchange has come back.
    const float before = atomic_xchg(&partial_sums[get_group_id(0)], share);
    mem_fence(CLK_GLOBAL_MEM_FENCE); // first the partial sum, then the count
    last = atomic_add(done, isnan(before) ? 1 : 0) == get_num_groups(0) - 1;
  }
  // First the count, then the partial sums. `sums` is free for a second tree from here on, too.
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (!last)
    return;

  float rest = 0.0f;
  for (size_t g = get_local_id(0); g < get_num_groups(0); g += get_local_size(0))
    rest += atomic_xchg(&partial_sums[g], NAN); // whoever fetches one that nobody stored gets NaN
  rest = add_in_tree(rest, sums);
  if (get_local_id(0) == 0) {
    *total = rest;
    atomic_xchg(done, 0); // ready for the next launch
  }
}
