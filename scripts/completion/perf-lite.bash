# SPDX-License-Identifier: GPL-2.0
#
# Completion of perf-lite for bash: commands, options, events; elsewhere files, and behind record and its like the words
# of another command. The program tells what there is, so that this cannot be another version's. Works with and
# without the package bash-completion.

# The options of a command: what they take, by name, or ".". The commands, or words that can stand in the first place, such as
# presets.
_perf_lite_read() # [COMMAND]
{
	local line word arg

	takes=() commands=()
	while IFS= read -r line; do
		word=${line%%$'\t'*} arg=${line#*$'\t'} arg=${arg%%$'\t'*}
		case $word in
		-*) takes[$word]=${arg:-.} ;;
		*) commands+=("$word") ;;
		esac
	done < <("$program" --completion ${1:+"$1"} 2>/dev/null)
}

# The words before the current one: which command, which option waits for its value, where does another command begin?
_perf_lite_before()
{
	local i word letters

	for ((i = 1; i < last; i++)); do
		word=${words[i]} waiting=
		# with points there is no preset
		[[ $word != --from* ]] || commands=()
		case $word in
		--)
			[[ -n $command && -n ${takes[--]-} ]] || continue
			other=$((i + 1))
			return
			;;
		--*=*) ;;
		--*) waiting=${takes[$word]-.} ;;
		-?*)
			for ((letters = 1; letters < ${#word}; letters++)); do
				waiting=${takes[-${word:letters:1}]-.}
				[[ $waiting == . ]] || break
			done
			((letters == ${#word} - 1)) || waiting=
			;;
		*)
			if [[ -z $command ]]; then
				command=$word
				[[ $command == help ]] || _perf_lite_read "$command"
			elif [[ " ${commands[*]} " == *" $word "* ]]; then
				commands=()
			elif [[ -n ${takes[--]-} ]]; then
				other=$i
				return
			fi
			;;
		esac
		case $waiting in
		. | \[*) waiting= ;;
		?*) ((++i < last)) && waiting= ;;
		esac
	done
}

# What an option takes whose help says that it takes this. Nothing is known of most: then they are files.
_perf_lite_values() # WHAT
{
	local what=${1#[} word

	what=${what%]}
	case $what in
	EVENT*)
		[[ $cur != *,* ]] || { before+=${cur%,*}, cur=${cur##*,}; }
		mapfile -t candidates < <("$program" list 2>/dev/null)
		;;
	*\|*) IFS='|' read -ra candidates <<<"$what" ;;
	esac
}

_perf_lite_other() # INDEX
{
	local offset

	COMP_WORDS=("${words[@]}") COMP_CWORD=$last
	for offset in _comp_command_offset _command_offset; do
		if declare -F $offset >/dev/null; then
			$offset "$1"
			return
		fi
	done
	(($1 < last)) || mapfile -t COMPREPLY < <(compgen -c -- "$cur")
}

_perf_lite()
{
	local program=${COMP_WORDS[0]/#\~\//$HOME/} line=${COMP_LINE:0:COMP_POINT}
	local command='' waiting='' other='' before='' breaks=${COMP_WORDBREAKS//[^:=]/} kept cur last word
	local -a words=() commands=() candidates=()
	local -A takes=()

	# Not COMP_WORDS, which is cut at : and =
	COMPREPLY=()
	read -ra words <<<"$line"
	[[ $line != *[[:blank:]] ]] || words+=('')
	last=$((${#words[@]} - 1)) cur=${words[-1]}
	case $cur in
	[\'\"]*) cur=${cur:1} breaks= ;;
	esac

	_perf_lite_read
	_perf_lite_before
	if [[ -n $other ]]; then
		_perf_lite_other "$other"
		return
	elif [[ -n $waiting ]]; then
		_perf_lite_values "$waiting"
	elif [[ $cur == --*=* ]]; then
		before=${cur%%=*}= cur=${cur#*=}
		_perf_lite_values "${takes[${before%=}]-}"
	elif [[ $cur == -[!-]?* && ${takes[${cur:0:2}]-.} != . ]]; then
		before=${cur:0:2} cur=${cur:2}
		_perf_lite_values "${takes[$before]}"
	elif [[ $cur == -* ]]; then
		for word in "${!takes[@]}"; do
			case $word:${takes[$word]} in
			--:* | *:. | *:\[* | -[!-]:*) candidates+=("$word") ;;
			*) candidates+=("$word=") ;;
			esac
		done
	elif [[ -z $command || $command == help || -n ${commands[*]} ]]; then
		candidates=("${commands[@]}")
	elif [[ $command == list ]]; then
		_perf_lite_values EVENT
	elif [[ -n ${takes[--]-} ]]; then
		_perf_lite_other "$last"
		return
	fi

	# What bash replaces begins behind the last of these characters.
	word=$before$cur kept=
	[[ -z $breaks ]] || kept=${word%"${word##*["$breaks"]}"}
	for word in "${candidates[@]}"; do
		if [[ $word == "$cur"* ]]; then
			word=$before$word
			COMPREPLY+=("${word#"$kept"}")
		fi
	done
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
}

complete -o bashdefault -o default -F _perf_lite perf-lite
