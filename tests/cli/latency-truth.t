# SPDX-License-Identifier: GPL-2.0
#
# perf-lite latency tells the truth: programs say when each of their waits began and ended, by the clock of the samples, so each
# span must be inside one of them; and presets of the kernel's own work beside a second implementation in awk.
. tests/lib.sh
need_root
need first-pids
need_event sched:sched_switch
need_event syscalls:sys_enter_clock_nanosleep
need_idle_tasks
need_cmd jq
. tests/cli/recording.sh
sched="sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new"

# A Linux 6.18 was seen to lose the events of the idle task of any CPU but CPU 0.
cat >"$TMP/on-0" <<END
exec taskset -c 0 "\$@"
END
taskset -c 0 true 2>/dev/null || echo 'exec "$@"' >"$TMP/on-0"

# program NAME: waits by a name that no other test's has; $program
program()
{
	program=$TMP/$1-$$
	cp "$PROG/waits" "$program"
	comm=$1-$$
}

# said WHAT...: what the program has said of these, "TID BEGIN END", in $TMP/said
said_of()
{
	for what; do
		sed -n "s/^$what //p" "$TMP/said.all"
	done >"$TMP/said"
}

# spans ARG...: a line "TID BEGIN END" of each span, in $TMP/spans
spans()
{
	"$PERF_LITE" latency "$@" --by tid --trace --json -q 2>"$TMP/err" |
		jq -r '"\(.tid) \(.begin_ns) \(.end_ns)"' >"$TMP/spans"
}

# Each wait of $TMP/said holds one span of $TMP/spans that is of its thread: $waits, $ones, ns $beyond of the spans, ns $waited;
# $others: spans that are in none. The two read the clock in different ways, which may differ by some microseconds.
compare()
{
	sort -k1,1n -k2,2n "$TMP/said" | awk -v slack=20000 '
		FNR == NR { i = ++n[$1]; begin[$1, i] = $2; end[$1, i] = $3; waits++; said += $3 - $2; next }
		{
			for (i = last[$1] + 1; i <= n[$1] && end[$1, i] + slack < $3; i++)
				last[$1] = i
			if (i > n[$1] || $2 < begin[$1, i] - slack) {
				others++
				next
			}
			held[$1, i]++
			outside += end[$1, i] - begin[$1, i] - ($3 - $2)
		}
		END {
			for (w in held)
				ones += held[w] == 1
			printf "%d %d %.0f %.0f %d\n", waits, ones, outside, said, others
		}' - "$TMP/spans" >"$TMP/compared"
	read -r waits ones beyond waited others <"$TMP/compared"
}

# closes DESC: the account in $TMP/out does
closes()
{
	is "$1: the account closes" "$(jq -c '[.begins - .spans - .restarts - .given_up - .across_loss - .reordered - .no_room - .open,
		.ends - .spans - .across_loss - .reordered - .ends_without_begin]' "$TMP/out")" "[0,0]"
}

# --- a thousand threads that sleep at once, and wait for futexes ---

program crowd
run_ok "a thousand threads" "$PERF_LITE" record -q -a --include-self -m 8M -e $sched \
	-e syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep,syscalls:sys_enter_futex,syscalls:sys_exit_futex \
	-o "$f" -- sh "$TMP/on-0" "$program" crowd 1000 2 20
cp "$TMP/out" "$TMP/said.all"
run_ok "how long they waited for the CPU" "$PERF_LITE" latency run-queue --by tid --json -q -i "$f" --comm "$comm"
jq -r '.rows[] | "\(.tid) \(.sum_ns)"' "$TMP/out" >"$TMP/run-queue"
closes "run-queue"
for what in sleep futex; do
	case $what in
	sleep) points="--from syscalls:sys_enter_clock_nanosleep:tid --to syscalls:sys_exit_clock_nanosleep:tid" ;;
	futex) points=futex ;;
	esac
	said_of $what
	spans $points -i "$f" --comm "$comm"
	compare
	is "each $what of a thousand threads is a span inside it" "$waits $ones" "2000 2000"
	# what is outside is the way into the system call, on which others may have had the CPU
	waiting=$(cut -d' ' -f1 "$TMP/said" | sort -u | awk 'FNR == NR { of[$1]; next } $1 in of { sum += $2 } END { printf "%.0f", sum }' \
		- "$TMP/run-queue")
	ok "their sum is what they said, but for 1 % and waits for the CPU" \
		awk "BEGIN { print $beyond, $waited, $waiting; exit !($beyond >= 0 && $beyond <= $waited / 100 + $waiting) }"
done
run_ok "by thread" "$PERF_LITE" latency --from syscalls:sys_enter_clock_nanosleep:tid --to syscalls:sys_exit_clock_nanosleep:tid \
	--by tid --split --json -q -i "$f" --comm "$comm"
is "there is a row for each, with its two sleeps" "$(jq '.rows | map(select(.spans == 2 and .sum_ns >= 40000000)) | length' "$TMP/out")" 1000
is "whose parts are the whole" "$(jq '[.rows[] | .sum_ns - .running_ns - .runnable_ns - .sleeping_ns - .uninterruptible_ns - .stopped_ns -
	.unknown_ns | if . < 0 then -. else . end] | add' "$TMP/out")" 0
closes "sleeps"

# --- threads that never sleep, on one CPU: beside what the kernel adds up for each ---

program hogs
mkfifo "$TMP/go"
record_start -q -a --include-self -m 8M -e $sched
sh "$TMP/on-0" "$program" hogs 3 900 <"$TMP/go" >"$TMP/said.all" &
hogs=$!
exec 9>"$TMP/go"
ok "three hogs on a CPU" wait_for 60 grep -q '^wall' "$TMP/said.all"
record_end
exec 9>&-
wait $hogs
if [ -s "$TMP/said.all" ]; then
	run_ok "their waits" "$PERF_LITE" latency run-queue --by tid --json -q -i "$f" --comm "$comm"
	jq -r '.rows[] | "\(.tid) \(.sum_ns)"' "$TMP/out" >"$TMP/run-queue"
	closes "run-queue of hogs"
	# "hog TID RUN DELAY" and "wall TID BEGIN END"
	awk 'FNR == NR { ours[$1] = $2; next }
		$1 == "wall" { wall = $4 - $3 }
		$1 == "hog" {
			n++; run += $3; delay += $4; sum += ours[$2]
			d = ours[$2] - $4
			# some kernels do not record the switches to all processes, whose waits then lack
			if (d > $4 / 100 + 1000000 || d < -$4 / 20 - 1000000) print "tid " $2 ": the kernel " $4 ", perf-lite " ours[$2] + 0
		}
		END {
			if (n != 3) print n + 0 " hogs"
			# one of them runs at a time, if no other thread does
			if (sum < (sum + run) * (n - 1) / n * 0.99 - 1000000) print "sum " sum ", and they ran " run
			if (sum + run > n * wall * 1.01 + 1000000) print "sum " sum ", run " run ", wall " wall
		}' "$TMP/run-queue" "$TMP/said.all" >"$TMP/different"
	is "each as run_delay has it, and two thirds of the time in all" "$(cat "$TMP/different")" ""
fi

# --- a function that calls itself, and forks ---

if can uprobes; then
	program levels
	run_ok "calls of a function" "$PERF_LITE" record -q -a -e "uprobe:$program:level,uretprobe:$program:level" \
		-o "$f" -- "$program" levels 7 3
	cp "$TMP/out" "$TMP/said.all"
	points="--from uprobe:$program:level:tid --to uretprobe:$program:level:tid --nested"
	said_of outside
	spans $points -i "$f"
	# a call is inside those of its callers, too, so from the last one on
	awk '{ print }' "$TMP/spans" | sort -k1,1n -k2,2n >"$TMP/in-order"
	said_of outside
	sort -k1,1n -k2,2n "$TMP/said" >"$TMP/outside"
	said_of inside
	sort -k1,1n -k2,2n "$TMP/said" >"$TMP/inside"
	is "each level is one" "$(wc -l <"$TMP/in-order") $(wc -l <"$TMP/outside")" "7 7"
	is "inside of what its caller saw, around what it saw itself" "$(paste -d' ' "$TMP/outside" "$TMP/in-order" "$TMP/inside" | awk '
		$1 == $4 && $4 == $7 && $5 >= $2 - 20000 && $6 <= $3 + 20000 && $5 <= $8 + 20000 && $6 >= $9 - 20000' | wc -l)" 7
	run_ok "their account" "$PERF_LITE" latency $points --json -q -i "$f"
	is "has the child, which returned and did not call" "$(jq -c '[.spans, .ends_without_begin, .open, .restarts]' "$TMP/out")" "[7,7,0,0]"
	closes "levels"
	run_ok "not nested" "$PERF_LITE" latency ${points% --nested} --json -q -i "$f"
	is "the first begin counts, up to the first return" "$(jq -c '[.spans, .restarts, .ends_without_begin]' "$TMP/out")" "[1,6,13]"
	closes "not nested"
else
	skip_without "a function that calls itself" uprobes
fi

# --- exec ---

program execs
run_ok "a program that executes itself" "$PERF_LITE" record -q -e syscalls:sys_enter_execve,syscalls:sys_exit_execve \
	-e sched:sched_process_exec,sched:sched_process_exit -o "$f" -- "$program" execs 5
cp "$TMP/out" "$TMP/said.all"
said_of exec
points="--from syscalls:sys_enter_execve:tid --to syscalls:sys_exit_execve:tid"
spans $points -i "$f"
compare
# the fifth is called by a thread, which returns from it as the first thread of the process
is "calls of execve(2)" "$waits $ones" "5 4"
run_ok "their account" "$PERF_LITE" latency $points --json -q -i "$f"
# the first end is that of the command's own start
is "has its end without a begin, and its begin as open" "$(jq -c '[.spans, .ends_without_begin, .open]' "$TMP/out")" "[4,2,1]"
closes "execve(2)"
run_ok "the programs" "$PERF_LITE" latency exec --json -q -i "$f"
# it is executed by a name of /proc but the first time
is "each ended with the next exec" "$(jq -c '[.spans, .restarts, .open, (.rows[] | select(.comm == "exe") | .spans)]' "$TMP/out")" "[6,0,0,5]"
# but for the time between the end of its first thread and the exec of the other one, both of which are in the fifth call
fifth=$(awk '{ ns = $3 - $2 } END { printf "%.0f", ns }' "$TMP/said")
ok "together they ran for as long as the process, but for a part of the fifth call" jq -e --argjson fifth "$fifth" \
	'.sum_ns <= .window_ns[1] and .sum_ns >= .window_ns[1] - $fifth' "$TMP/out"
closes "programs"
run_ok "programs that are started" "$PERF_LITE" record -q -e sched:sched_process_exec,sched:sched_process_exit -o "$f" -- "$PROG/forks" 20
run_ok "how long they ran" "$PERF_LITE" latency exec --json -q -i "$f"
is "each is a span" "$(jq '.rows[] | select(.comm == "exe") | .spans' "$TMP/out")" 20
closes "exec"

# --- TCP: what goes on with a connection may be an interrupt of the recorder, or of an idle CPU, whose events some kernels lose ---

run_ok "connections, and a second one that is not answered at first" "$PERF_LITE" record -q -a --include-self -e sock:inet_sock_set_state \
	-o "$f" -- "$PROG/waits" connects 4
cp "$TMP/out" "$TMP/said.all"
port=$(sed -n 's/^port \([0-9]*\) .*/\1/p' "$TMP/said.all")
established=$("$PERF_LITE" script -i "$f" -F trace 2>/dev/null |
	grep -c " dport=$port .*oldstate=TCP_SYN_SENT newstate=TCP_ESTABLISHED")
unseen="the kernel did not record an event of an idle CPU"
# as if they were of one thread, of which those that wait a second hold no other
sed -n 's/^connect [0-9]* /0 /p' "$TMP/said.all" >"$TMP/said"
"$PERF_LITE" latency tcp-connect --by dport --trace --json -q -i "$f" 2>"$TMP/err" |
	jq -r "select(.dport == $port) | \"0 \(.begin_ns) \(.end_ns)\"" >"$TMP/spans"
compare
if [ $established -eq 4 ]; then
	is "each connect(2) holds one that is being established" "$waits $ones $(wc -l <"$TMP/spans")" "4 4 4"
	is "two of them for more than a second" "$(awk '$3 - $2 >= 1e9' "$TMP/spans" | wc -l)" 2
else
	skip_outside "each connect(2) holds one that is being established" "$unseen"
	skip_outside "two of them for more than a second" "$unseen"
fi
run_ok "their account" "$PERF_LITE" latency tcp-connect --by dport --json -q -i "$f"
closes "tcp-connect"
"$PERF_LITE" latency tcp-life --by sport,dport --trace --json -q -i "$f" 2>"$TMP/err" |
	jq -r "select(.dport == $port or .sport == $port) | \"\(.begin_ns) \(.end_ns)\"" >"$TMP/spans"
if [ $established -eq 4 ]; then
	is "both ends of a connection live" "$(wc -l <"$TMP/spans")" 8
	is "those of each second one for 300 ms" "$(awk '$2 - $1 >= 3e8' "$TMP/spans" | wc -l)" 4
else
	skip_outside "both ends of a connection live" "$unseen"
	skip_outside "those of each second one for 300 ms" "$unseen"
fi
is "none before the first connect(2)" "$(sed -n 's/^connect [0-9]* //p' "$TMP/said.all" | sort -n | head -n 1 | awk '
	FNR == NR { first = $1; next } $1 < first - 20000' - "$TMP/spans")" ""

# --- the kernel's own work: beside awk, of the same recording ---

# pairs FROM TO KEY [UNTIL]: spans, their sum, restarts, ends without a begin and open ones of $TMP/events; the newest begin
# counts. KEY: names with + between, tid and cpu of the line, others as NAME=VALUE of its text.
pairs()
{
	awk -v from="$1" -v to="$2" -v key="$3" -v until="${4:-none}" '
		function key_of(v, n, i, at, k) {
			for (i = n = split(key, v, "+"); i; i--) {
				if (v[i] == "tid") at = $1
				else if (v[i] == "cpu") at = $2
				else {
					match($0, "(^|[^a-z_])" v[i] "=[^ ,:]+")
					at = substr($0, RSTART, RLENGTH)
					sub(/.*=/, "", at)
				}
				k = k "/" at
			}
			return k
		}
		$4 != from ":" && $4 != to ":" && $4 != until ":" { next }
		{
			k = key_of()
			split($3, t, /[.:]/)
			time = t[1] * 1000000000 + t[2]
		}
		$4 == until ":" && k in begin { given_up++; delete begin[k] }
		$4 == to ":" {
			if (k in begin) { n++; sum += time - begin[k]; delete begin[k] } else ends++
		}
		$4 == from ":" { restarts += k in begin; begin[k] = time }
		END {
			for (k in begin) open++
			printf "%d %.0f %d %d %d %d\n", n, sum, restarts, ends, given_up, open
		}' "$TMP/events"
}

cat >"$TMP/load" <<END
'$PROG/drops' --udp 300 >/dev/null
'$PROG/threads' 2000 >/dev/null &
dd if=/dev/zero of='$TMP/written' bs=64k count=20 conv=fsync 2>/dev/null
'$PROG/waits' sleeps 20 5 >/dev/null
for i in 1 2 3 4; do
	dd if=/dev/zero of='$TMP/written' bs=1M count=20 conv=notrunc 2>/dev/null &
done
wait
END
kernel=irq:softirq_entry,irq:softirq_exit,irq:irq_handler_entry,irq:irq_handler_exit,net:net_dev_queue,net:net_dev_start_xmit,skb:kfree_skb
kernel=$kernel,workqueue:workqueue_queue_work,workqueue:workqueue_execute_start,workqueue:workqueue_execute_end
kernel=$kernel,lock:contention_begin,lock:contention_end
run_ok "the kernel's own work" "$PERF_LITE" record -q -a --include-self -m 8M -e "$kernel" -o "$f" -- sh "$TMP/load"
# texts that name what the keys are
"$PERF_LITE" script -q --ns -i "$f" -F tid,cpu,time,event,trace 2>/dev/null | sed 's/work struct[ =]\([^ :]*\)/work=\1/
	s/\(lock:contention[^ ]*\) \([^ ]*\)/\1 lock=\2/' >"$TMP/events"
while read -r preset from to key until; do
	run_ok "$preset" "$PERF_LITE" latency "$preset" --json -q -i "$f"
	is "$preset: spans, sum, begins while one was open, ends without a begin, given up, open" \
		"$(jq -r '"\(.spans) \(.sum_ns) \(.restarts) \(.ends_without_begin) \(.given_up) \(.open)"' "$TMP/out")" \
		"$(pairs "$from" "$to" "$key" $until)"
	if grep -q " ${from#*:}[: ]\| $from[: ]" "$TMP/events"; then
		ok "$preset: there are some" test "$(jq .spans "$TMP/out")" -gt 0
	else
		skip_outside "$preset: there are some" "nothing of that sort happened"
	fi
	closes "$preset"
done <<END
irq irq:irq_handler_entry irq:irq_handler_exit cpu+irq
softirq irq:softirq_entry irq:softirq_exit cpu+vec
workqueue workqueue:workqueue_execute_start workqueue:workqueue_execute_end work
workqueue-wait workqueue:workqueue_queue_work workqueue:workqueue_execute_start work
locks lock:contention_begin lock:contention_end tid+lock
packets net:net_dev_queue net:net_dev_start_xmit skbaddr skb:kfree_skb
END
done_testing
