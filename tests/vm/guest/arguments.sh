# SPDX-License-Identifier: GPL-2.0
#
# Arguments of functions of programs by the rules of this machine: what a program says that it passed.
. /tests/lib.sh
need everybody bpf btf uprobes

# same DESC EVENT FUNCTION [SED]
same()
{
	run_ok "$1" "$PERF_LITE" record -q -o "$TMP/args.data" -e "$2" -- "$p" 3
	sed -n "s/^$3 //p" "$TMP/out" | sed "${4:-}" >"$TMP/want"
	"$PERF_LITE" script -q -i "$TMP/args.data" -F trace | sed 's/^ *//; s/ *$//' >"$TMP/got"
	is_file "is what was passed" "$TMP/got" "$TMP/want"
}
for kind in passes passes-optimised; do
	p=$PROG/$kind
	same "$kind: registers" "uprobe:$p:numbers(i=(int)arg1, u=(unsigned int)arg2, l=arg3, c=(unsigned char)arg4, s=(short)arg5)" \
		numbers 's/ w=.*//'
	same "$kind: by name" "uprobe:$p:numbers(*)" numbers
	same "$kind: what they lead to" "uprobe:$p:handle(req->path, req->method, req->flags, req->kind, req->mode, req->value.number,
		req->header.lines, req->header.id, code=req->codes[1], first=(*req->headers)->id, req->last, len)" handle
	same "$kind: many" "uprobe:$p:many(a, b, f, g, h)" many
	same "$kind: floating-point numbers between" "uprobe:$p:mixed(after)" mixed 's/ text=.*//'
	same "$kind: behind a result in memory" "uprobe:$p:makes(*)" makes
	same "$kind: results" "uretprobe:$p:handle(retval)" handle-returned
done
done_testing
