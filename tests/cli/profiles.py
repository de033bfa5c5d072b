#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""profiles.py FORMAT SAMPLES FILE...; profiles.py about FILE - are the samples of SAMPLES in the files, each of them once?

FORMAT is otlp (a request of OpenTelemetry, profiles v1development of opentelemetry-proto 1.11.0) or pprof (in gzip). SAMPLES
is what `script --json --time=utc` printed of the same recordings. Reads protocol buffers by itself, and is strict: a field that
is not known, an index out of range, an entry of a table that nobody names, is an error. Prints how many samples there were, and
the sum of their weights. tests/cli/receiver.py takes what perf-lite push sends by the same rules.
"""
import collections
import gzip
import json
import struct
import sys

TIMES = ('cpu-clock', 'task-clock')

# The fields of each message: number -> (name, kind); * is repeated; integers that repeat are packed
PROFILES = {
    'ExportProfilesServiceRequest': {1: ('resource_profiles', '*ResourceProfiles'), 2: ('dictionary', 'ProfilesDictionary')},
    'ResourceProfiles': {1: ('resource', 'Resource'), 2: ('scope_profiles', '*ScopeProfiles'), 3: ('schema_url', 'str')},
    'Resource': {1: ('attributes', '*KeyValue')},
    'ScopeProfiles': {1: ('scope', 'Scope'), 2: ('profiles', '*Profile'), 3: ('schema_url', 'str')},
    'Scope': {1: ('name', 'str'), 2: ('version', 'str'), 3: ('attributes', '*KeyValue')},
    'KeyValue': {1: ('key', 'str'), 2: ('value', 'AnyValue')},
    'AnyValue': {1: ('string', 'str'), 2: ('bool', 'int'), 3: ('int', 'int'), 5: ('array', 'ArrayValue')},
    'ArrayValue': {1: ('values', '*AnyValue')},
    'Profile': {1: ('sample_type', 'ValueType'), 2: ('samples', '*Sample'), 3: ('time_unix_nano', 'fixed'),
                4: ('duration_nano', 'int'), 5: ('period_type', 'ValueType'), 6: ('period', 'int'), 7: ('profile_id', 'bytes'),
                11: ('attribute_indices', '*int')},
    'ValueType': {1: ('type_strindex', 'int'), 2: ('unit_strindex', 'int')},
    'Sample': {1: ('stack_index', 'int'), 2: ('attribute_indices', '*int'), 3: ('link_index', 'int'), 4: ('values', '*int'),
               5: ('timestamps_unix_nano', '*fixed')},
    'ProfilesDictionary': {1: ('mapping_table', '*Mapping'), 2: ('location_table', '*Location'),
                           3: ('function_table', '*Function'), 4: ('link_table', '*Link'), 5: ('string_table', '*str'),
                           6: ('attribute_table', '*KeyValueAndUnit'), 7: ('stack_table', '*Stack')},
    'Mapping': {1: ('memory_start', 'uint'), 2: ('memory_limit', 'uint'), 3: ('file_offset', 'int'),
                4: ('filename_strindex', 'int'), 5: ('attribute_indices', '*int')},
    'Location': {1: ('mapping_index', 'int'), 2: ('address', 'uint'), 3: ('lines', '*Line'), 4: ('attribute_indices', '*int')},
    'Line': {1: ('function_index', 'int'), 2: ('line', 'int'), 3: ('column', 'int')},
    'Function': {1: ('name_strindex', 'int'), 2: ('system_name_strindex', 'int'), 3: ('filename_strindex', 'int'),
                 4: ('start_line', 'int')},
    'Link': {1: ('trace_id', 'bytes'), 2: ('span_id', 'bytes')},
    'KeyValueAndUnit': {1: ('key_strindex', 'int'), 2: ('value', 'AnyValue'), 3: ('unit_strindex', 'int')},
    'Stack': {1: ('location_indices', '*int')},
}
PPROF = {
    'Profile': {1: ('sample_type', '*ValueType'), 2: ('sample', '*Sample'), 3: ('mapping', '*Mapping'),
                4: ('location', '*Location'), 5: ('function', '*Function'), 6: ('string_table', '*str'),
                9: ('time_nanos', 'int'), 10: ('duration_nanos', 'int'), 11: ('period_type', 'ValueType'),
                12: ('period', 'int'), 13: ('comment', '*int'), 14: ('default_sample_type', 'int')},
    'ValueType': {1: ('type', 'int'), 2: ('unit', 'int')},
    'Sample': {1: ('location_id', '*int'), 2: ('value', '*int'), 3: ('label', '*Label')},
    'Label': {1: ('key', 'int'), 2: ('str', 'int'), 3: ('num', 'int')},
    'Mapping': {1: ('id', 'int'), 2: ('memory_start', 'uint'), 3: ('memory_limit', 'uint'), 4: ('file_offset', 'int'),
                5: ('filename', 'int'), 6: ('build_id', 'int'), 7: ('has_functions', 'int'), 8: ('has_filenames', 'int'),
                9: ('has_line_numbers', 'int'), 10: ('has_inline_frames', 'int')},
    'Location': {1: ('id', 'int'), 2: ('mapping_id', 'int'), 3: ('address', 'uint'), 4: ('line', '*Line')},
    'Line': {1: ('function_id', 'int'), 2: ('line', 'int')},
    'Function': {1: ('id', 'int'), 2: ('name', 'int'), 3: ('system_name', 'int'), 4: ('filename', 'int')},
}


WIRES = {'int': 0, 'uint': 0, 'fixed': 1}


class Wrong(Exception):
    pass


def need(what, why):
    if not what:
        raise Wrong(why)


def same(got, want, why):
    need(got == want, ('%s: %r, not %r' % (why, got, want))[:600])


# Protocol buffers

def varint(data, at):
    value = shift = 0
    while True:
        need(at < len(data) and shift < 70, 'an integer is cut')
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return (value - (1 << 64) if value >> 63 else value), at


def packed(data, kind):
    if kind == 'fixed':
        need(len(data) % 8 == 0, 'numbers of eight bytes that are cut')
        return list(struct.unpack('<%dQ' % (len(data) // 8), data))
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def field_value(data, kind, schema):
    if kind == 'str':
        return data.decode()
    return bytes(data) if kind == 'bytes' else decode(data, kind, schema)


def decode(data, name, schema):
    """A message as a dict; repeated fields are lists, and there, if empty."""
    message = {field: [] for field, kind in schema[name].values() if kind[0] == '*'}
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        need(key >> 3 in schema[name], '%s has no field %d' % (name, key >> 3))
        field, kind = schema[name][key >> 3]
        repeated, kind = kind[0] == '*', kind.lstrip('*')
        wire = 2 if repeated else WIRES.get(kind, 2)
        # pprof's comments are not packed
        if (name, field) == ('Profile', 'comment'):
            wire = 0
        same(key & 7, wire, 'the wire type of %s.%s' % (name, field))
        if wire == 0:
            value, at = varint(data, at)
            value += (kind == 'uint' and value < 0) << 64
        elif wire == 1:
            value, at = struct.unpack_from('<Q', data, at)[0], at + 8
        else:
            size, at = varint(data, at)
            need(0 <= size <= len(data) - at, '%s.%s is cut' % (name, field))
            value, at = data[at:at + size], at + size
            if not repeated or kind not in WIRES:
                value = field_value(value, kind, schema)
            else:
                need(field not in message or not message[field], '%s.%s comes twice' % (name, field))
                message[field] = packed(value, kind)
                continue
        if repeated:
            message[field].append(value)
        else:
            need(field not in message, '%s.%s comes twice' % (name, field))
            message[field] = value
    return message


# What script --json says

def is_time(event):
    return event.split(':')[0] in TIMES or event.startswith('sched:sched_stat_')


def unnamed(path):
    return '[unknown]' if path == '[kernel.kallsyms]' else path


def name_of(frame):
    return frame.get('symbol') or unnamed(frame.get('dso') or '[unknown]')


Sample = collections.namedtuple('Sample', 'event comm pid tid cpu time weight stack addresses')


def sample_of(line):
    chain = line.get('callchain') or ([line] if 'ip' in line else [])
    addresses = tuple(int(f['ip'], 16) for f in chain if not f.get('inlined'))
    return Sample(line['event'], line['comm'], line.get('pid'), line.get('tid'), line.get('cpu'),
                  line['time'] if 'date' in line else 0, min(line['period'] or 1, 2**63 - 1),
                  tuple(name_of(f) for f in chain) or ('[unknown]',), addresses)


def read_samples(path):
    with open(path, encoding='utf-8') as f:
        return [sample_of(line) for line in map(json.loads, f) if 'event' in line]


# What a profile says

def any_value(value):
    need(len(value) == 1, 'a value of several kinds: %r' % value)
    (kind, what), = value.items()
    return [any_value(v) for v in what['values']] if kind == 'array' else what


def key_values(attributes, why):
    values = {a['key']: any_value(a['value']) for a in attributes}
    same(len(values), len(attributes), 'keys of ' + why)
    return values


class Dictionary:
    """The tables of a request; it knows which entries were looked at."""

    TABLES = ('mapping', 'location', 'function', 'link', 'string', 'attribute', 'stack')

    def __init__(self, tables):
        self.tables = {name: tables[name + '_table'] for name in self.TABLES}
        self.seen = {name: {0} for name in self.TABLES}
        for name, table in self.tables.items():
            need(table, 'the table of %s is empty' % name)
            need(not any(table[0].values()) if name not in ('string', 'link') else True, 'the first %s is not none' % name)
        same(self.tables['string'][0], '', 'the first string')
        same(self.tables['link'], [{'trace_id': bytes(16), 'span_id': bytes(8)}], 'links')
        same(len(set(self.tables['string'])), len(self.tables['string']), 'strings that are there once')

    def get(self, name, index):
        need(0 <= index < len(self.tables[name]), '%s %d of %d' % (name, index, len(self.tables[name])))
        self.seen[name].add(index)
        return self.tables[name][index]

    def attributes(self, indices):
        values = {}
        for index in indices:
            need(index, 'an attribute that is none')
            a = self.get('attribute', index)
            key = self.get('string', a['key_strindex'])
            need(key and key not in values, 'the key %r comes twice' % key)
            values[key] = any_value(a['value'])
        return values

    def type(self, t):
        return self.get('string', t.get('type_strindex', 0)), self.get('string', t['unit_strindex'])

    def frame(self, index):
        """(address, names, what else is known) of a location."""
        need(index, 'a location that is none')
        location = self.get('location', index)
        address = location.get('address', 0)
        mapping = self.get('mapping', location.get('mapping_index', 0))
        file = self.get('string', mapping.get('filename_strindex', 0))
        about = self.attributes(location['attribute_indices'])
        about.update(self.attributes(mapping['attribute_indices']))
        need(not set(about) - {'profile.frame.type', 'process.executable.build_id.gnu'}, 'attributes: %r' % about)
        if file:
            about['file'] = file
            need(mapping['memory_start'] <= address < mapping['memory_limit'], 'outside of its mapping')
        names = []
        for line in location['lines']:
            function = self.get('function', line['function_index'])
            names.append(self.get('string', function['name_strindex']))
            about.setdefault('lines', []).append(
                (self.get('string', function.get('filename_strindex', 0)), line.get('line', 0)))
        return address, names or [unnamed(file or '[unknown]')], about

    def stack(self, index):
        need(index, 'a stack that is none')
        return [self.frame(i) for i in self.get('stack', index)['location_indices']]

    def all_seen(self):
        for name, table in self.tables.items():
            same(set(range(len(table))) - self.seen[name], set(), '%ss that nobody names' % name)


def otlp_sample(d, event, s):
    attributes = d.attributes(s['attribute_indices'])
    need(not set(attributes) - {'thread.name', 'thread.id', 'process.pid', 'cpu.logical_number'}, 'attributes of a sample')
    same(len(s['values']), 1, 'values of a sample')
    need(len(s['timestamps_unix_nano']) <= 1, 'times of a sample')
    frames = d.stack(s.get('stack_index', 0))
    whole = [f for f in frames if f[1] != ['[truncated]']]
    return Sample(event, attributes['thread.name'], attributes.get('process.pid'), attributes.get('thread.id'),
                  attributes.get('cpu.logical_number'), (s['timestamps_unix_nano'] or [0])[0], s['values'][0],
                  tuple(n for f in whole for n in f[1]), tuple(f[0] for f in whole if f[0]))


class Otlp:
    """What is in one request."""

    def __init__(self, data):
        request = decode(data, 'ExportProfilesServiceRequest', PROFILES)
        self.dictionary = d = Dictionary(request['dictionary'])
        same(len(request['resource_profiles']), 1, 'resources')
        resource = request['resource_profiles'][0]
        self.resource = key_values(resource['resource']['attributes'], 'the resource')
        same(len(resource['scope_profiles']), 1, 'scopes')
        scope = resource['scope_profiles'][0]
        same(scope['scope']['name'], 'perf-lite', 'the scope')
        same((resource['schema_url'], scope['schema_url']), ('https://opentelemetry.io/schemas/1.44.0',) * 2, 'schemas')
        self.samples, self.ids, self.lost, self.comments, self.types, self.spans = [], [], set(), [], [], []
        for p in scope['profiles']:
            self.add_profile(d, p)
        d.all_seen()

    def add_profile(self, d, p):
        event, unit = d.type(p['sample_type'])
        same(unit, 'nanoseconds' if is_time(event) else 'count', 'the unit of ' + event)
        if 'period' in p:
            same(d.type(p['period_type']), (event, unit), 'the type of periods')
        self.types.append((event, unit, p.get('period', 0)))
        same(len(p['profile_id']), 16, 'the id')
        need(any(p['profile_id']) and p['profile_id'] not in self.ids, 'an id of its own')
        self.ids.append(p['profile_id'])
        about = d.attributes(p['attribute_indices'])
        self.lost.add(about.pop('perf_lite.samples.lost'))
        self.comments = about.pop('pprof.profile.comment', [])
        same(about, {}, 'attributes of a profile')
        begin = p.get('time_unix_nano', 0)
        self.spans.append((begin, p.get('duration_nano', 0)))
        for s in p['samples']:
            sample = otlp_sample(d, event, s)
            need(not begin or not sample.time or begin <= sample.time < begin + p['duration_nano'], 'a time outside of the profile')
            self.samples.append(sample)


def called(addresses):
    """Of return addresses, the calls: a byte before, but for the first, which is there as it is."""
    return set(addresses) | {a - 1 for a in addresses}


def compare_otlp(got, want):
    """Samples of several files, sorted by all but their addresses, which may be of the calls."""
    key = lambda s: (s.event, s.time, s.cpu or 0, s.tid or 0, s.stack, s.weight)
    got, want = sorted(got, key=key), sorted(want, key=key)
    for a, b in zip(got, want):
        same(a._replace(addresses=()), b._replace(addresses=()), 'a sample')
        need(set(a.addresses) <= called(b.addresses), 'addresses: %r of %r' % (a, b))
    same(len(got), len(want), 'samples')


def sums(samples):
    counts = collections.Counter()
    for s in samples:
        key = s.event, s.comm, s.pid, s.tid, s.stack
        counts[key + ('samples',)] += 1
        counts[key + ('weight',)] += s.weight
    return counts


def pprof_sums(data):
    """As sums(), of a profile in gzip."""
    p = decode(gzip.decompress(data), 'Profile', PPROF)
    strings = p['string_table']
    mappings, locations, functions = ({m['id']: m for m in p[k]} for k in ('mapping', 'location', 'function'))
    events = [strings[t['type']] for t in p['sample_type'][1::2]]
    counts = collections.Counter()
    for s in p['sample']:
        labels = {strings[l['key']]: strings[l['str']] if 'str' in l else l.get('num') for l in s['label']}
        stack = []
        for location in (locations[i] for i in s['location_id']):
            file = strings[mappings[location['mapping_id']]['filename']] if 'mapping_id' in location else '[unknown]'
            stack += [strings[functions[l['function_id']]['name']] for l in location['line']] or [unnamed(file)]
        key = labels['comm'] or '', labels['pid'] or 0, labels['tid'] or 0, tuple(n for n in stack if n != '[truncated]')
        for event, samples, weight in zip(events, s['value'][::2], s['value'][1::2]):
            counts[(event,) + key + ('samples',)] += samples
            counts[(event,) + key + ('weight',)] += weight
    return +counts


def check(form, want, bodies):
    """Are the samples of these files in these bodies?"""
    if form == 'otlp':
        got = [s for body in bodies for s in Otlp(body).samples]
        compare_otlp(got, want)
        counts = sums(got)
    else:
        counts = sum((pprof_sums(body) for body in bodies), collections.Counter())
        expected = sums(want)
        same(dict(counts - expected), {}, 'more than there were')
        same(dict(expected - counts), {}, 'missing')
    return tuple(sum(v for k, v in counts.items() if k[-1] == what) for what in ('samples', 'weight'))


def about(body):
    """What a request says beside its samples, a line each."""
    o = Otlp(body)
    for key, value in o.resource.items():
        print(key, value)
    for event, unit, period in o.types:
        print('type %s %s %d' % (event, unit, period))
    for span in o.spans:
        print('span %d %d' % span)
    print('ids', ' '.join(i.hex() for i in o.ids))
    print('lost', ' '.join(map(str, sorted(o.lost))))
    for line in o.comments:
        print('comment', line)
    d = o.dictionary
    frames = [d.frame(i) for i in range(1, len(d.tables['location']))]
    for line in sorted({'frame %s %s' % (f[2].get('file', '-'), f[2].get('profile.frame.type', '-')) for f in frames} |
                       {'build-id %s %s' % (f[2]['process.executable.build_id.gnu'], f[2]['file'])
                        for f in frames if 'process.executable.build_id.gnu' in f[2]} |
                       {'line %s %s:%d' % (n, *l) for f in frames for n, l in zip(f[1], f[2].get('lines', [])) if l[0]}):
        print(line)


def main():
    bodies = []
    for path in sys.argv[3:]:
        with open(path, 'rb') as f:
            bodies.append(f.read())
    if sys.argv[1] == 'about':
        with open(sys.argv[2], 'rb') as f:
            about(f.read())
        return
    try:
        print('%d samples, weight %d' % check(sys.argv[1], read_samples(sys.argv[2]), bodies))
    except (Wrong, KeyError, UnicodeDecodeError) as e:
        sys.exit('profiles.py: %s: %s' % (type(e).__name__, e))


if __name__ == '__main__':
    main()
