# SPDX-License-Identifier: GPL-2.0
#
# Recordings with build-ids in place of device and inode: perf's, and one of perf-lite beside one of perf. Linux marks
# mappings of all sessions as having a build-id once one session asks for them, and perf then aborts: alone (tests/order.yml).
. tests/lib.sh
need perf-6.1
. tests/oracle/matrix.sh
foreign_files=1

load="ls -R /usr/share/doc"

own_vdso32=1
row buildid-mmap -e cpu-clock --buildid-mmap -g -a -- $load
by --show-mmap-events
own_vdso32=

perf record -q -a -e dummy --buildid-mmap -o "$TMP/ids.data" sleep 600 >"$TMP/ids.out" 2>&1 &
ids=$!
wait_for 20 pgrep -P $ids -x sleep
row=beside-build-ids f=$TMP/beside-build-ids.data
rows=$((rows + 1))
run_ok "$row: records" "$PERF_LITE" record -q --format=perf -o "$f" -e cpu-clock -g -- $load
kill -INT $ids
wait $ids 2>/dev/null
by ''
ok "$row: there are samples" test "$(wc -l <"$TMP/want")" -gt 5
matrix_done
