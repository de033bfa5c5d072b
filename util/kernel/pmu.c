// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/glob.h"
#include "util/base/io.h"

#define DEVICES  "sys/bus/event_source/devices"
#define FILE_MAX (64u << 10) /* sysfs files end at a page */

static bool is_absent(int ret)
{
	return ret == -ENOENT || ret == -ENOTDIR || ret == -ENAMETOOLONG;
}

/* A file that is there cannot be read: the first is remembered. -ENOMEM or 0. */
static int unread(struct pmu_set *set, struct pmu *pmu, const char *path, int ret)
{
	if (ret == -ENOMEM)
		return ret;
	if (!pmu->unread)
		pmu->unread =
			arena_printf(&set->arena, "/" DEVICES "/%s: %s", path, strerror(-ret));
	return pmu->unread ? 0 : -ENOMEM;
}

/* ---- which there are ---- */

static int add_pmu(struct pmu_set *set, const char *name)
{
	char path[PATH_MAX];
	struct pmu *pmu;
	s64 type = 0;
	int ret;

	if (snprintf(path, sizeof(path), "%s/type", name) >= (int)sizeof(path))
		return 0;
	ret = io_read_s64(set->devices, path, &type);
	if (!ret && (type < 0 || type > UINT32_MAX))
		ret = -EINVAL;
	/* No type: nothing that could be opened. */
	if (is_absent(ret))
		return 0;
	pmu = vec_push(&set->pmus);
	if (!pmu)
		return -ENOMEM;
	pmu->type = (u32)type;
	pmu->name = arena_strdup(&set->arena, name);
	if (!pmu->name)
		return -ENOMEM;
	return ret ? unread(set, pmu, path, ret) : 0;
}

int pmu_scan(const struct sysroot *root, struct pmu_set *set, struct err *err)
{
	static const char path[] = DEVICES;
	struct sysroot_names names = {0};
	int ret;
	u32 i;

	*set = (struct pmu_set){.devices = -1};
	set->devices = io_open(root->fd, path, O_RDONLY | O_DIRECTORY);
	if (set->devices == -ENOENT)
		return 0;
	if (set->devices < 0)
		return err_set(err, -set->devices, "cannot open /%s: %s", path,
			       strerror(-set->devices));
	ret = sysroot_list(set->devices, ".", &names);
	for (i = 0; !ret && i < names.names.nr; i++)
		ret = add_pmu(set, names.names.v[i]);
	sysroot_names_free(&names);
	if (ret == -ENOMEM)
		return err_nomem(err);
	return ret ? err_set(err, -ret, "cannot list /%s: %s", path, strerror(-ret)) : 0;
}

void pmu_set_free(struct pmu_set *set)
{
	u32 i;

	for (i = 0; i < set->pmus.nr; i++) {
		struct pmu *pmu = &set->pmus.v[i];

		vec_free(&pmu->formats);
		vec_free(&pmu->aliases);
		cpus_free(&pmu->cpus);
	}
	if (set->devices >= 0)
		close(set->devices);
	set->devices = -1;
	vec_free(&set->pmus);
	arena_free(&set->arena);
}

/* ---- formats and aliases ---- */

/* A one-line file of the PMU without the newline, in the arena. 1: it is not there; what cannot be read is remembered. */
static int read_line(struct pmu_set *set, struct pmu *pmu, const char *dir, const char *name,
		     const char *suffix, const char **line)
{
	struct buf b = {0};
	char path[PATH_MAX];
	size_t len;
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s/%s%s", pmu->name, dir, name, suffix) >=
	    (int)sizeof(path))
		return 1;
	ret = io_read_file(set->devices, path, &b, FILE_MAX);
	if (!ret) {
		len = strcspn(buf_str(&b), "\n");
		while (len && isspace((u8)b.data[len - 1]))
			len--;
		*line = arena_strndup(&set->arena, buf_str(&b), len);
		if (!*line)
			ret = -ENOMEM;
	} else if (is_absent(ret)) {
		ret = 1;
	} else if (unread(set, pmu, path, ret)) {
		ret = -ENOMEM;
	}
	buf_free(&b);
	return ret;
}

/* "config:0-7,32-35"; a word that a newer kernel may have is passed over. */
static bool parse_format(const char *text, struct pmu_format *f)
{
	const char *p = text;
	unsigned long from, to;
	char *end;

	if (strncmp(p, "config", 6))
		return false;
	p += 6;
	if (isdigit((u8)*p))
		f->word = (u8)(*p++ - '0');
	if (f->word >= PMU_WORDS || *p != ':')
		return false;
	do {
		p++;
		if (!isdigit((u8)*p))
			return false;
		from = to = strtoul(p, &end, 10);
		if (*end == '-' && isdigit((u8)end[1]))
			to = strtoul(end + 1, &end, 10);
		if (from > to || to > 63)
			return false;
		f->mask |= (UINT64_MAX >> (63 - (to - from))) << from;
		p = end;
	} while (*p == ',');
	return !*p;
}

static int load_format(struct pmu_set *set, struct pmu *pmu, const char *name)
{
	struct pmu_format f = {0}, *slot;
	const char *text;
	int ret;

	ret = read_line(set, pmu, "format", name, "", &text);
	if (ret || !parse_format(text, &f))
		return ret;
	f.name = arena_strdup(&set->arena, name);
	slot = f.name ? vec_push(&pmu->formats) : NULL;
	if (!slot)
		return -ENOMEM;
	*slot = f;
	return 0;
}

static bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n > m && !strcmp(s + n - m, suffix);
}

static bool is_about_an_alias(const char *name)
{
	static const char *const suffixes[] = {".scale", ".unit", ".snapshot", ".per-pkg"};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (ends_with(name, suffixes[i]))
			return true;
	return false;
}

static double parse_scale(const char *text)
{
	double v = strtod(text, NULL);

	return v > 0 && __builtin_isfinite(v) ? v : 1.0;
}

static int load_alias(struct pmu_set *set, struct pmu *pmu, const char *name)
{
	struct pmu_alias a = {.unit = "", .scale = 1.0}, *slot;
	const char *text;
	int ret;

	if (is_about_an_alias(name))
		return 0;
	ret = read_line(set, pmu, "events", name, "", &a.terms);
	if (ret)
		return ret;
	ret = read_line(set, pmu, "events", name, ".scale", &text);
	if (!ret)
		a.scale = parse_scale(text);
	if (ret >= 0)
		ret = read_line(set, pmu, "events", name, ".unit", &a.unit);
	if (ret >= 0)
		ret = read_line(set, pmu, "events", name, ".snapshot", &text);
	if (ret < 0)
		return ret;
	a.snapshot = !ret;
	a.name = arena_strdup(&set->arena, name);
	slot = a.name ? vec_push(&pmu->aliases) : NULL;
	if (!slot)
		return -ENOMEM;
	*slot = a;
	return 0;
}

/* A file that cannot be read costs the formats or the alias that it is about. */
static int load_all(struct pmu_set *set, struct pmu *pmu, const char *dir,
		    int (*load)(struct pmu_set *, struct pmu *, const char *))
{
	struct sysroot_names names = {0};
	char path[PATH_MAX];
	int ret;
	u32 i;

	if (snprintf(path, sizeof(path), "%s/%s", pmu->name, dir) >= (int)sizeof(path))
		return 0;
	ret = sysroot_list(set->devices, path, &names);
	if (ret && !is_absent(ret))
		ret = unread(set, pmu, path, ret);
	for (i = 0; ret != -ENOMEM && i < names.names.nr; i++)
		ret = load(set, pmu, names.names.v[i]);
	sysroot_names_free(&names);
	return ret == -ENOMEM ? ret : 0;
}

/* Where it may be opened: a mask that cannot be read is no "everywhere". */
static int load_cpus(struct pmu_set *set, struct pmu *pmu)
{
	static const char *const masks[] = {"cpumask", "cpus"};
	char path[PATH_MAX];
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(masks) && !pmu->cpus.nr; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", pmu->name, masks[i]) >= (int)sizeof(path))
			continue;
		ret = cpus_read(set->devices, path, &pmu->cpus);
		if (ret && !is_absent(ret))
			return unread(set, pmu, path, ret);
		pmu->of_cores = pmu->cpus.nr && !strcmp(masks[i], "cpus");
	}
	return 0;
}

int pmu_load(struct pmu_set *set, struct pmu *pmu, struct err *err)
{
	int ret = 0;

	if (pmu->loaded)
		return 0;
	pmu->formats.nr = pmu->aliases.nr = 0;
	if (!pmu->unread)
		ret = load_cpus(set, pmu);
	if (!ret && pmu->unread) {
		err_set(err, EIO, "cannot use the PMU %s: cannot read %s", pmu->name, pmu->unread);
		return -EIO;
	}
	if (!ret)
		ret = load_all(set, pmu, "format", load_format);
	if (!ret)
		ret = load_all(set, pmu, "events", load_alias);
	if (ret)
		return err_nomem(err);
	pmu->loaded = true;
	return 0;
}

/* ---- lookup ---- */

/* "_0", "_12": what may be left out behind the name that was typed. */
static bool is_number_of_one(const char *rest)
{
	return rest[0] == '_' && isdigit((u8)rest[1]) && !rest[1 + strspn(rest + 1, "0123456789")];
}

static bool name_matches(const char *name, const char *typed)
{
	size_t len = strlen(typed);

	if (glob_is_pattern(typed))
		return glob_match(typed, name);
	return !strncmp(name, typed, len) && (!name[len] || is_number_of_one(name + len));
}

bool pmu_matches(const struct pmu *pmu, const char *typed)
{
	static const char uncore[] = "uncore_";
	size_t n = sizeof(uncore) - 1;

	if (name_matches(pmu->name, typed))
		return true;
	return !strncmp(pmu->name, uncore, n) && name_matches(pmu->name + n, typed);
}

const char *pmu_traces(const char *name)
{
	static const struct {
		const char *name, *what;
	} tracers[] = {
		{"intel_pt", "a trace of every branch"},
		{"intel_bts", "a trace of every branch"},
		{"arm_spe", "records of single instructions"},
		{"cs_etm", "a trace of every branch"},
		{"hisi_ptt", "a trace of PCIe packets"},
	};
	size_t len;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tracers); i++) {
		len = strlen(tracers[i].name);
		/* one of several has a number: arm_spe_0, hisi_ptt0_2 */
		if (!strncmp(name, tracers[i].name, len) &&
		    !name[len + strspn(name + len, "_0123456789")])
			return tracers[i].what;
	}
	return NULL;
}

const struct pmu_format *pmu_format_find(const struct pmu *pmu, const char *name)
{
	u32 i;

	for (i = 0; i < pmu->formats.nr; i++)
		if (!strcmp(pmu->formats.v[i].name, name))
			return &pmu->formats.v[i];
	return NULL;
}

const struct pmu_alias *pmu_alias_find(const struct pmu *pmu, const char *name)
{
	u32 i;

	for (i = 0; i < pmu->aliases.nr; i++)
		if (!strcmp(pmu->aliases.v[i].name, name))
			return &pmu->aliases.v[i];
	return NULL;
}

/* ---- attr words ---- */

u64 pmu_format_max(const struct pmu_format *f)
{
	int bits = __builtin_popcountll(f->mask);

	return bits ? UINT64_MAX >> (64 - bits) : 0;
}

__u64 *pmu_attr_word(struct perf_event_attr *attr, unsigned int word)
{
	switch (word) {
	case 0:
		return &attr->config;
	case 1:
		return &attr->config1;
	case 2:
		return &attr->config2;
#ifdef PERF_ATTR_SIZE_VER8
	case 3:
		return &attr->config3;
#endif
	default:
		return NULL;
	}
}

int pmu_format_set(const struct pmu_format *f, struct perf_event_attr *attr, u64 value)
{
	__u64 *word = pmu_attr_word(attr, f->word);
	u64 mask;

	if (!word)
		return -ENOTSUP;
	if (value > pmu_format_max(f))
		return -ERANGE;
	*word &= ~f->mask;
	for (mask = f->mask; mask; mask &= mask - 1, value >>= 1)
		if (value & 1)
			*word |= mask & -mask;
	return 0;
}
