# SPDX-License-Identifier: GPL-2.0
#
# perf-lite convert --to parquet: each value of each row is that of script --json and of convert --to csv, read again by code that
# knows the format's documents alone (parquet_file.py); by DuckDB and ClickHouse, where they are installed, also the queries of
# docs/fleet.md.
# What all formats have in common is in convert-formats.t, the encodings are in tests/unit/test_parquet.c.
. tests/lib.sh
need_cmd python3 jq

golden=$PWD/tests/golden
. tests/cli/fleet.sh
cp -R "$golden" "$TMP/golden"
cd "$TMP" || exit 1

parquet() { python3 "$code/parquet.py" "$@"; }

# to DATA DIR OPTION...: tables in DIR, and what they are compared with
to()
{
	to_data=$1 to_dir=$2
	shift 2
	run "$PERF_LITE" convert -q --to parquet -i "$to_data" -o "$to_dir/" "$@"
	to_rc=$rc
	cp "$TMP/err" "$to_dir.err"
	"$PERF_LITE" convert -q --to json -i "$to_data" -o "$to_dir/json" "$@" 2>/dev/null
	"$PERF_LITE" convert -q --to csv -i "$to_data" -o "$to_dir/csv" "$@" 2>/dev/null
	"$PERF_LITE" buildid-list -i "$to_data" >"$to_dir/ids" 2>/dev/null
	rc=$to_rc
}

# same DESC DIR HOST BOOT: the tables hold what the others say
same()
{
	run_ok "$1: samples and losses are the same" parquet same "$2" "$3" "$4"
	cat "$TMP/out" >"$2/said"
}

host() { "$PERF_LITE" script --header-only -i "$1" 2>/dev/null | sed -n 's/^# hostname : //p'; }

# Recordings of all kinds

for rec in golden/*.rec; do
	name=$(basename "$rec" .rec)
	[ "$name" != common ] || continue
	mkdir "$name"
	(cd "$name" && "$PROG/make_recording" "../golden/$name.rec" .) || continue
	data=$name/$name.data
	to "$data" "$name/table"
	same "$name" "$name/table" "$(host "$data")" ""
done
like "there are losses" calls-lost/table/json '"lost":3'
is "an entry" "$(parquet rows calls-lost/table/losses.parquet)" \
	'{"host":"golden","boot":null,"event":null,"time":null,"until":null,"clock_offset":null,"cpu":null,"count":3,"cause":"buffer full"}'
printf '%s\n' 'event cycles type=hardware config=0 only=ip,time,period' 'sample cycles t=1 ip=0x401004 period=5' >no-tid.rec
"$PROG/make_recording" no-tid.rec .
to no-tid.data no-tid
like "no thread that was not recorded" no-tid/csv '^cycles,1000000000,,,,,5,0x401004,'
is "likewise" "$(parquet rows no-tid/samples.parquet | grep -o '"cpu".*"period"')" '"cpu":null,"pid":null,"tid":null,"comm":null,"period"'
is "types of fields" "$(parquet kinds drops/table/samples.parquet | sed -n '/^stack_build_id/,$p')" "stack_build_id [text]
skbaddr u64
location text
rx_sk u64
protocol u32
reason text
bus_name text
dev_name text
driver_name text
trap_name text
trap_group_name text
input_dev_name text"
"$PERF_LITE" convert -q --to parquet -i drops/drops.data -o drops.parquet --event skb:kfree_skb --symfs drops/root --kallsyms drops/kallsyms 2>/dev/null
is "a reason by its name, where code dropped it by its function" \
	"$(parquet rows drops.parquet location reason protocol symbol stack | sort -u | sed -n '1p;/^..ip_rcv/p;$p')" \
	'["0x0","PKT_TOO_SMALL",2048,"kfree_skb_reason",["kfree_skb_reason","ip_rcv","net_rx_action"]]
["ip_rcv+0x40","0x3e7",2054,"kfree_skb_reason",["kfree_skb_reason","ip_rcv","net_rx_action"]]
["ip_rcv+0x40",null,2048,"kfree_skb_reason",["kfree_skb_reason","ip_rcv","net_rx_action"]]
["udp_queue_rcv+0x10","NO_SOCKET",2048,"kfree_skb_reason",["kfree_skb_reason","udp_queue_rcv","ip_rcv","net_rx_action","do_idle"]]'

# Builds of one path, and boots

is "the builds of a program that was replaced" "$(parquet rows build-ids/table/samples.parquet pid dso build_id stack_build_id)" \
	'[100,"/opt/bin/app","00112233445566778899aabbccddeeff00000001",["00112233445566778899aabbccddeeff00000001"]]
[100,"/opt/lib/short.so","0123456789abcdef",["0123456789abcdef"]]
[200,"/opt/bin/app","00112233445566778899aabbccddeeff00000002",["00112233445566778899aabbccddeeff00000002"]]
[300,"/opt/bin/app","00112233445566778899aabbccddeeff00000001",["00112233445566778899aabbccddeeff00000001"]]
[0,"[kernel.kallsyms]","00112233445566778899aabbccddeeff00000000",["00112233445566778899aabbccddeeff00000000"]]'
mkdir builds
cd builds || exit 1
boots
to recordings/web1/boot-b.data of_boot
same "a boot" of_boot web1 bbbbbbbb-0000-4000-8000-000000000002
is "the build that ran then" "$(parquet rows of_boot/samples.parquet stack_dso stack_build_id | jq -r --arg program "$program" \
	'transpose[] | select(.[0] == $program)[1]' | sort -u)" $other_build
is "report --brief --json tells the boot" "$("$PERF_LITE" report -q --brief --json -i recordings/web1/boot-b.data | jq -r .boot)" \
	bbbbbbbb-0000-4000-8000-000000000002
to recordings/web2/older.data of_older
same "a recording that does not tell its boot" of_older web2 ""
cd .. || exit 1

# Columns whose names would be there twice; fields of several events that have different types

cat >taken.rec <<'END'
host web1 6.1.0 2
wall 1700000000000000000
event made:a format=a.format
event made:b format=b.format
at 1
exec 5 init
with pid=5 cpu=1
sample made:a t=1.5 .pid=-7 .Time=8 .mixed=-1 .wide=-2 .late=3
sample made:b t=2.5 .pid=9 .mixed=4294967295 .wide=18446744073709551615 .late=-4
END
field() { printf '\tfield:%s %s;\toffset:%d;\tsize:%d;\tsigned:%d;\n' "$@"; }
for event in a b; do
	{
		printf 'name: %s\nID: %d\nformat:\n' $event $((900 + $(printf %d "'$event")))
		field "unsigned short" common_type 0 2 0
		field "unsigned char" common_flags 2 1 0
		field "unsigned char" common_preempt_count 3 1 0
		field int common_pid 4 4 1
		printf '\n'
		field int pid 8 4 1
		[ $event = b ] || field int Time 12 4 1
		[ $event = a ] || { field u32 mixed 16 4 0; field u64 wide 24 8 0; field long late 32 8 1; }
		[ $event = b ] || { field int mixed 16 4 1; field long wide 24 8 1; field u32 late 32 4 0; }
		printf '\nprint fmt: "%%d", REC->pid\n'
	} >$event.format
done
mkdir taken
run_ok "a recording of two events" "$PROG/make_recording" taken.rec .
to taken.data taken
same "names that are taken, types that are joined" taken web1 ""
is "their types" "$(parquet kinds taken/samples.parquet | sed '1,/^stack_build_id/d')" "field_pid s32
field_Time s32
mixed s64
wide decimal
late s64"
is "their values" "$(parquet rows taken/samples.parquet time clock_offset field_pid field_Time mixed wide late)" \
	'[1700000001500000000,1700000000000000000,-7,8,-1,-2,3]
[1700000002500000000,1700000000000000000,9,null,4294967295,18446744073709551615,-4]'
is "the least and the greatest of numbers with and without a sign" "$(parquet groups taken/samples.parquet wide)" \
	"2 -2 18446744073709551615"

# More than one group of rows

cat >many.rec <<'END'
host web1 6.1.0 2
wall 1700000000000000000
binary /bin/init main=0x1000 leaf=0x1100
event cpu-clock type=software config=0 freq=1000 with=chain
at 1
exec 5 init
mmap 5 0x400000 0x10000 0 /bin/init
with pid=5 cpu=1 period=1000000 chain=leaf+4<main+4
sample cpu-clock t=1 repeat=300000 step=0.001
sample cpu-clock t=400 cpu=0 repeat=5 step=0.001
END
run_ok "a recording with many samples" "$PROG/make_recording" many.rec .
to many.data many
is "groups of rows, with the span of each" "$(parquet groups many/samples.parquet time)" \
	"262144 1700000001000000000 1700000263143000000
37861 1700000263144000000 1700000400004000000"
same "two groups of rows" many web1 ""
ok "they are small: $(stat -c %s many/samples.parquet)" test "$(stat -c %s many/samples.parquet)" -lt 60000

# Choices, pipes, threads

to web/web.data chosen --comms nginx --limit 30
same "chosen samples" chosen golden ""
like "they are that many" chosen/said '^30 rows'
to drops/drops.data event --event skb:kfree_skb
same "an event" event golden ""
unlike "has its fields alone" event/said '1[0-9] fields'
"$PERF_LITE" convert -q --to parquet -i - -o - <web/web.data >piped
is_file "through pipes: the same bytes" piped web/table/samples.parquet
"$PERF_LITE" convert -q --to parquet -i web/web.data -o one.parquet -j 1
is_file "as a file: the same bytes" one.parquet web/table/samples.parquet
run "$PERF_LITE" convert --to parquet -i web/web.data -o - -c nobody
mv "$TMP/out" none
is "no samples: a table without rows" "$(parquet rows none)" ""
is "with columns" "$(parquet kinds none | wc -l)" "$(parquet kinds one.parquet | wc -l)"
(mkdir default && cd default && "$PERF_LITE" convert --to parquet -i ../web/web.data 2>said)
is "where they go by default" "$(cd default && ls perf-lite.parquet)" "losses.parquet
samples.parquet"
like "both are named" default/said '^perf-lite convert: .* in perf-lite.parquet/losses.parquet$'
is "their owner alone reads them" "$(stat -c %a default/perf-lite.parquet default/perf-lite.parquet/* | xargs)" "700 600 600"

# What fails

head -c "$(($(wc -c <web/web.data) * 2 / 3))" web/web.data >cut.data
to cut.data cut
rc_is 3 "a recording that was cut"
# whose host is behind the records; what is older than this boot is not of it
touch -d 2024-01-01T00:00:00Z cut.data
to cut.data cut
same "what is whole of it" cut "" ""
run "$PERF_LITE" convert --to parquet -i missing.data -o missing/
rc_is 1 "no recording"
ok "nothing is made" test ! -e missing
run "$PERF_LITE" convert --to parquet -i web/web.data -o no/such/
rc_is 1 "a directory that cannot be made"
like "says so" "$TMP/err" '^perf-lite: cannot create no/such/: No such file or directory$'
mkdir -p half/losses.parquet
run "$PERF_LITE" convert -q --to parquet -i web/web.data -o half
ok "losses that cannot be written fail" test "$rc" -ne 0
like "it says which file" "$TMP/err" 'half/losses.parquet'
is "nothing unfinished is left" "$(ls half)" "losses.parquet
samples.parquet"
run sh -c 'ulimit -f 2; exec "$0" convert -q --to parquet -i web/web.data -o fresh/' "$PERF_LITE"
rc_is 3 "a limit of file size"
ok "nothing is left of what was made for it" test ! -e fresh
run "$PERF_LITE" convert -q --to parquet -i web/web.data -o /dev/full
rc_is 3 "a full device"

# Signals, once there is something unfinished; a child of the shell's own would ignore SIGINT

cat >stop.py <<'END'
import os, signal, subprocess, sys, time
number = getattr(signal, sys.argv[1])
child = subprocess.Popen(sys.argv[2:], preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
unfinished = "%ssamples.parquet.%d.tmp" % (sys.argv[-1], child.pid)
while not os.path.exists(unfinished) and child.poll() is None:
    time.sleep(0.001)
child.send_signal(number)
print("ended" if child.wait() == -number else "exit code %d" % child.returncode)
END
for signal in SIGINT SIGTERM; do
	is "$signal ends it" "$(timeout 60 python3 stop.py $signal "$PERF_LITE" convert -q --to parquet -i many.data -o $signal/)" ended
	ok "$signal: nothing is left of what was made for it" test ! -e $signal
	mkdir $signal
	timeout 60 python3 stop.py $signal "$PERF_LITE" convert -q --to parquet -i many.data -o $signal/ >/dev/null
	is "$signal: a directory that was there is left, empty" "$(ls -d $signal && ls $signal)" $signal
done

# The second file cannot be made

if can strace && can debugger; then
	strace -o traced -e trace=openat "$PERF_LITE" convert -q --to parquet -i many.data -o both/
	cp both/samples.parquet whole
	nth=$(grep -n '/losses\.parquet' traced | sed 's/:.*//;q')
	echo old >both/samples.parquet
	echo old >both/losses.parquet
	run strace -o traced -e trace=openat -e inject=openat:error=ENOSPC:when="$nth" "$PERF_LITE" convert -q --to parquet -i many.data -o both/
	rc_is 1 "no room for the losses"
	is "which the error says" "$(grep -c 'losses.parquet' "$TMP/err")" 1
	is "old losses are not beside new samples" "$(ls both)" samples.parquet
	is_file "those are whole" both/samples.parquet whole
else
	skip_without "no room for the losses" strace debugger
fi

# A recording of perf-lite's own: host, boot, build-ids, losses with times

if can own; then
	# a recorder that does not read for a while loses
	"$PERF_LITE" record -q -e cpu-clock:u -F 10000 -g -m 16 -o own.data -- "$PROG/spin" 1500 >/dev/null 2>&1 &
	recorder=$!
	wait_for 10 test -s own.data
	sleep 0.4
	kill -STOP $recorder
	sleep 1
	kill -CONT $recorder
	wait $recorder
	to own.data own
	same "its own file" own "$(uname -n)" "$(cat /proc/sys/kernel/random/boot_id)"
	like "it has lost" "$TMP/out" '^[1-9][0-9]* losses'
	ok "with times: $(parquet rows own/losses.parquet | sed -n 1p)" \
		sh -c 'python3 "$0/parquet.py" rows own/losses.parquet | jq -es "all(.until >= .time) and any(.until > .time)"' "$code"
	like "it has build-ids" own/said ', [1-9][0-9]* build-ids$'
	now=$(date +%s)
	ok "times are of day" sh -c 'python3 "$0/parquet.py" rows own/samples.parquet | jq -es "all(.time / 1e9 > $1 - 600 and .time / 1e9 < $1 + 600)" >/dev/null' "$code" "$now"
	"$PERF_LITE" convert -q --to parquet -i - -o pipe/ <own.data
	for table in samples losses; do
		is_file "$table through a pipe" pipe/$table.parquet own/$table.parquet
	done
else
	skip_without "a recording of perf-lite's own" own
fi

# Recordings of two hosts: as one data set, by the loop of the page

number=0
for host in web1 web2; do
	mkdir -p recordings/$host
	for rec in web drops calls-lost; do
		number=$((number + 1))
		mkdir made.$number
		sed "s/^host golden/host $host/; s/^wall .*/wall 170${number}000000000000000/" "$golden/common.rec" >golden/common.rec
		(cd made.$number && "$PROG/make_recording" "../golden/$rec.rec" .) || fail "make $rec of $host"
		mv made.$number/$rec.data recordings/$host/$rec.data
	done
done
cd builds || exit 1
builds
cd .. || exit 1
mkdir bin
ln -s "$PERF_LITE" bin/perf-lite
block Collect 1 >loop.sh
run_ok "the loop of the page" env PATH="$TMP/bin:$PATH" sh loop.sh
is "has made a directory of each recording" "$(find fleet -name '*.parquet' | wc -l)" 12
(cd builds && PATH="$TMP/bin:$PATH" sh ../loop.sh)

# the rows for those who have no Parquet: losses, also of one event, are no samples
mkdir lossy
cat >lossy/perf-lite <<END
#!/bin/sh
"$PERF_LITE" "\$@"
[ "\$1" != script ] || echo '{"lost":7,"cause":"buffer full","event":"cpu-clock","cpu":1}'
END
chmod +x lossy/perf-lite
block "Without Parquet" 2 | sed '/^done >rows$/q' >rows.sh
run_ok "rows of JSON" env PATH="$TMP/lossy:$PATH" sh rows.sh
is "a row for each sample" "$(grep -c '"event":' rows)" "$(for f in recordings/*/*.data; do
	"$PERF_LITE" script -q --json -i "$f" 2>/dev/null
done | grep -c '^{"event"')"
is "and for each loss of an event" "$(grep -c '"cause":"buffer full","count":7}' rows)" "$(find recordings -name '*.data' | wc -l)"

# counted HOST EVENT JQ: what counts, "HOST VALUE COUNT", by what script prints
counted()
{
	for f in recordings/$1/*.data; do
		"$PERF_LITE" script -q --json -i "$f" 2>/dev/null
	done | jq -r "select(.event == \"$2\") | $3" | sort | uniq -c | awk -v host="$1" '{ n = $1; sub(/^ *[0-9]+ /, ""); print host "\t" $0 "\t" n }'
}

# ClickHouse: the queries of docs/fleet.md

click() { python3 "$code/chdb.py" "$1" 2>click.err || { fail "ClickHouse: $1"; diag_file click.err; }; }

python3 "$code/chdb.py" "SELECT 1" >/dev/null 2>&1
case $? in
0)
	click "$(block ClickHouse 1)" >got
	for host in web1 web2; do
		counted $host cpu-clock '.symbol // "\\N"'
	done | sort -t "$(printf '\t')" -k1,1 -k3,3nr -k2,2 >want
	is_file "ClickHouse: hot functions by host" got want
	is "ClickHouse: drops of both, whose tables have other columns" \
		"$(click "SELECT host, count() FROM file('fleet/*/*/samples.parquet') WHERE reason = 'NO_SOCKET' GROUP BY host ORDER BY host
			SETTINGS schema_inference_mode = 'union'")" "$(for host in web1 web2; do counted $host skb:kfree_skb '.fields.reason.name | select(. == "NO_SOCKET")' | cut -f 1,3; done)"
	cd builds || exit 1
	is "ClickHouse: samples by boot" "$(click "$(block ClickHouse 2 | of_example)" | sed 's/\\N/NULL/')" "$by_boot"
	is "ClickHouse: builds of a file" "$(click "$(block ClickHouse 3)")" "$(echo "$by_build" | sed 's/\.0$//')"
	is "ClickHouse: builds, processes of each boot" "$(click "$(block ClickHouse 3 | of_example)")" "$(echo "$by_build_and_boot" | sed 's/\.0$//')"
	cd .. || exit 1
	;;
77) skip_outside "ClickHouse reads the tables" "libchdb.so" ;;
*) fail "ClickHouse works" ;;
esac
is "the page has no other queries for it" "$(block ClickHouse 4)" ""

# DuckDB: what it makes of the columns, and the queries of docs/fleet.md

python3 "$code/duckdb.py" "SELECT 1" >/dev/null 2>&1
case $? in
0) ;;
77)
	skip_outside "queries of docs/fleet.md" "DuckDB"
	done_testing
	exit
	;;
*) fail "DuckDB works" ;;
esac

duck() { python3 "$code/duckdb.py" "$1" 2>duck.err || { fail "DuckDB: $1"; diag_file duck.err; }; }

all="read_parquet('fleet/*/*/samples.parquet', union_by_name = true)"
is "as many rows as samples" "$(duck "SELECT count(*) FROM $all")" \
	"$(for f in recordings/*/*.data; do "$PERF_LITE" script -q --json -i "$f"; done 2>/dev/null | grep -c '^{"event"')"
is "types" "$(duck "SELECT typeof(time), typeof(cpu), typeof(ip), typeof(reason), typeof(stack) FROM $all LIMIT 1")" \
	"$(printf 'TIMESTAMP_NS\tINTEGER\tUBIGINT\tVARCHAR\tVARCHAR[]')"
is "times by the recording's clock" "$(duck "SELECT min(epoch_ns(time) - clock_offset) FROM 'fleet/web1/drops/samples.parquet'")" 100000001000

duck "$(block Ask 1)" | sort >got
{ counted web1 cpu-clock '.symbol // "NULL"'; counted web2 cpu-clock '.symbol // "NULL"'; } | sort >want
is_file "hot functions by host" got want
duck "$(block Ask 2)" | sort >got
for host in web1 web2; do
	"$PERF_LITE" convert -q --to csv -i recordings/$host/web.data -o - | python3 -c '
import collections, csv, sys
sums = collections.Counter(f for r in csv.DictReader(sys.stdin) for f in set(r["stack"].split(";")))
for f, n in sums.items():
    print(sys.argv[1], f, n, sep="\t")' $host
done | sort >want
is_file "functions anywhere in the stack" got want
duck "$(block Ask 3)" | cut -f 2- | awk -F '\t' '{ n[$1] += $2 } END { for (r in n) print n[r], r }' | sort >got
for host in web1 web2; do
	"$PERF_LITE" count -q --json -i recordings/$host/drops.data --event skb:kfree_skb --by reason 2>/dev/null
done | jq -r '.rows[] | "\(.count)\t\(.reason | if type == "object" then .name elif . == null then "NULL" else . end)"' |
	awk -F '\t' '{ n[$2] += $1 } END { for (r in n) print n[r], r }' | sort >want
is_file "drops by reason, as count" got want
is "by day: each host's day is one" "$(duck "$(block Ask 3)" | cut -f 1 | sort -u | wc -l)" 2
duck "$(block Ask 4)" >got
for host in web1 web2; do
	"$PERF_LITE" script -q --json -i recordings/$host/calls-lost.data 2>/dev/null
done | jq -r 'select(.event == "syscalls:sys_enter_write" and .fields.count != null) | [.comm, .fields.count] | @tsv' |
	python3 -c '
import collections, math, sys
values = collections.defaultdict(list)
for line in sys.stdin:
    comm, n = line.rstrip("\n").split("\t")
    values[comm].append(int(n))
for comm, v in sorted(values.items()):
    v.sort()
    print(comm, len(v), v[max(math.ceil(0.99 * len(v)) - 1, 0)], sep="\t")' >want
is_file "the 99th percentile of a field" got want
is "builds that differ: none has a build-id" "$(duck "$(block Ask 5)")" ""
duck "$(block Ask 9)" >got
printf 'web1\tbuffer full\t8\t2\nweb2\tbuffer full\t8\t2\n' >want
is_file "losses by host and cause" got want
cd builds || exit 1
is "samples by boot" "$(duck "$(block Ask 6 | of_example)")" "$by_boot"
is "builds of a file" "$(duck "$(block Ask 7)")" "$by_build"
is "builds, processes of each boot" "$(duck "$(block Ask 7 | of_example)")" "$by_build_and_boot"
is "functions of a file, by build" "$(duck "$(block Ask 8)")" "NULL	$old	144000000	72
NULL	$new	118000000	59"
is "builds that not all hosts have" "$(duck "$(block Ask 5)" | grep '/lib')" "/usr/lib/libfoo.so.1	$new	[web2]"
cd .. || exit 1
is "the page has no other queries" "$(block Ask 10)" ""
done_testing
