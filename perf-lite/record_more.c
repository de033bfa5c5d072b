// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/record.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

#include "arch/arch.h"

static int name_registers(const struct arch *a, const char *option, const char *text, size_t len,
			  struct err *err)
{
	struct buf names = {0};
	u32 i;

	for (i = 0; i < a->nr_regs; i++)
		if (a->user_regs >> i & 1 && a->regs[i])
			buf_addf(&names, "%s%s", names.len ? "," : "", a->regs[i]);
	if (len == 1 && text[0] == '?')
		err_set(err, EINVAL, "%s: no registers are named", option);
	else
		err_set(err, EINVAL, "%s: unknown register '%.*s'", option, (int)len, text);
	err_hint(err, "there are %s", buf_str(&names));
	buf_free(&names);
	return -EINVAL;
}

static u64 find_register(const struct arch *a, const char *text, size_t len)
{
	u32 i;

	for (i = 0; i < a->nr_regs; i++)
		if (a->user_regs >> i & 1 && a->regs[i] && strlen(a->regs[i]) == len &&
		    !strncasecmp(a->regs[i], text, len))
			return 1ull << i;
	return 0;
}

static int parse_registers(const char *option, const char *arg, u64 *mask, struct err *err)
{
	const struct arch *a;
	struct utsname un;
	size_t len;
	u64 one;

	a = uname(&un) ? NULL : arch_find(un.machine);
	if (!a || !a->user_regs) {
		err_set(err, EOPNOTSUPP, "%s: the registers of this machine are not known", option);
		err_hint(err, "leave it out");
		return -EOPNOTSUPP;
	}
	if (!arg || !*arg) {
		*mask = a->user_regs;
		return 0;
	}
	*mask = 0;
	for (;; arg += len + 1) {
		len = strcspn(arg, ",");
		one = find_register(a, arg, len);
		if (!one)
			return name_registers(a, option, arg, len, err);
		*mask |= one;
		if (!arg[len])
			return 0;
	}
}

static int on_intr_regs(void *value, const char *arg, struct err *err)
{
	struct ev_record_options *o = value;

	o->more |= PERF_SAMPLE_REGS_INTR;
	return parse_registers("--intr-regs", arg, &o->intr_regs, err);
}

static int on_user_regs(void *value, const char *arg, struct err *err)
{
	struct ev_record_options *o = value;

	o->more |= PERF_SAMPLE_REGS_USER;
	return parse_registers("--user-regs", arg, &o->more_user_regs, err);
}

static int ask(void *value, u64 sample_type)
{
	((struct ev_record_options *)value)->more |= sample_type;
	return 0;
}

static int on_phys_data(void *value, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	return ask(value, PERF_SAMPLE_PHYS_ADDR);
}

static int on_data_page_size(void *value, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	return ask(value, PERF_SAMPLE_DATA_PAGE_SIZE);
}

static int on_code_page_size(void *value, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	return ask(value, PERF_SAMPLE_CODE_PAGE_SIZE);
}

static int on_cgroups(void *value, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	((struct ev_record_options *)value)->cgroups = true;
	return ask(value, PERF_SAMPLE_CGROUP);
}

#define OPT_STRUCT struct ev_record_options

const struct opt record_more_opts[] = {
	OPT_GROUP("More data for each sample"),
	OPT_FLAG('d', "data", addresses,
		 "record the data address of memory accesses and page faults"),
	OPT_CALL(0, "phys-data", NULL, on_phys_data, "record the physical address of the data"),
	OPT_CALL(0, "data-page-size", NULL, on_data_page_size,
		 "record the page size of the data address"),
	OPT_CALL(0, "code-page-size", NULL, on_code_page_size,
		 "record the page size of the code address"),
	OPT_FLAG(0, "sample-ip", sample_ip,
		 "record the address of each tracepoint hit (call chains already include it)"),
	OPT_CALL('I', "intr-regs", "REGS", on_intr_regs,
		 "record registers: all, or AX,IP,...; --intr-regs=? lists them", OPT_ARG_OPTIONAL),
	OPT_CALL(0, "user-regs", "REGS", on_user_regs,
		 "record user registers, as of the last entry into the kernel", OPT_ARG_OPTIONAL),
	OPT_CALL(0, "all-cgroups", NULL, on_cgroups, "record the control group of the task"),
	OPT_FLAG(0, "namespaces", namespaces, "record the namespaces of every task"),
	OPT_FLAG(0, "text-poke", text_poke, "record every change the kernel makes to its own code"),
	OPT_FLAG(0, "switch-events", switch_events, "record every context switch"),
	OPT_FLAG(0, "latency", switch_events, "record every context switch, for report --latency"),
	OPT_END,
};

int record_more_check(const struct ev_record_options *o, bool stacks, bool keep_stacks,
		      struct err *err)
{
	if (!(o->more & PERF_SAMPLE_REGS_USER) || !stacks || keep_stacks)
		return 0;
	err_set(err, EINVAL,
		"--user-regs: registers are not stored for samples whose stacks are unwound");
	err_hint(err, "add --keep-stacks, or use --intr-regs");
	return -EINVAL;
}
