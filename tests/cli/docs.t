# SPDX-License-Identifier: GPL-2.0
#
# The documents tell the truth where a machine can check it.
. tests/lib.sh
need_cmd mandoc
need_cmd col

for page in docs/*.[1-9]; do
	ok "$page: no complaint from mandoc" mandoc -T lint -W warning "$page"
done

# Quotes and brackets of mdoc that close in the wrong place, as "‘*, ‘?’’", and options on which nothing is said.
quotes_close()
{
	! mandoc -Tutf8 -Owidth=1000 "$1" | LC_ALL=C.UTF-8 col -bx | sed 's/  */ /g' |
		LC_ALL=C.UTF-8 grep -nE '‘[^’]*‘|“[^”]*“|’’|””|^[^“]*”[^“]*”' >"$TMP/garbled"
}
for page in docs/*.[1-9]; do
	ok "$page: quotes close where they should" quotes_close "$page"
	[ ! -s "$TMP/garbled" ] || diag_file "$TMP/garbled"
done
if command -v groff >"$TMP/groff"; then
	for page in docs/*.[1-9]; do
		groff -mandoc -Tutf8 -ww "$page" >"$TMP/page" 2>"$TMP/warnings"
		is "$page: no complaint from groff" "$(cat "$TMP/warnings")" ""
	done
fi
"$PERF_LITE" --completion | awk -F '\t' '$1 !~ /^-/ && $1 != "help" { print $1 }' >"$TMP/commands"
ok "there are commands" test -s "$TMP/commands"
while read -r command; do
	like "perf-lite(1) has $command" docs/perf-lite.1 "^\.It Xr perf-lite-$command 1 "
	like "perf-lite(1) sees also $command" docs/perf-lite.1 "^\.Xr perf-lite-$command 1( ,)?\$"
	ok "$command has a page" test -s "docs/perf-lite-$command.1"
	"$PERF_LITE" "$command" --help >"$TMP/help"
	unlike "$command --help: a text for each option" "$TMP/help" '^ +-[^ ]+(, --[^ ]+)? +$'
done <"$TMP/commands"

for doc in README.md docs/*.md; do
	for link in $(grep -o ']([^):# ]*)' "$doc" | tr -d '])('); do
		ok "$doc: $link is there" test -e "$(dirname "$doc")/$link"
	done
done

# Paths and functions that the documents name exist. NAME, X, Y and MACHINE are placeholders.
paths_of()
{
	grep -oE '(^|[^A-Za-z0-9_./-])(util|arch|perf-lite|tests|scripts|docs)/[A-Za-z0-9_.*/-]*' "$1" |
		sed -E 's/^[^a-z]//; s/NAME|MACHINE|\<[XY]\>|_X/*/g; s/[.-]*$//' | sort -u
}
exists()
{
	# shellcheck disable=SC2086
	set -- $1
	[ -e "$1" ]
}
find util arch perf-lite scripts/python \( -name '*.[ch]' -o -name '*.py' \) -exec grep -ohE '[a-z_][a-z0-9_]*\(' {} + | sort -u >"$TMP/functions"
for doc in docs/*.md; do
	paths_of "$doc" >"$TMP/paths"
	while read -r path; do
		ok "$doc: $path is there" exists "$path"
	done <"$TMP/paths"
	grep -oE '[a-z_][a-z0-9_]*\(\)' "$doc" | tr -d ')' | sort -u >"$TMP/named"
	is "$doc: its functions are there" "$(comm -23 "$TMP/named" "$TMP/functions")" ""
done

targets=$(sed -n 's/^    \(sudo \)*make \([a-z][a-z-]*[a-z]\)\( .*\|$\)/\2/p' README.md docs/*.md | sort -u)
ok "what to make is named" test -n "$targets"
make -npq .PHONY 2>/dev/null | sed -n 's/^\([a-z_-]*\):.*/\1/p' | sort -u >"$TMP/made"
is "all of it exists" "$(echo "$targets" | comm -23 - "$TMP/made")" ""
done_testing
