// Histogram: how often does each value occur?
//
// values        in      n values, each less than BINS
// counts        in/out  BINS numbers, 0 at the start
// n             in      number of values; any number of work-groups will do
// local_counts  local   BINS numbers; the work-group may have fewer work-items
__kernel void histogram(__global const uint *restrict values, volatile __global uint *counts,
                        const ulong n, volatile __local uint *local_counts) {
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    counts[values[i]]++;
}
