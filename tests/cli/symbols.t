#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Names of what is not there any more when a recording is read: deleted and replaced programs, those of
# containers, code that was made while it ran. Nothing of this machine may help: --symfs is empty.
. tests/lib.sh
need_root

# nor may the copies of binaries that perf keeps
HOME=$TMP
export HOME

# Of CPU time, so that as many samples are due on a busy machine.
MS=400

record()
{
	run "$PERF_LITE" record -e cpu-clock -F 500 -g -o "$TMP/data" "$@"
	[ $rc -eq 0 ] || diag_file "$TMP/err"
}

# The first frame of each sample, one a line, as another machine sees them.
leaves()
{
	"$PERF_LITE" script --symfs /nonexistent -i "$TMP/data" -F ip,sym,dso 2>"$TMP/notes" |
		awk '!NF { inside = 0; next } !inside { print; inside = 1 }' >"$TMP/leaves"
}

# named DESC DSO-ERE SYMBOL: of the samples in the DSO all but few, in start-up code, are in the symbol
named()
{
	all=$(grep -Ec "$2" "$TMP/leaves")
	right=$(grep -E "$2" "$TMP/leaves" | grep -c " $3 ")
	ok "$1: samples ($all)" test "$all" -gt 20
	ok "$1: named ($right)" test $((all - right)) -le $((all / 20))
}

# The program is gone before its samples are written.
cp "$PROG/spin" "$TMP/spin"
cat >"$TMP/deleted.sh" <<-END
	cp $TMP/spin $TMP/deleted; $TMP/deleted $MS & sleep 0.3; rm $TMP/deleted; wait
END
record -- sh "$TMP/deleted.sh"
leaves
named "deleted" /deleted leaf

# It never had a path.
record -- "$PROG/memfd" "$PROG/spin" $MS
leaves
named "a memfd" '/memfd:copy' leaf
"$PROG/memfd" "$PROG/spin" 20000 &
program=$!
in_memory() { readlink /proc/$program/exe | grep -q memfd:copy; }
wait_for 10 in_memory
cat >"$TMP/used.sh" <<-'END' # until process $1 has used $2 ticks more
	ticks() { sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f12; }
	from=$(ticks $1)
	while [ $(($(ticks $1) - from)) -lt $2 ]; do sleep 0.05; done
END
record -p $program -- sh "$TMP/used.sh" $program $((MS / 10))
leaves
named "a memfd that ran before" '/memfd:copy' leaf
kill $program
wait $program 2>/dev/null
run "$PERF_LITE" record -q -e cpu-clock:u -F 500 --call-graph dwarf -o "$TMP/data" -- "$PROG/memfd" "$PROG/spin" $MS
leaves
named "a memfd, by copies of the stack" '/memfd:copy' leaf
run "$PERF_LITE" script --symfs /nonexistent -i "$TMP/data" --quality
unlike "it is unwound" "$TMP/out" '/memfd:copy.*(no unwind information|file gone)'

# The same as it runs: deleted before it is looked at, and replaced by another.
for how in deleted replaced; do
	cp "$TMP/spin" "$TMP/$how"
	"$TMP/$how" 3000 &
	program=$!
	wait_for 10 grep -q "/$how" "/proc/$program/maps"
	rm "$TMP/$how"
	[ $how = deleted ] || cp "$PROG/threads" "$TMP/$how"
	run_ok "$how, live" "$PERF_LITE" count -e cpu-clock -F 500 --by sym -p $program --duration 300ms --csv
	kill $program
	like "$how, live: named" "$TMP/out" '^[0-9]+,leaf$'
done

# A BPF program that was loaded before, and is gone before its samples are written.
if can bpf; then
	"$PROG/bpf" 1000 &
	program=$!
	loaded() { ls -l /proc/$program/fd | grep -q anon_inode:bpf-prog; }
	wait_for 10 loaded
	record -p $program
	wait $program
	leaves
	named "BPF program" '_burn' 'bpf_prog_[0-9a-f]*_burn[^ ]*'
else
	skip_without "BPF program: samples" bpf
	skip_without "BPF program: named" bpf
fi

# Each is gone as soon as it has ended, which is soon.
cat >"$TMP/gone.sh" <<-END
	for i in 1 2 3 4 5 6 7 8 9 10; do cp $TMP/spin $TMP/gone; $TMP/gone 50; rm $TMP/gone; done
END
record -- sh "$TMP/gone.sh"
leaves
named "deleted after 50 ms" /gone leaf

# Several programs had the path, and the file system may have given them the same inode in turn.
cat >"$TMP/one.c" <<-'END'
	#include <time.h>
	volatile unsigned long n;
	void NAME(void) { for (int i = 0; i < 1000000; i++) n += STEP; }
	int main(void) { while (clock() < CLOCKS_PER_SEC * 2 / 5) NAME(); return 0; }
END
for i in 1 2 3; do
	${CC:-cc} -O1 -fno-inline -DNAME=number_$i -DSTEP=$i -o "$TMP/one$i" "$TMP/one.c"
done
cat >"$TMP/turns.sh" <<-END
	for i in 1 2 3; do cp $TMP/one\$i $TMP/turn; $TMP/turn; rm $TMP/turn; done
END
record -- sh "$TMP/turns.sh"
leaves
for i in 1 2 3; do
	n=$(grep /turn "$TMP/leaves" | grep -c " number_$i ")
	ok "replaced: program $i has its own samples ($n)" test "$n" -gt 40 -a "$n" -lt 250
done

# It is written anew in its place: the same inode, and the same generation of it
cat >"$TMP/anew.sh" <<-END
	for i in 1 2 3; do cat $TMP/one\$i >$TMP/anew; chmod 755 $TMP/anew; $TMP/anew; sleep 6; done
END
record -- sh "$TMP/anew.sh"
leaves
for i in 1 2 3; do
	n=$(grep /anew "$TMP/leaves" | grep -c " number_$i ")
	ok "written anew: program $i has its own samples ($n)" test "$n" -gt 40 -a "$n" -lt 250
done

# A file that is another one by now names nothing, and says so in one line.
cp "$TMP/one1" "$TMP/changed"
if can perf; then
	perf record -q -e cpu-clock -F 500 -g -o "$TMP/data" -- "$TMP/changed" >"$TMP/out" 2>&1
	rm -rf "$TMP/.debug"
	cp "$TMP/one2" "$TMP/changed"
	"$PERF_LITE" script -i "$TMP/data" -F ip,sym,dso >"$TMP/out" 2>"$TMP/err"
	is "changed: no wrong name" "$(grep -c number_2 "$TMP/out")" 0
	is "changed: one line says so" "$(grep -c 'changed: build-id differs' "$TMP/err")" 1
else
	skip_without "changed" perf
fi

# A mount namespace: the path means another file out here, or none.
if can mounts; then
	mkdir "$TMP/mnt"
	cat >"$TMP/inside.sh" <<-END
		mount -t tmpfs none $TMP/mnt && cp $TMP/spin $TMP/mnt/inside && exec $TMP/mnt/inside $MS
	END
	record -- unshare -m sh "$TMP/inside.sh"
	leaves
	named "mount namespace" /mnt/inside leaf
else
	skip_without "mount namespace" mounts
fi

# Symbols that the program itself does not have.
if command -v objcopy >/dev/null && command -v xz >/dev/null; then
	objcopy --only-keep-debug "$PROG/spin" "$TMP/bare.debug"
	objcopy --strip-all --add-gnu-debuglink="$TMP/bare.debug" "$PROG/spin" "$TMP/bare"
	record -- "$TMP/bare" $MS
	leaves
	named "debug link" /bare leaf
	run_ok "lines by the debug link" "$PERF_LITE" script -i "$TMP/data" -F ip,sym,srcline
	like "are there" "$TMP/out" 'spin\.c:[0-9]'
	cp "$TMP/bare.debug" "$TMP/kept.debug"
	for other in another damaged; do
		case $other in
		another) objcopy --only-keep-debug "$PROG/storm" "$TMP/bare.debug" ;;
		*) printf '\177ELF and no more' >"$TMP/bare.debug" ;;
		esac
		run_ok "a debug file that is $other" "$PERF_LITE" script -i "$TMP/data" -F ip,sym,srcline
		unlike "has no lines" "$TMP/out" 'spin\.c:[0-9]'
		like "and is told of" "$TMP/err" '/bare\.debug: (debug file of another build; not used|.*ELF)'
		is "once" "$(grep -c 'bare\.debug' "$TMP/err")" 1
	done
	mv "$TMP/kept.debug" "$TMP/bare.debug"
	objcopy --strip-debug --remove-section .comment "$TMP/bare.debug" "$TMP/mini"
	xz "$TMP/mini"
	rm "$TMP/bare.debug" "$TMP/bare"
	objcopy --strip-all --add-section .gnu_debugdata="$TMP/mini.xz" "$PROG/spin" "$TMP/bare"
	record -- "$TMP/bare" $MS
	leaves
	named "minidebuginfo" /bare leaf
else
	skip_without "stripped programs" objcopy xz
fi

# A server that has what this machine has not; asked only if one says so. Nothing leaves the machine.
if command -v objcopy >/dev/null; then
	objcopy --only-keep-debug "$PROG/spin" "$TMP/fetched.debug"
	objcopy --strip-all "$PROG/spin" "$TMP/fetched"
	cp "$TMP/fetched" "$TMP/bare"
	record -- "$TMP/fetched" 200
	id=$(readelf -n "$TMP/fetched" | sed -n 's/.*Build ID: //p')
	mkdir -p "$TMP/server/buildid/$id"
	mv "$TMP/fetched.debug" "$TMP/server/buildid/$id/debuginfo"
	mv "$TMP/fetched" "$TMP/server/buildid/$id/executable"
	DEBUGINFOD_URLS=file://$TMP/server DEBUGINFOD_CACHE_PATH=$TMP/client
	export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
	run "$PERF_LITE" script -i "$TMP/data" -F ip,sym
	is "debuginfod: not without the option" "$(grep -c ' leaf$' "$TMP/out")" 0
	ok "debuginfod: nothing was fetched" test ! -e "$TMP/client"
	run "$PERF_LITE" script --debuginfod -i "$TMP/data" -F ip,sym
	if grep -q 'is not installed' "$TMP/err"; then
		skip "debuginfod" "libdebuginfod1 ($not_installed)"
	else
		ok "debuginfod: named" test "$(grep -c ' leaf$' "$TMP/out")" -gt 50
	fi
	if ! grep -q 'is not installed' "$TMP/err"; then
		# the recorder asks at its end, and what it was told is in the recording
		unset DEBUGINFOD_URLS
		record --debuginfod="file://$TMP/server" -- "$TMP/bare" $MS
		rc_is 0 "record --debuginfod"
		leaves
		named "record --debuginfod" /bare leaf
		run "$PERF_LITE" verify "$TMP/data"
		rc_is 0 "record --debuginfod: the file is whole"
		run "$PERF_LITE" pack -o "$TMP/packed" "$TMP/data"
		mv "$TMP/packed" "$TMP/data"
		leaves
		named "record --debuginfod, packed" /bare leaf
		record --debuginfod="file://$TMP/server" --inline -- "$TMP/bare" $MS
		run "$PERF_LITE" script --symfs /nonexistent -i "$TMP/data" -F ip,sym,srcline
		like "record --debuginfod --inline: lines" "$TMP/out" 'spin.c:[1-9]'
		record --debuginfod="file://$TMP/server" --keep-last 60s -- "$TMP/bare" $MS
		leaves
		named "record --debuginfod, a flight recorder" /bare leaf

		# nobody has it: a line says so, and nothing fails
		rm -rf "$TMP/server" "$TMP/client"
		record --debuginfod="file://$TMP/server" -- "$TMP/bare" 100
		rc_is 0 "record --debuginfod: a server without files"
		like "record --debuginfod: ... is told" "$TMP/err" 'nothing for [0-9]* of [0-9]* files?'

		# a server that never answers is given up at ^C, and the recording is whole
		rm -rf "$TMP/client" "$TMP/err"
		if command -v python3 >/dev/null; then
			python3 -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
time.sleep(60)' >"$TMP/port" &
			silent=$!
			wait_for 10 test -s "$TMP/port"
			"$PERF_LITE" record --debuginfod="http://127.0.0.1:$(cat "$TMP/port")" \
				-e cpu-clock -g -o "$TMP/data" -- "$TMP/bare" 100 >"$TMP/out" 2>"$TMP/err" &
			recorder=$!
			wait_for 10 grep -q 'fetching symbol names' "$TMP/err"
			# it may not have begun to ask: until it ends
			wait_for 20 sh -c "kill -INT $recorder 2>/dev/null; grep 'samples* in' '$TMP/err'"
			wait $recorder
			is "record --debuginfod: ^C while it waits" $? 0
			like "record --debuginfod: ... is told" "$TMP/err" 'interrupted; nothing for'
			run "$PERF_LITE" verify "$TMP/data"
			rc_is 0 "record --debuginfod: ... and the file is whole"
			kill $silent 2>/dev/null
		else
			skip_without "record --debuginfod: ^C" python3
		fi
		for other in '-o -' --format=perf --switch-output; do
			# shellcheck disable=SC2086
			run "$PERF_LITE" record --debuginfod=file:///none -o "$TMP/none" $other -- true
			rc_is 1 "record --debuginfod $other"
			like "record --debuginfod $other: ... why not" "$TMP/err" 'at the end of a single file'
		done
	fi
	unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
	run "$PERF_LITE" record --debuginfod -o "$TMP/none" -- true
	rc_is 2 "record --debuginfod: no server is named"
	run "$PERF_LITE" script --debuginfod -i "$TMP/data"
	rc_is 1 "debuginfod: no server is named"
	like "debuginfod: ... and how to name one" "$TMP/err" 'hint: set DEBUGINFOD_URLS'
else
	skip_without "debuginfod" objcopy
fi

# Code that was made while it ran. The files go before the recording is read.
jit_named()
{
	all=$(grep -c '/tmp/perf-' "$TMP/leaves")
	ok "$1: samples ($all)" test "$all" -gt 40
	for f in jit_alpha jit_beta; do
		n=$(grep -c " $f " "$TMP/leaves")
		ok "$1: $f ($n)" test "$n" -gt 20
	done
	grep /tmp/perf- "$TMP/leaves" | grep -v ' jit_' >"$TMP/unnamed"
	n=$(wc -l <"$TMP/unnamed")
	# one was seen in ten thousands, and not found out about
	ok "$1: no more than one sample without a name ($n)" test "$n" -le 1
	[ "$n" -eq 0 ] || diag_file "$TMP/unnamed"
}

case $(uname -m) in
x86_64 | aarch64)
	record -- "$PROG/jit" 150
	rm -f "/tmp/perf-$(cat "$TMP/out").map"
	leaves
	jit_named "perf-PID.map"
	# the map may be gone with its process
	for kind in --shared --memfd; do
		record -- sh -c "'$PROG/jit' $kind 150 >'$TMP/pid'; rm -f /tmp/perf-\$(cat '$TMP/pid').map"
		leaves
		jit_named "perf-PID.map of memory that is $kind"
	done
	record -- "$PROG/jit" --dump "$TMP" 150
	rm -f "$TMP"/jit-*.dump
	leaves
	jit_named "jitdump"
	# addresses that are used again: by jitdump, at once; by a map, when it was written
	in_turn()
	{
		grep /tmp/perf- "$TMP/leaves" | awk '{ print $2 }' >"$TMP/names"
		all=$(wc -l <"$TMP/names")
		uniq -c "$TMP/names" | awk '$1 > 30 { printf "%s ", $2 }' >"$TMP/turns"
		ok "$1: in turn: $(cat "$TMP/turns")" test "$(cat "$TMP/turns")" = "$2 "
		n=$(awk -v want="$2" 'BEGIN { n = split(want, turn); at = 1 }
			$1 != turn[at] && $1 == turn[at + 1] { at++ }
			$1 != turn[at] { wrong++ } END { print wrong + 0 }' "$TMP/names")
		ok "$1: $n of $all have another's name" test "$n" -le $((all / 50))
	}
	record -- "$PROG/jit" --dump "$TMP" 150 again
	rm -f "$TMP"/jit-*.dump
	leaves
	in_turn "jitdump, used again" "jit_alpha jit_beta jit_alpha jit_gamma jit_delta"
	"$PERF_LITE" record -e cpu-clock -F 500 -g -o - -- \
		sh -c "exec $PROG/jit 150 again >$TMP/out" >"$TMP/data" 2>"$TMP/err"
	rm -f "/tmp/perf-$(cat "$TMP/out").map"
	leaves
	in_turn "perf-PID.map, used again" "jit_alpha jit_beta jit_gamma jit_delta"
	# in a container of its own the process has another number, and another /tmp
	if can mounts && can pidns; then
		mkdir "$TMP/root"
		cat >"$TMP/container.sh" <<-END
			mount -t tmpfs none $TMP/root && cd $TMP/root && cp $PROG/jit . &&
			mount -t tmpfs none /tmp && exec ./jit 400
		END
		record -- unshare -m -p -f sh "$TMP/container.sh"
		leaves
		jit_named "perf-PID.map of a container"
	else
		skip_without "perf-PID.map of a container" mounts pidns
	fi
	;;
*)
	skip_outside "code made while it ran" "tests/prog/jit makes none for this machine"
	;;
esac

if command -v node >/dev/null; then
	cat >"$TMP/fib.js" <<-'END'
		function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
		for (const t = process.cpuUsage().user; process.cpuUsage().user - t < 400000;) fibonacci(20);
		console.log(process.pid);
	END
	for option in --perf-basic-prof --perf-prof; do
		record -- sh -c "cd $TMP && exec node $option fib.js"
		rm -f "$TMP"/jit-*.dump "/tmp/perf-$(cat "$TMP/out").map"
		leaves
		n=$(grep -c fibonacci "$TMP/leaves")
		ok "node $option: $n samples in the function" test "$n" -gt 50
	done
else
	skip_without "node" node
fi

done_testing
