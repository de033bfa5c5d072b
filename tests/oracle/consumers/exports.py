#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""exports.py FORMAT SAMPLES FILE - are the samples of SAMPLES in FILE, which convert --to=FORMAT has written?

SAMPLES is what script --json printed of the same recording. FILE is, of pprof, what protoc --decode made of it. Each file is also
checked by the rules of its format: every index is in range, every column as long as the others. Prints the number of samples and the sum of
their weights.
"""
import collections
import decimal
import json
import re
import sys

TIMES = ('cpu-clock', 'task-clock')


def need(what, why):
    if not what:
        sys.exit('exports.py: ' + why)


def same(got, want, why):
    need(got == want, '%s: %r, not %r' % (why, got, want))


class Sample:
    def __init__(self, line):
        self.event, self.comm, self.pid, self.tid = (line[k] for k in ('event', 'comm', 'pid', 'tid'))
        self.time, self.cpu, self.fields = line['time'], line.get('cpu'), line.get('fields', {})
        self.weight = line['period'] or 1
        chain = line.get('callchain') or ([line] if 'ip' in line else [])
        self.stack = tuple(reversed([name_of(f) for f in chain])) or ('[unknown]',)
        self.addresses = {int(f['ip'], 16) for f in chain}


def unnamed(path):
    """A function without a name. Of the kernel it may be code that was made meanwhile, such as a trampoline, in no mapping."""
    return '[unknown]' if path == '[kernel.kallsyms]' else file_name(path)


def name_of(frame):
    if 'symbol' in frame:
        return frame['symbol']
    return unnamed(frame['dso']) if 'dso' in frame else '[unknown]'


def file_name(path):
    base = path.rsplit('/', 1)[-1] or path
    return base if base.startswith('[') else '[%s]' % base


def is_time(event):
    return event.split(':')[0] in TIMES or event.startswith('sched:sched_stat_')


def whole(stack):
    """Without what says that a stack was cut, which script does not print."""
    return tuple(stack[1:]) if stack[:1] == ['[truncated]'] else tuple(stack)


# pprof

# of a task that has ended, or is outside of the PID namespace, the kernel tells none
NO_THREAD = ('', -1, -1)


class Message(dict):
    def all(self, key):
        return self.get(key, [])

    def one(self, key, default=0):
        values = self.get(key, [default])
        need(len(values) == 1, '%s comes %d times' % (key, len(values)))
        return values[0]


def parse_text(lines):
    """The text form of protocol buffers; each field a list of values."""
    message = Message()
    for line in lines:
        line = line.strip()
        if line == '}':
            return message
        m = re.match(r'(\w+) \{$', line) or re.match(r'(\w+): (.*)$', line)
        need(m, 'not a line of protoc: ' + line)
        key = m.group(1)
        need(not key.isdigit(), 'a field that is not known: ' + line)
        if m.lastindex == 1:
            value = parse_text(lines)
        elif m.group(2).startswith('"'):
            value = m.group(2)[1:-1].encode().decode('unicode_escape').encode('latin1').decode()
        else:
            value = {'true': 1, 'false': 0}.get(m.group(2)) if m.group(2).isalpha() else int(m.group(2))
        message.setdefault(key, []).append(value)
    return message


def by_id(messages, what):
    table = {m.one('id'): m for m in messages}
    need(len(table) == len(messages) and 0 not in table, 'the ids of %s are not their own' % what)
    return table


def location_names(strings, mappings, locations, functions):
    names = {}
    for number, location in locations.items():
        mapping = mappings[location.one('mapping_id')] if 'mapping_id' in location else None
        address = location.one('address')
        if mapping:
            need(mapping.one('memory_start') <= address < mapping.one('memory_limit'), 'outside of its mapping')
        lines = [strings[functions[l.one('function_id')].one('name')] for l in location.all('line')]
        if not lines:
            lines = [unnamed(strings[mapping.one('filename')]) if mapping else '[unknown]']
        names[number] = lines
    return names


def check_pprof(samples, file):
    p = parse_text(iter(open(file, encoding='ascii')))
    strings = p.all('string_table')
    mappings, locations, functions = (by_id(p.all(k), k) for k in ('mapping', 'location', 'function'))
    same(strings[0], '', 'the first string')
    same(len(set(strings)), len(strings), 'strings that are there once')
    types = [(strings[t.one('type')], strings[t.one('unit')]) for t in p.all('sample_type')]
    events = [t for t, _ in types[1::2]]
    for i, event in enumerate(events):
        same(types[2 * i], ('samples' if len(events) == 1 else event + '_samples', 'count'), 'a type')
        same(types[2 * i + 1][1], 'nanoseconds' if is_time(event) else 'count', 'the unit of ' + event)
    if samples:
        same(sorted(events), sorted({s.event for s in samples}), 'events')
        need(strings[p.one('default_sample_type')] in events, 'the default is no event')
        same(p.one('duration_nanos'), max(s.time for s in samples) - min(s.time for s in samples), 'duration')
        need(p.one('time_nanos') > 10**18, 'no time of day')

    addresses = set().union(*(s.addresses for s in samples)) if samples else set()
    for location in locations.values():
        address = location.one('address')
        need(not address or address in addresses or address + 1 in addresses, 'an address of nobody')
    names = location_names(strings, mappings, locations, functions)

    got = collections.Counter()
    for s in p.all('sample'):
        labels = {strings[l.one('key')]: l for l in s.all('label')}
        stack = [name for l in s.all('location_id') for name in names[l]][::-1]
        same(len(s.all('value')), len(types), 'values of a sample')
        for i, event in enumerate(events):
            thread = (strings[labels['comm'].one('str')], labels['pid'].one('num'), labels['tid'].one('num'))\
                if 'tid' in labels else NO_THREAD
            key = (event, *thread, whole(stack))
            got[key + ('samples',)] += s.all('value')[2 * i]
            got[key + ('weight',)] += s.all('value')[2 * i + 1]
    want = collections.Counter()
    for s in samples:
        key = (s.event, *(NO_THREAD if s.tid == -1 else (s.comm, s.pid, s.tid)), s.stack)
        want[key + ('samples',)] += 1
        want[key + ('weight',)] += s.weight
    # values of 0 are of other events of that stack
    same(+got, want, 'samples')
    return sum(v for k, v in got.items() if k[-1] == 'samples'), sum(v for k, v in got.items() if k[-1] == 'weight')


# speedscope

def merged(entries):
    out = []
    for weight, stack in entries:
        if out and out[-1][1] == stack:
            out[-1] = (out[-1][0] + weight, stack)
        else:
            out.append((weight, stack))
    return out


def check_speedscope(samples, file):
    p = json.load(open(file, encoding='utf-8'))
    same(p['$schema'], 'https://www.speedscope.app/file-format-schema.json', '$schema')
    frames = p['shared']['frames']
    for f in frames:
        need(isinstance(f['name'], str) and set(f) <= {'name', 'file', 'line', 'col'}, 'a frame: %r' % f)
    need(0 <= p['activeProfileIndex'] < len(p['profiles']), 'no such profile')
    several = len({s.event for s in samples}) > 1
    want = collections.defaultdict(list)
    for s in samples:
        name = '%s (%d/%d)' % (s.comm, s.pid, s.tid) + (', ' + s.event if several else '')
        want[name].append((s.weight, s.stack))
    if not samples:
        same([x['samples'] for x in p['profiles']], [[]], 'no samples')
        return 0, 0
    total = 0
    for profile in p['profiles']:
        same(profile['type'], 'sampled', 'type')
        same(len(profile['samples']), len(profile['weights']), 'weights of ' + profile['name'])
        same(profile['endValue'] - profile['startValue'], sum(profile['weights']), 'the end of ' + profile['name'])
        event = profile['name'].rsplit(', ', 1)[1] if several else samples[0].event
        same(profile['unit'], 'nanoseconds' if is_time(event) else 'none', 'unit')
        got = [(w, whole([frames[i]['name'] for i in stack]))
               for w, stack in zip(profile['weights'], profile['samples'])]
        same(merged(got), merged(want.pop(profile['name'], [])), profile['name'])
        total += sum(profile['weights'])
    same(list(want), [], 'threads that are missing')
    return len(samples), total


# The Firefox profiler

def column_lengths(table, what):
    length = table['length']
    need(isinstance(length, int) and length >= 0, what + ' has no length')
    for key, column in table.items():
        if isinstance(column, list):
            same(len(column), length, 'the length of %s.%s' % (what, key))


def in_range(column, nr, what, null=False, none=None):
    for i, v in enumerate(column):
        need((null and v is None) or (none is not None and v == none) or (isinstance(v, int) and 0 <= v < nr),
             '%s[%d] is %r, of %d' % (what, i, v, nr))


def check_shared(p):
    shared = p['shared']
    tables = ('stackTable', 'frameTable', 'funcTable', 'resourceTable', 'nativeSymbols', 'sources')
    for name in tables:
        column_lengths(shared[name], name)
    stacks, frames, funcs, resources, _, sources = (shared[name] for name in tables)
    strings = len(shared['stringArray'])
    categories = p['meta']['categories']
    need(categories[0]['color'] == 'grey' and all(c['subcategories'][0] == 'Other' for c in categories), 'categories')
    in_range(stacks['frame'], frames['length'], 'frame')
    for i, prefix in enumerate(stacks['prefix']):
        need(prefix is None or 0 <= prefix < i, 'a stack before its parent')
    in_range(frames['func'], funcs['length'], 'func')
    in_range(frames['category'], len(categories), 'category')
    same(set(frames['address']) - {-1}, set(), 'addresses')
    in_range(funcs['name'], strings, 'name')
    in_range(funcs['resource'], resources['length'], 'resource', none=-1)
    in_range(funcs['source'], sources['length'], 'source', null=True)
    in_range(resources['lib'], len(p['libs']), 'lib')
    in_range(resources['name'], strings, 'resource name')
    in_range(sources['filename'], strings, 'filename')
    need(all(re.fullmatch('[0-9A-F]{32}0|', lib['breakpadId']) for lib in p['libs']), 'breakpadId')


def stack_names(p):
    shared = p['shared']
    names = []
    for frame, prefix in zip(shared['stackTable']['frame'], shared['stackTable']['prefix']):
        name = shared['stringArray'][shared['funcTable']['name'][shared['frameTable']['func'][frame]]]
        names.append((names[prefix] if prefix is not None else []) + [name])
    return names


def as_text(value):
    return str(value['name'] if isinstance(value, dict) else value)


def check_markers(p, thread, samples):
    markers = thread['markers']
    column_lengths(markers, 'markers')
    if not samples[0].fields:
        same(markers['length'], 0, 'markers of ' + samples[0].event)
        return
    same(markers['length'], len(samples), 'markers')
    same(markers['startTime'], thread['samples']['time'], 'times of markers')
    same(set(markers['phase']), {0}, 'phases')
    in_range(markers['category'], len(p['meta']['categories']), 'category of markers')
    schema = {s['name']: s for s in p['meta']['markerSchema']}[samples[0].event]
    keys = {f['label']: f['key'] for f in schema['fields']}
    for sample, data, name, stack in zip(samples, markers['data'], markers['name'], thread['samples']['stack']):
        same((data['type'], p['shared']['stringArray'][name]), (sample.event, sample.event), 'marker')
        same((data['cpu'], data['cause']['stack']), (sample.cpu, stack), 'cpu, stack')
        for key, value in sample.fields.items():
            if not isinstance(value, list):
                same(data[keys[key]], as_text(value), key)


def check_gecko(samples, file):
    p = json.load(open(file, encoding='utf-8'), parse_float=decimal.Decimal)
    same(p['meta']['preprocessedProfileVersion'], 61, 'version')
    need(not samples or p['meta']['startTime'] > 10**12, 'no time of day')
    check_shared(p)
    names = stack_names(p)
    several = len({s.event for s in samples}) > 1
    start = samples[0].time if samples else 0
    want = collections.defaultdict(list)
    for s in samples:
        want[(s.event, s.pid, s.tid)].append(s)
    tids, mains, total = set(), set(), 0
    for thread in p['threads']:
        column_lengths(thread['samples'], 'samples')
        need(thread['tid'] not in tids, 'two threads %s' % thread['tid'])
        tids.add(thread['tid'])
        if thread['isMainThread']:
            need(thread['pid'] not in mains, 'two main threads of %s' % thread['pid'])
            mains.add(thread['pid'])
        event = thread['name'].rsplit(', ', 1)[1] if several else samples[0].event
        mine = want.pop((event, int(thread['pid']), int(thread['tid'].split('.')[0])))
        same(thread['processName'], mine[-1].comm, 'name')
        same(thread['samples']['weightType'], 'tracing-ms' if is_time(event) else 'samples', 'weightType')
        unit = 10**6 if is_time(event) else 1
        got = [(t * 10**6, w * unit, whole(names[s]))
               for t, w, s in zip(*(thread['samples'][k] for k in ('time', 'weight', 'stack')))]
        same(got, [(s.time - start, s.weight, s.stack) for s in mine], thread['name'])
        check_markers(p, thread, mine)
        total += sum(w for _, w, _ in got)
    same(list(want), [], 'threads that are missing')
    return len(samples), total


def main():
    samples = [Sample(line) for line in map(json.loads, open(sys.argv[2], encoding='utf-8')) if 'event' in line]
    check = {'pprof': check_pprof, 'speedscope': check_speedscope, 'gecko': check_gecko}[sys.argv[1]]
    print('%d samples, weight %d' % check(samples, sys.argv[3]))


if __name__ == '__main__':
    main()
