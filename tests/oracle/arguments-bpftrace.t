# SPDX-License-Identifier: GPL-2.0
#
# Arguments and results of functions: the same as bpftrace reads, line by line.
. tests/lib.sh
need everybody bpf btf uprobes bpftrace first-pids

# same DESC PROBE EXPRESSIONS FORMAT ARGUMENTS: of both, "name=value ..." lines
same()
{
	run_ok "$1" "$PERF_LITE" record -q -o "$TMP/a.data" -e "$2($3)" -- "$p" 5
	"$PERF_LITE" script -q -i "$TMP/a.data" -F trace | sed 's/^ *//; s/ *$//' >"$TMP/ours"
	run_ok "$1: bpftrace" bpftrace -e "$2 { printf(\"= $4\\n\", $5); }" -c "$p 5"
	sed -n 's/^= //p' "$TMP/out" >"$TMP/theirs"
	ok "there are some" test "$(wc -l <"$TMP/theirs")" -eq 5
	is_file "both have the same" "$TMP/ours" "$TMP/theirs"
}
for kind in passes passes-optimised; do
	p=$PROG/$kind
	same "$kind: integers" "uprobe:$p:numbers" 'i=(int)arg1, u=(unsigned int)arg2, l=arg3, c=(unsigned char)arg4, s=(short)arg5' \
		'i=%d u=%u l=%ld c=%d s=%d' '(int32)arg0, (uint32)arg1, arg2, (uint8)arg3, (int16)arg4'
	same "$kind: texts" "uprobe:$p:handle" 'path=str(*(unsigned long *)arg1), len=arg2' \
		'path=%s len=%d' 'str(*(uint64 *)uptr(arg0)), arg1'
	same "$kind: results" "uretprobe:$p:handle" '(int)retval' 'retval=%d' '(int32)retval'
done
done_testing
