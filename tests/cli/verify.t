# SPDX-License-Identifier: GPL-2.0
#
# perf-lite verify: files that are whole, damaged, cut, not finished, and no recordings at all.
. tests/lib.sh
need_root
f=$TMP/a.data
undisturbed "$f" "$PERF_LITE" record -q -g -e cpu-clock -e sched:sched_switch -o "$f" -- "$PROG/spin" 300
[ "$rc" -eq 0 ] || exit 1
samples=$("$PERF_LITE" script -i "$f" -G -F time | wc -l)
size=$(stat -c %s "$f")

# Whole

run_ok "a whole recording" "$PERF_LITE" verify "$f"
is "nothing on standard error" "$(cat "$TMP/err")" ""
is "the verdict first" "$(head -n 1 "$TMP/out")" "$f: whole, and its account closes"
like "the samples that script prints" "$TMP/out" "^  samples +$samples, "
like "nothing lost" "$TMP/out" '^  lost +nothing$'
like "the account of each event" "$TMP/out" '^  sched:sched_switch +([0-9]+) +0 +0 +0 +[0-9]+ +[0-9]+  closes$'
like "also of what counts no samples" "$TMP/out" '^  cpu-clock +[0-9]+ +0 +0 +0 +0 +-$'
awk '/^  event / { w = length($0); next } w && substr($0, w, 2) !~ /^[0-9-]( |$)/ { bad = 1 } END { exit bad || !w }' "$TMP/out"
is "in columns" $? 0
# the kernel counts ns, or what is done to one of the targets by another once for each
run_ok "counts that are not those of samples" "$PERF_LITE" record -c 1 -e cpu-clock -e sched:sched_wakeup_new -o "$TMP/counts" -- sh -c 'true & wait'
unlike "are no hits without samples" "$TMP/err" 'did not sample'
run_ok "and are not compared" "$PERF_LITE" verify "$TMP/counts"
like "of threads that begin" "$TMP/out" '^  sched:sched_wakeup_new +1 +0 +0 +0 +0 +-$'
run_ok "from a pipe" sh -c "cat '$f' | '$PERF_LITE' verify -"
like "named so" "$TMP/out" '^standard input: whole'
cp "$f" "$TMP/perf-lite.data"
run_ok "perf-lite.data by default" sh -c "cd '$TMP' && '$PERF_LITE' verify"
like "named so" "$TMP/out" '^perf-lite.data: whole'
run_ok "-q" "$PERF_LITE" verify -q "$f"
is "says nothing" "$(cat "$TMP/out" "$TMP/err")" ""
run_ok "-v" "$PERF_LITE" verify -v "$f"
like "a line for a block of records" "$TMP/out" '^ +[0-9]+ DATA +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+  [0-9]+\.[0-9]{6}\.\.[0-9]+\.[0-9]{6}$'
is "their samples add up" "$(awk '$2 == "DATA" { n += $5 } END { print n }' "$TMP/out")" "$samples"
is "all bytes are told" "$(awk '/of the file$/ { on = 1; next } on { n += $1 } END { print n }' "$TMP/out")" "$size"
like "by event and column" "$TMP/out" '^ +[0-9]+ +[0-9]+\.[0-9]{3} +[0-9.]+ %  cpu-clock: time$'
like "META is the first" "$TMP/out" '^ +64 META +0 '
is "END is the last" "$(awk '/^ +[0-9]+ [A-Z]+ / { last = $2 } END { print last }' "$TMP/out")" END

# Also where the recorder makes records itself: of tasks that there were, and of code put over code.
case $(uname -m) in
x86_64 | aarch64) code="'$PROG/jit' --dump '$TMP' 60 again" ;;
*) code=: ;;
esac
run_ok "everybody, beside hundreds of short-lived processes" "$PERF_LITE" record -q -a -g -F 4000 -e cpu-clock \
	-o "$TMP/execs.data" -- sh -c "$code & i=0; while [ \$i -lt 200 ]; do /bin/true; i=\$((i + 1)); done; wait"
run_ok "is whole" "$PERF_LITE" verify "$TMP/execs.data"
[ "$rc" -eq 0 ] || diag_file "$TMP/out"
is "nothing is said against it" "$(head -n 1 "$TMP/out" | cut -d, -f1)" "$TMP/execs.data: whole"
ok "they are in it" test "$("$PERF_LITE" script -i "$TMP/execs.data" --show-task-events -F comm,event 2>/dev/null | grep -c 'PERF_RECORD_COMM exec')" -ge 200
rm -f "$TMP"/jit-*.dump "$TMP/execs.data"

# Not whole

damage() # BYTE: another one in the file's place
{
	cp "$f" "$TMP/bad.data"
	printf '\377\0\377\0' | dd of="$TMP/bad.data" bs=1 seek="$1" conv=notrunc 2>/dev/null
}

data=$("$PERF_LITE" verify -v "$f" | awk '$2 == "DATA" { at = $1 } END { print at }')
damage $((data + 100))
run "$PERF_LITE" verify "$TMP/bad.data"
rc_is 3 "a damaged payload"
like "the verdict" "$TMP/out" "bad.data: not whole\$"
like "the place" "$TMP/out" "^  byte $data: block [0-9]+ is damaged"
like "what is missing" "$TMP/out" '^  missing +[0-9]+ samples$'
run "$PERF_LITE" verify -q "$TMP/bad.data"
rc_is 3 "-q"
is "says nothing of that either" "$(cat "$TMP/out" "$TMP/err")" ""
damage $((data + 8))
run "$PERF_LITE" verify "$TMP/bad.data"
rc_is 3 "a damaged header"
like "the place" "$TMP/out" "^  byte $data: [0-9]+ bytes are no block"
damage 20
run "$PERF_LITE" verify "$TMP/bad.data"
rc_is 3 "a damaged file header"
like "is said" "$TMP/out" '^  byte 0: the file header is damaged'
like "and costs nothing else" "$TMP/out" "^  samples +$samples, "
first_end() { "$PERF_LITE" verify -v "$1" | awk '$2 == "ATTR" { print $1; exit }'; }
other=$TMP/other.data
run_ok "another recording" "$PERF_LITE" record -q -e cpu-clock -o "$other" -- "$PROG/spin" 20
at=$(first_end "$f")
{ head -c "$at" "$f"; head -c "$(first_end "$other")" "$other" | tail -c +65; tail -c +$((at + 1)) "$f"; } >"$TMP/bad.data"
run "$PERF_LITE" verify "$TMP/bad.data"
rc_is 3 "its first block, put into the file"
like "is found" "$TMP/out" "^  byte $at: block 0 is of another recording"
run "$PERF_LITE" report -i "$TMP/bad.data"
rc_is 3 "a report of that"

# A block that is there twice counts once: what describes events, and what the recorder itself says of tasks that there were

"$PERF_LITE" verify -v "$f" | awk '/^ +[0-9]+ [A-Z]+ / { print $1, $2 }' >"$TMP/blocks"
all() { "$PERF_LITE" script -q -i "$1" --header --show-task-events --show-mmap-events; }
all "$f" >"$TMP/once"
"$PERF_LITE" pack -q -o "$TMP/whole.data" "$f"
all "$TMP/whole.data" >"$TMP/packed-once"
for type in ATTR DATA END ATTR-behind-END; do
	at=$(awk -v t=${type%%-*} '$2 == t { print $1; exit }' "$TMP/blocks")
	end=$(awk -v at="$at" '$1 > at { print $1; exit }' "$TMP/blocks")
	: "${end:=$size}"
	case $type in
	*-behind-END) { cat "$f"; head -c "$end" "$f" | tail -c +$((at + 1)); } ;;
	*) { head -c "$end" "$f"; tail -c +$((at + 1)) "$f"; } ;;
	esac >"$TMP/bad.data"
	run_ok "$type twice" "$PERF_LITE" verify "$TMP/bad.data"
	like "is told" "$TMP/out" '; 1 are there twice and count once$'
	run_ok "and in a report is no damage" "$PERF_LITE" report -i "$TMP/bad.data"
	all "$TMP/bad.data" >"$TMP/twice"
	is_file "and changes nothing" "$TMP/twice" "$TMP/once"
	run_ok "pack takes it once" "$PERF_LITE" pack -q -o "$TMP/packed.data" "$TMP/bad.data"
	all "$TMP/packed.data" >"$TMP/twice"
	is_file "the same" "$TMP/twice" "$TMP/packed-once"
done
head -c $((data + 50)) "$f" >"$TMP/cut.data"
run "$PERF_LITE" verify "$TMP/cut.data"
rc_is 3 "a cut file"
like "where" "$TMP/out" "^  byte $data: the file ends in the middle of a block"
head -c "$data" "$f" >"$TMP/open.data"
run "$PERF_LITE" verify "$TMP/open.data"
rc_is 3 "an unfinished file"
like "is said" "$TMP/out" 'open.data: not finished; what is there is whole$'
(cat "$f" && head -c 100 "$f") >"$TMP/long.data"
run "$PERF_LITE" verify "$TMP/long.data"
rc_is 3 "something behind the end"
like "is found" "$TMP/out" "^  byte $size: "
cat "$f" "$f" >"$TMP/joined.data"
for file in long joined; do
	for command in report script "count --by comm" "flamegraph --event cpu-clock -o $TMP/made" "convert --to perf.data -o $TMP/made"; do
		# shellcheck disable=SC2086
		run "$PERF_LITE" $command -i "$TMP/$file.data"
		rc_is 3 "$file, $command"
		like "says where it stopped" "$TMP/err" "$file.data: what follows the end of the recording, from byte $size on, was not read$"
	done
	run sh -c "cat '$TMP/$file.data' | '$PERF_LITE' report -i -"
	rc_is 3 "$file, from a pipe"
	like "says it as well" "$TMP/err" "what follows the end of the recording, from byte $size on, was not read$"
	cp "$TMP/$file.data" "$TMP/to-pack.data"
	run "$PERF_LITE" pack "$TMP/to-pack.data"
	rc_is 1 "$file, pack"
	like "says why not" "$TMP/err" "something follows the end of the recording, at byte $size$"
	is_file "and leaves it as it was" "$TMP/to-pack.data" "$TMP/$file.data"
	run "$PERF_LITE" pack --force "$TMP/to-pack.data"
	rc_is 3 "$file, pack --force"
	run_ok "and what it wrote is whole" "$PERF_LITE" verify "$TMP/to-pack.data"
done

# No recordings

echo PERFILE2 >"$TMP/perf.data"
run "$PERF_LITE" verify "$TMP/perf.data"
rc_is 1 "perf's file"
like "why not" "$TMP/err" 'holds no checksums'
like "what instead" "$TMP/err" '^hint: .*script'
echo text >"$TMP/text"
: >"$TMP/empty"
for bad in "$TMP/text" "$TMP/empty" "$TMP" "$TMP/none"; do
	run "$PERF_LITE" verify "$bad"
	rc_is 1 "refused: ${bad##*/}"
	like "with a reason" "$TMP/err" '^perf-lite: '
done
run "$PERF_LITE" verify "$f" "$f"
rc_is 1 "two files"
run "$PERF_LITE" verify --nosuch
rc_is 1 "an unknown option"
run sh -c "'$PERF_LITE' verify '$f' >/dev/full"
rc_is 3 "a full disk behind standard output"
done_testing
