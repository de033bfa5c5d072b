/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perflite.h - recordings of perf-lite and perf, and the running system, for programs.
 *
 *	struct perflite *p = perflite_open("perf-lite.data", NULL, &error);
 *	while ((item = perflite_next(p, &error)))
 *		if (item->kind == PERFLITE_SAMPLE) ...
 *	perflite_close(p);
 *
 * Link with -lperflite (pkg-config perflite). Nothing here prints, exits or changes signals, and there are no globals:
 * each struct perflite is for one thread at a time, and several are independent (but for uid=NAME, which asks getpwnam(3)).
 *
 * Units: times are ns of the recording's clock (perflite_fact(p, "clockid")), weights are in the event's own unit.
 * Texts are UTF-8; a byte that is not, or a control, is \xNN in them, as in the commands' output.
 * Ownership: what is given out belongs to the library, and is valid until what its function says. Pointers that a
 * function takes are read during the call alone.
 * Children of fork(2): what is open belongs to the process that opened it. In a child, functions that read fail, values of the
 * last sample are missing, and perflite_close() does nothing: what the child has of it goes with its exec or its end.
 * Errors: a function that fails returns NULL or a negative errno, and fills in *error, which may be NULL. Where memory is
 * out, those without an error give what they give where there is nothing, and the next that reads fails with ENOMEM.
 *
 * The ABI only grows: struct perflite_item, _column and _account may become longer at their ends in later versions,
 * kinds, types and functions may be added.
 */
#ifndef PERFLITE_H
#define PERFLITE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PERFLITE_API __attribute__((visibility("default")))
#else
#define PERFLITE_API
#endif

/* One reading, of a file, a pipe or what runs now. */
struct perflite;
/* Columns of values. */
struct perflite_table;

struct perflite_error {
	int code;        /* errno; 0: none */
	uint64_t offset; /* byte of the input that had been read to; 0: not known */
	char text
		[1024]; /* one sentence; of an event or a filter, a second line may point at the place */
	char hint[512]; /* what to do; "": nothing is known */
};

/* The version of the library: "0.9", of a git checkout "0.9-g1234567". Valid for ever. */
PERFLITE_API const char *perflite_version(void);

/*
 * Open a recording: of perf-lite, or a perf.data of any kind; a directory as perf record --threads writes it; "-" is
 * standard input, "/dev/fd/N" an open descriptor. It may be compressed inside, cut off or damaged: perflite_next()
 * gives what is there, and items for what is not.
 *
 * options: NULL, or words up to a NULL, each "NAME" or "NAME=VALUE", as the commands have them behind "--":
 *
 *	event=NAME, all events of that name; NAME#2: the second of them
 *	comm=LIST  pid=LIST  tid=LIST  cpu=LIST  parallelism=LIST  time=FROM,TO  filter=EXPR  symbols=LIST  dsos=LIST
 *	latency  no-idle  limit=N  max-stack=N  inline  no-inline  no-demangle  symfs=DIR  kallsyms=FILE  vmlinux=FILE
 *	debuginfod  jobs=N
 *	no-stacks, no-fields: samples come without, which is faster; keys that are made of them are refused
 *	drops, drops=KEY,...: for perflite_drops(): packets that the kernel dropped get the flows that other tracepoints know
 *
 * "-" that is a pipe waits for input; a signal before any comes is the error EINTR.
 *
 * See perf-lite-script(1). NULL: error. To be closed by perflite_close().
 */
PERFLITE_API struct perflite *perflite_open(const char *path, const char *const *options,
					    struct perflite_error *error);

/*
 * Open events of the running system. command: NULL, or the words of a command to run, up to a NULL. Nothing is counted,
 * and the command does not begin, before the first call of perflite_next() or of another function that reads.
 *
 * options: as above,
 *
 *	event=EVENT,...  filter=EXPR of the event before it  all-cpus  cpu=LIST  pid=LIST  tid=LIST  comm=NAME
 *	uid=USER  cgroup=LIST  call-graph=HOW  freq=HZ  count=N  all-user  all-kernel  duration=TIME  delay=MS
 *	mmap-pages=SIZE  limit=N  max-stack=N  inline  no-inline  no-demangle
 *	latency=PRESET instead of events: those that perflite_latency() needs, of the threads that are named, or the command's
 *	drops, drops=KEY,... likewise: those that perflite_drops() needs for these keys and for filters that name them, of everybody
 *
 * See perf-lite-trace(1), whose words errors and hints use. Of the whole system, the caller's own samples are left out,
 * unless the option include-self is given. It ends with the command, when `duration` is over, or with perflite_stop(). The
 * command goes on then; where it still runs at perflite_close(), that sends it SIGTERM, and after a second SIGKILL.
 */
PERFLITE_API struct perflite *perflite_watch(const char *const *command, const char *const *options,
					     struct perflite_error *error);

/*
 * End what perflite_watch() began: perflite_next() gives what is left, and ends. Reading "-" that is a pipe ends, too,
 * without what may not be in order yet. May be called by a signal handler or another thread. NULL: nothing to do.
 */
PERFLITE_API void perflite_stop(struct perflite *p);

/* End reading, and free all that was given out, but not tables. NULL, or a child of fork(2): nothing to do. */
PERFLITE_API void perflite_close(struct perflite *p);

/* What perflite_next() gives. More may come: pass over kinds that are not known. */
enum perflite_kind {
	PERFLITE_SAMPLE = 1,
	PERFLITE_LOSS = 2, /* `count` samples or more are not in the recording; `text` says why */
	PERFLITE_GAP = 3,  /* likewise, and nobody knows how many */
	PERFLITE_PROCESS =
		4, /* a task was forked, has run another program, got a name or ended: `text` says which */
	PERFLITE_OTHER = 5, /* a record that this version does not know: `type`, `data` */
	/* live, or "-" is a pipe: none is ready, and the next call may wait: a quarter of a second, or until a signal */
	PERFLITE_WAIT = 6,
};

#define PERFLITE_NONE UINT32_MAX /* a number of an event or a CPU that is not known */

struct perflite_item {
	uint32_t kind;    /* enum perflite_kind */
	uint32_t event;   /* perflite_event_name(); PERFLITE_NONE */
	uint64_t time;    /* of losses: when they began; 0: not known */
	uint64_t until;   /* of losses: when they ended; 0: not known */
	uint32_t cpu;     /* PERFLITE_NONE: not known, or several */
	int32_t pid, tid; /* -1: not known; of PROCESS: the task that it is about */
	int32_t parent;   /* of PROCESS "fork": the thread that forked; else -1 */
	const char
		*comm; /* name of the thread; ":TID" while not known; "" where there is no thread */
	const char *text; /* of losses why, of PROCESS "fork", "exec", "comm", "exit"; else "" */
	uint64_t count;   /* LOSS: samples; SAMPLE: 1 */
	uint64_t period;  /* SAMPLE: what it weighs */
	uint64_t address; /* SAMPLE: of the instruction; 0: not recorded */
	uint64_t data_address; /* SAMPLE: of the memory accessed, where recorded; else 0 */
	const void *data; /* SAMPLE: raw data, as the tracepoint's format says; OTHER: the record */
	size_t data_size; /* 0: none */
	uint32_t type;    /* OTHER: its PERF_RECORD_* */
	uint32_t
		stack; /* SAMPLE: a number that only samples with the same call chain have; 0: no address is in it */
};

/*
 * The next item, in order of time. A loss of a file comes in its turn, other losses as soon as they are known, at the
 * latest before the end, so that they cannot be missed; they are those of the whole recording, whatever samples are
 * wanted. The item is valid until the next call; its data is not aligned, and that of OTHER in the recording's byte order.
 * NULL: the end, and error->code is 0; or an error, which all further calls give again.
 */
PERFLITE_API const struct perflite_item *perflite_next(struct perflite *p,
						       struct perflite_error *error);

/*
 * Lines for people on what has been found missing so far: losses by cause, damage, files without symbols. "": nothing
 * is. Valid until the next call of this function.
 */
PERFLITE_API const char *perflite_notes(struct perflite *p);

/*
 * How many events there are, and what they are called, "skb:kfree_skb"; NULL: there is none of that number. Valid until
 * the close.
 */
PERFLITE_API uint32_t perflite_events(const struct perflite *p);
PERFLITE_API const char *perflite_event_name(struct perflite *p, uint32_t event);
/*
 * The fields of an event that is a tracepoint, in order, from number 0 on; NULL: no more, with no-fields none. For perflite_field() say
 * EVENT.FIELD: a sample has a pid, comm and others of its own. Valid until the close.
 */
PERFLITE_API const char *perflite_event_field(struct perflite *p, uint32_t event, uint32_t number);

/*
 * What is known of the machine and the recording: "hostname", "boot_id", "release", "arch", "clockid", "cmdline"
 * (its words, with blanks between)... NULL: not known. Valid until the close.
 */
PERFLITE_API const char *perflite_fact(struct perflite *p, const char *key);

enum perflite_type {
	PERFLITE_UNSIGNED32 = 1,
	PERFLITE_SIGNED32,
	PERFLITE_UNSIGNED64,
	PERFLITE_SIGNED64,
	PERFLITE_TEXT, /* each value is the number, int32_t, of one of `texts` */
};

/*
 * A handle, 0 or more, for one value of each sample: a field of a tracepoint ("reason"; of one event alone
 * "kfree_skb.reason", which is never taken for what follows), or a key that perf-lite count --by takes, or what the sample
 * itself has: time, period, address, data_address, comm, pid, tid, cpu, event, sym, dso, stack, kstack, ustack, trace (the
 * event's text), cgroup... -EINVAL: no event has it, and error->hint says what it may have meant. -ENOMEM.
 */
PERFLITE_API int perflite_field(struct perflite *p, const char *name, struct perflite_error *error);
/*
 * The type that a column of the field has in a table, enum perflite_type: PERFLITE_TEXT where values have names, or events
 * have it with types that no number has room for. -EINVAL: there is no such handle.
 */
PERFLITE_API int perflite_field_type(struct perflite *p, int field);
/*
 * The value of a field as a number, in the last item, which is a sample: 1; 0: it has none, or is no number. A signed
 * field is extended to 64 bits. A field with names for its values is the number that it holds.
 */
PERFLITE_API int perflite_number(struct perflite *p, int field, uint64_t *number);
/* Is that number an int64_t: 1; 0: it is not, or there is none. The column of a field with names does not show it. */
PERFLITE_API int perflite_is_signed(struct perflite *p, int field);
/*
 * The value of a field as the commands print it, "NO_SOCKET", likewise. NULL: it has none. Valid until the next call with
 * this field. Texts that are not numbers are kept, each once, until the close.
 */
PERFLITE_API const char *perflite_text(struct perflite *p, int field);

enum perflite_frame_flags {
	PERFLITE_KERNEL = 1,  /* of the kernel */
	PERFLITE_INLINED = 2, /* inlined into the next frame, at the same address */
};

struct perflite_frame {
	uint64_t address;        /* as it was recorded */
	uint64_t file_address;   /* in the file */
	uint64_t offset;         /* in the function */
	const char *symbol;      /* the function; NULL: not known */
	const char *file;        /* the program or library; NULL: not known */
	const uint8_t *build_id; /* of `file`; NULL: not known */
	uint32_t build_id_size;
	uint32_t flags;     /* enum perflite_frame_flags */
	const char *source; /* file of the source; NULL: not known, or not asked for */
	uint32_t line;
	uint32_t reserved;
};

/*
 * The call chain of the last item, which is a sample, innermost frame first: how many frames; 0: it has none; -ENOMEM.
 * A sample without a call chain has one frame, where its address was recorded. Source lines, and functions that were
 * inlined, are there with the option "inline". The array is valid until the next call of this function, the texts until
 * the close.
 */
PERFLITE_API long perflite_frames(struct perflite *p, const struct perflite_frame **frames,
				  struct perflite_error *error);

/*
 * A table of the next samples, a row each. It reads them instead of perflite_next(), at most `most` rows, or with 0 all
 * that are left, which of what runs now means until it ends; losses are then in perflite_lost() and perflite_notes().
 * fields: names as perflite_field() takes them, with commas between them; "NAME=FIELD" gives the column another name.
 * event: of the events of this name alone ("NAME#2": of the second of them), and the samples of others are passed over; NULL:
 * of all, and what an event does not have is missing in its rows. A table without rows: there are no more. NULL: error. It
 * stays valid after the close, until perflite_table_free().
 */
PERFLITE_API struct perflite_table *perflite_samples(struct perflite *p, const char *event,
						     const char *fields, uint64_t most,
						     struct perflite_error *error);

/*
 * A table of the samples that are left, counted by keys, as perf-lite count --by BY [--of OF] does: a row for each
 * combination, the most frequent first, with the columns of `by`, then "count", and with `of` (a field, or "period";
 * NULL: none) "sum", "min", "max", and the largest sum first. A sum that needs more than 64 bits is missing. Stacks are distinguished by
 * addresses, so that several rows may have the same text: they are to be added up. It reads as perflite_samples() does.
 */
PERFLITE_API struct perflite_table *perflite_count(struct perflite *p, const char *by,
						   const char *of, struct perflite_error *error);

/* What became of all events at which spans begin and end. */
struct perflite_account {
	uint64_t begins, ends;
	uint64_t spans;              /* that ended, and whose length is certain */
	uint64_t restarts;           /* begins while a span of that key was open */
	uint64_t ends_without_begin; /* it was before the first sample, or is lost */
	uint64_t given_up;           /* by an event of `until` */
	uint64_t open;               /* at the end */
	uint64_t open_across_loss;   /* of these, such as may have ended: samples were lost */
	uint64_t oldest_open_ns;     /* the age of the oldest of the others */
	uint64_t across_loss;        /* spans in whose midst samples were lost */
	uint64_t reordered;          /* ends that are older than their begins */
	uint64_t no_room;            /* begins, while a million spans were open */
	uint64_t passed, skipped, repeated, out_of_order; /* stages: see perf-lite-latency(1) */
	uint64_t below_min; /* of the spans, shorter ones than `min` */
	uint64_t left_out;  /* likewise by `filter` */
};

/*
 * A table of the time between events in the samples that are left, as perf-lite latency measures it: a row for each
 * combination of keys, the largest sum first, with the columns of the keys, then "spans", "sum_ns", "min_ns", "p50_ns", "p90_ns",
 * "p99_ns", "max_ns". It reads as perflite_samples() does. A second call finds no samples.
 *
 * preset: a time that has a name there, "run-queue", "off-cpu", "syscalls", ..., or in the user's file of presets; NULL: the
 * options `from` and `to` say what is measured, or the option `latency` of perflite_watch() has. options: NULL, or words as
 * perflite_open() has them, see perf-lite-latency(1):
 *
 *	from=POINT,...  then=POINT,...  to=POINT,...  until=POINT,...  on=KEY,...  latest  nested
 *	by=KEY,...  min=TIME  filter=EXPR of the event at which spans begin  presets=FILE
 *	open: the ages of the spans that have not ended, instead
 *	slowest=N: a row for each of the N longest spans instead: the keys, "begin_ns", "end_ns", "ns", "cpu"
 *	waker: who woke the thread is a key, too
 *	split: columns behind the others: how long the threads of the spans ran, waited for a CPU, slept
 *
 * Many spans begin or end with an event of another thread: samples that options of perflite_open() leave out would be missing,
 * and of what runs now the option `latency` of perflite_watch() is needed. Both are errors, EINVAL, as are a preset, a key and
 * an event that are not there; nothing has been read then.
 */
PERFLITE_API struct perflite_table *perflite_latency(struct perflite *p, const char *preset,
						     const char *const *options,
						     struct perflite_error *error);
/* The account of a table that perflite_latency() made. NULL: another has made it. Valid as long as the table. */
PERFLITE_API const struct perflite_account *perflite_table_account(const struct perflite_table *t);

/* What became of all drops. */
struct perflite_drops_account {
	uint64_t drops;  /* in the rows */
	uint64_t hidden; /* left out as noise, which the option `all` counts as well */
	uint64_t lost;   /* samples known to be lost by then, which may have been drops */
};

/*
 * A table of the packets that were dropped in the samples that are left, as perf-lite drops counts them: a row for each
 * combination of keys, most drops first, with the columns of the keys that its events have, then "count" and "hardware" (1: by a
 * device, 0: by the kernel). It reads as perflite_samples() does. A second call finds no samples.
 *
 * options: NULL, or words as perflite_open() has them, see perf-lite-drops(1):
 *
 *	by=KEY,...   place, reason, protocol, dev, netns, flow, inner, owner, comm, kstack, fields...; without it those of the
 *	             option `drops`, or else place,reason,protocol,dev,comm
 *	filter=EXPR  only drops that match, and none of devices
 *	event=NAME   the tracepoint of drops, instead of skb:kfree_skb and devlink:devlink_trap_report
 *	all          also what is hidden as noise
 *
 * place, reason, protocol, flow, inner and owner are texts, as the command prints them: "NO_SOCKET", "10.0.0.1:4711 > 10.0.0.2:443 TCP".
 * The parts of a flow are keys, too: saddr, sport, daddr, dport, l4. What a drop does not have is missing. Behind the others,
 * with flows that are of other tracepoints, is "flow_via", and with owners "owner_pid", where the process is known.
 *
 * What was dropped is in skb:kfree_skb if it was recorded with --packets, or if the option `drops` of perflite_watch() names it.
 * A key, a filter and an event that are not there, and a recording without drops, are errors, EINVAL or ENOENT; nothing has been
 * read then.
 */
PERFLITE_API struct perflite_table *perflite_drops(struct perflite *p, const char *const *options,
						   struct perflite_error *error);
/* The account of a table that perflite_drops() made. NULL: another has made it. Valid as long as the table. */
PERFLITE_API const struct perflite_drops_account *perflite_table_drops(
	const struct perflite_table *t);

/*
 * Samples known to be lost so far, whichever were chosen. When those of a file have ended, of all of it: also where the option
 * `limit` ended them, if perf-lite recorded it.
 */
PERFLITE_API uint64_t perflite_lost(const struct perflite *p);

struct perflite_column {
	const char *name;
	uint32_t type;      /* enum perflite_type */
	uint32_t nr_texts;  /* of PERFLITE_TEXT */
	const void *values; /* an array of the type, a value for each row */
	const uint8_t *
		valid; /* bit row % 8 of byte row / 8 is 0 where a value is missing; NULL: none is */
	const char *const *texts;
};

/* How many rows a table has. */
PERFLITE_API uint64_t perflite_table_rows(const struct perflite_table *t);
/* The columns of a table, from number 0 on; NULL: no more. Valid as long as the table. */
PERFLITE_API const struct perflite_column *perflite_table_column(const struct perflite_table *t,
								 uint32_t number);

/*
 * Give a table to whoever takes Arrow data. *schema and *array are filled in, structs of the Arrow C Data Interface
 * (arrow.apache.org/docs/format/CDataInterface.html): a struct array with a child for each column, texts as
 * dictionaries. Values are not copied: the memory is the table's, which goes with the release of both and
 * perflite_table_free(), in any order. -ENOMEM.
 */
struct ArrowSchema;
struct ArrowArray;
PERFLITE_API int perflite_table_arrow(struct perflite_table *t, struct ArrowSchema *schema,
				      struct ArrowArray *array, struct perflite_error *error);

/* Free a table. NULL: nothing to do. */
PERFLITE_API void perflite_table_free(struct perflite_table *t);

#ifdef __cplusplus
}
#endif

#endif
