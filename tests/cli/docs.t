# SPDX-License-Identifier: GPL-2.0
#
# The documents tell the truth where a machine can check it.
. tests/lib.sh
need_cmd mandoc

for page in docs/*.[1-9]; do
	ok "$page: no complaint from mandoc" mandoc -T lint -W warning "$page"
done

for doc in README.md docs/*.md; do
	for link in $(grep -o ']([^):# ]*)' "$doc" | tr -d '])('); do
		ok "$doc: $link is there" test -e "$(dirname "$doc")/$link"
	done
done

# The table of docs/TESTING.md names tests as `name`, or several as `name*`.
grep -o '`[a-z0-9_.*-]*`' docs/TESTING.md | tr -d '`' | sort -u >"$TMP/names"
named()
{
	while read -r pattern; do
		# shellcheck disable=SC2254
		case $1 in $pattern) return 0 ;; esac
	done <"$TMP/names"
	return 1
}

for t in tests/unit/test_*.c tests/fuzz/fuzz_*.c tests/cli/*.t tests/oracle/*.t; do
	ok "docs/TESTING.md names $t" named "$(basename "$t" .c)"
done
for target in $(sed -n 's/^    \(sudo \)*make \([a-z][a-z-]*[a-z]\)\( .*\|$\)/\2/p' README.md docs/TESTING.md |
	sort -u); do
	ok "make $target exists" make -n -o test-deps "$target"
done
done_testing
