/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arguments.h - what names mean where a program is run: arguments and results of functions, as expressions over what
 * the program is given.
 *
 *	arguments_tracepoint()   what a tracepoint hands to its probes: 8 bytes each
 *	arguments_fields()       the fields that it makes of them
 *	arguments_syscall()      those of a system call, and where it ends its result
 *	arguments_typed()        those of a function's prototype, by the rules of calls of the machine
 *	arguments_words()        those of a prototype as tracing programs get them: 8 bytes each, the result behind them
 *	arguments_registers()    arg1, arg2, ...: what is in the registers where a function begins; retval where it returned
 *	arguments_variables()    what is in scope at places of a line: where DWARF says that it is
 *	arguments_usdt()         arg1, arg2, ... of a static probe: where its note says that they are
 *
 * Zero-initialise a list, and set its arena, which all that is made belongs to. Each function appends; -ENOMEM.
 *
 * Source: the psABI of each machine (arch.h); for static probes, <sys/sdt.h> of SystemTap and its page
 * UserSpaceProbeImplementation.
 */
#ifndef PROBE_ARGUMENTS_H
#define PROBE_ARGUMENTS_H

#include "arch/arch.h"
#include "util/debuginfo/debug_types.h"
#include "util/probe/expr.h"
#include "util/tracepoint/tp_format.h"

struct arguments {
	struct arena *arena;
	VEC(struct expr_argument) v;
	const char *missing; /* why there are no others, for a hint; NULL: there never are */
	const struct arch_call
		*registers; /* %rax and others can be read by name; NULL: they cannot */
};

/* `function`: a FUNC_PROTO whose first parameter is the probe's own. */
int arguments_tracepoint(struct arguments *l, const struct btf *b, const struct btf_type *function,
			 struct err *err);
/*
 * `fields`: expressions over what it hands over, "NAME=EXPRESSION,NAME,..."; those without one, and those that `own`, its format,
 * lacks, are left out, as is what the kernel's types lack. NULL, either: none is known. A field goes before an argument of
 * its name.
 */
int arguments_fields(struct arguments *l, const struct btf *b, const struct tp_format *own,
		     const char *fields, struct err *err);
/* Is it among them? */
bool arguments_is_field(const char *fields, const char *name);
/*
 * Of a system call, of 64-bit programs, at one of raw_syscalls' tracepoints. Where the call ends the
 * registers still have its arguments, unless it has changed them, as execve does. *when: is it this call?
 * -ENOTSUP: that is not known here.
 */
struct arguments_syscall {
	const struct arch_syscall *machine;
	const struct tp_format *enter; /* of syscalls:sys_enter_NAME */
	u32 number;
	bool at_exit;
};
int arguments_syscall(struct arguments *l, const struct btf *b, const struct arguments_syscall *of,
		      const struct expr **when, struct err *err);
/*
 * Of a FUNC_PROTO: its parameters, or, at its return, its result. What lies in other registers than those for integers cannot be
 * read, nor what follows where that makes it unknown which registers are left.
 */
struct arguments_function {
	const struct btf *b;
	u32 id;                             /* of the FUNC_PROTO */
	const struct debug_location *where; /* of each parameter; NULL: by the rules */
	bool hides_result;                  /* also where the type does not say so */
	u32 result_align;                   /* as of a parameter, where those are given */
};
int arguments_typed(struct arguments *l, const struct arch_call *call,
		    const struct arguments_function *f, bool at_return, struct err *err);
/* At the return of the function its parameters are there, too. What the kernel gives to no program cannot be read. */
int arguments_words(struct arguments *l, const struct btf *b, u32 prototype, bool at_return,
		    struct err *err);
/* What can be read at some places only is unread at the others. */
struct arguments_variables {
	const struct btf *b;
	u32 id; /* of the FUNC_PROTO that has them as parameters */
	const struct debug_variables *v;
	const struct debug_place *places;
	const u64 *cookies; /* of the places, in the program; NULL: there is one place */
	u32 nr;
};
int arguments_variables(struct arguments *l, const struct arch_call *call,
			const struct arguments_variables *of, struct err *err);
/* They are spare ones if there are others in the list. */
int arguments_registers(struct arguments *l, const struct arch_call *call, bool at_return,
			struct err *err);
/* `text`: as image_usdt.h has it, "-4@%edi 8@-8(%rbp)". What is not understood cannot be read. */
int arguments_usdt(struct arguments *l, const struct arch_call *call, const char *text,
		   struct err *err);
void arguments_free(struct arguments *l);

#endif
