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

for t in tests/unit/test_*.c tests/fuzz/fuzz_*.c tests/cli/*.t tests/oracle/*.t; do
	ok "docs/TESTING.md names $t" grep -qF "$(basename "$t" .c)" docs/TESTING.md
done
for target in $(sed -n 's/^    \(sudo \)*make \([a-z][a-z-]*[a-z]\)\( .*\|$\)/\2/p' README.md docs/TESTING.md |
	sort -u); do
	ok "make $target exists" make -n -o test-deps "$target"
done
done_testing
