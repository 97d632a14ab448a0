// Calls that are made to fail. One that fails is not passed on: it has no effect but the code that
// it returns.
#include "layer.h"

#include <algorithm>

struct fault_state {
  size_t fail_at = 0;
  cl_int code = 0;      // 0: the function's usual one
  std::string function; // empty: any
  std::string folder;   // empty: no forks, or this is a child
  std::vector<std::string> alone;
};
static fault_state &faults = *new fault_state; // NOLINT(cert-err58-cpp): see layer.cpp

void start_faults() {
  faults.fail_at = number("fail");
  faults.code = static_cast<cl_int>(strtol(setting("code").c_str(), nullptr, 10));
  faults.function = setting("function");
  faults.folder = setting("fork");
  faults.alone = words_of(setting("alone"));
}

// Makes the call that is about to happen fail in a child process, for each of its codes. Returns in
// the parent after all of them have ended, and in each child with fail_at set to this very call.
// <folder>/log has a line for each: number, function, code and how it ended, -1 where it was left
// alone.
//
// The child has none of the parent's other threads: it can only say what failed, and end. One that
// hangs says nothing yet, since another thread may have held a lock as the process was split
// (AddressSanitizer's, of GCC 12, does): that call is to fail in a process of its own.
void split(const function_entry &entry, const size_t number) {
  for (const cl_int code : faults.folder.empty() ? std::vector<cl_int>() : entry.codes) {
    const std::string what = line_of(number, entry.name, code);
    if (std::count(faults.alone.begin(), faults.alone.end(), entry.name) != 0) {
      append_line(faults.folder + "/log", what + " -1");
      continue;
    }
    const std::string name = std::to_string(number) + "." + std::to_string(code);
    if (fork_child(faults.folder, name, what, 20)) {
      faults.folder.clear();
      faults.fail_at = number;
      faults.code = code;
      return;
    }
  }
}

cl_int failure_of(const function_entry &entry, const size_t number) {
  const bool is_later = faults.fail_at > 0 && number >= faults.fail_at;
  const bool fails = faults.function.empty() ? number == faults.fail_at
                                             : is_later && faults.function == entry.name;
  return !fails ? CL_SUCCESS : faults.code != 0 ? faults.code : entry.codes.front();
}
