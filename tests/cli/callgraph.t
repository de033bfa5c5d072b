# SPDX-License-Identifier: GPL-2.0
#
# perf-lite record --call-graph dwarf and auto: whole stacks of programs whose call chains are known, with and
# without frame pointers, of threads, short-lived processes, running processes; nothing lost, nothing twice.
. tests/lib.sh
need_root
need_cmd cc setpriv prlimit
need_event raw_syscalls:sys_enter
. tests/cli/recording.sh

record() { "$PERF_LITE" record -v -o "$f" "$@"; }
event=cpu-clock
folded() { "$PERF_LITE" script -q -i "$f" --folded=$event 2>/dev/null; }

# The same program without frame pointers.
deep=$TMP/deep-$$
cc -O2 -fomit-frame-pointer -D_GNU_SOURCE -pthread -o "$deep" tests/prog/deep.c || exit 1

# times N WORD: "WORD;WORD;..."
times_of() { awk -v n="$1" -v w="$2" 'BEGIN { while (n-- > 0) printf "%s;", w }'; }

# stacks BEGIN...: samples in burn of which the stack begins so exactly, and that of others
stacks()
{
	folded | sed 's/\.[a-z]*\.[0-9]*;/;/g; s/\.[a-z]*\.[0-9]* \([0-9]*\)$/ \1/' >"$TMP/folded"
	awk -v want="$1" '
		!match($0, /;burn[; ]/) { next }
		{ if (substr($0, 1, RSTART) == want) right += $NF; else wrong += $NF }
		END { printf "%d %d\n", right, wrong }' "$TMP/folded"
}

# all DESC BEGIN: every stack of a sample in burn begins so, and there are many
all()
{
	set -- "$1" "$(stacks "$2")"
	is "$1: no stack is another" "${2#* }" 0
	ok "$1: there are some" test "${2% *}" -gt 1000000
}

complete()
{
	sed -n 's/^perf-lite record: \([0-9.]*\)% of [0-9]* stacks are complete.*/\1/p' "${1:-$TMP/err}"
}

# What stands before main, whatever the C library
run_ok "a program with frame pointers" record -e cpu-clock --call-graph dwarf -- "$PROG/deep" 1 300
start=$(folded | sed -n 's/^deep;\(.*\)main;down;burn .*/\1/p' | head -n 1)
ok "its stacks begin before main" test -n "$start"
all "main, down, burn" "deep;${start}main;down;"
like "a line says how many are complete" "$TMP/err" "^perf-lite record: [0-9.]+% of [0-9]+ stacks are complete"
ok "nearly all" test "$(complete | cut -d. -f1)" -ge 99
n=$(closing samples)
ok "few bytes a sample" test "$(wc -c <"$f")" -lt $((n * 20 + 8192))
verified "the file is whole"

for depth in 1 5 60; do
	run_ok "no frame pointers, $depth deep" record -e cpu-clock --call-graph dwarf -- "$deep" $depth 200
	all "all of them" "deep-$$;${start}main;$(times_of $depth down)"
done
run_ok "the same for many threads" record -e cpu-clock --call-graph dwarf -- "$deep" 7 40 32
thread=$(folded | sed -n 's/^deep-[0-9]*;\(.*\)thread;down.*/\1/p' | head -n 1)
all "all of them" "deep-$$;${thread}thread;$(times_of 7 down)"
verified "the file is whole"

# Deeper than the copy of the stack: half a KiB a frame

run_ok "200 deep, 16 KiB copied" record -e cpu-clock --call-graph dwarf,16384 -- "$deep" 200 200
like "said as too short" "$TMP/err" "[0-9]+ of the other [0-9]+ end in .*: stack copy too short"
n=$(folded | awk 'match($0, /;burn[. ;]/) { n = gsub(/;down/, ""); if (n > m) m = n } END { print m }')
ok "so much of it is there" test "$n" -ge 25 -a "$n" -le 32
run_ok "100 deep with frame pointers, auto" record -e cpu-clock --call-graph auto,16384 -- "$PROG/deep" 100 200
is "all frames of all stacks" "$(folded | awk 'match($0, /;burn[. ;]/) { n = gsub(/;down/, ""); if (n != 100) wrong++ } END { print wrong + 0 }')" 0
ok "and main below them" test "$(folded | grep -c '^deep;.*main;down;.*;burn')" -gt 0
run_ok "auto without frame pointers" record -e cpu-clock --call-graph auto -- "$deep" 5 200
all "as with dwarf" "deep-$$;${start}main;$(times_of 5 down)"

# Events, targets

run_ok "a term of the event" record -e cpu-clock/call-graph=dwarf,stack-size=8192/,page-faults -- "$deep" 5 200
event=$("$PERF_LITE" script -q -G -F event -i "$f" | sed -n '/cpu-clock/{s/[: ]*$//; s/^ *//; p; q}')
all "unwound" "deep-$$;${start}main;$(times_of 5 down)"
event=cpu-clock
run_ok "the other one has no call chains" "$PERF_LITE" script -q -i "$f" -F event,ip
run_ok "--all-user" record --all-user -e cpu-clock --call-graph dwarf -- "$deep" 5 200
is "no kernel frames" "$("$PERF_LITE" script -q -i "$f" -F ip | grep -c ffffffff)" 0
all "all of them" "deep-$$;${start}main;$(times_of 5 down)"
run_ok "--kernel-callchains" record -a --kernel-callchains --call-graph dwarf -e sched:sched_switch -- sleep 0.1
is "no user frames" "$("$PERF_LITE" script -q -i "$f" -F ip | grep -cv '^.ffff\|^$')" 0
run_ok "--user-callchains" record --user-callchains --call-graph dwarf -e cpu-clock -- "$deep" 5 200
all "all of them" "deep-$$;${start}main;$(times_of 5 down)"
"$deep" 5 3000 >/dev/null &
pid=$!
run_ok "-p, a process that runs already" record -e cpu-clock --call-graph dwarf -p $pid --duration 300ms
all "all of them" "deep-$$;${start}main;$(times_of 5 down)"
run_ok "-a" record -e cpu-clock --call-graph dwarf -a --duration 300ms
all "all of them" "deep-$$;${start}main;$(times_of 5 down)"
kill $pid
wait $pid 2>/dev/null
run_ok "processes that fork, exec and end" record -a -e sched:sched_process_exec,sched:sched_process_fork --call-graph dwarf -- "$PROG/forks" 300
verified "samples and losses are what the kernel counted"
ok "each exec is there" test "$("$PERF_LITE" script -q -G -i "$f" -F event | grep -c process_exec)" -ge 300
run_ok "a program that execs itself away" record -e cpu-clock --call-graph dwarf -- sh -c "exec '$deep' 5 200"
all "all of them" "deep-$$;${start}main;$(times_of 5 down)"
cp "$deep" "$TMP/gone-$$"
"$TMP/gone-$$" 5 3000 >/dev/null &
pid=$!
wait_for 10 grep -q gone "/proc/$pid/comm"
rm "$TMP/gone-$$"
run_ok "a program that is deleted" record -e cpu-clock --call-graph dwarf -p $pid --duration 300ms
ok "is unwound while it lives" test "$(complete | cut -d. -f1)" -ge 99
kill $pid
wait $pid 2>/dev/null

# All that was called is there once

storm_start 20000
record_calls --call-graph dwarf,2048
storm_go
storm_wait
record_end
rc_is 0 "20,000 calls"
verified "samples and losses are what the kernel counted"
is "all are there, none twice" "$(numbers).$(missing 0 19999).$(doubled)" 20000.0.0
storm_start 200000
record_calls --call-graph dwarf -m 1M
storm_go
storm_wait
record_end
rc_is 0 "more than the buffers hold"
lost=$(closing lost)
verified "samples and losses are what the kernel counted"
is "every call is there or lost, none twice" "$(($(numbers) + lost)).$(doubled)" 200000.0

# What is stored

run_ok "--keep-stacks" record --keep-stacks -e cpu-clock --call-graph dwarf -- "$deep" 5 200
all "is unwound all the same" "deep-$$;${start}main;$(times_of 5 down)"
verified "the file is whole"
is "registers and stacks are in the file" \
	"$("$PERF_LITE" script -i "$f" --header-only | grep -c 'cpu-clock.*REGS_USER|STACK_USER')" 1
run_ok "--keep-last" record --keep-last 10s -e cpu-clock --call-graph dwarf -- "$deep" 5 200
all "all of them" "deep-$$;${start}main;$(times_of 5 down)"
"$PERF_LITE" record -q -o - -e cpu-clock --call-graph dwarf -- sh -c "exec '$deep' 5 200 >'$TMP/out'" 2>"$TMP/err" >"$f"
verified "standard output"

# With little memory, without privilege: a user of this test alone, since the kernel counts what all processes of a user lock

user=$((100000 + $$))
cp "$PERF_LITE" "$TMP/pl"
chmod 755 "$TMP" "$TMP/pl" "$deep"
mkdir -m 777 "$TMP/nobody"
run setpriv --reuid $user --regid $user --clear-groups prlimit --memlock=65536 \
	"$TMP/pl" record -o "$TMP/nobody/a" -F 500 -e cpu-clock:u --call-graph dwarf -- "$deep" 5 300
rc_is 0 "a user with little memory to lock"
like "smaller buffers are said" "$TMP/err" "^buffers of [0-9]+ KiB instead of [0-9]+ KiB"
f=$TMP/nobody/a event=cpu-clock:u
verified "the file is whole"
all "all of them" "deep-$$;${start}main;$(times_of 5 down)"
f=$TMP/a.data event=cpu-clock

# Wrong usage

rm -f "$f" "$f.old"
for how in dwarf,0 dwarf,65529 dwarf,x dwarf, dwarf,-8 auto,70000 fp,8192 lbr dwarfs ''; do
	run record -e cpu-clock --call-graph "$how" -- true
	rc_is 1 "refused: --call-graph '$how'"
	is "one message, one hint" "$(grep -c '^perf-lite: ' "$TMP/err").$(grep -c '^hint: ' "$TMP/err")" 1.1
	ok "no file" not test -e "$f"
done
run record -e cpu-clock --call-graph dwarf,65529 -- true
like "perf's words" "$TMP/err" "Incorrect stack dump size \(max 65528\): 65529"
run record -e cpu-clock --overwrite --call-graph dwarf -- true
rc_is 1 "refused: --overwrite"
run_ok "what is not a multiple of 8 is rounded up" record --dry-run -e cpu-clock --call-graph dwarf,8191 -- true
done_testing
