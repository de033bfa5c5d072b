# SPDX-License-Identifier: GPL-2.0
#
# Functions of the kernel by their types (fentry, fexit) and by patterns: parameters and results, counts, refusals, and that
# nothing is left of them.
. /tests/lib.sh
need bpf btf
udp=30
load() # ARG...: the command, with a program that calls __sys_sendto with 7 bytes $udp times
{
	run_ok "$*" "$PERF_LITE" "$@" -- "$PROG/drops" --udp $udp
}
refused() # DESC EVENT MESSAGE HINT
{
	run "$PERF_LITE" record -o "$TMP/none" -e "$2" -- true
	ok "$1" [ $rc -ne 0 ]
	like "is told" "$TMP/err" "$3"
	like "with what to do" "$TMP/err" "^hint: .*$4"
}

# By type

run "$PERF_LITE" record -q -o "$TMP/typed" -e fentry:__sys_sendto -- true
by_type=$rc
if [ $rc -eq 0 ]; then
	# Where the kernel takes the CPU from a program, another task's hit on that CPU comes to none, and is counted as lost.
	load record -g -o "$TMP/typed" -e 'fentry:__sys_sendto(len, arg3, odd=len & 1)' -e 'fexit:__sys_sendto(*)' -e fentry:__sys_sendto
	lost=$(sed -n 's/.* samples in .* s, \([0-9]*\) lost.*/\1/p' "$TMP/err")
	"$PERF_LITE" script -i "$TMP/typed" -F comm,event,trace -G >"$TMP/trace" 2>/dev/null
	typed() { grep -Ec "$1" "$TMP/trace"; }
	called=$(typed '^ *(dns-query|metrics|syslog) +fentry:__sys_sendto: len=7 arg3=7 odd=1 *$')
	returned=$(typed 'fexit:__sys_sendto: fd=[0-9]+ buff=0x[0-9a-f]+ len=7 .*retval=7 *$')
	plain=$(typed 'fentry:__sys_sendto: *$')
	ok "calls" test "$called" -gt 0
	ok "returns, with what was passed" test "$returned" -gt 0
	ok "hits need no expression" test "$plain" -gt 0
	is "each is there, or counted as lost" $((called + returned + plain + lost)) $((3 * udp))
	"$PERF_LITE" script -i "$TMP/typed" -F ip,sym >"$TMP/chains"
	like "callers" "$TMP/chains" ' (__x64_sys_sendto|__do_sys_sendto)$'
	# Linux 5.10 does not always tell of the code that it makes to run a program, 6.12 was seen not to
	if grep -qE 'ffffffff[0-9a-f]* \[unknown' "$TMP/chains"; then
		skip_outside "without what runs programs" "the kernel did not tell of its code"
	else
		unlike "without what runs programs" "$TMP/chains" 'bpf_'
	fi
	run_ok "members" "$PERF_LITE" record -q -o "$TMP/typed" -e 'fentry:vfs_open(name=path->dentry->d_name.name:str, file->f_flags:x)' -- cat /proc/version
	"$PERF_LITE" script -i "$TMP/typed" -F trace >"$TMP/trace"
	like "of what is passed" "$TMP/trace" 'name=version f_flags=0x[0-9a-f]+ *$'
	run_ok "everybody" "$PERF_LITE" record -q -a -o "$TMP/typed" -e fentry:vfs_write -- "$PROG/drops" --udp 3
	"$PERF_LITE" script -i "$TMP/typed" -F comm >"$TMP/comms"
	ok "is there" test -s "$TMP/comms"
	unlike "but the recorder" "$TMP/comms" '^perf-lite'
	sh -c "until [ -e '$TMP/go' ]; do sleep 0.1; done; exec '$PROG/drops' --udp 3" >"$TMP/drops" &
	pid=$!
	"$PERF_LITE" record -o "$TMP/typed" -p $pid -e 'fentry:__sys_sendto(len)' 2>"$TMP/recording" &
	recorder=$!
	wait_for 60 grep -q recording "$TMP/recording"
	touch "$TMP/go"
	wait $pid $recorder
	ok "a process, and what it starts" test "$("$PERF_LITE" script -i "$TMP/typed" -F trace | grep -c len=7)" -gt 0
	run_ok "another CPU" "$PERF_LITE" record -q -a -C 1 -o "$TMP/typed" -e 'fentry:__sys_sendto(len)' -- taskset 1 "$PROG/drops" --udp 3
	is "has no hits" "$("$PERF_LITE" script -i "$TMP/typed" -F trace | grep -c len=7)" 0
	# Code that nothing may be put into: the types of older kernels do not have it
	run "$PERF_LITE" record -o "$TMP/none" -e 'fentry:irqentry_enter' -- true
	like "a function that takes no program" "$TMP/err" "fentry:irqentry_enter: this kernel attaches no program there|the types of the kernel and its modules have no function 'irqentry_enter'"
	like "may have a probe" "$TMP/err" '^hint: .*kprobe:irqentry_enter'
else
	like "where programs are not at functions" "$TMP/err" 'fentry:__sys_sendto: this kernel (attaches no program there|allows no programs at functions)'
	like "a probe is" "$TMP/err" '^hint: kprobe:__sys_sendto'
fi
[ "$(uname -m)" != x86_64 ] || is "fentry" $by_type 0
refused "a name that there is not" 'fentry:vfs_opne(path)' "the types of the kernel and its modules have no function 'vfs_opne'" 'did you mean fentry:vfs_open\?'
refused "no parameter" 'fentry:vfs_open(pathh)' "'pathh' is no argument" "did you mean 'path'"
refused "no result at the beginning" 'fentry:vfs_open(retval)' "'retval' is no argument" .
refused "a function without a result" 'fexit:fput(retval)' "'retval' cannot be read here" 'the function returns nothing'

# By pattern

run "$PERF_LITE" record -q -o "$TMP/many" -g -e 'kprobe:udp_*' -e 'kretprobe:__sys_send[t]*(retval)' -- "$PROG/drops" --udp $udp
if [ $rc -eq 0 ]; then
	multi=yes
	"$PERF_LITE" script -i "$TMP/many" -F event,trace -G >"$TMP/trace"
	cp "$TMP/trace" /out/functions.script
	cp "$TMP/many" /out/functions.data
	is "functions of a pattern" "$(grep -Ec 'kprobe:udp_\*: function=udp_sendmsg *$' "$TMP/trace")" $udp
	ok "are several" test "$(sed -n 's/.*kprobe:udp_[*]: function=//p' "$TMP/trace" | sort -u | wc -l)" -gt 5
	is "and their results" "$(grep -Ec 'kretprobe:__sys_send\[t\]\*: function=__sys_sendto retval=7 *$' "$TMP/trace")" $udp
	"$PERF_LITE" script -i "$TMP/many" --event 'kprobe:udp_*' -F ip,sym >"$TMP/chains"
	like "call chains begin there" "$TMP/chains" ' udp_sendmsg$'
	unlike "not in the program" "$TMP/chains" 'bpf_|ffffffff[0-9a-f]* \[unknown'
	for engine in perf bpf; do
		load count --csv --engine=$engine -e 'kprobe:udp_*' --by 'function'
		# others are called later, or by nobody knows whom
		grep "^$udp," "$TMP/out" | sort >"$TMP/$engine"
		like "counted by function" "$TMP/out" "^$udp,.*udp_sendmsg"
	done
	is_file "by either engine" "$TMP/bpf" "$TMP/perf"
	refused "too many" 'kprobe:*' "functions match '\*', more than 4096" "narrower"
	"$PERF_LITE" record -q -o "$TMP/killed" -e 'kprobe:tcp_*' -e fentry:__sys_sendto -- sleep 100 &
	recorder=$!
	attached() { [ "$(wc -l </sys/kernel/tracing/enabled_functions)" -gt 100 ]; }
	none() { [ "$(wc -l </sys/kernel/tracing/enabled_functions)" -eq 0 ]; }
	ok "hundreds of functions" wait_for 60 attached
	kill -9 $recorder
	wait $recorder 2>/dev/null
	ok "are free after kill -9" wait_for 60 none
else
	multi=no
	like "without kprobe_multi, patterns are refused" "$TMP/err" 'no probe of many functions \(kprobe_multi, Linux 5\.18, CONFIG_FPROBE\)'
	like "and what does" "$TMP/err" '^hint: name functions one by one: -e kprobe:udp_'
fi
refused "nothing" 'kprobe:there_is_no_*' "no function that can be traced matches 'there_is_no_\*'" available_filter_functions
refused "names of parameters" 'kprobe:udp_*(sk)' "'sk' is no argument" "arg1.*functions of a pattern differ"

# One-liners of bpftrace's tutorial, as in docs/questions.md

read50="dd if=/dev/zero of=/dev/null bs=512 count=50"
run_ok "bytes of vfs_read" "$PERF_LITE" count --csv -e 'kretprobe:vfs_read(retval)' --by retval --filter 'comm == "dd"' -- $read50
like "as many as there were reads" "$TMP/out" '^(5[0-9]),512'
run_ok "times of vfs_read" "$PERF_LITE" latency --from kprobe:vfs_read --to kretprobe:vfs_read --on tid --by comm --csv -- $read50
ok "of each read" test "$(sed -n 's/^\([0-9]*\),.*,dd$/\1/p' "$TMP/out")" -ge 50
run_ok "names of vfs_open" "$PERF_LITE" trace -e 'kprobe:vfs_open(str(path->dentry->d_name.name))' -- cat /proc/version
like "that which was opened" "$TMP/out" 'kprobe:vfs_open: name=version'

# Which kernel must have it
case $(uname -r) in
5.* | 6.1.*) ;;
*) [ "$(uname -m)" != x86_64 ] || is "kprobe_multi" $multi yes ;;
esac
lossy=
for engine in perf bpf; do
	[ "$(uname -r | cut -d. -f1)" -gt 5 ] || break
	load count --csv --engine=$engine -e 'kprobe:__sys_sendto(len)' --by len,comm
	sort "$TMP/out" >"$TMP/$engine"
	[ $by_type -eq 0 ] || continue
	load count --csv --engine=$engine -e 'fexit:__sys_sendto(len, retval)' --by len,comm --of retval
	sort "$TMP/out" >>"$TMP/$engine"
	! grep -Eq '[0-9] lost|were lost' "$TMP/err" || lossy=yes
	is "both count" "$(grep -c dns-query "$TMP/$engine")" 2
	[ "$(grep -c dns-query "$TMP/$engine")" -eq 2 ] || diag_file "$TMP/$engine"
done
if [ -n "$lossy" ]; then
	skip_outside "the same" "the kernel took the CPU from a program"
elif [ -e "$TMP/bpf" ]; then
	is_file "the same" "$TMP/bpf" "$TMP/perf"
fi
done_testing
