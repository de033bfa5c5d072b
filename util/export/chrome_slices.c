// SPDX-License-Identifier: GPL-2.0
#include "util/export/chrome_slices.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/tracepoint/tp_field.h"

/* CPUs beyond are not drawn. */
#define CPU_MAX 65536

void chrome_slices_time(u64 ns, struct buf *out)
{
	buf_dec(out, ns / 1000, 0);
	buf_addc(out, '.');
	buf_dec0(out, ns % 1000, 3);
}

static void put_comm(const struct tp_field *f, const struct sample *s, struct buf *out)
{
	const char *name;
	size_t len;

	if (tp_field_string(f, s->raw, s->raw_size, &name, &len))
		text_escape(out, name, len);
}

static void put_slice(const struct chrome_slice *c, u32 cpu, u64 end, struct buf *out)
{
	buf_adds(out, ",\n{\"ph\":\"X\",\"cat\":\"sched\",\"pid\":");
	json_unsigned(out, CHROME_CPUS_PID);
	json_key(out, "tid");
	json_unsigned(out, cpu);
	json_key(out, "ts");
	chrome_slices_time(c->since, out);
	json_key(out, "dur");
	chrome_slices_time(end - c->since, out);
	json_key(out, "name");
	json_string(out, buf_str(&c->comm), c->comm.len);
	json_key(out, "args");
	json_open(out, '{');
	json_key(out, "tid");
	json_unsigned(out, c->tid);
	buf_adds(out, "}}");
}

/* Where the task of a CPU is kept; NULL when memory is out. */
static struct chrome_slice *cpu_of(struct chrome_slices *k, u32 cpu)
{
	struct chrome_slice *c;

	while (k->cpus.nr <= cpu) {
		c = vec_push(&k->cpus);
		if (!c)
			return NULL;
		c->tid = ID_NONE;
	}
	return &k->cpus.v[cpu];
}

int chrome_slices_sample(struct chrome_slices *k, const struct session_sample *s, struct buf *out,
			 struct err *err)
{
	const struct sample *v = s->sample;
	struct chrome_slice *c;
	u64 prev, next;

	if (k->event == ID_NONE || s->event != k->event || v->ids.cpu >= CPU_MAX || !v->raw ||
	    !tp_field_int(k->prev_pid, v->raw, v->raw_size, &prev) ||
	    !tp_field_int(k->next_pid, v->raw, v->raw_size, &next))
		return 0;
	c = cpu_of(k, v->ids.cpu);
	if (!c)
		return err_nomem(err);
	if (c->tid != ID_NONE && c->tid && c->tid == (u32)prev && v->ids.time >= c->since)
		put_slice(c, v->ids.cpu, v->ids.time, out);
	c->since = v->ids.time;
	c->tid = (u32)next;
	buf_clear(&c->comm);
	put_comm(k->next_comm, v, &c->comm);
	return c->comm.failed ? err_nomem(err) : 0;
}

static void put_name(u32 tid, const char *what, const char *name, struct buf *out)
{
	buf_addf(out, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"ts\":0,\"name\":\"%s\"",
		 CHROME_CPUS_PID, tid, what);
	buf_addf(out, ",\"args\":{\"name\":\"%s\"}}", name);
}

void chrome_slices_names(const struct chrome_slices *k, struct buf *out)
{
	char name[32];
	u32 i;

	if (k->cpus.nr)
		put_name(0, "process_name", "CPUs", out);
	for (i = 0; i < k->cpus.nr; i++) {
		snprintf(name, sizeof(name), "CPU %u", i);
		put_name(i, "thread_name", name, out);
	}
}

void chrome_slices_init(struct chrome_slices *k, const struct session *s)
{
	const struct tp_format *f;

	*k = (struct chrome_slices){.event = session_event(s, "sched:sched_switch")};
	f = k->event == ID_NONE ? NULL : s->formats[k->event];
	k->prev_pid = f ? tp_format_field(f, "prev_pid") : NULL;
	k->next_pid = f ? tp_format_field(f, "next_pid") : NULL;
	k->next_comm = f ? tp_format_field(f, "next_comm") : NULL;
	if (!k->prev_pid || !k->next_pid || !k->next_comm)
		k->event = ID_NONE;
}

void chrome_slices_free(struct chrome_slices *k)
{
	u32 i;

	for (i = 0; i < k->cpus.nr; i++)
		buf_free(&k->cpus.v[i].comm);
	vec_free(&k->cpus);
}
