# SPDX-License-Identifier: GPL-2.0
#
# Static probes of programs: -e usdt:FILE:PROVIDER:NAME, and list usdt:FILE.
. tests/lib.sh

# a name of its own, since everybody's passes are recorded
p=$TMP/markers-$$
f=$TMP/a.data
cp "$PROG/markers" "$p"

# What a file has

run_ok "list" "$PERF_LITE" list "usdt:$p"
is "has each probe, and where there are two of a name, their places" "$(sed "s,$p,P,; s/0x.*/0x/" "$TMP/out" | tr '\n' ' ')" \
	"usdt:P:markers:round usdt:P:markers:twice@0x usdt:P:markers:twice@0x usdt:P:other:last usdt:P:markers:watched "
two=$(grep -c 'twice@0x' "$TMP/out").$(grep 'twice@0x' "$TMP/out" | sort -u | wc -l)
is "which differ" "$two" 2.2
run_ok "list of some" "$PERF_LITE" list -v "usdt:$p:markers:[rw]*"
is "is of these" "$(grep -o '[a-z]*  \[USDT probe\]' "$TMP/out" | tr '\n' ' ')" "round  [USDT probe] watched  [USDT probe] "
like "with what the note tells of their arguments" "$TMP/out" '^  arguments -4@.* 8@'
like "and of who watches" "$TMP/out" '^  address 0x[0-9a-f]*, has a semaphore$'
if command -v jq >/dev/null; then
	run_ok "as JSON" "$PERF_LITE" list -vj "usdt:$p:markers:watched"
	is "it says the same" "$(jq -r '.[] | [.class, .semaphore, .arguments] | @csv' "$TMP/out")" '"usdt",true,""'
else
	skip_without "as JSON" jq
fi
run "$PERF_LITE" list "usdt:$p:nothing:at_all"
rc_is 1 "none that is asked for"
run "$PERF_LITE" list "usdt:$PROG/probed"
ok "a file that has none" [ $rc -ne 0 ]
like "is told so" "$TMP/err" 'probed has no static probes'
run "$PERF_LITE" list "usdt:$TMP/nothing"
like "one that is not there" "$TMP/err" 'No such file'

# Recorded

need_root
need uprobes

script()
{
	"$PERF_LITE" script -q -i "$f" "$@"
}
run_ok "each pass of a probe" "$PERF_LITE" record -g -o "$f" -e "usdt:$p:markers:round" -- "$p" 200
like "none is lost" "$TMP/err" '200 samples.* 0 lost of 200 counted'
is "each in its function" "$(script -G -F event,ip,sym | grep -c "usdt:$p:markers:round:  *[0-9a-f]* pass$")" 200
is "its callers are known" "$(script -F ip,sym | grep -c ' main$')" 200
is "nobody watches the other" "$(cat "$TMP/out")" watched=0
run_ok "all of a file" "$PERF_LITE" record -o "$f" -e "usdt:$p:*:*" -- "$p" 30
is "each of them" "$(script -F event | sed "s|.*$p:||; s|0x.*|0x|" | sort | uniq -c | awk '{ printf "%s %s ", $1, $2 }')" \
	"30 markers:round: 60 markers:twice@0x 30 markers:watched: 30 other:last: "
is "the program sees that somebody watches" "$(cat "$TMP/out")" watched=30
run_ok "a probe by its semaphore" "$PERF_LITE" record -o "$f" -e "usdt:$p:markers:watched" -- "$p" 12
is "is passed because it is watched" "$(script -F event,ip,sym | grep -c 'watched:.* watched$')" 12
run_ok "afterwards" "$p" 5
is "nobody watches" "$(cat "$TMP/out")" watched=0
place=$("$PERF_LITE" list "usdt:$p:markers:twice*" | tail -n 1)
run_ok "one place of two" "$PERF_LITE" stat -x, -o "$TMP/stat" -e "$place" -- "$p" 7
is "is counted alone" "$(grep -c "^7,,$place" "$TMP/stat")" 1
run_ok "both places, and a term" "$PERF_LITE" record -o "$f" -e "usdt:$p:markers:twice/call-graph=fp/" -e "usdt:$p:other:last" -- "$p" 3
is "in both" "$(script -F event,ip,sym | grep -c ' main$')" 6
run_ok "trace, everybody's" "$PERF_LITE" trace -q -a -e "usdt:$p:other:last" -- "$p" 4
is "each" "$(grep -c 'other:last' "$TMP/out")" 4

# Constants, of which a note says the size and the sign apart from the number

cat >"$TMP/constants.c" <<'END'
#define NOTE(name, args) __asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n" \
	".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, 0\n" \
	".asciz \"sizes\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n994: .balign 4\n.popsection")
int main(void) { NOTE("constants", "4@$-1 1@$-56 -4@$-1 2@$-1 8@$-1"); return 0; }
END
if [ "$(uname -m)" = x86_64 ] && can bpf && can first-pids && cc -o "$TMP/constants" "$TMP/constants.c"; then
	run_ok "constants" "$PERF_LITE" trace -q -e "usdt:$TMP/constants:sizes:constants(arg1, arg2, arg3, arg4, arg5)" -- "$TMP/constants"
	like "have their sizes and signs" "$TMP/out" 'arg1=4294967295 arg2=200 arg3=-1 arg4=65535 arg5=18446744073709551615$'
else
	skip_without "constants" bpf first-pids
fi

# Mistakes

refused()
{
	run "$PERF_LITE" record -o "$TMP/none" -e "$1" -- true
	ok "$1 is refused" [ $rc -ne 0 ]
	like "with the reason" "$TMP/err" "$2"
	like "and what to do" "$TMP/err" '^hint: '
	ok "no file" not [ -e "$TMP/none" ]
}
refused "usdt:$p:round" "a file, a provider and a name are expected here"
refused "usdt:$p:markers:nothing" "$p has no such probe"
refused "usdt:$p:markers:twice@0x1" "$p has no such probe"
refused "usdt:$PROG/probed:a:b" "probed has no static probes"
refused "usdt:$TMP/nothing:a:b" "$TMP/nothing: No such file"
done_testing
