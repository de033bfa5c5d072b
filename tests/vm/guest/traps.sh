# SPDX-License-Identifier: GPL-2.0
#
# Packets that a device drops and tells of: those of netdevsim, which devlink counts, beside drops of the kernel.
. /tests/lib.sh
need_event devlink:devlink_trap_report
[ -e /modules/netdevsim.ko ] || skip_all "no netdevsim"
[ -x /usr/sbin/devlink ] || skip_all "no devlink"

device=netdevsim/netdevsim1
traps='source_mac_is_multicast vlan_tag_mismatch ingress_vlan_filter ingress_spanning_tree_filter port_list_is_empty'

set_traps() # ACTION
{
	for trap in $traps; do
		/usr/sbin/devlink trap set $device trap "$trap" action "$1"
	done
}
# What devlink has counted: "TRAP GROUP N"
counted()
{
	/usr/sbin/devlink -s trap show | awk '
		$1 == "name" { name = $2; for (i = 3; i < NF; i++) if ($i == "group") group = $(i + 1) }
		$1 == "bytes" && $4 > 0 { print name, group, $4 }' | sort
}
enough()
{
	[ "$(counted | awk '$1 == "port_list_is_empty" { print $3 }')" -ge 15 ] 2>/dev/null
}
events_open() # PID
{
	ls -l /proc/"$1"/fd 2>/dev/null | grep -q perf_event
}
# The rows of drops, in the same form
shown()
{
	sed -n "s,^ *\([0-9]*\) drops* *at $device *trap \([a-z0-9_]*\) (\([a-z0-9_]*\)) *eth0 *\[hardware\]\$,\2 \3 \1,p" "$1" | sort
}

insmod /modules/psample.ko
insmod /modules/netdevsim.ko
echo "1 1" >/sys/bus/netdevsim/new_device
ok "a device with traps" wait_for 10 test -e /sys/class/net/eth0

"$PERF_LITE" record -e devlink:devlink_trap_report -e skb:kfree_skb -a -g -o /out/traps.data >"$TMP/record" 2>&1 &
recorder=$!
"$PERF_LITE" drops -I 0 >"$TMP/live" 2>"$TMP/live.err" &
live=$!
"$PERF_LITE" drops -I 0 --json --by place,reason,dev >"$TMP/json" 2>"$TMP/json.err" &
json=$!
for pid in $recorder $live $json; do
	ok "starts" wait_for 20 events_open $pid
done
sleep 1
set_traps trap
ifconfig eth0 up
run_ok "drops of the kernel at the same time" "$PROG/drops" --udp 300 --tcp 30
ok "packets are dropped" wait_for 30 enough
ifconfig eth0 down
sleep 0.5
set_traps drop
kill -INT $recorder $live $json
for pid in $recorder $live $json; do
	rc=0
	wait $pid || rc=$?
	rc_is 0 "ends"
done

counted >/out/counted
diag "$(tr '\n' ';' </out/counted)"
for trap in $traps; do
	ok "$trap: there were packets" grep -q "^$trap l2_drops " /out/counted
done
# packets for the CPU, which reports them: no drops
grep -v ' mc_snooping ' /out/counted >"$TMP/drops"
control=$(awk '$2 == "mc_snooping" { n += $3 } END { print n + 0 }' /out/counted)
ok "there were control packets" test "$control" -gt 0

shown "$TMP/live" >"$TMP/shown"
is_file "drops, live: each trap with its group, device and packets" "$TMP/shown" "$TMP/drops"
# a drop in an interrupt of the program that looks at another is told as lost
lost=$(sed -n 's/.*; \([0-9]*\) lost: .*/\1/p' "$TMP/live")
is "beside those of the kernel" "$(awk -v n="${lost:-0}" '/ drops at [a-z_0-9]+\+0x[0-9a-f]+ +NO_SOCKET +IPv4 / { n += $1 } END { print n + 0 }' "$TMP/live")" 330
like "control packets are no drops" "$TMP/live" "; $control more hidden as noise"
run_ok "of the recording" "$PERF_LITE" drops -i /out/traps.data
shown "$TMP/out" >"$TMP/shown"
is_file "the same" "$TMP/shown" "$TMP/drops"
is "to the packet" "$(sed -n 's/^ *\([0-9]*\) drops* in \(all\|[0-9.]* s\)\b.*/\1/p' "$TMP/out")" \
	$((330 + $(awk '{ n += $3 } END { print n }' "$TMP/drops")))
run_ok "all that was reported" "$PERF_LITE" drops -i /out/traps.data --all
shown "$TMP/out" >"$TMP/shown"
is_file "is all that devlink counted" "$TMP/shown" /out/counted
run_ok "by device" "$PERF_LITE" drops -i /out/traps.data --by dev
like "those of devices have one" "$TMP/out" "^ +$(awk '{ n += $3 } END { print n }' "$TMP/drops") drops +eth0 +\[hardware\]\$"
port=$(awk '$1 == "port_list_is_empty" { print $3 }' /out/counted)
like "JSON" "$TMP/json" "\"count\":$port,\"hardware\":true,\"place\":\{\"bus\":\"netdevsim\",\"device\":\"netdevsim1\"\},\"reason\":\{\"trap\":\"port_list_is_empty\",\"group\":\"l2_drops\"\},\"dev\":\"eth0\"\}"
like "and of the kernel" "$TMP/json" '"count":300,"hardware":false,"place":\{"value":"0x[0-9a-f]+","name":"[a-z_0-9]+\+0x[0-9a-f]+"\},"reason":\{"value":[0-9]+,"name":"NO_SOCKET"\}'
"$PERF_LITE" drops -q -i /out/traps.data >/out/traps.drops
"$PERF_LITE" script -q -i /out/traps.data >/out/traps.script 2>&1
is "script has each" "$(grep -c 'devlink:devlink_trap_report: bus_name=netdevsim ' /out/traps.script)" \
	"$(awk '{ n += $3 } END { print n }' /out/counted)"
echo 1 >/sys/bus/netdevsim/del_device
rmmod netdevsim
rmmod psample
done_testing
