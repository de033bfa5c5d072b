# SPDX-License-Identifier: GPL-2.0
#
# Many CPUs: all is recorded, memory and locked memory suffice, and the end comes soon, of many events as well.
. /tests/lib.sh
cpus=$(nproc)
ok "$cpus CPUs" test "$cpus" -ge 64

available()
{
	awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo
}
seconds()
{
	cut -d ' ' -f 1 /proc/uptime
}
since()
{
	awk -v begin="$1" '{ printf "%.2f\n", $1 - begin }' /proc/uptime
}
# Is there nothing more to wait for?
begun()
{
	grep -q "recording, " "$TMP/err" || ! kill -0 $recorder
}
# start FILE ARG...: a recorder of everything
start()
{
	file=$1
	shift
	memory=$(available)
	begin=$(seconds)
	: >"$TMP/err"
	"$PERF_LITE" record -a -o "$file" "$@" >"$TMP/out" 2>"$TMP/err" &
	recorder=$!
	wait_for 100 begun
	ok "starts" grep -q "recording, " "$TMP/err"
	diag "in $(since "$begin") s, $((memory - $(available))) MiB"
}
# end SECONDS: of the guest's time; ten times as many where that is the host's, who is slow
end()
{
	most=$1
	[ "$(uname -m)" = aarch64 ] || most=$((10 * most))
	begin=$(seconds)
	kill -INT $recorder
	wait $recorder
	rc=$?
	rc_is 0 "ends"
	took=$(since "$begin")
	diag "closed in $took s: $(tail -n 1 "$TMP/err")"
	ok "in no more than $most s" awk -v took="$took" -v most="$most" 'BEGIN { exit !(took <= most) }'
	run_ok "verify" "$PERF_LITE" verify "$file"
}

# Drops of each CPU
start /out/many.data -g -e skb:kfree_skb
ok "no more than 3 MiB for each CPU" test $((memory - $(available))) -le $((3 * cpus))
cpu=0
while [ $cpu -lt "$cpus" ]; do
	taskset -c $cpu "$PROG/drops" --udp 3 >>"$TMP/drops"
	cpu=$((cpu + 1))
done
is "each CPU has dropped" "$(grep -c udp=3 "$TMP/drops")" "$cpus"
end 1
run "$PERF_LITE" script -q -i /out/many.data -G -F cpu,comm
is "every drop" "$(grep -Ec 'dns-query|metrics|syslog|ksoftirqd' "$TMP/out")" $((3 * cpus))
is "of every CPU" "$(grep -E 'dns-query|metrics|syslog|ksoftirqd' "$TMP/out" | grep -o '\[[0-9]*\]' | sort -u | wc -l)" "$cpus"

# Many events: some thousands of descriptors
start /out/events.data -e 'skb:*,sched:*'
"$PROG/drops" --udp 30 >"$TMP/drops"
end 3
run "$PERF_LITE" script -q -i /out/events.data -G --event skb:kfree_skb -F cpu,comm
is "every drop among them" "$(grep -Ec 'dns-query|metrics|syslog|ksoftirqd' "$TMP/out")" 30

# Counts
run_ok "stat -a" "$PERF_LITE" stat -a -x, -o "$TMP/stat" -e skb:kfree_skb,cpu-clock -- "$PROG/drops" --udp 60
is "counts each drop" "$(awk -F, '$3 == "skb:kfree_skb" { print $1 }' "$TMP/stat")" 60
run_ok "stat -a -A" "$PERF_LITE" stat -a -A -x, -o "$TMP/stat" -e cpu-clock -- true
is "has a line for each CPU" "$(grep -c '^CPU[0-9]*,.*cpu-clock' "$TMP/stat")" "$cpus"
run_ok "count" "$PERF_LITE" count -a -e skb:kfree_skb --by reason -- "$PROG/drops" --udp 60
ok "counts each drop" grep -Eq 'NO_SOCKET.*60|60.*NO_SOCKET' "$TMP/out" "$TMP/err"
run_ok "trace" "$PERF_LITE" trace -a -e skb:kfree_skb -- "$PROG/drops" --udp 60
is "shows each drop" "$(grep -c 'kfree_skb' "$TMP/out")" 60
done_testing
