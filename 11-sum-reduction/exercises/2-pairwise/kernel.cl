// Sums of a vector, in pairs: each work-item adds its elements in a tree, the host adds the
// work-items' sums.
//
// x     in   n floats
// sums  out  one float for each work-item
// n     in   number of elements; any number of work-items will do
__kernel void sum(__global const float *restrict x, __global float *restrict sums, const ulong n) {
  // levels[k] is the sum of 2^k elements, or waits for one. As in counting with binary digits: two
  // sums of 2^k elements become one of 2^(k+1).
  float levels[48];
  ulong count = 0; // elements so far; its binary digit k says whether levels[k] is in use
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) {
    // TODO: as long as digit k of count is 1, add levels[k] to the carry and go on to the next k.
    // Then put the carry into the level that is free.
    levels[0] = count == 0 ? x[i] : levels[0] + x[i];
    count = 1;
  }
  float total = 0.0f;
  for (uint k = 0; k < 48; k++) // the small sums first
    if ((count >> k) & 1)
      total += levels[k];
  sums[get_global_id(0)] = total;
}
