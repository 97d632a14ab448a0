// Programs, the arguments of kernels, and launches: kept in files, changed, or lost.
#include "layer.h"

#include <algorithm>
#include <cmath>
#include <set>

struct kernels_state {
  std::map<cl_kernel, kernel_record> records;
  std::set<cl_mem> arguments; // of any kernel
  size_t num_sources = 0, num_launches = 0;
};
static kernels_state &the = *new kernels_state; // NOLINT(cert-err58-cpp): see layer.cpp
static functions below; // what the program calls; what the layer does besides, is the real ones'

// ---- What kernels have been given ---------------------------------------------------------------

kernel_record &record_of(cl_kernel kernel) {
  return the.records[kernel];
}

bool is_argument(cl_mem buffer) {
  return the.arguments.count(buffer) != 0;
}

static cl_kernel new_record(cl_program program, const char *name, cl_int *status) {
  cl_kernel kernel = real.clCreateKernel(program, name, status);
  if (kernel == nullptr)
    return kernel;
  const auto device = asked<cl_device_id>(real.clGetProgramInfo, program, CL_PROGRAM_DEVICES);
  the.records[kernel] = {asked<cl_ulong>(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE), {}};
  return kernel;
}

static cl_int record_argument(cl_kernel kernel, const cl_uint index, const size_t size,
                              const void *value) {
  const cl_int status = real.clSetKernelArg(kernel, index, size, value);
  if (status != CL_SUCCESS)
    return status;
  const auto *const bytes = static_cast<const char *>(value);
  argument &it = the.records[kernel].given[index];
  it = {size, value != nullptr, {bytes, bytes + (value != nullptr ? size : 0)}};
  if (size == sizeof(cl_mem) && value != nullptr)
    the.arguments.insert(*static_cast<const cl_mem *>(value));
  return status;
}

void start_records() {
  table.clCreateKernel = new_record;
  table.clSetKernelArg = record_argument;
}

// The arguments of a kernel that are buffers.
static std::map<cl_uint, cl_mem> buffers_of(cl_kernel kernel) {
  std::map<cl_uint, cl_mem> buffers;
  for (const auto &[index, it] : the.records[kernel].given) {
    cl_mem buffer = nullptr;
    if (it.value.size() == sizeof buffer)
      memcpy(&buffer, it.value.data(), sizeof buffer);
    if (name_of(buffer, "").rfind("buffer", 0) == 0)
      buffers[index] = buffer;
  }
  return buffers;
}

// ---- Programs, arguments, contents --------------------------------------------------------------

static cl_program create_program(cl_context context, const cl_uint count, const char **texts,
                                 const size_t *lengths, cl_int *status) {
  cl_program program = below.clCreateProgramWithSource(context, count, texts, lengths, status);
  const std::string whole = source_of(program);
  if (is_set("sources"))
    write_file(setting("sources") + "/" + std::to_string(++the.num_sources), whole.data(),
               whole.size());
  return program;
}

// `floats`: "6=1.5 7=0", what the 4 bytes of these arguments are.
static cl_int set_argument(cl_kernel kernel, const cl_uint index, const size_t size,
                           const void *value) {
  for (const std::string &word : words_of(setting("floats")))
    if (word.rfind(std::to_string(index) + "=", 0) == 0 && size == sizeof(float)) {
      const float other = strtof(word.c_str() + word.find('=') + 1, nullptr);
      return below.clSetKernelArg(kernel, index, size, &other);
    }
  return below.clSetKernelArg(kernel, index, size, value);
}

// A buffer of floats that begins with NaN, which nobody has written, holds 0 in its place.
static void begin_with_0(cl_command_queue queue, cl_mem buffer) {
  std::vector<char> data(size_of(buffer));
  float first = 0.0F;
  if (data.size() < sizeof first || !read_now(queue, buffer, data))
    return;
  memcpy(&first, data.data(), sizeof first);
  if (std::isnan(first))
    write_now(queue, buffer, std::vector<char>(data.size()));
}

static std::string file_of(const char *key, const cl_uint index) {
  return setting(key) + "/" + std::to_string(the.num_launches) + "." + std::to_string(index);
}

// The contents of the files of `before` are in the buffers of a launch as it begins.
static void put_before(cl_command_queue queue, cl_kernel kernel) {
  for (const auto &[index, buffer] : buffers_of(kernel)) {
    std::vector<char> other = read_file(file_of("before", index));
    other.resize(std::min(other.size(), size_of(buffer)));
    if (!other.empty())
      write_now(queue, buffer, other);
  }
}

// What is in them after it goes to files, of the first eight launches, up to a megabyte each.
static void keep_after(cl_command_queue queue, cl_kernel kernel) {
  for (const auto &[index, buffer] : buffers_of(kernel)) {
    std::vector<char> data(size_of(buffer));
    if (the.num_launches <= 8 && data.size() <= size_t{1} << 20 && read_now(queue, buffer, data))
      write_file(file_of("after", index), data.data(), data.size());
  }
}

// ---- Launches -----------------------------------------------------------------------------------

static cl_int launch(cl_command_queue queue, cl_kernel kernel, const cl_uint dims,
                     const size_t *offset, const size_t *global_size, const size_t *local_size,
                     const cl_uint count, const cl_event *list, cl_event *event) {
  const auto few = static_cast<size_t>(number("items")); // in all, and in a group
  if (few > 0 && dims == 1) {
    global_size = local_size = &few;
    for (const auto &[index, buffer] : buffers_of(kernel))
      begin_with_0(queue, buffer);
  }
  ++the.num_launches;
  if (is_set("before"))
    put_before(queue, kernel);

  // `drop`: the launch works on copies of the buffers: nothing of what it computes arrives.
  const std::map<cl_uint, cl_mem> buffers = buffers_of(kernel);
  std::map<cl_uint, cl_mem> copies;
  if (is_set("drop")) {
    const auto context = asked<cl_context>(real.clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT);
    for (const auto &[index, buffer] : buffers) {
      const size_t bytes = size_of(buffer);
      cl_int status;
      copies[index] = real.clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
      real.clEnqueueCopyBuffer(queue, buffer, copies[index], 0, 0, bytes, 0, nullptr, nullptr);
      below.clSetKernelArg(kernel, index, sizeof(cl_mem), &copies[index]);
    }
  }
  const cl_int status = below.clEnqueueNDRangeKernel(queue, kernel, dims, offset, global_size,
                                                     local_size, count, list, event);
  for (const auto &[index, copy] : copies) {
    below.clSetKernelArg(kernel, index, sizeof(cl_mem), &buffers.at(index));
    real.clReleaseMemObject(copy);
  }
  if (is_set("after") && status == CL_SUCCESS)
    keep_after(queue, kernel);
  return status;
}

void start_kernels() {
  below = table;
  table.clCreateProgramWithSource = create_program;
  table.clSetKernelArg = set_argument;
  table.clEnqueueNDRangeKernel = launch;
}
