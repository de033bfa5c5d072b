// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/text.h"
#include "util/base/thread.h"
#include "util/format/header_text.h"
#include "util/library/perflite_internal.h"
#include "util/library/version.h"
#include "util/symbol/symbols.h"

/* How long a command may take to end. */
#define END_MS 1000

#define BIT(type) (1ull << PERF_RECORD_##type)
/* Types from this on are unknown to <linux/perf_event.h> of Linux 6.19. */
#define FIRST_UNKNOWN 23

const char *perflite_version(void)
{
	return version_string();
}

int perflite_give_error(const struct perflite *p, const struct err *err,
			struct perflite_error *error)
{
	if (!error)
		return -err->code;
	/* for each item: not all of the struct */
	error->code = err->code;
	error->offset = 0;
	error->text[0] = error->hint[0] = '\0';
	if (!err->code)
		return 0;
	if (p && p->watching.in.s && !p->live)
		error->offset = perflite_recording(p)->at;
	memcpy(error->text, err->msg, sizeof(error->text));
	memcpy(error->hint, err->hint, sizeof(error->hint));
	return -err->code;
}

static bool mark_mine(struct perflite *p)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	bool *mine = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mine == MAP_FAILED)
		return false;
	/* Linux 4.14 has it; else children are not found out */
	madvise(mine, size, MADV_WIPEONFORK);
	*mine = true;
	p->mine = mine;
	return true;
}

static struct perflite *make(bool live, const char *const *options, struct err *err)
{
	struct perflite *p = calloc(1, sizeof(*p));

	if (!p || !mark_mine(p)) {
		free(p);
		err_nomem(err);
		return NULL;
	}
	p->live = live;
	/* not opened yet */
	p->watching.what.root.fd = -1;
	reading_init(&p->watching.in);
	p->losses = perflite_losses_new();
	if (!p->losses)
		err_nomem(err);
	else if (!live || !watching_init(&p->watching, "trace", err))
		if (!perflite_options_set(p, options, err))
			return p;
	perflite_close(p);
	return NULL;
}

/* What is given out beside samples; which parts of samples. */
static void choose_parts(struct perflite *p)
{
	struct session_options *o = &p->watching.in.session;

	o->records = BIT(COMM) | BIT(FORK) | BIT(EXIT) | BIT(LOST) | BIT(LOST_SAMPLES) |
		     ~0ull << FIRST_UNKNOWN;
	o->want.no_chains = o->no_stacks = p->asked.no_stacks;
	o->want.no_raw = p->asked.no_fields && !p->watching.in.select.fields.asked.nr;
}

int perflite_has_parts(const struct perflite *p, const struct count_keys *keys, struct err *err)
{
	const bool fields = p->asked.no_fields && count_keys_use(keys).raw;

	if (!fields && !(p->asked.no_stacks && (keys->kernel_chains || keys->user_chains)))
		return 0;
	err_set(err, EINVAL, "%s: samples come without what the keys are made of",
		fields ? "no-fields" : "no-stacks");
	err_hint(err, "leave out %s", fields ? "no-fields" : "no-stacks");
	return -EINVAL;
}

static struct perflite *finish_open(struct perflite *p, int ret, const struct err *err,
				    struct perflite_error *error)
{
	perflite_give_error(p, err, error);
	if (!ret)
		return p;
	perflite_close(p);
	return NULL;
}

/* Nothing has been read yet: who was interrupted may open it again. */
static int wait_for_pipe(struct err *err)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	if (isatty(STDIN_FILENO) || lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0 ||
	    poll(&input, 1, -1) >= 0 || errno != EINTR)
		return 0;
	return err_set(err, EINTR, "a signal came before any input");
}

/* Of a pipe, silence ends. */
static void want_brief_waits(struct reading *in)
{
	struct source_want want = in->s->source->want;

	want.brief_waits = in->live;
	source_want(in->s->source, &want);
}

struct perflite *perflite_open(const char *path, const char *const *options,
			       struct perflite_error *error)
{
	struct err err = {0};
	struct perflite *p = make(false, options, &err);
	struct reading *in = p ? perflite_reading(p) : NULL;
	int ret;

	if (!p)
		return finish_open(NULL, -err.code, &err, error);
	if (!path)
		return finish_open(p, err_set(&err, EINVAL, "no recording is named"), &err, error);
	p->watching.input = in->session.path = arena_strdup(&p->arena, path);
	choose_parts(p);
	in->session.drop_companions = p->asked.drops;
	ret = in->session.path ? 0 : err_nomem(&err);
	if (!ret && !strcmp(path, "-"))
		ret = wait_for_pipe(&err);
	if (!ret)
		ret = reading_begin(in, &err);
	if (!ret)
		ret = reading_choose_event(in, false, "event", &err);
	if (!ret)
		ret = perflite_losses_open(p, &err);
	if (!ret)
		want_brief_waits(in);
	p->started = true;
	return finish_open(p, ret, &err, error);
}

/* *copy: NULL where there is no command. */
static int copy_command(struct perflite *p, const char *const *command, char ***copy,
			struct err *err)
{
	u32 i, nr = 0;

	*copy = NULL;
	while (command && command[nr])
		nr++;
	if (!nr)
		return 0;
	*copy = arena_alloc(&p->arena, (nr + 1) * sizeof(**copy));
	for (i = 0; *copy && i < nr; i++) {
		(*copy)[i] = arena_strdup(&p->arena, command[i]);
		if (!(*copy)[i])
			return err_nomem(err);
	}
	return *copy ? 0 : err_nomem(err);
}

struct perflite *perflite_watch(const char *const *command, const char *const *options,
				struct perflite_error *error)
{
	struct err err = {0};
	struct perflite *p = make(true, options, &err);
	char **words;
	int ret;

	if (!p)
		return finish_open(NULL, -err.code, &err, error);
	p->watching.stop = &p->stop;
	p->watching.embedded = true;
	p->watching.version = version_string();
	p->watching.mappings = true;
	choose_parts(p);
	ret = copy_command(p, command, &words, &err);
	if (!ret && p->asked.latency)
		ret = perflite_latency_watch(p, words, &err);
	if (!ret && p->asked.drops)
		ret = perflite_drops_watch(p, &err);
	if (!ret)
		ret = watching_events(&p->watching, &err);
	if (!ret)
		ret = watching_choose(&p->watching, words, &err);
	if (!ret)
		ret = watching_begin(&p->watching, words, &err);
	return finish_open(p, ret, &err, error);
}

void perflite_stop(struct perflite *p)
{
	if (p)
		__atomic_store_n(&p->stop, 1, __ATOMIC_RELAXED);
}

void perflite_close(struct perflite *p)
{
	u32 i;

	if (!p || !*p->mine)
		return;
	if (p->watching.live)
		child_end(&p->watching.live->event_session.child, END_MS);
	for (i = 0; i < p->fields.nr; i++) {
		perflite_field_free(p->fields.v[i]);
		free(p->fields.v[i]);
	}
	vec_free(&p->fields);
	perflite_frames_free(p->frames);
	perflite_losses_free(p->losses);
	perflite_latency_free(p);
	perflite_drops_free(p);
	buf_free(&p->notes);
	strtab_free(&p->texts);
	if (p->live)
		watching_end(&p->watching);
	else
		reading_end(&p->watching.in);
	arena_free(&p->arena);
	munmap((void *)(uintptr_t)p->mine, (size_t)sysconf(_SC_PAGESIZE));
	free(p);
}

/* What failed stays so: nobody goes on after it, and takes the end for that of the samples. Returns ret. */
static int keep_error(struct perflite *p, int ret, const struct err *err)
{
	if (ret < 0 && !p->error.code)
		p->error = *err;
	return ret;
}

int perflite_start(struct perflite *p, struct err *err)
{
	int ret;

	if (!*p->mine) {
		err_set(err, EPERM, "the recording was opened by the process that forked this one");
		err_hint(err, "read it there, or open it here");
		return -EPERM;
	}
	if (p->error.code) {
		*err = p->error;
		return -err->code;
	}
	if (p->no_memory)
		return keep_error(p, err_nomem(err), err);
	p->ended |=
		thread_flag(&p->stop) && (!p->started || (!p->live && perflite_reading(p)->live));
	if (p->started || p->ended)
		return 0;
	ret = watching_enable(&p->watching, err);
	p->started = !ret;
	return keep_error(p, ret, err);
}

struct perflite_item *perflite_new_item(struct perflite *p, enum perflite_kind kind,
					const struct rec_ids *ids)
{
	p->item = (struct perflite_item){
		.kind = kind,
		.event = PERFLITE_NONE,
		.time = ids ? ids->time : 0,
		.cpu = ids ? ids->cpu : PERFLITE_NONE,
		.pid = ids ? (s32)ids->pid : -1,
		.tid = ids ? (s32)ids->tid : -1,
		.parent = -1,
		.comm = "",
		.text = "",
	};
	return &p->item;
}

/* Does its call chain alone tell its frames? Without an address in it, the sample's own is the only frame. */
static bool chain_has_frames(const struct perflite *p, const struct sample *s)
{
	u32 i;

	for (i = 0; i < s->chain_nr; i++)
		if (s->chain[i] < (u64)PERF_CONTEXT_MAX)
			return s->chain[i] && p->watching.in.session.resolve.max_stack;
	return false;
}

static void put_sample(struct perflite *p)
{
	const struct sample *s = p->sample.sample;
	struct perflite_item *item = perflite_new_item(p, PERFLITE_SAMPLE, &s->ids);

	p->sampled = true;
	item->event = p->sample.event;
	item->comm = p->sample.comm;
	item->count = p->sample.samples;
	item->period = s->period;
	item->address = s->ip;
	item->data_address = s->addr;
	if (!p->asked.no_fields) {
		item->data = s->raw;
		item->data_size = s->raw_size;
	}
	item->stack = chain_has_frames(p, s) ? p->sample.stack : 0;
}

/* The last sample, or a loss before it. */
static int give_sample(struct perflite *p)
{
	p->held = perflite_losses_next(p, p->sample.sample->ids.time);
	if (!p->held)
		put_sample(p);
	return 1;
}

/* 1: p->item is there; 0: the end; <0. */
static int next_item(struct perflite *p, struct err *err)
{
	struct reading *in = perflite_reading(p);
	int ret = perflite_start(p, err);

	p->sampled = false;
	if (ret)
		return ret;
	if (p->held)
		return give_sample(p);
	while (!p->ended) {
		ret = watching_next(&p->watching, &p->sample, err);
		if (ret < 0)
			return ret;
		switch (ret) {
		case SESSION_SAMPLE:
			return give_sample(p);
		case SESSION_RECORD:
			if (perflite_losses_record(p, &in->s->record))
				return 1;
			break;
		case SESSION_WAIT:
			if (perflite_losses_next(p, 0))
				return 1;
			if (!p->live && !in->live)
				break;
			perflite_new_item(p, PERFLITE_WAIT, NULL);
			return 1;
		default:
			p->ended = true;
			/* also where `limit` ended it */
			watching_stop(&p->watching);
		}
	}
	return perflite_losses_next(p, UINT64_MAX);
}

const struct perflite_item *perflite_next(struct perflite *p, struct perflite_error *error)
{
	struct err err = {0};
	int ret = keep_error(p, next_item(p, &err), &err);

	perflite_give_error(p, &err, error);
	return ret > 0 ? &p->item : NULL;
}

int perflite_step_or_wait(struct perflite *p, struct session_sample *s, struct err *err)
{
	int ret = perflite_start(p, err);

	p->sampled = false;
	if (!ret && p->held) {
		p->held = false;
		*s = p->sample;
		return SESSION_SAMPLE;
	}
	if (!ret && !p->ended) {
		ret = watching_next(&p->watching, s, err);
		p->ended = ret == SESSION_END;
		if (p->ended)
			watching_stop(&p->watching);
	}
	return keep_error(p, ret, err);
}

int perflite_step(struct perflite *p, struct session_sample *s, struct err *err)
{
	int ret;

	do
		ret = perflite_step_or_wait(p, s, err);
	while (ret == SESSION_WAIT);
	return ret;
}

int perflite_next_sample(struct perflite *p, struct session_sample *s, struct err *err)
{
	int ret;

	do
		ret = perflite_step(p, s, err);
	while (ret == SESSION_RECORD);
	return ret == SESSION_SAMPLE ? 1 : ret;
}

const char *perflite_notes(struct perflite *p)
{
	struct session *s = perflite_reading(p)->s;
	const struct recording r = perflite_losses_recording(p);
	struct err first = {0};
	struct buf more = {0};
	const char *note;
	u32 i;

	buf_clear(&p->notes);
	buf_add(&p->notes, buf_str(&s->notes), s->notes.len);
	if (p->live)
		watching_take_notes(&p->watching);
	buf_add(&p->notes, buf_str(&p->watching.notes), p->watching.notes.len);
	reading_loss_lines(&r, session_lost(s), "", &p->notes);
	if (reading_damage_lines(&r, s->totals.malformed + r.damage.unknown, &more, &first))
		buf_addf(&p->notes, "%s\n", first.msg);
	buf_add(&p->notes, buf_str(&more), more.len);
	for (i = 0; s->symbols && (note = symbols_note(s->symbols, i)); i++)
		buf_addf(&p->notes, "%s\n", note);
	p->no_memory |= more.failed || p->notes.failed;
	buf_free(&more);
	return buf_str(&p->notes);
}

uint64_t perflite_lost(const struct perflite *p)
{
	const struct recording r = perflite_losses_recording(p);

	return p->live ? watching_lost(&p->watching)
		       : recording_lost(&r, session_lost(p->watching.in.s));
}

const char *perflite_keep_text(struct perflite *p, const char *text)
{
	u32 id = text_intern(&p->texts, text);

	p->no_memory |= id == ID_NONE;
	return id == ID_NONE ? NULL : strtab_get(&p->texts, id);
}

uint32_t perflite_events(const struct perflite *p)
{
	return perflite_recording(p)->events.events.nr;
}

const char *perflite_event_name(struct perflite *p, uint32_t event)
{
	return event < perflite_events(p)
		       ? perflite_keep_text(p, perflite_recording(p)->events.events.v[event].name)
		       : NULL;
}

const char *perflite_event_field(struct perflite *p, uint32_t event, uint32_t number)
{
	const struct session *s = p->watching.in.s;
	const struct tp_format *f =
		event < s->nr_events && !p->asked.no_fields ? s->formats[event] : NULL;
	u32 i;

	for (i = 0; f && i < f->nr_fields; i++)
		if (!f->fields[i].is_common && !number--)
			return perflite_keep_text(p, f->fields[i].name);
	return NULL;
}

const char *perflite_fact(struct perflite *p, const char *key)
{
	const struct recording *r = perflite_recording(p);
	const char *value = key ? recording_fact(r, key) : NULL;
	struct buf words = {0};

	/* its words have NULs between them */
	if (value && !strcmp(key, "cmdline")) {
		header_text_arguments(r, NULL, &words);
		p->no_memory |= words.failed;
		value = words.failed ? NULL : buf_str(&words);
	}
	value = value ? perflite_keep_text(p, value) : NULL;
	buf_free(&words);
	return value;
}
