// Sum of a vector without barriers: one level of it. Each work-item adds UF elements.
//
// data  in/out  n floats; the first max(1, n / UF) become the sums, whose sum is that of all
// n     in      number of elements
// The launch has at least max(1, n / UF) work-items. UF comes from the host: -D UF=2.
//
// In place, and still no barrier: element i is read by one work-item only, and that is the one
// that writes it.
__kernel void sum_unrolled(__global float *data, const ulong n) {
  const size_t i = get_global_id(0);
  const size_t stride = n / UF; // work-items with UF elements; none if n < UF
  if (i >= stride && i > 0)
    return;
  float sum = 0.0f;
  if (i < stride)
    for (size_t k = 0; k < UF; k++) // UF is a constant: the compiler can unroll this loop
      sum += data[i + k * stride];
  if (i == 0)
    for (size_t j = stride * UF; j < n; j++) // the n mod UF elements that are left over
      sum += data[j];
  data[i] = sum;
}
