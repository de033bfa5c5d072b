# SPDX-License-Identifier: GPL-2.0
#
# The package perflite (scripts/python): what it gives of the recordings of tests/golden is what the commands print as JSON. The checks
# are functions of python.py.
. tests/lib.sh
need_cmd python3
[ -e "$O/libperflite.so" ] || skip_all "a static build has no libperflite.so"
golden=$PWD/tests/golden
check=$PWD/tests/cli/python.py
page=$PWD/docs/python.md
example=$PWD/docs/example/drops.data
export PERFLITE_LIBRARY="$O/libperflite.so.0" PYTHONPATH="$PWD/scripts/python" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=error
unset DEBUGINFOD_URLS

python=python3
checked() # DESCRIPTION CHECK ARGUMENT...
{
	what=$1
	shift
	run $python "$check" "$@"
	rc_is 0 "$what"
}

# All recordings

cd "$TMP" || exit
for rec in "$golden"/*.rec; do
	name=${rec##*/}
	name=${name%.rec}
	mkdir "$name"
	cd "$name" || exit
	"$PROG/make_recording" "$rec" . 2>"$TMP/made" && [ -e "$name.data" ] || { cd ..; continue; }
	"$PERF_LITE" script -q -i "$name.data" --symfs root --kallsyms kallsyms --inline --json >json
	"$PERF_LITE" count -q -i "$name.data" --by event,comm,cpu --json >counts
	checked "$name: samples, fields and frames, tables, counts" recording "$name.data" json counts
	cd ..
done
ok "there were recordings" test -s web/json
cp "$example" own.data
"$PERF_LITE" script -q -i own.data --json >json
checked "a recording of perf-lite" samples own.data json
checked "its tables" tables own.data json
"$PERF_LITE" report --header-only -i own.data | sed -n 's/^# cmdline : \(.*\) $/\1/p' >cmdline
checked "its command line" command_line own.data cmdline
while read -r recording by of; do
	"$PERF_LITE" count -q -i "$recording" --by "$by" --of "$of" --sum --json >json
	checked "count by $by of $of: $recording" counts "$recording" json "$by" "$of"
done <<END
own.data reason,comm protocol
drops/drops.data comm,reason period
latency/latency.data event,prev_state prev_prio
END

for ask in "run-queue" "run-queue by=tid,comm min=2ms" "off-cpu by=comm,cpu" "block-io" "run-queue open"; do
	set -- $ask
	preset=$1
	shift
	dashed=$(printf ' --%s' "$@")
	"$PERF_LITE" latency "$preset" -q -i latency/latency.data ${1:+$dashed} --json >json
	checked "latency $ask" latency latency/latency.data json "$preset" "$@"
done
checked "latency: errors, called twice, of what is left" latency_calls latency/latency.data

while read -r recording words; do
	set -- $words
	dashed=$(printf '%s\n' "$@" | sed -n '/^\(symfs\|by\|filter\|all\)/s/^/ --/p' | tr -d '\n')
	"$PERF_LITE" drops -q -i "$recording/$recording.data" $dashed --json >json
	checked "drops of $recording $words" drops "$recording/$recording.data" json "$@"
done <<END
drops symfs=drops/root
drops all by=reason,dev,cpu
drops by=place,protocol,kstack filter=reason==NO_SOCKET
drops-companions drops by=reason,flow
END
checked "drops: errors, called twice, of what is left" drops_calls drops/drops.data

checked "what is past is an error" expired drops/drops.data
checked "keys" keys drops/drops.data
printf '%s\n' "event probe:malloc format=$golden/formats/malloc_1" "event probe:malloc format=$golden/formats/malloc_2" \
	'at 1' 'comm 1 made' 'sample probe:malloc pid=1 .size=24' 'sample probe:malloc#2 pid=1 .twice=48' >two.rec
"$PROG/make_recording" two.rec .
checked "events of one name, with different fields" namesakes two.data
sed 's/u64 twice;/u32 time;/; s/size:8/size:4/' "$golden/formats/malloc_2" | awk '{ print } /u32 time/ { sub(/time/, "comm"); sub(/:8/, ":12"); print }' >short
for event in 'uprobe:/lib/libc.so.6:malloc' my:e my:call; do
	printf '%s\n' "event $event format=$TMP/short" 'at 1' 'comm 1 made' "sample $event pid=1 t=1 cpu=0 .time=5 .comm=7" >short.rec
	"$PROG/make_recording" short.rec .
	checked "fields that are called like keys: $event" short_names short.data
done
checked "errors" errors drops
checked "options" options drops
checked "losses, and a warning of those nobody asks for" losses calls-lost/calls-lost.data 3
{
	printf '%s\n' 'event cycles type=hardware config=0 with=chain' 'exec 7 made'
	for i in 1 2 3 4 5 6 7 8 9; do
		printf '%s\n' "at 1.$i" "lost cycles $i" "sample cycles t=1.$i pid=7 cpu=0 chain=0x${i}000<0x${i}100<0x100"
	done
} >long.rec
"$PROG/make_recording" long.rec .
checked "a reading that does not end" bounded long.data 45
head -c "$(($(wc -c <own.data) * 2 / 3))" own.data >cut.data
if can own; then
	# the load stops its recorder while the buffers overflow
	"$PERF_LITE" record -q -e cpu-clock:u -F 10000 -m 4 -o lost.data -- \
		sh -c '"$0" 100; kill -STOP $PPID; "$0" 700; kill -CONT $PPID; "$0" 100' "$PROG/spin" >spun 2>recorded
	checked "losses of a file of perf-lite, which are known ahead" losses_ahead lost.data
else
	skip_without "losses of a file of perf-lite" own
fi
checked "damage" damage cut.data
checked "signal handlers that use the recording" handlers drops/drops.data
nr=$("$PERF_LITE" script -q -i own.data --json | wc -l)
ok "standard input" python3 "$check" pipe "$nr" <own.data
"$PERF_LITE" convert -q -i own.data --to perf.data -o - >perf.data
for recording in own.data perf.data; do
	for how in open loop count stop; do
		checked "a pipe is silent: $how $recording" interrupt_pipe "$how" "$recording"
	done
done
ok "a pipe" sh -c 'cat own.data | python3 "$1" pipe "$2"' - "$check" "$nr"

# Tables for other packages

checked "Arrow: the structs, and their release" arrow drops/drops.data
checked "Arrow: a stream" stream drops/drops.data
printf '%s\n' 'event page-faults type=software config=2' 'at 1' 'comm 1 made' 'sample page-faults pid=1 t=1 repeat=100000' >many.rec
"$PROG/make_recording" many.rec .
checked "nothing leaks" leaks many.data
for package in numpy pandas; do
	if python_with $package; then
		PYTHONWARNINGS='' checked "$package" $package drops/drops.data
	else
		skip "$package" "python3-$package ($not_installed)"
	fi
done
python=python3

# What runs now

if can everybody tracepoints; then
	if can first-pids; then
		checked "live: events, stacks, filters" live
	else
		skip_without "live: events, stacks, filters" first-pids # it compares them with those of fields
	fi
	checked "live: time between events" latency_live
	if can netns; then
		checked "live: dropped packets" drops_live
	else
		skip_without "live: dropped packets" netns
	fi
	checked "the order of options" order
	checked "stop" stop
	checked "Ctrl-C in a loop" interrupt loop
	checked "Ctrl-C while it counts" interrupt count
	checked "Ctrl-C while the first one is handled" interrupted_again
	checked "a signal handler that closes while it counts" closed_by_handler
	checked "a child" forked
	ok "perf-lite record -o - | python" sh -c '"$PERF_LITE" record -q -e sched:sched_process_exec -o - -- sh -c "true; env true; env true" |
		python3 "$1" pipe 5' - "$check"
else
	skip_without "what runs now" everybody tracepoints
fi

# The examples of the page, with what they print

mkdir examples
cp own.data examples/perf-lite.data
cp latency/latency.data examples/sched.data
cd examples || exit
awk '/^    import / && !inside { inside = 1; nr++ }
	/^[^ ]/ { inside = 0 }
	inside { sub(/^    /, ""); if (sub(/^#= /, "")) print >(nr ".want"); else print >(nr ".py") }' "$page"
for nr in $(seq "$(find . -name '*.py' | wc -l)"); do
	python=python3
	if grep -q 'to_pandas' "$nr.py" && ! python_with pandas; then
		skip "example $nr" "python3-pandas ($not_installed)"
		continue
	fi
	if grep -q 'watch(' "$nr.py" && ! can everybody tracepoints; then
		skip_without "example $nr" everybody tracepoints
		continue
	fi
	if grep -q 'drops="' "$nr.py" && ! can bpf btf; then
		skip_without "example $nr" bpf btf
		continue
	fi
	PYTHONWARNINGS='ignore' run $python "$nr.py"
	rc_is 0 "example $nr"
	[ ! -e "$nr.want" ] || { sed 's/ *$//' "$TMP/out" >got; is_file "what it prints" got "$nr.want"; }
done
ok "there are ten examples" test "$nr" -ge 10
cd ..

checked "the library is missing, or too old" missing
checked "the stubs" stubs

run "$PERF_LITE" script -s drops.py
rc_is 1 "script -s"
like "says what does the same" "$TMP/err" 'import perflite'
sed -n 's/^        //p' "$TMP/err" >same.py
cp own.data perf-lite.data
run python3 same.py
rc_is 0 "it does"
like "its output" "$TMP/out" '^skb:kfree_skb [0-9]+ .*NO_SOCKET'
done_testing
