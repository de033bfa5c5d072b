// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <string.h>

#include "perf-lite/input.h"
#include "util/base/text.h"
#include "util/cli/opt.h"
#include "util/profile/session.h"

struct listing {
	struct session *session;
	VEC(bool) hit;        /* DSOs that samples were in, by id */
	struct strtab listed; /* build-ids, each with the name behind it */
	struct buf out;
};

/* A file may have been replaced while it ran. perf's header pads shorter build-ids with zeros. */
static bool is_listed(struct listing *l, const u8 *id, u32 len, const char *name)
{
	struct buf key = {0};
	u32 nr = l->listed.nr;
	bool failed;

	while (len && !id[len - 1])
		len--;
	buf_add(&key, id, len);
	buf_adds(&key, name);
	failed = key.failed || strtab_add(&l->listed, key.data, key.len) == ID_NONE;
	l->out.failed |= failed;
	buf_free(&key);
	return failed || l->listed.nr == nr;
}

/* A file without a build-id follows as many blanks, as with perf. */
static void put_line(struct listing *l, const u8 *id, u32 len, const char *name)
{
	size_t at = l->out.len;
	u32 i;

	if (is_listed(l, id, len, name))
		return;
	for (i = 0; i < len; i++)
		buf_addf(&l->out, "%02x", id[i]);
	if (!len)
		buf_pad(&l->out, ' ', (size_t)BUILD_ID_MAX * 2 - (l->out.len - at));
	buf_addc(&l->out, ' ');
	text_escape(&l->out, name, strlen(name));
	buf_addc(&l->out, '\n');
}

/* What the header or the symbols name, then what mappings alone do. */
static void put_all(struct listing *l)
{
	const struct recording *r = l->session->source->recording;
	const struct process_model *m = &l->session->model;
	bool none;
	u32 i;

	for (i = 0; i < r->dsos.nr; i++)
		if (r->dsos.v[i].build_id_len)
			put_line(l, r->dsos.v[i].build_id, r->dsos.v[i].build_id_len,
				 r->dsos.v[i].name);
	for (i = 0; i < m->dsos.nr; i++)
		if (m->dsos.v[i].build_id_len)
			put_line(l, m->dsos.v[i].build_id, m->dsos.v[i].build_id_len,
				 m->dsos.v[i].name);
	none = r->perfdata && !l->out.len;
	/* perf writes no build-ids into pipes: the files that samples were in are what is to be known */
	for (i = 0; none && i < l->hit.nr; i++)
		if (l->hit.v[i])
			put_line(l, NULL, 0, m->dsos.v[i].name);
}

/* Note the file of a sample. False when memory is out. */
static bool note(struct listing *l, const struct session_sample *s)
{
	const struct process_model *m = &l->session->model;
	u32 map, dso;

	if ((s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		map = process_find_kernel_map(m, s->sample->ip);
	else
		map = s->thread ? process_find_map(m, s->thread, s->sample->ip) : ID_NONE;
	if (map == ID_NONE)
		return true;
	dso = m->maps.v[map].dso;
	while (l->hit.nr <= dso)
		if (!vec_push(&l->hit))
			return false;
	l->hit.v[dso] = true;
	return true;
}

static int list(struct listing *l, struct err *err)
{
	struct session *s = l->session;
	struct session_sample sample;
	int ret;

	while ((ret = session_next(s, &sample, err)) > 0)
		if (ret == SESSION_SAMPLE && !note(l, &sample))
			return err_nomem(err);
	if (ret)
		return ret;
	put_all(l);
	ret = cmd_write(&l->out, err);
	if (ret)
		return ret;
	return input_damage_report(s->source->recording,
				   s->totals.malformed + s->source->recording->damage.unknown,
				   false, err);
}

static int run(const struct session_options *o, struct err *err)
{
	struct listing l = {0};
	int ret;

	input_spare_interrupt(o->path);
	l.session = session_open(o, err);
	if (!l.session)
		return -EINVAL;
	ret = list(&l, err);
	session_close(l.session);
	strtab_free(&l.listed);
	vec_free(&l.hit);
	buf_free(&l.out);
	return ret;
}

#define OF_KERNEL "record it: perf-lite record -a sleep 1, then perf-lite buildid-list"

#define OPT_STRUCT struct session_options

static const struct opt opts[] = {
	OPT_STRING('i', "input", "FILE", path,
		   "the recording; - is standard input (default perf-lite.data)"),
	OPT_IGNORED('f', "force", NULL),
	OPT_IGNORED('H', "with-hits", NULL),
	OPT_IGNORED('v', "verbose", NULL),
	OPT_REFUSED('k', "kernel", OF_KERNEL),
	OPT_REFUSED('m', "kernel-maps", OF_KERNEL),
	OPT_END,
};

static const struct opt_table table = {
	.command = "buildid-list",
	.summary = "list the build-ids of the files of a recording",
	.usage = {"[-i FILE]"},
	.opts = opts,
};

int cmd_buildid_list(int argc, char **argv, struct err *err)
{
	struct session_options o = {.path = "perf-lite.data",
				    .want = {.no_chains = true, .no_raw = true}};
	struct opt_rest rest;
	int ret = cmd_options(&table, &o, argc, argv, &rest, err);

	if (!ret && !rest.help)
		ret = cmd_no_operand("buildid-list", &rest, err);
	return ret || rest.help ? ret : run(&o, err);
}
