// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_hidden.h"

#include "util/kernel/bpf_programs.h"

#define NAMED_MAX 3 /* tracepoints: a tool may have its programs at each system call */

bool ev_hidden_why(int fd, struct buf *out)
{
	struct bpf_program before[8];
	int i, nr = bpf_programs_before(fd, before, ARRAY_SIZE(before));
	bool all = false;

	if (nr <= 0)
		return false;
	buf_adds(out, nr == 1 ? "the BPF program " : "the BPF programs ");
	for (i = 0; i < nr; i++) {
		buf_adds(out, i ? ", " : "");
		bpf_program_put(&before[i], out);
		all = all || before[i].hides == BPF_PROGRAM_HIDES_ALL;
	}
	buf_adds(out, nr == 1 ? " runs before it" : " run before it");
	if (all)
		buf_addf(out, " and %s 0: no hit is seen", nr == 1 ? "returns" : "one returns");
	else
		buf_addf(out, ": hits for which %s returns 0 are not seen", nr == 1 ? "it" : "one");
	return true;
}

static bool is_named(const struct ev_list *list, u32 spec)
{
	const struct perf_event_attr *a = &list->specs.v[spec].attr, *b;
	u32 i;

	for (i = 0; i < spec; i++) {
		b = &list->specs.v[i].attr;
		if (b->type == a->type && b->config == a->config)
			return true;
	}
	return false;
}

void ev_hidden_look(struct ev_hidden *h, const struct ev_list *list, u32 spec, int fd,
		    struct buf *notes)
{
	const struct ev_spec *s = &list->specs.v[spec];
	struct buf why = {0};

	/* expressions are read at the raw tracepoint, whose hits no program hides */
	if (s->attr.type != PERF_TYPE_TRACEPOINT || !ev_hidden_why(fd, &why))
		return;
	if (!is_named(list, spec) && h->nr++ < NAMED_MAX)
		buf_addf(notes, "%s: %s\n", s->name, buf_str(&why));
	notes->failed |= why.failed;
	buf_free(&why);
}

void ev_hidden_end(const struct ev_hidden *h, struct buf *notes)
{
	if (h->nr > NAMED_MAX)
		buf_addf(notes, "BPF programs hide hits of %u more tracepoints\n",
			 h->nr - NAMED_MAX);
	if (h->nr)
		buf_adds(notes, "perf-lite check bpf names the process that holds such a program: "
				"end it, or have the program return 1\n");
}
