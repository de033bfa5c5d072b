// SPDX-License-Identifier: GPL-2.0
#include "util/event/drop_fields.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/kernel/tracefs.h"

#define SOCKET "(rx_sk ?: skb->sk)"

/* An item of the list, and the fields that come of it. */
static const struct {
	const char *names[8];
	const char *item;
	const char *without; /* where the tracepoint does not hand over rx_sk, before Linux 6.11 */
} items[] = {
	{{"dev"}, "dev=skb->dev->name", NULL},
	{{"ifindex"}, "ifindex=skb->dev->ifindex ?: skb->skb_iif", NULL},
	{{"netns"},
	 "netns=skb->dev->nd_net.net->ns.inum ?: " SOCKET "->__sk_common.skc_net.net->ns.inum",
	 "netns=skb->dev->nd_net.net->ns.inum ?: skb->sk->__sk_common.skc_net.net->ns.inum"},
	{{"saddr", "sport", "daddr", "dport", "l4", "tcp_flags"}, "flow(skb)", NULL},
	{{"len"}, "len=skb->len", NULL},
	{{"mark"}, "mark=skb->mark", NULL},
	{{"sk_inode"},
	 "sk_inode=((struct socket_alloc *)" SOCKET "->sk_socket)->vfs_inode.i_ino",
	 "sk_inode=((struct socket_alloc *)skb->sk->sk_socket)->vfs_inode.i_ino"},
	{{"sk_uid"}, "sk_uid=" SOCKET "->sk_uid.val", "sk_uid=skb->sk->sk_uid.val"},
	{{"packet", "packet_len", "packet_size", "packet_type"}, "packet(skb)", NULL},
};

bool drop_fields_ask(u32 *asked, const char *name, size_t len)
{
	const char *const *n;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(items); i++) {
		for (n = items[i].names; *n; n++) {
			if (strlen(*n) != len || memcmp(*n, name, len) != 0)
				continue;
			*asked |= 1u << i;
			return true;
		}
	}
	return false;
}

void drop_fields_ask_filter(u32 *asked, const char *filter)
{
	const char *s = filter, *end;

	while (*s) {
		if (*s == '"' || *s == '\'') {
			end = strchr(s + 1, *s);
			s = end ? end + 1 : s + strlen(s);
			continue;
		}
		for (end = s; isalnum((u8)*end) || *end == '_';)
			end++;
		drop_fields_ask(asked, s, (size_t)(end - s));
		s = end > s ? end : s + 1;
	}
}

void drop_fields_ask_packet(u32 *asked)
{
	static const char *const names[] = {"dev", "netns", "packet"};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		drop_fields_ask(asked, names[i], strlen(names[i]));
}

struct tp_format *drop_fields_own(struct ev_env *env, struct err *err)
{
	const struct tracefs *t = ev_env_tracefs(env, err);
	struct tp_format *own = NULL;
	struct buf text = {0};

	if (t && !tracefs_format(t, "skb", "kfree_skb", &text, err))
		own = tp_format_parse(buf_str(&text), text.len, err);
	buf_free(&text);
	return own;
}

int drop_fields_event(struct ev_env *env, u32 asked, struct buf *out, struct err *err)
{
	struct tp_format *own = drop_fields_own(env, err);
	const bool has_socket = own && tp_format_field(own, "rx_sk");
	u32 i;

	if (!own)
		return err && err->code ? -err->code : -ENOENT;
	buf_adds(out, DROP_FIELDS_EVENT "(skbaddr=skb, location");
	if (has_socket)
		buf_adds(out, ", rx_sk");
	buf_adds(out, ", protocol=skb->protocol");
	if (tp_format_field(own, "reason"))
		buf_adds(out, ", reason");
	for (i = 0; i < ARRAY_SIZE(items); i++) {
		if (!(asked & 1u << i))
			continue;
		buf_addf(out, ", %s",
			 items[i].without && !has_socket ? items[i].without : items[i].item);
	}
	buf_addc(out, ')');
	tp_format_free(own);
	return out->failed ? err_nomem(err) : 0;
}
