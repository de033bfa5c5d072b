# SPDX-License-Identifier: GPL-2.0
#
# Files that perf 6.1 wrote on s390x (big-endian) and on arm64, both Linux 6.1, and what perf's script printed of them there, without names
# of functions, which these files do not have: "perf record -g -e cpu-clock -F 300 -- spin 100", "perf record -e cpu-clock,task-clock,page-faults -F 100 -- spin 60".
. tests/lib.sh
here=tests/cli/foreign

for machine in s390x arm64; do
	run_ok "$machine: call chains" "$PERF_LITE" script --compat=6.1 -F comm,tid,time,period,event,ip -i "$here/$machine-clock.perf"
	# an odd address on arm64 is what a link register says of a leaf's caller, in code that is not here
	awk -v machine="$machine" '/^\t/ { if (machine == "arm64" && $1 !~ /[048c]$/) next; print "\t" $1; next } { sub(/ +$/, ""); print }' "$TMP/out" >"$TMP/chains"
	is_file "are those that perf printed there" "$TMP/chains" "$here/$machine-clock.txt"
	run_ok "$machine: three events" "$PERF_LITE" script --compat=6.1 -F comm,tid,time,period,event,ip -i "$here/$machine-two.perf"
	awk '{ gsub(/ +/, " "); sub(/^ /, ""); sub(/ $/, ""); print }' "$TMP/out" >"$TMP/events"
	is_file "are those that perf printed there" "$TMP/events" "$here/$machine-two.txt"
	run_ok "$machine: evlist" "$PERF_LITE" evlist -i "$here/$machine-two.perf"
	is "has their names" "$(tr '\n' ' ' <"$TMP/out")" "cpu-clock task-clock page-faults "
	run_ok "$machine: report" "$PERF_LITE" report --stdio -i "$here/$machine-clock.perf"
	like "counts every sample" "$TMP/out" "^# Samples: $(grep -c cpu-clock "$here/$machine-clock.txt") "
done
done_testing
