// SPDX-License-Identifier: GPL-2.0
/* READER(x, ...) in lists of expressions: of what it is, and the fields that it makes. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/probe/probe_internal.h"

#define TEXT_MAX   512u /* of str() and buf() */
#define TEXT_LEAST 16u  /* of path() and argv() */
#define SOCKADDR   28u  /* struct sockaddr_in6, as the kernel's own events have it */
#define SUN_PATH   108u /* of a struct sockaddr_un */

static bool is_struct(const struct btf *b, u32 of)
{
	const enum btf_kind kind = btf_resolve(b, of).kind;

	return kind == BTF_STRUCT || kind == BTF_UNION;
}

/* What is typed: READER(x, SIZE or LENGTH). */
struct reading {
	const char *reader;
	const struct expr *x, *length;
	u32 size;
	const char *at; /* where x begins */
};

/* Follow members by name from x, whatever its type leads to. */
static const struct expr *follow_all(struct probe_parser *p, const struct expr *x,
				     const char *const *names)
{
	for (; x && *names; names++)
		x = expr_member(&p->scope, x, *names, NULL);
	return x;
}

static bool points_to(struct probe_parser *p, const struct expr *e, const char *name)
{
	const struct btf *b = p->from->btf;

	return e->type.kind == EXPR_POINTER && e->type.of &&
	       !strcmp(btf_resolve(b, e->type.of).name, name);
}

/* Such a struct, or a pointer to one. */
static bool leads_to(struct probe_parser *p, const struct expr *e, const char *name)
{
	return points_to(p, e, name) || (e->is_place && e->type.kind == EXPR_STRUCT &&
					 !strcmp(btf_resolve(p->from->btf, e->type.of).name, name));
}

static bool is_address(const struct expr *e)
{
	return e->type.kind == EXPR_POINTER || e->type.kind == EXPR_ARRAY ||
	       (e->type.kind == EXPR_NUMBER && e->type.size == sizeof(u64));
}

static int wants(struct probe_parser *p, const struct reading *r, const char *what)
{
	struct buf type = {0};

	expr_type_text(p->from->btf, &r->x->type, &type);
	err_set(p->err, EINVAL, "%s() wants %s, not %s", r->reader, what, buf_str(&type));
	buf_free(&type);
	return probe_wrong(p, r->at);
}

static const struct expr *packet_netns(struct probe_parser *p, const struct expr *skb)
{
	static const char *const unproven[] = {"dev", "nd_net", "net", "ns", "inum", NULL};
	const struct expr_argument argument = {.name = "skb", .e = skb};
	struct expr_scope scope = p->scope;
	const char *text = PROBE_NETNS("skb->sk");
	struct err why = {0};
	const struct expr *e;

	scope.arguments = &argument;
	scope.nr_arguments = 1;
	e = expr_parse(&scope, &text, &why);
	p->scope.no_memory |= scope.no_memory;
	p->scope.nodes = scope.nodes;
	return e || scope.no_memory ? e : follow_all(p, skb, unproven);
}

static int read_netns(struct probe_parser *p, struct probe_field *f, const struct reading *r)
{
	static const struct {
		const char *type;
		const char *names[6];
	} ways[] = {
		{"net_device", {"nd_net", "net", "ns", "inum", NULL}},
		{"sock", {"__sk_common", "skc_net", "net", "ns", "inum", NULL}},
		{"net", {"ns", "inum", NULL}},
	};
	const struct expr *e = NULL;
	u32 i;

	if (points_to(p, r->x, "sk_buff"))
		e = packet_netns(p, r->x);
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		if (points_to(p, r->x, ways[i].type))
			e = follow_all(p, r->x, ways[i].names);
	if (e && e->type.kind == EXPR_NUMBER)
		return probe_number_field(p, f, e, "", r->at);
	return wants(p, r, "a struct sk_buff *, net_device *, sock * or net *");
}

struct with_field {
	const char *name, *type;
	u32 size;
	const char *conversion, *argument;
};

/* Fields that come together. */
static int add_together(struct probe_parser *p, const struct with_field *fields, u32 nr,
			enum probe_what what, const struct reading *r)
{
	struct probe_field *f;
	bool is_array;
	int ret = 0;
	u32 i;

	for (i = 0; i < nr && !ret; i++) {
		f = probe_add_field(p, fields[i].name, r->at);
		if (!f)
			return -EINVAL;
		is_array = !strcmp(fields[i].type, "__u8") || !strcmp(fields[i].type, "char");
		f->what = i ? PROBE_WITH : what;
		f->e = r->x;
		f->length = r->length;
		f->type = fields[i].type;
		f->is_array = is_array;
		f->conversion = fields[i].conversion;
		f->argument = fields[i].argument;
		ret = probe_place(p, f, fields[i].size, is_array ? 4 : fields[i].size, r->at);
	}
	return ret;
}

/* In the order in which probe_flow.c and probe_flow_socket.c fill them. */
#define FLOW_OF(in)                                                                                            \
	{in "saddr", "__u8", SOCKADDR, "%pISc", NULL},                                                         \
		{in "sport", "unsigned short", 2, "%u", NULL},                                                 \
		{in "daddr", "__u8", SOCKADDR, "%pISc", NULL},                                                 \
		{in "dport", "unsigned short", 2, "%u", NULL},                                                 \
		{in "l4", "unsigned char", 1, "%s",                                                            \
		 "__print_symbolic(REC->" in                                                                   \
		 "l4, { 1, \"ICMP\" }, { 2, \"IGMP\" }, { 4, \"IPIP\" }, "                                     \
		 "{ 6, \"TCP\" }, { 17, \"UDP\" }, { 33, \"DCCP\" }, { 41, \"IPV6\" }, { 47, \"GRE\" }, "      \
		 "{ 50, \"ESP\" }, { 58, \"ICMPV6\" }, { 132, \"SCTP\" }, { 136, \"UDPLITE\" })"},             \
	{                                                                                                      \
		in "tcp_flags", "unsigned char", 1, "%s",                                                      \
			"__print_flags(REC->" in                                                               \
			"tcp_flags, \"|\", { 1, \"FIN\" }, { 2, \"SYN\" }, { 4, \"RST\" }, "                   \
			"{ 8, \"PSH\" }, { 16, \"ACK\" }, { 32, \"URG\" }, { 64, \"ECE\" }, { 128, \"CWR\" })" \
	}

static int read_flow(struct probe_parser *p, struct probe_field *none, const struct reading *r)
{
	static const struct with_field fields[] = {FLOW_OF("")};

	(void)none;
	/* a socket has what a packet has but for the flags, which come last */
	if (points_to(p, r->x, "sock"))
		return add_together(p, fields, ARRAY_SIZE(fields) - 1, PROBE_FLOW_SOCKET, r);
	if (points_to(p, r->x, "sk_buff"))
		return add_together(p, fields, ARRAY_SIZE(fields), PROBE_FLOW, r);
	return wants(p, r, "a struct sk_buff * or sock *");
}

static int read_inner(struct probe_parser *p, struct probe_field *none, const struct reading *r)
{
	static const struct with_field fields[] = {
		FLOW_OF("inner_"),
		{"vni", "unsigned int", 4, "%u", NULL},
	};

	(void)none;
	if (points_to(p, r->x, "sk_buff"))
		return add_together(p, fields, ARRAY_SIZE(fields), PROBE_INNER, r);
	return wants(p, r, "a struct sk_buff *");
}

/* In the order in which probe_packet.c fills them. */
static int read_packet(struct probe_parser *p, struct probe_field *none, const struct reading *r)
{
	const struct with_field fields[] = {
		{"packet_type", "unsigned short", 2, "%s",
		 "__print_symbolic(REC->packet_type, { 1, \"Ethernet\" }, { 65534, \"none\" })"},
		{"packet_size", "unsigned int", 4, "%u", NULL},
		{"packet_len", "unsigned short", 2, "%u", NULL},
		{"packet", "__u8", r->size, "%s", "__print_hex(REC->packet, REC->packet_len)"},
	};

	(void)none;
	if (points_to(p, r->x, "sk_buff"))
		return add_together(p, fields, ARRAY_SIZE(fields), PROBE_PACKET_BYTES, r);
	return wants(p, r, "a struct sk_buff *");
}

/* In the order in which probe_sockaddr.c fills them. */
static int read_sockaddr(struct probe_parser *p, struct probe_field *none, const struct reading *r)
{
	static const struct with_field fields[] = {
		{"family", "unsigned short", 2, "%s",
		 "__print_symbolic(REC->family, { 0, \"AF_UNSPEC\" }, { 1, \"AF_UNIX\" }, { 2, \"AF_INET\" }, "
		 "{ 10, \"AF_INET6\" }, { 16, \"AF_NETLINK\" }, { 17, \"AF_PACKET\" }, "
		 "{ 29, \"AF_CAN\" }, { 31, \"AF_BLUETOOTH\" }, { 38, \"AF_ALG\" }, "
		 "{ 40, \"AF_VSOCK\" }, { 44, \"AF_XDP\" })"},
		{"addr", "__u8", SOCKADDR, "%pISc", NULL},
		{"port", "unsigned short", 2, "%u", NULL},
		{"sun_path", "char", SUN_PATH, "%s", NULL},
	};
	const struct expr_type *t = &r->x->type;
	const u32 of = t->kind == EXPR_POINTER || t->kind == EXPR_STRUCT ? t->of : 0;

	(void)none;
	/* struct sockaddr_in, __kernel_sockaddr_storage ...; void * and such are the user's to know */
	if (is_address(r->x) || (r->x->is_place && t->kind == EXPR_STRUCT))
		if (!of || !is_struct(p->from->btf, of) ||
		    strstr(btf_resolve(p->from->btf, of).name, "sockaddr"))
			return add_together(p, fields, ARRAY_SIZE(fields), PROBE_SOCKADDR, r);
	return wants(p, r, "a struct sockaddr * or an address");
}

static int long_text(struct probe_parser *p, struct probe_field *f, enum probe_what what,
		     const struct expr *e, const struct reading *r)
{
	f->what = what;
	f->e = e;
	f->type = "char";
	f->is_array = true;
	f->conversion = "%s";
	return probe_place(p, f, r->size, 8, r->at);
}

/*
 * The file behind a descriptor of the task that runs, as a place: curtask->files->fdt->fd[n]. From max_fds on there is none, and
 * then the address is one that cannot be read. A word with more than 32 bits is none, either. NULL: the kernel has other types.
 */
static const struct expr *file_of(struct probe_parser *p, const struct expr *descriptor)
{
	static const char table[] = "curtask->files->fdt";
	const char *text = table;
	struct arena *arena = p->from->arena;
	const struct expr_type word = expr_number_type(sizeof(u64), false);
	struct err why = {0};
	const struct expr *fdt = expr_parse(&p->scope, &text, &why);
	const struct expr *fd = fdt ? expr_member(&p->scope, fdt, "fd", &why) : NULL;
	const struct expr *most = fd ? expr_member(&p->scope, fdt, "max_fds", &why) : NULL;
	const struct expr *n, *at, *size;

	if (!most)
		return NULL;
	n = expr_cast(arena, expr_number_type(descriptor->type.size, false), descriptor);
	at = expr_operation(arena, '}', n, most);
	size = expr_constant(arena, word, 59);
	at = at && size ? expr_operation(arena, 'l', at, size) : NULL;
	at = n ? expr_sum(arena, n, at) : NULL;
	size = expr_constant(arena, word, sizeof(u64));
	at = at && size ? expr_operation(arena, '*', at, size) : NULL;
	at = expr_memory(arena, expr_type_of(p->from->btf, fd->type.of), expr_sum(arena, fd, at));
	p->scope.no_memory |= !at;
	return at;
}

static int read_path(struct probe_parser *p, struct probe_field *f, const struct reading *r)
{
	static const char *const of_file[] = {"f_path", NULL};
	const struct expr *e = r->x;

	/* what is computed, and registers without types, may be anything */
	if (e->type.kind == EXPR_NUMBER && e->type.size == sizeof(u64) && e->type.is_signed) {
		err_set(p->err, EINVAL, "this may be no descriptor");
		err_hint(p->err, "if it is one: path((int)...)");
		return probe_wrong(p, r->at);
	}
	if (e->type.kind == EXPR_NUMBER)
		e = file_of(p, e);
	if (!e) {
		err_set(p->err, EINVAL, "the running kernel has no types of open files");
		return probe_wrong(p, r->at);
	}
	if (leads_to(p, e, "dentry"))
		return long_text(p, f, PROBE_PATH_DENTRY, e, r);
	if (leads_to(p, e, "file"))
		e = follow_all(p, e, of_file);
	if (e && leads_to(p, e, "path"))
		return long_text(p, f, PROBE_PATH, e, r);
	return wants(p, r, "a struct path, dentry or file, or the number of a descriptor");
}

static int read_argv(struct probe_parser *p, struct probe_field *f, const struct reading *r)
{
	const struct expr_type *t = &r->x->type;

	if (is_address(r->x) && t->kind != EXPR_ARRAY &&
	    !(t->kind == EXPR_POINTER && is_struct(p->from->btf, t->of)))
		return long_text(p, f, PROBE_ARGV, r->x, r);
	return wants(p, r, "a char ** or an address");
}

static int read_memory(struct probe_parser *p, struct probe_field *f, const struct reading *r)
{
	int ret;

	if (!is_address(r->x)) {
		ret = wants(p, r, "an address");
		err_hint(p->err, "write & before a place: &x->member");
		return ret;
	}
	if (!strcmp(r->reader, "buf"))
		return probe_bytes_field(p, f, r->x, r->size, r->at);
	ret = probe_text_field(p, f, r->x, r->size, r->at);
	if (*r->reader == 'u')
		f->what = PROBE_USER_STRING;
	return ret;
}

static const struct probe_reader {
	const char *name;
	u32 size;        /* of what is read, unless it is given; 0: it must be */
	u32 least, most; /* most 0: it has none */
	bool together;   /* it makes fields of its own names; else one ... */
	bool of_what;    /* ... that is named as what is read ... */
	bool by_number;  /* ... unless that is a number */
	bool has_length; /* in place of a size, an expression */
	bool of_kernel;  /* it reads no memory of programs */
	int (*read)(struct probe_parser *p, struct probe_field *f, const struct reading *r);
} readers[] = {
	{"str", PROBE_TEXT, 1, TEXT_MAX, .of_what = true, .read = read_memory},
	{"ustr", PROBE_TEXT, 1, TEXT_MAX, .of_what = true, .read = read_memory},
	{"buf", 0, 1, TEXT_MAX, .of_what = true, .read = read_memory},
	{"netns", .of_kernel = true, .read = read_netns},
	{"flow", .together = true, .of_kernel = true, .read = read_flow},
	{"inner", .together = true, .of_kernel = true, .read = read_inner},
	{"packet", PROBE_PACKET, 1, PROBE_PACKET_MAX, .together = true, .of_kernel = true,
	 .read = read_packet},
	{"path", PROBE_LONG, TEXT_LEAST, PROBE_LONG_MAX, .of_what = true, .by_number = true,
	 .of_kernel = true, .read = read_path},
	{"argv", PROBE_LONG, TEXT_LEAST, PROBE_LONG_MAX, .read = read_argv},
	{"sockaddr", .together = true, .has_length = true, .read = read_sockaddr},
};

const struct probe_reader *probe_reader_at(const char *s)
{
	size_t n = probe_word(s), skip = n;
	u32 i;

	while (isspace((u8)s[skip]))
		skip++;
	for (i = 0; n && s[skip] == '(' && i < ARRAY_SIZE(readers); i++)
		if (strlen(readers[i].name) == n && !memcmp(s, readers[i].name, n))
			return &readers[i];
	return NULL;
}

int probe_reader_check(struct probe_parser *p)
{
	const char *at = p->p, *behind = at + probe_word(at);
	struct text_suggest suggest;
	struct buf all = {0};
	char name[32];
	u32 i;

	if (behind == at || behind[strspn(behind, " \t\n")] != '(' || !strncmp(at, "sizeof", 6))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)(behind - at), at);
	text_suggest_init(&suggest, name);
	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		text_suggest_add(&suggest, readers[i].name);
		buf_addf(&all, "%s%s", i ? ", " : "", readers[i].name);
	}
	err_set(p->err, EINVAL, "nothing is read by '%s'", name);
	if (suggest.best)
		err_hint(p->err, "did you mean '%s'?", suggest.best);
	else
		err_hint(p->err, "there are %s", buf_str(&all));
	buf_free(&all);
	return probe_wrong(p, at);
}

/* ", LENGTH" */
static int take_length(struct probe_parser *p, struct reading *r)
{
	const char *at = (probe_peek(p), p->p);

	r->length = expr_parse(&p->scope, &p->p, p->err);
	if (!r->length)
		return -EINVAL;
	if (r->length->type.kind == EXPR_NUMBER)
		return 0;
	err_set(p->err, EINVAL, "a number is expected here: the length of the address");
	return probe_wrong(p, at);
}

/* ", SIZE" */
static int take_size(struct probe_parser *p, const struct probe_reader *reader, struct reading *r)
{
	const char *at;
	char *end;
	unsigned long v;

	r->size = reader->size;
	if (!(reader->most || reader->has_length) || !probe_take(p, ','))
		return 0;
	if (reader->has_length)
		return take_length(p, r);
	probe_peek(p);
	at = p->p;
	v = strtoul(at, &end, 0);
	p->p = end;
	if (end > at && v >= reader->least && v <= reader->most) {
		r->size = (u32)v;
		return 0;
	}
	err_set(p->err, EINVAL, "a size from %u to %u is expected here", reader->least,
		reader->most);
	return probe_wrong(p, at);
}

/* May it be used here? */
static int check_reader(struct probe_parser *p, const struct probe_reader *reader, const char *name,
			const char *at)
{
	const u32 bit = 1u << (reader - readers);

	if (p->from->user && reader->of_kernel) {
		err_set(p->err, EINVAL, "%s() reads the kernel's memory, and this is a program's",
			reader->name);
		return probe_wrong(p, at);
	}
	if (reader->together && (name || p->together & bit)) {
		err_set(p->err, EINVAL, "%s() makes fields of its own names, and once",
			reader->name);
		return probe_wrong(p, at);
	}
	p->together |= bit;
	return 0;
}

int probe_reader_parse(struct probe_parser *p, const struct probe_reader *reader, const char *name)
{
	const char *start = p->p;
	struct reading r = {.reader = reader->name};
	struct probe_field *f = NULL;
	int ret = check_reader(p, reader, name, start);

	if (ret)
		return ret;
	p->p += strlen(reader->name);
	probe_take(p, '(');
	probe_peek(p);
	r.at = p->p;
	r.x = expr_parse(&p->scope, &p->p, p->err);
	if (!r.x)
		return -EINVAL;
	if (!name && !reader->together)
		name = reader->of_what && !(reader->by_number && r.x->type.kind == EXPR_NUMBER)
			       ? probe_name_of(p, r.at, p->p)
			       : reader->name;
	ret = take_size(p, reader, &r);
	if (ret)
		return ret;
	if (!probe_take(p, ')')) {
		err_set(p->err, EINVAL, "')' is expected here");
		return probe_wrong(p, p->p);
	}
	if (reader->most && !r.size) {
		err_set(p->err, EINVAL, "%s() needs a size", r.reader);
		err_hint(p->err, "%s(%.*s, 16)", r.reader, (int)MIN(p->p - 1 - r.at, 60), r.at);
		return probe_wrong(p, r.at);
	}
	if (!reader->together)
		f = name ? probe_add_field(p, name, start) : NULL;
	return f || reader->together ? reader->read(p, f, &r) : -EINVAL;
}
