// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_feature.h"

#include <errno.h>

#define IN_WORD(name, word, bits)                                         \
	static bool name##_is_on(const struct perf_event_attr *a)         \
	{                                                                 \
		return a->word & (bits);                                  \
	}                                                                 \
	static void name##_turn(struct perf_event_attr *a, bool on)       \
	{                                                                 \
		a->word = on ? a->word | (bits) : a->word & ~(u64)(bits); \
	}

#define IN_BIT(name)                                                \
	static bool name##_is_on(const struct perf_event_attr *a)   \
	{                                                           \
		return a->name;                                     \
	}                                                           \
	static void name##_turn(struct perf_event_attr *a, bool on) \
	{                                                           \
		a->name = on;                                       \
	}

IN_WORD(lost, read_format, PERF_FORMAT_LOST)
IN_WORD(weight_struct, sample_type, PERF_SAMPLE_WEIGHT_STRUCT)
IN_WORD(code_page_size, sample_type, PERF_SAMPLE_CODE_PAGE_SIZE)
IN_WORD(data_page_size, sample_type, PERF_SAMPLE_DATA_PAGE_SIZE)
IN_WORD(sample_cgroup, sample_type, PERF_SAMPLE_CGROUP)
IN_WORD(phys_addr, sample_type, PERF_SAMPLE_PHYS_ADDR)
IN_BIT(text_poke)
IN_BIT(cgroup)
IN_BIT(bpf_event)
IN_BIT(ksymbol)
IN_BIT(namespaces)

#define FEATURE(name, what, since, option)                     \
	{                                                      \
		what, since, option, name##_is_on, name##_turn \
	}

static const struct ev_feature features[] = {
	FEATURE(lost, "the number of lost samples", "6.0", NULL),
	FEATURE(weight_struct, "weights in parts", "5.12", NULL),
	FEATURE(code_page_size, "page sizes of code", "5.11", "--code-page-size"),
	FEATURE(data_page_size, "page sizes of data", "5.11", "--data-page-size"),
	FEATURE(text_poke, "changes of its instructions", "5.9", "--text-poke"),
	FEATURE(sample_cgroup, "control groups of samples (CONFIG_CGROUP_PERF)", "5.7",
		"--all-cgroups"),
	FEATURE(cgroup, "names of control groups", "5.7", "--all-cgroups"),
	FEATURE(bpf_event, "loaded BPF programs", "5.1", NULL),
	FEATURE(ksymbol, "functions that come and go", "5.1", NULL),
	FEATURE(phys_addr, "physical addresses", "4.14", "--phys-data"),
	FEATURE(namespaces, "namespaces of tasks", "4.12", "--namespaces"),
};

const struct ev_feature *ev_features(u32 *nr)
{
	*nr = ARRAY_SIZE(features);
	return features;
}

void ev_feature_drop(const struct ev_feature *f, struct perf_event_attr *a)
{
	f->turn(a, false);
	/* the whole weight is there since 3.10 */
	if (f->turn == weight_struct_turn)
		a->sample_type |= PERF_SAMPLE_WEIGHT;
}

int ev_feature_refused(const struct ev_feature *f, struct err *err)
{
	err_set(err, ENOTSUP, "this kernel does not tell %s", f->what);
	err_hint(err, "leave out %s, or take Linux %s or newer", f->option, f->since);
	return -ENOTSUP;
}
