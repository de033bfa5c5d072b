/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probe.h - a tracepoint whose fields are expressions over what it hands to its probes (expr.h); or a place in a program, or
 * in the kernel, whose arguments (arguments.h) these are.
 *
 *	skb:kfree_skb(skb->dev->name, size=skb->len, flow(skb))
 *
 * probe_parse() makes the fields, probe_format() the format that describes them as tracefs describes those of other events,
 * probe_code() the program that the kernel runs at each hit: it makes a record of the fields and puts it into the ring of the
 * CPU, where it is the raw data of a sample (bpf_perf_event_output()). What reads recordings knows nothing of all this.
 *
 *	item    [NAME =] EXPRESSION [: FORM]  |  READER  |  *
 *	FORM    d u x: numbers; be: one that is stored in the order of networks; sym: an address of code; ip, mac: bytes as addresses;
 *	        str: bytes as text; hex: any bytes
 *	READER  str(POINTER[, SIZE]), ustr(...) of a user's memory, buf(POINTER, SIZE), netns(x), flow(skb or sk),
 *	        inner(skb), packet(skb[, SIZE]), path(file, path, dentry or number of a descriptor[, SIZE]), argv(POINTER[, SIZE]),
 *	        sockaddr(POINTER[, LENGTH])
 *
 * A field has the name of its last member, parameter, or reader. comm, where nothing else has that name, is the name of who runs.
 * "*" is every field that the event has without this list, if all are known as expressions (`fields`), else every parameter.
 * Names of values come from the kernel's enums.
 *
 * The record begins as that of any tracepoint, with common_pid; common_unread has a bit for each field, in order, whose
 * memory could not be read: the field is then not there (tp_field.h).
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "util/probe/arguments.h"
#include "util/probe/expr.h"
#include "util/tracepoint/tp_format.h"

#define PROBE_FIELDS_MAX 32
#define PROBE_BYTES_MAX  2048 /* of a record */
#define PROBE_UNREAD_AT  8    /* common_unread, in the record */
#define PROBE_TEXT       64   /* bytes of a text whose size is not known */
#define PROBE_COMM_SIZE  16u
#define PROBE_PACKET     128 /* bytes of a packet, unless it says how many */
#define PROBE_PACKET_MAX 256
#define PROBE_LONG       256 /* of a text that is put together, such as a path, likewise */
#define PROBE_LONG_MAX   1024

/* How the bytes of a field come about. */
enum probe_what {
	PROBE_NUMBER,
	PROBE_STRING,      /* of the kernel's memory, up to a NUL */
	PROBE_USER_STRING, /* of the process's */
	PROBE_BYTES,
	PROBE_FLOW,         /* the first of the fields of flow(); the others come with it */
	PROBE_FLOW_SOCKET,  /* likewise of a socket */
	PROBE_INNER,        /* likewise of inner() */
	PROBE_PACKET_BYTES, /* likewise of packet() */
	PROBE_SOCKADDR,     /* likewise of sockaddr() */
	PROBE_PATH,         /* a text: the path of a struct path */
	PROBE_PATH_DENTRY,
	PROBE_ARGV,     /* a text: arguments, from a vector of pointers in the process's memory */
	PROBE_FUNCTION, /* the address of the function that was hit */
	PROBE_COMM,     /* a text: the name of who runs */
	PROBE_WITH,     /* one that comes with the field before */
};

struct probe_field {
	const char *name;
	enum probe_what what;
	const struct expr *e; /* the number; else a pointer to the bytes, or the place of them */
	const struct expr *length; /* of a sockaddr(), in bytes; NULL: it was not given */
	u32 offset, size;          /* in the record */
	const char *type;          /* as a format has it, "unsigned int" */
	bool is_array, is_signed;
	bool as_stored;                    /* a number that stays in the order of networks */
	const char *conversion, *argument; /* of the print fmt; the argument is NULL: the field */
};

struct probe {
	const char *tracepoint; /* its name, without the system */
	bool user;              /* pointers are of the process's memory */
	const struct expr *
		when; /* of other hits nothing is done, nor where it cannot be read; NULL: of none */
	VEC(struct probe_field) fields;
	u32 size; /* of a record */
	/* of "*": what has another name here than in the program, the first of those that are no field, and how many there are */
	const char *renamed, *left_out;
	const char *
		cut; /* fields that have the beginning of an array, and how much of it; NULL: none */
	u32 nr_left_out;
	u32 id; /* what its records begin with, common_type: the caller's choice, before the format and the program */
};

/*
 * Of a packet, skb: its device, and its network namespace, of that or of the socket `sk`. Packets in a tree, of TCP's out-of-order queue or
 * of IP fragments, have a link in place of the device. What is one leads to a queue that leads back, since none is without one that sends.
 */
#define PROBE_DEVICE \
	"((struct net_device *)((unsigned long)skb->dev / (skb->dev->_tx->dev == skb->dev)))"
#define PROBE_NETNS(sk) \
	PROBE_DEVICE "->nd_net.net->ns.inum ?: " sk "->__sk_common.skc_net.net->ns.inum"

/* Where it comes from. */
struct probe_source {
	const struct btf *btf;
	const char *name; /* of the tracepoint */
	const struct tp_format
		*own; /* its own format: names of values are taken from it; NULL: not known */
	const char *
		fields; /* its own fields, as expressions: "NAME=EXPRESSION,..." or "NAME", of an argument; NULL: none is known */
	struct arena *arena;               /* of all that is made */
	const struct arguments *arguments; /* of a function; NULL: it is a tracepoint */
	const struct expr *when;           /* as in struct probe */
	bool user;                         /* the function is one of a program */
	bool several;      /* one of several functions: the first field, function, says which */
	const char *names; /* of a program's functions: what prints that field */
};

/*
 * Read the list from *text on, which is behind the "(", to behind the ")". Where *text is NULL there is no list. On -EINVAL and -ENOTSUP *wrong is the
 * place in the text; err is not NULL. -ENOTSUP: the kernel has no types of this tracepoint.
 */
int probe_parse(struct probe *p, const struct probe_source *from, const char **text,
		const char **wrong, struct err *err);
/* Append the text of its format. */
void probe_format(const struct probe *p, struct buf *out);
void probe_free(struct probe *p);
/* May it stand between the quotes of a format as it is? */
bool probe_may_quote(const char *s);

/* Maps of the program, by number. */
enum probe_map {
	PROBE_MAP_RINGS,  /* PERF_EVENT_ARRAY: an open event, by CPU */
	PROBE_MAP_RECORD, /* PERCPU_ARRAY of probe_records(): u64 of records that were lost, and of threads that could not be followed, u64 whether one is being made, the record */
	PROBE_MAP_THREADS, /* HASH by tid, struct probe_thread; only with by_thread */
	PROBE_MAPS
};
#define PROBE_RECORD_AT 16u /* in the value of PROBE_MAP_RECORD */
/*
 * The size of that value: behind the record is room for the longest text, which is never written; that a text ends in its field the
 * kernel's verifier does not see.
 */
#define PROBE_RECORD_SIZE (PROBE_RECORD_AT + PROBE_BYTES_MAX + PROBE_LONG_MAX)

/* Records that are being made on a CPU at once: of a program's function, a thread makes its own while another waits. */
u32 probe_records(const struct probe *p);

/* A thread of a target. */
struct probe_thread {
	u64 active; /* 1: its hits are wanted; 0: once it has executed a program */
	u64 task;   /* its address in the kernel, 0: not known */
};

struct probe_test;
struct probe_program {
	bool preempted; /* other threads may take the CPU from it: at functions of programs, from Linux 6.0 on */
	bool by_thread;    /* of the threads in PROBE_MAP_THREADS only */
	const u32 *selves; /* not of these */
	u32 nr_selves;
	const struct probe_test *tests; /* probe_part.h: of what makes samples, which hits do */
	u32 nr_tests;                   /* 0: all */
	const u64
		*cpus; /* of what a program works out itself: on these, a bit each; NULL: on all */
	u32 nr_cpus;   /* words of it */
};

/* -ENOMEM; -E2BIG: more than one program can have. */
int probe_code(const struct probe *p, const struct btf *b, const struct probe_program *how,
	       struct bpf_code *code, struct err *err);

/*
 * Of a program's function: a program that only reads what the fields read, and sleeps until it is there: constants that nobody has
 * touched yet, memory that was swapped out. It is run before the other. False: they read no memory, or there can be none.
 */
bool probe_fault_code(const struct probe *p, const struct probe_program *how,
		      struct bpf_code *code);

/*
 * probe_threads.c: programs that keep PROBE_MAP_THREADS up: what threads of a target start is of the target, too. They run at
 * tracepoints of their own; NULL: there are no more.
 */
#define PROBE_THREADS_FORK 0 /* the one without which they are not followed */
#define PROBE_THREADS_EXIT \
	1 /* with it, they are of the target only until they exit, as for perf events */
#define PROBE_THREADS_KNOW \
	2 /* in place of that: what ends without a hit is known, and nobody else who has its number later is taken for it */
const char *probe_threads_tracepoint(u32 number);
int probe_threads_code(u32 number, const struct btf *b, struct bpf_code *code, struct err *err);

#endif
