// SPDX-License-Identifier: GPL-2.0
#include "util/event/drops_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/btf/btf.h"

#define EVENTS "dynamic_events"
#define GROUP  "perf_lite"
#define NAME   "drops"

/* Fields of skb:kfree_skb, and how a probe reads them. The protocol comes as its bytes in the order of this machine. */
static const struct {
	const char *name, *is;
} fields[] = {
	{"skbaddr", "skb"},
	{"location", "location:symbol"},
	{"rx_sk", "rx_sk"},
	{"reason", "reason"},
};

static int append(int fd, const char *line)
{
	int file = io_open(fd, EVENTS, O_WRONLY | O_APPEND), ret;

	if (file < 0)
		return file;
	ret = io_write(file, line, strlen(line));
	close(file);
	return ret;
}

static int protocol_offset(u32 *offset, struct err *err)
{
	struct sysroot root;
	struct btf types;
	int ret = sysroot_open(&root, "/", err);

	if (ret)
		return ret;
	ret = btf_load(&types, root.fd, "sys/kernel/btf/vmlinux", err);
	sysroot_close(&root);
	if (ret)
		return ret;
	if (!btf_offset(&types, "sk_buff", "protocol", offset))
		ret = err_set(err, ENOTSUP, "the kernel's types do not describe packets");
	btf_free(&types);
	return ret;
}

static void put_definition(const struct tp_format *packet, u32 protocol, struct buf *line)
{
	const u32 low = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	u32 i;

	buf_adds(line, "t:" GROUP "/" NAME " kfree_skb");
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (tp_format_field(packet, fields[i].name))
			buf_addf(line, " %s=%s", fields[i].name, fields[i].is);
	buf_adds(line, " dev=skb->dev->name:string netns=skb->dev->nd_net.net->ns.inum:u32");
	/* on the wire its high byte is the first; two fields of a byte follow each other */
	buf_addf(line, " protocol=+%u(skb):u8 protocol_more=+%u(skb):u8", protocol + low,
		 protocol + !low);
}

static int refuse(int code, struct err *err)
{
	switch (code) {
	case ENOENT:
	case ENODEV:
	case EINVAL:
		err_set(err, ENOTSUP, "this kernel has no dynamic events that follow pointers");
		err_hint(err,
			 "they come with CONFIG_FPROBE_EVENTS and CONFIG_PROBE_EVENTS_BTF_ARGS, "
			 "in Linux 6.5 or later");
		return -ENOTSUP;
	case EEXIST:
		err_set(err, code,
			"another dynamic event is on the tracepoint kfree_skb, and this kernel allows only one");
		err_hint(
			err,
			"use that one with -e, or remove it; cat /sys/kernel/tracing/dynamic_events");
		return -code;
	case EACCES:
	case EPERM:
		err_set(err, code, "this process may not make a dynamic event");
		err_hint(err,
			 geteuid() ? "run it with sudo"
				   : "it needs CAP_SYS_ADMIN, and tracefs that can be written to");
		return -code;
	default:
		return err_set(err, code, "the kernel does not make a dynamic event: %s",
			       strerror(code));
	}
}

static bool is_there(const struct drops_probe *p)
{
	return io_exists(p->fd, "events/" GROUP "/" NAME "/id");
}

static int make(struct drops_probe *p, u32 protocol, struct err *err)
{
	struct tp_format *packet = tp_format_parse(p->packet.data, p->packet.len, err);
	struct buf line = {0};
	int ret;

	if (!packet)
		return -EINVAL;
	put_definition(packet, protocol, &line);
	ret = line.failed ? err_nomem(err) : append(p->fd, buf_str(&line));
	tp_format_free(packet);
	buf_free(&line);
	if (ret == -ENOMEM)
		return err_nomem(err);
	p->made = !ret || is_there(p);
	return p->made ? 0 : refuse(-ret, err);
}

int drops_probe_make(struct drops_probe *p, const struct tracefs *t, struct err *err)
{
	u32 protocol = 0;
	int ret;

	ret = tracefs_format(t, "skb", "kfree_skb", &p->packet, err);
	if (!ret)
		ret = protocol_offset(&protocol, err);
	if (ret)
		return ret;
	p->fd = fcntl(t->fd, F_DUPFD_CLOEXEC, 0);
	if (p->fd < 0)
		return err_set(err, errno, "tracefs: %s", strerror(errno));
	p->made = is_there(p);
	ret = p->made ? 0 : make(p, protocol, err);
	if (ret)
		close(p->fd);
	return ret;
}

void drops_probe_remove(struct drops_probe *p)
{
	const struct timespec while_closing = {.tv_nsec = 10000000};
	u32 tries;

	buf_free(&p->packet);
	if (!p->made)
		return;
	for (tries = 0; tries < 20 && append(p->fd, "-:" GROUP "/" NAME) == -EBUSY; tries++)
		nanosleep(&while_closing, NULL);
	close(p->fd);
	p->made = false;
}

/* ---- its format ---- */

static void put_field(const char *type, const char *name, u32 offset, const struct tp_field *like,
		      struct buf *out)
{
	buf_addf(out, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", type, name, offset,
		 like->size, like->is_signed);
}

/* Each field of the packet's event where the probe has it. */
static bool put_fields(const struct tp_format *packet, const struct tp_format *probe,
		       struct buf *out)
{
	const struct tp_field *f, *at;
	u32 i;

	for (i = 0; i < packet->nr_fields; i++) {
		f = &packet->fields[i];
		at = f->is_common ? f : tp_format_field(probe, f->name);
		if (!at)
			return false;
		put_field(f->type, f->name, at->offset, f, out);
	}
	at = tp_format_field(probe, "dev");
	if (!at)
		return false;
	put_field("__data_loc char[]", "dev", at->offset, at, out);
	at = tp_format_field(probe, "netns");
	if (!at)
		return false;
	put_field("unsigned int", "netns", at->offset, at, out);
	return true;
}

int drops_probe_format(const struct drops_probe *p, const struct tracefs *t, struct buf *text,
		       struct err *err)
{
	struct tp_format *packet = tp_format_parse(p->packet.data, p->packet.len, err);
	struct tp_format *probe = NULL;
	struct buf own = {0};
	int ret = packet ? tracefs_format(t, GROUP, NAME, &own, err) : -EINVAL;

	if (!ret)
		probe = tp_format_parse(own.data, own.len, err);
	if (probe) {
		buf_addf(text, "name: " NAME "\nID: %u\nformat:\n", probe->id);
		ret = put_fields(packet, probe, text)
			      ? 0
			      : err_set(err, EINVAL, "skb:kfree_skb has fields that are not known");
		buf_addf(text, "\nprint fmt:%s\n", packet->print_fmt);
	} else if (!ret) {
		ret = -EINVAL;
	}
	tp_format_free(packet);
	tp_format_free(probe);
	buf_free(&own);
	return ret ? ret : text->failed ? err_nomem(err) : 0;
}
