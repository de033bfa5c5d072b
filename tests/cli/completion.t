# SPDX-License-Identifier: GPL-2.0
#
# Completion: what the program tells of itself is what --help says; what bash and zsh make of it.
. tests/lib.sh

# The options in --help: "  -F, --freq=HZ   text", "  -x, --field-separator[=SEP]".
help_names()
{
	sed -n 's/^  \(-.\|  \)\(, \|  \)\(--[A-Za-z0-9-]*\)\(.*\)$/\1 \3/p; s/^  \(-.\)\( \|\[\|$\).*/\1/p' "$1" |
		tr ' ' '\n' | grep . | sort -u
}

run_ok "--completion" "$PERF_LITE" --completion
cp "$TMP/out" "$TMP/main"
grep -v '^-' "$TMP/main" | cut -f 1 | sort >"$TMP/commands"
"$PERF_LITE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' >"$TMP/want"
echo help >>"$TMP/want"
sort -o "$TMP/want" "$TMP/want"
is_file "the commands of --help" "$TMP/commands" "$TMP/want"
for cmd in $(grep -vx help "$TMP/commands"); do
	run_ok "--completion $cmd" "$PERF_LITE" --completion "$cmd"
	"$PERF_LITE" "$cmd" --help >"$TMP/help"
	help_names "$TMP/help" >"$TMP/want"
	cut -f 1 "$TMP/out" | grep '^-' | grep -vx -e -- | sort -u >"$TMP/got"
	is_file "the options of $cmd --help" "$TMP/got" "$TMP/want"
	is "three fields in each line" "$(awk -F '\t' 'NF != 3' "$TMP/out")" ""
done
run "$PERF_LITE" --completion nosuch
rc_is 1 "of a command that there is not"
is "nothing is offered" "$(cat "$TMP/out")" ""

# Presets, those of the user's file, too.
export HOME="$TMP"
unset XDG_CONFIG_HOME
mkdir -p "$TMP/.config/perf-lite"
printf 'mine-alone  how long it took\n --from a:b --to c:d\nrun-queue\n --from a:b --to c:d\n' >"$TMP/.config/perf-lite/latency"
run_ok "--completion latency" "$PERF_LITE" --completion latency
is "has presets" "$(grep -e ^mine -e ^run-queue -e ^irq "$TMP/out" | tr '\t' '|')" "mine-alone||how long it took
run-queue||run-queue
irq||how long handlers of interrupts ran"
echo nonsense >>"$TMP/.config/perf-lite/latency"
run_ok "--completion latency, and a file with a mistake" "$PERF_LITE" --completion latency
is "has those of the program" "$(cut -f 1 "$TMP/out" | grep -c -x -e mine-alone -e run-queue)" 1
is "and says nothing" "$(cat "$TMP/err")" ""
sed -i '$d' "$TMP/.config/perf-lite/latency"

# The event that is asked for: always there, and with a colon where tracepoints may be seen.
event=cpu-clock part=cpu-clo
"$PERF_LITE" list >"$TMP/events" 2>/dev/null
tracepoint=$(grep -m 1 '^sched:sched_switch$' "$TMP/events")

# bash

cat >"$TMP/complete.bash" <<'END'
# Its COMP_WORDS for a line: cut at blanks, and : and = are words of their own.
. "${0%/*}/perf-lite.bash"
COMP_LINE=$1 COMP_POINT=${#1}
read -ra COMP_WORDS <<<"$(sed "s/[:=]\{1,\}/ & /g" <<<"$1")"
[[ $1 != *[[:blank:]] ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
_perf_lite
printf '%s\n' "${COMPREPLY[@]}" | sort
END
cp scripts/completion/perf-lite.bash "$TMP"

offers() # DESC LINE WANT
{
	is "bash: $1" "$(bash "$TMP/complete.bash" "$PERF_LITE $2" 2>&1 | uniq | paste -s -d ' ')" "$3"
}

if can bash; then
	ok "bash: the script is right" bash -n scripts/completion/perf-lite.bash
	like "bash: it is for the command" scripts/completion/perf-lite.bash '^complete .*-F _perf_lite perf-lite$'
	offers "a command" "flame" flamegraph
	offers "two" "re" "record report"
	offers "all of them" "" "$(paste -s -d ' ' "$TMP/commands")"
	offers "help on one" "help flame" flamegraph
	offers "an option before it" "--ver" --version
	offers "options of a command" "record --call" --call-graph=
	offers "without a value" "record --all-cp" --all-cpus
	offers "the value may be left out" "record --debuginf" --debuginfod
	offers "not those of others" "pack --call" ""
	offers "not what is hidden" "--compl" ""
	offers "an event" "record -e $part" "$event"
	offers "the second one" "record -e cs,$part" "cs,$event"
	offers "behind other options" "record -a -F 99 -ge $part" "$event"
	offers "attached" "record -e$part" "-e$event"
	offers "of a long option" "record --event=$part" "$event"
	offers "of a long option, apart" "record --event $part" "$event"
	offers "in quotes" "record -e '$part" "$event"
	offers "as an operand of list" "list $part" "$event"
	offers "one of a few words" "diff --sort=o" old
	offers "files, which bash does itself" "script -i READ" ""
	offers "the value of an option is no command" "record -o flame" ""
	offers "a command line" "record -a true -e $part" ""
	offers "a command to run" "record -a -- mktem" "mktemp"
	offers "without --" "record -a -F 99 mktem" "mktemp"
	offers "of a command that there is not" "nosuch -" ""
	offers "a preset" "latency run-q" run-queue
	offers "of one's own" "latency mine-al" mine-alone
	offers "behind options" "latency -a --min 1ms run-q" run-queue
	offers "all of them" "latency mine-alone run-q" ""
	offers "options behind it" "latency run-queue --min" --min=
	offers "a command to run behind it" "latency run-queue -a mktem" mktemp
	offers "a command to run with points" "latency --from cs --to switch-in mktem" mktemp
	offers "behind --from=" "latency --from=cs --to switch-in mktem" mktemp
	if [ -n "$tracepoint" ]; then
		offers "a tracepoint, of which bash has the first part" "record -e sched:sched_swi" sched_switch
		offers "behind another event" "record -e cs,sched:sched_swi" sched_switch
		offers "in quotes, as a whole" "record -e 'sched:sched_swi" sched:sched_switch
	else
		skip_without "a tracepoint" tracepoints
	fi
else
	skip_without "bash" bash
fi

# zsh, at a terminal of its own: a key shows what became of the line.

cat >"$TMP/complete.zsh" <<'END'
zmodload zsh/zpty
zpty shell TERM=dumb zsh -f -i
tell() { zpty -w shell "$1" }
hear() { zpty -r shell REPLY "*$1*" }
tell "PS1=; fpath=($PWD/scripts/completion \$fpath); autoload -U compinit; compinit -u -D"
tell 'show() { print -r -- "<$BUFFER>"; zle kill-buffer; zle accept-line }; zle -N show; bindkey ^T show'
tell "PATH=${PERF_LITE:h}:\$PATH; echo rea''dy"
hear ready
while IFS= read -r line; do
	zpty -w -n shell "perf-lite $line"$'\t\C-t'
	hear '<*>'
	print -r -- "${${REPLY##*<}%%>*}"
done
END

completes() # DESC LINE WANT
{
	echo "$2" >>"$TMP/lines"
	echo "$1: perf-lite $3" >>"$TMP/want.zsh"
}

if can zsh; then
	ok "zsh: the script is right" zsh -n scripts/completion/_perf-lite
	is "zsh: it is for the command" "$(head -n 1 scripts/completion/_perf-lite)" "#compdef perf-lite"
	completes "a command" "flame" "flamegraph "
	completes "help on one" "help flame" "help flamegraph "
	completes "options of a command" "record --call-gr" "record --call-graph="
	completes "without a value" "record --all-cp" "record --all-cpus "
	completes "an event" "record -a -e $part" "record -a -e $event "
	completes "the second one" "record --event=cs,$part" "record --event=cs,$event "
	completes "behind letters together" "record -ae $part" "record -ae $event "
	completes "a command to run, behind them" "record -ae cs -F 99 -- mktem" "record -ae cs -F 99 -- mktemp "
	completes "as an operand of list" "list $part" "list $event "
	completes "one of a few words" "diff --sort=o" "diff --sort=old "
	completes "a file" "script -i READ" "script -i README.md "
	completes "a preset" "latency run-q" "latency run-queue "
	completes "of one's own" "latency mine-al" "latency mine-alone "
	completes "behind options" "latency -a run-q" "latency -a run-queue "
	completes "options behind it" "latency run-queue --lates" "latency run-queue --latest "
	completes "a command to run behind it" "latency run-queue -a mktem" "latency run-queue -a mktemp "
	completes "a command to run with points" "latency --from cs --to switch-in mktem" "latency --from cs --to switch-in mktemp "
	completes "a command to run" "record -a -- mktem" "record -a -- mktemp "
	[ -z "$tracepoint" ] ||
		completes "a tracepoint" "record -e sched:sched_swi" "record -e sched:sched_switch "
	timeout 400 zsh -f "$TMP/complete.zsh" <"$TMP/lines" >"$TMP/got.zsh" 2>&1
	nr=0
	while IFS= read -r want; do
		nr=$((nr + 1))
		is "zsh: ${want%%:*}" "$(sed -n ${nr}p "$TMP/got.zsh")" "${want#*: }"
	done <"$TMP/want.zsh"
else
	skip_without "zsh" zsh
fi
done_testing
