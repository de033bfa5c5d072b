// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/file/recording.h"
#include "util/image/image_debug.h"
#include "util/image/image_symbols.h"
#include "util/image/vdso.h"
#include "util/kernel/kallsyms.h"
#include "util/record/rec_build.h"

#define KALLSYMS_MAX (64u << 20)

int seen_init(struct seen *s, const struct event_set *events, int proc, struct err *err)
{
	int ret;

	*s = (struct seen){.events = events, .proc = proc};
	ret = process_init(&s->model, err);
	/* days of short-lived processes must not fill the memory */
	s->model.forget_exited = true;
	return ret;
}

void seen_free(struct seen *s)
{
	u32 i;

	for (i = 0; i < s->dsos.nr; i++) {
		symtab_free(&s->dsos.v[i].symtab);
		hmap_free(&s->dsos.v[i].known);
		buf_free(&s->dsos.v[i].pending);
	}
	vec_free(&s->dsos);
	vec_free(&s->fresh);
	vec_free(&s->sideband);
	hmap_free(&s->addresses);
	symtab_free(&s->kallsyms);
	process_free(&s->model);
}

static void note_address(struct seen *s, const struct rec_ids *ids, u64 ip, bool kernel,
			 bool caller)
{
	u64 key = kernel ? ip : hash_u64(ip) ^ hash_u64(((u64)ids->pid << 1 | 1) << 20);
	struct seen_address *a;

	if (hmap_get(&s->addresses, key) != ID_NONE)
		return;
	a = vec_push(&s->fresh);
	if (!a || !hmap_set(&s->addresses, key, 1)) {
		s->failed = true;
		return;
	}
	*a = (struct seen_address){ids->time, ip, ids->pid, ids->tid, kernel, caller};
}

/* Call chains come again and again: most need no look at their addresses. */
static bool chain_is_known(struct seen *s, const struct sample *v)
{
	u64 hash = hash_bytes(v->chain, v->chain_nr * sizeof(*v->chain)) ^ hash_u64(v->ids.pid);
	u64 *slot = &s->chains[hash % ARRAY_SIZE(s->chains)];
	bool known = *slot == hash;

	*slot = hash;
	return known;
}

static void note_chain(struct seen *s, const struct sample *v)
{
	bool kernel = false, caller = false;
	u32 i;

	if (!v->chain_nr || chain_is_known(s, v))
		return;
	for (i = 0; i < v->chain_nr; i++) {
		u64 ip = v->chain[i];

		if (ip >= (u64)PERF_CONTEXT_MAX) {
			kernel = ip == (u64)PERF_CONTEXT_KERNEL;
			caller = false;
			if (!kernel && ip != (u64)PERF_CONTEXT_USER)
				return;
			continue;
		}
		note_address(s, &v->ids, ip, kernel, caller);
		caller = true;
	}
}

/* Tracepoints print functions by their address (%pS): any word may be one. */
static void note_raw(struct seen *s, const struct sample *v)
{
	u32 at;
	u64 word;

	for (at = 0; at + 8 <= v->raw_size; at += 8) {
		memcpy(&word, v->raw + at, sizeof(word));
		if (s->model.kernel_map != ID_NONE &&
		    word - s->model.maps.v[s->model.kernel_map].start <
			    s->model.maps.v[s->model.kernel_map].end -
				    s->model.maps.v[s->model.kernel_map].start)
			note_address(s, &v->ids, word, true, false);
		else if (s->model.kernel_map == ID_NONE && word >> 47 == 0x1ffff)
			note_address(s, &v->ids, word, true, false);
	}
}

void seen_record(struct seen *s, const struct rec *rec, u32 event, size_t at)
{
	const struct plan *plan = &s->events->events.v[event].plan;
	struct seen_sideband *b;
	struct sample v;
	u16 cpumode;

	if (rec->type != PERF_RECORD_SAMPLE) {
		b = vec_push(&s->sideband);
		if (b)
			*b = (struct seen_sideband){plan_time(plan, rec), at};
		else
			s->failed = true;
		return;
	}
	if (!plan_sample(plan, rec, &v))
		return;
	cpumode = v.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_USER)
		note_address(s, &v.ids, v.ip, cpumode == PERF_RECORD_MISC_KERNEL, false);
	note_chain(s, &v);
	if (v.raw_size)
		note_raw(s, &v);
}

void seen_load_kernel(struct seen *s)
{
	struct buf text = {0};
	u64 end;
	int ret;

	s->kallsyms_asked = true;
	ret = io_read_file(s->proc, "kallsyms", &text, KALLSYMS_MAX);
	if (ret)
		err_set(&s->kallsyms_error, -ret, "cannot read /proc/kallsyms: %s", strerror(-ret));
	else
		kallsyms_parse(&s->kallsyms, buf_str(&text), text.len, SYMTAB_NESTED,
			       &s->kallsyms_error);
	if (!s->kallsyms_error.code) {
		s->kernel_start = kallsyms_address(buf_str(&text), text.len, "_text");
		if (!s->kernel_start)
			s->kernel_start = kallsyms_address(buf_str(&text), text.len, "_stext");
		end = kallsyms_address(buf_str(&text), text.len, "_etext");
		s->kernel_len = end > s->kernel_start ? end - s->kernel_start : 0;
	}
	buf_free(&text);
}

/* A record that says where the kernel is, before the first sample in it. */
static void put_kernel(struct seen *s)
{
	struct rec_mmap2 m = {.pid = UINT32_MAX,
			      .start = s->kernel_start,
			      .pgoff = s->kernel_start,
			      .len = s->kernel_len,
			      .name = "[kernel.kallsyms]_text"};
	size_t at = s->head->len;
	struct rec rec;

	s->kernel_told = true;
	if (!m.start || !m.len)
		return;
	rec_build_mmap(s->head, s->plan, NULL, PERF_RECORD_MISC_KERNEL, &m);
	s->head_records++;
	if (!s->head->failed && rec_view(&rec, s->head->data + at, s->head->len - at))
		process_apply(&s->model, &rec);
}

static struct seen_dso *dso_of(struct seen *s, u32 dso)
{
	while (s->dsos.nr <= dso) {
		if (!vec_push(&s->dsos)) {
			s->failed = true;
			return NULL;
		}
	}
	return &s->dsos.v[dso];
}

static void add_symbol(struct seen *s, struct seen_dso *d, u64 start, u64 end, const char *name)
{
	if (hmap_get(&d->known, start) != ID_NONE)
		return;
	if (!hmap_set(&d->known, start, 1))
		s->failed = true;
	buf_u64(&d->pending, start);
	buf_u64(&d->pending, end - start);
	buf_lstr(&d->pending, name, strlen(name));
}

/* A kernel symbol belongs to the kernel, to a module, or is a bpf program of its own. */
static u32 kernel_dso(struct seen *s, const struct sym *sym)
{
	const char *module = sym->flags & SYM_MODULE ? symtab_module(sym) : NULL;

	if (!module)
		return process_dso(&s->model, "[kernel.kallsyms]", 17, DSO_KERNEL, 0, 0, 0);
	if (!strcmp(module, "[bpf]"))
		return process_dso(&s->model, sym->name, strlen(sym->name), DSO_BPF, 0, 0, 0);
	return process_dso(&s->model, module, strlen(module), DSO_MODULE, 0, 0, 0);
}

static void find_kernel(struct seen *s, u64 ip)
{
	const struct sym *sym;
	struct seen_dso *d;
	u32 dso;

	if (!s->kallsyms_asked)
		seen_load_kernel(s);
	if (!s->kernel_told)
		put_kernel(s);
	sym = symtab_find(&s->kallsyms, ip);
	if (!sym || sym->flags & SYM_MARKER)
		return;
	dso = kernel_dso(s, sym);
	d = dso == ID_NONE ? NULL : dso_of(s, dso);
	if (d)
		add_symbol(s, d, sym->start, sym->end, sym->name);
}

/* The file behind a mapping, opened as the process sees it; -1 if it is not there any more. */
static int open_mapped(struct seen *s, const struct dso *d, const struct map *map, u32 pid)
{
	char path[4096 + 64];
	struct stat st;
	int fd, tries;

	for (tries = 0; tries < 3; tries++) {
		if (tries == 0)
			snprintf(path, sizeof(path), "%u/root%s", pid, d->name);
		else if (tries == 1)
			snprintf(path, sizeof(path), "%u/map_files/%llx-%llx", pid,
				 (unsigned long long)map->start, (unsigned long long)map->end);
		else
			snprintf(path, sizeof(path), "%s", d->name);
		fd = io_open(s->proc, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			continue;
		/* another inode: the file was replaced, and its symbols are not those that ran */
		if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (!d->ino || st.st_ino == d->ino))
			return fd;
		close(fd);
	}
	return -1;
}

static int write_dso(struct writer *w, const struct dso *d, const struct dso_head *h,
		     const void *image, size_t image_len, struct err *err);

static void load_image(struct seen *s, struct seen_dso *sd, const struct dso *d,
		       const struct map *map, u32 pid, const void **image, size_t *image_len)
{
	struct image img, debug;
	bool separate;
	int fd;

	if (d->kind == DSO_VDSO) {
		*image = vdso_image(image_len);
		if (!*image || image_open_memory(&img, *image, *image_len, NULL))
			return;
	} else if (d->kind == DSO_FILE) {
		fd = open_mapped(s, d, map, pid);
		if (fd < 0 || image_open_fd(&img, fd, NULL))
			return;
	} else {
		return;
	}
	memcpy(sd->head.build_id, img.build_id, sizeof(sd->head.build_id));
	sd->head.build_id_len = img.build_id_len;
	separate = image_debug_open(&img, NULL, &debug);
	image_symbols_load(&img, separate ? &debug : NULL, &sd->symtab, SYMTAB_NESTED, NULL);
	if (separate)
		image_close(&debug);
	image_close(&img);
}

static void find_user(struct seen *s, const struct seen_address *a, struct writer *w)
{
	const struct thread *t = process_thread(&s->model, a->pid, a->tid);
	u32 id = t ? process_find_map(&s->model, t, a->ip) : ID_NONE;
	const void *image = NULL;
	const struct sym *sym;
	size_t image_len = 0;
	struct seen_dso *sd;
	const struct map *map;
	const struct dso *d;
	u64 offset;
	u32 back;

	if (id == ID_NONE)
		return;
	map = &s->model.maps.v[id];
	sd = dso_of(s, map->dso);
	if (!sd)
		return;
	d = &s->model.dsos.v[map->dso];
	if (!sd->asked) {
		sd->asked = true;
		sd->head = (struct dso_head){
			.class = DSO_CLASS_USER, .maj = d->maj, .min = d->min, .ino = d->ino};
		load_image(s, sd, d, map, a->pid, &image, &image_len);
		if (write_dso(w, d, &sd->head, image, image_len, NULL) == -ENOMEM)
			s->failed = true;
	}
	/* a reader looks a return address up at ip - 1; one that imitates perf looks at ip */
	offset = map_offset(map, a->ip);
	for (back = 0; back <= a->caller; back++) {
		sym = symtab_find(&sd->symtab, offset - back);
		if (sym)
			add_symbol(s, sd, sym->start, sym->end, sym->name);
	}
}

static void put_head(struct buf *b, const struct dso *d, const struct dso_head *h)
{
	buf_u32(b, h->class);
	buf_u32(b, h->maj);
	buf_u32(b, h->min);
	buf_u64(b, h->ino);
	buf_lstr(b, d->name, strlen(d->name));
	buf_lstr(b, (const char *)h->build_id, h->build_id_len);
}

static int write_dso(struct writer *w, const struct dso *d, const struct dso_head *h,
		     const void *image, size_t image_len, struct err *err)
{
	struct buf b = {0};
	int ret;

	put_head(&b, d, h);
	buf_lstr(&b, image, image_len);
	ret = b.failed ? -ENOMEM : writer_block(w, BLOCK_DSO, b.data, b.len, err);
	buf_free(&b);
	return ret;
}

static int write_symbols(struct seen *s, struct writer *w, struct err *err)
{
	struct buf b = {0};
	struct seen_dso *d;
	int ret = 0;
	u32 i;

	for (i = 0; i < s->dsos.nr && !ret; i++) {
		d = &s->dsos.v[i];
		if (!d->pending.len)
			continue;
		buf_clear(&b);
		put_head(&b, &s->model.dsos.v[i], &d->head);
		buf_add(&b, d->pending.data, d->pending.len);
		ret = b.failed || d->pending.failed
			      ? err_nomem(err)
			      : writer_block(w, BLOCK_SYMS, b.data, b.len, err);
		buf_clear(&d->pending);
	}
	buf_free(&b);
	return ret;
}

static int addresses_by_time(const void *x, const void *y)
{
	const struct seen_address *a = x, *b = y;

	return a->time < b->time ? -1 : a->time > b->time;
}

static int sideband_by_time(const void *x, const void *y)
{
	const struct seen_sideband *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

static void find(struct seen *s, const struct seen_address *a, struct writer *w)
{
	if (!a->kernel) {
		find_user(s, a, w);
		return;
	}
	find_kernel(s, a->ip);
	if (a->caller)
		find_kernel(s, a->ip - 1);
}

int seen_flush(struct seen *s, const struct buf *batch, struct buf *head, u32 *head_records,
	       struct writer *w, struct err *err)
{
	struct rec rec;
	u32 i = 0, j;

	s->head = head;
	s->head_records = 0;
	s->plan = &s->events->events.v[0].plan;
	if (s->fresh.nr)
		qsort(s->fresh.v, s->fresh.nr, sizeof(*s->fresh.v), addresses_by_time);
	if (s->sideband.nr)
		qsort(s->sideband.v, s->sideband.nr, sizeof(*s->sideband.v), sideband_by_time);
	for (j = 0; j < s->sideband.nr; j++) {
		for (; i < s->fresh.nr && s->fresh.v[i].time < s->sideband.v[j].time; i++)
			find(s, &s->fresh.v[i], w);
		if (rec_view(&rec, batch->data + s->sideband.v[j].at,
			     batch->len - s->sideband.v[j].at))
			process_apply(&s->model, &rec);
	}
	for (; i < s->fresh.nr; i++)
		find(s, &s->fresh.v[i], w);
	s->fresh.nr = s->sideband.nr = 0;
	*head_records = s->head_records;
	if (s->failed || s->model.failed)
		return err_nomem(err);
	return write_symbols(s, w, err);
}
