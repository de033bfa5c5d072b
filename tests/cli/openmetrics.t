# SPDX-License-Identifier: GPL-2.0
#
# count, drops and latency --openmetrics: a file for Prometheus that is written again and again. What is in it is in
# tests/golden; here others read it, it grows while events are watched, and it is never there in part.
. tests/lib.sh
need python3

f=$TMP/x.prom

# parsed FILE: "NAME{LABELS} VALUE" of each sample, as the reader of the Prometheus client for Python has it
parsed()
{
	$python - "$1" <<-'END'
		import sys
		from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
		from prometheus_client.parser import text_string_to_metric_families as older
		text = open(sys.argv[1]).read()
		samples = [s for f in families(text) for s in f.samples]
		for s in samples:
		    labels = ",".join("%s=%s" % i for i in sorted(s.labels.items()))
		    print("%s{%s} %g" % (s.name, labels, s.value))
		# node_exporter's textfile collector reads the older format
		assert len([s for f in older(text) for s in f.samples]) == len(samples)
	END
}
# value NAME-AND-LABELS FILE: the number there
value() { sed -n "s/^$1 //p" "$2"; }

# What others read

if python_with prometheus_client.openmetrics.parser; then
	for text in count drops latency; do
		awk -v to="$TMP/$text." '
			/^\$ .* --openmetrics -$/ { n++; file = to n; next }
			/^[$!?]/ { file = "" }
			file != "" && /./ { print >file }' tests/golden/$text.txt
		for one in "$TMP/$text".*; do
			run_ok "a reader accepts what $text writes: ${one##*.}" parsed "$one"
			is "each number" "$(wc -l <"$TMP/out")" "$(grep -vc '^#' "$one")"
		done
	done
else
	skip_without "a reader accepts it" module:prometheus_client
fi

# A file that cannot be written

for command in "count -e cs" drops "latency run-queue"; do
	[ "$command" != "latency run-queue" ] || can tracepoints || { skip_without "$command: no such folder" tracepoints; continue; }
	# shellcheck disable=SC2086
	run "$PERF_LITE" $command --openmetrics "$TMP/nosuch/x.prom" -- true
	rc_is 1 "$command: no such folder"
	like "which is said" "$TMP/err" "^perf-lite: cannot write $TMP/nosuch/x.prom: No such file"
done
is "nothing is left" "$(ls "$TMP" | grep -c prom)" 0

# A pipe with less room than the text, whose reader takes its time

{
	echo 'event cpu-clock type=software config=0 freq=1000 only=ip,tid,time,period'
	seq 1000 1299 | while read -r n; do
		printf 'at 1\nexec %s worker-%s\nwith pid=%s period=1 ip=0x1000\nsample cpu-clock t=1.1\n' $n $n $n
	done
} >"$TMP/many.rec"
"$PROG/make_recording" "$TMP/many.rec" "$TMP"
run_ok "many rows" "$PERF_LITE" count -q -i "$TMP/many.data" --by comm --openmetrics "$TMP/many.prom"
mkfifo "$TMP/small"
python3 - "$TMP" <<-'END' &
	import array, fcntl, os, sys, termios, time
	F_SETPIPE_SZ, to = 1031, sys.argv[1]
	fd = os.open(to + '/small', os.O_RDONLY | os.O_NONBLOCK)
	size = fcntl.fcntl(fd, F_SETPIPE_SZ, 4096)
	assert size < os.path.getsize(to + '/many.prom')
	os.set_blocking(fd, True)
	open(to + '/opened', 'w').close()
	held, until = array.array('i', [0]), time.time() + 20
	while held[0] < size and time.time() < until:
	    fcntl.ioctl(fd, termios.FIONREAD, held)
	    time.sleep(0.01)
	with open(to + '/read', 'wb') as out:
	    while True:
	        part = os.read(fd, 1000)
	        if not part:
	            break
	        out.write(part)
END
reader=$!
wait_for 60 test -e "$TMP/opened"
run_ok "a full pipe is waited for" "$PERF_LITE" count -q -i "$TMP/many.data" --by comm --openmetrics "$TMP/small"
wait $reader
is_file "it has all" "$TMP/read" "$TMP/many.prom"

# Counters of the kernel

if can own; then
	mkfifo "$TMP/pipe"
	# open already, so that neither waits for the other
	exec 8<>"$TMP/pipe"
	cat "$TMP/pipe" >"$TMP/piped" 8<&- &
	reader=$!
	wait_for 60 sh -c "ls -l /proc/$reader/fd | grep -qF '$TMP/pipe'"
	run_ok "to a pipe" "$PERF_LITE" count -e page-faults:u --openmetrics "$TMP/pipe" -I 10s -- true
	exec 8<&-
	wait $reader
	is "that stays one" "$(stat -c %F "$TMP/pipe")" fifo
	is "and has all" "$(tail -n 1 "$TMP/piped")" "# EOF"
	run_ok "to a device" "$PERF_LITE" count -e page-faults:u --openmetrics /dev/null -- true
	is "that stays one" "$(stat -c %F /dev/null)" "character special file"
	run sh -c "ulimit -f 0; exec '$PERF_LITE' count -e page-faults:u --openmetrics '$TMP/limited.prom' -- true"
	rc_is 3 "a file that may have no byte"
	is "nothing is left of it" "$(ls "$TMP" | grep -c limited)" 0
	if can strace && can debugger; then
		# -D: the name of the new file has the number of the process that strace becomes
		run sh -c "exec strace -D -qq -o '$TMP/strace' -P '$TMP/unclosed.prom.'\$\$.tmp -e trace=close -e inject=close:error=EDQUOT \
			'$PERF_LITE' count -e page-faults:u --openmetrics '$TMP/unclosed.prom' -- true"
		rc_is 3 "a file that cannot be closed is not whole"
		is "nothing is left of that" "$(ls "$TMP" | grep -c unclosed)" 0
	else
		skip_without "a file that cannot be closed" strace debugger
	fi
	run_ok "counters" "$PERF_LITE" count -e page-faults:u,cs:u --openmetrics "$f" -I 50ms -- "$PROG/spin" 300
	like "the file has them" "$f" '^perf_lite_count_total\{event="page-faults:u"\} [1-9][0-9]*$'
	is "and its end" "$(tail -n 1 "$f")" "# EOF"
	is "anybody may read it" "$(stat -c %a "$f")" 644
	is "no table is printed" "$(grep -c count "$TMP/out")" 0
	ln -s "$f" "$TMP/link.prom"
	run_ok "through a link" "$PERF_LITE" count -e page-faults:u --openmetrics "$TMP/link.prom" -- true
	ok "the link stays" test -L "$TMP/link.prom"
else
	skip_without "counters" own
fi

need everybody
need_event raw_syscalls:sys_enter
number=$("$PROG/storm" --number 2>/dev/null)

# What is counted since the start, while it goes on

storm() # ENGINE: 3 times 1000 calls; the file after each
{
	rm -f "$TMP"/go.* "$f"
	# two, or the second reader may open the first one's before its writer has closed it
	mkfifo "$TMP/go.1000" "$TMP/go.2000"
	"$PERF_LITE" count --engine=$1 -e raw_syscalls:sys_enter --filter "id == $number" --by comm -I 20ms --openmetrics "$f" \
		-- sh -c "$PROG/storm 1000; read x <'$TMP/go.1000'; $PROG/storm 1000; read x <'$TMP/go.2000'; $PROG/storm 1000" >"$TMP/storm.out" 2>"$TMP/err" &
	pid=$!
	counts="perf_lite_count_total{comm=\"storm\"}"
	for n in 1000 2000; do
		ok "$1: $n calls so far" wait_for 60 grep -qF "$counts $n" "$f"
		cp "$f" "$TMP/so-far"
		is "the file is whole" "$(tail -n 1 "$TMP/so-far")" "# EOF"
		timeout 60 sh -c "echo >'$TMP/go.$n'" # whoever reads it may have failed
	done
	rc=0
	wait $pid || rc=$?
	rc_is 0 "$1: the end"
	ok "3000 calls" grep -qF "$counts 3000" "$f"
	is "none lost" "$(value perf_lite_count_lost_samples_total "$f")" 0
	is "nothing else is left" "$(ls "$TMP" | grep -c 'prom\..*tmp')" 0
}
storm perf
if can bpf && can first-pids; then storm bpf; else skip_without "counted by programs" bpf first-pids; fi

# Labels that are like ours, and more rows than there is room for

if can bpf && can btf && can first-pids; then
	run_ok "a key named nr" "$PERF_LITE" count -e 'raw_syscalls:sys_enter(nr=id)' --by nr --openmetrics "$f" -- true
	like "has another label" "$f" '^perf_lite_count_total\{nr_="[0-9]+"\} [0-9]+$'
else
	skip_without "a key named nr" bpf btf first-pids
fi
run_ok "many rows" "$PERF_LITE" count -m 16M -e raw_syscalls:sys_enter --filter "id == $(close=3; [ "$(uname -m)" = x86_64 ] || close=57; echo $close)" \
	--by args --openmetrics "$f" -- perl -MPOSIX -e 'for my $i (1000 .. 121000) { POSIX::close($i) }'
like "the rest has a label of its own" "$f" '^perf_lite_count_total\{others="true"\} [0-9]+$'
run_ok "a filter of two lines" "$PERF_LITE" count -e raw_syscalls:sys_enter --filter "id == 1 ||
 id == 2" --openmetrics "$f" -- true
is "is a line" "$(grep -c 'id == 2' "$f") $(grep -c '^ id' "$f")" "1 0"

# A stop from outside: what was counted until then is written

cp "$PROG/storm" "$TMP/storm-$$"
"$PERF_LITE" count -a -e raw_syscalls:sys_enter --filter "id == $number && comm == \"storm-$$\"" --by comm --openmetrics "$f" 2>"$TMP/err" &
pid=$!
ok "the recorder is ready" wait_for 60 handles INT $pid
rm -f "$f"
sleep 0.5
"$TMP/storm-$$" 500 >/dev/null
kill -INT $pid
rc=0
wait $pid || rc=$?
ok "^C writes the last one" grep -qF "perf_lite_count_total{comm=\"storm-$$\"} 500" "$f"

# The folder goes away meanwhile

mkdir "$TMP/folder"
cat >"$TMP/away" <<END
said() { i=0; until grep -q "\$1" '$TMP/err' || [ \$i -eq 600 ]; do sleep 0.05; i=\$((i + 1)); done; }
mv '$TMP/folder' '$TMP/moved'
said 'cannot write'
[ \$# -eq 0 ] || exit 0
mv '$TMP/moved' '$TMP/folder'
said 'written again'
'$PROG/storm' --quiet 77
END
run "$PERF_LITE" count -e page-faults --openmetrics "$TMP/folder/x.prom" -I 50ms -- sh "$TMP/away" for-ever
rc_is 3 "a folder that goes away"
is "is said when it goes, and at the end" "$(grep -c "cannot write $TMP/folder/x.prom: No such file" "$TMP/err")" 2
like "the former does not end it" "$TMP/err" "No such file or directory; it is tried again$"

# ... and comes back: each command goes on

comes_back() # COMMAND OPTION...
{
	rm -rf "$TMP/folder" "$TMP/moved"
	mkdir "$TMP/folder"
	run "$PERF_LITE" "$@" --openmetrics "$TMP/folder/x.prom" -I 50ms -- sh "$TMP/away"
	rc_is 0 "$1: a folder that comes back"
	like "$1: is said" "$TMP/err" "^$TMP/folder/x.prom is written again$"
	is "$1: a line for the time in between" "$(grep -c 'cannot write' "$TMP/err")" 1
}
comes_back count -e raw_syscalls:sys_enter --filter "id == $number && common_pid > 0" --by comm
is "count: all is in it" "$(value 'perf_lite_count_total{comm="storm"}' "$TMP/folder/x.prom")" 77
comes_back count -e page-faults

# Latency

need_event raw_syscalls:sys_exit
run_ok "latency" "$PERF_LITE" latency --from "raw_syscalls:sys_enter if id == $number" --to "raw_syscalls:sys_exit if id == $number" \
	--on tid --by comm --hist -I 20ms --openmetrics "$f" -- "$PROG/storm" 2000
is "all spans" "$(value 'perf_lite_latency_seconds_count{comm="storm"}' "$f")" 2000
is "are in the last bucket" "$(value 'perf_lite_latency_seconds_bucket{comm="storm",le="+Inf"}' "$f")" 2000
comes_back latency --from "raw_syscalls:sys_enter if id == $number" --to "raw_syscalls:sys_exit if id == $number" --on tid --by comm
is "latency: all is in it" "$(value 'perf_lite_latency_seconds_count{comm="storm"}' "$TMP/folder/x.prom")" 77
ok "buckets only grow" sh -c "grep -F '_bucket{' '$f' | sed 's/.* //' | sort -c -n"

# Drops

need netns
need_event skb:kfree_skb
run_ok "drops" unshare -n sh -c 'ip link set lo up; exec "$@"' sh "$PERF_LITE" drops --by reason,comm --filter 'reason == SOCKET_RCVBUFF' \
	-I 50ms --openmetrics "$f" -- "$PROG/dropping" rcvbuff 40
is "each of them" "$(value 'perf_lite_drops_total{reason="SOCKET_RCVBUFF",comm="dropping"}' "$f")" 40
comes_back drops --no-all-cpus --by reason
done_testing
