// Half precision for storage, on every device. They are read as floats, computed with as floats,
// and written as halves.
//
// x       in, out  halves, as many as there are work-items
// factor  in
__kernel void scale(__global half *x, const float factor) {
  const size_t i = get_global_id(0);
  vstore_half(factor * vload_half(i, x), i, x);
}
