# Sourced by run.sh and test.sh: installs what is missing to build and run the chapters.
#
# setup PACKAGES_FOR_TESTS...   with apt, through sudo when not root; elsewhere it says what to
#                               install. What is there already is not touched.
# shellcheck shell=bash

say() { printf '%s\n' "$*"; }

# Is version $1 at least version $2?
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# Prints the Debian packages that are missing for building and running the chapters.
missing_packages() {
  command -v c++ >/dev/null || say g++
  command -v cmake >/dev/null || say cmake
  command -v make >/dev/null || command -v ninja >/dev/null || say make
  [ "$(uname -s)" = Darwin ] && return # OpenCL is part of macOS
  found_file /usr/include/CL/cl.h /usr/local/include/CL/cl.h || say opencl-headers
  found_file /usr/lib/*/libOpenCL.so /usr/lib64/libOpenCL.so /usr/lib/libOpenCL.so \
    /usr/local/lib/libOpenCL.so || say ocl-icd-opencl-dev
  found_file /etc/OpenCL/vendors/*pocl*.icd || say pocl-opencl-icd
}

found_file() {
  local file
  for file in "$@"; do [ -e "$file" ] && return 0; done
  return 1
}

how_to_install() {
  say "Please install a C++17 compiler, CMake 3.25 or newer, make, the OpenCL headers, the OpenCL ICD"
  say "loader and PoCL, then run this again. (Only Debian 12 has been tried.)"
  say "  Fedora:  sudo dnf install gcc-c++ cmake make opencl-headers ocl-icd-devel pocl"
  say "  Arch:    sudo pacman -S gcc cmake make opencl-headers ocl-icd pocl"
  say "  macOS:   xcode-select --install; brew install cmake   (OpenCL is part of macOS)"
}

install_with_apt() {
  local as_root=""
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "Not root, and sudo is not there. As root:  apt-get install $*"
      return 1
    fi
    as_root=sudo
  fi
  say "installing: $*"
  local log
  log=$(mktemp)
  if ! { $as_root apt-get update &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } \
    >"$log" 2>&1; then
    cat "$log"
    rm -f "$log"
    say "apt-get failed: see above"
    return 1
  fi
  rm -f "$log"
}

setup() {
  local missing package
  missing=$(missing_packages)
  for package in "$@"; do # a program of this name, or a package that dpkg knows
    command -v "$package" >/dev/null ||
      dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing="$missing $package"
  done
  missing=$(say "$missing" | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
  if [ -n "$missing" ]; then
    if command -v apt-get >/dev/null; then
      # shellcheck disable=SC2086 # a list of words
      install_with_apt $missing || return 1
    else
      say "missing here: $missing (by the names of Debian's packages)"
      if [ -n "$(missing_packages)" ]; then
        how_to_install
        return 1
      fi
    fi
  fi
  local version
  version=$(cmake --version | sed -n 's/^cmake version //p')
  if ! at_least "$version" 3.25; then
    say "CMake $version is too old: the presets need 3.25 or newer (pip install cmake has one)"
    return 1
  fi
}

# Configures and builds in ROOT/build. $1: ROOT; more arguments: for cmake --build.
# Quiet when all goes well; on failure the whole log is shown.
build() {
  local root=$1 log fresh=()
  shift
  log=$(mktemp)
  # A build folder that came along with a copied or moved repository is of no use.
  if [ -f "$root/build/CMakeCache.txt" ] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$root/build/CMakeCache.txt"; then
    fresh=(--fresh)
  fi
  if ! { (cd "$root" && cmake ${fresh[@]+"${fresh[@]}"} --preset default) &&
    cmake --build "$root/build" --parallel 2 "$@"; } >"$log" 2>&1; then
    cat "$log"
    rm -f "$log"
    say "the build failed: see above"
    return 1
  fi
  rm -f "$log"
}
