# SPDX-License-Identifier: GPL-2.0
#
# perf-lite convert --to perf.data, and record --format=perf: files, pipes, bad input, the end of recorders.
. tests/lib.sh
need_root
need_event raw_syscalls:sys_enter
f=$TMP/a.data
"$PERF_LITE" record -q -g -m 16M -e cpu-clock,raw_syscalls:sys_enter -o "$f" -- sh -c '"$0" 300 >/dev/null' "$PROG/spin" || exit 1
# same DESC FILE: the same samples; names are looked up elsewhere
same()
{
	"$PERF_LITE" script --ns -F comm,pid,tid,cpu,time,event,trace,ip -i "$f" >"$TMP/want" 2>/dev/null
	"$PERF_LITE" script --ns -F comm,pid,tid,cpu,time,event,trace,ip -i "$2" >"$TMP/got" 2>/dev/null
	ok "there is something to compare" test -s "$TMP/want"
	is_file "$1" "$TMP/got" "$TMP/want"
}
leftovers() { (cd "$TMP" && ls -d ./*.tmp 2>/dev/null); }

# Convert

run_ok "to a file" "$PERF_LITE" convert --to perf.data -i "$f" -o "$TMP/b.perf"
is "one line says where it is" "$(sed 's/: [0-9.]* [a-zA-Z]* in /: SIZE in /' "$TMP/out" "$TMP/err")" "perf-lite convert: SIZE in $TMP/b.perf"
run_ok "-q" "$PERF_LITE" convert -q --to perf.data -i "$f" -o "$TMP/q.perf"
is "says nothing" "$(cat "$TMP/out" "$TMP/err")" ""
is "it is perf.data" "$(head -c 8 "$TMP/b.perf")" PERFILE2
is "only the user can read it" "$(stat -c %a "$TMP/b.perf")" 600
same "the same samples" "$TMP/b.perf"
"$PERF_LITE" convert --to perf.data -i "$f" -o - >"$TMP/pipe" 2>"$TMP/err"
rc=$?
rc_is 0 "to a pipe"
is "... without a word" "$(cat "$TMP/err")" ""
same "the same samples, from a pipe's stream" "$TMP/pipe"
run_ok "once more" "$PERF_LITE" convert --to perf.data -i "$TMP/b.perf" -o "$TMP/c.perf"
is_file "gives the same file" "$TMP/c.perf" "$TMP/b.perf"
"$PERF_LITE" convert --to perf.data -i - -o "$TMP/d.perf" <"$f"
same "from standard input" "$TMP/d.perf"
(cd "$TMP" && ln -s a.data perf-lite.data && "$PERF_LITE" convert --to perf.data)
is_file "without names: perf-lite.data to perf.data" "$TMP/perf.data" "$TMP/b.perf"
"$PERF_LITE" convert --to perf.data -i "$f" -o /dev/null
rc=$?
rc_is 0 "a device is written"
ok "and stays one" test -c /dev/null

# What cannot be done

run "$PERF_LITE" convert -i "$f"
rc_is 1 "without --to"
like "the formats are named" "$TMP/err" 'perf\.data'
run "$PERF_LITE" convert --to perf.dat -i "$f"
rc_is 1 "a format that does not exist"
like "a similar one is proposed" "$TMP/err" 'did you mean --to perf.data'
run "$PERF_LITE" convert --to perf.data "$f"
rc_is 1 "an operand"
run "$PERF_LITE" convert --to perf.data -i "$TMP/none" -o "$TMP/x"
rc_is 1 "no recording"
run "$PERF_LITE" convert --to perf.data -i "$f" -o "$TMP"
rc_is 1 "the output is a directory"
run "$PERF_LITE" convert --to perf.data -i "$f" -o "$TMP/no/such/folder"
rc_is 1 "the output is nowhere"
cp "$f" "$TMP/self"
run "$PERF_LITE" convert --to perf.data -i "$TMP/self" -o "$TMP/self"
rc_is 1 "onto itself"
is_file "which stays as it was" "$TMP/self" "$f"
run sh -c 'ulimit -f 4; "$0" convert --to perf.data -i "$1" -o "$2"' "$PERF_LITE" "$f" "$TMP/limited"
ok "a limit of file size is an error" test "$rc" -ne 0
ok "and leaves no file" not test -e "$TMP/limited"
is "nothing is left behind" "$(leftovers)" ""
size=$(stat -c %s "$f")
head -c $((size - 200)) "$f" >"$TMP/cut"
run "$PERF_LITE" convert --to perf.data -i "$TMP/cut" -o "$TMP/cut.perf"
rc_is 3 "a recording that was cut"
ok "what is whole is there" test -s "$TMP/cut.perf"

# Stacks: as call chains

"$PERF_LITE" record -q -e cpu-clock --call-graph dwarf --keep-stacks -o "$TMP/s.data" -- "$PROG/spin" 100 >/dev/null
run_ok "unwound stacks" "$PERF_LITE" convert --to perf.data -i "$TMP/s.data" -o "$TMP/s.perf"
like "that copies are left out is said" "$TMP/err" '^copies of stacks are left out'
run "$PERF_LITE" convert -q --to perf.data -i "$TMP/s.data" -o "$TMP/s.perf"
is "-q: it is not" "$(cat "$TMP/err")" ""
"$PERF_LITE" script -i "$TMP/s.perf" -F ip,sym >"$TMP/out"
like "callers are there" "$TMP/out" ' (outer|mid|main)$'

# Record

cd "$TMP" || exit 1
run_ok "record --format=perf" "$PERF_LITE" record --format=perf -e cpu-clock -g -- "$PROG/spin" 100
is "perf.data is its name" "$(head -c 8 perf.data)" PERFILE2
n=$("$PERF_LITE" script -i perf.data -F comm,time 2>/dev/null | grep -c spin)
ok "the samples are there: $n" test "$n" -gt 10
is "all that were announced" "$(sed -n 's/.*: \([0-9]*\) samples* in.*/\1/p' err)" \
	"$("$PERF_LITE" script -F comm,tid,time -G -i perf.data | grep -c :)"
cp perf.data first
"$PERF_LITE" record -q --format=perf -e cpu-clock -- "$PROG/spin" 10 >/dev/null
is_file "an older file is kept" perf.data.old first
"$PERF_LITE" record -q --format=perf -o - -e cpu-clock -- sh -c '"$0" 100 >/dev/null' "$PROG/spin" >stream
n=$("$PERF_LITE" script -F comm,time -i stream | grep -c spin)
ok "into a pipe: $n samples" test "$n" -gt 10
run "$PERF_LITE" record --format=csv -- true
rc_is 1 "a format that does not exist"
run "$PERF_LITE" record --format=perf -e cpu-clock -o k -- sh -c 'kill -TERM $PPID; exec sleep 5'
"$PERF_LITE" script -i k >/dev/null 2>k.err
is "a recorder that is told to stop ends its file" "$?.$(cat k.err)" "0."
run_ok "from memory" "$PERF_LITE" record -q --format=perf --keep-last 10s -e cpu-clock -o s -- "$PROG/spin" 50
ok "the samples are there" test "$("$PERF_LITE" script -i s -F comm,time | grep -c spin)" -gt 5
run_ok "several files" "$PERF_LITE" record -q --format=perf --switch-output=1s -e cpu-clock -o t -- "$PROG/spin" 2200
ok "there are several" test "$(ls t.2* | wc -l)" -ge 1
for part in t.2* t; do
	"$PERF_LITE" script -i "$part" -F comm,time >out 2>err
	is "$part is whole" "$?.$(cat err)" "0."
	grep spin out >>spins
done
ok "their samples have names: $(wc -l <spins)" test "$(wc -l <spins)" -gt 1000

# A recorder that is killed, with more than one batch behind it: nothing is missing, nothing twice. A ring has room for all
# calls, should the recorder have to wait for a CPU.

calls=100000 storm=storm-$$
cp "$PROG/storm" "$storm"
"$PERF_LITE" record -q --format=perf -m 16M -e raw_syscalls:sys_enter --filter "id == $("$PROG/storm" --number) && comm == \"$storm\"" \
	-a -o killed --duration 600s 2>said &
recorder=$!
wait_for 60 test -s killed || exit 1
./"$storm" --quiet $calls
sleep 0.3
kill -KILL $recorder
wait $recorder 2>/dev/null
ok "the guardian finishes the file" wait_for 60 grep -q 'guardian finished' said
run_ok "it is whole" "$PERF_LITE" script -i killed -F pid,trace
sed -n 's/^ *[0-9][0-9]* .*NR [0-9]* (\([0-9a-f]*\),.*/\1/p' out | sort >calls
is "each of $calls calls is there" "$(sort -u calls | wc -l)" $calls
is "none twice" "$(uniq -d calls | wc -l)" 0

"$PERF_LITE" record -q --format=perf -e cpu-clock -a -o - --duration 600s 2>said >torn &
recorder=$!
wait_for 60 test -s torn
kill -KILL $recorder
wait $recorder 2>/dev/null
ok "into a pipe, the guardian says that it cannot go on" wait_for 60 grep -q 'could not finish' said
run "$PERF_LITE" script -F time -i torn
ok "what was written can be read ($rc)" test "$rc" -eq 0 -o "$rc" -eq 3

# A full disk

mkdir small
if mount -t tmpfs -o size=12m none small; then
	at_exit umount "$TMP/small"
	run "$PERF_LITE" record --format=perf -m 16M -o small/full -e raw_syscalls:sys_enter -a -- "$PROG/storm" --quiet 300000
	rc_is 3 "a full disk"
	like "says so" err 'not written'
	run_ok "leaves a file that is whole" "$PERF_LITE" script -i small/full -F comm,time
	ok "with samples: $(wc -l <out)" test "$(wc -l <out)" -gt 10000
fi
cd / || exit 1
done_testing
