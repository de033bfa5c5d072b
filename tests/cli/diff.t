# SPDX-License-Identifier: GPL-2.0
#
# perf-lite diff: what gained and what lost between two recordings, or folded stacks.
. tests/lib.sh
need_root
need_cmd jq python3 iconv
# perf's cache of binaries is not looked into
HOME=$TMP
export HOME
cd "$TMP" || exit 1

record()
{
	out=$1
	shift
	"$PERF_LITE" record -q -F 999 -e cpu-clock:u -g -o "$out" -- "$PROG/parts" "$@" >record.out 2>&1 ||
		diag_file record.out
}

compare() { "$PERF_LITE" diff "$@"; }

# row FUNCTION: old and new in whole per cent, and the verdict, of $TMP/out
row()
{
	awk -v f="$1" '{ v = $5 ~ /^(within|more|less|new|gone)$/ ? 5 : 0 }
		v && $(v + ($v == "within" ? 2 : 1)) == f { printf "%d %d %s\n", $1 + 0.5, $2 + 0.5, $v }' "$TMP/out"
}

near() { [ "$1" -ge $(($2 - $3)) ] && [ "$1" -le $(($2 + $3)) ]; }

# Two recordings with known parts: a third each; then 30 %, 60 %, nothing, 10 %.

record old.data 400 400 400 0
record new.data 400 800 0 133
run_ok "two recordings" compare --all old.data new.data
is "nothing on standard error" "$(cat "$TMP/err")" ""
like "first what changed" out '^cpu-clock:u: of [0-9]+ functions, [1-3] more, [01] less, [12] new, [12] gone beyond noise'
like "and what these numbers can tell" out '^Smallest detectable change: [0-9.]+ points at 1 % of OLD, [0-9.]+ at 10 %\.$'
like "both are described" out '^OLD: old\.data, 1[0-9]{3} samples in [0-9.]+ s$'
for want in "beta 33 60 more" "delta 0 10 new" "gamma_part 33 0 gone"; do
	# shellcheck disable=SC2086
	set -- $want
	got=$(row "$1")
	is "$1 is said to be $4" "${got##* }" "$4"
	# shellcheck disable=SC2086
	set -- $want $got
	ok "$1 has $2 % and $3 %" near "$5" "$2" 5
	ok "$1, likewise in NEW" near "$6" "$3" 5
done
is "the largest change is first" "$(awk '/Verdict/ { getline; print $(NF - 1) }' out)" gamma_part
cp out want

run_ok "with callers" compare --children --all old.data new.data
like "what all samples stand below is no news" out '^ *(100\.00|9[0-9]\.[0-9]+)% *(100\.00|9[0-9]\.[0-9]+)% .*within noise  main +parts$'
is "helper lost with what it calls" "$(row helper | cut -d ' ' -f 3)" less

run_ok "stacks" compare --stacks old.data new.data
like "they are named whole" out '  more          parts;.*main;work;beta$'
like "with an answer of their own" out '^cpu-clock:u: of [0-9]+ stacks, '

for j in 1 2 7; do
	compare --all -j $j old.data new.data >got
	is_file "the same with $j threads" got want
done
compare --all - new.data <old.data | sed 's/^OLD: standard input/OLD: old.data/' >got
is_file "OLD from standard input" got want
compare --all old.data - <new.data | sed 's/^NEW: standard input/NEW: new.data/' >got
is_file "NEW from standard input" got want
# shellcheck disable=SC2002
cat new.data | "$PERF_LITE" diff --all old.data - | sed 's/^NEW: standard input/NEW: new.data/' >got
is_file "NEW from a pipe" got want

cp old.data perf-lite.data.old && cp new.data perf-lite.data
compare --all | sed 's/^OLD: perf-lite.data.old/OLD: old.data/; s/^NEW: perf-lite.data/NEW: new.data/' >got
is_file "by default, perf-lite.data.old and perf-lite.data" got want
mkdir far
mv perf-lite.data perf-lite.data.old far
ln -s far/perf-lite.data perf-lite.data
compare --all | sed 's/^OLD: .*far.perf-lite.data.old/OLD: old.data/; s/^NEW: perf-lite.data/NEW: new.data/' >got
is_file "a link: those beside the file that it names" got want
rm perf-lite.data
mv far/* .
compare --all new.data | sed 's/^OLD: perf-lite.data.old/OLD: old.data/' >got
is_file "one operand is NEW" got want

# Nothing changed

run_ok "a recording with itself" compare --all old.data old.data
like "nothing is beyond noise" out 'none changed beyond noise'
unlike "not one row" out ' (more|less|new|gone)  '
record again.data 400 400 400 0
run_ok "the same program again" compare old.data again.data
ok "alpha, beta, gamma are within noise" not grep -Eq '(alpha|beta|gamma_part)  ' out
run_ok "half of it, by shares" compare --time 0%-50% old.data old.data
like "is the same half" out 'none changed'

# Keys, order, limits

run_ok "by command and function" compare --by comm,sym old.data new.data
like "columns of both" out 'Function +Command$'
run_ok "by file" compare --by dso --all old.data new.data
is "one row for the program" "$(grep -c '  parts$' out)" 1
run_ok "by command" compare -s comm --all old.data new.data
like "all is one command's" out '^ *100\.00% *100\.00% *\+0\.00 *1\.00  within noise  parts$'
compare --sort name --all old.data new.data | sed '1,/Verdict/d; s/ *within noise/ within/' | awk '{ print $6 }' >names
ok "sorted by name" sort -c names
is "-n 2" "$(compare -n 2 --all old.data new.data | sed '1,/Verdict/d' | wc -l)" 2
compare --percent-limit 5 --all old.data new.data | sed '1,/Verdict/d' |
	awk '$1 + 0 < 5 && $2 + 0 < 5 { bad++ } END { exit bad || NR < 4 }'
is "--percent-limit" $? 0
run_ok "only the comm, and nothing of it is left out" compare -c parts --all old.data new.data
is_file "the same" out want
run_ok "of one function" compare -S alpha,beta --all old.data new.data
is "shares are of those" "$(sed '1,/Verdict/d' out | wc -l)" 2

# What makes them comparable

run_ok "per second" compare --per-second --all old.data new.data
run_ok "--normalise=none" compare --normalise none --all old.data new.data
is "the time in alpha is the same" "$(awk '$NF == "parts" && $(NF - 1) == "alpha" { print $5 }' out)" within
is "that in beta doubled" \
	"$(awk '$NF == "parts" && $(NF - 1) == "beta" { print ($4 > 1.6 && $4 < 2.5), $5 }' out)" "1 more"
"$PERF_LITE" record -q -c 4000000 -e cpu-clock:u -g -o seldom.data -- "$PROG/parts" 400 400 400 0 >record.out 2>&1
run_ok "another sampling rate" compare --normalise none old.data seldom.data
unlike "alpha, beta, gamma took as long" out ' (more|less)  .*(alpha|beta|gamma_part)'

# For programs

run_ok "--json" compare --json --stacks old.data new.data
ok "it is one object" jq -e 'has("old") and .normalised == "share"' out
is "of one event" "$(jq -r '.events[].event' out)" cpu-clock:u
is "beta" "$(jq -r '.events[0].functions[] | select(.function == "beta") | .self.verdict' out)" more
is "samples add up" "$(jq '.events[0] | (.old.samples == ([.functions[].self.old.samples] | add)) and
	(.new.weight == ([.functions[].self.new.weight] | add)) and
	(.new.samples == ([.stacks[].new.samples] | add))' out)" true
is "all is below main" "$(jq '.events[0] | (.functions[] | select(.function == "main") | .total.old.samples) as $main |
	$main / .old.samples > 0.95' out)" true
run_ok "--csv" compare --csv old.data new.data
is "a line of names" "$(head -n 1 out)" \
	"event,function,file,old_samples,new_samples,old_weight,new_weight,old,new,change,ratio,p,verdict"
is "as many fields in each line" "$(awk -F , '{ print NF }' out | sort -u)" 13
run_ok "--csv --stacks" compare --csv --stacks old.data new.data
like "has stacks" out '^cpu-clock:u,parts;.*;work;beta,'
run_ok "--folded" compare --folded old.data new.data
awk '{ print $NF }' out >got
"$PERF_LITE" script --folded -i new.data | awk '{ s += $NF } END { print s }' >sum
is "the counts are those of script --folded" "$(awk '{ s += $1 } END { print s }' got)" "$(cat sum)"

# Folded stacks

"$PERF_LITE" script --folded -i old.data >old.folded
"$PERF_LITE" script --folded -i new.data >new.folded
run_ok "folded stacks" compare --all old.folded new.folded
is "beta" "$(row beta | cut -d ' ' -f 3)" more
# weights of 1 ms each, whose greatest common divisor is another only by chance
samples=$(awk '
	function gcd(a, b) { return b ? gcd(b, a % b) : a }
	{ all += $NF; d = gcd($NF, d) }
	END { printf "%d\n", all / d }' old.folded)
like "the greatest common divisor is one sample" out "^OLD: old.folded, $samples samples, if the greatest common"
run_ok "a recording and folded stacks" compare old.data new.folded
is "beta" "$(row beta | cut -d ' ' -f 3)" more
run_ok "the same stacks" compare --by sym --stacks old.folded old.data
like "are the same" out 'none changed'
unlike "in each" out ' (new|gone)  '
"$PERF_LITE" diff --folded old.data new.data >want.folded
"$PERF_LITE" diff --folded old.folded new.folded >got
is_file "--folded of either" got want.folded

run compare --by dso old.data new.folded
rc_is 1 "folded stacks have no files"
run_ok "so their functions are told apart by names alone" compare old.data new.folded
like "without a column of files" out 'Verdict +Function$'
printf 'a;b 3\nnonsense\na;c 4\n' >some.folded
run compare some.folded old.folded
rc_is 3 "lines that are no stacks"
like "are counted" err 'some.folded: 1 of 3 lines left out, the first is line 2'
run compare --per-second old.folded new.data
rc_is 1 "folded stacks have no time"
like "which is said" err 'old.folded does not say how long it took'

# Names that are not nice

printf 'a;\033]0;x\007;<b> 30\n=1+1,"x";y 4\n\376\377;\t;z 5\n' >odd.folded
printf 'a;\033]0;x\007;<b> 90\n=1+1,"x";y 4\n\376\377;\t;z 5\n' >odd2.folded
for form in --all --stacks --csv --json --folded; do
	compare $form odd.folded odd2.folded >got
	ok "$form: UTF-8" iconv -f UTF-8 -t UTF-16 got
	tr -d '\n\040-\176\200-\377' <got >left
	ok "$form: no control byte" test ! -s left
done
ok "--json is JSON" sh -c "\"$PERF_LITE\" diff --json odd.folded odd2.folded | jq -e ."
compare --csv --stacks odd.folded odd2.folded | python3 -c '
import csv, sys
rows = list(csv.reader(sys.stdin))
sys.exit(0 if {len(r) for r in rows} == {12} and "=1+1,\"x\";y" in [r[1] for r in rows] else 1)'
is "--csv is CSV" $? 0

# Colour on a terminal only

compare old.data new.data >got
unlike "no colour to a file" got "$(printf '\033')"
compare --color=always old.data new.data >got
like "unless asked for" got "$(printf '\033')\\[31m *3[0-9]\\.[0-9]+% .*beta"

# Several events

"$PERF_LITE" record -q -e cpu-clock:u,page-faults:u -o two.data -- "$PROG/parts" 200 0 0 0 >record.out 2>&1
"$PERF_LITE" record -q -e cpu-clock:u,task-clock:u -o other.data -- "$PROG/parts" 200 0 0 0 >record.out 2>&1
run_ok "two events each" compare two.data two.data
is "a section for each" "$(grep -c '^[a-z:-]*: of [0-9]* functions*' out)" 2
run_ok "one in common" compare two.data other.data
like "the others are named" out '^page-faults:u: [0-9]+ samples? in OLD, none in NEW: nothing to compare$'
like "wherever they are" out '^task-clock:u: [0-9]+ samples? in NEW, none in OLD: nothing to compare$'
run compare --json two.data other.data
like "also for programs" err '^page-faults:u: [0-9]+ samples? in OLD, none in NEW'
run compare --event page-faults:u two.data other.data
rc_is 1 "an event that one has not"
like "is an error that names it" err 'other.data: .*no event .page-faults:u'
run_ok "--event" compare --event cpu-clock:u two.data other.data
unlike "leaves others out" out 'page-faults|task-clock'
run compare --folded two.data other.data
rc_is 1 "--folded needs one event"
like "says how to choose" err '^hint: .*--event=NAME'
run compare two.data seldom.data -c nobody
rc_is 1 "no samples in either"
like "nothing to compare" err 'nothing to compare'

# Bad input

run compare old.data missing.data
rc_is 1 "a file that is not there"
like "it is named" err 'missing.data'
: >empty
run compare old.data empty
rc_is 1 "an empty file"
printf 'f 0\n' >zero.folded
run compare zero.folded old.folded
rc_is 1 "no samples"
head -c 4096 "$PERF_LITE" >binary
run compare old.data binary
rc_is 1 "something else"
like "what it is not" err 'binary is no recording, and holds no folded stacks'
run compare - - </dev/null
rc_is 1 "standard input twice"
run compare a b c
rc_is 1 "three operands"
run compare --sort chnage old.data new.data
rc_is 1 "an unknown order"
like "did you mean" err "did you mean 'change'"
run compare --by comm,symbl old.data new.data
rc_is 1 "an unknown key"
like "did you mean" err "did you mean 'symbol'"
run compare --normalise cent old.data new.data
rc_is 1 "an unknown scale"
for bad in 0 x 1x nan ''; do
	run compare --burst "$bad" old.data new.data
	rc_is 1 "--burst '$bad'"
done
run compare --json --csv old.data new.data
rc_is 1 "two forms"

# Code that was made while it ran is the same in both, whichever process made it

case $(uname -m) in
x86_64 | aarch64)
	for side in old new; do
		run_ok "code that is made, $side" "$PERF_LITE" record -q -F 2000 -e cpu-clock:u -o "jit-$side.data" -- "$PROG/jit" 100
		rm -f "/tmp/perf-$(cat out).map"
	done
	run_ok "is compared" "$PERF_LITE" diff --all --csv jit-old.data jit-new.data
	for f in jit_alpha jit_beta; do
		is "$f: one function" "$(grep -c "$f" out)" 1
		unlike "$f: neither new nor gone" out "(new|gone).*$f|$f.*(new|gone)"
	done
	run_ok "in a picture" "$PERF_LITE" flamegraph --diff jit-old.data -i jit-new.data -o jit.svg
	unlike "they are not those that are gone" jit.svg '([2-9][0-9]|100)\.[0-9]*% of those in stacks that are gone'
	;;
esac

# Damage

size=$(stat -c %s new.data)
for side in OLD NEW; do
	cp new.data bad.data
	printf '\377\0\377\0' | dd of=bad.data bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
	if [ $side = OLD ]; then
		run compare bad.data new.data
	else
		run compare new.data bad.data
	fi
	rc_is 3 "$side is damaged"
	like "it is said" err 'bad\.data is damaged'
done
run compare bad.data bad.data
rc_is 3 "both are"
is "each is said" "$(grep -c 'bad\.data is damaged' err)" 2
head -c $((size * 3 / 4)) new.data >cut.data
run compare -q cut.data new.data
rc_is 3 "cut"
is "-q: one line, of the exit code" "$(wc -l <err)" 1
done_testing
