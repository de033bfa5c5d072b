#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kills.sh [N [SEED [HOW...]]] - kills the recorder with SIGKILL at N random moments (default 200),
# the same ones for the same SEED, and looks at what is left. In turn, or only these:
#
#   storm      in the middle of a storm of system calls
#   after      when a load has ended, but its events are still in rings and batches
#   rare       after 50 events that came one by one
#   piped      as storm, with -o - and a cat behind it
#   alone      as storm, with --no-guardian
#
# With a guardian the file must be whole, its account closed (verify), no call in it twice, none
# missing but those counted as lost; without one it must be readable up to a cut. One line per kill
# that went wrong; ends with 1 if there was any. Needs root; O= names the build.
. tests/lib.sh
[ "$(id -u)" -eq 0 ] || { echo "kills: needs root" >&2; exit 1; }
. tests/cli/recording.sh
tap_done=1
kills=${1:-200}
seed=${2:-$(date +%N | sed 's/^0*//')}
if [ $# -gt 2 ]; then
	shift 2
else
	set -- storm after rare piped alone
fi
echo "kills: $kills kills, seed $seed"

bad=0
wrong()
{
	bad=$((bad + 1))
	tap_failed=$bad
	echo "kill $i, $how, after $ms ms: $*"
	mkdir -p "${KEEP:-$TMP}"
	[ -z "${KEEP:-}" ] || cp "$f" "$KEEP/kill-$i.data"
}

# ATLEAST: the file holds each call once, and all up to the last that it holds or counts; ATLEAST
# of them in all.
check()
{
	got=$(numbers)
	twice=$(doubled)
	last=$(last)
	[ "$twice" -eq 0 ] || wrong "$twice calls are there twice"
	[ "$how" != alone ] || return 0
	rc=0
	"$PERF_LITE" verify "$f" >"$TMP/out" 2>"$TMP/err" || rc=$?
	[ $rc -eq 0 ] || { wrong "verify: $rc"; sed 's/^/  /' "$TMP/out" "$TMP/err"; return 0; }
	lost=$("$PERF_LITE" script -i "$f" -G -F time 2>&1 >"$TMP/out" | sed -n 's/^\([0-9]*\) samples were lost.*/\1/p')
	lost=${lost:-0}
	[ $((got + lost)) -ge "$1" ] || wrong "$got samples and $lost lost of $1 calls"
	if [ "$lost" -eq 0 ]; then
		[ "$got" -eq 0 ] || [ "$got" -eq $((last + 1)) ] || wrong "$got samples, but the last is call $last"
	elif [ $((got + lost)) -le "$last" ]; then
		wrong "$got samples and $lost lost, but the last is call $last"
	fi
	[ "$("$PERF_LITE" script --header-only -i "$f" 2>&1 | grep -c .)" -gt 0 ] || wrong "no header"
}

stop()
{
	kill -KILL $recorder 2>/dev/null
	wait $recorder 2>/dev/null
	recorder=''
	guard_wait || wrong "the guardian does not end"
	guard=''
}

piped_start()
{
	mkfifo "$TMP/pipe" 2>/dev/null
	: >"$TMP/rec.err"
	cat "$TMP/pipe" >"$f" &
	cat=$!
	"$PERF_LITE" record -o - -e raw_syscalls:sys_enter --filter "$filter" -a >"$TMP/pipe" 2>"$TMP/rec.err" &
	recorder=$!
	record_ready
}

i=0
awk -v n="$kills" -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < n; i++) print int(rand() * 1200) }' >"$TMP/moments"
while read -r ms <&3; do
	i=$((i + 1))
	how=$(echo "$*" | cut -d ' ' -f $(((i - 1) % $# + 1)))
	at=$(awk -v ms="$ms" 'BEGIN { print ms / 1000 }')
	rm -f "$f"
	case $how in
	storm | piped | alone)
		# some at full speed, with more than the rings hold, some without loss
		[ $((ms % 2)) -eq 0 ] && load="3000000" || load="--seconds 2 200000"
		# shellcheck disable=SC2086
		storm_start $load
		# events stop CPU by CPU: one that moves meanwhile would be seen again after calls that are not
		taskset -acp 0 "$storm" >/dev/null
		case $how in
		storm) record_calls ;;
		alone) record_calls --no-guardian ;;
		*) piped_start ;;
		esac
		storm_go
		sleep "$at"
		stop
		kill $storm 2>/dev/null
		storm_wait 2>/dev/null
		[ $how != piped ] || wait $cat
		if [ $how = alone ]; then
			rc=0
			"$PERF_LITE" script -q -i "$f" -F time >"$TMP/out" 2>"$TMP/err" || rc=$?
			[ $rc -eq 0 ] || [ $rc -eq 3 ] || wrong "script: $rc"
		fi
		check 0
		;;
	after)
		storm_start 40000
		record_calls -m 16M
		storm_go
		storm_wait
		sleep "$(awk -v s="$at" 'BEGIN { print s / 4 }')"
		stop
		check 40000
		[ "$got" -eq 40000 ] || wrong "$got of 40000"
		;;
	rare)
		storm_start --seconds 0.3 50
		record_calls
		storm_go
		storm_wait
		sleep "$at"
		stop
		check 50
		[ "$got" -eq 50 ] || wrong "$got of 50"
		;;
	esac
done 3<"$TMP/moments"
echo "kills: $bad of $kills went wrong"
[ $bad -eq 0 ]
