# SPDX-License-Identifier: GPL-2.0
#
# Functions of the kernel as samples.
. /tests/lib.sh
need_event ftrace:function
# Until its filter is set an event is of all functions, and changing the code of 40000 takes minutes here: function tracing is
# disabled while events are opened, and it is the command, begun behind them, that enables it.
enabled=/proc/sys/kernel/ftrace_enabled

traced() # ARG... of perf-lite, and the command
{
	echo 0 >$enabled
	run "$PERF_LITE" "$@" -- sh -c "echo 1 >$enabled; exec $PROG/drops --udp 60"
}

case $(uname -m) in
x86_64) entry=do_syscall_64 ;;
aarch64) entry=do_el0_svc ;;
ppc64le) entry=system_call_exception ;;
*) entry=__do_syscall ;;
esac
traced record -a -g -e ftrace:function --filter 'ip ~ "__sys_sendt*"' -o "$TMP/f.data"
rc_is 0 "records a function"
run_ok "script" "$PERF_LITE" script -i "$TMP/f.data"
is "each call, by thread" "$(grep -Ec '^ *(dns-query|metrics|syslog) .* ftrace:function: *__sys_sendto <-- ' "$TMP/out")" 60
is "with its callers in the kernel" "$(grep -c " $entry+" "$TMP/out")" 60
unlike "and no user half" "$TMP/out" "drops[)]"
run "$PERF_LITE" verify "$TMP/f.data"
rc_is 0 "verify"

traced record -e ftrace:function --filter 'ip == __sys_sendto || ip == __sys_socket' -o "$TMP/f.data"
rc_is 0 "of a command"
like "those that it starts are not in it" "$TMP/err" "threads and processes that the targets start are left out"

echo 0 >$enabled
run "$PERF_LITE" record -a -e ftrace:function --filter 'ip == no_such_function' -o "$TMP/none.data" -- true
rc_is 2 "no such function"
like "why, and where the names are" "$TMP/err" "available_filter_functions"
echo 1 >$enabled
run "$PERF_LITE" record -a -e ftrace:function -o "$TMP/none.data" -- true
rc_is 1 "all functions are not sampled"
like "what is missing is named" "$TMP/err" "--filter 'ip == kfree_skb"
done_testing
