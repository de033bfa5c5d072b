# SPDX-License-Identifier: GPL-2.0
#
# The tables, loops and queries of docs/fleet.md for ClickHouse: a server of ours has the recordings of 50 hosts, and answers what
# perf-lite says of them; likewise of tables of convert --to parquet, as parquet_file.py reads them. Debian's server, or that of
# scripts/dev/fetch-clickhouse.
. tests/lib.sh
need jq python3
folder=
command -v clickhouse-server >/dev/null || folder=$(sh scripts/dev/fetch-clickhouse -n 2>/dev/null) ||
	skip_all "$outside: ClickHouse (sh scripts/dev/fetch-clickhouse)"
golden=$PWD/tests/golden
. tests/cli/fleet.sh
cd "$TMP" || exit 1
export LD_LIBRARY_PATH="$folder/usr/lib/$(uname -m)-linux-gnu:$folder/usr/lib" PATH="$folder/usr/sbin:$folder/usr/bin:$PATH"
: "${PERF_LITE:=perf-lite}"

# --- a server ---

serve() # PORT
{
	cat >config.xml <<-END
		<yandex><logger><level>error</level><console>1</console></logger><listen_host>127.0.0.1</listen_host>
		<http_port>$1</http_port><tcp_port>$(($1 + 1))</tcp_port><timezone>UTC</timezone>
		<path>$TMP/server/</path><tmp_path>$TMP/server.tmp/</tmp_path><users_config>users.xml</users_config>
		<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>1000000</mark_cache_size></yandex>
	END
	rm -rf server server.tmp
	mkdir server server.tmp
	clickhouse-server --config-file="$TMP/config.xml" >server.log 2>&1 &
	server=$!
	port=$(($1 + 1))
	wait_for 60 answers_or_ended
	answers
}
answers() { [ "$(env clickhouse-client --port $port --query 'SELECT 1' 2>/dev/null)" = 1 ]; }
answers_or_ended() { answers || ! kill -0 $server 2>/dev/null; }
cat >users.xml <<END
<yandex><profiles><default></default></profiles><quotas><default></default></quotas>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>
END
at_exit '[ -z "${server:-}" ] || kill -9 "$server" 2>/dev/null'
for first in 21000 23000 25000 27000; do
	# another program may have the port
	serve $((first + $$ % 2000)) && break
done
ok "the server answers" answers || diag_file server.log

# --- recordings of 50 hosts on four days ---

mkdir -p bin golden made recordings
cp -r "$golden"/*.rec "$golden/formats" golden/
sed -i 's/^host .*/&\nwall 1700000000000000000/' golden/build-ids.rec
for rec in web drops latency build-ids; do
	mkdir made/$rec
	(cd made/$rec && "$PROG/make_recording" ../../golden/$rec.rec .) || fail "make $rec"
done
sed -i 's/^wall .*/wall 1700100000000000000/' golden/common.rec
mkdir made/later
(cd made/later && "$PROG/make_recording" ../../golden/drops.rec .) || fail "make the drops of another day"
mkdir made/other
sed 's/\(aabbccddeeff0000000\)1/\13/' golden/build-ids.rec >golden/other.rec
(cd made/other && "$PROG/make_recording" ../../golden/other.rec .) || fail "make other builds"
host=0
while [ $host -lt 50 ]; do
	to=recordings/host$host
	mkdir $to
	ln made/drops/drops.data $to/monday.data
	ln made/later/drops.data $to/tuesday.data
	ln made/latency/latency.data $to/sched.data
	# each third one does something else, and one of them has other files
	case $host in
	33) ln made/other/other.data $to/cpu.data ;;
	*[0369]) ln made/build-ids/build-ids.data $to/cpu.data ;;
	*) ln made/web/web.data $to/cpu.data ;;
	esac
	host=$((host + 1))
done
# three boots of two of them, and one that is not known
mkdir boots
(cd boots && mkdir recordings && boots && builds) || fail "make boots and builds"
for f in boots/recordings/web?/[bo]*.data; do
	day=$(basename "$f" .data)
	mkdir made/$day
	cp "$f" made/$day/$day.data
	case $f in
	*web1*) ln made/$day/$day.data recordings/host6/$day.data ;;
	*) ln made/$day/$day.data recordings/host9/$day.data ;;
	esac
done
is "there are 204" "$(ls recordings/*/*.data | wc -l)" 204
cat >bin/perf-lite <<END
#!/bin/sh
command=\$1
shift
exec env -u LD_LIBRARY_PATH "$PERF_LITE" \$command \$([ \$command = buildid-list ] || echo --symfs none --kallsyms "$TMP/made/web/kallsyms") "\$@" 2>>"$TMP/said"
END
cat >bin/clickhouse-client <<END
#!/bin/sh
exec $(command -v clickhouse-client) --port $port "\$@"
END
chmod +x bin/*
PATH=$TMP/bin:$PATH
ask() { clickhouse-client --query "$1" 2>ask.err || { fail "ClickHouse: $1"; diag_file ask.err; }; }

block "Without Parquet" 1 >tables
run_ok "the tables of the page" clickhouse-client --multiquery --query "$(cat tables)"
block "Without Parquet" 2 >loops
run_ok "the loops of the page" sh loops
# what one recording of a kind says counts for each of its hosts
per_host() # FILE: hosts that have it
{
	find recordings -samefile "$1" | cut -d/ -f2
}
all_hosts() # FILE <ROWS: each row behind each host
{
	cat >rows.of
	per_host "$1" | while read -r host; do sed "s/^/$host	/" rows.of; done
}
count() { perf-lite count -q --json -i "$@"; }

is "as many rows as samples" "$(ask 'SELECT count() FROM samples')" "$(for f in made/*/*.data; do
	echo $(($(perf-lite script -q --json -i "$f" | grep -c '^{"event"') * $(per_host "$f" | wc -l)))
done | awk '{ n += $1 } END { print n }')"
ask "$(block "Without Parquet" 3)" | sort >got
is "functions of all hosts" "$(cut -f1 got | uniq | wc -l)" 50
# what has no name is one row here, and one for each file there
for f in made/web/web.data made/build-ids/build-ids.data made/other/other.data; do
	count "$f" --event cpu-clock --by symbol | jq -r '.rows[] | select(.symbol[:1] != "[") | "\(.symbol)\t\(.count)"' | all_hosts "$f"
done | sort >want
grep -v '\\N' got >named
is_file "hot functions by host, as count" named want
is "and what has no name" "$(awk '/\\N/ { n += $3 } END { print n }' got)" "$(for f in made/web/web.data made/build-ids/build-ids.data made/other/other.data; do
	count "$f" --event cpu-clock --by symbol | jq '[.rows[] | select(.symbol[:1] == "[") | .count] | add' | all_hosts "$f"
done | awk '{ n += $2 } END { print n }')"
ask "$(block "Without Parquet" 4)" | sort >got
for f in made/web/web.data made/build-ids/build-ids.data made/other/other.data; do
	perf-lite script -q --json --event cpu-clock -i "$f" | jq -r '[.callchain[]? | .symbol // .dso // "?"] | unique[]' | sort | uniq -c |
		sed 's/^ *\([0-9]*\) \(.*\)/\2\t\1/' | all_hosts "$f"
done | sort >want
is_file "functions anywhere in the stack" got want
ask "$(block "Without Parquet" 5)" >got
for f in made/drops/drops.data made/later/drops.data made/boot-?/*.data made/older/older.data; do
	day=$(perf-lite script -q --json --time=utc --event skb:kfree_skb -i "$f" | jq -r 'select(.event) | .date[:10]' | sort -u)
	count "$f" --event skb:kfree_skb --by reason |
		jq -r --arg day "$day" --argjson hosts "$(per_host "$f" | wc -l)" \
			'.rows[] | "\($day)\t\(.reason | if type == "object" then .name else . // "\\N" end)\t\(.count * $hosts)"'
done | awk -F '\t' '{ n[$1 "\t" $2] += $3 } END { for (k in n) print k "\t" n[k] }' | LC_ALL=C sort -t "$(printf '\t')" -k1,1 -k3,3nr -k2,2 >want
is_file "drops by day and reason, as count" got want
ask "$(block "Without Parquet" 6)" >got
perf-lite latency run-queue -q --json --by comm --quantiles=99 -i made/latency/latency.data |
	jq -r '.rows[] | "\(.comm)\t\(.spans * 50)\t\(.sum_ns * 50)"' | sed 's/\\/\\\\/g' | LC_ALL=C sort >want
cut -f1-3 got >sums
is_file "waits, as latency" sums want
perf-lite latency run-queue -q --trace --json -i made/latency/latency.data | jq -s -r '
	group_by(.comm)[] | "\(.[0].comm)\t\([.[].ns] | [range(50) as $i | .[]] | sort | .[(length * 0.99 | floor)])"' |
	sed 's/\\/\\\\/g' | LC_ALL=C sort >want
cut -f1,4 got >quantiles
is_file "and their 99th percentile" quantiles want
ask "$(block "Without Parquet" 7)" >got
is "the file of one host alone" "$(awk -F '\t' '$3 == "['"'host33'"']" { print $1, $2 }' got)" "/opt/bin/app 00112233445566778899aabbccddeeff00000003"
is "files of builds that not all hosts have" "$(cut -f1,2 got | grep ^/opt)" "$(printf '%s\n' '/opt/bin/app	00112233445566778899aabbccddeeff00000001' \
	'/opt/bin/app	00112233445566778899aabbccddeeff00000003')"
is "samples by boot" "$(ask "$(block "Without Parquet" 8 | of_example)" | grep '^host[69]	[abc]' | cut -f 1,2,5)" \
	"$(printf '%s\t%s\t500\n' host6 aaaaaaaa-0000-4000-8000-000000000001 host6 bbbbbbbb-0000-4000-8000-000000000002 \
		host9 cccccccc-0000-4000-8000-000000000003)"
ask "$(block "Without Parquet" 9)" | sort >got
for f in made/*/*.data; do
	perf-lite script -q --json -i "$f" | jq -r 'select(.cause) | "\(.cause)\t\(.lost)"' |
		awk -F '\t' '{ n[$1] += $2; times[$1]++ } END { for (c in n) print c "\t" n[c] "\t" times[c] }' | all_hosts "$f"
done | awk -F '\t' '{ n[$1 "\t" $2] += $3; times[$1 "\t" $2] += $4 } END { for (k in n) print k "\t" n[k] "\t" times[k] }' | sort >want
is_file "what was lost, by host and cause" got want

# --- tables of convert --to parquet ---

ask "CREATE TABLE tables (host Nullable(String), boot Nullable(String), event String, time Int64, pid Nullable(Int32), period UInt64,
	stack_dso Array(Nullable(String)), stack_build_id Array(Nullable(String))) ENGINE = Memory"
for f in boots/recordings/*/*.data; do
	perf-lite convert -q --to parquet -i "$f" -o table && python3 "$code/parquet.py" rows table | jq -c 'del(.ip)'
done | clickhouse-client --input_format_skip_unknown_fields=1 --query 'INSERT INTO tables FORMAT JSONEachRow'
# the queries of the page, of this table
of_table() { sed "s|file('fleet/\*/\*/samples.parquet')|tables|; /^SETTINGS/d"; }
is "Parquet: samples by boot" "$(ask "$(block ClickHouse 2 | of_example | of_table)" | cut -f 1,2,5)" "$(echo "$by_boot" | cut -f 1,2,5 | sed 's/NULL/\\N/')"
is "Parquet: builds of a file" "$(ask "$(block ClickHouse 3 | of_table)")" "$(echo "$by_build" | sed 's/\.0$//')"
is "Parquet: builds, processes of each boot" "$(ask "$(block ClickHouse 3 | of_example | of_table)")" "$(echo "$by_build_and_boot" | sed 's/\.0$//')"
kill $server
wait $server 2>/dev/null
server=
done_testing
