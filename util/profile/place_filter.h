/* SPDX-License-Identifier: GPL-2.0 */
/*
 * place_filter.h - which samples are wanted, by where they were taken: in these functions, in these files.
 */
#ifndef PROFILE_PLACE_FILTER_H
#define PROFILE_PLACE_FILTER_H

#include "util/profile/name_list.h"
#include "util/profile/session.h"

struct place_filter {
	struct name_list symbols; /* names, patterns, or addresses of functions: 0x401130 */
	struct name_list dsos;    /* paths, or their last part; an empty list is no condition */
	struct name_list idle;    /* functions in which it must not have been taken */
};

/* Samples are wanted only where a CPU had something to do. */
int place_filter_no_idle(struct place_filter *f, struct err *err);

static inline bool place_filter_any(const struct place_filter *f)
{
	return f->symbols.nr || f->dsos.nr || f->idle.nr;
}

int place_filter_look(const struct place_filter *f, struct symboliser *r,
		      const struct session_sample *s, struct err *err);
/* 1: the sample's ip is in one of the functions and in one of the files; 0; -ENOMEM. */
static inline int place_filter_pass(const struct place_filter *f, struct symboliser *r,
				    const struct session_sample *s, struct err *err)
{
	return place_filter_any(f) ? place_filter_look(f, r, s, err) : 1;
}

void place_filter_free(struct place_filter *f);

#endif
