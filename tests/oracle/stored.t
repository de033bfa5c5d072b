# SPDX-License-Identifier: GPL-2.0
#
# What perf 6.1 and 6.12 printed of the recordings in tests/oracle/stored, byte for byte, on a machine with any perf or none:
# store.sh beside this file made them.
. tests/lib.sh
stored=tests/oracle/stored

# the program and its source, where they were recorded
mkdir -p "$TMP/root/mnt"
cp "$stored/load" "$stored/load.c" "$TMP/root/mnt"
export HOME="$TMP" TZ=UTC

# answer FILE VERSION COMMAND OPTION...: in $TMP/out
answer()
{
	file=$1 version=$2 command=$3
	shift 3
	case $command in
	script | report) set -- --compat="$version" --symfs "$TMP/root" --kallsyms "$stored/kallsyms" "$@" ;;
	esac
	run "$PERF_LITE" "$command" -i "$file" "$@"
}

# even NAME COMMAND FILE: without when the recording was last changed, which the texts do not tell; empty lines at the end of
# a report; of the rare records, the samples that perf 6.1 does not count as lost
even()
{
	sed -i '/^# captured on /d' "$3"
	[ "$1" != rare ] || sed -i '/^# Total Lost Samples: /d' "$3"
	[ "$2" != report ] || sed -i -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}' "$3"
}

# text TEXTS QUESTION: its answer
text()
{
	awk -v question="\$ $2" '/^[$=] / { on = $0 == question; next } on' "$1"
}

# compare NAME VERSION TEXTS
compare()
{
	grep '^[$=] ' "$3" >"$TMP/questions"
	ok "$1: perf $2 was asked" test -s "$TMP/questions"
	while read -r sign question; do
		case $sign in
		=) text "$stored/$1.txt" "$question" >"$TMP/want" ;;
		*) text "$3" "$question" >"$TMP/want" ;;
		esac
		set -f
		# shellcheck disable=SC2086
		answer "$stored/$1.perf" "$2" $question
		set +f
		is "$1: $question: status" "$rc" 0
		even "$1" "${question%% *}" "$TMP/want"
		even "$1" "${question%% *}" "$TMP/out"
		is_file "$1: $question: perf $2 ($(wc -l <"$TMP/want") lines)" "$TMP/out" "$TMP/want"
		[ -s "$TMP/want" ] || fail "$1: $question: there is an answer"
	done <"$TMP/questions"
}

# converted NAME: to perf.data once more, where script's answers are the same, but for the header
converted()
{
	run_ok "$1: converts" "$PERF_LITE" convert -q --to perf.data -i "$stored/$1.perf" -o "$TMP/$1.converted"
	while read -r _ question; do
		case $question in
		*--header*) continue ;;
		script*) ;;
		*) continue ;;
		esac
		text "$stored/$1.txt" "$question" >"$TMP/want"
		set -f
		# shellcheck disable=SC2086
		answer "$TMP/$1.converted" 6.1 $question
		set +f
		is_file "$1: $question: of the converted file" "$TMP/out" "$TMP/want"
	done <"$TMP/questions"
}

for recording in "$stored"/*.perf; do
	name=$(basename "$recording" .perf)
	compare "$name" 6.1 "$stored/$name.txt"
	converted "$name"
	[ ! -e "$stored/$name.6.12.txt" ] || compare "$name" 6.12 "$stored/$name.6.12.txt"
done
done_testing
