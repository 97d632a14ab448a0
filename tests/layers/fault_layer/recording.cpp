// What a program asks OpenCL for, call by call:
//
//   LAYER_CALLS     the file that a line is written to for each call that succeeded, in their
//                   order: its name without "cl", its arguments, and behind "->" what it made.
//                   Objects are numbered as they are made: buffer1, buffer2, ...
//
// Not written: where a pointer of the program's points to ("there"), and what a query gave back.
#include "layer.h"

#include <cstdint>
#include <map>

struct recording_state {
  FILE *file = nullptr; // none: nothing is recorded
  std::map<const void *, std::string> names;
  std::map<std::string, int> numbers; // of the objects of a kind so far
};
static recording_state &recording = *new recording_state; // NOLINT(cert-err58-cpp): see layer.cpp

void read_recording_settings() {
  const std::string path = text_from("LAYER_CALLS");
  if (path.empty())
    return;
  recording.file = fopen(path.c_str(), "w");
  if (recording.file == nullptr)
    give_up("LAYER_CALLS names no file that can be written to");
}

bool is_recording() {
  return recording.file != nullptr && !the.is_child;
}

std::string name_of(const void *handle, const char *kind) {
  if (handle == nullptr)
    return "null";
  const auto place = recording.names.find(handle);
  return place == recording.names.end() ? std::string("a ") + kind : place->second;
}

std::string new_name(const void *handle, const char *kind) {
  return recording.names[handle] = kind + std::to_string(++recording.numbers[kind]);
}

std::string text_of(const uint64_t number) {
  return std::to_string(number);
}

std::string text_of(const size_t *sizes, const cl_uint dims) {
  std::string text = sizes == nullptr ? "null" : "";
  for (cl_uint d = 0; sizes != nullptr && d < dims; d++)
    text += (d == 0 ? "" : "x") + std::to_string(sizes[d]);
  return text;
}

std::string text_of(const cl_device_partition_property *list) {
  if (list == nullptr)
    return "null";
  std::string text;
  for (; *list != 0; list++)
    text += (text.empty() ? "" : " ") + std::to_string(*list);
  return "[" + text + "]";
}

std::string text_of(const cl_event *list, const cl_uint count) {
  std::string text = "[";
  for (cl_uint i = 0; list != nullptr && i < count; i++)
    text += (i == 0 ? "" : " ") + name_of(list[i], "event");
  return text + "]";
}

// An argument of a kernel, or a pattern to fill with: an object's name, or the bytes, last first.
std::string text_of(const void *value, const size_t size) {
  if (value == nullptr)
    return "local";
  const void *handle = nullptr;
  if (size == sizeof handle) {
    memcpy(&handle, value, size);
    if (recording.names.count(handle) != 0)
      return recording.names[handle];
  }
  std::string text = "0x";
  for (size_t i = size; i-- > 0;) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char *>(value)[i]);
    text += digits;
  }
  return text;
}

void write_call(const char *name, const std::string &arguments, const std::string &made) {
  fprintf(recording.file, "%s%s%s%s\n", name + strlen("cl"), arguments.c_str(),
          made.empty() ? "" : " -> ", made.c_str());
  fflush(recording.file);
}
