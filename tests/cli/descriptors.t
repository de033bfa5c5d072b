# SPDX-License-Identifier: GPL-2.0
#
# record --call-graph dwarf reads programs: it does not keep the files of what has ended.
. tests/lib.sh
need everybody

f=$TMP/data

# Many programs, one after the other, and few descriptors

mkdir "$TMP/many"
cat >"$TMP/many.sh" <<'EOT'
i=0
while [ $i -lt 100 ]; do
	cp "$PROG/spin" "$TMP/many/spin$i"
	"$TMP/many/spin$i" 10 >/dev/null
	i=$((i + 1))
done
sleep 3
readlink /proc/$PPID/fd/* | grep -c many >"$TMP/open"
EOT
export TMP
run_ok "a hundred programs" "$PERF_LITE" record -q --call-graph dwarf -e cpu-clock -F 999 -o "$f" -- sh "$TMP/many.sh"
# others held some for the last seconds, 64 at most (util/capture/pinned_files.h)
is_between "few of their files are open in the end" "$(cat "$TMP/open")" 0 70
run sh -c 'ulimit -n 110; exec "$@"' sh "$PERF_LITE" record -q --call-graph dwarf -e cpu-clock -F 999 -o "$f" -- sh "$TMP/many.sh"
rc_is 0 "a hundred programs with 110 descriptors"
"$PERF_LITE" report -q -i "$f" -s comm >"$TMP/out"
is_between "all of them are there" "$(grep -c ' spin[0-9]' "$TMP/out")" 90 100
"$PERF_LITE" script -q -i "$f" --comm spin99 >"$TMP/out"
like "up to the last one, with callers" "$TMP/out" 'main'

# Lines are read from files that would else stay open: two blocks later those that nobody runs are closed

cat >"$TMP/lines.sh" <<'EOT'
i=0
while [ $i -lt 160 ]; do
	cp "$PROG/spin" "$TMP/many/spin$i"
	"$TMP/many/spin$i" 5 >/dev/null
	rm "$TMP/many/spin$i"
	i=$((i + 1))
	[ $((i % 40)) -ne 0 ] || sleep 1.2
done
sleep 3
readlink /proc/$PPID/fd/* | grep -c many >"$TMP/open"
EOT
run_ok "a hundred and sixty programs, with lines" "$PERF_LITE" record -q --inline --switch-output=1s --switch-max-files=2 \
	-e cpu-clock -F 999 -o "$f" -- sh "$TMP/lines.sh"
ok "they have lines" sh -c 'readelf -SW "$1" | grep -q "\.debug_line "' - "$PROG/spin"
# 64 with lines, 64 that were mapped lately
is_between "few of their files are open in the end" "$(cat "$TMP/open")" 0 130

# A file system can be unmounted when its program has ended

if can mounts; then
	mkdir "$TMP/mnt"
	"$PERF_LITE" record -q -a --call-graph dwarf -e cpu-clock -F 999 -o "$f" -- unshare -m sh -c '
		mount -t tmpfs none "$TMP/mnt" && cp "$PROG/spin" "$TMP/mnt" && "$TMP/mnt/spin" 300 >/dev/null
		i=0
		while [ $i -lt 60 ] && ! umount "$TMP/mnt" 2>/dev/null; do
			sleep 0.5
			i=$((i + 1))
		done
		[ $i -lt 60 ]' >"$TMP/out" 2>"$TMP/err"
	rc=$?
	rc_is 0 "the file system of a program that has ended can be unmounted"
else
	skip_without "unmounting" mounts
fi
done_testing
