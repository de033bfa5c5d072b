#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# prove.sh [FOLDER] - all sweeps, one after the other: `make prove`. A line sums each up; ends with 1 if any found something.
# Needs root. What went wrong, and the files that did it, are kept in FOLDER (default $O/prove).
#
#   QUICK=1          minutes instead of hours
#   SEED=N           the same cases as a run that printed this seed
#   SAN_BUILD=DIR    damaged files are read by DIR/perf-lite, built with sanitizers (make O=DIR SAN=address,undefined)
#   SWEEPS="..."     some of: damage memory calls live threads faults kills mutants
#   MUTANTS=N        how many (default 200; QUICK 3)
set -u
: "${O:=build}"
O=$(cd "$O" && pwd) || exit 1
export O
perf_lite=$O/perf-lite
to=${1:-$O/prove}
seed=${SEED:-$(date +%N | sed 's/^0*//')}
: "${seed:=0}"
mkdir -p "$to" || exit 1
[ -n "${QUICK:-}" ] && quick=1 || quick=
failed=0
TMPDIR=$(mktemp -d) || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 1' HUP INT TERM

# sweep NAME COMMAND...: its output in $to/NAME.log; the last line of it is the sum
sweep()
{
	name=$1
	shift
	case " ${SWEEPS:-damage memory calls live threads faults kills mutants} " in
	*" $name "*) ;;
	*) return ;;
	esac
	began=$(date +%s)
	rc=0
	"$@" >"$to/$name.log" 2>&1 || rc=$?
	[ $rc -eq 0 ] || failed=1
	printf '%-8s %6d s  %s  %s\n' "$name" $(($(date +%s) - began)) "$([ $rc -eq 0 ] && echo passed || echo FAILED)" \
		"$(grep -v '^#' "$to/$name.log" | tail -n 1)"
}

# Memory that runs out at one place, for each place of each command (tests/golden/oom.t).
memory()
{
	rc=0
	OOM=--single sh tests/golden/oom.t || rc=$?
	return $rc
}

size() # QUICK ALL
{
	if [ -n "$quick" ]; then echo "$1"; else echo "$2"; fi
}

echo "prove: seed $seed, logs in $to"
rm -rf "$to/kept"
sh tests/inject/recordings.sh "$to/recordings" "$(size --small '')" || exit 1
sweep damage python3 tests/inject/damage.py "${SAN_BUILD:-$O}/perf-lite" "$to/recordings" "$(size 5 300)" \
	--runs "$(size 3 6)" --seed "$seed" --keep "$to/kept"
sweep memory memory
sweep calls python3 tests/inject/calls.py "$perf_lite" "$to/recordings" "$(size 1 0)" --some "$(size 12 1000)" --seed "$seed" \
	--spin "$O/tests/prog/spin"
sweep live python3 tests/inject/calls.py "$perf_lite" "$to/recordings" "$(size 1 10)" --some "$(size 4 1000)" --seed "$seed" \
	--spin "$O/tests/prog/spin" --live
[ ! -e "$O/tsan/perf-lite" ] || sweep threads sh tests/inject/threads.sh "$O/tsan"
sweep faults env SEED="$seed" sh tests/inject/faults.sh "$(size 3 40)"
sweep kills sh tests/inject/kills.sh "$(size 10 200)" "$seed"
sweep mutants python3 tests/inject/mutants.py "$to/mutants" "${MUTANTS:-$(size 3 200)}" --seed "$seed"
exit $failed
