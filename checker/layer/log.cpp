// The log: a line for each call and for what else is of interest, README.md lists them; and files.
#include "layer.h"

#include <cstdarg>
#include <fstream>
#include <iterator>
#include <set>

#include <sys/stat.h>
#include <unistd.h>

struct log_state {
  FILE *file = nullptr;
  std::map<const void *, std::string> names;
  std::map<std::string, int> numbers; // of the objects of a kind so far
  std::set<int> open_at_first;        // descriptors
};
static log_state &the = *new log_state; // NOLINT(cert-err58-cpp): see layer.cpp

void open_log() {
  if (!is_set("log"))
    return;
  std::string path = setting("log");
  if (path.back() == '/') // a folder: several processes at once
    path += std::to_string(getpid());
  the.file = fopen(path.c_str(), "a");
  if (the.file == nullptr)
    give_up("log names no file that can be written to");
  note("layer");
}

void close_log() {
  the.file = nullptr; // without closing it: what it holds is the parent's
}

void note(const char *text, ...) { // NOLINT(cert-dcl50-cpp): as printf
  if (the.file == nullptr)
    return;
  const std::lock_guard<std::recursive_mutex> lock(layer.mutex);
  va_list values;
  va_start(values, text);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is not
  vfprintf(the.file, text, values);
  va_end(values);
  fputc('\n', the.file);
  fflush(the.file); // nothing may be lost where the program crashes, or be there twice after a fork
}

// For other libraries, as mpi_probe.cpp.
extern "C" void layer_note(const char *line) {
  note("%s", line);
}

bool is_logging() {
  return the.file != nullptr;
}

std::string name_of(const void *handle, const std::string &otherwise) {
  const std::lock_guard<std::recursive_mutex> lock(layer.mutex);
  const auto place = the.names.find(handle);
  return handle == nullptr || place == the.names.end() ? otherwise : place->second;
}

std::string new_name(const void *handle, const char *kind) {
  const std::lock_guard<std::recursive_mutex> lock(layer.mutex);
  return the.names[handle] = kind + std::to_string(++the.numbers[kind]);
}

std::string hex(const void *data, const size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; i++) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char *>(data)[i]);
    text += digits;
  }
  return text;
}

std::vector<char> read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string &path, const void *data, const size_t bytes) {
  FILE *const file = fopen(path.c_str(), "wb");
  if (file == nullptr || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0)
    give_up("a file cannot be written: " + path);
}

// The files of a disk that are open now and were not at first: nobody has closed them. Shared
// memory is an MPI library's own.
void note_open_files(const bool at_first) {
  for (int descriptor = 0; descriptor < 64; descriptor++) {
    char path[4096] = "";
    struct stat what = {};
    if (fstat(descriptor, &what) != 0 || !S_ISREG(what.st_mode) ||
        (the.file != nullptr && descriptor == fileno(the.file)))
      continue;
    if (at_first)
      the.open_at_first.insert(descriptor);
    else if (the.open_at_first.count(descriptor) == 0 &&
             readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path,
                      sizeof path - 1) > 0 &&
             strncmp(path, "/dev/shm/", strlen("/dev/shm/")) != 0)
      note("open %s", path);
  }
}
