#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""chrome.py JSON READ - does READ, what chrome.js printed of a trace, hold every sample of JSON, what script --json
printed of the same recording, with its stack, once among the samples and once among the instants?
"""
import collections
import json
import sys


def samples_of(path):
    with open(path, encoding="utf-8") as f:
        return [s for s in map(json.loads, f) if "event" in s and "lost" not in s]


def stack_of(sample):
    names = []
    for frame in reversed(sample.get("callchain") or ([sample] if "ip" in sample else [])):
        name = frame.get("symbol") or frame.get("dso", "[unknown]").rsplit("/", 1)[-1]
        names.append(name if "symbol" in frame or name.startswith("[") else "[%s]" % name)
    return tuple(name for name in names if name != "[truncated]") or ("[unknown]",)


def cut_off(stack):
    return tuple(name for name in stack if name != "[truncated]")


want = samples_of(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as f:
    read = [json.loads(line) for line in f]



def milliseconds(ns):
    """As JavaScript makes them of the microseconds in the file."""
    return float("%d.%03d" % (ns // 1000, ns % 1000)) / 1000


expected = collections.Counter((s["event"], s["tid"], milliseconds(s["time"]), s["period"] or 1, s.get("cpu"),
                                stack_of(s)) for s in want)
got = collections.Counter((r[1], r[2], r[3], r[4], r[5], cut_off(r[6])) for r in read if r[0] == "sample")
instants = collections.Counter((r[1], r[2], r[3], r[4]["period"] or 1, r[4].get("cpu"), cut_off(r[5]))
                               for r in read if r[0] == "instant")
for what, found in (("samples", got), ("instants", instants)):
    if found != expected:
        print("%s: missing %s, too many %s" % (what, list((expected - found).items())[:2],
                                               list((found - expected).items())[:2]))
        sys.exit(1)
names = {(r[1], r[2]): r[3] for r in read if r[0] == "thread"}
for thread, comm in {(s["pid"], s["tid"]): s["comm"] for s in want}.items():
    if names.get(thread) != comm:
        print("thread %s is called %r, not %r" % (thread, names.get(thread), comm))
        sys.exit(1)
print(len(want), "samples")
