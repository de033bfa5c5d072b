# SPDX-License-Identifier: GPL-2.0
#
# report: what its numbers add up to, on recordings of known loads; its forms; what it is asked for in vain.
. tests/lib.sh
need_root
need_cmd python3

f=$TMP/a.data
run_ok "a program that spins is recorded" \
	"$PERF_LITE" record -q -o "$f" -F 997 -e cpu-clock -g -- "$PROG/spin" 300
"$PERF_LITE" script -i "$f" -G >"$TMP/script"
total=$(wc -l <"$TMP/script")
ok "it has samples: $total" test "$total" -gt 100

# rows SORT OPTION...: "SAMPLES KEY KEY..." of all rows, the heaviest first
rows()
{
	sort=$1
	shift
	"$PERF_LITE" report -q -i "$f" -g none -n -t '|' --no-children -s "$sort" "$@" | sed '/^$/d' |
		cut -d '|' -f 2- | tr '|' ' ' | tr -s ' ' | sed 's/^ //; s/ $//'
}

sum()
{
	awk '{ n += $1 } END { print n + 0 }'
}

is "by command: every sample" "$(rows comm | sum)" "$total"
is "by function: every sample" "$(rows sym | sum)" "$total"
is "by command, thread, CPU, file and function" "$(rows comm,pid,cpu,dso,sym | sum)" "$total"
is "by time and line" "$(rows time,srcline,srcfile | sum)" "$total"
is "the command that spun comes first" "$(rows comm | head -1 | cut -d ' ' -f 2)" spin
# of the program: of a busy guest, functions of the kernel may come before
is "leaf comes first" "$(rows sym -c spin | grep -F '[.]' | head -1 | sed 's/.*] //')" leaf
is "as many as script has" "$(rows comm | awk '$2 == "spin" { print $1 }')" \
	"$(awk '$1 == "spin"' "$TMP/script" | wc -l)"
is "of one CPU each, they add up" \
	"$(for cpu in $(seq 0 "$(($(nproc --all) - 1))"); do rows comm -C "$cpu" 2>/dev/null; done | sum)" "$total"

"$PERF_LITE" report -q -i "$f" -g none -t '|' -s sym -c spin --percentage relative | sed '/^$/d; s/ *| */|/g; s/^ *//' >"$TMP/rows"
for function in main outer mid leaf; do
	share=$(sed -n "s/^\([0-9]*\)\.[0-9]*%|.*] $function\$/\1/p" "$TMP/rows")
	ok "$function was under way nearly all the time: ${share:-0} %" test "${share:-0}" -ge 90
done
is "and only leaf spent it" "$(sed -n 's/.*|\([0-9]*\)\.[0-9]*%|.*] main$/\1/p' "$TMP/rows")" 0

# The table
run_ok "a table" "$PERF_LITE" report -i "$f" --stdio
like "how many samples" "$TMP/out" "^# Samples: $total  of event 'cpu-clock"
like "its columns" "$TMP/out" '^# Children      Self  Command'
like "call graphs" "$TMP/out" '---_*'
is "no colours in a file" "$(grep -c "$(printf '\033')" "$TMP/out")" 0
run_ok "--color=always" "$PERF_LITE" report -i "$f" --color=always -g none
like "colours" "$TMP/out" "$(printf '\033')\[31m"
run_ok "--percent-limit" "$PERF_LITE" report -q -i "$f" --percent-limit 60 -s comm -g none
is "one row has more" "$(sed '/^$/d' "$TMP/out" | wc -l)" 1
run_ok "one command" "$PERF_LITE" report -i "$f" -c spin -g none
like "stands above the table" "$TMP/out" '^# comm: spin$'
unlike "and not in it" "$TMP/out" '^#.*Command'
run_ok "fixed widths" "$PERF_LITE" report -i "$f" -s comm,sym -w 0,0,3 -g none
like "cut a title" "$TMP/out" 'Self  Com  Symbol'
run_ok "--header-only" "$PERF_LITE" report -i "$f" --header-only
like "the header" "$TMP/out" '^# cmdline'
unlike "and no table" "$TMP/out" Overhead
for words in none caller callee folded flat fractal graph,0.5,caller; do
	run_ok "-g $words" "$PERF_LITE" report -i "$f" -g "$words"
	cp "$TMP/out" "$TMP/apart"
	run "$PERF_LITE" report -i "$f" "-g$words"
	is_file "-g$words is the same" "$TMP/out" "$TMP/apart"
done
for jobs in 1 3; do
	"$PERF_LITE" report -i "$f" -j $jobs -s comm,sym,cpu >"$TMP/jobs.$jobs"
done
is_file "one thread reads the same as three" "$TMP/jobs.1" "$TMP/jobs.3"
ok "from a pipe" sh -c '"$1" report -i - -s comm,sym,cpu <"$2" | cmp - "$3"' sh "$PERF_LITE" "$f" "$TMP/jobs.1"
ok "from a real pipe" sh -c 'cat "$2" | "$1" report -i - -s comm,sym,cpu | cmp - "$3"' sh "$PERF_LITE" "$f" \
	"$TMP/jobs.1"

# For programs
cat >"$TMP/check.py" <<'PY'
import csv, json, sys
total = int(sys.argv[1])
doc = json.load(open(sys.argv[2], encoding="utf-8"))
assert set(doc) == {"lost", "events"}, doc.keys()
[event] = doc["events"]
assert event["samples"] == total and event["keys"] == ["comm", "symbol"], event["keys"]
assert sum(e["samples"] for e in event["entries"]) == total
assert sum(e["period"] for e in event["entries"]) == event["period"]
assert abs(sum(e["overhead"] for e in event["entries"]) - 100) < 1e-6
rows = list(csv.reader(open(sys.argv[3], newline="", encoding="utf-8"), strict=True))
assert all(len(r) == len(rows[0]) for r in rows)
rows = [dict(zip(rows[0], r)) for r in rows[1:]]
assert len(rows) == len(event["entries"])
for r, e in zip(rows, event["entries"]):
    assert int(r["samples"]) == e["samples"] and int(r["period"]) == e["period"]
    assert r["comm"] == e["comm"] and r["symbol"] == e["symbol"], (r, e)
    assert int(r["children_samples"]) == e["children"]["samples"]
    assert e["children"]["samples"] >= e["samples"]
def depth(graph):
    return 1 + max(map(depth, (b.get("children", []) for b in graph)), default=0) if graph else 0
assert not any("graph" in e for e in event["entries"])
graphs = json.load(open(sys.argv[4], encoding="utf-8"))["events"][0]["entries"]
assert max(depth(e["graph"]) for e in graphs) >= 2
PY
"$PERF_LITE" report -i "$f" --json -s comm,sym >"$TMP/json"
"$PERF_LITE" report -i "$f" --csv -s comm,sym >"$TMP/csv"
"$PERF_LITE" report -i "$f" --json -g -s comm,sym >"$TMP/graphs"
ok "CSV and JSON agree with each other, and add up" \
	python3 "$TMP/check.py" "$total" "$TMP/json" "$TMP/csv" "$TMP/graphs"

# Accesses to memory: lines of files that lie at one address are different rows
m=$TMP/m.data
run_ok "page faults are recorded with their addresses" \
	"$PERF_LITE" record -q -o "$m" -e page-faults -c 1 -d -- "$PROG/faults" 20
for keys in dcacheline dso_daddr,dcacheline; do
	"$PERF_LITE" report -q --mem-mode -t '|' -s "$keys" -i "$m" 2>/dev/null | sed '/^$/d; s/.*|\[/[/; s/ *$//' |
		LC_ALL=C sort >"$TMP/lines.$keys"
done
is_file "lines of memory are those of each file" "$TMP/lines.dcacheline" "$TMP/lines.dso_daddr,dcacheline"
like "a line in a symbol" "$TMP/lines.dcacheline" '^\[.\] [^ ]*[a-z_][^ ]*+0x[0-9a-f]*$'
like "a line of a file without one" "$TMP/lines.dcacheline" '^\[.\] 0x[0-9a-f]* (.*)$'
like "a line of no file" "$TMP/lines.dcacheline" '^\[.\] 0x[0-9a-f]*$'
is "each of 64 bytes" "$(sed -n 's/^\[.\] 0x[0-9a-f]*\(..\)\( .*\)*$/\1/p' "$TMP/lines.dcacheline" | grep -vc '[048c]0')" 0

# Nothing without a name
"$PERF_LITE" report -q -i "$f" -U -g folded -s sym >"$TMP/named"
ok "functions with a name" grep -q leaf "$TMP/named"
unlike "-U leaves out callers without one" "$TMP/named" '\(^\|[ ;]\)0x[0-9a-f]*\(;\|$\)'

# Several events in one table
g=$TMP/g.data
run_ok "a group is recorded" "$PERF_LITE" record -q -o "$g" -F 997 -e '{cpu-clock,task-clock},page-faults' -- "$PROG/spin" 100
cat >"$TMP/group.py" <<'PY'
import csv, json, sys
own = {e["event"]: e for e in json.load(open(sys.argv[1]))["events"]}
[group] = [e for e in json.load(open(sys.argv[2]))["events"] if "group" in e]
assert group["group"] == sys.argv[4].split(","), group["group"]
total = [sum(e["group"][i]["samples"] for e in group["entries"]) for i in range(len(group["group"]))]
assert total == [own[n]["samples"] for n in group["group"]], total
for i, name in enumerate(group["group"]):
    rows = {(e["comm"], e["symbol"], e["dso"]): e["samples"] for e in own[name]["entries"]}
    got = {(e["comm"], e["symbol"], e["dso"]): e["group"][i]["samples"] for e in group["entries"]}
    assert {k: v for k, v in got.items() if v} == rows, name
assert all(e["samples"] == e["group"][0]["samples"] for e in group["entries"])
rows = list(csv.DictReader(open(sys.argv[3], newline=""), strict=True))
rows = [r for r in rows if r["samples_2"]]
assert [int(r["samples_2"]) for r in rows] == [e["group"][1]["samples"] for e in group["entries"]]
PY
"$PERF_LITE" report -i "$g" --json --no-group >"$TMP/alone"
is "--json without --group: each event by itself" "$("$PERF_LITE" report -i "$g" --json | md5sum)" "$(md5sum <"$TMP/alone")"
"$PERF_LITE" report -i "$g" --json --group >"$TMP/json"
"$PERF_LITE" report -i "$g" --csv --group >"$TMP/csv"
ok "a group has what its events have" python3 "$TMP/group.py" "$TMP/alone" "$TMP/json" "$TMP/csv" cpu-clock,task-clock
run_ok "the table of a group" "$PERF_LITE" report -i "$g" -s comm
like "says so" "$TMP/out" "of events 'anon group { cpu-clock, task-clock }'"
like "and has a share for each event" "$TMP/out" '^ +[0-9.]+% +[0-9.]+%  spin'
is "the third event has a table of its own" "$(grep -c '^# Samples' "$TMP/out")" 2
run_ok "--no-group" "$PERF_LITE" report -i "$g" -s comm --no-group
is "has three" "$(grep -c '^# Samples' "$TMP/out")" 3
"$PERF_LITE" record -q -o "$TMP/two.data" -F 997 -e cpu-clock,page-faults -- "$PROG/spin" 50 2>"$TMP/err"
run_ok "--group of events that are in none" "$PERF_LITE" report -i "$TMP/two.data" --group -s sym -n
like "one table" "$TMP/out" "of events 'cpu-clock, page-faults'"
"$PERF_LITE" report -q -i "$TMP/two.data" --group --group-sort-idx 1 -s sym --csv | sed "1d; s/.*,//" >"$TMP/order"
ok "--group-sort-idx: in the order of the second" sh -c 'sort -nr "$1" | cmp - "$1"' sh "$TMP/order"

# Rows in rows
cat >"$TMP/nested.py" <<'PY'
import csv, json, sys
[flat] = json.load(open(sys.argv[1]))["events"]
[nested] = json.load(open(sys.argv[2]))["events"]
keys = nested["keys"]
seen, nodes = {}, []
def walk(entries, path):
    weights = [e["period"] for e in entries]
    assert weights == sorted(weights, reverse=True)
    for e in entries:
        here = path + (e[keys[len(path)]],)
        nodes.append((here, e["samples"]))
        if len(here) == len(keys):
            assert "entries" not in e
            seen[here] = seen.get(here, 0) + e["samples"]
        else:
            assert e["samples"] == sum(c["samples"] for c in e["entries"])
            walk(e["entries"], here)
walk(nested["entries"], ())
want = {}
for e in flat["entries"]:
    k = tuple(e[n] for n in keys)
    want[k] = want.get(k, 0) + e["samples"]
assert seen == want
rows = list(csv.DictReader(open(sys.argv[3], newline=""), strict=True))
assert [(tuple(r[k] for k in keys if r[k] != ""), int(r["samples"])) for r in rows] == nodes
PY
"$PERF_LITE" report -i "$f" --json --no-children -s comm,dso,sym >"$TMP/flat"
"$PERF_LITE" report -i "$f" --json --hierarchy -s comm,dso,sym >"$TMP/json"
"$PERF_LITE" report -i "$f" --csv --hierarchy -s comm,dso,sym >"$TMP/csv"
ok "--hierarchy: rows add up to those around them" python3 "$TMP/nested.py" "$TMP/flat" "$TMP/json" "$TMP/csv"
run_ok "as text" "$PERF_LITE" report -i "$f" --hierarchy -s comm,dso,sym -g none -c spin
like "titles" "$TMP/out" '^# +Overhead  Command / Shared Object / Symbol'
like "a function, two steps further in" "$TMP/out" '^ +[0-9.]+% {8}\[\.\] leaf$'

# By what called
run_ok "--parent" "$PERF_LITE" report -q -i "$f" -p '^(ou|ma)' -s comm -g caller -t '|' --no-children -n -c spin
like "main called outer: the outermost with -g caller" "$TMP/out" '\| *main *$'
# but where a sample is of outer's first instruction: there frame pointers leave out its caller
inner=$(awk -F'|' '$NF ~ /^ *outer *$/ { n += $2 } END { print n + 0 }' "$TMP/out")
all=$(awk -F'|' 'NF > 2 { n += $2 } END { print n + 0 }' "$TMP/out")
ok "no row of the inner one ($inner of $all)" test $((inner * 50)) -le "$all"
run_ok "innermost first" "$PERF_LITE" report -q -i "$f" -p '^(ou|ma)' -s sym -g none -t '|' --no-children -n -c spin
like "leaf was called by outer" "$TMP/out" 'leaf *\| *outer *$'
run_ok "--exclude-other" "$PERF_LITE" report -q -i "$f" -p '^outer$' -x -s comm -g none -t '|' --no-children
is "samples with a parent alone" "$(sed '/^$/d' "$TMP/out" | grep -cv '| *outer *$')" 0

run_ok "a recording without call chains" "$PERF_LITE" record -q -o "$TMP/flat.data" -e cpu-clock -- "$PROG/spin" 100
for options in '-p main' '-p main -s comm' '-s parent' '-p main --json'; do
	# shellcheck disable=SC2086
	run "$PERF_LITE" report -i "$TMP/flat.data" $options
	rc_is 1 "$options needs call chains"
	like "it says so" "$TMP/err" 'no call chains to find a parent on'
done

# Keys that perf lists, and takes from nobody
for key in ipc_lbr ipc_null; do
	run "$PERF_LITE" report -i "$TMP/flat.data" -s "comm,$key"
	rc_is 1 "$key is refused"
	like "by its name" "$TMP/err" "'$key' is no key to sort by"
	like "with a hint" "$TMP/err" '^hint: '
done

# Kernel and user code: their shares are the whole, in every form
cat >"$TMP/modes.py" <<'PY'
import csv, json, sys
doc = json.load(open(sys.argv[1]))
entries = [e for v in doc["events"] for e in v["entries"]]
rows = list(csv.DictReader(open(sys.argv[2], newline="")))
assert len(entries) == len(rows) > 1
for e, r in zip(entries, rows):
    both = e["overhead_sys"] + e["overhead_us"]
    assert abs(both - e["overhead"]) < 0.01, e
    assert abs(float(r["overhead_sys"]) - e["overhead_sys"]) < 0.01, (e, r)
    if e["dso"].startswith("[kernel"):
        assert e["overhead_us"] == 0, e
    elif e["dso"] != "[unknown]":
        assert e["overhead_sys"] == 0, e
assert any(e["overhead_us"] for e in entries) and any(e["overhead_sys"] for e in entries)
nested = json.load(open(sys.argv[3]))["events"][0]["entries"]
assert abs(sum(e["overhead_sys"] for e in nested) - sum(e["overhead_sys"] for e in entries)) < 0.01
PY
"$PERF_LITE" record -q -o "$TMP/modes.data" -F 4000 -e cpu-clock -- ls -laR /usr/share/doc /usr/lib >/dev/null 2>"$TMP/err"
"$PERF_LITE" report -i "$TMP/modes.data" --json --show-cpu-utilization -s dso >"$TMP/json" 2>"$TMP/err"
"$PERF_LITE" report -i "$TMP/modes.data" --csv --show-cpu-utilization -s dso >"$TMP/csv" 2>"$TMP/err"
"$PERF_LITE" report -i "$TMP/modes.data" --json --show-cpu-utilization --hierarchy -s comm,dso >"$TMP/nested" 2>"$TMP/err"
ok "shares of kernel and user code" python3 "$TMP/modes.py" "$TMP/json" "$TMP/csv" "$TMP/nested"
run_ok "sizes" "$PERF_LITE" report -q -i "$TMP/flat.data" -s symbol,symbol_size,dso,dso_size -g none --json
ok "of functions and mappings" python3 -c '
import json, sys
rows = [e for v in json.load(open(sys.argv[1]))["events"] for e in v["entries"] if e["dso"] == "spin"]
assert rows
for e in rows:
    assert 0 < int(e["symbol_size"]) < int(e["dso_size"]), e' "$TMP/out"
if grep -q '^physical id' /proc/cpuinfo; then
	run_ok "sockets" "$PERF_LITE" report -q -i "$TMP/modes.data" -s socket,cpu -t ' '
	is "those of the machine" "$(awk 'NF { print $3 + 0, $2 + 0 }' "$TMP/out" | sort -u)" "$(awk -F: '
		/^processor/ { cpu = $2 + 0 } /^physical id/ { print cpu, $2 + 0 }' /proc/cpuinfo | sort |
		grep -F -x -f "$(awk 'NF { print $3 + 0, $2 + 0 }' "$TMP/out" >"$TMP/seen"; echo "$TMP/seen")")"
else
	skip_outside "sockets" "this machine does not tell them in /proc/cpuinfo"
fi

# Records and threads
run_ok "--stats" "$PERF_LITE" report -i "$f" --stats
is "counts the samples" "$(awk '$1 == "SAMPLE" && NF > 3 { print $3 }' "$TMP/out")" "$total"
is "and those of the event" "$(awk '$1 == "SAMPLE" && NF == 3 { print $3 }' "$TMP/out")" "$total"
run_ok "threads are recorded" "$PERF_LITE" record -q -o "$TMP/t.data" -e cpu-clock -- \
	sh -c 'sh -c "sleep 0.01; :"; :'
# a chain of forks takes neither the time nor the room of all pairs of its tasks
awk 'BEGIN {
	print "event cpu-clock type=software config=0 freq=1000\nat 1\ncomm 10 first"
	for (i = 11; i < 50011; i++)
		print "fork " i " " i - 1
	print "sample cpu-clock t=1.1 pid=50010 cpu=0 ip=0x1000"
}' >"$TMP/chain.rec"
"$PROG/make_recording" "$TMP/chain.rec" "$TMP"
run_ok "--tasks of a long chain" sh -c "ulimit -v 500000; exec '$PERF_LITE' report -i '$TMP/chain.data' --tasks"
is "has all of it" "$(grep -c first "$TMP/out")" 50001
run_ok "--tasks" "$PERF_LITE" report -i "$TMP/t.data" --tasks
cat >"$TMP/tasks.py" <<'PY'
import re, sys
parents, seen, level = {}, [], {}
for line in open(sys.argv[1]).readlines()[1:]:
    pid, tid, ppid, indent, comm = re.match(r" +(\S+) +(\S+) +(\S+) \|( *)(.*)$", line).groups()
    parents[tid], level[tid] = ppid, len(indent)
    seen.append((tid, comm))
assert len(set(t for t, _ in seen)) == len(seen)
[sleep] = [t for t, c in seen if c == "sleep"]
chain = [sleep]
while parents[chain[-1]] in parents:
    assert level[chain[-1]] == level[parents[chain[-1]]] + 1
    chain.append(parents[chain[-1]])
names = dict(seen)
assert [names[t] for t in chain[:3]] == ["sleep", "sh", "sh"], [names[t] for t in chain]
PY
ok "sleep below sh below sh" python3 "$TMP/tasks.py" "$TMP/out"
run_ok "--mmaps" "$PERF_LITE" report -i "$TMP/t.data" --mmaps
like "what they had mapped" "$TMP/out" ' r-xp 0[0-9a-f]* [0-9]+ /.*/sleep$'

# Fields of tracepoints, and names that are hostile
if [ -e /sys/kernel/tracing/events/sched/sched_switch/id ] || [ -e /sys/kernel/debug/tracing/events ]; then
	t=$TMP/tp.data
	run_ok "two tracepoints" "$PERF_LITE" record -q -o "$t" -e sched:sched_process_exec -e sched:sched_process_fork -- \
		sh -c 'for i in 1 2 3 4 5; do /bin/true; done; cp /bin/true "$1"; "$1"' sh "$TMP/a\",;	<&b"
	"$PERF_LITE" report -i "$t" -s filename -g none >"$TMP/out" 2>"$TMP/err"
	is "a table for each" "$(grep -c '^# Samples' "$TMP/out")" 2
	is "with that column where it is a field" "$(grep -c '^# .*filename$' "$TMP/out")" 1
	is "execs of true" "$("$PERF_LITE" report -q -i "$t" --event sched:sched_process_exec -n -F sample,filename |
		awk '$2 == "/bin/true" { print $1 }')" 5
	"$PERF_LITE" report -i "$t" --json -s filename,comm >"$TMP/json"
	"$PERF_LITE" report -i "$t" --csv -s filename,comm >"$TMP/csv"
	ok "JSON and CSV of that name" python3 -c '
import csv, json, sys
doc = json.load(open(sys.argv[1]))
names = [e.get("filename", "") for v in doc["events"] for e in v["entries"]]
want = [n for n in names if n.endswith("a\",;\\x09<&b")]
assert len(want) == 1, names
rows = list(csv.DictReader(open(sys.argv[2], newline="")))
assert want[0] in [r["filename"] for r in rows], rows
assert len(rows) == len(names)' "$TMP/json" "$TMP/csv"
	run "$PERF_LITE" report -i "$t" -s filenam
	rc_is 1 "a field that is misspelt"
	like "what was meant" "$TMP/err" "did you mean 'filename'"
	"$PERF_LITE" report -q -i "$t" -s sched_process_exec.comm,comm >"$TMP/out" 2>"$TMP/err"
	rc_is 1 "EVENT.FIELD needs a field of it" && like "that is said" "$TMP/err" hint
else
	skip_without "fields" tracepoints
fi

# In vain
for words in '-s coom' '-s comm,,sim' '-F nothing' '--percent-limit 200' '--percent-limit x' '-t .' '-w x' '-g sideways' \
	'--percentage most' '--csv --json' '--csv -t ;' '--json --header' '--stats -s comm' '--event nothing' 'file.data' \
	'-b' '--hierarchy -F comm' '--hierarchy --children' '-p (' '-x' '--branch-history' '-b --mem-mode' '--total-cycles' \
	'--ignore-callees x' '--group-sort-idx x' '--symbol-filter x' '--raw-trace' '-D' '-T'; do
	run "$PERF_LITE" report -i "$f" $words
	rc_is 1 "$words: wrong usage"
done
run "$PERF_LITE" report -i "$f" -s coom
like "did you mean" "$TMP/err" "did you mean 'comm'"
run "$PERF_LITE" report -i "$TMP/t.data" -g caller
rc_is 1 "call graphs of a recording without chains"
like "what to do" "$TMP/err" 'record -g'
run_ok "no sample is left" "$PERF_LITE" report -i "$f" --time 1,2
like "that is said" "$TMP/err" '^no sample of .* matches what was asked for: time$'
is "and no table" "$(cat "$TMP/out")" ""
run_ok "nor as JSON" "$PERF_LITE" report -i "$f" --time 1,2 --json
is "an object all the same" "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["events"])' "$TMP/out")" "[]"
run_ok "one sample" "$PERF_LITE" report -i "$f" --limit 1 -n -g none
like "is all of it" "$TMP/out" '^   100.00%'
size=$(stat -c %s "$f")
head -c "$((size * 2 / 3))" "$f" >"$TMP/cut.data"
run "$PERF_LITE" report -i "$TMP/cut.data"
rc_is 3 "a recording that is cut"
run "$PERF_LITE" report -i "$TMP/cut.data" --stats
rc_is 3 "its --stats"
# A sample weighs its period, which the kernel changes while it samples by frequency
"$PERF_LITE" record -q -e page-faults -F 2000 -o "$TMP/faults" -- "$PROG/faults" 3000 >/dev/null 2>"$TMP/err" || diag_file "$TMP/err"
"$PERF_LITE" script -q -i "$TMP/faults" -F period >"$TMP/periods" 2>"$TMP/err"
ok "samples of several periods" test "$(sort -u "$TMP/periods" | wc -l)" -gt 1
is "their sum is that of the rows" \
	"$("$PERF_LITE" report -i "$TMP/faults" --csv -s sym 2>"$TMP/err" | awk -F, 'NR > 1 { sum += $4 } END { print sum }')" \
	"$(awk '{ sum += $1 } END { print sum }' "$TMP/periods")"
# Tracepoints without an address: [unknown] is no function that has no name
for how in '' --sample-ip -g; do
	"$PERF_LITE" record -q $how -e sched:sched_process_exit -o "$TMP/placeless" -- true 2>"$TMP/err"
	run_ok "a report ($how)" "$PERF_LITE" report -g none -i "$TMP/placeless"
	is "says that there is no address ($how)" "$(grep -c 'no addresses were recorded' "$TMP/err")" "$([ "$how" ] && echo 0 || echo 1)"
done
"$PERF_LITE" record -q -e sched:sched_process_exit -o "$TMP/placeless" -- true 2>"$TMP/err"
run_ok "by other keys" "$PERF_LITE" report -i "$TMP/placeless" -s comm
is "it says nothing" "$(cat "$TMP/err")" ""
done_testing
