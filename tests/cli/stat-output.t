# SPDX-License-Identifier: GPL-2.0
#
# The forms of output of perf-lite stat, as programs and people read them.
. tests/lib.sh
need_cmd jq
need_root

E=task-clock,cs,page-faults,cycles
stat() { "$PERF_LITE" stat "$@"; }

# ---- JSON: each line is an object, for a real parser

lines() { wc -l <"$1"; }
objects() { jq -c 'objects' "$1" 2>/dev/null | wc -l; }

numbers_or_null()
{
	jq -s 'map(select(.type == "counter")) | length > 0 and all(
		(if .state == "counted" then ["number"] else ["null"] end) ==
		([.value, .enabled_ns, .running_ns, .running_pct | type] | unique))' "$1"
}

while read -r desc args; do
	if [ "$desc" = cgroups ] && ! can cgroups; then
		skip_without "$desc" cgroups
		continue
	fi
	# shellcheck disable=SC2086
	run stat --json=v2 -o "$TMP/v2" $args -- sleep 0.05
	rc_is 0 "$desc runs"
	ok "$desc: there is something" test -s "$TMP/v2"
	is "$desc: every line is an object" "$(objects "$TMP/v2")" "$(lines "$TMP/v2")"
	is "$desc: of one of two types, the summary last" "$(jq -r .type "$TMP/v2" | uniq | xargs)" "counter summary"
	is "$desc: no number is a string" "$(jq -c 'select(.type == "counter") | [.start_ns, .end_ns, .counters] | map(type) | unique' \
		"$TMP/v2" | sort -u)" '["number"]'
	is "$desc: numbers, or null and the state" "$(numbers_or_null "$TMP/v2")" true
	run stat -j -o "$TMP/v1" $args -- sleep 0.05
	is "$desc: -j, every line is an object" "$(objects "$TMP/v1")" "$(lines "$TMP/v1")"
	unlike "$desc: -j, nothing is (null)" "$TMP/v1" 'null'
done <<END
command -e $E
groups -e {cs,task-clock},{page-faults,cs:u}
repeated -r 3 -e $E
system -a -e $E
cpus -a -A -e $E
cores -a --per-core -e $E
sockets -a --per-socket -e $E
nodes -a --per-node -e $E
threads -a --per-thread -e cs,task-clock
cgroups -a -e cs -G /
intervals -I 20 -a -e $E
END

# ---- ratios alone

M=cpus,switch-rate,fault-rate
for args in "" "-a --per-core" "-a -A" "-I 20 -a" "-a --per-thread" "-r 2"; do
	# shellcheck disable=SC2086
	run stat --metric-only --json=v2 -o "$TMP/v2" -M $M $args -- sleep 0.05
	rc_is 0 "--metric-only $args runs"
	is "$args: names and numbers" "$(jq -c 'select(.type == "metrics").metrics | [map(.name), (map(.value | type) | unique - ["null"])]' \
		"$TMP/v2" | sort -u)" '[["cpus","switch-rate","fault-rate"],["number"]]'
	# shellcheck disable=SC2086
	run stat --metric-only -j -o "$TMP/v1" -M $M $args -- sleep 0.05
	is "$args: -j, titles are keys" "$(jq -r 'keys_unsorted | join(",")' "$TMP/v1" | sed 's/.*cpus/cpus/' | sort -u)" "$M"
	# shellcheck disable=SC2086
	run stat --metric-only -x, -o "$TMP/csv" -M $M $args -- sleep 0.05
	sed -i '/^#/d; /^$/d' "$TMP/csv"
	is "$args: -x, titles come once" "$(grep -c "$M,\$" "$TMP/csv")" 1
	is "$args: -x, as many fields in each line" "$(awk -F, '{ print NF }' "$TMP/csv" | sort -u | wc -l)" 1
	# shellcheck disable=SC2086
	run stat --metric-only -o "$TMP/text" -M $M $args -- sleep 0.05
	like "$args: titles" "$TMP/text" "cpus  *switch-rate  *fault-rate\$"
done
run stat --metric-only -e cs -- touch "$TMP/ran"
rc_is 1 "--metric-only of an event without ratios"
like "is refused with what there is" "$TMP/err" '^hint: .*-M list'
ok "before anything has run" test ! -e "$TMP/ran"

run stat --json=v2 -o "$TMP/v2" -e cs,duration_time -- sh -c 'exit 3'
rc_is 3 "the command's exit status"
is "is in the summary" "$(jq -c 'select(.type == "summary") | [.exit_status, .signal]' "$TMP/v2")" "[3,null]"
is "the elapsed time is that of duration_time" "$(jq 'select(.event == "duration_time").value' "$TMP/v2")" \
	"$(jq 'select(.type == "summary").elapsed_ns' "$TMP/v2")"
run stat --json=v2 -o "$TMP/v2" -e cs -- sh -c 'kill -9 $$'
rc_is 137 "killed"
is "and by which signal" "$(jq -c 'select(.type == "summary") | [.exit_status, .signal]' "$TMP/v2")" "[null,9]"
is "all that is known of a run" "$(jq -r 'select(.type == "summary") | keys | join(" ")' "$TMP/v2")" \
	"elapsed_ns exit_status maxrss_kb signal sys_ns type user_ns"

run stat --json=v2 -o "$TMP/v2" -r 4 -e page-faults -- true
is "runs are counted" "$(jq -c '.runs' "$TMP/v2" | xargs)" "4 4"
is "their middle is between their ends" "$(jq -c 'select(.event) | .min <= .median and .median <= .max and
	.min <= .value and .value <= .max and .mad >= 0 and .stddev_pct >= .stderr_pct' "$TMP/v2")" true

run stat --json=v2 -o "$TMP/v2" -I 20 --summary -a -e cs -- sleep 0.1
is "intervals follow one another" "$(jq -s '[.[] | select(.type == "counter" and (.summary | not))] |
	[.[1:], .[:-1]] | transpose | all(.[0].start_ns == .[1].end_ns)' "$TMP/v2")" true
is "the summary is their sum" "$(jq -s 'map(select(.type == "counter")) |
	(map(select(.summary | not).value) | add) == (map(select(.summary).value) | add)' "$TMP/v2")" true

# ---- names from outside

cp "$(command -v sleep)" "$TMP/a,\"b
c"
"$TMP/a,\"b
c" 5 &
pid=$!
at_exit kill $pid '2>/dev/null'
wait_for 5 grep -q '^a,"b' "/proc/$pid/comm"
run stat --json=v2 -o "$TMP/v2" --per-thread -p $pid -e cs -- sleep 0.01
is "a name with a quote, a comma and a line feed: JSON" "$(jq -c 'select(.event).comm' "$TMP/v2")" '"a,\"b\nc"'
run stat -j -o "$TMP/v1" --per-thread -p $pid -e cs -- sleep 0.01
is "the same with perf's keys" "$(jq -c '.thread' "$TMP/v1")" "\"a,\\\"b\\nc-$pid\""
run stat -x, -o "$TMP/csv" --per-thread -p $pid -e cs -- sleep 0.01
is "CSV: one line, quoted" "$(grep -c "^\"a,\"\"b.x0ac-$pid\",0,,cs," "$TMP/csv")" 1
run stat -o "$TMP/text" --per-thread -p $pid -e cs -- sleep 0.01
is "the table: one line" "$(grep -c "a,\"b.x0ac-$pid  *0  *cs$" "$TMP/text")" 1

# ---- the table

run stat -e $E -- sleep 0.05
is "no line ends in blanks" "$(grep -c ' $' "$TMP/err")" 0
like "perf's title" "$TMP/err" "^ Performance counter stats for 'sleep 0.05':$"
like "what is not supported is not 0" "$TMP/err" '^ *<not supported> *cycles$'
like "user time" "$TMP/err" '^ *[0-9.]* seconds user$'
run stat -v -e cycles -- true
like "-v says why" "$TMP/err" '^cycles: <not supported>: .*(No such file|not supported)'
run stat -e $E -a -- sleep 0.05
unlike "a command's times are not those of the system" "$TMP/err" 'seconds user'
run stat -r 3 --table -e cs -- true
is "--table: each run" "$(grep -c '^ *[0-9.]* ([+-][0-9.]*) #' "$TMP/err")" 3
like "the median beside the mean" "$TMP/err" 'median and median absolute deviation$'

run stat -n -- true
is "no counts, and one empty line before the time" "$(sed -n '4s/[0-9.]//gp' "$TMP/err" | xargs)" "seconds time elapsed"

run stat -I 20 -e cs -a -- sleep 1.2
is "the names of columns every 25 intervals" "$(grep -n '^#' "$TMP/err" | cut -d: -f1 | head -n 2 | xargs)" "1 27"

# ---- big numbers and colours

run stat -e page-faults -- "$PROG/faults" 20000
like "no separators in a file" "$TMP/err" '^ *2[0-9]{4} +page-faults'
run stat -B -e page-faults -- "$PROG/faults" 20000
like "not even with -B" "$TMP/err" '^ *2[0-9]{4} +page-faults'
unlike "no colour either" "$TMP/err" '\['
if command -v script >/dev/null; then
	TERM=xterm script -qec "'$PERF_LITE' stat -e page-faults,cycles -- '$PROG/faults' 20000" /dev/null \
		</dev/null >"$TMP/tty" 2>&1
	like "separators on a terminal" "$TMP/tty" '^ *2[0-9],[0-9]{3} +page-faults'
	like "and colour" "$TMP/tty" '\[[0-9;]*m *<not supported>'
	TERM=xterm NO_COLOR=1 script -qec "'$PERF_LITE' stat --no-big-num -e page-faults,cycles -- '$PROG/faults' 20000" \
		/dev/null </dev/null >"$TMP/tty" 2>&1
	like "unless unwanted" "$TMP/tty" '^ *2[0-9]{4} +page-faults'
	unlike "likewise colour" "$TMP/tty" '\['
else
	skip_without "a terminal" script
fi

# ---- metrics

run stat --metric list
rc_is 0 "--metric list"
like "what every machine can measure" "$TMP/out" '^ *cpus .*\[task-clock,duration_time\]$'
like "is listed" "$TMP/out" '^ *fault-rate '
run "$PERF_LITE" list hw
if [ $rc -ne 0 ]; then
	"$PERF_LITE" stat --metric list >"$TMP/out"
	unlike "what this machine cannot is not" "$TMP/out" '(instructions|cycles|branches)'
	run stat --metric ipc -- true
	rc_is 2 "nor measured"
	like "and it says for want of what" "$TMP/err" "no counter for instructions"
	is "nothing was run" "$(grep -c 'elapsed' "$TMP/err")" 0
fi
for metric in $("$PERF_LITE" stat --metric list | awk '{ print $1 }'); do
	run stat --metric "$metric" --json=v2 -o "$TMP/v2" -- "$PROG/faults" 100
	is "$metric" "$(jq -c "select(.type == \"counter\") | .derived[] | select(.name == \"$metric\") | .value | type" "$TMP/v2")" \
		'"number"'
done
run stat --metric switch-rat -- true
rc_is 1 "a metric that there is not"
like "one like it is named" "$TMP/err" "did you mean 'switch-rate'"
run stat --metric cpus, -- true
rc_is 1 "an empty name"


# ---- "-" is standard output, and no file of that name

program=$(realpath "$PERF_LITE")
for form in --json=v2 -x, --append; do
	run_ok "$form -o -" sh -c 'cd "$1" && "$2" stat "$3" -e cs -o - -- true' sh "$TMP" "$program" "$form"
	like "the counts are on standard output" "$TMP/out" cs
	is "alone" "$(cat "$TMP/err")" ""
	unlike "no file says when it was made" "$TMP/out" started
	ok "nor is there one" test ! -e "$TMP/-"
done


# ---- a file system that says only at the end that there is no room (NFS)

if can strace && can debugger; then
	: >"$TMP/full"
	run strace -qq -o "$TMP/strace" -P "$TMP/full" -e trace=close -e inject=close:error=EDQUOT \
		"$PERF_LITE" stat -e cs -o "$TMP/full" -- true
	rc_is 3 "a file that cannot be closed is not whole"
	like "and it says why" "$TMP/err" "cannot write the counts: Disk quota exceeded"
else
	skip_without "a file that cannot be closed" strace debugger
fi
done_testing
