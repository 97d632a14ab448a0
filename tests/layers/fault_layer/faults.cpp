// Calls that are made to fail:
//
//   LAYER_FAIL      the number of the call that fails, the first one being 1; none if unset or 0
//   LAYER_CODE      the code it fails with, a number; unset: the usual one for that function
//   LAYER_ONWARD    if 1, all later calls fail as well, as on a device that is lost
//   LAYER_FUNCTION  the name of a function: of the later calls, only those of this one fail
//   LAYER_FORK      a folder: the process is split in two before each call, once for each plausible
//                   code; in the child the call fails, the parent waits for its end and goes on.
//                   One run then stands for hundreds, at a tenth of the time
//   LAYER_ALONE     ",name,name,": before these functions the process is not split; they are noted
//                   with the status -1, to be failed in processes of their own
#include "layer.h"

#include <csignal>

#include <sys/wait.h>

struct fault_state {
  size_t fail_at = 0;
  cl_int forced_code = 0;
  bool onward = false;
  std::string function; // empty: any
  std::string folder;   // empty: no forks, or this is a child
  std::string alone;    // no forks before these functions
  size_t hung = 0;      // children that did not end
  FILE *log = nullptr;
  std::string failed; // the function that was made to fail, and its code
};
static fault_state &faults = *new fault_state; // NOLINT(cert-err58-cpp): see layer.cpp

void read_fault_settings() {
  faults.fail_at = static_cast<size_t>(number_from("LAYER_FAIL"));
  faults.forced_code = static_cast<cl_int>(number_from("LAYER_CODE"));
  faults.onward = number_from("LAYER_ONWARD") == 1;
  faults.function = text_from("LAYER_FUNCTION");
  faults.folder = text_from("LAYER_FORK");
  faults.alone = text_from("LAYER_ALONE");
  if (faults.folder.empty())
    return;
  faults.log = fopen((faults.folder + "/log").c_str(), "w");
  if (faults.log == nullptr)
    give_up("LAYER_FORK names no folder that can be written to");
}

const std::string &failed_call() {
  return faults.failed;
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
void split(const function_entry &entry) {
  if (faults.folder.empty())
    return;
  const size_t number = the.calls.size();
  for (const cl_int code : entry.codes) {
    const std::string name =
        faults.folder + "/" + std::to_string(number) + "." + std::to_string(code);
    int status = -1;
    if (faults.alone.find("," + std::string(entry.name) + ",") == std::string::npos &&
        fork_child(name, 20, status)) {
      the.report_path = name + ".report";
      faults.folder.clear();
      faults.fail_at = number;
      faults.forced_code = code;
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

bool is_to_fail(const function_entry &entry, cl_int &code) {
  const size_t number = the.calls.size();
  const bool later = faults.fail_at > 0 && number > faults.fail_at;
  const bool fails = faults.function.empty()
                         ? number == faults.fail_at || (faults.onward && later)
                         : (number == faults.fail_at || later) && faults.function == entry.name;
  if (!fails)
    return false;
  code = faults.forced_code != 0 ? faults.forced_code : entry.codes.front();
  if (faults.failed.empty())
    faults.failed = std::string(entry.name) + " " + std::to_string(code);
  if (!the.is_child)
    write_report(); // now: the program may end with _Exit, which no exit handler sees
  return true;
}
