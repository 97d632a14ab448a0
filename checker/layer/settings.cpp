// The settings: lines "key = value" of the file that LAYER_SETTINGS names. README.md says what each
// of them does; one that is not known here ends the program.
#include "layer.h"

#include <fstream>
#include <set>
#include <sstream>

// NOLINTNEXTLINE(cert-err58-cpp): without memory nothing can be tested
static std::map<std::string, std::string> &settings = *new std::map<std::string, std::string>;

// Keys of a device (devices.cpp), which stand behind "device.".
static const char *const device_keys =
    "name driver type version extensions features partition compute_units vector_width "
    "local_memory global_memory buffer unified group sizes kernel_group barrier_group multiple fma "
    "capability times resolution";
static const char *const other_keys =
    "log commands data locale fail code onward function fork alone clock floor dip warm_up "
    "durations drop stale corrupt way changes result keep take same add late after "
    "before floats items first sources runs order devices on_paper beside paper_fails";

static std::set<std::string> known_keys() {
  std::set<std::string> keys;
  for (const std::string &key : words_of(other_keys))
    keys.insert(key);
  for (const std::string &key : words_of(device_keys))
    keys.insert("device." + key);
  return keys;
}

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
  const std::set<std::string> known = known_keys();
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos || known.count(line.substr(0, equals)) == 0)
      give_up(std::string(path) + " has a line that means nothing: " + line);
    settings[line.substr(0, equals)] = line.substr(equals + 3);
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
