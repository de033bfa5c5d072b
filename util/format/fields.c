// SPDX-License-Identifier: GPL-2.0
#include "util/format/fields.h"

#include <errno.h>

#define BIT(f) FIELD_BIT(FIELD_##f)

static const struct field_info {
	const char *name;
	u64 sampled;        /* PERF_SAMPLE_* bits, one of which samples must have; 0: none */
	const char *what;   /* how messages call them */
	const char *record; /* the option that records it; NULL: always is */
} infos[FIELD_COUNT] = {
	[FIELD_COMM] = {"comm", 0, NULL, NULL},
	[FIELD_TID] = {"tid", PERF_SAMPLE_TID, "TID", NULL},
	[FIELD_PID] = {"pid", PERF_SAMPLE_TID, "TID", NULL},
	[FIELD_TIME] = {"time", PERF_SAMPLE_TIME, "TIME", NULL},
	[FIELD_CPU] = {"cpu", PERF_SAMPLE_CPU, "CPU", NULL},
	[FIELD_EVENT] = {"event", 0, NULL, NULL},
	[FIELD_TRACE] = {"trace", 0, NULL, NULL},
	[FIELD_IP] = {"ip", PERF_SAMPLE_IP, "IP", "--sample-ip, or -g"},
	[FIELD_SYM] = {"sym", 0, NULL, NULL},
	[FIELD_DSO] = {"dso", 0, NULL, NULL},
	[FIELD_ADDR] = {"addr", PERF_SAMPLE_ADDR, "ADDR", "-d"},
	[FIELD_SYMOFF] = {"symoff", 0, NULL, NULL},
	[FIELD_PERIOD] = {"period", 0, NULL, NULL},
	[FIELD_IREGS] = {"iregs", PERF_SAMPLE_REGS_INTR, "IREGS", "--intr-regs"},
	[FIELD_UREGS] = {"uregs", PERF_SAMPLE_REGS_USER, "UREGS", "--user-regs"},
	[FIELD_BRSTACK] = {"brstack", 0, NULL, NULL},
	[FIELD_DATA_SRC] = {"data_src", PERF_SAMPLE_DATA_SRC, "DATA_SRC", "-d"},
	[FIELD_WEIGHT] = {"weight", PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT",
			  "--weight"},
	[FIELD_BPF_OUTPUT] = {"bpf-output", 0, NULL, NULL},
	[FIELD_PHYS_ADDR] = {"phys_addr", PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR", "--phys-data"},
	[FIELD_MISC] = {"misc", 0, NULL, NULL},
	[FIELD_DATA_PAGE_SIZE] = {"data_page_size", PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE",
				  "--data-page-size"},
	[FIELD_CODE_PAGE_SIZE] = {"code_page_size", PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE",
				  "--code-page-size"},
	[FIELD_INS_LAT] = {"ins_lat", PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", "--weight"},
	[FIELD_DSOFF] = {"dsoff", 0, NULL, NULL},
	[FIELD_SRCLINE] = {"srcline", 0, NULL, NULL},
	[FIELD_TOD] = {"tod", 0, NULL, NULL},
	[FIELD_FLAGS] = {"flags", 0, NULL, NULL},
	[FIELD_BRSTACKSYM] = {"brstacksym", 0, NULL, NULL},
	[FIELD_BRSTACKOFF] = {"brstackoff", 0, NULL, NULL},
	[FIELD_RETIRE_LAT] = {"retire_lat", PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", "--weight"},
	[FIELD_CGROUP] = {"cgroup", PERF_SAMPLE_CGROUP, "CGROUP", "--all-cgroups"},
};

/* Of traces of hardware and of guests alone: there is nothing of them to print. */
static const char *const empty_fields[] = {
	"callindent", "synth", "ipc", "machine_pid", "vcpu", "brcntr",
};

static const struct {
	const char *name, *why, *hint;
} refused_fields[] = {
	{"insn", "no instruction is decoded here", "perf script -F insn does"},
	{"insnlen", "no instruction is decoded here", "perf script -F insnlen does"},
	{"disasm", "nothing is disassembled here", "perf script -F disasm does"},
	{"brstackinsn", "nothing is disassembled here", "brstacksym prints branches with symbols"},
	{"brstackinsnlen", "nothing is disassembled here",
	 "brstacksym prints branches with symbols"},
	{"brstackdisasm", "nothing is disassembled here",
	 "brstacksym prints branches with symbols"},
	{"srccode", "source files are not read here", "srcline prints file and line"},
	{"metric", "no metrics are computed from samples", "perf-lite stat prints them"},
};

#define COMMON   (BIT(COMM) | BIT(TID) | BIT(CPU) | BIT(TIME) | BIT(EVENT))
#define SYMBOLIC (BIT(IP) | BIT(SYM) | BIT(SYMOFF) | BIT(DSO))
#define SAMPLED  (COMMON | SYMBOLIC | BIT(PERIOD))

static const struct type_info {
	const char *prefix; /* as in "-F hw:comm,ip" */
	const char *name;   /* as in messages */
	u64 defaults, invalid;
} types[FIELD_TYPE_COUNT] = {
	[PERF_TYPE_HARDWARE] = {"hw", "hardware", SAMPLED, BIT(TRACE) | BIT(BPF_OUTPUT)},
	[PERF_TYPE_SOFTWARE] = {"sw", "software", SAMPLED | BIT(BPF_OUTPUT), BIT(TRACE)},
	[PERF_TYPE_TRACEPOINT] = {"trace", "tracepoint", COMMON | BIT(TRACE), 0},
	[PERF_TYPE_HW_CACHE] = {NULL, "hardware-cache", SAMPLED, BIT(TRACE) | BIT(BPF_OUTPUT)},
	[PERF_TYPE_RAW] = {"raw", "raw",
			   SAMPLED | BIT(ADDR) | BIT(DATA_SRC) | BIT(WEIGHT) | BIT(PHYS_ADDR) |
				   BIT(DATA_PAGE_SIZE) | BIT(CODE_PAGE_SIZE) | BIT(INS_LAT),
			   BIT(TRACE) | BIT(BPF_OUTPUT)},
	[PERF_TYPE_BREAKPOINT] = {"break", "breakpoint", SAMPLED, BIT(TRACE) | BIT(BPF_OUTPUT)},
	[FIELD_TYPE_OTHER] = {NULL, "other", SAMPLED, BIT(TRACE) | BIT(BPF_OUTPUT)},
};

static bool has_chain(const struct event_desc *e)
{
	return e->layout.has & PERF_SAMPLE_CALLCHAIN;
}

/* perf judges a type of events by the first of them in the recording that can have samples. */
static const struct event_desc *first_of_type(const struct event_set *events, u32 type)
{
	const struct event_desc *e;
	u32 i;

	for (i = 0; i < events->events.nr; i++) {
		e = &events->events.v[i];
		if (field_type(&e->attr) == type && !e->sideband &&
		    !(type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_DUMMY))
			return e;
	}
	return NULL;
}

static int invalid_field(const char *name, struct err *err)
{
	struct buf all = {0};
	unsigned int i;

	err_set(err, EINVAL, "Invalid field requested.");
	for (i = 0; i < FIELD_COUNT; i++)
		buf_addf(&all, "%s%s", i ? "," : "", infos[i].name);
	err_hint(err, "there is no field '%.*s'; fields: %s", (int)strcspn(name, ","), name,
		 buf_str(&all));
	buf_free(&all);
	return -EINVAL;
}

/* FIELD_COUNT: one of which nothing is printed. */
static int find_field(const char *name, struct err *err)
{
	size_t i;

	for (i = 0; i < FIELD_COUNT; i++)
		if (!strcmp(infos[i].name, name))
			return (int)i;
	for (i = 0; i < ARRAY_SIZE(empty_fields); i++)
		if (!strcmp(empty_fields[i], name))
			return FIELD_COUNT;
	for (i = 0; i < ARRAY_SIZE(refused_fields); i++) {
		if (strcmp(refused_fields[i].name, name) != 0)
			continue;
		err_set(err, EINVAL, "the field '%s' cannot be printed: %s", name,
			refused_fields[i].why);
		err_hint(err, "%s", refused_fields[i].hint);
		return -EINVAL;
	}
	return invalid_field(name, err);
}

/* The types that "hw:", "sw:", ... select; all of them without a prefix. Moves *text behind it. */
static int select_types(const char **text, bool selected[FIELD_TYPE_COUNT], struct err *err)
{
	const char *colon = strchr(*text, ':');
	size_t len = colon ? (size_t)(colon - *text) : 0;
	u32 t;

	for (t = 0; t < FIELD_TYPE_COUNT; t++)
		selected[t] = !colon || (types[t].prefix && strlen(types[t].prefix) == len &&
					 !memcmp(types[t].prefix, *text, len));
	if (!colon)
		return 0;
	if (len == 5 && !memcmp(*text, "synth", 5)) {
		*text = colon + 1;
		return 0; /* of events that are made of hardware traces: none of these */
	}
	for (t = 0; t < FIELD_TYPE_COUNT && !selected[t];)
		t++;
	if (t == FIELD_TYPE_COUNT) {
		err_set(err, EINVAL, "Invalid event type in field string.");
		err_hint(
			err,
			"types: hw, sw, trace, raw, break, synth; for example -F trace:comm,time,trace");
		return -EINVAL;
	}
	*text = colon + 1;
	return 0;
}

/* Apply one field to the selected types; sign: '+', '-' or 0 to set. */
static int apply_field(struct fields *f, const bool selected[], enum field field, char sign,
		       bool one_type, struct err *err)
{
	u64 bit = FIELD_BIT(field);
	u32 t;

	for (t = 0; t < FIELD_TYPE_COUNT; t++) {
		if (!selected[t])
			continue;
		if (types[t].invalid & bit) {
			/* a field for all types is meant for those that have it */
			if (one_type)
				return err_set(err, EINVAL, "'%s' not valid for %s events.",
					       infos[field].name, types[t].name);
			continue;
		}
		if (sign == '-') {
			f->on[t] &= ~bit;
		} else {
			f->on[t] |= bit;
			if (!one_type || !f->types_demand_nothing)
				f->asked[t] |= bit;
		}
	}
	return 0;
}

static int parse(struct fields *f, const char *text, struct buf *note, struct err *err)
{
	bool selected[FIELD_TYPE_COUNT], one_type = strchr(text, ':'), again = false;
	char name[64], sign, mode = '\0';
	size_t len;
	int field;
	u32 t;

	if (select_types(&text, selected, err))
		return -EINVAL;
	if (!*text && !one_type)
		return err_set(err, EINVAL, "Cannot set fields to 'none' for all event types.");
	for (t = 0; t < FIELD_TYPE_COUNT; t++)
		again |= !one_type && f->user_set[t] && *text != '+' && *text != '-';
	if (again)
		buf_adds(note, "Overriding previous field request for all events.\n");
	for (t = 0; t < FIELD_TYPE_COUNT; t++) {
		f->user_set[t] |= selected[t];
		if (selected[t] && *text != '+' && *text != '-')
			f->on[t] = 0;
	}
	for (; *text; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		sign = *text == '+' || *text == '-' ? *text : '\0';
		if (mode && (mode == '=') != !sign) {
			err_set(err, EINVAL, "Cannot mix +-field with overridden fields");
			err_hint(
				err,
				"either name all fields (-F comm,ip) or change the defaults (-F +period,-cpu)");
			return -EINVAL;
		}
		mode = sign ? sign : '=';
		if (sign) {
			text++;
			len--;
		}
		if (!len)
			continue;
		if (len >= sizeof(name))
			return invalid_field(text, err);
		memcpy(name, text, len);
		name[len] = '\0';
		field = find_field(name, err);
		if (field < 0)
			return field;
		if (field < FIELD_COUNT &&
		    apply_field(f, selected, (enum field)field, sign, one_type, err))
			return -EINVAL;
	}
	return 0;
}

static int not_recorded(const struct field_info *info, const struct event_desc *e, struct err *err)
{
	err_set(err, EINVAL,
		"Samples for '%s' event do not have %s attribute set. Cannot print '%s' field.",
		e->name, info->what, info->name);
	if (info->record)
		err_hint(err, "record it: perf-lite record %s", info->record);
	return -EINVAL;
}

/* Leave out what samples do not have; refuse it where the user named it. */
static int check_recorded(struct fields *f, const struct event_desc *e, struct err *err)
{
	u32 t = field_type(&e->attr);
	u64 has = e->layout.has;
	int i;

	if (!(has & PERF_SAMPLE_RAW))
		f->on[t] &= ~BIT(TRACE);
	for (i = 0; i < FIELD_COUNT; i++) {
		if (!(f->on[t] & FIELD_BIT(i)) || !infos[i].sampled || has & infos[i].sampled)
			continue;
		if (f->asked[t] & FIELD_BIT(i))
			return not_recorded(&infos[i], e, err);
		f->on[t] &= ~FIELD_BIT(i);
	}
	if (f->on[t] & BIT(SYM) && !(has & (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR)))
		f->on[t] &= ~(BIT(SYM) | BIT(SYMOFF) | BIT(DSO));
	if (f->on[t] & BIT(SYMOFF) && !(f->on[t] & BIT(SYM))) {
		if (f->asked[t] & BIT(SYMOFF))
			return err_set(err, EINVAL,
				       "Display of offsets requested but symbol is not selected.");
		f->on[t] &= ~BIT(SYMOFF);
	}
	if (f->on[t] & BIT(SRCLINE) && !(f->on[t] & BIT(IP)))
		return err_set(
			err, EINVAL,
			"Display of source line number requested but sample IP is not selected.");
	return 0;
}

/* Tracepoints show where they were hit only when they were recorded with call chains. */
static void add_trace_chains(struct fields *f, const struct event_set *events, u64 fields)
{
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].attr.type == PERF_TYPE_TRACEPOINT &&
		    has_chain(&events->events.v[i]))
			f->on[FIELD_TYPE_TRACE] |= fields;
}

static int no_wall_clock(struct err *err)
{
	return err_set(
		err, EINVAL,
		"Can't provide 'tod' time, missing clock data. Please record with -k/--clockid option.");
}

int fields_init(struct fields *f, const struct event_set *events, const struct fields_options *o,
		struct buf *note, struct err *err)
{
	const struct event_desc *e;
	int ret = 0;
	u32 i;

	*f = (struct fields){.types_demand_nothing = o->types_demand_nothing};
	for (i = 0; i < FIELD_TYPE_COUNT; i++)
		f->on[i] = types[i].defaults | (o->more & ~types[i].invalid);
	for (i = 0; i < events->events.nr && !o->hide_call_graph; i++)
		f->use_chains |= has_chain(&events->events.v[i]);
	if (f->use_chains && !o->relative_loses_chains)
		add_trace_chains(f, events, SYMBOLIC);
	for (i = 0; i < o->texts.nr && !ret; i++)
		ret = parse(f, o->texts.v[i], note, err);
	if (f->use_chains && o->stream_loses_offsets)
		add_trace_chains(f, events, BIT(IP) | BIT(SYM));
	else if (f->use_chains && !f->user_set[FIELD_TYPE_TRACE])
		add_trace_chains(f, events, SYMBOLIC);
	for (i = 0; i < FIELD_TYPE_COUNT && !ret && !o->has_wall_clock; i++)
		if (f->on[i] & BIT(TOD))
			ret = no_wall_clock(err);
	for (i = 0; i < FIELD_TYPE_COUNT && !ret; i++) {
		e = first_of_type(events, i);
		if (e && f->on[i])
			ret = check_recorded(f, e, err);
	}
	return ret;
}
