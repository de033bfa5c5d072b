# SPDX-License-Identifier: GPL-2.0
"""chdb.py SQL: prints the rows of ClickHouse's answer, columns separated by tabs, \\N for what is missing, by libchdb.so, which
$LIBCHDB names or the loader finds. Exit code 77: there is none."""
import ctypes
import os
import sys

try:
    lib = ctypes.CDLL(os.environ.get("LIBCHDB", "libchdb.so"))
except OSError:
    sys.exit(77)
lib.chdb_connect.restype = ctypes.POINTER(ctypes.c_void_p)
lib.chdb_query.restype = ctypes.c_void_p
lib.chdb_query.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
for name, kind in ("buffer", ctypes.c_void_p), ("length", ctypes.c_size_t), ("error", ctypes.c_char_p):
    function = getattr(lib, "chdb_result_" + name)
    function.restype, function.argtypes = kind, [ctypes.c_void_p]
connection = lib.chdb_connect(1, (ctypes.c_char_p * 1)(b"clickhouse"))
if not connection:
    sys.exit("libchdb.so does not work")
answer = lib.chdb_query(connection[0], sys.argv[1].encode(), b"TabSeparated")
error = lib.chdb_result_error(answer)
if error:
    sys.exit(error.decode())
length = lib.chdb_result_length(answer)
sys.stdout.buffer.write(ctypes.string_at(lib.chdb_result_buffer(answer), length) if length else b"")
