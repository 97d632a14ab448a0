// Which work-item does which element? Each one does a solid piece, of neighbouring elements.
//
// owner  out  n whole numbers: owner[i] is the global id of the work-item that did element i
// n      in   number of elements
//
// Any number of work-items T will do: work-item t does the elements from t * piece on, where piece
// is n / T, rounded up. The last pieces may be shorter, or empty.
__kernel void pieces(__global ulong *restrict owner, const ulong n) {
  const size_t t = get_global_id(0);
  const size_t piece = n / get_global_size(0); // TODO: rounded up
  const size_t end = (t + 1) * piece;          // TODO: and not past the end
  for (size_t i = t * piece; i < end; i++)
    owner[i] = t;
}
