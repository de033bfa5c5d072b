# SPDX-License-Identifier: GPL-2.0
#
# make demo: what it shows with rights and without, where it leaves it, and whose that is.
. tests/lib.sh

# A tree of its own: the demo writes into it.
tree=$TMP/tree
chmod 755 "$TMP"
mkdir -p "$tree/build/tests/prog" "$tree/docs" "$tree/tests" "$TMP/bin" "$TMP/tmp"
chmod 1777 "$TMP/tmp"
cp -r scripts Makefile "$tree"
cp -r docs/example "$tree/docs"
cp tests/tests.mk "$tree/tests"
cp "$PERF_LITE" "$tree/build"
cp "$PROG/drops" "$PROG/dropping" "$tree/build/tests/prog"
printf '#!/bin/sh\nexit 1\n' >"$TMP/bin/sudo"
chmod -R a+rX "$tree" "$TMP/bin"
chmod 755 "$TMP/bin/sudo"
export TMPDIR="$TMP/tmp" O=build

demo()
{
	rm -rf "$tree/flamegraph.svg" "$tree/build/demo"
	run env -C "$tree" PATH="$TMP/bin:$PATH" "$@" sh scripts/dev/demo
	sed -n 's/^   \$ //p' "$TMP/out" >"$TMP/commands"
}

# left DESC FOLDER PICTURE
left()
{
	ok "$1: the text" test -s "$2/drops.txt"
	ok "$1: the picture" test -s "$3"
	like "$1: drops stand on their reasons there" "$3" 'reason=NO_SOCKET'
	like "$1: and on all of them" "$3" 'reason=SOCKET_RCVBUFF'
	ok "$1: nothing else" [ -z "$(find "$2" -type f ! -name drops.txt ! -name drops.data ! -name flamegraph.svg)" ]
}

drops_of()
{
	awk -v reason="$1" '$2 == "drops" && $3 == "at" && $5 == reason { n += $1 } END { print n + 0 }' "$TMP/out"
}

has_example()
{
	like "$1: says which recording it shows" "$TMP/out" '^The rest is shown with docs/example/drops.data'
	is "$1: all of it" "$(drops_of NO_SOCKET) $(drops_of SOCKET_RCVBUFF) $(drops_of SOCKET_FILTER) $(drops_of UDP_CSUM)" \
		"330 80 50 40"
	like "$1: with the names of who recorded it" "$TMP/out" '__libc_sendto\+0x6c \(/usr/lib/x86_64-linux-gnu/libc.so.6\)$'
}

# ---- without rights ----

explains()
{
	like "$1: what is missing" "$TMP/out" '^     no  +(all programs|tracepoints)'
	like "$1: for a container" "$TMP/out" 'docker run --cap-add PERFMON --cap-add SYS_ADMIN'
	has_example "$1"
	left "$1" "$tree/build/demo" "$tree/flamegraph.svg"
}

nobody="setpriv --reuid=65533 --regid=65532 --clear-groups --inh-caps=-all"
if ! can everybody || ! can tracepoints || ! can kallsyms; then
	demo
	rc_is 0 "these rights"
	explains "these rights"
elif ! can users; then
	skip_without "fewer rights" users
else
	chown -R 65533:65532 "$tree"
	# shellcheck disable=SC2086
	if env -C "$tree" $nobody build/perf-lite check all tracepoints symbols >"$TMP/out" 2>&1; then
		diag "anybody may record here"
	else
		# shellcheck disable=SC2086
		demo $nobody
		rc_is 0 "an ordinary user"
		explains "an ordinary user"
		like "who was asked for root" "$TMP/out" '^   no root to record .*sudo gives none without a password'
		like "what helps: root" "$TMP/out" '^   - as root: sudo make demo$'
		like "what helps: capabilities" "$TMP/out" 'sudo setcap cap_perfmon,'
		like "what helps: settings" "$TMP/out" 'sudo sysctl kernel.perf_event_paranoid=-1 '
		is "all that it left is his" "$(find "$tree" ! -user 65533)" ""
	fi
	if can mounts; then
		run unshare -m sh -c "mount --bind '$tree' '$tree' && mount -o remount,ro,bind '$tree' && cd '$tree' &&
			$nobody env PATH='$TMP/bin:$PATH' sh scripts/dev/demo; grep -cw '$tree' /proc/self/mounts >&2"
		rc_is 0 "a folder that is read-only"
		like "it was" "$TMP/err" '^1$'
		folder=$(sed -n "s|^$tree cannot be written to: what the demo writes is in ||p" "$TMP/out")
		left "read-only" "${folder:-/nowhere}" "$folder/flamegraph.svg"
		run unshare -m sh -c "mount --bind '$tree' '$tree' && mount -o remount,ro,bind '$tree' && cd '$tree' &&
			make O=new all"
		rc_is 2 "and a build there"
		like "fails at once, with another way" "$TMP/err" 'new/ cannot be written to: build elsewhere with make O=DIR'
	else
		skip_without "a folder that is read-only" mounts
	fi
	chown -R 0:0 "$tree"
	demo setpriv --bounding-set=-all --inh-caps=-all
	rc_is 0 "root without capabilities"
	if grep -q '^The rest is shown with' "$TMP/out"; then
		explains "root without capabilities"
		unlike "root is not told to take root" "$TMP/out" 'as root: sudo make demo'
	else
		diag "root needs no capabilities here"
	fi
fi

# ---- under sudo ----

if can users; then
	user=65533 group=65532
	chown -R $user:$group "$tree"
	as_sudo() { run env -C "$tree" SUDO_UID=$user SUDO_GID=$group SUDO_USER=somebody "$@"; }
	as_sudo sh scripts/dev/as-root sh -c 'id -u; echo 1 >build/of-root; exit 7'
	rc_is 7 "as-root passes on the status"
	is "of what runs as root" "$(cat "$TMP/out")" 0
	is "who ran sudo has what it left" "$(stat -c %u:%g "$tree/build/of-root")" $user:$group
	echo 1 >"$tree/build/of-root" && chown 0:0 "$tree" "$tree/build/of-root"
	as_sudo sh scripts/dev/as-root true
	is "but not in a tree that is root's" "$(stat -c %u "$tree/build/of-root")" 0
	chown -R $user:$group "$tree"
	# setpriv cannot look up the groups of a user that there is not
	if getent passwd nobody >/dev/null; then
		user=$(id -u nobody) group=$(id -g nobody)
		chown -R $user:$group "$tree"
		as_sudo make -s O=new new/libs.ok
		ok "sudo make builds" test -e "$tree/new/libs.ok"
		is "as who ran sudo" "$(find "$tree" ! -user $user)" ""
	fi
	# shellcheck disable=SC2086
	run env -C "$tree" PATH="$TMP/bin:$PATH" $nobody sh scripts/dev/as-root
	rc_is 1 "as-root says that there is no root"
	# shellcheck disable=SC2086
	run env -C "$tree" PATH="$TMP/bin:$PATH" $nobody sh scripts/dev/as-root id -u
	is "and runs the command without" "$(cat "$TMP/out")" 65533
	chown -R 0:0 "$tree"
else
	skip_without "under sudo" users
fi

# ---- with rights ----

need_root
need_event skb:kfree_skb
need netns users ip
chown -R 65533:65532 "$tree"
demo unshare -n env SUDO_UID=65533 SUDO_GID=65532 sh -c 'ip link set lo up && exec "$@"' sh
rc_is 0 "with rights"
unlike "no other recording" "$TMP/out" 'docs/example'
# a machine that stops for long makes the recorder lose some, and it says how many
lost=$(sed -n 's/.* record: .* \([0-9]*\) lost.*/\1/p' "$TMP/out")
for count in "NO_SOCKET 330" "SOCKET_RCVBUFF 80" "SOCKET_FILTER 50" "UDP_CSUM 40"; do
	n=$(drops_of "${count% *}")
	ok "${count% *}: $n drops, $lost lost" [ $((n + ${lost:-0})) -ge "${count#* }" ]
done
"$PERF_LITE" script --quality -i "$tree/build/demo/drops.data" >"$TMP/quality"
like "stacks are complete" "$TMP/quality" '^complete .* (100\.0|9[89]\.[0-9])%'
left "with rights" "$tree/build/demo" "$tree/flamegraph.svg"
ok "the recording stays" test -s "$tree/build/demo/drops.data"
is "all of it is the caller's" "$(find "$tree" ! -user 65533)" ""
like "where they are" "$TMP/out" "^Done: open $tree/flamegraph.svg in a browser"

is "four commands" "$(wc -l <"$TMP/commands")" 4
rm -rf "$tree/flamegraph.svg" "$tree/build/demo/"*
chown -R 0:0 "$tree"
run env -C "$tree" unshare -n sh -ec "ip link set lo up; . '$TMP/commands'"
rc_is 0 "which can be typed again"
left "typed" "$tree/build/demo" "$tree/flamegraph.svg"

demo unshare -n
rc_is 0 "loopback is down"
like "it says so" "$TMP/out" 'No packet can be sent on loopback here \(.*unreachable\)'
unlike "and records in a namespace of its own" "$TMP/out" 'docs/example'
# other programs may drop packets meanwhile
ok "what was dropped there" test "$(drops_of SOCKET_FILTER)" -ge 50
left "loopback is down" "$tree/build/demo" "$tree/flamegraph.svg"
done_testing
