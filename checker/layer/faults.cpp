// Calls that are made to fail. One that fails is not passed on: it has no effect but the code that
// it returns.
#include "layer.h"

#include <csignal>

#include <sys/wait.h>

struct fault_state {
  size_t fail_at = 0;
  cl_int code = 0;      // 0: the function's usual one
  std::string function; // empty: any
  std::string folder;   // empty: no forks, or this is a child
  std::string alone;    // no forks before these functions
  size_t hung = 0;      // children that did not end
  FILE *log = nullptr;
};
static fault_state &faults = *new fault_state; // NOLINT(cert-err58-cpp): see layer.cpp

void start_faults() {
  faults.fail_at = number("fail");
  faults.code = static_cast<cl_int>(strtol(setting("code").c_str(), nullptr, 10));
  faults.function = setting("function");
  faults.folder = setting("fork");
  faults.alone = " " + setting("alone") + " ";
  if (faults.folder.empty())
    return;
  faults.log = fopen((faults.folder + "/log").c_str(), "w");
  if (faults.log == nullptr)
    give_up("fork names no folder that can be written to");
}

// Makes the call that is about to happen fail in a child process, for each of its codes. Returns in
// the parent after all of them have ended, and in each child with fail_at set to this very call.
// Notes for each child a line in <folder>/log: number, function, code and how it ended (the status
// of waitpid); what the child prints is in <folder>/<number>.<code>.out and .err.
//
// The child has none of the parent's other threads, so it can only do what the programs do after a
// failure: say so and end. One that hangs is ended by SIGALRM. That says nothing yet: where another
// thread held a lock when the process was split, as the one of AddressSanitizer's allocator (GCC 12
// does not take it before a fork), nobody gives it back in the child. Whoever reads the log is to
// fail that call in a process of its own. The third that hangs is the last one, since others would
// hang as well, each for as long.
void split(const function_entry &entry, const size_t number) {
  if (faults.folder.empty())
    return;
  for (const cl_int code : entry.codes) {
    const std::string name =
        faults.folder + "/" + std::to_string(number) + "." + std::to_string(code);
    int status = -1;
    if (faults.alone.find(" " + std::string(entry.name) + " ") == std::string::npos &&
        fork_child(name, 20, status)) {
      faults.folder.clear();
      faults.fail_at = number;
      faults.code = code;
      return;
    }
    fprintf(faults.log, "%zu %s %d %d\n", number, entry.name, code, status);
    fflush(faults.log); // nothing of it may be left for the next child to write once more
    if (status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM && ++faults.hung == 3) {
      faults.folder.clear();
      return;
    }
  }
}

bool is_to_fail(const function_entry &entry, const size_t number, cl_int &code) {
  bool fails = number == faults.fail_at;
  if (!faults.function.empty())
    fails = faults.fail_at > 0 && number >= faults.fail_at && faults.function == entry.name;
  if (fails)
    code = faults.code != 0 ? faults.code : entry.codes.front();
  return fails;
}
