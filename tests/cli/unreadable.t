# SPDX-License-Identifier: GPL-2.0
#
# A debug file or a program that is there, but cannot be read: what lacks its lines or names says so, once for each file; so
# does who records them. One that is not there is no failure.
. tests/lib.sh
need objcopy nm readelf
HOME=$TMP
export HOME
top=$PWD
cd "$TMP" || exit

one() { sed -n "$1" | head -n 1; }
sh "$top/tests/prog/lines-recording.sh" . || exit
debug=$TMP/root/bin/prog.debug
cp "$debug" whole
where="inlined\.c"
lines()
{
	"$PERF_LITE" script --symfs "$TMP/root" -i lines.data -F ip,sym,srcline 2>all
	rc=$?
	sed -E '/ stacks? (is|are) complete/d' all >&2
	return $rc
}

run_ok "a debug file" lines
is "has the lines" "$(grep -c "$where:[1-9]" out)" 2
is "without a message" "$(cat err)" ""
rm "$debug"
run_ok "one that is not there" lines
is "has none" "$(grep -c "$where" out)" 0
is "and no message" "$(cat err)" ""

# missing WHY ERE: the lines are missing, and one line has the reason
missing()
{
	run_ok "$1" lines
	unlike "has no lines" out "$where"
	is "with one line on it: $2" "$(cat err)" "$debug: $2"
}
mkdir "$debug"
missing "a folder" "not a regular file"
rmdir "$debug"
printf '\177ELF and no more' >"$debug"
run_ok "a few bytes" lines
is "has one line" "$(grep -c "^$debug: .*ELF" err)" 1
# all but the headers of its sections, which are at the end
head -c $(($(readelf -hW whole 2>/dev/null | one 's/.*Start of section headers: *\([0-9]*\).*/\1/p') + 10)) whole >"$debug"
missing "one that was cut" "its sections cannot be read"

# Sections that make no sense.
damaged="the debug information is damaged: lines or inlined functions may be missing"
for section in info abbrev line line_str; do
	readelf -SW whole 2>/dev/null | grep -q "\.debug_$section " || continue
	objcopy --dump-section ".debug_$section=part" whole
	tr '\000-\377' '\200-\377\000-\177' <part >changed
	objcopy --update-section ".debug_$section=changed" whole "$debug"
	missing "damaged .debug_$section" "$damaged"
done

# What else has lines.
said() # WHY COMMAND...
{
	why=$1
	shift
	run_ok "$*" "$PERF_LITE" "$@" --symfs "$TMP/root" -i lines.data
	is "has one line on it" "$(grep -cxF "$debug: $why" err)" 1
}
said "$damaged" report --stdio -s srcline
said "$damaged" report --json -s sym,srcline
said "$damaged" script --inline
for format in pprof speedscope otlp gecko; do
	said "$damaged" convert --to $format -o "x.$format"
done
said "$damaged" flamegraph --inline -o x.svg
said "$damaged" count --by srcline
if can capstone; then
	said "$damaged" annotate
else
	skip_without "annotate" capstone
fi

# Symbols that lie behind the end of the file.
cut_off() # SECTION FILE: its offset is far too large
{
	number=$(readelf -SW "$2" 2>/dev/null | one "s/^ *\\[ *\\([0-9]*\\)\\] \\$1 .*/\\1/p")
	headers=$(readelf -hW "$2" 2>/dev/null | one 's/.*Start of section headers: *\([0-9]*\).*/\1/p')
	printf '\377\377\377\177' | dd of="$2" bs=1 seek=$((headers + number * 64 + 24)) conv=notrunc 2>/dev/null
}
for section in .symtab .strtab; do
	cp whole "$debug"
	cut_off $section "$debug"
	is "$section is cut off" "$(readelf -SW "$debug" 2>/dev/null | grep -c " $section .* 7fffffff ")" 1
	cut="$section cannot be read: it is cut; functions may lack names"
	said "$cut" script
	unlike "has no name" out outer
	said "$cut" script --folded
	said "$cut" report --stdio
	said "$cut" report --compat=6.1 --stdio
	said "$cut" count --by sym
	said "$cut" flamegraph -o x.svg
	said "$cut" convert --to csv -o x.csv
done

# Calls on it fail, one in a run.
cp whole "$debug"
lines >whole.out
injected="openat:error=EACCES openat:error=EMFILE pread64:error=EIO pread64:retval=0"
if can strace && can debugger; then
	for how in $injected; do
		silent='' said=0 n=1
		while strace -f -qq -o log -P "$debug" -e "trace=${how%%:*}" -e "inject=$how:when=$n" \
			"$PERF_LITE" script --symfs "$TMP/root" -i lines.data -F ip,sym,srcline >out 2>all &&
			grep -q INJECTED log; do
			sed -E '/ stacks? (is|are) complete/d' all >err
			[ ! -s err ] || said=$((said + 1))
			[ -s err ] || cmp -s out whole.out || silent="$silent $n"
			n=$((n + 1))
		done
		is "$how: nothing is missing silently" "$silent" ""
		ok "... of several calls ($n), and some have a message ($said)" test $n -gt 2 -a $said -gt 0
	done
else
	skip_without "calls that fail" strace debugger
fi

# Files of kernel symbols, asked for by name, also where all names are in the recording.
refuses() # FILE
{
	input=$1
	echo "root:x:0:0" >no-symbols
	mkfifo pipe 2>/dev/null
	for cmd in "report --stdio" script "script --folded" annotate flamegraph "convert --to csv" "count --by sym"; do
		for file in none no-symbols "$TMP"; do
			"$PERF_LITE" $cmd -i "$input" --kallsyms $file >out 2>err
			is "$input: $cmd --kallsyms $file" "$? $(grep -c "^perf-lite: $file: " err)" "1 1"
			[ "$cmd" != "count --by sym" ] || continue
			"$PERF_LITE" $cmd -i "$input" -k $file >out 2>err
			is "$input: $cmd -k $file" "$? $(grep -c "^perf-lite: $file: " err) $(grep -c "$file.*$file" err)" "1 1 0"
		done
	done
	"$PERF_LITE" script -i "$input" --kallsyms kallsyms >out 2>err
	is "$input: a list of symbols" "$? $(grep -c kallsyms err)" "0 0"
	cat kallsyms >pipe &
	"$PERF_LITE" script -i "$input" --kallsyms pipe >out 2>err
	is "$input: through a pipe" "$? $(grep -c pipe err)" "0 0"
	kill $! 2>/dev/null
	"$PERF_LITE" script -i "$input" -k whole >out 2>err
	is "$input: an image" "$?" 0
}
refuses lines.data

# Recording: what is not in the file is noted.
if ! can own; then
	skip_without "recording" own
	done_testing
	exit
fi
mkdir empty
# what the recording has itself: names, lines
has() { "$PERF_LITE" script -i x.data --symfs "$TMP/empty" --inline -F ip,sym,srcline 2>&1 | grep -c "$1"; }
record() { "$PERF_LITE" record "$@" -g -c 100000 -e cpu-clock:u -o x.data -- "$TMP/root/bin/prog" 100 2>&1 >printed | grep -F "$TMP/root/"; }
is "a recording with a debug file has no note" "$(record --inline)" ""
ok "but names and lines" test "$(has outer)" -gt 0 -a "$(has "$where:[1-9]")" -gt 0
rm "$debug"
is "without one: no note" "$(record --inline)" ""
is "and none of the names" "$(has outer)" 0

# noted WHY NAMES LINES ARG...
noted()
{
	is "record $4: a note" "$(shift 3 && record "$@")" "$debug: $1"
	is "the recording has names ($2), lines ($3)" "$([ "$(has outer)" -gt 0 ] && echo names) $([ "$(has "$where:[1-9]")" -gt 0 ] && echo lines)" "$2 $3"
}
mkdir "$debug"
noted "not a regular file" "" "" --inline
noted "not a regular file" "" "" -z1
rmdir "$debug"
cp whole "$debug"
cut_off .symtab "$debug"
cut=".symtab cannot be read: it is cut; functions may lack names"
noted "$cut" "" lines --inline
noted "$cut" "" "" -z1
cp whole "$debug"
cut_off .debug_abbrev "$debug"
ok "lines that cannot be read: a note" test "$(record --inline | grep -c "^$debug: ")" -eq 1
ok "names are there, lines are not" test "$(has outer)" -gt 0 -a "$(has "$where:[1-9]")" -eq 0
objcopy --dump-section .debug_info=part whole
tr '\000-\377' '\200-\377\000-\177' <part >changed
objcopy --update-section .debug_info=changed whole "$debug"
noted "$damaged" names "" --inline
cp whole "$debug"
if can strace && can debugger; then
	for how in $injected; do
		silent='' said=0 n=1
		while strace -f -qq -o log -P "$debug" -e "trace=${how%%:*}" -e "inject=$how:when=$n" \
			"$PERF_LITE" record --inline -g -c 100000 -e cpu-clock:u -o x.data -- "$TMP/root/bin/prog" 100 >printed 2>all &&
			grep -q INJECTED log; do
			if grep -qF "$debug: " all; then
				said=$((said + 1))
			elif [ "$(has outer)" -eq 0 ] || [ "$(has "$where:[1-9]")" -eq 0 ]; then
				silent="$silent $n"
			fi
			n=$((n + 1))
		done
		is "record, $how: nothing is missing silently" "$silent" ""
		ok "... of several calls ($n), and some have a note ($said)" test $n -gt 2 -a $said -gt 0
	done

	# What was written beside a file goes, too, when its place is not taken.
	for how in ftruncate:error=EIO fsync:error=EIO rename:error=EACCES; do
		cp x.data y.data
		rc=0
		strace -f -qq -o log -e "inject=$how" "$PERF_LITE" pack y.data >out 2>err || rc=$?
		ok "pack, $how: fails" test $rc -ne 0 -a -s err
		is "leaves nothing" "$(ls y.data*)" y.data
		ok "and the file as it was" cmp x.data y.data
	done
else
	skip_without "calls of a recorder that fail" strace debugger
fi
refuses x.data
done_testing
