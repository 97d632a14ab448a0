#!/usr/bin/env bash
# Sets up what is missing, builds, and runs the chapters. See --help.
set -u
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

case ${1-} in
-h | --help)
  cat <<'EOF'
usage: ./run.sh                  every chapter, in order
       ./run.sh 06               one chapter
       ./run.sh 06 1000003       one chapter with its arguments (./run.sh 06 --help lists them)
       OCL_DEVICE=cpu ./run.sh   on another device; chapter 02 shows which there are
Installs what is missing (with apt; elsewhere it says what to install) and builds into build/.
EOF
  exit 0
  ;;
esac

chapters=()
for folder in "$root"/[0-9][0-9]-*/; do chapters+=("$(basename "$folder")"); done

wanted=("${chapters[@]}")
number=""
if [ $# -gt 0 ]; then
  number=$1
  [[ $number =~ ^[0-9]$ ]] && number=0$number
  wanted=()
  for chapter in "${chapters[@]}"; do
    [ "$chapter" = "$number" ] || [ "${chapter%%-*}" = "$number" ] && wanted+=("$chapter")
  done
  if [ ${#wanted[@]} -eq 0 ]; then
    printf "no chapter '%s'; there are:\n" "$1" >&2
    printf '  %s\n' "${chapters[@]}" >&2
    exit 2
  fi
  shift
fi

# A chapter that wants MPI is left out where that is not to be had, and the others go on.
optional=()
for chapter in "${wanted[@]}"; do
  ! grep -q 'find_package(MPI' "$root/$chapter/CMakeLists.txt" || optional=(libopenmpi-dev openmpi-bin)
done
setup ${optional[@]+"${optional[@]}"} || exit 1
say "building in $root/build"
target=chapters # and nothing that only the tests want
[ ${#wanted[@]} -eq 1 ] && target=${wanted[0]}
build "$root" --target "$target" || exit 1

built=()
for chapter in "${wanted[@]}"; do
  why=$root/build/$chapter/left-out
  if [ -e "$why" ]; then say "$chapter is left out: $(cat "$why")"; else built+=("$chapter"); fi
done
[ ${#built[@]} -gt 0 ] || exit 1
wanted=("${built[@]}")
# Runs a program, and again where it is aborted, as PoCL 5.0 does now and then with two sub-devices.
run() { # PROGRAM ARGUMENT...
  local try code
  for try in 1 2 3 4; do
    "$@"
    code=$?
    if [ $code != 134 ] || [ $try = 4 ]; then return $code; fi
    say "the OpenCL implementation aborted it: once more (docs/tools.md, \"Several programs at once\")" >&2
  done
}

if [ -n "$number" ]; then
  "$root/build/${wanted[0]}/${wanted[0]}" "$@" # not again: what breaks off may be a kernel that somebody is changing
  code=$?
  try_each_driver $code "$root/build/${wanted[0]}/${wanted[0]}" "$@" >&2
  exit $code
fi
failed=()
for chapter in "${wanted[@]}"; do
  printf '\n== %s\n' "$chapter"
  run "$root/build/$chapter/$chapter"
  code=$?
  [ $code = 0 ] || failed+=("$chapter")
  [ ${#failed[@]} != 1 ] || try_each_driver $code "$root/build/$chapter/$chapter" >&2
done
printf '\n%d of %d chapters passed' $((${#wanted[@]} - ${#failed[@]})) ${#wanted[@]}
if [ ${#failed[@]} -gt 0 ]; then
  printf '; FAILED: %s\n' "${failed[*]}"
  exit 1
fi
printf '\n'
