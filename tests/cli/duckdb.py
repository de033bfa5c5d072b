# SPDX-License-Identifier: GPL-2.0
"""duckdb.py SQL: prints the rows of the answer, columns separated by tabs, NULL for what is missing, by libduckdb.so, which
$LIBDUCKDB names or the loader finds. Exit code 77: there is none.
duckdb.py --time N SQL: the median of the seconds that it takes, of N times."""
import ctypes
import os
import statistics
import sys
import time


class Result(ctypes.Structure):
    _fields_ = [("counts", ctypes.c_uint64 * 3), ("pointers", ctypes.c_void_p * 3)]


def rows(lib, connection, sql):
    result = Result()
    if lib.duckdb_query(connection, sql.encode(), ctypes.byref(result)):
        sys.exit(lib.duckdb_result_error(ctypes.byref(result)).decode())
    width = lib.duckdb_column_count(ctypes.byref(result))
    for i in range(lib.duckdb_row_count(ctypes.byref(result))):
        cells = [lib.duckdb_value_varchar(ctypes.byref(result), ctypes.c_uint64(c), ctypes.c_uint64(i)) for c in range(width)]
        yield ["NULL" if c is None else ctypes.string_at(c).decode() for c in cells]


def main():
    try:
        lib = ctypes.CDLL(os.environ.get("LIBDUCKDB", "libduckdb.so"))
    except OSError:
        sys.exit(77)
    lib.duckdb_row_count.restype = lib.duckdb_column_count.restype = ctypes.c_uint64
    lib.duckdb_value_varchar.restype = ctypes.c_void_p
    lib.duckdb_result_error.restype = ctypes.c_char_p
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    if lib.duckdb_open(None, ctypes.byref(database)) or lib.duckdb_connect(database, ctypes.byref(connection)):
        sys.exit("libduckdb.so does not work")
    sql = sys.argv[-1].strip().rstrip(";")
    if sys.argv[1] == "--time":
        took = []
        for _ in range(int(sys.argv[2])):
            begin = time.monotonic()
            list(rows(lib, connection, sql))
            took.append(time.monotonic() - begin)
        print(statistics.median(took))
        return
    # all columns as text, whatever their types are
    for row in rows(lib, connection, "SELECT COLUMNS(*)::VARCHAR FROM (%s)" % sql):
        print("\t".join(row))


main()
