# SPDX-License-Identifier: GPL-2.0
"""
splice.py PERF_LITE RECORDING CASES [SEED]
splice.py --late RECORDING OUTPUT

What readers do with recordings whose blocks were
doubled, swapped, moved and left out.

Each block stays whole, so that no checksum tells. Every command that reads recordings gets each
case. It fails if one is killed by a signal, runs longer than LIMIT seconds, or a sanitizer
complains. Prints each failure, and one line that sums up; SEED repeats a run. CASES=all: every
double, swap, move and removal.

--late writes one case: the events of RECORDING once more after its first samples.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

LIMIT = 20
HEADER, BLOCK = 64, 80
ATTR, DATA = 2, 4  # types of blocks
COMMANDS = [
    ["script", "-i"], ["report", "--stdio", "-i"], ["flamegraph", "--event=1", "-o", "-", "-i"],
    ["count", "-i"], ["trace", "-i"], ["verify"], ["evlist", "-v", "-i"],
    ["convert", "--to", "csv", "-o", "-", "-i"], ["convert", "--to", "pprof", "-o", "-", "-i"],
    ["convert", "--to", "perf.data", "-o", "-", "-i"], ["script", "--json", "-i"],
    ["report", "--stdio", "-g", "-s", "comm,dso,sym", "-i"],
]


def blocks_of(data):
    at, out = HEADER, []
    while at + BLOCK <= len(data) and data[at:at + 4] == b"PBLK":
        size = struct.unpack_from("<I", data, at + 24)[0]
        end = at + BLOCK + (size + 7 & ~7)
        out.append(data[at:end])
        at = end
    return out


def cases_of(blocks):
    n = len(blocks)
    for i in range(n):
        yield "without block %d" % i, blocks[:i] + blocks[i + 1:]
        for j in range(n + 1):
            yield "block %d again before block %d" % (i, j), blocks[:j] + [blocks[i]] + blocks[j:]
        for j in range(i + 1, n):
            swapped = blocks[:]
            swapped[i], swapped[j] = swapped[j], swapped[i]
            yield "blocks %d and %d swapped" % (i, j), swapped


def kind(block):
    return struct.unpack_from("<H", block, 4)[0]


def write_late(recording, output):
    with open(recording, "rb") as f:
        data = f.read()
    blocks = blocks_of(data)
    events = next(b for b in blocks if kind(b) == ATTR)
    at = next(i for i, b in enumerate(blocks) if kind(b) == DATA) + 1
    with open(output, "wb") as f:
        f.write(data[:HEADER] + b"".join(blocks[:at] + [events] + blocks[at:]))


def run(command, path):
    try:
        p = subprocess.run(command + [path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, b""
    return p.returncode, p.stderr


def main():
    if sys.argv[1] == "--late":
        return write_late(sys.argv[2], sys.argv[3])
    perf_lite, recording, count = sys.argv[1:4]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
    with open(recording, "rb") as f:
        data = f.read()
    cases = list(cases_of(blocks_of(data)))
    if count != "all":
        cases = random.Random(seed).sample(cases, min(int(count), len(cases)))
    failed = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "case")
        for name, blocks in cases:
            with open(path, "wb") as f:
                f.write(data[:HEADER] + b"".join(blocks))
            for command in COMMANDS:
                rc, err = run([perf_lite] + command, path)
                runs += 1
                if rc is None or rc < 0 or b"Sanitizer" in err:
                    failed += 1
                    what = "ran for %d s" % LIMIT if rc is None else "ended with %d" % rc
                    print("# %s: perf-lite %s %s" % (name, " ".join(command), what))
    print("%d cases, %d runs, %d failed, seed %d" % (len(cases), runs, failed, seed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
