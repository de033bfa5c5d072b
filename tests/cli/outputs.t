# SPDX-License-Identifier: GPL-2.0
#
# Where commands write to: one rule for links, and one for outputs that nobody reads.
. tests/lib.sh
need_root
f=$TMP/data
# A link stands for the file that it names, which is written; the link stays

mkdir "$TMP/far" "$TMP/far/folder"
run_ok "a recording" "$PERF_LITE" record -q -o "$f" -e cpu-clock -- "$PROG/spin" 100
# link_output NAME COMMAND...: it is to write to $out
link_output()
{
	local name=$1 there
	shift
	for there in existing missing folder circle; do
		out=$TMP/$name-$there
		ln -s "far/$name-$there" "$out"
		case $there in
		existing) echo precious >"$TMP/far/$name-$there" ;;
		folder) mkdir "$TMP/far/$name-$there" ;;
		circle) ln -sf "$name-circle" "$out" ;;
		esac
		run "$@" "$out"
		case $there in
		folder | circle) ok "$name: not to a $there" test $rc -gt 0 ;;
		*) ok "$name: what a link names, $there" grep -qv precious "$TMP/far/$name-$there" ;;
		esac
		ok "the link stays" test -L "$out"
	done
}
link_output record "$PERF_LITE" record -q -a -e cpu-clock --duration 50ms -o
link_output pack "$PERF_LITE" pack -q "$f" -o
link_output csv "$PERF_LITE" convert -q --to csv -i "$f" -o
link_output perfdata "$PERF_LITE" convert -q --to perf.data -i "$f" -o
link_output svg "$PERF_LITE" flamegraph -i "$f" -o
link_output stat "$PERF_LITE" stat -a -e cs --timeout 50 -o
is "what was there is kept beside it" "$(cat "$TMP/far/record-existing.old" "$TMP/far/pack-existing.old")" "precious
precious"
run_ok "a file of its own at each size" "$PERF_LITE" record -q -a -e cpu-clock -F 20000 --duration 400ms --switch-output=100ms -o "$TMP/record-existing"
ok "beside the file, too" test "$(ls "$TMP/far" | grep -c '^record-existing\.2')" -gt 0
is "and not beside the link" "$(ls "$TMP" | grep -c '^record-existing\.')" 0

# What /dev/stdout and >(...) of a shell are: links whose text is no name

run_ok "record -o /dev/stdout" sh -c "'$PERF_LITE' record -q -e cpu-clock -o /dev/stdout -- true | cat >'$TMP/through'"
run_ok "is a recording" "$PERF_LITE" verify "$TMP/through"
run_ok "pack -o /dev/stdout" sh -c "'$PERF_LITE' pack -q -o /dev/stdout '$f' | cat >'$TMP/through'"
run_ok "is one" "$PERF_LITE" verify "$TMP/through"

# A pipe or a device is written, and never renamed

mkfifo "$TMP/pipe"
for how in --switch-output=100ms --switch-output=signal '--keep-last 1s' --overwrite; do
	# shellcheck disable=SC2086
	run timeout 20 "$PERF_LITE" record -q -e cpu-clock -o "$TMP/pipe" $how -- true
	rc_is 1 "$how to a FIFO is refused"
	like "which is named" "$TMP/err" "cannot write several files to $TMP/pipe"
done
mkfifo "$TMP/ctl"
cat "$TMP/pipe" >"$TMP/through" &
reader=$!
"$PERF_LITE" record -q -e cpu-clock -o "$TMP/pipe" --control "fifo:$TMP/ctl" -a 2>"$TMP/err" &
recorder=$!
echo snapshot >"$TMP/ctl"
wait_for 20 grep -q snapshot "$TMP/err"
echo stop >"$TMP/ctl"
wait $recorder
wait $reader
ok "a snapshot leaves it where it is" test -p "$TMP/pipe"
is "alone" "$(ls "$TMP" | grep -c '^pipe')" 1
run_ok "what came through is a recording" "$PERF_LITE" verify "$TMP/through"
cat "$TMP/pipe" >"$TMP/through" &
reader=$!
run_ok "call chains are not read again from it" timeout -k 1 30 "$PERF_LITE" record -g -e cpu-clock -o "$TMP/pipe" -- "$PROG/spin" 50
wait $reader

# The closing line tells of all files. With no inode left for another one, the file stays in use, nothing is missing, and
# the exit status says that there are not as many as there should be.

run_ok "several files" "$PERF_LITE" record -a -e cpu-clock -F 20000 --duration 600ms --switch-output=100ms -o "$TMP/several"
earlier=$(ls "$TMP" | grep -c '^several\.2')
like "are counted" "$TMP/err" " in .*/several and $earlier earlier files?$"
size=$(cat "$TMP/several" "$TMP"/several.2* | wc -c)
is "and so are their bytes" "$(sed -n 's/.* lost.*, \([0-9.]*\) KiB in .*/\1/p' "$TMP/err")" \
	"$(awk -v n="$size" 'BEGIN { printf "%.1f", n / 1024 }')"
if can mounts; then
	mkdir "$TMP/small"
	run_ok "no inode is left for another file" unshare -m sh -c "mount -t tmpfs -o size=8m,nr_inodes=3 none '$TMP/small' &&
		{ '$PERF_LITE' record -e raw_syscalls:sys_enter --switch-output=100ms -o '$TMP/small/data' -- '$PROG/storm' --seconds 1 1000
		[ \$? = 3 ]; } && ls '$TMP/small' >&2 && cat '$TMP'/small/data.2* >'$TMP/first' && cat '$TMP/small/data' >'$TMP/last'"
	like "is said" "$TMP/err" "small/data stayed in use although it was time to switch: .*No space left on device"
	is "one file before it" "$(grep -c '^data\.2' "$TMP/err")" 1
	number=$("$PROG/storm" --number)
	is "each call is in one of them" "$(for i in "$TMP/first" "$TMP/last"; do
		"$PERF_LITE" script -q -G -F trace -i "$i"; done | grep -c "NR $number ")" 1000
else
	skip_without "no inode left" mounts
fi

# Standard output that takes nothing is 3; a reader that has gone is no failure of the command

while read -r words; do
	# shellcheck disable=SC2086
	set -- "$PERF_LITE" $words
	rc=0
	timeout 60 "$@" >&- 2>"$TMP/err" </dev/null || rc=$?
	rc_is 3 "closed: $words"
	like "is said" "$TMP/err" '^perf-lite: .*standard output'
	rc=0
	timeout 60 "$@" >/dev/full 2>"$TMP/err" </dev/null || rc=$?
	rc_is 3 "full: $words"
	like "is said" "$TMP/err" '^perf-lite: cannot write (to )?standard output: No space'
	{
		sleep 0.1
		rc=0
		timeout 60 "$@" 2>"$TMP/err" </dev/null || rc=$?
		echo $rc >"$TMP/rc"
	} | true
	case $words in
	trace* | drops*) is "unread, it ends well: $words" "$(cat "$TMP/rc")" 0 ;;
	*) is "unread, SIGPIPE ends it: $words" "$(cat "$TMP/rc")" 141 ;;
	esac
	unlike "without a message" "$TMP/err" '^perf-lite'
done <<EOF
script -i $f
script --json -i $f
script --header-only -i $f
report -i $f
report --csv -i $f
report --stats -i $f
flamegraph -i $f
flamegraph --timeline -i $f
diff $f $f
evlist -i $f
buildid-list -i $f
verify $f
list sw
check
count -i $f --by comm
count -e cs -- true
convert -q --to csv -i $f -o -
convert -q --to perf.data -i $f -o -
convert -q --to pprof -i $f -o -
pack -q -o - $f
trace -a -e sched:sched_switch --duration 1
drops -I 0.1 --duration 1 --json
--help
report --help
--version
EOF
run sh -c "'$PERF_LITE' convert -q --to csv -i '$f' -o '$TMP/none/x' >&-"
rc_is 1 "what cannot be created is wrong usage"

# What a command prints is not among data on standard output; a table at the end, as JSON too, leaves it where it is

while read -r words; do
	eval "set -- $words"
	run_ok "a command that prints: $words" "$PERF_LITE" "$@" -- sh -c 'echo prin""ted'
	unlike "what is read has none of it" "$TMP/out" printed
	like "it is on standard error" "$TMP/err" '^printed$'
done <<EOF
record -q -e cpu-clock -o -
record -q -e cpu-clock --format perf -o -
trace --json -e sched:sched_process_exit
count -e cs -I 1 --json
count -e cs --by comm -I 1 --json
count -e cs --openmetrics -
drops -I 1 --json
drops --openmetrics -
drops --pcapng -
latency run-queue --chrome -
latency off-cpu --flamegraph -
latency run-queue --trace --json
latency run-queue -I 1 --json
stat -e cs -I 1000 --json --log-fd 1
stat -e cs -I 1000 -x, -o -
EOF
for words in "trace -e sched:sched_process_exit" "count -e cs --json" "latency run-queue --json" "stat -e cs"; do
	# shellcheck disable=SC2086
	run_ok "what is read by people, or at the end: $words" "$PERF_LITE" $words -- sh -c 'echo prin""ted'
	like "what a command prints is where it was" "$TMP/out" '^printed$'
done
done_testing
