# SPDX-License-Identifier: GPL-2.0
"""
format.py FILE

A reader of recordings written from docs/FORMAT.md alone. It decodes every block, checks what the page
says of it, and prints the bytes of each record in hex, a line each, in the order of the file. Ends with
an exception where file and page disagree. A line on standard error sums up.

FILE must be whole and finished: damage and repetition are not looked for.
"""
import collections
import ctypes
import struct
import sys

META, ATTR, TPFMT, DATA, SYMS, DSO, END, IDS, LOSS, COUNTS, FRAMES = range(1, 12)
INT, TIME, TIME2, CPU, IP, WIDE, BLOB, REST, CHAIN, OPEN_CHAIN = range(10)
PERF_RECORD_SAMPLE = 9
NONE = 0xffffffff
U64 = (1 << 64) - 1

zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t] * 2
xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

seen = collections.Counter()  # blocks, columns, kinds of arrays: what the file made use of


def hash_of(data):
    return xxhash.XXH3_64bits(data, len(data))


def decompress(data, size):
    out = ctypes.create_string_buffer(max(size, 1))
    assert zstd.ZSTD_decompress(out, size, data, len(data)) == size
    return out.raw[:size]


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, n):
        assert self.at + n <= len(self.data)
        self.at += n
        return self.data[self.at - n:self.at]

    def left(self):
        return len(self.data) - self.at

    def u8(self):
        return self.bytes(1)[0]

    def u32(self):
        return struct.unpack("<I", self.bytes(4))[0]

    def u64(self):
        return struct.unpack("<Q", self.bytes(8))[0]

    def string(self):
        return self.bytes(self.u32())

    def varint(self):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def or_none(self):
        """A number + 1, modulo 2^32."""
        return (self.varint() - 1) & NONE

    def sized(self):
        return Cursor(self.bytes(self.varint()))

    def stream(self, n):
        head = self.varint()
        data = self.bytes(head >> 2)
        if head & 3 == 2:
            return decompress(data, n)
        assert head & 3 < 2 and len(data) == (1 if head & 3 else n)
        return data * n if head & 3 else data

    def array(self, n, depth=1):
        if not n:
            return []
        assert depth <= 5
        first = self.u8()
        kind = first & 15
        seen["array kind %d" % kind] += 1
        if kind == 0:
            return self.planes(n, first >> 4)
        if kind == 1:
            last, out = self.varint(), []
            for d in self.array(n, depth + 1):
                last = (last + unzigzag(d)) & U64
                out.append(last)
            return out
        if kind == 2:
            size = self.varint()
            index, values = self.array(n, depth + 1), self.array(size, depth + 1)
            return [values[i] for i in index]
        if kind == 3:
            size = self.varint()
            low, index = self.array(n, depth + 1), self.array(n, depth + 1)
            high, last, out = self.array(size, depth + 1), [0] * size, []
            for d, i in zip(low, index):
                last[i] = (last[i] + unzigzag(d)) & NONE
                out.append(high[i] << 32 | last[i])
            return out
        assert kind == 4
        bits = self.u8()
        low, high = self.array(n, depth + 1), self.array(n, depth + 1)
        return [(a + (b << bits)) & U64 for a, b in zip(low, high)]

    def planes(self, n, nr):
        least, apart = self.varint(), self.varint()
        planes = [self.stream(n) for _ in range(nr)]
        large = Cursor(self.stream(8 * apart)) if apart else None
        out = []
        for i in range(n):
            value = sum(p[i] << 8 * k for k, p in enumerate(planes))
            if large and value == (1 << 8 * nr) - 1:
                value = large.u64()
            out.append((value + least) & U64)
        assert not large or not large.left()
        return out


def unzigzag(n):
    return n >> 1 ^ -(n & 1)


def get_halves(c):
    """The words of each half, by number; 0 is empty."""
    nr, nodes, addresses = c.varint(), c.varint(), c.varint()
    parents, added, refs = c.array(nr), c.array(nr), c.array(nodes)
    fresh, used, address = c.array(addresses), 0, [None]
    for r in refs:
        address.append(fresh[used - r] if r else fresh[used])
        used += not r
    above, halves = [0], [[]]
    for node, n in zip(parents, added):
        for _ in range(n):
            above.append(node)
            node = len(above) - 1
        words = []
        while node:
            words.append(address[node])
            node = above[node]
        halves.append(words)
    assert len(above) == nodes + 1 and not c.left()
    return halves


def get_classes(c):
    nr = c.varint()
    c, classes = Cursor(c.stream(c.varint())), []
    for _ in range(nr):
        k = {"type": c.varint(), "misc": c.varint(), "event": c.or_none(), "loose": c.u8(), "columns": []}
        while same := c.varint():
            kind, width = c.u8() & 127, c.varint()
            k["columns"] += [(kind, width)] * same
        classes.append(k)
    assert not c.left()
    return classes


def get_int_column(c, n, columns, values):
    which, v = c.varint(), c.array(n)
    if which == 0:
        return v
    if which <= columns:
        seen["relative columns"] += 1
        other = values[which - 1]
        return [b if a == 0 else 0 if a == b else a for a, b in zip(v, other)]
    seen["grouped columns"] += 1
    key, out = values[which - 1 - columns], [0] * n
    for a, i in zip(v, sorted(range(n), key=lambda i: key[i] & 4095)):
        out[i] = a
    return out


def get_column(c, kind, width, n, columns, values, blobs):
    seen["column kind %d" % kind] += 1
    if kind == WIDE:
        v = [blobs[i] for i in c.array(n)]
        assert all(len(b) == width for b in v)
    elif kind in (CHAIN, OPEN_CHAIN):
        v = list(zip(c.array(n), c.array(n)))
    elif kind == REST:
        sizes = c.array(n)
        data = Cursor(c.stream(sum(sizes)) if sum(sizes) else b"")
        v = [data.bytes(size) for size in sizes]
    else:
        v = get_int_column(c, n, columns, values)
        if kind == BLOB:
            v = [blobs[i] for i in v]
    assert not c.left()
    return v


def make_record(k, row, ring, halves, order):
    """A record as bytes, and its time."""
    kinds, start = [kind for kind, _ in k["columns"]], 3 if k["loose"] else 0
    kind, misc = (row[0], row[1]) if k["loose"] else (k["type"], k["misc"])
    chain, time, body = [], 0, b""
    for what, v in zip(kinds, row):
        if what == TIME:
            time = ring["time"] = (ring["time"] + v) & U64
        elif what in (CHAIN, OPEN_CHAIN):
            chain = halves[0][v[0]] + halves[1][v[1]]
    for (what, width), v in list(zip(k["columns"], row))[start:]:
        if what in (WIDE, BLOB, REST):
            body += v
        elif what in (CHAIN, OPEN_CHAIN):
            for word in [len(chain) + (what == OPEN_CHAIN)] + chain:
                body += word.to_bytes(8, order)
        else:
            if what == TIME:
                v = time
            elif what == TIME2:
                v += time
            elif what == IP:
                v += chain[1] if len(chain) > 1 else 0
            elif what == CPU and ring["cpu"] != NONE:
                v ^= ring["cpu"]
            body += (v & U64).to_bytes(width, order)
    header = kind.to_bytes(4, order) + misc.to_bytes(2, order) + (8 + len(body)).to_bytes(2, order)
    return header + body, time, kind


def get_section(c, rings, order):
    if not c.left():
        return []
    nr, runs = c.varint(), c.varint()
    run_rings, run_records = c.array(runs), c.array(runs)
    assert sum(run_records) == nr and 0 not in run_records
    classes, class_of = get_classes(c), c.array(nr)
    halves = get_halves(c.sized()), get_halves(c.sized())
    nr_blobs, size = c.varint(), c.varint()
    lengths = c.array(nr_blobs)
    data = Cursor(c.stream(size) if size else b"")
    blobs = [data.bytes(n) for n in lengths]
    count = collections.Counter(class_of)
    rows = []
    for i, k in enumerate(classes):
        values = []
        for kind, width in k["columns"]:
            values.append(get_column(c.sized(), kind, width, count[i], len(k["columns"]), values, blobs))
        rows.append(iter(zip(*values)) if values else iter([()] * count[i]))
    assert not c.left()
    ring_of = [rings[r] for r, n in zip(run_rings, run_records) for _ in range(n)]
    return [make_record(classes[i], next(rows[i]), ring, halves, order) for i, ring in zip(class_of, ring_of)]


def get_data(c):
    version = c.u8()
    assert version & 127 in (1, 2)
    order = "big" if version & 128 else "little"
    rings = []
    for _ in range(c.varint()):
        ring = {"number": c.or_none(), "cpu": c.or_none()}
        flags = c.u8()
        ring["from"], ring["length"] = c.varint(), c.varint()
        ring["time"] = c.varint() if flags & 2 else 0
        rings.append(ring)
    records = get_section(c.sized(), rings, order) + get_section(c.sized(), rings, order)
    return records, rings


def check_rings(rings, read):
    for ring in rings:
        if ring["length"]:
            assert ring["from"] == read.get(ring["number"], ring["from"]), "a gap"
            read[ring["number"]] = ring["from"] + ring["length"]


def get_dso_head(c):
    head = c.u32(), c.u32(), c.u32(), c.u64(), c.u64(), c.string(), c.string()
    assert head[0] < 2 and len(head[6]) <= 20
    return head


def get_symbols(c):
    dsos = []
    for _ in range(c.varint()):
        get_dso_head(c)
        dsos.append(c.varint())
    for _ in range(2 * sum(dsos)):
        c.varint()
    names = c.bytes(c.left()).split(b"\0")
    assert len(names) == sum(dsos) + 1 and names[-1] == b""
    seen["functions"] += sum(dsos)


def get_frames(c):
    get_dso_head(c)
    strings = [c.string() for _ in range(c.u32())]
    while c.left():
        c.u64()
        for _ in range(c.u32()):
            function, name, _ = c.u32(), c.u32(), c.u32()
            assert function <= len(strings) and name <= len(strings)
            seen["frames"] += 1


def get_facts(c, facts):
    while c.left():
        key, value = c.string(), c.string()
        facts[key.decode()] = value


def get_events(c):
    while c.left():
        c.u32()
        assert len(c.string()) >= 64
        c.string()
        for _ in range(c.u32()):
            c.u64()
        seen["events"] += 1


def get_counts(c):
    while c.left():
        _, flags, samples, lost, excluded, unwritten, count, unsampled = struct.unpack("<2I6Q", c.bytes(56))
        assert not flags & 1 or samples + lost + excluded + unwritten + unsampled == count


def get_other(kind, c, facts):
    if kind in (META, END):
        get_facts(c, facts)
    elif kind == ATTR:
        get_events(c)
    elif kind == TPFMT:
        while c.left():
            c.u32(), c.string(), c.string(), c.string()
    elif kind == DSO:
        while c.left():
            get_dso_head(c), c.string()
    elif kind == SYMS:
        get_symbols(c)
    elif kind == FRAMES:
        get_frames(c)
    elif kind == COUNTS:
        get_counts(c)
    elif kind == LOSS:
        while c.left():
            c.bytes(40)
    elif kind == IDS:
        c.u32()
        for _ in range(c.u32()):
            c.u64()
    assert not c.left()


def main(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x89PLD\r\n\x1a\n" and struct.unpack("<HxxI", data[8:16]) == (3, 64)
    session = struct.unpack("<I", data[16:20])[0] if data[10] else 0
    assert struct.unpack("<Q", data[56:64])[0] == hash_of(data[:56])
    at, seq, samples, kind, facts, read = 64, 0, 0, None, {}, {}
    while at < len(data):
        head = data[at:at + 80]
        (magic, kind, flags, number, of, records, stored, raw, before, oldest, newest, _, payload_hash,
         head_hash) = struct.unpack("<4sHHQIIIIQQQQQQ", head)
        assert magic == b"PBLK" and head_hash == hash_of(head[:72])
        payload = data[at + 80:at + 80 + stored]
        assert payload_hash == hash_of(payload) and of == session and number == seq and before == samples
        seen["block type %d" % kind] += 1
        seq += 1
        at += 80 + (stored + 7) // 8 * 8
        if kind != DATA:
            get_other(kind, Cursor(decompress(payload, raw) if flags & 1 else payload), facts)
            continue
        assert flags == 2
        got, rings = get_data(Cursor(payload))
        check_rings(rings, read)
        times = [time for _, time, _ in got if time]
        assert len(got) == records and sum(len(r) for r, _, _ in got) == raw
        assert (min(times, default=0), max(times, default=0)) == (oldest, newest)
        samples += sum(t == PERF_RECORD_SAMPLE for _, _, t in got)
        for record, _, _ in got:
            print(record.hex())
    assert kind == END and int(facts["samples"]) == samples
    print(", ".join("%s: %d" % x for x in sorted(seen.items())), file=sys.stderr)


main(sys.argv[1])
