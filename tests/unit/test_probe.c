// SPDX-License-Identifier: GPL-2.0
/* Events with expressions: what is read from the text, the format that is made, and that a program can be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_btf.h"
#include "tests/unit/oom.h"
#include "util/probe/arguments.h"
#include "util/probe/probe.h"
#include "util/tracepoint/tp_prog.h"

static const char own_format[] =
	"name: kfree_skb\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:void * location;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int reason;\toffset:16;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%pS %s\", REC->location, __print_symbolic(REC->reason, { 2, \"NOT_SPECIFIED\" })\n";

struct kernel {
	struct made made;
	struct tp_format *own;
	struct arena arena;
	struct probe probe;
	struct err err;
	const char *text, *wrong; /* what was parsed, and where it went wrong */
	bool used;
};

static void start(struct kernel *k)
{
	*k = (struct kernel){0};
	begin(&k->made);
	add_kernel(&k->made);
	assert_int_equal(finish(&k->made, NULL), 0);
	k->own = tp_format_parse(own_format, strlen(own_format), NULL);
	assert_non_null(k->own);
}

static void clear(struct kernel *k)
{
	if (k->used)
		probe_free(&k->probe);
	arena_free(&k->arena);
	k->arena = (struct arena){0};
	k->err = (struct err){0};
	k->used = false;
}

static void stop(struct kernel *k)
{
	clear(k);
	tp_format_free(k->own);
	end(&k->made);
}

static int parse(struct kernel *k, const char *text)
{
	struct probe_source from = {
		.btf = &k->made.b, .name = "kfree_skb", .own = k->own, .arena = &k->arena};
	const char *p = text;
	int ret;

	clear(k);
	k->text = text;
	ret = probe_parse(&k->probe, &from, &p, &k->wrong, &k->err);
	k->used = true;
	k->probe.id = 65535;
	if (!ret)
		assert_int_equal(*p, '\0');
	return ret;
}

static void is_refused(struct kernel *k, const char *text, size_t at, const char *message,
		       const char *hint)
{
	assert_int_equal(parse(k, text), -EINVAL);
	assert_string_equal(k->err.msg, message);
	assert_string_equal(k->err.hint, hint);
	assert_int_equal(k->wrong - text, at);
}

/* The fields, and the print fmt, of its format; a program can be made of them. */
static void is_format(struct kernel *k, const char *text, const char *fields, const char *print)
{
	const struct probe_program how = {
		.by_thread = true, .selves = (const u32[]){7}, .nr_selves = 1};
	struct buf format = {0}, got = {0};
	struct bpf_code code;
	struct tp_format *f;
	u32 i;

	assert_int_equal(parse(k, text), 0);
	probe_format(&k->probe, &format);
	f = tp_format_parse(format.data, format.len, &k->err);
	assert_non_null(f);
	for (i = 0; i < f->nr_fields; i++)
		if (!f->fields[i].is_common)
			buf_addf(&got, "%s%s %s@%u+%u", got.len ? ", " : "", f->fields[i].type,
				 f->fields[i].name, f->fields[i].offset, f->fields[i].size);
	assert_string_equal(buf_str(&got), fields);
	assert_string_equal(f->print_fmt, print);
	assert_int_equal(f->id, 65535);
	assert_int_equal(probe_code(&k->probe, &k->made.b, &how, &code, &k->err), 0);
	assert_true(code.insns.nr > 10);
	bpf_code_free(&code);
	tp_format_free(f);
	buf_free(&format);
	buf_free(&got);
}

static void fields(void **state)
{
	struct kernel k;

	(void)state;
	start(&k);
	is_format(&k, "skb->len)", "unsigned int len@12+4", "\"len=%u\", REC->len");
	is_format(&k, " skb -> dev->name , size = skb->len:x)",
		  "char name@16+16, unsigned int size@32+4",
		  "\"name=%s size=0x%x\", REC->name, REC->size");
	is_format(
		&k, "skb->dev->ifindex, skb->protocol, skb->pkt_type)",
		"int ifindex@12+4, unsigned short protocol@16+2, unsigned char pkt_type@18+1",
		"\"ifindex=%d protocol=%u pkt_type=%u\", REC->ifindex, REC->protocol, REC->pkt_type");
	is_format(
		&k, "*)",
		"void * skb@16+8, void * location@24+8, unsigned int reason@32+4, void * rx_sk@40+8",
		"\"skb=0x%llx location=%pS reason=%s rx_sk=0x%llx\", REC->skb, REC->location, "
		"__print_symbolic(REC->reason, { 2, \"NOT_SPECIFIED\" }), REC->rx_sk");
	/* the tracepoint's own names are of its argument alone */
	is_format(&k, "reason=skb->len)", "unsigned int reason@12+4", "\"reason=%u\", REC->reason");
	is_format(
		&k,
		"a=(skb == 0) - 1, b=!!skb->len, c=*skb->dev->name, d=*(int *)location, e=skb->truesize >> skb->len)",
		"long long a@16+8, long long b@24+8, unsigned char c@32+1, int d@36+4, unsigned long long e@40+8",
		"\"a=%lld b=%lld c=%u d=%d e=%llu\", REC->a, REC->b, REC->c, REC->d, REC->e");
	/* names of another field are those of the type */
	is_format(
		&k, "why=reason)", "unsigned int why@12+4",
		"\"why=%s\", __print_symbolic(REC->why, { 2, \"SKB_DROP_REASON_NOT_SPECIFIED\" }, "
		"{ 3, \"SKB_DROP_REASON_NO_SOCKET\" })");
	is_format(
		&k,
		"skb->dev->dev_addr:mac, rx_sk->__sk_common.skc_daddr:ip, first=skb->dev->dev_addr[0]:x, "
		"raw=skb->dev->dev_addr)",
		"__u8 dev_addr@12+6, __u8 skc_daddr@20+4, unsigned char first@24+1, __u8 raw@28+6",
		"\"dev_addr=%pM skc_daddr=%pI4 first=0x%x raw=%s\", REC->dev_addr, REC->skc_daddr, "
		"REC->first, __print_hex(REC->raw, 6)");
	is_format(
		&k,
		"a=sizeof(struct sk_buff) - sizeof (int) * sizeof *skb, b=(int)sizeof skb->dev->name + sizeof(skb))",
		"unsigned long long a@16+8, unsigned long long b@24+8",
		"\"a=%llu b=%llu\", REC->a, REC->b");
	is_format(
		&k,
		"a=-skb->len / 2 % 3 << 1 >> 1, b=skb->len <= 1 && !reason || ~1 != 2 ^ 3 | 4 & 5)",
		"long long a@16+8, long long b@24+8", "\"a=%lld b=%lld\", REC->a, REC->b");
	is_format(
		&k,
		"a=(int)skb->truesize, g=(unsigned long long)skb->len, h=(short int)1,  b=((struct sk_buff *)location)->len, c=&skb->dev, d=*skb->head, "
		"e=skb->truesize - 1, f=(__be16)skb->len)",
		"int a@12+4, unsigned long long g@16+8, short h@24+2, unsigned int b@28+4, "
		"void * c@32+8, unsigned char d@40+1, unsigned long long e@48+8, unsigned short f@56+2",
		"\"a=%d g=%llu h=%d b=%u c=0x%llx d=%u e=%llu f=%u\", REC->a, REC->g, REC->h, REC->b, "
		"REC->c, REC->d, REC->e, REC->f");
	stop(&k);
}

static void readers(void **state)
{
	struct kernel k;

	(void)state;
	start(&k);
	is_format(&k, "netns(skb))", "unsigned int netns@12+4", "\"netns=%u\", REC->netns");
	is_format(
		&k, "str(skb->dev->name, 4), buf(skb->head, 20), ustr(location))",
		"char name@12+4, __u8 head@16+20, char location@40+64",
		"\"name=%s head=%s location=%s\", REC->name, __print_hex(REC->head, 20), REC->location");
	is_refused(&k, "str(skb->len))", 4, "str() wants an address, not unsigned int",
		   "write & before a place: &x->member");
	is_refused(&k, "flow(location))", 5,
		   "flow() wants a struct sk_buff * or sock *, not void *", "");
	is_format(
		&k, "flow(rx_sk))",
		"__u8 saddr@12+28, unsigned short sport@40+2, __u8 daddr@44+28, "
		"unsigned short dport@72+2, unsigned char l4@74+1",
		"\"saddr=%pISc sport=%u daddr=%pISc dport=%u l4=%s\", REC->saddr, REC->sport, REC->daddr, "
		"REC->dport, __print_symbolic(REC->l4, { 1, \"ICMP\" }, { 2, \"IGMP\" }, { 4, \"IPIP\" }, "
		"{ 6, \"TCP\" }, { 17, \"UDP\" }, { 33, \"DCCP\" }, { 41, \"IPV6\" }, { 47, \"GRE\" }, "
		"{ 50, \"ESP\" }, { 58, \"ICMPV6\" }, { 132, \"SCTP\" }, { 136, \"UDPLITE\" })");
	is_refused(&k, "x=flow(skb))", 2, "flow() makes fields of its own names, and once", "");
	is_refused(&k, "flow(skb), flow(skb))", 11,
		   "flow() makes fields of its own names, and once", "");
	is_refused(&k, "buf(skb->head))", 4, "buf() needs a size", "buf(skb->head, 16)");
	is_refused(&k, "netns(location))", 6,
		   "netns() wants a struct sk_buff *, net_device *, sock * or net *, not void *",
		   "");
	is_refused(&k, "str(location, 0))", 14, "a size from 1 to 512 is expected here", "");
	is_refused(&k, "str(location)", 13, "',' or ')' is expected here", "");
	is_format(&k, "packet(skb, 64))",
		  "unsigned short packet_type@12+2, unsigned int packet_size@16+4, "
		  "unsigned short packet_len@20+2, __u8 packet@24+64",
		  "\"packet_type=%s packet_size=%u packet_len=%u packet=%s\", "
		  "__print_symbolic(REC->packet_type, { 1, \"Ethernet\" }, { 65534, \"none\" }), "
		  "REC->packet_size, REC->packet_len, __print_hex(REC->packet, REC->packet_len)");
	is_refused(&k, "packet(rx_sk))", 7, "packet() wants a struct sk_buff *, not struct sock *",
		   "");
	is_refused(&k, "packet(skb), packet(skb))", 13,
		   "packet() makes fields of its own names, and once", "");
	is_refused(&k, "packet(skb, 257))", 12, "a size from 1 to 256 is expected here", "");
	is_refused(&k, "inner(rx_sk))", 6, "inner() wants a struct sk_buff *, not struct sock *",
		   "");
	is_refused(&k, "inner(skb), inner(skb))", 12,
		   "inner() makes fields of its own names, and once", "");
	assert_int_equal(parse(&k, "inner(skb))"), 0);
	assert_int_equal(k.probe.fields.nr, 7);
	assert_string_equal(k.probe.fields.v[6].name, "vni");
	stop(&k);
	start(&k);
	assert_int_equal(parse(&k, "flow(skb))"), 0);
	assert_int_equal(k.probe.fields.nr, 6);
	assert_string_equal(k.probe.fields.v[3].name, "dport");
	stop(&k);
}

static void texts(void **state)
{
	static const char *const paths[] = {
		"path((struct file *)location))",
		"path(*(struct file *)location))",
		"path(&((struct file *)location)->f_path))",
		"path(((struct file *)location)->f_path))",
		"path((struct dentry *)location))",
		"path(*(struct dentry *)location))",
	};
	struct kernel k;
	u32 i;

	(void)state;
	start(&k);
	is_format(&k, "path(((struct file *)location)->f_path))", "char f_path@16+256",
		  "\"f_path=%s\", REC->f_path");
	is_format(&k, "path(skb->len), fd=path(reason))", "char path@16+256, char fd@272+256",
		  "\"path=%s fd=%s\", REC->path, REC->fd");
	is_format(&k, "name=path((struct dentry *)location, 1024), argv(location, 16), reason)",
		  "char name@16+1024, char argv@1040+16, unsigned int reason@1056+4",
		  "\"name=%s argv=%s reason=%s\", REC->name, REC->argv, "
		  "__print_symbolic(REC->reason, { 2, \"NOT_SPECIFIED\" })");
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		char named[80];

		snprintf(named, sizeof(named), "x=%s", paths[i]);
		is_format(&k, named, "char x@16+256", "\"x=%s\", REC->x");
	}
	is_refused(
		&k, "path(skb))", 5,
		"path() wants a struct path, dentry or file, or the number of a descriptor, not struct sk_buff *",
		"");
	is_refused(&k, "path(skb->len + 1))", 5, "this may be no descriptor",
		   "if it is one: path((int)...)");
	is_refused(
		&k, "x=path(*skb))", 7,
		"path() wants a struct path, dentry or file, or the number of a descriptor, not struct sk_buff",
		"");
	is_refused(&k, "path(skb, 8))", 10, "a size from 16 to 1024 is expected here", "");
	is_refused(&k, "argv(skb))", 5,
		   "argv() wants a char ** or an address, not struct sk_buff *", "");
	is_refused(&k, "argv(skb->len))", 5,
		   "argv() wants a char ** or an address, not unsigned int", "");
	is_format(&k, "argv(skb->truesize + 8))", "char argv@16+256", "\"argv=%s\", REC->argv");
	assert_int_equal(parse(&k, "sockaddr(location), len=skb->len)"), 0);
	assert_int_equal(k.probe.fields.nr, 5);
	assert_string_equal(k.probe.fields.v[3].name, "sun_path");
	assert_int_equal(parse(&k, "sockaddr(location, skb->len))"), 0);
	assert_int_equal(parse(&k, "sockaddr(*(struct sockaddr_in *)location))"), 0);
	is_refused(&k, "sockaddr(skb))", 9,
		   "sockaddr() wants a struct sockaddr * or an address, not struct sk_buff *", "");
	is_refused(&k, "sockaddr(skb->len))", 9,
		   "sockaddr() wants a struct sockaddr * or an address, not unsigned int", "");
	is_refused(&k, "sockaddr(location, skb))", 19,
		   "a number is expected here: the length of the address", "");
	is_refused(&k, "x=sockaddr(location))", 2,
		   "sockaddr() makes fields of its own names, and once", "");
	stop(&k);
}

static void mistakes(void **state)
{
	struct kernel k;

	(void)state;
	start(&k);
	is_refused(&k, "skb->lem)", 5, "struct sk_buff has no member 'lem'", "did you mean 'len'?");
	is_refused(&k, "skb->qqqqqqqqq)", 5, "struct sk_buff has no member 'qqqqqqqqq'",
		   "name one of its members; perf-lite list -v 'struct sk_buff' shows them");
	is_refused(&k, "skv->len)", 0, "'skv' is no argument of this event", "did you mean 'skb'?");
	is_refused(&k, "1 + qqqqqq)", 4, "'qqqqqq' is no argument of this event",
		   "it has skb, location, reason, rx_sk");
	is_refused(&k, "skb.len)", 3, "this is a pointer: '->' leads to its members, not '.'", "");
	is_refused(&k, "skb->len->x)", 8, "'->' follows pointers, and this is none", "");
	is_refused(&k, "skb->)", 5, "the name of a member is expected here", "");
	is_refused(&k, ")", 0, "an expression is expected here",
		   "as in skb:kfree_skb(skb->dev->name, skb->len)");
	is_refused(&k, "x=*skb)", 2, "this is struct sk_buff, which is no value",
		   "name one of its members; perf-lite list -v 'struct sk_buff' shows them");
	is_refused(&k, "skb->len + 1)", 0, "this has no name", "give it one: name=skb->len + 1");
	is_refused(&k, "skb->len, skb->len)", 10, "there are two fields 'len'",
		   "name one: other_len=...");
	is_refused(&k, "skb->len:q)", 0, "this cannot be shown as 'q'",
		   "forms are d, u, x, be, sym, ip, mac, str, hex");
	is_refused(&k, "skb->len:)", 9, "a form is expected here",
		   "forms are d, u, x, be, sym, ip, mac, str, hex");
	is_refused(&k, "skb->len:mac)", 0, "this is not the 6 bytes of a MAC address", "");
	is_refused(&k, "a=(struct nosuch *)skb)", 10, "there is no such type",
		   "perf-lite list -v 'struct NAME' shows those of the kernel");
	is_refused(&k, "a=(struct sk_buff)skb)", 10, "nothing can be made a struct or an array",
		   "write a pointer: (struct NAME *)");
	is_refused(&k, "a=skb->cb + 1)", 2, "only numbers and pointers can be computed with", "");
	is_refused(&k, "a=99999999999999999999)", 2, "the number is larger than 64 bits", "");
	is_refused(&k, "a=12ab)", 2, "this is no number", "");
	is_refused(&k, "a=(1)", 5, "',' or ')' is expected here", "");
	is_refused(&k, "a=(1", 4, "')' is expected here", "");
	is_refused(&k, "a=skb->cb[1)", 11, "']' is expected here", "");
	is_refused(&k, "a=skb->len[1])", 11, "only arrays and pointers have elements", "");
	is_refused(&k, "a=location[1])", 11, "the size of the elements is not known", "");
	is_refused(&k, "a=*skb->len)", 3, "'*' follows pointers, and this is none", "");
	is_refused(&k, "a=skb + 1)", 8, "pointers cannot be computed with",
		   "p[1] is the element behind, (unsigned long)p the address as a number");
	is_refused(&k, "a=(struct sk_buff **)location)", 10,
		   "one * is what the type of a cast can have",
		   "read the pointer as a number: (struct NAME *)*(unsigned long *)p");
	is_refused(&k, "skb->dev:mac)", 0, "this is not the 6 bytes of a MAC address", "");
	is_refused(&k, "common_x=1)", 9, "names that begin with common_ are those of all events",
		   "");
	is_refused(&k, "skb->dev->name:x)", 0, "an array cannot be shown as 'x'",
		   "forms of bytes are ip, mac, str, hex");
	is_refused(&k, "skb:hex)", 0, "these are no bytes in memory",
		   "buf(POINTER, SIZE) shows those that it leads to");
	is_refused(&k, "a=1 + 1:hex)", 2, "these are no bytes in memory",
		   "x shows a number with the base 16");
	is_refused(&k, "a=skb->len ? 1)", 14, "':' is expected here",
		   "a ? b : c, or a ?: b, which is a where that is not 0");
	is_refused(&k, "a=skb->len ? skb : 1)", 19,
		   "one side of ?: is a pointer, the other a number", "");
	is_refused(&k, "comn)", 0, "'comn' is no argument of this event",
		   "it has skb, location, reason, rx_sk");
	is_refused(&k, "gud)", 0, "'gud' is no argument of this event", "did you mean 'gid'?");
	is_refused(&k, "a=skb ?: skb->len)", 9, "one side of ?: is a pointer, the other a number",
		   "");
	is_refused(&k, "a=skb->cb ?: 1)", 2, "only numbers and pointers can be computed with", "");
	is_refused(&k, "a=&skb->pkt_type)", 3, "this has no address", "");
	is_refused(&k, "a=sizeof(struct nosuch))", 16, "there is no such type",
		   "perf-lite list -v 'struct NAME' shows those of the kernel");
	is_refused(&k, "a=sizeof)", 8, "an expression is expected here",
		   "as in skb:kfree_skb(skb->dev->name, skb->len)");
	is_refused(&k, "a=sizeof(skb->len)", 18, "',' or ')' is expected here", "");
	is_refused(&k, "a=sizeof(skv))", 9, "'skv' is no argument of this event",
		   "did you mean 'skb'?");
	is_refused(&k, "a=sizeof skb->pkt_type)", 9, "a bit-field has no size of its own", "");
	is_refused(&k, "a=sizeof(*(void *)location))", 10, "'*' follows pointers, and this is none",
		   "");
	is_refused(&k, "sizeof(skb))", 0, "this has no name", "give it one: name=sizeof(skb)");
	stop(&k);
}

static void limits(void **state)
{
	struct buf b = {0};
	struct kernel k;
	u32 i;

	(void)state;
	start(&k);
	for (i = 0; i < 33; i++)
		buf_addf(&b, "%sa%u=%u", i ? "," : "", i, i);
	buf_addc(&b, ')');
	assert_int_equal(parse(&k, buf_str(&b)), -EINVAL);
	assert_string_equal(k.err.msg, "more than 32 fields");
	buf_clear(&b);
	for (i = 0; i < 5; i++)
		buf_addf(&b, "%sa%u=buf(skb, 512)", i ? "," : "", i);
	buf_addc(&b, ')');
	assert_int_equal(parse(&k, buf_str(&b)), -EINVAL);
	assert_string_equal(k.err.msg, "the fields take more than 2048 bytes");
	buf_clear(&b);
	buf_adds(&b, "a=1");
	for (i = 0; i < 60000; i++)
		buf_adds(&b, "+1");
	buf_addc(&b, ')');
	assert_int_equal(parse(&k, buf_str(&b)), -EINVAL);
	assert_string_equal(k.err.msg, "the expressions are too long");
	buf_clear(&b);
	buf_adds(&b, "a=");
	buf_pad(&b, '(', 100);
	assert_int_equal(parse(&k, buf_str(&b)), -EINVAL);
	assert_string_equal(k.err.msg, "the expression is nested too deeply");
	buf_clear(&b);
	buf_adds(&b, "a=");
	buf_pad(&b, '~', 100);
	assert_int_equal(parse(&k, buf_str(&b)), -EINVAL);
	assert_string_equal(k.err.msg, "the expression is nested too deeply");
	assert_int_equal(
		parse(&k, "a=buf(skb, 512), b=buf(skb, 512), c=buf(skb, 512), d=buf(skb, 500))"),
		-EINVAL);
	assert_string_equal(k.err.msg, "the fields take more than 2048 bytes");
	assert_int_equal(
		parse(&k, "a=buf(skb, 512), b=buf(skb, 512), c=buf(skb, 512), d=buf(skb, 496))"),
		0);
	assert_true(k.probe.size <= 2048);
	buf_free(&b);
	stop(&k);
}

static bool has_sign(const struct expr *e, char sign)
{
	return e && ((e->op == EXPR_BINARY && e->sign == sign) || has_sign(e->a, sign) ||
		     has_sign(e->b, sign));
}

/* The table of descriptors ends before max_fds: what lies there is somebody else's, and may look like a file. */
static void descriptors(void **state)
{
	struct kernel k;

	(void)state;
	start(&k);
	assert_int_equal(parse(&k, "path(skb->len))"), 0);
	assert_true(has_sign(k.probe.fields.v[0].e, '}'));
	assert_false(has_sign(k.probe.fields.v[0].e, '>'));
	stop(&k);
}

/* What a program calls its arguments and values may be no words: it goes into a format, and must not be read as more of that. */
static void foreign_names(void **state)
{
	static const char *const names[] = {"&x", "~r0", "_r0", "a;\toffset:0", "1st", "level"};
	static const char lines[] = "\tfield:int _x;\toffset:12;\tsize:4;\tsigned:1;\n"
				    "\tfield:int _r0;\toffset:16;\tsize:4;\tsigned:1;\n"
				    "\tfield:int other__r0;\toffset:20;\tsize:4;\tsigned:1;\n"
				    "\tfield:int a__offset_0;\toffset:24;\tsize:4;\tsigned:1;\n"
				    "\tfield:int other_1st;\toffset:28;\tsize:4;\tsigned:1;\n"
				    "\tfield:unsigned int level;\toffset:32;\tsize:4;\tsigned:0;\n";
	struct arena arena = {0};
	struct arguments l = {.arena = &arena};
	struct arguments_function f = {0};
	struct probe_source from = {.name = "f", .arena = &arena, .arguments = &l, .user = true};
	const char *text = "*)", *wrong;
	struct buf format = {0};
	struct err err = {0};
	struct tp_format *own;
	struct tp_prog *prog;
	struct probe probe;
	struct made m;
	u32 i, s32t, level;

	(void)state;
	begin(&m);
	s32t = add(&m, "int", BTF_INT, 0, false, 4);
	buf_u32(&m.types, 1u << 24 | 32);
	level = add(&m, "level", BTF_ENUM, 4, false, 4);
	more(&m, "LOW", 1), more(&m, "A\"B", 2), more(&m, "A\nB", 3), more(&m, "A\\", 4);
	f.id = add(&m, "", BTF_FUNC_PROTO, ARRAY_SIZE(names), false, s32t);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		more(&m, names[i], i + 1 < ARRAY_SIZE(names) ? s32t : level);
	assert_int_equal(finish(&m, NULL), 0);
	f.b = from.btf = &m.b;
	assert_int_equal(arguments_typed(&l, arch_x86_64.call, &f, false, NULL), 0);
	assert_int_equal(probe_parse(&probe, &from, &text, &wrong, &err), 0);
	assert_string_equal(probe.renamed, "_x, _r0, other__r0, a__offset_0, other_1st");
	probe_format(&probe, &format);
	assert_non_null(strstr(buf_str(&format), lines));
	assert_non_null(strstr(buf_str(&format), "__print_symbolic(REC->level, { 1, \"LOW\" })\n"));
	own = tp_format_parse(format.data, format.len, &err);
	assert_non_null(own);
	prog = tp_prog_compile(own, NULL, &err);
	assert_non_null(prog);
	tp_prog_free(prog);
	tp_format_free(own);
	buf_free(&format);
	probe_free(&probe);
	arguments_free(&l);
	arena_free(&arena);
	end(&m);
}

/* Of what is long there is the beginning, and a word about it. */
static void long_arrays(void **state)
{
	struct kernel k;

	(void)state;
	start(&k);
	is_format(&k, "((struct pt_regs *)location)->regs)", "__u8 regs@12+256",
		  "\"regs=%s\", __print_hex(REC->regs, 256)");
	assert_null(k.probe.cut);
	is_format(&k, "((struct large *)location)->text, all=*(struct large *)location:hex)",
		  "char text@16+256, __u8 all@272+256",
		  "\"text=%s all=%s\", REC->text, __print_hex(REC->all, 256)");
	assert_string_equal(k.probe.cut, "text has the first 256 of 300 bytes, "
					 "all has the first 256 of 300 bytes");
	stop(&k);
}

/* A kernel without the types of the event. */
static void untyped(void **state)
{
	struct kernel k;
	struct probe_source from;
	const char *text = "skb->len)";

	(void)state;
	start(&k);
	from = (struct probe_source){.btf = &k.made.b, .name = "nosuch", .arena = &k.arena};
	assert_int_equal(probe_parse(&k.probe, &from, &text, &k.wrong, &k.err), -ENOTSUP);
	assert_string_equal(k.err.msg, "the running kernel has no types of what nosuch hands over");
	stop(&k);
}

static int all_with_little_memory(struct kernel *k)
{
	static const char list[] =
		"skb->dev->name, flow(skb), netns(skb), inner(skb), packet(skb), file=path((struct file *)location), path(skb->len), "
		"argv(location), sockaddr(location, 16), ((struct large *)location)->text, a=skb->len * 2 > 3 ?: uid ? skb->len : 1, comm, *)";
	const struct probe_program how = {0};
	struct buf format = {0};
	struct bpf_code code = {0};
	int ret = parse(k, list);

	if (!ret) {
		probe_format(&k->probe, &format);
		ret = format.failed ? -ENOMEM
				    : probe_code(&k->probe, &k->made.b, &how, &code, &k->err);
		if (ret == -E2BIG)
			ret = -ENOMEM;
		if (!ret)
			bpf_code_free(&code);
	}
	buf_free(&format);
	clear(k);
	return ret;
}

static void little_memory(void **state)
{
	struct kernel k;
	unsigned int n;
	int ret;

	(void)state;
	start(&k);
	for (n = 0;; n++) {
		oom_after(n);
		ret = all_with_little_memory(&k);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_int_equal(ret, 0);
	stop(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),        cmocka_unit_test(readers),
		cmocka_unit_test(texts),         cmocka_unit_test(mistakes),
		cmocka_unit_test(limits),        cmocka_unit_test(untyped),
		cmocka_unit_test(descriptors),   cmocka_unit_test(little_memory),
		cmocka_unit_test(foreign_names), cmocka_unit_test(long_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
