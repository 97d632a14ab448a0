// Does what common/ says at its edges, where no chapter's program gets: a status without a name,
// the source line of an error at the ends of a file or outside of it, a line of times without a
// word; and the kernel files that it refuses.
//
//   common_test
//
// Exit code 0 if every text is the expected one.
#include "../../common/clerr.h"
#include "../../common/device.h"
#include "../../common/files.h"
#include "../../common/source.h"
#include "../../common/timing.h"

#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

static size_t cases = 0;
static size_t failures = 0;

static void check(const bool good, const std::string &what) {
  cases++;
  failures += !good;
  if (!good)
    printf("FAILED  %s\n", what.c_str());
}

// Counts a case: what `print` prints to `stream`, which goes into the file `path` until then, must
// be `expected`.
static void prints(const std::string &what, FILE *stream, const std::string &path,
                   const std::string &expected, const std::function<void()> &print) {
  fflush(stream);
  const int before = dup(fileno(stream));
  const int into = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (before < 0 || dup2(into, fileno(stream)) < 0)
    _Exit(2);
  close(into);
  print();
  fflush(stream);
  dup2(before, fileno(stream));
  close(before);
  std::ifstream file(path);
  const std::string got{std::istreambuf_iterator<char>(file), {}};
  check(got == expected, what + ": it prints\n" + got + "and not\n" + expected);
}

// Counts a case: `run`, in a process of its own, must print `expected` to `stream` and end with
// exit code `code`.
static void ends(const std::string &what, FILE *stream, const std::string &path, const int code,
                 const std::string &expected, const std::function<void()> &run) {
  int status = 0;
  prints(what, stream, path, expected, [&] {
    if (fork() == 0) {
      run();
      _Exit(77); // it has not ended
    }
    wait(&status);
  });
  check(WIFEXITED(status) && WEXITSTATUS(status) == code,
        what + ": exit code " + std::to_string(WEXITSTATUS(status)));
}

// Kernel files in which there is nothing, and words that name a device.
static void refuses_files(const std::string &said, const std::string &folder) {
  const std::string name = folder + "/kernel.cl";
  for (const char *text : {"", " \n\t\r\n"}) {
    std::ofstream(name) << text;
    ends("a kernel file of blanks", stderr, said, 1,
         "the kernel file is empty or cannot be read: " + name + "\n",
         [&] { load_source(name.c_str()); });
  }
  std::ofstream(name) << "kernel\r\n";
  check(load_source(name.c_str()) == "kernel\r\n", "a kernel file, byte for byte");
  remove(name.c_str());
  ends("a folder in its place", stderr, said, 1,
       "no kernel source: looked for " + folder + " at\n  " + folder +
           "  (is there, but cannot be read)\n",
       [&] { load_source(folder.c_str()); });
  check(contains("Portable Computing Language", "COMPUTING"), "a part of a name, in capitals");
  check(!contains("cpu", "gpu"), "another name");
}

int main() {
  char folder[] = "/tmp/common_test.XXXXXX";
  if (mkdtemp(folder) == nullptr)
    return 2;
  const std::string said = std::string(folder) + "/said",
                    source = std::string(folder) + "/host.cpp";
  std::ofstream(source) << "  clerr_chk(status);\n"
                           "  x = clCreateBuffer(context,\n"
                           "                     &status);\n"
                           "  clerr_chk(status);\n"
                           "  clerr_chk(clFinish(\n"
                           "      queue)";
  const auto shows = [&](const std::string &what, const int line, const std::string &expected) {
    prints(what, stderr, said, expected, [&] { clerr_print_source(source.c_str(), line); });
  };
  const std::string create = "     2 |   x = clCreateBuffer(context,\n"
                             "     3 |                      &status);\n";
  shows("line 0", 0, "");
  shows("the line behind the last", 7, "");
  shows("a status in the first line", 1, "     1 |   clerr_chk(status);\n");
  shows("a statement of two lines", 3, create);
  shows("the status of the statement before", 4, create + "     4 |   clerr_chk(status);\n");
  shows("a statement that the file ends in", 5,
        "     5 |   clerr_chk(clFinish(\n     6 |       queue)\n");
  std::ofstream(source) << "  f(\n      0);\n";
  shows("a statement that the file begins with", 2, "     1 |   f(\n     2 |       0);\n");

  ends("a status that no table has", stderr, said, EXIT_FAILURE,
       "none.cpp:9: OpenCL error unknown code (-12345)\n"
       "usual cause: a code of an extension or of this implementation: see its documentation\n"
       "read on:     docs/errors.md#unknown-code\n",
       [] { clerr_chk(-12345, "none.cpp", 9); });
  ends("a rare status", stderr, said, EXIT_FAILURE,
       "none.cpp:9: OpenCL error CL_INVALID_PIPE_SIZE (-69)\n"
       "usual cause: a pipe's packets are of 0 bytes, or larger than "
       "CL_DEVICE_PIPE_MAX_PACKET_SIZE\n"
       "read on:     docs/errors.md#rare-codes\n",
       [] { clerr_chk(-69, "none.cpp", 9); });
  prints("no times, and no word", stdout, said, "time      : this device reports no times\n",
         [] { print_time("", NAN, 1, "GB/s"); });

  // The source lies beside the program: one place.
  const std::string beside = program_folder().string() + "/",
                    here = std::filesystem::current_path();
  const std::string caller = beside + "host.cpp";
  std::string places = "  " + beside + "none.cl  (not there)\n";
  if (here + "/" != beside)
    places += "  " + here + "/none.cl  (not there)\n";
  ends("a kernel that is nowhere", stderr, said, EXIT_FAILURE,
       "no kernel source: looked for none.cl at\n" + places,
       [&] { find_file("none.cl", caller.c_str()); });

  refuses_files(said, folder);

  remove(said.c_str());
  remove(source.c_str());
  remove(folder);
  printf("%zu texts, %zu failures\n", cases, failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
