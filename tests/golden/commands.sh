# SPDX-License-Identifier: GPL-2.0
#
# commands.sh - the commands of a golden file's questions: perf-lite's, with the recording's own binaries and symbols.
unset PERF_LITE_PAGER PAGER DEBUGINFOD_URLS NO_COLOR
export TZ=UTC LC_ALL=C HOME=/nonexistent XDG_CONFIG_HOME= COLUMNS=100 TERM=dumb

named()
{
	command=$1
	shift
	"$PERF_LITE" "$command" --symfs root --kallsyms kallsyms "$@"
}

report() { named report "$@"; }
annotate() { named annotate "$@"; }
script() { named script "$@"; }
convert() { named convert "$@"; }
flamegraph() { named flamegraph "$@"; }
diff() { named diff "$@"; }
# these watch the running system unless there is -i
count() { named count -i perf-lite.data "$@"; }
drops() { named drops -i perf-lite.data "$@"; }
latency() { named latency -i perf-lite.data "$@"; }
trace() { named trace -i perf-lite.data "$@"; }
stat() { "$PERF_LITE" stat "$@"; }
# counts TEXT OPTION...: stat of $MACHINE, here or in tests/sysroot, whose events count what TEXT says (machine.c)
counts()
{
	counts=$1
	shift
	[ -d "${MACHINE:=smt}" ] || MACHINE=$0/../sysroot/$MACHINE
	MACHINE=$MACHINE COUNTS=$counts LD_PRELOAD=$PROG/../golden/machine.so \
		"$PERF_LITE" stat --log-fd 1 "$@"
}
# on_machine NAME COMMAND OPTION...: on the machine $MACHINE, or that one; the sequences of a terminal (TERMINAL) can be read
on_machine()
{
	machine=${MACHINE:-$1}
	shift
	[ -d "$machine" ] || machine=$0/../sysroot/$machine
	{
		TERM=${terminal:-xterm} MACHINE=$machine COUNTS=$counts SAMPLES=$samples LD_PRELOAD=$PROG/../golden/machine.so "$PERF_LITE" "$@"
		echo $? >live.rc
	} | cat -v
	return "$(cat live.rc)"
}
# live TEXT OPTION...: count, of events that count what TEXT says
live()
{
	counts=$1 samples=
	shift
	on_machine smt count "$@"
}
# sampled TEXT COMMAND OPTION...: a command that reads rings, in which are the samples that TEXT says (machine_rings.c)
sampled()
{
	counts= samples=$1
	shift
	on_machine tasks "$@"
}
# core ADDRESS=BYTES...: a copy of /proc/kcore that has this code, of x86-64
core()
{
	perl -e '@p = map { ($a, $b) = split /=/; [hex $a, pack "H*", $b] } @ARGV;
		$at = 64 + 56 * @p;
		print pack("a4C3x9S2LQ3LS6", "\x7fELF", 2, 1, 1, 4, 62, 1, 0, 64, 0, 0, 64, 56, scalar @p, 0, 0, 0);
		for (@p) {
			print pack("L2Q6", 1, 7, $at, $_->[0], 0, (length $_->[1]) x 2, 1);
			$at += length $_->[1];
		}
		print map { $_->[1] } @p' "$@"
}
evlist() { "$PERF_LITE" evlist "$@"; }
perf_lite() { "$PERF_LITE" "$@"; }

# JSON with a line for each object of a list
lines() { sed 's/\([]}]\),\([[{]\)/\1,\n\2/g; s/:\[{/:[\n{/g'; }
# an SVG without its style and its program
picture() { sed '/<style>/,/<\/style>/d; /<script><!\[CDATA\[$/,/<\/script>/d; /^<script>$/,/^<\/script>/d; /<script type="text.plain"/,/<\/script>/d; /<style type="text.plain"/,/<\/style>/d'; }
