// Matrix product C = A·B over the processes of an MPI job, each with its device.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/processes.h"
#include "../common/tiles.h"
#include "../common/timing.h"
#include "blocks.h"
#include "grid.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <vector>

#include <mpi.h>

static const char *const usage =
    "usage: 24-several-machines [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 512; one number: square)\n"
    "  with four processes: mpirun -n 4 24-several-machines [M [N [K]]]\n";

constexpr size_t slots = 3; // panels on their way at a time: the third while the first is computed
constexpr size_t ahead = 2; // so many messages are sent before the first is waited for

int main(int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  MPI_Init(&argc, &argv);
  clerr_end = end_all;
  grid g = make_grid();
  silence_others(g.rank);
  unsigned long long sizes[3] = {}; // process 0 reads the arguments, and tells the others
  if (g.rank == 0) {
    sizes[0] = size_arg(argc, argv, 1, 512, usage);
    sizes[1] = size_arg(argc, argv, 2, sizes[0], usage);
    sizes[2] = size_arg(argc, argv, 3, sizes[0], usage);
  }
  MPI_Bcast(sizes, 3, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  const size_t m = sizes[0];
  const size_t n = sizes[1];
  const size_t k = sizes[2];

  // This process's rows and columns of C, and its panels of A and B.
  block x = {part_of(m, g.rows, g.row), part_of(n, g.cols, g.col), n, k, nullptr, nullptr};
  const size_t height = x.rows.size();
  const size_t width = x.cols.size();
  const bool has_work = height > 0 && width > 0; // even without, it takes part in all that is sent
  const size_t panels = (k - 1) / panel_width + 1;
  const size_t deep = std::min(k, panel_width);
  const size_t own_a = height * own_part_of(k, g.cols, g.col); // floats
  const size_t own_b = width * own_part_of(k, g.rows, g.row);
  if (std::max({height, width, k}) > INT_MAX / 4 || std::max(height, width) > INT_MAX / deep)
    usage_error(usage, "too large for this program: MPI counts a panel in int", "");

  keep_caches_apart(g.rank);
  cl_device_id device = local_device(g.local_rank);
  const double a_bytes = buffer_bytes(height, deep);
  const double b_bytes = buffer_bytes(deep, width);
  check_memory(device,
               {a_bytes, a_bytes, a_bytes, b_bytes, b_bytes, b_bytes, buffer_bytes(height, width),
                buffer_bytes(own_a) + slots * a_bytes, buffer_bytes(own_b) + slots * b_bytes},
               usage);
  print_devices(device, g.rank, g.processes);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  printf("grid      %zu x %zu processes, %zu panels\n", g.rows, g.cols, panels);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue copies =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  cl_command_queue kernels =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  clerr_chk(status);
  const tiles tile = build_tiles(context, device, load_source("kernel.cl"), height, width, deep);

  // On the device, a panel of A and one of B in each slot, and C. None may be empty.
  const size_t c_bytes = std::max<size_t>(1, height * width) * sizeof(float);
  cl_mem a_buffers[slots];
  cl_mem b_buffers[slots];
  for (size_t s = 0; s < slots; s++) {
    a_buffers[s] =
        clCreateBuffer(context, CL_MEM_READ_ONLY,
                       std::max<size_t>(1, height * deep) * sizeof(float), nullptr, &status);
    clerr_chk(status);
    b_buffers[s] =
        clCreateBuffer(context, CL_MEM_READ_ONLY, std::max<size_t>(1, width * deep) * sizeof(float),
                       nullptr, &status);
    clerr_chk(status);
  }
  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, c_bytes, nullptr, &status);
  clerr_chk(status);

  // Pinned memory of the host: its own panels, and behind them slots for those that come. What is
  // sent and what is copied to the device lies here only, so nothing is copied in between.
  const size_t a_pinned_bytes = std::max<size_t>(1, own_a + slots * height * deep) * sizeof(float);
  const size_t b_pinned_bytes = std::max<size_t>(1, own_b + slots * width * deep) * sizeof(float);
  cl_mem a_pinned =
      clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, a_pinned_bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem b_pinned =
      clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, b_pinned_bytes, nullptr, &status);
  clerr_chk(status);
  x.a = static_cast<float *>(clEnqueueMapBuffer(copies, a_pinned, CL_TRUE,
                                                CL_MAP_WRITE_INVALIDATE_REGION, 0, a_pinned_bytes,
                                                0, nullptr, nullptr, &status));
  clerr_chk(status);
  x.b = static_cast<float *>(clEnqueueMapBuffer(copies, b_pinned, CL_TRUE,
                                                CL_MAP_WRITE_INVALIDATE_REGION, 0, b_pinned_bytes,
                                                0, nullptr, nullptr, &status));
  clerr_chk(status);
  fill(x, g);
  const product_check check = expect_product(x, g);
  std::vector<float> c(height * width, NAN);

  const cl_uint m_arg = static_cast<cl_uint>(height);
  const cl_uint n_arg = static_cast<cl_uint>(width);
  const size_t global_size = global_size_for(tile, height, width);
  clerr_chk(clSetKernelArg(tile.kernel, 2, sizeof(cl_mem), &c_buffer));
  clerr_chk(clSetKernelArg(tile.kernel, 3, sizeof(cl_uint), &m_arg));
  clerr_chk(clSetKernelArg(tile.kernel, 4, sizeof(cl_uint), &n_arg));

  std::vector<double> times, waits, kernel_times, copy_times; // of each run, the slowest process's
  std::vector<size_t> wrong; // rows of C; a run that has some is the last one
  bool right = true;         // in all processes
  do {
    std::fill(c.begin(), c.end(), NAN); // what an earlier run left must not count as this one's
    if (has_work)
      clerr_chk(clEnqueueWriteBuffer(kernels, c_buffer, CL_TRUE, 0, c_bytes, c.data(), 0, nullptr,
                                     nullptr));
    MPI_Request messages[slots][2];
    float *a_panels[slots];
    float *b_panels[slots];
    std::vector<cl_event> a_copied(panels), b_copied(panels), multiplied(panels);
    double waited = 0;
    MPI_Barrier(MPI_COMM_WORLD); // all begin at the same time
    const double start = now_ms();
    for (size_t step = 0; step < panels + ahead; step++) {
      // A panel goes on its way: from its owner's memory to everybody else's slot, once the device
      // has what was there.
      if (step < panels) {
        const size_t s = step % slots;
        const size_t a_owner = step % g.cols;
        const size_t b_owner = step % g.rows;
        const size_t wide = panel_of(k, step).size();
        a_panels[s] = x.a + own_a + s * height * deep;
        b_panels[s] = x.b + own_b + s * width * deep;
        if (g.col == a_owner)
          a_panels[s] = x.a + step / g.cols * height * panel_width;
        if (g.row == b_owner)
          b_panels[s] = x.b + step / g.rows * width * panel_width;
        if (has_work && step >= slots)
          clerr_chk(clWaitForEvents(1, &b_copied[step - slots]));
        MPI_Ibcast(a_panels[s], mpi_count(height * wide), MPI_FLOAT, static_cast<int>(a_owner),
                   g.in_row, &messages[s][0]);
        MPI_Ibcast(b_panels[s], mpi_count(wide * width), MPI_FLOAT, static_cast<int>(b_owner),
                   g.in_col, &messages[s][1]);
      }
      if (step < ahead)
        continue;

      // The panel that was sent `ahead` steps ago is here, or is waited for.
      const size_t p = step - ahead;
      const size_t s = p % slots;
      const double before = now_ms();
      MPI_Waitall(2, messages[s], MPI_STATUSES_IGNORE);
      waited += now_ms() - before;
      if (!has_work)
        continue;

      // Its copy waits for the kernel that read this slot, and its kernel for the copy.
      const size_t wide = panel_of(k, p).size();
      const cl_uint reads = p >= slots ? 1 : 0;
      const cl_event *read = p >= slots ? &multiplied[p - slots] : nullptr;
      clerr_chk(clEnqueueWriteBuffer(copies, a_buffers[s], CL_FALSE, 0,
                                     height * wide * sizeof(float), a_panels[s], reads, read,
                                     &a_copied[p]));
      clerr_chk(clEnqueueWriteBuffer(copies, b_buffers[s], CL_FALSE, 0,
                                     wide * width * sizeof(float), b_panels[s], 0, nullptr,
                                     &b_copied[p]));
      clerr_chk(clFlush(copies));
      const cl_uint k_arg = static_cast<cl_uint>(wide);
      const cl_uint add = p > 0 ? 1 : 0;
      clerr_chk(clSetKernelArg(tile.kernel, 0, sizeof(cl_mem), &a_buffers[s]));
      clerr_chk(clSetKernelArg(tile.kernel, 1, sizeof(cl_mem), &b_buffers[s]));
      clerr_chk(clSetKernelArg(tile.kernel, 5, sizeof(cl_uint), &k_arg));
      clerr_chk(clSetKernelArg(tile.kernel, 6, sizeof(cl_uint), &add));
      clerr_chk(clEnqueueNDRangeKernel(kernels, tile.kernel, 1, nullptr, &global_size,
                                       &tile.local_size, 1, &b_copied[p], &multiplied[p]));
      clerr_chk(clFlush(kernels)); // it begins now, and not when the host waits for it
    }
    clerr_chk(clFinish(copies));
    clerr_chk(clFinish(kernels));
    double slowest[5] = {now_ms() - start, waited, 0, 0, 0};

    for (size_t p = 0; has_work && p < panels; p++) {
      slowest[2] += kernel_ms(multiplied[p]);
      slowest[3] += kernel_ms(a_copied[p]) + kernel_ms(b_copied[p]);
      clerr_chk(clReleaseEvent(multiplied[p]));
      clerr_chk(clReleaseEvent(b_copied[p]));
      clerr_chk(clReleaseEvent(a_copied[p]));
    }
    if (has_work)
      clerr_chk(clEnqueueReadBuffer(kernels, c_buffer, CL_TRUE, 0, c_bytes, c.data(), 0, nullptr,
                                    nullptr));
    wrong = wrong_rows(check, x, g, c);
    slowest[4] = wrong.empty() ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, slowest, 5, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    times.push_back(slowest[0]);
    waits.push_back(slowest[1]);
    kernel_times.push_back(slowest[2]);
    copy_times.push_back(slowest[3]);
    right = slowest[4] == 0;
  } while (right && more_runs(times)); // the same answer in every process

  const bool ok = print_check(x, m, c, wrong);
  if (right) {
    const double gflop = 2e-9 * buffer_bytes(m, n, 1) * static_cast<double>(k);
    const double gigabytes = 1e-9 * (buffer_bytes(height, k) + buffer_bytes(k, width));
    print_time("product", median_ms(times), gflop, "GFLOP/s");
    print_time("its kernels", median_ms(kernel_times), gflop, "GFLOP/s");
    print_time("its copies to the device", median_ms(copy_times), gigabytes, "GB/s");
    printf("time      waiting for panels %.3f ms\n", median_ms(waits));
  }

  clerr_chk(clEnqueueUnmapMemObject(copies, b_pinned, x.b, 0, nullptr, nullptr));
  clerr_chk(clEnqueueUnmapMemObject(copies, a_pinned, x.a, 0, nullptr, nullptr));
  clerr_chk(clFinish(copies));
  clerr_chk(clReleaseMemObject(b_pinned));
  clerr_chk(clReleaseMemObject(a_pinned));
  clerr_chk(clReleaseMemObject(c_buffer));
  for (size_t s = 0; s < slots; s++) {
    clerr_chk(clReleaseMemObject(b_buffers[s]));
    clerr_chk(clReleaseMemObject(a_buffers[s]));
  }
  clerr_chk(clReleaseKernel(tile.kernel));
  clerr_chk(clReleaseProgram(tile.program));
  clerr_chk(clReleaseCommandQueue(kernels));
  clerr_chk(clReleaseCommandQueue(copies));
  clerr_chk(clReleaseContext(context));
  const int code = verdict(ok); // before any process returns an error, for then mpirun ends all
  leave_grid(g);
  return code;
}
