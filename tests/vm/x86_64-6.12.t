# SPDX-License-Identifier: GPL-2.0
#
# x86-64, Linux 6.12: probes and functions of the kernel; counters, of a module of ours.
. tests/lib.sh
. tests/vm/lib.sh
vm_module x86_64-6.12 fakepmu
vm_modules x86_64-6.12 openvswitch bridge
VM_ADD="${VM_ADD-} $O/tests/prog/bpf:/build/tests/prog"
vm_boot x86_64-6.12 annotate drops counts samples hotplug limits probes stacks rings functions pmu drops-dev reasons kernel-functions kernel-modules readers call-arguments
if can jq && can capstone; then
	# of wrong bytes few instructions would be good, and few jumps lead to the beginning of one
	instructions() # NAME FILTER: of functions with code
	{
		# capstone 4 does not know each
		ok "$1: code of instructions" jq -e '[.functions[] | select('"$2"') | .instructions[].kind] |
			(map(select(. == "data")) | length) * 100 <= length' "$OUT/annotate-$1.json"
		# one may pass over a prefix, as that of a locked instruction
		ok "$1: jumps lead to instructions" jq -e '[.functions[] | select('"$2"') | [.instructions[].address] as $a | .instructions[] |
			select(.kind == "jump" and .to) | .to | select(. >= $a[0] and . <= $a[-1]) | . as $t | $a | index($t) != null] |
			(map(select(not)) | length) * 50 <= length' "$OUT/annotate-$1.json"
		ok "$1: from /proc/kcore" jq -e '[.functions[] | select('"$2"')] | length > 0 and all(.code_file == "/proc/kcore" and (.instructions | length > 0))' "$OUT/annotate-$1.json"
		diag "$(jq -r '.functions[] | select('"$2"') | "\(.symbol) of \(.dso): \(.samples) samples, \(.instructions | length) instructions"' "$OUT/annotate-$1.json" | head -n 5)"
	}
	instructions kernel '.dso == "[kernel.kallsyms]"'
	instructions module '.dso == "[fakepmu]"'
	instructions bpf '.symbol | test("^bpf_prog_.*_burn$")'
else
	skip_without "the kernel's code" jq capstone
fi
vm_read drops.script drops.data
vm_read probes.script probes.data
done_testing
