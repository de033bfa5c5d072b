# SPDX-License-Identifier: GPL-2.0
#
# tests/vm/user.sh - the analyser's tests as programs of another machine under qemu-user; after tests/lib.sh.
#
#   vm_user MACHINE   unit tests, fuzz targets over their corpora, and the recordings of tests/vm/golden, each one test of this
#                     file. tests/vm/user-tests says which are left out, and why. No kernel is booted: perf_event_open is not there.

# The program that runs those of a machine: static, since it is not looked for where its libraries are.
vm_user_qemu()
{
	case $1 in
	arm64) set -- aarch64 ;;
	esac
	command -v "qemu-$1-static" || command -v "qemu-$1"
}

# Why a test is left out on this machine; nothing: it is not.
vm_user_without() # MACHINE TEST
{
	awk -v machine="$1" -v test="$2" -F ' *# *' '{
		n = split($1, word, " ")
		for (i = 2; i <= n; i++)
			if (word[i] == test && (word[1] == "all" || word[1] == machine)) {
				print $2
				exit
			}
	}' tests/vm/user-tests
}

# A program of the other machine, as one test. Of each input of a fuzz target fewer variants than here: it takes ten times as long.
# Guests that run meanwhile go first.
vm_user_run() # DESCRIPTION COMMAND...
{
	vm_what=$1
	shift
	# what this machine can, an emulator cannot
	O=$TMP REPLAY_VARIANTS=8 nice -n 19 timeout -k 5 400 "$vm_qemu" -L "$vm_sysroot" "$@" >"$TMP/out" 2>"$TMP/err"
	vm_rc=$?
	if [ $vm_rc -eq 0 ]; then
		pass "$vm_what"
		return
	fi
	fail "$vm_what"
	diag "exit status $vm_rc"
	grep -A 3 '^not ok [^#]*$' "$TMP/out" | head -n 20 | sed 's/^/#   /' >&2
	head -n 5 "$TMP/err" | sed 's/^/#   /' >&2
}

# What a perf-lite tells of a recording: the machine, attrs, side-band, raw data, call chains.
vm_user_tell() # RECORDING PERF_LITE...
{
	vm_data=$1
	shift
	timeout 100 "$@" script --header-only -i "$vm_data" | grep -v '^# captured on' &&
		timeout 100 "$@" script -G --comm tcp-client --show-task-events --show-mmap-events -i "$vm_data" &&
		timeout 100 "$@" count -i "$vm_data" --by comm,reason,kstack
}

# Recordings of machines of both byte orders, "record -e skb:kfree_skb -a -g -- drops --udp 300 --tcp 30" of guests: every machine
# tells the same of them, and of what another made of them.
vm_user_golden()
{
	set -- "$vm_qemu" -L "$vm_sysroot" "$vm_build/perf-lite"
	for vm_golden in tests/vm/golden/*.data; do
		vm_what=${vm_golden##*/}
		run vm_user_tell "$vm_golden" "$PERF_LITE"
		is_file "$vm_what is told here" "$TMP/out" "${vm_golden%.data}.txt"
		run vm_user_tell "$vm_golden" "$@"
		is_file "$vm_what is told there" "$TMP/out" "${vm_golden%.data}.txt"
		run_ok "verify there: $vm_what" "$@" verify "$vm_golden"
		run_ok "pack there: $vm_what" "$@" pack -o "$TMP/packed" "$vm_golden"
		run vm_user_tell "$TMP/packed" "$PERF_LITE"
		is_file "what it packed is read here" "$TMP/out" "${vm_golden%.data}.txt"
		run_ok "perf.data made there: $vm_what" "$@" convert --to perf.data -o "$TMP/there" -i "$vm_golden"
		run_ok "perf.data made here: $vm_what" "$PERF_LITE" convert --to perf.data -o "$TMP/here" -i "$vm_golden"
		run "$PERF_LITE" script -i "$TMP/here"
		mv "$TMP/out" "$TMP/want"
		like "with its drops" "$TMP/want" "^tcp-client .*skb:kfree_skb:"
		run "$PERF_LITE" script -i "$TMP/there"
		is_file "what it made is read here" "$TMP/out" "$TMP/want"
		run "$@" script -i "$TMP/here"
		is_file "what was made here is read there" "$TMP/out" "$TMP/want"
		rm -f "$TMP/packed" "$TMP/there" "$TMP/here"
	done
}

vm_user()
{
	vm_qemu=$(vm_user_qemu "$1") || skip_all "needs qemu-user-static"
	vm_build=$O/vm/build-$1
	vm_targets=$vm_build/perf-lite vm_units=
	for vm_test in tests/unit/test_*.c tests/fuzz/fuzz_*.c; do
		vm_name=${vm_test##*/}
		vm_name=${vm_name%.c}
		[ -z "$(vm_user_without "$1" "$vm_name")" ] || continue
		vm_targets="$vm_targets $vm_build/${vm_test%.c}"
		case $vm_name in test_*) vm_units="$vm_units $vm_test" ;; esac
	done
	# shellcheck disable=SC2086
	run sh tests/vm/build "$1" "$vm_build" UNIT_SRC="$vm_units" $vm_targets
	[ $rc -ne 77 ] || skip_all "$outside: $(tail -n 1 "$TMP/err")"
	rc_is 0 "builds for $1"
	[ $rc -eq 0 ] || exit 1
	vm_sysroot=$(sh tests/vm/fetch sysroot "$1")
	for vm_test in tests/unit/test_*.c tests/fuzz/fuzz_*.c; do
		vm_name=${vm_test##*/}
		vm_name=${vm_name%.c}
		vm_why=$(vm_user_without "$1" "$vm_name")
		if [ -n "$vm_why" ]; then
			skip "$vm_name" "$vm_why"
			continue
		fi
		case $vm_name in
		fuzz_*) vm_user_run "$vm_name" "$vm_build/${vm_test%.c}" "tests/fuzz/corpus/${vm_name#fuzz_}" ;;
		*) vm_user_run "$vm_name" "$vm_build/${vm_test%.c}" ;;
		esac
	done
	vm_user_golden
}
