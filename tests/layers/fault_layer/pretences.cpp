// Wrong answers, the same ones in a whole run:
//
//   LAYER_DROP      the number of a series of commands (see series_of), the first one being 1:
//                   each of them reports success and does nothing; none if unset or 0. Kernels and
//                   clEnqueueCopyBuffer only
//   LAYER_UNREAD    1: what is read from a buffer is not: such a command brings nothing
//   LAYER_STALE     a folder: the contents of each buffer are kept there when it is released, and a
//                   later run's buffer that begins without contents begins with these, as on a
//                   device that gives out memory as the last program left it
//   LAYER_MEMORY    bytes: what the device says of its memory, and of the largest buffer; unset or
//                   0: what it has
#include "layer.h"

#include <fstream>
#include <iterator>
#include <map>

struct pretence_state {
  long drop = 0;                  // the series
  std::string stale_folder;       // empty: none
  std::map<cl_mem, long> buffers; // their numbers
  long buffers_created = 0;
  cl_ulong memory = 0; // bytes
  bool shared = false; // is it the host's as well?
};
static pretence_state &pretences = *new pretence_state; // NOLINT(cert-err58-cpp): see layer.cpp

static cl_int CL_API_CALL launch_or_drop(cl_command_queue queue, cl_kernel kernel,
                                         const cl_uint dims, const size_t *offset,
                                         const size_t *global_size, const size_t *local_size,
                                         const cl_uint count, const cl_event *list,
                                         cl_event *event) {
  if (series_of(kernel_name(kernel)) == pretences.drop)
    return the.real->clEnqueueMarkerWithWaitList(queue, count, list, event);
  return the.real->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global_size, local_size,
                                          count, list, event);
}

static cl_int CL_API_CALL copy_or_drop(cl_command_queue queue, cl_mem from, cl_mem to,
                                       const size_t from_offset, const size_t to_offset,
                                       const size_t bytes, const cl_uint count,
                                       const cl_event *list, cl_event *event) {
  if (series_of("clEnqueueCopyBuffer") == pretences.drop)
    return the.real->clEnqueueMarkerWithWaitList(queue, count, list, event);
  return the.real->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, count, list,
                                       event);
}

static cl_int CL_API_CALL read_nothing(cl_command_queue queue, cl_mem, const cl_bool blocking,
                                       const size_t, const size_t, void *, const cl_uint count,
                                       const cl_event *list, cl_event *event) {
  const cl_int status = the.real->clEnqueueMarkerWithWaitList(queue, count, list, event);
  return status == CL_SUCCESS && blocking == CL_TRUE ? the.real->clFinish(queue) : status;
}

// A queue of the layer's own, to look at a buffer or to change it; gone with the transfer.
template <typename F> static void with_queue(cl_mem buffer, const F &transfer) {
  cl_context context;
  cl_device_id device;
  cl_int status =
      the.real->clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, nullptr);
  if (status == CL_SUCCESS)
    status =
        the.real->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr);
  cl_command_queue queue = nullptr;
  if (status == CL_SUCCESS)
    queue = the.real->clCreateCommandQueue(context, device, 0, &status);
  if (status == CL_SUCCESS)
    status = transfer(queue);
  if (status == CL_SUCCESS)
    status = the.real->clReleaseCommandQueue(queue);
  if (status != CL_SUCCESS) {
    give_up("a buffer's contents cannot be read or written");
  }
}

static cl_mem CL_API_CALL create_stale(cl_context context, const cl_mem_flags flags,
                                       const size_t bytes, void *host, cl_int *status) {
  cl_mem buffer = the.real->clCreateBuffer(context, flags, bytes, host, status);
  if (buffer == nullptr)
    return buffer;
  pretences.buffers[buffer] = ++pretences.buffers_created;
  if (host != nullptr)
    return buffer;
  std::ifstream file(pretences.stale_folder + "/" + std::to_string(pretences.buffers_created),
                     std::ios::binary);
  const std::string old((std::istreambuf_iterator<char>(file)), {});
  if (old.size() == bytes)
    with_queue(buffer, [&](cl_command_queue queue) {
      return the.real->clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, old.data(), 0,
                                            nullptr, nullptr);
    });
  return buffer;
}

static cl_int CL_API_CALL keep_and_release(cl_mem buffer) {
  const auto place = pretences.buffers.find(buffer);
  if (place != pretences.buffers.end()) {
    size_t bytes = 0;
    the.real->clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    std::string now(bytes, '\0');
    with_queue(buffer, [&](cl_command_queue queue) {
      return the.real->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, now.data(), 0, nullptr,
                                           nullptr);
    });
    const std::string path = pretences.stale_folder + "/" + std::to_string(place->second);
    if (pretences.drop == 0 && !std::ifstream(path)) // the contents are those of an unharmed run
      std::ofstream(path, std::ios::binary) << now;
    pretences.buffers.erase(place);
  }
  return the.real->clReleaseMemObject(buffer);
}

static cl_int CL_API_CALL other_memory(cl_device_id device, const cl_device_info what,
                                       const size_t size, void *value, size_t *size_ret) {
  const cl_int status = the.real->clGetDeviceInfo(device, what, size, value, size_ret);
  if (status == CL_SUCCESS && value != nullptr &&
      (what == CL_DEVICE_GLOBAL_MEM_SIZE || what == CL_DEVICE_MAX_MEM_ALLOC_SIZE)) {
    memcpy(value, &pretences.memory, sizeof pretences.memory);
    cl_bool shared = CL_FALSE;
    the.real->clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shared, &shared,
                              nullptr);
    pretences.shared = shared == CL_TRUE;
  }
  return status;
}

void pretend(cl_icd_dispatch &table) {
  pretences.drop = number_from("LAYER_DROP");
  pretences.stale_folder = text_from("LAYER_STALE");
  pretences.memory = static_cast<cl_ulong>(number_from("LAYER_MEMORY"));
  if (pretences.drop > 0) {
    table.clEnqueueNDRangeKernel = launch_or_drop;
    table.clEnqueueCopyBuffer = copy_or_drop;
  }
  if (number_from("LAYER_UNREAD") > 0)
    table.clEnqueueReadBuffer = read_nothing;
  if (!pretences.stale_folder.empty()) {
    table.clCreateBuffer = create_stale;
    table.clReleaseMemObject = keep_and_release;
  }
  if (pretences.memory > 0)
    table.clGetDeviceInfo = other_memory;
}

void report_pretences(FILE *file) {
  if (pretences.memory > 0)
    fprintf(file, "shared %d\n", pretences.shared ? 1 : 0);
}
