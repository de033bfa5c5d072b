# SPDX-License-Identifier: GPL-2.0
#
# record --latency, and the wall-clock time that report --latency makes of it: as much as the switches themselves say that some
# thread ran, whatever else the machine does meanwhile. tests/golden/parallel.txt has the arithmetic.
. tests/lib.sh
need own python3
p=$PERF_LITE
f=$TMP/p.data

run_ok "two at once, then one" "$p" record -q -F 4000 -e cpu-clock:u --latency -o "$f" -- \
	sh -c "'$PROG/spin' 500 & '$PROG/spin' 500 & wait; '$PROG/spin' 300"
lost=$(sed -n 's/.* \([0-9]*\) lost.*/\1/p' "$TMP/err")

# From the records of switches: ns with one thread on a CPU, with two ...
run_ok "its switches" "$p" script -q -i "$f" --ns -G -F tid,cpu,time,event --show-switch-events --show-task-events
cat >"$TMP/ran.py" <<'PY'
import re, sys
running, ran, before = {}, {}, None
for line in open(sys.argv[1]):
	m = re.match(r'\s*(\S+)\s+\[(\d+)\]\s+(\d+)\.(\d+):(.*)', line)
	if not m:
		continue
	cpu, now, text = m.group(2), int(m.group(3)) * 10**9 + int(m.group(4)), m.group(5)
	if before is not None and running:
		ran[len(running)] = ran.get(len(running), 0) + now - before
	if 'SWITCH IN' in text or 'cpu-clock' in text:
		running[cpu] = 1
		before = now
	elif 'SWITCH OUT' in text or 'RECORD_EXIT' in text:
		running.pop(cpu, None)
		before = now
	elif before is not None:
		before = now
print(sum(ran.values()), sum(n * ns for n, ns in ran.items()))
PY
python3 "$TMP/ran.py" "$TMP/out" >"$TMP/ran" && read -r wall cpu <"$TMP/ran"

total() # OPTION...: the weight of all samples
{
	"$p" report -q -i "$f" -s comm --json "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["events"][0]["period"])'
}
near() # DESC A B: within a tenth
{
	ok "$1: $2 for $3" python3 -c "import sys; a, b = $2, $3; sys.exit(abs(a - b) > max(a, b) / 10)"
}
is "nothing is lost" "${lost:-0}" 0
near "CPU time is what the switches say" "$(total)" "$cpu"
near "and so is wall-clock time" "$(total --latency)" "$wall"

# A sample whose part of the wall-clock time is 0 weighs nothing: profiles have the total of report
"$PROG/make_recording" "$PWD/tests/golden/parallel.rec" "$TMP"
weights() # FORMAT
{
	"$p" convert -q --latency --to "$1" -i "$TMP/parallel.data" -o - | PYTHONPATH=$PWD/tests/cli python3 -c 'import profiles, sys
body = sys.stdin.buffer.read()
print(sum(s.weight for s in profiles.Otlp(body).samples) if sys.argv[1] == "otlp" else
	sum(n for key, n in profiles.pprof_sums(body).items() if key[-1] == "weight"))' "$1"
}
is "pprof" "$(weights pprof)" 41000000
is "otlp" "$(weights otlp)" 41000000

# Each sample is of one number of threads
run_ok "by how many ran" "$p" count -q -i "$f" --by parallelism --json
python3 -c 'import json, sys; print(*(r["parallelism"] for r in json.load(open(sys.argv[1]))["rows"]), sep="\n")' "$TMP/out" >"$TMP/values"
ok "somebody always does" sh -c "! grep -qx 0 '$TMP/values'"
all=$("$p" script -q -i "$f" -F time | wc -l)
sum=0
while read -r n; do
	sum=$((sum + $("$p" script -q -i "$f" -F time --parallelism "$n" | wc -l)))
done <"$TMP/values"
is "samples of each add up" "$sum" "$all"
is "and the others are all others" "$("$p" script -q -i "$f" -F time --parallelism '!1' | wc -l)" \
	$((all - $("$p" script -q -i "$f" -F time --parallelism 1 | wc -l)))
done_testing
