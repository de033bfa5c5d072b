/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drops_table.h - dropped packets, counted by keys: those that the kernel dropped (skb:kfree_skb), and those that devices
 * dropped and told of (devlink:devlink_trap_report).
 *
 *	drops_table_ask() -> kernel_chains, user_chains -> the events are opened, or a recording is
 *	-> drops_table_bind() -> drops_table_add() ... -> drops_text.h -> drops_table_reset()
 *
 * Keys: place, reason, protocol, dev, netns; those of count (count_keys.h); fields. A key is shown where
 * it is told: the kernel's drops and the devices' have different ones.
 */
#ifndef PERF_LITE_DROPS_TABLE_H
#define PERF_LITE_DROPS_TABLE_H

#include "perf-lite/drops_event.h"
#include "util/format/count_names.h"
#include "util/kernel/tracefs.h"

enum drops_kind {
	DROPS_PLACE,    /* function and offset; bus and device */
	DROPS_REASON,   /* of the kernel; trap and its group */
	DROPS_PROTOCOL, /* of the kernel alone */
	DROPS_DEV,      /* the network device; that the packet came in by */
	DROPS_NETNS,
	DROPS_OTHER, /* what count has */
};

/* What a key became in the keys of a part: `nr` of these, from `at` on. */
struct drops_key {
	enum drops_kind kind;
	const char *name; /* as it was asked for */
	bool stack;
	struct {
		u32 at, nr;
	} in[DROPS_PARTS];
};

struct drops_counted {
	bool there; /* the session has such an event */
	struct count_keys keys;
	struct count_table table;
	struct count_names names;
};

struct drops_table {
	/* the caller's, before drops_table_ask() */
	const char
		*event; /* the tracepoint that tells of the kernel's drops; NULL: skb:kfree_skb */
	bool all;       /* also what says nothing */
	bool live;      /* it is the running kernel that is asked */
	struct err
		no_probe; /* why no dynamic event tells what the tracepoint does not; code 0: none was tried */
	/* what follows is kept up by the functions below */
	bool chosen; /* keys were asked for */
	bool kernel_chains, user_chains;
	struct drops_key keys[COUNT_KEYS_MAX];
	u32 nr_keys;
	struct session *session;
	struct drops_counted parts[DROPS_PARTS];
	VEC(struct drops_event) events;
	struct drops_names names;
	u64 hidden;
	struct arena arena;
};

/* Take --by apart (NULL: not given) and add stacks if they were asked for. -EINVAL with a hint. */
int drops_table_ask(struct drops_table *t, const char *by, bool stacks, struct err *err);
/* Were keys asked for that the kernel's skb:kfree_skb does not tell, and a dynamic event can? */
bool drops_table_lacks(const struct drops_table *t, const struct tracefs *kernel);
/* Find the events and their fields in a session that was prepared. */
int drops_table_bind(struct drops_table *t, struct session *s, struct err *err);

/* 0, also of samples of other events. <0: err. */
int drops_table_add(struct drops_table *t, const struct session_sample *s, struct err *err);
/* Drops since the last reset, without those hidden. */
u64 drops_table_total(const struct drops_table *t);
void drops_table_reset(struct drops_table *t);
void drops_table_free(struct drops_table *t);

#endif
