// An OpenCL layer that makes one API call fail on purpose, or gives wrong answers on purpose, and
// keeps account of all objects.
//
// The ICD loader puts it between a program and the OpenCL implementation when the environment
// variable OPENCL_LAYERS names it (see <CL/cl_layer.h>). It then counts the program's API calls and
// every object that is created, retained and released. What it does besides is up to environment
// variables, which the head of each part lists:
//
//   account.cpp     what the run did, written to a file at its end
//   faults.cpp      calls that fail
//   clock.cpp       times that are known, on the device's clock and on the host's
//   pretences.cpp   commands that do nothing, stale memory, little memory
//   corruption.cpp  one element changed on its way to the device, or back
//   recording.cpp   every call with its arguments, written down
//
// And LAYER_LOCALE: if 1, the environment's locale is put into force, as some implementations do.
//
// A call that fails is not passed on: it has no effect but the code it returns.
#include "layer.h"

#include <clocale>
#include <cstdlib>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

// NOLINTBEGIN(cert-err58-cpp): without memory nothing can be tested
layer_state &the = *new layer_state;
static cl_icd_dispatch &table = *new cl_icd_dispatch;      // what the loader calls
static cl_icd_dispatch &pretending = *new cl_icd_dispatch; // what the hooks call
// NOLINTEND(cert-err58-cpp)

std::string kernel_name(cl_kernel kernel) {
  char name[256] = "?";
  the.real->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  return name;
}

std::string build_options(cl_kernel kernel, cl_command_queue queue) {
  cl_program program;
  cl_device_id device;
  char options[1024] = "";
  if (the.real->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr) ==
          CL_SUCCESS &&
      the.real->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) ==
          CL_SUCCESS)
    the.real->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options,
                                    options, nullptr);
  return options;
}

void give_up(const char *what) {
  fprintf(stderr, "layer: %s\n", what);
  _Exit(99);
}

bool fork_child(const std::string &name, const unsigned seconds, int &status) {
  const pid_t child = fork();
  if (child == 0) {
    const int out = open((name + ".out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = open((name + ".err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out < 0 || err < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
      _Exit(99);
    alarm(seconds);
    the.is_child = true;
    return true;
  }
  if (child < 0 || waitpid(child, &status, 0) != child)
    give_up("cannot split the process");
  return false;
}

// The wrapper of one function. Its place in the dispatch table and its signature are the template's
// arguments; name and codes are filled in when the layer is loaded.
using launch_arguments =
    std::tuple<cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
               cl_uint, const cl_event *, cl_event *>; // of clEnqueueNDRangeKernel
template <auto member> struct hook;
template <typename R, typename... A, R (*cl_icd_dispatch::*member)(A...)> struct hook<member> {
  static inline function_entry entry;

  static constexpr bool returns_status = std::is_same_v<R, cl_int>;

  template <size_t i> using argument = std::tuple_element_t<i, std::tuple<A...>>;
  static constexpr size_t last = sizeof...(A) - 1;

  // Does the function enqueue a command, with an event to give back?
  static constexpr bool gives_event() {
    for (const bool is : {std::is_same_v<A, cl_event *>...})
      if (is)
        return std::is_same_v<argument<0>, cl_command_queue>;
    return false;
  }

  // Returns what the call that fails returns.
  static R fail(const std::tuple<A...> &arguments, const cl_int code) {
    if constexpr (returns_status) {
      return code;
    } else {
      if (std::get<last>(arguments) != nullptr)
        *std::get<last>(arguments) = code;
      return nullptr;
    }
  }

  static R call(A... args) {
    std::unique_lock<std::recursive_mutex> lock(the.mutex);
    std::tuple<A...> arguments(args...);
    the.calls.push_back(entry.name);
    lock.unlock(); // a child does not own what its parent has locked
    split(entry);
    lock.lock();
    host_call();
    cl_int code;
    if (is_to_fail(entry, code))
      return fail(arguments, code);

    // Every command gets an event, so that it can be asked later whether it has finished.
    cl_event own_event = nullptr;
    cl_event *event = nullptr;
    if constexpr (gives_event()) {
      cl_event *&asked = std::get<cl_event *>(arguments);
      event = asked;
      if (asked == nullptr)
        asked = &own_event;
    }
    if constexpr (std::is_same_v<argument<0>, cl_command_queue>)
      if (starts_with(entry.name, "clReleaseCommandQueue"))
        settle_commands(std::get<0>(arguments));

    const R result = std::apply(the.target->*member, arguments);

    bool succeeded = true;
    if constexpr (returns_status)
      succeeded = result == CL_SUCCESS;
    else
      succeeded = result != nullptr;
    if (succeeded) {
      account(arguments, result, event, own_event);
      wait(arguments);
      if (is_recording())
        record(arguments, result, event, std::index_sequence_for<A...>{});
    }
    return result;
  }

  // Keeps the books after a call that succeeded.
  static void account(const std::tuple<A...> &arguments, const R result, const cl_event *asked,
                      cl_event own_event) {
    constexpr object_type made = type_of<R>();
    constexpr object_type given = type_of<argument<0>>();
    if constexpr (made != NUM_TYPES)
      note_created(result, made, entry.name);
    else if constexpr (given != NUM_TYPES && sizeof...(A) == 1) {
      if (starts_with(entry.name, "clRetain"))
        note_created(std::get<0>(arguments), given, entry.name);
      if (starts_with(entry.name, "clRelease"))
        note_released(std::get<0>(arguments), given, entry.name);
    }
    if constexpr (gives_event()) {
      cl_event event = asked != nullptr ? *asked : own_event;
      if (asked != nullptr) { // the program owns it; the layer needs it for longer
        note_created(event, EVENT, entry.name);
        the.target->clRetainEvent(event);
      }
      cl_kernel kernel = nullptr;
      size_t items = 0;
      if constexpr (std::is_same_v<argument<1>, cl_kernel>)
        kernel = std::get<1>(arguments);
      if constexpr (std::is_same_v<std::tuple<A...>, launch_arguments>) {
        items = 1;
        for (cl_uint i = 0; i < std::get<2>(arguments); i++)
          items *= std::get<4>(arguments)[i];
      }
      bool blocking = true;
      if constexpr (sizeof...(A) > 2)
        if constexpr (std::is_same_v<argument<2>, cl_bool>)
          blocking = std::get<2>(arguments) == CL_TRUE;
      note_command(entry.name, std::get<0>(arguments), event, kernel, items, blocking);
    }
    if constexpr (made == KERNEL)
      note_new_kernel();
    if constexpr (std::is_same_v<R, void *>)
      note_mapped(result, entry.name);
    if (strcmp(entry.name, "clEnqueueUnmapMemObject") == 0)
      if constexpr (sizeof...(A) > 2 &&
                    std::is_same_v<argument<(sizeof...(A) > 2 ? 2 : 0)>, void *>)
        note_unmapped(std::get<2>(arguments));
    if constexpr (std::is_same_v<argument<last>, cl_uint *> && sizeof...(A) == 4)
      if constexpr (std::is_same_v<argument<2>, cl_kernel *>) // clCreateKernelsInProgram
        for (cl_uint i = 0; std::get<2>(arguments) != nullptr && i < std::get<1>(arguments); i++)
          note_created(std::get<2>(arguments)[i], KERNEL, entry.name);
  }

  // One argument in words; how many a pointer points to is said by another one.
  template <size_t i> static std::string argument_text(const std::tuple<A...> &arguments) {
    using T = argument<i>;
    const T value = std::get<i>(arguments);
    if constexpr (type_of<T>() != NUM_TYPES)
      return name_of(value, type_name(type_of<T>()));
    else if constexpr (std::is_same_v<std::tuple<A...>, launch_arguments> &&
                       std::is_same_v<T, const size_t *>)
      return text_of(value, std::get<2>(arguments));
    else if constexpr (std::is_integral_v<T>)
      return text_of(static_cast<uint64_t>(value));
    else if constexpr (std::is_same_v<T, const cl_event *> && i > 0)
      return text_of(value, std::get < i == 0 ? 0 : i - 1 > (arguments));
    else if constexpr (std::is_same_v<T, const cl_device_partition_property *>)
      return text_of(value);
    else if constexpr (std::is_same_v<T, const char *>)
      return value == nullptr ? "null" : "\"" + std::string(value) + "\"";
    else if constexpr (std::is_same_v<argument<0>, cl_kernel> &&
                       std::is_same_v<T, const void *>) // clSetKernelArg
      return text_of(value, static_cast<size_t>(std::get < i == 0 ? 0 : i - 1 > (arguments)));
    else if constexpr (i == 2 && std::is_same_v<T, const void *>) // clEnqueueFillBuffer
      return text_of(value, std::get<3>(arguments));
    else if constexpr (std::is_pointer_v<T>)
      return value == nullptr ? "null" : "there";
    else
      return "?";
  }
  template <size_t... i>
  static void record(const std::tuple<A...> &arguments, const R result, const cl_event *asked,
                     std::index_sequence<i...>) {
    std::string text, made;
    ((text += (i == 0 ? " " : ", ") + argument_text<i>(arguments)), ...);
    if constexpr (type_of<R>() != NUM_TYPES)
      made = new_name(result, type_name(type_of<R>()));
    if constexpr (gives_event())
      if (asked != nullptr)
        made = new_name(*asked, type_name(EVENT));
    if constexpr (type_of<R>() == KERNEL) { // what its local arrays take
      cl_ulong bytes = 0;
      the.target->clGetKernelWorkGroupInfo(result, nullptr, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes,
                                           &bytes, nullptr);
      made += ", local " + text_of(bytes);
    }
    write_call(entry.name, text, made);
  }

  // Lets the host's clock go on where the call has waited.
  static void wait(const std::tuple<A...> &arguments) {
    if constexpr (std::is_same_v<std::tuple<A...>, std::tuple<cl_command_queue>>)
      if (strcmp(entry.name, "clFinish") == 0)
        host_waits_for(std::get<0>(arguments));
    if constexpr (std::is_same_v<std::tuple<A...>, std::tuple<cl_uint, const cl_event *>>)
      for (cl_uint i = 0; i < std::get<0>(arguments); i++)
        host_waits_for(std::get<1>(arguments)[i]);
    if constexpr (sizeof...(A) > 2) // a transfer: queue, buffer, blocking
      if constexpr (gives_event() && std::is_same_v<argument<1>, cl_mem> &&
                    std::is_same_v<argument<2>, cl_bool>)
        if (std::get<2>(arguments) == CL_TRUE)
          host_waits_for(std::get<0>(arguments));
  }
};

template <auto member> static void intercept(const char *name, const std::vector<cl_int> &codes) {
  if (the.target->*member == nullptr)
    return;
  hook<member>::entry = {name, codes};
  table.*member = hook<member>::call;
}

// Every function of OpenCL 1.2 that a program without images and callbacks can call, with the codes
// that the specification gives it and that happen in practice.
static void intercept_all() {
#define HOOK(function, ...) intercept<&cl_icd_dispatch::function>(#function, {__VA_ARGS__})
  HOOK(clGetPlatformIDs, -1001, CL_OUT_OF_HOST_MEMORY);
  HOOK(clGetPlatformInfo, CL_INVALID_PLATFORM, CL_OUT_OF_HOST_MEMORY);
  HOOK(clGetDeviceIDs, CL_INVALID_PLATFORM, CL_OUT_OF_RESOURCES);
  HOOK(clGetDeviceInfo, CL_INVALID_DEVICE, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE);
  HOOK(clCreateSubDevices, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE);
  HOOK(clRetainDevice, CL_INVALID_DEVICE);
  HOOK(clReleaseDevice, CL_INVALID_DEVICE);
  HOOK(clCreateContext, CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_HOST_MEMORY, CL_INVALID_DEVICE);
  HOOK(clCreateContextFromType, CL_DEVICE_NOT_AVAILABLE, CL_DEVICE_NOT_FOUND);
  HOOK(clRetainContext, CL_INVALID_CONTEXT);
  HOOK(clReleaseContext, CL_INVALID_CONTEXT, CL_OUT_OF_RESOURCES);
  HOOK(clGetContextInfo, CL_INVALID_CONTEXT, CL_OUT_OF_HOST_MEMORY);
  HOOK(clCreateCommandQueue, CL_INVALID_QUEUE_PROPERTIES, CL_OUT_OF_RESOURCES);
  HOOK(clRetainCommandQueue, CL_INVALID_COMMAND_QUEUE);
  HOOK(clReleaseCommandQueue, CL_INVALID_COMMAND_QUEUE, CL_OUT_OF_RESOURCES);
  HOOK(clGetCommandQueueInfo, CL_INVALID_COMMAND_QUEUE, CL_OUT_OF_RESOURCES);
  HOOK(clCreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_BUFFER_SIZE,
       CL_OUT_OF_RESOURCES);
  HOOK(clCreateSubBuffer, CL_INVALID_VALUE, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  HOOK(clRetainMemObject, CL_INVALID_MEM_OBJECT);
  HOOK(clReleaseMemObject, CL_INVALID_MEM_OBJECT, CL_OUT_OF_RESOURCES);
  HOOK(clGetMemObjectInfo, CL_INVALID_MEM_OBJECT, CL_OUT_OF_RESOURCES);
  HOOK(clCreateProgramWithSource, CL_OUT_OF_HOST_MEMORY, CL_INVALID_VALUE);
  HOOK(clCreateProgramWithBinary, CL_INVALID_BINARY, CL_OUT_OF_HOST_MEMORY);
  HOOK(clCreateProgramWithBuiltInKernels, CL_INVALID_VALUE, CL_OUT_OF_RESOURCES);
  HOOK(clRetainProgram, CL_INVALID_PROGRAM);
  HOOK(clReleaseProgram, CL_INVALID_PROGRAM, CL_OUT_OF_RESOURCES);
  HOOK(clBuildProgram, CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE,
       CL_INVALID_BUILD_OPTIONS);
  HOOK(clCompileProgram, CL_COMPILER_NOT_AVAILABLE, CL_OUT_OF_RESOURCES);
  HOOK(clLinkProgram, CL_LINK_PROGRAM_FAILURE, CL_OUT_OF_RESOURCES);
  HOOK(clUnloadPlatformCompiler, CL_INVALID_PLATFORM);
  HOOK(clGetProgramInfo, CL_INVALID_PROGRAM_EXECUTABLE, CL_OUT_OF_RESOURCES);
  HOOK(clGetProgramBuildInfo, CL_INVALID_DEVICE, CL_OUT_OF_RESOURCES);
  HOOK(clCreateKernel, CL_INVALID_KERNEL_NAME, CL_INVALID_PROGRAM_EXECUTABLE,
       CL_OUT_OF_HOST_MEMORY);
  HOOK(clCreateKernelsInProgram, CL_INVALID_PROGRAM_EXECUTABLE, CL_OUT_OF_RESOURCES);
  HOOK(clRetainKernel, CL_INVALID_KERNEL);
  HOOK(clReleaseKernel, CL_INVALID_KERNEL, CL_OUT_OF_RESOURCES);
  HOOK(clSetKernelArg, CL_INVALID_ARG_SIZE, CL_INVALID_ARG_INDEX, CL_OUT_OF_RESOURCES);
  HOOK(clGetKernelInfo, CL_INVALID_KERNEL, CL_OUT_OF_RESOURCES);
  HOOK(clGetKernelArgInfo, CL_KERNEL_ARG_INFO_NOT_AVAILABLE, CL_INVALID_ARG_INDEX);
  HOOK(clGetKernelWorkGroupInfo, CL_INVALID_KERNEL, CL_OUT_OF_RESOURCES);
  HOOK(clWaitForEvents, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_OUT_OF_RESOURCES);
  HOOK(clGetEventInfo, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES);
  HOOK(clCreateUserEvent, CL_OUT_OF_RESOURCES);
  HOOK(clSetUserEventStatus, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES);
  HOOK(clSetEventCallback, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES);
  HOOK(clRetainEvent, CL_INVALID_EVENT);
  HOOK(clReleaseEvent, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES);
  HOOK(clGetEventProfilingInfo, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES);
  HOOK(clFlush, CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE);
  HOOK(clFinish, CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE);
  HOOK(clEnqueueReadBuffer, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE, CL_INVALID_COMMAND_QUEUE);
  HOOK(clEnqueueReadBufferRect, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE);
  HOOK(clEnqueueWriteBuffer, CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  HOOK(clEnqueueWriteBufferRect, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE);
  HOOK(clEnqueueCopyBuffer, CL_MEM_COPY_OVERLAP, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueFillBuffer, CL_INVALID_VALUE, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueMapBuffer, CL_MAP_FAILURE, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueUnmapMemObject, CL_INVALID_VALUE, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueMigrateMemObjects, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES, CL_INVALID_WORK_GROUP_SIZE,
       CL_INVALID_KERNEL_ARGS);
  HOOK(clEnqueueTask, CL_OUT_OF_RESOURCES, CL_INVALID_KERNEL_ARGS);
  HOOK(clEnqueueMarker, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueMarkerWithWaitList, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueBarrier, CL_OUT_OF_RESOURCES);
  HOOK(clEnqueueBarrierWithWaitList, CL_OUT_OF_RESOURCES);
#undef HOOK
}

// At exit: writes the report. A child of a split then ends at once, which saves most of its time;
// how the libraries take the end of the program shows in the processes that are not split. So do
// leaks: in a child, what only another thread's stack pointed to would count as one.
static void at_exit(const int status, void *) {
  the.exited = true;
  write_report();
  if (the.is_child) {
    fflush(nullptr);
    _exit(status);
  }
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(const cl_layer_info what,
                                                          const size_t room, void *to,
                                                          size_t *size_ret) {
  return layer_info("fault_layer", what, room, to, size_ret);
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clInitLayer(const cl_uint num_entries,
                                                       const cl_icd_dispatch *target_dispatch,
                                                       cl_uint *num_entries_ret,
                                                       const cl_icd_dispatch **layer_dispatch_ret) {
  if (!begin_layer(num_entries, target_dispatch, num_entries_ret, layer_dispatch_ret, table))
    return CL_INVALID_VALUE;
  the.real = the.target = target_dispatch;
  the.report_path = text_from("LAYER_REPORT");
  pretending = *target_dispatch;
  intercept_all();
  read_fault_settings();
  read_recording_settings();
  read_clock_settings();
  pretend(pretending);
  pretend_times(pretending);
  corrupt(pretending);
  the.target = &pretending;
  if (number_from("LAYER_LOCALE") == 1)
    setlocale(LC_ALL, "");
  write_report(); // a program that ends with _Exit before a call failed here, too, leaves one
  on_exit(at_exit, nullptr);
  return CL_SUCCESS;
}
