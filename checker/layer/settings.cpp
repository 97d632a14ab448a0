// The settings (README.md), of the file that LAYER_SETTINGS names.
#include "layer.h"

#include <fstream>
#include <sstream>

// NOLINTNEXTLINE(cert-err58-cpp): without memory nothing can be tested
static std::map<std::string, std::string> &settings = *new std::map<std::string, std::string>;

static const char *const known_keys =
    " log commands fail code function fork alone clock floor warm_up durations "
    "drop corrupt way changes result keep take add late after before floats items "
    "sources order devices on_paper beside device.name device.driver device.type "
    "device.version device.extensions device.features device.partition device.compute_units "
    "device.vector_width device.local_memory device.global_memory device.buffer device.unified "
    "device.group device.sizes device.kernel_group device.barrier_group device.multiple "
    "device.fma device.capability device.times device.resolution ";

std::vector<std::string> words_of(const std::string &text, const char separator) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; std::getline(stream, word, separator);)
    if (!word.empty() || separator != ' ')
      words.push_back(word);
  return words;
}

void read_settings(const char *path) {
  std::ifstream file(path);
  if (!file)
    give_up(std::string("LAYER_SETTINGS names no file that can be read: ") + path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    const size_t equals = line.find(" = ");
    const std::string key = line.substr(0, equals);
    if (equals == std::string::npos || strstr(known_keys, (" " + key + " ").c_str()) == nullptr)
      give_up(std::string(path) + " has a line that means nothing: " + line);
    settings[key] = line.substr(equals + 3);
  }
}

bool is_set(const std::string &key) {
  return settings.count(key) != 0;
}

bool is_set_any(const std::string &start) {
  const auto place = settings.lower_bound(start);
  return place != settings.end() && place->first.rfind(start, 0) == 0;
}

const std::string &setting(const std::string &key) {
  static const std::string &none = *new std::string; // NOLINT(cert-err58-cpp): as above
  const auto place = settings.find(key);
  return place == settings.end() ? none : place->second;
}

cl_ulong number(const std::string &key, const cl_ulong otherwise) {
  return is_set(key) ? strtoull(setting(key).c_str(), nullptr, 10) : otherwise;
}
