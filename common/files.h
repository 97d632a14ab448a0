// find_file: where a program's kernel lies, whatever the working directory is.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#if defined(__APPLE__)
#include <mach-o/dyld.h>
#elif defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX // else windows.h makes macros of min and max
#endif
#include <windows.h>
#endif

// The folder that the running program lies in; empty where the system does not tell.
inline std::filesystem::path program_folder() {
  std::error_code error;
#if defined(__APPLE__)
  char name[4096];
  uint32_t size = sizeof name;
  if (_NSGetExecutablePath(name, &size) == 0)
    return std::filesystem::canonical(name, error).parent_path();
  return {};
#elif defined(_WIN32)
  wchar_t name[4096];
  const DWORD length = GetModuleFileNameW(nullptr, name, 4096); // 4096: it is longer than that
  return length < 4096 ? std::filesystem::path(name, name + length).parent_path() : "";
#else
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
#endif
}

// A path as fopen takes it. On Windows fopen knows the letters of one code page only, and a user's
// name may have others: then the path's short name, which is plain.
inline std::string narrow(const std::filesystem::path &path) {
#if defined(_WIN32)
  wchar_t name[4096];
  char text[4096] = "";
  BOOL other_letters = FALSE;
  WideCharToMultiByte(CP_ACP, WC_NO_BEST_FIT_CHARS, path.c_str(), -1, text, sizeof text, nullptr,
                      &other_letters);
  if (other_letters && GetShortPathNameW(path.c_str(), name, 4096) > 0)
    WideCharToMultiByte(CP_ACP, 0, name, -1, text, sizeof text, nullptr, nullptr);
  return text;
#else
  return path.string();
#endif
}

// Returns the path of the file `name`: the first one found beside the program, beside the source
// file of the caller, or in the working directory. None, or one that is no readable file: an error
// that names every place it looked at; exit 1.
inline std::string find_file(const char *name, const char *caller = __builtin_FILE()) {
  const std::filesystem::path folders[] = {program_folder(),
                                           std::filesystem::path(caller).parent_path(), ""};
  std::string places;
  for (const std::filesystem::path &folder : folders) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(folder / name, error);
    std::string path = narrow(whole);
    if (places.find("  " + path + "  ") != std::string::npos)
      continue; // two of the folders are the same
    const bool exists = std::filesystem::exists(whole, error);
    if (exists && std::filesystem::is_regular_file(whole, error) && std::ifstream(whole))
      return path;
    places += "  " + path + (exists ? "  (is there, but cannot be read)\n" : "  (not there)\n");
    if (exists)
      break; // this one is meant: do not take another in its place
  }
  fflush(stdout);
  fprintf(stderr, "no kernel source: looked for %s at\n%s", name, places.c_str());
  exit(EXIT_FAILURE);
}
