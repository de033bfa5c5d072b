#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""proxy.py DIR [STATUS] - a proxy of HTTP, which passes on what it gets, and tunnels (CONNECT); or answers STATUS to all.

It listens on a port of the loopback, which it writes to DIR/port. DIR/asked has a line for each request, METHOD TARGET, and
DIR/headers those of the last one.
"""
import http.client
import http.server
import os
import select
import socket
import sys
import urllib.parse

folder = sys.argv[1]
status = int(sys.argv[2]) if len(sys.argv) > 2 else 0


def path(name):
    return os.path.join(folder, name)


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def note(self):
        with open(path('asked'), 'a', encoding='utf-8') as f:
            print(self.command, self.path, file=f)
        with open(path('headers'), 'w', encoding='utf-8') as f:
            f.write(str(self.headers))

    def refuse(self):
        self.send_response(status)
        self.send_header('Content-Length', '0')
        self.end_headers()

    def do_POST(self):
        self.note()
        body = self.rfile.read(int(self.headers['Content-Length']))
        if status:
            self.refuse()
            return
        url = urllib.parse.urlsplit(self.path)
        server = http.client.HTTPConnection(url.netloc)
        server.request('POST', url.path + ('?' + url.query if url.query else ''), body, dict(self.headers))
        answer = server.getresponse()
        text = answer.read()
        self.send_response(answer.status)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        server.close()

    def do_CONNECT(self):
        self.note()
        if status:
            self.refuse()
            return
        host, port = self.path.rsplit(':', 1)
        with socket.create_connection((host, int(port))) as server:
            self.send_response(200)
            self.end_headers()
            self.tunnel(server)
        self.close_connection = True

    def tunnel(self, server):
        other = {server: self.connection, self.connection: server}
        while True:
            for side in select.select(list(other), [], [])[0]:
                data = side.recv(65536)
                if not data:
                    return
                other[side].sendall(data)


def main():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Proxy)
    server.daemon_threads = True
    with open(path('port.new'), 'w', encoding='utf-8') as f:
        print(server.server_address[1], file=f)
    os.rename(path('port.new'), path('port'))
    server.serve_forever()


if __name__ == '__main__':
    main()
