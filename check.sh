#!/usr/bin/env bash
# Sets up what is missing and checks your answers to the exercises. See --help.
set -u
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

case ${1-} in
-h | --help)
  cat <<'EOF'
usage: ./check.sh                        all exercises: what is done, and what is next
       ./check.sh 06                     the exercises of a chapter
       ./check.sh 06/1                   one exercise; its folder will do as well
       ./check.sh 06/1 --hint            and a hint for what is wrong, if you want one
       ./check.sh --watch [06]           checks at each save, and goes on when an exercise is done
                                         (keys: h a hint, n the next exercise, q quits)
       ./check.sh --reset 06/1           gives the starter back, and keeps what you had
       ./check.sh --report results.csv   the overview, and a file of it for the teacher
       ./check.sh --again                checks also what has not changed since its last check
Your answer is compiled, run on PoCL at several sizes, and run under Oclgrind, which finds data races
and memory errors. Exit code 0: all that was asked for is right; 1: not yet; 2: no such exercise;
3: right on PoCL, but not checked for races, because Oclgrind is not available.
Your program runs without a network, and can write into its own folder only, where bubblewrap is there.
Installs what is missing (with apt; elsewhere it says what to install).
EOF
  exit 0
  ;;
esac

optional=() # where an exercise that is asked for wants MPI
for wish in "$@"; do
  number=${wish%%[/-]*}
  ! grep -qs 'find_package(MPI' "$root/$number"-*/CMakeLists.txt || optional=(libopenmpi-dev openmpi-bin)
done
# Everybody's answer is checked on PoCL, also where a GPU's driver would do for the chapters.
[ -n "${OCL_ICD_VENDORS-}" ] || [ "$(uname -s)" = Darwin ] ||
  found_file {,"${CONDA_PREFIX-}"}/etc/OpenCL/vendors/*pocl*.icd || optional+=(pocl-opencl-icd)
setup python3 oclgrind bubblewrap ${optional[@]+"${optional[@]}"} ||
  say "going on with what is there: what could not be checked is said below"
command -v python3 >/dev/null || {
  say "check.sh needs Python 3"
  exit 1
}
PYTHONUTF8=1 PYTHONPATH=$root exec python3 "$root/checker/cli.py" "$@"
