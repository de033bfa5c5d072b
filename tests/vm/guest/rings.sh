# SPDX-License-Identifier: GPL-2.0
#
# Buffers by pages and by bytes, on machines whose pages are larger as well.
. /tests/lib.sh
need_event raw_syscalls:sys_enter
# getconf is not there: a mapping tells
page=$(($(awk '/^KernelPageSize/ { print $2; exit }' /proc/self/smaps) * 1024))
diag "pages of $page bytes"

# rings PID: the bytes of a process's rings, each without its first page, the smallest first
rings()
{
	sed -n 's/^\([0-9a-f]*\)-\([0-9a-f]*\) .*\[perf_event\].*/0x\1 0x\2/p' "/proc/$1/maps" | while read -r from to; do
		echo $((to - from - page))
	done | sort -n
}
# buffers SIZE BYTES [smallest]: what -m SIZE gives its largest rings. What is told about tasks has rings, too.
buffers()
{
	which=tail
	[ $# -lt 3 ] || which=head
	size=$1 want=$2
	set --
	[ -z "$size" ] || set -- -m "$size"
	rm -f "$TMP/d"
	: >"$TMP/err"
	"$PERF_LITE" record "$@" -a -e raw_syscalls:sys_enter --filter 'common_pid != 0' -o "$TMP/d" >"$TMP/out" 2>"$TMP/err" &
	recorder=$!
	ok "-m ${size:-nothing}" wait_for 60 grep -q "recording, " "$TMP/err"
	is "is $want bytes" "$(rings $recorder | $which -n 1)" "$want"
	ok "the calls" "$PROG/storm" 300
	kill -INT $recorder
	wait $recorder
	rc=$?
	rc_is 0 "ends"
	told=$(cat "$TMP/err")
	seen=$("$PERF_LITE" script -q -i "$TMP/d" -F comm | grep -c storm)
	# the smallest may lose, and says so
	[ $which = tail ] || seen=$((seen > 0 ? 300 : 0))
	ok "with the events" test "$seen" -ge 300
	[ "$seen" -ge 300 ] || diag "$seen of 300: $told"
}

most() # A B
{
	[ "$1" -gt "$2" ] && echo "$1" || echo "$2"
}
buffers '' $((512 * 1024))
buffers 1M $((1024 * 1024))
buffers 16 $((16 * page))
buffers 16K "$(most 16384 "$page")" smallest
run "$PERF_LITE" record -m 5K -a -e dummy -o "$TMP/d" -- true
ok "what is no power of two is refused, or more is taken" test $rc -le 2
done_testing
