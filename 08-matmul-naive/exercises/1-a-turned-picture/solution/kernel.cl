// A picture turned by 90 degrees clockwise: one work-item, one pixel of the turned picture.
//
// picture  in   height×width floats, row-major: picture[row * width + column]
// turned   out  width×height floats, row-major: its first row is the left column of the picture,
//               read from the bottom up
// The launch has at least height work-items in dimension 0 (columns of the turned picture) and
// width in dimension 1 (its rows).
__kernel void turn(__global const float *restrict picture, __global float *restrict turned,
                   const ulong height, const ulong width) {
  const size_t col = get_global_id(0);
  const size_t row = get_global_id(1);
  if (row >= width || col >= height) // the launch is rounded up in both dimensions
    return;
  turned[row * height + col] = picture[(height - 1 - col) * width + row];
}
