// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_filter_internal.h"

#include <ctype.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "util/base/errno_names.h"
#include "util/base/ethertype.h"
#include "util/base/num.h"
#include "util/base/text.h"

/*
 * Names of numbers that are the same in every kernel: protocols, families of
 * addresses, errors, signals.
 *
 * Full names (ETH_P_IP, IPPROTO_TCP, AF_INET, ENOENT, SIGKILL) hold for every field. Short ones (IPv4,
 * TCP, INET, KILL), and without regard to case, for fields that are known to have such values: a
 * `protocol` is that of a packet, of a socket if the event is one of sockets.
 *
 * Source: <linux/if_ether.h>, <netinet/in.h>, <sys/socket.h>, errno(3), signal(7).
 */

struct word {
	const char *name; /* without the prefix */
	u64 value;
};

/* As <linux/if_ether.h> has them; ethertype.h has the names that people see. */
static const struct word ether[] = {
	{"IP", ETH_P_IP},         {"IPV6", ETH_P_IPV6},         {"ARP", ETH_P_ARP},
	{"RARP", ETH_P_RARP},     {"8021Q", ETH_P_8021Q},       {"VLAN", ETH_P_8021Q},
	{"8021AD", ETH_P_8021AD}, {"LLDP", ETH_P_LLDP},         {"PAE", ETH_P_PAE},
	{"MACSEC", ETH_P_MACSEC}, {"1588", ETH_P_1588},         {"BATMAN", ETH_P_BATMAN},
	{"TIPC", ETH_P_TIPC},     {"AOE", ETH_P_AOE},           {"FCOE", ETH_P_FCOE},
	{"FIP", ETH_P_FIP},       {"MPLS_UC", ETH_P_MPLS_UC},   {"MPLS_MC", ETH_P_MPLS_MC},
	{"TEB", ETH_P_TEB},       {"LOOP", ETH_P_LOOP},         {"LOOPBACK", ETH_P_LOOPBACK},
	{"SLOW", ETH_P_SLOW},     {"PPP_DISC", ETH_P_PPP_DISC}, {"PPP_SES", ETH_P_PPP_SES},
	{"ALL", ETH_P_ALL},       {"802_2", ETH_P_802_2},       {"CAN", ETH_P_CAN},
	{"CANFD", ETH_P_CANFD},   {"NSH", ETH_P_NSH},           {"ERSPAN", ETH_P_ERSPAN},
	{"MAP", ETH_P_MAP},       {"PROFINET", ETH_P_PROFINET},
};

static const struct word transport[] = {
	{"IP", IPPROTO_IP},     {"ICMP", IPPROTO_ICMP},       {"IGMP", IPPROTO_IGMP},
	{"IPIP", IPPROTO_IPIP}, {"TCP", IPPROTO_TCP},         {"EGP", IPPROTO_EGP},
	{"PUP", IPPROTO_PUP},   {"UDP", IPPROTO_UDP},         {"IDP", IPPROTO_IDP},
	{"TP", IPPROTO_TP},     {"DCCP", IPPROTO_DCCP},       {"IPV6", IPPROTO_IPV6},
	{"RSVP", IPPROTO_RSVP}, {"GRE", IPPROTO_GRE},         {"ESP", IPPROTO_ESP},
	{"AH", IPPROTO_AH},     {"ICMPV6", IPPROTO_ICMPV6},   {"MTP", IPPROTO_MTP},
	{"PIM", IPPROTO_PIM},   {"ENCAP", IPPROTO_ENCAP},     {"COMP", IPPROTO_COMP},
	{"SCTP", IPPROTO_SCTP}, {"UDPLITE", IPPROTO_UDPLITE}, {"MPLS", IPPROTO_MPLS},
	{"RAW", IPPROTO_RAW},   {"MPTCP", IPPROTO_MPTCP},     {"ETHERNET", IPPROTO_ETHERNET},
};

static const struct word family[] = {
	{"UNSPEC", AF_UNSPEC},   {"UNIX", AF_UNIX},   {"LOCAL", AF_LOCAL},
	{"INET", AF_INET},       {"INET6", AF_INET6}, {"NETLINK", AF_NETLINK},
	{"PACKET", AF_PACKET},   {"VSOCK", AF_VSOCK}, {"BLUETOOTH", AF_BLUETOOTH},
	{"CAN", AF_CAN},         {"ALG", AF_ALG},     {"TIPC", AF_TIPC},
	{"IPv4", AF_INET},       {"IPv6", AF_INET6},  {"KEY", AF_KEY},
	{"XDP", AF_XDP},         {"KCM", AF_KCM},     {"RDS", AF_RDS},
	{"QIPCRTR", AF_QIPCRTR}, {"SMC", AF_SMC},
};

static bool is_one_of(const char *s, const char *const *names)
{
	for (; s && *names; names++)
		if (!strcmp(s, *names))
			return true;
	return false;
}

static const char *const socket_systems[] = {"sock", "tcp",  "udp", "mptcp",
					     "fib",  "fib6", "smc", NULL};

static bool is_ether(const char *system, const struct tp_field *f)
{
	static const char *const names[] = {"protocol", "vlan_proto", "eth_proto", "ethertype",
					    NULL};

	return f->size == 2 && is_one_of(f->name, names) && !is_one_of(system, socket_systems);
}

static bool is_transport(const char *system, const struct tp_field *f)
{
	static const char *const names[] = {"proto", "ip_proto", "l4proto", NULL};

	return is_one_of(f->name, names) ||
	       (!strcmp(f->name, "protocol") && is_one_of(system, socket_systems));
}

static bool is_family(const char *system, const struct tp_field *f)
{
	static const char *const names[] = {"family", "sa_family", "pf", NULL};

	(void)system;
	return is_one_of(f->name, names);
}

static const struct table {
	const char *prefix;
	bool (*of_field)(const char *system, const struct tp_field *f);
	const struct word *words;
	u32 nr;
} tables[] = {
	{"ETH_P_", is_ether, ether, ARRAY_SIZE(ether)},
	{"IPPROTO_", is_transport, transport, ARRAY_SIZE(transport)},
	{"AF_", is_family, family, ARRAY_SIZE(family)},
	{"PF_", is_family, family, ARRAY_SIZE(family)},
};

static bool find_in(const struct table *t, const char *word, u64 *v)
{
	u32 i;

	for (i = 0; i < t->nr; i++) {
		if (strcasecmp(word, t->words[i].name) != 0)
			continue;
		*v = t->words[i].value;
		return true;
	}
	return false;
}

static bool find_signal(const char *word, u64 *v)
{
	const char *name;
	int i;

	for (i = 1; i < NSIG; i++) {
		name = sigabbrev_np(i);
		if (!name || strcmp(word, name) != 0)
			continue;
		*v = (u64)i;
		return true;
	}
	return false;
}

static bool is_signal(const struct tp_field *f)
{
	static const char *const names[] = {"sig", "signo", "signal", NULL};

	return is_one_of(f->name, names);
}

/* field NULL: full names only; system NULL: not known. */
static bool find_common_name(const char *system, const struct tp_field *f, const char *word, u64 *v)
{
	size_t len;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		len = strlen(tables[i].prefix);
		if (!strncmp(word, tables[i].prefix, len) && find_in(&tables[i], word + len, v))
			return true;
		if (f && tables[i].of_field(system, f) && find_in(&tables[i], word, v))
			return true;
	}
	if (f && is_ether(system, f) && ethertype_value(word, v))
		return true;
	if (*word == 'E') {
		*v = errno_value(word, strlen(word));
		if (*v)
			return true;
	}
	if (!strncmp(word, "SIG", 3) && find_signal(word + 3, v))
		return true;
	return f && is_signal(f) && find_signal(word, v);
}

/* Call `each` with the short names that the field has. */
static void each_common_name(const char *system, const struct tp_field *f,
			     void (*each)(void *arg, const char *name), void *arg)
{
	u32 i, j;

	if (is_ether(system, f))
		ethertype_each(each, arg);
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (j = 0; tables[i].of_field(system, f) && j < tables[i].nr; j++)
			each(arg, tables[i].words[j].name);
}

/* What ends a word that means a number. */
#define ENDS "|&!=<>~,\"'"

/* A number as it was typed. */
struct typed {
	u64 v; /* of two's complement where it is negative */
	bool negative, hex;
	bool alone; /* a name of one value, not of a flag */
};

/* Names of the values of one field: of its print fmt, of its type. Read when they are asked for. */
struct names {
	struct tp_name_list printed, of_type;
	bool have_printed, have_type;
};

static bool read_printed(struct tp_filter_parser *p, const struct tp_field *f, struct names *n)
{
	int ret = 0;

	if (!n->have_printed)
		ret = tp_names_list(p->f, f, &p->opts->print, &n->printed, p->err);
	n->have_printed = true;
	if (ret)
		p->failed = ret;
	return !ret;
}

static bool read_type(struct tp_filter_parser *p, const struct tp_field *f, struct names *n)
{
	const struct tp_filter_names *from = p->opts->names;
	int ret = 0;

	if (!n->have_type && from && from->of_type)
		ret = from->of_type(from->arg, f->type, &n->of_type, p->err);
	n->have_type = true;
	if (ret)
		p->failed = ret;
	return !ret;
}

static void free_names(struct names *n)
{
	tp_names_list_free(&n->printed);
	tp_names_list_free(&n->of_type);
}

/* ---- names ---- */

/*
 * Part of the value only (prev_state & 0xff) is as good as the whole where it is made of flags; what
 * else is done to a value before it is named nobody can undo.
 */
static bool printed_count(const struct tp_name_list *l)
{
	return l->whole || l->flags;
}

static bool find_name(const struct tp_name_list *l, const char *word, size_t skip, u64 *v)
{
	size_t len = strlen(word);
	u32 i;

	for (i = 0; i < l->v.nr; i++) {
		const struct tp_value_name *n = &l->v.v[i];

		if (n->len != skip + len || memcmp(n->name + skip, word, len) != 0)
			continue;
		*v = n->value;
		return true;
	}
	return false;
}

/* Are the enumerators of a type flags? Then each has a bit of its own, and there are several. */
static bool are_bits(const struct tp_name_list *l)
{
	u32 i, bits = 0;

	for (i = 0; i < l->v.nr; i++) {
		if (l->v.v[i].value & (l->v.v[i].value - 1))
			return false;
		bits += l->v.v[i].value > 2;
	}
	return bits > 0;
}

/* Bytes that all names begin with, up to an underscore. */
static size_t common_prefix(const struct tp_name_list *l)
{
	size_t len = l->v.nr > 1 ? l->v.v[0].len : 0, n;
	u32 i;

	for (i = 1; i < l->v.nr; i++) {
		for (n = 0; n < MIN(len, l->v.v[i].len) && l->v.v[i].name[n] == l->v.v[0].name[n];)
			n++;
		len = n;
	}
	while (len && l->v.v[0].name[len - 1] != '_')
		len--;
	return len;
}

/* Is the beginning of this name the name of its type, as of SKB_DROP_REASON_... ? Its length. */
static size_t type_prefix(const struct tp_field *f, const struct tp_value_name *n)
{
	const char *type = strchr(f->type, ' ');
	size_t i;

	if (!type)
		return 0;
	for (type++, i = 0; type[i]; i++)
		if (i >= n->len || toupper((u8)type[i]) != n->name[i])
			return 0;
	return i < n->len && n->name[i] == '_' ? i + 1 : 0;
}

static bool find_by_type(const struct tp_field *f, const struct tp_name_list *l, const char *word,
			 u64 *v)
{
	size_t skip = common_prefix(l);
	u32 i;

	if (find_name(l, word, 0, v) || (skip && find_name(l, word, skip, v)))
		return true;
	for (i = 0; i < l->v.nr; i++) {
		skip = type_prefix(f, &l->v.v[i]);
		if (skip)
			return find_name(l, word, skip, v);
	}
	return false;
}

static bool find_word(struct tp_filter_parser *p, const struct tp_filter_value *v, struct names *n,
		      const char *word, struct typed *t)
{
	const struct tp_field *f = v->what == TP_FILTER_FIELD ? v->field : NULL;

	if (f && !read_printed(p, f, n))
		return false;
	t->alone = !n->printed.flags;
	if (f && printed_count(&n->printed) && find_name(&n->printed, word, 0, &t->v))
		return true;
	if (f && !read_type(p, f, n))
		return false;
	t->alone = t->alone && !n->of_type.flags && !are_bits(&n->of_type);
	if (f && find_by_type(f, &n->of_type, word, &t->v))
		return true;
	t->alone = true;
	return find_common_name(p->opts->system, f, word, &t->v);
}

/* Likewise flags as they are printed, in quotes: "WAIT|PRIVATE_FLAG". */
static bool find_words(struct tp_filter_parser *p, const struct tp_filter_value *v, struct names *n,
		       const char *word, struct typed *t)
{
	struct typed part = {0};
	const char *one;
	u64 all = 0;
	size_t len;

	if (find_word(p, v, n, word, t))
		return true;
	if (!strchr(word, '|'))
		return false;
	for (;; word += len + 1) {
		len = strcspn(word, "|");
		one = tp_filter_parse_copy(p, (struct tp_filter_word){word, len});
		if (!one || !find_word(p, v, n, one, &part))
			return false;
		all |= part.v;
		if (!word[len])
			break;
	}
	*t = (struct typed){.v = all};
	return true;
}

#define HINT_NAMES 360 /* bytes of names in a hint */

/* Names that might have been meant, and those that are shown. */
struct choice {
	struct text_suggest suggest;
	struct buf shown;
};

static void offer(void *choice, const char *name)
{
	struct choice *c = choice;

	text_suggest_add(&c->suggest, name);
	if (c->shown.len < HINT_NAMES) {
		buf_addc(&c->shown, ' ');
		text_escape(&c->shown, name, strlen(name));
	}
}

static void offer_list(struct tp_filter_parser *p, struct choice *c, const struct tp_name_list *l,
		       size_t skip)
{
	const char *name;
	u32 i;

	for (i = 0; i < l->v.nr; i++) {
		const struct tp_value_name *n = &l->v.v[i];

		name = tp_filter_parse_copy(p,
					    (struct tp_filter_word){n->name + skip, n->len - skip});
		if (!name)
			return;
		offer(c, name);
	}
}

/* The error most like ENOENTT; NULL: none is. */
static const char *nearest_error(const char *word)
{
	struct text_suggest suggest;
	u32 i;

	text_suggest_init(&suggest, word);
	for (i = 1; i < 200; i++)
		if (errno_name(i))
			text_suggest_add(&suggest, errno_name(i));
	return suggest.best;
}

/* The word is no value of the field: which there are. */
static void no_such_name(struct tp_filter_parser *p, const struct tp_filter_value *v,
			 const struct names *n, struct tp_filter_word w, const char *word)
{
	struct choice c = {0};
	const char *error;

	if (!word)
		return;
	error = *word == '-' ? nearest_error(word + 1) : NULL;
	text_suggest_init(&c.suggest, word);
	tp_filter_parse_error(p, w.s, "'%.*s' is no value of '%s', nor a field", TP_FILTER_WORD(w),
			      tp_filter_name(v));
	if (printed_count(&n->printed))
		offer_list(p, &c, &n->printed, 0);
	if (!c.shown.len)
		offer_list(p, &c, &n->of_type, common_prefix(&n->of_type));
	if (v->what == TP_FILTER_FIELD)
		each_common_name(p->opts->system, v->field, offer, &c);
	if (c.suggest.best)
		tp_filter_parse_hint(p, "did you mean '%s'?", c.suggest.best);
	else if (error)
		tp_filter_parse_hint(p, "did you mean '-%s'?", error);
	else if (c.shown.len)
		tp_filter_parse_hint(p, "its values:%s%s", buf_str(&c.shown),
				     c.shown.len < HINT_NAMES ? "" : " ...");
	else
		tp_filter_parse_hint(p, "its values have no names: give a number, or a field");
	buf_free(&c.shown);
}

/* ---- numbers ---- */

static bool read_number(const char *s, struct typed *t)
{
	char *end;

	errno = 0;
	t->v = strtoull(s, &end, 0);
	if (!errno && !*end) {
		t->hex = s[0] == '0' && (s[1] | 32) == 'x';
		return true;
	}
	if (errno)
		return false;
	/* 10m is minutes, as 10ms are milliseconds; 10M is a size */
	if (end == s || strpbrk(end, "KMGBkb"))
		return num_size(s, &t->v);
	/* without a unit, 1.5 may be anything */
	return isalpha((u8)end[strlen(end) - 1]) && num_duration(s, &t->v);
}

static void bad_number(struct tp_filter_parser *p, struct tp_filter_word w)
{
	tp_filter_parse_error(p, w.s, "'%.*s' is no number", TP_FILTER_WORD(w));
	if (memchr(w.s, '.', w.len))
		tp_filter_parse_hint(p, "with a point it needs a unit, as in 1.5ms");
}

/* One of the parts that | joins. False, with or without an error: it is neither number nor name. */
static bool read_part(struct tp_filter_parser *p, const struct tp_filter_value *v, struct names *n,
		      struct tp_filter_word w, struct typed *t)
{
	const char *word = tp_filter_parse_copy(p, w);

	if (!word)
		return false;
	*t = (struct typed){.negative = *word == '-'};
	word += t->negative;
	if (!isdigit((u8)*word) ? !find_words(p, v, n, word, t) : !read_number(word, t)) {
		/* names may begin with digits: 8021Q, 1588 */
		if (!isdigit((u8)*word) || !find_words(p, v, n, word, t)) {
			if (isdigit((u8)*word))
				bad_number(p, w);
			return false;
		}
	}
	if (t->negative && t->v > (u64)INT64_MAX + 1) {
		tp_filter_parse_error(p, w.s, "the number is too small for any field");
		return false;
	}
	if (t->negative)
		t->v = 0 - t->v;
	else
		t->negative = (s64)t->v < 0 && !isdigit((u8)*word);
	return true;
}

static u64 cut(u64 v, u32 size, bool is_signed)
{
	u32 unused = 64 - size * 8;

	return is_signed ? (u64)((s64)(v << unused) >> unused) : v << unused >> unused;
}

/* Is the number one that the field can have? */
static bool fits(struct tp_filter_parser *p, const struct tp_filter_value *v, enum tp_filter_op op,
		 const struct typed *t, const char *at)
{
	bool order = op != TP_FILTER_EQ && op != TP_FILTER_NE && op != TP_FILTER_BITS;
	u32 size = tp_filter_size(v), bits = size * 8;
	bool is_signed = tp_filter_is_signed(v);
	bool ok;

	if (t->negative && !is_signed && order) {
		tp_filter_parse_error(p, at, "'%s' is never negative", tp_filter_name(v));
		return false;
	}
	if (t->negative)
		ok = (s64)t->v >= (s64)(~0ull << (bits - 1));
	else
		ok = !((is_signed && order ? t->v >> (bits - 2) >> 1 : t->v >> (bits - 1) >> 1));
	if (!ok)
		tp_filter_parse_error(p, at, "the number does not fit into the %u bit%s of '%s'",
				      bits, is_signed ? "s and sign" : "s", tp_filter_name(v));
	return ok;
}

static struct tp_filter_node *number_node(struct tp_filter_parser *p,
					  const struct tp_filter_value *v, enum tp_filter_op op,
					  u64 number, bool hex)
{
	struct tp_filter_node *n = tp_filter_parse_node(p, TP_FILTER_NUMBER);

	if (!n)
		return NULL;
	n->op = op;
	n->left = *v;
	n->number = cut(number, tp_filter_size(v), tp_filter_is_signed(v));
	n->hex = hex || (v->what == TP_FILTER_FIELD && v->field->is_pointer);
	return n;
}

/*
 * An argument of a system call lies in a word without sign, though it has 32 bits: whoever calls may
 * have extended its sign or not. Descriptors are unsigned to some calls, and -1 all the same.
 */
static bool is_int_in_word(const struct tp_filter_value *v)
{
	static const char *const types[] = {"int",       "unsigned int", "pid_t", "uid_t",
					    "gid_t",     "key_t",        "mqd_t", "key_serial_t",
					    "clockid_t", "timer_t",      "u32",   NULL};
	const char *type = v->what == TP_FILTER_FIELD ? v->field->type : "";

	if (!strncmp(type, "const ", 6))
		type += 6;
	return *type && v->field->size == 8 && !v->field->is_signed && is_one_of(type, types);
}

static const struct tp_filter_node *compare(struct tp_filter_parser *p,
					    const struct tp_filter_value *v, enum tp_filter_op op,
					    const struct typed *t)
{
	struct tp_filter_node *n = number_node(p, v, op, t->v, t->hex), *half, *both;

	if (!n || !t->negative || !is_int_in_word(v) || (op != TP_FILTER_EQ && op != TP_FILTER_NE))
		return n;
	half = number_node(p, v, op, (u32)t->v, true);
	both = tp_filter_parse_node(p, op == TP_FILTER_EQ ? TP_FILTER_ANY : TP_FILTER_ALL);
	if (!half || !both)
		return NULL;
	n->hex = true;
	both->a = half;
	both->b = n;
	return both;
}

/* ---- sets of CPUs ---- */

#define CPUS_MAX 8192

/* "0,2-4" as a bit for each; the list ends at the brace. */
static bool read_cpus(struct tp_filter_parser *p, struct tp_filter_node *n)
{
	const char *s = n->cpus;
	u8 *set = arena_alloc(p->arena, CPUS_MAX / 8);
	unsigned long from, to;
	char *end;

	if (!set) {
		tp_filter_parse_nomem(p);
		return false;
	}
	for (;; s++) {
		from = to = isdigit((u8)*s) ? strtoul(s, &end, 10) : CPUS_MAX;
		s = from < CPUS_MAX ? end : s;
		if (from < CPUS_MAX && *s == '-') {
			to = isdigit((u8)s[1]) ? strtoul(s + 1, &end, 10) : CPUS_MAX;
			s = to < CPUS_MAX ? end : s;
		}
		if (from > to || to >= CPUS_MAX || (*s && *s != ','))
			return false;
		for (; from <= to; from++)
			set[from / 8] |= (u8)(1u << from % 8);
		n->nr_set = MAX(n->nr_set, (u32)to / 8 + 1);
		if (!*s)
			break;
	}
	n->set = set;
	return true;
}

static const struct tp_filter_node *parse_cpus(struct tp_filter_parser *p,
					       const struct tp_filter_value *v,
					       enum tp_filter_op op)
{
	const char *at = p->p, *open = at + strlen("CPUS{"), *close = strchr(open, '}');
	bool mask = v->what == TP_FILTER_FIELD && v->field->loc == TP_LOC_DATA &&
		    strstr(v->field->type, "cpumask_t");
	struct tp_filter_node *n;

	if (!close)
		return tp_filter_parse_error(p, at, "the } that ends the CPUs is missing");
	if (op != TP_FILTER_EQ && op != TP_FILTER_NE && op != TP_FILTER_BITS)
		return tp_filter_parse_error(p, at, "CPUs are compared with ==, != and &");
	if (!mask && !tp_filter_is_number(v))
		return tp_filter_parse_error(p, at, "'%s' holds no CPUs", tp_filter_name(v));
	n = tp_filter_parse_node(p, TP_FILTER_CPUS);
	if (!n)
		return NULL;
	n->op = op;
	n->left = *v;
	n->cpus = tp_filter_parse_copy(p, (struct tp_filter_word){open, (size_t)(close - open)});
	if (!n->cpus)
		return NULL;
	if (!read_cpus(p, n))
		return tp_filter_parse_error(p, open, "CPUs are a list like 0,2-4");
	p->p = close + 1;
	return n;
}

/* ---- all of them ---- */

static struct tp_filter_word take_word(struct tp_filter_parser *p)
{
	struct tp_filter_word w;
	const char *close;

	tp_filter_parse_blanks(p);
	/* a name in quotes is a name */
	close = *p->p == '"' || *p->p == '\'' ? strchr(p->p + 1, *p->p) : NULL;
	if (!close)
		return tp_filter_parse_word(p, ENDS);
	w = (struct tp_filter_word){p->p + 1, (size_t)(close - p->p) - 1};
	p->p = close + 1;
	return w;
}

/* Does | follow, and not ||? */
static bool take_bar(struct tp_filter_parser *p)
{
	tp_filter_parse_blanks(p);
	if (p->p[0] != '|' || p->p[1] == '|')
		return false;
	p->p++;
	return true;
}

/* A word that is neither number nor name. */
static const struct tp_filter_node *other_word(struct tp_filter_parser *p,
					       const struct tp_filter_value *v,
					       enum tp_filter_op op, struct names *n,
					       struct tp_filter_word w)
{
	const char *word = tp_filter_parse_copy(p, w);
	struct tp_filter_value right;

	if (!word || p->failed)
		return NULL;
	if (!w.len)
		return tp_filter_parse_error(p, w.s, "a number is missing here");
	if (tp_filter_parse_value(p, w, &right)) {
		if (tp_filter_is_number(&right))
			return tp_filter_parse_values(p, v, op, &right);
		return tp_filter_parse_error(p, w.s, "'%s' is no number, and '%s' is one", word,
					     tp_filter_name(v));
	}
	if (v->what == TP_FILTER_FIELD && v->field->is_pointer &&
	    tp_filter_size(v) == p->opts->print.long_size && (isalpha((u8)*word) || *word == '_')) {
		p->p = w.s;
		return tp_filter_text_function(p, v, op);
	}
	no_such_name(p, v, n, w, word);
	return NULL;
}

/* What | joins: flags become one number; of values each may be the one. */
static const struct tp_filter_node *joined(struct tp_filter_parser *p,
					   const struct tp_filter_value *v, enum tp_filter_op op,
					   const struct tp_filter_node *so_far, struct typed *all,
					   const struct typed *part, const char *at)
{
	const struct tp_filter_node *one;
	struct tp_filter_node *both;

	if (!so_far || !part->alone || op == TP_FILTER_BITS) {
		all->v |= part->v;
		all->negative |= part->negative;
		all->hex |= part->hex;
		return compare(p, v, op, all);
	}
	if (op != TP_FILTER_EQ && op != TP_FILTER_NE)
		return tp_filter_parse_error(p, at, "one of several values is == or != only");
	one = compare(p, v, op, part);
	both = tp_filter_parse_node(p, op == TP_FILTER_EQ ? TP_FILTER_ANY : TP_FILTER_ALL);
	if (!one || !both)
		return NULL;
	both->a = so_far;
	both->b = one;
	return both;
}

static const struct tp_filter_node *parse_number(struct tp_filter_parser *p,
						 const struct tp_filter_value *v,
						 enum tp_filter_op op, struct names *n)
{
	const struct tp_filter_node *node = NULL;
	struct typed all = {0}, part;
	const char *at = p->p;
	struct tp_filter_word w;

	do {
		w = take_word(p);
		if (!node && tp_filter_text_address(p, v, op, w, &node))
			return node;
		if (!tp_filter_is_number(v)) {
			tp_filter_parse_error(p, at, "'%s' is an array", tp_filter_name(v));
			tp_filter_parse_hint(p, "name an element, %s[0], or give an address",
					     tp_filter_name(v));
			return NULL;
		}
		if (!read_part(p, v, n, w, &part)) {
			if (!node)
				return other_word(p, v, op, n, w);
			if (!p->failed)
				no_such_name(p, v, n, w, tp_filter_parse_copy(p, w));
			return NULL;
		}
		if (!fits(p, v, op, &part, w.s))
			return NULL;
		node = joined(p, v, op, node, &all, &part, w.s);
	} while (node && take_bar(p));
	return node;
}

const struct tp_filter_node *tp_filter_number_parse(struct tp_filter_parser *p,
						    const struct tp_filter_value *v,
						    enum tp_filter_op op)
{
	const struct tp_filter_node *node;
	struct names names = {0};

	if (!strncmp(p->p, "CPUS{", 5))
		return parse_cpus(p, v, op);
	if (op == TP_FILTER_LIKE || op == TP_FILTER_NOT_LIKE) {
		tp_filter_parse_error(p, p->p, "'%s' is a number: patterns are for text",
				      tp_filter_name(v));
		return NULL;
	}
	node = parse_number(p, v, op, &names);
	free_names(&names);
	return node;
}
