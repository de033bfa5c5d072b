# SPDX-License-Identifier: GPL-2.0
"""python.py CHECK ARGUMENT... - checks of the package perflite, which python.t names. What is wrong is printed, and the exit code is 1."""
import ast
import collections.abc
import ctypes
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings

import library
import perflite

warnings.simplefilter("ignore", perflite.LossWarning)


def options_of(words):
    options = {}
    for word in words:
        name, equals, value = word.partition("=")
        options[name.replace("-", "_")] = value if equals else True
    return options


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def number_of(value):
    try:
        return int(value, 0) if isinstance(value, str) else value
    except ValueError:
        return value


def same_value(ours, theirs, text):
    """A number, or what the event's text has of it: JSON has lists and addresses of functions as they are."""
    if isinstance(theirs, dict):
        return ours == (None if theirs["value"] is None else theirs["name"])
    if theirs is None:
        return ours is None
    if isinstance(theirs, list):
        return isinstance(ours, str)
    if isinstance(ours, str) and isinstance(number_of(theirs), int) and "+0x" in ours:
        return ours in text
    return ours == theirs or number_of(ours) == number_of(theirs)


def same_stack(ours, theirs):
    frames = theirs.get("callchain") or ([theirs] if "ip" in theirs else [])
    return len(ours) == len(frames) and all(
        (f.address, f.symbol, f.file, f.inlined) == (int(t["ip"], 0), t.get("symbol"), t.get("dso"), t.get("inlined", False))
        and (f.offset or 0) == t.get("offset", 0) and ("line" not in t or f.line == t["line"])
        for f, t in zip(ours, frames))


def check_sample(s, theirs):
    for key in "event", "comm", "pid", "tid", "cpu", "time", "period":
        assert getattr(s, key) == theirs.get(key), f"{key}: {s} {theirs}"
    for name, value in theirs.get("fields", {}).items():
        full = f"{s.event}.{name}"
        assert same_value(s.fields[name], value, theirs["trace"]), f"{name}: {s.fields} {theirs}"
        if isinstance(value, dict) and value["value"] is not None:
            assert isinstance(value["value"], list) or s.number(full) == number_of(value["value"]), f"{name}: {theirs}"
            assert s.text(full) == value["name"], f"{name}: {theirs}"
        if isinstance(number_of(value), int):
            assert s.number(full) == number_of(value), f"{name}: {s.number(full)} {theirs}"
        if type(s[full]) is int:
            assert number_of(s.text(full)) == s[full], f"{name}: {s.text(full)} {s[full]}"
    for key in "time", "pid", "tid", "cpu", "period":
        assert s[key] is None or s.text(key) == str(s[key]), f"{key}: {s.text(key)} {s[key]}"
    assert same_stack(s.stack, theirs), f"{s.stack} {theirs}"


def check_samples(data, answers, *options):
    """All of each sample, read in the loop, and of a list."""
    theirs = [t for t in lines(answers) if "event" in t]
    with perflite.open(data, **options_of(options)) as rec:
        ours, short = 0, []
        for s in rec:
            assert ours < len(theirs), "too many samples"
            check_sample(s, theirs[ours])
            short.append(meanings(s))
            ours += 1
        assert rec.lost == sum(loss.count or 0 for loss in rec.losses)
    assert ours == len(theirs), f"{ours} samples, not {len(theirs)}"
    with perflite.open(data, **options_of(options)) as rec:
        kept = list(rec.samples(keep=True))
    assert len(kept) == len(theirs)
    for s, t, values in zip(kept, theirs, short):
        check_sample_kept(s, t)
        assert meanings(s) == values, f"keep changes what names mean: {t}"
    with perflite.open(data, **options_of(options)) as rec:
        shown = [i for i in rec.items() if isinstance(i, perflite.Sample)]
    assert [(s.time, s.event) for s in shown] == [(t.get("time"), t["event"]) for t in theirs]
    print(len(theirs))


def meanings(s):
    """Of each field, by its own name and by the whole one."""
    return {name: (s.get(name), s.number(name), s.text(name)) for field in s.fields for name in (field, f"{s.event}.{field}")}


def check_sample_kept(s, theirs):
    assert same_stack(s.stack, theirs), f"{s.stack} {theirs}"
    for name, value in theirs.get("fields", {}).items():
        assert same_value(s.fields[name], value, theirs["trace"]), f"{name}: {theirs}"
    assert isinstance(s.raw, bytes)


def check_tables(data, answers, *options):
    """A table of each event, and its columns in all ways that need no other package."""
    theirs = [t for t in lines(answers) if "event" in t]
    with perflite.open(data, **options_of(options)) as rec:
        events = rec.events
    for event, fields in events.items():
        with perflite.open(data, **options_of(options)) as rec:
            table = rec.table(event)
        wanted = [t for t in theirs if t["event"] == event]
        assert len(table) == len(wanted), event
        assert len(table.names) == 5 + len(fields)
        short = event.rpartition(":")[2]
        values = table.to_dict()
        for row, t in enumerate(wanted):
            for key in "time", "comm", "pid", "tid", "cpu":
                assert values[key][row] == t.get(key), f"{key} of {t}"
            for name in fields:
                column = f"{short}.{name}" if f"{short}.{name}" in table else name
                assert same_value(values[column][row], t["fields"].get(name), t["trace"]), f"{name}: {values[column][row]} {t}"
        assert list(table.rows()) == list(zip(*[c[:] for c in table.columns])), "rows"
        assert repr(table).splitlines()[0].split() == table.names
        for c in table.columns:
            assert isinstance(c, collections.abc.Sequence) and list(reversed(c)) == list(c)[::-1], c
            for value in set(c[:5]):
                assert (c.index(value), c.count(value), value in c) == (list(c).index(value), list(c).count(value), True), c
            fails(ValueError, lambda: c.index("nothing"))
    if len([name for name in events if not name.startswith("dummy")]) == 1:
        with perflite.open(data, **options_of(options)) as rec:
            assert rec.table().names == table.names, "without a name it is the only event"
    with perflite.open(data, **options_of(options)) as rec:
        parts = []
        while len(part := rec.table(fields="time,event,data_address,address", limit=7)):
            parts.append(part)
            assert len(part) <= 7
    assert [v for part in parts for v in part["event"]] == [t["event"] for t in theirs]
    print(len(theirs))


def check_counts(data, answers, by, of, *options):
    (theirs,) = lines(answers)
    keys, of = by.split(","), of or None
    with perflite.open(data, **options_of(options)) as rec:
        table = rec.count(keys, of)
    assert table.names == keys + ["count"] + (["sum", "min", "max"] if of else [])

    def plain(value):
        return value["name"] if isinstance(value, dict) else value

    wanted = [tuple(plain(r.get(name)) for name in table.names) for r in theirs["rows"]]
    order = lambda rows: sorted(rows, key=repr)
    assert order(table.rows()) == order(wanted), f"{list(table.rows())}\n{wanted}"
    assert list(table["sum" if of else "count"]) == sorted(table["sum" if of else "count"], reverse=True)
    print(len(table))


def check_recording(data, answers, counts):
    """All of that, of one of tests/golden."""
    options = "symfs=root", "kallsyms=kallsyms", "inline"
    check_samples(data, answers, *options)
    check_tables(data, answers, *options)
    check_counts(data, counts, "event,comm,cpu", "")


def check_latency(data, answers, preset, *options):
    (theirs,) = lines(answers)
    with perflite.open(data) as rec:
        table = rec.latency(preset, **options_of(options))
        rec.losses
    numbers = [name for name in table.names if name == "spans" or name.endswith("_ns")]

    def plain(value):
        return value["name"] if isinstance(value, dict) else value

    assert [set(r) for r in theirs["rows"]] == [set(table.names)] * len(table), table.names
    assert list(table.rows()) == [tuple(plain(r[name]) for name in table.names) for r in theirs["rows"]], f"{table}\n{theirs['rows']}"
    assert all(type(value) is int for name in numbers for value in table[name])
    for name, value in table.account.items():
        assert name == "spans" or value == theirs.get(name, 0), name
    print(len(table))


def check_latency_calls(data):
    with perflite.open(data) as rec:
        fails(perflite.Error, lambda: rec.latency("run-quee"), "there is no preset 'run-quee'", "did you mean 'run-queue'?")
        fails(perflite.Error, lambda: rec.latency("run-queue", by="nothing"), "there is no key 'nothing'")
        fails(perflite.Error, lambda: rec.latency("syscalls"), "no span can begin")
        fails(perflite.Error, lambda: rec.latency(), "which time?")
        fails(perflite.Error, lambda: rec.latency("run-queue", colour="red"), "there is no option 'colour'")
        # none of that has read anything
        table = rec.latency("run-queue", ["comm", "tid"])
        assert list(table["spans"]) == [1, 3] and table.account["restarts"] == 1, table
        again = rec.latency("run-queue")
        assert len(again) == 0 and again.names[0] == "comm" and set(again.account.values()) == {0}, again
        assert rec.count("comm").account is None and not list(rec)
    assert list(table["comm"]) == ["solver", "wor\\x09ker"] and table.account["open"] == 1, "after the close"
    with perflite.open(data) as rec:
        for s in rec:
            if s.time >= 5040000000:
                break
        table = rec.latency("run-queue", slowest=5)
        assert list(table["ns"]) == [10000000], f"what is left: {table}"
        rec.losses
    with perflite.open("off-cpu/off-cpu.data") as rec:
        before = [type(item).__name__ for item in rec.items()]
    with perflite.open("off-cpu/off-cpu.data") as rec:
        fails(perflite.Error, lambda: rec.latency("off-cpu", by="nothing"), "nothing")
        assert [type(item).__name__ for item in rec.items()] == before, "records of switches are no items"
    with perflite.open(data) as rec:
        staged = rec.latency(from_="block:block_rq_issue", to="block:block_rq_complete", on="dev,sector", by="rwbs", then=[
            "block:block_rq_issue if rwbs == X"])
        assert staged.names[:2] == ["stage", "rwbs"] and list(staged["spans"]) == [1, 1], staged
        rec.losses


def check_latency_live():
    with perflite.watch(["taskset", "-c", "0", os.environ["PROG"] + "/waits", "sleeps", "5", "2"], latency="syscalls") as rec:
        calls = rec.latency(by=["comm", "id"])
    assert [row[2] for row in calls.rows() if row[:2] == ("waits", "clock_nanosleep")] == [5], calls
    with perflite.watch(["true"], event="sched:sched_switch") as rec:
        fails(perflite.Error, lambda: rec.latency("off-cpu"), "not watched", "latency=PRESET")
    with perflite.watch(["true"], latency="syscalls") as rec:
        rec.stop()
        assert len(rec.latency()) == 0


def check_drops(data, answers, *options):
    (theirs,) = lines(answers)
    asked = options_of(options)
    with perflite.open(data, **{name: asked.pop(name) for name in ("symfs", "drops") if name in asked}) as rec:
        table = rec.drops(**asked)
        rec.losses
    wanted = [library.drop_row(r) for r in theirs["rows"]]
    assert {name for r in wanted for name in r} <= set(table.names), table.names
    assert list(table.rows()) == [tuple(r.get(name) for name in table.names) for r in wanted], f"{table}\n{wanted}"
    assert table.account == {name: theirs[name] for name in ("drops", "hidden", "lost")}, table.account
    assert all(type(value) is int for name in ("count", "hardware") for value in table[name])
    print(len(table))


def check_drops_calls(data):
    with perflite.open(data) as rec:
        fails(perflite.Error, lambda: rec.drops("resaon"), "there is no key 'resaon'", "did you mean 'reason'?")
        fails(perflite.Error, lambda: rec.drops(filter="nothing == 1"), "the event has no field 'nothing'")
        fails(perflite.Error, lambda: rec.drops(colour="red"), "there is no option 'colour'")
        fails(perflite.Error, lambda: rec.drops("flow", event="skb:kfree_skb"), "does not report the addresses", "the option drops")
        # none of that has read anything
        table = rec.drops(["reason", "comm"], "reason == NO_SOCKET")
        assert list(table.rows()) == [("NO_SOCKET", "swapper", 6, 0)], table
        again = rec.drops()
        assert len(again) == 0 and again.account == {"drops": 0, "hidden": 0, "lost": 5}, again.account
        assert rec.count("comm").account is None and not list(rec)
    assert list(table["reason"]) == ["NO_SOCKET"] and table.account["drops"] == 6, "after the close"
    with perflite.open(data) as rec:
        first = next(iter(rec))
        assert first.event == "skb:kfree_skb"
        left = rec.drops(all=True).account
    with perflite.open(data) as rec:
        assert rec.drops(all=True).account["drops"] == left["drops"] + 1, f"what is left: {left}"
    with perflite.open(data, drops="reason") as rec:
        assert rec.drops().names == ["reason", "count", "hardware"]
        rec.losses
    with perflite.open("web/web.data") as rec:
        fails(perflite.Error, rec.drops, "holds no event of drops")


def check_drops_live():
    load = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec taskset -c 0 "$PROG/dropping" rcvbuff 20']
    with perflite.watch(load, event="skb:kfree_skb", all_cpus=True) as rec:
        table = rec.drops("reason,comm", "reason == SOCKET_RCVBUFF")
    assert ("SOCKET_RCVBUFF", "dropping", 20, 0) in table.rows(), table
    with perflite.watch(load, drops=["reason", "comm"]) as rec:
        table = rec.drops()
    assert ("SOCKET_RCVBUFF", "dropping", 20, 0) in table.rows(), table
    with perflite.watch(["true"], drops=True) as rec:
        rec.stop()
        assert len(rec.drops()) == 0
    fails(perflite.Error, lambda: perflite.watch(["true"], drops=True, latency="syscalls"), "drops has events of its own")


def fails(kind, call, *words):
    try:
        call()
    except kind as e:
        for word in words:
            assert word in str(e), f"{e}: no {word}"
        return e
    raise AssertionError(f"no {kind.__name__}")


def check_expired(data):
    """What was not read of a sample before the next one is an error, not another sample's."""
    with perflite.open(data) as rec:
        samples = list(rec)
        assert len(samples) > 2 and samples[0].time < samples[2].time
        for read in lambda s: s.stack, lambda s: s.raw, lambda s: s["reason"], lambda s: s.number("reason"), lambda s: s.fields:
            fails(perflite.Error, lambda: read(samples[0]), "keep=True")
    fails(ValueError, lambda: next(iter(rec)), "closed")
    with perflite.open(data) as rec:
        first = next(iter(rec))
        reason, stack, raw = first["reason"], first.stack, first.raw
        for second in rec:
            break
        assert (first["reason"], first.stack, first.raw) == (reason, stack, raw)
        fails(perflite.Error, lambda: first["protocol"], "past this sample")
        second["protocol"]
        rec.table(limit=1)
        fails(perflite.Error, lambda: second["reason"], "past this sample")
    fails(perflite.Error, lambda: second["reason"])


def check_keys(data):
    """Each name that is said to be a key is one."""
    for name in sorted(perflite._KEYS) + re.findall(r's\["(\w+)"\]', perflite.Sample.__doc__):
        with perflite.open(data) as rec:
            s = next(iter(rec))
            if name == "cgroup":
                fails(perflite.FieldError, lambda: s[name], "was not recorded")
            else:
                s[name]


def check_namesakes(data):
    with perflite.open(data) as rec:
        assert rec.events == {"probe:malloc": ["size", "twice"]}, rec.events
        assert [(s.event, s.fields) for s in rec] == [("probe:malloc", {"size": 24}), ("probe:malloc", {"twice": 48})]
    with perflite.open(data) as rec:
        size, twice = list(rec.samples(keep=True))
    for event, names, values in ("probe:malloc", ["size", "twice"], [(24, None), (None, 48)]), ("probe:malloc#2", ["twice"], [(48,)]):
        with perflite.open(data, event=event) as rec:
            assert [tuple(s.fields.get(name) for name in names) for s in rec] == values, event
        with perflite.open(data) as rec:
            assert list(zip(*rec.table(event).columns[5:])) == values, event
        with perflite.open(data) as rec:
            assert list(rec.table(event, names).rows()) == values, event
    assert (size.fields, size["size"]) == ({"size": 24}, 24) and (twice.fields, twice["twice"]) == ({"twice": 48}, 48)


def check_short_names(data):
    """Fields that are called like keys, of events whose names have several colons, or one that looks like modifiers."""
    with perflite.open(data) as rec:
        events = list(rec.events)
    for event in events:
        with perflite.open(data) as rec:
            table = rec.table(event)
        short = event.rpartition(":")[2]
        assert table.names[5:] == [f"{short}.time", f"{short}.comm"], table.names
        assert [column[0] for column in table.columns] == [1000000000, "made", 1, 1, 0, 5, 7], table


def check_errors(folder):
    e = fails(perflite.Error, lambda: perflite.open(f"{folder}/nowhere.data"), "cannot open")
    assert e.errno == 2 and e.hint and e.offset is None and isinstance(e, OSError)
    e = fails(perflite.Error, lambda: perflite.open(__file__), "neither")
    assert e.errno == 22
    e = fails(perflite.Error, lambda: perflite.open(f"{folder}/drops.data", coms="x"), "did you mean 'comms'?")
    assert e.hint == "did you mean 'comms'?"
    fails(perflite.Error, lambda: perflite.watch(event="no:such"), "no:such")
    fails(TypeError, lambda: perflite.watch("sleep 1", event="cpu-clock"), "list of words")
    fails(TypeError, lambda: perflite.open(None), "None")
    with perflite.open(f"{folder}/drops.data") as rec:
        s = next(iter(rec))
        e = fails(perflite.FieldError, lambda: s["reasom"], "reasom", "did you mean 'reason'?")
        assert isinstance(e, KeyError) and isinstance(e, perflite.Error)
        assert s.get("reasom") is None and s.get("reasom", 5) == 5 and s.get("reason") == s["reason"]
        for read in (lambda: s[None]), (lambda: s.get(None)), (lambda: s.text(None)), (lambda: rec.facts[None]):
            fails(TypeError, read, "None")
        fails(ValueError, lambda: s["reason\0x"], "NUL")
        fails(perflite.FieldError, lambda: rec.table(fields="reasom"), "reasom")
        fails(perflite.FieldError, lambda: rec.count("reasom"), "reasom")
        fails(perflite.Error, lambda: rec.table("no:such", ["time"]), "no:such")
        fails(KeyError, lambda: rec.facts["colour"])
        for limit in -1, 1 << 64:
            fails(ValueError, lambda: rec.table(limit=limit), str(limit))
        fails(TypeError, lambda: rec.table(limit=1.5), "float")
        for cut in (lambda: rec.table("skb:kfree_skb\0x")), (lambda: rec.count("comm\0,cpu")), (
                lambda: rec.latency("run-queue\0x")), (lambda: perflite.open(f"{folder}/drops.data\0x")), (
                lambda: perflite.open(f"{folder}/drops.data", comm="nginx\0x")), (lambda: rec.facts["arch\0x"]):
            fails(ValueError, cut, "NUL")
        assert rec.facts["hostname"] == "golden" and "colour" not in rec.facts and rec.facts.get("colour", 1) == 1
        rec.stop()
    rec.close()
    rec.stop()
    for read in (lambda: rec.notes), (lambda: rec.events), (lambda: rec.lost), (lambda: rec.table()), (lambda: rec.facts["arch"]):
        fails(ValueError, read, "closed")


def check_command_line(data, answer):
    with perflite.open(data) as rec, open(answer, encoding="utf-8") as f:
        assert rec.facts["cmdline"] == f.read().rstrip("\n"), rec.facts["cmdline"]
        assert " -- " in rec.facts["cmdline"]


def check_options(folder):
    def number(**options):
        with perflite.open(f"{folder}/drops.data", **options) as rec:
            return sum(1 for _ in rec)

    everything = number()
    assert 0 < number(comm="nginx") == number(comms=["nginx"]) < everything
    assert number(comm=["nginx", "swapper"]) == number(comm="nginx") + number(comm="swapper")
    assert number(cpu=range(64)) == number(limit=None, no_idle=False) == everything
    assert number(cpu=[0, 1]) == number(cpu="0,1") == number(cpu={0, 1})
    assert number(limit=2) == 2
    for cpus in {0: "a", 1: "b"}.keys(), (cpu for cpu in "01"), map(int, "01"):
        assert number(cpu=cpus) == number(cpu="0,1")
    made = type("bool_", (), {"__module__": "numpy", "__bool__": lambda self: self.value})
    for made.value in True, False:
        assert number(no_idle=made()) == number(no_idle=made.value)
    for value in object(), [None], [object()]:
        fails(TypeError, lambda: number(cpu=value))
    assert 0 < number(filter="reason == NO_SOCKET") < everything
    both = ["reason == NO_SOCKET || protocol == 34525", "protocol == 2048"]
    assert number(filter=iter(both)) == number(filter=both)
    assert 0 < number(filter=both) == number(filter=f"({both[0]}) && ({both[1]})") < number(filter=both[:1])
    assert number(event={"skb:kfree_skb": both}) == number(filter=both)
    fails(TypeError, lambda: number(filter={"skb:kfree_skb": both}), "filter takes no dict")
    with perflite.open(f"{folder}/drops.data") as rec:
        assert rec.drops("reason", ["reason == NO_SOCKET", "protocol == 0"]).account["drops"] == 0
    with perflite.open(f"{folder}/drops.data", no_stacks=True, event="skb:kfree_skb") as rec:
        assert all(len(s.stack) <= 1 for s in rec)


def check_losses(data, lost):
    lost = int(lost)
    with perflite.open(data) as rec:
        items = list(rec.items())
    losses = [i for i in items if isinstance(i, perflite.Loss)]
    assert sum(loss.count for loss in losses) == lost
    assert all(loss.text == "buffer full" and loss.time for loss in losses)
    at = items.index(losses[0])
    assert any(isinstance(i, perflite.Sample) for i in items[at:]), "the loss comes before what is later"
    for read in lambda rec: list(rec), lambda rec: rec.table(), lambda rec: rec.count("comm"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with perflite.open(data) as rec:
                read(rec)
        (warning,) = caught
        assert warning.category is perflite.LossWarning and str(warning.message).startswith(f"{lost} samples were lost")
        assert warning.filename == __file__, warning.filename
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with perflite.open(data) as rec:
                read(rec)
                assert rec.lost == lost and sum(loss.count for loss in rec.losses) == lost
                assert rec.notes[0].startswith(f"{lost} samples were lost")
        assert not caught, "who asks is not warned"

    def asks_early(read):
        with perflite.open(data) as rec:
            for _ in zip(range(1), rec):
                pass
            read(rec)
            for _ in rec:
                pass

    def passes_over(rec):
        for s in rec:
            if s.time > losses[-1].time:
                break
        list(rec.items())

    def never_closes():
        for _ in perflite.open(data):
            pass

    def has_passed_over():
        with perflite.open(data) as rec:
            passes_over(rec)

    def sees_items():
        with perflite.open(data) as rec:
            list(rec.items())

    early = [lambda read=read: asks_early(read) for read in (lambda rec: rec.lost, lambda rec: rec.losses, lambda rec: rec.notes)]
    for run, number in [(never_closes, 1), (has_passed_over, 1), (sees_items, 0), *((run, 1) for run in early)]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run()
        assert [w.category for w in caught] == [perflite.LossWarning] * number, f"{run}: {caught}"
        assert all(w.filename == __file__ for w in caught), run


def check_bounded(data, lost):
    """A reading that does not end keeps no more and no more stacks, frames and losses."""
    with perflite.open(data) as rec:
        want = [(s.time, s.stack) for s in rec]
        whole = rec.losses
    rec = perflite.open(data)
    rec._MOST_STACKS = rec._MOST_FRAMES = rec._MOST_LOSSES = 4
    with rec:
        given = []
        for item in rec.items():
            if isinstance(item, perflite.Sample):
                assert (item.time, item.stack) == want.pop(0)
                assert len(rec._stacks) <= 4 and len(rec._frames) < 4 + len(item.stack), f"{len(rec._frames)} frames"
            elif isinstance(item, perflite.Loss):
                given.append(item)
        assert not want and given == whole and len(whole) > 8
        assert len(rec.losses) == 4 and rec.lost == sum(loss.count for loss in rec.losses) == int(lost), rec.losses
        assert rec.losses[3] == whole[3]._replace(count=rec.losses[3].count, until=whole[-1].until or whole[-1].time), rec.losses


def check_losses_ahead(data):
    """What was given counts, though reading has not come to its block, or never does."""
    with perflite.open(data) as rec:
        rec.count("event")
        lost = rec.lost
    assert lost
    for options in {}, {"limit": 10}:
        with perflite.open(data, **options) as rec:
            given = 0
            for item in rec.items():
                if isinstance(item, perflite.Loss):
                    given += item.count or 0
                    assert rec.lost >= given and rec.notes, f"{rec.lost} of {given}"
            assert given == rec.lost == lost, f"{given} given, {rec.lost} known, {lost} lost"
        with perflite.open(data, **options) as rec:
            rec.table(fields="time", limit=10)
            rec.count("event")
            assert rec.lost == lost and f"{lost} samples were lost" in rec.notes[0], f"{rec.lost} {rec.notes}"


def check_damage(data):
    with perflite.open(data) as rec:
        for _ in rec:
            pass
        assert any(loss.count is None and loss.text for loss in rec.losses), rec.losses
        assert rec.notes


def check_pipe(number):
    """Standard input."""
    with perflite.open("-") as rec:
        kinds = [type(i).__name__ for i in rec.items()]
    assert kinds.count("Sample") == int(number), f"{kinds.count('Sample')} samples"


def check_live():
    with perflite.watch(["sh", "-c", "sleep 0.02; exit 3"], event="sched:sched_switch", call_graph="fp") as rec:
        assert "prev_comm" in rec.events["sched:sched_switch"]
        stacks = [s.stack for s in rec if s.event == "sched:sched_switch" and s["prev_pid"] == s.tid]
    assert stacks and any(f.kernel and f.symbol for stack in stacks for f in stack)
    with perflite.watch(["sh", "-c", "sleep 0.02"], event={"sched:sched_switch": "prev_pid == 1", "sched:sched_process_exec": None}) as rec:
        table = rec.count("event")
    assert list(table["event"]) == ["sched:sched_process_exec"], table


def check_order():
    """Keywords come in any order."""
    for options in dict(filter="prev_pid == 1", event="sched:sched_switch"), dict(cgroup="/", event="sched:sched_switch", all_cpus=True):
        with perflite.watch(["true"], **options) as rec:
            assert any(name.startswith("sched:sched_switch") for name in rec.events), rec.events
            for _ in rec:
                pass


def check_stop():
    for read in lambda rec: sum(1 for _ in rec), lambda rec: len(rec.count("comm")), lambda rec: len(rec.table(fields="time")):
        with perflite.watch(event="cpu-clock", all_cpus=True) as rec:
            threading.Timer(0.2, rec.stop).start()
            read(rec)
    with perflite.watch(["sh", "-c", "echo $$ >pid; exec sleep 1000"], event="sched:sched_switch") as rec:
        for item in rec.items():
            if os.path.exists("pid") and os.path.getsize("pid"):
                break
    with open("pid", encoding="ascii") as f:
        pid = int(f.read())
    for _ in range(6000):
        if not os.path.exists(f"/proc/{pid}"):
            break
        time.sleep(0.01)
    else:
        raise AssertionError("closing ends the command")
    with perflite.watch(event="cpu-clock", all_cpus=True) as rec:
        signal.signal(signal.SIGALRM, lambda *_: rec.stop())
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        for _ in rec:
            pass


INTERRUPTED = """
import perflite, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with perflite.watch(event="cpu-clock", all_cpus=True) as rec:
        if sys.argv[1] == "loop":
            for i, s in enumerate(rec.items()):
                if i == 1:
                    print("ready", flush=True)
        print("ready", flush=True)
        rec.count("comm")
except KeyboardInterrupt:
    print("interrupted")
"""


def check_interrupt(how):
    """Ctrl-C ends a loop, and a function that reads all."""
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED, how], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0] == b"interrupted\n" and child.returncode == 0, child.returncode


PIPED = """
import perflite, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGALRM, lambda *_: None)
how = sys.argv[1]
print("ready", flush=True)
try:
    with perflite.open("-") as rec:
        if how == "stop":
            print("ready", flush=True)
            threading.Timer(0.2, rec.stop).start()
            for s in rec:
                pass
            print("stopped")
            sys.exit()
        if how == "count":
            print("ready", flush=True)
            rec.count("comm")
        for item in rec.items():
            if isinstance(item, perflite.Wait):
                print("ready", flush=True)
except KeyboardInterrupt:
    print("interrupted")
"""


def check_interrupt_pipe(how, data):
    """Signals while nothing comes out of a pipe: at its beginning, and in the midst of a record."""
    child = subprocess.Popen([sys.executable, "-c", PIPED, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    if how != "open":
        with open(data, "rb") as f:
            child.stdin.write(f.read()[:-10])
            child.stdin.flush()
        assert child.stdout.readline() == b"ready\n"
    for number in (signal.SIGALRM, signal.SIGINT) if how != "stop" else ():
        time.sleep(0.3)
        child.send_signal(number)
    for _ in range(1000):
        if child.poll() is not None:
            break
        time.sleep(0.01)
    else:
        child.kill()
    last = child.stdout.read().splitlines()[-1]
    assert last == (b"stopped" if how == "stop" else b"interrupted") and child.returncode == 0, (last, child.returncode)


def in_handler(function, act):
    """The function of the library, in whose midst a signal comes, which is handled as soon as Python runs again."""
    def interrupted(*arguments):
        inside.append(function)
        result = function(*arguments)
        signal.signal(signal.SIGALRM, lambda *_: act())
        signal.raise_signal(signal.SIGALRM)
        inside.pop()
        return result

    inside = interrupted.inside = []
    return interrupted


def check_handlers(data):
    """What a signal handler asks for in the midst of a call is refused, or waits for its end."""
    def close_of(recording):
        def close(p, real=perflite._lib.close):
            assert not inside, "closed in the midst of a call"
            closed.append(p)
            real(p)

        closed = []
        perflite._lib.close = close
        recording.close()
        assert not closed and recording.lost == 0 and recording.losses == []
        for ask in (lambda: recording.notes), (lambda: recording.events), (lambda: recording.facts["arch"]), (lambda: next(iter(recording))):
            fails(perflite.Error, ask, "in the middle of a call")
        return closed

    def use(name, call):
        nonlocal inside
        real, real_close, closed = getattr(perflite._lib, name), perflite._lib.close, []
        rec = perflite.open(data)
        sample = next(iter(rec))
        wrapped = in_handler(real, lambda: closed.append(close_of(rec)))
        inside = wrapped.inside
        setattr(perflite._lib, name, wrapped)
        try:
            call(rec, sample)
        finally:
            setattr(perflite._lib, name, real)
            perflite._lib.close = real_close
        assert len(closed) == 1 and len(closed[0]) == 1, f"{name}: it is closed once, after it"
        fails(ValueError, lambda: rec.notes, "closed")

    inside = []
    use("next", lambda rec, s: next(iter(rec)))
    use("field", lambda rec, s: s["reason"])
    use("frames", lambda rec, s: s.stack)
    use("notes", lambda rec, s: rec.notes)
    use("count", lambda rec, s: rec.count("comm"))


def check_interrupted_again():
    """Ctrl-C while the first one is handled: what it interrupted goes on, and is closed by whoever ends last."""
    real, real_close, running, closed = perflite._lib.count, perflite._lib.close, [], []

    def count(*arguments):
        running.append(True)
        time.sleep(0.5)
        table = real(*arguments)
        running.pop()
        return table

    def close(p):
        assert not running, "closed in the midst of a call"
        closed.append(p)
        real_close(p)

    def again(recording):
        stop(recording)
        stops.append(recording)
        if len(stops) < 5:
            signal.raise_signal(signal.SIGINT)

    stops, stop = [], perflite.Recording.stop
    perflite._lib.count, perflite._lib.close, perflite.Recording.stop = count, close, again
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with perflite.watch(event="cpu-clock", all_cpus=True) as rec:
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            rec.count("comm")
    except KeyboardInterrupt:
        pass
    for _ in range(6000):
        if closed:
            break
        time.sleep(0.01)
    assert len(closed) == 1 and len(stops) >= 5, (closed, len(stops))
    fails(ValueError, lambda: rec.notes, "closed")


def check_forked():
    """A child that leaves changes nothing of what its parent watches, and cannot read it."""
    with perflite.watch(event="cpu-clock", all_cpus=True, duration="500ms") as rec:
        samples = iter(rec)
        first = next(samples)
        pid = os.fork()
        if not pid:
            with rec:
                for read in (lambda: next(samples)), (lambda: rec.count("comm")), (lambda: rec.notes), (lambda: rec.facts["arch"]):
                    fails(ValueError, read, "open it here")
                fails(perflite.Error, lambda: first["trace"])
                rec.stop()
            rec.close()
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        last = list(samples)[-1]
    assert last.time > first.time + 300000000, f"no samples after {(last.time - first.time) / 1e6} ms"


def check_closed_by_handler():
    """close() in a signal handler ends counting as stop() does."""
    with perflite.watch(event="cpu-clock", all_cpus=True) as rec:
        signal.signal(signal.SIGALRM, lambda *_: rec.close())
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        table = rec.count("comm")
        fails(ValueError, lambda: rec.notes, "closed")
    assert table.names == ["comm", "count"], table


# Arrow: what a consumer sees


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


P, I64 = ctypes.c_void_p, ctypes.c_int64
RELEASE = ctypes.CFUNCTYPE(None, P)
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", P), ("flags", I64), ("n_children", I64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)), ("release", P), ("private", P),
]
Array._fields_ = [
    ("length", I64), ("null_count", I64), ("offset", I64), ("n_buffers", I64), ("n_children", I64), ("buffers", ctypes.POINTER(P)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)), ("release", P), ("private", P),
]


class Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, P, P)), ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, P, P)), ("get_last_error", P),
        ("release", P), ("private", P),
    ]


def struct_of(capsule, name, kind):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = P, [ctypes.py_object, ctypes.c_char_p]
    return kind.from_address(pointer(capsule, name))


def release(made):
    RELEASE(made.release)(ctypes.addressof(made))
    assert not made.release


def column_values(schema, array):
    letter = {b"I": "I", b"i": "i", b"L": "Q", b"l": "q"}[schema.format]
    size = {"I": 4, "i": 4, "Q": 8, "q": 8}[letter]
    values = memoryview(ctypes.string_at(array.buffers[1], array.length * size)).cast(letter) if array.length else []
    valid = ctypes.string_at(array.buffers[0], (array.length + 7) // 8) if array.buffers[0] else None
    values = [v if valid is None or valid[i // 8] >> i % 8 & 1 else None for i, v in enumerate(values)]
    assert values.count(None) == array.null_count
    if schema.dictionary:
        assert schema.dictionary[0].format == b"U"
        d = array.dictionary[0]
        offsets = memoryview(ctypes.string_at(d.buffers[1], (d.length + 1) * 8)).cast("q")
        data = ctypes.string_at(d.buffers[2], offsets[-1]) if offsets[-1] else b""
        texts = [data[a:b].decode() for a, b in zip(offsets, offsets[1:])]
        values = [None if v is None else texts[v] for v in values]
    return values


def check_struct(table, schema, array):
    assert schema.format == b"+s" and schema.n_children == array.n_children == len(table.names) and array.length == len(table)
    for i, c in enumerate(table.columns):
        child, values = schema.children[i][0], array.children[i][0]
        assert child.name.decode() == c.name and child.flags == 2
        if len(table):
            assert values.buffers[1] == ctypes.addressof(ctypes.c_char.from_buffer(c.values)), "values are not copied"
        assert column_values(child, values) == list(c), c.name


def check_arrow(data):
    with perflite.open(data) as rec:
        table = rec.table(fields="time,comm,pid,reason,protocol,trap_name,location")
    assert any(c.valid for c in table.columns) and any(c.texts for c in table.columns)
    with perflite.open(data) as rec:
        list(rec)
        empty = rec.table(fields="time,reason")
    for t in table, empty:
        schema, array = t.__arrow_c_array__()
        check_struct(t, struct_of(schema, b"arrow_schema", Schema), struct_of(array, b"arrow_array", Array))
        del array
        assert struct_of(schema, b"arrow_schema", Schema).n_children == len(t.names)
        alone = t.__arrow_c_schema__()
        assert struct_of(alone, b"arrow_schema", Schema).format == b"+s"

    # a capsule that goes calls release(), once, unless somebody has moved the struct
    calls = []

    def counted(made):
        original = made.release

        def count(address):
            calls.append(address)
            RELEASE(original)(address)

        callback = RELEASE(count)
        made.release = ctypes.cast(callback, P)
        return callback

    schema, array = table.__arrow_c_array__()
    kept = [counted(struct_of(schema, b"arrow_schema", Schema)), counted(struct_of(array, b"arrow_array", Array))]
    del schema
    assert len(calls) == 1
    del array
    assert len(calls) == 2
    schema, array = table.__arrow_c_array__()
    made = struct_of(array, b"arrow_array", Array)
    kept.append(counted(made))
    moved = Array.from_buffer_copy(made)
    made.release = None
    del made, array
    assert len(calls) == 2, "a moved struct is the consumer's"
    names = table.names
    wanted = [list(c) for c in table.columns]
    del table, t
    made = struct_of(schema, b"arrow_schema", Schema)
    assert [column_values(made.children[i][0], moved.children[i][0]) for i in range(len(names))] == wanted, "memory is there until released"
    release(moved)
    assert len(calls) == 3


def check_stream(data):
    with perflite.open(data) as rec:
        table = rec.count("comm,reason")
    capsule = table.__arrow_c_stream__()
    stream = struct_of(capsule, b"arrow_array_stream", Stream)
    moved = Stream.from_buffer_copy(stream)
    stream.release = None
    del stream, capsule
    address = ctypes.addressof(moved)
    schema, array, end = Schema(), Array(), Array()
    assert moved.get_schema(address, ctypes.addressof(schema)) == 0
    assert moved.get_next(address, ctypes.addressof(array)) == 0
    check_struct(table, schema, array)
    assert moved.get_next(address, ctypes.addressof(end)) == 0 and not end.release
    release(moved)
    release(schema)
    release(array)
    table.__arrow_c_stream__()


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def check_leaks(data):
    """A table of some MiB, and all that it gives, 100 times."""

    def once():
        with perflite.open(data) as rec:
            table = rec.table()
        view = table["time"].values
        capsules = [table.__arrow_c_array__(), table.__arrow_c_schema__(), table.__arrow_c_stream__()]
        del table
        assert len(capsules) == 3
        return len(view) * 40

    for _ in range(5):
        size = once()
    before = resident()
    for _ in range(100):
        once()
    grown = resident() - before
    assert size > 1 << 20 and grown < 10 * size, f"{grown} bytes more after 100 tables of {size}"


def check_numpy(data):
    import numpy

    with perflite.open(data) as rec:
        table = rec.table(fields="time,pid,reason,protocol,comm,trap_name")
    arrays = table.to_numpy()
    assert arrays["time"].dtype == numpy.uint64 and arrays["time"].tolist() == list(table["time"])
    assert arrays["time"].__array_interface__["data"][0] == ctypes.addressof(ctypes.c_char.from_buffer(table["time"].values))
    assert arrays["pid"].dtype == numpy.int32
    for name, array in arrays.items():
        assert array.tolist() == list(table[name]), name
    with perflite.open(data) as rec:
        list(rec)
        assert len(rec.table(fields="time,reason").to_numpy()["reason"]) == 0
    del table
    assert arrays["time"][0] > 0

    def number(**options):
        with perflite.open(data, **options) as rec:
            return len(rec.table(fields="time"))

    assert number(cpu=numpy.array([0, 1])) == number(cpu=[0, 1]) == number(cpu=[numpy.int64(0), numpy.uint8(1)])
    assert number(no_idle=numpy.bool_(True)) == number(no_idle=True) and number(no_idle=numpy.bool_(False)) == number()


def check_pandas(data):
    import pandas

    with perflite.open(data) as rec:
        table = rec.table(fields="time,pid,reason,protocol,comm,trap_name")
    frame = table.to_pandas()
    assert list(frame.columns) == table.names and len(frame) == len(table)
    for name in table.names:
        assert [None if pandas.isna(v) else v for v in frame[name]] == list(table[name]), name
    assert isinstance(frame["reason"].dtype, pandas.CategoricalDtype)
    assert frame.groupby("reason", observed=True).size().sum() == len(table) - list(table["reason"]).count(None)
    with perflite.open(data) as rec:
        list(rec)
        assert len(rec.table(fields="time,reason").to_pandas()) == 0


def check_stubs():
    """The type stubs name what there is."""

    def named(body):
        return {n.name for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))} | {
            n.target.id for n in body if isinstance(n, ast.AnnAssign)}

    with open(os.path.splitext(perflite.__file__)[0] + ".pyi", encoding="utf-8") as f:
        stub = ast.parse(f.read())
    assert set(perflite.__all__) <= named(stub.body)
    for node in stub.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            assert hasattr(perflite, node.name), node.name
        if not isinstance(node, ast.ClassDef):
            continue
        there = getattr(perflite, node.name)
        for member in node.body:
            if isinstance(member, ast.FunctionDef):
                got = [p for p in inspect.signature(getattr(there, member.name)).parameters] if callable(
                    getattr(there, member.name)) else ["self"]
                want = [a.arg for a in member.args.posonlyargs + member.args.args + [member.args.kwarg] if a]
                assert got == want or "overload" in ast.dump(member), f"{node.name}.{member.name}: {got} {want}"
        public = {n for n, v in vars(there).items() if not n.startswith("_") and (callable(v) or isinstance(v, property))}
        assert public <= named(node.body) | set(getattr(there, "_fields", ())) | set(getattr(there, "__slots__", ())), node.name


def check_missing():
    """Without the library, and with one that is too old."""
    for path, words in ("/nowhere/libperflite.so.0", ["install", "PERFLITE_LIBRARY", "/nowhere"]), ("libc.so.6", ["another version"]):
        run = subprocess.run([sys.executable, "-c", "import perflite"], env={**os.environ, "PERFLITE_LIBRARY": path},
                             stderr=subprocess.PIPE, universal_newlines=True)
        last = run.stderr.splitlines()[-1]
        assert run.returncode == 1 and last.startswith("ImportError: ") and all(w in last for w in words), run.stderr


if __name__ == "__main__":
    globals()["check_" + sys.argv[1]](*sys.argv[2:])
