# SPDX-License-Identifier: GPL-2.0
#
# tests/vm/lib.sh - for tests that boot a guest; after tests/lib.sh.
#
#   vm_boot NAME SCRIPT...   boots that kernel of tests/vm/kernels and has it run tests/vm/guest/SCRIPT.sh: each of their tests
#                            becomes one of this file. What the scripts left in the guest's /out is in $OUT. What keeps the
#                            guest from being run here skips the whole file.
#   vm_read SCRIPT FILE      the recording $OUT/FILE, printed by script on this machine, is what the guest printed ($OUT/SCRIPT),
#                            but for names in libraries, which this machine may know better
#
# The guest's console and its files stay in $O/vm/NAME until the next run.


vm_boot()
{
	vm_name=$1
	shift
	vm_machine=$(awk -v name="$vm_name" '$1 == name { print $2 }' tests/vm/kernels)
	mkdir -p "$O/vm"
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
	vm_image=$O/vm/$vm_root.img
	run sh tests/vm/initramfs "$vm_root" "$vm_build" "$vm_image"
	rc_is 0 "a root for the guest"
	[ $rc -eq 0 ] || exit 1
	diag "$(cat "$(sh tests/vm/fetch kernel "$vm_name")/package")"
	run sh tests/vm/run "$vm_name" "$vm_image" "$O/vm/$vm_name" "$@"
	[ $rc -ne 77 ] || skip_all "$(tail -n 1 "$TMP/err")"
	rc_is 0 "the guest comes to its end"
	[ $rc -eq 0 ] || {
		diag "the last lines of $O/vm/$vm_name/console:"
		tail -n 20 "$O/vm/$vm_name/console" | tr -d '\r' | sed 's/^/#   /' >&2
		exit 1
	}
	OUT=$O/vm/$vm_name/out
	for vm_script; do
		vm_tap "$vm_script" "$OUT/$vm_script.tap"
	done
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
	run "$PERF_LITE" script -i "$OUT/$2"
	rc_is 0 "$2 is read here"
	sed '/ (\/lib\//d' "$TMP/out" >"$TMP/here"
	sed '/ (\/lib\//d' "$OUT/$1" >"$TMP/there"
	is_file "$2 is told here as in the guest" "$TMP/here" "$TMP/there"
}
