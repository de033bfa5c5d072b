#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
dwp.py -e PROGRAM -o OUTPUT - a package of all .dwo files beside the program, of DWARF 5 as gcc writes it: GNU's dwp 2.40
leaves half of its sections out or crashes, llvm-dwp (14 to 19) comes to no end.

Each section is that of all files one behind the other, and .debug_cu_index says which part of it is whose. Strings are
of the whole package, so the offsets of strings of each unit are moved. 64-bit files, little-endian.

Source: DWARF 5, 7.3.5.
"""
import argparse
import glob
import os
import struct
import sys

# The columns of an index, and the sections that they stand for.
COLUMNS = {1: '.debug_info.dwo', 3: '.debug_abbrev.dwo', 4: '.debug_line.dwo', 5: '.debug_loclists.dwo',
           6: '.debug_str_offsets.dwo', 7: '.debug_macro.dwo', 8: '.debug_rnglists.dwo'}
STRINGS = '.debug_str.dwo'
DW_UT_SPLIT_COMPILE = 5
SHF_EXCLUDE = 0x80000000


def sections_of(path):
    """The sections of an ELF file: name -> bytes."""
    data = open(path, 'rb').read()
    at, = struct.unpack_from('<Q', data, 40)
    size, number, names = struct.unpack_from('<HHH', data, 58)
    heads = [struct.unpack_from('<IIQQQQIIQQ', data, at + i * size) for i in range(number)]
    text = data[heads[names][4]:][:heads[names][5]]
    return {text[h[0]:text.index(b'\0', h[0])].decode(): data[h[4]:h[4] + h[5]] for h in heads[1:]}


def dwo_id(info):
    """The number of the one unit in .debug_info.dwo."""
    length, version, kind = struct.unpack_from('<IHB', info)
    if version != 5 or kind != DW_UT_SPLIT_COMPILE or length + 4 != len(info):
        sys.exit('dwp.py: not one unit of DWARF 5')
    return struct.unpack_from('<Q', info, 12)[0]


def moved(offsets, by):
    """Offsets of strings that begin `by` bytes later, behind their header."""
    numbers = struct.unpack_from('<%dI' % ((len(offsets) - 8) // 4), offsets, 8)
    return offsets[:8] + struct.pack('<%dI' % len(numbers), *(n + by for n in numbers))


def index_of(units, columns):
    """.debug_cu_index: a hash table of units, and a row of offsets and one of sizes for each."""
    slots = 4
    while slots < len(units) * 3 // 2:
        slots *= 2
    table = [(0, 0)] * slots
    for row, (number, _) in enumerate(units, 1):
        slot, step = number & (slots - 1), number >> 32 & (slots - 1) | 1
        while table[slot][1]:
            slot = (slot + step) & (slots - 1)
        table[slot] = (number, row)
    out = struct.pack('<HHIII', 5, 0, len(columns), len(units), slots)
    out += b''.join(struct.pack('<Q', number) for number, _ in table)
    out += b''.join(struct.pack('<I', row) for _, row in table)
    out += struct.pack('<%dI' % len(columns), *columns)
    for which in 0, 1:
        for _, parts in units:
            out += struct.pack('<%dI' % len(columns), *(parts[c][which] for c in columns))
    return out


def write_elf(path, machine, sections):
    """A file that is nothing but these sections."""
    names, data, heads = b'\0', bytes(64), [bytes(64)]
    sections = dict(sections, **{'.shstrtab': b''})
    for name, content in sections.items():
        at = len(names)
        names += name.encode() + b'\0'
        content = content or names
        heads.append(struct.pack('<IIQQQQIIQQ', at, 3 if content is names else 1, 0 if content is names else SHF_EXCLUDE, 0,
                                 len(data), len(content), 0, 0, 1, 0))
        data += content
    data += bytes(-len(data) % 8)
    head = b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 1, machine, 1, 0, 0, len(data), 0, 64, 0, 0, 64,
                                                     len(heads), len(heads) - 1)
    open(path, 'wb').write(head + data[64:] + b''.join(heads))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-e', required=True)
    parser.add_argument('-o', required=True)
    args = parser.parse_args()
    out = {}
    units = []
    for path in sorted(glob.glob(os.path.join(os.path.dirname(args.e), '*.dwo'))):
        sections = sections_of(path)
        parts = {}
        for column, name in COLUMNS.items():
            part = sections.get(name, b'')
            if name == '.debug_str_offsets.dwo':
                part = moved(part, len(out.get(STRINGS, b'')))
            parts[column] = (len(out.get(name, b'')), len(part))
            out[name] = out.get(name, b'') + part
        out[STRINGS] = out.get(STRINGS, b'') + sections.get(STRINGS, b'')
        units.append((dwo_id(sections['.debug_info.dwo']), parts))
    columns = [c for c, name in COLUMNS.items() if out[name]]
    out = {name: content for name, content in out.items() if content}
    out['.debug_cu_index'] = index_of(units, columns)
    machine, = struct.unpack_from('<H', open(args.e, 'rb').read(), 18)
    write_elf(args.o, machine, out)


main()
