// The file in which chapter 20 remembers the candidate that won.
#pragma once

#include "candidates.h"
#include "launches.h"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <system_error>
#include <vector>

// FNV-1a, a hash of a string (Fowler, Noll and Vo).
inline uint64_t hash_of(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// What a winner holds for: `kind`, the device with the number of its compute units and the class of
// the product, has a file of its own; what it was `made_with`, the driver and a hash of the kernels
// and of the candidates' tables, stands in it.
struct winner_key {
  std::string kind, made_with;
};

inline winner_key key_for(const setup &s, const product &p, const bool cut) {
  const cl_uint units = info_of<cl_uint>(s.device, CL_DEVICE_MAX_COMPUTE_UNITS);
  winner_key key;
  key.kind = "device " + device_text(s.device, CL_DEVICE_NAME) + " (" + platform_name(s.device) +
             "), " + std::to_string(units) + " compute units\nsize " +
             std::to_string(size_class(p.m)) + "x" + std::to_string(size_class(p.n)) + "x" +
             std::to_string(size_class(p.k));
  if (cut)
    key.kind += " of a larger C";
  if (has_odd_rows(p))
    key.kind += " with odd rows";
  key.kind += "\n";
  key.made_with = "driver " + device_text(s.device, CL_DRIVER_VERSION) + "\nkernels " +
                  std::to_string(hash_of(s.tiles + s.panels + all_shapes())) + "\n";
  return key;
}

// Returns the folder for what may be deleted at any time: XDG_CACHE_HOME, or else LOCALAPPDATA on
// Windows and HOME/.cache elsewhere. Empty if none is set (to an absolute path, as the XDG rules
// ask).
inline std::filesystem::path cache_folder() {
  const char *xdg = getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && std::filesystem::path(xdg).is_absolute())
    return xdg;
#ifdef _WIN32
  const wchar_t *local = _wgetenv(L"LOCALAPPDATA"); // wide: a user's name may have any letters
  return local != nullptr ? local : L"";
#else
  const char *home = getenv("HOME");
  return home != nullptr && *home == '/' ? std::filesystem::path(home) / ".cache" : "";
#endif
}

// Returns the file for this key; empty if there is no folder for it.
inline std::filesystem::path winner_file(const winner_key &key) {
  const std::filesystem::path folder = cache_folder();
  char name[64];
  snprintf(name, sizeof name, "20-matmul-autotuned-%016" PRIx64 ".txt", hash_of(key.kind));
  return folder.empty() ? folder : folder / "opencl-step-by-step" / name;
}

// What the file says when it remembers `winner`.
inline std::string file_text(const winner_key &key, const candidate &winner) {
  return "opencl-step-by-step: the winner of 20-matmul-autotuned; may be deleted at any time\n" +
         key.kind + key.made_with + "winner " + candidate_text(winner) + "\n";
}

// Is one of `list` remembered? Then it becomes the `winner`. A file that says anything else is
// ignored, with a word on standard error.
inline bool recall(const winner_key &key, const std::vector<candidate> &list, candidate &winner) {
  const std::filesystem::path path = winner_file(key);
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error))
    return false;
  std::string text; // empty: it is no file, but a folder, for instance
  if (std::filesystem::is_regular_file(path, error)) {
    std::ifstream file(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (const candidate &one : list)
    if (text == file_text(key, one)) {
      fprintf(stderr, "search    remembered: %s (%s)\n", candidate_text(one).c_str(),
              path.string().c_str());
      winner = one;
      return true;
    }
  fprintf(stderr,
          "search    ignored, no candidate for this size, of another driver or kernel, or damaged: "
          "%s\n",
          path.string().c_str());
  return false;
}

// Remembers the winner. Written beside and then renamed, so that nobody reads half a file.
inline void remember(const winner_key &key, const candidate &winner) {
  const std::filesystem::path path = winner_file(key);
  if (path.empty()) {
    fprintf(stderr,
            "search    not remembered: neither XDG_CACHE_HOME nor HOME is an absolute path\n");
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::filesystem::path beside = path;
  beside += "." + std::to_string(std::random_device()()) + ".tmp";
  std::ofstream file(beside, std::ios::binary);
  file << file_text(key, winner);
  file.close();
  if (file)
    std::filesystem::rename(beside, path, error);
  if (!file || error) {
    std::filesystem::remove(beside, error);
    fprintf(stderr, "search    not remembered: cannot write %s\n", path.string().c_str());
  } else
    fprintf(stderr, "search    remembered in %s\n", path.string().c_str());
}
