# SPDX-License-Identifier: GPL-2.0
#
# The kernel's own code: probes in it by the PMU alone, changes of it; and options that older kernels do not know.
. /tests/lib.sh
pmu=/sys/bus/event_source/devices/kprobe/type
release=$(uname -r)
older_than() # MAJOR MINOR
{
	echo "$release" | awk -F'[.]' -v a="$1" -v b="$2" '{ exit !($1 < a || ($1 == a && $2 + 0 < b)) }'
}

# Probes, without tracefs

if [ -e $pmu ]; then
	umount /sys/kernel/tracing
	run_ok "probes of the kernel" "$PERF_LITE" record -a -g -e kprobe:__sys_sendto -e kretprobe:__sys_sendto \
		-o "$TMP/probes.data" -- "$PROG/drops" --udp 60
	mount -t tracefs tracefs /sys/kernel/tracing
	run_ok "script" "$PERF_LITE" script -i "$TMP/probes.data" -F comm,event,ip,sym
	is "each call" "$(grep -Ec '^(dns-query|metrics|syslog) .*kprobe:__sys_sendto:' "$TMP/out")" 60
	# the kernel has room for a few threads between a call and its return, and passes over others
	ok "returns" test "$(grep -Ec '^(dns-query|metrics|syslog) .*kretprobe:__sys_sendto:' "$TMP/out")" -ge 50
	# behind a probe that has become a jump, 5.10 finds none
	older_than 6 0 || ok "with callers" test "$(grep -Ec ' (__x64_sys_sendto|__do_sys_sendto|do_syscall_64)$' "$TMP/out")" -ge 60
	run_ok "stat counts" "$PERF_LITE" stat -a -x, -o "$TMP/stat" -e kprobe:__sys_sendto -- "$PROG/drops" --udp 60
	is "each" "$(awk -F, 'NF > 3 { print $1; exit }' "$TMP/stat")" 60
	# with what was passed and returned, by names and types of the kernel
	if [ -e /sys/kernel/btf/vmlinux ]; then
		run_ok "arguments" "$PERF_LITE" record -g -o "$TMP/args.data" \
			-e 'kprobe:__sys_sendto(len, arg3, odd=len & 1, addr_len)' -e 'kretprobe:__sys_sendto(retval)' \
			-e 'kprobe:vfs_open(name=path->dentry->d_name.name:str, file->f_flags:x)' -- "$PROG/drops" --udp 60
		"$PERF_LITE" script -i "$TMP/args.data" -F event,trace -G >"$TMP/args"
		is "each call" "$(grep -Ec 'kprobe:__sys_sendto: *len=7 arg3=7 odd=1 addr_len=16' "$TMP/args")" 60
		ok "returns" test "$(grep -Ec 'kretprobe:__sys_sendto: *retval=7' "$TMP/args")" -ge 50
		"$PERF_LITE" script -i "$TMP/args.data" --event kprobe:__sys_sendto -F ip,sym >"$TMP/out"
		is "call chains begin at the function" "$(grep -c ' __sys_sendto$' "$TMP/out")" 60
		unlike "and not in the program" "$TMP/out" 'bpf_|kprobe'
		# more calls at once than the kernel follows: since 6.7 it tells how many returns came to no program
		run_ok "sleeps" "$PERF_LITE" count -e 'kretprobe:hrtimer_nanosleep(retval)' -- \
			sh -c 'i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i + 1)); done; wait'
		if older_than 6 7; then
			like "some of which have no return" "$TMP/err" 'hrtimer_nanosleep: returns of more calls at once than twice the CPUs, or 10, are not seen$'
			like "that the kernel knows of" "$TMP/out" ', none lost that the kernel knows of$'
		else
			unlike "are all accounted for" "$TMP/err" 'not seen'
			ok "as counted or lost" test "$(sed -n 's/^\([0-9]*\) counted in .* by BPF, \([0-9]*\) lost .*/\1 + \2/p' "$TMP/out" | awk '{ print $1 + $3 }')" -ge 60
		fi
		echo x >"$TMP/passwd"
		run_ok "paths of files" "$PERF_LITE" record -o "$TMP/args.data" \
			-e 'kprobe:vfs_open(name=path->dentry->d_name.name:str, file->f_flags:x)' -- cat "$TMP/passwd"
		run "$PERF_LITE" script -i "$TMP/args.data" -F trace
		like "that were opened" "$TMP/out" 'name=passwd f_flags=0x[0-9a-f]*$'
		run "$PERF_LITE" record -o "$TMP/none.data" -e 'kprobe:vfs_open(pathh)' -- true
		like "an argument that there is not" "$TMP/err" "'pathh' is no argument of this event"
		like "is nearly one" "$TMP/err" "did you mean 'path'"
		run "$PERF_LITE" record -o "$TMP/none.data" -e 'kretprobe:vfs_open(path)' -- true
		like "at its return there is none" "$TMP/err" "it has retval"
		run "$PERF_LITE" record -o "$TMP/none.data" -e 'kprobe:there_is_no_such(arg1)' -- true
		like "no such function" "$TMP/err" 'the kernel has no such function'
	fi
	run_ok "not the recorder's own" "$PERF_LITE" record -a -e kprobe:vfs_write -o "$TMP/write.data" -- "$PROG/drops" --udp 3
	run "$PERF_LITE" script -i "$TMP/write.data" -F comm
	unlike "hits" "$TMP/out" '^perf-lite'
	run "$PERF_LITE" record -e kprobe:there_is_no_such -o "$TMP/none.data" -- true
	like "a function that is not there" "$TMP/err" 'kprobe:there_is_no_such: the kernel (has no such function|allows no probe)'
	run "$PERF_LITE" record -e kprobe:do_int3 -o "$TMP/none.data" -- true
	like "one that cannot be probed" "$TMP/err" 'kprobe:do_int3: the kernel (has no such function|allows no probe)'
	run_ok "probes of a program" "$PERF_LITE" record -g -e "uprobe:$PROG/probed:entered" -o "$TMP/user.data" -- "$PROG/probed" 70
	run "$PERF_LITE" script -i "$TMP/user.data" -F ip,sym
	is "each call" "$(grep -c ' entered$' "$TMP/out")" 70
else
	skip "probes of the kernel" "this kernel has none"
fi

# Its instructions change when a tracepoint is switched on

run_ok "changes of its code" "$PERF_LITE" record --text-poke -a -e dummy -o "$TMP/poke.data" -- \
	sh -c 'echo 1 >/sys/kernel/tracing/events/sched/sched_switch/enable; echo 0 >/sys/kernel/tracing/events/sched/sched_switch/enable'
run_ok "script" "$PERF_LITE" script --show-text-poke-events -i "$TMP/poke.data"
cp "$TMP/out" /out/poke.script
cp "$TMP/poke.data" /out/poke.data
case $(uname -m) in
x86_64)
	ok "are told" test "$(grep -c 'PERF_RECORD_TEXT_POKE' "$TMP/out")" -ge 2
	ok "with the function that has changed" grep -Eq 'PERF_RECORD_TEXT_POKE [0-9a-f]+ [_a-z][^ ]*[+]0x' "$TMP/out"
	;;
*) diag "$(grep -c 'PERF_RECORD_TEXT_POKE' "$TMP/out") changes" ;;
esac
run "$PERF_LITE" verify "$TMP/poke.data"
rc_is 0 "verify"

# Alone: these records come with those of tasks

for option in --all-cgroups --namespaces --switch-events; do
	run_ok "$option, and no other event" "$PERF_LITE" record $option -a -e dummy -o "$TMP/alone.data" -- \
		sh -c 'mkdir -p /sys/fs/cgroup/made; unshare -m true; usleep 1000; rmdir /sys/fs/cgroup/made'
	"$PERF_LITE" script -D -i "$TMP/alone.data" >"$TMP/alone"
	case $option in
	--all-cgroups) ok "a group that was made" grep -q 'PERF_RECORD_CGROUP.*/made' "$TMP/alone" ;;
	--namespaces) ok "namespaces" grep -q 'PERF_RECORD_NAMESPACES' "$TMP/alone" ;;
	*) ok "switches" grep -q 'PERF_RECORD_SWITCH' "$TMP/alone" ;;
	esac
done

# What an older kernel does not know is named

for option in code-page-size data-page-size; do
	run "$PERF_LITE" record --$option -e cpu-clock -o "$TMP/page.data" -- "$PROG/spin" 50
	if older_than 5 11; then
		rc_is 2 "--$option is refused"
		like "by name" "$TMP/err" 'this kernel does not report page sizes of'
		like "with what helps" "$TMP/err" "leave out --$option, or take Linux 5.11"
	else
		rc_is 0 "--$option"
		[ $option = data-page-size ] || ok "is in the samples" sh -c '"$0" script -i "$1" -F "$2" | grep -Eq "4K|2M"' "$PERF_LITE" "$TMP/page.data" "$(echo $option | tr - _)"
	fi
done
done_testing
