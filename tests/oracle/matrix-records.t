# SPDX-License-Identifier: GPL-2.0
#
# The text of script --compat beside the installed perf's (6.1 or 6.12): all that perf record can write.
. tests/lib.sh
. tests/oracle/matrix.sh

load="ls -R /usr/share/doc"
spin="$PROG/spin"

# what samples carry
row data -e cpu-clock -d -- $load
by '-F +addr'
row phys-data -e cpu-clock --phys-data -- $load
by '-F +phys_addr'
row sample-cpu -e cpu-clock --sample-cpu -- $load
row weight -e cpu-clock -W -- $load
by '-F +weight' '-F +ins_lat'
refused '-F +data_src'
row page-sizes -e cpu-clock -d --data-page-size --code-page-size -- $load
by '-F +data_page_size' '-F +code_page_size' '-F +code_page_size,+data_page_size'
row intr-regs -e cpu-clock -I -- "$spin" 40
by '-F +iregs' '-F iregs' '-F ip,sym,iregs'
row user-regs -e cpu-clock --user-regs -- $load
by '-F +uregs'
row some-regs -e cpu-clock --intr-regs=ax,bx,r15 --user-regs=sp,ip -g -- $load
by '-F +iregs,+uregs'
row period -e cpu-clock -P -F 1000 -- $spin 50
row identifier -e cpu-clock --sample-identifier -- $load
# On one CPU: perf 6.12 has forgotten a task if it reads its end in the ring of another first.
cpu=$(taskset -pc $$ 2>/dev/null | sed 's/.*: \([0-9]*\).*/\1/')
row no-timestamp -e cpu-clock --no-timestamp -- taskset -c "${cpu:-0}" $load
row timestamp -e faults -c 1 -T -- $load
by '-F comm,time'

# clocks
for clock in mono boot realtime tai monotonic_raw; do
	row "clock-$clock" -e cpu-clock -k $clock -- $load
	by '-F +tod' '--ns -F +tod'
done

# side-band
row switch-events -e cpu-clock --switch-events -g -- $load
by '--show-switch-events --comms ls' '--show-switch-events -F +misc'
row namespaces -e cpu-clock --namespaces -g -- unshare -m $load
by --show-namespace-events
row all-cgroups -e cpu-clock --all-cgroups -g -- $load
by --show-cgroup-events
row tail-synthesize -e cpu-clock --tail-synthesize -g -- $load
row buildid-all -e cpu-clock --buildid-all -g -- $load
row stat -e cpu-clock -s -T -- $load

# the file
row no-buildid -e cpu-clock -B -g -- $load
row no-buildid-cache -e cpu-clock -N -g -- $load
row max-size -e cpu-clock --max-size 20K -- $load
row delay -e cpu-clock --delay 5 -- "$spin" 60
row all-kernel -e cpu-clock --all-kernel -g -- $load
row all-user -e cpu-clock --all-user -g -- $load
matrix_done
