/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drops.h - dropped packets, counted by keys: those that the kernel dropped (skb:kfree_skb), and those that devices
 * dropped and reported (devlink:devlink_trap_report).
 *
 *	drops_table_ask() -> drops_choose_events(), or a recording is opened
 *	-> drops_table_bind() -> drops_table_add() ... -> drops_rows_init() -> drops_values_put() ... -> drops_table_reset()
 *
 * Keys: place, reason, protocol, dev, netns, flow, inner, owner; those of count (count_table.h); fields. A key is shown
 * where a drop has it: the kernel's drops and those of devices have different keys.
 */
#ifndef LIBRARY_DROPS_H
#define LIBRARY_DROPS_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/btf/drop_reasons.h"
#include "util/kernel/socket_owners.h"
#include "util/kernel/tracefs.h"
#include "util/library/watching.h"
#include "util/profile/session.h"
#include "util/report/count_view.h"
#include "util/report/field_reader.h"

/*
 * drops_names.c: names of drop reasons that are not in the format of skb:kfree_skb: those of subsystems, and all
 * of an event whose format names none. They come from the BTF of the running kernel and its modules, which is read
 * when the first such reason appears.
 */

struct drops_names {
	bool use_types; /* it is the running kernel that dropped */
	bool read;
	struct drop_reasons reasons;
};

/* NULL: it has none. */
const char *drops_names_reason(struct drops_names *n, u64 reason);
/* Append its name, or what is known of it: "OPENVSWITCH:7", "0x20007". */
void drops_names_put(struct drops_names *n, u64 reason, struct buf *out);
void drops_names_free(struct drops_names *n);

/*
 * drops_event.c: an event of a session that reports drops: who dropped the packets, and which drops are noise.
 *
 * Local sockets, vsock, netlink and Bluetooth free what they discard as if it were a packet. Such drops have neither a
 * protocol nor a reason. Some kernels also report packets that were consumed. Devices also report packets that they
 * pass to the CPU: those of control protocols and those for this machine. Only the trap group distinguishes them from
 * drops. A TCP socket that closes empties its queues: what is in them, mostly the peer's FIN, was delivered.
 *
 * Source: Documentation/networking/devlink/devlink-trap.rst, "Generic Packet Trap Groups".
 */

enum drops_part {
	DROPS_SOFTWARE,
	DROPS_HARDWARE,
	DROPS_PARTS,
	DROPS_NEITHER = DROPS_PARTS, /* another event of a recording */
};

struct drops_event {
	enum drops_part part;
	struct field_reader protocol, reason, place;
	const struct tp_field *group; /* of a device's trap; NULL: unknown */
	/* reasons that say nothing, and such as are no drop at all */
	VEC(u64) unspecified, no_drop;
	VEC(u64) purged;    /* reasons that are none where a socket ends */
	bool names_reasons; /* its format names them */
	bool swapped; /* a probe read the protocol as the packet has it, high byte first, where the low one is */
};

/*
 * Fill in the zeroed *e, event number `event` of a session. `software` is the tracepoint that reports the
 * kernel's drops; with `only` all other events are left out, those of devices, too. -ENOMEM.
 */
int drops_event_init(struct drops_event *e, const struct session *s, u32 event,
		     const char *software, bool only, struct drops_names *names, struct err *err);
bool drops_event_is_noise(const struct drops_event *e, struct session *session,
			  const struct session_sample *sample);
void drops_event_free(struct drops_event *e);

/*
 * drops_reasons.c: the reasons for which the running kernel drops packets: perf-lite drops --reasons.
 */

/*
 * Append a line "  3 NO_SOCKET" for each, by number, or JSON: an array of {"value":3,"name":"NO_SOCKET"}. As the
 * format of skb:kfree_skb has them, and those of subsystems. explain: and what they mean.
 */
int drops_reasons_put(const struct tracefs *t, bool json, bool explain, struct buf *out,
		      struct err *err);

/*
 * drops_explain.c: what reasons mean, for who has to do something about them.
 */
struct drops_explanation {
	const char *reason;  /* its name */
	const char *means;   /* what happened to the packet */
	const char *look_at; /* commands, counters and settings that show more, joined by "; " */
};

/* NULL: nothing is known of a reason of that name, such as those of subsystems. */
const struct drops_explanation *drops_explain(const char *reason);

/*
 * drops_owners.c: processes that have the sockets of dropped packets open. They are looked for soon after the first drop, as
 * they may end.
 */
struct drops_owners {
	bool on; /* the caller's: they are wanted */
	/* what follows is kept up by the functions below */
	VEC(struct socket_owner) v;
	struct hmap by_inode;
	u32 looked;   /* so many were looked for */
	u64 left_out; /* drops of sockets that are not looked for: there were too many in one table */
};

/* So many sockets are looked for, from one table to the next. */
#define DROPS_OWNERS_MAX 4096u

/* A drop of an event of that format came. -ENOMEM. */
int drops_owners_meet(struct drops_owners *o, const struct tp_format *f, const struct sample *s,
		      struct err *err);
/* Look for those of new sockets. */
int drops_owners_look(struct drops_owners *o, const struct sysroot *root, struct err *err);
/* NULL: it has none that is known. */
const struct socket_owner *drops_owners_find(const struct drops_owners *o, u64 inode);
/* Append "nginx 1234", or else "socket:[81923]". */
void drops_owners_put(const struct drops_owners *o, u64 inode, struct buf *out);
/* No row has a socket any more: where there are many, they go, and are looked for again when they come again. */
void drops_owners_reset(struct drops_owners *o);
void drops_owners_free(struct drops_owners *o);

/* drops_table.c: the drops, counted. */

enum drops_kind {
	DROPS_PLACE,    /* function and offset; bus and device */
	DROPS_REASON,   /* of the kernel; trap and its group */
	DROPS_PROTOCOL, /* of the kernel alone */
	DROPS_DEV,      /* the network device; that the packet came in by */
	DROPS_NETNS,
	DROPS_FLOW,  /* addresses, ports, and protocol above IP */
	DROPS_INNER, /* the same of the packet inside, where this one is of a tunnel */
	DROPS_OWNER, /* the process that has the socket open */
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
};

/* What keys are made of. */
struct drops_needs {
	bool kernel_chains, user_chains;
	bool ip; /* the function that was sampled */
	struct sample_needs samples;
};

struct drops_table {
	/* the caller's, before drops_table_ask() */
	const char *event; /* the tracepoint that reports the kernel's drops; NULL: skb:kfree_skb */
	bool only;         /* count no other event, such as those of devices */
	bool all;          /* also drops that are noise */
	bool live;         /* drops of the running kernel, not a recording */
	u32 max_rows;      /* of each part; 0: COUNT_ROWS_DEFAULT */
	const char *reads; /* what reads the packet, in hints; NULL: as the command has it */
	struct err
		no_fields; /* why what the packet was is not read; code 0: it is, or nobody asked */
	/* what follows is kept up by the functions below */
	bool chosen; /* keys were asked for */
	struct drops_needs needs;
	struct drops_key keys[COUNT_KEYS_MAX];
	u32 nr_keys;
	u32 via; /* key of DROPS_SOFTWARE that says how flows were got (drop_companions.h); ID_NONE: none */
	struct session *session;
	struct drops_counted parts[DROPS_PARTS];
	VEC(struct drops_event) events;
	struct drops_names names;
	struct drops_owners owners;
	u64 hidden;
	struct arena arena;
};

/* Take --by apart (NULL: not given) and add stacks if they were asked for. -EINVAL with a hint. */
int drops_table_ask(struct drops_table *t, const char *by, bool stacks, struct err *err);
/* Add to *asked (drop_fields.h) what the keys say of the packet and skb:kfree_skb, whose format is `own`, does not. */
void drops_table_lacks(const struct drops_table *t, const struct tp_format *own, u32 *asked);
/* After its events are known: does one of the kernel's drops have such a field? */
bool drops_table_reports(const struct drops_table *t, const char *field);
/* Is that kind among the keys? */
bool drops_table_has(const struct drops_table *t, enum drops_kind kind);
/* Find the events and their fields in a session that was prepared. */
int drops_table_bind(struct drops_table *t, struct session *s, struct err *err);

/*
 * drops_choose.c: the events by which drops are counted. Between drops_table_ask() and drops_table_bind().
 */

struct drops_choice {
	const char *event, *filter, *cgroup; /* NULL: not given */
	bool packets;                        /* what a file of packets takes */
	bool compared;                       /* what drops_compare() takes */
};

/* Open skb:kfree_skb and devlink:devlink_trap_report of the running system, or `event`, with what the keys need. */
int drops_choose_events(struct drops_table *t, const struct drops_choice *c, struct watching *w,
			struct err *err);
/* Only drops that pass the filter, of those that are read. -ENOMEM. */
int drops_choose_filter(const struct drops_choice *c, struct reading_fields *fields,
			struct err *err);

/* *counted: it is a drop, and none that is hidden. 0, also of samples of other events. <0: err. */
int drops_table_add(struct drops_table *t, const struct session_sample *s, bool *counted,
		    struct err *err);
/* Drops since the last reset, without those hidden. */
u64 drops_table_total(const struct drops_table *t);
void drops_table_reset(struct drops_table *t);
void drops_table_free(struct drops_table *t);

/*
 * drops_compare.c: the kernel's drops, compared with its own counters (net_counters.h). drops_choice.compared asks for what it takes.
 */

enum drops_compared_key {
	DROPS_COMPARED_REASON,
	DROPS_COMPARED_PROTOCOL,
	DROPS_COMPARED_DEV,
	DROPS_COMPARED_NETNS,
	DROPS_COMPARED_L4,
	DROPS_COMPARED_KEYS
};

/* Zero-initialise it. */
struct drops_compared {
	struct drops_table *table;    /* whose drops they are; NULL: none are compared */
	struct drops_counted counted; /* since the start; not .there: there are none to compare */
	u32 at[DROPS_COMPARED_KEYS];  /* numbers of the keys; ID_NONE: the drops do not have it */
	u64 netns;                    /* of this process, by its inode */
};

/* Add the fields to those asked for (drop_fields.h). */
void drops_compare_ask(u32 *asked);
/* After drops_table_bind(). */
int drops_compare_bind(struct drops_compared *x, struct drops_table *t, struct err *err);
/* A sample, also of a drop that is hidden; others are none. -ENOMEM. */
int drops_compare_add(struct drops_compared *x, const struct session_sample *s, struct err *err);
void drops_compare_free(struct drops_compared *x);

/* What drops say of a counter. Zero-initialise it. */
struct drops_comparison {
	u64 nr; /* drops that it counts; there may be more of them than it counts */
	bool exact; /* what distinguishes them from others is known of each; else they are so many at most */
	bool of_device;     /* it is one of a device, which need not report what it counts */
	struct buf reasons; /* their reasons, by their names, with blanks between */
};

/* Of drops in the network namespace of this process. False: the counter does not count drops, or nothing is known of it. */
bool drops_compare(struct drops_compared *x, const char *counter, struct drops_comparison *c);

/* How many drops were in other network namespaces, and the inode of one of them. 0: none that are known. */
u64 drops_compare_elsewhere(struct drops_compared *x, u64 *netns);

/* drops_rows.c: the rows of both parts in one order, most drops first. */

struct drops_row {
	enum drops_part part;
	const struct count_row *counted;
};

struct drops_rows {
	struct count_view views[DROPS_PARTS];
	struct drops_row *v;
	u32 nr, shown; /* the first `shown` are */
	u64 rest;      /* drops in the others, and those for which there was no row */
};

/* top: so many are shown, 0: all. drops_rows_free() also after a failure. */
int drops_rows_init(struct drops_rows *rows, const struct drops_table *t, u64 top, struct err *err);
void drops_rows_free(struct drops_rows *rows);

/* drops_values.c: the values of the keys of a row. */

/* Append the value of a key that the row's part has, as people read it; "-": a packet that has none. */
void drops_values_put(struct drops_table *t, const struct drops_key *key,
		      const struct drops_row *row, struct buf *out);
void drops_values_put_place(struct drops_counted *c, u64 addr, struct buf *out);
/* The number that a key of a row says; false: it says none. */
bool drops_values_number(const struct drops_counted *c, const struct count_row *r, u32 key, u64 *v);
/* Likewise a reason of the kernel's drops that the format does not name. */
bool drops_values_reason(const struct drops_table *t, const struct drops_counted *c,
			 const struct count_row *r, u32 key, u64 *reason);
/* Likewise a place whose print fmt does not name it, as before Linux 6.5. */
bool drops_values_place(const struct drops_counted *c, const struct count_row *r, u32 key,
			u64 *addr);
bool drops_values_protocol(const struct drops_table *t, const struct drops_counted *c,
			   const struct count_row *r, u32 key, u64 *protocol);
/* Whose key t->via says how the row's flow was got; NULL: it has none, or the packet itself was read. */
const struct drops_counted *drops_values_via(const struct drops_table *t,
					     const struct drops_row *row);

#endif
