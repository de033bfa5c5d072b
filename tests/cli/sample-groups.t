# SPDX-License-Identifier: GPL-2.0
#
# Samples that are counted by kinds (report, flamegraph, diff) against the same samples looked at one by one, as
# a selection by time makes them: of programs that begin, change their names and end meanwhile.
. tests/lib.sh
need_root

f=$TMP/a.data
run_ok "programs that come and go beside one that asks" \
	"$PERF_LITE" record -q -o "$f" -e raw_syscalls:sys_enter -e page-faults -c 1 -g -- \
	sh -c "$PROG/execs 30 & $PROG/storm --threads 2 3000; wait" </dev/null
"$PERF_LITE" script -q -i "$f" -F comm,pid,tid,event >"$TMP/script"
total=$(wc -l <"$TMP/script")
ok "it has samples: $total" test "$total" -gt 6000

"$PERF_LITE" convert -q -i "$f" --to perf.data -o "$TMP/a.perf.data" >"$TMP/out" 2>&1

# rows OPTION...: what report prints of $from but for its comments
rows()
{
	"$PERF_LITE" report -q -i "$from" -n "$@" | sed '/^#/d; /^$/d'
}

for from in "$TMP/a.perf.data" "$f"; do
	for options in "" "-g none --no-children" "-s pid,tid,cpu,comm" "-s comm,dso -g caller" "-c storm" "-C 0" "-s sym --csv"; do
		what="${from##*/} $options"
		# shellcheck disable=SC2086
		rows $options --time 0, >"$TMP/one"
		ok "report $what: there are rows" test -s "$TMP/one"
		for jobs in 1 3; do
			# shellcheck disable=SC2086
			rows $options -j "$jobs" >"$TMP/alike"
			ok "report $what -j $jobs" cmp "$TMP/one" "$TMP/alike"
		done
	done
done

is "by command: every sample" "$(rows -s comm -g none --no-children -t '|' | cut -d '|' -f 2 | awk '{ n += $1 } END { print n }')" "$total"
is "as many as script has, of each command" \
	"$(rows -s comm -g none --no-children -t '|' | awk -F '|' '{ n[$3] += $2 } END { for (c in n) print c, n[c] }' | tr -s ' ' | sort)" \
	"$(awk '{ n[$1]++ } END { for (c in n) print c, n[c] }' "$TMP/script" | sort)"

for e in raw_syscalls:sys_enter page-faults; do
	for by in none comm cpu; do
		for span in "" "--time 0,"; do
			# shellcheck disable=SC2086
			"$PERF_LITE" flamegraph -i "$f" --event "$e" --by "$by" --title one $span >"$TMP/one${span:+s}.svg" 2>"$TMP/err"
		done
		ok "flamegraph of $e by $by" grep -q "<rect" "$TMP/ones.svg"
		ok "the same by kinds" cmp "$TMP/one.svg" "$TMP/ones.svg"
	done
done

"$PERF_LITE" record -q -o "$TMP/b.data" -e raw_syscalls:sys_enter -g -- "$PROG/storm" --threads 2 2000 >"$TMP/out"
"$PERF_LITE" diff -q "$f" "$TMP/b.data" >"$TMP/alike"
"$PERF_LITE" diff -q "$f" "$TMP/b.data" --time 0, >"$TMP/one"
ok "diff: there are rows" test -s "$TMP/one"
ok "diff" cmp "$TMP/one" "$TMP/alike"
done_testing
