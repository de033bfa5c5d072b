# SPDX-License-Identifier: GPL-2.0
#
# The tests: how they are built and run. docs/TESTING.md says what each kind is for.
#
#   make check              every test, under prove
#   make check-unit         or check-asan, check-fuzz, check-golden, check-cli, check-oracle: those of a kind
#   make check-vm           other kernels and machines, under qemu
#   make check-tsan         what has several threads, under ThreadSanitizer (not part of check)
#   make layers             what a module may include
#   make fuzz-NAME          look for new inputs with clang's libFuzzer
#   make bench              what it costs: tests/bench/*.sh
#   make prove              sweeps that take hours: failing calls, damaged files, faults in the source; QUICK=1: minutes
#
#   TESTS=                  some of check: .t files, tests/golden/X.txt, tests/unit/test_X.c, tests/fuzz/fuzz_X.c
#   FUZZ_SECONDS=60         how long to look for inputs
#
# A new test is a new file: everything here is found by wildcard.

T            := $(O)/tests
SAN_O        := $(O)/san
TSAN_O       := $(O)/tsan
FUZZ_O       := $(O)/fuzz
FUZZ_CC      ?= clang
FUZZ_SECONDS ?= 60
ifeq ($(origin CXX),default)
CXX := $(CROSS_COMPILE)g++
endif

UNIT_SRC   := $(sort $(wildcard tests/unit/test_*.c))
FUZZ_SRC   := $(sort $(wildcard tests/fuzz/fuzz_*.c))
PROG_SRC   := $(sort $(wildcard tests/prog/*.c tests/prog/*.cc))
ORACLE_SRC := $(sort $(wildcard tests/oracle/prog/*.c))
CLI_T      := $(filter-out %/zz-skips.t,$(sort $(wildcard tests/cli/*.t)))
ORACLE_T   := $(sort $(wildcard tests/oracle/*.t))
GOLDEN     := $(sort $(wildcard tests/golden/*.txt tests/golden/*.t))
VM_T       := $(sort $(wildcard tests/vm/*.t))
VM_PROG    := $(addprefix $(T)/prog/,$(shell sh tests/vm/programs) bpf)

UNIT_BIN   := $(UNIT_SRC:tests/%.c=$(T)/%)
FUZZ_BIN   := $(FUZZ_SRC:tests/%.c=$(T)/%)
PROG_BIN   := $(addprefix $(T)/prog/,$(notdir $(basename $(PROG_SRC))) passes-optimised variables-optimised probed-no-fp)
ORACLE_BIN := $(ORACLE_SRC:tests/oracle/prog/%.c=$(T)/oracle/%)
SAN_UNIT   := $(UNIT_SRC:tests/%.c=$(SAN_O)/tests/%)
SAN_FUZZ   := $(FUZZ_SRC:tests/%.c=$(SAN_O)/tests/%)

# Building

LINK_TEST = $(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(DEPS) $(ALL_LDFLAGS) -o $@

# Every unit test can make the n-th allocation fail: tests/unit/oom.h.
OOM := $(O)/obj/tests/unit/oom.o -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

# All unit tests are linked once, into a program that runs the one that it is called as. Some do not compile for other
# machines: UNIT_SRC=FILES for those that are wanted.
UNIT_OBJ := $(UNIT_SRC:%.c=$(O)/obj/%.o)
UNIT_ALL := $(T)/unit/all
$(UNIT_OBJ): CPPFLAGS += -Dmain=$(notdir $(basename $@))
$(UNIT_OBJ): ALL_CFLAGS += $(if $(filter -O2,$(OPT)),-O1) -Wno-missing-prototypes

$(UNIT_ALL).c: FORCE
	@mkdir -p $(@D)
	@{ printf '#define UNIT_TESTS(X) \\\n'; printf '  X(%s) \\\n' $(notdir $(basename $(UNIT_SRC))); \
		printf '\n#include "tests/unit/all.h"\n'; } >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(UNIT_ALL): $(UNIT_ALL).c tests/unit/all.h $(UNIT_OBJ) $(O)/obj/tests/unit/oom.o $(LIB)
	$(call say,TEST,$@)
	$(LINK_TEST) -MF $@.d $< $(UNIT_OBJ) $(OOM) $(LIB) -lcmocka $(LIBS)

# The command, in which memory runs out: tests/golden/oom.c has its main().
OOM_BIN := $(T)/golden/oom
$(OOM_BIN): CPPFLAGS += -Iutil/library
$(OOM_BIN): tests/golden/oom.c $(O)/obj/tests/unit/oom.o $(CMD_OBJ) $(LIB)
	$(call say,TEST,$@)
	$(LINK_TEST) -MF $@.d $< $(filter-out %/main.o,$(CMD_OBJ)) $(OOM) $(LIB) $(LIBS)

# A machine whose counts and samples are known.
MACHINE_SO := $(T)/golden/machine.so
$(MACHINE_SO): tests/golden/machine.c tests/golden/machine_rings.c tests/golden/machine.h
	$(call say,TEST,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu11 -O1 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $(filter %.c,$^) -ldl

$(UNIT_BIN): $(UNIT_ALL)
	@ln -f $< $@

$(FUZZ_BIN): $(T)/fuzz/%: tests/fuzz/%.c $(O)/obj/tests/fuzz/replay.o $(LIB)
	$(call say,TEST,$@)
	$(LINK_TEST) -MF $@.d $< $(O)/obj/tests/fuzz/replay.o $(LIB) $(LIBS)

# A test program that compares with another library names it by including its header.
TRACEEVENT = $(if $(shell grep -l event-parse.h $<),$(shell $(PKG_CONFIG) --cflags --libs libtraceevent))

$(ORACLE_BIN): $(T)/oracle/%: tests/oracle/prog/%.c $(LIB)
	$(call say,TEST,$@)
	$(LINK_TEST) -MF $@.d $< $(LIB) $(LIBS) $(TRACEEVENT)

# The workloads know nothing of perf-lite; their call chains are what the source says.
PROG_FLAGS := -O0 -g -Wall -Wextra -D_GNU_SOURCE -fno-omit-frame-pointer -pthread

$(T)/prog/%: tests/prog/%.c
	$(call say,PROG,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu11 $(PROG_FLAGS) -o $@ $<

$(T)/prog/%: tests/prog/%.cc
	$(call say,PROG,$@)
	$(Q)mkdir -p $(@D) && $(CXX) $(PROG_FLAGS) -o $@ $<

$(T)/prog/%-no-fp: tests/prog/%.c
	$(call say,PROG,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu11 $(PROG_FLAGS) -O1 -fno-inline -fomit-frame-pointer -fno-optimize-sibling-calls -o $@ $<

$(T)/prog/%-optimised: tests/prog/%.c
	$(call say,PROG,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu11 $(PROG_FLAGS) -O2 -o $@ $<

# What guests of tests/vm run and count, without what a loader does before.
COUNTED_STATIC ?= -static
$(T)/prog/%: tests/vm/prog/%.c
	$(call say,PROG,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu11 -O1 -g -Wall -Wextra $(COUNTED_STATIC) -o $@ $<

-include $(O)/obj/tests/unit/oom.d $(OOM_BIN:=.d) $(UNIT_OBJ:.o=.d) $(FUZZ_BIN:=.d) $(ORACLE_BIN:=.d)

.PHONY: unit-programs fuzz-programs test-programs san-programs
unit-programs: $(UNIT_BIN)
fuzz-programs: $(FUZZ_BIN)
test-programs: all $(PROG_BIN) $(ORACLE_BIN) $(OOM_BIN) $(MACHINE_SO)

# The same sources once more, in a tree of their own, under gcc's ASan and UBSan.
SAN_MAKE = $(SUBMAKE) O=$(SAN_O) SAN=address,undefined OPT=-O1
san-programs:
	@$(SAN_MAKE) unit-programs fuzz-programs $(SAN_O)/tests/golden/oom

# Running: in the order given, the long ones first; what measures this machine runs alone (tests/order.yml).
# Much of the rest waits, for perf or for the kernel, hence more at a time than there are CPUs.

export O
export PERF_LITE = $(BIN)
# What is freed stays away until so much more is. By default it is 256 MiB, all of which is paged in.
export ASAN_OPTIONS ?= quarantine_size_mb=16
export PATH := $(PATH):/usr/sbin:/sbin:/usr/bin/core_perl
PROVE = @$(if $(HAVE_SAN),:,echo "tests under ASan: sanitizers (not installed)") >$(T)/skips; rm -f $(T)/retried $(T)/times; \
	AS_ROOT_FOR='to test what only root may do' $(AS_ROOT) sh -c '$(T)/prog/can >$(T)/can; $(REAL_PYTHON); \
	HARNESS_RULESFILE=tests/order.yml exec prove -j$$(($$(nproc) * 4)) --timer --exec "sh tests/run" "$$@"' sh
# Where python3 is a script that looks for the right one (pyenv), once is enough.
REAL_PYTHON = case $$(head -c 2 "$$(command -v python3)" 2>/dev/null | tr -d "\\0") in "\#!") \
	PATH=$$(dirname "$$(python3 -c "import sys; print(sys.executable)")"):$$PATH ;; esac
SUBMAKE = +$(MAKE) --no-print-directory $(if $(Q),-s)

# Not every compiler comes with sanitizers (musl has none): then their tests count as skipped. Asked once, when it is needed.
HAVE_SAN = $(eval HAVE_SAN := $(shell echo "int main(void) { return 0; }" | \
	$(CC) -fsanitize=address,undefined -x c - -o /dev/null 2>/dev/null && echo yes))$(HAVE_SAN)

.PHONY: check check-unit check-asan check-fuzz check-golden check-cli check-oracle layers
ifeq ($(TESTS),)
check: test-deps
	@$(SUBMAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$$(nproc)) \
		unit-programs test-programs $(if $(HAVE_SAN),san-programs)
	$(PROVE) $(ORACLE_T) $(CLI_T) $(GOLDEN) $(if $(HAVE_SAN),$(SAN_UNIT) $(SAN_FUZZ)) $(UNIT_BIN) tests/cli/zz-skips.t
else
FOUND := $(wildcard $(TESTS))
SOME  := $(patsubst tests/unit/%.c,$(T)/unit/%,$(FOUND:tests/fuzz/%.c=$(SAN_O)/tests/fuzz/%))
check: test-deps
	$(if $(FOUND),,$(error no such test: $(TESTS)))
	@$(SUBMAKE) test-programs $(filter $(T)/%,$(SOME))
	$(if $(filter $(SAN_O)/%,$(SOME)),@$(SAN_MAKE) $(filter $(SAN_O)/%,$(SOME)))
	$(PROVE) $(SOME)
endif

# Says what it could not install and goes on: the build names what it cannot do without, and a
# test that lacks a tool is skipped, which tests/cli/zz-skips.t counts. Large packages (test-large) are left to
# who wants them.
.PHONY: test-deps
test-deps:
	@sh scripts/dev/install-deps build test || :

check-unit: unit-programs $(T)/prog/can
	$(PROVE) $(UNIT_BIN)

check-asan: san-programs $(T)/prog/can
	$(PROVE) $(SAN_UNIT)

check-fuzz: san-programs $(T)/prog/can
	$(PROVE) $(SAN_FUZZ)

check-golden: test-programs
	$(PROVE) $(GOLDEN)

check-cli: test-programs
	$(PROVE) $(CLI_T)

check-oracle: test-programs
	$(PROVE) $(ORACLE_T)

# Guests under qemu, two at a time (tests/vm/run), and beside them what is built for others; what is downloaded is kept in
# ~/.cache/perf-lite-vm.
.PHONY: check-vm
check-vm: $(BIN) $(VM_PROG)
	@sh scripts/dev/install-deps build vm || :
	@AS_ROOT_FOR='to test guests' TEST_TIMEOUT=1500 HARNESS_RULESFILE=tests/vm/order.yml $(AS_ROOT) prove -j4 --timer --exec 'sh tests/run' $(VM_T)

# Threads, in one more tree, under ThreadSanitizer.
.PHONY: check-tsan tsan-programs
tsan-programs:
	@$(SUBMAKE) O=$(TSAN_O) SAN=thread OPT=-O1 STATIC= all

check-tsan: test-programs tsan-programs
	@AS_ROOT_FOR='to record' CC="$(CC)" $(AS_ROOT) sh tests/inject/threads.sh $(TSAN_O)

layers: $(LIB)
	@sh scripts/dev/layers $(LIB)

# Fuzzing

$(T)/libfuzzer/%: tests/fuzz/%.c $(LIB)
	$(call say,FUZZ,$@)
	$(LINK_TEST) -MF $@.d -fsanitize=fuzzer $< $(LIB) $(LIBS)

.PHONY: $(FUZZ_SRC:tests/fuzz/fuzz_%.c=fuzz-%)
$(FUZZ_SRC:tests/fuzz/fuzz_%.c=fuzz-%): fuzz-%:
	@sh scripts/dev/install-deps build fuzz
	@$(SUBMAKE) O=$(FUZZ_O) CC=$(FUZZ_CC) OPT=-O1 \
		SAN=address,undefined,fuzzer-no-link $(FUZZ_O)/tests/libfuzzer/fuzz_$*
	@mkdir -p $(FUZZ_O)/found/$* tests/fuzz/corpus/$*
	$(FUZZ_O)/tests/libfuzzer/fuzz_$* -max_total_time=$(FUZZ_SECONDS) -timeout=20 \
		-rss_limit_mb=1024 -artifact_prefix=$(FUZZ_O)/crash-$*- \
		$(FUZZ_O)/found/$* tests/fuzz/corpus/$*

# Sweeps (tests/inject/prove.sh)

.PHONY: prove
prove: test-programs unit-programs
	$(if $(HAVE_SAN),@$(SUBMAKE) tsan-programs)
	@AS_ROOT_FOR='to let calls fail and kill recorders' $(AS_ROOT) sh tests/inject/prove.sh

# Measuring

.PHONY: bench
bench: $(BIN) $(PROG_BIN)
	@AS_ROOT_FOR='to measure recording' $(AS_ROOT) sh -ec 'for b; do sh $$b; done' sh $(sort $(wildcard tests/bench/*.sh))
