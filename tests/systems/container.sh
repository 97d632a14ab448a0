#!/usr/bin/env bash
# Builds the container of .devcontainer/ and uses it as Codespaces or VS Code would: what devcontainer.json runs at the
# first start, then ./run.sh 06, and ./check.sh 06/1 with the solution in place. No daemon and no registry: buildah
# builds and runs it, and its base is made by tests/fresh_systems/root.sh and given the name that the Dockerfile asks for.
# Needs root; exit code 77 where something is missing.
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
roots=${ROOTS_DIR:-$root/build-roots}
stop() { # EXIT-CODE WORDS
  echo "$2"
  exit "$1"
}
[ "$(id -u)" = 0 ] || stop 77 "SKIPPED: only root can build the base"
command -v buildah >/dev/null || stop 77 "SKIPPED: buildah is missing (on Debian and Ubuntu: apt install buildah)"
"$root/tests/fresh_systems/root.sh" make bookworm

scratch=$(mktemp -d)
buildah() { command buildah --storage-driver vfs --root "$scratch/storage" --runroot "$scratch/run" "$@"; }
trap 'buildah rm --all >/dev/null 2>&1; rm -rf --one-file-system "$scratch"' EXIT

base=$(sed -n 's/^FROM //p' "$root/.devcontainer/Dockerfile")
[ "$base" = debian:12 ] || stop 1 "FAILED  the Dockerfile is built on $base, and this script has only debian:12"
container=$(buildah from scratch)
buildah add --quiet "$container" "$roots/bookworm.tar" / >/dev/null
apt-config dump Acquire | grep '^Acquire::Check-' >"$scratch/90machine" || : # whether old lists of packages count
buildah copy --quiet "$container" "$scratch/90machine" /etc/apt/apt.conf.d/ >/dev/null
buildah commit --quiet "$container" "docker.io/library/$base" >/dev/null
buildah rm "$container" >/dev/null

echo "---- building it"
buildah build --pull-never --isolation chroot --tag lessons "$root/.devcontainer" >"$scratch/log" 2>&1 ||
  stop 1 "$(tail -n 30 "$scratch/log")
FAILED  the container does not build"
container=$(buildah from --pull-never lessons)
# As Codespaces does: the checkout comes from outside.
git clone --quiet "$root" "$scratch/checkout"
cp "$scratch"/checkout/06-*/exercises/1-*/solution/* "$(dirname "$scratch"/checkout/06-*/exercises/1-*/README.md)"
first=$(sed -n 's/.*"postCreateCommand": "\(.*\)",\?$/\1/p' "$root/.devcontainer/devcontainer.json")
use() { # COMMAND WORDS: the output must contain the words
  echo "---- $1"
  buildah run --isolation chroot --volume "$scratch/checkout:/workspaces/lessons" --workingdir /workspaces/lessons \
    "$container" -- bash -c "$1" >"$scratch/log" 2>&1 || stop 1 "$(cat "$scratch/log")
FAILED  $1"
  tail -n 4 "$scratch/log"
  grep -q "$2" "$scratch/log" || stop 1 "FAILED  it does not say: $2"
  ! grep "^installing" "$scratch/log" || stop 1 "FAILED  the container lacks what had to be installed"
}
use "$first" "Built target"
use "build/tests/implementation" "rounds"
use "./run.sh 06" "PASSED"
use "./check.sh 06/1" "passed"
