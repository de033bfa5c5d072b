/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_usdt.h - static probes of programs and libraries (USDT), by the PMU "uprobe".
 *
 *	usdt:FILE:PROVIDER:NAME[@0xADDRESS]
 *
 * PROVIDER and NAME may be globs. What stands at several places of the file becomes an event for each, which are told
 * apart by @ADDRESS. The kernel counts who watches in the probe's semaphore, so that programs that look at it before they
 * come to the probe do so. Samples carry no arguments, as with all probes.
 *
 * Source: image_usdt.h; include/linux/uprobes.h (ref_ctr_offset).
 */
#ifndef EVENT_EV_USDT_H
#define EVENT_EV_USDT_H

#include "util/event/ev_env.h"
#include "util/event/ev_lex.h"
#include "util/event/ev_spec.h"
#include "util/image/image_usdt.h"

/* Is it "usdt"? */
bool ev_usdt_named(struct ev_word kind);
/* Add those that stand behind the colon, which is what is read next. */
int ev_usdt_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l, struct ev_word kind);

/* The name of an event of one of a file's probes: with its address if others have the name. NULL: no memory. */
const char *ev_usdt_name(struct arena *a, const char *file, const struct image_usdt_list *of,
			 const struct image_usdt_probe *p);

#endif
