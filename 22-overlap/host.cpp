// Dot product of more numbers than the device holds: a piece is copied while another is computed.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/device.h"
#include "../common/group_size.h"
#include "../common/source.h"
#include "../common/timing.h"
#include "pieces.h"
#include "timeline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

static const char *const usage =
    "usage: 22-overlap [N [PIECE [QUEUES]]]\n"
    "  N       number of elements in each vector (default 16777216)\n"
    "  PIECE   elements of each vector that are copied at a time (default 1048576)\n"
    "  QUEUES  1: one for all; 2: the copies apart; 3: the results, too (default 3)\n"
    "  --file FILE      a file with N floats of a, then N of b; without: numbers made here\n"
    "  --once FILE      the same, and read only once: a single run, timed with its check\n"
    "  --timeline FILE  draws when each command ran, as an SVG\n";

constexpr size_t slots = 3;         // pieces on the device at a time
constexpr size_t most_groups = 256; // that work on a piece, with a partial sum for each

int main(int argc, char **argv) {
  const char *const drawing = take_option(argc, argv, "--timeline", usage);
  const char *const once = take_option(argc, argv, "--once", usage);
  const char *const file = take_option(argc, argv, "--file", usage);
  pieces numbers = pieces_asked_for(argc, argv, once != nullptr ? once : file, slots, usage);
  const size_t num_queues = size_arg(argc, argv, 3, 3, usage);
  if (num_queues > 3)
    usage_error(usage, "there is nothing to do for more than three queues: ", argv[3]);
  check_drawing(drawing, numbers.name, usage);
  const size_t n = numbers.n;
  const size_t piece = numbers.piece;

  cl_device_id device = pick_device();
  print_device(device);
  printf("size      N = %zu, PIECE = %zu, QUEUES = %zu\n", n, piece, num_queues);
  const double in = buffer_bytes(piece, 2);
  const double out = buffer_bytes(std::min(piece, most_groups));
  check_memory(device, {in, in, in, out, out, out, buffer_bytes(numbers.room)}, usage);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queues[3] = {};
  for (size_t q = 0; q < num_queues; q++) {
    queues[q] = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    clerr_chk(status);
  }
  cl_command_queue copies = queues[0];
  cl_command_queue kernels = num_queues == 1 ? queues[0] : queues[1];
  cl_command_queue results = queues[num_queues - 1];

  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "dot_product", &status);
  clerr_chk(status);
  const size_t local_size = group_size(kernel, device, 256);
  const size_t num_groups = std::min(most_groups, (piece + local_size - 1) / local_size);
  const size_t global_size = num_groups * local_size;

  const size_t piece_bytes = 2 * piece * sizeof(float);
  const size_t sums_bytes = num_groups * sizeof(float);
  cl_mem piece_buffers[slots];
  cl_mem sums_buffers[slots];
  for (size_t s = 0; s < slots; s++) {
    piece_buffers[s] = clCreateBuffer(context, CL_MEM_READ_ONLY, piece_bytes, nullptr, &status);
    clerr_chk(status);
    sums_buffers[s] = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sums_bytes, nullptr, &status);
    clerr_chk(status);
  }

  // Pinned memory: the host's, from which the device fetches by itself. It stays mapped to the end.
  const size_t pinned_bytes = numbers.room * sizeof(float);
  cl_mem pinned = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, pinned_bytes, nullptr, &status);
  clerr_chk(status);
  void *memory = clEnqueueMapBuffer(copies, pinned, CL_TRUE, CL_MAP_WRITE, 0, pinned_bytes, 0,
                                    nullptr, nullptr, &status);
  clerr_chk(status);
  prepare(numbers, memory);

  const size_t num_pieces = (n - 1) / piece + 1;
  std::vector<float> sums(slots * num_groups, NAN);
  cl_event events[slots][3];  // of a slot's commands: copy, kernel, result
  expectation expected = {};  // what the host computes from the same pieces, in the first run
  std::vector<double> times;  // of each run, in ms by the host's clock
  std::vector<double> totals; // and its dot product
  std::vector<bar> bars;      // of the last run: when each command ran
  clerr_chk(clSetKernelArg(kernel, 3, local_size * sizeof(float), nullptr)); // local memory
  do {
    const cl_float nothing = NAN; // no result of the run before must be left
    for (cl_mem buffer : sums_buffers)
      clerr_chk(clEnqueueFillBuffer(kernels, buffer, &nothing, sizeof nothing, 0, sums_bytes, 0,
                                    nullptr, nullptr));
    clerr_chk(clFinish(kernels));
    bars.clear();
    double total = 0;
    const double start = now_ms();
    for (size_t p = 0; p < num_pieces + slots; p++) {
      const size_t s = p % slots;
      cl_event *const done = events[s];
      if (p >= slots) { // the piece that was in this slot: with its result, all of it is done
        clerr_chk(clWaitForEvents(1, &done[2]));
        total = std::accumulate(&sums[s * num_groups], &sums[s * num_groups] + num_groups, total);
        for (size_t kind = 0; kind < 3; kind++) {
          note(bars, kind, p - slots, done[kind]);
          clerr_chk(clReleaseEvent(done[kind]));
        }
      }
      if (p >= num_pieces)
        continue;

      // From here on the host does not wait. The kernel waits for the copy, the result for the
      // kernel: each for the event of the other's queue.
      const float *const from = piece_of(numbers, p, s);
      const cl_ulong length = length_of(numbers, p);
      clerr_chk(clEnqueueWriteBuffer(copies, piece_buffers[s], CL_FALSE, 0,
                                     2 * length * sizeof(float), from, 0, nullptr, &done[0]));
      clerr_chk(clFlush(copies));
      clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &piece_buffers[s]));
      clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &sums_buffers[s]));
      clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_ulong), &length));
      clerr_chk(clEnqueueNDRangeKernel(kernels, kernel, 1, nullptr, &global_size, &local_size, 1,
                                       &done[0], &done[1]));
      clerr_chk(clFlush(kernels));
      clerr_chk(clEnqueueReadBuffer(results, sums_buffers[s], CL_FALSE, 0, sums_bytes,
                                    &sums[s * num_groups], 1, &done[1], &done[2]));
      clerr_chk(clFlush(results));

      if (totals.empty()) // the first run: while the piece is here, for it may be gone afterwards
        add_expected(expected, from, length_of(numbers, p));
    }
    const double taken = now_ms() - start;
    if (once != nullptr || !totals.empty()) // the first run has the check in it
      times.push_back(taken);
    totals.push_back(total);
  } while (once == nullptr && more_runs(times));

  const bool ok = check_totals(numbers, expected, totals, global_size, local_size);
  const double gigabytes = 1e-9 * buffer_bytes(n, 2);
  if (once != nullptr)
    print_time("all pieces, and their check", times[0], gigabytes, "GB/s");
  else
    print_time("all pieces", median_ms(times), gigabytes, "GB/s");
  print_time("  the last run", times.back(), gigabytes, "GB/s");
  print_time("  its copies", sum_ms(bars, 0), gigabytes, "GB/s");
  print_time("  its kernels", sum_ms(bars, 1), gigabytes, "GB/s");
  if (drawing != nullptr)
    draw(drawing, bars, num_queues);

  clerr_chk(clEnqueueUnmapMemObject(copies, pinned, memory, 0, nullptr, nullptr));
  clerr_chk(clFinish(copies));
  clerr_chk(clReleaseMemObject(pinned));
  for (size_t s = 0; s < slots; s++) {
    clerr_chk(clReleaseMemObject(sums_buffers[s]));
    clerr_chk(clReleaseMemObject(piece_buffers[s]));
  }
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  for (size_t q = 0; q < num_queues; q++)
    clerr_chk(clReleaseCommandQueue(queues[q]));
  clerr_chk(clReleaseContext(context));
  return verdict(ok);
}
