# SPDX-License-Identifier: GPL-2.0
#
# make install, install-strip, uninstall and help.
. tests/lib.sh
need_cmd make strip

# What is built stays as it is: other tests use it.
made()
{
	run make --no-print-directory -o all "$@"
}

files() # what is below the folder for installing
{
	(cd "$TMP/root" && find . ! -type d | sed 's/^\.//' | sort)
}

{
	echo "755 /usr/bin/perf-lite"
	echo "644 /usr/share/bash-completion/completions/perf-lite"
	echo "644 /usr/share/zsh/site-functions/_perf-lite"
	for page in docs/*.[1-9]; do
		echo "644 /usr/share/man/man${page##*.}/${page##*/}"
	done
	[ ! -e "$O/libperflite.so" ] || {
		echo "644 /usr/lib/libperflite.so.$(cat VERSION)"
		echo "777 /usr/lib/libperflite.so.0"
		echo "777 /usr/lib/libperflite.so"
		echo "644 /usr/lib/pkgconfig/perflite.pc"
		echo "644 /usr/include/perflite.h"
		for file in __init__.py __init__.pyi py.typed; do
			echo "644 /usr/lib/python3/dist-packages/perflite/$file"
		done
		for name in perflite $(sed -n 's/^PERFLITE_API .*[ *]\(perflite_[a-z_]*\)(.*/\1/p' util/library/perflite.h); do
			echo "644 /usr/share/man/man3/$name.3"
		done
	}
} | sort >"$TMP/want"

umask 022
made install DESTDIR="$TMP/root" PREFIX=/usr
rc_is 0 "install"
(cd "$TMP/root" && find . ! -type d -printf '%m /%P\n' | sort) >"$TMP/got"
is_file "the program, its pages and completions" "$TMP/got" "$TMP/want"
is "no empty folder" "$(find "$TMP/root" -type d -empty)" ""
whole=$(wc -c <"$TMP/root/usr/bin/perf-lite")
is "the program that was built" "$whole" "$(wc -c <"$PERF_LITE")"
run_ok "it runs" "$TMP/root/usr/bin/perf-lite" --version

made install-strip DESTDIR="$TMP/root" PREFIX=/usr
rc_is 0 "install-strip"
stripped=$(wc -c <"$TMP/root/usr/bin/perf-lite")
ok "it is smaller ($stripped of $whole bytes)" test "$stripped" -lt "$whole"
is "the same files" "$(files)" "$(cut -d ' ' -f 2 "$TMP/want" | sort)"
run_ok "it runs" "$TMP/root/usr/bin/perf-lite" --version
if [ -e "$O/libperflite.so" ]; then
	if can python3; then
		PERFLITE_LIBRARY='' PYTHONPATH="$TMP/root/usr/lib/python3/dist-packages" run python3 -c 'import perflite; print(perflite.version)'
		rc_is 0 "the Python package finds the library"
	else
		skip_without "the Python package" python3
	fi
fi
is "what was built is as it was" "$(wc -c <"$PERF_LITE")" "$whole"

touch "$TMP/root/usr/bin/other" "$TMP/root/usr/share/man/man1/other.1"
made uninstall DESTDIR="$TMP/root" PREFIX=/usr
rc_is 0 "uninstall"
is "only the files of others are left" "$(files)" "/usr/bin/other
/usr/share/man/man1/other.1"
made uninstall DESTDIR="$TMP/root" PREFIX=/usr
rc_is 0 "with nothing to remove"

rm -rf "$TMP/root"
made install DESTDIR="$TMP/root/a b" PREFIX=/opt/x
rc_is 0 "a folder with a blank in its name"
ok "it is used" test -x "$TMP/root/a b/opt/x/bin/perf-lite"
made install PREFIX="$TMP/root/local"
rc_is 0 "PREFIX alone"
ok "it is used" test -x "$TMP/root/local/bin/perf-lite"

# Help

made help
rc_is 0 "help"
cp "$TMP/out" "$TMP/help"
is "all texts begin in one column" "$(grep -v '^$' "$TMP/help" | cut -c 25-27 | grep -vc '^  [^ ]')" 0
for target in $(sed -n 's/^  make \([a-z-]*\) .*/\1/p' "$TMP/help"); do
	ok "make $target exists" grep -Eqx "\.PHONY:.* ?$target( .*)?" Makefile tests/tests.mk
done
for target in $(sed -n 's/^\.PHONY: //p' Makefile); do
	case $target in
	all | FORCE) ;;
	*) like "help names $target" "$TMP/help" "^  make $target " ;;
	esac
done
for variable in $(sed -n 's/^  \([A-Z_]*\)=.*/\1/p' "$TMP/help"); do
	ok "$variable is used" grep -Eq "[(]$variable[):]" Makefile tests/tests.mk
done
done_testing
