// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/qdiscs.h"

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/base/cur.h"

#define PIECE 65536u /* the kernel's are at most half as long */
#define TRIES 4
#define WAIT  5 /* seconds */

#define CODE_MAX 4095 /* errors of the kernel */

/* What the header says is there, without the header, and on to what is behind its padding. */
static struct cur take_part(struct cur *c, size_t len, size_t header)
{
	struct cur part = {.bad = true};

	if (len < header) {
		c->bad = true;
		return part;
	}
	part = cur_sub(c, len - header);
	cur_skip(c, MIN(-len % 4, cur_left(c)));
	return part;
}

static struct cur take_attribute(struct cur *c, u16 *type)
{
	const u16 len = cur_u16(c);

	*type = cur_u16(c) & NLA_TYPE_MASK;
	return take_part(c, len, sizeof(struct rtattr));
}

static void read_stats(struct qdisc *one, struct cur *c)
{
	struct cur part;
	u16 type;

	while (!c->bad && cur_left(c)) {
		part = take_attribute(c, &type);
		if (type != TCA_STATS_QUEUE)
			continue;
		cur_skip(&part, offsetof(struct gnet_stats_queue, drops));
		one->drops = cur_u32(&part);
		one->requeues = cur_u32(&part);
		one->overlimits = cur_u32(&part);
		c->bad |= part.bad;
	}
}

/* A message of RTM_NEWQDISC. */
static int read_one(struct qdiscs *q, struct cur c)
{
	struct qdisc one = {0}, *v;
	struct cur part;
	size_t len;
	u16 type;

	cur_skip(&c, offsetof(struct tcmsg, tcm_ifindex));
	one.ifindex = cur_u32(&c);
	one.handle = cur_u32(&c);
	one.parent = cur_u32(&c);
	cur_u32(&c);
	while (!c.bad && cur_left(&c)) {
		part = take_attribute(&c, &type);
		if (type == TCA_KIND && cur_left(&part)) {
			len = strnlen((const char *)part.p,
				      MIN(cur_left(&part), sizeof(one.kind) - 1));
			cur_copy(&part, one.kind, len);
			one.kind[len] = '\0';
		} else if (type == TCA_STATS2) {
			read_stats(&one, &part);
			c.bad |= part.bad;
		}
	}
	if (c.bad)
		return -EBADMSG;
	v = vec_push(&q->v);
	if (!v)
		return -ENOMEM;
	*v = one;
	return 0;
}

int qdiscs_parse(struct qdiscs *q, const void *piece, size_t len)
{
	struct cur c = cur_init(piece, len), part;
	u32 size;
	u16 type, flags;
	s32 code;
	int ret = 0;

	while (!ret && cur_left(&c)) {
		size = cur_u32(&c);
		type = cur_u16(&c);
		flags = cur_u16(&c);
		cur_skip(&c, sizeof(struct nlmsghdr) - 8);
		part = take_part(&c, size, sizeof(struct nlmsghdr));
		if (c.bad)
			return -EBADMSG;
		q->torn |= (flags & NLM_F_DUMP_INTR) != 0;
		if (type == RTM_NEWQDISC)
			ret = read_one(q, part);
		if (type != NLMSG_ERROR && type != NLMSG_DONE)
			continue;
		code = (s32)cur_u32(&part);
		/* old kernels end without a code */
		if (type == NLMSG_DONE && part.bad)
			return 0;
		if (part.bad || code > 0 || code < -CODE_MAX)
			return -EBADMSG;
		ret = code;
		if (type == NLMSG_DONE)
			return ret;
	}
	return ret ? ret : 1;
}

static int ask(int fd)
{
	struct {
		struct nlmsghdr header;
		struct tcmsg what;
	} question = {
		.header = {.nlmsg_len = sizeof(question),
			   .nlmsg_type = RTM_GETQDISC,
			   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	};
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	const struct timeval wait = {.tv_sec = WAIT};

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) ||
	    sendto(fd, &question, sizeof(question), 0, (const struct sockaddr *)&kernel,
		   sizeof(kernel)) < 0)
		return -errno;
	return 0;
}

static int take_answer(struct qdiscs *q, int fd, u8 *piece)
{
	struct sockaddr_nl from;
	socklen_t from_len;
	ssize_t n;
	int ret = 1;

	while (ret > 0) {
		from_len = sizeof(from);
		n = recvfrom(fd, piece, PIECE, MSG_TRUNC, (struct sockaddr *)&from, &from_len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if ((size_t)n > PIECE)
			return -EMSGSIZE;
		/* anybody may send to a socket; only the kernel is nobody */
		if (!from.nl_pid)
			ret = qdiscs_parse(q, piece, (size_t)n);
	}
	return ret;
}

int qdiscs_read(struct qdiscs *q)
{
	const u32 before = q->v.nr;
	u8 *piece = malloc(PIECE);
	int fd, i, ret = -EAGAIN;

	if (!piece)
		return -ENOMEM;
	for (i = 0; i < TRIES && ret == -EAGAIN; i++) {
		q->v.nr = before;
		q->torn = false;
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
		ret = fd < 0 ? -errno : ask(fd);
		if (!ret)
			ret = take_answer(q, fd, piece);
		if (fd >= 0)
			close(fd);
		/* some may be missing; in the end that is what there is */
		if (!ret && q->torn && i + 1 < TRIES)
			ret = -EAGAIN;
	}
	free(piece);
	return ret;
}

void qdiscs_put_name(const struct qdisc *one, struct buf *out)
{
	buf_adds(out, one->kind);
	if (one->handle)
		buf_addf(out, " %x:", one->handle >> 16);
	else if (one->parent == TC_H_ROOT)
		buf_adds(out, " root");
	else
		buf_addf(out, " parent %x:%x", one->parent >> 16, one->parent & 0xffff);
}

void qdiscs_free(struct qdiscs *q)
{
	vec_free(&q->v);
}
