# SPDX-License-Identifier: GPL-2.0
#
# The text of script --compat=6.1 on perf's own recordings, byte for byte that of the installed perf: what needs more
# than a row of matrix.sh.
. tests/lib.sh
need_root
need perf-6.1
need_tracefs

# same DESC ARG...: both print alike
same()
{
	desc=$1
	shift
	perf script "$@" >"$TMP/want" 2>"$TMP/want.err"
	"$PERF_LITE" script -q --compat=6.1 "$@" >"$TMP/got" 2>"$TMP/got.err"
	is_file "$desc ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"
}

# print_but EVENT|EVENT... ARG...: what both print, but for the lines of these events; perf's exit status: $perf_rc
print_but()
{
	events=$1 perf_rc=0
	shift
	perf script "$@" >"$TMP/all" 2>"$TMP/want.err" || perf_rc=$?
	grep -Ev " ($events): " "$TMP/all" >"$TMP/want"
	"$PERF_LITE" script -q --compat=6.1 "$@" 2>"$TMP/got.err" | grep -Ev " ($events): " >"$TMP/got"
}

# recorded NAME OPTION... -- COMMAND: a perf.data with samples in it
recorded()
{
	f=$TMP/$1.data
	shift
	perf record -q -o "$f" "$@" >"$TMP/record.out" 2>&1
	ok "perf recorded samples: $f" test "$(perf script -i "$f" 2>/dev/null | wc -l)" -gt 5
}

load="ls -R /usr/share/doc"

recorded clock-g -e cpu-clock -g -- $load
for how in '' -G --ns --reltime --deltatime '--max-stack 3' '-F +pid' '-F -time,-cpu' '-F ip,sym' '-F ip,sym,dso' \
	'-F comm' '-F time,ip' '-F pid' '-F pid,event,ip' '-F +misc' '-F comm,tid,time,event,ip,sym,dso' \
	'-F comm,pid,tid,cpu,time,event,period,ip,sym,symoff,dso'; do
	case $how in *cpu,time,event,period*) continue ;; esac
	same "cpu-clock -g: ${how:-no options}" -i "$f" $how
done
# moved FILE: to $TMP/moved, as if the kernel had stood 2 MiB lower when it was recorded
moved()
{
	perl -0777 -e 'open F, "<:raw", $ARGV[0]; $_ = <F>;
		$at = index($_, "[kernel.kallsyms]_") - 8; $at > 0 or die;
		substr($_, $at, 8) = pack "Q<", unpack("Q<", substr $_, $at, 8) - 0x200000; print' "$1" >"$TMP/moved"
}
ok "a kernel that stood elsewhere" moved "$f"
cat /proc/kallsyms >"$TMP/copy"
"$PERF_LITE" script -q -i "$TMP/moved" >"$TMP/got" 2>"$TMP/got.err"
"$PERF_LITE" script -q -i "$TMP/moved" --kallsyms "$TMP/copy" >"$TMP/want" 2>"$TMP/want.err"
is_file "the running kernel is not asked for its addresses" "$TMP/got" "$TMP/want"
ok "which are other functions" not grep -q ' do_syscall_64+0x.*kernel.kallsyms' "$TMP/got"
# as after a reboot that put the kernel elsewhere
sed 's/^ffffffff8/ffffffff7/; t; s/^ffffffff9/ffffffff8/; t; s/^ffffffffa/ffffffff9/; t; s/^ffffffffb/ffffffffa/' \
	/proc/kallsyms >"$TMP/kallsyms"
same "cpu-clock -g: a kernel that moved" -i "$f" --kallsyms "$TMP/kallsyms"
ok "it has names" grep -q ' do_syscall_64+0x.*kernel.kallsyms' "$TMP/got"
# perf 6.1 takes the a & (b | c) of timer:timer_start for (a & b) | c, and the a < (b < c ? b : c) of
# kmem:mm_page_alloc_extfrag for (a < b < c) ? b : c. It sometimes dies of what others run.
for try in first second third; do
	recorded misc -e 'timer:*,irq:*,signal:*,task:*,kmem:*,block:*,ext4:*,writeback:*,workqueue:*,tcp:*,sock:*,net:*' -a -- \
		sh -c "$load; $PROG/drops --udp 30 --tcp 6; sync"
	print_but 'timer:timer_start|kmem:mm_page_alloc_extfrag' -i "$f"
	[ $perf_rc -ne 0 ] || break
	diag "perf script: exit status $perf_rc, $try try: $(tail -n 1 "$TMP/want.err")"
done
is_file "many subsystems ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"
recorded rcu -e 'rcu:*' -a -- $load
same "string constants by address" -i "$f"
ok "which have their texts" sh -c 'grep -q "Start context switch" "$1"' - "$TMP/got"
# elsewhere, because perf takes what is named /tmp/perf-* for a JIT's
away=$(mktemp -d /var/tmp/script-away.XXXXXX)
at_exit rm -rf "$away"
cp "$PROG/spin" "$away/gone"
HOME=$away
export HOME
recorded gone -e cpu-clock -g -- "$away/gone" 100
rm "$away/gone"
same "a binary of which perf has a copy" -i "$f"
ok "which has its names" grep -q ' leaf+0x.*/gone' "$TMP/got"
cp "$PROG/threads" "$away/gone"
same "a binary that was replaced" -i "$f"
recorded group -e '{cpu-clock,page-faults}:S' -- $load
same "a group with :S" -i "$f"
recorded perl -e cpu-clock -g -- perl -e 'for (1..200000) { $h{$_ % 999} .= sprintf("%d", $_ * 3) }'
same "an interpreter with a large symbol table" -i "$f"
# Its memory may go to a program of somebody else before perf ends. perf and perf-lite then differ in which of the
# two names a sample has: such a recording is made again.
shared_address()
{
	perf script -i "$f" --show-bpf-events 2>/dev/null | perl -ne 'next if !/PERF_RECORD_KSYMBOL addr ([0-9a-f]+) len (\d+) .* flags 0x0 /;
		($from, $to) = (hex(substr($1, -8)), hex(substr($1, -8)) + $2);
		$shared = 1 if grep { $from < $_->[1] && $_->[0] < $to } @seen;
		push @seen, [$from, $to]; END { exit !$shared }'
}
for try in 1 2 3 4 5 6 7 8; do
	recorded bpf -e cpu-clock -g -- "$PROG/bpf" 150
	shared_address || break
done
same "a bpf program that is gone" -i "$f"
ok "which is named" grep -q ' bpf_prog_[0-9a-f]*_burn+0x' "$TMP/got"
run_ok "recording it too" "$PERF_LITE" record -q -e cpu-clock -g -o "$TMP/bpf" -- "$PROG/bpf" 150
"$PERF_LITE" script -q -i "$TMP/bpf" >"$TMP/out"
like "it has its name" "$TMP/out" ' bpf_prog_[0-9a-f]*_burn\+0x[0-9a-f]+ \(bpf_prog_[0-9a-f]*_burn\)'

# vmlinux ID: an image of the running kernel that has only its symbols
vmlinux()
{
	perl -ne 'BEGIN { print ".text\n" }
		next unless /^(f\S+) ([tTwW]) ([\w.]+)$/;
		$start //= hex $1 if $3 eq "_text";
		next unless defined $start;
		last if $3 eq "_etext";
		next if $seen{$3}++;
		print ".globl $3\n" if $2 ne "t";
		printf ".org %d\n.type %s,\@function\n%s:\n", hex($1) - $start, $3, $3;
		END { printf STDERR "%x\n", $start }' /proc/kallsyms >"$TMP/vmlinux.s" 2>"$TMP/start"
	${CC:-cc} -c -o "$TMP/vmlinux.o" "$TMP/vmlinux.s" &&
		ld -o "$TMP/vmlinux" --build-id=0x"$1" -Ttext=0x"$(cat "$TMP/start")" -e _text "$TMP/vmlinux.o"
}
recorded vmlinux -e cpu-clock -g -- $load
ok "an image of the kernel" vmlinux "$(perf buildid-list -i "$f" | awk '/\[kernel.kallsyms\]/ { print $1 }')"
same "--vmlinux" -i "$f" --vmlinux "$TMP/vmlinux"
same "--vmlinux --show-kernel-path" -i "$f" --vmlinux "$TMP/vmlinux" --show-kernel-path
ok "which names functions" grep -q '	f.*[a-z]+0x[0-9a-f]* ([^[]*/vmlinux)' "$TMP/got"
ok "an image of another kernel" vmlinux 0123456789abcdef0123456789abcdef01234567
run_ok "--vmlinux of it" "$PERF_LITE" script -i "$f" -k "$TMP/vmlinux"
like "it is not used" "$TMP/err" "vmlinux: it is not the recorded kernel"
unlike "and names nothing" "$TMP/out" '[a-z]\+0x[0-9a-f]+ \(\[kernel\.kallsyms\]\)'

# A kernel of the same release, but not the recorded one, lends no names

recorded other-kernel -e cpu-clock -ag -- $load
id=$(perf buildid-list -i "$f" | awk '/\[kernel.kallsyms\]/ { print $1 }')
at=$(perl -0777 -e 'open F, "<:raw", $ARGV[1]; print index(<F>, pack("H*", $ARGV[0]))' "$id" "$f")
printf '\377\000' | dd of="$f" bs=1 seek="$((at + 3))" conv=notrunc 2>"$TMP/dd.err"
run_ok "a recording of another kernel" "$PERF_LITE" script -i "$f"
unlike "no kernel function is named" "$TMP/out" '[a-z]\+0x[0-9a-f]+ \(\[kernel\.kallsyms\]\)'
like "which is said" "$TMP/err" "the kernel that runs here is not the recorded one"
done_testing
