/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmu.h - the kernel's event sources and how their attr words are put together.
 *
 * pmu_scan() reads the names and types; pmu_load() the formats and aliases of one, when asked for.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices*,
 * /sys/bus/event_source/devices/PMU/: type, cpumask or cpus, format/TERM ("config:0-7,32-35"),
 * events/ALIAS ("event=0x3c,umask=0x1") with ALIAS.scale, .unit, .snapshot beside it.
 */
#ifndef KERNEL_PMU_H
#define KERNEL_PMU_H

#include <linux/perf_event.h>

#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/kernel/cpus.h"
#include "util/kernel/sysroot.h"

#define PMU_WORDS 4 /* config, config1, config2, config3 */

/* A named field of the attr: `mask` are its bits in the word, lowest first. */
struct pmu_format {
	const char *name;
	u64 mask;
	u8 word;
};

/* An event that the driver names: its terms, not yet parsed. */
struct pmu_alias {
	const char *name;
	const char *terms;
	const char *unit; /* "" */
	double scale;     /* 1.0 */
	bool snapshot;    /* counts are values, not sums */
};

struct pmu {
	const char *name;
	u32 type;         /* perf_event_attr.type */
	struct cpus cpus; /* where it may be opened; empty: everywhere */
	bool of_cores;    /* it is the PMU of one of several sorts of cores: the file is "cpus" */
	VEC(struct pmu_format) formats;
	VEC(struct pmu_alias) aliases;
	const char *unread; /* "FILE: REASON": the first that cannot be read; or NULL */
	bool loaded;
};

struct pmu_set {
	VEC(struct pmu) pmus; /* by name */
	int devices;          /* the folder; negative: there is none */
	struct arena arena;
};

/* Fills the set; pmu_set_free() it whatever the result. A kernel without any PMU gives an empty
 * one. */
int pmu_scan(const struct sysroot *root, struct pmu_set *set, struct err *err);
void pmu_set_free(struct pmu_set *set);

/*
 * Read cpus, formats and aliases; does nothing the second time. -EIO if the type or the cpus cannot be read; a format
 * or an alias that cannot be read, or whose scale, unit or snapshot cannot, is left out: see `unread`.
 */
int pmu_load(struct pmu_set *set, struct pmu *pmu, struct err *err);

/*
 * Does the name that a user typed mean this PMU? "cpu" is exact; patterns match; "uncore_" may be
 * left out; so may the number of one of several ("uncore_imc" means uncore_imc_0, uncore_imc_1).
 */
bool pmu_matches(const struct pmu *pmu, const char *typed);

/*
 * What the PMU of that name writes into an AUX area instead of making samples; NULL: it samples or
 * counts. The kernel does not say so anywhere, so these are known by name.
 */
const char *pmu_traces(const char *name);

/* NULL if there is none. The PMU must have been loaded. */
const struct pmu_format *pmu_format_find(const struct pmu *pmu, const char *name);
const struct pmu_alias *pmu_alias_find(const struct pmu *pmu, const char *name);

/* The largest value that the field holds. */
u64 pmu_format_max(const struct pmu_format *f);
/* A word of the attr, or NULL if this program was built for kernels that have no such word. */
__u64 *pmu_attr_word(struct perf_event_attr *attr, unsigned int word);
/* Set the field: -ERANGE if the value does not fit, -ENOTSUP if there is no such word. */
int pmu_format_set(const struct pmu_format *f, struct perf_event_attr *attr, u64 value);

#endif
