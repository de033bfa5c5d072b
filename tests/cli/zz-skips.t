# SPDX-License-Identifier: GPL-2.0
#
# Runs last: one line sums up what was not tested and why, and each skip has a reason that holds: an
# ability that this process lacks (tests/prog/can.c), a package that is not installed, or what no package
# brings (skip_outside). So with all rights and all packages nothing is skipped. The tests that failed
# at first (TEST_TRIES) are listed, too: each is a defect, of the program or of the test.
. tests/lib.sh

skips=$O/tests/skips
[ -f "$skips" ] || : >"$skips"

if [ -s "$O/tests/retried" ]; then
	diag "failed at first: $(wc -l <"$O/tests/retried")"
	sed 's/^/#   /' "$O/tests/retried" >&2
fi

# summary SKIPS: one line, each reason with the number of files, the most first
summary()
{
	awk -v not_installed=" ($not_installed)" -v outside="$outside: " '
		{
			file = $0
			sub(/: .*/, "", file)
			reason = substr($0, length(file) + 3)
			if (at = index(reason, not_installed)) {
				package[substr(reason, 1, at - 1)]
				reason = "packages"
			} else if (index(reason, outside) == 1) {
				reason = substr(reason, length(outside) + 1)
			}
			if (!((reason, file) in seen))
				files[reason]++
			seen[reason, file]
		}
		END {
			for (p in package)
				names = names (names ? ", " : "") p
			for (r in files)
				printf "%d %s: %d %s\n", files[r], r == "packages" ? "packages (" names ")" : r,
					files[r], files[r] == 1 ? "file" : "files"
		}' "$1" | sort -k1,1nr -k2 | sed 's/^[0-9]* //' | paste -sd ';' - | sed 's/;/; /g'
}

# without_reason SKIPS LACKS: the skips whose reason is not among LACKS
without_reason()
{
	awk -v not_installed=" ($not_installed)" -v outside="$outside: " '
		FILENAME == ARGV[1] { holds[$0]; next }
		{ reason = $0; sub(/^[^:]*: /, "", reason) }
		index(reason, outside) == 1 || reason in holds { next }
		index(reason, not_installed) && "packages" in holds { next }
		{ print }' "$2" "$1"
}

# The two functions, asked about made skips.
cat >"$TMP/made" <<END
tests/a.t: tracepoints (they are gone)
tests/a.t: tracepoints (they are gone)
tests/b.t: tracepoints (they are gone)
tests/b.t: node ($not_installed)
tests/c.t: $outside: a second CPU
tests/d.t: it rained
END
is "the sum" "$(summary "$TMP/made")" \
	"tracepoints (they are gone): 2 files; a second CPU: 1 file; it rained: 1 file; packages (node): 1 file"
echo "tracepoints (they are gone)" >"$TMP/made.lacks"
without_reason "$TMP/made" "$TMP/made.lacks" >"$TMP/got"
printf '%s\n' "tests/b.t: node ($not_installed)" "tests/d.t: it rained" >"$TMP/want"
is_file "reasons that do not hold are found" "$TMP/got" "$TMP/want"
: >"$TMP/made.lacks"
is "nothing lacks: all but what no package brings" "$(without_reason "$TMP/made" "$TMP/made.lacks" | wc -l)" 5

sed -n 's/^[^ ]* no //p' "$can_file" >"$TMP/lacks"
sh scripts/dev/install-deps -n build test test-large >"$TMP/packages" || echo packages >>"$TMP/lacks"
without_reason "$skips" "$TMP/lacks" >"$TMP/got"
: >"$TMP/want"
is_file "each skip has a reason that holds" "$TMP/got" "$TMP/want"

[ ! -s "$TMP/packages" ] || diag "not installed: $(xargs <"$TMP/packages"); scripts/dev/install-deps test test-large does that"
[ ! -s "$skips" ] || diag "not tested here: $(summary "$skips")"
done_testing
