# SPDX-License-Identifier: GPL-2.0
"""
Recordings of perf-lite and perf, and the running system.

    import perflite

    with perflite.open("perf-lite.data", comm="nginx") as rec:
        for s in rec:
            print(s.time, s.comm, s["reason"], [f.symbol for f in s.stack])

    with perflite.watch(["sleep", "1"], event="sched:sched_switch") as rec:
        print(rec.count(by="comm"))

This is libperflite (perflite.h) by ctypes. docs/python.md has more examples.

A sample's numbers and its comm are copies. Its fields, its stack and its raw data are read when they are asked for, which must
be before the next sample; later it is an Error. samples(keep=True) reads them of each sample at once, but not what keys say (s["sym"]).

A loss is never silent: where rec.losses has more when the recording is closed, or nothing uses it any more, than when the program
has last asked, and rec.items() did not give it, there is a LossWarning.
"""

import _thread
import contextlib
import ctypes
import errno
import itertools
import operator
import os
import struct
import threading
import warnings
import weakref
from collections import namedtuple
from collections.abc import Iterable, Sequence
from numbers import Integral, Number

__all__ = [
    "open", "watch", "version", "Recording", "Sample", "Frame", "Loss", "Process", "Other", "Wait", "Table", "Column", "Error",
    "FieldError", "LossWarning",
]

# The library


def _find_library():
    """Paths and names for dlopen(), the first that exists or is found wins."""
    name = "libperflite.so.0"
    asked = os.environ.get("PERFLITE_LIBRARY")
    if asked:
        return [asked]
    # <prefix>/lib/python3/dist-packages/perflite/__init__.py -> <prefix>/lib
    above = os.path.dirname(os.path.abspath(__file__))
    beside = []
    for _ in range(4):
        above = os.path.dirname(above)
        beside.append(os.path.join(above, name))
    return [path for path in beside if os.path.exists(path)] + [name]


def _load_library():
    reasons = []
    for path in _find_library():
        try:
            return ctypes.CDLL(path)
        except OSError as e:
            reasons.append(str(e))
    raise ImportError(
        "perflite needs the shared library of perf-lite, libperflite.so.0: install perf-lite ('make install' as root, then ldconfig), "
        f"or set PERFLITE_LIBRARY to its path ({'; '.join(reasons)})"
    )


class _Error(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_int),
        ("offset", ctypes.c_uint64),
        ("text", ctypes.c_char * 1024),
        ("hint", ctypes.c_char * 512),
    ]


class _Column(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_uint32),
        ("nr_texts", ctypes.c_uint32),
        ("values", ctypes.c_void_p),
        ("valid", ctypes.c_void_p),
        ("texts", ctypes.POINTER(ctypes.c_char_p)),
    ]


class _Account(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in (
        "begins ends spans restarts ends_without_begin given_up open open_across_loss oldest_open_ns across_loss reordered no_room "
        "passed skipped repeated out_of_order below_min left_out").split()]


class _DropsAccount(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("drops", "hidden", "lost")]


# struct perflite_item and perflite_frame, as the compiler lays them out
_ITEM = struct.Struct("@IIQQIiiiPPQQQQPNII")
_ITEM_COMM = struct.calcsize("@IIQQIiii0P")
_ITEM_TEXT = _ITEM_COMM + struct.calcsize("P")
_FRAME = struct.Struct("@QQQPPPIIPII0Q")

_SAMPLE, _LOSS, _GAP, _PROCESS, _OTHER, _WAIT = range(1, 7)
_NONE = 0xFFFFFFFF
_KERNEL, _INLINED = 1, 2
_UNSIGNED32, _SIGNED32, _UNSIGNED64, _SIGNED64, _TEXT = range(1, 6)

_P, _S, _U32, _U64, _INT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int
_WORDS = ctypes.POINTER(ctypes.c_char_p)
_FUNCTIONS = {
    "version": (_S,),
    "open": (_P, _S, _WORDS, _P),
    "watch": (_P, _WORDS, _WORDS, _P),
    "stop": (None, _P),
    "close": (None, _P),
    "next": (_P, _P, _P),
    "notes": (_S, _P),
    "events": (_U32, _P),
    "event_name": (_S, _P, _U32),
    "event_field": (_S, _P, _U32, _U32),
    "fact": (_S, _P, _S),
    "field": (_INT, _P, _S, _P),
    "field_type": (_INT, _P, _INT),
    "number": (_INT, _P, _INT, _P),
    "is_signed": (_INT, _P, _INT),
    "text": (_P, _P, _INT),
    "frames": (ctypes.c_long, _P, _P, _P),
    "samples": (_P, _P, _S, _S, _U64, _P),
    "count": (_P, _P, _S, _S, _P),
    "latency": (_P, _P, _S, _WORDS, _P),
    "drops": (_P, _P, _WORDS, _P),
    "lost": (_U64, _P),
    "table_rows": (_U64, _P),
    "table_column": (ctypes.POINTER(_Column), _P, _U32),
    "table_account": (ctypes.POINTER(_Account), _P),
    "table_drops": (ctypes.POINTER(_DropsAccount), _P),
    "table_arrow": (_INT, _P, _P, _P, _P),
    "table_free": (None, _P),
}


class _Library:
    def __init__(self):
        library = _load_library()
        for name, (result, *arguments) in _FUNCTIONS.items():
            try:
                function = getattr(library, "perflite_" + name)
            except AttributeError:
                raise ImportError(f"{library._name} is of another version of perf-lite: it has no perflite_{name}()") from None
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)


_lib = _Library()


def _decode(text):
    return None if text is None else text.decode("utf-8", "replace")


def _encode(text):
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise ValueError(f"{text!r}: a NUL would end it")
    return encoded


def _encode_or_none(text):
    return None if text is None else _encode(text)


#: "0.9", and which commit of it: "0.9-g1234567".
version = _decode(_lib.version())


class Error(OSError):
    """What failed, with a hint what to do, and the byte of the input that had been read to (None: not known)."""

    def __init__(self, code, text, hint="", offset=None):
        super().__init__(code, text)
        self.hint = hint
        self.offset = offset

    def __str__(self):
        return f"{self.strerror} ({self.hint})" if self.hint else str(self.strerror)


class FieldError(Error, KeyError):
    """No event has such a field, and there is no such key."""


class LossWarning(UserWarning):
    """Samples are missing, and the program has not asked."""


def _error(e, kind=Error):
    return kind(e.code, _decode(e.text), _decode(e.hint), e.offset or None)


# Options


def _is_list(value):
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike))


def _joined(value):
    """A text, a number, or any iterable of such, also those of other packages."""
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsdecode(value)
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Number):
        return str(value)
    if _is_list(value):
        return ",".join(_joined(v) for v in value)
    raise TypeError(f"{value!r} is no text, number or list of such")


def _filter(value):
    """Of a list, all must hold."""
    return " && ".join(f"({_joined(v)})" for v in value) if _is_list(value) else _joined(value)


def _is_flag(value):
    """True and False, also numpy's."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_") and type(value).__module__ == "numpy"


# A filter and a cgroup are of the events before them.
_ORDER = {"event": -1, "filter": 1, "cgroup": 2}


def _option_words(options):
    named = [(name.rstrip("_").replace("_", "-"), value) for name, value in options.items()]
    for name, value in sorted(named, key=lambda option: _ORDER.get(option[0], 0)):
        if isinstance(value, dict):
            if name != "event":
                raise TypeError(f"{name} takes no dict: only event does, {{event: filter}}")
            # event={"skb:kfree_skb": "reason == 2"}: each with its filter
            for event, condition in value.items():
                yield f"{name}={event}"
                if condition is not None:
                    yield f"filter={_filter(condition)}"
        elif _is_flag(value):
            if value:
                yield name
        elif value is not None:
            yield f"{name}={_filter(value) if name == 'filter' else _joined(value)}"


def _words(words):
    if words is None:
        return None
    words = [*map(_encode, words), None]
    return (ctypes.c_char_p * len(words))(*words)


def open(path, /, **options):
    """
    Open a recording: of perf-lite, or a perf.data; "-" is standard input.

    Options are those of perf-lite script, "_" for "-": comm="nginx", filter="reason == NO_SOCKET" (a list: all must hold),
    time="1,2", cpu=[0, 1] (any iterable), inline=True, no_stacks=True ...; drops=True: dropped packets get the flows that other tracepoints know.
    See perflite_open() in perflite.h.
    """
    error, name, words = _Error(), _encode(path), _words(list(_option_words(options)))
    while not (p := _lib.open(name, words, ctypes.byref(error))):
        # a signal came before any input, and its handler is content
        if error.code != errno.EINTR:
            raise _error(error)
    return Recording(p, waits=name == b"-")


def watch(command=None, /, **options):
    """
    Open events of the running system, with a command (a list of words) if there is one. It begins when samples are asked for.

    Options are those of perf-lite trace, "_" for "-": event="sched:sched_switch" or a list or {event: filter}, pid=1,
    all_cpus=True, call_graph="fp", duration="10s" ...; latency="run-queue" instead of events, for latency(); drops="reason,flow"
    likewise, for drops(). See perflite_watch() in perflite.h.
    """
    if isinstance(command, (str, bytes)):
        raise TypeError("the command is a list of words, such as ['sleep', '1']")
    error = _Error()
    p = _lib.watch(_words(command), _words(list(_option_words(options))), ctypes.byref(error))
    if not p:
        raise _error(error)
    return Recording(p, waits=True)


# What a recording gives

Frame = namedtuple("Frame", "symbol file address offset source line kernel inlined build_id file_address")
Frame.__doc__ = "A function of a call chain. None: not known. file_address is the address in the file, build_id is bytes."

Loss = namedtuple("Loss", "count text time until cpu event")
Loss.__doc__ = "Samples that are missing: how many (None: nobody knows), why, from when to when. None: not known."

Process = namedtuple("Process", "what pid tid comm time cpu parent")
Process.__doc__ = 'A task, and what it did: "fork", "exec", "comm" (it has a new name), "exit".'

Other = namedtuple("Other", "type time cpu pid tid comm data")
Other.__doc__ = "A record that this version does not know, as bytes."

Wait = namedtuple("Wait", "")
Wait.__doc__ = "Live or a pipe: no sample is ready, and the next step may wait."


class Sample:
    """
    A sample. None: not recorded. s["reason"] is a field of its event, or a key of perf-lite count (s["sym"]): a number, or
    text where values have names.
    """

    __slots__ = ("time", "comm", "pid", "tid", "cpu", "event", "period", "address", "data_address", "_recording", "_number", "_stack_id",
                 "_data", "_event", "_values")

    def __init__(self, time, comm, pid, tid, cpu, event, period, address, data_address, recording, number, stack_id, data,
                 event_number):
        self.time = time
        self.comm = comm
        self.pid = pid
        self.tid = tid
        self.cpu = cpu
        self.event = event
        self.period = period
        self.address = address
        self.data_address = data_address
        self._recording = recording
        self._number = number
        self._stack_id = stack_id
        self._data = data
        self._event = event_number
        self._values = None

    def _read(self, key, read, *arguments):
        """What `read` returns, which is remembered: it can be read of the last sample alone."""
        values = self._values
        if values is None:
            values = self._values = {}
        elif key in values:
            return values[key]
        recording = self._recording
        # _inside() takes longer
        with recording._lock:
            if recording._busy:
                raise _in_use()
            recording._busy = True
            try:
                if recording._number != self._number:
                    raise Error(
                        22, "the recording is past this sample, so what was not read of it is gone",
                        "read it in the loop, before the next sample; samples(keep=True) keeps fields, stack and raw")
                value = values[key] = read(*arguments)
            finally:
                recording._busy = not recording._result
                if recording._close_later is not None:
                    recording._left()
        return value

    def __getitem__(self, name):
        return self._read(name, self._recording._value, name)

    def get(self, name, default=None):
        """s[name], or `default` where it is missing, or no event has it."""
        try:
            value = self[name]
        except FieldError:
            return default
        return default if value is None else value

    def number(self, name):
        """The field as a number, also where its values have names. None: it has none."""
        return self._read(("number", name), self._recording._value_number, name)

    def text(self, name):
        """The field as the commands print it. None: it has none."""
        return self._read(("text", name), self._recording._value_text, name)

    @property
    def fields(self):
        """All fields of the event: a dict."""
        names = self._recording._field_names(self._event)
        # of this event, not the key or another event's field of that name
        return {name: self[f"{self.event}.{name}"] for name in names}

    @property
    def stack(self):
        """The call chain, innermost function first: a list of Frame; without one, where the sample was taken."""
        known = self._recording._stacks.get(self._stack_id) if self._stack_id else None
        return list(self._read("stack", self._recording._stack, self._stack_id) if known is None else known)

    @property
    def raw(self):
        """The bytes that the tracepoint's format describes."""
        return self._read("raw", ctypes.string_at, *self._data) if self._data[1] else b""

    def keep(self):
        """Read the stack, raw, and each field as value, number and text now, so that they stay. Returns the sample."""
        self._read("stack", self._recording._stack, self._stack_id)
        for name in self._recording._field_names(self._event):
            self._keep_field(name)
        self.raw
        return self

    def _keep_field(self, name):
        full = f"{self.event}.{name}"
        value = self[full]
        # one of them is the value, and a value that is missing has neither
        number = self.number(full) if isinstance(value, str) else value
        text = self.text(full) if isinstance(value, int) else value
        # what s[name] means: a key, or the field of all events that have it
        self.get(name)
        values = self._values
        values["number", full], values["text", full] = number, text
        if name in _KEYS:
            self.number(name)
            self.text(name)
        else:
            values["number", name], values["text", name] = number, text

    def __repr__(self):
        return f"<perflite.Sample {self.event} time={self.time} comm={self.comm!r} tid={self.tid} cpu={self.cpu}>"


class _Facts:
    """What is known of the machine and the recording, by name: rec.facts["hostname"], "boot_id", "release", "arch", "cmdline", "clockid" ..."""

    def __init__(self, recording):
        self._recording = recording

    def get(self, name, default=None):
        with self._recording._inside() as p:
            value = _lib.fact(p, _encode(name))
        return default if value is None else _decode(value)

    def __getitem__(self, name):
        value = self.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __contains__(self, name):
        return self.get(name) is not None


_recordings = weakref.WeakSet()


def _forget_all():
    for recording in list(_recordings):
        recording._forget()


os.register_at_fork(after_in_child=_forget_all)


def _in_use():
    return Error(16, "the recording is in the middle of a call, which was interrupted",
                 "signal handlers may call stop() and close(), and ask for lost and losses")


class Recording:
    """
    One reading: a loop over it, items(), table(), count(), latency() and drops() go on where the one before has stopped. Threads may share it; what
    one reads, the other does not see.
    """

    # What is remembered of a reading that may never end
    _MOST_STACKS = 1 << 16
    _MOST_FRAMES = 1 << 16
    _MOST_LOSSES = 1 << 12
    _gone = "the recording is closed"

    def __init__(self, p, waits):
        self._p = p
        self._waits = waits  # for what happens, and stop() ends it
        self._lock = threading.RLock()
        self._closing = threading.RLock()
        # A signal handler runs in the thread that it interrupts, which may have the lock: this keeps it out of the library.
        self._busy = False
        self._result = [None]  # of _call(), empty: it is not over
        self._close_later = None  # close() came while it was busy; whether to warn
        self._error = _Error()
        self._error_ref = ctypes.byref(self._error)
        self._number = 0  # of the last item
        self._names = []  # of events
        self._fields_of = []  # events, by number
        self._handles = {}
        self._types = {}
        self._texts = {}
        self._frames = {}
        self._stacks = {}
        self._losses = []
        self._last_losses = {}  # of each kind: its place there
        self._unseen = False  # a loss was passed over since the last question
        self._seen = 0  # what was lost then
        self._one = ctypes.c_uint64()
        self._one_signed = ctypes.c_int64.from_buffer(self._one)
        self._one_ref = ctypes.byref(self._one)
        _recordings.add(self)

    # Life

    def _pointer(self):
        if self._p is None:
            raise ValueError(self._gone)
        return self._p

    def _forget(self):
        """In a child of fork(): it is the parent's, and so are the threads that may have had the locks."""
        if self._p is not None:
            self._p, self._gone = None, "the recording was opened by the process that forked this one: read it there, or open it here"
        self._lock, self._closing = threading.RLock(), threading.RLock()
        self._number += 1

    @contextlib.contextmanager
    def _inside(self):
        """The library's handle, which is not closed meanwhile."""
        with self._lock:
            if self._busy:
                raise _in_use()
            self._busy = True
            try:
                yield self._pointer()
            finally:
                self._busy = not self._result
                self._left()

    def _left(self):
        """Nobody is inside, or only a call whose caller was interrupted: its thread comes here when it is over."""
        if self._busy:
            self.stop()
        elif self._close_later is not None:
            self._close(self._close_later)

    def stop(self):
        """
        End what watch() began: what is left is given, and the loop ends; so does reading open("-"), a pipe. For signal handlers and other
        threads.
        """
        with self._closing:
            if self._p is not None:
                _lib.stop(self._p)

    def close(self):
        """Free it, and end the command of watch(); tables stay. Warns of losses that became known since the program has last asked."""
        self._close()

    def _close(self, warn=True):
        if self._p is None:
            return
        if self._waits:
            self.stop()
        with self._lock:
            if self._busy:
                self._close_later = warn
                return
            with self._closing:
                p, self._p = self._p, None
            if p is None:
                return
            self._number += 1
            lost = _lib.lost(p)
            _lib.close(p)
        given = sum(loss.count or 0 for loss in self._losses)
        if warn and (self._unseen or lost > max(given, self._seen)):
            warnings.warn(self._missing(lost), LossWarning, stacklevel=3)

    @staticmethod
    def _were_lost(count):
        return f"{count} sample was lost" if count == 1 else f"{count} samples were lost"

    def _missing(self, lost):
        """A sentence for each cause."""
        counts = {}
        for loss in self._losses:
            counts[loss.text] = counts.get(loss.text, 0) + (loss.count or 0)
        parts = [f"{self._were_lost(count)}: {text}" if count else text for text, count in counts.items()]
        rest = lost - sum(counts.values())
        if rest > 0:
            parts.append(self._were_lost(rest))
        return "; ".join(parts)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self._close(kind is None)

    def __del__(self):
        if getattr(self, "_p", None) is not None:
            self._close()

    # Items

    def __iter__(self):
        return self.samples()

    def samples(self, keep=False):
        """The samples that are left, alone. keep: keep() each, so that list() of them can be used."""
        samples = self._items(True)
        return (s.keep() for s in samples) if keep else samples

    def items(self):
        """All that is left: Sample, Loss, Process, Other and Wait."""
        return self._items(False)

    def _items(self, samples_only):
        error, unpack, next_item = self._error_ref, _ITEM.unpack_from, _lib.next
        names, comms, at = self._names, {}, None
        while True:
            with self._lock:
                if self._busy:
                    raise _in_use()
                self._busy = True
                try:
                    address = next_item(self._p or self._pointer(), error)
                    number = self._number = self._number + 1
                    if not address:
                        if self._error.code:
                            raise _error(self._error)
                        return
                    if address != at:
                        at = address
                        view = (ctypes.c_char * _ITEM.size).from_address(address)
                        comm_view = ctypes.c_char_p.from_address(address + _ITEM_COMM)
                        text_view = ctypes.c_char_p.from_address(address + _ITEM_TEXT)
                    (kind, event, time, until, cpu, pid, tid, parent, _, _, count, period, ip, addr, data, size, type_, stack) = unpack(view)
                    comm = comm_view.value
                    try:
                        comm = comms[comm]
                    except KeyError:
                        comm = comms[comm] = _decode(comm)
                    if kind == _SAMPLE:
                        try:
                            name = names[event]
                        except IndexError:
                            name = self._event_name(event)
                        item = Sample(time or None, comm, None if pid == -1 else pid, None if tid == -1 else tid, None if cpu == _NONE else cpu,
                                      name, period, ip or None, addr or None, self, number, stack, (data, size), event)
                    else:
                        item = self._item(kind, event, time, until, cpu, pid, tid, parent, count, type_, comm, text_view.value, data, size)
                        self._unseen |= samples_only and isinstance(item, Loss)
                finally:
                    self._busy = not self._result
                    if self._close_later is not None:
                        self._left()
            if kind == _SAMPLE or (item is not None and not samples_only):
                yield item

    def _item(self, kind, event, time, until, cpu, pid, tid, parent, count, type_, comm, text, data, size):
        """One that is no sample. None: of a kind that is not known."""
        time, cpu = time or None, None if cpu == _NONE else cpu
        pid, tid = None if pid == -1 else pid, None if tid == -1 else tid
        if kind in (_LOSS, _GAP):
            event = None if event == _NONE else self._event_name(event)
            loss = Loss(count if kind == _LOSS else None, _decode(text), time, until or None, cpu, event)
            self._keep_loss(loss)
            return loss
        if kind == _PROCESS:
            return Process(_decode(text), pid, tid, comm, time, cpu, None if parent == -1 else parent)
        if kind == _OTHER:
            return Other(type_, time, cpu, pid, tid, comm, ctypes.string_at(data, size) if size else b"")
        return Wait() if kind == _WAIT else None

    def _keep_loss(self, loss):
        """One more. Where there are many, the last one like it grows."""
        kind = loss.text, loss.cpu, loss.event, loss.count is None
        at = self._last_losses.get(kind)
        if at is None or len(self._losses) < self._MOST_LOSSES:
            self._last_losses[kind] = len(self._losses)
            self._losses.append(loss)
            return
        last = self._losses[at]
        count = None if loss.count is None else last.count + loss.count
        self._losses[at] = last._replace(count=count, until=loss.until or loss.time or last.until)

    # What it has

    def _event_name(self, event):
        for number in range(len(self._names), _lib.events(self._pointer())):
            self._names.append(_decode(_lib.event_name(self._p, number)))
        return self._names[event] if event < len(self._names) else None

    def _events(self):
        """By number: the name, and the names of its fields."""
        events = []
        with self._inside() as p:
            for event in range(_lib.events(p)):
                fields = []
                while (field := _lib.event_field(p, event, len(fields))) is not None:
                    fields.append(_decode(field))
                events.append((_decode(_lib.event_name(p, event)), fields))
        return events

    @property
    def events(self):
        """Its events: name -> list of the names of its fields; of several events with one name, the fields that any of them has."""
        events = {}
        for name, fields in self._events():
            known = events.setdefault(name, [])
            known += [field for field in fields if field not in known]
        return events

    def _field_names(self, event):
        if event >= len(self._fields_of):
            self._fields_of = self._events()
        return self._fields_of[event][1] if event < len(self._fields_of) else []

    @property
    def facts(self):
        """What is known of the machine and the recording, by name: "hostname", "boot_id", "release", "arch", "cmdline", "clockid" ..."""
        return _Facts(self)

    def _ask(self):
        """Whoever asks is not warned of what is known by then."""
        with self._lock:
            self._unseen = False
            if self._p is not None and not self._busy:
                with self._inside() as p:
                    self._seen = _lib.lost(p)
        return self._seen

    @property
    def losses(self):
        """What is known to be missing so far: a list of Loss. Of thousands, those of one cause, CPU and event are one."""
        with self._lock:
            self._ask()
            return list(self._losses)

    @property
    def lost(self):
        """How many samples are known to be lost so far, whichever were chosen."""
        with self._lock:
            self._pointer()
            return self._ask()

    @property
    def notes(self):
        """Lines for people on what is missing so far: losses by cause, damage, files without symbols."""
        with self._inside() as p:
            notes = _decode(_lib.notes(p)).splitlines()
        self._ask()
        return notes

    # Values of the last sample; callers have the lock

    def _handle(self, name):
        handle = self._handles.get(name)
        if handle is None:
            handle = _lib.field(self._p, _encode(name), self._error_ref)
            if handle < 0:
                raise _error(self._error, FieldError if handle == -22 else Error)
            self._handles[name] = handle
            self._types[handle] = _lib.field_type(self._p, handle)
        return handle

    def _value(self, name):
        handle = self._handles.get(name)
        if handle is None:
            handle = self._handle(name)
        return self._value_text(name) if self._types[handle] == _TEXT else self._value_number(name)

    def _value_number(self, name):
        handle = self._handle(name)
        if not _lib.number(self._p, handle, self._one_ref):
            return None
        # below 2^63 it is the same number
        signed = self._one_signed.value < 0 and _lib.is_signed(self._p, handle)
        return self._one_signed.value if signed else self._one.value

    def _value_text(self, name):
        handle = self._handle(name)
        text = _lib.text(self._p, handle)
        if not text:
            return None
        if self._types[handle] != _TEXT:
            # the next number's text will be in the same place
            return _decode(ctypes.string_at(text))
        # it stays where it is until the close
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = _decode(ctypes.string_at(text))
        return known

    def _stack(self, stack_id):
        known = self._stacks.get(stack_id) if stack_id else None
        if known is not None:
            return known
        first = _P()
        nr = _lib.frames(self._p, ctypes.byref(first), self._error_ref)
        if nr < 0:
            raise _error(self._error)
        if len(self._stacks) >= self._MOST_STACKS or len(self._frames) >= self._MOST_FRAMES:
            self._stacks.clear()
            self._frames.clear()
        size = _FRAME.size
        data = ctypes.string_at(first, nr * size) if nr else b""
        stack = tuple([self._frame(data[at:at + size]) for at in range(0, nr * size, size)])
        if stack_id:
            self._stacks[stack_id] = stack
        return stack

    def _frame(self, data):
        # its texts stay where they are, so the same bytes are the same frame
        frame = self._frames.get(data)
        if frame is None:
            address, file_address, offset, symbol, file, build_id, size, flags, source, line, _ = _FRAME.unpack(data)
            texts = [_decode(ctypes.string_at(text)) if text else None for text in (symbol, file, source)]
            frame = self._frames[data] = Frame(
                texts[0], texts[1], address, offset if symbol else None, texts[2], line or None, bool(flags & _KERNEL),
                bool(flags & _INLINED), ctypes.string_at(build_id, size) if build_id else None, file_address)
        return frame

    # Tables

    def table(self, event=None, fields=None, limit=0):
        """
        The samples that are left, or at most the next `limit`, as a row each: of the events of one name ("NAME#2": of the second of
        them), or of all, where it is missing what an event does not have. fields: names, as s[name] takes them, also time, period,
        address, data_address, or "column=name"; None: time, comm, pid, tid, cpu, and all fields of the event; of several events:
        event, time, comm, pid, tid, cpu, period.
        """
        limit = operator.index(limit)
        if not 0 <= limit < 1 << 64:
            raise ValueError(f"limit is from 0 to 2**64 - 1, not {limit}")
        if fields is None:
            fields = self._default_fields(event)
        return self._table(limit, _lib.samples, _encode_or_none(event), _encode(_joined(fields)), limit)

    def count(self, by, of=None):
        """
        Count the samples that are left by keys, as perf-lite count: a row for each combination, the most frequent first. With `of`,
        a field or "period", also sum, min and max of it.
        """
        return self._table(0, _lib.count, _encode(_joined(by)), _encode_or_none(of))

    def latency(self, preset=None, by=None, **options):
        """
        The time between events in the samples that are left, as perf-lite latency measures it: a row for each combination of the keys,
        the largest sum first, with spans, sum_ns, min_ns, p50_ns, p90_ns, p99_ns, max_ns. table.account says what is in no row.

        preset: "run-queue", "off-cpu", "syscalls" ...; None: from_="sched:sched_wakeup:pid", to="...", or that of
        watch(latency="run-queue"). Options are those of perf-lite latency: min="1ms", filter, then (a list: a point each), until, on,
        split=True, open=True, waker=True; slowest=10: a row for each of the ten longest spans instead. See perflite_latency() in
        perflite.h.
        """
        then = options.pop("then", None)
        words = list(_option_words({"by": by, **options}))
        words += [f"then={point}" for point in (then if _is_list(then) else [] if then is None else [_joined(then)])]
        return self._table(0, _lib.latency, _encode_or_none(preset), _words(words), kind=Error)

    def drops(self, by=None, filter=None, **options):
        """
        The packets that were dropped in the samples that are left, as perf-lite drops counts them: a row for each combination of the
        keys, most drops first, with the keys, count and hardware (1: by a device). table.account has drops, hidden (noise) and lost.

        by: "place", "reason", "protocol", "dev", "netns", "flow", "owner", "comm", fields ...; None: those of the option drops, or
        place, reason, protocol, dev, comm. filter: "reason == NO_SOCKET". Options are those of perf-lite drops: all=True also what
        is hidden, event="my:drop". See perflite_drops() in perflite.h.
        """
        words = list(_option_words({"by": by, "filter": filter, **options}))
        return self._table(0, _lib.drops, _words(words), kind=Error)

    def _fields_of_event(self, event):
        """The name, and the names of the fields, of what perflite_samples() takes for it: "NAME#2" is the second of that name."""
        known = self.events
        name, _, number = event.rpartition("#")
        if event in known or not number.isdecimal():
            return event, known.get(event, [])
        of_name = [fields for other, fields in self._events() if other == name]
        return name, of_name[int(number) - 1] if 0 < int(number) <= len(of_name) else []

    def _default_fields(self, event):
        # the event of side-band has no samples
        events = [name for name in self.events if not name.startswith("dummy")]
        if event is None and len(events) == 1:
            event = events[0]
        fields = ["time", "comm", "pid", "tid", "cpu"]
        if event is None:
            return ["event", *fields, "period"]
        event, names = self._fields_of_event(event)
        # what a key is called, too, is meant as the event's; the column has the short name
        short = event.rpartition(":")[2]
        return fields + [f"{short}.{name}={event}.{name}" if name in _KEYS else name for name in names]

    def _table(self, limit, function, *arguments, kind=FieldError):
        with self._lock:
            with self._inside() as p:
                self._number += 1
                handle = self._call(function, p, *arguments, self._error_ref)
                if not handle:
                    raise _error(self._error, kind if self._error.code == 22 else Error)
                table = Table(_Handle(handle))
            if self._p is not None and (not limit or len(table) < limit):
                # now losses are known
                for _ in self.samples():
                    pass
        return table

    def _call(self, function, *arguments):
        """Of what runs now, the call ends when it does: Ctrl-C must end it, and comes to the main thread between calls alone."""
        if not self._waits or threading.current_thread() is not threading.main_thread():
            return function(*arguments)
        result, interrupt, ready, over = [], None, _thread.allocate_lock(), _thread.allocate_lock()
        over.acquire()

        def call():
            with ready:
                awaited = self._result is result
            handle = None
            try:
                if awaited:
                    handle = function(*arguments)
            finally:
                result.append(handle)
                over.release()
                # if the caller was interrupted for good, nobody else does it
                with self._lock:
                    self._busy = not self._result
                    self._left()

        with ready:
            _thread.start_new_thread(call, ())
            self._result = result
        while not result:
            try:
                if interrupt is not None:
                    self.stop()
                over.acquire()
            except BaseException as e:
                interrupt = e
        if interrupt is not None:
            _lib.table_free(result[0])
            raise interrupt
        return result[0]


# Names that are keys of perf-lite count, and could be those of fields
_KEYS = frozenset((
    "time period address data_address comm pid tid cpu cgroup event kstack ustack stack sym symbol dso srcline trace socket"
).split())

# Tables


class _Handle:
    """Frees the table when nothing uses it."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __del__(self, free=_lib.table_free):
        free(self.pointer)


_ARRAYS = {
    _UNSIGNED32: (ctypes.c_uint32, "I"),
    _SIGNED32: (ctypes.c_int32, "i"),
    _UNSIGNED64: (ctypes.c_uint64, "Q"),
    _SIGNED64: (ctypes.c_int64, "q"),
    _TEXT: (ctypes.c_int32, "i"),
}


class Column(Sequence):
    """
    A column of a table. values: a memoryview of its numbers, which shares the table's memory; of a column of text these are
    numbers of `texts` (else None). valid: a memoryview of bits, bit row % 8 of byte row // 8 is 0 where a value is missing; None:
    none is. column[row], and a loop over it, give values with None and str.
    """

    def __init__(self, column, rows, handle):
        kind, letter = _ARRAYS.get(column.type, (None, None))
        if kind is None:
            raise Error(95, f"column {_decode(column.name)} has a type that this version does not know")
        self.name = _decode(column.name)
        self.texts = None
        if column.type == _TEXT:
            self.texts = [_decode(text) for text in column.texts[:column.nr_texts]] if column.nr_texts else []
        self.values = self._view(column.values, rows, kind, letter, handle)
        self.valid = self._view(column.valid, (rows + 7) // 8, ctypes.c_uint8, "B", handle) if column.valid else None

    @staticmethod
    def _view(address, number, kind, letter, handle):
        if not number:
            return memoryview(bytearray()).cast(letter)
        array = (kind * number).from_address(address)
        array._handle = handle  # the memory stays as long as the view
        return memoryview(array).cast("B").cast(letter)

    def __len__(self):
        return len(self.values)

    def _has(self, row):
        return self.valid is None or self.valid[row >> 3] >> (row & 7) & 1

    def __getitem__(self, row):
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        row = range(len(self))[row]
        if not self._has(row):
            return None
        value = self.values[row]
        return value if self.texts is None else self.texts[value]

    def __iter__(self):
        values = self.values if self.texts is None else map(self.texts.__getitem__, self.values) if self.valid is None else None
        if self.valid is None:
            return iter(values)
        return iter(self[:])

    def to_list(self):
        """Its values."""
        return list(self)

    def _missing(self):
        """numpy: True where a value is missing; None: nowhere."""
        import numpy

        if self.valid is None:
            return None
        bits = numpy.frombuffer(self.valid, dtype=numpy.uint8)
        return numpy.unpackbits(bits, count=len(self), bitorder="little") == 0

    def to_numpy(self):
        """An array: of numbers without a copy, masked where some are missing; of text an array of objects, with None."""
        import numpy

        values = numpy.frombuffer(self.values, dtype=self.values.format) if len(self) else numpy.empty(0, self.values.format)
        missing = self._missing()
        if self.texts is None:
            return values if missing is None else numpy.ma.masked_array(values, missing)
        texts = numpy.array([*self.texts, None], dtype=object)
        return texts[values if missing is None else numpy.where(missing, len(self.texts), values)]

    def to_pandas(self):
        """A Series: of numbers without a copy, of a nullable type where some are missing; of text a Categorical."""
        import numpy
        import pandas

        values = numpy.frombuffer(self.values, dtype=self.values.format) if len(self) else numpy.empty(0, self.values.format)
        missing = self._missing()
        if self.texts is not None:
            codes = values if missing is None else numpy.where(missing, -1, values)
            values = pandas.Categorical.from_codes(codes, self.texts)
        elif missing is not None:
            values = pandas.arrays.IntegerArray(values, missing)
        return pandas.Series(values, name=self.name, copy=False)

    def __repr__(self):
        return f"<perflite.Column {self.name}, {len(self)} values>"


class Table:
    """
    Columns of values, which stay after the recording is closed: t["comm"], len(t) rows, t.names. It goes to pyarrow.table(t),
    polars.DataFrame(t) and DuckDB by Arrow's PyCapsule protocol, without a copy.
    """

    def __init__(self, handle):
        self._handle = handle
        self._rows = _lib.table_rows(handle.pointer)
        self.columns = []
        while column := _lib.table_column(handle.pointer, len(self.columns)):
            self.columns.append(Column(column.contents, self._rows, handle))
        self._by_name = {c.name: c for c in self.columns}
        account = _lib.table_account(handle.pointer) or _lib.table_drops(handle.pointer)
        #: Of latency(): what became of all begins and ends of spans, a dict; of drops(): of all drops; else None.
        self.account = {name: getattr(account.contents, name) for name, _ in account.contents._fields_} if account else None

    @property
    def names(self):
        """Of the columns, in order."""
        return [c.name for c in self.columns]

    def __len__(self):
        return self._rows

    def __getitem__(self, name):
        return self._by_name[name]

    def __contains__(self, name):
        return name in self._by_name

    def rows(self):
        """Each row, as a tuple of its values."""
        return zip(*self.columns) if self.columns else iter(())

    def __iter__(self):
        return self.rows()

    def to_dict(self):
        """name -> list of values."""
        return {c.name: list(c) for c in self.columns}

    def to_numpy(self):
        """name -> array, as Column.to_numpy() makes it."""
        return {c.name: c.to_numpy() for c in self.columns}

    def to_pandas(self):
        """A DataFrame of what Column.to_pandas() makes."""
        import pandas

        return pandas.DataFrame({c.name: c.to_pandas() for c in self.columns}, copy=False)

    def __repr__(self):
        shown = min(len(self), 10)
        cells = [[c.name, *("" if v is None else str(v) for v in c[:shown])] for c in self.columns]
        widths = [max(map(len, column)) for column in cells]
        left = [c.texts is not None for c in self.columns]
        lines = [
            "  ".join(cell.ljust(w) if text else cell.rjust(w) for cell, w, text in zip(row, widths, left)).rstrip()
            for row in zip(*cells)
        ]
        return "\n".join(lines + [f"{len(self)} row{'' if len(self) == 1 else 's'}" + (", the first 10" if len(self) > shown else "")])

    def __arrow_c_schema__(self):
        schema, array = _arrow_make(self)
        _arrow_release(array)
        return _arrow_capsule(schema)

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = _arrow_make(self)
        return _arrow_capsule(schema), _arrow_capsule(array)

    def __arrow_c_stream__(self, requested_schema=None):
        number = next(_arrow_numbers)
        _arrow_streams[number] = [self, False]
        stream = _ArrowStream(_arrow_on_schema, _arrow_on_next, _arrow_on_error, ctypes.cast(_arrow_on_release, _P), number)
        return _arrow_capsule(stream)


# Arrow: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html. A capsule owns a struct, whose release() its
# destructor calls unless a consumer has moved what is in it. Callbacks are never freed, since capsules may live as long as Python.

_ON_RELEASE = ctypes.CFUNCTYPE(None, _P)


class _ArrowSchema(ctypes.Structure):
    capsule = ctypes.create_string_buffer(b"arrow_schema")
    _fields_ = [
        ("format", _P), ("name", _P), ("metadata", _P), ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", _P),
        ("dictionary", _P), ("release", _P), ("private_data", _P),
    ]


class _ArrowArray(ctypes.Structure):
    capsule = ctypes.create_string_buffer(b"arrow_array")
    _fields_ = [
        ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64), ("buffers", _P), ("children", _P), ("dictionary", _P), ("release", _P), ("private_data", _P),
    ]


_ON_FILL = ctypes.CFUNCTYPE(_INT, _P, _P)
_ON_ERROR = ctypes.CFUNCTYPE(_P, _P)


class _ArrowStream(ctypes.Structure):
    capsule = ctypes.create_string_buffer(b"arrow_array_stream")
    _fields_ = [
        ("get_schema", _ON_FILL), ("get_next", _ON_FILL), ("get_last_error", _ON_ERROR), ("release", _P), ("private_data", _P),
    ]


def _arrow_make(table):
    schema, array, error = _ArrowSchema(), _ArrowArray(), _Error()
    if _lib.table_arrow(table._handle.pointer, ctypes.byref(schema), ctypes.byref(array), ctypes.byref(error)):
        raise _error(error)
    return schema, array


def _arrow_release(made, function=_ON_RELEASE, address_of=ctypes.addressof):
    if made.release:
        function(made.release)(address_of(made))


_capsule_new = ctypes.PYFUNCTYPE(ctypes.py_object, _P, _P, _P)(("PyCapsule_New", ctypes.pythonapi))
_capsule_pointer = ctypes.PYFUNCTYPE(_P, _P, _P)(("PyCapsule_GetPointer", ctypes.pythonapi))
_capsule_name = ctypes.PYFUNCTYPE(_P, _P)(("PyCapsule_GetName", ctypes.pythonapi))
_arrow_held = {}  # address -> the struct of a capsule


# What the destructor needs is in its defaults: Python empties modules before it frees the last objects.
def _arrow_destroy(capsule, held=_arrow_held, release=_arrow_release, pointer=_capsule_pointer, name=_capsule_name):
    made = held.pop(pointer(capsule, name(capsule)), None)
    if made is not None:
        release(made)


_arrow_destructor = ctypes.PYFUNCTYPE(None, _P)(_arrow_destroy)


def _arrow_capsule(made):
    address = ctypes.addressof(made)
    _arrow_held[address] = made
    return _capsule_new(address, ctypes.addressof(made.capsule), ctypes.cast(_arrow_destructor, _P))


# A stream of one batch, for those who ask for streams alone (DuckDB). They may move its struct, so it is known by private_data.
_arrow_streams = {}  # number -> the table, and whether its rows were given
_arrow_numbers = itertools.count(1)


def _arrow_part(table, part, to):
    try:
        made = _arrow_make(table)
    except Error as e:
        return e.errno
    ctypes.memmove(to, ctypes.addressof(made[part]), ctypes.sizeof(made[part]))
    _arrow_release(made[1 - part])
    return 0


def _arrow_stream_schema(stream, to):
    table, _ = _arrow_streams[_ArrowStream.from_address(stream).private_data]
    return _arrow_part(table, 0, to)


def _arrow_stream_next(stream, to):
    state = _arrow_streams[_ArrowStream.from_address(stream).private_data]
    if state[1]:
        ctypes.memset(to, 0, ctypes.sizeof(_ArrowArray))
        return 0
    state[1] = True
    return _arrow_part(state[0], 1, to)


def _arrow_stream_release(stream, kind=_ArrowStream, streams=_arrow_streams):
    made = kind.from_address(stream)
    streams.pop(made.private_data, None)
    made.release = None


_arrow_on_schema = _ON_FILL(_arrow_stream_schema)
_arrow_on_next = _ON_FILL(_arrow_stream_next)
_arrow_on_error = _ON_ERROR(lambda stream: None)
_arrow_on_release = _ON_RELEASE(_arrow_stream_release)
for _callback in (_arrow_destructor, _arrow_on_schema, _arrow_on_next, _arrow_on_error, _arrow_on_release):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_callback))
