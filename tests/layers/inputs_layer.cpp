// An OpenCL layer that runs a program on inputs that it never chose, and is as late as it may be.
//
// Every input that a program hands to the device is kept in a file, and so is every result that it
// gets back, so that a check can compare the two by a reference of its own. Environment variables:
//
//   INPUTS_FOLDER   where the files go, and the account of them, see below
//   INPUTS_REPLACE  if 1, each input is replaced by reals: from -1 to 1 the first, from -400 to 400
//                   the second, and so on in turns
//   INPUTS_ENDS     "1 nan 2 inf": then the first and the last float of each first input of two is
//   NaN,
//                   and those of each second one infinity
//   INPUTS_ADD      "3 0.5": to the first float of the third result, 0.5 is added
//
// An input is what is copied into a buffer, unless it begins with NaN, as poisoned outputs do, or
// has only zeros. As late, and as little, as the standard allows: what is mapped is a copy, without
// contents where the program said that it would write all of it, and thrown away where it said
// that it would only read; a result arrives, and a command has times, when the program has waited
// for it, and not before. A buffer that is made without contents has NaN.
//
// INPUTS_FOLDER/account has a line each, in order:
//   in 3 0x55d0        input 3, now in this buffer
//   gone 0x55d0        the buffer was released
//   build 2 -D TILE=16   source 2 was built, with these options; it is kept as well
//   run 0x55e8 matmul 1024 64 2 128 ...   in this queue a kernel, its work-items, those of a
//                      group, and the first eight bytes of each of its arguments; or the function
//                      that copies buffers
//   out 0x55e8 1       result 1, of what was run before in this queue
#define CL_TARGET_OPENCL_VERSION 120
#include "layer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct moment { // a command: the how manieth of which queue
  cl_command_queue queue;
  long number;
};
struct delivery { // a result that the program has not waited for
  moment due;
  void *to;
  std::vector<char> bytes;
};
struct region { // mapped: what the program has of it is a copy
  void *real;
  size_t bytes;
  cl_map_flags flags;
};

// All that the layer knows. Never destroyed: a program may still call OpenCL while it ends.
struct state {
  FILE *account = nullptr;
  std::string folder;
  bool replaces = false;
  long inputs = 0, results = 0, num_sources = 0; // so far
  float ends[2] = {0.0F, 0.0F};                  // of an input, in turns
  bool has_ends[2] = {false, false};
  long add_to = 0; // the result, and what to add
  float to_add = 0.0F;
  std::map<cl_command_queue, long> enqueued, settled; // commands; those that were waited for
  std::map<cl_event, moment> moments;
  std::vector<delivery> deliveries;
  std::map<void *, region> regions;
  std::map<cl_program, long> sources;
  std::map<cl_kernel, std::map<cl_uint, uint64_t>> arguments;
};
static state &the = *new state; // NOLINT(cert-err58-cpp): without memory nothing can be tested
static const cl_icd_dispatch *real = nullptr;
static cl_icd_dispatch table;

[[noreturn]] static void give_up(const char *what) {
  fprintf(stderr, "inputs_layer: %s\n", what);
  _Exit(99);
}

static void keep(const char *kind, const long number, const void *data, const size_t bytes) {
  const std::string path = the.folder + "/" + kind + std::to_string(number);
  FILE *file = fopen(path.c_str(), "wb");
  if (file == nullptr || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0)
    give_up("a file cannot be written");
}

// Is this an input? Then it is replaced, if that was asked for, and kept.
static bool take_input(void *data, const size_t bytes) {
  float first = NAN;
  if (bytes >= sizeof first)
    memcpy(&first, data, sizeof first);
  bool zeros = true;
  for (size_t i = 0; i < bytes; i++)
    zeros = zeros && static_cast<const char *>(data)[i] == 0;
  if (zeros || std::isnan(first))
    return false;
  const double scale = the.inputs % 2 == 0 ? 1.0 : 400.0;
  for (size_t i = 0; the.replaces && i < bytes / sizeof(float);
       i++) { // SplitMix64, as in compare.h
    uint64_t x = (i + 1) * 0x9E3779B97F4A7C15U + static_cast<uint64_t>(the.inputs + 91);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    const double from_0_to_1 = static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
    const float value = static_cast<float>(scale * (2.0 * from_0_to_1 - 1.0));
    memcpy(static_cast<char *>(data) + i * sizeof value, &value, sizeof value);
  }
  if (the.replaces && the.has_ends[the.inputs % 2] && bytes >= sizeof(float))
    for (char *place :
         {static_cast<char *>(data), static_cast<char *>(data) + bytes - sizeof(float)})
      memcpy(place, &the.ends[the.inputs % 2], sizeof(float));
  keep("in", ++the.inputs, data, bytes);
  return true;
}

static void note_input(cl_mem buffer) {
  fprintf(the.account, "in %ld %p\n", the.inputs, static_cast<void *>(buffer));
}

static void take_result(cl_command_queue queue, void *data, const size_t bytes) {
  keep("out", ++the.results, data, bytes);
  fprintf(the.account, "out %p %ld\n", static_cast<void *>(queue), the.results);
  if (the.results == the.add_to) {
    float first;
    memcpy(&first, data, sizeof first);
    first += the.to_add;
    memcpy(data, &first, sizeof first);
  }
}

// Notes that a command is in its queue.
static moment enqueue(cl_command_queue queue, const cl_event *event) {
  const moment now = {queue, ++the.enqueued[queue]};
  if (event != nullptr)
    the.moments[*event] = now;
  return now;
}

// The program has waited for this command, and so for all before it in its queue.
static void settle(const moment &until) {
  long &done = the.settled[until.queue];
  done = std::max(done, until.number);
  std::vector<delivery> later;
  for (delivery &each : the.deliveries)
    if (each.due.queue == until.queue && each.due.number <= done)
      memcpy(each.to, each.bytes.data(), each.bytes.size());
    else
      later.push_back(each);
  the.deliveries = later;
}

static cl_mem CL_API_CALL create_buffer(cl_context context, const cl_mem_flags flags,
                                        const size_t bytes, void *host, cl_int *status) {
  if ((flags & CL_MEM_USE_HOST_PTR) != 0)
    return real->clCreateBuffer(context, flags, bytes, host, status);
  if ((flags & CL_MEM_COPY_HOST_PTR) == 0) {
    std::vector<char> nans(bytes, '\xFF');
    return real->clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, bytes, nans.data(), status);
  }
  std::vector<char> data(static_cast<char *>(host), static_cast<char *>(host) + bytes);
  const bool is_input = take_input(data.data(), bytes);
  cl_mem buffer = real->clCreateBuffer(context, flags, bytes, data.data(), status);
  if (is_input)
    note_input(buffer);
  return buffer;
}
static cl_int CL_API_CALL release_buffer(cl_mem buffer) {
  fprintf(the.account, "gone %p\n", static_cast<void *>(buffer));
  return real->clReleaseMemObject(buffer);
}
static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, const cl_bool,
                                       const size_t offset, const size_t bytes, const void *from,
                                       const cl_uint count, const cl_event *list, cl_event *event) {
  std::vector<char> data(static_cast<const char *>(from), static_cast<const char *>(from) + bytes);
  if (take_input(data.data(), bytes))
    note_input(buffer);
  const cl_int status = real->clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset, bytes,
                                                   data.data(), count, list, event);
  enqueue(queue, event);
  return status;
}
static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                                      const size_t offset, const size_t bytes, void *to,
                                      const cl_uint count, const cl_event *list, cl_event *event) {
  std::vector<char> data(bytes);
  const cl_int status = real->clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, bytes,
                                                  data.data(), count, list, event);
  if (status != CL_SUCCESS)
    return status;
  take_result(queue, data.data(), bytes);
  memset(to, 0xFF, bytes);
  const moment now = enqueue(queue, event);
  the.deliveries.push_back({now, to, data});
  if (blocking == CL_TRUE)
    settle(now);
  return status;
}
static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                                    const cl_map_flags flags, const size_t offset,
                                    const size_t bytes, const cl_uint count, const cl_event *list,
                                    cl_event *event, cl_int *status) {
  void *place = real->clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, offset,
                                         bytes, count, list, event, status);
  if (place == nullptr)
    return nullptr;
  void *copy = malloc(bytes);
  if (copy == nullptr)
    give_up("no memory for what is mapped");
  memset(copy, 0xFF, bytes);
  the.regions[copy] = {place, bytes, flags};
  const moment now = enqueue(queue, event);
  if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0) {
    std::vector<char> data(static_cast<char *>(place), static_cast<char *>(place) + bytes);
    if ((flags & CL_MAP_READ) != 0)
      take_result(queue, data.data(), bytes);
    the.deliveries.push_back({now, copy, data});
  }
  if (blocking == CL_TRUE)
    settle(now);
  return copy;
}
static cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem buffer, void *pointer,
                                const cl_uint count, const cl_event *list, cl_event *event) {
  const auto found = the.regions.find(pointer);
  if (found == the.regions.end())
    return CL_INVALID_VALUE;
  const region mapped = found->second;
  if ((mapped.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0) {
    if (take_input(pointer, mapped.bytes))
      note_input(buffer);
    memcpy(mapped.real, pointer, mapped.bytes);
  }
  settle({queue, the.enqueued[queue]});
  free(pointer);
  the.regions.erase(found);
  const cl_int status =
      real->clEnqueueUnmapMemObject(queue, buffer, mapped.real, count, list, event);
  enqueue(queue, event);
  return status;
}
static cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                      const size_t size, const size_t offset, const size_t bytes,
                                      const cl_uint count, const cl_event *list, cl_event *event) {
  const cl_int status =
      real->clEnqueueFillBuffer(queue, buffer, pattern, size, offset, bytes, count, list, event);
  enqueue(queue, event);
  return status;
}
static cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                      const size_t from_offset, const size_t to_offset,
                                      const size_t bytes, const cl_uint count, const cl_event *list,
                                      cl_event *event) {
  fprintf(the.account, "run %p clEnqueueCopyBuffer 0 0\n", static_cast<void *>(queue));
  const cl_int status =
      real->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, count, list, event);
  enqueue(queue, event);
  return status;
}
static cl_program CL_API_CALL create_program(cl_context context, const cl_uint count,
                                             const char **texts, const size_t *lengths,
                                             cl_int *status) {
  std::string whole;
  for (cl_uint i = 0; i < count; i++)
    whole += lengths == nullptr || lengths[i] == 0 ? std::string(texts[i])
                                                   : std::string(texts[i], lengths[i]);
  keep("source", ++the.num_sources, whole.data(), whole.size());
  cl_program program = real->clCreateProgramWithSource(context, count, texts, lengths, status);
  the.sources[program] = the.num_sources;
  return program;
}
static cl_int CL_API_CALL build(cl_program program, const cl_uint count, const cl_device_id *list,
                                const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                void *data) {
  fprintf(the.account, "build %ld %s\n", the.sources[program], options == nullptr ? "" : options);
  return real->clBuildProgram(program, count, list, options, notify, data);
}
static cl_int CL_API_CALL set_argument(cl_kernel kernel, const cl_uint index, const size_t size,
                                       const void *value) {
  uint64_t number = 0;
  if (value != nullptr)
    memcpy(&number, value, std::min(size, sizeof number));
  the.arguments[kernel][index] = number;
  return real->clSetKernelArg(kernel, index, size, value);
}
static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, const cl_uint dims,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 const cl_uint count, const cl_event *list, cl_event *event) {
  char name[256] = "?";
  real->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  size_t items = 1, in_group = 1;
  for (cl_uint i = 0; i < dims; i++) {
    items *= global[i];
    in_group *= local == nullptr ? 1 : local[i];
  }
  fprintf(the.account, "run %p %s %zu %zu", static_cast<void *>(queue), name, items, in_group);
  for (const auto &[index, value] : the.arguments[kernel])
    fprintf(the.account, " %llu", static_cast<unsigned long long>(value));
  fprintf(the.account, "\n");
  const cl_int status =
      real->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, count, list, event);
  enqueue(queue, event);
  return status;
}
static cl_int CL_API_CALL finish(cl_command_queue queue) {
  const cl_int status = real->clFinish(queue);
  settle({queue, the.enqueued[queue]});
  return status;
}
static cl_int CL_API_CALL wait_for(const cl_uint count, const cl_event *list) {
  const cl_int status = real->clWaitForEvents(count, list);
  for (cl_uint i = 0; i < count && status == CL_SUCCESS; i++)
    settle(the.moments.at(list[i]));
  return status;
}
static cl_int CL_API_CALL times_of(cl_event event, const cl_profiling_info what, const size_t size,
                                   void *value, size_t *size_ret) {
  const moment of = the.moments.at(event);
  if (of.number > the.settled[of.queue])
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  return real->clGetEventProfilingInfo(event, what, size, value, size_ret);
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(const cl_layer_info what,
                                                          const size_t room, void *to,
                                                          size_t *size_ret) {
  return layer_info("inputs_layer", what, room, to, size_ret);
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clInitLayer(const cl_uint entries,
                                                       const cl_icd_dispatch *target,
                                                       cl_uint *entries_ret,
                                                       const cl_icd_dispatch **table_ret) {
  const char *const where = getenv("INPUTS_FOLDER");
  if (where == nullptr || !begin_layer(entries, target, entries_ret, table_ret, table))
    return CL_INVALID_VALUE;
  the.folder = where;
  the.account = fopen((the.folder + "/account").c_str(), "w");
  if (the.account == nullptr)
    give_up("INPUTS_FOLDER is no folder that can be written to");
  const char *const replace = getenv("INPUTS_REPLACE");
  the.replaces = replace != nullptr && strcmp(replace, "1") == 0;
  const char *const ends = getenv("INPUTS_ENDS");
  std::istringstream words(ends == nullptr ? "" : ends);
  std::string value;
  for (size_t input; words >> input >> value;) {
    the.has_ends[(input - 1) % 2] = true;
    the.ends[(input - 1) % 2] = strtof(value.c_str(), nullptr);
  }
  const char *const add = getenv("INPUTS_ADD");
  if (add != nullptr &&
      sscanf(add, "%ld %f", &the.add_to, &the.to_add) != 2) // NOLINT(cert-err34-c)
    give_up("INPUTS_ADD is not a number of a result and what to add");
  real = target;
  table.clCreateBuffer = create_buffer;
  table.clReleaseMemObject = release_buffer;
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueReadBuffer = read_buffer;
  table.clEnqueueMapBuffer = map_buffer;
  table.clEnqueueUnmapMemObject = unmap;
  table.clEnqueueFillBuffer = fill_buffer;
  table.clEnqueueCopyBuffer = copy_buffer;
  table.clCreateProgramWithSource = create_program;
  table.clBuildProgram = build;
  table.clSetKernelArg = set_argument;
  table.clEnqueueNDRangeKernel = launch;
  table.clFinish = finish;
  table.clWaitForEvents = wait_for;
  table.clGetEventProfilingInfo = times_of;
  return CL_SUCCESS;
}
