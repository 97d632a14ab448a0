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
  // TODO: count the places of your piece at which the word begins, and write the number down.
}
