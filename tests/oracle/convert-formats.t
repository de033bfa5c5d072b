# SPDX-License-Identifier: GPL-2.0
#
# What other programs read in what convert writes for them: traces, as the importer of chrome://tracing takes
# them. It is in the package bigrig of npm, which needs no browser.
. tests/lib.sh
need_root
need_event raw_syscalls:sys_enter
need_cmd python3 node

here=tests/oracle/consumers
version=1.3.0
if ! (cd "$TMP" && timeout 60 npm pack --prefer-offline --fetch-retries=1 --fetch-timeout=15000 bigrig@$version >npm.out 2>&1 &&
	tar xzf bigrig-$version.tgz); then
	skip_outside "bigrig $version" "npm does not fetch it: $(tail -n 1 "$TMP/npm.out")"
	done_testing
fi

# read_by_chrome DESC OPTION... -- COMMAND: each sample is read once among the samples and once among the instants
read_by_chrome()
{
	desc=$1
	shift
	run_ok "$desc: is recorded" "$PERF_LITE" record -q -m 16M -o "$TMP/a.data" "$@"
	cp "$TMP/out" "$TMP/said"
	"$PERF_LITE" script -q --json -i "$TMP/a.data" >"$TMP/json"
	run "$PERF_LITE" convert -q --to chrome -i "$TMP/a.data" -o "$TMP/trace"
	rc_is 0 "$desc: is written"
	ok "$desc: is read without a warning" node $here/chrome.js "$TMP/package" "$TMP/trace"
	cp "$TMP/ok.out" "$TMP/read"
	ok "$desc: all of it" python3 $here/chrome.py "$TMP/json" "$TMP/read"
}

read_by_chrome "a clock" -e cpu-clock -g -- "$PROG/consumed"
read_by_chrome "a tracepoint" -e raw_syscalls:sys_enter -g -- "$PROG/consumed"
read_by_chrome "several, unwound" -e cpu-clock,page-faults --call-graph dwarf -- "$PROG/spin" 100
read_by_chrome "hostile names" -F 999 -e cpu-clock -g -- "$PROG/names"
rm -f "/tmp/perf-$(sed -n '$s/[^0-9]//gp' "$TMP/said").map"
read_by_chrome "switches of everybody" -a -e sched:sched_switch -- "$PROG/threads" 100
is "each slice is read" "$(grep -c '^\["slice"' "$TMP/read")" "$(grep -c '"ph":"X"' "$TMP/trace")"
ok "there are some" grep -q '^\["slice"' "$TMP/read"
done_testing
