/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cmd_drops.h - what the options of perf-lite drops fill in (drops_options.c), and cmd_drops.c carries out.
 */
#ifndef PERF_LITE_CMD_DROPS_H
#define PERF_LITE_CMD_DROPS_H

#include "perf-lite/metrics_file.h"
#include "perf-lite/output_file.h"
#include "perf-lite/watching_run.h"
#include "util/export/pcapng.h"
#include "util/format/count_names.h"
#include "util/format/time_text.h"
#include "util/kernel/net_counters.h"
#include "util/library/drops.h"

/*
 * drops_pcapng.c: --pcapng FILE: each drop as a packet of a file that Wireshark and tcpdump read, with reason, place and call
 * chain as its comment.
 */
struct drops_pcapng {
	const char
		*path; /* NULL: not asked for; "-": standard output, which has nothing else then */
	/* what follows is kept up by the functions below */
	struct output_file out;
	bool opened;
	bool gone; /* who read it has gone away */
	bool has_reason;
	struct pcapng file;
	struct count_keys keys; /* whose values the comment has */
	struct frame_list frames;
	struct buf text; /* not written yet */
	struct buf comment, device, network;
	u64 packets;
	u64 without; /* drops of which no byte is known */
};

struct drops;
/* Before watching_open(): what is opened takes signals until then. */
int drops_pcapng_open(struct drops *d, struct err *err);
/* After drops_table_bind(). -EINVAL: the events have no packets. */
int drops_pcapng_bind(struct drops *d, struct err *err);
/* A drop that was counted. */
int drops_pcapng_add(struct drops *d, const struct session_sample *s, struct err *err);
/* There is nothing else to read at this time. */
int drops_pcapng_round(struct drops *d, struct err *err);
/* ret not 0: the file is thrown away, and ret is returned. */
int drops_pcapng_close(struct drops *d, int ret, struct err *err);
/* Append a line with what was written. */
void drops_pcapng_sum(const struct drops *d, struct buf *lines);
void drops_pcapng_free(struct drops_pcapng *x);

/* What decides something only together with the rest of the command line. */
struct drops_asked {
	struct drops_choice drops;
	const char *by;
	u64 interval_ns; /* UINT64_MAX: not given */
	bool stacks;
};

/* --counters: what the kernel's counters say of the same time. */
struct drops_counting {
	bool asked;
	struct net_counters before, now;
	struct drops_compared compared; /* with these */
	u64 from, to;      /* on the clock of the samples, when these were read; 0: not yet */
	struct err failed; /* what came of it */
};

struct drops {
	struct watching w;
	struct drops_asked asked;
	struct drops_table table;
	u64 top;
	u64 interval_ns; /* 0: one table, at the end */
	bool json;
	struct metrics_file metrics; /* of OpenMetrics, instead of tables; .path NULL: none */
	bool list_reasons;
	bool explain;
	struct strtab explained; /* reasons that were explained */
	struct drops_counting counting;
	struct drops_pcapng pcapng;
	/* what follows is kept up by the run */
	struct time_text clock;  /* of the samples */
	u64 from, until;         /* an interval, on the clock of the samples; 0: none has begun */
	u64 now;                 /* the newest time known, on that clock */
	u64 started;             /* CLOCK_MONOTONIC, in ns; 0: a recording is read */
	u64 lost, drops, hidden; /* until the last table */
};

/* The events to open are in d->w.what, the keys asked for in d->table. -EINVAL, -ENODEV, ... */
int drops_options(struct drops *d, int argc, char **argv, struct opt_rest *rest, struct err *err);

/*
 * drops_text.c: counted drops (drops.h) as lines for people, most frequent first:
 *
 *	     12 drops at __udp4_lib_rcv+0x4bc  NO_SOCKET  IPv4  python3
 *	      7 drops at netdevsim/netdevsim10 trap blackhole_route (l3_drops) eth4 [hardware]
 *	      3 drops in 2 more rows
 *	     22 drops in 10.0 s, 2.2/s; 5 more hidden as noise (--all shows them)
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
 * Reasons that have not been explained yet, and are to be, follow:
 *
 *	NO_SOCKET: nothing listens at the address and port that the packet was for
 *	  look at: ss -lntu; ...
 *
 * Counters of the kernel's own that rose follow:
 *
 *	counters of this network namespace that rose meanwhile:
 *	     12 UdpNoPorts    9 reported as drops: NO_SOCKET; 3 not reported
 *
 * and in JSON "counters":[{"name":"UdpNoPorts","rose":12,"drops":9,"exact":true,"reasons":["NO_SOCKET"]}], "explained":[{"reason":"NO_SOCKET","means":"...","look_at":"..."}].
 *
 * A row has the keys that were asked for, as far as the event has them; "time" (seconds since
 * 1970) comes first where it is known. "rest" are the rows that are not shown.
 */

struct drops_text {
	u64 top;                  /* so many rows are shown, 0: all */
	const char *heading;      /* a line above, without newline; NULL: none */
	u64 from, to;             /* on the clock of the samples, in ns; 0: not known */
	u64 time;                 /* ns since 1970, 0: not known */
	u64 lost;                 /* samples of this table that are known to be lost */
	u64 watched;              /* ns that were watched; 0: unknown */
	struct strtab *explained; /* reasons that were explained; NULL: none are to be */
	/* the kernel's own, at the beginning and now, which come below the table; NULL: they do not */
	const struct net_counters *before, *now_counted;
	struct drops_compared *compared; /* with these */
	const struct sysroot *root;
	bool every_drop; /* since the start each drop of the kernel's was seen */
};

/* "20 drops in 10.0 s, 2.0/s", of all that were shown; without a time "20 drops in all". */
void drops_text_sum(u64 drops, unsigned int width, u64 watched, struct buf *out);

/* All since the start as OpenMetrics (openmetrics.h), with the keys as labels; what no row was left for has others="true". */
int drops_text_metrics(struct drops_table *t, u64 lost, struct buf *out, struct err *err);
int drops_text_put(const struct drops_text *o, struct drops_table *t, struct buf *out,
		   struct err *err);
int drops_text_json(const struct drops_text *o, struct drops_table *t, struct buf *out,
		    struct err *err);

#endif
