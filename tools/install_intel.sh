#!/usr/bin/env bash
# Puts Intel's OpenCL runtime for CPUs, from PyPI, into build-intel/ (or the folder that $1 names), for the label
# `implementations`: a download of 280 MB, 830 MB installed, x86-64 Linux only. What is there already is not touched.
set -eu
folder=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/../build-intel}")
[ -f "$folder/vendors/intel.icd" ] && exit 0
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0
mkdir -p "$folder/vendors"
printf '%s\n' "$folder/lib/libintelocl.so" >"$folder/vendors/intel.icd"
