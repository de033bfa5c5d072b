# SPDX-License-Identifier: GPL-2.0
#
# perf-lite: one file, no recursion. `make help` prints these tables, and that of tests/tests.mk.
#
#   make                    the command, build/perf-lite
#   make install            it, its manual pages and its completions, below PREFIX
#   make install-strip      the same without debug information
#   make install-library    libperflite alone, with its header and its pages
#   make uninstall          remove what was installed
#   make demo               record real packet drops and draw them
#   make dist               the source as a tarball, of the commit that is checked out: O/packages/perf-lite-VERSION.tar.gz
#   make tarball            the command of STATIC=1 with its pages and completions, stripped, beside it
#   make deb                packages for Debian, of that source: docs/packaging.md
#   make rpm                packages for Fedora and its like
#   make clean              remove what was built
#   make help               this text
#
#   O=build                 the folder for all that is built
#   PREFIX=/usr/local       where to install
#   LIBDIR=PREFIX/lib       the folder of the library there
#   PYTHONDIR=...           the folder of Python packages there (PREFIX/lib/python3/dist-packages)
#   ZSHDIR=...              the folder of zsh's completions there (PREFIX/share/zsh/site-functions)
#   DESTDIR=                a folder that stands for / when packages are made
#   CC=gcc                  the compiler, or clang
#   CROSS_COMPILE=          what the names of the compiler and its tools begin with
#   OPT=-O2  CFLAGS=-g      flags of the compiler; LDFLAGS= of the linker
#   V=1                     show the commands
#   CAPSTONE=               without capstone, and so without annotate
#   CURL=                   without libcurl, and so without push
#   STATIC=1                one file that needs no libraries, for machines in trouble
#   WERROR=1                warnings are errors
#   SAN=address,undefined   with these sanitizers
#   COV=1                   measure what is executed

O       ?= build
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
DESTDIR ?=
V       ?= 0
SAN     ?=
COV     ?=
WERROR  ?=
STATIC  ?=
CROSS_COMPILE ?=

ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
AR := $(CROSS_COMPILE)ar
STRIP ?= $(CROSS_COMPILE)strip
PKG_CONFIG ?= $(CROSS_COMPILE)pkg-config

# Under sudo, recipes run as the user who ran it if the tree is his, so that what is built is his too; only the
# targets named here run as root. Without sudo they get it by scripts/dev/as-root.
ROOT_TARGETS := install install-strip uninstall bench demo prove check check-unit check-asan check-fuzz check-cli check-oracle check-tsan check-vm test-deps
AS_ROOT := sh scripts/dev/as-root
CALLER := setpriv --reuid=$(SUDO_UID) --regid=$(SUDO_GID) --init-groups
ifeq ($(shell [ "$$(id -u)" = 0 ] && [ "$${SUDO_UID:-0}" != 0 ] && [ "$$(stat -c %u .)" = "$$SUDO_UID" ] && \
	$(CALLER) true 2>/dev/null && echo sudo),sudo)
$(ROOT_TARGETS): private SHELL := $(SHELL)
$(ROOT_TARGETS): private .SHELLFLAGS := -c
CALLER_SHELL := $(shell command -v setpriv)
.SHELLFLAGS := $(wordlist 2,9,$(CALLER)) $(SHELL) -c
SHELL := $(CALLER_SHELL)
endif

OPT      ?= -O2
CFLAGS   ?= -g -pipe
WARN     := -Wall -Wextra -Wshadow -Wvla -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
            -Wold-style-definition -Wpointer-arith -Wundef
# Once: what comes from the environment comes to a make below this one with what is added here.
override CPPFLAGS := $(CPPFLAGS) $(filter-out $(CPPFLAGS),-I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64)
# One set of objects, for the command and for the shared library, which shows what perflite.h names.
ALL_CFLAGS := -std=gnu11 $(OPT) $(CFLAGS) $(WARN) -fno-omit-frame-pointer -fno-strict-aliasing -ffunction-sections -fdata-sections \
	-fPIC -fvisibility=hidden
ALL_LDFLAGS := -Wl,--gc-sections $(LDFLAGS)
ifneq ($(SAN),)
ALL_CFLAGS += -fsanitize=$(SAN) -fno-sanitize-recover=all
ALL_LDFLAGS += -fsanitize=$(SAN)
endif
ifneq ($(COV),)
ALL_CFLAGS += --coverage
ALL_LDFLAGS += --coverage
endif
ifneq ($(WERROR),)
ALL_CFLAGS += -Werror
endif
# Each before those that it needs: so static libraries want it.
LIBS := -ldw -lelf -lunwind-generic -lunwind -llzma -lzstd -lz -lxxhash -liberty -lpthread -ldl -lm
# Of libcurl, which push sends by, and capstone, which annotate decodes instructions with, the headers: the libraries are loaded
# when they are asked for. The compiler knows whether it has them, also one for another machine. CAPSTONE= and CURL= build
# without. A static perf-lite cannot load; libcapstone.a, if there is one, is linked into it.
ifeq ($(origin CAPSTONE),undefined)
CAPSTONE := $(shell echo 'int main(void) { return 0; }' | $(CC) $(CPPFLAGS) -include capstone/capstone.h -x c - -c -o /dev/null 2>/dev/null && echo 1)
endif
ifeq ($(origin CURL),undefined)
CURL := $(shell echo 'int main(void) { return 0; }' | $(CC) $(CPPFLAGS) -include curl/curl.h -x c - -c -o /dev/null 2>/dev/null && echo 1)
endif
# What says -static is linked otherwise, and compiled as ever (perf-lite/static.c, util/debuginfo/eu_search.h).
ifneq ($(STATIC)$(filter -static,$(LDFLAGS)),)
BIN_LDFLAGS := -static -Wl,--wrap=dlopen,--wrap=getpwnam
ifeq ($(if $(CAPSTONE),$(shell echo 'int main(void) { return 0; }' | $(CC) -static -x c - -o /dev/null -lcapstone 2>/dev/null && echo 1)),1)
BIN_LDFLAGS += -Wl,--undefined=cs_open
LIBS := -lcapstone $(LIBS)
endif
endif

ifeq ($(V),1)
Q :=
else
Q := @
endif
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $(2))

LIB_SRC := $(sort $(wildcard util/*/*.c arch/*.c arch/*/*.c))
CMD_SRC := $(sort $(wildcard perf-lite/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(O)/obj/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(O)/obj/%.o) $(O)/obj/version.o
LIB     := $(O)/libperflite.a
LIB_OBJ_API := $(filter $(O)/obj/util/library/perflite%,$(LIB_OBJ))
BIN     := $(O)/perf-lite
MAN     := $(sort $(wildcard docs/*.1 docs/*.5))

SO      := $(O)/libperflite.so
SONAME  := libperflite.so.0

.PHONY: all
all: $(BIN) $(if $(BIN_LDFLAGS),,$(SO))

# One line with the package per distribution instead of a compiler's complaint.
$(O)/libs.ok: scripts/dev/check-libs Makefile
	@mkdir -p $(@D)
	@CC="$(CC)" sh scripts/dev/check-libs
	@touch $@

$(O)/libs-static.ok: scripts/dev/check-libs Makefile
	@mkdir -p $(@D)
	@CC="$(CC) -static" sh scripts/dev/check-libs
	@touch $@

# Rebuild when the flags change, not only the sources; link again when those of the linker do.
keep = $(shell mkdir -p $(O) 2>/dev/null; printf '%s\n' '$(subst ','\'',$(2))' | cmp -s - $(1) || \
	(printf '%s\n' '$(subst ','\'',$(2))' >$(1)) 2>&1)
ifneq ($(call keep,$(O)/flags,$(CC) $(CPPFLAGS) $(ALL_CFLAGS))$(call keep,$(O)/flags.link,$(ALL_LDFLAGS) $(BIN_LDFLAGS) $(LIBS)),)
$(error $(O)/ cannot be written to: build elsewhere with make O=DIR)
endif

ifneq ($(call keep,$(O)/flags.capstone,$(CAPSTONE))$(call keep,$(O)/flags.curl,$(CURL)),)
$(error $(O)/ cannot be written to: build elsewhere with make O=DIR)
endif
$(O)/obj/util/disassemble/disassembler.o: $(O)/flags.capstone
$(O)/obj/util/disassemble/disassembler.o: CPPFLAGS += $(if $(CAPSTONE),-DHAVE_CAPSTONE)
$(O)/obj/util/http/http.o: $(O)/flags.curl
$(O)/obj/util/http/http.o: CPPFLAGS += $(if $(CURL),-DHAVE_CURL)

# Below $(O), whatever that is: a cache of compilers gives out what it noted for the same source in another folder.
DEPS = -MMD -MP -MT '$(patsubst $(O)/%,$$(O)/%,$@)'

define compile
@mkdir -p $(@D)
$(call say,CC,$<)
$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(DEPS) -c -o $@ $<
endef

$(O)/obj/%.o: %.c $(O)/flags | $(O)/libs.ok
	$(compile)

# Written when the version changes, and compiled then, which is all that a commit does to a build.
$(O)/version.c: FORCE
	@mkdir -p $(@D); version=$$(sh scripts/dev/version) && \
	printf '#include "util/library/version.h"\n\nconst char *version_string(void)\n{\n\treturn "%s";\n}\n' "$$version" >$@.new && \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(O)/obj/version.o: $(O)/version.c $(O)/flags | $(O)/libs.ok
	$(compile)

.PHONY: FORCE
FORCE:

# Loops over arrays, of which the compiler makes vectors only when asked to.
$(patsubst %,$(O)/obj/util/file/%.o,columns_array_write columns_array_read columns_class columns_rows columns_decoder columns_records columns_groups): ALL_CFLAGS += -O3

# The assembler reads these; the compiler does not know.
$(O)/obj/util/draw/flamegraph.o: util/draw/flamegraph.js util/draw/flamegraph.css
$(O)/obj/util/draw/timeline.o: util/draw/timeline.js util/draw/timeline.css
$(O)/obj/util/draw/map_page.o: util/draw/map_page.css
$(O)/obj/util/draw/heat_map.o: util/draw/heat_map.css
$(O)/obj/util/format/annotation_html.o: util/format/annotation.css util/format/annotation_page.css

$(LIB): $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BIN): $(CMD_OBJ) $(LIB) $(O)/flags.link | $(if $(BIN_LDFLAGS),$(O)/libs-static.ok)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(BIN_LDFLAGS) -o $@ $(CMD_OBJ) $(LIB) $(LIBS) $(if $(BIN_LDFLAGS),$(LIB))

$(SO): util/library/perflite.map $(O)/obj/version.o $(LIB) $(O)/flags.link
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -Wl,-soname,$(SONAME),--version-script=$< $(if $(SAN),,-Wl,-z,defs) -o $@ \
		$(LIB_OBJ_API) $(O)/obj/version.o $(LIB) $(LIBS)
	$(Q)ln -sf $(@F) $(@D)/$(SONAME)

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d)

include tests/tests.mk

.PHONY: demo
demo:
	@sh scripts/dev/install-deps build demo || :
	+@$(MAKE) -s --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$$(nproc)) all $(O)/tests/prog/drops $(O)/tests/prog/dropping
	@O=$(O) sh scripts/dev/demo

ROOT = $(DESTDIR)$(PREFIX)
BASH_COMPLETION = $(ROOT)/share/bash-completion/completions/perf-lite
ZSH_COMPLETION  = $(DESTDIR)$(ZSHDIR)/_perf-lite

# The library is a file with its version, and two links: for the loader, and for the compiler.
ROOT_LIB  = $(DESTDIR)$(LIBDIR)
SO_FILE  := libperflite.so.$(shell cat VERSION)
ROOT_PYTHON = $(DESTDIR)$(PYTHONDIR)/perflite
PYTHON_FILES := __init__.py __init__.pyi py.typed

.PHONY: install install-strip uninstall
install: all $(if $(BIN_LDFLAGS),,install-library)
	install -D -m 755 $(BIN) "$(ROOT)/bin/perf-lite"
	set -e; for m in $(MAN); do \
		install -D -m 644 $$m "$(ROOT)/share/man/man$${m##*.}/$${m##*/}"; done
	install -D -m 644 scripts/completion/perf-lite.bash "$(BASH_COMPLETION)"
	install -D -m 644 scripts/completion/_perf-lite "$(ZSH_COMPLETION)"

.PHONY: install-library
install-library: $(SO)
	install -D -m 644 $(SO) "$(ROOT_LIB)/$(SO_FILE)"
	ln -sf $(SO_FILE) "$(ROOT_LIB)/$(SONAME)"
	ln -sf $(SONAME) "$(ROOT_LIB)/libperflite.so"
	install -D -m 644 util/library/perflite.h "$(ROOT)/include/perflite.h"
	sh scripts/dev/library-pages $(O)/man3
	set -e; for m in $(O)/man3/*.3; do install -D -m 644 $$m "$(ROOT)/share/man/man3/$${m##*/}"; done
	install -d "$(ROOT_LIB)/pkgconfig"
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(shell cat VERSION)|' util/library/perflite.pc.in \
		>"$(ROOT_LIB)/pkgconfig/perflite.pc"
	chmod 644 "$(ROOT_LIB)/pkgconfig/perflite.pc"
	set -e; for f in $(PYTHON_FILES); do \
		install -D -m 644 scripts/python/perflite/$$f "$(ROOT_PYTHON)/$$f"; done

install-strip: install
	$(STRIP) "$(ROOT)/bin/perf-lite"
	$(if $(BIN_LDFLAGS),,$(STRIP) --strip-unneeded "$(ROOT_LIB)/$(SO_FILE)")

uninstall:
	rm -f "$(ROOT)/bin/perf-lite" "$(BASH_COMPLETION)" "$(ZSH_COMPLETION)"
	rm -f "$(ROOT)/include/perflite.h" "$(ROOT_LIB)/pkgconfig/perflite.pc"
	sh scripts/dev/library-pages $(O)/man3
	for m in $(O)/man3/*.3; do rm -f "$(ROOT)/share/man/man3/$${m##*/}"; done
	cd "$(ROOT_LIB)" 2>/dev/null && rm -f libperflite.so $(SONAME) $(SO_FILE) || :
	cd "$(ROOT_PYTHON)" 2>/dev/null && rm -rf $(PYTHON_FILES) __pycache__ && rmdir "$(ROOT_PYTHON)" || :
	for m in $(MAN); do rm -f "$(ROOT)/share/man/man$${m##*.}/$${m##*/}"; done

# Built of the source tarball, in folders of their own.
.PHONY: dist tarball deb rpm
dist tarball deb rpm:
	@O="$(O)" sh scripts/packages/build $@

.PHONY: clean
clean:
	rm -rf $(O)

.PHONY: help
help:
	@set -- Makefile tests/tests.mk; for what in make '[A-Z]'; do \
		awk "FNR == 1 { head = 1 } !/^#/ { head = 0 } head && sub(/^#   /, \"  \") && /^  $$what/" $$*; \
		[ "$$what" != make ] || echo; done
