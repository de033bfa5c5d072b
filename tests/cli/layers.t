# SPDX-License-Identifier: GPL-2.0
. tests/lib.sh
need_cmd nm

ok "sources and library keep the rules of the design" sh scripts/dev/layers "$O/libperflite.a"

# The check itself, on a small tree that breaks each rule once.
mkdir -p "$TMP/t/util/base" "$TMP/t/util/event" "$TMP/t/util/file" "$TMP/t/arch" "$TMP/t/perf-lite" \
	"$TMP/t/tests"
cp scripts/dev/layers "$TMP/layers"
mkdir -p "$TMP/t/docs" && cp docs/DESIGN.md "$TMP/t/docs/"
cd "$TMP/t" || exit 1
spdx='// SPDX-License-Identifier: GPL-2.0'
header='/* SPDX-License-Identifier: GPL-2.0 */'
for h in util/base/a.h util/event/ev.h util/file/w.h; do
	echo "$header" >$h
done
printf '%s\n#include "util/base/a.h"\nint a_get(void);\nint a_get(void) { return 0; }\n' "$spdx" >util/base/a.c
printf '%s\n#include "util/base/a.h"\n#include "util/event/ev.h"\n' "$spdx" >util/event/ev.c
printf '%s\n' "$spdx" >util/file/w.c

offence()
{
	run sh "$TMP/layers" $3
	rc_is 1 "$1: noticed"
	like "$1: named" "$TMP/out" "$2"
}
build()
{
	rm -f "$TMP/l.a"
	${CC:-cc} -I. -c -fdata-sections -o "$TMP/a.o" util/base/a.c && ar rcs "$TMP/l.a" "$TMP/a.o"
}

ok "a tree without an offence passes" sh "$TMP/layers"

echo '#include "util/event/ev.h"' >>util/file/w.c
offence "an include from a module that is not below" 'file may not include event' ''
printf '%s\n#include "w.h"\n' "$spdx" >util/file/w.c
offence "an include that is not from the top" 'not a path from the top' ''
printf '// no licence\n' >util/file/w.c
offence "a file without its licence" 'w.c:1: must be' ''
echo "$spdx" >util/file/w.c
echo "$spdx" >util/file/lone.c
offence "a .c without a header" 'lone.c: has no header' ''
rm util/file/lone.c
echo "$spdx" >util/file/w_part_of.c
ok "a part of a module needs none of its own" sh "$TMP/layers"
rm util/file/w_part_of.c
echo "$header" >util/base/a_internal.h
printf '%s\n#include "util/base/a_internal.h"\n' "$spdx" >util/file/w.c
offence "an internal header of another folder" 'internal to its folder' ''
rm util/base/a_internal.h
echo "$spdx" >util/file/w.c
echo "$header" >util/event/a.h
offence "two files of one name" 'a.h: more than one' ''
rm util/event/a.h

sed 's/^    record *:/& file/' docs/DESIGN.md >"$TMP/design"
mv docs/DESIGN.md "$TMP/good"
mv "$TMP/design" docs/DESIGN.md
offence "a table that could have a cycle" 'record names file, which is not above' ''
mv "$TMP/good" docs/DESIGN.md

need_cmd "${CC:-cc}" ar
build
ok "a library without an offence passes" sh "$TMP/layers" "$TMP/l.a"
cp util/base/a.c "$TMP/a.c"
try()
{
	{ cat "$TMP/a.c"; echo "$3"; } >util/base/a.c
	build
	offence "$1" "$2" "$TMP/l.a"
}
try "a writable variable" 'writable variable a_count' 'int a_count = 1;'
try "a static in a function" 'writable variable n' 'int a_n(void) { static int n; return ++n; }'
try "a thread-local variable" 'writable variable a_tls' '__thread int a_tls;'
try "printing" 'may not use (printf|puts)' '#include <stdio.h>
void a_say(void) { printf("%d", 1); }'
try "a child that ends without having been forked" "may not use _exit" '#include <unistd.h>
void a_gone(void) { _exit(1); }'
try "exiting" 'may not use exit' '#include <stdlib.h>
void a_die(void) { exit(1); }'
try "a name of another module" 'exported symbol get_a' 'int get_a(void) { return 1; }'
{ cat "$TMP/a.c"; echo 'static const char *const names[] = {"a"};
const char *a_name(int i); const char *a_name(int i) { return names[i]; }'; } >util/base/a.c
build
ok "a const table of pointers is none" sh "$TMP/layers" "$TMP/l.a"
printf '%s\nstruct row {\n\tint n;\n};\n' "$header" >util/base/a_internal.h
{ cat "$TMP/a.c"; echo 'int row_get(void); int row_get(void) { return 1; }'; } >util/base/a.c
build
ok "a name after a struct that the pages of a module share" sh "$TMP/layers" "$TMP/l.a"
done_testing
