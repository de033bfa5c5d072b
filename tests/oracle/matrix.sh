# SPDX-License-Identifier: GPL-2.0
#
# matrix.sh - recordings of the installed perf, and the ways to print them; read in after tests/lib.sh.
#
#   row NAME OPTION... -- COMMAND   perf record OPTION... -- COMMAND makes $f; it is printed without options
#   by OPTIONS...                   and with each of these words of options: the text of script --compat is
#                                   that of perf script, byte for byte
#   refused OPTIONS...              both refuse these, with the same message
#   both_refuse OPTIONS...          likewise, each in its own words
#   cut_short=N                     from here on, one in N of perf's stacks may have fewer frames than ours (empty: none),
#                                   or other ones, where --max-stack leaves out those that follow
#   own_vdso32=1                    from here on, names in [vdso32] count for nothing: perf starts a 32-bit program of its
#                                   own to read it, where the recording does not tell its build-id (empty: they count)
#   foreign_files=1                 from here on, names in files that are not the ones of our root count for nothing: perf takes
#                                   a file of a chroot or container for ours of that path (empty: they count)
#   ties=1                          from here on, lines of the same microsecond may be in any order: of files by CPU, perf's is
#                                   (empty: they may not)
#   without ERE OPTIONS...          as by, but for the lines that match ERE
#   background CMD...               start a load: $pid; it is ended with the test
#   build NAME SOURCE FLAG...       a program or library $BIN/NAME of tests/oracle/matrix/SOURCE
#   $BIN                            a folder that perf does not take for a JIT's
#   matrix_done                     how many recordings and comparisons there were
#
# Beside perf 6.12, names in tables of procedure linkage and in the vdso count for nothing: it has others. A file whose
# texts are those of perf 6.1 alone needs perf-6.1.
#
# Options may be quoted as in sh. A recording without samples is a failure.

need_root
need perf-known
need_tracefs

BIN=$(mktemp -d /var/tmp/matrix.XXXXXX)
at_exit rm -rf "$BIN"
HOME=$BIN # with perf's copies of binaries
export HOME
compat=$(perf_compat)
rows=0 comparisons=0 cut_short= own_vdso32= foreign_files= ties=

build()
{
	name=$1 source=tests/oracle/matrix/$2
	shift 2
	case $source in
	*.cc) compiler=${CXX:-g++} ;;
	*) compiler=${CC:-cc} ;;
	esac
	$compiler -D_GNU_SOURCE -fno-omit-frame-pointer "$@" -o "$BIN/$name" "$source" $libraries >"$TMP/build.out" 2>&1 &&
		return
	fail "builds $name"
	diag_file "$TMP/build.out"
}
libraries=

background()
{
	"$@" >"$TMP/load.out" 2>&1 &
	pid=$!
	at_exit kill $pid '2>/dev/null'
}

row()
{
	row=$1 f=$TMP/$1.data
	shift
	rows=$((rows + 1))
	# perf 6.1 sometimes dies of what others run: when it reads a 32-bit vdso, or a BPF program that is gone
	for try in first second third fourth fifth sixth; do
		record_rc=0
		perf record -q -o "$f" "$@" >"$TMP/record.out" 2>&1 || record_rc=$?
		print ''
		[ $record_rc -ge 128 ] || [ $perf_rc -ne 0 ] || break
		diag "$row: perf failed: record $record_rc, script $perf_rc, $try try"
	done
	compare ''
	[ "$(wc -l <"$TMP/want")" -gt 5 ] && return
	fail "$row: there are samples"
	diag_file "$TMP/record.out"
}

# perf_prints OPTION...: what perf says of $f, to $TMP/want. perf 6.1 sometimes dies, and not again when it is asked again.
perf_prints()
{
	for perf_try in 1 2 3; do
		perf_rc=0
		perf script -i "$f" "$@" >"$TMP/want" 2>"$TMP/want.err" </dev/null || perf_rc=$?
		# 129 and 255 are its words for options that it does not take
		[ $perf_rc -gt 129 ] && [ $perf_rc -lt 255 ] || return 0
		diag "$row: perf script $*: exit status $perf_rc, try $perf_try: $O/tests/$row.crashes-perf"
		cp "$f" "$O/tests/$row.crashes-perf"
		diag_file "$TMP/want.err"
	done
}

# print OPTIONS: in both ways, to $TMP/want and $TMP/got. A file of somebody else that went away between the two has names in
# one of them alone: then once more.
print()
{
	for print_try in 1 2 3; do
		print_both "$1"
		[ -z "$cut_short" ] && [ -s "$f.foreign" ] && ! cmp -s "$TMP/want" "$TMP/got" || return 0
	done
}

print_both()
{
	eval "set -- $1"
	rc=0
	perf_prints "$@"
	"$PERF_LITE" script -q --compat=$compat -i "$f" "$@" >"$TMP/got" 2>"$TMP/got.err" </dev/null || rc=$?
	comparisons=$((comparisons + 1))
	as_known_to_both "$TMP/want" "$TMP/got"
	if [ -n "$own_vdso32" ]; then
		sed -i 's/ [^ ]* (\[vdso32\])$/ [unknown] ([vdso32])/' "$TMP/want" "$TMP/got"
	fi
	leave_out_foreign
	[ -z "$ties" ] || settle_ties "$TMP/want" "$TMP/got"
}

# settle_ties FILE...: lines of the same time in the order of their texts
settle_ties()
{
	for side; do
		awk '
			function put(   i, j, line)
			{
				for (i = 2; i <= n; i++) {
					line = same[i]
					for (j = i - 1; j && same[j] > line; j--)
						same[j + 1] = same[j]
					same[j + 1] = line
				}
				for (i = 1; i <= n; i++)
					print same[i]
				n = 0
			}
			{
				time = match($0, / [0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]: /) ? substr($0, RSTART, RLENGTH) : ""
				if (time != last)
					put()
				last = time
				same[++n] = $0
			}
			END { put() }' "$side" >"$side.settled" && mv "$side.settled" "$side"
	done
}

# The paths in $f whose file here has another number or build-id, is soon gone, or lies in the tree of another system, a line
# each, to $f.foreign.
list_foreign()
{
	perf script -i "$f" --show-mmap-events 2>/dev/null </dev/null |
		sed -nE 's/.* PERF_RECORD_MMAP2 .*[ <]([0-9a-f]+)( [0-9]+|>)\]: [^ ]* (\/.*)/\1 \3/p' | sort -u |
		while read -r id path; do
			case $path in
			"$BIN"/* | "$TMP"/*) continue ;;
			/tmp/* | /var/tmp/* | /?*/usr/lib/* | /?*/usr/bin/* | /?*/usr/sbin/*) ;;
			*)
				[ "$(stat -c %i "$path" 2>/dev/null)" != "$id" ] || continue
				[ "$(readelf -n "$path" 2>/dev/null | sed -n 's/.*Build ID: //p')" != "$id" ] || continue
				;;
			esac
			echo "$path"
		done | sort -u >"$f.foreign"
}

leave_out_foreign()
{
	[ -n "$foreign_files" ] || return 0
	[ -e "$f.foreign" ] || list_foreign
	for side in got want; do
		awk -v list="$f.foreign" 'BEGIN { while ((getline path <list) > 0) foreign["(" path ")"] = 1 }
			{ file = $0; sub(/.* \(\//, "(/", file) } # with " (deleted)"
			foreign[file] || file ~ /^\(\/tmp\/perf-[0-9]+\.map\)$/ { $0 = $1 " ? " file }
			{ print }' "$TMP/$side" >"$TMP/$side.ours" && mv "$TMP/$side.ours" "$TMP/$side"
	done
}

# beyond_cut_short OPTIONS: what is wrong with $TMP/got, where perf may have lost callers: the sample and its innermost
# frame are the same.
beyond_cut_short()
{
	case $1 in
	*--max-stack*) limited=1 ;;
	*) limited=0 ;;
	esac
	awk -v RS= -v got="$TMP/got" -v part="$cut_short" -v limited=$limited '
		{
			nr++
			if ((getline line <got) <= 0) exit bad = 1
			if (line == $0) next
			n = split($0, perf, "\n")
			if (split(line, own, "\n") <= n - limited || own[1] != perf[1] || (n > 1 && own[2] != perf[2])) exit bad = 1
			short++
		}
		END {
			if (bad) print "want:\n" $0 "\ngot:\n" line
			else if ((getline line <got) > 0) print "more than perf has:\n" line
			else if (short > nr / part + 1) print short " of " nr " stacks are longer than those of perf"
		}' "$TMP/want"
}

by()
{
	for how; do
		print "$how"
		compare "$how"
	done
}

perf_failed()
{
	[ $perf_rc -eq 0 ] || diag "perf script: exit status $perf_rc: $(tail -n 1 "$TMP/want.err")"
}

# compare OPTIONS: what was printed with them
compare()
{
	desc="$row: ${1:-no options} ($(wc -l <"$TMP/want") lines)"
	if [ -z "$cut_short" ]; then
		is_file "$desc" "$TMP/got" "$TMP/want"
		perf_failed
	else
		is "$desc" "$(beyond_cut_short "$1")" ""
	fi
}

without()
{
	left_out=$1
	shift
	for how; do
		print "$how"
		for side in got want; do
			grep -Ev -e "$left_out" "$TMP/$side" >"$TMP/$side.rest"
		done
		is_file "$row: ${how:-no options} ($(wc -l <"$TMP/want.rest") lines)" "$TMP/got.rest" "$TMP/want.rest"
	done
}

both_refuse()
{
	for how; do
		print "$how"
		ok "$row: $how: perf refuses it" test $perf_rc -ne 0
		ok "$row: $how: and so do we" test $rc -ne 0
	done
}

refused()
{
	for how; do
		both_refuse "$how"
		message=$(sed -n 's/^perf-lite: //p; q' "$TMP/got.err")
		ok "$row: $how: $message" grep -qxF -e "${message:-none}" "$TMP/want.err"
	done
}

matrix_done()
{
	diag "$rows recordings, $comparisons comparisons"
	done_testing
}
