# Sourced by run.sh, test.sh and check.sh, which set $root: installs what is missing to build and run the chapters.
#
# setup PACKAGES_FOR_TESTS...   with apt, through sudo when not root; elsewhere it says what to
#                               install. What is there already is not touched.
# shellcheck shell=bash

say() { printf '%s\n' "$*"; }

# Is version $1 at least version $2?
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# Prints the Debian packages that are missing for building and running the chapters. What is there by whatever way is
# enough, so the compiler, the linker and the ICD loader are asked, unless all lies where Debian's packages put it.
missing_packages() {
  command -v cmake >/dev/null || say cmake
  command -v make >/dev/null || command -v ninja >/dev/null || say make
  command -v "${CXX:-c++}" >/dev/null || { say g++ && return; }
  [ "$(uname -s)" = Darwin ] && return # OpenCL is part of macOS
  [ -z "${OCL_ICD_VENDORS-}" ] && found_file /usr/include/CL/cl.h && found_file /usr/lib/*/libOpenCL.so &&
    found_file /etc/OpenCL/vendors/*pocl*.icd && return
  local folder where=() folders
  folder=$(mktemp -d)
  IFS=: read -ra folders <<<"${CMAKE_PREFIX_PATH-}:${CONDA_PREFIX-}"
  for place in ${folders[@]+"${folders[@]}"}; do
    for lib in "$place"/lib "$place"/lib/*-linux-gnu; do
      [ ! -d "$lib" ] || where+=("-I$place/include" "-L$lib" "-Wl,-rpath,$lib")
    done
  done
  cat >"$folder/ask.cpp" <<'EOF'
#include <CL/cl.h>
int main() { // 1: no device
  cl_platform_id platforms[16];
  cl_uint num_platforms = 0, num_devices, all = 0;
  clGetPlatformIDs(16, platforms, &num_platforms);
  for (cl_uint p = 0; p < num_platforms && p < 16; p++)
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, nullptr, &num_devices) == CL_SUCCESS)
      all += num_devices;
  return all == 0;
}
EOF
  if ! "${CXX:-c++}" ${where[@]+"${where[@]}"} -fsyntax-only "$folder/ask.cpp" 2>/dev/null; then
    say opencl-headers
    found_file /usr/lib/*/libOpenCL.so /usr/lib64/libOpenCL.so || say ocl-icd-opencl-dev
    found_file "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd || say pocl-opencl-icd
  elif ! "${CXX:-c++}" ${where[@]+"${where[@]}"} "$folder/ask.cpp" -lOpenCL -o "$folder/ask" 2>/dev/null; then
    say ocl-icd-opencl-dev
    found_file "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd || say pocl-opencl-icd
  else
    { "$folder/ask"; } 2>/dev/null # with what the shell says of a driver that aborts
    [ $? != 1 ] || say pocl-opencl-icd
  fi
  rm -rf "$folder"
}

found_file() {
  local file
  for file in "$@"; do [ -e "$file" ] && return 0; done
  return 1
}

how_to_install() {
  say "Please install a C++17 compiler, CMake 3.25 or newer, make, the OpenCL headers, the OpenCL ICD"
  say "loader and PoCL, then run this again. (Tried: Debian 12 and 13, Ubuntu 24.04.)"
  say "  without root: docs/setup.md#without-root"
  say "  Fedora:  sudo dnf install gcc-c++ cmake make opencl-headers ocl-icd-devel pocl"
  say "  Arch:    sudo pacman -S gcc cmake make opencl-headers ocl-icd pocl"
  say "  macOS:   xcode-select --install; brew install cmake   (OpenCL is part of macOS)"
}

# Is this there? A program, a package that dpkg knows, or Oclgrind where tests/running.py looks for it.
have() {
  command -v "$1" >/dev/null || dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed' ||
    { [ "$1" = oclgrind ] && command -v "${OCLGRIND:-$root/build-oclgrind/bin/oclgrind}" >/dev/null; }
}

# Runs apt-get as root; what it says goes to the file $log.
apt_as_root() {
  local as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" >>"$log" 2>&1
}

# Installs the packages: in one go, and where that fails, each on its own. What comes of it, the caller looks at.
install_with_apt() {
  command -v apt-get >/dev/null || return
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    say "Not root, and sudo is not there. As root:  apt-get install $*"
    return
  fi
  say "installing: $*"
  apt_as_root update || say "apt-get update failed; going on with what apt knows"
  apt_as_root install -y --no-install-recommends "$@" || {
    local package
    for package in "$@"; do apt_as_root install -y --no-install-recommends "$package"; done
  }
}

# Where the system has no Oclgrind: the one from PyPI, into a folder of the checkout.
install_oclgrind() {
  [ "$(uname -sm)" = "Linux x86_64" ] && command -v python3 >/dev/null || return
  python3 -c 'import ensurepip, venv' 2>/dev/null || install_with_apt python3-venv
  say "installing: Oclgrind from PyPI, into build-oclgrind/"
  "$root/tools/install_oclgrind.sh" >>"$log" 2>&1
}

# Each package on its own: what the tests want and the system does not have is named, and stops nothing; without what
# the chapters need, the answer is 1. $root: the checkout.
setup() {
  local needed package wanted=() left=() log tried=$root/build/not-to-be-had
  needed=$(missing_packages)
  [ -n "$(find "$tried" -mtime -1 2>/dev/null)" ] || rm -f "$tried" # for a day nobody asks for it again
  for package in "$@"; do
    have "$package" || grep -qxF "$package" "$tried" 2>/dev/null || wanted+=("$package")
  done
  log=$(mktemp)
  if [ -n "$needed" ] || [ ${#wanted[@]} -gt 0 ]; then
    # shellcheck disable=SC2086 # a list of words
    install_with_apt $needed ${wanted[@]+"${wanted[@]}"}
    # Without a compiler nobody could be asked for headers, loader and device. Now there is one.
    case $needed in *g++*) needed=$(missing_packages) ;; *) needed="" ;; esac
    # shellcheck disable=SC2086 # a list of words
    [ -z "$needed" ] || install_with_apt $needed
    case " ${wanted[*]-} " in *" oclgrind "*) have oclgrind || install_oclgrind ;; esac
  fi
  for package in "$@"; do have "$package" || left+=("$package"); done
  if [ ${#left[@]} -gt 0 ]; then
    say "could not be installed: ${left[*]}. What needs it is left out by name; everything else works."
    say "(The next try is tomorrow, or when you delete $tried.)"
    mkdir -p "$root/build" && for package in "${left[@]}"; do
      grep -qxF "$package" "$tried" 2>/dev/null || say "$package" >>"$tried"
    done
  fi
  needed=$(missing_packages | tr '\n' ' ')
  if [ -n "$needed" ]; then
    cat "$log"
    say "Missing, and the chapters cannot be built or run without: $needed(Debian's names)"
    how_to_install
  fi
  rm -f "$log"
  [ -z "$needed" ] || return 1
  local version
  version=$(cmake --version | sed -n 's/^cmake version //p')
  if ! at_least "$version" 3.25; then
    say "CMake $version is too old: 3.25 or newer is needed (docs/setup.md#an-old-cmake says how to get one)"
    return 1
  fi
}

# A program ended with the exit code $1: the one of a signal, or of a library that could not be loaded? Then it is run
# once more for each OpenCL driver that is installed, with that one alone. The rest: the program and its arguments.
try_each_driver() {
  local code=$1 vendors=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors} icds icd alone
  shift
  case $code in 127 | 132 | 134 | 135 | 136 | 139) ;; *) return ;; esac
  icds=("$vendors"/*.icd)
  [ ${#icds[@]} -gt 1 ] || return
  alone=$(mktemp -d)
  say "The program broke off (exit code $code). With one OpenCL driver at a time, of $vendors:"
  for icd in "${icds[@]}"; do
    rm -f "$alone"/*
    cp "$icd" "$alone"
    say "  ${icd##*/} alone: exit code $(exec 2>/dev/null; unset OCL_ICD_FILENAMES; OCL_ICD_VENDORS=$alone "$@" >/dev/null; echo $?)"
  done
  rm -rf "$alone"
  say "0 is a driver that works, 1 one without a device; docs/errors.md#one-driver-at-a-time"
  say "Where none works, it is the program: does a kernel that you have changed write past the end of a buffer? oclgrind says so."
}

# Configures and builds in ROOT/build. $1: ROOT; more arguments: for cmake --build.
# Quiet when all goes well; on failure the whole log is shown.
build() {
  local root=$1 log fresh=() clean=()
  shift
  case $root in
  *[]\[\;:\"\|\\]*)
    say "CMake and make cannot build in a folder with [ ] ; : | \" or \\ in its path; please move this one: $root"
    return 1
    ;;
  esac
  if ! mkdir -p "$root/build" 2>/dev/null || [ ! -w "$root/build" ]; then
    say "This folder cannot be written to: $root"
    say "Copy it to one of yours, and work there:   cp -r '$root' ~/opencl-step-by-step"
    return 1
  fi
  log=$(mktemp)
  # A build folder that came along with a copied or moved repository is of no use: its programs know the old place of their kernels.
  if [ -f "$root/build/CMakeCache.txt" ] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$root/build/CMakeCache.txt"; then
    fresh=(--fresh) clean=(--clean-first)
  fi
  if ! { (cd "$root" && cmake ${fresh[@]+"${fresh[@]}"} --preset default) &&
    cmake --build "$root/build" ${clean[@]+"${clean[@]}"} --parallel 2 "$@"; } >"$log" 2>&1; then
    cat "$log"
    rm -f "$log"
    say "the build failed: see above"
    return 1
  fi
  rm -f "$log"
}
