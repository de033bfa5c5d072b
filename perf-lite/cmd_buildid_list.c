// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <string.h>

#include "perf-lite/input.h"
#include "util/base/text.h"
#include "util/cli/opt.h"
#include "util/profile/session.h"

static void put_line(const u8 *id, u32 len, const char *name, struct buf *out)
{
	u32 i;

	for (i = 0; i < len; i++)
		buf_addf(out, "%02x", id[i]);
	buf_addc(out, ' ');
	text_escape(out, name, strlen(name));
	buf_addc(out, '\n');
}

/* What the header or the symbols name, then what mappings alone do. */
static void put_all(const struct session *s, struct buf *out)
{
	const struct recording *r = s->source->recording;
	const struct process_model *m = &s->model;
	struct strtab listed = {0};
	const char *name;
	u32 i;

	for (i = 0; i < r->dsos.nr; i++) {
		name = r->dsos.v[i].name;
		if (!r->dsos.v[i].build_id_len ||
		    strtab_find(&listed, name, strlen(name)) != ID_NONE)
			continue;
		strtab_add(&listed, name, strlen(name));
		put_line(r->dsos.v[i].build_id, r->dsos.v[i].build_id_len, name, out);
	}
	for (i = 0; i < m->dsos.nr; i++) {
		name = m->dsos.v[i].name;
		if (!m->dsos.v[i].build_id_len ||
		    strtab_find(&listed, name, strlen(name)) != ID_NONE)
			continue;
		strtab_add(&listed, name, strlen(name));
		put_line(m->dsos.v[i].build_id, m->dsos.v[i].build_id_len, name, out);
	}
	strtab_free(&listed);
}

static int run(const struct session_options *o, struct err *err)
{
	struct session_sample sample;
	struct buf out = {0};
	struct session *s;
	int ret;

	input_spare_interrupt(o->path);
	s = session_open(o, err);
	if (!s)
		return -EINVAL;
	do {
		ret = session_next(s, &sample, err);
	} while (ret > 0);
	if (!ret) {
		put_all(s, &out);
		ret = cmd_write(&out, err);
	}
	if (!ret)
		ret = input_damage_report(
			s->source->recording,
			s->totals.malformed + s->source->recording->damage.unknown, false, err);
	session_close(s);
	return ret;
}

#define OPT_STRUCT struct session_options

static const struct opt opts[] = {
	OPT_STRING('i', "input", "FILE", path,
		   "the recording; - is standard input (default perf-lite.data)"),
	OPT_IGNORED('f', "force", NULL),
	OPT_IGNORED('H', "with-hits", NULL),
	OPT_IGNORED('v', "verbose", NULL),
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

	if (ret || rest.help)
		return ret;
	if (rest.argc) {
		err_set(err, EINVAL, "buildid-list takes no '%s'", rest.argv[0]);
		err_hint(err, "to read a file: perf-lite buildid-list -i %s",
			 TEXT_SHELL(rest.argv[0]));
		return -EINVAL;
	}
	return run(&o, err);
}
