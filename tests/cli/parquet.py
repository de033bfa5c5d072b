# SPDX-License-Identifier: GPL-2.0
"""parquet.py rows FILE [COLUMN...]           the rows of a table, as JSON; of some columns, without their names
parquet.py kinds FILE                      its columns and their types
parquet.py groups FILE COLUMN              of each group of rows: how many, the column's least and greatest value
parquet.py same TABLES HOST BOOT           the samples and losses in a folder are those of script --json and of convert --to csv,
                                           which are there as well (json, csv, and ids of buildid-list)"""
import csv
import json
import os
import sys

from parquet_file import File

OWN = ["host", "boot", "event", "time", "clock_offset", "cpu", "pid", "tid", "comm", "period", "ip", "symbol", "dso",
       "build_id", "stack", "stack_dso", "stack_build_id"]


def clock(row, name="time"):
    return None if row[name] is None else row[name] - (row["clock_offset"] or 0)


def same(what, i, got, want):
    if got != want:
        sys.exit("row %d: %s is %r, not %r" % (i, what, got, want))


def check_field(i, name, kind, got, want):
    if isinstance(want, dict):
        # a name of no value: the record is cut
        same(name, i, got, None if want["value"] is None else want["name"])
    elif isinstance(want, list):
        if kind.startswith("["):
            same(name, i, got, want)
        elif got.replace("[", "").replace("]", "").replace(",", "").isdigit():
            same(name, i, json.loads(got), want)
        else:
            assert got, name  # as the event's text shows it
    elif isinstance(want, str) and want.startswith("0x") and got != want:
        if isinstance(got, int):
            same(name, i, got, int(want, 16))
        else:
            assert "+0x" in got, "%s of row %d is %s, no address" % (name, i, got)
    elif isinstance(want, int) and kind == "text":
        # shown as the event's text does, or a number among texts
        assert got, name
        if got.lstrip("-").isdigit():
            same(name, i, int(got), want)
    else:
        same(name, i, got, want)


def column_of(name):
    while name.lower() in OWN:
        name = "field_" + name
    return name


def check_stack(i, row, want, cells, ids):
    names = [n.replace(";", ":") for n in row["stack"]]
    same("stack", i, names, cells["stack"].split(";")[::-1] if cells["stack"] else [])
    dsos = [f.get("dso") for f in want.get("callchain", [])] or [want.get("dso")]
    if row["stack"][-1] == "[truncated]":
        dsos.append(None)
    same("stack_dso", i, row["stack_dso"], dsos)
    same("stack_build_id", i, len(row["stack_build_id"]), len(dsos))
    pairs = list(zip(row["stack_dso"], row["stack_build_id"])) + [(row["dso"], row["build_id"])]
    for dso, build_id in pairs:
        if build_id is not None:
            # a file may have other paths, in a chroot
            assert (build_id, os.path.basename(dso)) in ids, "row %d: %s is not the build-id of %s" % (i, build_id, dso)
    return sum(b is not None for _, b in pairs)


def samples(path, want_json, want_csv, build_ids, host, boot):
    table = File(path)
    want = [o for o in map(json.loads, open(want_json, encoding="utf-8")) if "event" in o and "lost" not in o]
    cells = list(csv.DictReader(open(want_csv, newline="", encoding="utf-8")))
    lines = [l.rstrip("\n").split(" ", 1) for l in open(build_ids, encoding="utf-8")]
    ids = {(build_id, os.path.basename(name)) for build_id, name in lines}
    assert table.names[:len(OWN)] == OWN, table.names
    assert len(want) == len(cells) == table.rows(), "%d rows, %d samples" % (table.rows(), len(want))
    fields = {k for o in want for k in o.get("fields", {})}
    absent = {column_of(f) for f in fields} - set(table.names)
    assert not absent, "no column for %s" % absent
    known = 0
    for i, (row, o, cell) in enumerate(zip(table, want, cells)):
        same("host", i, row["host"], host or None)
        same("boot", i, row["boot"], boot or None)
        for name in ("event", "comm", "period", "symbol", "dso"):
            same(name, i, row[name], o.get(name))
        for name in ("pid", "tid", "cpu"):
            same(name, i, row[name], None if o.get(name) == -1 else o.get(name))
        same("ip", i, row["ip"], int(o["ip"], 16) if "ip" in o else None)
        same("time", i, clock(row), o.get("time"))
        known += check_stack(i, row, o, cell, ids)
        mine = o.get("fields", {})
        for name in table.names[len(OWN):]:
            field = next((f for f in mine if column_of(f) == name), None)
            if field is None or mine[field] is None:
                same(name, i, row[name], None)
            else:
                check_field(i, name, table.kinds[name], row[name], mine[field])
    print("%d rows, %d fields, %d build-ids" % (table.rows(), len(table.names) - len(OWN), known))


def losses(path, want_json):
    table = File(path)
    assert table.names == ["host", "boot", "event", "time", "until", "clock_offset", "cpu", "count", "cause"]
    got = [{"lost": r["count"], "cause": r["cause"], "event": r["event"], "cpu": r["cpu"], "from": clock(r),
            "to": clock(r, "until")} for r in table]
    want = [o for o in map(json.loads, open(want_json, encoding="utf-8")) if "lost" in o]
    want.sort(key=lambda o: o.get("from", 1 << 64))
    assert len(got) == len(want), "%d rows, %d losses" % (len(got), len(want))
    for i, (g, w) in enumerate(zip(got, want)):
        same("loss", i, {k: v for k, v in g.items() if v is not None}, {k: v for k, v in w.items() if v is not None})
    print("%d losses" % len(got))


def main(what, path, *rest):
    if what == "rows":
        for row in File(path):
            print(json.dumps([row[c] for c in rest] if rest else row, ensure_ascii=False, separators=(",", ":")))
    elif what == "kinds":
        table = File(path)
        print("\n".join("%s %s" % (n, table.kinds[n]) for n in table.names))
    elif what == "groups":
        table = File(path)
        for group, ranges in zip(table.groups, table.statistics):
            print(len(group[rest[0]]), *(v if isinstance(v, int) else v.decode() for v in ranges[rest[0]]))
    else:
        samples(path + "/samples.parquet", path + "/json", path + "/csv", path + "/ids", *rest)
        losses(path + "/losses.parquet", path + "/json")


main(*sys.argv[1:])
