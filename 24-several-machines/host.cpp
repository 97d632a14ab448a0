// Dot product and matrix product C = A·B over the processes of an MPI job, each with its device.
#include "../common/args.h"
#include "../common/clerr.h"
#include "../common/compare.h"
#include "../common/timing.h"
#include "grid.h"
#include "worker.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <mpi.h>

static const char *const usage =
    "usage: 24-several-machines [M [N [K]]]\n"
    "  C is M×N, A is M×K, B is K×N (default 512; one number: square)\n"
    "  with four processes: mpirun -n 4 24-several-machines [M [N [K]]]\n";

int main(int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  MPI_Init(&argc, &argv);
  clerr_end = end_all;
  grid g = make_grid();
  silence_others(g);
  unsigned long long sizes[3] = {}; // process 0 reads the arguments, and tells the others
  if (g.rank == 0) {
    sizes[0] = size_arg(argc, argv, 1, 512, usage);
    sizes[1] = size_arg(argc, argv, 2, sizes[0], usage);
    sizes[2] = size_arg(argc, argv, 3, sizes[0], usage);
  }
  MPI_Bcast(sizes, 3, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  const size_t m = sizes[0], n = sizes[1], k = sizes[2];

  // This process's block of C has these rows and columns; its block of A the same rows, and a part
  // of A's columns; its block of B the same columns, and a part of B's rows.
  const part rows = part_of(m, g.rows, g.row), cols = part_of(n, g.cols, g.col);
  const part a_cols = part_of(k, g.cols, g.col), b_rows = part_of(k, g.rows, g.row);
  const size_t width = std::min(k, panel_width);
  const size_t max_groups = groups_for(rows.size() * a_cols.size());
  keep_caches_apart(g.rank);
  cl_device_id device = local_device(g.local_rank);
  check_memory(device,
               {buffer_bytes(rows.size(), a_cols.size()), buffer_bytes(max_groups),
                buffer_bytes(rows.size(), width), buffer_bytes(width, cols.size()),
                buffer_bytes(rows.size(), cols.size())},
               usage);
  check_counts(rows.size(), cols.size(), width, usage);
  print_devices(device, g);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);
  const std::vector<panel> panels = all_panels(k, g);
  printf("grid      %d x %d processes, %zu panels\n", g.rows, g.cols, panels.size());

  // Small whole numbers, whose sums a float holds exactly; the results start out as NaN.
  const std::vector<float> a = make_block(rows, a_cols, k, 1), b = make_block(b_rows, cols, n, 2);
  std::vector<float> c(rows.size() * cols.size(), NAN), partial_sums(max_groups, NAN);
  std::vector<float> a_panels[2], b_panels[2]; // one to multiply, one that is on its way
  for (int i = 0; i < 2; i++) {
    a_panels[i].resize(rows.size() * width);
    b_panels[i].resize(width * cols.size());
  }
  const worker w = set_up(device, a, partial_sums, a_panels[0].size(), b_panels[0].size(), c);

  // The dot product of A with itself, the sum of the squares of all its elements. Each process adds
  // those of its block; MPI_Allreduce adds the processes' sums, and gives each of them the result.
  double sum = 0;
  if (!a.empty()) {
    const size_t local_size = group_size(w.dot, device, 64);
    const size_t num_groups = std::min(max_groups, (a.size() + local_size - 1) / local_size);
    const size_t global_size = num_groups * local_size;
    const cl_ulong elements = a.size();
    clerr_chk(clSetKernelArg(w.dot, 0, sizeof(cl_mem), &w.a));
    clerr_chk(clSetKernelArg(w.dot, 1, sizeof(cl_mem), &w.a));
    clerr_chk(clSetKernelArg(w.dot, 2, sizeof(cl_mem), &w.sums));
    clerr_chk(clSetKernelArg(w.dot, 3, sizeof(cl_ulong), &elements));
    clerr_chk(clSetKernelArg(w.dot, 4, local_size * sizeof(float), nullptr));
    clerr_chk(clEnqueueNDRangeKernel(w.queue, w.dot, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, nullptr));
    clerr_chk(clEnqueueReadBuffer(w.queue, w.sums, CL_TRUE, 0, num_groups * sizeof(float),
                                  partial_sums.data(), 0, nullptr, nullptr));
    for (size_t i = 0; i < num_groups; i++)
      sum += static_cast<double>(partial_sums[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  bool ok = check_equal(sum, sum_of_squares(m, k, 1));

  // The matrix product, by SUMMA: one panel of K after the other.
  const bool has_work = !c.empty(); // even without, it takes part in all that is sent
  const cl_ulong m_arg = rows.size(), n_arg = cols.size();
  const size_t local_size[2] = {w.tile, w.tile / w.wpt};
  const size_t num_groups[2] = {(cols.size() + w.tile - 1) / w.tile,
                                (rows.size() + w.tile - 1) / w.tile};
  const size_t global_size[2] = {num_groups[0] * local_size[0], num_groups[1] * local_size[1]};
  clerr_chk(clSetKernelArg(w.matmul, 0, sizeof(cl_mem), &w.a_panel));
  clerr_chk(clSetKernelArg(w.matmul, 1, sizeof(cl_mem), &w.b_panel));
  clerr_chk(clSetKernelArg(w.matmul, 2, sizeof(cl_mem), &w.c));
  clerr_chk(clSetKernelArg(w.matmul, 3, sizeof(cl_ulong), &m_arg));
  clerr_chk(clSetKernelArg(w.matmul, 4, sizeof(cl_ulong), &n_arg));
  std::vector<double> times, waits, kernels; // of each run, the slowest process's, in ms
  const block_check expected = expect_block(rows, cols, n, k);
  bool right = true; // in all processes; a run whose result is wrong is the last one
  do {
    MPI_Request requests[2][2];
    std::vector<cl_event> written(panels.size()), launched(panels.size());
    // Sends panel p on its way from those that have it to those that need it. It goes where panel
    // p - 2 was, once the device has that.
    const auto send = [&](const size_t p) {
      const size_t i = p % 2, wide = panels[p].k.size();
      if (has_work && p >= 2)
        clerr_chk(clWaitForEvents(1, &written[p - 2]));
      if (g.col == panels[p].a_owner)
        copy_columns(a, a_cols, panels[p].k, a_panels[i]);
      if (g.row == panels[p].b_owner)
        copy_rows(b, b_rows, panels[p].k, b_panels[i]);
      MPI_Ibcast(a_panels[i].data(), mpi_count(rows.size() * wide), MPI_FLOAT, panels[p].a_owner,
                 g.in_row, &requests[i][0]);
      MPI_Ibcast(b_panels[i].data(), mpi_count(wide * cols.size()), MPI_FLOAT, panels[p].b_owner,
                 g.in_col, &requests[i][1]);
    };
    std::fill(c.begin(), c.end(), NAN); // what an earlier run left must not count as this one's
    if (has_work)
      clerr_chk(clEnqueueWriteBuffer(w.queue, w.c, CL_TRUE, 0, c.size() * sizeof(float), c.data(),
                                     0, nullptr, nullptr));
    MPI_Barrier(MPI_COMM_WORLD); // all begin at the same time
    const double start = now_ms();
    double waited = 0;
    send(0);
    for (size_t p = 0; p < panels.size(); p++) {
      const double before = now_ms();
      MPI_Waitall(2, requests[p % 2], MPI_STATUSES_IGNORE); // the device multiplies panel p - 1
      waited += now_ms() - before;
      if (p + 1 < panels.size())
        send(p + 1);
      if (!has_work)
        continue;
      const cl_ulong k_arg = panels[p].k.size();
      const cl_uint add = p > 0;
      clerr_chk(clSetKernelArg(w.matmul, 5, sizeof(cl_ulong), &k_arg));
      clerr_chk(clSetKernelArg(w.matmul, 6, sizeof(cl_uint), &add));
      clerr_chk(clEnqueueWriteBuffer(w.queue, w.a_panel, CL_FALSE, 0,
                                     rows.size() * k_arg * sizeof(float), a_panels[p % 2].data(), 0,
                                     nullptr, nullptr));
      clerr_chk(clEnqueueWriteBuffer(w.queue, w.b_panel, CL_FALSE, 0,
                                     k_arg * cols.size() * sizeof(float), b_panels[p % 2].data(), 0,
                                     nullptr, &written[p]));
      clerr_chk(clEnqueueNDRangeKernel(w.queue, w.matmul, 2, nullptr, global_size, local_size, 0,
                                       nullptr, &launched[p]));
      clerr_chk(clFlush(w.queue)); // it begins now, and not when the host waits for it
    }
    clerr_chk(clFinish(w.queue));
    double slowest[4] = {now_ms() - start, waited, 0, 0};
    for (size_t p = 0; has_work && p < panels.size(); p++) {
      slowest[2] += kernel_ms(launched[p]);
      clerr_chk(clReleaseEvent(launched[p]));
      clerr_chk(clReleaseEvent(written[p]));
    }
    if (has_work)
      clerr_chk(clEnqueueReadBuffer(w.queue, w.c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0,
                                    nullptr, nullptr));
    slowest[3] = block_is_right(expected, c) ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, slowest, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    times.push_back(slowest[0]);
    waits.push_back(slowest[1]);
    kernels.push_back(slowest[2]);
    right = slowest[3] == 0;
  } while (right && more_runs(times)); // the same answer in every process
  ok = check_blocks(expected, c, m) && ok;
  MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_CXX_BOOL, MPI_LAND, MPI_COMM_WORLD);
  const double gflop = 2e-9 * buffer_bytes(m, n, 1) * static_cast<double>(k);
  if (right) {
    print_time("product", median_ms(times), gflop, "GFLOP/s");
    print_time("its kernels", median_ms(kernels), gflop, "GFLOP/s");
    printf("time      waiting for panels %.3f ms\n", median_ms(waits));
  }
  tear_down(w);
  const int code = verdict(ok); // before any process returns an error, for then mpirun ends all
  leave_grid(g);
  return code;
}
