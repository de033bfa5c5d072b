# SPDX-License-Identifier: GPL-2.0
#
# steps.t - programs are executed instruction by instruction, from main to their end, one from the dynamic linker's first on; at
# each the fast engine has to find the call chain, which is known (prog/step.c), and at one of 23 the references, which
# take a hundred times as long. STEPS=all asks them at all.
. tests/lib.sh
need_root
need_cmd g++ gzip
[ "$(uname -m)" = x86_64 ] || skip_all "$outside: steps x86-64 programs"

every=23
[ "${STEPS:-}" != all ] || every=1

# NAME SHARE OPTIONS... -- COMMAND...: the fast engine's chains are exact in SHARE % of all
# instructions at least, and the references' in 98 % of theirs, so that nothing is known by chance.
steps()
{
	name=$1 share=$2
	shift 2
	run "$O/tests/oracle/step" -n $every "$@"
	rc_is 0 "$name is stepped to its end"
	cp "$TMP/out" "$TMP/$name"
	ok "$name: every instruction is checked, but where a signal comes" checked "$name"
	ok "$name: the fast engine is exact at $share %" at_least "$name" fast "$share"
	ok "$name: at most 1 % are excused" few_excused "$name"
	ok "$name: libdw is exact at 98 %" at_least "$name" libdw 98
	ok "$name: libunwind is exact at 98 %" at_least "$name" libunwind 98
	ok "$name: the fast engine is nowhere worse than the references" best "$name"
}

checked() # NAME
{
	grep -a -A 20 '^steps' "$TMP/$1"
	awk '/^steps:/ { steps = $2 } /^fast:/ { n = $2 } END { exit !(n >= 50000 && n >= steps * 0.99) }' "$TMP/$1"
}

at_least() # NAME ENGINE SHARE
{
	grep -a -A 20 "^$2" "$TMP/$1"
	awk -v engine="$2:" -v least="$3" '$1 == engine { share = $(NF - 1) }
		END { exit !(share != "" && share + 0 >= least + 0) }' "$TMP/$1"
}

few_excused() # NAME
{
	awk '/^fast:/ { exit !($6 * 100 <= $2) }' "$TMP/$1"
}

best() # NAME
{
	awk '/^(fast|libdw|libunwind):/ { exact[$1] = $(NF - 1) }
		END { exit !(exact["fast:"] >= exact["libdw:"] && exact["fast:"] >= exact["libunwind:"]) }' \
		"$TMP/$1"
}

flags='-O2 -fomit-frame-pointer -Wl,-z,lazy'
# shellcheck disable=SC2086
g++ -std=c++20 $flags -o "$TMP/frames.prog" tests/prog/unwind/frames.cc || exit 1
# shellcheck disable=SC2086
gcc $flags -o "$TMP/signals.prog" tests/prog/unwind/signals.c -lm || exit 1
seq 1 40 >"$TMP/text"

steps frames 99.99 -s -- "$TMP/frames.prog" 1
steps signals 99.99 -s -- "$TMP/signals.prog" 1
steps gzip 99.99 -s -- gzip -c "$TMP/text"
# from the first instruction on, in the dynamic linker
steps linker 99.99 -- /bin/true

# What the program's own frames are is not enough: exceptions and signals have to be in it.
# shellcheck disable=SC2016
ok "exceptions landed while frames was stepped" awk '/^fast:/ { exit !($6 > 20) }' "$TMP/frames"
done_testing
