// Argmin of a vector without barriers: one level of it. Each work-item compares UF elements.
//
// data    in/out  n floats; the first max(1, n / UF) become the smallest ones found
// places  in/out  n numbers: where in the original vector each of them was
// n       in      number of elements
// The launch has at least max(1, n / UF) work-items. UF comes from the host: -D UF=2.
// Of several smallest elements the one with the lowest place counts.
__kernel void argmin_unrolled(__global float *data, __global uint *places, const ulong n) {
  const size_t i = get_global_id(0);
  const size_t stride = n / UF; // work-items with UF elements; none if n < UF
  if (i >= stride && i > 0)
    return;
  float smallest = data[i];
  uint place = places[i];
  // Work-item 0 also takes the elements that are left over: its loop goes on past k = UF.
  const size_t end = i == 0 ? UF + n % UF : UF;
  for (size_t k = 0; k < end; k++) {
    const size_t j = k < UF ? i + k * stride : stride * UF + (k - UF);
    if (data[j] < smallest || (data[j] == smallest && places[j] < place)) {
      smallest = data[j];
      place = places[j];
    }
  }
  data[i] = smallest;
  places[i] = place;
}
