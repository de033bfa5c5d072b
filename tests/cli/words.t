# SPDX-License-Identifier: GPL-2.0
#
# Phrases that must not come back in what users read: strings of the commands, manual pages and the read-me. Plain words say
# what an option does, and what happened, to what, and what to do.
. tests/lib.sh

phrases='stood in |which is said|what mends|whatever they tell|told with|Whom|have nothing to do|and how many is said'

# found FILE...: lines of documents, and string literals of C, with such a phrase
found()
{
	for file; do
		case $file in
		*.c | *.h) grep -noE '"([^"\\]|\\.)*"' "$file" ;;
		*) grep -n '' "$file" ;;
		esac | grep -E -e "$phrases" | sed "s|^|$file:|"
	done
}

is "the words of commands, manual pages and the read-me are plain" "$(found README.md docs/*.1 perf-lite/*.[ch])" ""

printf '/* what mends it */\nputs("what mends it");\n' >"$TMP/bad.c"
is "a string that is not is found, a comment is left alone" "$(found "$TMP/bad.c")" "$TMP/bad.c:2:\"what mends it\""
echo 'Samples that stood in a function.' >"$TMP/bad.1"
is "and a line of a page" "$(found "$TMP/bad.1")" "$TMP/bad.1:1:Samples that stood in a function."
echo 'Only samples in these functions.' >"$TMP/good.1"
is "a plain one is none" "$(found "$TMP/good.1")" ""
done_testing
