// SPDX-License-Identifier: GPL-2.0
#include "util/report/sample_keys.h"

#include <linux/perf_event.h>
#include <string.h>
#include <strings.h>

/* perf's, in the order in which a beginning is looked for. */
static const struct perf_name {
	const char *name, *title;
	enum sample_key_kind kind;
} perf_names[] = {
	{"overhead", "Overhead", KEY_OVERHEAD},
	{"overhead_sys", "sys", KEY_OVERHEAD_SYS},
	{"overhead_us", "usr", KEY_OVERHEAD_US},
	{"overhead_guest_sys", "guest sys", KEY_OVERHEAD_GUEST_SYS},
	{"overhead_guest_us", "guest usr", KEY_OVERHEAD_GUEST_US},
	{"overhead_children", "Children", KEY_CHILDREN},
	{"overhead_cpu", "Overhead", KEY_OVERHEAD_CPU},
	{"latency", "Latency", KEY_OVERHEAD},
	{"sample", "Samples", KEY_SAMPLES},
	{"period", "Period", KEY_PERIOD},
	{"pid", "    Pid:Command", KEY_THREAD},
	{"comm", "Command", KEY_COMM},
	{"comm_nodigit", "Command", KEY_COMM_NODIGIT},
	{"dso", "Shared Object", KEY_DSO},
	{"symbol", "Symbol", KEY_SYMBOL},
	{"cpu", "CPU", KEY_CPU},
	{"socket", "Socket", KEY_SOCKET},
	{"parallelism", "Parallelism", KEY_PARALLELISM},
	{"srcline", "Source:Line", KEY_SRCLINE},
	{"srcfile", "Source File", KEY_SRCFILE},
	{"parent", "Parent symbol", KEY_PARENT},
	{"local_weight", "Local Weight", KEY_LOCAL_WEIGHT},
	{"weight", "Weight", KEY_WEIGHT},
	{"transaction", "Transaction                ", KEY_TRANSACTION},
	{"trace", "Trace output", KEY_TRACE},
	{"symbol_size", "Symbol size", KEY_SYMBOL_SIZE},
	{"dso_size", "DSO size", KEY_DSO_SIZE},
	{"cgroup", "Cgroup", KEY_CGROUP},
	{"cgroup_id", "cgroup id (dev/inode)", KEY_CGROUP_ID},
	{"time", "Time", KEY_TIME},
	{"code_page_size", "Code Page Size", KEY_CODE_PAGE_SIZE},
	{"local_ins_lat", "Local INSTR Latency", KEY_LOCAL_INS_LAT},
	{"ins_lat", "INSTR Latency", KEY_INS_LAT},
	{"local_p_stage_cyc", "Local Pipeline Stage Cycle", KEY_LOCAL_P_STAGE_CYC},
	{"p_stage_cyc", "Pipeline Stage Cycle", KEY_P_STAGE_CYC},
	{"addr", "Address", KEY_ADDR},
	{"dso_from", "Source Shared Object", KEY_DSO_FROM},
	{"dso_to", "Target Shared Object", KEY_DSO_TO},
	{"symbol_from", "Source Symbol", KEY_SYMBOL_FROM},
	{"symbol_to", "Target Symbol", KEY_SYMBOL_TO},
	{"mispredict", "Branch Mispredicted", KEY_MISPREDICT},
	{"abort", "Transaction abort", KEY_ABORT},
	{"in_tx", "Branch in transaction", KEY_IN_TX},
	{"cycles", "Basic Block Cycles", KEY_CYCLES},
	{"srcline_from", "From Source:Line", KEY_SRCLINE_FROM},
	{"srcline_to", "To Source:Line", KEY_SRCLINE_TO},
	{"addr_from", "Source Address", KEY_ADDR_FROM},
	{"addr_to", "Target Address", KEY_ADDR_TO},
	{"symbol_daddr", "Data Symbol", KEY_SYMBOL_DADDR},
	{"dso_daddr", "Data Object", KEY_DSO_DADDR},
	{"locked", "Locked", KEY_LOCKED},
	{"tlb", "TLB access", KEY_TLB},
	{"mem", "Memory access", KEY_MEM},
	{"snoop", "Snoop", KEY_SNOOP},
	{"dcacheline", "Data Cacheline", KEY_DCACHELINE},
	{"symbol_iaddr", "Code Symbol", KEY_SYMBOL_IADDR},
	{"phys_daddr", "Data Physical Address", KEY_PHYS_DADDR},
	{"data_page_size", "Data Page Size", KEY_DATA_PAGE_SIZE},
	{"blocked", "Blocked", KEY_BLOCKED},
	{"tgid", "   Tgid:Command", KEY_PROCESS},
	{"tid", "    Tid:Command", KEY_THREAD},
	{"children", "Children", KEY_CHILDREN},
	{"samples", "Samples", KEY_SAMPLES},
};

#define NR_COMMON 11 /* those that people ask for most */
#define NR_FIRST  12 /* fields of their names need an EVENT. before them */

/* Names that only the plain ones have, or that mean something else there; the others are perf's. */
static const struct plain_name {
	const char *name;
	enum sample_key_kind kind;
} plain_names[] = {
	{"comm", KEY_COMM},
	{"pid", KEY_PID},
	{"tid", KEY_TID},
	{"cpu", KEY_CPU},
	{"cgroup", KEY_CGROUP},
	{"event", KEY_EVENT},
	{"kstack", KEY_KSTACK},
	{"ustack", KEY_USTACK},
	{"stack", KEY_STACK},
	{"sym", KEY_FUNCTION},
	{"dso", KEY_DSO},
	{"symbol", KEY_FUNCTION},
	{"weight", KEY_LOCAL_WEIGHT},
	{"ins_lat", KEY_LOCAL_INS_LAT},
	{"p_stage_cyc", KEY_LOCAL_P_STAGE_CYC},
};

/* Of perf's names, those that are plain names, too: they say the same of each sample. */
static bool is_plain(enum sample_key_kind kind)
{
	switch (kind) {
	case KEY_THREAD:
	case KEY_PROCESS:
	case KEY_PARENT:
	case KEY_SYMBOL:
	case KEY_IPC:
	/* sums of a row */
	case KEY_WEIGHT:
	case KEY_INS_LAT:
	case KEY_P_STAGE_CYC:
		return false;
	default:
		return !sample_key_is_number(kind);
	}
}

enum sample_key_kind sample_keys_perf(const char *word)
{
	size_t len = strlen(word);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(perf_names); i++)
		if (!strcasecmp(word, perf_names[i].name))
			return perf_names[i].kind;
	for (i = 0; len >= 2 && i < ARRAY_SIZE(perf_names); i++)
		if (!strncasecmp(word, perf_names[i].name, len))
			return perf_names[i].kind;
	return KEY_NONE;
}

static bool is_word(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && !memcmp(name, word, len);
}

enum sample_key_kind sample_keys_plain(const char *word, size_t len)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(plain_names); i++)
		if (is_word(plain_names[i].name, word, len))
			return plain_names[i].kind;
	for (i = 0; i < ARRAY_SIZE(perf_names); i++)
		if (is_plain(perf_names[i].kind) && is_word(perf_names[i].name, word, len))
			return perf_names[i].kind;
	return KEY_NONE;
}

bool sample_keys_yields(enum sample_key_kind kind)
{
	u32 i;

	for (i = 0; i < NR_FIRST; i++)
		if (plain_names[i].kind == kind)
			return false;
	return true;
}

static const struct perf_name *find_kind(enum sample_key_kind kind)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(perf_names); i++)
		if (perf_names[i].kind == kind)
			return &perf_names[i];
	return NULL;
}

const char *sample_keys_name(enum sample_key_kind kind)
{
	const struct perf_name *n = find_kind(kind);

	return n ? n->name : "";
}

const char *sample_keys_title(enum sample_key_kind kind)
{
	const struct perf_name *n = find_kind(kind);

	return n ? n->title : "";
}

/* Words that people have for keys, too far from their names to be taken for misspelt ones. */
static const char *meant_by(const char *word, bool perf)
{
	static const struct {
		const char *word, *plain, *perf;
	} words[] = {
		{"function", "sym", "symbol"}, {"func", "sym", "symbol"},
		{"command", "comm", "comm"},   {"process", "pid", "pid"},
		{"thread", "tid", "tid"},      {"file", "dso", "dso"},
		{"library", "dso", "dso"},     {"line", "srcline", "srcline"},
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].word, word))
			return perf ? words[i].perf : words[i].plain;
	return NULL;
}

void sample_keys_suggest(struct text_suggest *suggest, bool perf)
{
	const char *meant = meant_by(suggest->word, perf);
	u32 i;

	if (meant) {
		suggest->best = meant;
		suggest->distance = 0;
		return;
	}
	for (i = 0; !perf && i < ARRAY_SIZE(plain_names); i++)
		text_suggest_add(suggest, plain_names[i].name);
	for (i = 0; i < ARRAY_SIZE(perf_names); i++)
		if (perf || is_plain(perf_names[i].kind))
			text_suggest_add(suggest, perf_names[i].name);
}

void sample_keys_list(struct buf *out, bool perf)
{
	u32 i;

	for (i = 0; perf && i < ARRAY_SIZE(perf_names); i++)
		buf_addf(out, "%s%s", i ? ", " : "", perf_names[i].name);
	for (i = 0; !perf && i < NR_COMMON; i++)
		buf_addf(out, "%s%s", i ? ", " : "", plain_names[i].name);
}

u64 sample_keys_needs(enum sample_key_kind kind, const char **option)
{
	*option = NULL;
	if (sample_key_is_of_branch(kind)) {
		*option = "-b";
		return PERF_SAMPLE_BRANCH_STACK;
	}
	switch (kind) {
	case KEY_CGROUP:
		*option = "--all-cgroups";
		return PERF_SAMPLE_CGROUP;
	case KEY_LOCAL_WEIGHT:
	case KEY_LOCAL_INS_LAT:
	case KEY_LOCAL_P_STAGE_CYC:
		*option = "--weight";
		return PERF_SAMPLE_WEIGHT_TYPE;
	case KEY_TRANSACTION:
		return PERF_SAMPLE_TRANSACTION;
	case KEY_CODE_PAGE_SIZE:
		*option = "--code-page-size";
		return PERF_SAMPLE_CODE_PAGE_SIZE;
	case KEY_DATA_PAGE_SIZE:
		*option = "--data-page-size";
		return PERF_SAMPLE_DATA_PAGE_SIZE;
	case KEY_PHYS_DADDR:
		*option = "--phys-data";
		return PERF_SAMPLE_PHYS_ADDR;
	case KEY_SYMBOL_DADDR:
	case KEY_DSO_DADDR:
	case KEY_DCACHELINE:
		*option = "-d";
		return PERF_SAMPLE_ADDR;
	case KEY_LOCKED:
	case KEY_TLB:
	case KEY_MEM:
	case KEY_SNOOP:
	case KEY_BLOCKED:
		*option = "-d";
		return PERF_SAMPLE_DATA_SRC;
	case KEY_ADDR:
	case KEY_SYMBOL_IADDR:
		*option = "--sample-ip";
		return PERF_SAMPLE_IP;
	default:
		return 0;
	}
}

void sample_needs_add(struct sample_needs *n, enum sample_key_kind kind)
{
	const char *option;

	n->parts |= sample_keys_needs(kind, &option);
	n->switches |= kind == KEY_PARALLELISM;
	n->namespaces |= kind == KEY_CGROUP_ID;
	n->cpu_places |= kind == KEY_SOCKET;
}
