#!/usr/bin/env bash
# The chapters on ARM64, as well as another processor can play one: Debian 12 for ARM64 in a folder, its programs run
# by qemu-user, each chapter compiled there and run on PoCL at a small size.
#   tests/fresh_systems/arm64.sh [CHAPTER...]      06-dot-product-reduction; without one: all
# Needs root, debootstrap, qemu-user-static, and Linux 6.7 or newer: there a user namespace has a binfmt_misc of its
# own, so that nothing is registered for the whole machine. Exit code 77 where that is not to be had.
set -eu
self=$(readlink -f "${BASH_SOURCE[0]}")
checkout=${self%/tests/*}
roots=${ROOTS_DIR:-$checkout/build-roots}
root=$roots/arm64

# In the namespaces, as their root.
inside() { # COMMAND...
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t proc proc "$root/proc"
  mkdir -p "$root/checkout"
  mount --bind "$checkout" "$root/checkout"
  exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"
}

# A user namespace in which every number stands for the same user as outside. The command waits until that is written.
within() { # COMMAND...
  local pid go=$roots/arm64.go
  rm -f "$go" && mkfifo "$go"
  # shellcheck disable=SC2016 # its own arguments
  unshare --user --mount --pid --fork --kill-child sh -c 'read -r _ <"$0" && exec "$@"' "$go" "$self" inside "$@" &
  pid=$!
  while [ "$(readlink "/proc/$pid/ns/user")" = "$(readlink /proc/self/ns/user)" ]; do sleep 0.1; done
  echo 0 0 65536 >"/proc/$pid/uid_map"
  echo 0 0 65536 >"/proc/$pid/gid_map"
  echo go >"$go"
  wait "$pid"
}

# debootstrap in two halves: the second one runs the programs of the other processor, and may not make devices there.
make_root() {
  rm -rf --one-file-system "$root"
  debootstrap --arch=arm64 --foreign --variant=minbase --include=g++,opencl-headers,ocl-icd-opencl-dev,pocl-opencl-icd \
    bookworm "$root" "${MIRROR_DEBIAN:-http://deb.debian.org/debian}"
  mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/90machine"
  for name in check_sane_mount setup_devices setup_proc; do echo "$name() { :; }"; done >>"$root/debootstrap/functions"
  within /debootstrap/debootstrap --second-stage
}

if [ "${1-}" = inside ]; then
  shift
  inside "$@"
fi
for tool in debootstrap unshare qemu-aarch64-static; do
  command -v $tool >/dev/null || { echo "$tool is missing" >&2 && exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "only root can build a system and change into it" >&2 && exit 77; }
mkdir -p "$roots"
if [ -d "$root/debootstrap" ] || [ ! -x "$root/usr/bin/g++" ]; then make_root; fi
code=0
# shellcheck disable=SC2016 # for the other shell
within bash -c '
  uname -m
  cd /checkout || exit 1
  failed=0
  [ $# -gt 0 ] || set -- [0-9][0-9]-*/
  for chapter in "${@%/}"; do
    case $chapter in 02-*) size=() ;; *matmul* | 23-*) size=(17 33 65) ;; *) size=(1000) ;; esac
    if grep -q "^#include <mpi.h>" "$chapter/host.cpp"; then echo "$chapter: SKIPPED, no MPI there" && continue; fi
    g++ -std=c++17 -O1 -o "/tmp/$chapter" "/checkout/$chapter/host.cpp" -lOpenCL || exit 1
    XDG_CACHE_HOME=$(mktemp -d) POCL_CACHE_DIR=/tmp/pocl "/tmp/$chapter" "${size[@]}" >/tmp/out 2>&1 || failed=1
    echo "$chapter ${size[*]}: $(tail -n 1 /tmp/out)"
  done
  exit $failed' bash "$@" >"$root.txt" 2>&1 || code=$?
cat "$root.txt"
exit $code
