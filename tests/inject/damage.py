# SPDX-License-Identifier: GPL-2.0
"""
damage.py PERF_LITE FOLDER CASES [--runs N] [--seed N] [--keep FOLDER] [--only CLASS,...]
damage.py --late RECORDING OUTPUT

What readers do with damaged files. FOLDER holds recordings (X.own) and perf.data files (X.perf), as recordings.sh makes them.
CASES of each class are made of each kind, and each is read by N commands (default 4; 0: all). Classes:

  whole                                           nothing is changed
  flip, byte, word, zeros, copied, cut, longer    bytes anywhere, half of them near the beginning of the file or of a block
  foreign                                         bytes of another file
  without, again, moved, swapped, blank, strange  whole blocks of a recording; strange: one of another recording
  sealed                                          bytes of a payload or header, with checksums that agree: foreign programs
                                                  may write anything

A reader must not crash, nor take more than 5 s of a CPU and 200 MiB for a file of 1 MiB. If what it prints of a
recording is not what it prints of the whole one, it must end with a status other than 0 (sealed: nothing tells; again: a
block may be there twice, which verify counts; cut where a block ends, or without the last one: as of a recorder that was
killed, which is said). Prints a line for each failure and each class, and one that sums up; ends with 1 if anything failed.
Under sanitizers (a build with SAN=) the limits are four times as high. --keep: where files go that made something fail.

--late writes one case: the events of RECORDING once more after its first samples.
"""
import argparse
import collections
import ctypes
import os
import random
import shutil
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import trial

HEADER, BLOCK = 64, 80
ATTR, DATA, END = 2, 4, 7  # types of blocks
WORDS = [0, 1, 7, 8, 0x7f, 0xffff, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1, 104, 64]
BYTES = ["flip", "byte", "word", "zeros", "copied", "cut", "longer", "foreign"]
BLOCKS = ["without", "again", "moved", "swapped", "blank", "strange"]

try:
    xxhash = ctypes.CDLL("libxxhash.so.0")
    xxhash.XXH3_64bits.restype = ctypes.c_uint64
    xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
except OSError:
    xxhash = None


def hash_of(data):
    return struct.pack("<Q", xxhash.XXH3_64bits(bytes(data), len(data)))


def blocks_of(data):
    at, out = HEADER, []
    while at + BLOCK <= len(data) and data[at:at + 4] == b"PBLK":
        size = struct.unpack_from("<I", data, at + 24)[0]
        end = at + BLOCK + (size + 7 & ~7)
        out.append(data[at:end])
        at = end
    return out


def kind(block):
    return struct.unpack_from("<H", block, 4)[0]


def sealed(block):
    """The block with checksums that agree; its header's sizes may be anything."""
    size = min(struct.unpack_from("<I", block, 24)[0], len(block) - BLOCK)
    block = bytearray(block)
    block[64:72] = hash_of(block[BLOCK:BLOCK + size])
    block[72:80] = hash_of(block[:72])
    return bytes(block)


def place(rnd, data):
    """Half of all damage is where sizes and offsets are."""
    if rnd.random() < 0.5:
        return rnd.randrange(len(data))
    starts = [0]
    at = data.find(b"PBLK")
    while at >= 0:
        starts.append(at)
        at = data.find(b"PBLK", at + 1)
    return min(rnd.choice(starts) + rnd.randrange(512 if len(starts) == 1 else 128), len(data) - 1)


def damage_bytes(rnd, what, data, other):
    d = bytearray(data)
    at, n = place(rnd, data), rnd.choice([1, 2, 4, 8, 16, 64, 512, 4096])
    if what == "flip":
        d[at] ^= 1 << rnd.randrange(8)
    elif what == "byte":
        d[at] = rnd.randrange(256)
    elif what == "word":
        width = rnd.choice([1, 2, 4, 8])
        at -= at % width
        d[at:at + width] = (rnd.choice(WORDS) & (1 << 8 * width) - 1).to_bytes(width, "little")[:len(d) - at]
    elif what == "zeros":
        d[at:at + n] = bytes(len(d[at:at + n]))
    elif what == "copied":
        source = rnd.randrange(len(d))
        d[at:at + n] = d[source:source + n]
    elif what == "cut":
        del d[rnd.randrange(len(d)):]
    elif what == "longer":
        d[at:at] = rnd.randbytes(n)
    elif what == "foreign":
        source = rnd.randrange(len(other))
        d[at:at + n] = other[source:source + n]
    return bytes(d)


def damage_blocks(rnd, what, data, other):
    blocks = blocks_of(data)
    i, j = rnd.randrange(len(blocks)), rnd.randrange(len(blocks))
    if what == "without":
        del blocks[i]
    elif what == "again":
        blocks.insert(j, blocks[i])
    elif what == "moved":
        blocks.insert(j, blocks.pop(i))
    elif what == "swapped":
        blocks[i], blocks[j] = blocks[j], blocks[i]
    elif what == "blank":
        blocks[i] = bytes(len(blocks[i]))
    elif what == "strange":
        blocks[i:i + rnd.randrange(2)] = [rnd.choice(blocks_of(other))]
    return data[:HEADER] + b"".join(blocks)


def damage_sealed(rnd, data):
    blocks = blocks_of(data)
    i = rnd.randrange(len(blocks))
    block = bytearray(blocks[i])
    for _ in range(rnd.randrange(1, 5)):
        if rnd.random() < 0.3 or len(block) == BLOCK:
            at = rnd.randrange(4, 64)
        else:
            at = rnd.randrange(BLOCK, len(block))
        changed = damage_bytes(rnd, rnd.choice(["flip", "byte", "word", "copied"]), block[at:at + 8], block)
        block[at:at + 8] = changed[:len(block[at:at + 8])].ljust(len(block[at:at + 8]), b"\0")
    blocks[i] = sealed(block)
    return data[:HEADER] + b"".join(blocks)


def make(rnd, what, data, other):
    if what == "whole":
        return data
    if what in BYTES:
        return damage_bytes(rnd, what, data, other)
    return damage_sealed(rnd, data) if what == "sealed" else damage_blocks(rnd, what, data, other)


def is_unfinished(data):
    """As a recorder leaves it that was killed: readers say so, and that all that it wrote has been read."""
    blocks = blocks_of(data)
    return bool(blocks) and len(data) == HEADER + sum(len(b) for b in blocks) and kind(blocks[-1]) != END


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write_late(recording, output):
    data = read(recording)
    blocks = blocks_of(data)
    events = next(b for b in blocks if kind(b) == ATTR)
    at = next(i for i, b in enumerate(blocks) if kind(b) == DATA) + 1
    write(output, data[:HEADER] + b"".join(blocks[:at] + [events] + blocks[at:]))


class Sweep:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.count = collections.Counter()
        self.whole = {}  # (file, command, from a pipe) -> what is printed of it undamaged
        self.slack = 4 if b"__asan_init" in read(options.perf_lite) else 1

    def run(self, command, piped):
        words = trial.arguments(command, "-" if piped else "case", "whole")
        return trial.run([self.options.perf_lite] + words, self.folder, "%s/case" % self.folder if piped else None,
                         cpu=5 * self.slack * self.scale + 1, wall=300)

    def wrong(self, what, name, command, piped, why, data):
        self.count[what, "wrong"] += 1
        words = " ".join(trial.arguments(command, "-" if piped else "case", "whole"))
        print("%s of %s: %s: %s" % (what, name, words, why), flush=True)
        if self.options.keep:
            os.makedirs(self.options.keep, exist_ok=True)
            n = sum(self.count[k] for k in self.count if k[1] == "wrong")
            write("%s/%d-%s-%s" % (self.options.keep, n, what, name), data)

    def judge(self, what, name, command, piped, r, data):
        self.count[what, "runs"] += 1
        if r.crashed():
            lines = [x for x in r.err.decode("utf-8", "replace").split("\n") if "ERROR" in x or "runtime error" in x]
            self.wrong(what, name, command, piped, "crashes: %s %s" % (r.rc, lines[:1]), data)
        elif r.rc is None or r.seconds > 5 * self.slack * self.scale:
            self.wrong(what, name, command, piped, "takes more than %.1f s" % r.seconds, data)
        elif r.kib > 200 * 1024 * self.slack * self.scale:
            self.wrong(what, name, command, piped, "takes %d MiB" % (r.kib / 1024), data)
        elif r.rc != 0 and not r.err and command[0] != "verify":
            self.wrong(what, name, command, piped, "ends with %d and says nothing" % r.rc, data)
        elif r.rc != 0:
            self.count[what, "told"] += 1
        elif what in ("cut", "without") and is_unfinished(data) and r.err:
            self.count[what, "told"] += 1
        elif r.out == self.whole[name, tuple(command), piped].out:
            self.count[what, "same"] += 1
        elif name.endswith(".own") and what != "sealed" and (what, command[0]) != ("again", "verify") and \
                not self.varies(name, command, piped):
            self.wrong(what, name, command, piped, "prints something else, and ends with 0", data)
        else:
            self.count[what, "other"] += 1

    def baseline(self, name, command, piped):
        """What the command prints of the whole file, which is in the place of the damaged one."""
        shutil.copyfile(self.folder + "/whole", self.folder + "/case")
        return self.run(command, piped)

    def varies(self, name, command, piped):
        """Does it print something else each time?"""
        return self.baseline(name, command, piped).out != self.whole[name, tuple(command), piped].out

    def case(self, rnd, what, name, data, other):
        changed = make(rnd, what, data, other)
        commands = trial.READERS
        if self.options.runs:
            commands = rnd.sample(commands, min(self.options.runs, len(commands)))
        tries = [(c, rnd.random() < 0.1 and "=" not in c) for c in commands]
        self.scale = max(1, len(changed) // trial.MIB)
        write(self.folder + "/whole", data)
        for command, piped in tries:
            if (name, tuple(command), piped) not in self.whole:
                r = self.whole[name, tuple(command), piped] = self.baseline(name, command, piped)
                if r.crashed() and what != "whole":
                    self.judge("whole", name, command, piped, r, data)
        self.count[what, "cases"] += 1
        for command, piped in tries:
            write(self.folder + "/case", changed)
            self.judge(what, name, command, piped, self.run(command, piped), changed)


def main():
    if sys.argv[1:2] == ["--late"]:
        return write_late(*sys.argv[2:4])
    p = argparse.ArgumentParser()
    p.add_argument("perf_lite")
    p.add_argument("files")
    p.add_argument("cases", type=int)
    p.add_argument("--runs", type=int, default=4)
    p.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    p.add_argument("--keep")
    p.add_argument("--only")
    o = p.parse_args()
    o.perf_lite = os.path.abspath(o.perf_lite)
    files = {n: read("%s/%s" % (o.files, n)) for n in sorted(os.listdir(o.files)) if n.endswith((".own", ".perf"))}
    own, foreign = [n for n in files if n.endswith(".own")], [n for n in files if n.endswith(".perf")]
    print("damage: seed %d" % o.seed, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(o, folder)
        for what in ["whole"] + BYTES + BLOCKS + (["sealed"] if xxhash else []):
            if o.only and what not in o.only.split(","):
                continue
            rnd = random.Random("%d %s" % (o.seed, what))
            for names in (own, foreign) if what in ["whole"] + BYTES else (own,):
                for _ in range(o.cases if names else 0):
                    name = rnd.choice(names)
                    others = [n for n in names if n != name or what != "strange"] or names
                    sweep.case(rnd, what, name, files[name], files[rnd.choice(others)])
            c = sweep.count
            print("damage: %s: %d cases, %d runs: %d told, %d same output, %d other output, %d wrong" % (
                (what,) + tuple(c[what, k] for k in ("cases", "runs", "told", "same", "other", "wrong"))), flush=True)
    total = {k: sum(n for key, n in sweep.count.items() if key[1] == k) for k in ("cases", "runs", "wrong")}
    print("damage: %(cases)d cases, %(runs)d runs, %(wrong)d wrong" % total, "(seed %d)" % o.seed)
    return total["wrong"] != 0


if __name__ == "__main__":
    sys.exit(main())
