# SPDX-License-Identifier: GPL-2.0
#
# What becomes of the text behind -e: the name and the attr must be those that perf makes of it.
. tests/lib.sh
need_perf
need_tracefs

DUMP=$O/tests/oracle/ev_dump

# The attr in the words of ev_dump: of perf stat -vv, the first of the (repeated) attempts.
attr_of_stat()
{
	awk '
	/^perf_event_attr:/ { n++ }
	n != 1 { next }
	/^-----/ && body++ { exit }
	$1 == "type" { type = $2 }
	$1 == "config" { config = $2 }
	$1 == "bp_type" { bp = bp " bp_type=" $2 }
	/bp_addr, config1/ { addr = $NF }
	/bp_len, config2/ { len = $NF }
	$1 ~ /^exclude_/ || $1 == "pinned" || $1 == "exclusive" { bits = bits " " $1 }
	$1 == "precise_ip" { bits = bits " precise_ip=" $2 }
	END {
		printf "type=%d config=%s", type, config ? config : "0x0"
		if (type == 5)
			printf "%s bp_addr=%s bp_len=%s", bp, addr, len
		print bits
	}' "$1"
}

# The same of perf evlist -v, for all events of a file, but for the last or the first one, with which perf records everybody's
# names. perf 6.12 has names behind numbers.
attrs_of_evlist()
{
	awk '
	/^dummy:HG: / || /^# Tip/ { next }
	{
		gsub(/ \([^()]*\)/, "")
		name = $0
		sub(/: (type|size): .*/, "", name)
		line = substr($0, length(name) + 3)
		type = 0; config = "0x0"; bits = ""
		n = split(line, field, ", ")
		for (i = 1; i <= n; i++) {
			split(field[i], kv, ": ")
			if (kv[1] == "type") type = kv[2]
			else if (kv[1] == "config") config = kv[2]
			else if (kv[1] ~ /^exclude_/ || kv[1] == "pinned" || kv[1] == "exclusive")
				bits = bits " " kv[1]
			else if (kv[1] == "precise_ip") bits = bits " precise_ip=" kv[2]
		}
		if (line ~ /^type: 1, .*config: 0x9, .*mmap: 1.*task: 1/ && name == "dummy:u") next
		print name "\ttype=" type " config=" config bits
	}' "$1"
}

# Bits are a set: their order means nothing.
sorted()
{
	tr ' \t' '\n\n' | sort | tr '\n' ' '
}

same_event()
{
	perf stat -vv -x '|' -e "$1" true >"$TMP/stat" 2>&1
	want_name=$(awk -F'|' 'NF > 5 { print $3; exit }' "$TMP/stat")
	want="$want_name $(attr_of_stat "$TMP/stat" | sorted)"
	"$DUMP" "$1" >"$TMP/dump" 2>&1
	got="$(cut -f1 <"$TMP/dump") $(cut -f2- <"$TMP/dump" | sed 's/ period=[0-9]*//' | sorted)"
	is "'$1'" "$got" "$want"
}

while IFS= read -r event; do
	same_event "$event"
done <<'EVENTS'
cs
 cs 
cs:
context-switches
page-faults:u
minor-faults
major-faults
cpu-clock
task-clock
alignment-faults
emulation-faults
cpu-migrations
migrations:k
dummy:HG
bpf-output
cgroup-switches
cs:k
cs:h
cs:uk
cs:ukh
cs:G
cs:H
cs:I
cs:uG
cs:D
cs:e
cs:p
cs:ppp
cs:P
cs//
cs//u
cs/period=1/
cs/period=1/u
cs/name=x.y/
cs/config=2/
cpu-clock/name=a-b/
cpu-clock/name='my:name=x,y'/
cycles
cycles:pp
instructions:u
branches
branch-misses
stalled-cycles-frontend
ref-cycles
cpu-cycles/config=5/
LLC
LLC-loads
LLC-loads:u
LLC-loads//u
LLC-load-misses
LLC-misses-loads
LLC-prefetch-refs
LLC-speculative-read
LLC-Reference
LLC/name=foo/
LLC-loads/config=7/
L1-dcache-load-misses
L1-icache-prefetches
dTLB-store-misses
iTLB-loads
branch-loads
node-prefetch-misses
r1a8
r1a8:u
r1a8/name=x/
r1a8/config=3/
1:2
1:0x2:u
4:0x1a8
0x1:0x2/name=q/
mem:0x1000
mem:1234:x
mem:0x1000/4:w
mem:0x1000:rw
mem:0x1000:rwx:u
mem:0x1000/8:w:k
mem:0x1000:u
mem:0x1000/2
software/config=1/
software/config=1,name=zz/
software/r3/
software//
tracepoint/config=0x906/
sched:sched_switch
sched:sched_switch:u
sched:sched_switch//k
sched*:sched_switch
sched:*sched_switch
skb: kfree_skb
EVENTS

# What other versions do not count, or refuse.
if can perf-6.1; then
	for event in cs:W cs/r1/ duration_time duration_time:u user_time:; do
		same_event "$event"
	done
else
	skip_without "events of perf 6.1" perf-6.1
fi

# A PMU with names of its own, where there is one.
if [ -e /sys/bus/event_source/devices/msr/events/tsc ]; then
	for event in msr/tsc/ msr/event=0x00/ msr/tsc,name=foo/ msr/r5/ msr/event=3/u msr// tsc tsc:u; do
		same_event "$event"
	done
fi

# More than one event, and what perf stat has no use for: names, attrs and rates of a recording.
while IFS= read -r events; do
	rm -f "$TMP/perf.data"
	perf record -q -a -o "$TMP/perf.data" -e "$events" true >"$TMP/out" 2>&1
	perf evlist -v -i "$TMP/perf.data" >"$TMP/evlist" 2>/dev/null
	attrs_of_evlist "$TMP/evlist" | while IFS= read -r l; do echo "$l" | sorted; echo; done |
		sort >"$TMP/want"
	"$DUMP" "$events" | sed 's/ period=[0-9]*//; s/ freq=[0-9]*//' |
		while IFS= read -r l; do echo "$l" | sorted; echo; done | sort >"$TMP/got"
	is_file "'$events'" "$TMP/got" "$TMP/want"
done <<'EVENTS'
cs,faults
 cs , faults 
{cs,faults}
{ cs, faults:u }
grp{cs,faults}
{cs,faults}:u
{cs:k,faults}:u
{cs,faults}:D
{cs,faults:u}:S,dummy:u
cs,{faults,cs:k},migrations
sched:sched_w*
sched:*switch*,skb:*free*
skb:*:u
skb:kfree_skb,cs/period=2/
skb:kfree_skb/max-stack=2,nr=5,no-inherit/
syscalls:sys_enter_open*,syscalls:sys_exit_open*
cs/call-graph=fp/
cs/freq=99/
cs/freq=99,period=3/
cs/time=0/
cs/nr=3,stack-size=1024,max-stack=3/
1:2/period=5/,1:0x3:u
EVENTS

# perf refuses, and so does ev_parse
while IFS= read -r events; do
	perf stat -e "$events" true >"$TMP/out" 2>&1 && diag "perf accepts '$events'"
	run "$DUMP" "$events"
	rc_is 1 "refused: '$events'"
	like "the place is shown" "$TMP/err" '^ *\\___ .'
done <<'EVENTS'

,cs
cs,
msr/tsc
software/cpu-clock/
cpu_clock
CS
cs;faults
cs faults
mem:main
cs:uu
cs:z
cs:pppp
cs::u
cs:uk:
{cs,{faults}}
{}
{cs,}
a b{cs}
{cs}u
foo{cs}:u:k
cs/
cs/period
cs/period=/
cs/bogus=1/
cs/period=x/
cs/name=1/
cs/call-graph=nonsense/
cs/time=2/
cs/percore=2/
cs/branch_type=zork/
sched:sched_switch/period=2/
sched:sched_switch/name=x/
skb:kfree_skb/foo/
sched:nosuch
nosys:nosuch
nosys:*
llc-loads
L1-icache-stores
rffffffffffffffffff
1:2:3
99999999999999999999:1
nopmu/event=1/
EVENTS

# Where perf 6.1 refuses what means something.
while IFS= read -r events; do
	run_ok "accepted: '$events'" "$DUMP" "$events"
done <<'EVENTS'
*:sched_switch
syscalls:sys_enter_[a-f]*
sched:sched_switch,*:kfree_skb
cs/period=1/:u
EVENTS

# Filters and cgroups
run_ok "filters are joined" "$DUMP" skb:kfree_skb -f 'reason == 1' -f 'reason > 2 || protocol == 3' cs
like "alternatives in brackets" "$TMP/out" ' filter=reason == 1 && \(reason > 2 \|\| protocol == 3\)$'
run "$DUMP" cs -f 'a == 1'
rc_is 1 "only tracepoints are filtered"
run_ok "cgroups by position" "$DUMP" cs,faults,dummy -G a,,b
is "as typed" "$(sed 's/.* cgroup=//; s/.*\t.*/-/' "$TMP/out" | tr '\n' ' ')" "a - b "
done_testing
