#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# netns-drop.sh egress|ingress|qdisc|auto [N] - N UDP packets (default 100) that traffic control
# drops, in a network namespace that ends with this script and takes all its devices with it.
#
#   egress    a filter on a veth's way out     TC_EGRESS
#   ingress   a filter on its peer's way in    TC_INGRESS
#   qdisc     a queue too small for a packet   QDISC_DROP
#   auto      the first of these that this kernel can do
#
# Prints "KIND dropped=N" with N as the kernel counted it; 77 if the kernel has no such thing.
# $PROG is the folder of the workloads.
set -eu
kind=$1
count=${2:-100}
: "${PROG:=${O:-build}/tests/prog}"

if [ -z "${NETNS_DROP_INSIDE:-}" ]; then
	NETNS_DROP_INSIDE=1 PROG=$PROG exec unshare -n sh "$0" "$kind" "$count"
fi

# No neighbour discovery: every packet in here is one of ours.
for f in all default; do
	[ ! -e /proc/sys/net/ipv6/conf/$f/disable_ipv6 ] ||
		echo 1 >/proc/sys/net/ipv6/conf/$f/disable_ipv6
done
ip link add out0 type veth peer name in0 address 02:00:00:00:00:02
ip addr add 10.77.0.1/24 dev out0
ip link set out0 up
ip link set in0 up
ip neigh add 10.77.0.2 lladdr 02:00:00:00:00:02 dev out0 nud permanent

# "Drop all" as matchall, or, where the kernel lacks that classifier or the drop action, as a
# filter of one BPF instruction: return TC_ACT_SHOT.
drop_all()
{
	tc qdisc add dev "$1" clsact 2>/dev/null &&
		{ tc filter add dev "$1" "$2" matchall action drop ||
			tc filter add dev "$1" "$2" bpf da bytecode '1,6 0 0 2'; } 2>/dev/null
}

set_up()
{
	case $1 in
	egress) dev=out0 && drop_all out0 egress ;;
	ingress) dev=in0 && drop_all in0 ingress ;;
	qdisc) dev=out0 && tc qdisc add dev out0 root tbf rate 8bit burst 10 limit 1 2>/dev/null ;;
	*) echo "netns-drop.sh: not a kind of drop: $1" >&2 && exit 2 ;;
	esac
}

if [ "$kind" = auto ]; then
	for kind in egress ingress qdisc none; do
		[ $kind != none ] || exit 77
		! set_up $kind || break
	done
else
	set_up "$kind" || exit 77
fi

# The kernel brings a link up, and takes packets in, when it comes to it: on a busy machine that may be later.
wait_until()
{
	for _ in $(seq 100); do
		! "$@" || return 0
		sleep 0.05
	done
}
up() { ip link show out0 | grep -q 'state UP'; }
dropped()
{
	tc -s qdisc show dev "$dev" | awk -F'[ ,)]+' '
		/dropped/ { for (i = 1; i < NF; i++) if ($i ~ /dropped$/) n += $(i + 1) }
		END { print n + 0 }'
}
all_dropped() { [ "$(dropped)" -ge "$count" ]; }

wait_until up
"$PROG/drops" --udp "$count" --to 10.77.0.2 >/dev/null
wait_until all_dropped
echo "$kind dropped=$(dropped)"
