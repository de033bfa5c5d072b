# SPDX-License-Identifier: GPL-2.0
#
# Options of script beside the fields: what they choose and how they fail is what the installed perf does.
. tests/lib.sh
need_root
need perf-6.1
need_tracefs

# same FILE OPTION...: both print alike, and both fail or none does
same()
{
	f=$1
	shift
	perf script -i "$f" "$@" >"$TMP/want" 2>"$TMP/want.err"
	want_rc=$?
	"$PERF_LITE" script -q --compat=6.1 -i "$f" "$@" >"$TMP/got" 2>"$TMP/got.err"
	got_rc=$?
	# of the programs of BPF that run here, perf's header tells
	sed -i '/^# bpf_prog_info/d' "$TMP/want"
	is_file "$* ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"
	is "$*: success" "$((got_rc != 0))" "$((want_rc != 0))"
}

# message FILE TEXT OPTION...: both fail with a line of that beginning
message()
{
	f=$1 text=$2
	shift 2
	perf script -i "$f" "$@" >"$TMP/want" 2>"$TMP/want.err"
	"$PERF_LITE" script --compat=6.1 -i "$f" "$@" >"$TMP/got" 2>"$TMP/got.err"
	ok "$*: perf says: $text" grep -qF "$text" "$TMP/want.err"
	ok "$*: and so does perf-lite" grep -qF "$text" "$TMP/got.err"
}

a=$TMP/a.data g=$TMP/g.data
perf record -q -k CLOCK_MONOTONIC -o "$a" -e sched:sched_process_exec,cpu-clock -a -- sh -c 'ls / >/dev/null; ls / >/dev/null' \
	>"$TMP/out" 2>&1
perf record -q --timestamp-boundary -o "$g" -e cpu-clock -g -- "$PROG/spin" 100 >"$TMP/out" 2>&1

for time in 10% 10%/2 0%-10% 0%-10%,30%-40% 10%/1,10%/3 33%/3 100% 110% 10%/11 10%,20% x 5,4 5 ,1; do
	same "$a" -F time --time $time
done
perf script -i "$a" -F time 2>"$TMP/out" | tr -d ' :' >"$TMP/times"
first=$(sed -n 3p "$TMP/times") second=$(sed -n 9p "$TMP/times")
same "$a" -F time --time "$first,$second"
same "$a" -F time --time "$first,$first $second,"
same "$a" -F event,time --switch-on sched:sched_process_exec
same "$a" -F event,time --switch-on sched:sched_process_exec --switch-off cpu-clock --show-on-off-events
same "$a" -F +tod
same "$a" -F tod,event --ns
same "$a" -L
same "$a" -F comm -F time,event
for f in "$a" "$g"; do
	same "$f" --header-only
	same "$f" --header-only -I
	same "$f" --header -F event
done
for name in leaf mid leaf,mid nosuch; do
	same "$g" -S $name
done
for name in '[kernel.kallsyms]' spin "$PROG/spin" nosuch; do
	same "$g" --dsos "$name"
done
same "$g" --stop-bt mid
same "$g" --stop-bt main,outer

message "$a" "switch-off event not found (nosuch)" --switch-off nosuch
message "$g" "Invalid field requested." -F nosuch
message "$g" "Cannot mix +-field with overridden fields" -F +comm,time
message "$g" "Invalid event type in field string." -F nosuch:comm
message "$g" "Cannot set fields to 'none' for all event types." -F ''
message "$g" "'trace' not valid for software events." -F sw:trace
message "$g" "Samples for 'cpu-clock' event do not have ADDR attribute set. Cannot print 'addr' field." -F +addr
message "$g" "Samples for 'cpu-clock' event do not have CPU attribute set. Cannot print 'cpu' field." -F tid,cpu
for field in data_src:DATA_SRC weight:WEIGHT phys_addr:PHYS_ADDR data_page_size:DATA_PAGE_SIZE code_page_size:CODE_PAGE_SIZE \
	ins_lat:WEIGHT_STRUCT iregs:IREGS uregs:UREGS; do
	message "$g" "event do not have ${field#*:} attribute set. Cannot print '${field%:*}' field." -F "comm,${field%:*}"
done
# of traces of hardware alone: perf takes them for all events, and prints nothing of them
for field in callindent ipc synth; do
	same "$g" -F "comm,$field"
	same "$g" -F "comm,ip,sym,$field,period"
done
message "$g" "Can't provide 'tod' time, missing clock data. Please record with -k/--clockid option." -F +tod
message "$g" "Display of source line number requested but sample IP is not" -F srcline

perf script -D -i "$g" 2>"$TMP/out" | grep '^\.  [0-9a-f]*: ' | sort >"$TMP/want"
"$PERF_LITE" script -D -i "$g" 2>"$TMP/out" >"$TMP/dump"
grep '^\.  [0-9a-f]*: ' "$TMP/dump" | sort >"$TMP/got"
is "-D: every line of bytes is one of perf's" "$(comm -23 "$TMP/got" "$TMP/want" | wc -l)" 0
perf script -D -i "$g" 2>"$TMP/out" | sed -n 's/^[0-9 ]*\(0x[0-9a-f]* \[0x[0-9a-f]*\]: PERF_RECORD_[MCFE][MOXA]*[0-9]*.*\)/\1/p' |
	grep -v 'FINISHED\|EVENT_UPDATE\|CPU_MAP' | sort >"$TMP/want"
sed -n 's/^[0-9 ]*\(0x[0-9a-f]* \[0x[0-9a-f]*\]: PERF_RECORD_[MCFE][MOXA]*[0-9]*.*\)/\1/p' "$TMP/dump" | sort >"$TMP/got"
is_file "-D: where records stand and what they say ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"

# Each option and each field that perf names is known here, by what it does or by why it does not
perf script -h >"$TMP/help" 2>&1
sed -n 's/^ .* --\([a-zA-Z][-a-zA-Z]*\)\(.*\)/\1 \2/p' "$TMP/help" >"$TMP/options"
ok "options of perf" test "$(wc -l <"$TMP/options")" -gt 60
: >"$TMP/unknown"
while read -r option arg; do
	case $arg in
	'<'*) set -- "--$option" 1 ;;
	*) set -- "--$option" ;;
	esac
	"$PERF_LITE" script -i "$TMP/nosuch" "$@" 2>&1 | grep 'unknown option' >>"$TMP/unknown"
done <"$TMP/options"
: >"$TMP/none"
is_file "perf-lite script knows all of them" "$TMP/unknown" "$TMP/none"
sed -n 's/.*Fields: //p' "$TMP/help" | tr , '\n' >"$TMP/fields"
ok "fields of perf" test "$(wc -l <"$TMP/fields")" -gt 30
while read -r field; do
	"$PERF_LITE" script -i "$g" -F "$field" 2>&1 | grep 'there is no field' >>"$TMP/unknown"
done <"$TMP/fields"
is_file "and all fields" "$TMP/unknown" "$TMP/none"

for how in '' -v -F -g --trace-fields; do
	perf evlist -i "$a" $how 2>"$TMP/out" | grep -v '^#' >"$TMP/want"
	"$PERF_LITE" evlist -i "$a" $how >"$TMP/got"
	is_file "evlist $how" "$TMP/got" "$TMP/want"
done
perf record -q -o "$TMP/group" -e '{cpu-clock,page-faults}:S' -c 100000 -- "$PROG/spin" 20 >"$TMP/out" 2>&1
perf evlist -g -i "$TMP/group" >"$TMP/want"
"$PERF_LITE" evlist -g -i "$TMP/group" >"$TMP/got"
is_file "evlist -g: a group" "$TMP/got" "$TMP/want"
perf record -q -o "$TMP/named" -e 'ours{cpu-clock,page-faults}' -c 100000 -- "$PROG/spin" 20 >"$TMP/out" 2>&1
"$PERF_LITE" convert -i "$TMP/named" --to perf.data -o "$TMP/again" -f
for one in named again; do
	perf evlist -g -i "$TMP/$one" >"$TMP/want"
	"$PERF_LITE" evlist -g -i "$TMP/$one" >"$TMP/got"
	is_file "evlist -g: a group with a name, $one" "$TMP/got" "$TMP/want"
	like "which is there" "$TMP/got" '^ours\{cpu-clock,page-faults\}'
done
"$PERF_LITE" report --group --stdio -i "$TMP/named" >"$TMP/got" 2>/dev/null
like "report has it, too" "$TMP/got" "of events 'ours . cpu-clock, page-faults .'"
same "$TMP/group" --header-only
perf buildid-list -i "$g" >"$TMP/want"
"$PERF_LITE" buildid-list -f -i "$g" >"$TMP/got"
is_file "buildid-list" "$TMP/got" "$TMP/want"
done_testing
