# SPDX-License-Identifier: GPL-2.0
#
# perf-lite convert --to otlp: each sample is that of script --json, with its time, stack, thread and weight, by a reader of protocol
# buffers that knows OpenTelemetry's documents alone (profiles.py), which also checks the tables; what the samples are of, and what
# was lost. What all formats have in common is in convert-formats.t.
. tests/lib.sh
need_cmd python3 jq

code=$PWD/tests/cli
cp -R tests/golden "$TMP/golden"
cd "$TMP" || exit 1

# to DATA OPTION...: DATA.otlp, and DATA.about, what it says beside samples
to()
{
	to_data=$1
	shift
	"$PERF_LITE" script --json --time=utc -i "$to_data" "$@" >"$to_data.json" 2>/dev/null ||
		"$PERF_LITE" script --json -i "$to_data" "$@" >"$to_data.json" 2>/dev/null
	run "$PERF_LITE" convert -q --to otlp -i "$to_data" -o "$to_data.otlp" "$@"
	python3 "$code/profiles.py" about "$to_data.otlp" >"$to_data.about" 2>"$TMP/why" || diag_file "$TMP/why"
}

# same DESC DATA OPTION...: the samples are those of script
same()
{
	same_desc=$1
	shift
	to "$@"
	python3 "$code/profiles.py" otlp "$1.json" "$1.otlp" >"$TMP/holds" 2>&1
	is "$same_desc: all samples are there" "$(sed 's/, weight.*//' "$TMP/holds")" "$(grep -c '^{"event"' "$1.json") samples"
}

# Recordings of all kinds

for rec in golden/*.rec; do
	name=$(basename "$rec" .rec)
	[ "$name" != common ] || continue
	mkdir "$name"
	(cd "$name" && "$PROG/make_recording" "../golden/$name.rec" .) || continue
	same "$name" "$name/$name.data"
done

a=web/web.data
to $a
like "the host" $a.about '^host.name golden$'
like "the machine" $a.about '^host.arch amd64$'
like "the system" $a.about '^os.type linux$'
like "the service" $a.about '^service.name perf-lite$'
like "the kernel" $a.about '^os.description Linux '
like "nothing is lost" $a.about '^lost 0$'
unlike "and no word of it" $a.about '^comment lost'
like "clocks are in nanoseconds" $a.about '^type cpu-clock nanoseconds [1-9]'
like "frames of the kernel" $a.about '^frame \[kernel.kallsyms\] kernel$'
like "frames of programs" $a.about '^frame /.* native$'
like "what is counted is in events" drops/drops.data.about '^type skb:kfree_skb count 1$'
printf '%s\n' 'event cycles type=hardware config=0 freq=1000 with=chain' \
	'sample cycles pid=1 cpu=0 repeat=3 period=9223372036854775807 chain=0x1000' >most.rec
"$PROG/make_recording" most.rec .
to most.data
like "a sum of weights does not wrap" most.data.about '^type cycles count 3074457345618258602$'
printf '%s\n' 'event page-faults type=software config=2 freq=1000' 'sample page-faults pid=1 cpu=0 repeat=29 period=43' \
	'sample page-faults pid=1 cpu=0 period=34' >mean.rec
"$PROG/make_recording" mean.rec .
to mean.data
like "a mean period is rounded" mean.data.about '^type page-faults count 43$'
to timeless/timeless.data
is "without times there are none" "$(jq -s 'map(select(.date)) | length' timeless/timeless.data.json)" 0
like "losses are counted" calls-lost/calls-lost.data.about '^lost 3$'
like "and named" calls-lost/calls-lost.data.about '^comment lost, buffer full: 1 time, 3 records or more$'

# The id of a profile

first=$(sed -n 's/^ids //p' $a.about)
to $a
is "the same samples have the same id" "$(sed -n 's/^ids //p' $a.about)" "$first"
to $a --limit 3
ok "others have another" test "$(sed -n 's/^ids //p' $a.about)" != "$first"
run "$PERF_LITE" convert --to otlp -i $a -o none.otlp -c nobody
rc_is 0 "no samples are no error"
run_ok "it is a request" python3 "$code/profiles.py" about none.otlp

# What runs here

if can own; then
	"$PERF_LITE" record -q -e cpu-clock:u -c 100000 --call-graph dwarf -o i.data -- "$PROG/inlined" 50 >/dev/null 2>&1
	same "inlined functions" i.data --inline
	like "lines of inlined functions" i.data.about '^line leaf .*inlined.c:[1-9]'
	like "lines of those they are in" i.data.about '^line outer .*inlined.c:[1-9]'
	"$PERF_LITE" buildid-list -i i.data | sed 's/^/build-id /' | sort >ids
	sed -n '/^build-id/p' i.data.about | sort >got
	like "the build-id of the program" got "^build-id [0-9a-f]{40} .*/inlined$"
	is "all are those of the recording" "$(comm -23 got ids)" ""
	ok "the time of day" jq -es 'map(select(.event)) | all(.time > 1e18)' i.data.json
	"$PERF_LITE" record -q -e cpu-clock:u -g -o n.data -- "$PROG/names" >said 2>&1
	rm -f "/tmp/perf-$(sed -n '$s/[^0-9]//gp' said).map"
	same "names of every byte" n.data
	like "made code has no type" n.data.about '^frame /tmp/perf-[0-9]*.map -$'
	"$PERF_LITE" convert -q --to otlp -i - -o - <n.data >piped
	is_file "the same through pipes" piped n.data.otlp
else
	skip_without "programs that run here" own
fi
done_testing
