#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""convert_formats.py FORMAT JSON FILE - is FILE a valid file of FORMAT (csv, chrome), and does it hold
exactly the samples of JSON, which script --json printed of the same recording?

Prints how many samples it compared; ends with 1 at the first difference.
"""
import csv
import io
import json
import sys
from decimal import Decimal


def die(text, *what):
    print("%s: %s" % (text, " ".join(repr(w) for w in what)))
    sys.exit(1)


def same(text, got, want, where):
    if got != want:
        die("%s of %s" % (text, where), got, want)


def read_samples(path):
    with open(path, encoding="utf-8", errors="strict") as f:
        return [s for s in map(json.loads, f) if "event" in s and "lost" not in s]


def frame_name(frame):
    if "symbol" in frame:
        return frame["symbol"]
    if "dso" not in frame:
        return "[unknown]"
    name = frame["dso"].rsplit("/", 1)[-1] or frame["dso"]
    return name if name.startswith("[") else "[%s]" % name


def stack_of(sample):
    """Outermost first."""
    chain = sample.get("callchain") or ([sample] if "ip" in sample else [])
    return [frame_name(f) for f in reversed(chain)] or ["[unknown]"]


def without_cut(stack):
    return stack[1:] if stack[0] == "[truncated]" and len(stack) > 1 else stack


def field_text(value):
    if isinstance(value, dict):
        return value["name"]
    if isinstance(value, list):
        return "[%s]" % ",".join(map(str, value))
    return "?" if value is None else str(value)


def check_csv(samples, path):
    with open(path, "rb") as f:
        data = f.read()
    text = data.decode("utf-8")
    if not text.endswith("\r\n") or text.count("\n") != text.count("\r\n"):
        die("lines do not end with CR LF")
    if any(ord(c) < 32 for c in text.replace("\r\n", "")):
        die("a control byte")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    names, rows = rows[0], rows[1:]
    same("names", names[:11],
         "event,time_ns,cpu,pid,tid,comm,period,ip,symbol,dso,stack".split(","), "columns")
    same("number", len(rows), len(samples), "rows")
    for row, s in zip(rows, samples):
        where = "time %s" % s.get("time")
        same("cells", len(row), len(names), where)
        got = dict(zip(names, row))
        # -1: of a task that has ended, or is outside of the PID namespace, the kernel tells no thread
        unknown = [key for key in ("pid", "tid") if s.get(key) == -1] + (["comm"] if s.get("tid") == -1 else [])
        for column, key in zip(names[:10], "event,time,cpu,pid,tid,comm,period,ip,symbol,dso".split(",")):
            same(column, got[column], "" if key in unknown else str(s.get(key, "")), where)
        want = ";".join(name.replace(";", ":") for name in stack_of(s))
        if got["stack"] not in (want, "[truncated];" + want):
            die("stack of " + where, got["stack"], want)
        fields = {n[7:]: got[n] for n in names[11:]}
        if fields:
            same("fields", fields, {n: field_text(v) for n, v in s["fields"].items()}, where)
    return len(rows)


def known_keys(what, o, must, may=()):
    if not set(must) <= set(o) or not set(o) <= set(must) | set(may):
        die("keys of " + what, sorted(o))


def is_int(*values):
    return all(isinstance(v, int) and not isinstance(v, bool) for v in values)


def is_time(v):
    return isinstance(v, Decimal) and v.as_tuple().exponent == -3


def check_event(e):
    known_keys("event", e, ("ph", "pid", "tid", "ts", "name", "args"), ("s", "cat", "sf", "dur"))
    if not is_int(e["pid"], e["tid"]) or not isinstance(e["name"], str) or not isinstance(e["args"], dict):
        die("types", e)
    if e["ph"] == "M":
        if e["name"] not in ("process_name", "thread_name") or list(e["args"]) != ["name"]:
            die("metadata", e)
    elif e["ph"] == "i":
        if e["s"] != "t" or e["cat"] != "sample" or not is_time(e["ts"]) or not is_int(e["sf"]):
            die("instant", e)
    elif e["ph"] == "X":
        if not is_time(e["ts"]) or not is_time(e["dur"]) or e["dur"] < 0 or e["cat"] != "sched":
            die("slice", e)
    else:
        die("phase", e)


def chrome_stacks(frames):
    stacks = {}
    for name, f in frames.items():
        known_keys("frame", f, ("name", "category"), ("parent",))
        # a caller stands before what it calls, so there are no cycles
        if "parent" in f and f["parent"] not in stacks:
            die("a parent is missing", name)
        stacks[name] = stacks.get(f.get("parent"), []) + [f["name"]]
    return stacks


def slices_of(samples):
    running, found = {}, []
    for s in samples:
        if s["event"] != "sched:sched_switch":
            continue
        f, cpu = s["fields"], s["cpu"]
        if cpu in running:
            since, tid, comm = running[cpu]
            if tid and tid == f["prev_pid"]:
                found.append((cpu, tid, comm, since, s["time"]))
        running[cpu] = (s["time"], f["next_pid"], f["next_comm"])
    return found


def check_chrome(samples, path):
    with open(path, encoding="utf-8", errors="strict") as f:
        trace = json.load(f, parse_float=Decimal)
    known_keys("the trace", trace, ("traceEvents", "samples", "stackFrames"))
    same("order", list(trace)[0], "traceEvents", "the trace: readers stop looking behind what they do not know")
    for e in trace["traceEvents"]:
        check_event(e)
    stacks = chrome_stacks(trace["stackFrames"])
    instants = [e for e in trace["traceEvents"] if e["ph"] == "i"]
    same("number", len(instants), len(samples), "instants")
    same("number", len(trace["samples"]), len(samples), "samples")
    names, comms = {}, {}
    for e, short, s in zip(instants, trace["samples"], samples):
        where = "time %d" % s["time"]
        for key in ("pid", "tid"):
            same(key, e[key], s[key], where)
        same("ts", e["ts"] * 1000, s["time"], where)
        same("name", e["name"], s["event"], where)
        same("cpu", e["args"].get("cpu"), s.get("cpu"), where)
        same("period", e["args"]["period"], s["period"], where)
        same("fields", e["args"].get("fields"), s.get("fields"), where)
        same("stack", without_cut(stacks[str(e["sf"])]), stack_of(s), where)
        known_keys("sample", short, ("tid", "ts", "name", "sf", "weight"), ("cpu",))
        for key in ("tid", "ts", "name", "sf"):
            same("sample's " + key, short[key], e[key], where)
        same("sample's cpu", short.get("cpu"), s.get("cpu"), where)
        same("weight", short["weight"], s["period"] or 1, where)
        comms[s["pid"], s["tid"]] = s["comm"]
    cpus = set()
    for e in trace["traceEvents"]:
        if e["ph"] == "M":
            names.setdefault(e["name"], {})[e["pid"] if e["name"] == "process_name" else (e["pid"], e["tid"])] = e["args"]["name"]
        if e["ph"] == "X":
            cpus.add(e["pid"])
    for thread, comm in comms.items():
        same("name", names["thread_name"].get(thread), comm, "thread %s" % (thread,))
        if thread[0] not in names["process_name"]:
            die("process without a name", thread)
    got = sorted((e["tid"], e["args"]["tid"], e["name"], int(e["ts"] * 1000), int((e["ts"] + e["dur"]) * 1000))
                 for e in trace["traceEvents"] if e["ph"] == "X")
    same("slices", got, sorted(slices_of(samples)), "the CPUs")
    if cpus & {pid for pid, tid in comms}:
        die("CPUs and a process have one number", cpus)
    return len(instants)


print({"csv": check_csv, "chrome": check_chrome}[sys.argv[1]](read_samples(sys.argv[2]), sys.argv[3]))
