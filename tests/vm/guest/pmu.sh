# SPDX-License-Identifier: GPL-2.0
#
# PMUs whose counts are known (tests/vm/fakepmu): a processor's counters, units outside of it, branch and memory samples; and two
# sorts of cores.
. /tests/lib.sh
[ -e /modules/fakepmu.ko ] || skip_all "no module fakepmu for this kernel"
overflow=$(sed -n 's/^\([0-9a-f]*\) T perf_event_overflow$/0x\1/p' /proc/kallsyms)
steps=/sys/module/fakepmu/parameters/steps

# stat OPTION...: as fields, which are in $TMP/stat
stat()
{
	"$PERF_LITE" stat -x, -o "$TMP/stat" "$@" >"$TMP/out" 2>"$TMP/err" || cat "$TMP/err" >&2
}
count() # EVENT: of the last stat
{
	awk -F, -v event="$1" '$3 == event { print $1; exit }' "$TMP/stat"
}
take() # N COMMAND...: which gets a command that takes N steps
{
	take_n=$1
	shift
	"$@" sh -c "echo $take_n >$steps"
}
script()
{
	"$PERF_LITE" script -q "$@" 2>&1
}

insmod /modules/fakepmu.ko "overflow=$overflow" || skip_all "the module cannot be loaded"

# Counts

take 12345 stat -e cpu/steps/,cpu/steps/u,cpu/steps/k,cpu/event=0x77,umask=0/ --
is "steps are counted to the unit" "$(count cpu/steps/)" 12345
is "all of them of the user" "$(count cpu/steps/u)" 12345
is "none of the kernel's" "$(count cpu/steps/k)" 0
take 777 stat -e steps,r77,cpu/event=0x77,name=by-number/ --
is "by the name that the driver has" "$(count steps)" 777
is "by its number" "$(count r77)" 777
is "by number and name" "$(count by-number)" 777
stat -e '{cycles,instructions,cycles:u,cycles:k}' -- "$PROG/spin" 20
cycles=$(count cycles)
ok "cycles" test "${cycles:-0}" -gt 10000000
is "instructions of a group are exactly one and a half of its cycles" "$(count instructions)" $((cycles / 2 * 3))
is "the user's cycles and the kernel's are all" $(($(count cycles:u) + $(count cycles:k))) "$cycles"
stat -e L1-dcache-loads,L1-dcache-load-misses,cpu/LLC-loads/,stalled-cycles-backend -- "$PROG/spin" 20
ok "a tenth of the loads missed the cache" \
	awk -v a="$(count L1-dcache-loads)" -v m="$(count L1-dcache-load-misses)" 'BEGIN { exit !(a > 0 && m > a / 10.1 && m < a / 9.9) }'
ok "a generic name between slashes" test "$(count cpu/LLC-loads/)" -gt 0
is "what there is not" "$(count stalled-cycles-backend)" "<not supported>"

# More events than counters

eight=cycles,instructions,branches,branch-misses,cache-references,cache-misses,ref-cycles,L1-dcache-loads
stat -e $eight -- "$PROG/spin" 200
cp "$TMP/stat" /out/eight
ok "eight events take turns on four counters" awk -F, 'NF > 4 && $5 > 5 && $5 < 95 { n++ } END { exit n != 8 }' "$TMP/stat"
ok "and are scaled: two cycles a nanosecond, within 2 %" awk -F, '
	$3 == "cycles" { rate = $1 * $5 / 100 / $4; ok = rate > 1.96 && rate < 2.04 } END { exit !ok }' "$TMP/stat"
stat -e '{cycles,instructions,branches,branch-misses,cache-misses}' -- "$PROG/spin" 20
is "five in a group do not fit" "$(count cache-misses)" "<not supported>"
stat -e '{cycles,instructions,branches,branch-misses,cache-misses}:W' -- "$PROG/spin" 100
ok "unless it is weak" test "$(count cache-misses)" -gt 0
stat -e '{cycles,instructions,branches,branch-misses}:D,cache-misses' -- "$PROG/spin" 20
is "beside four that stay on the counters" "$(count cache-misses)" "<not counted>"
run_ok "stat, without events named" "$PERF_LITE" stat -- "$PROG/spin" 50
cp "$TMP/err" /out/stat
like "cycles with their rate" "$TMP/err" ' cycles +# +(1\.[5-9]|2\.[0-5])[0-9]* GHz'
like "instructions per cycle" "$TMP/err" ' instructions +# +1\.50  insn per cycle'
like "branch misses" "$TMP/err" ' branch-misses +# +2\.00% of all branches'
stat -a -A -e '{cycles,instructions}' -- "$PROG/spin" 20
is "each CPU has both" "$(cut -d, -f1 "$TMP/stat" | grep -c CPU)" 4

# Units outside of the processor: two boxes, the second counts twice

sum='^ +300\.00 MiB  uncore_fake/transfers/'
take 1638400 run "$PERF_LITE" stat -a -e uncore_fake/transfers/ --
like "the sum of both, with scale and unit" "$TMP/err" "$sum"
is "in one row" "$(grep -c transfers/ "$TMP/err")" 1
take 1638400 run "$PERF_LITE" stat -e uncore_fake/transfers/ --
like "of everybody, also if there is a command" "$TMP/err" "$sum"
take 1638400 run "$PERF_LITE" stat -a --no-merge -e transfers --
like "--no-merge: one" "$TMP/err" '^ +100\.00 MiB  uncore_fake_0/transfers/'
like "--no-merge: the other" "$TMP/err" '^ +200\.00 MiB  uncore_fake_1/transfers/'
take 1638400 run "$PERF_LITE" stat -a -e '{cycles,fake_1/transfers/}' --
like "beside what it is no group with" "$TMP/err" '^ +200\.00 MiB  fake_1/transfers/'
like "which is said" "$TMP/err" '^cycles: its group is of several PMUs'
run "$PERF_LITE" record -a -o "$TMP/d" -e uncore_fake_0/transfers/ -- true
rc_is 2 "they cannot be sampled"
like "which is said" "$TMP/err" 'can be counted, not sampled'
run_ok "list" "$PERF_LITE" list
like "has the driver's events" "$TMP/out" '^cpu/steps/'
like "and those of the boxes" "$TMP/out" '^uncore_fake_1/transfers/'

# Mistakes

run "$PERF_LITE" stat -e cpu/cycle/ true
like "a name that is none" "$TMP/err" "^hint: did you mean '"
run "$PERF_LITE" stat -e cpu/event=0x1000/ true
like "a number that its field cannot hold" "$TMP/err" "'event' is too big: 4095 at most"
run "$PERF_LITE" record -b -e cs true
rc_is 1 "branches of an event that is not the processor's"

# Samples

take 123456 run "$PERF_LITE" record -e cpu/steps/u -c 1000 -o "$TMP/d" --
is "a sample each thousand" "$(script -i "$TMP/d" | grep -c cpu/steps/u:)" 123
run_ok "verify" "$PERF_LITE" verify "$TMP/d"
run_ok "record by period" "$PERF_LITE" record -e cycles -c 1000003 -g -o "$TMP/d" -- "$PROG/spin" 100
is "each has it" "$(script -i "$TMP/d" -G -F period | sort -u | tr -d ' ')" 1000003
ok "one for half a millisecond, or nearly" test "$(script -i "$TMP/d" -G -F period | wc -l)" -gt 20
run_ok "record by frequency" "$PERF_LITE" record -F 1000 -o "$TMP/d" -- "$PROG/spin" 300
ok "the period adapts" test "$(script -i "$TMP/d" -F event,period | grep cycles: | sort -u | wc -l)" -gt 5
rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
echo 500 >/proc/sys/kernel/perf_event_max_sample_rate
run_ok "more than the kernel allows" "$PERF_LITE" record -e cycles -c 20000 -o "$TMP/d" -- "$PROG/spin" 100
echo "$rate" >/proc/sys/kernel/perf_event_max_sample_rate
like "is told" "$TMP/err" "the kernel throttled events [0-9]+ times"

# Branches: seven of the user, one of the kernel

take 5000 run "$PERF_LITE" record -b -e cpu/steps/u -c 1000 -o /out/branches.data --
script -i /out/branches.data -F ip,brstack >"$TMP/branches"
is "each sample has its branches" "$(awk 'NF == 8 { n++ } END { print n + 0 }' "$TMP/branches")" 5
ok "the newest ends at the sample" awk '{ split($2, b, "/"); if (b[2] != "0x" $1 || b[3] != "M") exit 1 }' "$TMP/branches"
take 5000 run "$PERF_LITE" record -j any,k,save_type -e cpu/steps/u -c 1000 -o "$TMP/d" --
script -i "$TMP/d" -F brstack >"$TMP/branches"
is "-j any,k: the kernel's" "$(grep -c "$(echo "$overflow" | sed 's/^0x0*/0x/')/" "$TMP/branches")" 5
is "and no others" "$(wc -w <"$TMP/branches")" 5
take 3000 run "$PERF_LITE" record -e "cpu/steps,branch_type='any,u'/u" -e cs -c 1000 -o "$TMP/d" --
is "of one event alone" "$(script -i "$TMP/d" -F event,brstack | grep -c 'steps.*/M/')" 3

# Memory

take 25000 run "$PERF_LITE" record -d -W -e cpu/mem-loads,ldlat=30/u -e cpu/mem-stores/u -c 1000 -o /out/memory.data --
script -i /out/memory.data -F event,addr,weight,data_src,ins_lat >"$TMP/memory"
is "loads and stores" "$(grep -c mem-loads "$TMP/memory") $(grep -c mem-stores "$TMP/memory")" "25 25"
like "where loads found it" "$TMP/memory" 'mem-loads,.*\|OP LOAD\|LVL L3 or L3 hit\|SNP HitM\|TLB L2 miss\|LCK N/A'
like "where stores found it" "$TMP/memory" 'mem-stores.*\|OP STORE\|LVL L1 or L1 hit\|'
ok "each weighs ten times its number" awk '{ if ($NF == 0 || $(NF - 1) != 10 * $NF) exit 1 }' "$TMP/memory"
is "and has an address of the stack" "$(awk '$2 ~ /^7f/ { n++ } END { print n + 0 }' "$TMP/memory")" 50
rmmod fakepmu

# Two sorts of cores: CPU 0 is one of them

insmod /modules/fakepmu.ko hybrid=1 "overflow=$overflow"
take 1000 taskset 1 "$PERF_LITE" stat -x, -o "$TMP/stat" -e cycles,instructions,steps:u --
is "one event is two" "$(cut -d, -f3 "$TMP/stat" | grep -c cycles)" 2
is "on the one it was counted" "$(count cpu_core/steps/u)" 1000
is "on the other it was not" "$(count cpu_atom/steps/u)" "<not counted>"
ok "generic events" test "$(count cpu_core/cycles/)" -gt 1000
is "likewise" "$(count cpu_atom/cycles/)" "<not counted>"
take 1000 taskset 2 "$PERF_LITE" stat -x, -o "$TMP/stat" -e '{cpu_atom/cycles/,cpu_atom/steps/}',r77 --
ok "the other alone" test "$(count cpu_atom/cycles/)" -gt 1000
is "its steps" "$(count cpu_atom/steps/)" 1000
is "by number" "$(count cpu_atom/r77/)" 1000
run_ok "stat, without events named" taskset 2 "$PERF_LITE" stat -- "$PROG/spin" 20
cp "$TMP/err" /out/stat.hybrid
like "what was not counted has its row" "$TMP/err" '<not counted> +cpu_core/instructions/'
like "instructions per cycle of the other" "$TMP/err" 'cpu_atom/instructions/ +# +1\.50  insn per cycle'
run_ok "stat of a group of both" "$PERF_LITE" stat -a -e '{cpu_core/cycles/,cpu_atom/cycles/}' -- "$PROG/spin" 20
unlike "both are counted" "$TMP/err" '<not'
run_ok "record" "$PERF_LITE" record -a -e cycles -c 1000003 -o /out/hybrid.data -- sh -c "taskset 1 $PROG/spin 50; taskset 2 $PROG/spin 50"
script -i /out/hybrid.data -F comm,cpu,event | grep spin | sort -u >"$TMP/out"
is "each CPU samples with its own" "$(awk '{ print $2, $3 }' "$TMP/out" | tr '\n' ' ')" "[000] cpu_core/cycles/: [001] cpu_atom/cycles/: "
rmmod fakepmu
ok "the kernel had nothing to complain about" not grep -q 'WARNING:\|BUG:\|Call Trace' <<EOT
$(dmesg)
EOT
done_testing
