/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_probe.h - probes that are made for one program alone, by the PMUs "kprobe" and "uprobe".
 *
 *	kprobe:[MODULE:]FUNCTION[+OFFSET][%return]   also kretprobe:FUNCTION
 *	kprobe:[MODULE:]PATTERN[%return]         all functions that match (traceable.h), as one event: its field is "function";
 *	                                         also uprobe:FILE:PATTERN, and at returns
 *	fentry:[MODULE:]FUNCTION                 also fexit:FUNCTION, which has parameters and result
 *	uprobe:FILE:FUNCTION[+OFFSET][%return]   also uretprobe:FILE:FUNCTION
 *	uprobe:FILE:SOURCE:LINE                  where the code of a line begins (debug_places.h), at all places as one event
 *	uprobe:FILE:0xADDRESS                    an address of the file's own, as nm and objdump have it
 *
 * They need no tracefs but for patterns, nothing of them is seen there, and they end with their descriptors. Patterns and functions by
 * type need no PMU: programs are attached to them, whose samples they are (ev_expr.h). A sample
 * says where, when and who; with "(EXPRESSION, ...)" behind, it has what these read (ev_expr.h). The attr points to names in the list's arena.
 *
 * Source: perf_event_open(2), "dynamic PMU", kprobe and uprobe; kernel/events/core.c, perf_kprobe_event_init().
 */
#ifndef EVENT_EV_PROBE_H
#define EVENT_EV_PROBE_H

#include "util/base/buf.h"
#include "util/event/ev_env.h"
#include "util/event/ev_lex.h"
#include "util/event/ev_spec.h"
#include "util/image/image.h"
#include "util/image/image_usdt.h"
#include "util/kernel/limits.h"
#include "util/probe/arguments.h"

/* Is it "kprobe", "kretprobe", "uprobe", "uretprobe"? */
bool ev_probe_named(struct ev_word kind);
/* Add the one after the colon, which is read next. */
int ev_probe_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l, struct ev_word kind);

/*
 * What names mean at such a probe, and the types of it, whether or not this kernel can have it. Zero-initialise it, and set the
 * arena of the arguments; the lexer is behind the kind, and afterwards behind the probe.
 */
struct ev_probe_names {
	struct arguments arguments;
	const struct btf *btf; /* the program's own, or the kernel's */
	u32 function;          /* FUNC_PROTO in it; 0: nothing is known of its types */
	const char *name;      /* of the function; NULL: it is an address */
	bool user;             /* in a program */
	u32 places; /* of a line of source, where names are variables; 0: it is a function */
	struct debug_types types;
	struct debug_variables variables;
	struct btf own;
};
int ev_probe_names_find(struct ev_probe_names *n, struct ev_env *env, struct ev_lex *l,
			struct ev_word kind);
void ev_probe_names_free(struct ev_probe_names *n);

bool ev_probe_is(const struct ev_spec *s);
/* Is it in a program or library, with expressions or without? */
bool ev_probe_is_user(const struct ev_spec *s);
/*
 * The kernel reads the names that an inherited probe's attr points to from the memory of the task that
 * forks, which fails: turn inheritance off in the attr of a probe, and note what that means.
 */
void ev_probe_own(const struct ev_spec *s, struct perf_event_attr *a, struct buf *notes);
/*
 * Are there probes at returns some of which the kernel does not see, and does not count? Of programs, those of more than 64 nested
 * calls of a thread (MAX_URETPROBE_DEPTH); of its own functions, if too many calls are under way (register_kretprobe()), which
 * Linux 6.7 tells of programs that it runs there.
 */
bool ev_probe_misses(const struct ev_list *list);
void ev_probe_note_misses(const struct ev_list *list, struct buf *notes);
/* The kernel's ENOTSUPP, which is none of its interface and has no text. */
#define EV_KERNEL_ENOTSUPP 524
/* Set the error that says why the kernel refused it. */
int ev_probe_refused(const struct ev_spec *s, int code, const struct limits *l, struct err *err);

/*
 * Static probes of programs and libraries (USDT), by the PMU "uprobe".
 *
 *	usdt:FILE:PROVIDER:NAME[@0xADDRESS]
 *
 * PROVIDER and NAME may be globs. A probe at several places of the file becomes several events, distinguished
 * by @ADDRESS. The kernel counts who watches in the probe's semaphore, so that programs that look at it before they
 * come to the probe do so. Expressions can follow, as with all probes.
 *
 * Source: image_usdt.h; include/linux/uprobes.h (ref_ctr_offset).
 */

/* Is it "usdt"? */
bool ev_usdt_named(struct ev_word kind);
/* Add those after the colon, which is read next. */
int ev_usdt_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l, struct ev_word kind);

/* The name of an event of one of a file's probes: with its address if others have the name. NULL: no memory. */
const char *ev_usdt_name(struct arena *a, const char *file, const struct image_usdt_list *of,
			 const struct image_usdt_probe *p);

#endif
