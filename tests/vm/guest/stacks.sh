# SPDX-License-Identifier: GPL-2.0
#
# Call chains of a program whose stacks are known: unwound from copies of the stack, of code with and without frame pointers;
# and those that the kernel walks itself.
. /tests/lib.sh

# folded NAME: the stacks of /out/NAME.data in $TMP/NAME; NAME.script is for the host to compare
folded()
{
	"$PERF_LITE" script -q -i "/out/$1.data" --no-inline --folded >"$TMP/$1" 2>&1
	"$PERF_LITE" script -q -i "/out/$1.data" --no-inline >"/out/$1.script" 2>&1
	cp "$TMP/$1" "/out/$1.folded"
}
# stacks_with FILE REGEXP: how many samples, of 1 ms each
stacks_with()
{
	grep -E "$2" "$1" | awk '{ n += $NF } END { print int(n / 1000000) }'
}
# complete NAME DESC
complete()
{
	# what ends outside of main is the dynamic linker's
	grep -E '[;](around|deep|leaf|sorting|compare|handler|cpu_ms)[ ;]' "$TMP/$1" >"$TMP/own"
	all=$(stacks_with "$TMP/own" .)
	whole=$(stacks_with "$TMP/own" ';(main|thread);')
	cut=$(stacks_with "$TMP/$1" '^stacks;[[]truncated[]]')
	diag "$2: $whole of $all samples from main or thread on, $cut truncated"
	ok "$2: there are samples" test "$all" -ge 50
	# compilers are not exact about every instruction of a prologue
	ok "$2: nearly all begin with main or thread" test "$whole" -ge $((all * 97 / 100))
	ok "$2: few are truncated" test "$cut" -le $((1 + all * 3 / 100))
	ok "$2: each frame of the recursion" test "$(stacks_with "$TMP/$1" ';main;around;(deep;){13}leaf[ ;]')" -ge 1
	ok "$2: of the thread" test "$(stacks_with "$TMP/$1" ';thread;(deep;){4}leaf[ ;]')" -ge 1
}

# s390x counts as CPU time of a program what the emulated CPU waits for its host
ms=400
[ "$(uname -m)" != s390x ] || ms=1500
for program in stacks stacks-no-fp; do
	name=$program-dwarf
	run_ok "record --call-graph dwarf, $program" "$PERF_LITE" record -e cpu-clock:u -F 997 --call-graph dwarf,16384 -o "/out/$name.data" \
		-- "$PROG/$program" $ms
	folded "$name"
	sed -i "s/^$program;/stacks;/" "$TMP/$name"
	complete "$name" "$program, dwarf"
	ok "$program: through the C library" test "$(stacks_with "$TMP/$name" ';main;around;sorting;.*;compare(;leaf)? ')" -ge 1
	ok "$program: through a signal" test "$(stacks_with "$TMP/$name" ';main;around;.*;handler;leaf ')" -ge 1
done

# the kernel of s390x walks no stacks of users before 6.9
walks=1
[ "$(uname -m)" != s390x ] || [ "$(uname -r | cut -d . -f 1)" -ge 7 ] || walks=
if [ -z "$walks" ]; then
	skip "record --call-graph fp" "the kernel of s390x walks no stacks of users before 6.9"
else
	run_ok "record --call-graph fp" "$PERF_LITE" record -e cpu-clock:u -F 997 --call-graph fp -o /out/fp.data -- "$PROG/stacks" 400
	folded fp
	# where a call leaves the return address in a register, a leaf without a frame hides its caller from the kernel
	ok "fp: each frame of the recursion" test "$(stacks_with "$TMP/fp" ';main;around;(deep;){12,13}leaf[ ;]')" -ge 3
	ok "fp: of the thread" test "$(stacks_with "$TMP/fp" ';thread;(deep;){3,4}leaf[ ;]')" -ge 3
	if [ "$(uname -m)" = aarch64 ]; then
		named=$(stacks_with "$TMP/fp" ';(around;(deep;){13}|thread;(deep;){4}|compare;)leaf[ ;]')
		hidden=$(stacks_with "$TMP/fp" ';(around;(deep;){12}|thread;(deep;){3}|qsort_r(;[[].*[]])*;)leaf[ ;]')
		diag "fp: $named samples with the caller of the leaf, $hidden without"
		ok "fp: the caller of a leaf without a frame" test $((named >= 10 && hidden * 20 <= named)) = 1
	fi
fi

# At its beginning a function has no frame yet: the caller is where a call leaves it
if [ -z "$walks" ]; then
	skip "fp: a probe where a function begins" "the kernel of s390x walks no stacks of users before 6.9"
elif can uprobes; then
	run_ok "fp: a probe where a function begins" "$PERF_LITE" record -g -e "uprobe:$PROG/probed:entered" -o /out/entered.data -- "$PROG/probed" 30
	"$PERF_LITE" script -q -i /out/entered.data -F ip,sym | awk '{ printf "%s%s", $2, NF ? ";" : "\n" }' >"$TMP/entered"
	is "has the caller" "$(grep -c '^entered;called;' "$TMP/entered")" 30
else
	skip_without "fp: a probe where a function begins" uprobes
fi
done_testing
