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
/* No server has a limit below that. */
#define SMALL 4096
/* So many samples that are too large, before any document is taken, are a limit that holds for all. */
#define UNDIVIDED_MAX 4

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

static int pack(struct divide_part *part, struct err *err)
{
	struct buf packed = {0};
	struct gzip gzip;
	int ret = gzip_init(&gzip, err);

	if (!ret)
		ret = gzip_add(&gzip, buf_str(&part->bytes), part->bytes.len, &packed, err);
	if (!ret)
		ret = gzip_end(&gzip, &packed, err);
	gzip_free(&gzip);
	buf_free(&part->bytes);
	part->bytes = packed;
	return ret;
}

/* 1: it has halves, compressed now; 0: it is one sample; <0: err. */
static int halve(const struct push *c, const struct push_item *item, struct divide_part halves[2],
		 struct err *err)
{
	struct buf document = {0};
	u64 nr = 0;
	int ret = unpack(item, &document, err), i;

	if (!ret)
		ret = divide_count(forms[c->form], buf_str(&document), document.len, &nr, err);
	/* one after the other: a half takes as much memory as half the document, until it is packed */
	for (i = 0; !ret && nr > 1 && i < 2; i++) {
		halves[i].from = i ? (nr + 1) / 2 : 0;
		halves[i].until = i ? nr : (nr + 1) / 2;
		ret = divide_document(forms[c->form], buf_str(&document), document.len, &halves[i],
				      err);
		if (!ret)
			ret = pack(&halves[i], err);
	}
	buf_free(&document);
	return ret ? ret : nr > 1;
}

/* Is that its answer to whatever is sent? It has taken nothing, and refused what any server takes, or several samples. */
static bool takes_nothing(struct push *c, const struct push_item *item)
{
	return !c->totals.sent &&
	       (unpacked_size(item) <= SMALL || ++c->sizes.undivided >= UNDIVIDED_MAX);
}

int push_divide_refuse(struct push *c, const struct push_item *item, struct err *err)
{
	/* what the server said is in err, unless nobody asked it */
	if (!err->code)
		err_set(err, EFBIG, "%s", buf_str(&c->server));
	if (takes_nothing(c, item)) {
		/* what was left out is not sent either */
		c->sent = c->skip;
		err_hint(
			err,
			"it has taken nothing, not even one sample of %llu bytes: look at its limits, "
			"and at those of a proxy before it",
			(unsigned long long)unpacked_size(item));
		return PUSH_WRONG;
	}
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

/* Put a part, which is compressed, into the file of an item. */
static int keep_part(struct push_item *item, const struct divide_part *part, struct err *err)
{
	int ret = io_write(item->fd, buf_str(&part->bytes), part->bytes.len);

	item->size = part->bytes.len;
	item->samples = part->samples;
	item->rows = part->until - part->from;
	if (ret)
		err_set(err, -ret, "cannot keep what is to be sent: %s", strerror(-ret));
	return ret;
}

static int half_item(const struct push_item *of, const struct divide_part *half,
		     struct push_item *item, struct err *err)
{
	*item = *of;
	item->fd = memfd_create("perf-lite push", MFD_CLOEXEC);
	if (item->fd < 0)
		return err_set(err, errno, "cannot keep what is to be sent: %s", strerror(errno));
	return keep_part(item, half, err);
}

static int send_half(struct push *c, const struct push_item *of, struct divide_part *half,
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

/* One after the other; the second is not sent if the first was not decided. */
static int send_both(struct push *c, const struct push_item *item, struct divide_part halves[2],
		     struct err *err)
{
	struct err first = {0}, second = {0};
	int ret = send_half(c, item, &halves[0], &first), other;

	if (ret != PUSH_SENT && ret != PUSH_REFUSED) {
		*err = first;
		return ret;
	}
	other = send_half(c, item, &halves[1], &second);
	if (ret == PUSH_REFUSED && other != PUSH_SENT) {
		c->refused = true;
		push_print("perf-lite push: ", first.msg);
	}
	*err = ret == PUSH_REFUSED && other == PUSH_SENT ? first : second;
	return other == PUSH_SENT ? ret : other;
}

/* A document that is not divided further counts; halves count themselves. */
static int note_decided(struct push *c, const struct push_item *item, int ret)
{
	if (ret == PUSH_SENT || ret == PUSH_REFUSED)
		c->sent.at += item->rows;
	c->totals.refused += ret == PUSH_REFUSED;
	return ret;
}

static int send_halves(struct push *c, const struct push_item *item, struct err *err)
{
	struct divide_part halves[2] = {0};
	struct err first = {0};
	int ret = halve(c, item, halves, &first);

	if (ret > 0) {
		note_halves(c, err);
		if (!c->sent.of)
			c->sent.of = halves[1].until;
		ret = send_both(c, item, halves, err);
	} else if (!ret) {
		ret = PUSH_TOO_LARGE;
	} else {
		*err = first;
		ret = note_decided(c, item, ret == -ENOMEM ? ret : PUSH_REFUSED);
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
	if (ret != PUSH_TOO_LARGE)
		return note_decided(c, item, ret);
	push_divide_learn(c, item);
	ret = send_halves(c, item, err);
	if (ret != PUSH_TOO_LARGE)
		return ret;
	return note_decided(c, item, push_divide_refuse(c, item, err));
}

static int make_rest(const struct push *c, const struct buf *document, struct divide_part *rest,
		     struct err *err)
{
	u64 nr;
	int ret = divide_count(forms[c->form], buf_str(document), document->len, &nr, err);

	if (ret)
		return ret;
	if (nr != c->skip.of) {
		err_set(err, EINVAL, "--skip is of %llu samples, and this is %llu",
			(unsigned long long)c->skip.of, (unsigned long long)nr);
		err_hint(err, "give it the recording, format and choices of the push that said it");
		return -EINVAL;
	}
	ret = divide_document(forms[c->form], buf_str(document), document->len, rest, err);
	return ret ? ret : pack(rest, err);
}

int push_divide_skip(const struct push *c, struct push_item *item, struct err *err)
{
	struct divide_part rest = {.from = c->skip.at, .until = c->skip.of};
	struct buf document = {0};
	int ret = unpack(item, &document, err);

	if (!ret)
		ret = make_rest(c, &document, &rest, err);
	if (!ret && (ftruncate(item->fd, 0) || lseek(item->fd, 0, SEEK_SET)))
		ret = err_set(err, errno, "cannot keep what is to be sent: %s", strerror(errno));
	if (!ret)
		ret = keep_part(item, &rest, err);
	buf_free(&document);
	buf_free(&rest.bytes);
	return ret;
}

/* ---- in a spool ---- */

int push_divide_spooled(struct push *c, struct push_spool *s, const struct push_spooled *f,
			struct push_spooled parts[2], struct err *err)
{
	struct divide_part halves[2] = {0};
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
	push_item_free(&item);
	buf_free(&halves[0].bytes);
	buf_free(&halves[1].bytes);
	return ret;
}
