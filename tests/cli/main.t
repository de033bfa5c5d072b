# SPDX-License-Identifier: GPL-2.0
#
# perf-lite itself: help, version, finding the command, exit codes, the end of a pipe.
. tests/lib.sh

# Help and version

run_ok "--version" "$PERF_LITE" --version
like "one line" "$TMP/out" '^perf-lite [^ ]+$'
is "no more" "$(wc -l <"$TMP/out")" 1
run_ok "--help" "$PERF_LITE" --help
cp "$TMP/out" "$TMP/help"
is "nothing on standard error" "$(cat "$TMP/err")" ""
ok "at most 100 columns" not grep -q '.\{101\}' "$TMP/help"
for how in -h help 'help help' --he; do
	run_ok "$how" "$PERF_LITE" $how
	is_file "the same text" "$TMP/out" "$TMP/help"
done
run "$PERF_LITE"
rc_is 1 "no arguments are wrong usage"
is "nothing on standard output" "$(cat "$TMP/out")" ""
is_file "the help on standard error" "$TMP/err" "$TMP/help"

for cmd in record script flamegraph verify convert pack list; do
	like "help names $cmd" "$TMP/help" "^  $cmd +[a-z]"
	run_ok "help $cmd" "$PERF_LITE" help $cmd
	like "it is about $cmd" "$TMP/out" "^perf-lite $cmd - "
	ok "at most 100 columns" not grep -q '.\{101\}' "$TMP/out"
	cp "$TMP/out" "$TMP/want"
	run_ok "$cmd --help" "$PERF_LITE" $cmd --help
	is_file "the same text" "$TMP/out" "$TMP/want"
done

# What is not there

run "$PERF_LITE" recrod -a
rc_is 1 "an unknown command"
is "one message and one hint" "$(cat "$TMP/err")" \
	"perf-lite: unknown command 'recrod'
hint: did you mean perf-lite record?"
is "nothing on standard output" "$(cat "$TMP/out")" ""
run "$PERF_LITE" qqqqqqqq
rc_is 1 "one like no other"
like "where to look" "$TMP/err" '^hint: perf-lite --help'
for cmd in probe sched lock; do
	run "$PERF_LITE" $cmd -x
	rc_is 1 "perf's $cmd"
	like "what does it here" "$TMP/err" '^hint: .*perf-lite (count|latency|record|report) '
done
run "$PERF_LITE" sched foo
rc_is 1 "a word that perf's sched has not"
is "what there is" "$(cat "$TMP/err")" "perf-lite: there is no perf-lite sched foo
hint: perf-lite latency run-queue, off-cpu or states, live or with -i; as perf: sched record, latency, timehist and script"
run "$PERF_LITE" lock contenton -a
like "a misspelt one" "$TMP/err" '^hint: did you mean perf-lite lock contention\?$'
run "$PERF_LITE" lock info
like "one that has another name" "$TMP/err" '^hint: perf-lite latency locks, live or with -i of a recording; .*: lock record, report and contention$'
run "$PERF_LITE" lock report -i "$TMP/nowhere"
like "reads a recording" "$TMP/err" '^perf-lite: cannot open .*/nowhere'
run "$PERF_LITE" lock con -i "$TMP/nowhere"
like "so does its short form" "$TMP/err" '^perf-lite: cannot open .*/nowhere'
for words in 'lock contention -ab' 'lock con -a -b' 'kwork report --use-bpf'; do
	# shellcheck disable=SC2086
	run "$PERF_LITE" $words --duration 1x
	like "$words: live" "$TMP/err" "^perf-lite: --duration takes a duration .* not '1x'"
	# shellcheck disable=SC2086
	run "$PERF_LITE" $words -i "$TMP/nowhere"
	unlike "and nothing else is read" "$TMP/err" 'perf-lite.data'
done
run "$PERF_LITE" lock contention -- echo -b
like "words of a command stay" "$TMP/err" '-i reads a recording'
run "$PERF_LITE" sched
like "none" "$TMP/err" "^perf-lite: unknown command 'sched'"
run "$PERF_LITE" ftrace
like "what perf has besides" "$TMP/err" '^hint: .*perf-lite trace .*--ftrace.*perf-lite latency --from '
run "$PERF_LITE" script report rwtop -i x
rc_is 1 "a program of perf script"
like "what does it here" "$TMP/err" '^hint: perf-lite latency files -I 1$'
run "$PERF_LITE" script flamegraph -a -F 99
like "by its name alone" "$TMP/err" '^hint: .*perf-lite flamegraph -o flame.svg$'
run "$PERF_LITE" stat "$TMP/no such"
rc_is 127 "a path with a blank that is not there"
like "can be pasted" "$TMP/err" "^hint: ls -l '$TMP/no such'; head -n 1 '$TMP/no such'\$"
run "$PERF_LITE" record --control "fifo:$TMP/no such" -- true
rc_is 2 "a FIFO likewise"
like "can be made" "$TMP/err" "^hint: make one with: mkfifo '$TMP/no such'\$"
run_ok "a word for an option" "$PERF_LITE" version
like "is the option" "$TMP/out" '^perf-lite [^ ]+$'
run sh -c "ulimit -n 4; '$PERF_LITE' list"
ok "no descriptor is left" test $rc -ne 0
like "the limit is named" "$TMP/err" '^hint: raise the limit of open files with: ulimit -n'
run "$PERF_LITE" ''
rc_is 1 "an empty one"
run "$PERF_LITE" help nosuch
rc_is 1 "help on an unknown command"
run "$PERF_LITE" help record script
rc_is 1 "help on two commands"
run "$PERF_LITE" --vresion
rc_is 1 "an unknown option"
like "what it may have been" "$TMP/err" '^hint: did you mean --version\?$'
for cmd in record script flamegraph verify convert pack list; do
	run "$PERF_LITE" $cmd --no-such-option
	rc_is 1 "an unknown option of $cmd"
	like "it is named" "$TMP/err" "^perf-lite: unknown option '--no-such-option'\$"
done
run "$PERF_LITE" "$(printf 'a\033[31mb')"
ok "no control byte reaches the terminal" not grep -q "$(printf '\033')" "$TMP/err"

# Commands of perf

for cmd in archive bench buildid-cache c2c config daemon data ftrace inject iostat kallsyms kmem kvm kwork lock \
	mem probe sched test timechart; do
	run "$PERF_LITE" "$cmd"
	rc_is 1 "$cmd, a command of perf"
	like "... and what to type here" "$TMP/err" '^hint: '
	unlike "... beyond --help" "$TMP/err" 'did you mean|--help'
done

# Options and words of perf that have another form here

while read -r words; do
	# shellcheck disable=SC2086
	run "$PERF_LITE" ${words%%|*}
	rc_is 1 "${words%%|*}"
	like "... and what to type" "$TMP/err" "^hint: ${words#*|}"
done <<'EOF'
list -o x|.*> FILE
stat --per-cache true|--per-cluster
record -s true|.*perf-lite stat --per-thread
check feature|.*perf-lite check
check feature libbpf|.*perf-lite check
diff a b c|.*: perf-lite diff a c$
report -D|perf-lite script -D
report --symbol-filter x|-S NAME
script --unwind-style nosuch|
record -e cpu-clock --filter period>5 true|of other events, .*perf-lite report --comms
EOF

# Words that are no commands to run

if can own && can tracepoints; then
	while read -r words; do
		# shellcheck disable=SC2086
		run "$PERF_LITE" ${words%%|*}
		rc_is 127 "${words%%|*}: there is no such command"
		like "... and what to type" "$TMP/err" "^hint: ${words#*|}"
	done <<'EOF'
stat record true|.*perf-lite record COMMAND
stat report|.*perf-lite report
trace record true|perf-lite record -e .raw_syscalls:\*. COMMAND, then perf-lite trace -i perf-lite.data
stat check|check is a command of its own: perf-lite check
stat -- 19|check the spelling
stat -r 5 5|check the spelling
trace -s 200 true|-s takes no value: perf-lite trace --help lists the options
trace -D 1 -a 40 true|-a takes no value: perf-lite trace --help lists the options
EOF
	run "$PERF_LITE" record -o "$TMP/z.data" -F 99 -z 19 -- true
	rc_is 127 "-z 19"
	like "a level is attached" "$TMP/err" '^hint: a value of -z is attached: -z19$'
else
	skip_without "words that are no commands" own tracepoints
fi

# Names of tools whose hint is a whole command: it works, where the kernel has what it needs

tools='bindsnoop biolatency bitesize cachestat capable compactsnoop cpudist drsnoop execsnoop exitsnoop ext4dist
ext4slower filetop hardirqs killsnoop klockstat mountsnoop naptime nstat offcputime offwaketime oomkill opensnoop
pidpersec runqlat runqlen runqslower setuids shmsnoop slabratetop softirqs solisten statsnoop syncsnoop syscount
tcpaccept tcpconnect tcplife tcpretrans tcprtt tcpstates tcptracer threadsnoop vfscount wakeuptime writeback'
if can everybody && can tracepoints; then
	for tool in $tools; do
		run "$PERF_LITE" "$tool"
		rc_is 1 "$tool"
		hint=$(sed -n 's/^hint: .*perf-lite //p' "$TMP/err")
		rc=0
		eval "\"$PERF_LITE\" $hint --duration 1ms" >"$TMP/out" 2>"$TMP/err" || rc=$?
		if grep -Eq 'unknown tracepoint|no event has such a field|/btf/|no probes in its own code|need root|not permitted' "$TMP/err"; then
			pass "$hint: this kernel has it not"
		else
			rc_is 0 "$hint"
		fi
	done
else
	skip_without "the commands that tools are called" everybody tracepoints
fi

# Output that goes nowhere

rc=0
"$PERF_LITE" --help >/dev/full 2>"$TMP/err" || rc=$?
rc_is 3 "a full disk as standard output"
like "it says so" "$TMP/err" '^perf-lite: cannot write to standard output: No space left on device$'
# The reader is gone before the first byte, and SIGPIPE is ignored by whoever started us.
(
	trap '' PIPE
	{
		sleep 0.3
		rc=0
		"$PERF_LITE" --help 2>"$TMP/err" || rc=$?
		echo $rc >"$TMP/rc"
	} | :
)
is "a pipe without a reader ends it as the signal does" "$(cat "$TMP/rc")" 141
is "without a word" "$(cat "$TMP/err")" ""

done_testing
