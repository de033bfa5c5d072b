#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""receiver.py DIR [CERTIFICATE KEY] - a server that takes profiles, and does what DIR/plan says.

It listens on a port of the loopback, which it writes to DIR/port. A line of DIR/plan is for one request, and is taken away:

    503, 400 TEXT   this status, with the text
    429 SECONDS     with Retry-After
    later STATUS SECONDS   this status, with Retry-After; +SECONDS: as a date, so long from now
    drop            closes the connection
    flood           takes the document, and answers without end
    cut             takes the document, and closes the connection
    slow SECONDS    waits, then takes it
    partial N TEXT  takes it, and says that N profiles were refused, in OTLP's answer
    say TEXT        the same of none
    status TEXT     400, with OTLP's answer

A document of more than DIR/limit bytes (BYTES [STATUS TEXT]), without gzip, gets 413, or that.

Without a plan it takes all. What it takes is DIR/N.body, for each N from 1 on, without gzip if OTLP; a document that is none
gets 400. DIR/log has a line for each request: METHOD PATH STATUS, and DIR/headers those of the last.
"""
import email.utils
import gzip
import http.server
import os
import ssl
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import profiles

folder = sys.argv[1]
lock = threading.Lock()


def varint(n):
    out = b''
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def message(*fields):
    """Of (number, integer or bytes)."""
    out = b''
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def path(name):
    return os.path.join(folder, name)


def too_large(body):
    """What DIR/limit says to it, or None."""
    try:
        with open(path('limit'), encoding='utf-8') as f:
            limit, status, text = (f.read().split(maxsplit=2) + ['413', ''])[:3]
        return (int(status), text.strip()) if len(gzip.decompress(body)) > int(limit) else None
    except (FileNotFoundError, OSError):
        return None


def next_step():
    with lock:
        try:
            with open(path('plan'), encoding='utf-8') as f:
                lines = f.read().splitlines()
        except FileNotFoundError:
            return ['take']
        with open(path('plan'), 'w', encoding='utf-8') as f:
            f.writelines(l + '\n' for l in lines[1:])
        return (lines[0] if lines else 'take').split(' ', 1)


def keep(body):
    with lock:
        n = 1 + sum(name.endswith('.body') for name in os.listdir(folder))
        with open(path('%d.body' % n), 'wb') as f:
            f.write(body)


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def note(self, status):
        with lock, open(path('log'), 'a', encoding='utf-8') as f:
            print(self.command, self.path, status, file=f)

    def answer(self, status, body=b'', kind='text/plain', **headers):
        self.note(status)
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self, what):
        self.note(what)
        self.close_connection = True

    def take(self, body):
        """None, or what is wrong with it."""
        try:
            if self.path.split('?')[0].endswith('/ingest'):
                profiles.pprof_sums(body)
            else:
                profiles.same(self.headers['Content-Type'], 'application/x-protobuf', 'the type')
                if self.headers['Content-Encoding'] == 'gzip':
                    body = gzip.decompress(body)
                profiles.Otlp(body)
        except (profiles.Wrong, KeyError, OSError, EOFError) as e:
            return repr(e)
        keep(body)
        return None

    def do_POST(self):
        body = None
        if os.path.exists(path('limit')):
            body = self.rfile.read(int(self.headers['Content-Length']))
            no = too_large(body)
            if no:
                self.answer(no[0], no[1].encode())
                return
        what, text = (next_step() + [''])[:2]
        with open(path('headers'), 'w', encoding='utf-8') as f:
            f.write(str(self.headers))
        if what == 'drop':
            self.hang_up(what)
            return
        if body is None:
            body = self.rfile.read(int(self.headers['Content-Length']))
        if what == 'status':
            self.answer(400, message((1, 3), (2, text.encode())), 'application/x-protobuf')
        elif what == '429':
            self.answer(429, **({'Retry_After': text} if text else {}))
        elif what == 'later':
            status, after = text.split()
            if after[0] == '+':
                after = email.utils.formatdate(time.time() + int(after), usegmt=True)
            self.answer(int(status), Retry_After=after)
        elif what.isdigit():
            self.answer(int(what), text.encode())
        else:
            self.end(what, text, body)

    def end(self, what, text, body):
        if what == 'slow':
            time.sleep(float(text))
        wrong = self.take(body)
        if wrong:
            self.answer(400, wrong.encode())
        elif what == 'cut':
            self.hang_up(what)
        elif what == 'flood':
            self.note(what)
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(65536))
            except OSError:
                self.close_connection = True
        elif what == 'partial':
            n, _, why = text.partition(' ')
            self.answer(200, message((1, message((1, int(n)), (2, why.encode())))), 'application/x-protobuf')
        elif what == 'say':
            self.answer(200, message((1, message((2, text.encode())))), 'application/x-protobuf')
        else:
            self.answer(200)


def main():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Receiver)
    server.daemon_threads = True
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*sys.argv[2:4])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(path('port.new'), 'w', encoding='utf-8') as f:
        print(server.server_address[1], file=f)
    os.rename(path('port.new'), path('port'))
    server.serve_forever()


if __name__ == '__main__':
    main()
