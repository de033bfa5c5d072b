// SPDX-License-Identifier: GPL-2.0
/*
 * unwind FILE [libunwind|libdw] - what unwinding the samples of a recording costs: one that was made
 * on this machine just now, of registers and copies of the stack.
 *
 * CPU time in ns per frame of the engine that is used, the best of five passes, and of a reference:
 *	cold     an unwinder that has seen nothing yet, the files in the page cache; one pass
 *	memory   steady, each stack from memory that no cache has
 *	read     steady, the stacks copied just before, 16 at a time, as reading a file does
 *	cached   steady, the stack in the CPU's caches, as just behind a ring
 *	other    the reference, as `read`; and how many times that is
 * Then why chains ended, in both, and how many are the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "util/file/reorder.h"
#include "util/file/source.h"
#include "util/image/image.h"
#include "util/unwind/unwind.h"

enum { PASSES = 5, REPEATS = 8, BATCH = 16 };
/* Copies of stacks beyond this are left out: enough for a figure. */
#define BYTES_MAX ((u64)3 << 30)

struct step {
	void *record; /* side-band, NULL: a sample */
	u32 size;
	u32 pid, tid;
	struct unwind_input in;
	u64 hash; /* of the chain */
	u32 nr;
};

static VEC(struct step) steps;
static u64 chain[UNWIND_MAX];

static void die(const char *what)
{
	fprintf(stderr, "unwind: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* One behind the other, on large pages where there are any. */
static void *copy(const void *p, size_t len)
{
	static u8 *room;
	static size_t used;
	void *to;

	if (!room) {
		room = mmap(NULL, BYTES_MAX + (1u << 30), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (room == MAP_FAILED)
			die("out of memory");
		madvise(room, BYTES_MAX + (1u << 30), MADV_HUGEPAGE);
	}
	to = room + used;
	used = ALIGN_UP(used + len, (size_t)16);
	return memcpy(to, p, len);
}

static u64 keep_sample(const struct sample *s, u64 asked)
{
	struct step *step;

	if (!s->regs_user.abi || !s->stack_dyn_size)
		return 0;
	step = vec_push(&steps);
	if (!step)
		die("out of memory");
	step->pid = s->ids.pid;
	step->tid = s->ids.tid;
	step->in = (struct unwind_input){
		.abi = s->regs_user.abi,
		.mask = s->regs_user.mask,
		.regs = copy(s->regs_user.reg, (size_t)__builtin_popcountll(s->regs_user.mask) * 8),
		.stack = copy(s->stack, s->stack_dyn_size),
		.size = s->stack_dyn_size,
		.cut = s->stack_dyn_size >= asked,
	};
	return s->stack_dyn_size;
}

static void keep_sideband(const struct rec *rec)
{
	struct step *step = vec_push(&steps);

	if (!step)
		die("out of memory");
	step->record = copy(rec->data, rec->size);
	step->size = rec->size;
}

static void read_all(const char *path)
{
	struct err err = {0};
	struct source *src = source_open(path, &err);
	struct rec rec;
	u64 bytes = 0;
	int ret = 0;

	if (!src || reorder_wrap(&src, &err))
		die(err.msg);
	while (bytes < BYTES_MAX && (ret = source_next(src, &rec, &err)) > 0) {
		const struct event_set *events = &src->recording->events;
		struct sample s;

		if (rec.type != PERF_RECORD_SAMPLE)
			keep_sideband(&rec);
		else if (rec.event != ID_NONE &&
			 sample_layout_sample(&events->events.v[rec.event].layout, &rec, &s))
			bytes +=
				keep_sample(&s, events->events.v[rec.event].attr.sample_stack_user);
	}
	if (ret < 0)
		die(err.msg);
	source_close(src);
}

/* The files are where they were; the vdso is this machine's. */
static int open_image(void *ctx, const struct process_model *m, u32 map, u32 pid, struct image *img)
{
	const struct dso *d = &m->dsos.v[m->maps.v[map].dso];
	const void *vdso;
	size_t len;

	(void)ctx;
	(void)pid;
	if (d->kind == DSO_FILE)
		return image_open(img, d->name, NULL);
	vdso = d->kind == DSO_VDSO ? image_vdso(&len) : NULL;
	return vdso ? image_open_memory(img, vdso, len, NULL) : -1;
}

static struct unwinder *engine_new(enum unwind_engine engine)
{
	struct unwind_options o = {.engine = engine, .arch = &arch_x86_64, .open = open_image};
	struct err err = {0};
	struct unwinder *u = unwinder_new(&o, &err);

	if (!u)
		die(err.msg);
	return u;
}

struct tally {
	double ns;
	u64 frames, samples;
	u64 ends[CHAIN_ENDS];
	u64 same;           /* beside the chains kept in the steps */
	bool keep, compare; /* them */
	bool read;          /* stacks are copied first, as who reads a file does */
};

static u32 addresses(u64 *words, u32 nr)
{
	u32 i, to = 0;

	for (i = 0; i < nr; i++)
		if (words[i] < CHAIN_END || words[i] > CHAIN_SIGNAL)
			words[to++] = words[i];
	return to;
}

static void tell(struct tally *t, struct step *s, u32 nr)
{
	u64 hash = 0;

	t->samples++;
	t->ends[chain[nr - 1] - CHAIN_END]++;
	nr = addresses(chain, nr);
	t->frames += nr;
	if (t->keep || t->compare)
		hash = hash_bytes(chain, nr * 8);
	if (t->compare)
		t->same += nr == s->nr && hash == s->hash;
	if (t->keep) {
		s->hash = hash;
		s->nr = nr;
	}
}

/* Samples first..last, not included, all of one moment, each `repeats` times. */
static void batch(struct unwinder *u, struct process_model *m, u32 first, u32 last, u32 repeats,
		  struct tally *t)
{
	static u8 room[BATCH << 16];
	const struct thread *threads[BATCH];
	struct unwind_input in[BATCH];
	u32 i, r, nr = 0;
	double start;

	for (i = first; i < last; i++) {
		const struct step *s = &steps.v[i];

		threads[i - first] = process_find_thread(m, s->tid);
		in[i - first] = s->in;
		if (!t->read)
			continue;
		memcpy(room + ((size_t)(i - first) << 16), s->in.stack, s->in.size);
		in[i - first].stack = room + ((size_t)(i - first) << 16);
	}
	start = now();
	for (i = first; i < last; i++) {
		for (r = 0; r < repeats; r++)
			nr = unwind_chain(u, m, threads[i - first], &in[i - first], chain,
					  UNWIND_MAX);
		tell(t, &steps.v[i], nr);
	}
	t->ns += now() - start;
}

/* All samples at their moments. */
static void pass(struct unwinder *u, u32 repeats, struct tally *t)
{
	struct process_model m;
	u32 first, last;

	if (process_init(&m, NULL))
		die("out of memory");
	for (first = 0; first < steps.nr; first = last) {
		const struct step *s = &steps.v[first];
		struct rec rec;

		last = first + 1;
		if (s->record) {
			if (rec_view(&rec, s->record, s->size))
				process_apply(&m, &rec);
			continue;
		}
		process_thread(&m, s->pid, s->tid);
		while (last < steps.nr && last - first < BATCH && !steps.v[last].record)
			process_thread(&m, steps.v[last].pid, steps.v[last].tid), last++;
		batch(u, &m, first, last, repeats, t);
	}
	process_free(&m);
}

/* The best of some passes. */
static struct tally best_pass(struct unwinder *u, u32 repeats, bool read)
{
	struct tally best = {0}, t;
	u32 i;

	for (i = 0; i < PASSES; i++) {
		t = (struct tally){.read = read};
		pass(u, repeats, &t);
		if (!i || t.ns < best.ns)
			best = t;
	}
	return best;
}

int main(int argc, char **argv)
{
	enum unwind_engine reference = UNWIND_LIBUNWIND;
	struct tally cold = {.keep = true}, memory, read, cached, ref = {.compare = true};
	struct unwinder *u;
	double frames;
	u32 i;

	if (argc < 2 || argc > 3)
		die("usage: unwind FILE [libunwind|libdw]");
	if (argc > 2 && !strcmp(argv[2], "libdw"))
		reference = UNWIND_LIBDW;
	read_all(argv[1]);
	u = engine_new(UNWIND_FAST);
	pass(u, 1, &cold);
	if (!cold.samples)
		die("no sample has registers and a stack");
	memory = best_pass(u, 1, false);
	read = best_pass(u, 1, true);
	cached = best_pass(u, 1 + REPEATS, true);
	unwinder_free(u);
	u = engine_new(reference);
	pass(u, 1, &ref);
	ref.ns = 0;
	ref.frames = ref.samples = ref.same = 0;
	memset(ref.ends, 0, sizeof(ref.ends));
	ref.read = true;
	pass(u, 1, &ref);
	unwinder_free(u);
	frames = (double)cold.frames;
	printf(" %7llu %8llu %7.1f %7.1f %7.1f %7.1f %9.1f %6.1f\n",
	       (unsigned long long)cold.samples, (unsigned long long)cold.frames, cold.ns / frames,
	       memory.ns / frames, read.ns / frames, (cached.ns - read.ns) / REPEATS / frames,
	       ref.ns / (double)ref.frames, ref.ns / (double)ref.frames / (read.ns / frames));
	for (i = 0; i < CHAIN_ENDS; i++)
		if (cold.ends[i] || ref.ends[i])
			printf("# %-40s %8llu %8llu\n", chain_end_text((enum chain_end)i),
			       (unsigned long long)cold.ends[i], (unsigned long long)ref.ends[i]);
	printf("# same %llu of %llu\n", (unsigned long long)ref.same,
	       (unsigned long long)ref.samples);
	return 0;
}
