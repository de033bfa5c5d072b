# SPDX-License-Identifier: GPL-2.0
#
# Functions and tracepoints of modules, by the types that these bring along: parameters, results, members of structs that only the
# module has.
. /tests/lib.sh
need bpf btf
if [ ! -e /modules/bridge.ko ]; then
	skip "functions of modules" "the guest has none"
	done_testing
	exit
fi
while read -r module; do
	grep -q "^$(echo "$module" | tr - _) " /proc/modules || insmod "/modules/$module.ko"
done </modules/order
ok "a module tells its types" test -e /sys/kernel/btf/bridge
# a bridge comes, gets an address, and another, and goes
cat >"$TMP/bridged" <<'END'
brctl addbr wide
ip link set wide address 02:00:00:00:00:05
ip link set wide up
ip link set wide address 02:00:00:00:00:06
ip link set wide down
brctl delbr wide
END
bridged() # ARG...: the command, with a bridge
{
	run_ok "$*" "$PERF_LITE" "$@" -- sh "$TMP/bridged"
}
refused() # DESC EVENT MESSAGE HINT
{
	run "$PERF_LITE" record -o "$TMP/none" -e "$2" -- true
	ok "$1" [ $rc -ne 0 ]
	like "is told" "$TMP/err" "$3"
	like "with what to do" "$TMP/err" "^hint: .*$4"
}

# Tracepoints

bridged record -q -o "$TMP/deleted" -e 'bridge:fdb_delete(br->dev->name, mac=f->key.addr.addr:mac, entry=sizeof(struct net_bridge_fdb_entry))'
"$PERF_LITE" script -i "$TMP/deleted" -F trace >"$TMP/trace"
like "members of the module's structs" "$TMP/trace" '^ *name=wide mac=02:00:00:00:00:05 entry=[1-9][0-9]+ *$'
like "each time" "$TMP/trace" '^ *name=wide mac=02:00:00:00:00:06 '
run_ok "list" "$PERF_LITE" list -v bridge:fdb_delete
like "has what it hands over" "$TMP/out" 'fdb_delete\(struct net_bridge \*br, struct net_bridge_fdb_entry \*f\)'
run_ok "members" "$PERF_LITE" list 'bridge:fdb_delete(br)'
like "of what that leads to" "$TMP/out" 'br->bridge_id'
refused "a member that there is not" 'bridge:fdb_delete(br->bridge_idd)' "no member 'bridge_idd'" "bridge_id"

# Probes

if [ -e /sys/bus/event_source/devices/kprobe/type ]; then
	bridged record -q -o "$TMP/probed" -e 'kprobe:br_add_bridge(name:str)' -e 'kretprobe:br_add_bridge(retval)' -e 'kprobe:br_stp_enable_bridge(br->dev->name)'
	"$PERF_LITE" script -i "$TMP/probed" -F event,trace >"$TMP/trace"
	like "parameters of functions" "$TMP/trace" 'kprobe:br_add_bridge: *name=wide *$'
	like "results" "$TMP/trace" 'kretprobe:br_add_bridge: *retval=0 *$'
	like "and members" "$TMP/trace" 'kprobe:br_stp_enable_bridge: *name=wide *$'
	run "$PERF_LITE" record -q -o "$TMP/probed" -e 'kprobe:bridge:br_add_bridge(name:str)' -- sh "$TMP/bridged"
	if [ $rc -eq 0 ]; then
		run_ok "a function of a module" "$PERF_LITE" script -i "$TMP/probed" -F event,trace
		like "that is named" "$TMP/out" 'kprobe:bridge:br_add_bridge: *name=wide *$'
	else
		like "some kernels do not take the module" "$TMP/err" "hint: .*some kernels take no module here"
	fi
	refused "a module without that function" kprobe:bridge:br_add_brigde "the kernel has no such function" .
fi

# By pattern

run "$PERF_LITE" record -q -o "$TMP/many" -e 'kprobe:bridge:br_*' -- true
if [ $rc -eq 0 ]; then
	bridged count --csv -e 'kprobe:bridge:br_add_*' --by function
	like "of one module" "$TMP/out" '^1,.*br_add_bridge'
	refused "a pattern of a module" 'kprobe:llc:br_*' "no function of the module llc that can be traced matches 'br_\*'" .
	refused "a pattern instead of a module" 'kprobe:brid*:br_*' "the module must be a name, not a pattern" .
fi

# By type

run "$PERF_LITE" record -q -o "$TMP/typed" -e fentry:br_add_bridge -- true
by_type=$rc
if [ $by_type -eq 0 ]; then
	bridged record -g -o "$TMP/typed" -e 'fentry:br_add_bridge(name:str)' -e 'fexit:br_add_bridge(retval)' -e 'fentry:bridge:br_stp_enable_bridge(br->dev->name)'
	"$PERF_LITE" script -i "$TMP/typed" -F event,trace -G >"$TMP/trace"
	like "parameters" "$TMP/trace" 'fentry:br_add_bridge: *name=wide *$'
	like "results" "$TMP/trace" 'fexit:br_add_bridge: *retval=0 *$'
	like "members" "$TMP/trace" 'fentry:bridge:br_stp_enable_bridge: *name=wide *$'
	for engine in perf bpf; do
		[ "$(uname -r | cut -d. -f1)" -gt 5 ] || break
		bridged count --csv --engine=$engine -e 'fentry:br_add_bridge(name:str)' --by name
		like "counted" "$TMP/out" '^1,.*wide'
	done
else
	like "where programs are not at functions" "$TMP/err" 'this kernel (attaches no program there|allows no programs at functions)'
fi
[ "$(uname -m)" != x86_64 ] || is "fentry" $by_type 0
refused "a name that there is not" fentry:br_add_bridgee "the types of the kernel and its modules have no function 'br_add_bridgee'" 'did you mean fentry:br_add_bridge\?'
refused "nor in the module" fentry:bridge:br_add_brigde "the types of the module bridge have no function 'br_add_brigde'" 'did you mean fentry:bridge:br_add_bridge\?'
refused "a function of the kernel is not the module's" fentry:bridge:vfs_open "the types of the module bridge have no function 'vfs_open'" 'the kernel itself has one: fentry:vfs_open'
refused "a module that there is not" fentry:brigde:br_add_bridge "there are no types of a module 'brigde'" 'ls /sys/kernel/btf'
done_testing
