#!/usr/bin/env bash
# Sets up what is missing, builds, and runs the tests. See --help.
set -u
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

preset=default
chapters=() # for CTest, which runs the chapters and the tests of common/
words=()    # for pytest, which runs the rest
while [ $# -gt 0 ]; do
  case $1 in
  -h | --help)
    cat <<'EOF'
usage: ./test.sh                 the everyday tests, in a few minutes
       ./test.sh --thorough      also the texts, the exercises, the mutants, hostile machines and more
       ./test.sh --release       all of them, those too that take very long
       ./test.sh -k 06           what knows chapter 06; -R is the same
       ./test.sh --record -k 06  writes anew what is recorded of it: read the difference
Whatever follows is for pytest: --lf, -x, -m, the file of a test. tests/README.md says what each test proves.
Installs what is missing (with apt; elsewhere it says what to install) and builds into build/.
EOF
    exit 0
    ;;
  --thorough | --release)
    preset=thorough
    words+=("$1")
    ;;
  -k | -R)
    chapters=(-R "${2-}")
    [[ ${2-} =~ ^[0-9][0-9]$ ]] && chapters=(-R "^$2-") # not the sizes of other chapters that have these digits
    words+=(-k "${2-}")
    [ $# -gt 1 ] && shift
    ;;
  tests/*.py* | --record | -m)
    chapters=(-R '^$') # something that CTest has not
    words+=("$1")
    ;;
  *) words+=("$1") ;;
  esac
  shift
done

setup python3 oclgrind mesa-opencl-icd libopenmpi-dev openmpi-bin python3-pytest python3-pytest-xdist \
  python3-pytest-timeout || exit 1
say "building in $root/build"
targets=(all)
[ $preset = default ] || [ ! -d "$root/examples" ] || targets+=(examples) # only their tests need them
build "$root" --target "${targets[@]}" || exit 1
cd "$root" || exit 1
# What CTest runs: the chapters, and the tests of common/. With -k there may be none of them or none of pytest's, not both.
failed=0 code=0
ctest --preset "$preset" --no-tests=ignore ${chapters[@]+"${chapters[@]}"} || failed=1
if [ -d tests ]; then
  tests/pytest.sh ${words[@]+"${words[@]}"} || code=$?
else
  say "this copy has no tests of its own: only the chapters were run"
fi
if [ $code = 5 ] && [ ${#chapters[@]} -gt 0 ] && ! ctest --preset "$preset" -N "${chapters[@]}" | grep -q '^Total Tests: 0$'; then
  code=0
fi
[ $failed = 0 ] && [ $code = 0 ]
