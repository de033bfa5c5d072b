# SPDX-License-Identifier: GPL-2.0
#
# What script --for=PROGRAM prints is read by that program with every stack, its command, ids, time, weight and frames: by the grammars
# of all of them (consumers/), and by the programs themselves where they can be had.
. tests/lib.sh
need_root
need_tracefs
need_cmd python3

here=tests/oracle/consumers

# reads PROGRAM SAMPLES TEXT: by its grammar; prints how many samples
reads()
{
	case $1 in
	speedscope | firefox)
		node $here/consumers.js "$1" <"$3" >"$TMP/parsed" &&
			python3 $here/consumers.py --parsed "$1" "$2" "$TMP/parsed"
		;;
	*) python3 $here/consumers.py "$@" ;;
	esac
}

# record NAME OPTION... -- COMMAND: $TMP/NAME.data, with samples
record()
{
	name=$1
	shift
	run_ok "recorded: $name" "$PERF_LITE" record -q -o "$TMP/$name.data" "$@"
}

programs='stackcollapse flamegraph inferno perfetto gprof2dot flamescope'
if can node; then
	programs="$programs speedscope firefox"
else
	skip_without "what speedscope and firefox read" node
fi

# all_read DESC NAME OPTION...: every program reads every sample of the recording
all_read()
{
	desc=$1 name=$2
	shift 2
	"$PERF_LITE" script -q -i "$TMP/$name.data" --json "$@" >"$TMP/$name.json"
	nr=$(grep -c '"event"' "$TMP/$name.json")
	ok "$desc: there are samples" test "$nr" -gt 0
	for program in $programs; do
		"$PERF_LITE" script -q -i "$TMP/$name.data" --for=$program "$@" >"$TMP/$name.$program" 2>"$TMP/err"
		reads $program "$TMP/$name.json" "$TMP/$name.$program" >"$TMP/reads" 2>&1
		is "$desc: $program reads all $nr samples" "$(cat "$TMP/reads")" "$nr"
	done
}

# Stacks of every kind, under names of every kind

record clock -e cpu-clock -g -- "$PROG/consumed"
all_read "cpu-clock" clock
ok "the names are as hard as they should be" sh -c "
	grep -q '(anonymous namespace)::pointer::operator->' '$TMP/clock.json' &&
	grep -q 'memfd:jit code (x) (deleted)' '$TMP/clock.json' &&
	grep -q '\"comm\":\"a\"' '$TMP/clock.json' && grep -q '\"comm\":\"thread (x) 1\"' '$TMP/clock.json'"
record names -e cpu-clock -g -- "$PROG/names"
rm -f "/tmp/perf-$(cat "$TMP/out").map"
all_read "made code with names of every byte" names
record getppid -e syscalls:sys_enter_getppid -g -- "$PROG/consumed"
all_read "a tracepoint" getppid
record skb -e skb:kfree_skb -g -- "$PROG/consumed"
all_read "a tracepoint whose text holds colons" skb
all_read "the reason on top" skb --stack-field reason
like "it is there" "$TMP/skb.stackcollapse" '^	 +0 reason=[A-Z_]+\+?.* \(\[skb:kfree_skb\]\)$'
record flat -e cpu-clock -- "$PROG/consumed"
all_read "cpu-clock without stacks" flat
record flat-trace -e syscalls:sys_enter_getppid -- "$PROG/consumed"
all_read "a tracepoint without stacks and addresses" flat-trace
record bare -e cpu-clock:u -c 100000 --call-graph dwarf -- "$PROG/templates"
all_read "inlined functions" bare --inline
if can perf; then
	perf record -q -e "cpu-clock/name='my:event:x=y'/" -g -o "$TMP/perf.data" "$PROG/consumed" >"$TMP/out" 2>&1
	all_read "perf's own recording, an event with a name of its own" perf
else
	skip_without "perf's own recording" perf
fi

# The programs themselves

if ! can node; then
	skip_without "speedscope 1.25.0" node
elif (cd "$TMP" && timeout 60 npm pack --prefer-offline --fetch-retries=1 --fetch-timeout=15000 speedscope@1.25.0 >npm.out 2>&1 &&
	tar xzf speedscope-1.25.0.tgz); then
	bundle=$(ls "$TMP"/package/dist/release/speedscope-*.js)
	for name in clock getppid skb flat; do
		"$PERF_LITE" script -q -i "$TMP/$name.data" --json >"$TMP/$name.json"
		"$PERF_LITE" script -q -i "$TMP/$name.data" --for=speedscope >"$TMP/$name.speedscope"
		ok "speedscope 1.25.0 reads all of $name" sh -c "
			node $here/consumers.js '$bundle' <'$TMP/$name.speedscope' >'$TMP/parsed' &&
			python3 $here/consumers.py --parsed speedscope '$TMP/$name.json' '$TMP/parsed'"
	done
else
	skip_outside "speedscope 1.25.0" "npm does not fetch it: $(tail -n 1 "$TMP/npm.out")"
fi
if command -v stackcollapse-perf.pl >/dev/null; then
	for name in clock getppid skb; do
		stackcollapse-perf.pl "$TMP/$name.stackcollapse" | awk '{ n += $NF } END { print n }' >"$TMP/out"
		is "stackcollapse-perf.pl adds up the weights of $name" "$(cat "$TMP/out")" \
			"$("$PERF_LITE" script -q -i "$TMP/$name.data" --folded | awk '{ n += $NF } END { print n }')"
	done
else
	diag "no stackcollapse-perf.pl here: read by its grammar alone"
fi

# BOLT runs perf itself; this is what it would have read

"$PERF_LITE" script -q -i "$TMP/clock.data" --for=bolt >"$TMP/bolt"
is "bolt: a line for each sample" "$(grep -Ec '^ *[0-9]+ cpu-clock: +[0-9a-f]+$' "$TMP/bolt")" "$(grep -c '"event"' "$TMP/clock.json")"
is "bolt: and no other" "$(wc -l <"$TMP/bolt")" "$(grep -c '"event"' "$TMP/clock.json")"

# Several events

record two -e cpu-clock,page-faults -g -- "$PROG/consumed"
for program in $programs bolt; do
	run "$PERF_LITE" script -i "$TMP/two.data" --for=$program
	is "$program: two events are refused" "$rc $(cat "$TMP/out")" "1 "
	like "$program: and named" "$TMP/err" '--event=NAME: cpu-clock, page-faults$'
done
all_read "one event of two" two --event page-faults

done_testing
