#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""consumers.py PROGRAM SAMPLES TEXT - does PROGRAM find in TEXT the samples that stand in SAMPLES?

SAMPLES is what script --json printed, TEXT what script --for=PROGRAM printed of the same recording. TEXT is read by the grammar of
PROGRAM: its patterns, its order of trying them, what it passes over and what it cuts off. With --parsed, TEXT is what another parser
of that program has read: a JSON array [comm, pid, tid, seconds, weight, [innermost, ...]] a line, null where it does not tell.

Every sample must be there, in its order, with its command, ids, time, weight and frames. Prints how many there are.

Sources: see util/format/consumer.h.
"""
import json
import re
import sys
import unicodedata


class Sample:
    """One stack as a program has read it; what it does not look at is None."""

    def __init__(self, comm=None, pid=None, tid=None, time=None, weight=None):
        self.comm, self.pid, self.tid, self.time, self.weight = comm, pid, tid, time, weight
        self.frames = []


def last_part(path):
    return path.rsplit('/', 1)[-1]


# stackcollapse-perf.pl

def tidy_perl(name):
    name = name.replace(';', ':')
    if not re.search(r'\.\(.*\)\.', name):
        name = re.sub(r'\((?!anonymous namespace\)).*', '', name)
    return name.replace('"', '').replace("'", '')


def parse_stackcollapse(text):
    samples, now, event = [], None, None
    for line in text.split('\n')[:-1]:
        if line.startswith('#'):
            continue
        if line == '':
            if now:
                samples.append(now)
            now = None
            continue
        m = re.match(r'(\S.+?)\s+(\d+)/*(\d+)*\s+', line, re.A)
        if m:
            comm, pid, tid = m.groups()
            if not tid or tid == '0':
                pid, tid = None, pid
            period = None
            e = re.search(r':\s*(\d+)*\s+(\S+):\s*$', line, re.A)
            if e:
                period = e.group(1)
                event = event or e.group(2)
                if e.group(2) != event:
                    continue
            now = Sample(comm.replace(' ', '_'), pid and int(pid), int(tid), None, int(period or 1))
            continue
        m = re.match(r'\s*(\w+)\s*(.+) \((.*)\)', line, re.A)
        if not m:
            raise ValueError('unrecognized line: ' + line)
        raw, module = re.sub(r'\+0x[\da-f]+$', '', m.group(2)), m.group(3)
        if not now or raw.startswith('('):
            continue
        names = []
        for name in raw.split('->'):
            if name == '[unknown]':
                name = '[%s]' % (last_part(module) if module != '[unknown]' else 'unknown')
            names.insert(0, tidy_perl(name))
        now.frames += names
    return samples


# inferno

def tidy_inferno(name):
    name = name.replace(';', ':')
    at = name.find('(')
    if at >= 0 and not name.startswith('(anonymous namespace)', at) and name[max(at - 1, 0)] != '.':
        name = name[:at]
    return name


def inferno_event(line):
    """comm, pid, tid, and where the rest begins; None if there is no number."""
    start, digits, space, slash = 0, False, False, None
    for i, c in enumerate(line):
        if c == ' ':
            if digits and not space:
                ids = (line[start:slash], line[slash + 1:i]) if slash is not None else (None, line[start:i])
                return line[:start - 1].strip(), ids[0], ids[1], i + 1
            start, digits = i + 1, True
        elif c == '/':
            slash = i if digits else slash
        elif c not in '0123456789':
            digits, slash = False, None
        space = c == ' '
    return None


def inferno_frame(now, line):
    pc, rest = line.lstrip().split(' ', 1)
    raw, module = rest.rsplit(' ', 1)
    if module[0] != '(' or module[-1] != ')':
        raise ValueError('weird stack line: ' + line)
    module, raw = module[1:-1], raw.strip() or ' '
    m = re.search(r'\+0x[0-9a-fA-F]*$', raw)
    raw = raw[:m.start()] if m else raw
    if raw.startswith('('):
        return
    names = []
    for name in raw.split('->'):
        if name == '[unknown]' and module != '[unknown]':
            name = '[%s]' % last_part(module)
        names.insert(0, tidy_inferno(name))
    now.frames += names


def parse_inferno(text):
    samples, now, event = [], None, None
    for line in text.split('\n')[:-1]:
        if line.startswith('#'):
            continue
        line = line.rstrip()
        if line == '':
            if now and now.frames:
                samples.append(now)
            now = None
        elif now:
            inferno_frame(now, line)
        else:
            parts = inferno_event(line)
            if not parts:
                raise ValueError('weird event line: ' + line)
            comm, pid, tid, end = parts
            colons = line[end:].split(':', 2)
            words = colons[1].rsplit(' ')
            event = event or words[-1]
            if words[-1] != event:
                raise ValueError('another event: ' + line)
            rest = colons[2] if len(colons) > 2 else ''
            at = min([i for i in (rest.find(':'), rest.find(' ')) if i >= 0], default=-1)
            if rest[at + 1:].strip():
                raise ValueError('taken for a stack of one frame: ' + line)
            now = Sample(comm.replace(' ', '_'), int(pid), int(tid), None,
                         int(words[-2]) if len(words) > 1 and words[-2].isdigit() else 1)
    return samples


# Perfetto

def perfetto_header(line):
    at = line.find(':')
    while at >= 0:
        before = line[:at]
        m = re.search(r' (\d+\.\d{6})$', before, re.A)
        words = before[:m.start()].split(' ') if m else []
        words = [w for w in words if w]
        if words and re.fullmatch(r'\[\d+\]', words[-1], re.A):
            words.pop()
        if words and re.fullmatch(r'(\d+/)?\d+', words[-1], re.A):
            pid, _, tid = words[-1].rpartition('/')
            return Sample(' '.join(words[:-1]), int(pid) if pid else None, int(tid), float(m.group(1)))
        at = line.find(':', at + 1)
    raise ValueError('unable to parse sample line: ' + line)


def parse_perfetto(text):
    samples, now = [], None
    for line in text.split('\n')[:-1]:
        if now is None:
            now = perfetto_header(line)
            continue
        line = line.strip()
        if not line:
            if not now.frames:
                raise ValueError('no frames in sample')
            samples.append(now)
            now = None
            continue
        start, end = line.index(' '), line.rindex('(')
        if line[-1] != ')':
            raise ValueError('unable to find mapping: ' + line)
        name = line[start:end].strip()
        at = name.rfind('+')
        now.frames.append(name[:at] if at >= 0 else name)
    return samples


# gprof2dot

def parse_gprof2dot(text):
    call = re.compile(r'^\s+(?P<address>[0-9a-fA-F]+)\s+(?P<symbol>.*)\s+\((?P<module>.*)\)$')
    samples, now = [], None
    for line in text.split('\n')[:-1]:
        if line.startswith('#'):
            continue
        if line == '':
            samples.append(now)
            now = None
        elif now is None:
            now = Sample()
        else:
            m = call.match(line)
            if not m:
                raise ValueError('assertion: ' + line)
            name = re.sub(r'\+0x[0-9a-fA-F]+$', '', m.group('symbol'))
            now.frames.append(m.group('address') if name == '[unknown]' else name)
    return samples


# flamescope

def parse_flamescope(text):
    event = re.compile(r' +([0-9.]+): .+?:')
    frame = re.compile(r'^[\t ]*[0-9a-fA-F]+ (.+) \((.*?)\)$')
    comm = re.compile(r'^ *([^0-9]+)')
    samples, now = [], None
    for line in text.splitlines(True):
        if line[0] == '#':
            continue
        m = event.search(line) if line[0] != '\t' else None
        if m:
            c = comm.search(line)
            now = Sample(c.group(1).rstrip() if c else '<unknown>', None, None, float(m.group(1)))
            samples.append(now)
            continue
        m = frame.search(line)
        if m:
            name = m.group(1)
            at = name.find('+')
            now.frames.append(name[:at] if at > 0 else name)
    for s in samples:  # "a->b": b was inlined into a
        s.frames = [part for f in s.frames for part in reversed(f.split('->'))]
    return samples


def parse_lines(text):
    samples = []
    for line in text.splitlines():
        fields = json.loads(line)
        samples.append(Sample(*fields[:5]))
        samples[-1].frames = fields[5]
    return samples


PARSERS = {
    'stackcollapse': parse_stackcollapse,
    'flamegraph': parse_stackcollapse,
    'inferno': parse_inferno,
    'perfetto': parse_perfetto,
    'gprof2dot': parse_gprof2dot,
    'flamescope': parse_flamescope,
}

# What must have been found

BLANKS = re.compile('[ \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]')


def want_comm(program, comm):
    comm = comm.replace(';', ':')
    if program == 'firefox':
        comm = BLANKS.sub(' ', comm)
        comm = ('_' if comm[:1] in ('#', '{', ' ') else comm[:1]) + comm[1:]
        comm = comm.rstrip()
    else:
        comm = BLANKS.sub('_', comm)
        comm = ('_' if comm[:1] in ('#', '{') else comm[:1]) + comm[1:]
    return comm + '_' if len(comm.encode()) == 1 else comm or '[unknown]'


def want_module(dso):
    dso = re.sub(r' \(deleted\)$', '', dso)
    return re.sub('[()]', '_', BLANKS.sub('_', dso))


def want_frame(program, frame):
    name, module = frame.get('symbol'), want_module(frame.get('dso', '[unknown]'))
    if name is None:
        if program in ('stackcollapse', 'flamegraph'):
            return '[%s]' % (last_part(module) if module != '[unknown]' else 'unknown')
        if program == 'inferno':
            return '[%s]' % last_part(module) if module != '[unknown]' else '[unknown]'
        if program == 'gprof2dot':
            return frame.get('ip', '0x0')[2:]
        name = '[unknown]'
    name = BLANKS.sub(' ', name.replace('(anonymous namespace)', '{anonymous}')).replace(';', ':')
    if program in ('stackcollapse', 'flamegraph', 'inferno', 'flamescope'):
        name = name.replace('operator->', 'operator-\uff1e')
    if program in ('stackcollapse', 'flamegraph'):
        name = tidy_perl(name)
    elif program == 'inferno':
        name = tidy_inferno(name)
    elif program == 'firefox':
        ko = re.fullmatch(r'\[([^:]*)\]', module)
        if ko and ko.group(1) not in ('kernel.kallsyms', 'unknown', 'vdso', 'heap', 'stack'):
            module = ko.group(1) + '.ko'
        name += ' (in %s)' % module
    return name


def want_samples(program, lines):
    wanted = []
    for line in lines:
        o = json.loads(line)
        if 'lost' in o:
            continue
        s = Sample(want_comm(program, o['comm']), o['pid'], o['tid'], o['time'] // 1000 / 1e6, o['period'])
        s.frames = [want_frame(program, f) for f in o.get('callchain') or [o]]
        wanted.append(s)
    return wanted


def plain(name):
    """Names at which a program would cut come in another form of the same letters."""
    return unicodedata.normalize('NFKC', name)


def differs(program, got, want):
    for key in ('comm', 'pid', 'tid', 'time', 'weight'):
        g, w = getattr(got, key), getattr(want, key)
        if g is None:
            continue
        if key == 'comm' and program == 'flamescope':
            g = plain(g)
        if abs(g - w) > 2e-6 if key == 'time' else g != w:
            return '%s is %r and should be %r' % (key, g, w)
    g = [plain(f) for f in got.frames]
    w = [plain(f) for f in want.frames]
    return None if g == w else 'frames are\n%s\nand should be\n%s' % ('\n'.join(g), '\n'.join(w))


def main(args):
    parsed = args[0] == '--parsed'
    program, samples, text = args[1:] if parsed else args
    with open(samples, encoding='utf-8', newline='') as f:
        want = want_samples(program, f)
    with open(text, encoding='utf-8', newline='') as f:
        got = (parse_lines if parsed else PARSERS[program])(f.read())
    if len(got) != len(want):
        sys.exit('%s: %d stacks of %d' % (program, len(got), len(want)))
    for i, (g, w) in enumerate(zip(got, want)):
        why = differs(program, g, w)
        if why:
            sys.exit('%s: sample %d: %s' % (program, i + 1, why))
    print(len(got))


main(sys.argv[1:])
