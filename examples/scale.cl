// x[i] = factor * x[i].
//
// x       in, out  floats, as many as there are work-items
// factor  in
__kernel void scale(__global float *x, const float factor) {
  x[get_global_id(0)] *= factor;
}
