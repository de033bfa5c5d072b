# SPDX-License-Identifier: GPL-2.0
#
# perf-lite check: what it says can be recorded can be, and what it says mends the rest does.
. tests/lib.sh
need_tracefs

run_ok "all" "$PERF_LITE" check
cp "$TMP/out" "$TMP/all"
is "each thing, with an answer" "$(grep -cE '^  (yes|limited|no) ' "$TMP/all")" 15
is "in one column" "$(grep -E '^  (yes|limited|no) ' "$TMP/all" | grep -cvE '^.{10} [^ ]')" 0
is "what is missing has a line that mends it" \
	"$(grep -cE '^  (limited|no) ' "$TMP/all")" "$(grep -c '^             [a-z]' "$TMP/all")"

# What it says is so

state()
{
	"$PERF_LITE" check "$@" | sed -n 's/^  \([a-z]*\) .*/\1/p'
}
agrees()
{
	name=$1
	shift
	if [ "$(state "$name")" = yes ]; then
		run_ok "$name: it can" "$@"
	else
		run "$@"
		ok "$name: it cannot" [ $rc -ne 0 ]
	fi
}
agrees user "$PERF_LITE" record -q -o "$TMP/data" -e cpu-clock:u -- true
agrees kernel "$PERF_LITE" record -q -o "$TMP/data" -e cpu-clock:k -- true
agrees all "$PERF_LITE" record -q -o "$TMP/data" -e cpu-clock -a -- true
agrees tracepoints "$PERF_LITE" record -q -o "$TMP/data" -e sched:sched_switch -a -- true
agrees symbols sh -c 'grep -qv "^0000000000000000" /proc/kallsyms'
# on a busy machine nothing is known of CPUs that were not idle; what it says of a CPU is so
idle=$(state idle)
case $idle in
limited)
	cpu=$("$PERF_LITE" check idle | sed -n 's/.*the idle task of CPU \([0-9]*\).*/\1/p')
	run_ok "idle: of that CPU" "$PERF_LITE" count -q --engine=perf -C "$cpu" -e sched:sched_switch --filter 'prev_pid == 0' --json \
		-- sleep 0.2
	is "nothing is counted" "$(sed -n 's/.*"total":{"count":\([0-9]*\)}.*/\1/p' "$TMP/out")" 0
	;;
*) is "idle: as tracepoints are" "$idle" "$(state tracepoints)" ;;
esac
agrees types test -r /sys/kernel/btf/vmlinux
is "hardware counters are no software in their place" "$(state hardware)" \
	"$([ -e /sys/bus/event_source/devices/cpu ] && state hardware || echo no)"
is "how many tracepoints" "$("$PERF_LITE" check tracepoints | sed 's/.* \([0-9]*\)$/\1/')" \
	"$("$PERF_LITE" list tracepoint | wc -l)"

# Named things

run_ok "an event" "$PERF_LITE" check sched:sched_switch
like "can be recorded" "$TMP/out" '^  yes      sched:sched_switch$'
run_ok "a word of -e" "$PERF_LITE" check page-faults
like "can be recorded" "$TMP/out" '^  yes      page-faults$'
run "$PERF_LITE" check sched:no_such_event
rc_is 1 "an event that there is not"
like "is said" "$TMP/out" "^  no       sched:no_such_event .*unknown tracepoint 'sched:no_such_event'"
run "$PERF_LITE" check tracepoint
rc_is 1 "a word that is none"
like "is said with the nearest" "$TMP/err" "^hint: did you mean 'tracepoints'"
need_cmd python3
run_ok "as JSON" "$PERF_LITE" check --json
is "which is JSON" "$(python3 -c '
import json, sys
v = json.load(open(sys.argv[1]))
assert all(x["state"] == "yes" or x["why"] and x["fix"] for x in v)
print(len(v))' "$TMP/out")" 15
unlike "no colours in a file" "$TMP/all" "$(printf '\033')"

# A BPF program that hides a tracepoint

need_root
need_event syscalls:sys_enter_getpriority
id=$(cat /sys/kernel/tracing/events/syscalls/sys_enter_getpriority/id)
mkfifo "$TMP/hold"
"$PROG/hide" "$id" <"$TMP/hold" >"$TMP/hidden" 2>"$TMP/hide.err" &
hider=$!
exec 9>"$TMP/hold"
i=0
while ! [ -s "$TMP/hidden" ] && kill -0 $hider 2>/dev/null && [ $i -lt 100 ]; do
	sleep 0.1
	i=$((i + 1))
done
if [ -s "$TMP/hidden" ]; then
	run_ok "a hidden event" "$PERF_LITE" check syscalls:sys_enter_getpriority
	like "by what" "$TMP/out" "^  limited  syscalls:sys_enter_getpriority .*BPF program 'hides' \(id [0-9]+\) runs before it and returns 0: no hit is seen"
	run "$PERF_LITE" check bpf
	rc_is 0 "whoever hides one"
	like "is named" "$TMP/out" "sys_enter_getpriority: 'hides' \(id [0-9]+\) of hide $hider"
	run "$PERF_LITE" stat -x, -e syscalls:sys_enter_getpriority -- nice true
	like "and it is hidden indeed" "$TMP/err" '^0,,syscalls:sys_enter_getpriority'
else
	diag_file "$TMP/hide.err"
	skip_without "hidden events" bpf
fi
exec 9>&-
wait $hider
run_ok "hidden no more" "$PERF_LITE" check syscalls:sys_enter_getpriority
like "it can be recorded" "$TMP/out" '^  yes '

# Without privileges: the command that it names mends it

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}
need_cmd setpriv
cp "$PERF_LITE" "$TMP/perf-lite" && chmod 755 "$TMP" "$TMP/perf-lite"
old=$(cat /proc/sys/kernel/perf_event_paranoid)
at_exit sysctl -qw kernel.perf_event_paranoid="$old"
for name in kernel all; do
	sysctl -qw kernel.perf_event_paranoid=2
	run as_nobody "$TMP/perf-lite" check $name
	rc_is 1 "nobody, $name: not at level 2"
	level=$(sed -n 's/.*sudo sysctl kernel.perf_event_paranoid=\(-*[0-9]*\).*/\1/p' "$TMP/out")
	sysctl -qw kernel.perf_event_paranoid="${level:-2}"
	run as_nobody "$TMP/perf-lite" check $name
	rc_is 0 "nobody, $name: at the level that was named ($level)"
done
sysctl -qw kernel.perf_event_paranoid=2
run as_nobody "$TMP/perf-lite" check
rc_is 0 "nobody: all is told"
like "whose answer it is" "$TMP/out" '^What user 65534 can record on Linux '
unlike "each reason alone" "$TMP/out" 'observability'
like "rings are limited, or not" "$TMP/out" '^  (yes|limited)  +memory for samples'

# On a terminal, lines that fit; in a file, what is said of a thing stands in one

words()
{
	tr -s ' \n' '\n\n' <"$1"
}
if command -v script >/dev/null; then
	# what others do meanwhile may be in it: programs of BPF that they attach
	on_terminal()
	{
		for try in 1 2 3 4 5; do
			run as_nobody "$TMP/perf-lite" check
			words "$TMP/out" >"$TMP/words"
			script -qec "sh $TMP/cmd" /dev/null </dev/null | tr -d '\r' >"$TMP/lines"
			run as_nobody "$TMP/perf-lite" check
			words "$TMP/out" >"$TMP/after"
			! cmp -s "$TMP/words" "$TMP/after" || return 0
		done
		diag "it changed each time: $try"
	}
	for columns in 60 80 100 200; do
		cat >"$TMP/cmd" <<-END
			stty cols $columns
			setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$TMP/perf-lite" check --color=never
		END
		on_terminal
		# a command that is to be copied is not taken apart
		is "$columns columns: no line is wider" "$(grep -v '^ *sudo ' "$TMP/lines" |
			awk -v n=$((columns < 100 ? columns : 100)) 'length($0) > n' | head -n 1)" ""
		words "$TMP/lines" >"$TMP/got"
		is_file "$columns columns: every word is there" "$TMP/got" "$TMP/words"
		like "$columns columns: commands stay in one piece" "$TMP/lines" 'sudo setcap cap_sys_nice\+ep perf-lite$'
	done
else
	skip_without "lines on a terminal" script
fi
done_testing
