/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drops_text.h - counted drops (drops_table.h) as lines for people, most frequent first:
 *
 *	     12 drops at __udp4_lib_rcv+0x4bc  NO_SOCKET  IPv4  python3
 *	      7 drops at netdevsim/netdevsim10 trap blackhole_route (l3_drops) eth4 [hardware]
 *	      3 drops in 2 more rows
 *	     22 drops in 10.0 s; 5 more hidden as noise (--all shows them)
 *
 * and as JSON, one object on one line:
 *
 *	{"from":762.85,"to":763.85,"drops":22,"hidden":5,"lost":0,"rows":[
 *	{"count":12,"hardware":false,"place":{"value":"0xffffffff81c0a1b2","name":"__udp4_lib_rcv+0x4bc"},
 *	"reason":{"value":3,"name":"NO_SOCKET"},"protocol":{"value":2048,"name":"IPv4"},"comm":"python3"},
 *	{"count":7,"hardware":true,"place":{"bus":"netdevsim","device":"netdevsim10"},
 *	"reason":{"trap":"blackhole_route","group":"l3_drops"},"dev":"eth4"}],
 *	"rest":{"rows":2,"count":3}}
 *
 * A row has the keys that were asked for, as far as the event tells them; "time" (seconds since
 * 1970) comes first where it is known. "rest" are the rows that are not shown.
 */
#ifndef PERF_LITE_DROPS_TEXT_H
#define PERF_LITE_DROPS_TEXT_H

#include "perf-lite/drops_table.h"

struct drops_text {
	u64 top;             /* so many rows are shown, 0: all */
	const char *heading; /* a line above, without newline; NULL: none */
	u64 from, to;        /* on the clock of the samples, in ns; 0: not known */
	u64 time;            /* ns since 1970, 0: not known */
	u64 lost;            /* samples of this table that are known to be lost */
	u64 watched;         /* ns that were looked at; 0: not told */
};

/* "20 drops in 10.0 s", of all that were shown; without a time "20 drops in all". */
void drops_text_sum(u64 drops, unsigned int width, u64 watched, struct buf *out);

int drops_text_put(const struct drops_text *o, struct drops_table *t, struct buf *out,
		   struct err *err);
int drops_text_json(const struct drops_text *o, struct drops_table *t, struct buf *out,
		    struct err *err);

#endif
