#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# recordings.sh FOLDER [--small] - what damage.py and calls.py read: recordings of this machine (*.own), as far as it lets this process
# record, and perf.data files (*.perf) that need no rights: stored ones, and some of tests/golden. O= names the build. --small:
# without the one that takes long to read.
set -u
folder=$(mkdir -p "$1" && cd "$1" && pwd) || exit 1
: "${O:=build}"
prog=$(cd "$O/tests/prog" && pwd) || exit 1
perf_lite=$(cd "$O" && pwd)/perf-lite
top=$PWD
log=$folder/recordings.log
: >"$log"

# own NAME ARG...: one that cannot be made is left out
own()
{
	name=$1
	shift
	"$perf_lite" record -q -o "$folder/$name.own" "$@" >>"$log" 2>&1 || { rm -f "$folder/$name.own"; echo "no $name" >>"$log"; }
}

own plain -z0 -g -F 999 -e cpu-clock:u,context-switches:u -- "$prog/spin" 150
own compressed -z9 -g -F 4000 -e cpu-clock:u -- "$prog/spin" 300
own stacks --call-graph dwarf,4096 --keep-stacks -F 200 -e cpu-clock:u -- "$prog/spin" 200
own inline --inline -g -F 999 -e cpu-clock:u -- "$prog/spin" 100
own tracepoints -g -e 'sched:sched_switch,sched:sched_wakeup,raw_syscalls:*' -- sh -c 'ls / | cat >/dev/null; sleep 0.02'
own packets -a -g --packets -e skb:kfree_skb -- "$prog/drops" --udp 30
[ "${2:-}" = --small ] || own blocks -e raw_syscalls:sys_enter --filter "id == $("$prog/storm" --number)" -m 64M -- "$prog/storm" 60000
# the same at another time: parts of one put into the other
own other -z9 -g -F 4000 -e cpu-clock:u -- "$prog/spin" 200

for name in chains compressed dwarf group pipe rare records registers several tracepoints; do
	cp "$top/tests/oracle/stored/$name.perf" "$folder/"
done
cd "$folder" || exit
for name in web drops odd stages states syscalls memory branches; do
	"$prog/make_recording" "$top/tests/golden/$name.rec" . >>"$log" 2>&1 && mv "$name.data" "$name.perf"
done
