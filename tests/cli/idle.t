# SPDX-License-Identifier: GPL-2.0
#
# --no-idle: samples of CPUs that have nothing to do are left out, by all commands that read a recording.
. tests/lib.sh
need_cmd python3

# 6 samples: three of idle CPUs, by two drivers, two of the kernel's work, one of a program
cat >"$TMP/make.py" <<'PY'
import struct, sys

# attr: software, cpu-clock, every sample with IP, TID, TIME, CPU
attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1, 1 | 2 | 4 | 128, 0, 1 << 18).ljust(128, b"\0")
def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
ids = struct.pack("<IIQII", 0, 0, 1, 0, 0)
name = b"[kernel.kallsyms]_text".ljust(24, b"\0")
out = sys.stdout.buffer
out.write(b"PERFILE2" + struct.pack("<Q", 16) + record(64, 0, attr + struct.pack("<Q", 1)))
out.write(record(1, 1, struct.pack("<iIQQQ", -1, 0, 0xffffffff81000000, 0x1000000, 0xffffffff81000000) + name + ids))
for i, (misc, ip) in enumerate([(1, 0xffffffff81000010), (1, 0xffffffff81000010), (1, 0xffffffff81000110),
                                (1, 0xffffffff81000210), (1, 0xffffffff81000210), (2, 0x1000)]):
    out.write(record(9, misc, struct.pack("<QIIQII", ip, 7, 7, 1000000000 + i, i % 2, 0)))
PY
python3 "$TMP/make.py" >"$TMP/data"
cat >"$TMP/kallsyms" <<'END'
ffffffff81000000 T _text
ffffffff81000001 t pv_native_safe_halt
ffffffff81000100 t intel_idle
ffffffff81000200 T do_work
ffffffff81000300 T _etext
END
read_it()
{
	cmd=$1
	shift
	"$PERF_LITE" $cmd -i "$TMP/data" --kallsyms "$TMP/kallsyms" "$@"
}

run_ok "script" read_it script -q -F ip,sym
is "has all samples" "$(awk '{ print $2 }' "$TMP/out" | sort | uniq -c | awk '{ print $1 $2 }' | tr '\n' ' ')" \
	"1[unknown] 2do_work 1intel_idle 2pv_native_safe_halt "
run_ok "script --no-idle" read_it script -q -F ip,sym --no-idle
is "has those of work" "$(awk '{ print $2 }' "$TMP/out" | sort | uniq -c | awk '{ print $1 $2 }' | tr '\n' ' ')" "1[unknown] 2do_work "
run_ok "with other functions left out" read_it script -q -F ip,sym --no-idle -S '!do_work'
is "both are" "$(awk '{ print $2 }' "$TMP/out")" "[unknown]"
run_ok "report" read_it report -q -s sym
like "counts them in shares" "$TMP/out" '^ +33\.33%  \[k\] do_work'
run_ok "report --no-idle" read_it report -q -s sym --no-idle
like "does not" "$TMP/out" '^ +66\.67%  \[k\] do_work'
unlike "and has no rows of them" "$TMP/out" 'idle|halt'
run_ok "flamegraph" read_it flamegraph
like "draws them" "$TMP/out" '<title>pv_native_safe_halt \[kernel\] \(2 samples, 33\.33%\)'
run_ok "flamegraph --no-idle" read_it flamegraph --no-idle
like "draws the others" "$TMP/out" '<title>do_work \[kernel\] \(2 samples, 66\.67%\)'
unlike "and none of them" "$TMP/out" '<title>(intel_idle|pv_native)'
run_ok "flamegraph --timeline --no-idle" read_it flamegraph --timeline --no-idle
is "has a cell for what is left on each CPU" "$(sed -n 's|.*<title>\(CPU [01]\), .* s: \([0-9]* samples\{0,1\}\): .*|\1: \2|p' "$TMP/out" | tr '\n' ' ')" "CPU 0: 1 sample CPU 1: 2 samples "
run_ok "convert --no-idle" read_it convert --no-idle --to folded -o "$TMP/kept"
is "keeps the others" "$(awk '{ n += $NF } END { print n }' "$TMP/kept")" 3

done_testing
