#!/usr/bin/env bash
# Builds the site from the READMEs and docs/ into build/site/out/ (or the folder given). Needs Python 3 with venv;
# MkDocs and its theme are installed, in the pinned versions, into build/site/venv.
#   site/build.sh [OUTPUT]
# REPOSITORY_URL=https://... puts the address of the repository into the lines that clone it.
# SITE_URL=https://... is where it will stand: links to it then have a picture, card.png.
# Look at it:  python3 -m http.server -d build/site/out
set -eu
export PYTHONUTF8=1 # the pages are UTF-8, whatever the locale
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
output=${1:-$root/build/site/out}
work=$root/build/site
mkdir -p "$work"
if ! cmp -s "$root/site/requirements.txt" "$work/venv/requirements.txt"; then
  python3 -m venv --clear "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check -r "$root/site/requirements.txt"
  cp "$root/site/requirements.txt" "$work/venv/requirements.txt"
fi
python3 "$root/site/assemble.py" "$work" "$output"
# Not --quiet: that would keep the warnings, a dead link or anchor, from --strict, too.
if ! NO_MKDOCS_2_WARNING=1 "$work/venv/bin/mkdocs" build --strict -f "$work/mkdocs.yml" >"$work/log" 2>&1; then
  cat "$work/log" >&2
  exit 1
fi
echo "the site is in $output"
