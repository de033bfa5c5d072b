# SPDX-License-Identifier: GPL-2.0
#
# perf's own recordings in every shape: file, stream, compressed, directory, through pipes, killed,
# cut and damaged. The text is perf's (script --compat).
#
#   MUTATIONS=10000 CUTS=500    how many damaged files to read (default: as many as take seconds)

. tests/lib.sh
need_root
need perf-known
need_event skb:kfree_skb

: "${MUTATIONS:=60}" "${CUTS:=20}"

compat=$(perf_compat)
EVENTS="-e skb:kfree_skb,sched:sched_switch,cpu-clock"

# as_perf DESC FILE: the same text as perf's, exit 0, and samples at all.
as_perf()
{
	perf script -i "$2" >"$TMP/want" 2>/dev/null
	run "$PERF_LITE" script --compat=$compat -q -i "$2"
	rc_is 0 "$1: read"
	like "$1: has samples" "$TMP/want" kfree_skb
	as_known_to_both "$TMP/out" "$TMP/want"
	is_file "$1: the text is perf's" "$TMP/out" "$TMP/want"
}

# record FILE OPTIONS...
record()
{
	out=$1
	shift
	# shellcheck disable=SC2086
	perf record -q $EVENTS -g "$@" -o "$out" -- "$PROG/drops" --udp 20 --tcp 5 >/dev/null \
		2>"$TMP/perf.err" || diag_file "$TMP/perf.err"
}

cd "$TMP" || exit 1
record file.data
record z.data -z
record dir.data --threads
record dirz.data --threads -z
# shellcheck disable=SC2086
perf record -q $EVENTS -g -o - -- "$PROG/drops" --udp 20 >stream.data 2>/dev/null
# shellcheck disable=SC2086
perf record -q $EVENTS -g -z -o - -- "$PROG/drops" --udp 20 >streamz.data 2>/dev/null

as_perf "a file" file.data
as_perf "compressed" z.data
as_perf "a directory" dir.data
as_perf "a directory, compressed" dirz.data
as_perf "a stream in a file" stream.data
as_perf "a compressed stream" streamz.data

# Through pipes and redirections, perf's refusals included.
"$PERF_LITE" script --compat=$compat -q -i file.data >want
"$PERF_LITE" script --compat=$compat -q -i - <file.data >got
is_file "a file on standard input" got want
cat file.data | "$PERF_LITE" script --compat=$compat -q -i - >got
is_file "a file through a pipe" got want
# more than one piece of it is copied
{ cat file.data && head -c 600000 /dev/zero; } | timeout -s KILL 60 "$PERF_LITE" script --compat=$compat -q -i - >got
is_file "a large file through a pipe" got want
cat z.data | "$PERF_LITE" script --compat=$compat -q -i - >got
perf script -i z.data >want 2>/dev/null
as_known_to_both got want
is_file "a compressed file through a pipe" got want
perf script -i streamz.data >want 2>/dev/null
cat streamz.data | "$PERF_LITE" script --compat=$compat -q -i - >got
as_known_to_both got want
is_file "a stream through a pipe" got want
perf record -q -e skb:kfree_skb -o - -- "$PROG/drops" --udp 20 2>/dev/null |
	"$PERF_LITE" script -q -i - >got
is "perf record piped into script" "$(grep -c NO_SOCKET got)" 20
cat file.data | TMPDIR=/no/such/folder "$PERF_LITE" script -i - >got 2>err
is "nowhere to keep it: exit status" $? 1
like "and a hint" err 'TMPDIR='
mkdir empty.dir
run "$PERF_LITE" script -i empty.dir
rc_is 1 "a directory without recording"
like "is named" err "empty.dir is a directory, and there is no recording"

# Killed: sizes, features and formats were never written.
perf record -q -e skb:kfree_skb -g -a -o killed.data -- sleep 60 >/dev/null 2>&1 &
pid=$!
killed_size()
{
	[ "$(stat -c %s killed.data 2>/dev/null || echo 0)" -gt "$1" ]
}
wait_for 10 killed_size 200
before=$(stat -c %s killed.data)
sleep 1
"$PROG/drops" --udp 2000 >/dev/null
wait_for 10 killed_size "$before"
"$PROG/drops" --udp 2000 >/dev/null
sleep 1
child=$(pgrep -P $pid sleep)
kill -9 $pid
wait $pid 2>/dev/null
kill "$child"
run "$PERF_LITE" script -i killed.data
rc_is 3 "perf killed: the rest is missing"
like "all that it wrote is there" out 'skb:kfree_skb: .*NO_SOCKET'
like "as the running kernel names it" err 'those of the running kernel are used'
like "and it is said" err 'killed.data was not finished by its recorder'

# Cut anywhere: no sample that is there is lost, and it is said.
whole=$("$PERF_LITE" script -q -G -i file.data | wc -l)
bad=0 last=0 i=1
while [ $i -lt "$CUTS" ]; do
	"$PROG/mutate" --cut $i "$CUTS" file.data >cut.data
	timeout 20 "$PERF_LITE" script -G -i cut.data >got 2>err
	rc=$?
	n=$(wc -l <got)
	case $rc in
	1) [ "$n" -eq 0 ] || bad=$((bad + 1)) ;;
	3) [ "$n" -ge $last ] || bad=$((bad + 1)) ;;
	*) bad=$((bad + 1)) ;;
	esac
	grep -q '^perf-lite: ' err || bad=$((bad + 1))
	last=$n
	i=$((i + 1))
done
is "cut at $CUTS places: exit 3, and as many samples as there are" $bad 0
is "in the end all are there" "$last" "$whole"

# Damaged anywhere: it ends by itself, with a message wherever the exit status says so.
bad='' i=0
set -- file.data z.data stream.data streamz.data killed.data
while [ $i -lt "$MUTATIONS" ]; do
	"$PROG/mutate" $i "$1" >mutated.data
	timeout 20 "$PERF_LITE" script --symfs=/nowhere -i mutated.data >got 2>err
	rc=$?
	case $rc in
	0) ;;
	1 | 3) grep -q '^perf-lite: ' err || bad="$bad $1:$i:silent" ;;
	*) bad="$bad $1:$i:$rc" ;;
	esac
	set -- "$2" "$3" "$4" "$5" "$1"
	i=$((i + 1))
done
is "$MUTATIONS files with changes: none crashes or hangs" "$bad" ""

# Damage in the middle: what stands behind it is read, and the place is named. It is the header of
# the second record, the mapping of the kernel.
number()
{
	od -An -t "u$2" -j "$1" -N "$2" file.data | tr -d ' '
}
data=$(number 40 8)
second=$((data + $(number $((data + 6)) 2)))
cp file.data middle.data
printf '\0\0\0\0\0\0\0\0' | dd of=middle.data bs=1 seek=$second conv=notrunc 2>/dev/null
run "$PERF_LITE" script -G -i middle.data
rc_is 3 "damaged in the middle"
like "where, and how much" err "middle.data is damaged: [0-9]+ bytes passed over from byte $second on"
is "all samples are there" "$(wc -l <out)" "$whole"

# A record that is whole but for what is in it: the length of the third call chain
perf record -q -e cpu-clock -g -o misfit.data -- "$PROG/spin" 30 >/dev/null 2>&1
# shellcheck disable=SC2016
at=$(perl -e 'open F, "+<:raw", "misfit.data"; read F, $h, 104; ($at, $size) = unpack "Q<Q<", substr $h, 40, 16;
	for ($end = $at + $size; $at < $end; $at += $len) {
		seek F, $at, 0; read F, $r, 8; ($type, $misc, $len) = unpack "L<S<S<", $r;
		next if $type != 9 || ++$n < 3;
		seek F, $at + 40, 0; print F "\xff" x 8; print $at; last }')
run "$PERF_LITE" script -i misfit.data
rc_is 3 "a call chain that is longer than its record"
like "which is left out, and where it is" "$TMP/err" "1 record does not fit its event and was left out, at byte $at$"
like "the others are printed" "$TMP/out" 'leaf'

# Records of an event that the file does not have: its ids stand in the tables in front of the data
perf record -q -e cpu-clock -e page-faults -c 1 -o stranger.data -- "$PROG/spin" 30 >/dev/null 2>&1
perl -e 'open F, "+<:raw", "stranger.data"; read F, $h, 104; ($size, $at) = unpack "Q<Q<", substr $h, 16, 16;
	seek F, $at + 2 * $size - 16, 0; read F, $r, 16; ($at, $size) = unpack "Q<Q<", $r;
	seek F, $at, 0; print F "\xee" x $size'
for command in script "report --stdio"; do
	# shellcheck disable=SC2086
	run "$PERF_LITE" $command -i stranger.data
	rc_is 3 "$command: an event that is not known"
	like "how many records it has" "$TMP/err" "[0-9]+ records? do(es)? not fit"
done

# Lists of a file that was cut say so, too
head -c $(($(wc -c <file.data) / 2)) file.data >half.data
run "$PERF_LITE" buildid-list -i half.data
rc_is 3 "buildid-list of half a file"
like "what is missing" "$TMP/err" "^perf-lite: half.data"
run "$PERF_LITE" buildid-list -i file.data
rc_is 0 "buildid-list of the whole file"
run "$PERF_LITE" evlist -i half.data
rc_is 3 "evlist of half a file"

done_testing
