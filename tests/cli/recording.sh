# SPDX-License-Identifier: GPL-2.0
#
# recording.sh - for tests that look at a recording while it runs; read in after tests/lib.sh.
#
#   $f                      the file, $TMP/a.data
#   record_start ARG...     "$PERF_LITE record -o $f ARG..." in the background, until it records:
#                           $recorder, $guard (its guardian, empty if there is none), $TMP/rec.err
#   record_calls ARG...     the same, of storm's calls, for everybody
#   record_end [SIGNAL]     end it (INT), wait for it: $rc
#   record_ready            for a recorder that was started otherwise: $recorder records; sets $guard
#   guard_wait              until the guardian has ended
#   $STORM                  a copy of storm with a name of its own; $filter lets its calls through
#   storm_start ARG...      it in the background, ready: $storm, $TMP/storm.out
#   storm_go, storm_wait    let it begin; wait until its calls are made (it then ends)
#   samples [FILE]          how many "script" prints
#   closing WORD            of the closing line: samples or lost
#   numbers [FILE]          the calls' numbers, as recorded, one a line
#   missing FROM TO         how many of these numbers are not in $TMP/numbers; doubled: how many
#                           are there twice; first, last: the lowest, the highest (-1: none)
#   verified DESC [FILE]    "verify" finds it whole, and its account closes
#   nobody_left             no guardian of these recordings runs any more

f=$TMP/a.data
number=$("$PROG/storm" --number)
# A name that no other test's storm has at the same time.
STORM=$TMP/storm-$$
cp "$PROG/storm" "$STORM"
filter="id == $number && comm == \"storm-$$\""
recorder='' guard='' storm='' guards=''

recording_end()
{
	for p in $recorder $storm; do
		kill -KILL "$p" 2>/dev/null
	done
	:
}
at_exit recording_end

# A process that has ended counts as gone even if nobody has waited for it yet.
alive()
{
	grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
}

recording_or_gone()
{
	grep -q 'recording' "$TMP/rec.err" || ! alive $recorder
}

record_ready()
{
	wait_for 20 recording_or_gone
	grep -q 'recording' "$TMP/rec.err" || diag_file "$TMP/rec.err"
	guard=$(pgrep -P "$recorder" -x perf-lite-guard)
	guards="$guards $guard"
}

record_start()
{
	# what an older recorder said is not to be taken for this one's
	rm -f "$TMP/rec.err"
	: >"$TMP/rec.err"
	"$PERF_LITE" record -o "$f" "$@" >"$TMP/rec.out" 2>"$TMP/rec.err" </dev/null &
	recorder=$!
	record_ready
}

record_calls()
{
	record_start "$@" -e raw_syscalls:sys_enter --filter "$filter" -a
}

record_end()
{
	kill -"${1:-INT}" $recorder 2>/dev/null
	record_wait
}

record_wait()
{
	rc=0
	wait $recorder 2>/dev/null || rc=$?
	recorder=''
	cp "$TMP/rec.err" "$TMP/err"
}

guard_wait()
{
	[ -z "$guard" ] || wait_for 60 not alive "$guard"
}

storm_start()
{
	rm -f "$TMP/go"
	mkfifo "$TMP/go"
	exec 8<>"$TMP/go"
	: >"$TMP/storm.out"
	"$STORM" --wait "$@" <&8 >"$TMP/storm.out" 2>&1 &
	storm=$!
	wait_for 20 grep -q ready "$TMP/storm.out"
}

storm_go()
{
	echo >&8
}

storm_wait()
{
	wait $storm
	storm=''
	exec 8>&-
}

storm_run()
{
	storm_start "$@"
	storm_go
	storm_wait
}

samples()
{
	"$PERF_LITE" script -q -G -F time -i "${1:-$f}" 2>/dev/null | wc -l
}

closing()
{
	sed -n "s/^perf-lite record: .*\\b\\([0-9][0-9]*\\) ${1%s}s*\\b.*/\\1/p" "${2:-$TMP/err}"
}

numbers()
{
	"$PERF_LITE" script -q -G -F trace -i "${1:-$f}" 2>/dev/null |
		perl -ne "print hex(\$1), \"\\n\" if /^ *NR $number \\(([0-9a-f]+),/" >"$TMP/numbers"
	wc -l <"$TMP/numbers"
}

missing()
{
	awk -v from="$1" -v to="$2" '$1 >= from && $1 <= to && !s[$1]++ { n++ } END { print to - from + 1 - n }' "$TMP/numbers"
}

first()
{
	awk 'NR == 1 || $1 < n { n = $1 } END { print NR ? n : -1 }' "$TMP/numbers"
}

last()
{
	awk '$1 > n { n = $1 } END { print NR ? n + 0 : -1 }' "$TMP/numbers"
}

doubled()
{
	sort "$TMP/numbers" | uniq -d | wc -l
}

verified()
{
	run "$PERF_LITE" verify "${2:-$f}"
	[ $rc -eq 0 ] || diag_file "$TMP/out"
	rc_is 0 "$1"
}

nobody_left()
{
	for p in $guards; do
		! alive "$p" || return 1
	done
}
