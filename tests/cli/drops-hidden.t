# SPDX-License-Identifier: GPL-2.0
#
# A BPF program that hides drops, from every reader of this machine: hence alone.
. tests/lib.sh
need_netns
need_event skb:kfree_skb

id=$(cat /sys/kernel/tracing/events/skb/kfree_skb/id)
mkfifo "$TMP/hold"
"$PROG/hide" "$id" <"$TMP/hold" >"$TMP/hidden" 2>"$TMP/hide.err" &
hider=$!
exec 9>"$TMP/hold"
if wait_for 5 test -s "$TMP/hidden"; then
	run "$PERF_LITE" drops --no-all-cpus -- true
	like "a BPF program is named" "$TMP/err" \
		"^skb:kfree_skb: the BPF program 'hides' \(id [0-9]+\) runs before it and returns 0: no hit is seen$"
else
	diag_file "$TMP/hide.err"
	skip_without "hidden drops" bpf
fi
exec 9>&-
wait $hider
done_testing
