// Dot product of reals over several processes: the very same result, however many there are.
#include "../../../common/args.h"
#include "../../../common/clerr.h"
#include "../../../common/compare.h"
#include "../../../common/device.h"
#include "../../../common/source.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

#include <mpi.h>

static const char *const usage = "usage: program [N]\n"
                                 "  N  number of elements (default 100003)\n";

static const size_t chunk = 256; // elements that a work-group adds

// Where piece number `i` of `pieces` of n elements begins; the piece before ends there.
static size_t first_of(const size_t n, const int pieces, const int i) {
  const size_t chunks = (n + chunk - 1) / chunk;
  return std::min(n, chunks * static_cast<size_t>(i) / static_cast<size_t>(pieces) * chunk);
}

int main(int argc, char **argv) {
  check_args(argc, argv, 1, usage);
  const size_t n = size_arg(argc, argv, 1, 100003, usage);
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
  check_memory(device, {buffer_bytes(n), buffer_bytes(n)}, usage);
  printf("size      N = %zu\n", n);

  std::vector<float> a(n), b(n);
  fill_real(a, 1);
  fill_real(b, 2);
  const size_t first = first_of(n, processes, rank), end = first_of(n, processes, rank + 1);
  const size_t groups = (end - first + chunk - 1) / chunk;
  std::vector<float> sums(groups, NAN);

  cl_int status;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  clerr_chk(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  clerr_chk(status);
  cl_program program = build_program(context, device, load_source("kernel.cl"), "");
  cl_kernel kernel = clCreateKernel(program, "chunks", &status);
  clerr_chk(status);
  const size_t bytes = std::max<size_t>(1, end - first) * sizeof(float);
  cl_mem a_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem b_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY, bytes, nullptr, &status);
  clerr_chk(status);
  cl_mem sums_buffer = clCreateBuffer(
      context, CL_MEM_WRITE_ONLY, std::max<size_t>(1, groups) * sizeof(float), nullptr, &status);
  clerr_chk(status);
  if (groups > 0) { // else this process has no piece
    clerr_chk(
        clEnqueueWriteBuffer(queue, a_buffer, CL_TRUE, 0, bytes, &a[first], 0, nullptr, nullptr));
    clerr_chk(
        clEnqueueWriteBuffer(queue, b_buffer, CL_TRUE, 0, bytes, &b[first], 0, nullptr, nullptr));
    const cl_ulong n_arg = end - first;
    const size_t local_size = 64, global_size = groups * local_size;
    clerr_chk(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a_buffer));
    clerr_chk(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b_buffer));
    clerr_chk(clSetKernelArg(kernel, 2, sizeof(cl_mem), &sums_buffer));
    clerr_chk(clSetKernelArg(kernel, 3, sizeof(cl_ulong), &n_arg));
    clerr_chk(clSetKernelArg(kernel, 4, local_size * sizeof(float), nullptr));
    clerr_chk(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0,
                                     nullptr, nullptr));
    clerr_chk(clEnqueueReadBuffer(queue, sums_buffer, CL_TRUE, 0, groups * sizeof(float),
                                  sums.data(), 0, nullptr, nullptr));
  }

  // The sums of all chunks, in their order; and then one addition after the other.
  std::vector<int> counts, places;
  for (int p = 0; p < processes; p++) {
    places.push_back(static_cast<int>((first_of(n, processes, p) + chunk - 1) / chunk));
    counts.push_back(static_cast<int>((first_of(n, processes, p + 1) + chunk - 1) / chunk) -
                     places.back());
  }
  std::vector<float> all_sums((n + chunk - 1) / chunk);
  MPI_Allgatherv(sums.data(), static_cast<int>(groups), MPI_FLOAT, all_sums.data(), counts.data(),
                 places.data(), MPI_FLOAT, MPI_COMM_WORLD);
  float result = 0;
  for (const float sum : all_sums)
    result += sum;

  double expected = 0, magnitudes = 0;
  for (size_t i = 0; i < n; i++) {
    const double product = static_cast<double>(a[i]) * static_cast<double>(b[i]);
    expected += product;
    magnitudes += std::fabs(product);
  }
  const double additions = 10 + static_cast<double>((n + chunk - 1) / chunk);
  bool ok = check_close(static_cast<double>(result), expected,
                        (additions + processes) * static_cast<double>(FLT_EPSILON) * magnitudes);
  MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_CXX_BOOL, MPI_LAND, MPI_COMM_WORLD);

  clerr_chk(clReleaseMemObject(sums_buffer));
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
