// SPDX-License-Identifier: GPL-2.0
#include "util/disassemble/disassembler.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CAPSTONE

#include <capstone/capstone.h>

#include "util/base/shared_object.h"

/* Linked in a static perf-lite, NULL in others: these load it. */
#pragma weak cs_support
#pragma weak cs_open
#pragma weak cs_close
#pragma weak cs_option
#pragma weak cs_malloc
#pragma weak cs_free
#pragma weak cs_disasm_iter
#pragma weak cs_insn_group

#define STRING(x)  #x
#define TEXT_OF(x) STRING(x)
/* The names of its files end with the version of their structs. */
#define LIBRARY "libcapstone.so." TEXT_OF(CS_API_MAJOR)

struct capstone {
	__typeof__(&cs_support) support;
	__typeof__(&cs_open) open;
	__typeof__(&cs_close) close;
	__typeof__(&cs_option) option;
	__typeof__(&cs_malloc) malloc;
	__typeof__(&cs_free) free;
	__typeof__(&cs_disasm_iter) next;
	__typeof__(&cs_insn_group) in_group;
};

/* The machines that recordings are of. `unit`: what instructions are aligned to. */
static const struct machine {
	u16 elf;
	u8 unit;
	cs_arch arch;
	int mode32, mode64; /* -1: there is no such machine */
	bool relative;      /* targets are printed as distances */
	const char *calls;  /* mnemonics that capstone takes for jumps or for nothing special */
	const char *jumps;  /* likewise; those that begin with these letters, */
	char jump;          /* or have this one behind them; 0: none */
} machines[] = {
	{EM_X86_64, 1, CS_ARCH_X86, CS_MODE_64, CS_MODE_64, false, "", "", 0},
	{EM_386, 1, CS_ARCH_X86, CS_MODE_32, -1, false, "", "", 0},
	{EM_AARCH64, 4, CS_ARCH_ARM64, -1, CS_MODE_ARM, false, " bl blr ", "", 0},
	{EM_ARM, 4, CS_ARCH_ARM, CS_MODE_ARM, -1, false, "", "", 0},
	{EM_PPC64, 4, CS_ARCH_PPC, -1, CS_MODE_64, false, " bl bctrl blrl ", "b", 0},
	{EM_PPC, 4, CS_ARCH_PPC, CS_MODE_32, -1, false, " bl bctrl blrl ", "b", 0},
	/* "jne", "brct", and what compares first: "cgrjne" */
	{EM_S390, 2, CS_ARCH_SYSZ, 0, 0, false, " bras brasl basr ", "br", 'j'},
#if CS_API_MAJOR >= 5
	{EM_RISCV, 2, CS_ARCH_RISCV, CS_MODE_RISCV32 | CS_MODE_RISCVC,
	 CS_MODE_RISCV64 | CS_MODE_RISCVC, true, " jal jalr c.jal c.jalr ", "", 0},
#endif
};

struct disassembler {
	struct capstone capstone;
	csh handle;
	cs_insn *insn;
	const struct machine *machine;
	u32 unit;
	bool big_endian;
};

static bool get_functions(struct capstone *c, void *library)
{
	return shared_object_function(library, "cs_support", &c->support) &&
	       shared_object_function(library, "cs_open", &c->open) &&
	       shared_object_function(library, "cs_close", &c->close) &&
	       shared_object_function(library, "cs_option", &c->option) &&
	       shared_object_function(library, "cs_malloc", &c->malloc) &&
	       shared_object_function(library, "cs_free", &c->free) &&
	       shared_object_function(library, "cs_disasm_iter", &c->next) &&
	       shared_object_function(library, "cs_insn_group", &c->in_group);
}

static int load_capstone(struct capstone *c, struct err *err)
{
	const char *const name = LIBRARY;
	void *library;
	char why[128];

	if (cs_open) {
		*c = (struct capstone){cs_support, cs_open, cs_close,       cs_option,
				       cs_malloc,  cs_free, cs_disasm_iter, cs_insn_group};
		return 0;
	}
	library = shared_object_load(&name, 1, why, sizeof(why));
	if (library && get_functions(c, library))
		return 0;
	err_set(err, ENOSYS, "cannot load capstone, which decodes instructions: %s",
		library ? LIBRARY " lacks functions" : why);
	err_hint(err, "install libcapstone" TEXT_OF(
			      CS_API_MAJOR) " (Debian, Ubuntu) or capstone (Fedora, Arch, Alpine)");
	return -ENOSYS;
}

int disassembler_check(struct err *err)
{
	struct capstone c;

	return load_capstone(&c, err);
}

static const struct machine *find_machine(const struct disassembler_code *code)
{
	const struct machine *m;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		m = &machines[i];
		if (m->elf == code->machine && (code->bits64 ? m->mode64 : m->mode32) >= 0)
			return m;
	}
	return NULL;
}

static int unknown_machine(const struct disassembler_code *code, struct err *err)
{
	err_set(err, ENOTSUP,
		"capstone %d.%d, which perf-lite is built with, does not know instructions of this machine (ELF %u)",
		CS_API_MAJOR, CS_API_MINOR, code->machine);
	err_hint(err, code->machine == EM_RISCV ? "capstone 5 and later know RISC-V"
						: "lines of source: perf-lite report -s srcline");
	return -ENOTSUP;
}

int disassembler_open(struct disassembler **out, const struct disassembler_code *code,
		      struct err *err)
{
	const struct machine *m = find_machine(code);
	unsigned int mode;
	struct disassembler *d;
	struct capstone c;
	int ret;

	*out = NULL;
	ret = load_capstone(&c, err);
	if (ret)
		return ret;
	if (!m || !c.support(m->arch))
		return unknown_machine(code, err);
	mode = (unsigned int)(code->bits64 ? m->mode64 : m->mode32);
	if (code->thumb && m->elf == EM_ARM)
		mode |= CS_MODE_THUMB;
	if (code->big_endian)
		mode |= (unsigned int)CS_MODE_BIG_ENDIAN;
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_nomem(err);
	d->capstone = c;
	d->machine = m;
	d->unit = mode & CS_MODE_THUMB && m->elf == EM_ARM ? 2 : m->unit;
	d->big_endian = code->big_endian;
	if (c.open(m->arch, (cs_mode)mode, &d->handle)) {
		free(d);
		return unknown_machine(code, err);
	}
	c.option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (m->arch == CS_ARCH_X86)
		c.option(d->handle, CS_OPT_SYNTAX,
			 code->intel ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
	d->insn = c.malloc(d->handle);
	if (!d->insn) {
		disassembler_close(d);
		return err_nomem(err);
	}
	*out = d;
	return 0;
}

void disassembler_close(struct disassembler *d)
{
	if (!d)
		return;
	if (d->insn)
		d->capstone.free(d->insn, 1);
	d->capstone.close(&d->handle);
	free(d);
}

static bool in_group(const struct disassembler *d, unsigned int group)
{
	return d->capstone.in_group(d->handle, d->insn, group);
}

static bool is_return(const struct disassembler *d)
{
	const cs_insn *i = d->insn;

	if (in_group(d, CS_GRP_RET) || in_group(d, CS_GRP_IRET))
		return true;
	switch (d->machine->arch) {
	case CS_ARCH_ARM:
		return !strcmp(i->mnemonic, "bx") && !strcmp(i->op_str, "lr");
	case CS_ARCH_PPC:
		return !strcmp(i->mnemonic, "blr");
	case CS_ARCH_SYSZ:
		return !strcmp(i->mnemonic, "br") && !strcmp(i->op_str, "%r14");
	default:
		return false;
	}
}

static bool is_jump(const struct disassembler *d)
{
	const struct machine *m = d->machine;
	const char *word = d->insn->mnemonic;

	return in_group(d, CS_GRP_JUMP) ||
	       (*m->jumps && !strncmp(word, m->jumps, strlen(m->jumps))) ||
	       (m->jump && strchr(word, m->jump));
}

static enum insn_kind kind_of(const struct disassembler *d)
{
	char word[CS_MNEMONIC_SIZE + 3];

	snprintf(word, sizeof(word), " %s ", d->insn->mnemonic);
	if (in_group(d, CS_GRP_CALL) || strstr(d->machine->calls, word))
		return INSN_CALL;
	if (is_return(d))
		return INSN_RETURN;
	return is_jump(d) ? INSN_JUMP : INSN_OTHER;
}

/*
 * Take the target off the end of the operands: "w0, #0x1139". What goes through memory or a register does not end
 * with a number, or begins with a star.
 */
static void find_target(const struct disassembler *d, u64 addr, struct insn *out)
{
	char *text = out->operands, *at = text + strlen(text), *end;
	bool negative;
	u64 v;

	if (*text == '*')
		return;
	while (at > text && strchr("0123456789abcdefx", at[-1]))
		at--;
	/* the name of a register ends with a digit, too */
	if (!*at || *at < '0' || *at > '9')
		return;
	if (at > text && !strchr("#- ,", at[-1]))
		return;
	v = strtoull(at, &end, 0);
	if (*end)
		return;
	negative = at > text && at[-1] == '-';
	if (negative)
		at--;
	if (d->machine->relative)
		v = addr + (negative ? -v : v);
	else if (negative)
		return;
	if (at > text && at[-1] == '#')
		at--;
	*at = '\0';
	out->target = v;
	out->has_target = true;
}

/* Of x86: an operand relative to the next instruction. */
static void find_data(const struct disassembler *d, u64 addr, struct insn *out)
{
	const cs_x86 *x86 = &d->insn->detail->x86;
	u8 i;

	if (d->machine->arch != CS_ARCH_X86)
		return;
	for (i = 0; i < x86->op_count && i < ARRAY_SIZE(x86->operands); i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type != X86_OP_MEM || op->mem.base != X86_REG_RIP)
			continue;
		out->has_data = true;
		out->data = addr + out->size + (u64)op->mem.disp;
	}
}

/* Bytes from ModRM on, with what it says of SIB and a displacement. Source: Intel's manual, volume 2, 2.1. */
static size_t operand_length(const u8 *p, size_t len)
{
	const u8 mod = p[0] >> 6, rm = p[0] & 7;
	const bool has_sib = mod != 3 && rm == 4;

	if (mod == 1)
		return 2u + has_sib;
	if (mod == 2 || (!mod && rm == 5))
		return 5u + has_sib;
	return 1u + has_sib + (!mod && has_sib && len > 1 && (p[1] & 7) == 5 ? 4 : 0);
}

/*
 * Of x86, an instruction with a VEX or EVEX prefix, which alone says how long it is: capstone before 5 does not know many of those
 * of AVX-512, and what it takes their inner bytes for would look like code. 0: it is none. Source: the same, 2.3 and 2.7.
 */
static size_t vex_length(const struct disassembler *d, const u8 *p, size_t len)
{
	const bool two = len && p[0] == 0xc5, three = len && p[0] == 0xc4;
	const size_t prefix = two ? 2 : three ? 3 : 4;
	u8 map, op;
	size_t n;

	if (d->machine->arch != CS_ARCH_X86 || len < prefix + 2 || !(two || three || p[0] == 0x62))
		return 0;
	/* in 32 bits, these are other instructions with an operand in memory */
	if (d->machine->elf == EM_386 && p[1] >> 6 != 3)
		return 0;
	map = two ? 1 : p[1] & (three ? 0x1f : 7);
	op = p[prefix];
	if (map < 1 || map > 6)
		return 0;
	if (map == 1 && op == 0x77)
		return prefix + 1;
	n = prefix + 1 + operand_length(p + prefix + 1, len - prefix - 1);
	n += map == 3 ||
	     (map == 1 && ((op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6)));
	return n;
}

static void put_data(const struct disassembler *d, const u8 *bytes, size_t len, struct insn *out)
{
	const size_t vex = vex_length(d, bytes, len);
	u32 i, nr = (u32)MIN(vex ? vex : (size_t)d->unit, len);
	size_t at = 0;

	out->kind = INSN_DATA;
	out->size = nr;
	snprintf(out->mnemonic, sizeof(out->mnemonic), ".byte");
	for (i = 0; i < nr; i++)
		at += (size_t)snprintf(out->operands + at, sizeof(out->operands) - at, "%s0x%02x",
				       i ? ", " : "", bytes[i]);
}

void disassembler_next(struct disassembler *d, const u8 *bytes, size_t len, u64 addr,
		       struct insn *out)
{
	u64 at = addr;

	*out = (struct insn){0};
	if (!d->capstone.next(d->handle, &bytes, &len, &at, d->insn) || !d->insn->size) {
		put_data(d, bytes, len, out);
		return;
	}
	out->size = d->insn->size;
	out->kind = kind_of(d);
	snprintf(out->mnemonic, sizeof(out->mnemonic), "%s", d->insn->mnemonic);
	snprintf(out->operands, sizeof(out->operands), "%s", d->insn->op_str);
	if (out->kind == INSN_JUMP || out->kind == INSN_CALL)
		find_target(d, addr, out);
	find_data(d, addr, out);
}

#else

int disassembler_check(struct err *err)
{
	err_set(err, ENOSYS,
		"this perf-lite is built without capstone, which decodes instructions");
	err_hint(
		err,
		"install libcapstone-dev (Debian, Ubuntu), capstone-devel (Fedora), capstone (Arch) or capstone-dev (Alpine), and build it again: make");
	return -ENOSYS;
}

int disassembler_open(struct disassembler **out, const struct disassembler_code *code,
		      struct err *err)
{
	(void)code;
	*out = NULL;
	return disassembler_check(err);
}

void disassembler_close(struct disassembler *d)
{
	(void)d;
}

void disassembler_next(struct disassembler *d, const u8 *bytes, size_t len, u64 addr,
		       struct insn *out)
{
	(void)d, (void)bytes, (void)len, (void)addr;
	*out = (struct insn){.kind = INSN_DATA, .size = 1};
}

#endif
