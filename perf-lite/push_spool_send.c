// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/push_spool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "util/base/json.h"
#include "util/base/text.h"

/* What the server does not want is no obstacle to the rest. */
static int set_aside(struct push *c, struct push_spool *s, const char *name, struct err *err)
{
	struct buf text = {0};
	int ret = push_spool_refuse(s, name, err);

	c->refused = true;
	c->totals.refused += ret > 0;
	buf_addf(&text, "%s/%s.refused", s->path, name);
	if (ret > 0) {
		push_print("perf-lite push: set aside: ", buf_str(&text));
		json_item(&c->totals.set_aside);
		json_name(&c->totals.set_aside, buf_str(&text), text.len);
	}
	buf_free(&text);
	return MIN(ret, 0);
}

static int send_spooled(struct push *c, struct push_spool *s, const struct push_spooled *f,
			struct err *err);

/* A result, or <0; PUSH_TOO_LARGE: it is one sample. err: what the server said of it, if it did. */
static int send_halves(struct push *c, struct push_spool *s, const struct push_spooled *f,
		       struct err *err)
{
	struct push_spooled parts[2];
	struct err second = {0};
	int ret = push_divide_spooled(c, s, f, parts, err), other;

	if (ret < 0)
		return ret == -EBADMSG || ret == -EFBIG ? PUSH_REFUSED
		       : ret == -ENOMEM                 ? ret
							: PUSH_LATER;
	if (!ret)
		return PUSH_TOO_LARGE;
	*err = (struct err){0};
	ret = send_spooled(c, s, &parts[0], err);
	if (ret != PUSH_SENT && ret != PUSH_REFUSED)
		return ret == PUSH_BROKE ? PUSH_LATER : ret;
	other = send_spooled(c, s, &parts[1], &second);
	if (ret == PUSH_SENT)
		*err = second;
	return other == PUSH_SENT ? ret : other == PUSH_BROKE ? PUSH_LATER : other;
}

/* A result, or <0. */
static int send_spooled(struct push *c, struct push_spool *s, const struct push_spooled *f,
			struct err *err)
{
	struct err other = {0};
	struct push_item item;
	int ret = push_spool_get(s, f, &item, err), moved = 0;

	/* others remove files, too: trim() without the lock */
	if (ret == -ENOENT) {
		*err = other;
		return PUSH_SENT;
	}
	if (ret)
		return PUSH_REFUSED;
	ret = push_divide_wanted(c, &item) ? send_halves(c, s, f, err) : PUSH_TOO_LARGE;
	if (ret == PUSH_TOO_LARGE)
		ret = push_send(c, &item, err);
	if (ret == PUSH_TOO_LARGE) {
		push_divide_learn(c, &item);
		ret = send_halves(c, s, f, err);
	}
	if (ret == PUSH_TOO_LARGE)
		ret = push_divide_refuse(c, &item, err);
	push_item_free(&item);
	/* one that was divided is gone */
	if (ret == PUSH_SENT)
		moved = push_spool_remove(s, f->name, &other);
	else if (ret == PUSH_REFUSED)
		moved = set_aside(c, s, f->name, &other);
	if (moved)
		*err = other;
	return moved ? moved : ret;
}

static void note_others(const struct push *c, const struct push_spool *s, u32 others)
{
	if (others && !c->in.quiet)
		fprintf(stderr,
			"perf-lite push: %u file%s in %s for the other format; --to sends "
			"them\n",
			others, TEXT_PLURAL(others), s->path);
}

/*
 * One after the other, until one does not get through. A server that breaks has another try with the next document: if it
 * takes that, the first one is set aside, which would break it for ever; if it breaks again, all is kept.
 */
static int send_list(struct push *c, struct push_spool *s, const struct push_spooled_list *list,
		     struct err *first)
{
	const struct push_spooled *suspect = NULL, *f;
	u32 i, others = 0;
	bool goes_on = true;
	struct err err;
	int ret = PUSH_SENT;

	for (i = 0; i < list->nr; i++) {
		f = &list->v[i];
		others += !f->refused && f->form != c->form;
		if (f->refused || f->form != c->form || !goes_on)
			continue;
		err = (struct err){0};
		ret = send_spooled(c, s, f, &err);
		goes_on =
			ret == PUSH_SENT || ret == PUSH_REFUSED || (ret == PUSH_BROKE && !suspect);
		if (ret == PUSH_BROKE && !suspect)
			suspect = f;
		if (ret == PUSH_SENT && suspect) {
			ret = set_aside(c, s, suspect->name, &err);
			suspect = NULL;
		}
		push_report(first, &err);
		c->refused |= ret == PUSH_REFUSED;
	}
	c->partial |= suspect != NULL;
	note_others(c, s, others);
	return push_note_result(c, ret);
}

static void note_drop(struct push *c, const struct push_spool *s, const struct push_spooled *f)
{
	char size[TEXT_BYTES_MAX], from[32] = "", until[32] = "";
	time_t times[] = {(time_t)f->from, (time_t)f->until};
	struct tm first, last;
	struct buf text = {0};

	text_bytes(size, f->size);
	/* a name that somebody else made may have any number */
	if (f->from && gmtime_r(&times[0], &first) && gmtime_r(&times[1], &last)) {
		strftime(from, sizeof(from), ", recorded %FT%TZ", &first);
		strftime(until, sizeof(until), " to %FT%TZ", &last);
	}
	buf_addf(&text, "%s is full: dropped %s (%s%s%s)", s->path, f->name, size, from, until);
	push_print("perf-lite push: ", buf_str(&text));
	buf_free(&text);
	c->partial = true;
	c->totals.dropped++;
}

/* Make room: the limit holds whatever is there. */
static int trim(struct push *c, struct push_spool *s, struct err *err)
{
	struct push_spooled_list dropped;
	int ret = push_spool_trim(s, c->limit, &dropped, err);
	u32 i;

	for (i = 0; i < dropped.nr; i++)
		note_drop(c, s, &dropped.v[i]);
	vec_free(&dropped);
	return ret;
}

/* What is there after all. */
static void note_rest(struct push *c, struct push_spool *s, struct err *first)
{
	struct push_spooled_list list;
	char text[TEXT_BYTES_MAX];
	struct err err = {0};
	u64 size = 0, nr = 0;
	u32 i;

	if (!push_spool_list(s, &list, &err))
		for (i = 0; i < list.nr; i++)
			if (!list.v[i].refused && list.v[i].form == c->form) {
				nr++;
				size += list.v[i].size;
			}
	vec_free(&list);
	c->totals.kept = nr;
	c->totals.kept_bytes = size;
	if (!nr)
		return;
	text_bytes(text, size);
	if (first->code && !first->hint[0])
		err_hint(first, "%llu file%s (%s) %s kept in %s: the next push sends %s first",
			 (unsigned long long)nr, TEXT_PLURAL(nr), text, nr == 1 ? "is" : "are",
			 s->path, nr == 1 ? "it" : "them");
	else if (!c->in.quiet)
		fprintf(stderr, "perf-lite push: %llu file%s (%s) kept in %s\n",
			(unsigned long long)nr, TEXT_PLURAL(nr), text, s->path);
}

static int send_all(struct push *c, struct push_spool *s, struct err *first)
{
	struct push_spooled_list list = {0};
	struct err err = {0};
	int ret = push_spool_lock(s, c->http.timeout, &err);

	if (ret == -EAGAIN) {
		c->partial = true;
		push_report(first, &err);
		/* whoever sends may be at it for hours: the limit holds nevertheless */
		err = (struct err){0};
		ret = 0;
	} else {
		if (!ret)
			ret = push_spool_list(s, &list, &err);
		if (!ret)
			ret = send_list(c, s, &list, first);
	}
	if (!ret)
		ret = trim(c, s, &err);
	push_report(first, &err);
	vec_free(&list);
	return ret;
}

int push_spool_send(struct push *c, struct push_spool *s, struct err *first)
{
	int ret = send_all(c, s, first);

	if (!ret)
		note_rest(c, s, first);
	return ret;
}
