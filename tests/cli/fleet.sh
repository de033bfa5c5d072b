# SPDX-License-Identifier: GPL-2.0
#
# fleet.sh - for tests of docs/fleet.md; read in after tests/lib.sh, at the top of the tree.
#
#   block PART N     the N-th indented block of a part of the page
#   boots, builds    make recordings below recordings: of four boots; of two builds of a library
#   of_example       a query for cpu-clock and the library, for the program of these boots
#   $by_boot, $by_build, $by_build_and_boot     what the queries have to say of them

pages=$PWD/docs code=$PWD/tests/cli

block()
{
	awk -v part="## $1" -v n="$2" '/^## / { in_part = $0 == part } !in_part { next }
		/^    / { if (!in_block) b++; in_block = 1; if (b == n) print substr($0, 5); next } !/^$/ { in_block = 0 }' "$pages/fleet.md"
}

# --- boots: docs/example/drops.data as other hosts and boots have it ---

program=/tmp/perf-lite/build/tests/prog/dropping
build=65acd2abeca689881a779955316fb086674f3eb4
other_build=75acd2abeca689881a779955316fb086674f3eb4

# booted HOST/DAY CHANGE...: recordings/HOST/DAY.data, the example as another host or boot has it
booted()
{
	mkdir -p "recordings/${1%/*}"
	python3 "$code/facts.py" "$pages/example/drops.data" "hostname=${1%/*}" $2 >"recordings/$1.data"
}
# one is not known; in one the program is of another build
boots()
{
	booted web1/boot-a boot_id=aaaaaaaa-0000-4000-8000-000000000001
	booted web1/boot-b "boot_id=bbbbbbbb-0000-4000-8000-000000000002 $build:$other_build"
	booted web2/boot-c boot_id=cccccccc-0000-4000-8000-000000000003
	booted web2/older boot_id=
}

by_boot='web1	aaaaaaaa-0000-4000-8000-000000000001	2026-11-23 17:12:09.652340673	2026-11-23 17:12:11.812382833	500
web1	bbbbbbbb-0000-4000-8000-000000000002	2026-11-23 17:12:09.652340673	2026-11-23 17:12:11.812382833	500
web2	cccccccc-0000-4000-8000-000000000003	2026-11-23 17:12:09.652340673	2026-11-23 17:12:11.812382833	500
web2	NULL	2026-11-23 17:12:09.652340673	2026-11-23 17:12:11.812382833	500'
# the same processes in another boot are others
by_build_and_boot="$build	2	9	100.0
$other_build	1	3	100.0"
of_example() { sed "s/'cpu-clock'/'skb:kfree_skb'/; s|'/usr/lib/libfoo.so.1'|'$program'|"; }

# --- builds of a library ---

old=00000000000000000000000000000000000000f1 new=00000000000000000000000000000000000000f2
# of the old build, (20 + 50 + 5) * 2 of 120 + 150 + 105 ms
by_build="$new	1	1	75.0
$old	2	3	40.0"

# libs HOST BUILD SAMPLES BUILD SAMPLES: of 100 samples of each of two processes, so many are in or below that build of
# libfoo, each for twice the time of the others; a third process has none
libs()
{
	cat >libs.rec <<-END
		host $1 6.1.0 2
		wall 1700000000000000000
		binary /usr/bin/app main=0x1000 callback=0x1100
		binary /usr/lib/libfoo.so.1 hash=0x1000 walk=0x1100
		event cpu-clock type=software config=0 freq=1000 with=chain
		at 1
	END
	pid=10
	for of in "$2 $3" "$4 $5" "- 0"; do
		printf 'exec %s app\nmmap %s 0x400000 0x2000 0 /usr/bin/app 00000000000000000000000000000000000000aa\n' $pid $pid
		[ "$of" = "- 0" ] || printf '%s\n' "mmap $pid 0x500000 0x2000 0 /usr/lib/libfoo.so.1 ${of% *}"
		pid=$((pid + 1))
	done >>libs.rec
	pid=10
	for n in $3 $5 0; do
		printf '%s\n' "with pid=$pid cpu=0" "sample cpu-clock t=$pid chain=main+4 period=1000000 repeat=$((100 - n))"
		[ $n -eq 0 ] || printf '%s\n' "sample cpu-clock chain=hash+4<main+8 period=2000000 repeat=$((n - 1))" \
			"sample cpu-clock chain=callback+4<walk+4<main+8 period=2000000"
		pid=$((pid + 1))
	done >>libs.rec
	"$PROG/make_recording" libs.rec . && mv libs.data "recordings/$1/libs.data"
}
builds()
{
	libs web1 $old 20 $old 50
	libs web2 $old 5 $new 60
}
