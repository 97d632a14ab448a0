#!/usr/bin/env bash
# Sets up what is missing, builds, and runs the tests. See --help.
set -u
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

preset=default
case ${1-} in
-h | --help)
  cat <<'EOF'
usage: ./test.sh                 the everyday tests, in a few minutes
       ./test.sh --thorough      also the texts, the exercises, the mutants, hostile machines and more
       ./test.sh --full          all of them, those too that take very long
       ./test.sh -R 06           any of CTest's options: here the tests with 06 in their names
       ./test.sh --full -L docs  the tests with a label; tests/README.md lists the labels
Installs what is missing (with apt; elsewhere it says what to install) and builds into build/.
EOF
  exit 0
  ;;
--full | --thorough)
  preset=${1#--}
  shift
  ;;
esac

setup python3 oclgrind mesa-opencl-icd libopenmpi-dev openmpi-bin || exit 1
say "building in $root/build"
build "$root" || exit 1
cd "$root" && exec ctest --preset "$preset" "$@"
