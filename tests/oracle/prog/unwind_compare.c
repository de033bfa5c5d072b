// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_compare.c - unwinds the samples of a recording, made on this machine a moment ago with
 * registers and stacks, by each engine of unwind.h.
 *
 *	unwind_compare FILE
 *
 * The figures, one to a line:
 *	samples N; frames N                   of the fast engine
 *	end WHY N                             how its chains ended
 *	guessed N                             its chains that hold a guess
 *	not behind a call N                   its return addresses that follow no call instruction
 *	ENGINE same N longer N shorter N other N    the fast engine's chains beside that engine's:
 *		longer: it goes on where the other one ends. Differences that are the fast engine's to
 *		explain (shorter, other) are listed by function
 */
#include "arch/arch.h"
#include "differences.h"
#include "util/file/reorder.h"

struct pair {
	u64 same, longer, shorter, other;
};

static struct pair pairs[ARRAY_SIZE(engines)]; /* [0], fast beside itself, stays empty */
static u64 samples, frames, guessed, not_behind_call, ends[CHAIN_ENDS];
static struct process_model model;
static const struct arch *arch;

/* The bytes of the image before an address; 0: they cannot be had. */
static u32 code_before(const struct thread *t, u64 addr, u8 *code, u32 most)
{
	static VEC(struct image) images; /* by DSO; elf NULL: not opened yet */
	static VEC(bool) tried;
	u32 map = process_find_map(&model, t, addr - 1), dso;
	const struct map *g;
	u64 at;

	if (map == ID_NONE)
		return 0;
	g = &model.maps.v[map];
	dso = g->dso;
	if (model.dsos.v[dso].kind != DSO_FILE && model.dsos.v[dso].kind != DSO_VDSO)
		return 0;
	while (images.nr <= dso)
		if (!vec_push(&images) || !vec_push(&tried))
			die("out of memory");
	if (!tried.v[dso]) {
		tried.v[dso] = true;
		if (mapped_image_open(NULL, &model, map, t->pid, &images.v[dso]))
			images.v[dso].elf = NULL;
	}
	at = map_offset(g, addr - 1) + 1;
	if (!images.v[dso].elf || images.v[dso].fd < 0 || at < most ||
	    pread(images.v[dso].fd, code, most, (off_t)(at - most)) != (ssize_t)most)
		return 0;
	return most;
}

static void check_calls(const struct engine *e, const struct thread *t, u64 abi)
{
	const struct arch_unwind *k = arch_unwind_find(arch, abi);
	u8 code[ARCH_UNWIND_CALL];
	u32 i, len;

	for (i = 1; i < e->nr; i++) {
		if (e->chain[i] == CHAIN_SIGNAL || e->chain[i - 1] == CHAIN_SIGNAL)
			continue;
		/* where a signal handler returns to, nothing was called */
		if (i + 1 < e->nr && e->chain[i + 1] == CHAIN_SIGNAL)
			continue;
		len = code_before(t, e->chain[i], code, sizeof(code));
		if (!len || k->after_call(code, len))
			continue;
		not_behind_call++;
		if (not_behind_call <= DIFFERENCES_SHOWN)
			printf("  no call before %s\n", function_at(&model, t, e->chain[i], true));
	}
}

/* The fast engine's chain beside another one's. */
static void compare(struct engine *e, struct pair *p, const struct thread *t)
{
	const struct engine *fast = &engines[0];
	const char *how;
	u32 at;

	how = difference(fast, e->chain, e->nr, &at);
	e->checked++;
	if (!*how) {
		p->same++;
		return;
	}
	if (at == e->nr) {
		p->longer++;
		return;
	}
	if (at == fast->nr)
		p->shorter++;
	else
		p->other++;
	/* which makes room for its count */
	at = engine_difference(e, function_at(&model, t, fast->chain[at ? at - 1 : 0], true), how);
	e->counts.v[at]++;
}

static void handle_sample(const struct sample *s)
{
	const struct thread *t = process_thread(&model, s->ids.pid, s->ids.tid);
	struct unwind_input in = {
		.abi = s->regs_user.abi,
		.mask = s->regs_user.mask,
		.regs = s->regs_user.reg,
		.stack = s->stack,
		.size = s->stack_dyn_size,
		.cut = s->stack_size && s->stack_dyn_size == s->stack_size,
	};
	u32 i;

	if (!t || !in.abi || !in.regs)
		return;
	samples++;
	for (i = 0; i < ARRAY_SIZE(engines); i++) {
		struct engine *e = &engines[i];

		engine_unwind(e, &model, t, &in);
		if (i)
			compare(e, &pairs[i], t);
	}
	frames += engines[0].nr;
	guessed += engines[0].guessed;
	ends[engines[0].end]++;
	check_calls(&engines[0], t, in.abi);
}

static void read_records(const char *path)
{
	struct err err = {0};
	struct source *source = source_open(path, &err);
	struct sample s;
	struct rec rec;
	int ret;

	if (!source || reorder_wrap(&source, &err))
		die(err.msg);
	while ((ret = source_next(source, &rec, &err)) > 0) {
		if (rec.type != PERF_RECORD_SAMPLE)
			process_apply(&model, &rec);
		else if (rec.event != ID_NONE &&
			 sample_layout_sample(&source->recording->events.events.v[rec.event].layout,
					      &rec, &s))
			handle_sample(&s);
	}
	if (ret < 0)
		die(err.msg);
	source_close(source);
}

static void print_figures(void)
{
	u32 i;

	printf("samples %llu\nframes %llu\n", (unsigned long long)samples,
	       (unsigned long long)frames);
	for (i = 0; i < CHAIN_ENDS; i++)
		if (ends[i])
			printf("end %s %llu\n", chain_end_text((enum chain_end)i),
			       (unsigned long long)ends[i]);
	printf("guessed %llu\nnot behind a call %llu\n", (unsigned long long)guessed,
	       (unsigned long long)not_behind_call);
	for (i = 1; i < ARRAY_SIZE(engines); i++) {
		struct pair *p = &pairs[i];

		printf("%s same %llu longer %llu shorter %llu other %llu\n", engines[i].name,
		       (unsigned long long)p->same, (unsigned long long)p->longer,
		       (unsigned long long)p->shorter, (unsigned long long)p->other);
		engine_differences(&engines[i]);
	}
}

int main(int argc, char **argv)
{
	struct err err = {0};

	program_name = "unwind_compare";
	if (argc != 2)
		die("usage: unwind_compare FILE");
	arch = arch_find("x86_64");
	if (process_init(&model, &err))
		die(err.msg);
	engines_open(NULL, arch);
	read_records(argv[1]);
	print_figures();
	engines_close();
	process_free(&model);
	return 0;
}
