# SPDX-License-Identifier: GPL-2.0
#
# perf-lite latency --engine: what the kernel pairs is what samples give: the same spans, and an account of every hit.
. tests/lib.sh
need everybody bpf btf first-pids
need_event raw_syscalls:sys_enter raw_syscalls:sys_exit sched:sched_switch sched:sched_wakeup
need_cmd jq
need_idle_tasks
p=$PERF_LITE
getppid=$("$PROG/storm" --number)
calls="raw_syscalls:sys_enter:tid"
returns="raw_syscalls:sys_exit:tid"

closes() # DESC: the account in $TMP/out does
{
	is "$1: the account closes" "$(jq -s -c 'last | [.begins - .spans - .lost_spans - .restarts - .given_up - .across_loss - .reordered - .no_room - .open,
		.ends - .spans - .lost_spans - .across_loss - .reordered - .ends_without_begin]' "$TMP/out")" "[0,0]"
}

# --- both at once, of the same calls ---

cat >"$TMP/load" <<-'END'
	read go <"$1"
	"$2/storm" --quiet 300
	kill -WINCH $$
	"$2/waits" sleeps 5 20
	"$2/storm" --threads 2 --quiet 400
	cp "$2/storm" "$3"; "$3" --quiet 200
	(exec "$2/storm" --quiet 100) &
	wait
	exec "$2/waits" sleeps 3 20
END
mkfifo "$TMP/go"
sh "$TMP/load" "$TMP/go" "$PROG" "$TMP/a-long-name-indeed" >"$TMP/said" &
target=$!
exec 9>"$TMP/go"
# each sees the same of it
wait_for 20 grep -q pipe_read "/proc/$target/wchan"
pids=
names=
both() # NAME ARG...
{
	name=$1
	shift
	for engine in perf bpf; do
		"$p" latency --engine=$engine --json -q -p $target "$@" >"$TMP/$name.$engine" 2>"$TMP/$name.$engine.err" &
		pids="$pids $!"
	done
	names="$names $name"
}
both all --from $calls --to $returns --by comm,id
both slow --from $calls --to $returns --by comm,id --min 10ms
both either --from "$calls if id == $getppid || (id > 2 && !(id & 1))" --to "$returns if !(ret < 0)" --by id --latest
both sums --from $calls --to $returns --by comm,id --hist
both filter --from $calls --to $returns --by id --filter "id == $getppid || id > 100 && !(id & 1)" --min 1ns
both whose --from "$calls if id == $getppid" --to $returns --by comm,pid,tid --hist --filter 'id != 1'
both who --from "$calls if id == $getppid" --to $returns --by comm,pid,tid
for pid in $pids; do
	wait_for 60 watches "$pid"
done
echo go >&9
exec 9>&-
ok "the programs end" wait $target
for pid in $pids; do
	wait "$pid"
done
figures='[.spans, .below_min, .left_out, .begins, .ends, .restarts, .ends_without_begin, .given_up, .reordered, .no_room, .open]'
rows='[.rows[] | [.comm, .id.name?, .pid, .tid, .spans]] | sort'
for name in $names; do
	is "$name: engines" "$(jq -r .engine "$TMP/$name.perf" "$TMP/$name.bpf" | tr '\n' ' ')" "perf bpf "
	is "$name: the same account" "$(jq -c "$figures" "$TMP/$name.bpf")" "$(jq -c "$figures" "$TMP/$name.perf")"
	is "$name: the same rows" "$(jq -c "$rows" "$TMP/$name.bpf")" "$(jq -c "$rows" "$TMP/$name.perf")"
	# a thread that loses the CPU between the two readings of a clock adds some ms, and there are thousands
	ok "$name: the same time, about" jq -n -e --slurpfile a "$TMP/$name.perf" --slurpfile b "$TMP/$name.bpf" \
		'($a[0].sum_ns - $b[0].sum_ns | fabs) <= $a[0].sum_ns / 10 + 2000 * $a[0].spans + 100000000 and
		($a[0].min_ns - $b[0].min_ns | fabs) <= $a[0].min_ns / 10 + 20000'
done
is "there are sleeps among the slow ones" \
	"$(jq '[.rows[] | select(.id.name == "clock_nanosleep") | .spans] | add' "$TMP/slow.bpf")" 8

for name in sums whose; do
	for engine in perf bpf; do
		is "$name, $engine: histograms have all spans" \
			"$(jq '[.rows[] | .spans == ([.histogram[].spans] | add) and .min_ns * .spans <= .sum_ns and .sum_ns <= .max_ns * .spans] | unique' -c "$TMP/$name.$engine")" "[true]"
	done
done
ok "the filter leaves some out" jq -e '.left_out > 10 and .spans > .left_out' "$TMP/filter.bpf"
is "a name that is cut short is that of each of its threads" "$(jq '[.rows[] | select(.comm == "a-long-name-ind") | .id.name] | index("getppid") != null' "$TMP/sums.bpf")" true

# --- threads that others wake and switch to ---

cat >"$TMP/load" <<-'END'
	read go <"$1"
	# it is there until everybody has ended
	(read go <"$1.end") &
	for i in 1 2 3; do "$2/waits" sleeps 2 5 >"$3"; done
	("$2/waits" sleeps 2 10 >"$3"; exec "$4" 20 >"$3") &
	wait $!
	exec "$2/waits" sleeps 3 5 >"$3"
END
# some kernels do not give perf events what a CPU switches to from idle: of the first one they do
cp "$PROG/threads" "$TMP/two-$$"
mkfifo "$TMP/go.end"
taskset -c 0 sh "$TMP/load" "$TMP/go" "$PROG" /dev/null "$TMP/two-$$" &
target=$!
exec 9>"$TMP/go"
pids=
names=
for run in "queue:run-queue -p $target --min 1ns" "sums:run-queue -p $target --hist" "thread:run-queue -t $target --min 1ns" "away:off-cpu -p $target --min 4ms" \
	"named:run-queue --comm two-$$ --hist" "apart:off-cpu --comm two-$$ --min 1ns" "none:off-cpu --comm two- --min 1ns"; do
	name=${run%%:*}
	names="$names $name"
	for engine in perf bpf; do
		# shellcheck disable=SC2086
		"$p" latency ${run#*:} --engine=$engine --json -q --by comm,tid >"$TMP/$name.$engine" 2>"$TMP/$name.$engine.err" &
		pids="$pids $!"
	done
done
for pid in $pids; do
	wait_for 60 watches "$pid"
done
echo go >&9
exec 9>&-
ok "the threads end" wait $target
# shellcheck disable=SC2086
kill -INT $pids
for pid in $pids; do
	wait "$pid"
done
echo go >"$TMP/go.end"
rows='[.rows[] | [.comm, .tid, .spans]] | sort'
for name in $names; do
	is "$name: engines" "$(jq -r .engine "$TMP/$name.perf" "$TMP/$name.bpf" | tr '\n' ' ')" "perf bpf "
	is "$name: the same account" "$(jq -c "$figures" "$TMP/$name.bpf")" "$(jq -c "$figures" "$TMP/$name.perf")"
	is "$name: the same rows" "$(jq -c "$rows" "$TMP/$name.bpf")" "$(jq -c "$rows" "$TMP/$name.perf")"
done
is "all that the process has started" "$(jq -c '[.rows[].comm] | unique' "$TMP/queue.bpf")" '["ping","pong","sh","two-'$$'","waits"]'
for name in named apart; do
	is "$name: a process's threads, whatever they are called" "$(jq -c '[.rows[].comm] | unique - ["sh"]' "$TMP/$name.bpf")" "[\"ping\",\"pong\",\"two-$$\"]"
done
is "not of longer names" "$(jq .spans "$TMP/none.bpf")" 0
is "a thread alone" "$(jq -c '[.rows[].tid] | unique' "$TMP/thread.bpf")" "[$target]"
ok "its sleeps" jq -e "[.rows[] | select(.tid == $target and .comm == \"waits\") | .spans] | add >= 3" "$TMP/away.bpf"
run_ok "a command" "$p" latency run-queue --engine=bpf --json -q --min 1ns -- sh -c '"$1" sleeps 5 3 >/dev/null; exec "$1" sleeps 4 3 >/dev/null' sh "$PROG/waits"
jq -r '.spans as $n | ([.rows[].spans] | add) as $rows | "\($n == $rows) \([.rows[] | select(.comm == "waits") | .spans] | add >= 9) \([.rows[].comm] - ["sh", "waits", "perf-lite"])"' \
	"$TMP/out" >"$TMP/got"
is "has spans of its own alone" "$(cat "$TMP/got")" "true true []"

mkfifo "$TMP/end"
run_queue() # ENGINE: what the threads of the hogs waited, beside what the kernel adds up for each
{
	"$p" latency run-queue --engine=$1 --by comm,tid --min 1ns --json -q -a >"$TMP/out" 2>"$TMP/err" &
	watcher=$!
	ok "$1: it watches" wait_for 60 watches $watcher
	cp "$PROG/waits" "$TMP/hogs-$$"
	: >"$TMP/said"
	taskset -c 0 "$TMP/hogs-$$" hogs 3 300 <"$TMP/end" >"$TMP/said" &
	hogs=$!
	exec 9>"$TMP/end"
	ok "$1: three hogs on a CPU" wait_for 60 grep -q '^wall' "$TMP/said"
	kill -INT $watcher
	wait $watcher
	exec 9>&-
	wait $hogs
	is "$1: which engine it was" "$(jq -r .engine "$TMP/out")" "$1"
	jq -r '.rows[] | select(.comm == "hogs-'$$'") | "\(.tid) \(.sum_ns)"' "$TMP/out" >"$TMP/waited"
	is "$1: each as run_delay has it" "$(awk 'FILENAME == ARGV[1] { ours[$1] = $2; next }
		$1 == "hog" {
			n++
			d = ours[$2] - $4
			# some kernels do not record the switches to all processes, whose waits then lack
			if (d > $4 / 50 + 2000000 || d < -$4 / 10 - 2000000) print "tid " $2 ": the kernel " $4 ", perf-lite " ours[$2] + 0
		}
		END { if (n != 3) print n + 0 " hogs" }' "$TMP/waited" "$TMP/said")" ""
	closes "$1"
}
run_queue perf
run_queue bpf

run_ok "the idle task" "$p" latency --engine=bpf --json -q -a --hist --from 'sched:sched_switch:next_pid if next_pid == 0' \
	--to sched:sched_switch:prev_pid --by comm --duration 300ms
# of a machine that is busy, there is no row
is "has one name" "$(jq -c '[.rows[].comm] - ["swapper"]' "$TMP/out")" '[]'

# --- what else becomes of a hit ---

storm() # DESC WANT ARG...: what becomes of 1,000 calls
{
	desc=$1 want=$2
	shift 2
	run_ok "$desc" "$p" latency --engine=bpf --json -q "$@" -- "$PROG/storm" --quiet 1000
	is "$desc: spans, begins while one was open, ends without a begin, given up, open" \
		"$(jq -c '[.spans, .restarts, .ends_without_begin, .given_up, .open]' "$TMP/out")" "$want"
	closes "$desc"
}
one="$calls if id == $getppid"
storm "begins that change nothing" "[0,999,0,0,1]" --from "$one" --to "$returns if ret == -4095"
is "the first is open" "$(jq '.oldest_open_ns > 0' "$TMP/out")" true
storm "begins anew" "[0,999,0,0,1]" --latest --from "$one" --to "$returns if ret == -4095"
storm "each is given up" "[0,0,0,1000,0]" --from "$one" --to "$returns if ret == -4095" --until "$calls if id != $getppid, $returns"
storm "ends alone" "[0,0,1000,0,0]" --from "$calls if id == 9999" --to "$one"
storm "an end and a begin at once" "[999,0,1,0,1]" --from "$one" --to "$one"
run_ok "of a thread and a CPU" "$p" latency --engine=bpf --json -q --on tid,cpu --from "raw_syscalls:sys_enter if id == $getppid" \
	--to "$returns+cpu" --until "$calls+cpu if id != $getppid" --by id -- "$PROG/storm" --quiet 1000
ok "are spans, unless the thread moved" jq -e '.spans + .open >= 990 and .spans <= 1000' "$TMP/out"
closes "of a thread and a CPU"
run_ok "--open" "$p" latency --engine=bpf --json -q --open --from "$calls if id == $getppid" --to "$returns if ret == -4095" --by id \
	-- "$PROG/storm" --threads 4 --quiet 40
is "a row of what is open" "$(jq -c '[.open, (.rows[] | [.id.name, .spans])]' "$TMP/out")" '[4,["getppid",4]]'
PERF_LITE_SPANS=2 run_ok "a full hash" "$p" latency --engine=bpf --json -q --from "$calls if id == $getppid" --to "$returns if ret == -4095" \
	-- "$PROG/storm" --threads 4 --quiet 40
ok "has no room for some" jq -e '.open == 2 and .no_room > 0' "$TMP/out"
closes "a full hash"
run_ok "a storm through a small ring" "$p" latency --engine=bpf --json -m 4K --from "$calls if id == $getppid" --to "$returns" --by id \
	-- "$PROG/storm" --threads 4 --quiet 400000
is "has all of them, but for those that were lost" "$(jq '([.rows[].spans] | add) + .lost_spans' "$TMP/out")" 400000
closes "a storm"
run_ok "intervals" "$p" latency --engine=bpf --json -q -I 0.1 --min 1ns --from "$calls if id == $getppid" --to "$returns" --by id \
	-- "$PROG/storm" --quiet --seconds 0.45 1000
is "add up" "$(jq -s -c '[(map(.spans) | add), (map(.begins) | add), ([.[].rows[].spans] | add), length > 2]' "$TMP/out")" "[1000,1000,1000,true]"
run_ok "intervals of sums" "$p" latency --engine=bpf --json -q -I 0.1 --hist --from "$calls if id == $getppid" --to "$returns" --by id \
	-- "$PROG/storm" --quiet --seconds 0.45 1000
is "add up" "$(jq -s -c '[(map(.spans) | add), (map(.begins) | add), ([.[].rows[].spans] | add), ([.[].rows[].histogram[].spans] | add), length > 2]' "$TMP/out")" \
	"[1000,1000,1000,1000,true]"
run_ok "intervals of some" "$p" latency --engine=bpf --json -q -I 0.1 --from "$calls if id == $getppid" --to "$returns" --filter "id != $getppid" --by id \
	-- "$PROG/storm" --quiet --seconds 0.45 1000
is "leave out each once" "$(jq -s -c '[(map(.left_out) | add), ([.[].rows[].spans] | add)]' "$TMP/out")" "[1000,null]"
# the rest comes through the rings
PERF_LITE_COUNT_ENTRIES=1 run_ok "a hash for one row" "$p" latency --engine=bpf --json -q --hist --from "$calls if id == $getppid" --to "$returns" \
	--by tid -- "$PROG/storm" --threads 4 --quiet 4000
is "has all rows" "$(jq -c '[.spans, .lost_spans, (.rows[] | .spans, ([.histogram[].spans] | add))]' "$TMP/out")" "[4000,0,1000,1000,1000,1000,1000,1000,1000,1000]"
run_ok "--filter and --open" "$p" latency --engine=bpf --json -q --open --from $calls --to "$returns if ret == -4095" --filter "id != $getppid" --by id \
	-- "$PROG/storm" --threads 4 --quiet 40
is "those that pass" "$(jq -c '[.open >= 5, ([.rows[].id.name] | index("getppid"))]' "$TMP/out")" '[true,null]'
run_ok "a filter by a name" "$p" latency --json -q --min 1ns --from $calls --to $returns --filter 'id == getppid' --by id -- "$PROG/storm" --quiet 40
is "is one of samples" "$(jq -c '[.engine, .rows[].spans]' "$TMP/out")" '["perf",40]'
run_ok "--trace" "$p" latency --engine=bpf --json -q --trace --min 10ms --from $calls --to $returns --by comm,id \
	-- sh -c '"$1" sleeps 4 20 >/dev/null' sh "$PROG/waits"
is "an object for each" "$(jq -s -c 'map(select(.id.name? == "clock_nanosleep") | [.comm, .end_ns - .begin_ns >= 20000000]) | unique + [length]' "$TMP/out")" \
	'[["waits",true],4]'
run_ok "a field that cannot be read" "$p" latency --engine=bpf --json -q \
	--from "raw_syscalls:sys_enter(no=((struct sk_buff *)8)->len,id):tid if no == 1 || id == $getppid && !(no == 1 && id == 1)" \
	--to $returns --by id -- "$PROG/storm" --quiet 50
is "decides nothing that others decide" "$(jq -c '[.engine, .spans]' "$TMP/out")" '["bpf",50]'
run_ok "fields of the begin" "$p" latency --engine=bpf --json -q --from 'raw_syscalls:sys_enter(low=id&1,id):tid if id == '$getppid \
	--to $returns --by low -- "$PROG/storm" --quiet 50
is "may be expressions" "$(jq -c '[.engine, (.rows[] | [.low, .spans])]' "$TMP/out")" "[\"bpf\",[$((getppid & 1)),50]]"
run_ok "one of the name of a key" "$p" latency --engine=bpf --csv -q --from 'raw_syscalls:sys_enter(time=id,id):tid if id == '$getppid \
	--to $returns --by time -- "$PROG/storm" --quiet 50
is "goes before that" "$(sed -n 's/^\([0-9]*\),.*,/\1 /p' "$TMP/out")" "50 $getppid"

# A table has what its interval has: of one thread that only sleeps, no more time than there was, and each span that was long enough
perl -e 'for (;;) { select undef, undef, undef, 0.001 }' &
target=$!
for how in '--min 500us' --hist; do
	run_ok "intervals, $how" "$p" latency --engine=bpf --json -q -I 0.2 $how --duration 1.1s --by tid syscalls -p $target
	# who reads the sums may be kept waiting before
	is "no table has more time than its interval: $how" \
		"$(jq -s '[.[] | .sum_ns <= .window_ns[1] - .window_ns[0] + .max_ns + 50000000] | all and length > 3' "$TMP/out")" true
done
run_ok "intervals, --min" "$p" latency --engine=bpf --json -q -I 0.2 --min 500us --duration 1.1s --by tid syscalls -p $target
is "all spans of an interval are in its table" \
	"$(jq -s '[.[] | ([.rows[].spans] | add // 0) - (.ends - .ends_without_begin)] | map(fabs <= 2) | all' "$TMP/out")" true
kill $target

# Whose hits they are: a thread that is named by another event, and perf-lite's own.
if [ "$(uname -m)" = x86_64 ]; then
	ends() # ARG...: how many calls of epoll_wait(2) end what has not begun
	{
		"$p" latency --engine=bpf --json -q -a "$@" --from "sched:sched_wakeup:pid if pid == 1" --to "$calls if id == 232" \
			--by tid -- true 2>"$TMP/err" | jq .ends
	}
	none()
	{
		[ "$(ends)" -eq 0 ]
	}
	# other programs call it, too, but not always
	ok "ends of perf-lite's own are no news" wait_for 30 none
	ok "and with --include-self they are" test "$(ends --include-self)" -gt 0
fi
for points in "--from sched:sched_wakeup:pid --to raw_syscalls:sys_enter:pid" \
	"--from sched:sched_wakeup:pid --to sched:sched_switch:next_prio --until sched:sched_switch:prev_prio"; do
	run "$p" latency --engine=bpf -a $points --duration 10ms
	rc_is 1 "$points"
done

# --- functions of programs, whose programs other threads interrupt ---

hits=$PROG/hits
of_hits() # N THREADS ARG...
{
	n=$1 threads=$2
	shift 2
	run "$p" latency --json -q --from "uprobe:$hits:hit" --to "uprobe:$hits:hit%return" --on tid "$@" -- taskset -c 0 "$hits" "$n" "$threads"
	grep '^{' "$TMP/out" >"$TMP/json"
}
if can uprobes; then
	of_hits 2000 24 --hist --by tid
	is "a function" "$(jq -c '[.engine, .begins, .spans, .open, .restarts, .lost_spans, (.rows | length), ([.rows[].histogram[].spans] | add)]' "$TMP/json")" \
		'["bpf",48000,48000,0,0,0,24,48000]'
	ok "its times" jq -e '.min_ns > 0 and .min_ns * .spans <= .sum_ns and .sum_ns <= .max_ns * .spans' "$TMP/json"
	of_hits 500 24 --min 1ns --by comm
	is "each of them" "$(jq -c '[.engine, .spans, .rows[].spans]' "$TMP/json")" '["bpf",12000,12000]'
	PERF_LITE_COUNT_ENTRIES=1 of_hits 200 24 --hist --by tid
	is "a hash for one row" "$(jq -c '[.engine, .spans, (.rows | length), ([.rows[].spans] | add)]' "$TMP/json")" '["bpf",4800,24,4800]'
	PERF_LITE_SPANS=1 of_hits 200 3 --hist --by comm
	is "one open span" "$(jq -c '[.engine, .begins, .spans + .no_room + .open]' "$TMP/json")" '["bpf",600,600]'
	for engine in perf bpf; do
		run_ok "by what is passed, $engine" "$p" latency --engine=$engine --json -q --min 1ns --from "uprobe:$hits:hit(number,name=str(name))" \
			--to "uprobe:$hits:hit%return(retval)" --on tid --by name,number -- "$hits" 100 4
		grep '^{' "$TMP/out" | jq -c '[.rows[] | [.name, .number, .spans]] | sort' >"$TMP/hits.$engine"
	done
	is_file "it is the same" "$TMP/hits.bpf" "$TMP/hits.perf"
	ok "there are some" grep -q 'name-2' "$TMP/hits.bpf"
	run_ok "by another key" "$p" latency --engine=bpf --json -q --hist --from "uprobe:$hits:hit(number)" --to "uprobe:$hits:hit%return(number=retval)" \
		--on number --by number -- "$hits" 7 1
	is "which both ends have" "$(grep '^{' "$TMP/out" | jq -c '[.begins, .ends, .spans + .ends_without_begin]')" '[7,7,7]'
else
	skip_without "functions of programs" uprobes
fi

# --- which engine ---

run_ok "--min" "$p" latency --json -q --min 1ms --from $calls --to $returns --by id -- true
is "is paired in the kernel" "$(jq -r .engine "$TMP/out")" bpf
run_ok "what it tried first" "$p" latency --json -q -a --min 1ns --from "$calls if id == $getppid" --to $returns \
	--until "$calls if id != $getppid" --by id -- "$PROG/storm" --threads 4 --quiet 20000
is "left nothing behind" "$(jq -c '[.engine, .lost_spans, .restarts, .spans >= 20000, .window_ns[1] >= .max_ns]' "$TMP/out")" '["bpf",0,0,true,true]'
closes "what it tried first"
run_ok "-D" "$p" latency --json -q -a -D 300 --min 1ns --from "$calls if id == $getppid" --to $returns --duration 50ms -- \
	"$PROG/storm" --quiet 500
is "begins later" "$(jq -c '[.engine, .begins, .spans]' "$TMP/out")" '["bpf",0,0]'
run_ok "without it" "$p" latency --json -q --from $calls --to $returns --by id -- true
is "samples are" "$(jq -r .engine "$TMP/out")" perf
run_ok "--hist" "$p" latency --json -q --hist --from $calls --to $returns --by id -- true
is "is added up in the kernel" "$(jq -r .engine "$TMP/out")" bpf
for what in "--hist=linear:0:10ms:1ms" "--hist --slowest 3" "--hist --by time" "--hist --open"; do
	run_ok "$what" "$p" latency --json -q $what --from $calls --to $returns -- true
	is "is of single spans" "$(jq -s -r '.[-1].engine' "$TMP/out")" perf
done
run_ok "as text" "$p" latency --min 1ms --from $calls --to $returns --by id -- true
like "it is said" "$TMP/out" 'of them shorter than 1.00 ms; paired in the kernel$'
for what in "--split" "--by stack" "--nested" "--by comm,args"; do
	points="--from $calls --to $returns"
	run "$p" latency $points --engine=bpf $what -- true
	rc_is 1 "$what is not"
	like "with the reason" "$TMP/err" '^perf-lite: --engine=bpf: '
	run_ok "$what" "$p" latency $points --json -q --min 1ms $what -- true
	is "is paired from samples" "$(jq -r .engine "$TMP/out")" perf
done
for comm in a-name-of-15-ch swapper; do
	run_ok "-v" "$p" latency run-queue -v --min 1ms --comm $comm --duration 10ms
	like "says why" "$TMP/out" '; not paired in the kernel: programs know neither long names nor those of idle tasks$'
done

for more in --slowest=3 --hist=linear; do
	run_ok "-v" "$p" latency run-queue -v --hist $more --duration 10ms
	like "of --hist $more, too" "$TMP/out" '; not paired in the kernel: without --min all spans are read, unless only --hist by powers of two is asked for$'
done

# --- a program whose first thread exits before the others ---

if "$p" list -v sched:sched_process_exit | grep -q group_dead; then
	for engine in perf bpf; do
		run_ok "a program, $engine" "$p" latency exec --engine=$engine --json -q -- "$PROG/waits" leaves 300
		ok "runs until its last thread exits" jq -e '.spans == 1 and .sum_ns >= 300000000' "$TMP/out"
		is "and its thread's exit is no end" "$(jq -c '[.open, .restarts]' "$TMP/out")" "[0,0]"
	done
else
	skip_outside "a program whose first thread exits before the others" "a kernel that tells the last thread of a process"
fi

# --- a name that nobody has yet: programs know it ---

for what in "--min 1ns" --hist; do
	# shellcheck disable=SC2086
	run_ok "$what" "$p" latency --json -q $what --comm "two-$$" --from "$calls if id == $getppid" --to $returns --by comm -- \
		sh -c 'cp "$1" "$2"; "$1" --quiet 30; "$2" --quiet 20' sh "$PROG/storm" "$TMP/two-$$"
	is "is found once somebody has it" "$(jq -c '[.engine, .spans, (.rows[] | [.comm, .spans])]' "$TMP/out")" "[\"bpf\",20,[\"two-$$\",20]]"
done

# --- some CPUs ---

for cpu in 0 1; do
	cp "$PROG/storm" "$TMP/on-$cpu-$$"
done
run_ok "-C" "$p" latency --engine=bpf --json -q -C 0 --hist --from "$calls if id == $getppid" --to $returns --by comm,cpu -- \
	sh -c 'taskset -c 0 "$1/on-0-$2" --quiet 70; taskset -c 1 "$1/on-1-$2" --quiet 80' sh "$TMP" $$
is "are calls on that CPU alone" "$(jq -c '[.rows[] | select(.comm[:3] == "on-" and (.comm | endswith("-'$$'"))) | [.comm, .cpu, .spans]]' "$TMP/out")" "[[\"on-0-$$\",0,70]]"
run "$p" latency run-queue --engine=bpf -i "$TMP/out"
rc_is 1 "of a recording"
like "there are samples" "$TMP/err" '^perf-lite: --engine=bpf: a recording has samples$'
run "$p" latency run-queue --engine=both
rc_is 1 "no such engine"
like "those that there are" "$TMP/err" '^perf-lite: --engine takes perf or bpf, not .both.$'
PERF_LITE_SPANS=4294967295 run_ok "a hash that is refused" "$p" latency -v --min 1ms --from $calls --to $returns --by id -- true
like "samples instead, and the reason" "$TMP/out" 'not paired in the kernel: raw_syscalls:sys_enter: the kernel refused the program: '
PERF_LITE_SPANS=4294967295 run "$p" latency --engine=bpf --from $calls --to $returns --by id -- true
rc_is 2 "with --engine=bpf an error"
like "and what to do" "$TMP/err" '^hint: --engine=perf reads samples instead'

# Without the right to load programs.
if setpriv --bounding-set=-bpf,-sys_admin true 2>/dev/null; then
	run setpriv --bounding-set=-bpf,-sys_admin "$p" latency -v --min 1ms --from $calls --to $returns --by id -- true
	rc_is 0 "without that right"
	like "the reason" "$TMP/out" 'not paired in the kernel: BPF programs may not be loaded here: Operation not permitted$'
else
	skip_outside "without the right to load programs" "setpriv"
fi

# --- a process of somebody else that has the number of a child of the command which has ended ---

cat >"$TMP/taken.c" <<'END'
#define _GNU_SOURCE
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	pid_t want = argc > 1 ? atoi(argv[1]) : 0, pid;
	struct clone_args args = {.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&want, .set_tid_size = 1};
	int i;

	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	for (i = 0; !pid && i < 30; i++)
		usleep(1000);
	if (!pid)
		_exit(0);
	return pid != want || waitpid(pid, NULL, 0) != pid;
}
END
cat >"$TMP/starts" <<'END'
sh -c 'echo $$ >"$1/new"; mv "$1/new" "$1/number"' - "$1"
read go <"$1/go"
"$2" sleeps 3 5 >/dev/null
END
if cc -o "$TMP/taken" "$TMP/taken.c" 2>"$TMP/cc"; then
	for engine in bpf perf; do
		rm -f "$TMP/number"
		"$p" latency run-queue --engine=$engine -q --json --by comm -- sh "$TMP/starts" "$TMP" "$PROG/waits" >"$TMP/out" 2>"$TMP/err" &
		latency=$!
		wait_for 60 test -e "$TMP/number"
		# what has ended is forgotten a little later
		sleep 0.5
		"$TMP/taken" "$(cat "$TMP/number")"
		rc=$?
		echo go >"$TMP/go"
		wait $latency
		if [ $rc -eq 0 ]; then
			is "$engine: its number is nobody's" "$(jq -c '[.rows[].comm] | [any(. == "waits"), any(. == "taken")]' "$TMP/out")" "[true,false]"
		else
			skip_outside "$engine: its number is nobody's" "processes with a number that is asked for"
		fi
	done
else
	skip_outside "the number of a child that ended" "<linux/sched.h> with struct clone_args"
fi

# A process, and what it starts, say how long

for engine in bpf perf; do
	sh -c 'read go <"$1/go"; (sleep 1; echo >"$1/ended") &' - "$TMP" &
	"$p" latency run-queue --engine=$engine -q --json --duration 60s -p $! >"$TMP/out" &
	latency=$!
	wait_for 60 watches $latency
	echo go >"$TMP/go"
	ok "$engine: everybody's events, of a process" wait $latency
	ok "until all that it started has ended" test -e "$TMP/ended"
	ok "and no longer" jq -e '.window_ns[1] < 50e9' "$TMP/out"
	rm -f "$TMP/ended"
done
sleep 1 &
run_ok "of a thread" "$p" latency off-cpu -q --json --duration 60s -t $!
ok "no longer, too" jq -e '.window_ns[1] < 50e9' "$TMP/out"

done_testing
