# SPDX-License-Identifier: GPL-2.0
#
# Lines of records that are no samples, and the fields that few machines record: byte for byte those of the installed perf.
. tests/lib.sh
need_root
need perf-6.1
need_tracefs

live="--show-task-events --show-mmap-events --show-switch-events --show-lost-events --show-namespace-events
	--show-cgroup-events"
# Records of BPF programs grow from one ring to the next in the kernel, and perf takes what is left over for their time, or fails: those
# of others who load some meanwhile are not compared, but those of rare records are.
all="$live --show-bpf-events --show-text-poke-events"

# same DESC FILE OPTION...: both print alike. Programs of other tests run beside, and are removed: perf has kept copies, whose names
# count for nothing.
same()
{
	desc=$1 f=$2
	shift 2
	perf script -i "$f" "$@" >"$TMP/want" 2>"$TMP/want.err"
	"$PERF_LITE" script -q --compat=6.1 -i "$f" "$@" >"$TMP/got" 2>"$TMP/got.err"
	sed -i -E 's|[^ ]+ (\(/tmp/[^)]*\))$|? \1|' "$TMP/want" "$TMP/got"
	is_file "$desc ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"
}

# recorded FILE OPTION...: by perf, once more where it cannot read what it wrote
recorded()
{
	for try in 1 2 3 4 5 6 7 8; do
		perf record -q -o "$@" >"$TMP/out" 2>&1
		perf script -i "$1" $live >"$TMP/read" 2>&1 && return
	done
	diag "perf fails to read what it recorded: $(tail -n 1 "$TMP/read")"
}

# shows TYPE...: the lines of perf that were compared hold these
shows()
{
	for type in "$@"; do
		ok "PERF_RECORD_$type is among them" grep -q "PERF_RECORD_$type" "$TMP/want"
	done
}

f=$TMP/all.data
recorded "$f" --namespaces --switch-events --all-cgroups -e sched:sched_process_exec,cpu-clock -a -- \
	sh -c 'ls / >/dev/null; unshare -m true; true'
same "all records" "$f" $live
shows COMM COMM.exec FORK EXIT MMAP MMAP2 NAMESPACES CGROUP SWITCH_CPU_WIDE
for how in '-F +misc' '-F +pid,-time' --reltime --deltatime '-C 0' -L '--ns -G' '--time ,1' '--comms sh' '-F comm,pid'; do
	same "all records: $how" "$f" $live $how
done
for what in task mmap switch namespace cgroup; do
	same "--show-$what-events alone" "$f" --show-$what-events --no-itrace
done

f=$TMP/task.data
perf record -q -o "$f" --switch-events -e cpu-clock -g -- sh -c 'ls /; sleep 0.05; true' >"$TMP/out" 2>&1
same "a command with call chains" "$f" $live
shows SWITCH
same "misc" "$f" $live -F +misc
for how in '-F pid,event,ip -f' '--show-mmap-events --no-itrace -f' '--show-task-events --no-itrace -f' '-F pid,brstack -f' \
	'--show-mmap-events -F comm,pid' '--show-mmap-events -F ip,brstack'; do
	same "as optimizers ask: $how" "$f" $how
done

f=$TMP/lost.data
recorded "$f" -m 1 -e raw_syscalls:sys_enter -a -- dd if=/dev/zero of=/dev/null bs=1 count=50000
perf script -i "$f" --show-lost-events 2>"$TMP/out" | grep PERF_RECORD_LOST >"$TMP/want"
"$PERF_LITE" script -q --compat=6.1 -i "$f" --show-lost-events 2>"$TMP/out" | grep PERF_RECORD_LOST >"$TMP/got"
is_file "where samples were lost ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"
[ -s "$TMP/want" ] || diag "nothing was lost"

f=$TMP/rare.data
# elsewhere, because perf takes what is named /tmp/perf-* for a JIT's
away=$(mktemp -d /var/tmp/sideband-away.XXXXXX)
at_exit rm -rf "$away"
cp "$PROG/spin" "$away/program"
run_ok "a file of rare records" "$O/tests/oracle/rare_records" "$f" "$away/program"
same "rare records" "$f" $all
shows KSYMBOL BPF_EVENT TEXT_POKE 'MMAP2.*<abcd' 'SWITCH OUT preempt' 'NAMESPACES.*: 9'
same "rare records: misc" "$f" $all -F +misc
for how in '' '-F +brstack' '-F pid,brstack,dso' '-F pid,brstack' '-F ip,brstacksym' '-F ip,brstacksym,dso' '-F ip,brstackoff' \
	'-F ip,brstack,brstacksym' '-F data_src,weight' '-F +ins_lat,+phys_addr' '-F ip,data_page_size,code_page_size' \
	'-F +flags' '-F +callindent,+ipc,+machine_pid,+vcpu,+synth'; do
	same "rare fields: ${how:-as they are}" "$f" $how
done
done_testing
