# SPDX-License-Identifier: GPL-2.0
#
# Code of the kernel, of a module and of a BPF program, from /proc/kcore; x86_64-6.12.t looks at the instructions.
. /tests/lib.sh
[ -r /proc/kcore ] || skip_all "this kernel has no /proc/kcore"
[ -e /modules/fakepmu.ko ] || skip_all "no module fakepmu for this kernel"
steps=/sys/module/fakepmu/parameters/steps

annotated() # NAME OPTION...: as JSON, and as text
{
	name=$1
	shift
	run_ok "annotate, $name" "$PERF_LITE" annotate --json -i "$TMP/$name.data" "$@"
	cp "$TMP/out" "/out/annotate-$name.json"
	run_ok "annotate, $name, as text" "$PERF_LITE" annotate -i "$TMP/$name.data" "$@"
	like "$name: where the code is from" "$TMP/out" '^# code of /proc/kcore$'
}

run_ok "the kernel" "$PERF_LITE" record -q -e cpu-clock:k -F 2000 -o "$TMP/kernel.data" -- "$PROG/storm" --quiet 300000
annotated kernel --functions 20
run "$PERF_LITE" annotate -i "$TMP/kernel.data" --functions 1 --kcore /proc/version
rc_is 1 "no core file"
like "is named" "$TMP/err" '^perf-lite: /proc/version: not an ELF file$'
cp /proc/kallsyms "$TMP/kallsyms"
run "$PERF_LITE" annotate -i "$TMP/kernel.data" --functions 1 --kcore /proc/kcore --kallsyms "$TMP/kallsyms" --symfs /none
rc_is 0 "a copy"

overflow=$(sed -n 's/^\([0-9a-f]*\) T perf_event_overflow$/0x\1/p' /proc/kallsyms)
insmod /modules/fakepmu.ko "overflow=$overflow" || skip_all "the module cannot be loaded"
run_ok "a module" "$PERF_LITE" record -q -a -e kprobe:take_steps -o "$TMP/module.data" -- sh -c "echo 3 >$steps; echo 4 >$steps"
annotated module take_steps
like "module: its first instruction" "$TMP/out" '^ *100.00 \| +[0-9a-f]{16} '
rmmod fakepmu
run "$PERF_LITE" annotate -i "$TMP/module.data" take_steps
rc_is 1 "a module that is gone"
like "is said to be" "$TMP/err" '^perf-lite: \[fakepmu\]: take_steps is not loaded any more where it was recorded$'
ip link set lo up
"$PROG/bpf" 60000 >"$TMP/said" &
pid=$!
run_ok "a BPF program" "$PERF_LITE" record -q -a -e cpu-clock:k -F 2000 -o "$TMP/bpf.data" -- sleep 1
annotated bpf --functions 0
kill $pid
wait $pid
burn=$(sed -n 's/^.* in \(bpf_prog_[0-9a-f]*_burn\) .*/\1/p' "$TMP/out")
run "$PERF_LITE" annotate -i "$TMP/bpf.data" "$burn"
rc_is 1 "a BPF program that is gone"
like "is said to be" "$TMP/err" "$burn is not loaded any more where it was recorded$"
done_testing
