// Between the pixels of an image: the device interpolates, and stays inside at its edges.
//
// picture  in   2 x 2 pixels
// out      out  2 floats: from the middle of all four pixels, and from far outside on the left
__kernel void look(__read_only image2d_t picture, __global float *out) {
  const sampler_t between =
      CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
  out[0] = read_imagef(picture, between, (float2)(1.0f, 1.0f)).x;
  out[1] = read_imagef(picture, between, (float2)(-9.0f, 0.5f)).x;
}
