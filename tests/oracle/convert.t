# SPDX-License-Identifier: GPL-2.0
#
# perf.data that we write: perf prints of it what we print of the recording, byte for byte, and of a
# file of its own that went through us what it prints of that file.
. tests/lib.sh
need_root
need perf-6.1
need_tracefs
load="ls -R /usr/share/doc"

# Names of one address are several, of which a recording holds one, and perf chooses another.
addresses="comm,tid,cpu,time,event,trace"
file=

# made NAME OPTION... -- COMMAND: our recording, converted
made()
{
	file=$TMP/$1
	shift
	case " $* " in *" -a "* | *" -ag "*) everybody=yes ;; *) everybody= ;; esac
	"$PERF_LITE" record -q -o "$file.data" "$@" >/dev/null 2>"$TMP/record.err" || diag_file "$TMP/record.err"
	"$PERF_LITE" convert -q --to perf.data -i "$file.data" -o "$file.perf" 2>"$TMP/convert.err"
	is "$(basename "$file"): converted" "$?.$(cat "$TMP/convert.err")" "0."
}

# alike DESC OPTION...: perf's text of the export is ours of the recording
alike()
{
	desc=$1
	shift
	perf script -i "$file.perf" "$@" >"$TMP/got" 2>"$TMP/got.err"
	"$PERF_LITE" script -q --compat=6.1 --no-inline -i "$file.data" "$@" >"$TMP/want" 2>"$TMP/want.err"
	# perf knows other names of some code: aliases in the kernel, few stubs of the PLT
	for side in got want; do
		sed -E 's/(__pi_|__)?(mem(cpy|set|move))/\2/; s/ ([^ ]*@plt\+0x[0-9a-f]+|\[unknown\])/ ?/g' "$TMP/$side" >"$TMP/$side.text"
		# files of others may be gone when perf looks, or hold something else; their names are compared with our own programs
		[ -z "$everybody" ] || sed -E -i 's|([0-9a-f]{4,}) .* (\(/[^ ]*( \(deleted\))?\))$|\1 ? \2|' "$TMP/$side.text"
	done
	ok "$desc: there is text" test -s "$TMP/got"
	is_file "$desc ($(wc -l <"$TMP/want") lines)" "$TMP/got.text" "$TMP/want.text"
}

made kfree_skb -e skb:kfree_skb -ag -- "$PROG/drops" --udp 60 --tcp 6
alike "kfree_skb -ag"
alike "kfree_skb -ag: --ns" --ns
is "perf buildid-list: the kernel" "$(perf buildid-list -i "$file.perf" | grep -c '\[kernel.kallsyms\]')" 1
"$PERF_LITE" convert -q --to perf.data -i "$file.data" -o - >"$file.pipe"
is "kfree_skb: perf reads it from a pipe" "$(perf script -i - <"$file.pipe" 2>/dev/null | grep -c 'reason: ')" \
	"$(grep -c 'reason: ' "$TMP/want")"
for program in perf "$PERF_LITE"; do
	file_of=$file.data
	[ "$program" != perf ] || file_of=$file.perf
	"$program" report --header-only -I -i "$file_of" 2>/dev/null | grep -E '^# (sibling|CPU [0-9])'
done | sort | uniq -c >"$TMP/places"
is "kfree_skb: perf has the places of the CPUs" "$(grep -vc '^ *2 #' "$TMP/places").$(grep -c 'CPU [0-9]' "$TMP/places")" \
	"0.$(grep -c '^core id' /proc/cpuinfo)"
made sched -e 'sched:*' -a -- $load
alike "sched:* -a"
alike "sched:* -a: fields" -F "$addresses"
made syscalls -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -a -- $load
alike "raw_syscalls"
made clock -e cpu-clock -g -- $load
alike "cpu-clock -g"
alike "cpu-clock -g: -F ip" -F comm,pid,tid,cpu,time,event,ip
perf report --stdio -i "$file.perf" >"$TMP/report" 2>"$TMP/report.err"
like "perf report opens it" "$TMP/report" '^# Samples: .* of event .cpu-clock'
like "and prints rows" "$TMP/report" '%.*ls '
is "perf evlist names the events" "$(perf evlist -i "$file.perf" | grep -v '^#' | tr '\n' ' ')" "dummy:HG cpu-clock "
"$PERF_LITE" convert -q --to perf.data -i "$file.data" -o - | perf script -i - >"$TMP/got" 2>/dev/null
perf script -i "$file.perf" >"$TMP/want" 2>/dev/null
is_file "cpu-clock -g: perf's text from a pipe" "$TMP/got" "$TMP/want"
made faults -e page-faults -c 1 -d -- $load
alike "page-faults -d"
made several -e cpu-clock,page-faults,sched:sched_switch -ag -- $load
alike "several events"
made group -e '{cpu-clock,page-faults}:S' -a -- $load
alike "a group that its leader reads"
made dwarf -e cpu-clock --call-graph dwarf -- "$PROG/stacks" 200
alike "DWARF call graphs"
made registers -e cpu-clock --call-graph dwarf --keep-stacks -- $load
alike "registers" -F comm,tid,time,event,ip,sym,uregs
made asked -I --user-regs=SP,IP -d --phys-data --data-page-size --code-page-size -e page-faults -c 1 -- $load
alike "what is asked for" -F comm,tid,time,event,ip,addr,iregs,uregs,phys_addr,data_page_size,code_page_size
made namespaces --namespaces -e sched:sched_process_exec -- sh -c 'ls; unshare -u ls'
alike "namespaces" --show-namespace-events
made tasks -e cpu-clock,sched:sched_process_exec -- "$PROG/forks" 50
alike "forks and execs"
alike "forks and execs: --show-task-events" --show-task-events
alike "forks and execs: --show-mmap-events" --show-mmap-events
made switches --switch-events -e cpu-clock -a -- $load
alike "switches: --show-switch-events" --show-switch-events

# What record writes itself

"$PERF_LITE" record -q --format=perf -F 999 -e cpu-clock,sched:sched_switch --call-graph dwarf -o "$TMP/own.perf" -- "$PROG/stacks" 200 >/dev/null
perf script -i "$TMP/own.perf" >"$TMP/want" 2>"$TMP/err"
"$PERF_LITE" script -q --compat=6.1 --no-inline -i "$TMP/own.perf" >"$TMP/got"
ok "record --format=perf: perf prints it" grep -q ' leaf+0x' "$TMP/want"
is_file "record --format=perf: alike ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"
is "record --format=perf: perf complains of nothing" "$(cat "$TMP/err")" ""

# perf's own files, through us

# through DESC OPTION... -- COMMAND
through()
{
	desc=$1
	shift
	perf record -q -o "$TMP/one" "$@" >/dev/null 2>&1
	"$PERF_LITE" convert -q --to perf.data -i "$TMP/one" -o "$TMP/two"
	perf script -i "$TMP/one" >"$TMP/want" 2>/dev/null
	perf script -i "$TMP/two" >"$TMP/got" 2>/dev/null
	ok "$desc: there is text" test -s "$TMP/want"
	is_file "perf's $desc, converted ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"
	for side in one two; do
		perf script --header-only -i "$TMP/$side" 2>/dev/null |
			grep -Ev '(captured on|data size|feat offset|compressed|missing features|of (first|last) sample|sample duration) *:' >"$TMP/$side.header"
	done
	is_file "its header" "$TMP/two.header" "$TMP/one.header"
}

through "cpu-clock -g" -e cpu-clock -g -- $load
through "cpu-clock -z" -z -e cpu-clock -g -- $load
through "sched:* -a" -e 'sched:*' -a -- $load
through "DWARF call graph" -e cpu-clock --call-graph dwarf -- $load
through "group" -e '{cpu-clock,page-faults}:S' -a -- $load
through "page-faults -d" -e page-faults -c 1 -d -- $load
through "switch events" --switch-events -e cpu-clock -- $load
through "several events" -e cpu-clock,sched:sched_switch -ag -- $load
perf record -q -e cpu-clock -g -o - -- sh -c "$load >/dev/null" >"$TMP/one" 2>/dev/null
"$PERF_LITE" convert -q --to perf.data -i - -o "$TMP/two" <"$TMP/one"
perf script -i "$TMP/one" >"$TMP/want" 2>/dev/null
perf script -i "$TMP/two" >"$TMP/got" 2>/dev/null
is_file "perf's pipe, converted ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"
done_testing
