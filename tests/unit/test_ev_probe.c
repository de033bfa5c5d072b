// SPDX-License-Identifier: GPL-2.0
/* Probes by the PMUs kprobe and uprobe, and PMUs that make no samples. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/event/ev_expr.h"
#include "util/event/ev_parse.h"
#include "util/event/ev_probe.h"
#include "util/event/ev_record.h"
#include "util/image/image.h"

#define SELF "/proc/self/exe"

struct fixture {
	struct sysroot root;
	struct ev_env env;
	struct ev_list list;
	struct err err;
};

static void begin(struct fixture *f, const char *root)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(sysroot_open(&f->root, root, NULL), 0);
	f->env.root = &f->root;
}

static void clear(struct fixture *f)
{
	ev_list_free(&f->list);
	f->list = (struct ev_list){0};
	f->err = (struct err){0};
}

static void end(struct fixture *f)
{
	clear(f);
	ev_env_close(&f->env);
	sysroot_close(&f->root);
}

static const struct ev_spec *parse(struct fixture *f, const char *text)
{
	clear(f);
	if (ev_parse(&f->list, text, &f->env, &f->err))
		fail_msg("'%s': %s", text, f->err.msg);
	return &f->list.specs.v[0];
}

static void check(struct fixture *f, const char *text, u32 type, u64 config, const char *name,
		  u64 offset)
{
	const struct ev_spec *s = parse(f, text);

	assert_int_equal(f->list.specs.nr, 1);
	assert_true(ev_probe_is(s));
	assert_string_equal(s->name, text);
	assert_int_equal(s->attr.type, type);
	assert_int_equal(s->attr.config, config);
	assert_string_equal((const char *)(uintptr_t)s->attr.config1, name);
	assert_int_equal(s->attr.config2, offset);
}

static void check_error(struct fixture *f, const char *text, size_t at, const char *message)
{
	char arrow[256];

	clear(f);
	assert_int_equal(ev_parse(&f->list, text, &f->env, &f->err), -EINVAL);
	snprintf(arrow, sizeof(arrow), "\n%*s\\___ %s", (int)(at + 21), "", message);
	if (!strstr(f->err.msg, arrow))
		fail_msg("'%s': not at %zu '%s' but: %s", text, at, message, f->err.msg);
	assert_int_equal(f->list.specs.nr, 0);
	assert_true(f->err.hint[0]);
}

static void in_the_kernel(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "tests/sysroot/probes");
	check(&f, "kprobe:vfs_read", 8, 0, "vfs_read", 0);
	check(&f, "kprobe:vfs_read+0x14", 8, 0, "vfs_read", 0x14);
	check(&f, "kretprobe:vfs_read", 8, 1, "vfs_read", 0);
	check(&f, "kprobe:vfs_read%return", 8, 1, "vfs_read", 0);
	check(&f, "kprobe:do_one.isra.0", 8, 0, "do_one.isra.0", 0);
	/* of letters that are modifiers elsewhere */
	check(&f, "kprobe:kk", 8, 0, "kk", 0);
	parse(&f, "{kprobe:a,kprobe:b:k,cs}");
	assert_int_equal(f.list.specs.nr, 3);
	assert_true(f.list.specs.v[1].attr.exclude_user);
	assert_string_equal(f.list.specs.v[1].name, "kprobe:b:k");
	parse(&f, "kprobe:a/call-graph=no,period=3/");
	assert_int_equal(f.list.specs.v[0].attr.sample_period, 3);
	check_error(&f, "kprobe:", 7, "the name of a function is expected here");
	check_error(&f, "kprobe:a+x", 9, "a number is expected here");
	check_error(&f, "kprobe:a+0x11112222333344445", 9,
		    "0x11112222333344445 is larger than 64 bits");
	check_error(&f, "kprobe:a%ret", 9, "'return' is expected here");
	check_error(&f, "kretprobe:a+4", 10, "a return has no offset");
	check_error(&f, "kprobe:a b", 9, "',' is expected here");
	end(&f);
}

static int first_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(u64 *)base = info->dlpi_addr;
	return 1;
}

/* Where the kernel is to put a probe on a function of this program. */
static u64 own_offset(const void *function)
{
	struct image img;
	u64 base = 0, offset = 0;

	dl_iterate_phdr(first_base, &base);
	assert_int_equal(image_open(&img, SELF, NULL), 0);
	assert_true(image_offset(&img, (u64)(uintptr_t)function - base, &offset));
	image_close(&img);
	return offset;
}

/* Three bytes behind its beginning, an instruction begins on x86. */
extern const char nothing_at_all[];
__asm__(".text\n.globl nothing_at_all\n.type nothing_at_all, %function\n"
	"nothing_at_all:\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n"
	".size nothing_at_all, . - nothing_at_all\n");

static void in_programs(void **state)
{
	u64 here = own_offset((const void *)in_programs), base = 0;
	struct fixture f;
	char text[96];

	(void)state;
	begin(&f, "tests/sysroot/probes");
	check(&f, "uprobe:" SELF ":in_programs", 9, 0, SELF, here);
	check(&f, "uprobe:" SELF ":nothing_at_all+3", 9, 0, SELF, own_offset(nothing_at_all) + 3);
	check(&f, "uretprobe:" SELF ":in_programs", 9, 1, SELF, here);
	check(&f, "uprobe:" SELF ":in_programs%return", 9, 1, SELF, here);
	dl_iterate_phdr(first_base, &base);
	snprintf(text, sizeof(text), "uprobe:%s:0x%llx", SELF,
		 (unsigned long long)((u64)(uintptr_t)in_programs - base));
	check(&f, text, 9, 0, SELF, here);
	parse(&f, "uprobe:" SELF ":in_programs/max-stack=4/u,cs");
	assert_int_equal(f.list.specs.nr, 2);
	assert_true(f.list.specs.v[0].attr.exclude_kernel);
	check_error(&f, "uprobe:" SELF, 7, "a file and a function in it are expected here");
	check_error(&f, "uprobe:" SELF ":zz_[0-9]*", 7,
		    "no function of " SELF " matches 'zz_[0-9]*'");
	check_error(&f, "uprobe::main", 7, "a file and a function in it are expected here");
	check_error(&f, "uprobe:" SELF ":", 7 + sizeof(SELF),
		    "the name of a function is expected here");
	check_error(&f, "uprobe:" SELF ":no_such_function", 7,
		    "there is no function 'no_such_function' in " SELF);
	check_error(&f, "uprobe:" SELF ":0xfffffffffff0", 7, SELF " has nothing at 0xfffffffffff0");
	check_error(&f, "uprobe:/no/such/file:main", 7, "/no/such/file: No such file or directory");
	check_error(&f, "uprobe:/dev/null:main", 7, "/dev/null");
	end(&f);
}

/* Of several functions a program makes the samples. */
static void by_pattern(void **state)
{
	struct fixture f;
	const struct ev_spec *s;
	char names[128];

	(void)state;
	begin(&f, "tests/sysroot/probes");
	s = parse(&f, "kprobe:vfs_*");
	assert_int_equal(f.list.specs.nr, 1);
	assert_string_equal(s->name, "kprobe:vfs_*");
	assert_string_equal(s->tp.system, "kprobe");
	assert_non_null(s->tp.expr);
	assert_false(ev_probe_is(s));
	assert_true(ev_expr_is_probe(s));
	assert_non_null(strstr(s->tp.format, "field:void * function;\toffset:16;\tsize:8;"));
	assert_non_null(strstr(s->tp.format, "\nprint fmt: \"function=%ps\", REC->function\n"));
	assert_int_equal(s->attr.config, PERF_COUNT_SW_BPF_OUTPUT);
	s = parse(&f, "kretprobe:vfs_[rw]*(retval, low=(int)retval & 1),cs");
	assert_int_equal(f.list.specs.nr, 2);
	assert_string_equal(s->name, "kretprobe:vfs_[rw]*");
	assert_non_null(strstr(s->tp.format, " retval;"));
	assert_non_null(strstr(s->tp.format, " low;"));
	s = parse(&f, "uprobe:" SELF ":in_progra*(arg1)");
	assert_int_equal(f.list.specs.nr, 1);
	assert_true(ev_expr_is_probe(s));
	assert_non_null(strstr(s->tp.format, "function=%s arg1="));
	snprintf(names, sizeof(names),
		 "__print_symbolic(REC->function, { 0x%llx, \"in_programs\" })",
		 (unsigned long long)own_offset((const void *)in_programs));
	assert_non_null(strstr(s->tp.format, names));
	check_error(&f, "cs,kprobe:no_*", 10, "no function that can be traced matches 'no_*'");
	check_error(&f, "kprobe:vfs_*(sk)", 13, "'sk' is no argument of this event");
	check_error(&f, "kretprobe:vfs_*(arg1)", 16, "'arg1' is no argument of this event");
	check_error(&f, "kprobe:vfs_*(function=arg1)", 22, "there are two fields 'function'");
	check_error(&f, "kprobe:vfs_*+4", 7, "a pattern has no offset");
	check_error(&f, "kprobe:vfs_*:u", 12, "an event that a program makes has no modifiers");
	check_error(&f, "fentry:vfs_*", 7, "a probe of this kind is of one function");
	check_error(&f, "fentry:vfs_read(count)", 0,
		    "this kernel has no types of its functions (CONFIG_DEBUG_INFO_BTF)");
	check_error(&f, "fexit:vfs_read+4", 6, "a return has no offset");
	check_error(&f, "fentry:vfs_read+4", 7, "a program is at the beginning of a function");
	end(&f);
}

/* A kernel without. */
static void not_there(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "tests/sysroot/server");
	check_error(&f, "kprobe:vfs_read", 0,
		    "this kernel has no probes in its own code (CONFIG_KPROBE_EVENTS)");
	check_error(&f, "uprobe:" SELF ":main", 0,
		    "this kernel has no probes in programs (CONFIG_UPROBE_EVENTS)");
	end(&f);
}

static void recorded(void **state)
{
	static const u32 selves[] = {77, 78};
	struct ev_record_options o = {.root_pid_namespace = true};
	struct buf notes = {0};
	struct fixture f;
	const struct ev_spec *s;

	(void)state;
	begin(&f, "tests/sysroot/probes");
	parse(&f, "kprobe:vfs_read");
	assert_int_equal(ev_record_configure(&f.list, &o, &notes, &f.err), 0);
	s = &f.list.specs.v[1];
	assert_int_equal(s->attr.freq, 0);
	assert_int_equal(s->attr.sample_period, 1);
	assert_int_equal(s->attr.sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	assert_null(s->tp.filter);
	assert_int_equal(notes.len, 0);
	/* the names are in the recorder's memory: who forks could not inherit them */
	o.inherit = true;
	parse(&f, "kprobe:vfs_read,cs");
	assert_int_equal(ev_record_configure(&f.list, &o, &notes, &f.err), 0);
	assert_false(f.list.specs.v[1].attr.inherit);
	assert_true(f.list.specs.v[2].attr.inherit);
	assert_non_null(strstr(buf_str(&notes), "kprobe:vfs_read: hits of threads"));
	/* what a PMU of a processor alone can tell is not asked of it */
	o = (struct ev_record_options){.addresses = true,
				       .weight = true,
				       .frequency = 99,
				       .selves = selves,
				       .nr_selves = 2};
	parse(&f, "uprobe:" SELF ":main");
	assert_int_equal(ev_record_configure(&f.list, &o, &notes, &f.err), 0);
	s = &f.list.specs.v[1];
	assert_int_equal(s->attr.freq, 1);
	assert_int_equal(s->attr.sample_freq, 99);
	assert_int_equal(s->attr.sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						      PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD);
	assert_string_equal(s->tp.filter, "common_pid != 77 && common_pid != 78");
	buf_free(&notes);
	end(&f);
}

static void refusals(void **state)
{
	static const int codes[] = {ENOENT, EINVAL, EILSEQ, EADDRNOTAVAIL, EACCES, EPERM, EIO};
	const struct ev_spec kernel = {.name = "kprobe:f", .pmu.name = "kprobe"};
	const struct ev_spec user = {.name = "uprobe:/a:f", .pmu.name = "uprobe"};
	const struct limits none = {0}, all = {.cap_perfmon = true};
	struct err err;
	u32 i;

	(void)state;
	for (i = 0; i < 2 * ARRAY_SIZE(codes); i++) {
		int code = codes[i / 2];

		err = (struct err){0};
		assert_int_equal(ev_probe_refused(i % 2 ? &user : &kernel, code, &none, &err),
				 -code);
		assert_non_null(strstr(err.msg, i % 2 ? "uprobe:/a:f" : "kprobe:f"));
		assert_true(err.hint[0]);
		assert_int_equal(strstr(err.msg, "CAP_PERFMON") != NULL,
				 code == EACCES || code == EPERM);
	}
	err = (struct err){0};
	ev_probe_refused(&kernel, ENOENT, &all, &err);
	assert_string_equal(err.msg, "kprobe:f: the kernel has no such function");
	/* a number that strerror() does not know */
	err = (struct err){0};
	ev_probe_refused(&user, 524, &all, &err);
	assert_string_equal(err.msg, "uprobe:/a:f: the kernel puts no probe at this instruction");
}

/* PMUs that write traces: refused before anything is opened, whatever they are called. */
static void traces(void **state)
{
	static const char *const texts[] = {
		"intel_pt//", "intel_pt/tsc=1/u", "arm_spe_0/ts_enable=1/", "arm_spe//",
		"11:0",       "cs,intel_pt//"};
	const struct ev_record_options o = {.root_pid_namespace = true};
	struct buf notes = {0};
	struct fixture f;
	u32 i;

	(void)state;
	begin(&f, "tests/sysroot/probes");
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		parse(&f, texts[i]);
		assert_int_equal(ev_record_configure(&f.list, &o, &notes, &f.err), -EINVAL);
		assert_non_null(strstr(f.err.msg, "into an area of its own (AUX), and no samples"));
		assert_non_null(strstr(f.err.hint, "perf record -e "));
	}
	assert_non_null(pmu_traces("hisi_ptt0_2"));
	assert_non_null(pmu_traces("cs_etm"));
	assert_null(pmu_traces("intel_ptx"));
	assert_null(pmu_traces("cpu"));
	buf_free(&notes);
	end(&f);
}

static void out_of_memory(void **state)
{
	struct fixture f;
	unsigned int n;
	bool refused;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		begin(&f, "tests/sysroot/probes");
		oom_after(n);
		ret = ev_parse(&f.list, "kprobe:vfs_read,uprobe:" SELF ":main+1,11:0,kprobe:vfs_*",
			       &f.env, &f.err);
		refused = oom_stop();
		if (ret)
			assert_int_equal(f.list.specs.nr, 0);
		end(&f);
		if (!refused)
			break;
	}
	assert_int_equal(ret, 0);
	assert_true(n > 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_the_kernel), cmocka_unit_test(by_pattern),
		cmocka_unit_test(in_programs),   cmocka_unit_test(not_there),
		cmocka_unit_test(recorded),      cmocka_unit_test(refusals),
		cmocka_unit_test(traces),        cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ev_probe", tests, NULL, NULL);
}
