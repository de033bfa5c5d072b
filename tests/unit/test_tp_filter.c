// SPDX-License-Identifier: GPL-2.0
/* Filters of tracepoints: what goes to the kernel, what is run on samples, what is refused and how. */
#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/tracepoint/tp_filter.h"

/* 10.0.0.1, as the number that its bytes are here; and what a socket's address begins with. */
#if BYTE_ORDER == BIG_ENDIAN
#define ADDRESS       "0xa000001"
#define AF_INET_BYTES 0, 2
#else
#define ADDRESS       "0x100000a"
#define AF_INET_BYTES 2, 0
#endif

static const char text[] =
	"name: made\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:enum made_reason reason;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:int fd;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:char name[16];\toffset:32;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:const char * user;\toffset:56;\tsize:8;\tsigned:0;\n"
	"\tfield:void * location;\toffset:64;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned short protocol;\toffset:72;\tsize:2;\tsigned:0;\n"
	"\tfield:u8 flags;\toffset:74;\tsize:1;\tsigned:0;\n"
	"\tfield:__u8 saddr[4];\toffset:76;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 saddr_v6[16];\toffset:80;\tsize:16;\tsigned:0;\n"
	"\tfield:__u8 sock[28];\toffset:96;\tsize:28;\tsigned:0;\n"
	"\tfield:unsigned long args[2];\toffset:128;\tsize:16;\tsigned:0;\n"
	"\tfield:int a;\toffset:144;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int b;\toffset:148;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t mask;\toffset:152;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned char mac[6];\toffset:156;\tsize:6;\tsigned:0;\n\n"
	"print fmt: \"%s %s\", "
	"__print_symbolic(REC->reason, { 2, \"NONE\" }, { 3, \"NO_SOCKET\" }, { 9, \"SHORT\" }), "
	"__print_flags(REC->flags, \"|\", { 1, \"A\" }, { 0x10, \"BA\" })\n";

/* Bytes of a record of it, with everything behind 168 that __data_loc points to. */
struct record {
	u16 type, unused;
	s32 pid;
	u32 reason, pad;
	s64 ret;
	u64 fd;
	char name[16];
	u32 path, pad2;
	u64 user, location;
	u16 protocol;
	u8 flags, pad3;
	u8 saddr[4], saddr_v6[16], sock[28], pad4[4];
	u64 args[2];
	s32 a;
	u32 b;
	u32 mask;
	u8 mac[6], pad5[6];
	char path_text[8];
	u64 mask_bits[2];
};

static const struct record made = {
	.type = 7,
	.pid = 1234,
	.reason = 3,
	.ret = -2,
	.fd = 0xffffff9c,
	.name = "nginx-worker",
	.path = 8u << 16 | offsetof(struct record, path_text),
	.user = 0x7f0000001000,
	.location = 0xffffffff81001010,
	.protocol = 0x800,
	.flags = 0x11,
	.saddr = {10, 0, 0, 1},
	.saddr_v6 = {0xfe, 0x80, [15] = 1},
	.sock = {AF_INET_BYTES, 0, 80, 10, 0, 0, 9},
	.args = {3, 0xffffffffffffffff},
	.a = -5,
	.b = 5,
	.mask = 16u << 16 | offsetof(struct record, mask_bits),
	.mac = {2, 0x42, 0xac, 0x11, 0, 2},
	.path_text = "/tmp/12",
	.mask_bits = {0xd},
};

/* The enum made_reason of the made kernel, and its only function. */
static int of_type(void *arg, const char *type, struct tp_name_list *list, struct err *err)
{
	static const struct tp_value_name names[] = {{2, "MADE_REASON_NONE", 16},
						     {3, "MADE_REASON_NO_SOCKET", 21},
						     {77, "MADE_REASON_LATE", 16}};
	struct tp_value_name *n;
	u32 i;

	(void)arg;
	for (i = 0; !strcmp(type, "enum made_reason") && i < ARRAY_SIZE(names); i++) {
		n = vec_push(&list->v);
		if (!n)
			return err_nomem(err);
		*n = names[i];
	}
	return 0;
}

static int function(void *arg, const char *name, u64 *start, u64 *end, const char **meant)
{
	(void)arg;
	*start = 0xffffffff81001000;
	*end = 0xffffffff81001040;
	*meant = "made_function";
	return !strcmp(name, "made_function");
}

static const struct tp_filter_names names = {.of_type = of_type, .function = function};
static const struct tp_filter_opts plain = {.system = "skb", .names = &names, .comm_known = true};

static struct tp_format *format(void)
{
	struct tp_format *f = tp_format_parse(text, strlen(text), NULL);

	assert_non_null(f);
	return f;
}

static void splits(void **state)
{
	static const struct {
		const char *filter, *kernel, *here;
	} cases[] = {
		/* numbers and names */
		{"reason == 3", "reason == 3", NULL},
		{"reason==3&&protocol==0x800", "reason == 3 && protocol == 0x800", NULL},
		{"reason == NO_SOCKET", "reason == 3", NULL},
		{"reason == 'NO_SOCKET'", "reason == 3", NULL},
		{"reason == MADE_REASON_LATE", "reason == 77", NULL},
		{"reason == LATE", "reason == 77", NULL},
		{"reason == NO_SOCKET|SHORT", "(reason == 3 || reason == 9)", NULL},
		{"reason != NO_SOCKET | SHORT", "reason != 3 && reason != 9", NULL},
		{"flags == A|BA", "flags == 17", NULL},
		{"flags & BA|0x2", "flags & 0x12", NULL},
		{"reason == -1", "reason == 4294967295", NULL},
		{"protocol == IPv4", "protocol == 2048", NULL},
		{"protocol == ETH_P_ARP", "protocol == 2054", NULL},
		{"protocol == 017", "protocol == 15", NULL},
		{"ret == -ENOENT", "ret == -2", NULL},
		{"ret < 0 && ret != -11", "ret < 0 && ret != -11", NULL},
		{"ret == 4K", "ret == 4096", NULL},
		{"ret > 10ms", "ret > 10000000", NULL},
		{"ret > 1.5s", "ret > 1500000000", NULL},
		{"ret == 0xfffffffffffffffe", "ret == -2", NULL},
		{"a == SIGKILL", "a == 9", NULL},
		{"a == AF_INET6", "a == 10", NULL},
		{"a == IPPROTO_UDP", "a == 17", NULL},
		/* an int that lies in a word */
		{"fd == -100", "(fd == 0xffffff9c || fd == 0xffffffffffffff9c)", NULL},
		{"fd != -100", "fd != 0xffffff9c && fd != 0xffffffffffffff9c", NULL},
		{"fd == 3", "fd == 3", NULL},
		/* text */
		{"name == nginx", "name == \"nginx\"", NULL},
		{"name == \"a b\"", "name == \"a b\"", NULL},
		{"name == 'a\"b'", "name == 'a\"b'", NULL},
		{"name ~ *worker", "name ~ \"*[w]orker\"", NULL},
		{"path ~ \"1*\"", "path ~ \"[1]*\"", NULL},
		{"path ~ \"12\"", "path ~ \"12\"", NULL},
		{"name ~ \"n*x\"", "name ~ \"n*x\"", NULL},
		{"name !~ n*", "!(name ~ \"n*\")", NULL},
		{"name ~ \"!n*\"", "!(name ~ \"n*\")", NULL},
		{"name ~ \"[^a]*\"", "name ~ \"[!a]*\"", NULL},
		{"name ~ \"a\\*\"", "name ~ \"a\\*\"", NULL},
		{"user == x", "user == \"x\"", NULL},
		{"user.ustring ~ \"/etc/*\"", "user.ustring ~ \"/etc/*\"", NULL},
		{"comm == sh && cpu == 1", "comm == \"sh\" && cpu == 1", NULL},
		{"tid == 5", "common_pid == 5", NULL},
		{"cpu & CPUS{0,2-3}", "(cpu == 0 || cpu >= 2 && cpu <= 3)", NULL},
		{"a != CPUS{4}", "!(a == 4)", NULL},
		{"mask & CPUS{0-1}", "mask & CPUS{0-1}", NULL},
		/* addresses */
		{"saddr == 10.0.0.1", "saddr == " ADDRESS, NULL},
		{"location.function == made_function", "location.function == made_function ", NULL},
		{"!(location == made_function)", "!(location.function == made_function )", NULL},
		{"location >= 0xffffffff81000000", "location >= 0xffffffff81000000", NULL},
		/* brackets */
		{"a == 1 || b == 2", "(a == 1 || b == 2)", NULL},
		{"a == 1 || b == 2 && ret == 3", "(a == 1 || b == 2 && ret == 3)", NULL},
		{"(a == 1 || b == 2) && ret == 3", "(a == 1 || b == 2) && ret == 3", NULL},
		{"!(a == 1 || b == 2)", "!(a == 1 || b == 2)", NULL},
		{"!a == 1", "!(a == 1)", NULL},
		{"((a == 1))", "a == 1", NULL},
		/* not the kernel's */
		{"a == b", NULL, "a == b"},
		{"name == path && a == 1", "a == 1", "name == path"},
		{"args[0] == 3 && reason == 3", "reason == 3", "args[0] == 3"},
		{"saddr == 10.0.0.0/8", NULL, "saddr == 10.0.0.0/8"},
		{"saddr_v6 == fe80::1", NULL, "saddr_v6 == fe80::1"},
		{"user == 0", NULL, "user == 0"},
		{"a == 1 || a == b", NULL, "a == 1 || a == b"},
		{"ret == 1 && (a == 1 || a == b) && args[1] != 0 && b == 9", "ret == 1 && b == 9",
		 "(a == 1 || a == b) && args[1] != 0"},
		{"cpu == CPUS{1-2}", NULL, "cpu == CPUS{1-2}"},
		{"name == \"a'\"", "name == \"a'\"", NULL},
		{"name ~ \"*!\"", NULL, "name ~ \"*!\""},
	};
	struct tp_format *f = format();
	struct tp_filter *filter;
	struct err err = {0};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		filter = tp_filter_parse(f, cases[i].filter, &plain, &err);
		if (!filter)
			fail_msg("%s: %s", cases[i].filter, err.msg);
		if (!filter->kernel != !cases[i].kernel || !filter->here != !cases[i].here)
			fail_msg("%s: kernel %s, here %s", cases[i].filter, filter->kernel,
				 filter->here);
		if (filter->kernel)
			assert_string_equal(filter->kernel, cases[i].kernel);
		if (filter->here)
			assert_string_equal(filter->here, cases[i].here);
		assert_int_equal(!filter->rest, !filter->here);
		tp_filter_free(filter);
	}
	tp_format_free(f);
}

/* What changes in a kernel without .function, and where threads have other numbers. */
static void other_kernels(void **state)
{
	struct tp_filter_opts o = plain;
	struct tp_format *f = format();
	struct tp_filter *filter;

	(void)state;
	o.no_functions = o.own_tids = true;
	filter = tp_filter_parse(f, "location != made_function && tid == 1234", &o, NULL);
	assert_non_null(filter);
	assert_string_equal(filter->kernel,
			    "!(location >= 0xffffffff81001000 && location < 0xffffffff81001040)");
	assert_string_equal(filter->here, "tid == 1234");
	tp_filter_free(filter);
	tp_format_free(f);
}

static bool symbol(void *arg, u64 addr, bool with_offset, struct buf *out)
{
	(void)arg;
	assert_false(with_offset);
	if (addr != made.location)
		return false;
	buf_adds(out, "made_function");
	return true;
}

static bool pass(const struct tp_format *f, const char *expr, const struct tp_filter_opts *opts,
		 const struct tp_filter_sample *s)
{
	struct tp_filter_opts o = *opts;
	struct tp_filter *filter;
	struct err err = {0};
	bool yes;

	o.here_only = true;
	filter = tp_filter_parse(f, expr, &o, &err);
	if (!filter)
		fail_msg("%s: %s", expr, err.msg);
	assert_null(filter->kernel);
	yes = tp_filter_pass(filter, s);
	tp_filter_free(filter);
	return yes;
}

static void verdicts(void **state)
{
	static const char *const yes[] = {
		"reason == 3",
		"reason == NO_SOCKET",
		"reason != SHORT",
		"reason == SHORT|NO_SOCKET",
		"flags & BA",
		"flags == A|BA",
		"protocol == IPv4",
		"ret == -ENOENT",
		"ret < 0",
		"ret >= -2",
		"fd == -100",
		"fd == 0xffffff9c",
		"name == nginx-worker",
		"name ~ nginx*",
		"name ~ *worker",
		"name ~ *inx*",
		"name ~ n[a-h]?nx*",
		"name !~ apache*",
		"name ~ '!apache*'",
		"path == /tmp/12",
		"path ~ \"/tmp/[!3]2\"",
		"user == 0x7f0000001000",
		"location.function == made_function",
		"location == made_function",
		"saddr == 10.0.0.1",
		"saddr == 10.0.0.0/8",
		"saddr == 10.0.0.2/31 || saddr == 10.0.0.0/31",
		"saddr != 10.0.0.2",
		"saddr == 0.0.0.0/0",
		("saddr == " ADDRESS),
		"saddr_v6 == fe80::1",
		"saddr_v6 == fe80::/10",
		"sock == 10.0.0.9",
		"sock != 10.0.0.8",
		"sock != fe80::1",
		"args[0] == 3",
		"args[1] == -1",
		"saddr[3] == 1",
		"a < b",
		"a != b",
		"b > a",
		"a == -5",
		"a & 3",
		"comm == bash",
		"comm ~ b*",
		"comm != name",
		"cpu == 2",
		"cpu & CPUS{0-3}",
		"cpu == CPUS{2}",
		"cpu != CPUS{1-3}",
		"tid == 1234",
		"common_pid == 1234 && tid == common_pid",
		"mask & CPUS{0}",
		"mask & CPUS{1-2}",
		"mask == CPUS{0,2-3}",
		"mask != CPUS{0,2}",
		"mac == 02:42:ac:11:00:02",
		"mac != 02:42:ac:11:00:03",
		"!(reason == 2 || reason == 4)",
		"!!(reason == 3)",
		"reason == 2 || ret == -2 && a < 0",
	};
	static const char *const no[] = {
		"reason == 4",
		"reason < 3",
		"flags == A",
		"flags & 0x6",
		"ret > 0",
		"ret == 2",
		"name == nginx",
		"name == nginx-worker-too",
		"name ~ nginx",
		"name ~ *ginx",
		"name ~ '[!n]*'",
		"path ~ 1*",
		"saddr == 10.0.0.2",
		"saddr == 11.0.0.0/8",
		"saddr_v6 == fe80::2",
		"saddr_v6 == 10.0.0.1",
		"sock == 10.0.0.1",
		"sock == ::ffff:10.0.0.9",
		"a > b",
		"args[0] != 3",
		"location.function != made_function",
		"cpu == CPUS{1-3}",
		"mask & CPUS{1,4-8000}",
		"mask == CPUS{0-3}",
		"mac == 02:42:ac:11:00:03",
		"!(reason == 3)",
		"(reason == 2 || ret == -2) && a > 0",
	};
	const struct tp_filter_sample s = {.raw = &made,
					   .len = sizeof(made),
					   .cpu = 2,
					   .tid = 1234,
					   .comm = "bash",
					   .symbol = symbol};
	struct tp_filter_opts without = plain;
	struct tp_format *f = format();
	u32 i;

	(void)state;
	without.names = NULL;
	for (i = 0; i < ARRAY_SIZE(yes); i++) {
		if (!pass(f, yes[i], &plain, &s))
			fail_msg("%s does not pass", yes[i]);
		/* functions by the symbols of the recording */
		if (!pass(f, yes[i], &without, &s))
			fail_msg("%s does not pass without the names of the kernel", yes[i]);
	}
	for (i = 0; i < ARRAY_SIZE(no); i++)
		if (pass(f, no[i], &plain, &s))
			fail_msg("%s passes", no[i]);
	tp_format_free(f);
}

/* What a sample lacks is neither so nor otherwise. */
static void lacking(void **state)
{
	static const char *const unknown[] = {"a == -5",   "a != 1",      "!(a == 1)",
					      "cpu == 0",  "!(cpu == 0)", "comm == bash",
					      "comm != x", "a != b",      "args[1] != 5"};
	const struct tp_filter_sample cut = {.raw = &made, .len = 140, .cpu = ID_NONE, .tid = -1};
	struct record wild = made;
	struct tp_filter_sample s = {.raw = &wild, .len = sizeof(wild)};
	struct tp_format *f = format();
	u32 i, len;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		if (pass(f, unknown[i], &plain, &cut))
			fail_msg("%s passes", unknown[i]);
	/* but what decides without it does */
	assert_true(pass(f, "reason == 3 || a == 1", &plain, &cut));
	assert_false(pass(f, "reason != 3 && a == 1", &plain, &cut));
	assert_true(pass(f, "!(reason != 3 && a == 1)", &plain, &cut));
	/* the tid is common_pid where nothing else tells it */
	assert_true(pass(f, "tid == 1234", &plain, &cut));

	wild.path = 100u << 16 | 0xfff0;
	wild.mask = 0xffffu << 16 | 8;
	assert_false(pass(f, "path == x || path != x", &plain, &s));
	assert_false(pass(f, "mask & CPUS{0} || mask != CPUS{0}", &plain, &s));
	for (len = 0; len < sizeof(wild); len++) {
		char *copy = malloc(len ? len : 1);

		/* exactly as much memory: a byte more would be found */
		memcpy(copy, &made, len);
		s = (struct tp_filter_sample){.raw = copy, .len = len};
		pass(f,
		     "path ~ *x* || mask & CPUS{9} || sock == 1.2.3.4 || mac == 2:2:2:2:2:2 || "
		     "args[1] == 1 || saddr_v6 == ::1 || name == path || a == b",
		     &plain, &s);
		free(copy);
	}
	tp_format_free(f);
}

static void mistakes(void **state)
{
	static const struct {
		const char *filter, *message, *hint;
		int code;
	} cases[] = {
		{"reson == 3",
		 "filter of skb:made: 'reson == 3'\n"
		 "                     \\___ the event has no field 'reson'",
		 "did you mean 'reason'? ", ENOENT},
		{"zzz == 3",
		 "filter of skb:made: 'zzz == 3'\n"
		 "                     \\___ the event has no field 'zzz'",
		 "its fields: reason ret fd name path user location", ENOENT},
		{"reason == NO_SOKET",
		 "filter of skb:made: 'reason == NO_SOKET'\n"
		 "                               \\___ 'NO_SOKET' is no value of 'reason', nor a field",
		 "did you mean 'NO_SOCKET'?", EINVAL},
		{"reason == XYZZY",
		 "filter of skb:made: 'reason == XYZZY'\n"
		 "                               \\___ 'XYZZY' is no value of 'reason', nor a field",
		 "its values: NONE NO_SOCKET SHORT", EINVAL},
		{"a == x",
		 "filter of skb:made: 'a == x'\n"
		 "                          \\___ 'x' is no value of 'a', nor a field",
		 "its values have no names: give a number, or a field", EINVAL},
		{"reason = 3",
		 "filter of skb:made: 'reason = 3'\n"
		 "                            \\___ there is no operator '='",
		 "equal is ==, and like a pattern is ~", EINVAL},
		{"reason",
		 "filter of skb:made: 'reason'\n"
		 "                           \\___ a comparison is missing here",
		 "one of ==", EINVAL},
		{"reason == 3 &&",
		 "filter of skb:made: 'reason == 3 &&'\n"
		 "                                   \\___ a field is missing here",
		 "its fields:", EINVAL},
		{"(reason == 3",
		 "filter of skb:made: '(reason == 3'\n"
		 "                                 \\___ ')' is missing here",
		 "", EINVAL},
		{"reason == 3)",
		 "filter of skb:made: 'reason == 3)'\n"
		 "                                \\___ no '(' belongs to this",
		 "", EINVAL},
		{"reason == 3 a == 1",
		 "filter of skb:made: 'reason == 3 a == 1'\n"
		 "                                 \\___ && or || is missing here",
		 "", EINVAL},
		{"reason ==",
		 "filter of skb:made: 'reason =='\n"
		 "                              \\___ what 'reason' is compared with is missing here",
		 "", EINVAL},
		{"  ", "filter of skb:made: '  '\n                       \\___ the filter is empty",
		 "its", EINVAL},
		{"protocol == 65536",
		 "filter of skb:made: 'protocol == 65536'\n"
		 "                                 \\___ the number does not fit into the 16 bits of 'protocol'",
		 "", EINVAL},
		{"reason < -1",
		 "filter of skb:made: 'reason < -1'\n"
		 "                              \\___ 'reason' is never negative",
		 "", EINVAL},
		{"a == 12abc",
		 "filter of skb:made: 'a == 12abc'\n"
		 "                          \\___ '12abc' is no number",
		 "", EINVAL},
		{"a == 1.5",
		 "filter of skb:made: 'a == 1.5'\n"
		 "                          \\___ '1.5' is no number",
		 "with a point it needs a unit, as in 1.5ms", EINVAL},
		{"name > x",
		 "filter of skb:made: 'name > x'\n"
		 "                            \\___ 'name' is text: it has no order",
		 "compare text with == != ~ !~", EINVAL},
		{"name == \"x",
		 "filter of skb:made: 'name == \"x'\n"
		 "                             \\___ the \" that ends the text is missing",
		 "", EINVAL},
		{"a ~ 3",
		 "filter of skb:made: 'a ~ 3'\n"
		 "                         \\___ 'a' is a number: patterns are for text",
		 "", EINVAL},
		{"args == 3",
		 "filter of skb:made: 'args == 3'\n"
		 "                             \\___ 'args' is an array",
		 "name an element, args[0], or give an address", EINVAL},
		{"args[2] == 3",
		 "filter of skb:made: 'args[2] == 3'\n"
		 "                         \\___ 'args' has 2 elements, the first is [0]",
		 "", EINVAL},
		{"saddr == fe80::1",
		 "filter of skb:made: 'saddr == fe80::1'\n"
		 "                              \\___ 'saddr' holds no such address",
		 "", EINVAL},
		{"location.function == no_function",
		 "filter of skb:made: 'location.function == no_function'\n"
		 "                                          \\___ the kernel has no function 'no_function'",
		 "did you mean 'made_function'?", EINVAL},
		{"a.function == x",
		 "filter of skb:made: 'a.function == x'\n"
		 "                      \\___ 'a' is no address",
		 "", EINVAL},
		{"reason.x == 1",
		 "filter of skb:made: 'reason.x == 1'\n"
		 "                           \\___ unknown suffix '.x'",
		 ".function:", EINVAL},
		{"cpu & CPUS{0-9999}",
		 "filter of skb:made: 'cpu & CPUS{0-9999}'\n"
		 "                                \\___ CPUs are a list like 0,2-4",
		 "", EINVAL},
		{"user == x || a == b",
		 "filter of skb:made: 'user == x || a == b'\n"
		 "                     \\___ 'user' is a pointer: samples do not have what it points to",
		 "the kernel can test it, but", EINVAL},
	};
	struct tp_format *f = format();
	struct tp_filter_opts o = plain;
	struct err err;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		err = (struct err){0};
		assert_null(tp_filter_parse(f, cases[i].filter, &plain, &err));
		assert_string_equal(err.msg, cases[i].message);
		assert_int_equal(err.code, cases[i].code);
		if (strncmp(err.hint, cases[i].hint, strlen(cases[i].hint)) != 0)
			fail_msg("%s: hint %s", cases[i].filter, err.hint);
		assert_null(tp_filter_parse(f, cases[i].filter, &plain, NULL));
	}
	/* where nobody tells the names of tasks */
	o.comm_known = false;
	assert_null(tp_filter_parse(f, "a == 1 && (a == b || comm == sh)", &o, &err));
	assert_string_equal(err.msg,
			    "filter of skb:made: 'a == 1 && (a == b || comm == sh)'\n"
			    "                                          \\___ samples do not "
			    "have the name of their task");
	tp_format_free(f);
}

/* Filters of any size end well, or in an error. */
static void sizes(void **state)
{
	struct tp_format *f = format();
	struct tp_filter *filter;
	struct buf b = {0};
	struct err err;
	u32 i;

	(void)state;
	for (i = 0; i < 500; i++)
		buf_addf(&b, "%sa == %u", i ? " && " : "", i);
	filter = tp_filter_parse(f, buf_str(&b), &plain, &err);
	assert_non_null(filter);
	/* the kernel takes a page */
	assert_true(strlen(filter->kernel) < 4096 && filter->here);
	tp_filter_free(filter);
	buf_clear(&b);
	for (i = 0; i < 100000; i++)
		buf_adds(&b, "a == 1 || ");
	assert_null(tp_filter_parse(f, buf_str(&b), &plain, &err));
	assert_non_null(strstr(err.msg, "more comparisons than anybody types"));
	buf_clear(&b);
	buf_pad(&b, '(', 100000);
	assert_null(tp_filter_parse(f, buf_str(&b), &plain, &err));
	assert_non_null(strstr(err.msg, "brackets too deep"));
	buf_clear(&b);
	buf_adds(&b, "name == ");
	buf_pad(&b, 'x', 300);
	filter = tp_filter_parse(f, buf_str(&b), &plain, &err);
	assert_non_null(filter);
	assert_null(filter->kernel);
	tp_filter_free(filter);
	buf_free(&b);
	tp_format_free(f);
}

/* Does a sample with these values of a and b pass? */
static bool walk(const struct tp_filter_test *tests, u32 nr, u64 a, u64 b)
{
	u32 at = nr ? 0 : TP_FILTER_TEST_PASS, next;

	while (at < nr) {
		const struct tp_filter_test *t = &tests[at];
		const u64 v = !strcmp(t->field->name, "a") ? a : b;
		const bool holds = t->op == TP_FILTER_TEST_EQ   ? v == t->number
				   : t->op == TP_FILTER_TEST_NE ? v != t->number
				   : t->op == TP_FILTER_TEST_LT ? v < t->number
				   : t->op == TP_FILTER_TEST_LE ? v <= t->number
				   : t->op == TP_FILTER_TEST_GT ? v > t->number
				   : t->op == TP_FILTER_TEST_GE ? v >= t->number
								: (v & t->number) != 0;

		next = holds ? t->yes : t->no;
		/* only later ones, so there is an end */
		assert_true(next > at);
		at = next;
	}
	assert_true(at == TP_FILTER_TEST_PASS || at == TP_FILTER_TEST_FAIL);
	return at == TP_FILTER_TEST_PASS;
}

static void as_tests(void **state)
{
	const struct tp_filter_opts here = {.here_only = true};
	struct tp_format *f = format();
	struct tp_filter_test tests[8];
	struct tp_filter *filter;
	struct err err;
	u32 i, nr;
	u64 a, b;
	static const struct {
		const char *text;
		u32 nr;
		bool passes[9]; /* a, b: 0 0, 0 1, 0 2, 1 0, ... */
	} cases[] = {
		{"a == 1", 1, {0, 0, 0, 1, 1, 1, 0, 0, 0}},
		{"a == 1 && b != 1", 2, {0, 0, 0, 1, 0, 1, 0, 0, 0}},
		{"a == 1 || b > 1", 2, {0, 0, 1, 1, 1, 1, 0, 0, 1}},
		{"!(a == 1 || b > 1)", 2, {1, 1, 0, 0, 0, 0, 1, 1, 0}},
		{"(a == 0 || a >= 2) && (b < 1 || b & 2)", 4, {1, 0, 1, 0, 0, 0, 1, 0, 1}},
		{"a == 0 && b == 0 || a == 1 && b == 1 || !(a <= 1 || b != 2)",
		 6,
		 {1, 0, 0, 0, 1, 0, 0, 0, 1}},
	};

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		filter = tp_filter_parse(f, cases[i].text, &here, &err);
		assert_non_null(filter);
		nr = tp_filter_tests(filter, tests, ARRAY_SIZE(tests));
		assert_int_equal(nr, cases[i].nr);
		for (a = 0; a < 3; a++)
			for (b = 0; b < 3; b++)
				if (walk(tests, nr, a, b) != cases[i].passes[a * 3 + b])
					fail_msg("%s: %d %d", cases[i].text, (int)a, (int)b);
		assert_int_equal(tp_filter_tests(filter, tests, nr - 1), ID_NONE);
		tp_filter_free(filter);
	}
	filter = tp_filter_parse(f, "a == 1 || a == b", &here, &err);
	assert_int_equal(tp_filter_tests(filter, tests, ARRAY_SIZE(tests)), ID_NONE);
	tp_filter_free(filter);
	tp_format_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits),   cmocka_unit_test(other_kernels),
		cmocka_unit_test(verdicts), cmocka_unit_test(lacking),
		cmocka_unit_test(mistakes), cmocka_unit_test(sizes),
		cmocka_unit_test(as_tests),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
