// What the parts of the layer share, and what each of them does for the others. README.md says what
// the layer is for; layer.cpp, how a call goes through it.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300 // for what a device says of itself
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

// A pointer to each function of OpenCL.
struct functions {
#define FUNCTION(name, number, ...) decltype(&::name) name = nullptr;
#include "functions.h"
#undef FUNCTION
};
extern functions real;  // the ICD loader's
extern functions table; // the same, but for what the parts of the layer have put in their place

// Never destroyed, like the states of the parts: a program may still call OpenCL while it ends.
struct layer_state {
  bool is_child = false;     // of a fork
  size_t calls = 0;          // so far
  const char *function = ""; // that is called
  std::recursive_mutex mutex;
};
extern layer_state &layer;

// ---- layer.cpp ----------------------------------------------------------------------------------

// Ends the process at once: the layer cannot do what it is asked to.
[[noreturn]] void give_up(const std::string &what);
// Splits off a child, which prints to <folder>/<name>.out and .err, and which SIGALRM ends after so
// many seconds. Returns true in the child; in the parent once that has ended: a line in
// <folder>/log then says `what` and its status, as of waitpid.
bool fork_child(const std::string &folder, const std::string &name, const std::string &what,
                unsigned seconds);

// ---- settings.cpp -------------------------------------------------------------------------------

void read_settings(const char *path);
bool is_set(const std::string &key);
bool is_set_any(const std::string &start);          // a key that begins so
const std::string &setting(const std::string &key); // "" where it is not set
cl_ulong number(const std::string &key, cl_ulong otherwise = 0);
std::vector<std::string> words_of(const std::string &text, char separator = ' ');

// ---- log.cpp ------------------------------------------------------------------------------------

void open_log();
void close_log(); // in a child
void note_line(const std::string &line);
// All of these, with blanks between them.
template <typename F, typename... T> std::string line_of(const F &first, const T &...others) {
  std::ostringstream line;
  line << first;
  ((line << ' ' << others), ...);
  return line.str();
}
template <typename... T> void note(const T &...words) {
  note_line(line_of(words...));
}
void append_line(const std::string &path, const std::string &line); // to another file
// "buffer2", as the log calls this object; `otherwise` where it was never made.
std::string name_of(const void *handle, const std::string &otherwise);
std::string new_name(const void *handle, const char *kind);
std::string hex(const void *data, size_t bytes);
std::vector<char> read_file(const std::string &path); // nothing, where there is none
void write_file(const std::string &path, const void *data, size_t bytes);

// ---- faults.cpp ---------------------------------------------------------------------------------

struct function_entry {
  const char *name;
  std::vector<cl_int> codes; // that it fails with, the usual one first
};
void start_faults();
// Before a call: splits the process, if that is asked for.
void split(const function_entry &entry, size_t number);
// The code that this call is to fail with; CL_SUCCESS: none.
cl_int failure_of(const function_entry &entry, size_t number);

// ---- clock.cpp ----------------------------------------------------------------------------------

void start_clock();
// Does every command need an event of its own?
bool holds_events();
// A command, `kind` being its kernel or function; `event` is the layer's to keep.
void note_command(size_t call, cl_command_queue queue, cl_event event, bool is_asked,
                  const std::string &kind, const char *function, bool blocking);
void note_new_kernel();
// Notes what has become of the commands of a queue, which is about to go.
void note_ends(cl_command_queue queue);
void host_call(); // a call takes its time on the host's clock
void host_waits_for(cl_command_queue queue);
void host_waits_for(cl_event event);

// ---- The parts that take the place of functions in the table ------------------------------------

void start_devices(); // devices.cpp: other devices
void start_order();   // order.cpp: commands in the worst order
void start_buffers(); // buffers.cpp: what goes to the device and comes back
void start_kernels(); // kernels.cpp: programs, their arguments and launches

// What a kernel has been given, and the bytes of local memory that it declares itself, asked before
// there are arguments: then implementations differ.
struct argument {
  size_t size;
  bool has_value; // else it is local memory
  std::vector<char> value;
};
using argument_list = std::map<cl_uint, argument>;
struct kernel_record {
  cl_ulong local_bytes = 0;
  argument_list given;
};
void start_records(); // before the parts: these may give a kernel something else
kernel_record &record_of(cl_kernel kernel);
bool is_argument(cl_mem buffer); // has any kernel been given it?

// ---- What the parts ask -------------------------------------------------------------------------

// The property of an object as one of the clGet...Info functions tells it; 0 where it does not.
template <typename T, typename O>
T asked(cl_int (*function)(O, cl_uint, size_t, void *, size_t *), O object, const cl_uint what) {
  T value{};
  function(object, what, sizeof value, &value, nullptr);
  return value;
}
// The same of a text, and of a kernel on a device.
template <typename O>
std::string text_asked(cl_int (*function)(O, cl_uint, size_t, void *, size_t *), O object,
                       const cl_uint what) {
  size_t size = 1; // with the 0 at its end
  function(object, what, 0, nullptr, &size);
  std::string text(size, '\0');
  function(object, what, size, text.data(), nullptr);
  text.pop_back();
  return text;
}
inline std::string source_of(cl_program program) {
  return text_asked(real.clGetProgramInfo, program, CL_PROGRAM_SOURCE);
}
inline std::string kernel_name(cl_kernel kernel) {
  return text_asked(real.clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME);
}
template <typename T> T asked(cl_kernel kernel, cl_device_id device, const cl_uint what) {
  T value{};
  real.clGetKernelWorkGroupInfo(kernel, device, what, sizeof value, &value, nullptr);
  return value;
}
inline size_t size_of(cl_mem buffer) {
  return asked<size_t>(real.clGetMemObjectInfo, buffer, CL_MEM_SIZE);
}
// Reads or writes a buffer from its beginning, and waits; false where that cannot be done.
inline bool read_now(cl_command_queue queue, cl_mem buffer, std::vector<char> &data) {
  return real.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, data.size(), data.data(), 0, nullptr,
                                  nullptr) == CL_SUCCESS;
}
inline bool write_now(cl_command_queue queue, cl_mem buffer, const std::vector<char> &data) {
  return real.clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, data.size(), data.data(), 0, nullptr,
                                   nullptr) == CL_SUCCESS;
}

// Gives back a property as all clGet...Info functions do.
inline cl_int give_back(const void *value, const size_t bytes, const size_t room, void *to,
                        size_t *size_ret) {
  if (to != nullptr && room < bytes)
    return CL_INVALID_VALUE;
  if (to != nullptr)
    memcpy(to, value, bytes);
  if (size_ret != nullptr)
    *size_ret = bytes;
  return CL_SUCCESS;
}
