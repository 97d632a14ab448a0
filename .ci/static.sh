#!/usr/bin/env bash
# The static checks: formatting, clang-tidy, cppcheck, ShellCheck and, for Python, Ruff. With an argument, such as 05, clang-tidy
# and cppcheck, which take minutes, see only programs whose path begins so. Needs a build folder
# with compile_commands.json (the default preset makes one). Every check runs; exit code 1 if any
# found something. A missing tool is an error: these checks are CI's, and CI installs them.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

failed=0
check() { # NAME COMMAND...
  local name=$1
  shift
  printf -- '-- %s\n' "$name"
  "$@" || {
    printf 'FAILED: %s\n' "$name"
    failed=1
  }
}

files() { git ls-files --cached --others --exclude-standard -- "$@"; }
mapfile -t cxx < <(files '*.cpp' '*.h')
mapfile -t kernels < <(files '*.cl')
mapfile -t shell < <(files '*.sh' '.ci/run')
mapfile -t python < <(files '*.py')
# What the default build compiles; peers that need a library which is missing are not in there.
mapfile -t compiled < <(for file in "${cxx[@]}"; do
  case $file in "${1-}"*.cpp) grep -qF "/$file\"" build/compile_commands.json && echo "$file" ;; esac
done)
[ ${#compiled[@]} -gt 0 ] || {
  echo "no program${1:+ that begins with $1} in build/compile_commands.json" >&2
  exit 2
}

# shellcheck disable=SC2317 # called through check
merged() { ! git grep -nE '^(<{7}|>{7}) '; }
check "no marks of an unfinished merge" merged
check "clang-format, ${#cxx[@]} C++ files and ${#kernels[@]} kernels" \
  clang-format --dry-run --Werror "${cxx[@]}" "${kernels[@]}"
# shellcheck disable=SC2317 # called through check
tidy() { printf '%s\n' "${compiled[@]}" | xargs -P 2 -n 2 clang-tidy --quiet -p build 2>/dev/null; }
check "clang-tidy, ${#compiled[@]} files" tidy
# One at a time: programs that are never linked together may each have a struct of the same name.
check "cppcheck, ${#compiled[@]} files" xargs -0 -n 1 -P 2 cppcheck --quiet \
  --enable=warning,performance,portability --inline-suppr --std=c++17 --error-exitcode=1 \
  --suppress=missingIncludeSystem < <(printf '%s\0' "${compiled[@]}")
check "shellcheck, ${#shell[@]} scripts" shellcheck -x "${shell[@]}"
# Ruff is in no Debian: in its own environment, in the version of requirements.txt. Only outside CI may it be missing.
if ! cmp -s .ci/requirements.txt build/ruff/requirements.txt; then
  python3 -m venv --clear build/ruff &&
    build/ruff/bin/pip install --quiet --disable-pip-version-check -r .ci/requirements.txt &&
    cp .ci/requirements.txt build/ruff/
fi
if [ -f build/ruff/requirements.txt ] || [ -n "${CI-}" ]; then
  check "ruff format, ${#python[@]} files" build/ruff/bin/ruff format --quiet --diff "${python[@]}"
  check "ruff check, ${#python[@]} files" build/ruff/bin/ruff check --quiet "${python[@]}"
else
  echo "SKIPPED: ruff cannot be installed here (pip install -r .ci/requirements.txt)"
fi
exit $failed
