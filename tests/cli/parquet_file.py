# SPDX-License-Identifier: GPL-2.0
"""Reads Parquet files by the format's own documents, for tests: no code of perf-lite, nothing but Python and libzstd.

Everything that a file says of itself is checked on the way: sizes, offsets, checksums, counts, the least and the greatest
value; each byte of it belongs to something."""
import ctypes
import struct
import zlib

INT32, INT64, BYTE_ARRAY, FIXED = 1, 2, 6, 7
PLAIN, RLE, DELTA_BINARY_PACKED, RLE_DICTIONARY = 0, 3, 5, 8
DATA_PAGE, DICTIONARY_PAGE = 0, 2
ZSTD = 6


def unzstd(packed, size):
    lib = ctypes.CDLL("libzstd.so.1")
    lib.ZSTD_decompress.restype = ctypes.c_size_t
    lib.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    out = ctypes.create_string_buffer(size + 1)
    n = lib.ZSTD_decompress(out, size + 1, packed, len(packed))
    assert n == size, "a page is %d bytes, not %d" % (n, size)
    return out.raw[:size]


class Cursor:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, n):
        assert self.at + n <= len(self.data), "past the end"
        self.at += n
        return self.data[self.at - n:self.at]

    def varint(self):
        v = shift = 0
        while True:
            b = self.byte()
            v |= (b & 0x7f) << shift
            shift += 7
            if b < 0x80:
                return v

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    # Thrift's compact protocol: structs as {id: value}
    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            return self.bytes(self.varint())
        if kind == 9:
            head = self.byte()
            n = head >> 4
            return [self.value(head & 15) for _ in range(self.varint() if n == 15 else n)]
        assert kind == 12, "type %d" % kind
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while True:
            head = self.byte()
            if not head:
                return fields
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            assert last not in fields
            fields[last] = self.value(head & 15)


def bits(data, width, n):
    """n numbers, the first in the lowest bits"""
    if width in (8, 16, 32, 64):
        return list(struct.unpack("<%d%s" % (n, {8: "B", 16: "H", 32: "I", 64: "Q"}[width]), data[:n * width // 8]))
    whole = int.from_bytes(data, "little")
    if n * width <= 4096:
        return [whole >> i * width & (1 << width) - 1 for i in range(n)]
    step = 64 * width // 8 * 8 // 8
    return [v for i in range(0, n, 64) for v in bits(data[i * width // 8:i * width // 8 + step], width, min(64, n - i))]


def hybrid(c, width, n):
    out = []
    while len(out) < n:
        head = c.varint()
        if head & 1:
            count = (head >> 1) * 8
            out += bits(c.bytes(count * width // 8), width, count)
            assert len(out) - n < 8, "more numbers than there are"
        else:
            assert head, "a run of nothing"
            out += [int.from_bytes(c.bytes((width + 7) // 8), "little")] * (head >> 1)
            assert len(out) <= n, "a run that is too long"
    assert not any(out[n:]), "padding"
    return out[:n]


def delta(c, size):
    block, minis, n, last = c.varint(), c.varint(), c.varint(), c.zigzag()
    assert block % 128 == 0 and block // minis % 32 == 0
    mask = (1 << 8 * size) - 1
    out, left = [last & mask][:n], n - 1
    while left > 0:
        base = c.zigzag()
        for width in list(c.bytes(minis)):
            if left <= 0:
                assert not width
                continue
            assert width <= 8 * size
            for v in bits(c.bytes(block // minis * width // 8), width, block // minis)[:left]:
                last = last + base + v & mask
                out.append(last)
            left -= block // minis
    return out


class Column:
    def __init__(self, name, element, is_list):
        self.name, self.list = name, is_list
        self.type, self.optional = element[1], element[3] == 1
        logical = element.get(10, {})
        self.text, self.decimal, self.time = 1 in logical, 5 in logical, 8 in logical
        self.signed = logical[10][2] if 10 in logical else True
        self.path = [name.encode()] + ([b"list", b"element"] if is_list else [])
        self.max_def = is_list + self.optional
        if self.text:
            assert element[6] == 0 and self.type == BYTE_ARRAY
        elif self.decimal:
            # 71 bits and a sign hold 21 digits
            assert self.type == FIXED and element[2] == 9 and element[6] == 5
            assert (element[7], element[8]) == (0, 20) and logical == {5: {1: 0, 2: 20}}
        elif 10 in logical:
            assert logical[10][1] == {INT32: 32, INT64: 64}[self.type]
            assert element.get(6) == (None if self.signed else {INT32: 13, INT64: 14}[self.type])
        else:
            assert self.type == INT64 and logical[8] == {1: False, 2: {3: {}}}

    def kind(self):
        one = "text" if self.text else "decimal" if self.decimal else "time" if self.time else "%s%d" % ("su"[not self.signed], {1: 32, 2: 64}[self.type])
        return "[%s]" % one if self.list else one

    def plain(self, c, n):
        if self.type == BYTE_ARRAY:
            return [c.bytes(struct.unpack("<I", c.bytes(4))[0]) for _ in range(n)]
        return [self.fixed(c.bytes(self.size())) for _ in range(n)]

    def size(self):
        return 9 if self.decimal else 4 * self.type

    def fixed(self, data):
        assert len(data) == self.size()
        return int.from_bytes(data, "big", signed=True) if self.decimal else self.number(int.from_bytes(data, "little"))

    def number(self, v):
        size = 32 * self.type
        return v - (1 << size) if self.signed and v >> size - 1 else v

    def rows(self, reps, defs, values):
        values = iter(values)
        out = []
        for rep, level in zip(reps, defs):
            if not self.list:
                out.append(next(values) if level == self.max_def else None)
                continue
            if not rep:
                out.append([])
            if level:
                out[-1].append(next(values) if level == self.max_def else None)
            else:
                assert not rep, "an empty list has items"
        return out


class File:
    """names, kinds {name: kind}, groups [{name: [value of each row]}], statistics [{name: (least, most)}]"""

    def __init__(self, path):
        self.data = open(path, "rb").read()
        assert self.data[:4] == self.data[-4:] == b"PAR1", "no Parquet file"
        length = struct.unpack("<I", self.data[-8:-4])[0]
        end = len(self.data) - 8 - length
        c = Cursor(self.data[:-8], end)
        meta = c.struct()
        assert c.at == len(self.data) - 8, "bytes behind the footer"
        self.columns = self.schema(meta[2])
        self.names = [c.name for c in self.columns]
        self.kinds = {c.name: c.kind() for c in self.columns}
        assert meta[7] == [{1: {}}] * len(self.columns)
        self.at = 4
        self.groups, self.statistics = [], []
        self.encodings = {n: set() for n in self.names}
        for group in meta[4]:
            self.group(group)
        assert self.at == end, "bytes that belong to nothing"
        assert sum(g[3] for g in meta[4]) == meta[3] == self.rows()

    def schema(self, elements):
        columns, i = [], 1
        root = elements[0]
        while i < len(elements):
            e = elements[i]
            if 5 in e:
                assert e[3] == 0 and e[5] == 1 and e[6] == 3 and e[10] == {3: {}}, "a list"
                assert elements[i + 1] == {3: 2, 4: b"list", 5: 1} and elements[i + 2][4] == b"element"
                columns.append(Column(e[4].decode(), elements[i + 2], True))
                i += 3
            else:
                columns.append(Column(e[4].decode(), e, False))
                i += 1
        assert root[5] == len(columns)
        assert len({c.name.lower() for c in columns}) == len(columns), "names that differ in case alone"
        return columns

    def group(self, group):
        values, ranges, begin = {}, {}, self.at
        for column, chunk in zip(self.columns, group[1]):
            m = chunk[3]
            assert m[1] == column.type and m[3] == column.path and m[4] == ZSTD
            values[column.name] = self.chunk(column, m)
            assert len(values[column.name]) == group[3], "%s: rows" % column.name
            ranges[column.name] = self.range(column, m, values[column.name])
        assert group[2] == sum(c[3][6] for c in group[1])
        assert group[5] == begin and group[6] == self.at - begin
        self.groups.append(values)
        self.statistics.append(ranges)

    def page(self):
        c = Cursor(self.data, self.at)
        head = c.struct()
        packed = c.bytes(head[3])
        assert zlib.crc32(packed) == head[4] & 0xffffffff, "checksum"
        size = c.at - self.at - head[3] + head[2]
        self.at = c.at
        return head, Cursor(unzstd(packed, head[2])), size

    def chunk(self, column, m):
        begin, dictionary, size = self.at, None, 0
        if 11 in m:
            assert m[11] == self.at
            head, c, size = self.page()
            assert head[1] == DICTIONARY_PAGE and head[7][2] == PLAIN
            dictionary = column.plain(c, head[7][1])
            assert len(set(dictionary)) == len(dictionary), "a value is there twice"
            assert c.at == len(c.data)
        assert m[9] == self.at
        head, c, n = self.page()
        page = head[5]
        assert head[1] == DATA_PAGE and page[1] == m[5]
        assert set(m[2]) == {RLE, page[2]} | ({PLAIN} if dictionary else set())
        assert m[6] == size + n and m[7] == self.at - begin
        self.encodings[column.name].add(page[2])
        reps = self.levels(c, 1, page[1]) if column.list else [0] * page[1]
        defs = self.levels(c, column.max_def, page[1]) if column.max_def else [0] * page[1]
        present = defs.count(column.max_def)
        if page[2] == RLE_DICTIONARY:
            values = [dictionary[i] for i in hybrid(c, c.byte(), present)]
            assert set(values) == set(dictionary), "values that nobody has"
        elif page[2] == DELTA_BINARY_PACKED:
            values = [column.number(v) for v in delta(c, 4 * column.type)]
            assert len(values) == present
        else:
            assert page[2] == PLAIN
            values = column.plain(c, present)
        assert c.at == len(c.data), "bytes behind the values"
        if column.text:
            values = [v.decode() for v in values]
        return column.rows(reps, defs, values)

    def levels(self, c, most, n):
        length = struct.unpack("<I", c.bytes(4))[0]
        part = Cursor(c.bytes(length))
        out = hybrid(part, most.bit_length(), n)
        assert part.at == length
        return out

    def range(self, column, m, rows):
        s = m[12]
        flat = [v for r in rows for v in (r if column.list else [r])]
        there = [v.encode() if column.text else v for v in flat if v is not None]
        if not column.list:
            assert s[3] == flat.count(None), "how many are missing"
        if 5 not in s:
            assert not there or column.text and max(len(min(there)), len(max(there))) > 64
            return None
        if column.text:
            least, most = s[6], s[5]
        else:
            least, most = column.fixed(s[6]), column.fixed(s[5])
        assert (least, most) == (min(there), max(there)), "%s: the least and the greatest" % column.name
        return least, most

    def rows(self):
        return sum(len(g[self.names[0]]) for g in self.groups)

    def __iter__(self):
        for group in self.groups:
            for row in zip(*group.values()):
                yield dict(zip(group, row))
