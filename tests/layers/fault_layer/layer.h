// What the parts of the fault layer share, and what each of them does for the others: see
// layer.cpp.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "../layer.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

// An intercepted function: its name, and the codes that it plausibly fails with, the usual one
// first.
struct function_entry {
  const char *name;
  std::vector<cl_int> codes;
};

// Never freed, like the states of the other parts: the report is written while the program ends.
struct layer_state {
  std::recursive_mutex mutex;
  const cl_icd_dispatch *real = nullptr;   // the implementation's functions
  const cl_icd_dispatch *target = nullptr; // the same, but for the layer's pretences
  std::vector<const char *> calls;         // the functions called so far
  std::string report_path;
  bool is_child = false; // of a fork
  bool exited = false;   // by exit or the end of main, not by _Exit
};
extern layer_state &the;

std::string kernel_name(cl_kernel kernel);
std::string build_options(cl_kernel kernel, cl_command_queue queue); // that it was built with

// Ends the process at once: the layer cannot do what it is asked to.
[[noreturn]] void give_up(const char *what);

inline bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

// The child of a fork writes what it prints to <name>.out and <name>.err, and is ended by SIGALRM
// after so many seconds. Returns true in the child. In the parent, returns once the child has
// ended; `status` is that of waitpid.
bool fork_child(const std::string &name, unsigned seconds, int &status);

// ---- faults.cpp: calls that fail ----------------------------------------------------------------

void read_fault_settings();
// Before a call: splits the process, if that is asked for.
void split(const function_entry &entry);
// Is the call to fail that was counted last? `code` is what it fails with.
bool is_to_fail(const function_entry &entry, cl_int &code);
const std::string &failed_call(); // "clCreateBuffer -4"; "" if none failed

// ---- clock.cpp: times that are known ------------------------------------------------------------

struct command_times {
  cl_ulong ns[4]; // queued, submitted, started, ended, on the device's clock
};
void read_clock_settings();
void pretend_times(cl_icd_dispatch &table);
// The times of the next command; `repetition`: how many of its series were before it.
command_times next_times(cl_command_queue queue, cl_event event, long series, size_t repetition);
void host_call();                            // a call takes its time on the host's clock
void host_waits_for(cl_command_queue queue); // until all its commands have ended
void host_waits_for(cl_event event);
void report_clock(FILE *file);

// ---- account.cpp: objects and commands ----------------------------------------------------------

enum object_type { CONTEXT, QUEUE, BUFFER, PROGRAM, KERNEL, EVENT, NUM_TYPES };

const char *type_name(object_type type);
template <typename T> constexpr object_type type_of() {
  if constexpr (std::is_same_v<T, cl_context>)
    return CONTEXT;
  else if constexpr (std::is_same_v<T, cl_command_queue>)
    return QUEUE;
  else if constexpr (std::is_same_v<T, cl_mem>)
    return BUFFER;
  else if constexpr (std::is_same_v<T, cl_program>)
    return PROGRAM;
  else if constexpr (std::is_same_v<T, cl_kernel>)
    return KERNEL;
  else if constexpr (std::is_same_v<T, cl_event>)
    return EVENT;
  else
    return NUM_TYPES;
}

// A new object, or one more reference to an object; and one less.
void note_created(void *handle, object_type type, const char *by);
void note_released(void *handle, object_type type, const char *by);
// A command; `kernel` is null where there is none. `event` is the layer's to keep.
void note_command(const char *function, cl_command_queue queue, cl_event event, cl_kernel kernel,
                  size_t items, bool blocking);
void note_new_kernel();
void note_mapped(void *region, const char *by);
void note_unmapped(void *region);
// A queue is about to go: asks what became of its commands.
void settle_commands(cl_command_queue queue);
// The number of the series that a command of this kind belongs to.
long series_of(const std::string &kind);
void write_report();

// ---- pretences.cpp and corruption.cpp: wrong answers --------------------------------------------

void pretend(cl_icd_dispatch &table);
void report_pretences(FILE *file);
void corrupt(cl_icd_dispatch &table);

// ---- recording.cpp: what a program asks for, call by call ---------------------------------------

void read_recording_settings();
bool is_recording();
std::string name_of(const void *handle, const char *kind);  // "buffer2", or "a buffer"
std::string new_name(const void *handle, const char *kind); // of an object that was just made
std::string text_of(uint64_t number);
std::string text_of(const size_t *sizes, cl_uint dims);        // "16x16"
std::string text_of(const cl_event *list, cl_uint count);      // "[event1 event2]"
std::string text_of(const void *value, size_t size);           // of a kernel's argument
std::string text_of(const cl_device_partition_property *list); // "[4231 1 2]": up to its first 0
void write_call(const char *name, const std::string &arguments, const std::string &made);
