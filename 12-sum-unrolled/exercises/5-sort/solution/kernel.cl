// One pass of a bitonic sort, in place: each work-item compares two elements, and exchanges them if
// the larger one comes first.
//
// data      in/out  n numbers
// n         in      number of elements; the last block may have fewer than `block`
// block     in      elements of a block, a power of two, at least 2
// mirrored  in      1: the first element of a block is compared with the last one, the second with
//                   the last but one, and so on. 0: each element of a block's first half with the
//                   one block / 2 after it
// The launch has at least block / 2 work-items for each block, also for an incomplete one.
__kernel void compare_and_exchange(__global uint *data, const ulong n, const ulong block,
                                   const uint mirrored) {
  const size_t half_block = block / 2;
  const size_t begin = get_global_id(0) / half_block * block; // of the work-item's block
  const size_t k = get_global_id(0) % half_block;             // its place in the first half
  const size_t low = begin + k;
  const size_t high = mirrored ? begin + block - 1 - k : low + half_block;
  // Past n one can imagine numbers larger than all: they would stay where they are.
  if (high >= n)
    return;
  const uint first = data[low];
  const uint second = data[high];
  if (first > second) {
    data[low] = second;
    data[high] = first;
  }
}
