// An OpenCL layer: what stands between a program and its OpenCL, to watch it and to mislead it.
//
//   LD_PRELOAD=liblayer.so LAYER_SETTINGS=settings.txt program
//
// This file: how a call goes through the layer. The program finds this library's functions before
// the ICD loader's. Each one writes a line into the log, fails if it is to fail, and else calls
// what stands in the table: the loader's function, or what a part of the layer has put there.
#include "layer.h"

#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

// NOLINTBEGIN(cert-err58-cpp): without memory nothing can be tested
functions real, table;
layer_state &layer = *new layer_state;
// NOLINTEND(cert-err58-cpp)

static bool is_active = false; // before, nothing of the layer is there

// What OpenCL calls while it does what it was called for is its own affair.
static thread_local bool is_inside = false;

void give_up(const std::string &what) {
  fflush(stdout);
  fprintf(stderr, "layer: %s\n", what.c_str());
  _Exit(99);
}

bool fork_child(const std::string &folder, const std::string &name, const std::string &what,
                const unsigned seconds) {
  const pid_t child = fork();
  if (child == 0) {
    for (const auto &[end, descriptor] : {std::pair(".out", 1), std::pair(".err", 2)}) {
      const int file = creat(std::string(folder).append("/" + name).append(end).c_str(), 0600);
      if (file < 0 || dup2(file, descriptor) < 0)
        _Exit(99);
    }
    alarm(seconds);
    layer.is_child = true;
    close_log();
    return true;
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child)
    give_up("cannot split the process");
  append_line(folder + "/log", line_of(what, status));
  return false;
}

// ---- Arguments in words -------------------------------------------------------------------------

// What an object of this type is called in the log; null: it is none, or none that is created.
template <typename T> constexpr const char *kind_of = nullptr;
template <> constexpr const char *kind_of<cl_context> = "context";
template <> constexpr const char *kind_of<cl_command_queue> = "queue";
template <> constexpr const char *kind_of<cl_mem> = "buffer";
template <> constexpr const char *kind_of<cl_program> = "program";
template <> constexpr const char *kind_of<cl_kernel> = "kernel";
template <> constexpr const char *kind_of<cl_event> = "event";
template <> constexpr const char *kind_of<void *> = "region";

// A size for each dimension: "16x16".
static std::string text_of(const size_t *sizes, const cl_uint dims) {
  std::string text = sizes == nullptr ? "null" : "";
  for (cl_uint d = 0; sizes != nullptr && d < dims; d++)
    text += (d == 0 ? "" : "x") + std::to_string(sizes[d]);
  return text;
}

static std::string text_of(const cl_event *list, const cl_uint count) {
  std::string text = "[";
  for (cl_uint i = 0; list != nullptr && i < count; i++)
    text += (i == 0 ? "" : " ") + name_of(list[i], "an event");
  return text + "]";
}

// "[4231 1 2]": up to its first 0.
static std::string text_of(const cl_device_partition_property *list) {
  std::string text;
  for (; *list != 0; list++)
    text += (text.empty() ? "" : " ") + std::to_string(*list);
  return "[" + text + "]";
}

// An argument of a kernel, or a pattern to fill with: an object's name, or the bytes, last first.
static std::string text_of(const void *value, const size_t size) {
  if (value == nullptr)
    return "local";
  const void *handle = nullptr;
  if (size == sizeof handle)
    memcpy(&handle, value, size);
  const auto *first = static_cast<const char *>(value);
  const std::string bytes(std::reverse_iterator(first + size), std::reverse_iterator(first));
  return name_of(handle, "0x" + hex(bytes.data(), size));
}

// Argument i in words; how many a pointer points to is said by one of the others.
template <size_t i, typename... A> std::string argument_text(const std::tuple<A...> &arguments) {
  using all = std::tuple<A...>;
  using T = std::tuple_element_t<i, all>;
  const T value = std::get<i>(arguments);
  constexpr size_t before = i == 0 ? 0 : i - 1;
  if constexpr (std::is_same_v<T, void *>) // the third is clEnqueueUnmapMemObject's
    return value == nullptr ? "null" : i == 2 ? name_of(value, "there") : std::string("there");
  else if constexpr (std::is_same_v<T, cl_device_id>)
    return value == nullptr ? "null" : name_of(value, "there@" + line_of(value));
  else if constexpr (kind_of<T> != nullptr)
    return value == nullptr ? "null" : name_of(value, std::string("a ") + kind_of<T>);
  else if constexpr (sizeof...(A) == 9 && std::is_same_v<T, const size_t *>) // of a launch
    return text_of(value, std::get<2>(arguments));
  else if constexpr (sizeof...(A) == 14 && std::is_same_v<T, const size_t *>) // ...Rect
    return text_of(value, 3);
  else if constexpr (std::is_integral_v<T>)
    return std::to_string(static_cast<uint64_t>(value));
  else if constexpr (std::is_same_v<T, const cl_event *> && i > 0)
    return text_of(value, std::get<before>(arguments));
  else if constexpr (std::is_same_v<T, const cl_device_partition_property *>)
    return value == nullptr ? "null" : text_of(value);
  else if constexpr (std::is_same_v<T, const char *>)
    return value == nullptr ? "null" : "\"" + std::string(value) + "\"";
  else if constexpr (std::is_same_v<std::tuple_element_t<0, all>, cl_kernel> &&
                     std::is_same_v<T, const void *>) // clSetKernelArg
    return text_of(value, static_cast<size_t>(std::get<before>(arguments)));
  else if constexpr (i == 2 && std::is_same_v<T, const void *>) // clEnqueueFillBuffer
    return text_of(value, std::get<3>(arguments));
  else if constexpr (std::is_pointer_v<T>)
    return value == nullptr ? "null" : "there";
  else
    return "?";
}

// ---- A call -------------------------------------------------------------------------------------

// One function: its place in the table and its signature are the template's arguments; name and
// codes are filled in when the library is loaded.
template <auto member> struct hook;
template <typename R, typename... A, R (*functions::*member)(A...)> struct hook<member> {
  static inline function_entry entry;

  using result = R;
  using all = std::tuple<A...>;
  template <size_t i> using argument = std::tuple_element_t<i, all>;
  static constexpr size_t last = sizeof...(A) - 1;
  static constexpr bool returns_status = std::is_same_v<R, cl_int>;

  // Does the function enqueue a command, with an event to give back?
  static constexpr bool gives_event() {
    for (const bool is : {std::is_same_v<A, cl_event *>...})
      if (is)
        return std::is_same_v<argument<0>, cl_command_queue>;
    return false;
  }

  // Returns what a call that fails returns.
  static R fail(const all &arguments, const cl_int code) {
    if constexpr (returns_status) {
      return code;
    } else {
      if (std::get<last>(arguments) != nullptr)
        *std::get<last>(arguments) = code;
      return nullptr;
    }
  }

  static R call(A... args) {
    const all arguments(args...);
    if (!is_active || is_inside)
      return (real.*member)(args...);
    is_inside = true;
    size_t number;
    {
      const std::lock_guard<std::recursive_mutex> lock(layer.mutex);
      number = ++layer.calls;
      layer.function = entry.name;
    }
    note("call", number, entry.name + strlen("cl"),
         texts_of(arguments, std::index_sequence_for<A...>{}));
    split(entry, number); // a child does not own what its parent has locked
    host_call();
    const cl_int code = failure_of(entry, number);
    if (code != CL_SUCCESS)
      note("done", number, code, "failed");
    const R result = code != CL_SUCCESS ? fail(arguments, code) : pass_on(arguments, number);
    is_inside = false;
    return result;
  }

  template <size_t... i>
  static std::string texts_of(const all &arguments, std::index_sequence<i...>) {
    std::string text;
    ((text += (i == 0 ? "" : ", ") + argument_text<i>(arguments)), ...);
    return text;
  }

  static R pass_on(all arguments, const size_t number) {
    // Where a command is to have an event, it gets one.
    cl_event own_event = nullptr;
    bool is_asked = true;
    if constexpr (gives_event()) {
      cl_event *&asked = std::get<cl_event *>(arguments);
      is_asked = asked != nullptr;
      if (!is_asked && holds_events())
        asked = &own_event;
    }
    cl_int code = CL_SUCCESS;
    if constexpr (std::is_same_v<argument<last>, cl_int *>)
      if (std::get<last>(arguments) == nullptr)
        std::get<last>(arguments) = &code;
    if constexpr (std::is_same_v<all, std::tuple<cl_command_queue>>)
      if (strcmp(entry.name, "clReleaseCommandQueue") == 0)
        note_ends(std::get<0>(arguments));

    const R result = std::apply(table.*member, arguments);

    if constexpr (returns_status)
      code = result;
    else if constexpr (std::is_same_v<argument<last>, cl_int *>)
      code = result != nullptr ? CL_SUCCESS : *std::get<last>(arguments);
    std::string made;
    if (code == CL_SUCCESS) {
      const std::lock_guard<std::recursive_mutex> lock(layer.mutex);
      made = names_of_new(arguments, result, is_asked);
      account(arguments, number, is_asked);
    }
    note("done", number, std::to_string(code) + (made.empty() ? "" : " -> " + made));
    return result;
  }

  // What the call made, or what it said.
  static std::string names_of_new(const all &arguments, const R result, const bool is_asked) {
    std::string made;
    if constexpr (kind_of<R> != nullptr)
      made = new_name(result, kind_of<R>);
    if constexpr (gives_event())
      if (is_asked)
        made += (made.empty() ? "" : " ") + new_name(*std::get<cl_event *>(arguments), "event");
    if constexpr (std::is_same_v<R, cl_kernel>)
      made += ", local " + std::to_string(record_of(result).local_bytes);
    if constexpr (std::is_same_v<decltype(&::clCreateSubDevices), R (*)(A...)>)
      for (cl_uint i = 0; std::get<3>(arguments) != nullptr && i < std::get<2>(arguments); i++)
        made += (i == 0 ? "" : " ") + new_name(std::get<3>(arguments)[i], "device");
    if constexpr (std::is_same_v<decltype(&::clGetEventInfo), R (*)(A...)>) {
      const void *said = std::get<3>(arguments);
      if (said != nullptr && std::get<2>(arguments) == sizeof(cl_int))
        made = std::to_string(*static_cast<const cl_int *>(said));
      else if (said != nullptr && std::get<2>(arguments) == sizeof(cl_ulong))
        made = std::to_string(*static_cast<const cl_ulong *>(said));
    }
    return made;
  }

  // Keeps the books, and the host's clock, after a call that succeeded.
  static void account(const all &arguments, const size_t number, const bool is_asked) {
    if constexpr (gives_event()) {
      std::string kind = entry.name;
      bool blocking = false;
      if constexpr (std::is_same_v<argument<1>, cl_kernel>)
        kind = kernel_name(std::get<1>(arguments));
      if constexpr (std::is_same_v<argument<1>, cl_mem> && std::is_same_v<argument<2>, cl_bool>)
        blocking = std::get<2>(arguments) == CL_TRUE;
      cl_event *const event = std::get<cl_event *>(arguments);
      note_command(number, std::get<0>(arguments), event == nullptr ? nullptr : *event, is_asked,
                   kind, entry.name, blocking);
      if (blocking)
        host_waits_for(std::get<0>(arguments));
    }
    if constexpr (std::is_same_v<R, cl_kernel>)
      note_new_kernel();
    if constexpr (std::is_same_v<all, std::tuple<cl_command_queue>>)
      if (strcmp(entry.name, "clFinish") == 0)
        host_waits_for(std::get<0>(arguments));
    if constexpr (std::is_same_v<all, std::tuple<cl_uint, const cl_event *>>)
      for (cl_uint i = 0; i < std::get<0>(arguments); i++)
        host_waits_for(std::get<1>(arguments)[i]);
  }
};

// ---- The functions that the program finds -------------------------------------------------------

// Parameters a0, a1, ... of the types that the function has, and these as arguments.
// NOLINTBEGIN(bugprone-macro-parentheses): types
#define P(name, i) hook<&functions::name>::argument<i> a##i
#define PARAMETERS_1(name) P(name, 0)
#define PARAMETERS_2(name) PARAMETERS_1(name), P(name, 1)
#define PARAMETERS_3(name) PARAMETERS_2(name), P(name, 2)
#define PARAMETERS_4(name) PARAMETERS_3(name), P(name, 3)
#define PARAMETERS_5(name) PARAMETERS_4(name), P(name, 4)
#define PARAMETERS_6(name) PARAMETERS_5(name), P(name, 5)
#define PARAMETERS_9(name) PARAMETERS_6(name), P(name, 6), P(name, 7), P(name, 8)
#define PARAMETERS_10(name) PARAMETERS_9(name), P(name, 9)
#define PARAMETERS_14(name) PARAMETERS_10(name), P(name, 10), P(name, 11), P(name, 12), P(name, 13)
#define ARGUMENTS_1 a0
#define ARGUMENTS_2 ARGUMENTS_1, a1
#define ARGUMENTS_3 ARGUMENTS_2, a2
#define ARGUMENTS_4 ARGUMENTS_3, a3
#define ARGUMENTS_5 ARGUMENTS_4, a4
#define ARGUMENTS_6 ARGUMENTS_5, a5
#define ARGUMENTS_9 ARGUMENTS_6, a6, a7, a8
#define ARGUMENTS_10 ARGUMENTS_9, a9
#define ARGUMENTS_14 ARGUMENTS_10, a10, a11, a12, a13
#define FUNCTION(name, number, ...)                                                                \
  extern "C" hook<&functions::name>::result name(PARAMETERS_##number(name)) {                      \
    return hook<&functions::name>::call(ARGUMENTS_##number);                                       \
  }
#include "functions.h"
#undef FUNCTION
// NOLINTEND(bugprone-macro-parentheses)

// ---- Beginning and end --------------------------------------------------------------------------

// A child of a split ends at once, which saves most of its time. How the libraries take the end of
// the program, and leaks, show in the processes that are not split.
static void at_exit(const int status, void *) {
  note("exit");
  if (layer.is_child) {
    fflush(nullptr);
    _exit(status);
  }
}

static bool begin() {
#define FUNCTION(name, number, ...)                                                                \
  hook<&functions::name>::entry = {#name, {__VA_ARGS__}};                                          \
  real.name = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name));
#include "functions.h"
#undef FUNCTION
  table = real;
  const char *const path = getenv("LAYER_SETTINGS");
  if (path == nullptr)
    return false;
  read_settings(path);
  open_log();
  if (real.clGetPlatformIDs == nullptr) // a shell, say, that is to start the program
    return false;
  unsetenv("LD_PRELOAD"); // what the program starts, as PoCL the linker, is none of our business
  start_records();
  start_devices();
  start_order();
  start_buffers();
  start_kernels();
  start_clock();
  start_faults();
  on_exit(at_exit, nullptr);
  return true;
}
// This file is linked last: all states are there.
// NOLINTNEXTLINE(cert-err58-cpp): without memory nothing can be tested
static const bool begins = is_active = begin();
