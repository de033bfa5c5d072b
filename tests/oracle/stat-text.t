# SPDX-License-Identifier: GPL-2.0
#
# The forms in which counts are printed, beside those of perf 6.1 that are stored (store.sh), and those of the installed perf
# (6.1 or 6.12): the same fields in the same places, whatever the numbers are. What perf 6.12 has otherwise is done to perf's here, and is
# all that differs:
#
#	-I -x	no blanks before the time
#	-j	derived values are strings
#	table	other widths of columns; names of columns in small letters
#
# and, on purpose: no "[software]" behind names with -A, and rates of events with modifiers; no blanks at the ends of lines; no "(null)"; a tool event has no rate; an aggregated
# event that is not supported has the number of its CPUs.
. tests/lib.sh
need everybody

E="task-clock,cs,page-faults,cycles"

# ours WHAT... and perf's: $TMP/ours, $TMP/perf; -o, so that a command's own words are not among them.
both()
{
	"$PERF_LITE" stat -o "$TMP/ours.raw" "$@" >/dev/null 2>&1
	perf stat -o "$TMP/perf.raw" "$@" >/dev/null 2>&1
}

# Each line where it comes first: intervals are as many as there was time for.
once() { awk '!seen[$0]++'; }

# Numbers -> 0, rates -> /sec; fields that are names stay.
csv()
{
	sed -E '/^#/d; /^$/d; s/^ +//; s/ \[software\]//' "$1" | awk -F, -v OFS=, '{
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^[0-9.]+$/) $i = "0"
			if ($i ~ /^[0-9.]+%$/) $i = "0%"
			if ($i ~ /^[KMG]?\/sec$/) $i = "/sec"
		}
		print
	}' | once
}

json()
{
	sed -E '/^#/d; /^$/d; s/ \[software\]//
		s/"(metric-value|counter-value)" : "?[0-9.]+"?/"\1" : 0/g
		s/"metric-unit" : "\(null\)"/"metric-unit" : ""/; s/"[KMG]\/sec"/"\/sec"/
		s/"(interval|variance|event-runtime|pcnt-running|aggregate-number)" : [0-9.]+/"\1" : 0/g' "$1" | once
}

# Blanks are one; times, counts and deviations are 0. Signs show where columns are. Which part of the time an event was
# counted is told where that was not all of it.
table()
{
	sed -E '/^# started/d; s/ \[software\]//; s/^(# +time) CPU /\1 cpu /; s/[ \t]+/ /g; s/ $//; s/^ //; s/#( [0-9.]+)/# N/
		s/([^A-Za-z0-9._:-]|^)[0-9][0-9,.]*/\10/g; s/[KMG]\/sec/\/sec/; s/ # N \/sec/ # 0 \/sec/; s/# N/# 0/
		s/\( \+- ?0% \)/(+-)/; s/ \(0%\)$//; /median/d' "$1" | sed -E 's/(\(\+-\)|^#? *$)//; s/ $//' | once
}

same()
{
	desc=$1 form=$2
	shift 2
	both "$@"
	$form "$TMP/ours.raw" >"$TMP/ours.txt"
	$form "$TMP/perf.raw" >"$TMP/perf.txt"
	ok "$desc: there is something" test -s "$TMP/ours.txt"
	is_file "$desc" "$TMP/ours.txt" "$TMP/perf.txt"
}

ok "perf stat was asked" grep -q '^\$ stat ' tests/oracle/stored/stat.txt
grep '^\$ stat ' tests/oracle/stored/stat.txt >"$TMP/questions"
while read -r question; do
	case $question in
	*-x*) form=csv ;;
	*-j*) form=json ;;
	*) form=table ;;
	esac
	case $question in
	*' -G '*) can cgroups || { skip_without "stored: $question" cgroups; continue; } ;;
	esac
	# shellcheck disable=SC2086
	run_ok "stored: $question" "$PERF_LITE" stat -o "$TMP/ours.raw" ${question#* stat }
	$form "$TMP/ours.raw" >"$TMP/ours.txt"
	awk -v question="$question" '/^\$ / { on = $0 == question; next } on' tests/oracle/stored/stat.txt >"$TMP/perf.raw"
	$form "$TMP/perf.raw" >"$TMP/perf.txt"
	is_file "stored: $question ($(wc -l <"$TMP/perf.txt") lines)" "$TMP/ours.txt" "$TMP/perf.txt"
done <"$TMP/questions"

need perf-known
need kallsyms
for form in csv json table; do
	case $form in
	csv) o=-x, ;;
	json) o=-j ;;
	table) o= ;;
	esac
	# a command that takes a while: perf loses the times of others
	same "$form: command" $form $o -e $E -- sleep 0.1
	same "$form: default events" $form $o -- sleep 0.1
	same "$form: -d" $form $o -d -- sleep 0.1
	if can perf-6.1; then
		same "$form: modifiers, a group" $form $o -e "{task-clock,cs:u},cycles:k" -- sleep 0.1
	else
		skip_without "$form: modifiers, a group" perf-6.1
	fi
	same "$form: system" $form $o -a -e $E -- sleep 0.1
	same "$form: CPUs" $form $o -C 0 -e $E -- sleep 0.1
	same "$form: -A" $form $o -a -A -e $E -- sleep 0.1
	for by in core socket die node; do
		same "$form: --per-$by" $form $o -a --per-$by -e $E -- sleep 0.1
	done
	same "$form: cgroups" $form $o -a -e cs,task-clock,cycles -G /,/,/ -- sleep 0.1
	[ $form = table ] || same "$form: -r" $form $o -r 3 -e task-clock,page-faults,cycles -- sleep 0.05
	same "$form: intervals" $form $o -I 50 -a -e $E -- sleep 0.2
	same "$form: intervals, -A" $form $o -I 50 -a -A -e $E -- sleep 0.2
done
same "csv: summary" csv -x, -I 50 --summary -a -e $E -- sleep 0.2
same "table: no numbers without a name" table -n -- sleep 0.1

done_testing
