// The Mandelbrot set: how many steps z = z·z + c takes at each point c of a picture to leave the
// circle of radius 2.
//
// All numbers are whole: the long v stands for v / 2^28, so ONE stands for 1. A product of two of
// them is a number of 2^-56, and >> 28 makes it one of 2^-28 again. Row `row` and column `col` show
//   c_re = 5 * ONE / 2 * col / width - 2 * ONE        from -2 to 0.5
//   c_im = 5 * ONE / 2 * row / height - 5 * ONE / 4   from -1.25 to 1.25
// z starts as 0, and a step makes of (re, im)
//   ((re * re - im * im) >> 28) + c_re
//   ((2 * re * im) >> 28) + c_im
// It has left the circle as soon as re * re + im * im > 4 * ONE * ONE.
//
// steps   out  height×width ints, row-major: the number of steps until z has left, or limit
// height, width, limit  in
// The launch covers the columns of the picture (dimension 0) and its rows (dimension 1), rounded up
// to whole groups. Their shape changes from launch to launch.
#define ONE (1L << 28)

__kernel void mandelbrot(__global int *restrict steps, const ulong height, const ulong width,
                         const int limit) {
  const long col = get_global_id(0);
  const long row = get_global_id(1);
  if (row >= (long)height || col >= (long)width)
    return;
  const long c_re = 5 * ONE / 2 * col / (long)width - 2 * ONE;
  const long c_im = 5 * ONE / 2 * row / (long)height - 5 * ONE / 4;
  long re = 0;
  long im = 0;
  int n = 0;
  // Each work-item leaves this loop when its own point is done. On a GPU its place in the bundle
  // then stays empty until the last one has left.
  while (n < limit && re * re + im * im <= 4 * ONE * ONE) {
    const long next_re = ((re * re - im * im) >> 28) + c_re;
    im = ((2 * re * im) >> 28) + c_im; // needs the old re
    re = next_re;
    n++;
  }
  steps[row * (long)width + col] = n;
}
