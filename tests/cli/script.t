# SPDX-License-Identifier: GPL-2.0
#
# perf-lite script: fields, filters, layouts, folded stacks, a recording read elsewhere, bad input.
. tests/lib.sh
need_root
f=$TMP/a.data
"$PERF_LITE" record -q -g -e cpu-clock -o "$f" -- "$PROG/spin" 300 >"$TMP/spin.out" || exit 1
"$PERF_LITE" record -q -g -e sched:sched_process_exec -a -o "$TMP/tp.data" -- sh -c '/bin/true; /bin/ls /' >"$TMP/ls.out" || exit 1
"$PERF_LITE" record -q -e cpu-clock,sched:sched_switch -a -o "$TMP/two.data" -- "$PROG/spin" 100 >"$TMP/spin.out" || exit 1
script() { "$PERF_LITE" script -i "$f" "$@"; }

# Layouts

run_ok "call chains" script
like "a header line" "$TMP/out" '^spin +[0-9]+ \[[0-9]{3}\] +[0-9]+\.[0-9]{6}: +[0-9]+ cpu-clock: $'
like "frames" "$TMP/out" "^	 *[0-9a-f]+ leaf\+0x[0-9a-f]+ \($PROG/spin\)\$"
is "a blank line after the last sample too" "$(tail -n 1 "$TMP/out")" ""
awk '/^[^\t]/ { n++ } /^$/ { blank++ } END { exit !(n == blank) }' "$TMP/out"
is "one behind each sample" $? 0
awk '/^\t/ { sub(/\+0x.*/, "", $2); s = s " " $2 } /^$/ { if (s ~ / leaf mid outer main/) n++; s = "" } END { exit !(n > 100) }' "$TMP/out"
is "the whole chain, leaf first" $? 0
run_ok "-G" script -G
is "one line a sample" "$(grep -c cpu-clock "$TMP/out")" "$(wc -l <"$TMP/out")"
like "with the place" "$TMP/out" "leaf\+0x[0-9a-f]+ \($PROG/spin\)\$"
run_ok "--ns" script -G --ns
like "nine decimals" "$TMP/out" ' [0-9]+\.[0-9]{9}: '
run_ok "--reltime" script -G --reltime
like "begins at 0" "$TMP/out" ' 0\.000000: '
run_ok "--max-stack" script --max-stack 2
is "no more frames" "$(awk '/^\t/ { n++ } /^$/ { if (n > max) max = n; n = 0 } END { print max }' "$TMP/out")" 2

# Fields

run_ok "-F sets" script -F comm,tid
is "just these" "$(sort -u "$TMP/out" | wc -l)" 1
run_ok "-F + adds" script -F +pid
like "to what is there" "$TMP/out" '^spin +[0-9]+/[0-9]+ '
run_ok "-F - takes away" script -F -time
unlike "the time" "$TMP/out" '\.[0-9]{6}:'
like "and leaves the stacks" "$TMP/out" '^	'
run_ok "-F - on tracepoints" "$PERF_LITE" script -i "$TMP/tp.data" -F -trace
like "leaves the stacks" "$TMP/out" '^	 *ffffffff[0-9a-f]+ [a-z_]+'
run_ok "-F - as perf has it" "$PERF_LITE" script --compat=6.1 -i "$TMP/tp.data" -F -trace
unlike "loses them" "$TMP/out" '^	'
for bad in nosuch comm,+pid +pid,comm foo:comm ''; do
	run script -F "$bad"
	rc_is 1 "refused: -F '$bad'"
	like "one message" "$TMP/err" '^perf-lite: '
done
run script -F addr
rc_is 1 "a field that was not recorded"
like "in perf's words, which programs look for" "$TMP/err" \
	"Samples for 'cpu-clock' event do not have ADDR attribute set. Cannot print 'addr' field."
run_ok "-F for one type" "$PERF_LITE" script -i "$TMP/two.data" -F sw:comm
like "leaves the others" "$TMP/out" 'sched:sched_switch: prev_comm='

# Which samples

run_ok "--comms" "$PERF_LITE" script -i "$TMP/two.data" -c spin -F comm
is "only that one" "$(tr -d ' ' <"$TMP/out" | sort -u)" spin
run_ok "--event" "$PERF_LITE" script -i "$TMP/two.data" --event sched:sched_switch -F event
is "only that one" "$(tr -d ' ' <"$TMP/out" | sort -u)" sched:sched_switch:
run "$PERF_LITE" script -i "$TMP/two.data" --event sched:sched_swich
rc_is 1 "an event that is not in it"
like "did you mean" "$TMP/err" "^hint: did you mean 'sched:sched_switch'"
run_ok "--cpu" "$PERF_LITE" script -i "$TMP/two.data" -C 0 -F cpu
is "only that one" "$(tr -d ' ' <"$TMP/out" | sort -u)" "[000]"
"$PERF_LITE" script -i "$TMP/two.data" -F comm,tid,cpu,time,event,ip >"$TMP/all" 2>/dev/null
"$PERF_LITE" script -i "$TMP/two.data" -F comm,tid,cpu,time,event,ip -C 1 >"$TMP/out" 2>/dev/null
awk -v RS= -v ORS='\n\n' '/\[001\]/' "$TMP/all" >"$TMP/want"
ok "leaves the samples of that CPU as they are" cmp "$TMP/out" "$TMP/want"
times=$(script -F time | sed -n '5p;15p' | tr -d ' :' | tr '\n' ' ')
set -- $times
run_ok "--time" script -F time --time "$1,$2"
ok "inside the span" awk -v a="$1" -v b="$2" '{ sub(/:/, ""); if ($1 + 0 < a - 1e-6 || $1 + 0 > b + 1e-6) bad = 1; n++ } END { exit bad || n < 8 }' "$TMP/out"
run_ok "--time from the first sample on" script -F time --reltime --time 0.1,
ok "leaves out the first 0.1 s" test "$(wc -l <"$TMP/out")" -lt "$(script -F time | wc -l)" -a -s "$TMP/out"
pid=$(script -F pid | head -n 1 | tr -d ' ')
run_ok "--pid" script --pid "$pid" -F pid
is "all of them" "$(wc -l <"$TMP/out")" "$(script -F pid | wc -l)"
run_ok "--tid of nobody" script --tid 1 -F tid
is "none of them" "$(wc -l <"$TMP/out")" 0
for bad in '--pid x' '--time x' '--time 5,3' '--cpu 3-1' '--compat=5' '--nosuch' 'operand'; do
	run script $bad
	rc_is 1 "refused: script $bad"
	like "with a hint" "$TMP/err" '^hint: '
done

# Strings of the kernel that a record names by address

if [ -e /sys/kernel/tracing/events/rcu/rcu_utilization ]; then
	"$PERF_LITE" record -q -e rcu:rcu_utilization -a -o "$TMP/rcu.data" -- sleep 0.1
	run_ok "string constants" "$PERF_LITE" script -i "$TMP/rcu.data"
	like "have their texts" "$TMP/out" 'rcu:rcu_utilization: (Start|End) [a-z]'
else
	skip_outside "string constants" "no event rcu:rcu_utilization"
fi

# Folded

run_ok "--folded" script --folded
like "root first" "$TMP/out" '^spin;.*main;outer;mid;leaf [0-9]+$'
is "one line a stack" "$(sed 's/ [0-9]*$//' "$TMP/out" | sort | uniq -d | wc -l)" 0
is "the periods of all samples" "$(awk '{ n += $NF } END { print n }' "$TMP/out")" \
	"$(script -F period -G | awk '{ n += $1 } END { print n }')"
run "$PERF_LITE" script -i "$TMP/two.data" --folded
rc_is 1 "several events are not mixed"
like "they are named" "$TMP/err" "^hint: .*--folded=NAME: cpu-clock, sched:sched_switch"
run_ok "--folded=EVENT" "$PERF_LITE" script -i "$TMP/two.data" --folded=sched:sched_switch

# Names that nobody chose for reading

"$PERF_LITE" record -q -g -F 999 -e cpu-clock -o "$TMP/names.data" -- "$PROG/names" >"$TMP/names.pid"
for how in '' -G --header '--compat=6.1' --folded '-F comm,ip,sym,dso'; do
	run_ok "hostile names: ${how:-no option}" "$PERF_LITE" script -i "$TMP/names.data" $how
	tr -d '\n\t -~\200-\377' <"$TMP/out" >"$TMP/control"
	is "no control bytes" "$(wc -c <"$TMP/control")" 0
	ok "UTF-8" iconv -f UTF-8 -t UTF-8 "$TMP/out"
done
run_ok "hostile names, folded" "$PERF_LITE" script -i "$TMP/names.data" --folded
unlike "each line is a stack and a number" "$TMP/out" '^;|;;|; |[^0-9]$|^[^;]*$'
like "a line feed in a name" "$TMP/out" '^new\\x0aline;'
like "an empty name" "$TMP/out" '^\[unknown\];'
like "a symbol" "$TMP/out" ';bad\\x1b\[31m \\xff\\xc3: [0-9]+$'
cp "$TMP/out" "$TMP/folded"
run_ok "a picture of it" "$PERF_LITE" flamegraph "$TMP/folded"
if command -v xmllint >/dev/null; then
	ok "is well-formed" xmllint --noout "$TMP/out"
else
	skip_without "is well-formed" xmllint
fi
rm -f "/tmp/perf-$(cat "$TMP/names.pid").map"

# The header

run_ok "--header-only" script --header-only
like "perf's first line" "$TMP/out" '^# ========$'
like "the command line" "$TMP/out" '^# cmdline : perf-lite record -q -g -e cpu-clock '
unlike "nothing else" "$TMP/out" '^[^#]'

# Elsewhere: without the binaries, the kernel and its symbols

mkdir "$TMP/empty"
script >"$TMP/here"
run_ok "--symfs with nothing below" script --symfs "$TMP/empty"
is_file "the same names from the recording alone" "$TMP/out" "$TMP/here"
cp "$PROG/spin" "$TMP/short-lived"
"$PERF_LITE" record -q -g -e cpu-clock -o "$TMP/gone.data" -- "$TMP/short-lived" 200 >"$TMP/spin.out"
rm "$TMP/short-lived"
run_ok "a binary that is gone" "$PERF_LITE" script -i "$TMP/gone.data"
like "has its names" "$TMP/out" 'leaf\+0x'

# Pipes

run_ok "standard input" sh -c "cat '$f' | '$PERF_LITE' script -i -"
is_file "gives the same text" "$TMP/out" "$TMP/here"
run sh -c "'$PERF_LITE' script -i '$f' | head -n 1; :"
is "a reader that leaves early is no error" "$(cat "$TMP/err")" ""

# Bad input

: >"$TMP/zero.data"
run "$PERF_LITE" script -i "$TMP/zero.data"
rc_is 1 "an empty file"
like "says so" "$TMP/err" '^perf-lite: .* is empty$'
run "$PERF_LITE" script -i /etc/passwd
rc_is 1 "a foreign file"
like "says so" "$TMP/err" 'neither a perf-lite recording nor a perf.data file'
run "$PERF_LITE" script -i "$TMP/none.data"
rc_is 1 "no file"
like "with a hint" "$TMP/err" '^hint: '
size=$(stat -c %s "$f")
head -c $((size * 2 / 3)) "$f" >"$TMP/cut.data"
run "$PERF_LITE" script -i "$TMP/cut.data"
rc_is 3 "a cut file"
like "says where" "$TMP/err" '^perf-lite: .* at byte [0-9]+$'
cp "$f" "$TMP/bad.data"
printf '\377\377\377\377' | dd of="$TMP/bad.data" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
run "$PERF_LITE" script -i "$TMP/bad.data"
rc_is 3 "a damaged file"
like "says where, and how much" "$TMP/err" '^perf-lite: .* is damaged: [0-9]+ bytes .* from byte [0-9]+'
run sh -c "'$PERF_LITE' script -i '$f' >/dev/full"
rc_is 3 "a full disk behind standard output"
like "is said" "$TMP/err" 'No space left'
run sh -c "'$PERF_LITE' script -D -i '$f' >/dev/full"
rc_is 3 "the same of records"
cp docs/example/drops.data "$TMP/own.data"
"$PERF_LITE" script -D -i "$TMP/own.data" >"$TMP/all"
if can strace && can debugger; then
	# the last call, which would find the end of the file
	strace -qq -o "$TMP/strace" -P "$TMP/own.data" -e trace=pread64 "$PERF_LITE" script -D -i "$TMP/own.data" >"$TMP/out"
	run strace -qq -o "$TMP/strace" -P "$TMP/own.data" -e trace=pread64 \
		-e inject=pread64:error=EIO:when="$(grep -c pread64 "$TMP/strace")" "$PERF_LITE" script -D -i "$TMP/own.data"
	rc_is 1 "a file that cannot be read to its end"
	like "says so" "$TMP/err" '^perf-lite: cannot read .*own.data: Input/output error$'
	is_file "all records before that are there" "$TMP/out" "$TMP/all"
else
	skip_without "a file that cannot be read to its end" strace debugger
fi
run_ok "call chains are whole anyway" "$PERF_LITE" script --merge-callchains -i "$f"
run "$PERF_LITE" script report netdev-times
rc_is 1 "scripts of perf"
like "are not run" "$TMP/err" '^hint: no scripts are run'
run "$PERF_LITE" script report stackcollapse
like "but what does it here is named" "$TMP/err" "^hint: perf-lite script --folded\$"
run "$PERF_LITE" script "$f"
like "a file needs -i" "$TMP/err" "^hint: .*script -i $f"
done_testing
