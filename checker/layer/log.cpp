// The log: a line for each call and for what else is of interest, README.md lists them; and files.
#include "layer.h"

#include <fstream>
#include <iterator>

#include <unistd.h>

struct log_state {
  std::ofstream file;
  std::map<const void *, std::string> names;
  std::map<std::string, int> numbers; // of the objects of a kind so far
};
static log_state &the = *new log_state; // NOLINT(cert-err58-cpp): see layer.cpp

void open_log() {
  if (!is_set("log"))
    return;
  std::string path = setting("log");
  if (path.back() == '/') // a folder: several processes at once
    path += std::to_string(getpid());
  the.file.open(path, std::ios::app);
  if (!the.file)
    give_up("log names no file that can be written to");
  note("layer");
}

void close_log() {
  the.file.close();
}

void note_line(const std::string &line) {
  const std::lock_guard<std::recursive_mutex> lock(layer.mutex);
  if (the.file.is_open()) // flushed: a crash loses nothing, and after a fork nothing is there twice
    the.file << line << std::endl;
}

// For other libraries, as mpi_probe.cpp.
extern "C" void layer_note(const char *line) {
  note(line);
}

void append_line(const std::string &path, const std::string &line) {
  std::ofstream(path, std::ios::app) << line << '\n';
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
    const unsigned byte = static_cast<const unsigned char *>(data)[i];
    text += {"0123456789abcdef"[byte / 16], "0123456789abcdef"[byte % 16]};
  }
  return text;
}

std::vector<char> read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string &path, const void *data, const size_t bytes) {
  std::ofstream file(path, std::ios::binary);
  if (!file.write(static_cast<const char *>(data), static_cast<std::streamsize>(bytes)).flush())
    give_up("a file cannot be written: " + path);
}
