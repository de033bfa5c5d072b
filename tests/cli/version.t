# SPDX-License-Identifier: GPL-2.0
#
# The version: of a tarball, of a checkout and its commits, below another repository; what a commit compiles again.
. tests/lib.sh
need_cmd git make

printf 'perf-lite %s\n' "$(sed -n 's/.*return "\(.*\)";/\1/p' "$O/version.c")" >"$TMP/want"
for how in --version -V -v version; do
	run_ok "$how" "$PERF_LITE" $how
	is_file "what was compiled" "$TMP/out" "$TMP/want"
done
like "the file VERSION, and of a checkout its commit" "$TMP/out" "^perf-lite $(sed 's/\./[.]/g' VERSION)(-g[0-9a-f]+(-dirty)?)?\$"

# A tree that has what this needs, and no repository around it.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE MAKEFLAGS MFLAGS MAKELEVEL
export GIT_CEILING_DIRECTORIES="$TMP" GIT_CONFIG_NOSYSTEM=1 HOME="$TMP"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
tree=$TMP/repo/tree
mkdir -p "$tree/perf-lite" "$tree/scripts/dev" "$tree/tests"
cp Makefile VERSION "$tree"
mkdir -p "$tree/util/library"
cp util/library/version.h util/library/perflite.map "$tree/util/library"
cp tests/tests.mk "$tree/tests"
cp scripts/dev/version "$tree/scripts/dev"
printf '#!/bin/sh\n# libraries are not asked for here\n' >"$tree/scripts/dev/check-libs"
cat >"$TMP/main.c" <<'END'
#include <stdio.h>
#include "util/library/version.h"
int main(void)
{
	puts(version_string());
	return 0;
}
END
cd "$tree" || exit 1
echo 1.5 >VERSION
unset O

is_version() # DESC VERSION
{
	is "$1" "$(sh scripts/dev/version)" "$2"
}

commit()
{
	git add -A && git commit -qm "$1" >/dev/null
}

is_version "a tarball" 1.5
(cd .. && git init -q && echo 1 >file && commit other)
is_version "a tarball below another repository" 1.5
(cd .. && commit "with the tree")
is_version "a tree that another repository keeps" 1.5
git init -q
is_version "a repository without a commit" 1.5
echo /build/ >.gitignore
commit first
first=$(git rev-parse --short HEAD)
is_version "a checkout" "1.5-g$first"
touch new
is_version "a file that git does not know" "1.5-g$first"
echo "# more" >>Makefile
is_version "a changed file" "1.5-g$first-dirty"
git checkout -q Makefile
touch Makefile
is_version "one that was only touched" "1.5-g$first"
git worktree add -q ../second HEAD 2>/dev/null
is "another work tree of the same repository" "$(cd ../second && sh scripts/dev/version)" "1.5-g$first"
GIT_DIR=$TMP/repo/.git GIT_INDEX_FILE=$TMP/repo/.git/index
export GIT_DIR GIT_INDEX_FILE
is_version "as a hook of another repository sees it" "1.5-g$first"
unset GIT_DIR GIT_INDEX_FILE

# What it costs

built() # DESC WORDS: what make compiled
{
	make build/obj/version.o >"$TMP/made" 2>&1
	is "$1" "$(awk '$1 == "CC" { print $2 }' "$TMP/made")" "$2"
}

compiled()
{
	cc -I. -o "$TMP/main" "$TMP/main.c" build/obj/version.o && "$TMP/main"
}

built "the first build compiles it" build/version.c
is "the program says so" "$(compiled)" "1.5-g$first"
built "the next build does nothing" ""
rm new
echo "# more" >>Makefile
commit second
built "a commit compiles it again" build/version.c
is "the program knows the commit" "$(compiled)" "1.5-g$(git rev-parse --short HEAD)"
rm -rf .git
built "without git, too" build/version.c
is "the program knows the version" "$(compiled)" 1.5
cd / || exit 1
done_testing
