# SPDX-License-Identifier: GPL-2.0
#
# BPF programs that hide the hits of a tracepoint from all perf events: every command that opens it warns, once, and names
# no program that hides nothing. No other test records these tracepoints as perf events: that hits are hidden harms none.
. tests/lib.sh
need everybody bpf
need_cmd flock
event=filelock:flock_lock_inode
need_event $event

# hold WHAT EVENT...: programs before these, until release
hold()
{
	what=$1 hiders=
	shift
	mkfifo "$TMP/hold"
	for name; do
		"$PROG/hide" "$(cat "/sys/kernel/tracing/events/filelock/${name#*:}/id")" "$what" \
			<"$TMP/hold" >>"$TMP/ready" 2>"$TMP/hide.err" &
		hiders="$hiders $!"
	done
	exec 9>"$TMP/hold"
	wait_for 20 sh -c '[ "$(grep -c ready "$1")" = "$2" ]' - "$TMP/ready" $# || diag_file "$TMP/hide.err"
}

release()
{
	exec 9>&-
	wait $hiders
	rm "$TMP/hold" "$TMP/ready"
}

# warned DESC TEXT: such a line, and what to do
warned()
{
	is "$1" "$(sed -En 's/^(filelock:[a-z_]+: the BPF program .hides. \(id )[0-9]+\) /\1N) /p' "$TMP/err")" \
		"$event: the BPF program 'hides' (id N) runs before it$2"
	is "$1: what to do" "$(grep -c '^perf-lite check bpf names the process that holds such a program: end it, or have the program return 1$' "$TMP/err")" 1
}

all=' and returns 0: no hit is seen'
load="flock $TMP/lock true"

hold all $event
run_ok "record" "$PERF_LITE" record -e $event -e $event --filter 'fl_end != 7' -o "$TMP/d" -- $load
warned "record" "$all"
like "and indeed" "$TMP/err" ': 0 samples '
for command in "trace -e $event" "count -e $event" "top -e $event" "stat -r 2 -e $event" "stat -a -e $event" \
	"latency --from $event --to filelock:locks_get_lock_context" "drops -e $event --by cpu"; do
	run "$PERF_LITE" $command -- $load
	warned "$command" "$all"
done
run "$PERF_LITE" trace -q -e $event -- $load
is "quiet" "$(said "$TMP/err")" ""
run "$PERF_LITE" check $event
like "check" "$TMP/out" "the BPF program 'hides' \(id [0-9]+\) runs before it$all$"
# a program of ours reads the raw tracepoint, which shows all
if can btf && can first-pids; then
	run_ok "an expression" "$PERF_LITE" trace -e "$event(one=1)" -- $load
	unlike "is not hidden" "$TMP/err" 'BPF program'
	like "but seen" "$TMP/out" "$event"
else
	skip_without "an expression" btf first-pids
	skip_without "is not hidden" btf first-pids
	skip_without "but seen" btf first-pids
fi
release

hold some $event
run "$PERF_LITE" stat -x, -e $event -- $load
warned "one whose code may return 0" ': hits for which it returns 0 are not seen'
like "and they are counted" "$TMP/err" "^1,,$event"
release

hold none $event
run_ok "one that returns 1" "$PERF_LITE" trace -e $event -- $load
unlike "is not named" "$TMP/err" 'BPF program'
run_ok "nor by check" "$PERF_LITE" check $event
release

# Many: some are named, the others counted

many="$event filelock:locks_get_lock_context filelock:posix_lock_inode filelock:fcntl_setlk filelock:locks_remove_posix"
hold all $many
run "$PERF_LITE" record -e 'filelock:*' -o "$TMP/d" -- $load
is "a pattern" "$(grep -c "^filelock:.*BPF program" "$TMP/err")" 3
like "the rest" "$TMP/err" '^BPF programs hide hits of 2 more tracepoints$'
like "once" "$TMP/err" '^perf-lite check bpf names'
release
run_ok "hidden no more" "$PERF_LITE" trace -e $event -- $load
is "without a word" "$(said "$TMP/err")" ""
like "it is seen" "$TMP/out" "$event"
done_testing
