#!/usr/bin/env bash
# Builds the site and tests it, its recordings and the slides, in headless Chromium (tests/site/).
#   site/test.sh [OPTIONS OF PYTEST]      site/test.sh -k players
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
site/build.sh
export SITE=$root/build/site/out
exec build/site/venv/bin/python -m pytest tests/site "$@"
