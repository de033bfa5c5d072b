#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# python.sh [SAMPLES] - what the package perflite costs, of a recording of so many system calls (default 10000000): seconds of wall and
# CPU time for a table of all, for counting them, and for loops over a million samples. Each is the best of ROUNDS=3. Needs root and python3.
. tests/bench/lib
need_cmd python3
calls=${1:-10000000}
[ -e "$O/libperflite.so" ] || need "libperflite.so"
"$PERF_LITE" record -q -m 16M -e raw_syscalls:sys_enter -o "$tmp/storm.data" -- "$PROG/storm" --quiet "$calls"

cat >"$tmp/bench.py" <<'END'
import sys, time, warnings
import perflite

warnings.simplefilter("ignore")
path, rounds = sys.argv[1], int(sys.argv[2])


def loop(read, **options):
    def run(rec):
        nr = 0
        for s in rec:
            read(s)
            nr += 1
        return nr
    return run, {"limit": 1000000, **options}


cases = {
    "table time,cpu,pid,id": (lambda rec: len(rec.table(fields="time,cpu,pid,id")), {}),
    "table time": (lambda rec: len(rec.table(fields="time")), {}),
    "count comm,id": (lambda rec: sum(rec.count("comm,id")["count"]), {}),
    "loop": loop(lambda s: None),
    "loop, no_fields": loop(lambda s: None, no_fields=True),
    "loop: time, comm, cpu": loop(lambda s: (s.time, s.comm, s.cpu)),
    "loop: a field": loop(lambda s: s["id"]),
    "loop: a stack": loop(lambda s: s.stack),
}
print(f"{'':24} {'samples':>10} {'wall s':>8} {'CPU s':>8} {'ns each':>8}")
for name, (run, options) in cases.items():
    best = None
    for _ in range(rounds):
        with perflite.open(path, **options) as rec:
            wall, cpu = time.perf_counter(), time.process_time()
            nr = run(rec)
            took = time.perf_counter() - wall, time.process_time() - cpu
        best = took if best is None else tuple(map(min, best, took))
    print(f"{name:24} {nr:10} {best[0]:8.2f} {best[1]:8.2f} {best[1] * 1e9 / max(nr, 1):8.0f}", flush=True)
END
PERFLITE_LIBRARY=$O/libperflite.so.0 PYTHONPATH=scripts/python PYTHONDONTWRITEBYTECODE=1 \
	python3 "$tmp/bench.py" "$tmp/storm.data" "${ROUNDS:-3}"
