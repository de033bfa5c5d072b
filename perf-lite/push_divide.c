// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/push_spool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/export/divide.h"
#include "util/export/gzip.h"

/* What one message of OTLP can hold. */
#define DOCUMENT_MAX INT32_MAX

static const enum divide_form forms[] = {[PUSH_OTLP] = DIVIDE_OTLP, [PUSH_PPROF] = DIVIDE_PPROF};

/* As the last bytes of a gzip file have it; 0: it is none. */
static u64 unpacked_size(const struct push_item *item)
{
	u8 bytes[4];
	struct cur c = cur_init_le(bytes, sizeof(bytes));

	if (item->size < 18 || io_pread(item->fd, bytes, sizeof(bytes), item->size - 4) != 4)
		return 0;
	return cur_u32(&c);
}

bool push_divide_wanted(const struct push *c, const struct push_item *item)
{
	u64 size = unpacked_size(item);

	return (c->sizes.max && size > c->sizes.max) ||
	       (c->sizes.refused && size >= c->sizes.refused);
}

void push_divide_learn(struct push *c, const struct push_item *item)
{
	u64 size = unpacked_size(item);

	if (size && (!c->sizes.refused || size < c->sizes.refused))
		c->sizes.refused = size;
}

static int unpack(const struct push_item *item, struct buf *out, struct err *err)
{
	struct buf packed = {0};
	char *to = item->size < DOCUMENT_MAX ? buf_room(&packed, item->size) : NULL;
	ssize_t got = to ? io_pread(item->fd, to, item->size, 0) : -ENOMEM;
	int ret;

	if (got < 0)
		ret = err_set(err, (int)-got, "cannot be divided: %s", strerror((int)-got));
	else
		ret = gzip_unpack(to, (size_t)got, DOCUMENT_MAX, out, err);
	buf_free(&packed);
	return ret;
}

/* 1: it has halves, compressed now; 0: it is one sample; <0: err. */
static int halve(const struct push *c, const struct push_item *item, struct divide_half halves[2],
		 struct err *err)
{
	struct buf document = {0}, packed;
	struct gzip gzip;
	int ret = unpack(item, &document, err), i;

	if (!ret)
		ret = divide_document(forms[c->form], buf_str(&document), document.len, halves,
				      err);
	buf_free(&document);
	for (i = 0; ret > 0 && i < 2; i++) {
		packed = (struct buf){0};
		if (gzip_init(&gzip, err))
			return -ENOMEM;
		if (gzip_add(&gzip, buf_str(&halves[i].bytes), halves[i].bytes.len, &packed, err) ||
		    gzip_end(&gzip, &packed, err))
			ret = -ENOMEM;
		gzip_free(&gzip);
		buf_free(&halves[i].bytes);
		halves[i].bytes = packed;
	}
	return ret;
}

static int report_one(const struct push *c, const struct push_item *item, struct err *err)
{
	/* what the server said is in err, unless nobody asked it */
	if (!err->code)
		err_set(err, EFBIG, "%s", buf_str(&c->server));
	snprintf(err->hint, sizeof(err->hint),
		 "%s cannot be divided: left out; let the server take larger ones, or send less of "
		 "each stack: --max-stack 64",
		 item->samples > 1 ? "the document" : "one sample");
	return PUSH_REFUSED;
}

static void note_halves(struct push *c, const struct err *err)
{
	c->totals.divided++;
	if (err->code && !c->in.quiet)
		push_print("perf-lite push: sent in two halves: ", err->msg);
}

/* ---- without a spool ---- */

static int half_item(const struct push_item *of, const struct divide_half *half,
		     struct push_item *item, struct err *err)
{
	int ret;

	*item = *of;
	item->size = half->bytes.len;
	item->samples = half->samples;
	item->fd = memfd_create("perf-lite push", MFD_CLOEXEC);
	ret = item->fd < 0 ? -errno : io_write(item->fd, buf_str(&half->bytes), half->bytes.len);
	if (ret)
		err_set(err, -ret, "cannot keep what is to be sent: %s", strerror(-ret));
	return ret;
}

static int send_half(struct push *c, const struct push_item *of, struct divide_half *half,
		     struct err *err)
{
	struct push_item item;
	int ret = half_item(of, half, &item, err);

	buf_free(&half->bytes);
	if (!ret)
		ret = push_divide_send(c, &item, err);
	push_item_free(&item);
	return ret;
}

static int send_halves(struct push *c, const struct push_item *item, struct err *err)
{
	struct divide_half halves[2] = {0};
	struct err first = {0}, second = {0};
	int ret = halve(c, item, halves, &first), other;

	if (ret > 0) {
		note_halves(c, err);
		ret = send_half(c, item, &halves[0], &first);
		other = ret;
		if (ret == PUSH_SENT || ret == PUSH_REFUSED)
			other = send_half(c, item, &halves[1], &second);
		*err = ret == PUSH_SENT ? second : first;
		ret = other == PUSH_SENT ? ret : other;
	} else if (!ret) {
		ret = PUSH_TOO_LARGE;
	} else {
		*err = first;
		ret = ret == -ENOMEM ? ret : PUSH_REFUSED;
	}
	buf_free(&halves[0].bytes);
	buf_free(&halves[1].bytes);
	return ret;
}

int push_divide_send(struct push *c, const struct push_item *item, struct err *err)
{
	int ret = push_divide_wanted(c, item) ? send_halves(c, item, err) : PUSH_TOO_LARGE;

	if (ret != PUSH_TOO_LARGE)
		return ret;
	ret = push_send(c, item, err);
	if (ret == PUSH_TOO_LARGE) {
		push_divide_learn(c, item);
		ret = send_halves(c, item, err);
	}
	return ret == PUSH_TOO_LARGE ? report_one(c, item, err) : ret;
}

/* ---- in a spool ---- */

int push_divide_spooled(struct push *c, struct push_spool *s, const struct push_spooled *f,
			struct push_spooled parts[2], struct err *err)
{
	struct divide_half halves[2] = {0};
	struct err why = {0};
	struct push_item item;
	int ret = push_spool_get(s, f, &item, &why), i;

	if (!ret)
		ret = halve(c, &item, halves, &why);
	for (i = 0; ret > 0 && i < 2; i++)
		if (push_spool_part(s, f, i, &halves[i].bytes, halves[i].samples, &parts[i], &why))
			ret = -why.code;
	/* from here on, the halves count */
	if (ret > 0 && push_spool_remove(s, f->name, &why))
		ret = -why.code;
	if (ret > 0)
		note_halves(c, err);
	else if (ret < 0)
		*err = why;
	else if (err->code)
		report_one(c, &item, err);
	push_item_free(&item);
	buf_free(&halves[0].bytes);
	buf_free(&halves[1].bytes);
	return ret;
}
