# SPDX-License-Identifier: GPL-2.0
#
# Where something may not be recorded, every command names the cause first, and what helps there: never "sudo" to root.
. tests/lib.sh

cd "$TMP"
limited='Access to performance monitoring and observability operations is limited'
"$PROG/sealed" --seccomp true || skip_all "no system call can be filtered here"

# refused WHO CAUSE REMEDY COMMAND...: exit code 2, one line with the cause and one with the remedy
refused()
{
	who=$1 cause=$2 remedy=$3
	shift 3
	what=${1##*/}
	run $seal "$@" </dev/null
	rc_is 2 "$who, $what: refused"
	like "$who, $what: the cause" "$TMP/err" "^perf-lite: .*$cause"
	like "$who, $what: the remedy" "$TMP/err" "^hint: .*$remedy"
	is "$who, $what: nothing before it" \
		"$(grep -vc '^perf-lite: \|^hint: \|^running in a PID namespace' "$TMP/err")" 0
	is "$who, $what: no output" "$(wc -c <"$TMP/out")" 0
}

# every_command WHO CAUSE REMEDY EVENT: of EVENT, by all commands that record
every_command()
{
	w=$1 c=$2 r=$3
	for command in "record -o none" "stat" "count" "trace"; do
		# shellcheck disable=SC2086
		refused "$w" "$c" "$r" "$PERF_LITE" $command -e "$4" -a -- true
	done
	refused "$w" "$c" "$r" "$PERF_LITE" top -e "$4" -a --duration 1s
	ok "$w: no file" not test -e none
}

# A filter on system calls, as that of Docker: whatever paranoid says

seal="$PROG/sealed --seccomp"
for event in cpu-clock context-switches:u; do
	every_command "seccomp, $event" "$limited. A seccomp filter forbids perf_event_open" \
		"--cap-add PERFMON, or with --security-opt seccomp=unconfined" $event
done
refused "seccomp, own command" "A seccomp filter forbids" "seccomp=unconfined" "$PERF_LITE" record -o none -- true
refused "seccomp, own command" "A seccomp filter forbids" "seccomp=unconfined" "$PERF_LITE" stat -- true
for class in hw cache raw bp; do
	run $seal "$PERF_LITE" list $class
	like "list $class: the cause" "$TMP/err" "^perf-lite: $limited. A seccomp filter forbids perf_event_open"
	like "list $class: the remedy" "$TMP/err" "^hint: .*--cap-add PERFMON"
	is "list $class: nothing is made up" "$rc $(wc -c <"$TMP/out")" "1 0"
done
run_ok "software events are those of every kernel" $seal "$PERF_LITE" list sw
like "and have names to complete" "$TMP/out" '^cpu-clock'
run $seal "$PERF_LITE" check user
like "check: the cause" "$TMP/out" "A seccomp filter forbids perf_event_open"
seal=
if can own; then
	run "$PERF_LITE" check user
	unlike "no filter: another cause, or none" "$TMP/out" "seccomp"
else
	skip_without "no filter: another cause, or none" own
fi

# Filters that forbid something else say nothing about it

if can own; then
	seal="$PROG/sealed --seccomp"
	run "$PERF_LITE" record -o "$TMP/f" -- true
	rc_is 0 "without a filter, recorded"
else
	skip_without "without a filter, recorded" own
fi

# Root without capabilities: no sudo gives it more

in_user_namespace() { ! grep -q '^ *0 *0 *4294967295$' /proc/self/uid_map; }
if in_user_namespace; then
	skip_outside "root without capabilities" "this is a user namespace, whose root has none"
elif [ "$(id -u)" -eq 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo -1)" -gt 1 ] && can own; then
	seal="$PROG/sealed --no-capabilities"
	every_command "no capabilities" "$limited. Events of all tasks need .* or CAP_PERFMON" \
		"this root lacks CAP_PERFMON: in a container, start it with --cap-add PERFMON" cpu-clock
	unlike "nobody says: run it with sudo" "$TMP/err" "run it with sudo"
	run $seal "$PERF_LITE" check all symbols
	unlike "nor does check" "$TMP/out" "run it with sudo|run as root"
	like "which names the capability for addresses" "$TMP/out" "this root lacks CAP_SYSLOG"
	run $seal "$PERF_LITE" record -o f -e cpu-clock -- true
	rc_is 0 "its own programs it may record"
	run $seal "$PERF_LITE" stat -e task-clock,page-faults -- true
	rc_is 0 "and count"
	is "what is left out is said once" "$(grep -c 'counting user code only' "$TMP/err")" 1
elif [ "$(id -u)" -ne 0 ]; then
	skip_without "root without capabilities" users
elif ! can own; then
	skip_without "root without capabilities" own
else
	skip_outside "root without capabilities" "kernel.perf_event_paranoid lets everybody record"
fi

# No tracefs, and no right to mount it

if in_user_namespace; then
	skip_outside "no tracefs" "a user namespace cannot unmount what was there before it"
elif [ "$(id -u)" -eq 0 ] && can mounts; then
	run unshare -m sh -c 'umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null; exec "$@"' sh \
		"$PROG/sealed" --no-capabilities "$PERF_LITE" list 'sched:*'
	rc_is 1 "no tracefs"
	like "said" "$TMP/err" "^perf-lite: .*tracefs is not mounted, and this root may not mount it"
	like "and how a container gets it" "$TMP/err" "^hint: in a container, start it with -v /sys/kernel/tracing:/sys/kernel/tracing"
else
	skip_without "no tracefs" mounts
fi

# The root of a user namespace

if can userns; then
	run unshare -Ur "$PERF_LITE" record -o none -e cpu-clock -a -- true
	if [ $rc -ne 0 ]; then
		like "the root of a user namespace" "$TMP/err" "^hint: the root of a user namespace is an ordinary user here"
	else
		ok "the root of a user namespace may: paranoid" true
	fi
else
	skip_without "the root of a user namespace" userns
fi

# Everybody, in a PID namespace

if can everybody && can pidns && can mounts; then
	run unshare -pf --mount-proc "$PERF_LITE" record -o f -e cpu-clock -a -- true
	rc_is 0 "a PID namespace"
	like "others have no numbers there, which is said" "$TMP/err" "^running in a PID namespace: processes outside it appear as PID 0"
	if can first-pids; then
		run "$PERF_LITE" record -o f -e cpu-clock -a -- true
	else
		: >"$TMP/err"
	fi
	unlike "and only there" "$TMP/err" "PID namespace"
else
	skip_without "everybody, in a PID namespace" everybody pidns mounts
fi

done_testing
