/* SPDX-License-Identifier: GPL-2.0 */
/* unwind_reference_internal.h - what the reference engines share. */
#ifndef UNWIND_UNWIND_REFERENCE_INTERNAL_H
#define UNWIND_UNWIND_REFERENCE_INTERNAL_H

#include <elfutils/libdw.h>

#include "arch/arch.h"
#include "util/unwind/unwind_reference.h"

/*
 * What the two reference engines share: the registers of a frame by DWARF's
 * numbers, the copy of the stack, and the ELF images behind the mappings.
 *
 * An image is opened when an address in it is first met and stays open; why one cannot be had is
 * remembered too.
 */
struct unwind_registers {
	u64 value[ARCH_UNWIND_REGS]; /* by DWARF's numbers */
	u64 known;                   /* bit of each register whose value is known */
	u64 ip;
};

static inline bool unwind_register_known(const struct unwind_registers *r, u64 reg)
{
	return reg < ARCH_UNWIND_REGS && r->known >> reg & 1;
}

/* False if stack pointer or instruction pointer are not among them. */
bool unwind_registers_load(struct unwind_registers *r, const struct arch_unwind *k,
			   const struct unwind_input *in);

/* The copy of the stack, [start, start + size). */
struct unwind_stack {
	u64 start;
	size_t size;
	const u8 *bytes;
	bool cut;
};

/* `len` bytes (1 to 8, little-endian) at addr; false if the copy does not hold all of them. */
bool unwind_stack_read(const struct unwind_stack *s, u64 addr, u32 len, u64 *value);
/* Why a read there fails. */
enum chain_end unwind_stack_why(const struct unwind_stack *s, u64 addr);

struct unwind_module {
	struct image img;
	bool tried, open;
	enum chain_end why; /* it was tried and is not open */
	Dwarf *dwarf;       /* of .debug_frame, or NULL */
	Dwarf_CFI *eh, *debug;
	Elf_Data **segments; /* by index of img.loads, NULL until read */
	void *engine;        /* an engine's own, freed with free() */
};

struct unwind_modules {
	const struct unwind_options *options;
	VEC(struct unwind_module *) by_dso;
};

/*
 * The module that is mapped at `addr`, and what has to be added to its virtual addresses there.
 * NULL: none, *why says why.
 */
struct unwind_module *unwind_modules_find(struct unwind_modules *s, const struct process_model *m,
					  const struct thread *t, u64 addr, u64 *bias,
					  enum chain_end *why);
void unwind_modules_free(struct unwind_modules *s);

/* `len` bytes of the image that are loaded at the virtual address, or NULL. */
const u8 *unwind_module_bytes(struct unwind_module *mod, u64 vaddr, size_t len);

/*
 * Evaluates the DWARF expressions of call frame information, as libdw gives
 * them out.
 *
 * Source: DWARF 5, sections 2.5 and 6.4.3.
 */
struct unwind_expression {
	const struct unwind_registers *regs;
	const struct unwind_stack *stack;
	u64 cfa;  /* the value of DW_OP_call_frame_cfa */
	u32 word; /* bytes of an address */
	/* the result */
	u64 value;
	bool is_value;      /* it is the value itself, not the address of a value */
	enum chain_end why; /* it failed */
};

/* False: x->why says why. */
bool unwind_expression_run(struct unwind_expression *x, const Dwarf_Op *ops, size_t nr);

#endif
