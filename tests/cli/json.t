# SPDX-License-Identifier: GPL-2.0
#
# script --json: every line is an object that a JSON parser takes, with what script's text shows, and types.
. tests/lib.sh
need_root
need_tracefs
need_cmd python3 jq

f=$TMP/a.data

record()
{
	undisturbed "$f" "$PERF_LITE" record -q -o "$f" "$@"
	rc_is 0 "recorded: $*"
}

# json OPTION...: into $TMP/json; each line is parsed strictly, by two parsers
json()
{
	"$PERF_LITE" script -q -i "$f" --json "$@" >"$TMP/json" 2>"$TMP/err"
	rc=$?
	rc_is 0 "script --json $*"
	ok "--json $*: every line is an object" python3 -c '
import json, sys
def no(word): raise ValueError(word)
def pairs(p):
    assert len({k for k, v in p}) == len(p), "a key twice"
    return dict(p)
n = 0
for line in open(sys.argv[1], "rb"):
    o = json.loads(line.decode("utf-8"), parse_constant=no, object_pairs_hook=pairs)
    assert isinstance(o, dict) and line.endswith(b"}\n")
    n += 1
assert n' "$TMP/json"
	ok "--json $*: for jq, too" jq -es 'length > 0 and all(.[]; type == "object")' "$TMP/json"
}

# all DESC FILTER: true of every sample; some: of one
all()
{
	ok "$1" jq -es "map(select(.event)) | length > 0 and all(.[]; $2)" "$TMP/json"
}

some()
{
	ok "$1" jq -es "any(.[]; $2)" "$TMP/json"
}

keys()
{
	is "$1" "$(jq -rs 'map(select(.lost | not)) | map(keys_unsorted) | add | unique | join(" ")' "$TMP/json")" "$2"
}

# A tracepoint with names of values, pointers and numbers

record -e skb:kfree_skb -g -- "$PROG/consumed"
json
all "event, ids, times are numbers" '.event == "skb:kfree_skb" and (.pid|type) == "number" and
	(.tid|type) == "number" and (.cpu|type) == "number" and (.time|type) == "number" and .period == 1'
some "a reason with its name" '.fields.reason.name == "NO_SOCKET" and (.fields.reason.value|type) == "number"'
some "a number" '.fields.protocol == 2048'
all "pointers are strings" '.fields.skbaddr|test("^0x[0-9a-f]+$")'
all "the call chain begins where the sample is" '.callchain[0].ip == .ip and .callchain[0].symbol == .symbol'
all "frames have names, offsets, files" '.callchain[0]|(.symbol|type) == "string" and (.offset|type) == "number" and
	.dso == "[kernel.kallsyms]"'
some "a command with two words" '.comm == "two words"'
some "and an empty one" '.comm == ""'
"$PERF_LITE" script -q -i "$f" --ns -F comm,time,trace -G >"$TMP/text"
jq -r '"\(.time) \(.trace)"' "$TMP/json" >"$TMP/from-json"
sed -E 's/.* ([0-9]+)\.([0-9]{9}): +/\1\2 /' "$TMP/text" >"$TMP/from-text"
is_file "times and texts are those of the text" "$TMP/from-json" "$TMP/from-text"
nr=$(wc -l <"$TMP/text")
is "every sample is there" "$(wc -l <"$TMP/json")" "$nr"

# Which keys, which samples

json -F comm,time
keys "-F says which keys" "comm time"
json -F -trace,-cpu
keys "-F - takes away" "callchain comm dso event ip offset period pid symbol tid time"
json -F comm,ip,sym
ok "frames have what -F says" jq -es 'all(.[]; .callchain[0]|keys == ["ip","symbol"])' "$TMP/json"
json -G
keys "-G: no call chain" "comm cpu dso event fields ip offset period pid symbol tid time trace"
json --stack-field reason
all "--stack-field: the innermost frame" '.callchain[0].symbol|test("^reason=[A-Z_]+$")'
json --comms a
all "a filter" '.comm == "a"'
json --safe-comm
some "--safe-comm: no blanks" '.comm == "two_words"'
some "--safe-comm: two characters" '.comm == "a_"'
json --reltime
is "--reltime: from 0" "$(jq -s '.[0].time' "$TMP/json")" 0
json --limit 3
is "--limit" "$(wc -l <"$TMP/json")" 3

# Words of 8 bytes, negative ones, arrays

record -e 'raw_syscalls:sys_enter,raw_syscalls:sys_exit' -- "$PROG/consumed"
json --event raw_syscalls:sys_exit
some "a negative number" '.fields.ret < 0'
json --event raw_syscalls:sys_enter
all "an array" '(.fields.args|length) == 6 and all(.fields.args[]; type == "number")'
ok "words of 8 bytes keep every digit" python3 -c '
import json, sys
words = [a for l in open(sys.argv[1]) for a in json.loads(l).get("fields", {}).get("args", [])]
assert any(a > 2**46 and a % 2 for a in words) and all(isinstance(a, int) and 0 <= a < 2**64 for a in words)' "$TMP/json"

# An int of a system call stands in a word

record -e syscalls:sys_enter_openat -- cat /dev/null
json
some "AT_FDCWD" '.fields.dfd == -100'
all "strings' addresses" '.fields.filename|test("^0x[0-9a-f]+$")'

# Names that no output may show as they are

record -e task:task_rename,sched:sched_switch,cpu-clock -g -- "$PROG/names"
json
some "quotes, of both kinds" '.comm == "<&>\"'"'"'"'
some "a line feed as script shows it" '.comm == "new\\x0aline"'
some "bytes that are no UTF-8, too" '.comm == "\\xff\\xfe\\x80"'
some "UTF-8 as it is" '.comm == "été"'
some "a symbol of made code" '(.symbol // "")|test("^bad\\\\x1b")'
some "a field that is a string" '.fields.newcomm == "two words"'
some "flags by name" '.fields.prev_state.name|type == "string"'
ok "no byte of control is in it" sh -c "! LC_ALL=C grep -q '[^ -~é]' '$TMP/json' || ! LC_ALL=C tr -d '\n\303\251' <'$TMP/json' | LC_ALL=C grep -q '[^ -~]'"

# Source lines

record -e cpu-clock:u -c 100000 --call-graph dwarf -- "$PROG/templates"
json -F +srcline --inline
some "file and line" '.callchain != null and any(.callchain[]; .file == "templates.cc" and (.line|type) == "number")'
with_comma=$(jq -rs 'map(.symbol // "" | select(test("<.*,.*>")))[0]' "$TMP/json")
json -S "$with_comma"
all "a function with commas in its name" ".symbol == $(jq -n --arg s "$with_comma" '$s')"
json -F +srcline --inline
some "an inlined function" 'any(.callchain[]?; .inlined == true and .symbol != null)'

# What was lost

# The recorder is stopped while its one page overflows.
record -m 1 -e raw_syscalls:sys_enter -- \
	sh -c 'kill -STOP $PPID; dd if=/dev/zero of=/dev/null bs=1 count=2000; kill -CONT $PPID'
json
lost=$("$PERF_LITE" script -i "$f" -F time 2>&1 >/dev/null | awk '/^[0-9]+ samples? (was|were) lost while/ { n += $1 } END { print n + 0 }')
ok "a page lost some" test "$lost" -gt 0
is "losses add up" "$(jq -s 'map(.lost // 0) | add' "$TMP/json")" "$lost"

# Usage

for other in --folded --quality --for=inferno --header --show-task-events; do
	run "$PERF_LITE" script -i "$f" --json $other
	is "not with $other" "$rc $(cat "$TMP/out")" "1 "
done
run "$PERF_LITE" script -i "$f" --json --stack-field nothing
rc_is 1 "--stack-field that no event has"
like "its fields are named" "$TMP/err" '^hint: fields: id, args$'
run "$PERF_LITE" script -i "$f" --stack-field id
rc_is 1 "--stack-field without a stack to stand on"
run "$PERF_LITE" script -i "$f" --for=nothing
like "--for: who is known" "$TMP/err" '^hint: use one of stackcollapse, flamegraph, '
run "$PERF_LITE" script -i "$f" --for=inferno -F comm
rc_is 1 "--for decides which fields"

done_testing
