# SPDX-License-Identifier: GPL-2.0
#
# The columns of script, made here by the rules of perf 6.12 and of 6.1: a program whose addresses are known stops at a breakpoint.
. tests/lib.sh
need_root
need breakpoints cc nm

program=$TMP/watched
cc -O0 -no-pie -fno-omit-frame-pointer -o "$program" tests/oracle/matrix/watched.c || exit 1
touch=$(nm "$program" | awk '$3 == "touch" { print "0x" $1 }')
event=mem:$touch:x
run "$PERF_LITE" record -q -o "$TMP/d" -e "$event" -c 1 -g -- "$program"
rc_is 0 "records calls"
run_ok "fields" "$PERF_LITE" script -q -G -i "$TMP/d" -F pid,tid,cpu,time
is "every call is there" "$(wc -l <"$TMP/out")" 40
first=$(sed 1q "$TMP/out" | tr '/[]:' '    ')
name=$(printf 'mem:0x%016x:x' "$touch")

# header COMM-FORMAT IDS-FORMAT with the ids that are printed in $ids, and $cpu in brackets
header()
{
	echo "$first" | awk -v comm="$1" -v ids="$2" -v name="$name" -v both="$both" '{
		printf comm " ", "watched"
		if (both) printf ids " ", $1, $2
		else printf ids " ", $2
		printf "[%03d] %12s: %10u %s: ", $3, $4, 1, name
	}'
}

# the first sample of script OPTIONS is $TMP/want
first_is()
{
	desc=$1
	shift
	"$PERF_LITE" script -q -i "$TMP/d" -F +cpu "$@" 2>"$TMP/err" | sed "$(wc -l <"$TMP/want")q" >"$TMP/got"
	is_file "$desc" "$TMP/got" "$TMP/want"
}

frame=$(printf '%16x' "$touch")
offset=$(printf '%16x' $((touch - 0x400000)))
both=
for as in '' --compat=6.12; do
	{ header %s %7d; printf '\n\t%s touch+0x0 (%s)\n' "$frame" "$program"; } >"$TMP/want"
	first_is "a call chain: ${as:-default}" $as
	{ header %16s %7d; printf ' %s touch+0x0 (%s)\n' "$frame" "$program"; } >"$TMP/want"
	first_is "one line: ${as:-default}" $as -G
done
{ header %s %5d; printf '\n\t%s touch+0x0 (%s)\n' "$offset" "$program"; } >"$TMP/want"
first_is "a call chain: 6.1 shows where in the file" --compat=6.1
{ header %16s %5d; printf ' %s touch+0x0 (%s)\n' "$frame" "$program"; } >"$TMP/want"
first_is "one line: 6.1 shows the address" --compat=6.1 -G
both=1
{ header %s %7d/%-7d; printf '\n\t%s touch+0x0 (%s)\n' "$frame" "$program"; } >"$TMP/want"
first_is "process and thread: 6.12" --compat=6.12 -F +pid
{ header %16s %5d/%-5d; printf ' %s touch+0x0 (%s)\n' "$frame" "$program"; } >"$TMP/want"
first_is "process and thread: 6.1" --compat=6.1 -G -F +pid
both=
{ header %s %7d; printf '\n\t%s touch+0x0 (%s+0x%x)\n' "$frame" "$program" $((touch - 0x400000)); } >"$TMP/want"
first_is "with the place in the file: 6.12" --compat=6.12 -F +dsoff
done_testing
