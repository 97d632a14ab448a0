// An OpenCL layer that writes down what a program asks of its queues, and when each command ran.
//
// site/recordings/make.py builds it, has the ICD loader put it between the program and the
// implementation (OPENCL_LAYERS), and makes a recording of what it writes into the file that the
// environment variable RECORDER_OUT names. A line for each call, in JSON; queues, buffers and
// commands are numbered as they come. "to" and "from" of a copy or a read are bytes, hex:
//
//   {"call":"queue","device":"NAME, driver VERSION"}
//   {"call":"fill","id":0,"queue":1,"waits":[],"buffer":3,"data":"0000c07f"}
//   {"call":"write","id":1,"queue":0,"waits":[],"buffer":0,"data":"..."}
//   {"call":"launch","id":2,"queue":1,"waits":[1],"arguments":["buffer 0","buffer 3","04..."]}
//   {"call":"read","id":3,"queue":2,"waits":[2],"buffer":3}
//   {"call":"flush","queue":0}, and "finish"
//   {"call":"wait","ids":[3],"data":["..."]}      of each of them that is a read: what came
//   {"call":"times","id":1,"ns":[queued,submitted,started,ended]}      at the end
#define CL_TARGET_OPENCL_VERSION 120
#include "../../tests/layers/layer.h"

#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct command {
  cl_event event;
  const void *to; // of a read: where it puts so many bytes
  size_t bytes;
};

// Never destroyed: a program may still call OpenCL while it ends.
struct state {
  std::vector<command> commands;
  std::map<cl_event, size_t> numbers; // the newest command with this event
  std::map<cl_command_queue, size_t> queues;
  std::map<cl_mem, size_t> buffers;
  std::map<cl_kernel, std::map<cl_uint, std::string>> arguments;
  FILE *out = nullptr;
};
state &the = *new state; // NOLINT(cert-err58-cpp): without memory nothing can be recorded
const cl_icd_dispatch *real = nullptr;
cl_icd_dispatch table;

[[noreturn]] void give_up(const char *what) {
  fprintf(stderr, "events: %s\n", what);
  _Exit(1);
}

std::string hex(const void *data, const size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; i++) {
    char two[3];
    snprintf(two, sizeof two, "%02x", static_cast<const unsigned char *>(data)[i]);
    text += two;
  }
  return text;
}

// Enqueues by `call`, which is given the place of the command's event, and writes it down. `more`:
// the rest of the line.
template <typename F>
cl_int enqueue(const char *kind, cl_command_queue queue, const cl_uint count, const cl_event *list,
               cl_event *event, const std::string &more, const command &about, const F &call) {
  cl_event its = nullptr;
  const cl_int status = call(&its);
  if (status != CL_SUCCESS)
    return status;
  std::ostringstream waits;
  for (cl_uint i = 0; i < count; i++)
    waits << (i > 0 ? "," : "") << the.numbers.at(list[i]);
  const size_t id = the.commands.size();
  fprintf(the.out, "{\"call\":\"%s\",\"id\":%zu,\"queue\":%zu,\"waits\":[%s]%s}\n", kind, id,
          the.queues.at(queue), waits.str().c_str(), more.c_str());
  the.commands.push_back({its, about.to, about.bytes});
  the.numbers[its] = id;
  if (event != nullptr) { // one reference is the program's, one stays here
    *event = its;
    return real->clRetainEvent(its);
  }
  return CL_SUCCESS;
}

std::string named(const char *key, cl_mem buffer) {
  return std::string(",\"") + key + "\":" + std::to_string(the.buffers.at(buffer));
}

cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                                const size_t offset, const size_t bytes, const void *from,
                                const cl_uint count, const cl_event *list, cl_event *event) {
  const std::string data = named("buffer", buffer) + ",\"data\":\"" + hex(from, bytes) + "\"";
  return enqueue("write", queue, count, list, event, data, {}, [=](cl_event *its) {
    return real->clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, from, count, list,
                                      its);
  });
}
cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                               const size_t offset, const size_t bytes, void *to,
                               const cl_uint count, const cl_event *list, cl_event *event) {
  const command about = {nullptr, to, bytes};
  return enqueue("read", queue, count, list, event, named("buffer", buffer), about,
                 [=](cl_event *its) {
                   return real->clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, to,
                                                    count, list, its);
                 });
}
cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                               const size_t size, const size_t offset, const size_t bytes,
                               const cl_uint count, const cl_event *list, cl_event *event) {
  const std::string data = named("buffer", buffer) + ",\"data\":\"" + hex(pattern, size) + "\"";
  return enqueue("fill", queue, count, list, event, data, {}, [=](cl_event *its) {
    return real->clEnqueueFillBuffer(queue, buffer, pattern, size, offset, bytes, count, list, its);
  });
}
cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, const cl_uint dims,
                          const size_t *offset, const size_t *global, const size_t *local,
                          const cl_uint count, const cl_event *list, cl_event *event) {
  std::string arguments;
  for (const auto &[index, value] : the.arguments[kernel])
    arguments += (index > 0 ? ",\"" : "\"") + value + "\"";
  return enqueue("launch", queue, count, list, event, ",\"arguments\":[" + arguments + "]", {},
                 [=](cl_event *its) {
                   return real->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local,
                                                       count, list, its);
                 });
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, const cl_uint index, const size_t size,
                                const void *value) {
  const cl_int status = real->clSetKernelArg(kernel, index, size, value);
  std::string &text = the.arguments[kernel][index];
  text = value == nullptr ? "local" : hex(value, size);
  if (value != nullptr && size == sizeof(cl_mem)) {
    const auto place = the.buffers.find(*static_cast<const cl_mem *>(value));
    if (place != the.buffers.end())
      text = "buffer " + std::to_string(place->second);
  }
  return status;
}
cl_mem CL_API_CALL create_buffer(cl_context context, const cl_mem_flags flags, const size_t bytes,
                                 void *from, cl_int *status) {
  cl_mem buffer = real->clCreateBuffer(context, flags, bytes, from, status);
  the.buffers[buffer] = the.buffers.size();
  return buffer;
}
cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          const cl_command_queue_properties properties,
                                          cl_int *status) {
  cl_command_queue queue = real->clCreateCommandQueue(context, device, properties, status);
  the.queues[queue] = the.queues.size();
  char platform[256] = "", driver[256] = "";
  cl_platform_id its;
  real->clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof its, &its, nullptr);
  real->clGetPlatformInfo(its, CL_PLATFORM_NAME, sizeof platform, platform, nullptr);
  real->clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, nullptr);
  fprintf(the.out, "{\"call\":\"queue\",\"device\":\"%s, driver %s\"}\n", platform, driver);
  return queue;
}
cl_int CL_API_CALL flush(cl_command_queue queue) {
  fprintf(the.out, "{\"call\":\"flush\",\"queue\":%zu}\n", the.queues.at(queue));
  return real->clFlush(queue);
}
cl_int CL_API_CALL finish(cl_command_queue queue) {
  fprintf(the.out, "{\"call\":\"finish\",\"queue\":%zu}\n", the.queues.at(queue));
  return real->clFinish(queue);
}
cl_int CL_API_CALL wait_for(const cl_uint count, const cl_event *list) {
  const cl_int status = real->clWaitForEvents(count, list);
  std::string ids, data;
  for (cl_uint i = 0; i < count && status == CL_SUCCESS; i++) {
    const size_t id = the.numbers.at(list[i]);
    const command &it = the.commands[id];
    ids += (i > 0 ? "," : "") + std::to_string(id);
    data += (i > 0 ? ",\"" : "\"") + hex(it.to, it.bytes) + "\"";
  }
  fprintf(the.out, "{\"call\":\"wait\",\"ids\":[%s],\"data\":[%s]}\n", ids.c_str(), data.c_str());
  return status;
}

// The program has waited for all that it wants to know of; its events go with its queues.
cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  for (size_t id = 0; id < the.commands.size(); id++) {
    cl_event &event = the.commands[id].event;
    if (event == nullptr)
      continue;
    real->clWaitForEvents(1, &event);
    cl_ulong ns[4];
    const cl_profiling_info what[4] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    for (size_t i = 0; i < 4; i++)
      if (real->clGetEventProfilingInfo(event, what[i], sizeof ns[i], &ns[i], nullptr) !=
          CL_SUCCESS)
        give_up("this device reports no times");
    fprintf(the.out, "{\"call\":\"times\",\"id\":%zu,\"ns\":[%llu,%llu,%llu,%llu]}\n", id,
            static_cast<unsigned long long>(ns[0]), static_cast<unsigned long long>(ns[1]),
            static_cast<unsigned long long>(ns[2]), static_cast<unsigned long long>(ns[3]));
    real->clReleaseEvent(event);
    event = nullptr;
  }
  fflush(the.out);
  return real->clReleaseCommandQueue(queue);
}

} // namespace

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(const cl_layer_info what,
                                                          const size_t room, void *to,
                                                          size_t *size_ret) {
  return layer_info("events", what, room, to, size_ret);
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clInitLayer(const cl_uint num_entries,
                                                       const cl_icd_dispatch *target_dispatch,
                                                       cl_uint *num_entries_ret,
                                                       const cl_icd_dispatch **layer_dispatch_ret) {
  if (!begin_layer(num_entries, target_dispatch, num_entries_ret, layer_dispatch_ret, table))
    return CL_INVALID_VALUE;
  real = target_dispatch;
  the.out = fopen(text_from("RECORDER_OUT").c_str(), "w");
  if (the.out == nullptr)
    give_up("RECORDER_OUT names no file that can be written");
  table.clCreateBuffer = create_buffer;
  table.clCreateCommandQueue = create_queue;
  table.clReleaseCommandQueue = release_queue;
  table.clSetKernelArg = set_argument;
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueReadBuffer = read_buffer;
  table.clEnqueueFillBuffer = fill_buffer;
  table.clEnqueueNDRangeKernel = launch;
  table.clFlush = flush;
  table.clFinish = finish;
  table.clWaitForEvents = wait_for;
  return CL_SUCCESS;
}
