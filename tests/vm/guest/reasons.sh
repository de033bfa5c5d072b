# SPDX-License-Identifier: GPL-2.0
#
# The reasons for drops that this kernel has, and its modules.
. /tests/lib.sh
need_event skb:kfree_skb
format=/sys/kernel/tracing/events/skb/kfree_skb/format

run "$PERF_LITE" drops --reasons
cp "$TMP/out" /out/reasons
if ! grep -q 'field:.* reason;' $format; then
	rc_is 1 "a kernel without reasons"
	like "says so" "$TMP/err" "this kernel reports no reasons for drops"
	like "and which does" "$TMP/err" "Linux 5.17"
	run_ok "drops" "$PERF_LITE" drops -- "$PROG/drops" --udp 30 --tcp 3
	is "are told by their place" "$(awk '/ drops? +at [a-z_0-9]+\+0x[0-9a-f]+ +IPv4 / { n += $1 } END { print n + 0 }' "$TMP/out")" 33
	run "$PERF_LITE" drops --by reason --duration 100ms
	# where devices tell theirs, there are rows of both
	like "by reason: is told of" "$TMP/err" "place tells most|have no reason"
	done_testing
	exit
fi
rc_is 0 "--reasons"
sed -n 's/^print fmt//p' $format | grep -Eo '\{ [0-9x]+, "[A-Z0-9_]+" \}' | sed 's/[{},"]//g' | awk '$2 != "MAX" { print $1, $2 }' >"$TMP/format"
awk '$1 < 65536 { print $1, $2 }' /out/reasons >"$TMP/core"
is_file "those of the core are those of the format" "$TMP/core" "$TMP/format"
is "in order" "$(awk '{ print $1 }' /out/reasons | sort -cn 2>&1)" ""
diag "$(wc -l <"$TMP/core") of the core, $(awk '$1 >= 65536' /out/reasons | wc -l) of subsystems"

# Those of a module, while it is there
if [ -e /modules/openvswitch.ko ] && grep -q . /modules/order; then
	while read -r module; do
		insmod "/modules/$module.ko"
	done </modules/order
	ok "the module tells its types" test -e /sys/kernel/btf/openvswitch
	run_ok "--reasons" "$PERF_LITE" drops --reasons
	if grep -q OVS_DROP_ "$TMP/out"; then
		like "with those of the module" "$TMP/out" "^ +[0-9]+ OVS_DROP_ACTION_ERROR\$"
		run_ok "as JSON" "$PERF_LITE" drops --reasons --json
		like "too" "$TMP/out" '"name":"OVS_DROP_ACTION_ERROR"'
	else
		ok "no reasons of openvswitch before Linux 6.6" test "$(uname -r | cut -d . -f 1)" -le 6
	fi
fi
done_testing
