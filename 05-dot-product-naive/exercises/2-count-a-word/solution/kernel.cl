// How often does a word begin in a text? Each work-item counts for a solid piece of the text.
//
// text    in   n letters
// n       in   number of letters
// word    in   length letters
// length  in   number of letters of the word, at least 1; it may be more than n
// counts  out  one for each work-item of the launch: how often the word begins within its piece
//
// Any number of work-items T will do: the piece of work-item t begins at letter t * piece, where
// piece is n / T, rounded up. The last pieces may be shorter, or empty.
__kernel void count_word(__global const uchar *restrict text, const ulong n,
                         __global const uchar *restrict word, const ulong length,
                         __global ulong *restrict counts) {
  const size_t t = get_global_id(0);
  const size_t piece = (n + get_global_size(0) - 1) / get_global_size(0);
  ulong count = 0;
  // The word begins within the piece, and ends within the text: perhaps in another piece.
  for (size_t i = t * piece; i < (t + 1) * piece && i + length <= n; i++) {
    size_t same = 0;
    while (same < length && text[i + same] == word[same])
      same++;
    if (same == length)
      count++;
  }
  counts[t] = count; // 0 where there is no piece
}
