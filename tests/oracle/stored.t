# SPDX-License-Identifier: GPL-2.0
#
# What perf 6.1 printed of the recordings in tests/oracle/stored, byte for byte, on a machine with any perf or none: store.sh
# beside this file made both.
. tests/lib.sh
stored=tests/oracle/stored

# the program and its source, where they were recorded
mkdir -p "$TMP/root/mnt"
cp "$stored/load" "$stored/load.c" "$TMP/root/mnt"
export HOME="$TMP" TZ=UTC

# answer NAME COMMAND OPTION...
answer()
{
	file=$stored/$1.perf command=$2
	shift 2
	case $command in
	script) run "$PERF_LITE" script -q --compat=6.1 -i "$file" --symfs "$TMP/root" --kallsyms "$stored/kallsyms" "$@" ;;
	report) run "$PERF_LITE" report --compat=6.1 -i "$file" --symfs "$TMP/root" --kallsyms "$stored/kallsyms" "$@" ;;
	*) run "$PERF_LITE" "$command" -i "$file" "$@" ;;
	esac
}

# even FILE: without when the recording was last changed; empty lines at the end; lost samples of the recording of rare records,
# of which perf counts lost chunks for nothing
even()
{
	sed -i '/^# captured on /d' "$1"
	[ "$name" != rare ] || sed -i '/^# Total Lost Samples: /d' "$1"
	sed -i -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}' "$1"
}

for texts in "$stored"/*.txt; do
	name=$(basename "$texts" .txt)
	# each question a line, its answer in a file
	awk -v to="$TMP/want" '/^\$ / { close(text); text = to "." ++nr; print substr($0, 3); next } { print >text }' "$texts" >"$TMP/questions"
	ok "$name: there are questions" test -s "$TMP/questions"
	nr=0
	while read -r question; do
		nr=$((nr + 1))
		want=$TMP/want.$nr
		set -f
		# shellcheck disable=SC2086
		answer "$name" $question
		set +f
		is "$name: $question: status" "$rc" 0
		even "$TMP/out"
		even "$want"
		is_file "$name: $question ($(wc -l <"$want") lines)" "$TMP/out" "$want"
	done <"$TMP/questions"
done
done_testing
