/* SPDX-License-Identifier: GPL-2.0 */
/* export_internal.h - what the pages of export.h share. */
#ifndef EXPORT_EXPORT_INTERNAL_H
#define EXPORT_EXPORT_INTERNAL_H

#include "util/export/call_rows.h"
#include "util/export/export.h"
#include "util/export/gzip.h"
#include "util/export/parquet.h"
#include "util/export/spool.h"
#include "util/format/time_text.h"
#include "util/profile/trace_fields.h"

/*
 * export_chrome_tracks.c: what all traces have: times, ids, and the names of processes and threads.
 *
 * A thread is called as when it was last seen, a process as its first thread.
 */

/* Processes whose threads are none: more than the kernel gives (PID_MAX_LIMIT). */
#define CHROME_CPUS_PID  (1u << 30)
#define EXPORT_SPANS_PID (CHROME_CPUS_PID + 1) /* spans of no thread */

struct chrome_track {
	u32 pid, tid;
	u32 comm; /* in the process model, what `name` is of; ID_NONE: not known */
	u32 name; /* in the names */
};

struct chrome_tracks {
	const struct process_model *model; /* the caller's; all else zero to begin with */
	struct strtab names;               /* escaped */
	VEC(struct chrome_track) tracks;
	struct hmap track_of;   /* pid, tid */
	struct hmap process_of; /* pid -> name */
};

/* Nanoseconds as the microseconds of a trace. */
void export_chrome_time(u64 ns, struct buf *out);
/* As members of an object. */
void export_chrome_ids(u32 pid, u32 tid, struct buf *out);
/* An object: what ("thread_name") is called so. */
void export_chrome_name(u32 pid, u32 tid, const char *what, const char *name, struct buf *out);
/* The thread has a track. False when memory is out. */
bool chrome_tracks_see(struct chrome_tracks *k, u32 pid, u32 tid, const struct thread *thread,
		       const char *comm);
/* After the last: their names, each an object behind a comma. */
void chrome_tracks_put(struct chrome_tracks *k, struct buf *out);
void chrome_tracks_free(struct chrome_tracks *k);

/*
 * export_wire.c: protocol buffers, the fields of one message, appended to a buffer.
 *
 * A message within a message is made in a buffer of its own and added as bytes. Fields of value 0
 * are left out, as readers take them for that.
 *
 * Source: protobuf.dev/programming-guides/encoding
 */

void export_proto_varint(struct buf *b, u64 v);
/* An integer; a negative one as the u64 of the same bits. */
void export_proto_integer(struct buf *b, u32 field, u64 v);
/* The eight bytes of a fixed64. */
void export_proto_fixed64(struct buf *b, u32 field, u64 v);
/* What comes before `len` bytes of a string, a message, or packed integers, */
void export_proto_head(struct buf *b, u32 field, u64 len);
/* and with them; empty ones too. */
void export_proto_bytes(struct buf *b, u32 field, const void *p, size_t len);
/* The same of a buffer's, which is empty afterwards. */
void export_proto_message(struct buf *b, u32 field, struct buf *message);

/*
 * export_pprof_locations.c: the tables of a profile: strings, mappings, locations, functions.
 *
 * OTLP's were made of pprof's: what differs are the numbers of fields, and that messages have no ids but are known by
 * their place, from 1, behind an empty one.
 *
 * Strings, the empty one first, are numbered from 0, the others from 1, in order of first sight,
 * so that they may be written behind whatever names them.
 */

enum pprof_format { PPROF_PROFILE, PPROF_OTLP };

struct pprof_mapping {
	u32 map;
	u64 start,
		end; /* with all locations: the kernel has code outside of what it says is its own */
	bool functions, files, lines; /* some location has them */
};

struct pprof_locations {
	enum pprof_format format;
	struct symboliser *symboliser;
	bool source;              /* look up the source lines of frames */
	struct strtab strings;    /* escaped */
	struct strtab functions;  /* (name, file) */
	struct strtab attributes; /* of OTLP, as messages */
	struct hmap of_frame;     /* (frame, with what was inlined there) -> location */
	u32 nr;                   /* locations */
	struct buf made;          /* they, as they are in the file */
	struct hmap of_map;       /* -> index in mappings */
	VEC(struct pprof_mapping) mappings;
	struct buf message, line;
	bool failed; /* sticky: memory ran out */
};

int pprof_locations_init(struct pprof_locations *l, enum pprof_format format,
			 struct symboliser *symboliser, struct err *err);
/* The number of a string, escaped if need be; ID_NONE when memory is out. */
u32 pprof_locations_string(struct pprof_locations *l, const char *s);
/* The location of a node of the stacks, the root included; ID_NONE when memory is out. */
u32 pprof_locations_get(struct pprof_locations *l, const struct stack_tree *stacks, u32 node);
/* The number of an attribute of OTLP; the value, an AnyValue, is empty afterwards. 0 when memory is out. */
u32 pprof_locations_attribute(struct pprof_locations *l, const char *key, struct buf *value);
/* Append all tables as fields of the profile; attributes are the caller's to write. */
void pprof_locations_put(struct pprof_locations *l, struct buf *profile);
void pprof_locations_free(struct pprof_locations *l);

/*
 * export_pprof_file.c: what all pprof profiles have: types, samples, facts, then the tables; compressed piece by piece.
 *
 *	pprof_file_type() ... pprof_file_about()
 *	-> pprof_file_stack(), export_proto_varint(&f->numbers, value) ..., pprof_file_label() ..., pprof_file_sample()
 *	-> pprof_file_end()
 */

struct pprof_file {
	struct session *session;
	struct pprof_locations locations; /* and all strings */
	struct gzip gzip;
	struct buf piece, message, inner;
	struct buf numbers; /* values of the sample */
};

enum pprof_type { PPROF_SAMPLE_TYPE = 1, PPROF_PERIOD_TYPE = 11 };

int pprof_file_init(struct pprof_file *f, struct session *s, struct err *err);
void pprof_file_type(struct pprof_file *f, enum pprof_type what, const char *type,
		     const char *unit);
/* The type that is shown first, and what one sample stands for; 0: that differs. */
void pprof_file_default(struct pprof_file *f, const char *type, u64 period);
/* Of the time from..to, if any is known; the command, the host, what was lost. */
void pprof_file_about(struct pprof_file *f, bool any, u64 from, u64 to);
/* A sample: its locations; after its values are in `numbers`, its labels. False when memory is out. */
bool pprof_file_stack(struct pprof_file *f, const struct stack_tree *stacks, u32 node);
void pprof_file_values(struct pprof_file *f);
/* A string of pprof_locations_string(), or a number. */
void pprof_file_label(struct pprof_file *f, const char *key, u32 str, u64 num);
int pprof_file_sample(struct pprof_file *f, struct buf *out, struct err *err);
int pprof_file_end(struct pprof_file *f, struct buf *out, struct err *err);
void pprof_file_free(struct pprof_file *f);

/*
 * export_otlp_file.c: messages of OTLP: their values, and those that are too large for one buffer.
 *
 *	otlp_message_add(&inner, &fields) ... -> otlp_message_nest(&outer, NUMBER, &inner)
 *
 * A zero-initialised message is empty. Memory that ran out is reported by who reads the bytes.
 */

struct otlp_message {
	struct spool bytes;
	u64 len;
};

/* Append fields, which are empty afterwards. */
void otlp_message_add(struct otlp_message *m, struct buf *fields);
/* Append a message, which is empty afterwards. */
void otlp_message_nest(struct otlp_message *m, u32 field, struct otlp_message *inner);
void otlp_message_free(struct otlp_message *m);

/* An AnyValue in an empty buffer: a text, which is UTF-8, a number, or the lines of a text. */
void export_otlp_text(struct buf *value, const char *text);
void export_otlp_number(struct buf *value, s64 number);
void export_otlp_lines(struct buf *value, const char *text);

/* Append what the samples are of: a Resource, an InstrumentationScope. service: its name. */
void export_otlp_resource(const struct session *s, const char *service, struct buf *out);
void export_otlp_scope(const struct session *s, struct buf *out);

/*
 * export_gecko_tables.c: the tables that all threads of a Firefox profile share: "libs" and "shared", of
 * call_rows.h, and the categories their frames have.
 *
 * A row is a stack there, with the same number; functions, frames and names too.
 */

/* The value of "categories": one for each enum call_class, and of the markers. */
#define GECKO_CATEGORY_MARKER NR_CALL_CLASSES
void export_gecko_tables_categories(struct buf *out);

/* A column that has the same text in each of its rows. */
void export_gecko_same(struct spool *out, const char *key, u32 nr, const char *text);
/* Append "libs" and "shared", as members of the profile. False when memory is out. */
bool export_gecko_tables_put(struct call_rows *c, struct spool *out);

/*
 * export_gecko_file.c: what all Firefox profiles have: facts, tracks, columns, then the tables. The caller reads `all`.
 *
 *	gecko_file_begin() -> schemas, appended to all.tail -> gecko_file_begin_tracks()
 *	-> gecko_file_track() -> gecko_file_samples() -> gecko_file_markers() ... -> gecko_file_end()
 */

#define GECKO_MS 1000000u /* ns */

struct gecko_file {
	struct session *session;
	struct call_rows rows;
	struct hmap main_of,
		tracks_of; /* pid: it has a main track; thread -> tracks of it so far */
	struct spool all;
};

struct gecko_track {
	u32 pid, tid;
	const char *name, *process; /* escaped */
	u64 first;                  /* ns since the begin */
};

/* Columns are taken. */
struct gecko_samples {
	u32 nr;
	bool time; /* weights are ms */
	struct spool *stacks, *times, *weights;
	struct spool *cpu; /* ns that the thread ran since the sample before; NULL: not known */
};

struct gecko_columns {
	u32 nr;
	u32 name;            /* of all, in the names of the rows */
	struct spool *names; /* NULL: it is */
	struct spool *data, *starts;
	struct spool *ends; /* NULL: they are instants */
};

int gecko_file_init(struct gecko_file *f, struct session *s, struct err *err);
/* Milliseconds, with all digits of the ns. */
void export_gecko_ms(u64 ns, struct buf *out);
/* interval: between samples, in ns; start: on the recording's clock, if any is known. */
void gecko_file_begin(struct gecko_file *f, u64 interval, bool any, u64 start);
void gecko_file_begin_tracks(struct gecko_file *f);
/* False when memory is out, as from the end. */
bool gecko_file_track(struct gecko_file *f, const struct gecko_track *t);
void gecko_file_samples(struct gecko_file *f, const struct gecko_samples *c);
void gecko_file_markers(struct gecko_file *f, const struct gecko_columns *c);
bool gecko_file_end(struct gecko_file *f);
void gecko_file_free(struct gecko_file *f);

/*
 * export_gecko_markers.c: samples of tracepoints as markers of the Firefox profiler, and the schemas that
 * describe their fields.
 *
 * A marker's "type" is the name of its event. Fields are strings (trace_fields_text()); one whose
 * name has a meaning of its own there ("type", "cause", ...) has "_" behind it.
 */

struct gecko_markers {
	struct session *session;
	struct trace_text text;
	struct trace_fields *events; /* by event; their keys are those of the markers */
	struct buf *heads;           /* by event: what the data of its markers begin with */
	u32 nr;
	struct buf scratch;
};

/* What describes the markers of one name, but for "cpu", which all have. */
struct gecko_field {
	const char *name, *format; /* of Firefox: "string" */
};

struct gecko_schema {
	const char *name;
	u32 nr;
	struct gecko_field (*field)(const void *arg, u32 i);
	const void *arg;
};

/* An element of "markerSchema". */
void export_gecko_markers_schema(const struct gecko_schema *g, struct buf *out);
/* What a field is called in the data, escaped, in place of what is in the buffer. */
void export_gecko_markers_key(const char *field, struct buf *out);
/* The member "cause" of the data: a stack, at a time as written. */
void export_gecko_markers_cause(const struct buf *time, u32 stack, struct buf *out);

int export_gecko_markers_init(struct gecko_markers *m, struct session *s, struct err *err);
/* The samples of this event are markers. */
bool export_gecko_markers_has(const struct gecko_markers *m, u32 event);
/* Append the data of a marker, at `time` as written, with a stack. */
void export_gecko_markers_put(struct gecko_markers *m, const struct session_sample *s,
			      const struct buf *time, u32 stack, struct buf *out);
/* Append the elements of "markerSchema". */
void export_gecko_markers_schemas(struct gecko_markers *m, struct buf *out);
void export_gecko_markers_free(struct gecko_markers *m);

/*
 * export_parquet_fields.c: the fields of tracepoints as columns of a table.
 *
 * A column is what fields of one name have in all events. Names differ also where case does not count.
 */

struct parquet_field {
	u32 column;       /* of the fields' */
	bool is_signed;   /* this field of it */
	struct hmap keys; /* number -> key of its text */
};

struct parquet_event {
	struct trace_fields fields;
	struct parquet_field *v;
};

struct parquet_field_column {
	const char *field, *name;
	enum trace_field_type type;
	u32 keys; /* that were given out */
};

struct parquet_fields {
	struct trace_text text;
	struct parquet_event *events;
	u32 nr_events;
	VEC(struct parquet_field_column) columns;
	struct arena names;
	struct buf scratch, escaped;
};

/* Of the events that are asked for; no name is one of the taken ones. */
int export_parquet_fields_init(struct parquet_fields *f, struct session *s,
			       const struct parquet_column *taken, u32 nr, struct err *err);
/* What the column is in a file. */
struct parquet_column export_parquet_fields_column(const struct parquet_fields *f, u32 column);
/* Put the values of a sample into columns from `first` on. False when memory is out. */
bool export_parquet_fields_put(struct parquet_fields *f, const struct session_sample *s,
			       struct parquet *file, u32 first);
void export_parquet_fields_free(struct parquet_fields *f);

/* export_parquet_losses.c: what both tables have. */

struct parquet_origin {
	struct session *session;
	struct time_text time;
	struct buf scratch;
};

int export_parquet_origin_init(struct parquet_origin *o, struct session *s, struct err *err);
/* Put a fact, if it is known. */
void export_parquet_origin_fact(struct parquet_origin *o, struct parquet *file, u32 column,
				const char *fact);
/* Put a time of the recording, and how far it is from that; offset ID_NONE: not that. */
void export_parquet_origin_time(struct parquet_origin *o, struct parquet *file, u32 column,
				u32 offset, u64 time);
/* Put a text as text_escape() shows it. */
void export_parquet_origin_text(struct parquet_origin *o, struct parquet *file, u32 column, u32 key,
				const char *text);
void export_parquet_origin_free(struct parquet_origin *o);

#endif
