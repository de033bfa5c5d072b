#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# store.sh - makes tests/oracle/stored anew: recordings of perf 6.1, and what perf 6.1 prints of them, for stored.t. With
# perf 6.12: what that prints of the recordings that are stored. Needs root. Everything goes on in namespaces of its own, so
# that the recordings know nothing of this machine but its processor and its kernel.
#
#   load.c         the program that is recorded
#   load           that program, built here
#   kallsyms       the functions of the kernel that the recordings are of, with the next one of each
#   NAME.perf      a recording
#   NAME.txt       its texts, each below a line "$ COMMAND OPTION...": of perf COMMAND OPTION... -i NAME.perf
#   stat.txt       texts of perf stat, of no recording
#   NAME.6.12.txt  those of perf 6.12; "= COMMAND OPTION..." where they are the same
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"

case $(perf --version) in
'perf version 6.1.'*) version=6.1 ;;
'perf version 6.12.'*) version=6.12 ;;
*) echo "store.sh: this needs perf 6.1 or 6.12, not $(perf --version)" >&2; exit 1 ;;
esac
if [ -z "${STORE_INSIDE-}" ]; then
	make -s build/tests/oracle/rare_records
	STORE_INSIDE=1 exec unshare -umpf --mount-proc sh tests/oracle/store.sh
fi
hostname stored
mount -t tmpfs none /mnt
stored=$top/tests/oracle/stored rare_records=$top/build/tests/oracle/rare_records
cd /mnt
# perf keeps copies of what it records, and asks for the time zone
mkdir home
export HOME=/mnt/home TZ=UTC LC_ALL=C

recorded() # NAME OPTION...
{
	name=$1
	shift
	perf record -q --no-bpf-event -o "$name.perf" "$@" >/dev/null
}

make_recordings()
{
	cp "$stored/load.c" .
	${CC:-gcc} -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-shrink-wrap -mno-omit-leaf-frame-pointer \
		-fno-stack-protector -static-pie -nostdlib -Wl,--build-id -o load load.c
	# of each recording of tracepoints, the names of tasks that were traced and all texts of the kernel would be a part
	touch none
	head -n 20 /sys/kernel/tracing/printk_formats >some
	mount --bind none /sys/kernel/tracing/saved_cmdlines
	mount --bind some /sys/kernel/tracing/printk_formats

	recorded chains -e cpu-clock -F 400 -g --timestamp-boundary -- ./load 8
	recorded dwarf -e cpu-clock:u -F 300 --call-graph dwarf,512 -- ./load 8
	recorded dwarf-kernel -e page-faults -c 20 --call-graph dwarf,256 -- ./load 20
	recorded tracepoints -e 'raw_syscalls:*,syscalls:sys_enter_write,syscalls:sys_exit_write,sched:sched_process_*,signal:*' -- \
		./load 5 exec
	recorded addresses -e page-faults -c 6 -d --phys-data --data-page-size --code-page-size -W -k CLOCK_MONOTONIC -- ./load 20
	recorded registers -e cpu-clock -F 100 -I --user-regs=sp,ip,ax -g -- ./load 20
	recorded group -e '{cpu-clock,page-faults}:S' -c 4000000 -- ./load 20
	recorded several -e cpu-clock,page-faults,context-switches,sched:sched_process_exit -F 200 -g -- ./load 8 exec
	recorded records --namespaces --switch-events -s -T -P -e cpu-clock -F 300 -- unshare -u ./load 8 exec
	recorded kernel -e 'raw_syscalls:sys_enter,page-faults:k' -c 5 -g --kernel-callchains -- ./load 9
	recorded compressed -z -e cpu-clock -F 300 -g -- ./load 6
	perf record -q --no-bpf-event -o - -e cpu-clock -F 300 -g -- sh -c './load 6 >/dev/null' >pipe.perf
	"$rare_records" rare.perf /mnt/load

	# The functions of the kernel in call chains with the next one of each, by all their names, and where its text begins and ends
	for file in *.perf; do
		perf script -i "$file" -F ip 2>/dev/null | sed -n 's/^[\t ]*\(f[0-9a-f]*\)$/\1 ~/p'
	done >addresses
	grep '^f' /proc/kallsyms | sort -k1,1 -k2,2 - addresses | awk '
		$2 == "~" { printf "%s", names; wanted = 1; next }
		$1 != at { at = $1; names = ""; all = wanted; wanted = 0 }
		{ names = names $0 "\n" }
		all || $3 ~ /^(_text|_stext|_etext)$/ { print }' | sort -u -k1,1 -k3,3 >kallsyms
}

if [ $version = 6.1 ]; then
	make_recordings
else
	cp "$stored"/* .
fi

# ask NAME COMMAND OPTION...: what perf says
ask()
{
	file=$1.perf command=$2
	shift 2
	case $command in
	script | report) perf "$command" -i "$file" --symfs root --kallsyms kallsyms "$@" ;;
	*) perf "$command" -i "$file" "$@" ;;
	esac
}

# without the tip, which is any, when the file was last changed, and empty lines at the end of a report
even()
{
	sed '/^# (Tip: /d; /^# Tip: /d; /^# captured on /d' | case $1 in
	report*) sed -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}' ;;
	*) cat ;;
	esac
}

# store NAME: what is asked about NAME.perf, a question a line. "+": perf 6.12 has another answer, and perf-lite has it with
# --compat=6.12; where it has another one and there is no "+", perf-lite answers as perf 6.1 alone.
mkdir -p root/mnt
cp load load.c root/mnt
store()
{
	to=$1.txt
	[ $version = 6.1 ] || to=$1.$version.txt
	while read -r question; do
		other=
		case $question in
		+*) other=1 question=${question#+ } ;;
		esac
		# shellcheck disable=SC2086
		ask "$1" $question 2>err </dev/null | even "$question" >text
		if [ ! -s text ]; then
			echo "store.sh: $1: perf $question: no text: $(tail -n 1 err)" >&2
			exit 1
		fi
		if [ $version != 6.1 ]; then
			awk -v question="\$ $question" '/^\$ / { on = $0 == question; next } on' "$1.txt" >text.6.1
			if cmp -s text text.6.1; then
				echo "= $question"
				continue
			fi
			[ -n "$other" ] || continue
		fi
		echo "\$ $question"
		cat text
	done >"$to"
	[ -s "$to" ] || rm "$to"
}

store chains <<'END'
+ script
script -G
script --ns -G
script --reltime -G
script --deltatime -G
script --max-stack 3
script -F +pid -G
script -F -time,-cpu
script -F ip,sym,dso
script -F comm
script -F time,ip
script -F pid,event,ip
+ script -F +misc -G
script -F comm,tid,time,event,ip,sym,dso
+ script -F ip,sym,symoff,dso,srcline
script --full-source-path -F ip,srcline
script -F time --time 10%
script -F time --time 50%/2
script -F time --time 0%-10%,30%-40%
+ script -L -G
script --header-only
script --header-only -I
script --header -F event
script -S leaf -G
script -S nosuch,calculate,leaf -F comm,ip
script --stop-bt calculate
script --comms load -F comm
script --show-task-events -G
script --show-mmap-events -G
report --stdio
report --stdio --no-children
report --stdio --no-children -g none
report --stdio -g none -s dso,sym
report --stdio -g caller --no-children -s sym
report --stdio -g folded --no-children
report --stdio -g fractal,callee -s sym
report --stdio -g flat --no-children
report --stdio -s comm -n -g none
report --stdio -s pid,dso,sym --show-total-period -g none --no-children
report --stdio -F overhead,overhead_children,sym,sample -g none
report --stdio --hierarchy --no-children -g none
report --stdio -s srcline --no-children -g none
report --stdio -s srcfile,sym --no-children -g none
report --stdio --percent-limit 30
report --stdio -p ^deeper -s parent,sym -g none --no-children
report --stdio --time 0%-50% -s sym,dso -g none
report --stdio --stats
report --stdio --tasks
report --stdio --mmaps
report --stdio --header-only
report --stdio -S leaf -g none --no-children
report --stdio -t, -s comm,dso -g none --no-children
report --stdio -w 0,5 -s sym,dso -g none --no-children
evlist
evlist -v
evlist -F
buildid-list
END
store dwarf <<'END'
+ script
script -G
script --no-inline
script -F ip,sym
script -F +srcline
script --max-stack 2
report --stdio --no-children
report --stdio -s sym -g caller --no-children
report --stdio --no-inline -g none
END
store dwarf-kernel <<'END'
script
END
store tracepoints <<'END'
+ script
script -F event,trace
script -F comm,tid,time,event,trace --ns
script -F trace:time,event
+ script -L
script --switch-on sched:sched_process_exec -F time,event
script --switch-on sched:sched_process_fork --switch-off sched:sched_process_exit --show-on-off-events -F time,event
script -F comm,pid,misc,event
report --stdio -s comm
report --stdio -s comm,dso,sym -n
report --stdio --stats
evlist --trace-fields
evlist
END
store addresses <<'END'
script
+ script -F +addr
script -F comm,event,phys_addr,weight,ins_lat
script -F event,ip,data_page_size,code_page_size
script -F ip,sym,symoff,addr
script -F comm,tod,event
script -F tod,event --ns
report --stdio
report --stdio --mem-mode -s mem,tlb,locked,blocked,local_weight -n
report --stdio -s code_page_size,sym
report --stdio -s sym,weight,local_weight
evlist -v
END
store registers <<'END'
script
script -F iregs
script -F ip,uregs
+ script -F +iregs,+uregs
report --stdio --no-children
END
store group <<'END'
+ script
script -F +period
report --stdio
report --stdio -s sym -n
report --stdio --hierarchy -s dso,sym
report --stdio --group-sort-idx 1 -s sym
report --stdio -t, -n -s dso
report --stdio --stats
evlist -g
evlist -v
END
store several <<'END'
+ script
script -F comm,tid,time,event,ip,sym,dso -G
report --stdio -g none --no-children
report --stdio --group --no-children -g none
report --stdio --stats
evlist -v
buildid-list
END
store records <<'END'
script
script --show-task-events
script --show-mmap-events
script --show-switch-events
script --show-namespace-events
+ script --show-task-events --show-mmap-events --show-switch-events --show-lost-events --show-namespace-events -F +misc
+ script --show-task-events --show-mmap-events -F +pid,-time
script --show-task-events -L
report --stdio
report --stdio --tasks
report --stdio --mmaps
report --stdio -s pid,time
report --stdio -s time
report --stdio -s comm,cgroup_id
report --stdio -s overhead_sys,sym
report --stdio --show-cpu-utilization -s comm,dso
buildid-list
END
store kernel <<'END'
script
script -F ip,sym,symoff
report --stdio --no-children -g none
report --stdio --no-children -g caller -s sym
report --stdio -g none -s sym
END
store compressed <<'END'
+ script
report --stdio --no-children
END
store pipe <<'END'
+ script
report --stdio --no-children -g none
END
store rare <<'END'
script -F comm,tid,cpu,time,event,addr,data_src,weight
script --show-mmap-events --show-switch-events --show-namespace-events --show-cgroup-events --show-bpf-events --show-text-poke-events -F comm,time,event
script -F comm,time,event,flags,callindent,ipc,machine_pid,vcpu,synth
+ script -F pid,brstack,dso
+ script -F ip,brstacksym,dso
script -F ip,brstackoff
script -F ins_lat,phys_addr
script -F ip,data_page_size,code_page_size
report --stdio --no-branch-stack -s socket,comm
report --stdio --no-branch-stack -s ins_lat,local_ins_lat -n
report --stdio --no-branch-stack -s cgroup_id,comm
report --stdio --no-branch-stack -s dso_size,dso
report --stdio --no-branch-stack -s sym,symbol_size,dso_size
END

# What perf stat prints of software events that every machine has, on one CPU or of a command.
if [ $version = 6.1 ]; then
	while read -r question; do
		# shellcheck disable=SC2086
		perf stat -o text $question >/dev/null 2>err </dev/null || { cat err >&2; exit 1; }
		echo "\$ stat $question"
		sed '/^# started on /d' text
	done >stat.txt <<'END'
-x, -e task-clock,cs,page-faults -- sleep 0.1
-x, -e {task-clock,cs:u},cs:k -- sleep 0.1
-x, -C 0 -e task-clock,cs,page-faults -- sleep 0.1
-x, -C 0 -A -e task-clock,cs,page-faults -- sleep 0.1
-x, -C 0 --per-core -e task-clock,cs,page-faults -- sleep 0.1
-x, -C 0 --per-socket -e task-clock,cs,page-faults -- sleep 0.1
-x, -C 0 --per-node -e task-clock,cs,page-faults -- sleep 0.1
-x, -r 3 -e task-clock,page-faults -- sleep 0.1
-x, -I 50 -C 0 -e task-clock,cs,page-faults -- sleep 0.2
-x, -C 0 -e cs,task-clock -G /,/ -- sleep 0.1
-j -e task-clock,cs,page-faults -- sleep 0.1
-j -e {task-clock,cs:u},cs:k -- sleep 0.1
-j -C 0 -e task-clock,cs,page-faults -- sleep 0.1
-j -C 0 -A -e task-clock,cs,page-faults -- sleep 0.1
-j -C 0 --per-core -e task-clock,cs,page-faults -- sleep 0.1
-j -C 0 --per-socket -e task-clock,cs,page-faults -- sleep 0.1
-j -C 0 --per-node -e task-clock,cs,page-faults -- sleep 0.1
-j -r 3 -e task-clock,page-faults -- sleep 0.1
-j -I 50 -C 0 -e task-clock,cs,page-faults -- sleep 0.2
-j -C 0 -e cs,task-clock -G /,/ -- sleep 0.1
-e task-clock,cs,page-faults -- sleep 0.1
-e {task-clock,cs:u},cs:k -- sleep 0.1
-C 0 -e task-clock,cs,page-faults -- sleep 0.1
-C 0 -A -e task-clock,cs,page-faults -- sleep 0.1
-C 0 --per-core -e task-clock,cs,page-faults -- sleep 0.1
-C 0 --per-socket -e task-clock,cs,page-faults -- sleep 0.1
-C 0 --per-node -e task-clock,cs,page-faults -- sleep 0.1
-I 50 -C 0 -e task-clock,cs,page-faults -- sleep 0.2
-C 0 -e cs,task-clock -G /,/ -- sleep 0.1
-x, -I 50 --summary -C 0 -e task-clock,cs,page-faults -- sleep 0.2
--no-big-num -e task-clock,cs,page-faults -- sleep 0.1
-n -- sleep 0.1
END
fi

# the answers of 6.12 are of other recordings then
[ $version = 6.12 ] || rm -f "$stored"/*.txt "$stored"/*.perf
cp ./*.perf ./*.txt kallsyms load "$stored"
chmod a+r "$stored"/*.perf
