# SPDX-License-Identifier: GPL-2.0
#
# What convert --to=pprof, speedscope and gecko write holds every sample with its stack, names, ids, time and weight: by the rules of
# the formats (consumers/exports.py), of pprof after protoc. exports-programs.t asks the programs themselves.
. tests/lib.sh
need_root
need_tracefs
need_cmd python3 protoc gzip jq

here=tests/oracle/consumers

# record NAME OPTION... -- COMMAND: $TMP/NAME.data, with samples
record()
{
	name=$1
	shift
	run_ok "recorded: $name" "$PERF_LITE" record -q -o "$TMP/$name.data" "$@"
}

# decode FILE: what protoc makes of a profile
decode()
{
	gzip -dc "$1" | protoc -I $here --decode=perftools.profiles.Profile $here/profile.proto
}

# all_there DESC NAME OPTION...: every format holds every sample of the recording
all_there()
{
	desc=$1 name=$2
	shift 2
	"$PERF_LITE" script -q -i "$TMP/$name.data" --json "$@" >"$TMP/$name.json"
	want=$(jq -rs 'map(select(.event)) | "\(length) samples, weight \(map([.period, 1] | max) | add)"' "$TMP/$name.json")
	ok "$desc: there are samples" test "${want%% *}" -gt 5
	for format in pprof speedscope gecko; do
		run "$PERF_LITE" convert -q -i "$TMP/$name.data" --to $format "$@" -o "$TMP/$name.$format"
		[ $format != pprof ] || decode "$TMP/$name.pprof" >"$TMP/$name.text"
		file=$TMP/$name.$format
		[ $format != pprof ] || file=$TMP/$name.text
		python3 $here/exports.py $format "$TMP/$name.json" "$file" >"$TMP/holds" 2>&1
		is "$desc: $format holds all" "$rc $(cat "$TMP/holds")" "0 $want"
	done
}

# Stacks of every kind, under names of every kind

record clock -e cpu-clock -g -- "$PROG/consumed"
all_there "cpu-clock" clock
record names -e cpu-clock -g -- "$PROG/names"
rm -f "/tmp/perf-$(cat "$TMP/out").map"
all_there "made code with names of every byte" names
record skb -e skb:kfree_skb -g -- "$PROG/consumed"
all_there "a tracepoint" skb
record flat -e cpu-clock -- "$PROG/consumed"
all_there "cpu-clock without stacks" flat
record bare -e syscalls:sys_enter_getppid -- "$PROG/consumed"
all_there "a tracepoint without stacks and addresses" bare
record dwarf -e cpu-clock:u -c 100000 --call-graph dwarf -- "$PROG/templates"
all_there "stacks of copies" dwarf
all_there "inlined functions in all stacks" dwarf --inline
all_there "nothing of inlined functions" dwarf --no-inline
record events -e cpu-clock,page-faults,syscalls:sys_enter_getppid -g -- "$PROG/consumed"
all_there "several events" events
all_there "one of them" events --event page-faults
record forks -e cpu-clock,sched:sched_process_exec -c 500000 -g -- "$PROG/forks" 20
all_there "processes that change their names" forks
record runtime -a -e sched:sched_stat_runtime -- "$PROG/threads" 200
all_there "a tracepoint that counts nanoseconds" runtime
all_there "a part of them" runtime --limit 100
if can perf; then
	perf record -q -k CLOCK_MONOTONIC -e "cpu-clock/name='cpu-clock:x=y'/" -g -o "$TMP/perf.data" "$PROG/consumed" >"$TMP/out" 2>&1
	all_there "perf's own recording, an event with a name of its own" perf
else
	skip_without "perf's own recording" perf
fi

# What pprof is told beside samples

decode "$TMP/clock.pprof" >"$TMP/text"
build_id=$(readelf -n "$PROG/consumed" | sed -n 's/.*Build ID: //p')
like "pprof: the program's build-id" "$TMP/text" "\"$build_id\""
decode "$TMP/dwarf.pprof" >"$TMP/text"
like "pprof: no lines without inlined functions" "$TMP/text" 'has_functions: true'
unlike "pprof: none at all" "$TMP/text" 'has_line_numbers|^    line: '
"$PERF_LITE" convert -q -i "$TMP/dwarf.data" --to pprof -o - | gzip -dc |
	protoc -I $here --decode=perftools.profiles.Profile $here/profile.proto >"$TMP/text"
like "pprof: else there are" "$TMP/text" '^    line: [1-9]'
like "pprof: and files" "$TMP/text" '^string_table: ".*templates.cc"'

# The same bytes, however it is read

for format in pprof speedscope gecko; do
	"$PERF_LITE" convert -q -i "$TMP/events.data" --to $format -j1 -o "$TMP/j1"
	"$PERF_LITE" convert -q --to $format -j4 -i - -o - <"$TMP/events.data" >"$TMP/j4"
	[ $format != speedscope ] || sed -i 's|"name":"[^"]*events.data"|"name":"-"|' "$TMP/j1"
	ok "$format: the same with any number of threads, from a pipe and into one" cmp "$TMP/j1" "$TMP/j4"
done

# Without samples, damaged

for format in pprof speedscope gecko; do
	run_ok "$format: no sample is no error" "$PERF_LITE" convert -q -i "$TMP/clock.data" --pid 1 --to $format -o "$TMP/none.$format"
done
decode "$TMP/none.pprof" >"$TMP/none.text"
: >"$TMP/none.json"
for pair in pprof:text speedscope:speedscope gecko:gecko; do
	is "${pair%:*}: and a whole file" \
		"$(python3 $here/exports.py "${pair%:*}" "$TMP/none.json" "$TMP/none.${pair#*:}" 2>&1)" "0 samples, weight 0"
done
head -c $(($(wc -c <"$TMP/dwarf.data") - 50)) "$TMP/dwarf.data" >"$TMP/damaged.data"
for format in pprof speedscope gecko; do
	run "$PERF_LITE" convert -i "$TMP/damaged.data" --to $format -o "$TMP/damaged.$format"
	is "$format: what is left of a damaged recording" "$rc $(test -s "$TMP/damaged.$format" && echo written)" "3 written"
done

done_testing
