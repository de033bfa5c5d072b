# SPDX-License-Identifier: GPL-2.0
#
# Packages (scripts/packages): whose file each installed one is, for Debian and for rpm; versions; the library's symbols; and the
# source tarball, twice. docs/packaging.md has the commands that build all of them, which takes minutes.
. tests/lib.sh
need_cmd make
[ ! -e .git ] || need_cmd git
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
[ -e "$O/libperflite.so" ] || skip_all "$outside: libperflite in a static build"
debian=$PWD/scripts/packages/debian
spec=$PWD/scripts/packages/perf-lite.spec
version=$(cat VERSION)

# Files, installed as debian/rules does

machine=x86_64-linux-gnu
folders=$(sed -n '/dh_auto_install/,$p' "$debian/rules" | tr -d '\\\n\t' | sed "s/.* -- //; s/\$(DEB_HOST_MULTIARCH)/$machine/; s/PYTHONDIR/ &/")
ok "debian/rules says where files go" test "${folders#PREFIX=/usr }" != "$folders"
umask 077
# shellcheck disable=SC2086
run make --no-print-directory -o all install DESTDIR="$TMP/root" $folders
rc_is 0 "make install"
umask 022
(cd "$TMP/root" && find . ! -type d | sed 's|^\./||' | sort) >"$TMP/installed"
is "readable for everybody" "$(find "$TMP/root/usr" ! -perm -444 -o -type d ! -perm -111)" ""

run env SOURCE_DATE_EPOCH=86400 sh scripts/dev/library-pages "$TMP/man3"
rc_is 0 "the library's pages"
like "their date can be given" "$TMP/man3/perflite.3" '^\.Dd January 2, 1970$'
printf 'include Makefile\nabove: ; @$(MAKE) -s --no-print-directory -f "$(MAKEFILE)" below\nbelow: ; @echo $(CPPFLAGS)\n' >"$TMP/Makefile"
run env O="$TMP/o" CPPFLAGS=-DGIVEN make -s -f "$TMP/Makefile" MAKEFILE="$TMP/Makefile" above
is "flags of the environment are added to once" "$(tr ' ' '\n' <"$TMP/out" | grep -Ecx -e '-DGIVEN|-D_GNU_SOURCE')" 2

# owners PACKAGE PATTERN...: a line for each file of it
owners()
(
	package=$1
	shift
	cd "$TMP/root" || exit
	for pattern; do
		# shellcheck disable=SC2086
		find $pattern ! -type d -printf "%p $package\n" || echo "$pattern: nothing"
	done
)

set -f # patterns are expanded among what was installed
for package in $(sed -n 's/^Package: //p' "$debian/control"); do
	# shellcheck disable=SC2046
	(set -- $(cat "$debian/$package.install") && set +f && owners "$package" "$@")
done >"$TMP/debian" 2>"$TMP/nothing"
is "each line of Debian's lists is a file" "$(cat "$TMP/nothing")" ""
cut -d ' ' -f 1 "$TMP/debian" | sort >"$TMP/got"
is_file "Debian: each file is one package's" "$TMP/got" "$TMP/installed"

# The same of the spec, whose macros are made the folders of above.
files_of() # PACKAGE
{
	awk -v package="$1" '
		/^%(files|changelog)/ { is = 0 }
		/^%files/ { is = ($2 == "-n" ? $3 : "perf-lite") == package; next }
		is && !/^%(license|doc)/ && NF' "$2"
}
sed "s|%{_bindir}|usr/bin|; s|%{_mandir}|usr/share/man|; s|%{_libdir}|usr/lib/$machine|; s|%{_includedir}|usr/include|
	s|%{python3_sitelib}|usr/lib/python3/dist-packages|; s|%{bash_completions_dir}|usr/share/bash-completion/completions|
	s|%{zsh_completions_dir}|usr/share/zsh/vendor-completions|" "$spec" >"$TMP/spec"
for package in perf-lite libperflite libperflite-devel python3-perflite; do
	# shellcheck disable=SC2046
	(set -- $(files_of "$package" "$TMP/spec") && set +f && owners "$package" "$@")
done >"$TMP/rpm" 2>"$TMP/nothing"
set +f
is "each line of the spec's lists is a file" "$(cat "$TMP/nothing")" ""
sed 's/ libperflite0$/ libperflite/; s/ libperflite-dev$/&el/' "$TMP/debian" | sort >"$TMP/want"
sort "$TMP/rpm" >"$TMP/got"
is_file "rpm: each file is the same package's" "$TMP/got" "$TMP/want"
for file in "$debian"/*.docs "$debian"/*.examples; do
	while read -r name; do
		ok "${file##*/}: $name" test -e "$name"
	done <"$file"
done
cat "$debian"/*.docs "$debian"/*.examples | sed 's|^docs/example/.*|docs/example|' | sort >"$TMP/want"
sed -n 's/^%doc //p' "$spec" | tr ' ' '\n' | sort >"$TMP/got"
is_file "rpm: the same documents" "$TMP/got" "$TMP/want"
for doc in $(grep -ohE 'docs/[A-Za-z]+\.md' docs/*.1 | sort -u); do
	like "manual pages name $doc" "$debian/perf-lite.docs" "^$doc\$"
done

# Versions and symbols

is "the spec's version" "$(sed -n 's/^Version: *//p' "$spec")" "$version"
is "that of its changelog" "$(sed -n '/^%changelog/,$s/^\*.* - \(.*\)-[0-9]*$/\1/p' "$spec" | head -n 1)" "$version"
if can dpkg-parsechangelog; then
	run dpkg-parsechangelog -l "$debian/changelog"
	rc_is 0 "Debian's changelog"
	is "no complaint" "$(cat "$TMP/err")" ""
	is "its version" "$(sed -n 's/^Version: \(.*\)-[0-9]*$/\1/p' "$TMP/out")" "$version"
else
	skip_without "Debian's changelog" dpkg-parsechangelog
fi
awk -v version="[0-9.]+" '
	/^PERFLITE_/ { node = $1; print node "@" node }
	/^\tperflite_/ { sub(/;/, ""); print $1 "@" node }' util/library/perflite.map | LC_ALL=C sort >"$TMP/want"
sed -n 's/^ \([^ ]*\) [0-9.]*$/\1/p' "$debian/libperflite0.symbols" | LC_ALL=C sort >"$TMP/got"
is_file "Debian's symbols are those of the map" "$TMP/got" "$TMP/want"
like "its first line has the name for the loader" "$debian/libperflite0.symbols" \
	"^$(sed -n 's/^SONAME *:= *//p' Makefile) libperflite0 #MINVER#\$"
ok "debian/rules can be run" test -x "$debian/rules"

# The source

name=perf-lite-$version
mkdir "$TMP/a" "$TMP/another-folder"
run env O="$TMP/first" TMPDIR="$TMP/a" sh scripts/packages/build dist
rc_is 0 "dist"
umask 077
run env O="$TMP/second" TMPDIR="$TMP/another-folder" TZ=Asia/Tokyo LC_ALL=C.UTF-8 sh scripts/packages/build dist
umask 022
rc_is 0 "once more, with another umask, folder and time zone"
ok "the same bytes" cmp "$TMP/first/packages/$name.tar.gz" "$TMP/second/packages/$name.tar.gz"
tar -tzf "$TMP/first/packages/$name.tar.gz" | sed -n "s|^$name/\(.*[^/]\)\$|\1|p" | sort >"$TMP/got"
if [ -e .git ]; then
	git --git-dir=.git -c core.quotePath=false ls-tree -r --name-only HEAD | sort >"$TMP/want"
	is_file "the files of the commit" "$TMP/got" "$TMP/want"
fi

tar -xzf "$TMP/first/packages/$name.tar.gz" -C "$TMP/a"
cd "$TMP/a/$name" || exit 1
mkdir -p build elsewhere debian scripts/python/perflite/__pycache__
touch build/a elsewhere/a debian/rules flamegraph.svg scripts/python/perflite/__pycache__/a
run env -u O TMPDIR="$PWD/elsewhere" sh scripts/packages/build dist
rc_is 0 "dist of an unpacked tarball"
ok "the same bytes" cmp "$TMP/first/packages/$name.tar.gz" "build/packages/$name.tar.gz"
run sh scripts/packages/build what
rc_is 2 "another word"
like "it says so" "$TMP/err" '^packages: no such package: what$'
is "nothing is left in the folder for temporary files" "$(ls "$TMP/another-folder" elsewhere)" "$TMP/another-folder:

elsewhere:
a"
cd / || exit 1
done_testing
