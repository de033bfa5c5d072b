# SPDX-License-Identifier: GPL-2.0
#
# The text of script --compat=6.1 beside the installed perf's: call graphs.
. tests/lib.sh
need perf-6.1
. tests/oracle/matrix.sh
need_cmd g++

load="ls -R /usr/share/doc"

# frame pointers
row fp -e cpu-clock -g -- "$PROG/stacks" 60
by -G '-F +pid' --no-inline --inline '-F ip,sym' '-F ip,dso' '--max-stack 1' '--max-stack 0' --no-demangle
row fp-threads -e cpu-clock -c 50000 -g -- "$PROG/threads" 300
by '-c thread'
row fp-deep -e cpu-clock -g -- "$PROG/deep" 200 40 2
by '--max-stack 200' '--max-stack 3'
row fp-user -e cpu-clock -g --user-callchains -- $load
row fp-kernel -e cpu-clock -g --kernel-callchains -- $load
row fp:u -e cpu-clock:u -g -- $load
row fp-max-stack -e cpu-clock/max-stack=3/ -g -- "$PROG/deep" 40 50 1

# copies of the stack; perf loses the callers of functions that are about to return
cut_short=20
row dwarf -e cpu-clock --call-graph dwarf -F 2000 -- "$PROG/stacks" 40
by -G --no-inline '-F +pid' '-F ip,sym' '--max-stack 3'
row dwarf-small -e cpu-clock --call-graph dwarf,512 -F 2000 -- "$PROG/stacks" 40
by '--max-stack 4'
row dwarf-large -e cpu-clock --call-graph dwarf,65528 -F 500 -- "$PROG/deep" 60 60 2
by '--max-stack 150'
row dwarf-user -e cpu-clock --call-graph dwarf --user-callchains -- ls -R /usr/share/doc
build shapes shapes.cc -O1 -g
row dwarf-c++ -e cpu-clock --call-graph dwarf -F 2000 -- "$BIN/shapes" 40
by --no-demangle --no-inline
row dwarf-inlined -e cpu-clock --call-graph dwarf -F 2000 -- "$PROG/inlined" 40
by --no-inline '-F comm,ip,sym'
build cold-g cold_half.c -O2 -g
row dwarf-cold-half -e cpu-clock:u --call-graph dwarf -F 2000 -- "$BIN/cold-g" 30
cut_short=
matrix_done
