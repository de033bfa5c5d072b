# SPDX-License-Identifier: GPL-2.0
#
# libperflite as it is installed, from the outside: its header, what it shows, and that all it says of the recordings of
# tests/golden is what the commands print. Memory that runs out: tests/golden/oom.t.
. tests/lib.sh
need_cmd make pkg-config python3 jq
[ -e "$O/libperflite.so" ] || skip_all "a static build has no libperflite.so"
golden=$PWD/tests/golden
code=$PWD/tests/cli

run make --no-print-directory -o all install PREFIX="$TMP/usr"
rc_is 0 "install"
export PKG_CONFIG_PATH="$TMP/usr/lib/pkgconfig" LD_LIBRARY_PATH="$TMP/usr/lib"
flags=$(pkg-config --cflags --libs perflite)
is "its version" "$(pkg-config --modversion perflite)" "$(cat VERSION)"

# The header, and what it names

compile() # OUTPUT SOURCE FLAG...
{
	out=$1
	shift
	# shellcheck disable=SC2086
	run ${CC:-cc} -Wall -Wextra -Werror "$@" -o "$out" $flags
	rc_is 0 "compile ${out##*/}"
}
compile "$TMP/example" "$code/../../docs/perflite-example.c" -std=c99 -pedantic
compile "$TMP/dump" "$code/library_dump.c" -D_GNU_SOURCE
echo '#include <perflite.h>' >"$TMP/plus.cc"
run "${CXX:-c++}" -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$TMP/usr/include" -c -o "$TMP/plus.o" "$TMP/plus.cc"
rc_is 0 "the header in C++"
so=$TMP/usr/lib/libperflite.so
sed -n 's/^PERFLITE_API .*[ *]\(perflite_[a-z_]*\)(.*/\1/p' util/library/perflite.h | sort >"$TMP/named"
nm -D --defined-only "$so" | sed -n 's/.* T \([^@]*\)@@PERFLITE_0$/\1/p' | sort >"$TMP/shown"
is_file "it shows what the header names" "$TMP/shown" "$TMP/named"
is "nothing else" "$(nm -D --defined-only "$so" | grep -vc ' T perflite_.*@@PERFLITE_0$')" 1
is "its soname" "$(readelf -d "$so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" libperflite.so.0
undefined=$(nm -D --undefined-only "$so" | sed 's/.* U //; s/@.*//' | grep -Ex '(exit|abort|v?[df]?printf|f?puts|perror|sigaction)')
is "it neither prints, exits nor takes signals" "$undefined" ""
for name in $(cat "$TMP/named") perflite; do
	[ -s "$TMP/usr/share/man/man3/$name.3" ] || break
done
is "each function has a page" "$name" perflite

# All recordings

cd "$TMP" || exit
same() # DESCRIPTION KIND OURS THEIRS
{
	run python3 "$code/library.py" "$2" "$3" "$4"
	rc_is 0 "$1"
	diag_file "$TMP/err" >/dev/null
}
for rec in "$golden"/*.rec; do
	name=${rec##*/}
	name=${name%.rec}
	mkdir "$name"
	cd "$name" || exit
	"$PROG/make_recording" "$rec" . 2>"$TMP/made" && [ -e "$name.data" ] || { cd ..; continue; }
	"$TMP/dump" "$name.data" symfs=root inline >ours 2>notes
	"$PERF_LITE" script -q -i "$name.data" --symfs root --inline --json >theirs
	same "$name: samples, fields and frames" samples ours theirs
	cd ..
done
"$TMP/example" web/web.data >ours
is "the example" "$(wc -l <ours)" "$(wc -l <web/theirs)"
"$TMP/dump" - <web/web.data symfs=web/root >ours
same "standard input" samples ours web/theirs
cat web/web.data | "$TMP/dump" /dev/fd/0 symfs=web/root | grep -v '"kind":"wait"' >ours
"$PERF_LITE" script -q -i web/web.data --symfs web/root --json >theirs
same "a pipe" samples ours theirs

# Options

"$TMP/dump" drops/drops.data symfs=drops/root 'filter=reason == NO_SOCKET' 'comms=!nginx' limit=2 >ours
"$PERF_LITE" script -q -i drops/drops.data --symfs drops/root --filter 'reason == NO_SOCKET' --comms '!nginx' --limit 2 --json >theirs
same "filters" samples ours theirs
is "the limit" "$(grep -c '"kind":"sample"' ours)" 2
"$TMP/dump" web/web.data no-stacks >ours
is "no-stacks" "$(grep '"kind":"sample"' ours | grep -c '"ip":.*"ip":.*"ip":')" 0
refused() # DESCRIPTION PATTERN WORD...
{
	what=$1 pattern=$2
	shift 2
	run "$TMP/dump" "$@"
	rc_is 1 "$what"
	like "it says so" "$TMP/err" "$pattern"
}
refused "an option that is not there" "^22: there is no option 'coms'$" web/web.data coms=x
like "the one that was meant" "$TMP/err" "^did you mean 'comms'\?$"
refused "a value that is missing" "^22: comms needs a value$" web/web.data comms
refused "one that is too much" "^22: no-idle takes no value$" web/web.data no-idle=1
refused "a bad one" "^22: 'x' is not a list of process ids|^22: .*'x'" web/web.data pid=x
refused "a filter of no field" "^22: |^2: " drops/drops.data 'filter=nothing == 1'
refused "an event that is not there" "^2: the recording has no event 'cycles'$" drops/drops.data event=cycles
refused "no file" "^2: cannot open nowhere" nowhere.data
echo text >text
refused "a text" "^22: text is not|^[0-9]+: text" text
refused "a field that is not there" "^22: there is no key 'reasom', and no event has such a field$" drops/drops.data --table '' reasom
like "the one that was meant" "$TMP/err" "did you mean 'reason'"
refused "a count by nothing" "^22: " drops/drops.data --count ''
compile "$TMP/host" "$code/library_host.c" -D_GNU_SOURCE
run "$TMP/host" missing-arguments
rc_is 0 "arguments that are NULL"
is "each is an error, or nothing to do" "$(cat "$TMP/out")" ""

# Tables

for keys in time,comm,pid,tid,cpu,period,reason,protocol,location; do
	"$TMP/dump" drops/drops.data --table skb:kfree_skb $keys >ours
	"$PERF_LITE" script -q -i drops/drops.data --event skb:kfree_skb --json >theirs
	same "a table of $keys" rows ours theirs
	"$TMP/dump" drops/drops.data --arrow skb:kfree_skb $keys >arrow
	is_file "the same by way of Arrow" arrow ours
done
"$TMP/dump" drops/drops.data --table '' event,reason >ours
"$PERF_LITE" script -q -i drops/drops.data --json >theirs
same "of all events: what one does not have is missing" rows ours theirs
for ask in "drops reason,comm protocol" "drops stack,cpu" "web comm,sym,dso period" "odd event,colour,name took" "values list,mac,flags"; do
	set -- $ask
	"$TMP/dump" "$1/$1.data" --count "$2" ${3:+"$3"} >ours
	"$PERF_LITE" count -q -i "$1/$1.data" --by "$2" ${3:+--of "$3" --sum} --json >theirs
	same "count of $1 by $2${3:+, of $3}" counts ours theirs
done
refused "a count by fields that are left out" "^22: no-fields: " drops/drops.data no-fields --count reason
refused "a table of them" "^22: no-fields: " drops/drops.data no-fields --table '' event,reason
refused "a count by stacks that are left out" "^22: no-stacks: " drops/drops.data no-stacks --count kstack
"$TMP/dump" drops/drops.data no-fields >ours 2>notes
ok "samples have no fields then, rather than zeros" test "$(grep -c '"kind":"sample".*"fields":{"":0}' ours)" = "$(grep -c '"kind":"sample"' ours)"

# Time between events

between() # RECORDING PRESET OPTION...
{
	what="latency of $*"
	recording=$1 preset=$2
	shift 2
	"$TMP/dump" "$recording/$recording.data" "symfs=$recording/root" --latency "$preset" "$@" >ours 2>notes
	dashed=
	for word; do
		dashed="$dashed '--$word'"
	done
	eval "\"\$PERF_LITE\" latency $preset -q -i $recording/$recording.data --symfs $recording/root $dashed --json" >theirs
	same "$what" latency ours theirs
}
# open spans, restarts, one across a loss
between latency run-queue
is "what is none" "$(sed -n 's/.*\("restarts.*across_loss":1\),.*/\1/p' ours)" \
	'"restarts":1,"ends_without_begin":2,"given_up":1,"open":1,"open_across_loss":0,"oldest_open_ns":50000000,"across_loss":1'
between latency run-queue by=tid,comm min=2ms
between latency run-queue open
between latency off-cpu by=comm,stack
between latency block-io 'filter=rwbs == R'
between latency '' from=sched:sched_wakeup:pid to=sched:sched_switch:next_pid by=cpu,event nested
between states states
between states off-cpu split
between states run-queue waker split
between off-cpu off-cpu
between stages block-stages
between stages '' from=block:block_io_start then=block:block_rq_insert then=block:block_rq_issue to=block:block_rq_complete on=dev,sector \
	by=rwbs
printf 'mine  of its own\n  --from sched:sched_wakeup:pid --to sched:sched_switch:next_pid --by tid\n' >presets
between latency mine presets=presets
for preset in "latency run-queue" "states off-cpu split"; do
	set -- $preset
	"$TMP/dump" "$1/$1.data" --latency "$2" slowest=2 ${3:+"$3"} 2>/dev/null | tail -n +2 >ours
	"$PERF_LITE" latency "$2" -q -i "$1/$1.data" --trace --json ${3:+"--$3"} >theirs
	jq -S -s -c 'sort_by(-.ns, .begin_ns) | .[:2][] | del(.longest_sleep)' theirs >longest
	jq -S -c 'del(.[""])' ours >rows
	is_file "the slowest of $preset" rows longest
	is "are two" "$(wc -l <rows)" 2
done
refused "a preset that is not there" "^22: there is no preset 'run-quee'$" latency/latency.data --latency run-quee
like "the one that was meant" "$TMP/err" "^did you mean 'run-queue'\?$"
refused "neither preset nor points" "^22: which time\? " latency/latency.data --latency ''
refused "a key that is not there" "^22: there is no key 'nothing', " latency/latency.data --latency run-queue by=nothing
refused "stacks that are left out" "^22: no-stacks: " latency/latency.data no-stacks --latency run-queue by=kstack
refused "no key" "^22: no key is named$" latency/latency.data --latency run-queue by=
refused "an event that is not there" "^22: no span can begin: .* has none of the events of --from$" latency/latency.data --latency syscalls
refused "an option that is not there" "^22: there is no option 'kees'$" latency/latency.data --latency run-queue kees=tid
refused "no time" "^22: --min: 'soon' is not a time$" latency/latency.data --latency run-queue min=soon
refused "a filter of no field" "^2: filter of sched:sched_wakeup: " latency/latency.data --latency run-queue 'filter=nothing == 1'
refused "threads that are left out" "^22: spans begin and end by events of other threads, " latency/latency.data pid=200 --latency run-queue
refused "events that are left out" "^22: the option event leaves out an event " latency/latency.data event=sched:sched_wakeup --latency run-queue
refused "samples that are left out" "^22: the recording was opened with a filter, " latency/latency.data 'filter=pid == 1' --latency run-queue
refused "fields that are left out" "^22: no-fields: " latency/latency.data no-fields --latency run-queue

# Dropped packets

dropped() # RECORDING OPTION...; a recording that ends with "+" is opened with the option drops
{
	what="drops of $*"
	recording=${1%+}
	case $1 in *+) flows=drops ;; *) flows=no-stacks ;; esac
	shift
	"$TMP/dump" "$recording/$recording.data" "symfs=$recording/root" "$flows" --drops "$@" >ours 2>notes
	dashed=
	for word; do
		dashed="$dashed '--$word'"
	done
	eval "\"\$PERF_LITE\" drops -q -i $recording/$recording.data --symfs $recording/root $dashed --json" >theirs
	same "$what" drops ours theirs
}
# of both kinds, noise, losses, reasons and protocols without a name
dropped drops
is "what is none" "$(head -1 ours)" '{"account":{"drops":23,"hidden":5,"lost":5}}'
like "those of devices" ours '"place":"pci/0000:01:00.0","reason":"trap ttl_value_is_too_small \(l3_drops\)",.*"count":3,"hardware":1'
dropped drops all
is "nothing is hidden" "$(head -1 ours)" '{"account":{"drops":28,"hidden":0,"lost":5}}'
dropped drops by=reason,dev,cpu
dropped drops by=reason,pid,trap_name,bus_name
dropped drops 'filter=reason == NO_SOCKET || protocol == IPv6' by=reason,protocol,comm
dropped drops event=skb:kfree_skb by=place,location.function
dropped drops-companions+ by=reason,flow
is "flows of other tracepoints" "$(grep -c '"flow":"[^"]*",.*"flow_via":"' ours)" 6
dropped drops-companions+ by=reason,saddr,dport,flow_via 'filter=dport == 443 && saddr == 10.0.0.1'
dropped drops-companions by=reason
"$TMP/dump" drops/drops.data symfs=drops/root --drops by=reason,kstack 'filter=reason == NO_SOCKET' >ours 2>notes
"$PERF_LITE" drops -q -i drops/drops.data --symfs drops/root --by reason,kstack --filter 'reason == NO_SOCKET' --json >theirs
same "drops by stack" drops ours theirs
like "the outermost function first" ours '"kstack":"[^"]*;[^"]*"'
"$TMP/dump" drops/drops.data symfs=drops/root comm=nginx drops=reason --drops >ours 2>notes
is "options of the recording choose drops, and its keys" "$(sed -n 's/"hardware":0}$//p' ours)" \
	"$(printf '%s\n' '{"":0,"reason":"TCP_CSUM","count":4,' '{"":1,"reason":"NOT_SPECIFIED","count":3,' '{"":2,"reason":"SOCKET_CLOSE","count":2,')"
refused "a recording without drops" "^2: the recording holds no event of drops, but " web/web.data --drops
refused "a key that is not there" "^22: there is no key 'resaon', and the drops have no such field$" drops/drops.data --drops by=resaon
like "the one that was meant" "$TMP/err" "^did you mean 'reason'\?$"
refused "no key" "^22: no key is named$" drops/drops.data --drops by=
refused "what was not recorded" "^22: skb:kfree_skb does not report the device of a packet$" drops/drops.data --drops 'event=skb:kfree_skb' by=dev
like "what records it" "$TMP/err" "^record --packets keeps it$"
refused "flows that were not joined" "^22: skb:kfree_skb does not report the addresses of a packet$" drops-companions/drops-companions.data \
	--drops by=flow
like "how they are" "$TMP/err" "perflite_open\(\) with the option drops "
refused "a filter of no field" "^2: filter of skb:kfree_skb: " drops/drops.data --drops 'filter=nothing == 1'
refused "an option that is not there" "^22: there is no option 'bye'$" drops/drops.data --drops bye=reason
refused "fields that are left out" "^22: no-fields: " drops/drops.data no-fields --drops
refused "drops that are left out" "^22: the option event leaves out " drops-companions/drops-companions.data event=tcp:tcp_send_reset --drops

# What is missing

"$TMP/dump" calls-lost/calls-lost.data >ours 2>notes
is "a loss is an item" "$(grep '"kind":"loss"' ours)" \
	'{"kind":"loss","time":5001500000,"cpu":0,"pid":-1,"tid":-1,"comm":"","text":"buffer full","count":3,"parent":-1}'
like "and in the notes" notes '^3 samples were lost while recording: buffer full'
before=$(grep -n '"kind":"loss"' ours | cut -d : -f 1)
ok "it comes before what is later" test "$before" -lt "$(wc -l <ours)"
head -c "$(($(wc -c <web/web.data) * 2 / 3))" web/web.data >cut
run "$TMP/dump" cut symfs=web/root
rc_is 0 "a recording that was cut off"
like "an item says so" "$TMP/out" '^\{"kind":"gap".*"text":"cut ends in the middle of a record, at byte [0-9]+"'
ok "what is there was read" grep -q '"kind":"sample"' "$TMP/out"

# The running system, and perf-lite's own files

if can own; then
	# the load stops its recorder while the buffers overflow, also where another test has lowered the rate
	"$PERF_LITE" record -q -e cpu-clock:u -F 10000 -g -m 4 -o own.data -- \
		sh -c '"$0" 300; kill -STOP $PPID; "$0" 700; kill -CONT $PPID; "$0" 500' "$PROG/spin" >spun 2>recorded
	"$TMP/dump" own.data >ours 2>notes
	"$PERF_LITE" script -q -i own.data --json >theirs
	same "a file of perf-lite: samples" samples ours theirs
	"$TMP/dump" own.data inline limit=200 >lines 2>/dev/null
	"$PERF_LITE" script -q -i own.data --inline -F +srcline --limit 200 --json >theirs
	ok "the command knows lines" grep -q '"line":' theirs
	same "lines of source" samples lines theirs
	lost=$(sed -n 's/.*"kind":"loss".*"count":\([0-9]*\).*/\1/p' ours | awk '{ n += $1 } END { print n + 0 }')
	ok "it has lost ($lost)" test "$lost" -gt 0
	"$PERF_LITE" verify own.data >verified
	is "as many as verify says" "$lost" "$(sed -n 's/^ *[^ ]*cpu-clock:u  *[0-9,]*  *\([0-9,]*\).*/\1/p' verified | tr -d ,)"
	jq -s '[.[] | select((.kind == "sample" or .kind == "loss") and .time > 0)] | . as $items | [range(1; length - 1) |
		select($items[.].kind == "loss" and ($items[. - 1].time > $items[.].time or $items[. + 1].time < $items[.].time))] |
		length' ours >misplaced
	is "each comes in its turn" "$(cat misplaced)" 0
	"$TMP/dump" own.data limit=10 >first 2>notes
	is "with a limit as many" "$(sed -n 's/.*"kind":"loss".*"count":\([0-9]*\).*/\1/p' first | awk '{ n += $1 } END { print n + 0 }')" "$lost"
	like "and in the notes" notes "^ *$lost(:| samples were lost while recording:) buffer full"
	ok "the first is not at the end" test "$(grep -n '"kind":"loss"' ours | head -1 | cut -d : -f 1)" -lt "$(wc -l <ours)"
	"$PERF_LITE" convert -q -i own.data --to perf.data -o perf.data
	"$TMP/dump" perf.data >ours 2>/dev/null
	"$PERF_LITE" script -q -i perf.data --json >theirs
	same "the same as perf.data" samples ours theirs
	"$PERF_LITE" record -q -e cpu-clock:u -o - -- sh -c '"$0" 100 >/dev/null' "$PROG/spin" | tee piped | "$TMP/dump" - >ours
	"$PERF_LITE" script -q -i piped --json >theirs
	same "while it is recorded" samples ours theirs
	run "$TMP/dump" --watch event=cpu-clock freq=2000 call-graph=fp -- "$PROG/spin" 200
	rc_is 0 "watch a command"
	ok "samples of it" test "$(grep -c '"kind":"sample".*"comm":"spin"' "$TMP/out")" -gt 50
	ok "with stacks" grep -q '"symbol":"main"' "$TMP/out"
	like "its end" "$TMP/out" '"kind":"process".*"comm":"spin","text":"exit"'
	if can everybody tracepoints && can first-pids; then
		# on CPU 0: some kernels do not tell what another one switches to from idle
		run "$TMP/dump" --watch latency=syscalls --latency '' by=comm,id -- taskset -c 0 "$PROG/waits" sleeps 7 2
		rc_is 0 "system calls of a command"
		is "each of its sleeps is a span" "$(sed -n 's/.*"comm":"waits","id":"clock_nanosleep","spans":\([0-9]*\),.*/\1/p' "$TMP/out")" 7
		ok "of two milliseconds and more" test "$(sed -n 's/.*"clock_nanosleep",.*"min_ns":\([0-9]*\),.*/\1/p' "$TMP/out")" -ge 2000000
		run "$TMP/dump" --watch latency=off-cpu --latency off-cpu by=comm min=2ms -- taskset -c 0 "$PROG/waits" sleeps 7 20 # it may be preempted before it sleeps
		rc_is 0 "what ends by events of other threads"
		# a sleep may be over before its thread has left the CPU
		ok "its sleeps" test "$(sed -n 's/.*"comm":"waits","spans":\([0-9]*\),.*/\1/p' "$TMP/out")" -ge 3
		# but what it was called before, where it waited for the CPU
		is "and nobody else's" "$(grep -o '"comm":"[^"]*"' "$TMP/out" | grep -v '"taskset"' | uniq)" '"comm":"waits"'
		run "$TMP/dump" --watch event=sched:sched_switch all-cpus include-self --latency off-cpu -- taskset -c 0 "$PROG/waits" sleeps 7 2
		rc_is 0 "everybody's"
		ok "its sleeps, too" grep -q '"comm":"waits","spans":' "$TMP/out"
		refused "its own events alone" "^22: .* events of other threads, which are not watched$" \
			--watch event=sched:sched_switch --latency off-cpu -- true
		refused "a preset beside events" "^22: latency=PRESET has events of its own$" --watch event=cpu-clock latency=off-cpu -- true
		refused "no such preset" "^22: there is no preset 'off-cpus'$" --watch latency=off-cpus -- true
		refused "drops beside events" "^22: drops has events of its own$" --watch event=cpu-clock drops -- true
	else
		skip_without "time between events" everybody tracepoints first-pids
	fi
	if can everybody tracepoints netns; then
		run unshare -n sh -c 'ip link set lo up && exec "$@"' sh "$TMP/dump" --watch event=skb:kfree_skb all-cpus --drops \
			by=reason,comm 'filter=reason == SOCKET_RCVBUFF' -- taskset -c 0 "$PROG/dropping" rcvbuff 20
		rc_is 0 "drops while a command runs"
		like "each" "$TMP/out" '^\{"":0,"reason":"SOCKET_RCVBUFF","comm":"dropping","count":20,"hardware":0\}$'
	else
		skip_without "drops while a command runs" everybody tracepoints netns
	fi
	if can everybody tracepoints netns bpf btf; then
		cat >server.py <<-'END'
			import socket, sys, time
			s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
			s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
			s.bind(("127.0.0.1", 7001))
			c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
			for i in range(40):
			    c.sendto(b"x" * 500, ("127.0.0.1", 7001))
			# until somebody has looked whose socket it is
			time.sleep(2)
		END
		run unshare -n sh -c 'ip link set lo up && exec "$@"' sh "$TMP/dump" --watch drops=reason,owner,flow,len --drops \
			by=reason,owner,dport,len 'filter=dport == 7001 && reason == SOCKET_RCVBUFF' -- python3 server.py
		rc_is 0 "what was dropped"
		like "whose, and of what size" "$TMP/out" \
			'^\{"":0,"reason":"SOCKET_RCVBUFF","owner":"python3 ([0-9]+)","dport":7001,"len":500,"count":[0-9]+,"hardware":0,"owner_pid":[0-9]+\}$'
		refused "what was not asked for" "^22: skb:kfree_skb does not report the addresses of a packet$" \
			--watch drops=reason --drops by=flow -- true
		like "what asks for it" "$TMP/err" "^perflite_watch\(\) with the option drops=reason,flow reads it$"
	else
		skip_without "what was dropped" everybody tracepoints netns bpf btf
	fi
	"$TMP/dump" --watch event=cpu-clock limit=1 -- sleep 77 >out
	is "a command that still runs is ended" "$(ps -eo args | grep -c '^sleep 77')" 0
	# in a program with children, signals and limits of its own
	printf '#!/nowhere/interpreter\n' >bad-interpreter
	chmod +x bad-interpreter
	for case in two-at-once children-ignored killed-before-start fails-again keeps-limits no-children-left \
		stopped-before-start nothing-named forked refused-before; do
		case $case in
		keeps-limits | nothing-named | forked)
			can everybody || { skip_without "a host: $case" everybody; continue; }
			;;
		refused-before)
			can everybody tracepoints && can first-pids || { skip_without "a host: $case" everybody tracepoints first-pids; continue; }
			;;
		esac
		run taskset -c 0 "$TMP/host" "$case"
		rc_is 0 "a host: $case"
		is "nothing is wrong" "$(cat "$TMP/out")" ""
	done
	refused "an event that is not there" "^22: " --watch event=nosuch -- true
	refused "no event" "^22: no event is given" --watch -- true
	refused "a command that is not there" "nosuchcommand" --watch event=cpu-clock -- nosuchcommand
else
	skip_without "watch" own
fi

done_testing
