# SPDX-License-Identifier: GPL-2.0
#
# tests/vm/lib.sh - for tests that boot a guest; after tests/lib.sh.
#
#   vm_boot NAME SCRIPT...   boots that kernel of tests/vm/kernels and has it run tests/vm/guest/SCRIPT.sh: each of their tests
#                            becomes one of this file. What the scripts left in the guest's /out is in $OUT. What keeps the
#                            guest from being run here skips the whole file.
#                            In $VM_ADD: FROM:FOLDER of more files that the guest shall have, separated by blanks
#   vm_module NAME SOURCES   builds the modules of tests/vm/SOURCES for that kernel; the guest finds them in /modules. Before vm_boot
#   vm_driver NAME CONFIG FOLDER   the same of a driver that the source of that kernel has, and Debian does not build
#   vm_modules NAME MODULE...      the kernel's own modules likewise, and those that they need; /modules/order has them in order
#   vm_read SCRIPT FILE [OPTION...]
#                            the recording $OUT/FILE, printed by script on this machine, is what the guest printed ($OUT/SCRIPT),
#                            but for names in libraries, which this machine may know better
#
# The guest's console and its files stay in $O/vm/TEST until the next run.
#
# qemu's emulation of several CPUs is not always that of a machine (x86 guests have died of code that was half patched). A guest
# that does not come to its end, and a script that fails, therefore have one more guest, and what failed in the first is said: what
# is wrong with the program fails in both.

vm_module()
{
	run sh tests/vm/module "$1" "tests/vm/$2" "$O/vm/module-$1-$2"
	[ $rc -ne 77 ] || {
		skip "the modules of $2" "$outside: $(tail -n 1 "$TMP/err")"
		return
	}
	rc_is 0 "the modules of $2 build"
	for vm_ko in "$O/vm/module-$1-$2"/*.ko; do
		VM_ADD="${VM_ADD-} $vm_ko:/modules"
	done
}

# Built once: it does not change.
vm_driver()
{
	vm_folder=$O/vm/driver-$1-${3##*/}
	[ -e "$vm_folder/done" ] || {
		run sh tests/vm/fetch source "$1" "$3"
		[ $rc -ne 0 ] || run env "$2=m" sh tests/vm/module "$1" "$(cat "$TMP/out")" "$vm_folder"
		[ $rc -eq 0 ] || {
			skip "the driver ${3##*/}" "$outside: $(tail -n 1 "$TMP/err")"
			return
		}
		touch "$vm_folder/done"
	}
	for vm_ko in "$vm_folder"/*.ko; do
		VM_ADD="${VM_ADD-} $vm_ko:/modules"
	done
}

vm_modules()
{
	run sh tests/vm/fetch modules "$@"
	[ $rc -eq 0 ] || {
		skip "modules of the kernel" "$outside: $(tail -n 1 "$TMP/err")"
		return
	}
	for vm_ko in "$(cat "$TMP/out")"/*.ko "$(cat "$TMP/out")"/order; do
		VM_ADD="${VM_ADD-} $vm_ko:/modules"
	done
}

vm_boot()
{
	vm_name=$1
	shift
	vm_test=$O/vm/$(basename "$0" .t)
	vm_machine=$(awk -v name="$vm_name" '$1 == name { print $2 }' tests/vm/kernels)
	mkdir -p "$vm_test"
	run sh tests/vm/fetch kernel "$vm_name"
	[ $rc -eq 0 ] || skip_all "$outside: $(tail -n 1 "$TMP/err")"
	if [ "$vm_machine" = "$(uname -m)" ]; then
		vm_root=host vm_build=$O
	else
		vm_root=$vm_machine vm_build=$O/vm/build-$vm_machine
		run sh tests/vm/build "$vm_machine" "$vm_build"
		[ $rc -ne 77 ] || skip_all "$outside: $(tail -n 1 "$TMP/err")"
		rc_is 0 "builds for $vm_machine"
		[ $rc -eq 0 ] || exit 1
	fi
	vm_image=$vm_test/root.img
	# shellcheck disable=SC2086
	run sh tests/vm/initramfs "$vm_root" "$vm_build" "$vm_image" ${VM_ADD-}
	rc_is 0 "a root for the guest"
	[ $rc -eq 0 ] || exit 1
	diag "$(cat "$(sh tests/vm/fetch kernel "$vm_name")/package")"
	OUT=$vm_test/out
	run sh tests/vm/run "$vm_name" "$vm_image" "$vm_test" "$@"
	[ $rc -ne 77 ] || skip_all "$(tail -n 1 "$TMP/err")"
	vm_again "$@"
	rc_is 0 "the guest comes to its end"
	[ $rc -eq 0 ] || {
		diag "the last lines of $vm_test/console:"
		tail -n 20 "$vm_test/console" | tr -d '\r' | sed 's/^/#   /' >&2
		exit 1
	}
	for vm_script; do
		vm_tap "$vm_script" "$OUT/$vm_script.tap"
	done
}

# The scripts that failed, in a second guest, whose files replace the first one's; all of them if the guest itself did. In $rc how
# that one ended.
vm_again()
{
	vm_failed=
	for vm_script; do
		[ $rc -eq 0 ] && vm_kept "$OUT/$vm_script.tap" || vm_failed="$vm_failed $vm_script"
	done
	[ -n "$vm_failed" ] || return 0
	diag "in the first guest, whose files are in $vm_test/first, failed:"
	if [ $rc -eq 0 ]; then
		for vm_script in $vm_failed; do
			grep '^not ok' "$OUT/$vm_script.tap" | sed "s/^/#   $vm_script: /" >&2
			tail -n 40 "$OUT/$vm_script.err" | sed 's/^/#   /' >&2
		done
	else
		diag "the guest: $(tail -n 1 "$TMP/err")"
		tail -n 20 "$vm_test/console" | tr -d '\r' | sed 's/^/#   /' >&2
	fi
	rm -rf "$vm_test/first"
	mkdir "$vm_test/first"
	cp -r "$OUT" "$vm_test/console" "$vm_test/first/"
	# shellcheck disable=SC2086
	run sh tests/vm/run "$vm_name" "$vm_image" "$vm_test/second" $vm_failed
	cp -r "$vm_test/second/." "$vm_test/"
	rm -rf "$vm_test/second"
}

# Did a script come to its end, and all of its tests pass?
vm_kept()
{
	grep -q '^1\.\.' "$1" && grep -q '^# exit 0$' "$1" && ! grep -q '^not ok' "$1"
}

# Each line of the guest's TAP as one test here; a plan that it did not keep, or its exit status, as one more that fails.
vm_tap()
{
	while read -r vm_line; do
		vm_text=${vm_line#*- }
		case $vm_line in
		'ok '*'# SKIP '*) skip "$1: ${vm_text%% # SKIP *}" "${vm_text#* # SKIP }" ;;
		'1..0 '*) skip "$1" "${vm_line#*SKIP }" ;;
		'ok '*) pass "$1: $vm_text" ;;
		'not ok '*) fail "$1: $vm_text" ;;
		'# exit 0') ;;
		'# exit '*) diag "$1 ended with ${vm_line#\# exit }:" ;;
		esac
	done <"$2"
	grep -q '^1\.\.' "$2" || fail "$1: comes to its end"
	grep -q '^# exit 0$' "$2" || sed 's/^/#   /' "${2%.tap}.err" >&2
}

vm_read()
{
	vm_there=$1 vm_file=$2
	shift 2
	run "$PERF_LITE" script -i "$OUT/$vm_file" "$@"
	rc_is 0 "$vm_file is read here"
	sed '/ (\/lib\//d' "$TMP/out" >"$TMP/here"
	sed '/ (\/lib\//d' "$OUT/$vm_there" >"$TMP/there"
	is_file "$vm_file is told here as in the guest" "$TMP/here" "$TMP/there"
}
