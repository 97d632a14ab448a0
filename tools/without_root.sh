#!/usr/bin/env bash
# OpenCL for a user who may install nothing: see --help.
set -eu
case ${1-} in
-*)
  cat <<'END'
usage: tools/without_root.sh [FOLDER]     FOLDER: where it goes; without, ~/opencl-tools
On Debian and Ubuntu, for x86-64, with a C++ compiler, make and Python 3 there: puts into FOLDER the OpenCL headers and the
ICD loader (Debian's packages, unpacked), PoCL (from PyPI; it is of 2022, so for a processor that it does not know, Intel's
runtime for CPUs, 830 MB), CMake (from PyPI, where the system's is older than 3.25), and a file `env` that a shell reads
before it builds or runs:   . ~/opencl-tools/env && ./run.sh
To be rid of it all: rm -r ~/opencl-tools
END
  exit 0
  ;;
esac
root=$(readlink -f "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..")
# shellcheck source=tools/setup.sh
. "$root"/tools/setup.sh
folder=$(readlink -m "${1:-$HOME/opencl-tools}")
if [ -n "$(ls -A "$folder" 2>/dev/null)" ] && [ ! -d "$folder/vendors" ]; then
  say "$folder has other files in it: name another folder" >&2
  exit 2
fi
mkdir -p "$folder/packages" "$folder/vendors"
cd "$folder"

say "1. headers and loader: apt-get download, unpacked into $folder/usr"
(cd packages && apt-get -q download opencl-c-headers ocl-icd-opencl-dev ocl-icd-libopencl1)
for package in packages/*.deb; do dpkg -x "$package" .; done
lib=$(dirname "$(find "$PWD/usr/lib" -name libOpenCL.so)")

say "2. PoCL, from PyPI"
packages=(pocl-binary-distribution)
at_least "$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p')" 3.25 || packages+=(cmake)
python3 -m venv --without-pip python
pip=("$(command -v python3)" -m pip --python python/bin/python)
"${pip[@]}" --version >/dev/null 2>&1 || { # no pip, or an old one: one of its own
  python3 -m venv python || { say "Python has neither pip nor venv here: https://bootstrap.pypa.io/get-pip.py"; exit 1; }
  pip=(python/bin/python -m pip)
}
"${pip[@]}" install --quiet --disable-pip-version-check "${packages[@]}"
# The wheel's own .icd names the library without its folder, and no loader finds that.
find "$PWD/python" -name 'libpocl*.so' | head -n 1 >vendors/pocl.icd

cat >"$folder/env" <<END
export OCL_ICD_VENDORS='$folder/vendors'                 # the ICD loader reads this in place of /etc/OpenCL/vendors
export CPATH='$folder/usr/include' LIBRARY_PATH='$lib'   # the compiler and CMake look there, too
export LD_LIBRARY_PATH='$lib' PATH='$folder/python/bin':\$PATH
END

say "3. chapters 01 and 15"
# shellcheck source=/dev/null
. ./env
for chapter in 01-vector-add 15-device-ceilings; do # what this PoCL cannot compile for all processors: fma of vectors
  c++ -std=c++17 "$root/$chapter/host.cpp" -lOpenCL -o "try-$chapter"
done
tried() { { ./try-01-vector-add 1000 && ./try-15-device-ceilings 1; } >tried.txt 2>&1; }
if ! tried; then
  say "   do not run with this PoCL ($(grep -m 1 -i error tried.txt || tail -n 1 tried.txt)); so Intel's runtime, from PyPI"
  "${pip[@]}" install --quiet --disable-pip-version-check intel-opencl-rt intel-cmplr-lib-rt
  find "$PWD/python" -name libintelocl.so | head -n 1 >vendors/intel.icd
  rm vendors/pocl.icd
  tried || { cat tried.txt; exit 1; }
fi
head -n 1 tried.txt
say "done. In each shell, before you build or run:   . $folder/env"
