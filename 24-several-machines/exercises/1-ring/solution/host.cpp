// C = A·B on a ring of processes: each has some rows of A and of C; the parts of B go round.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <mpi.h>

static const char *const usage = "usage: program [M [N [K]]]\n"
                                 "  C is M×N, A is M×K, B is K×N (default 100; one: square)\n";

// Where part number `i` of `parts` of n begins; the part before ends there.
static size_t first_of(const size_t n, const int parts, const int i) {
  return n * static_cast<size_t>(i) / static_cast<size_t>(parts);
}

int main(int argc, char **argv) {
  check_args(argc, argv, 3, usage);
  const size_t m = size_arg(argc, argv, 1, 100, usage);
  const size_t n = size_arg(argc, argv, 2, m, usage);
  const size_t k = size_arg(argc, argv, 3, m, usage);
  int threads; // OpenCL has threads of its own; none of them calls MPI
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  clerr_end = [](const int code) { MPI_Abort(MPI_COMM_WORLD, code); };
  int rank, processes;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (rank > 0 && freopen("/dev/null", "w", stdout) == nullptr)
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  cl_device_id device = pick_device();
  print_device(device);
  check_memory(device, {buffer_bytes(m, k), buffer_bytes(k, n), buffer_bytes(m, n)}, usage);
  printf("size      M = %zu, N = %zu, K = %zu\n", m, n, k);

  // The rows of A and C of this process, and its part of K: so many rows of B.
  const size_t first_row = first_of(m, processes, rank);
  const size_t rows = first_of(m, processes, rank + 1) - first_row;
  // All of A and B is here to cut the parts out of, and for the check at the end; nothing else may
  // use it.
  std::vector<float> all_a(m * k), all_b(k * n), c(rows * n, 0.0f);
  fill_whole(all_a, 1);
  fill_whole(all_b, 2);
  const auto row_of = [](const std::vector<float> &x, const size_t row, const size_t columns) {
    return x.begin() + static_cast<std::ptrdiff_t>(row * columns);
  };
  std::vector<float> a(row_of(all_a, first_row, k), row_of(all_a, first_row + rows, k));
  std::vector<float> b((k / static_cast<size_t>(processes) + 1) * n); // room for the largest part
  std::copy(row_of(all_b, first_of(k, processes, rank), n),
            row_of(all_b, first_of(k, processes, rank + 1), n), b.begin());

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "matmul", &status);
  clerr_chk(status);
  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY,
                                   std::max<size_t>(1, a.size()) * sizeof(float), nullptr, &status);
  clerr_chk(status);
  cl_mem b_buffer =
      clCreateBuffer(context, CL_MEM_READ_ONLY, b.size() * sizeof(float), nullptr, &status);
  clerr_chk(status);
  cl_mem c_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE,
                                   std::max<size_t>(1, c.size()) * sizeof(float), nullptr, &status);
  clerr_chk(status);
  if (rows > 0) {
    clerr_chk(clEnqueueWriteBuffer(queue, a_buffer, CL_TRUE, 0, a.size() * sizeof(float), a.data(),
                                   0, nullptr, nullptr));
    clerr_chk(clEnqueueWriteBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(),
                                   0, nullptr, nullptr));
  }
  const cl_ulong rows_arg = rows, n_arg = n, k_arg = k;
  const size_t global_size[2] = {n, rows};
  clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
  clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
  clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &c_buffer));
  clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &rows_arg));
  clerr_chk(clSetKernelArg(kernel, 4, sizeof(cl_ulong), &n_arg));
  clerr_chk(clSetKernelArg(kernel, 5, sizeof(cl_ulong), &k_arg));

  const int next = (rank + 1) % processes, before = (rank + processes - 1) % processes;
  std::vector<float> arriving(b.size());
  for (int step = 0; step < processes; step++) {
    const int owner = (rank + processes - step) % processes; // whose part is here now
    const size_t first_k = first_of(k, processes, owner);
    const size_t part = first_of(k, processes, owner + 1) - first_k;
    if (rows > 0 && part > 0) {
      const cl_ulong first_arg = first_k, part_arg = part;
      clerr_chk(clSetKernelArg(kernel, 6, sizeof(cl_ulong), &first_arg));
      clerr_chk(clSetKernelArg(kernel, 7, sizeof(cl_ulong), &part_arg));
      clerr_chk(clEnqueueWriteBuffer(queue, b_buffer, CL_TRUE, 0, part * n * sizeof(float),
                                     b.data(), 0, nullptr, nullptr));
      clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global_size, nullptr, 0, nullptr,
                                       nullptr));
      clerr_chk(clFlush(queue));
    }
    if (step + 1 < processes) { // on to the next, and the one before sends its own
      MPI_Sendrecv(b.data(), static_cast<int>(part * n), MPI_FLOAT, next, 0, arriving.data(),
                   static_cast<int>(arriving.size()), MPI_FLOAT, before, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      std::swap(b, arriving);
    }
  }

  bool ok = true;
  if (rows > 0)
    clerr_chk(clEnqueueReadBuffer(queue, c_buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data(),
                                  0, nullptr, nullptr));
  clerr_chk(clFinish(queue));
  if (rows > 0)
    ok = check_matmul(c, a, all_b, rows, n, k);
  else
    printf("result    no rows here\nexpected  no rows here\n");
  MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_CXX_BOOL, MPI_LAND, MPI_COMM_WORLD);

  clerr_chk(clReleaseMemObject(c_buffer));
  clerr_chk(clReleaseMemObject(b_buffer));
  clerr_chk(clReleaseMemObject(a_buffer));
  clerr_chk(clReleaseKernel(kernel));
  clerr_chk(clReleaseProgram(program));
  clerr_chk(clReleaseCommandQueue(queue));
  clerr_chk(clReleaseContext(context));
  const int code = verdict(ok); // before any process returns an error, for then mpirun ends all
  MPI_Finalize();
  return code;
}
