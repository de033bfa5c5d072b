# SPDX-License-Identifier: GPL-2.0
#
# golden.sh FILE.txt - the test of a golden file: what commands print of recordings that are written in text, byte for byte.
# tests/golden/update.sh writes golden files anew. They hold
#
#	## text            a remark
#	% ABILITY          what the machine must be able to do, or the file is skipped (tests/prog/can.c)
#	@ NAME             a recording: tests/golden/NAME.rec, of which tests/prog/make_recording.c makes NAME.data; the
#	                   first one is perf-lite.data as well, which is read without -i
#	$ COMMAND          a question, in sh: report, count ... are perf-lite's (commands.sh)
#
# and below each question what was printed, then standard error after "! ", and "? STATUS" if that is not 0. Nothing of this
# machine is looked at: binaries and kernel symbols are those of the recording.
. tests/lib.sh

golden=$(cd tests/golden && pwd)

golden_make() # NAME
{
	"$PROG/make_recording" "$golden/$1.rec" . || return
	touch -d 2024-01-01T00:00:00Z "$1.data"
	# what was recorded is older than its recording
	[ ! -d root ] || find root -type f -exec touch -d 2023-12-01T00:00:00Z {} +
	[ -e perf-lite.data ] || cp -p "$1.data" perf-lite.data
}

golden_ask() # COMMAND
{
	golden_rc=0
	sh -c '. "$0/commands.sh"
'"$1" "$golden" >out 2>err </dev/null || golden_rc=$?
	cat out
	[ ! -s err ] || sed 's/^/! /' err
	[ $golden_rc -eq 0 ] || echo "? $golden_rc"
}

# The file with new answers.
golden_answer() # FILE
{
	mkdir -p "$TMP/golden"
	(
		cd "$TMP/golden" && rm -rf ./* || exit
		golden_before=
		while IFS= read -r golden_line; do
			case $golden_line in
			'## '* | '% '*) printf "$golden_before%s\n" "$golden_line" ;;
			'@ '*)
				printf '%s\n' "$golden_line"
				golden_make "${golden_line#@ }"
				;;
			'$ '*)
				printf "$golden_before%s\n" "$golden_line"
				golden_ask "${golden_line#\$ }"
				;;
			*) continue ;;
			esac
			golden_before='\n'
		done
	) <"$1" 2>&1
}

if [ "$(basename "$0")" = golden.sh ]; then
	# shellcheck disable=SC2046
	need $(sed -n 's/^% //p' "$1")
	golden_answer "$1" >"$TMP/answer"
	is_file "$(grep -c '^\$ ' "$1") questions" "$TMP/answer" "$1"
	ok "there are questions" grep -q '^\$ ' "$1"
	done_testing
fi
