/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_text.h - the text of perf script.
 *
 * Two layouts, chosen per event: with call chains a header line, a line per frame and a blank line;
 * without, one line. Byte for byte what perf prints: 6.12 by default, 6.1 where the options say so.
 */
#ifndef FORMAT_SCRIPT_TEXT_H
#define FORMAT_SCRIPT_TEXT_H

#include "util/format/fields.h"
#include "util/format/selected_fields.h"
#include "util/format/sink.h"
#include "util/format/text_cache.h"
#include "util/format/time_text.h"
#include "util/profile/frame.h"
#include "util/profile/printk_formats.h"
#include "util/profile/session.h"
#include "util/profile/short_text.h"
#include "util/profile/symboliser.h"
#include "util/profile/trace_text.h"
#include "util/tracepoint/tp_prog.h"

/*
 * script_text_rare.c: the fields of script's text that need special hardware or options of the recorder: memory
 * accesses, registers, branch stacks, page sizes, control groups.
 */

#define RARE_BEFORE_IP                                                                    \
	(FIELD_BIT(FIELD_DATA_SRC) | FIELD_BIT(FIELD_WEIGHT) | FIELD_BIT(FIELD_INS_LAT) | \
	 FIELD_BIT(FIELD_RETIRE_LAT))
#define RARE_BEHIND_IP                                                                             \
	(FIELD_BIT(FIELD_IREGS) | FIELD_BIT(FIELD_UREGS) | FIELD_BIT(FIELD_BRSTACK) |              \
	 FIELD_BIT(FIELD_BRSTACKSYM) | FIELD_BIT(FIELD_BRSTACKOFF) | FIELD_BIT(FIELD_BPF_OUTPUT) | \
	 FIELD_BIT(FIELD_PHYS_ADDR) | FIELD_BIT(FIELD_DATA_PAGE_SIZE) |                            \
	 FIELD_BIT(FIELD_CODE_PAGE_SIZE) | FIELD_BIT(FIELD_CGROUP))

struct rare_fields {
	struct symboliser *symboliser;
	const struct cgroup_names *cgroups;
	bool six_one;       /* the layout of perf 6.1 */
	u32 data_src_width; /* of the longest text so far */
};

/* What comes before the ip, and after it. `on`: the fields of the event's type. */
void rare_fields_before_ip(struct rare_fields *r, u64 on, const struct session_sample *s,
			   struct buf *out);
int rare_fields_behind_ip(struct rare_fields *r, u64 on, const struct session_sample *s,
			  struct buf *out, struct err *err);

/* script_text.c: the lines. */

struct script_text_options {
	struct time_text *time;       /* how times are shown; the caller's */
	struct selected_fields *only; /* a line of these, then the call chain; NULL: of `fields` */
	bool narrow_ids;              /* pid and tid in 5 columns (6.1), not 7 */
	bool byte_widths;    /* the task is padded as perf does, by bytes, not characters */
	bool map_relative;   /* user frames show the byte of the file (6.1), not the address */
	bool sideband_width; /* hidden events count for the width of the event column */
	bool bare_watch;     /* the address that a breakpoint watches is shown without its name */
	bool full_paths;     /* --full-source-path: of source files, not their last part */
	bool minus_cpu;      /* a CPU that is not known is -1: perf */
	bool latency;        /* -L: columns as ftrace's latency format has them */
	bool trace_numbers;  /* kernel addresses in trace text stay numbers: perf, of a stream */
};

struct script_text {
	struct sink sink;
	struct script_text_options options;
	struct fields fields;
	struct symboliser *symboliser;
	const struct event_set *events;
	struct trace_text trace;
	struct rare_fields rare;
	u32 name_width;
	struct frame_list chain;
	struct text_cache stacks, lines;     /* of whole stacks, of frames */
	struct short_texts threads, symbols; /* columns of threads; symbols that fields name */
	struct buf names;                    /* the column of each event, one behind the other */
	VEC(u32) name_ends;                  /* where they end in it */
};

/* All that is pointed at stays the caller's and must outlive the sink. */
void script_text_init(struct script_text *k, const struct script_text_options *o,
		      const struct fields *fields, struct symboliser *symboliser,
		      const struct event_set *events, struct tp_prog *const *programs,
		      const struct printk_formats *strings, const struct cgroup_names *cgroups);

#endif
