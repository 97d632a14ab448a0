// Half precision for arithmetic, on devices with cl_khr_fp16: counts to n, one by one, as far as a
// half can.
//
// n      in
// count  out  a half
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void count_to(const int n, __global half *count) {
  half sum = 0;
  for (int i = 0; i < n; i++)
    sum += (half)1;
  *count = sum;
}
