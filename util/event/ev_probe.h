/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_probe.h - probes that are made for one program alone, by the PMUs "kprobe" and "uprobe".
 *
 *	kprobe:FUNCTION[+OFFSET][%return]        also kretprobe:FUNCTION
 *	uprobe:FILE:FUNCTION[+OFFSET][%return]   also uretprobe:FILE:FUNCTION
 *	uprobe:FILE:0xADDRESS                    an address of the file's own, as nm and objdump have it
 *
 * They need no tracefs, nothing of them is seen there, and they end with their descriptors. A sample
 * says where, when and who; it carries no arguments. The attr points to names in the list's arena.
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
#include "util/kernel/limits.h"

/* Is it "kprobe", "kretprobe", "uprobe", "uretprobe"? */
bool ev_probe_named(struct ev_word kind);
/* Add the one that stands behind the colon, which is what is read next. */
int ev_probe_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l, struct ev_word kind);

/* A place that has been found: what the event's attr says of it. */
struct ev_probe_place {
	const char *name;   /* of the event; NULL: as it was typed */
	const char *target; /* a function of the kernel, or a file; lives as long as the list */
	u64 offset;         /* in it */
	u64 semaphore;      /* where in the file the count of those who watch is; 0: nowhere */
	bool at_return;
};

/* The kernel's PMU "kprobe" or "uprobe"; NULL and err if it has none, pointing at `kind`. */
struct pmu *ev_probe_pmu(struct ev_env *env, const struct ev_lex *l, struct ev_word kind,
			 const char *name);
int ev_probe_add_place(struct ev_list *list, const struct pmu *pmu,
		       const struct ev_probe_place *place, struct err *err);
/* The ELF file of a probe, or the error, pointing at `at`. */
int ev_probe_open_file(const struct ev_lex *l, struct ev_word at, const char *file,
		       struct image *img);

bool ev_probe_is(const struct ev_spec *s);
/*
 * The kernel reads the names that an inherited probe's attr points to from the memory of the task that
 * forks, which would fail to: turn inheritance off in the attr of a probe, and note what that means.
 */
void ev_probe_own(const struct ev_spec *s, struct perf_event_attr *a, struct buf *notes);
/* Say why the kernel did not make it. */
int ev_probe_refused(const struct ev_spec *s, int code, const struct limits *l, struct err *err);

#endif
