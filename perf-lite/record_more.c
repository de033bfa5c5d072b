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

int record_more_on_intr_regs(void *value, const char *arg, struct err *err)
{
	struct ev_record_options *o = value;

	o->more |= PERF_SAMPLE_REGS_INTR;
	return parse_registers("--intr-regs", arg, &o->intr_regs, err);
}

int record_more_on_user_regs(void *value, const char *arg, struct err *err)
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

int record_more_on_phys_data(void *value, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	return ask(value, PERF_SAMPLE_PHYS_ADDR);
}

int record_more_on_data_page_size(void *value, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	return ask(value, PERF_SAMPLE_DATA_PAGE_SIZE);
}

int record_more_on_code_page_size(void *value, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	return ask(value, PERF_SAMPLE_CODE_PAGE_SIZE);
}

int record_more_on_cgroups(void *value, const char *arg, struct err *err)
{
	(void)arg;
	(void)err;
	((struct ev_record_options *)value)->cgroups = true;
	return ask(value, PERF_SAMPLE_CGROUP);
}

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
