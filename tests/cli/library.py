# SPDX-License-Identifier: GPL-2.0
"""library.py samples|rows|counts|latency|drops OURS THEIRS - does what libperflite says (library_dump.c) equal what the commands print?

samples: all of each sample, as script --json prints it. rows: the cells of a table, likewise. counts: as count --json has them. latency:
likewise, and the account. drops: as drops --json has them, and the account.
"""
import json
import sys


def same(ours, theirs):
    if theirs is None or (isinstance(theirs, dict) and theirs["value"] is None):
        return ours.get("text") is None and "number" not in ours
    if isinstance(theirs, bool):
        return ours.get("number") == int(theirs)
    if isinstance(theirs, int):
        return ours.get("number") == theirs
    if isinstance(theirs, str):
        return ours.get("text") == theirs or ours.get("number") == int_of(theirs)
    if isinstance(theirs, dict):
        value = theirs["value"]
        if isinstance(value, list):
            return ours.get("text") == theirs["name"]
        value = int(value, 0) if isinstance(value, str) else value
        return ours.get("number") == value and ours.get("text") == theirs["name"]
    return ours.get("text") is not None


def int_of(text):
    try:
        return int(text, 0)
    except ValueError:
        return None


def frames_of(sample):
    if sample.get("callchain"):
        return sample["callchain"]
    return [sample] if "ip" in sample else []


def differs(ours, theirs):
    for key in "event", "comm", "pid", "tid", "time", "period", "cpu":
        if key in theirs and ours[key] != theirs[key]:
            return key
    for name, value in theirs.get("fields", {}).items():
        if not same(ours["fields"].get(name, {}), value):
            return f"field {name}: {ours['fields'].get(name)} {value}"
    frames = frames_of(theirs)
    if len(frames) != len(ours["frames"]):
        return f"{len(ours['frames'])} frames, not {len(frames)}"
    for mine, frame in zip(ours["frames"], frames):
        for key in "ip", "symbol", "dso", "offset", "line":
            if key in frame and mine[key] != frame[key]:
                return f"{key} of a frame: {mine[key]} {frame[key]}"
        if ("symbol" in frame) != (mine["symbol"] is not None) or mine["inlined"] != frame.get("inlined", False):
            return "a frame"
    return None


def compare_samples(ours, theirs):
    ours = [s for s in ours if s["kind"] == "sample"]
    if len(ours) != len(theirs):
        sys.exit(f"{len(ours)} samples, not {len(theirs)}")
    for i, pair in enumerate(zip(ours, theirs)):
        what = differs(*pair)
        if what:
            sys.exit(f"sample {i}: {what}\n{pair[0]}\n{pair[1]}")


def cell(sample, key):
    value = sample.get(key, sample.get("fields", {}).get(key))
    if isinstance(value, dict):
        return None if value["value"] is None else value["name"]
    return value


def compare_rows(ours, theirs):
    if len(ours) != len(theirs):
        sys.exit(f"{len(ours)} rows, not {len(theirs)}")
    for row, sample in zip(ours, theirs):
        for key, value in row.items():
            if key and value != cell(sample, key):
                sys.exit(f"{key}: {row}\n{sample}")


def plain(value):
    if isinstance(value, dict):
        return value["name"]
    if isinstance(value, list) and value and not isinstance(value[0], dict):
        return json.dumps(value, separators=(",", ":"))
    if isinstance(value, list):
        names = [f.get("symbol") or "[" + f.get("dso", "unknown").strip("[]") + "]" for f in value]
        return ";".join(reversed(names))
    return value


def compare_counts(ours, theirs):
    keys = theirs["keys"]
    want = [{**{k: plain(r[k]) for k in keys}, **{k: r.get(k) for k in ("count", "sum", "min", "max")}} for r in theirs["rows"]]
    got = [{k: r.get(k) for k in keys + ["count", "sum", "min", "max"]} for r in ours]
    order = lambda rows: sorted(rows, key=lambda r: json.dumps(r, sort_keys=True))
    if order(got) != order(want):
        sys.exit(f"{order(got)}\n{order(want)}")


def compare_latency(ours, theirs):
    account, rows = ours[0]["account"], ours[1:]
    numbers = [k for k in rows[0] if k.endswith("_ns")] + ["spans"] if rows else []
    keys = [k for k in rows[0] if k and k not in numbers] if rows else []
    want = [{**{k: plain(r[k]) for k in keys}, **{k: r.get(k) for k in numbers}} for r in theirs["rows"]]
    got = [{k: r[k] for k in keys + numbers} for r in ours[1:]]
    if got != want or (rows and len(keys + numbers) != len(theirs["rows"][0])):
        sys.exit(f"{got}\n{want}")
    for name, value in account.items():
        if name != "spans" and value != theirs.get(name, 0):
            sys.exit(f"{name}: {value}, not {theirs.get(name, 0)}")
    others = ("across_loss", "reordered", "ends_without_begin", "repeated", "out_of_order")
    if account["ends"] != account["spans"] + sum(account[name] for name in others):
        sys.exit(f"ends: {account}")


def address(host, port):
    return (f"[{host}]" if ":" in host else host) + f":{port}" if host and port is not None else host or (f":{port}" if port is not None else "")


def drop_text(key, value):
    """A key of a drop, as the command prints it without --json."""
    if not isinstance(value, dict):
        return plain(value)
    if "bus" in value:
        return f"{value['bus']}/{value['device']}"
    if "trap" in value:
        return f"trap {value['trap']} ({value['group']})"
    if "saddr" in value:
        source, to = (address(value[a], value[p]) for a, p in (("saddr", "sport"), ("daddr", "dport")))
        l4 = plain(value["l4"]) if value["l4"] is not None else ""
        return " ".join(part for part in (source, f"> {to}" if to else "", l4) if part) or None
    if "socket" in value:
        return f"{value['comm']} {value['pid']}" if "pid" in value else f"socket:[{value['socket']}]"
    if key == "protocol" and value["name"] is None:
        return f"0x{value['value']:04x}" if value["value"] else None
    return plain(value)


def drop_row(row):
    want = {key: drop_text(key, value) for key, value in row.items() if key != "via"}
    if "via" in row:
        want["flow_via"] = row["via"]["flow"]
    if isinstance(row.get("owner"), dict) and "pid" in row["owner"]:
        want["owner_pid"] = row["owner"]["pid"]
    return want


def compare_drops(ours, theirs):
    account, rows = ours[0]["account"], ours[1:]
    want = [drop_row(r) for r in theirs["rows"]]
    columns = [k for k in rows[0] if k] if rows else []
    missing = {k for r in want for k in r} - set(columns)
    got = [{k: r[k] for k in columns} for r in rows]
    if missing or got != [{k: r.get(k) for k in columns} for r in want]:
        sys.exit(f"missing {missing}\n{got}\n{want}")
    if account != {k: theirs[k] for k in ("drops", "hidden", "lost")}:
        sys.exit(f"{account} {theirs}")
    if account["drops"] != sum(r["count"] for r in rows):
        sys.exit(f"not all drops are in the rows: {account}")


def main():
    ours, theirs = ([json.loads(line) for line in open(path)] for path in sys.argv[2:])
    if sys.argv[1] == "counts":
        compare_counts(ours, theirs[0])
    elif sys.argv[1] == "latency":
        compare_latency(ours, theirs[0])
    elif sys.argv[1] == "drops":
        compare_drops(ours, theirs[0])
    else:
        theirs = [s for s in theirs if "event" in s and "lost" not in s]
        (compare_samples if sys.argv[1] == "samples" else compare_rows)(ours, theirs)
    print(len(ours))


if __name__ == "__main__":
    main()
