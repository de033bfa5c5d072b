#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# update.sh [FILE.txt...] - writes golden files with new answers, all unless some are named, and names those that changed:
# read the difference before it is committed. A new question is a line "$ COMMAND" of a golden file.
cd "$(dirname "$0")/../.." || exit
. tests/golden/golden.sh

[ $# -gt 0 ] || set -- tests/golden/*.txt
for file; do
	golden_answer "$file" >"$TMP/answer"
	cmp -s "$TMP/answer" "$file" || { cp "$TMP/answer" "$file" && echo "$file"; }
done
tap_done=1
