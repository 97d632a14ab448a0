// Matrix product C = A·B over the processes of an MPI job, each with its device.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/processes.h"
#include "../common/tiles.h"
#include "../common/timing.h"
#include "blocks.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <vector>

#include <mpi.h>

static const char *const usage =
    "usage: 24-several-machines [--messages] [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 512; one number: square)\n"
    "  --messages: as if each process had a machine of its own\n"
    "  with four processes: mpirun -n 4 24-several-machines [M [N [K]]]\n";

constexpr size_t ahead = 2; // so many more messages are sent before one is waited for

// What a run took, in ms, and whether C was wrong: of the process where it is worst.
enum { whole_time, kernel_time, copy_time, wait_time, wrong, measured };

int main(int argc, char **argv) {
  const bool apart = take_flag(argc, argv, "--messages");
  check_args(argc, argv, 3, usage);
  int threads; // OpenCL has threads of its own; none of them calls MPI
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  clerr_end = end_all;
  int rank;
  int processes;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  silence_others(rank);

  shape s = {}; // process 0 reads the arguments, and tells the others
  if (rank == 0) {
    s.m = size_arg(argc, argv, 1, 512, usage);
    s.n = size_arg(argc, argv, 2, s.m, usage);
    s.k = size_arg(argc, argv, 3, s.m, usage);
    s.deep = std::min(most_in_panel, (s.k + 7) / 8 * 8);
    if (std::max({s.m, s.n, s.k}) > INT_MAX / most_in_panel - tile_side)
      usage_error(usage, "too large for this program: MPI counts a panel in int", "");
  }
  MPI_Bcast(&s, sizeof s, MPI_BYTE, 0, MPI_COMM_WORLD);

  // The processes as a grid, as square as their number allows: 4 as 2 × 2, but 7 as 7 × 1.
  int sides[2] = {0, 0}; // 0: MPI chooses
  MPI_Dims_create(processes, 2, sides);
  const size_t rows = static_cast<size_t>(sides[0]);
  const size_t cols = static_cast<size_t>(sides[1]);
  const size_t row = static_cast<size_t>(rank) / cols;
  const size_t col = static_cast<size_t>(rank) % cols;

  // This process's block of C, and what that needs: rows of A, and columns of B.
  const size_t panels = (s.k - 1) / s.deep + 1;
  const size_t height = ((s.m - 1) / (rows * tile_side) + 1) * tile_side; // whole tiles
  const size_t width = ((s.n - 1) / (cols * tile_side) + 1) * tile_side;
  factor a = {height, row * height, cols, col, height * s.deep};
  factor b = {width, col * width, rows, row, width * s.deep};
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(row), rank, &a.comm);
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(col), rank, &b.comm);
  a.one_machine = cols == 1 || (!apart && on_one_machine(a.comm));
  b.one_machine = rows == 1 || (!apart && on_one_machine(b.comm));

  keep_caches_apart(rank);
  cl_device_id device = local_device(rank);
  const double a_bytes = buffer_bytes(a.panel);
  const double b_bytes = buffer_bytes(b.panel);
  check_memory(device,
               {a_bytes, a_bytes, a_bytes, b_bytes, b_bytes, b_bytes, buffer_bytes(height, width),
                buffer_bytes(places(a, panels), a.panel), buffer_bytes(places(b, panels), b.panel)},
               usage);
  print_devices(device, rank, processes);
  printf("size      M = %zu, N = %zu, K = %zu\n", s.m, s.n, s.k);
  printf("grid      %zu x %zu processes, %zu panels\n", rows, cols, panels);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue copies =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_command_queue kernels =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const tiles tile = build_tiles(context, device, load_source("kernel.cl"), height, width, s.deep);

  for (factor *x : {&a, &b}) {
    const size_t panel_bytes = x->panel * sizeof(float);
    x->copied.resize(panels);
    for (cl_mem &slot : x->on_device) {
      slot = clCreateBuffer(context, CL_MEM_READ_ONLY, panel_bytes, nullptr, &status);
      clerr_chk(status);
    }

    // What is sent and what is copied to the device lies in a window of MPI: in memory that all
    // processes of this machine have in common, or in this one's own.
    const size_t bytes = places(*x, panels) * panel_bytes;
    const size_t own_bytes = x->one_machine && x->number > 0 ? 0 : bytes;
    MPI_Aint size;
    int unit;
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(own_bytes), sizeof(float), MPI_INFO_NULL,
                            x->one_machine ? x->comm : MPI_COMM_SELF, &x->host, &x->window);
    MPI_Win_shared_query(x->window, 0, &size, &unit, &x->host);

    // A buffer over this memory, mapped: the driver pins it, and the bus can fetch from it.
    x->pinned = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, bytes, x->host, &status);
    clerr_chk(status);
    clEnqueueMapBuffer(copies, x->pinned, CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr,
                       &status);
    clerr_chk(status);
    MPI_Win_fence(0, x->window); // nobody writes there before all have mapped it
  }
  fill(s, a, b);
  for (const factor *x : {&a, &b})
    MPI_Win_fence(0, x->window); // nobody reads there before all have written
  const product_check check = expect_block(s, a, b);

  std::vector<float> c(height * width, NAN);
  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   c.size() * sizeof(float), c.data(), &status);
  clerr_chk(status);

  const cl_uint n_arg = static_cast<cl_uint>(width);
  const cl_uint k_arg = static_cast<cl_uint>(s.deep);
  const size_t global_size = global_size_for(tile, height, width);
  clerr_chk(clSetKernelArg(tile.kernel, 2, sizeof(cl_mem), &c_buffer));
  clerr_chk(clSetKernelArg(tile.kernel, 3, sizeof(cl_uint), &n_arg));
  clerr_chk(clSetKernelArg(tile.kernel, 4, sizeof(cl_uint), &k_arg));

  std::vector<double> times[measured]; // of each run
  int wrong_runs = 0;
  do {
    std::vector<MPI_Request> messages(2 * slots, MPI_REQUEST_NULL);
    std::vector<cl_event> multiplied(panels);
    double worst[measured] = {};
    MPI_Barrier(MPI_COMM_WORLD); // all begin at the same time
    const double start = now_ms();
    for (size_t step = 0; step < panels + ahead; step++) {
      // A panel goes on its way: from its owner's memory to everybody else's slot, once the device
      // has what was there.
      MPI_Request *message = &messages[2 * (step % slots)];
      for (const factor *x : {&a, &b}) {
        if (step >= panels || x->one_machine)
          continue;
        if (step >= slots)
          clerr_chk(clWaitForEvents(1, &x->copied[step - slots]));
        const int count = static_cast<int>(x->panel);
        const int owner = static_cast<int>(step % x->sharers);
        MPI_Ibcast(panel_at(*x, step), count, MPI_FLOAT, owner, x->comm, message++);
      }
      if (step < ahead)
        continue;

      // The panel that was sent `ahead` steps ago is here, or is waited for.
      const size_t p = step - ahead;
      const size_t slot = p % slots;
      worst[wait_time] -= now_ms();
      MPI_Waitall(2, &messages[2 * slot], MPI_STATUSES_IGNORE);
      worst[wait_time] += now_ms();

      // Its copies wait for the kernel that read this slot, and its kernel for the second copy.
      const cl_uint waits = p >= slots ? 1 : 0;
      const cl_event *reader = p >= slots ? &multiplied[p - slots] : nullptr;
      for (factor *x : {&a, &b})
        clerr_chk(clEnqueueWriteBuffer(copies, x->on_device[slot], CL_FALSE, 0,
                                       x->panel * sizeof(float), panel_at(*x, p), waits, reader,
                                       &x->copied[p]));
      clerr_chk(clFlush(copies));
      const cl_uint add = p > 0 ? 1 : 0;
      clerr_chk(clSetKernelArg(tile.kernel, 0, sizeof(cl_mem), &a.on_device[slot]));
      clerr_chk(clSetKernelArg(tile.kernel, 1, sizeof(cl_mem), &b.on_device[slot]));
      clerr_chk(clSetKernelArg(tile.kernel, 5, sizeof(cl_uint), &add));
      clerr_chk(clEnqueueNDRangeKernel(kernels, tile.kernel, 1, nullptr, &global_size,
                                       &tile.local_size, 1, &b.copied[p], &multiplied[p]));
      clerr_chk(clFlush(kernels)); // it begins now, and not when the host waits for it
    }
    clerr_chk(clFinish(copies));
    clerr_chk(clFinish(kernels));
    worst[whole_time] = now_ms() - start;
    clerr_chk(clEnqueueReadBuffer(kernels, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(),
                                  0, nullptr, nullptr));
    worst[wrong] = product_is_right(check, c) ? 0 : 1;
    for (size_t p = 0; p < panels; p++) {
      worst[kernel_time] += kernel_ms(multiplied[p]);
      worst[copy_time] += kernel_ms(a.copied[p]) + kernel_ms(b.copied[p]);
      for (cl_event event : {multiplied[p], b.copied[p], a.copied[p]})
        clerr_chk(clReleaseEvent(event));
    }
    MPI_Allreduce(MPI_IN_PLACE, worst, measured, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (size_t i = 0; i < measured; i++)
      times[i].push_back(worst[i]);
    wrong_runs += worst[wrong] == 0 ? 0 : 1;
  } while (more_runs(times[whole_time])); // the same answer in every process

  print_check(s, c[0], wrong_runs);
  const double gflop =
      2e-9 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  const double gigabytes = 1e-9 * buffer_bytes(panels, a.panel + b.panel);
  print_time("product", median_ms(times[whole_time]), gflop, "GFLOP/s");
  print_time("its kernels", median_ms(times[kernel_time]), gflop, "GFLOP/s");
  print_time("its copies to the device", median_ms(times[copy_time]), gigabytes, "GB/s");
  printf("time      waiting for panels %.3f ms\n", median_ms(times[wait_time]));

  for (const factor *x : {&b, &a}) {
    clerr_chk(clEnqueueUnmapMemObject(copies, x->pinned, x->host, 0, nullptr, nullptr));
    clerr_chk(clReleaseMemObject(x->pinned));
    for (cl_mem slot : x->on_device)
      clerr_chk(clReleaseMemObject(slot));
  }
  clerr_chk(clFinish(copies));
  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseKernel(tile.kernel));
  clerr_chk(clReleaseProgram(tile.program));
  clerr_chk(clReleaseCommandQueue(kernels));
  clerr_chk(clReleaseCommandQueue(copies));
  clerr_chk(clReleaseContext(context));
  const int code = verdict(wrong_runs == 0); // before any exits with an error: that ends them all
  for (factor *x : {&b, &a}) {
    MPI_Win_free(&x->window);
    MPI_Comm_free(&x->comm);
  }
  MPI_Finalize();
  return code;
}
