# SPDX-License-Identifier: GPL-2.0
#
# Files that perf 6.1 wrote on s390x (big-endian, Linux 6.1), and what perf's script printed of them there, without names of functions,
# which these files do not have: "perf record -g -e cpu-clock -F 300 -- spin 100", "perf record -e cpu-clock,task-clock,page-faults -F 100 -- spin 60".
. tests/lib.sh
here=tests/cli/foreign

run_ok "call chains" "$PERF_LITE" script --compat=6.1 -F comm,tid,time,period,event,ip -i "$here/s390x-clock.perf"
awk '/^\t/ { print "\t" $1; next } { sub(/ +$/, ""); print }' "$TMP/out" >"$TMP/chains"
is_file "are those that perf printed there" "$TMP/chains" "$here/s390x-clock.txt"
run_ok "three events" "$PERF_LITE" script --compat=6.1 -F comm,tid,time,period,event,ip -i "$here/s390x-two.perf"
awk '{ gsub(/ +/, " "); sub(/^ /, ""); sub(/ $/, ""); print }' "$TMP/out" >"$TMP/events"
is_file "are those that perf printed there" "$TMP/events" "$here/s390x-two.txt"
run_ok "evlist" "$PERF_LITE" evlist -i "$here/s390x-two.perf"
is "has their names" "$(tr '\n' ' ' <"$TMP/out")" "cpu-clock task-clock page-faults "
run_ok "report" "$PERF_LITE" report --stdio -i "$here/s390x-clock.perf"
like "counts every sample" "$TMP/out" '^# Samples: 118 '
done_testing
