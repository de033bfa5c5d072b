// SPDX-License-Identifier: GPL-2.0
#include "util/event/drop_fields.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/kernel/tracefs.h"
#include "util/probe/probe.h"

#define SOCKET "(rx_sk ?: skb->sk)"
/* What is divided by 0 is not there: small sockets, of TIME_WAIT (6) and NEW_SYN_RECV (12), end before these members. */
#define WHOLE(sk) " / (~0x1040 >> " sk "->__sk_common.skc_state & 1)"
#define INODE(sk)                                              \
	"sk_inode=(unsigned long)(((struct socket_alloc *)" sk \
	"->sk_socket)->vfs_inode.i_ino" WHOLE(sk) ")"
#define UID(sk) "sk_uid=(unsigned int)(" sk "->sk_uid.val" WHOLE(sk) ")"
#define VLAN(there)                                              \
	"vlan=(unsigned short)((skb->vlan_tci & 0xfff) / " there \
	"), vlan_tci=(unsigned short)(skb->vlan_tci / " there "), vlan_proto=skb->vlan_proto"

/* What kernels do not have. */
enum lacks {
	LACKS_NOTHING,
	LACKS_RX_SK,    /* an argument, before Linux 6.11 */
	LACKS_VLAN_ALL, /* a member of struct sk_buff, before Linux 6.2 */
};

/* An item of the list, and the fields that come of it. */
static const struct {
	const char *names[8];
	const char *item;
	enum lacks other_if;
	const char *other;
} items[] = {
	{{"dev"}, "dev=" PROBE_DEVICE "->name", LACKS_NOTHING, NULL},
	{{"ifindex"}, "ifindex=" PROBE_DEVICE "->ifindex ?: skb->skb_iif", LACKS_NOTHING, NULL},
	{{"netns"}, "netns=" PROBE_NETNS(SOCKET), LACKS_RX_SK, "netns=" PROBE_NETNS("skb->sk")},
	{{"saddr", "sport", "daddr", "dport", "l4", "tcp_flags"}, "flow(skb)", LACKS_NOTHING, NULL},
	{{"len"}, "len=skb->len", LACKS_NOTHING, NULL},
	{{"mark"}, "mark=skb->mark", LACKS_NOTHING, NULL},
	{{"vlan", "vlan_tci", "vlan_proto"},
	 VLAN("(skb->vlan_all != 0)"),
	 LACKS_VLAN_ALL,
	 VLAN("skb->vlan_present")},
	{{"sk_inode"}, INODE(SOCKET), LACKS_RX_SK, INODE("skb->sk")},
	{{"sk_uid"}, UID(SOCKET), LACKS_RX_SK, UID("skb->sk")},
	{{"packet", "packet_len", "packet_size", "packet_type"},
	 "packet(skb)",
	 LACKS_NOTHING,
	 NULL},
	{{"inner_saddr", "inner_sport", "inner_daddr", "inner_dport", "inner_l4", "inner_tcp_flags",
	  "vni"},
	 "inner(skb)",
	 LACKS_NOTHING,
	 NULL},
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

void drop_fields_names(struct buf *out)
{
	const char *const *n;
	u32 i, first = 1;

	for (i = 0; i < ARRAY_SIZE(items); i++) {
		if (!strcmp(items[i].names[0], "packet"))
			continue;
		for (n = items[i].names; *n; n++, first = 0)
			buf_addf(out, "%s%s", first ? "" : ", ", *n);
	}
}

void drop_fields_suggest(struct text_suggest *s)
{
	const char *const *n;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(items); i++)
		for (n = items[i].names; *n; n++)
			text_suggest_add(s, *n);
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
	static const char *const names[] = {"dev", "netns", "vlan", "packet"};
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
	const struct btf *btf = own ? ev_env_btf(env, err) : NULL;
	bool lacks[] = {[LACKS_NOTHING] = false, [LACKS_RX_SK] = false, [LACKS_VLAN_ALL] = false};
	u32 i, offset;

	if (!btf) {
		tp_format_free(own);
		return err && err->code ? -err->code : -ENOENT;
	}
	lacks[LACKS_RX_SK] = !tp_format_field(own, "rx_sk");
	lacks[LACKS_VLAN_ALL] = !btf_offset(btf, "sk_buff", "vlan_all", &offset);
	buf_adds(out, DROP_FIELDS_EVENT "(skbaddr=skb, location");
	if (!lacks[LACKS_RX_SK])
		buf_adds(out, ", rx_sk");
	buf_adds(out, ", protocol=skb->protocol");
	if (tp_format_field(own, "reason"))
		buf_adds(out, ", reason");
	for (i = 0; i < ARRAY_SIZE(items); i++)
		if (asked & 1u << i)
			buf_addf(out, ", %s",
				 lacks[items[i].other_if] ? items[i].other : items[i].item);
	buf_addc(out, ')');
	tp_format_free(own);
	return out->failed ? err_nomem(err) : 0;
}
