# SPDX-License-Identifier: GPL-2.0
"""facts.py FILE CHANGE...: the recording of perf-lite's own on standard output, as of another boot or with other files. A CHANGE is

KEY=VALUE  a fact of META, in place of the one there
KEY=       without it
HEX:HEX    a build-id that is another one of the same length"""
import ctypes
import struct
import sys

FILE_HEAD, BLOCK_HEAD, META, DATA = 64, 80, 1, 4
COMPRESSED = 1
zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t] * 2
xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def hash_of(data):
    return struct.pack("<Q", xxhash.XXH3_64bits(data, len(data)))


def strings(data):
    at = 0
    while at < len(data):
        n = struct.unpack_from("<I", data, at)[0]
        yield data[at + 4:at + 4 + n]
        at += 4 + n


def with_facts(data, facts):
    s = strings(data)
    of_file = dict(zip(s, s))
    of_file.update((k.encode(), v.encode()) for k, v in facts.items())
    return b"".join(struct.pack("<I", len(x)) + x for pair in of_file.items() if pair[1] for x in pair)


def block(head, payload, facts, ids):
    kind, flags, raw = struct.unpack_from("<HH", head, 4) + struct.unpack_from("<I", head, 28)
    if kind == DATA:
        return head + payload
    if flags & COMPRESSED:
        out = ctypes.create_string_buffer(raw)
        assert zstd.ZSTD_decompress(out, raw, payload, len(payload)) == raw
        payload = out.raw
    if kind == META and b"hostname" in payload:
        payload = with_facts(payload, facts)
    for old, new in ids:
        payload = payload.replace(old, new)
    head = bytearray(head)
    struct.pack_into("<H", head, 6, flags & ~COMPRESSED)
    struct.pack_into("<II", head, 24, len(payload), len(payload))
    head[64:72] = hash_of(payload)
    head[72:80] = hash_of(bytes(head[:72]))
    return bytes(head) + payload


def main(path, *changes):
    facts = dict(c.split("=", 1) for c in changes if "=" in c)
    ids = [[bytes.fromhex(h) for h in c.split(":")] for c in changes if "=" not in c]
    with open(path, "rb") as f:
        data = f.read()
    sys.stdout.buffer.write(data[:FILE_HEAD])
    at = FILE_HEAD
    while at < len(data):
        size = struct.unpack_from("<I", data, at + 24)[0]
        made = block(data[at:at + BLOCK_HEAD], data[at + BLOCK_HEAD:at + BLOCK_HEAD + size], facts, ids)
        sys.stdout.buffer.write(made + bytes(-len(made) % 8))
        at += BLOCK_HEAD + (size + 7) // 8 * 8


main(*sys.argv[1:])
