# SPDX-License-Identifier: GPL-2.0
#
# Probes in the kernel, made through tracefs.
. /tests/lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || skip_all "no kprobes in this kernel"

echo 'p:ours/sendto __sys_sendto' >$tracing/kprobe_events
echo 'r64:ours/sent __sys_sendto $retval' >>$tracing/kprobe_events
need_event ours:sendto
run_ok "record probes of the kernel" "$PERF_LITE" record -a -g -e ours:sendto,ours:sent -o /out/probes.data -- "$PROG/drops" --udp 60
run_ok "script" "$PERF_LITE" script -i /out/probes.data
cp "$TMP/out" /out/probes.script
is "each call" "$(grep -Ec '^ *(dns-query|metrics|syslog) .* ours:sendto:' "$TMP/out")" 60
is "each return" "$(grep -Ec '^ *(dns-query|metrics|syslog) .* ours:sent:.*arg1=(0x)?7' "$TMP/out")" 60
run_ok "stat counts them" "$PERF_LITE" stat -x, -o "$TMP/stat" -e ours:sendto -- "$PROG/drops" --udp 60
is "each call" "$(awk -F, 'NF > 3 { print $1; exit }' "$TMP/stat")" 60
echo >$tracing/kprobe_events
done_testing
