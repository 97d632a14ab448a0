#!/usr/bin/env bash
# pytest, by the first Python that has it with its two plugins; where none has, by one of its own, from PyPI.
export PYTHONUTF8=1 # whatever the locale
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
own=$root/build/pytest/bin/python
for python in python3 /usr/bin/python3 "$own"; do
  "$python" -c 'import pytest, xdist, pytest_timeout' 2>/dev/null && break
done
if ! "$python" -c 'import pytest, xdist, pytest_timeout' 2>/dev/null; then
  echo "installing: pytest from PyPI, into build/pytest/"
  python3 -m venv "$root/build/pytest" && "$own" -m pip install -q pytest pytest-xdist pytest-timeout || exit 1
fi
cd "$root" && exec "$python" -m pytest "$@"
