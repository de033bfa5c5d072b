// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_keys.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "util/base/text.h"

#define DEFAULT_QUANTUM 100000000ull

/* In this order a beginning is looked for, which for what perf has is perf's. */
static const struct key_name {
	const char *name, *title;
	enum report_kind kind;
} names[] = {
	{"overhead", "Overhead", REPORT_OVERHEAD},
	{"overhead_sys", "sys", REPORT_OVERHEAD_SYS},
	{"overhead_us", "usr", REPORT_OVERHEAD_US},
	{"overhead_guest_sys", "guest sys", REPORT_OVERHEAD_GUEST_SYS},
	{"overhead_guest_us", "guest usr", REPORT_OVERHEAD_GUEST_US},
	{"overhead_children", "Children", REPORT_CHILDREN},
	{"sample", "Samples", REPORT_SAMPLES},
	{"period", "Period", REPORT_PERIOD},
	{"pid", "    Pid:Command", REPORT_PID},
	{"comm", "Command", REPORT_COMM},
	{"dso", "Shared Object", REPORT_DSO},
	{"symbol", "Symbol", REPORT_SYMBOL},
	{"cpu", "CPU", REPORT_CPU},
	{"socket", "Socket", REPORT_SOCKET},
	{"srcline", "Source:Line", REPORT_SRCLINE},
	{"srcfile", "Source File", REPORT_SRCFILE},
	{"parent", "Parent symbol", REPORT_PARENT},
	{"local_weight", "Local Weight", REPORT_LOCAL_WEIGHT},
	{"weight", "Weight", REPORT_WEIGHT},
	{"transaction", "Transaction                ", REPORT_TRANSACTION},
	{"trace", "Trace output", REPORT_TRACE},
	{"symbol_size", "Symbol size", REPORT_SYMBOL_SIZE},
	{"dso_size", "DSO size", REPORT_DSO_SIZE},
	{"cgroup", "Cgroup", REPORT_CGROUP},
	{"cgroup_id", "cgroup id (dev/inode)", REPORT_CGROUP_ID},
	{"time", "Time", REPORT_TIME},
	{"code_page_size", "Code Page Size", REPORT_CODE_PAGE_SIZE},
	{"local_ins_lat", "Local INSTR Latency", REPORT_LOCAL_INS_LAT},
	{"ins_lat", "INSTR Latency", REPORT_INS_LAT},
	{"local_p_stage_cyc", "Local Pipeline Stage Cycle", REPORT_LOCAL_P_STAGE_CYC},
	{"p_stage_cyc", "Pipeline Stage Cycle", REPORT_P_STAGE_CYC},
	{"addr", "Address", REPORT_ADDR},
	{"dso_from", "Source Shared Object", REPORT_DSO_FROM},
	{"dso_to", "Target Shared Object", REPORT_DSO_TO},
	{"symbol_from", "Source Symbol", REPORT_SYMBOL_FROM},
	{"symbol_to", "Target Symbol", REPORT_SYMBOL_TO},
	{"mispredict", "Branch Mispredicted", REPORT_MISPREDICT},
	{"abort", "Transaction abort", REPORT_ABORT},
	{"in_tx", "Branch in transaction", REPORT_IN_TX},
	{"cycles", "Basic Block Cycles", REPORT_CYCLES},
	{"srcline_from", "From Source:Line", REPORT_SRCLINE_FROM},
	{"srcline_to", "To Source:Line", REPORT_SRCLINE_TO},
	{"addr_from", "Source Address", REPORT_ADDR_FROM},
	{"addr_to", "Target Address", REPORT_ADDR_TO},
	{"symbol_daddr", "Data Symbol", REPORT_SYMBOL_DADDR},
	{"dso_daddr", "Data Object", REPORT_DSO_DADDR},
	{"locked", "Locked", REPORT_LOCKED},
	{"tlb", "TLB access", REPORT_TLB},
	{"mem", "Memory access", REPORT_MEM},
	{"snoop", "Snoop", REPORT_SNOOP},
	{"dcacheline", "Data Cacheline", REPORT_DCACHELINE},
	{"symbol_iaddr", "Code Symbol", REPORT_SYMBOL_IADDR},
	{"phys_daddr", "Data Physical Address", REPORT_PHYS_DADDR},
	{"data_page_size", "Data Page Size", REPORT_DATA_PAGE_SIZE},
	{"blocked", "Blocked", REPORT_BLOCKED},
	{"tgid", "   Tgid:Command", REPORT_TGID},
	{"tid", "    Tid:Command", REPORT_PID},
	{"children", "Children", REPORT_CHILDREN},
	{"samples", "Samples", REPORT_SAMPLES},
};

/* The one of perf's that nobody can ask for, there or here. */
#define IPC_NAME  "ipc_null"
#define IPC_TITLE "IPC   [IPC Coverage]"

static const struct key_name *find_name(const char *word)
{
	size_t len = strlen(word);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(word, names[i].name))
			return &names[i];
	for (i = 0; len >= 2 && i < ARRAY_SIZE(names); i++)
		if (!strncasecmp(word, names[i].name, len))
			return &names[i];
	return NULL;
}

/* -ENOTSUP for keys that perf lists, and takes from nobody. */
static int check_refused(const char *word, struct err *err)
{
	if (strcasecmp(word, "ipc_lbr") != 0 && strcasecmp(word, IPC_NAME) != 0)
		return 0;
	err_set(err, ENOTSUP, "'%s' is no key to sort by, in perf neither", word);
	err_hint(err, "instructions of blocks are not recorded; the key cycles tells their cycles");
	return -ENOTSUP;
}

static const char *title_of(enum report_kind kind)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].kind == kind)
			return names[i].title;
	return "";
}

static const char *name_of(enum report_kind kind)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].kind == kind)
			return names[i].name;
	return "";
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static u32 find_key(const struct report_keys *k, const struct report_key *want)
{
	u32 i;

	for (i = 0; i < k->keys.nr; i++)
		if (k->keys.v[i].kind == want->kind &&
		    (want->kind != REPORT_FIELD || (same_text(k->keys.v[i].name, want->name) &&
						    same_text(k->keys.v[i].event, want->event))))
			return i;
	return ID_NONE;
}

/* Put a column into the list, once. */
static bool add_column(struct report_columns *l, struct report_column c)
{
	struct report_column *to;
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (l->v[i].kind == c.kind && l->v[i].key == c.key)
			return true;
	to = vec_push(l);
	if (to)
		*to = c;
	return to != NULL;
}

static int add_number(struct report_keys *k, struct report_columns *l, enum report_kind kind,
		      struct err *err)
{
	k->modes |= report_kind_is_of_mode(kind);
	return add_column(l, (struct report_column){kind, ID_NONE}) ? 0 : err_nomem(err);
}

static int add_key(struct report_keys *k, struct report_columns *l, const struct report_key *want,
		   struct err *err)
{
	u32 at = find_key(k, want);
	struct report_key *key;

	if (at == ID_NONE) {
		key = vec_push(&k->keys);
		if (!key)
			return err_nomem(err);
		*key = *want;
		key->at = report_kind_is_of_frame(want->kind) ? k->nr_frame++ : k->nr_sample++;
		at = k->keys.nr - 1;
	}
	return add_column(l, (struct report_column){want->kind, at}) ? 0 : err_nomem(err);
}

/* "sched:sched_switch" is called that, or "sched_switch". */
static bool is_event(const char *event, const char *name)
{
	const char *colon = strrchr(event, ':');

	return !strcmp(event, name) || (colon && !strcmp(colon + 1, name));
}

static bool known_field(const struct report_asked *asked, const char *event, const char *name)
{
	u32 i;

	if (asked->any_field)
		return true;
	for (i = 0; i < asked->nr_known; i++)
		if (!strcmp(asked->known[i].name, name) &&
		    (!event || is_event(asked->known[i].event, event)))
			return true;
	return false;
}

static int unknown(const struct report_asked *asked, const char *word, struct err *err)
{
	struct text_suggest suggest;
	struct buf all = {0};
	u32 i, j;
	int ret = check_refused(word, err);

	if (ret)
		return ret;
	text_suggest_init(&suggest, word);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		text_suggest_add(&suggest, names[i].name);
		buf_addf(&all, "%s%s", i ? ", " : "", names[i].name);
	}
	for (i = 0; i < asked->nr_known; i++) {
		text_suggest_add(&suggest, asked->known[i].name);
		for (j = 0; j < i && strcmp(asked->known[j].name, asked->known[i].name) != 0; j++)
			;
		if (j < i)
			continue;
		buf_adds(&all, ", ");
		text_escape(&all, asked->known[i].name, strlen(asked->known[i].name));
	}
	err_set(err, EINVAL, "there is no key '%s', and no event has such a field", word);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		err_hint(err, "there are: %s", buf_str(&all));
	buf_free(&all);
	return -EINVAL;
}

/* FIELD or EVENT.FIELD; `word` is kept by the arena. */
static int add_field(struct report_keys *k, struct report_columns *l,
		     const struct report_asked *asked, char *word, struct err *err)
{
	struct report_key key = {.kind = REPORT_FIELD, .name = word};
	char *dot = strrchr(word, '.');

	if (!known_field(asked, NULL, word)) {
		if (!dot)
			return unknown(asked, word, err);
		*dot = '\0';
		if (!known_field(asked, word, dot + 1)) {
			*dot = '.';
			return unknown(asked, word, err);
		}
		key.event = word;
		key.name = dot + 1;
	}
	return add_key(k, l, &key, err);
}

static int add_all_fields(struct report_keys *k, struct report_columns *l,
			  const struct report_asked *asked, struct err *err)
{
	struct report_key key = {.kind = REPORT_FIELD};
	int ret = 0;
	u32 i;

	for (i = 0; i < asked->nr_known && !ret; i++) {
		key.name = arena_strdup(&k->arena, asked->known[i].name);
		ret = key.name ? add_key(k, l, &key, err) : err_nomem(err);
	}
	return ret;
}

static int add_word(struct report_keys *k, struct report_columns *l,
		    const struct report_asked *asked, char *word, struct err *err)
{
	const struct key_name *n = find_name(word);
	struct report_key key = {0};

	if (n && report_kind_is_number(n->kind))
		return add_number(k, l, n->kind, err);
	if (n) {
		key.kind = n->kind;
		key.name = n->name;
		return add_key(k, l, &key, err);
	}
	if (!strcmp(word, "trace_fields"))
		return add_all_fields(k, l, asked, err);
	return add_field(k, l, asked, word, err);
}

static int add_list(struct report_keys *k, struct report_columns *l,
		    const struct report_asked *asked, const char *text, struct err *err)
{
	char *list = arena_strdup(&k->arena, text), *word, *save = NULL;
	int ret = 0;

	if (!list)
		return err_nomem(err);
	for (word = strtok_r(list, ", ", &save); word && !ret; word = strtok_r(NULL, ", ", &save))
		ret = add_word(k, l, asked, word, err);
	return ret;
}

/* As perf: what the keys name they put in its place, and a longer name that begins so is enough. */
static bool comes_first(const struct report_asked *asked, bool shown, const char *name)
{
	return shown || !asked->sort || !strstr(asked->sort, name);
}

/* The numbers that come first where --sort decides. */
static int add_numbers(struct report_keys *k, struct report_columns *l,
		       const struct report_asked *asked, bool shown, struct err *err)
{
	int ret = 0;

	if (asked->children && comes_first(asked, shown, "overhead_children"))
		ret = add_number(k, l, REPORT_CHILDREN, err);
	if (!ret && comes_first(asked, shown, "overhead"))
		ret = add_number(k, l, REPORT_OVERHEAD, err);
	if (!ret && shown && asked->cpu_modes)
		ret = add_number(k, l, REPORT_OVERHEAD_SYS, err);
	if (!ret && shown && asked->cpu_modes)
		ret = add_number(k, l, REPORT_OVERHEAD_US, err);
	if (!ret && shown && asked->nr_samples)
		ret = add_number(k, l, REPORT_SAMPLES, err);
	if (!ret && shown && asked->period)
		ret = add_number(k, l, REPORT_PERIOD, err);
	return ret;
}

static bool replaces(const char *text)
{
	return text && *text != '+';
}

/* What a list begins with '+' is added to the default. */
static int add_default(struct report_keys *k, struct report_columns *l,
		       const struct report_asked *asked, const char *text, struct err *err)
{
	const struct report_key ipc = {.kind = REPORT_IPC, .name = IPC_NAME};
	const char *standard = asked->default_sort ? asked->default_sort : REPORT_KEYS_DEFAULT;
	int ret = replaces(text) ? 0 : add_list(k, l, asked, standard, err);

	if (!ret && text)
		ret = add_list(k, l, asked, text + (*text == '+'), err);
	if (!ret && asked->ipc && text && strstr(text, "symbol"))
		ret = add_key(k, l, &ipc, err);
	return ret;
}

static int append(struct report_columns *to, const struct report_columns *from, struct err *err)
{
	u32 i;

	for (i = 0; i < from->nr; i++)
		if (!add_column(to, from->v[i]))
			return err_nomem(err);
	return 0;
}

int report_keys_parse(struct report_keys *k, const struct report_asked *asked, struct err *err)
{
	const char *fields = asked->fields;
	bool only = replaces(fields);
	int ret = 0;

	if (!k->time_quantum)
		k->time_quantum = DEFAULT_QUANTUM;
	if (!only)
		ret = add_numbers(k, &k->order, asked, false, err);
	if (!ret && (!only || asked->sort))
		ret = add_default(k, &k->order, asked, asked->sort, err);
	if (!ret && asked->parent)
		ret = add_list(k, &k->order, asked, "parent", err);
	if (!ret && !only) {
		k->self = asked->children;
		ret = add_numbers(k, &k->shown, asked, true, err);
	}
	if (!ret && fields)
		ret = add_list(k, &k->shown, asked, fields + !only, err);
	if (!ret)
		ret = append(&k->shown, &k->order, err);
	if (!ret)
		ret = append(&k->order, &k->shown, err);
	if (!ret && !k->shown.nr)
		ret = err_set(err, EINVAL, "no column is named");
	return ret;
}

const char *report_keys_title(const struct report_keys *k, const struct report_column *c)
{
	if (c->kind == REPORT_FIELD)
		return k->keys.v[c->key].name;
	if (c->kind == REPORT_IPC)
		return IPC_TITLE;
	if (c->kind == REPORT_OVERHEAD && k->self)
		return "Self";
	if (c->kind == REPORT_PID && !strcmp(k->keys.v[c->key].name, "tid"))
		return "    Tid:Command";
	return title_of(c->kind);
}

const char *report_keys_name(const struct report_keys *k, const struct report_column *c)
{
	return c->key == ID_NONE ? name_of(c->kind) : k->keys.v[c->key].name;
}

void report_keys_free(struct report_keys *k)
{
	vec_free(&k->keys);
	vec_free(&k->shown);
	vec_free(&k->order);
	arena_free(&k->arena);
}
