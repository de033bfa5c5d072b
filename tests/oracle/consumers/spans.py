#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""spans.py FORMAT TABLE FILE - does FILE, which latency --FORMAT has written, hold the spans of TABLE, what --json printed of them?

FORMAT is chrome, gecko or pprof; of pprof FILE is what protoc --decode made of it. By the rules of the formats: slices of a thread nest,
pairs are pairs, columns are as long as others. All are added up by the keys of the table: the same rows have the same numbers and sums.
Prints how many spans there are, how many of them are slices of threads, and how long they were.
"""
import collections
import decimal
import json
import sys

from exports import by_id, check_shared, column_lengths, in_range, location_names, name_of, need, parse_text, same, stack_names


def frame_names(frames):
    return tuple('[truncated]' if 'truncated' in f else name_of(f) for f in reversed(frames or []))


def add_up(spans):
    sums = collections.defaultdict(lambda: (0, 0))
    for row, nr, ns in spans:
        sums[row] = (sums[row][0] + nr, sums[row][1] + ns)
    return dict(sums)


class Table:
    def __init__(self, path):
        table = json.loads(open(path, encoding='utf-8').readline())
        self.spans, self.ns = table['spans'], table['sum_ns']
        numbers = ('spans', 'sum_ns', 'min_ns', 'max_ns')
        self.keys = [k for k in (table['rows'] or [{}])[0]
                     if k not in numbers and not k.endswith('_ns') and k != 'histogram']
        self.nr_rows = len(table['rows'])
        # stacks of other addresses may have the same names
        self.rows = add_up((self.row(r), r['spans'], r['sum_ns']) for r in table['rows'])

    def row(self, values):
        """Numbers as text, as they are in a marker."""
        return tuple(frame_names(v) if isinstance(v, list) else
                     str(v['name'] if isinstance(v, dict) else v)
                     for v in (values.get(k) for k in self.keys))

    def check(self, spans):
        """spans: (values, how many, ns)"""
        got = add_up(spans)
        for row in set(got) | set(self.rows):
            same(got.get(row), self.rows.get(row), 'the row %r' % (row,))
        same(sum(nr for nr, _ in got.values()), self.spans, 'spans')
        same(sum(ns for _, ns in got.values()), self.ns, 'the sum')


def check_nesting(slices):
    open_until = []
    for ts, dur in sorted(slices, key=lambda s: (s[0], -s[1])):
        while open_until and open_until[-1] <= ts:
            open_until.pop()
        need(not open_until or ts + dur <= open_until[-1], 'a slice ends behind the one it is in: at %s' % ts)
        open_until.append(ts + dur)


def check_chrome(table, file):
    events = json.load(open(file, encoding='utf-8'), parse_float=decimal.Decimal)['traceEvents']
    threads, begun, ended, named, spans = collections.defaultdict(list), {}, {}, {}, []
    for e in events:
        need({'ph', 'pid', 'tid', 'ts', 'name'} <= set(e), 'an event: %r' % e)
        if e['ph'] == 'M':
            named[(e['name'], e['pid'], e['tid'])] = e['args']['name']
        elif e['ph'] == 'X':
            same(e['dur'] * 1000, e['args']['ns'], 'dur')
            threads[(e['pid'], e['tid'])].append((e['ts'], e['dur']))
        else:
            at = begun if e['ph'] == 'b' else ended
            need(e['ph'] in 'be' and (e['cat'], e['id']) not in at, 'a pair: %r' % e)
            at[(e['cat'], e['id'])] = e
        if e['ph'] in 'Xb':
            args = dict(e['args'])
            args['cpu'] = args.pop('cpu_', None)
            for key in set(table.keys) & {'stack', 'kstack', 'ustack'}:
                args[key] = [{'symbol': f} for f in reversed(args[key].split(';'))] if args[key] else []
            spans.append((table.row(args), 1, e['args']['ns']))
            need(e['pid'] > 1 << 30 or ('thread_name', e['pid'], e['tid']) in named or not named, 'no name')
    same(set(begun), set(ended), 'pairs')
    for pair, b in begun.items():
        e = ended[pair]
        same((e['pid'], e['tid'], e['name'], (e['ts'] - b['ts']) * 1000),
             (b['pid'], b['tid'], b['name'], b['args']['ns']), 'the end of a pair')
    for thread, slices in threads.items():
        need(('thread_name',) + thread in named, 'a thread without a name')
        check_nesting(slices)
    return spans, sum(map(len, threads.values()))


def check_gecko(table, file):
    p = json.load(open(file, encoding='utf-8'), parse_float=decimal.Decimal)
    same(p['meta']['preprocessedProfileVersion'], 61, 'version')
    check_shared(p)
    names, strings, spans = stack_names(p), p['shared']['stringArray'], []
    schema = {s['name']: {f['label']: f['key'] for f in s['fields']} for s in p['meta']['markerSchema']}
    same(len({t['tid'] for t in p['threads']}), len(p['threads']), 'threads')
    for thread in p['threads']:
        markers = thread['markers']
        column_lengths(thread['samples'], 'samples')
        column_lengths(markers, 'markers')
        same(set(markers['phase']), {1}, 'phases')
        in_range(markers['category'], len(p['meta']['categories']), 'category of markers')
        in_range(markers['name'], len(strings), 'name')
        for data, begin, end in zip(markers['data'], markers['startTime'], markers['endTime']):
            need(0 <= begin <= end, 'it ends before it begins')
            values = {label: data.get(key) for label, key in schema[data['type']].items()}
            for key in set(table.keys) & {'stack', 'kstack', 'ustack'}:
                stack = names[data['cause']['stack']] if 'cause' in data else []
                values[key] = [{'symbol': f} for f in reversed(stack)]
            spans.append((table.row(values), 1, int((end - begin) * 10**6)))
    return spans, len(spans)


def check_pprof(table, file):
    p = parse_text(iter(open(file, encoding='ascii')))
    strings = p.all('string_table')
    mappings, locations, functions = (by_id(p.all(k), k) for k in ('mapping', 'location', 'function'))
    names, spans = location_names(strings, mappings, locations, functions), []
    same([(strings[t.one('type')], strings[t.one('unit')]) for t in p.all('sample_type')],
         [('spans', 'count'), ('time', 'nanoseconds')], 'types')
    same(strings[p.one('default_sample_type')], 'time', 'the default')
    for s in p.all('sample'):
        values = {strings[l.one('key')]: strings[l.one('str')] if 'str' in l else l.one('num') for l in s.all('label')}
        stack = [name for l in s.all('location_id') for name in names[l]]
        stacks = set(table.keys) & {'stack', 'kstack', 'ustack'}
        need(stacks or stack == ['[unknown]'], 'a stack')
        for key in stacks:
            values[key] = [] if stack == ['[unknown]'] else [{'symbol': f} for f in stack]
        spans.append((table.row(values), *s.all('value')))
    same(len(spans), table.nr_rows, 'rows')
    return spans, 0


def main():
    table = Table(sys.argv[2])
    spans, slices = {'chrome': check_chrome, 'gecko': check_gecko, 'pprof': check_pprof}[sys.argv[1]](table, sys.argv[3])
    table.check(spans)
    print('%d spans, %d slices, %d ns' % (table.spans, slices, table.ns))


main()
