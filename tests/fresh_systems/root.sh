#!/usr/bin/env bash
# Fresh Debian and Ubuntu systems in folders, to try the tutorial on: see --help.
set -eu
self=$(readlink -f "${BASH_SOURCE[0]}")
roots=${ROOTS_DIR:-${self%/tests/*}/build-roots}

usage() {
  cat <<'END'
usage: tests/fresh_systems/root.sh make SYSTEM
       tests/fresh_systems/root.sh run SYSTEM [--user] [--keep NAME] [--bind FROM TO] COMMAND [WORD ...]
SYSTEM is bookworm (Debian 12), trixie (Debian 13) or noble (Ubuntu 24.04).
make    builds the system with debootstrap, once: a minimal one with git, ca-certificates and sudo.
run     runs a command in a fresh copy of it, which is gone afterwards, as root or (--user) as `student`,
        an ordinary user who may use sudo.
--keep  the copy has this name, stays, and is used again.
--bind  the folder or file FROM of this machine is there as TO; what is written there, is written here.
All of it lies in build-roots/ of the checkout, or in ROOTS_DIR; downloaded packages are kept there. They
come from MIRROR_DEBIAN and MIRROR_UBUNTU, else from where this machine's apt has them from, else from the
distributions' own servers. Needs root, debootstrap and unshare; exit code 77 where one is missing.
END
}

stop() { # EXIT-CODE WORDS...
  local code=$1
  shift
  printf 'root.sh: %s\n' "$*" >&2
  exit "$code"
}

# The mirror of a distribution, "debian" or "ubuntu".
mirror() {
  local variable=MIRROR_${1^^} site own="http://deb.debian.org/debian"
  [ "$1" = debian ] || own="http://archive.ubuntu.com/ubuntu"
  # shellcheck disable=SC2016 # $(SITE) is apt's
  site=${!variable:-$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -m 1 "/$1/*\$" || :)}
  printf '%s\n' "${site:-$own}"
}

# Prints the path of Ubuntu's keys. Debian 12 has no package of them; Debian 13 has, under its signature.
ubuntu_keys() {
  local name=ubuntu-archive-keyring.gpg
  if [ -e "/usr/share/keyrings/$name" ]; then
    printf '%s\n' "/usr/share/keyrings/$name"
    return
  fi
  if [ ! -e "$roots/$name" ]; then
    "$self" run trixie --bind "$roots" /roots sh -c "apt-get -qq update && apt-get -qq install ubuntu-keyring &&
      cp /usr/share/keyrings/$name /roots/$name.new && mv /roots/$name.new /roots/$name" >&2
  fi
  printf '%s\n' "$roots/$name"
}

# Writes what a copy has that a fresh system has not: this machine's way into the network, and a dpkg that does not
# wait for the disk.
take_over() { # ROOT
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
  apt-config dump Acquire | grep -E '^Acquire::(https?|Check-|Retries)' >"$1/etc/apt/apt.conf.d/90machine" || :
  cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/machine.crt" # with one that the network itself may need
  echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/90machine"
}

make_system() {
  local system=$1 site parts=main keys=() script=() root=$roots/$1.new
  case $system in
  noble)
    site=$(mirror ubuntu)
    parts="main universe"
    keys=("--keyring=$(ubuntu_keys)" "--components=main,universe")
    # Older than Ubuntu 24.04, debootstrap has no script for it; 22.04's is the same.
    [ -e /usr/share/debootstrap/scripts/noble ] || script=(/usr/share/debootstrap/scripts/jammy)
    ;;
  *) site=$(mirror debian) ;;
  esac
  wget --quiet --spider --tries=2 --timeout=20 "$site/dists/$system/InRelease" || stop 77 "no way to $site from here"
  if [ -e "$roots/$system.tar" ]; then return; fi
  rm -rf --one-file-system "$root"
  printf 'root.sh: building %s from %s, the log is %s\n' "$system" "$site" "$roots/$system.log" >&2
  debootstrap --variant=minbase --include=git,ca-certificates,sudo "${keys[@]}" "$system" "$root" "$site" \
    "${script[@]}" >"$roots/$system.log" 2>&1 || stop 1 "debootstrap failed: $(tail -n 1 "$roots/$system.log")"
  printf 'deb %s %s %s\n' "$site" "$system" "$parts" "$site" "$system-updates" "$parts" >"$root/etc/apt/sources.list"
  chroot "$root" useradd --create-home --shell /bin/bash student
  echo 'student ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/student"
  rm -f "$root"/var/cache/apt/archives/*.deb
  tar -C "$root" -cf "$roots/$system.tar.new" --one-file-system .
  mv "$roots/$system.tar.new" "$roots/$system.tar"
  rm -rf --one-file-system "$root"
}

# What happens in the namespace of a run; whatever is mounted here goes with it.
inside() { # ROOT CACHE USER [FROM TO]... -- COMMAND...
  local root=$1 cache=$2 user=$3
  shift 3
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount --bind "$cache" "$root/var/cache/apt/archives"
  while [ "$1" != -- ]; do
    if [ -d "$1" ]; then mkdir -p "$root$2"; else mkdir -p "$(dirname "$root$2")" && touch "$root$2"; fi
    mount --bind "$1" "$root$2"
    shift 2
  done
  shift
  local home=/root
  [ "$user" = root ] || home=/home/$user
  # shellcheck disable=SC2046 # a list of NAME=VALUE without spaces
  exec chroot --userspec="$user" "$root" env -i --chdir="$home" HOME="$home" USER="$user" TERM=dumb LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin PIP_CERT=/etc/ssl/machine.crt \
    $(env | grep -iE '^(https?_proxy|no_proxy|PIP_INDEX_URL)=' || :) "$@"
}

run_in() {
  local system=$1 user=root keep="" binds=() root code=0
  shift
  while :; do
    case ${1-} in
    --user) user=student && shift ;;
    --keep) keep=$2 && shift 2 ;;
    --bind) binds+=("$(readlink -f "$2")" "$3") && shift 3 ;;
    *) break ;;
    esac
  done
  [ $# -gt 0 ] || stop 2 "run what?"
  [ -e "$roots/$system.tar" ] || make_system "$system"
  mkdir -p "$roots/$system.debs"
  root=$roots/$system-${keep:-fresh}
  [ -n "$keep" ] || rm -rf --one-file-system "$root"
  [ -d "$root" ] || { mkdir "$root" && tar -C "$root" -xf "$roots/$system.tar"; }
  take_over "$root"
  unshare --mount --pid --fork --kill-child \
    "$self" inside "$root" "$roots/$system.debs" "$user" "${binds[@]}" -- "$@" || code=$?
  [ -n "$keep" ] || rm -rf --one-file-system "$root"
  return "$code"
}

case ${1-} in
-h | --help) usage && exit ;;
make | run)
  case ${2-} in bookworm | trixie | noble) ;; *) usage >&2 && exit 2 ;; esac
  [ "$(id -u)" = 0 ] || stop 77 "only root can build a system and change into it"
  for tool in debootstrap unshare; do
    command -v $tool >/dev/null || stop 77 "$tool is missing (on Debian and Ubuntu: apt install debootstrap util-linux)"
  done
  unshare --mount --pid --fork true 2>/dev/null || stop 77 "no namespaces here: unshare is not allowed"
  mkdir -p "$roots"
  roots=$(cd "$roots" && pwd -P)
  # One at a time for each system: its runs share the folder of packages. What is left in a copy keeps the lock.
  exec 9>"$roots/$2.lock"
  flock 9
  ;;&
make) make_system "$2" ;;
run) shift && run_in "$@" ;;
inside) shift && inside "$@" ;;
*) usage >&2 && exit 2 ;;
esac
