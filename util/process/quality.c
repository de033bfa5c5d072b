// SPDX-License-Identifier: GPL-2.0
#include "util/process/quality.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/table.h"
#include "util/base/text.h"

void quality_free(struct quality *q)
{
	vec_free(&q->dsos);
}

static struct quality_dso *get_dso(struct quality *q, u32 dso)
{
	if (dso == ID_NONE)
		return &q->nowhere;
	while (q->dsos.nr <= dso) {
		if (!vec_push(&q->dsos)) {
			q->failed = true;
			return NULL;
		}
	}
	return &q->dsos.v[dso];
}

void quality_stacks(struct quality *q, u32 dso, u32 end, u64 nr)
{
	struct quality_dso *d = nr ? get_dso(q, dso) : NULL;

	if (!d || end >= QUALITY_ENDS)
		return;
	d->stacks[end] += nr;
	q->total.stacks[end] += nr;
}

void quality_frame(struct quality *q, u32 dso, enum quality_name name)
{
	struct quality_dso *d = get_dso(q, dso);

	if (!d || name >= QUALITY_NAMES)
		return;
	d->frames[name]++;
	q->total.frames[name]++;
}

u32 quality_unwound_end(const struct process_model *m, const struct thread *t, const u64 *chain,
			u32 nr)
{
	u32 end = (u32)(chain[nr - 1] - CHAIN_END), i;

	/* where the CPU was is no return address */
	for (i = 2; i < nr && end == CHAIN_ROOT; i++)
		if (chain[i] == CHAIN_GUESSED && chain[i - 2] != (u64)PERF_CONTEXT_USER &&
		    chain[i - 1] < (u64)PERF_CONTEXT_MAX &&
		    process_find_map(m, t, chain[i - 1] - 1) == ID_NONE)
			end = CHAIN_NO_MAP;
	return end;
}

/*
 * Without what may be behind it: a version, as in glibc's table ("clone@@GLIBC_2.2.5"), or the calling
 * convention of a function in Go's assembly ("runtime.goexit.abi0").
 */
static size_t bare_length(const char *symbol)
{
	const char *abi = strstr(symbol, ".abi");

	return abi ? (size_t)(abi - symbol) : strcspn(symbol, "@");
}

static int by_name(const void *key, const void *entry)
{
	const char *symbol = key, *name = *(const char *const *)entry;
	size_t len = bare_length(symbol);
	int order = strncmp(symbol, name, len);

	return order ? order : -(name[len] != '\0');
}

bool quality_is_entry(const char *symbol)
{
	/* of programs and threads (glibc, musl, Go), and of the kernel's tasks and CPUs; sorted */
	static const char *const entries[] = {
		"__clone",
		"__clone3",
		"__libc_start_call_main",
		"__libc_start_main",
		"__libc_start_main_impl",
		"__primary_switched",
		"__secondary_switched",
		"_dl_start_user",
		"_start",
		"_start_c",
		"clone",
		"clone3",
		"libc_start_main_stage2",
		"ret_from_fork",
		"ret_from_fork_asm",
		"runtime.goexit",
		"runtime.mcall",
		"runtime.mstart",
		"runtime.rt0_go",
		"runtime.systemstack",
		"secondary_startup_64",
		"secondary_startup_64_no_verify",
		"start",
		"start_kernel",
		"start_thread",
		"thread_start",
		"x86_64_start_kernel",
	};

	if (!strncmp(symbol, "__GI_", 5)) /* glibc's own name for one of its functions */
		symbol += 5;
	return bsearch(symbol, entries, ARRAY_SIZE(entries), sizeof(*entries), by_name);
}

static bool is_unknown(u32 end)
{
	return end == CHAIN_NO_UNWIND || end == QUALITY_UNTOLD;
}

struct quality_shares quality_shares(const struct quality *q)
{
	struct quality_shares s = {
		.complete = q->total.stacks[CHAIN_ROOT],
		.named = q->total.frames[QUALITY_NAMED],
	};
	u32 i;

	for (i = 0; i < QUALITY_ENDS; i++) {
		s.stacks += q->total.stacks[i];
		if (is_unknown(i))
			s.unknown += q->total.stacks[i];
	}
	for (i = 0; i < QUALITY_NAMES; i++)
		s.frames += q->total.frames[i];
	return s;
}

/* Can more be had of stacks that ended so, by recording or reading in another way? */
static bool quality_is_avoidable(u32 end)
{
	return end != CHAIN_ROOT && end != CHAIN_NO_STACK && !is_unknown(end);
}

bool quality_is_poor(const struct quality *q)
{
	u64 all = 0, avoidable = 0;
	u32 i;

	for (i = 0; i < QUALITY_ENDS; i++) {
		all += q->total.stacks[i];
		avoidable += quality_is_avoidable(i) ? q->total.stacks[i] : 0;
	}
	return avoidable > all / 10;
}

static double share(u64 part, u64 whole)
{
	return whole ? (double)part / (double)whole : 0;
}

double quality_damage(const struct quality_shares *s)
{
	double stacks = share(s->stacks - s->complete, s->stacks);
	double frames = share(s->frames - s->named, s->frames);

	return MAX(stacks, frames);
}

struct cause {
	const char *text;
	const char *advice;
};

/* Is it what stands for code that has no file (DSO_PERF_MAP)? Options of a compiler do not help there. */
static bool is_perf_map(const char *dso)
{
	static const char prefix[] = "/tmp/perf-";

	return !strncmp(dso, prefix, strlen(prefix)) &&
	       !strcmp(dso + strlen(prefix) + strspn(dso + strlen(prefix), "0123456789"), ".map");
}

static struct cause end_cause(u32 end, const char *dso)
{
	static const char *const advice[QUALITY_ENDS] = {
		[CHAIN_CUT] = "record with --call-graph dwarf,65528 or, beyond that, auto",
		[CHAIN_NO_MAP] =
			"generated code that keeps no frame pointers, a return probe, or a lost mapping",
		[CHAIN_NO_FILE] = "read the recording where the file is, or with --symfs",
		[CHAIN_NO_CFI] = "build it with -fasynchronous-unwind-tables or frame pointers",
		[CHAIN_BAD_CFI] = "build it again; try --unwinder=libdw",
		[CHAIN_BAD_STACK] = "assembly without unwind information, or a damaged stack",
		[CHAIN_LIMIT] = "a deep recursion; record with a larger --max-stack",
		[CHAIN_NO_UNWIND] = "record with --keep-stacks: it is unwound when it is read",
		[CHAIN_NO_STACK] = "nothing: the program was being replaced (execve) or ended",
		[CHAIN_NO_RETURN] = "record without --call-graph fp,defer",
		[QUALITY_NO_FRAME_POINTER] = "record with --call-graph dwarf, or build with "
					     "-fno-omit-frame-pointer",
		[QUALITY_UNTOLD] = "give its symbols: --symfs, or the file it was stripped from",
	};
	struct cause c = {.advice = advice[end]};

	if ((end == QUALITY_NO_FRAME_POINTER || end == CHAIN_NO_CFI) && is_perf_map(dso))
		c.advice = "have the runtime keep frame pointers: java -XX:+PreserveFramePointer, "
			   "node --perf-basic-prof, ...";
	if (end < CHAIN_ENDS)
		c.text = chain_end_text(end);
	else
		c.text = end == QUALITY_UNTOLD ? "last frame has no name" : "no frame pointer";
	return c;
}

/* The C library and its loader: most of their functions are their own, and stripped of their names. */
static bool is_libc(const char *dso)
{
	const char *slash = strrchr(dso, '/');
	const char *name = slash ? slash + 1 : dso;

	return !strncmp(name, "libc.so.", 8) || !strncmp(name, "ld-linux", 8);
}

static struct cause name_cause(u32 name, const char *dso)
{
	static const struct cause causes[QUALITY_NAMES] = {
		[QUALITY_NO_SYMTAB] = {"no symtab",
				       "install its debug symbols, record with --debuginfod, or "
				       "do not strip it"},
		[QUALITY_OTHER_BUILD] = {"build-id differs",
					 "the file was replaced; put the old one below --symfs"},
		[QUALITY_FILE_GONE] = {"file gone", "put the file back, or below --symfs"},
		[QUALITY_NO_JIT_MAP] = {"no JIT map",
					"have the runtime write one: node --perf-basic-prof, "
					"PYTHONPERFSUPPORT=1, ..."},
		[QUALITY_NO_SYMBOL] = {"no symbol here", "install its debug symbols"},
		[QUALITY_NO_KALLSYMS] = {"no kernel symbols",
					 "record as root, or read with --kallsyms"},
		[QUALITY_NOT_MAPPED] = {"nothing mapped",
					"an address that is none, or a lost mapping"},
	};

	struct cause c = causes[name];

	if ((name == QUALITY_NO_SYMTAB || name == QUALITY_NO_SYMBOL) && is_libc(dso))
		c.advice = "install libc6-dbg (Debian, Ubuntu), or record with --debuginfod";
	return c;
}

/* One line of the table. */
struct row {
	u64 count;
	u32 dso, cause;
};

struct rows {
	struct row *v;
	u32 nr, cap;
};

static bool add_row(struct rows *rows, u64 count, u32 dso, u32 cause)
{
	struct row *r;

	if (!count)
		return true;
	r = vec_push(rows);
	if (!r)
		return false;
	*r = (struct row){count, dso, cause};
	return true;
}

static bool add_stacks(struct rows *rows, const struct quality_dso *d, u32 dso)
{
	u32 i;

	for (i = 0; i < QUALITY_ENDS; i++)
		if (i != CHAIN_ROOT && !add_row(rows, d->stacks[i], dso, i))
			return false;
	return true;
}

static bool add_frames(struct rows *rows, const struct quality_dso *d, u32 dso)
{
	u32 i;

	for (i = 0; i < QUALITY_NAMES; i++)
		if (i != QUALITY_NAMED && !add_row(rows, d->frames[i], dso, i))
			return false;
	return true;
}

/* The most first; what is equal stays in the order of DSOs and causes. */
static int by_count(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	return x->cause < y->cause ? -1 : x->cause > y->cause;
}

static bool make_rows(struct rows *rows, const struct quality *q,
		      bool (*add)(struct rows *, const struct quality_dso *, u32))
{
	u32 i;

	rows->nr = 0;
	for (i = 0; i < q->dsos.nr; i++)
		if (!add(rows, &q->dsos.v[i], i))
			return false;
	if (!add(rows, &q->nowhere, ID_NONE))
		return false;
	if (rows->nr)
		qsort(rows->v, rows->nr, sizeof(*rows->v), by_count);
	return true;
}

static const char *dso_name(const struct process_model *m, u32 dso)
{
	return dso < m->dsos.nr ? m->dsos.v[dso].name : "[unknown]";
}

static void put_dso(struct buf *out, const struct process_model *m, u32 dso)
{
	const char *name = dso_name(m, dso);

	text_escape(out, name, strlen(name));
}

static void put_rows(struct buf *out, const struct rows *rows, const struct process_model *m,
		     u64 whole, struct cause (*cause_of)(u32, const char *), const char *unit,
		     const char *where)
{
	static const struct table_column columns[] = {
		{.right = true, .min = 12},
		{.right = true, .gap = 1, .min = 6},
		{.gap = 2},
		{.gap = 2},
		{.gap = 2},
	};
	const char *const titles[] = {unit, "share", where, "cause", "what helps"};
	struct table t = {0};
	struct cause cause;
	u32 i;

	table_row(&t);
	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		table_column(&t, &columns[i]);
		buf_adds(table_cell(&t), titles[i]);
	}
	for (i = 0; i < rows->nr; i++) {
		cause = cause_of(rows->v[i].cause, dso_name(m, rows->v[i].dso));
		table_row(&t);
		buf_dec(table_cell(&t), rows->v[i].count, 0);
		buf_addf(table_cell(&t), "%.1f%%", num_percent(rows->v[i].count, whole));
		put_dso(table_cell(&t), m, rows->v[i].dso);
		buf_adds(table_cell(&t), cause.text);
		buf_adds(table_cell(&t), cause.advice);
	}
	if (rows->nr) {
		buf_addc(out, '\n');
		table_put(&t, 0, out);
	}
	table_free(&t);
}

static void put_sum(struct buf *out, const char *what, u64 part, u64 whole)
{
	buf_addf(out, "%-10s%12llu %5.1f%%\n", what, (unsigned long long)part,
		 num_percent(part, whole));
}

bool quality_text_table(const struct quality *q, const struct process_model *m, struct buf *out)
{
	struct quality_shares s = quality_shares(q);
	struct rows rows = {0};
	bool done;

	buf_addf(out, "%-10s%12llu\n", "stacks", (unsigned long long)s.stacks);
	put_sum(out, "complete", s.complete, s.stacks);
	put_sum(out, "truncated", s.stacks - s.complete - s.unknown, s.stacks);
	put_sum(out, "unknown", s.unknown, s.stacks);
	buf_addf(out, "%-10s%12llu\n", "frames", (unsigned long long)s.frames);
	put_sum(out, "named", s.named, s.frames);
	put_sum(out, "unnamed", s.frames - s.named, s.frames);
	done = make_rows(&rows, q, add_stacks);
	if (done)
		put_rows(out, &rows, m, s.stacks, end_cause, "stacks", "ended in");
	done = done && make_rows(&rows, q, add_frames);
	if (done)
		put_rows(out, &rows, m, s.frames, name_cause, "frames", "without name in");
	vec_free(&rows);
	return done && !out->failed && !q->failed;
}

void quality_text_line(const struct quality *q, const struct process_model *m, struct buf *out)
{
	struct quality_shares s = quality_shares(q);
	bool poor = quality_is_poor(q);
	struct rows rows = {0};
	struct cause cause;
	u32 i = 0;

	if (!s.stacks)
		return;
	buf_addf(out, "%.1f%% of %llu stack%s complete", num_percent(s.complete, s.stacks),
		 (unsigned long long)s.stacks, s.stacks == 1 ? " is" : "s are");
	if (!make_rows(&rows, q, add_stacks))
		out->failed = true;
	while (poor && i < rows.nr && !quality_is_avoidable(rows.v[i].cause))
		i++;
	if (i < rows.nr) {
		cause = end_cause(rows.v[i].cause, dso_name(m, rows.v[i].dso));
		if (poor)
			buf_addf(out, "; %s", cause.advice);
		buf_addf(out, "; %llu of the other %llu end in ",
			 (unsigned long long)rows.v[i].count,
			 (unsigned long long)(s.stacks - s.complete));
		if (is_perf_map(dso_name(m, rows.v[i].dso)))
			buf_adds(out, "code made at run time");
		else
			put_dso(out, m, rows.v[i].dso);
		buf_addf(out, ": %s", cause.text);
	}
	vec_free(&rows);
}
