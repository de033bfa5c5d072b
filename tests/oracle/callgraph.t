# SPDX-License-Identifier: GPL-2.0
#
# Stacks unwound from perf's own recordings (--call-graph dwarf): byte for byte the text of the installed perf where that
# is right, and more than it where it loses frames.
. tests/lib.sh
need_root
need perf-known
need_cmd cc

compat=$(perf_compat)
# perf takes files whose path begins with /tmp/perf- for maps of JIT code
bin=$(mktemp -d /tmp/stacks.XXXXXX) || exit 1
at_exit rm -rf "$bin"
load=$bin/stacks
cc -O1 -g -fno-inline -fomit-frame-pointer -D_GNU_SOURCE -pthread -o "$load" tests/prog/stacks.c || exit 1

# recorded NAME OPTION... -- COMMAND: a perf.data with stacks in it
recorded()
{
	f=$TMP/$1.data
	shift
	perf record -q -m 16M -e cpu-clock -F 499 -o "$f" "$@" >"$TMP/record.out" 2>&1
	ok "perf recorded samples: $f" test "$(perf script -i "$f" -F comm 2>/dev/null | wc -l)" -gt 20
}

# compare DESC: $TMP/got is $TMP/want, but for stacks that perf cuts short: in epilogues and where clone(2) has returned;
# and where rt_sigreturn(2) restores registers, it loses some of the frames. The sample and its innermost frame are the same.
# No CFI describes __do_global_dtors_aux(): perf 6.12 goes on by its frame pointer.
compare()
{
	as_known_to_both "$TMP/got" "$TMP/want"
	awk -v RS= -v got="$TMP/got" '
		{
			nr++
			if ((getline line <got) <= 0) exit bad = 1
			if (line == $0 || /__do_global_dtors_aux/) next
			n = split($0, perf, "\n")
			if (split(line, own, "\n") < n || own[1] != perf[1] || (n > 1 && own[2] != perf[2])) exit bad = 1
			short++
		}
		END {
			if (bad) print "want:\n" $0 "\ngot:\n" line
			else if ((getline line <got) > 0) print "more than perf has:\n" line, bad = 1
			else if (short > nr / 20 + 1) print short " of " nr " stacks are not those of perf", bad = 1
			exit bad
		}' "$TMP/want" >"$TMP/differs"
	is "$1 ($(wc -l <"$TMP/want") lines)" "$(sed 20q "$TMP/differs")" ""
}

# same DESC ARG...: both print alike
same()
{
	desc=$1
	shift
	perf script --no-inline "$@" >"$TMP/want" 2>"$TMP/want.err"
	"$PERF_LITE" script -q --compat=$compat --no-inline "$@" >"$TMP/got" 2>"$TMP/got.err"
	compare "$desc"
}

recorded whole --call-graph dwarf,65528 -- "$load" 300
for how in '' '-F +pid' '-F ip,sym' '-F comm,tid,time,ip,sym,dso' '-F comm,time,uregs' -G '--max-stack 3' '--max-stack 1' \
	'--comms stacks' '--reltime'; do
	same "dumps of 65528 bytes: ${how:-no options}" -i "$f" $how
done
for unwinder in libdw libunwind; do
	same "that again" -i "$f"
	"$PERF_LITE" script -q --compat=$compat --no-inline -i "$f" --unwinder=$unwinder >"$TMP/got" 2>"$TMP/got.err"
	compare "--unwinder=$unwinder"
done
recorded deep --call-graph dwarf,65528 -- "$load" 100 150
same "more frames than are shown" -i "$f"
# perf 6.12 has no names of tasks that have ended, and comes with C libraries that do not name clone3.
if ! can perf-6.1; then
	skip_without "kernel and user halves, the whole system, exec twice" perf-6.1
	done_testing
fi

recorded kernel --call-graph dwarf,65528 -- ls -R /usr/share /usr/lib
same "kernel and user halves" -i "$f"
# the load runs where perf itself ran before, which perf may mistake (see below), and others run: the kernel's halves
# alone. Of a task without a user stack that is just ending perf prints -1.
kernel_frames()
{
	awk '!/^\t/ || ($1 ~ /^ffff............$/ && $1 !~ /^f*$/)'
}
recorded all -a --call-graph dwarf,16384 -- "$load" 100
perf script --no-inline -i "$f" 2>"$TMP/want.err" | kernel_frames >"$TMP/want"
"$PERF_LITE" script -q --compat=$compat --no-inline -i "$f" 2>"$TMP/got.err" | kernel_frames >"$TMP/got"
ok "there are frames of the kernel" grep -q '^	' "$TMP/want"
is_file "the whole system ($(wc -l <"$TMP/want") lines)" "$TMP/got" "$TMP/want"

# Where the second program's C library lies below the first's, perf takes the one for the other and loses what is above.
# That is up to the kernel's random choice.
root=' (_start|clone3)$'
cut=0 tries=0
while [ $cut -eq 0 ] && [ $tries -lt 5 ]; do
	tries=$((tries + 1))
	recorded exec --call-graph dwarf,65528 -- sh -c "exec sh -c 'exec $load 100'"
	fields=comm,tid,time,event,ip,sym
	perf script --no-inline -i "$f" --comms stacks -F $fields >"$TMP/perf.txt" 2>"$TMP/want.err"
	run_ok "exec twice" "$PERF_LITE" script --no-inline -i "$f" --comms stacks -F $fields
	is "no note about incomplete stacks" "$(cat "$TMP/err")" ""
	# one line for each sample: its time and its functions, leaf first; of these names perf has others or none
	for side in perf ours; do
		text=$TMP/perf.txt
		[ $side = perf ] || text=$TMP/out
		awk '/^[^\t]/ { s = $3 } /^\t/ && $2 !~ /unknown|restore_rt|@plt/ { sub(/@.*/, "", $2); sub(/^(__pi_|__)?mem/, "mem", $2); s = s " " $2 }
			/^$/ { print s }' "$text" >"$TMP/$side"
	done
	is "as many samples" "$(wc -l <"$TMP/ours")" "$(wc -l <"$TMP/perf")"
	all=$(wc -l <"$TMP/ours") ours=$(grep -Ec "$root" "$TMP/ours")
	ok "ours are complete: $ours of $all" test "$ours" -ge $((all * 99 / 100))
	paste -d '|' "$TMP/perf" "$TMP/ours" | awk -F '|' '{
		n = split($1, theirs, " "); m = split($2, ours, " ")
		for (i = j = 1; j <= m; j++)
			i += i <= n && ours[j] == theirs[i]
		if (i <= n) { print; exit }
	}' >"$TMP/differs"
	is "each has what perf has, in that order" "$(cat "$TMP/differs")" ""
	cut=$(grep -Evc "$root" "$TMP/perf")
done
diag "of $all stacks perf has cut $cut short, at try $tries"

done_testing
