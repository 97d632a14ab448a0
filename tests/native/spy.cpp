// A library that is loaded before libOpenCL and writes down the calls of a program, for the checks
// of the answers to exercises: which buffers there were, what was released, what the device's clock
// said.
//
//   LD_PRELOAD=spy.so SPY_LOG=calls.txt program
//
// One line a call, in order: its name without "cl", then what the checks ask for. It changes
// nothing: each call goes on to the real one. Linux only.
#include "../../common/opencl.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

template <typename F> static F real(F, const char *name) {
  void *const address = dlsym(RTLD_NEXT, name);
  if (address == nullptr) {
    fprintf(stderr, "spy: no %s to call\n", name);
    abort();
  }
  return reinterpret_cast<F>(address);
}
#define REAL(f) real(&(f), #f)

static FILE *log_file() {
  static FILE *const file = [] {
    const char *path = getenv("SPY_LOG");
    return path == nullptr ? nullptr : fopen(path, "a"); // also of what the program starts
  }();
  return file;
}
// The file is there from the start: without it, nobody has watched.
[[gnu::constructor]] static void begin() {
  log_file();
}
template <typename... T> static void note(const char *format, const T... values) {
  if (log_file() == nullptr)
    return;
  fprintf(log_file(), format, values...);
  fflush(log_file());
}

// An event that the program asked for has to be released like everything else, and its times are
// there only once its command has ended.
static void note_event(const cl_int status, const cl_event *event) {
  if (status == CL_SUCCESS && event != nullptr)
    note("create event %p\n", static_cast<void *>(*event));
}

extern "C" {
cl_context clCreateContext(const cl_context_properties *properties, cl_uint n,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *data, cl_int *status) {
  note("create context%s\n", "");
  return REAL(clCreateContext)(properties, n, devices, notify, data, status);
}
cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *status) {
  note("create queue%s\n", "");
  return REAL(clCreateCommandQueue)(context, device, properties, status);
}
cl_program clCreateProgramWithSource(cl_context context, cl_uint n, const char **texts,
                                     const size_t *lengths, cl_int *status) {
  note("create program%s\n", "");
  return REAL(clCreateProgramWithSource)(context, n, texts, lengths, status);
}
cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *status) {
  note("create kernel %s\n", name);
  return REAL(clCreateKernel)(program, name, status);
}
cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *status) {
  note("create buffer %zu\n", size);
  return REAL(clCreateBuffer)(context, flags, size, host, status);
}

cl_int clReleaseContext(cl_context object) {
  note("release context%s\n", "");
  return REAL(clReleaseContext)(object);
}
cl_int clReleaseCommandQueue(cl_command_queue object) {
  note("release queue%s\n", "");
  return REAL(clReleaseCommandQueue)(object);
}
cl_int clReleaseProgram(cl_program object) {
  note("release program%s\n", "");
  return REAL(clReleaseProgram)(object);
}
cl_int clReleaseKernel(cl_kernel object) {
  note("release kernel%s\n", "");
  return REAL(clReleaseKernel)(object);
}
cl_int clReleaseMemObject(cl_mem object) {
  note("release buffer%s\n", "");
  return REAL(clReleaseMemObject)(object);
}
cl_int clReleaseEvent(cl_event object) {
  note("release event%s\n", "");
  return REAL(clReleaseEvent)(object);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  note("SetKernelArg %u %zu\n", index, size);
  return REAL(clSetKernelArg)(kernel, index, size, value);
}
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n, const cl_event *list, cl_event *event) {
  note("EnqueueNDRangeKernel %zu %zu\n", global[0], local == nullptr ? size_t{0} : local[0]);
  const cl_int status = REAL(clEnqueueNDRangeKernel)(queue, kernel, dimensions, offset, global,
                                                     local, n, list, event);
  note_event(status, event);
  return status;
}
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void *to, cl_uint n, const cl_event *list,
                           cl_event *event) {
  note("EnqueueReadBuffer %u %zu %zu\n", blocking, offset, size);
  const cl_int status =
      REAL(clEnqueueReadBuffer)(queue, buffer, blocking, offset, size, to, n, list, event);
  note_event(status, event);
  return status;
}
cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t size, const void *from, cl_uint n, const cl_event *list,
                            cl_event *event) {
  note("EnqueueWriteBuffer %u %zu %zu\n", blocking, offset, size);
  const cl_int status =
      REAL(clEnqueueWriteBuffer)(queue, buffer, blocking, offset, size, from, n, list, event);
  note_event(status, event);
  return status;
}
void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                         cl_map_flags flags, size_t offset, size_t size, cl_uint n,
                         const cl_event *list, cl_event *event, cl_int *status) {
  note("EnqueueMapBuffer %u %llu %zu\n", blocking, static_cast<unsigned long long>(flags), size);
  return REAL(clEnqueueMapBuffer)(queue, buffer, blocking, flags, offset, size, n, list, event,
                                  status);
}
cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *pointer, cl_uint n,
                               const cl_event *list, cl_event *event) {
  note("EnqueueUnmapMemObject%s\n", "");
  const cl_int status = REAL(clEnqueueUnmapMemObject)(queue, buffer, pointer, n, list, event);
  note_event(status, event);
  return status;
}
cl_int clFinish(cl_command_queue queue) {
  note("Finish%s\n", "");
  return REAL(clFinish)(queue);
}
cl_int clWaitForEvents(cl_uint n, const cl_event *list) {
  std::string events;
  for (cl_uint i = 0; i < n; i++) {
    char text[32];
    snprintf(text, sizeof text, " %p", static_cast<void *>(list[i]));
    events += text;
  }
  note("WaitForEvents %u%s\n", n, events.c_str());
  return REAL(clWaitForEvents)(n, list);
}
cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info moment, size_t size, void *value,
                               size_t *size_ret) {
  note("ask event %p\n", static_cast<void *>(event));
  const cl_int status = REAL(clGetEventProfilingInfo)(event, moment, size, value, size_ret);
  cl_command_type type = 0;
  clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
  if (status == CL_SUCCESS && value != nullptr && size == sizeof(cl_ulong))
    note("profile %x %s %llu\n", type,
         moment == CL_PROFILING_COMMAND_QUEUED   ? "queued"
         : moment == CL_PROFILING_COMMAND_SUBMIT ? "submit"
         : moment == CL_PROFILING_COMMAND_START  ? "start"
                                                 : "end",
         static_cast<unsigned long long>(*static_cast<const cl_ulong *>(value)));
  return status;
}
}
