#!/usr/bin/env bash
# Runs an MPI program on several hosts that are none: network namespaces of this machine, each with an address and a
# link of its own; what LINK tells `tc` makes the links slow or lossy.
#   tools/hosts.sh 4 build/24-several-machines/24-several-machines 1024
#   LINK='netem delay 1ms loss 0.1%' tools/hosts.sh 4 build/24-several-machines/24-several-machines 1024
#   LINK='tbf rate 1gbit burst 128k latency 50ms' tools/hosts.sh 4 build/24-several-machines/24-several-machines 1024
# A process on each host. Needs root on Linux, iproute2 and Open MPI. What it makes, it takes away again.
# Exit code 77 where that cannot be done here.
set -u
number=${1:?usage: tools/hosts.sh HOSTS COMMAND...}
shift
name=oclmpi$$
skip() { echo "SKIPPED: $*" >&2 && exit 77; }
[ "$(id -u)" = 0 ] || skip "network namespaces are root's to make"
for tool in ip mpirun; do command -v "$tool" >/dev/null || skip "$tool is missing (Debian: iproute2, openmpi-bin)"; done
[ -z "${LINK-}" ] || command -v tc >/dev/null || skip "tc is missing (Debian: iproute2)"

work=$(mktemp -d)
clean_up() {
  local i
  set +e
  for ((i = 1; i <= number; i++)); do ip netns delete "$name-$i"; done
  ip netns delete "$name-0"
  rm -rf "$work"
} 2>/dev/null
trap clean_up EXIT
trap 'exit 1' INT TERM

# Namespace 0 has the switch, to which each host's link leads, and mpirun, by a link of its own.
set -e
ip netns add "$name-0" 2>"$work/why" || skip "no network namespaces here: $(cat "$work/why")"
within() { # NAMESPACE COMMAND...
  local which=$1
  shift
  ip netns exec "$name-$which" "$@"
}
within 0 ip link add br0 type bridge
within 0 ip address add 10.77.0.254/24 dev br0
within 0 ip link set br0 up
within 0 ip link set lo up
: >"$work/hosts"
for ((i = 1; i <= number; i++)); do
  ip netns add "$name-$i"
  within 0 ip link add "to$i" type veth peer name eth0 netns "$name-$i"
  within 0 ip link set "to$i" master br0 up
  within "$i" ip link set lo up
  within "$i" ip address add "10.77.0.$i/24" dev eth0
  within "$i" ip link set eth0 up
  if [ -n "${LINK-}" ]; then
    # shellcheck disable=SC2086 # a list of words
    within "$i" tc qdisc add dev eth0 root $LINK 2>"$work/why" || skip "no such link here: $(cat "$work/why")"
  fi
  echo "10.77.0.$i slots=1" >>"$work/hosts"
done
# What mpirun calls in place of ssh: it enters the namespace that has the address, as a host of another name.
cat >"$work/agent" <<EOF
#!/usr/bin/env bash
host=\$1
shift
exec ip netns exec $name-\${host##*.} unshare --uts sh -c "hostname host\${host##*.}; \$*"
EOF
chmod +x "$work/agent"
set +e
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
within 0 mpirun --hostfile "$work/hosts" -n "$number" --map-by node --bind-to none \
  --mca plm_rsh_agent "$work/agent" --mca plm_rsh_no_tree_spawn 1 --mca btl self,tcp --mca pml ob1 \
  --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 "$@"
