// SPDX-License-Identifier: GPL-2.0
/*
 * make_recording TEXT DIR - writes the recording that TEXT describes to DIR/NAME.data, as a perf.data file, the binaries
 * in it below DIR/root (for --symfs) and the functions of the kernel to DIR/kallsyms. It shares no code with perf-lite.
 * A line of TEXT is a word and what belongs to it. '#' begins a comment; "..." holds blanks, \n, \t, \", \\ and \xNN.
 *
 *	include FILE                     beside TEXT
 *	host NAME RELEASE CPUS [ARCH]    of the machine; its arch is x86_64 unless another is said
 *	command WORD...                  the command line
 *	wall NS                          time of day at 0 of the recording's clock
 *	sockets N,...                    of each CPU
 *	kernel FUNCTION=ADDRESS...       functions of the kernel
 *	binary PATH [FUNCTION=OFFSET[:SIZE]]... of 0x100 bytes unless said otherwise
 *	objects PATH NAME=OFFSET[:SIZE]...      data of that binary
 *	code PATH OFFSET HEX...          bytes of that binary
 *	jit PID FUNCTION=ADDRESS[:SIZE]...      its /tmp/perf-PID.map
 *	event NAME [WORD=VALUE...]       type, config, freq, period, with (more fields of its samples), only (exactly these),
 *	                                 exclude (kernel, user, hv), precise; format=FILE: a tracepoint of that format;
 *	                                 group=yes: of the group of the one before; calls=yes: its branches are a stack;
 *	                                 inherit=yes: it counts the children of what it counts too;
 *	                                 alone=yes: its read is of no group
 *	comm PID[/TID] NAME              exec: likewise, when a program was executed
 *	fork PID[/TID] PARENT[/TID]      likewise exit
 *	mmap PID ADDRESS SIZE OFFSET PATH [data|BUILD-ID]   PID -1: of the kernel
 *	lost EVENT NUMBER, cgroup ID PATH, switch in|out PID[/TID], throttle, unthrottle
 *	at TIME [CPU]                    of the records that follow, in seconds; the CPU is 0 unless said otherwise
 *	with WORD=VALUE...               of all samples that follow
 *	sample EVENT[#2] [WORD=VALUE...] 1 ms after the sample before, unless there is t; #2: of the second event of that name
 *
 * Of samples: t (seconds), pid (PID[/TID]), cpu, ip, chain (innermost first: a<b<c; the changes between kernel and user
 * code are added), period, addr, weight (or A,B,C), data_src (op.load+lvl.l1+lvl.hit), transaction, phys_addr, cgroup,
 * data_page_size, code_page_size, stream, read (VALUE,... of a group), branch (FROM>TO[:FLAGS],...; flags m, p, x, a and
 * cN), mode (kernel, user, hypervisor, guest_kernel, guest_user), bytes (how much of the raw data there is), repeat and
 * step (so many samples, seconds between them), and .FIELD of a tracepoint: a number, numbers a|b|c, or "text".
 *
 * An address is a number, or FUNCTION[+NUMBER] where the process has it.
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <libgen.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WORDS    64
#define EVENTS   64
#define FIELDS   64
#define NONE     UINT64_MAX
#define ATTR     128 /* bytes of perf_event_attr in the file, whatever this system's headers have */

/* Fields of samples, in their order. */
enum {
	IP = 1 << 0,
	TID = 1 << 1,
	TIME = 1 << 2,
	ADDR = 1 << 3,
	READ = 1 << 4,
	CHAIN = 1 << 5,
	ID = 1 << 6,
	CPU = 1 << 7,
	PERIOD = 1 << 8,
	STREAM = 1 << 9,
	RAW = 1 << 10,
	BRANCH = 1 << 11,
	WEIGHT = 1 << 14,
	DATA_SRC = 1 << 15,
	IDENTIFIER = 1 << 16,
	TRANSACTION = 1 << 17,
	PHYS_ADDR = 1 << 19,
	CGROUP = 1 << 21,
	DATA_PAGE_SIZE = 1 << 22,
	CODE_PAGE_SIZE = 1 << 23,
	WEIGHT_STRUCT = 1 << 24,
};

static const struct word {
	const char *name;
	uint64_t value;
} sample_fields[] =
	{
		{"ip", IP},
		{"tid", TID},
		{"time", TIME},
		{"addr", ADDR},
		{"read", READ},
		{"chain", CHAIN},
		{"id", ID},
		{"cpu", CPU},
		{"period", PERIOD},
		{"stream", STREAM},
		{"raw", RAW},
		{"branch", BRANCH},
		{"weight", WEIGHT},
		{"weight_struct", WEIGHT_STRUCT},
		{"data_src", DATA_SRC},
		{"identifier", IDENTIFIER},
		{"transaction", TRANSACTION},
		{"phys_addr", PHYS_ADDR},
		{"cgroup", CGROUP},
		{"data_page_size", DATA_PAGE_SIZE},
		{"code_page_size", CODE_PAGE_SIZE},
},
  types[] =
	  {
		  {"hardware", 0}, {"software", 1}, {"tracepoint", 2},
		  {"cache", 3},    {"raw", 4},      {"breakpoint", 5},
},
  excluded[] =
	  {
		  {"user", 1 << 4},
		  {"kernel", 1 << 5},
		  {"hv", 1 << 6},
},
  modes[] =
	  {
		  {"kernel", 1},       {"user", 2},       {"hypervisor", 3},
		  {"guest_kernel", 4}, {"guest_user", 5},
},
  memory[] = {
	  {"op.na", 1},
	  {"op.load", 2},
	  {"op.store", 4},
	  {"op.prefetch", 8},
	  {"op.exec", 0x10},
	  {"lvl.na", 1 << 5},
	  {"lvl.hit", 2 << 5},
	  {"lvl.miss", 4 << 5},
	  {"lvl.l1", 8 << 5},
	  {"lvl.lfb", 0x10 << 5},
	  {"lvl.l2", 0x20 << 5},
	  {"lvl.l3", 0x40 << 5},
	  {"lvl.ram", 0x80 << 5},
	  {"lvl.remote_ram", 0x100 << 5},
	  {"lvl.remote_cache", 0x400 << 5},
	  {"lvl.io", 0x1000 << 5},
	  {"lvl.uncached", 0x2000 << 5},
	  {"snoop.na", 1 << 19},
	  {"snoop.none", 2 << 19},
	  {"snoop.hit", 4 << 19},
	  {"snoop.miss", 8 << 19},
	  {"snoop.hitm", 0x10 << 19},
	  {"lock.na", 1 << 24},
	  {"lock.locked", 2 << 24},
	  {"tlb.na", 1ull << 26},
	  {"tlb.hit", 2ull << 26},
	  {"tlb.miss", 4ull << 26},
	  {"tlb.l1", 8ull << 26},
	  {"tlb.l2", 0x10ull << 26},
	  {"tlb.walk", 0x20ull << 26},
	  {"tlb.fault", 0x40ull << 26},
	  {"num.any_cache", 0xbull << 33},
	  {"num.pmem", 0xeull << 33},
	  {"remote", 1ull << 37},
	  {"snoopx.forward", 1ull << 38},
	  {"blk.na", 1ull << 40},
	  {"blk.data", 2ull << 40},
	  {"blk.address", 4ull << 40},
};

struct buf {
	char *data;
	size_t len, cap;
};

struct field {
	char name[64], type[64];
	uint32_t offset, size;
	bool text, dynamic, relative;
};

struct event {
	struct perf_event_attr attr;
	const char *name;
	bool in_group;
	struct field fields[FIELDS];
	uint32_t nr_fields, raw_size;
	struct buf format;
};

struct function {
	const char *file; /* "": the kernel's */
	const char *name;
	uint64_t start, size;
	uint32_t pid; /* of made code */
	bool object;
};

struct map {
	int64_t pid;
	uint64_t start, size, offset;
	const char *path;
};

static struct event events[EVENTS];
static struct function functions[4096];
static struct map maps[1024];
static const char *binaries[64];
static struct code {
	const char *file;
	uint64_t at;
	uint8_t bytes[1024];
	size_t len;
} codes[16];
static uint32_t nr_codes;
static uint32_t nr_events, nr_functions, nr_maps, nr_binaries;
static struct buf records;
static uint64_t now, now_cpu, first_time = NONE, last_time;
static const char *host[4], *sockets, *wall, *command[WORDS];
static char *defaults[WORDS];
static uint32_t nr_command, nr_defaults;
static const char *in_file;
static unsigned int in_line;

static void die(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "make_recording: %s:%u: ", in_file ? in_file : "", in_line);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void *checked(void *p)
{
	if (!p)
		die("out of memory");
	return p;
}

/* Bytes */

static void put(struct buf *b, const void *p, size_t len)
{
	if (b->len + len > b->cap) {
		b->cap = (b->len + len) * 2;
		b->data = checked(realloc(b->data, b->cap));
	}
	if (p)
		memcpy(b->data + b->len, p, len);
	else
		memset(b->data + b->len, 0, len);
	b->len += len;
}

static void put32(struct buf *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

static void put64(struct buf *b, uint64_t v)
{
	put(b, &v, sizeof(v));
}

static void put_text(struct buf *b, const char *s)
{
	put(b, s, strlen(s) + 1);
}

static void align(struct buf *b, size_t size)
{
	while (b->len % size)
		put(b, NULL, 1);
}

/* As perf.data has strings: a length, and zeros behind. */
static void put_string(struct buf *b, const char *s)
{
	size_t size = (strlen(s) + 64) / 64 * 64;

	put32(b, (uint32_t)size);
	put(b, s, strlen(s));
	put(b, NULL, size - strlen(s));
}

static void put_attr(struct buf *b, const struct perf_event_attr *attr)
{
	size_t size = sizeof(*attr) < ATTR ? sizeof(*attr) : ATTR;

	put(b, attr, size);
	put(b, NULL, ATTR - size);
}

/* Words */

static uint64_t find_word(const struct word *v, size_t nr, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (strlen(v[i].name) == len && !strncmp(v[i].name, name, len))
			return v[i].value;
	die("unknown word '%.*s'", (int)len, name);
	return 0;
}

/* The sum of words that `separator` stands between. */
static uint64_t sum_words(const struct word *v, size_t nr, const char *list, char separator)
{
	const char separators[] = {separator, '\0'};
	uint64_t sum = 0;
	size_t len;

	for (; *list; list += len + (list[len] != '\0')) {
		len = strcspn(list, separators);
		sum |= find_word(v, nr, list, len);
	}
	return sum;
}

static uint64_t number(const char *s)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = *s == '-' ? (uint64_t)strtoll(s, &end, 0) : strtoull(s, &end, 0);
	if (errno || end == s || *end)
		die("'%s' is no number", s);
	return v;
}

/* Seconds, in ns. */
static uint64_t seconds(const char *s)
{
	char digits[10] = "000000000", *end;
	uint64_t v = strtoull(s, &end, 10) * 1000000000;

	if (*end == '.')
		memcpy(digits, end + 1, strlen(end + 1) < 9 ? strlen(end + 1) : 9);
	return v + strtoull(digits, NULL, 10);
}

static void ids_of(const char *s, uint32_t *pid, uint32_t *tid)
{
	char *end;

	*pid = *tid = (uint32_t)strtol(s, &end, 0);
	if (*end == '/')
		*tid = (uint32_t)strtol(end + 1, &end, 0);
	if (*end || end == s)
		die("'%s' is no PID[/TID]", s);
}

/* Put the character of an escape behind `s` (at '\') to `to`; returns what follows. */
static char *unescape(char *s, char *to)
{
	char hex[3] = {0};

	switch (s[1]) {
	case 'n':
		*to = '\n';
		return s + 2;
	case 't':
		*to = '\t';
		return s + 2;
	case 'x':
		hex[0] = s[2];
		hex[1] = s[2] ? s[3] : '\0';
		*to = (char)strtol(hex, NULL, 16);
		return s + (hex[1] ? 4 : 2);
	default:
		*to = s[1];
		return s + (s[1] ? 2 : 1);
	}
}

static uint32_t split(char *line, char **words)
{
	uint32_t nr = 0;
	bool quoted;
	char *to;

	while (nr < WORDS) {
		while (isspace((unsigned char)*line))
			line++;
		if (!*line || *line == '#')
			break;
		words[nr++] = to = line;
		for (quoted = false; *line && (quoted || !isspace((unsigned char)*line));) {
			if (*line == '"') {
				quoted = !quoted;
				line++;
			} else if (*line == '\\' && quoted) {
				line = unescape(line, to++);
			} else {
				*to++ = *line++;
			}
		}
		if (*line)
			line++;
		*to = '\0';
	}
	return nr;
}

/* The value of KEY=VALUE among words, NULL: none. The last one counts. */
static char *option(char **words, uint32_t nr, const char *key)
{
	size_t len = strlen(key);

	while (nr--)
		if (!strncmp(words[nr], key, len) && words[nr][len] == '=')
			return words[nr] + len + 1;
	return NULL;
}

/* Addresses */

static const struct map *find_map(int64_t pid, const char *path)
{
	const struct map *any = NULL;
	uint32_t i;

	for (i = 0; i < nr_maps; i++) {
		if (strcmp(maps[i].path, path) != 0)
			continue;
		if (!any || maps[i].pid == pid)
			any = &maps[i];
	}
	return any;
}

static uint64_t address_of(const struct function *f, int64_t pid)
{
	const struct map *m;

	if (!*f->file)
		return f->start;
	m = find_map(pid, f->file);
	if (!m)
		die("%s of %s: it is not mapped", f->name, f->file);
	return m->start - m->offset + f->start;
}

/* Can a process run it? */
static bool is_of(const struct function *f, int64_t pid)
{
	if (!*f->file)
		return !f->pid || f->pid == pid;
	return find_map(pid, f->file) != NULL;
}

static uint64_t address(const char *s, int64_t pid)
{
	const char *plus = strrchr(s, '+');
	size_t len = plus ? (size_t)(plus - s) : strlen(s);
	uint32_t i;

	if (isdigit((unsigned char)*s) || *s == '-')
		return number(s);
	for (i = 0; i < nr_functions; i++)
		if (strlen(functions[i].name) == len && !strncmp(functions[i].name, s, len) &&
		    is_of(&functions[i], pid))
			return address_of(&functions[i], pid) + (plus ? number(plus + 1) : 0);
	die("no function is called '%s'", s);
	return 0;
}

static void add_binary(const char *path)
{
	uint32_t i;

	for (i = 0; i < nr_binaries; i++)
		if (!strcmp(binaries[i], path))
			return;
	if (nr_binaries == COUNT(binaries))
		die("too many binaries");
	binaries[nr_binaries++] = path;
}

static void line_code(char *const *words, uint32_t nr)
{
	struct code *c = &codes[nr_codes++];
	uint32_t i;
	size_t at;

	if (nr_codes > COUNT(codes))
		die("too many lines of code");
	add_binary(words[0]);
	c->file = words[0];
	c->at = number(words[1]);
	for (i = 2; i < nr; i++)
		for (at = 0; words[i][at] && words[i][at + 1] && c->len < sizeof(c->bytes); at += 2)
			if (sscanf(words[i] + at, "%2hhx", &c->bytes[c->len++]) != 1)
				die("'%s' are no bytes", words[i]);
}

/* NAME=START[:SIZE] */
static void add_function(const char *file, char *word, uint32_t pid, bool object)
{
	char *start = strrchr(word, '='), *size;

	if (!start)
		die("'%s' is no NAME=ADDRESS", word);
	*start++ = '\0';
	size = strchr(start, ':');
	if (size)
		*size++ = '\0';
	if (nr_functions == COUNT(functions))
		die("too many functions");
	functions[nr_functions++] = (struct function){.file = file,
						      .name = word,
						      .start = number(start),
						      .size = size ? number(size) : 0x100,
						      .pid = pid,
						      .object = object};
}

/* Formats of tracepoints */

static uint32_t element_size(const struct field *f)
{
	static const struct word sizes[] = {{"8", 1},     {"char", 1}, {"16", 2},
					    {"short", 2}, {"64", 8},   {"long", 8}};
	size_t i;

	for (i = 0; i < COUNT(sizes); i++)
		if (strstr(f->type, sizes[i].name))
			return (uint32_t)sizes[i].value;
	return 4;
}

/* "	field:__data_loc char[] name;	offset:8;	size:4;	signed:0;" */
static void read_field(struct event *e, char *line)
{
	struct field *f = &e->fields[e->nr_fields++];
	char *end = strchr(line, ';'), *name, *array;

	if (!end || e->nr_fields == FIELDS ||
	    sscanf(end, "; offset:%u; size:%u;", &f->offset, &f->size) != 2)
		die("%s: what is this field: %s", e->name, line);
	*end = '\0';
	f->dynamic = strstr(line, "__data_loc") || strstr(line, "__rel_loc");
	f->relative = strstr(line, "__rel_loc") != NULL;
	array = strrchr(line, '[');
	if (array && array[1] != ']')
		*array = '\0';
	name = strrchr(line, ' ');
	snprintf(f->name, sizeof(f->name), "%s", name + 1);
	*name = '\0';
	snprintf(f->type, sizeof(f->type), "%s", line);
	f->text = strstr(line, "char") && (f->dynamic || (array && f->size > 1));
	if (f->offset + f->size > e->raw_size)
		e->raw_size = f->offset + f->size;
}

static void read_format(struct event *e, const char *path)
{
	FILE *f = fopen(path, "r");
	char line[4096], *at;

	if (!f)
		die("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		put(&e->format, line, strlen(line));
		if (!strncmp(line, "ID: ", 4))
			e->attr.config = strtoull(line + 4, NULL, 10);
		at = strstr(line, "field:");
		if (at == line + 1)
			read_field(e, at + 6);
	}
	fclose(f);
}

static void put_field_text(struct buf *raw, const struct field *f, const char *value)
{
	size_t at = raw->len - (f->relative ? f->offset + 4 : 0), len = strlen(value) + 1;
	uint32_t where = (uint32_t)(len << 16 | at);

	if (!f->dynamic) {
		strncpy(raw->data + f->offset, value, f->size);
		return;
	}
	put(raw, value, len);
	memcpy(raw->data + f->offset, &where, 4);
}

static void put_number(char *to, uint32_t size, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	memcpy(to, (char *)&v + 8 - size, size);
#else
	memcpy(to, &v, size);
#endif
}

/* a|b|c */
static void put_field_numbers(struct buf *raw, const struct field *f, char *value, int64_t pid)
{
	bool many = f->dynamic || strchr(value, '|') || f->size > sizeof(uint64_t);
	uint32_t size = many ? element_size(f) : f->size, nr = 0, where;
	size_t start = f->dynamic ? raw->len : f->offset;
	char *one, *save = NULL;

	for (one = strtok_r(value, "|", &save); one; one = strtok_r(NULL, "|", &save), nr++) {
		if (f->dynamic)
			put(raw, NULL, size);
		else if ((nr + 1) * size > f->size)
			die("%s: more numbers than it has", f->name);
		put_number(raw->data + start + nr * size, size, address(one, pid));
	}
	if (!f->dynamic)
		return;
	where = (uint32_t)(nr * size << 16 | (start - (f->relative ? f->offset + 4 : 0)));
	memcpy(raw->data + f->offset, &where, 4);
}

static void put_raw(struct buf *raw, const struct event *e, char **words, uint32_t nr, uint32_t pid,
		    uint32_t tid)
{
	uint16_t type = (uint16_t)e->attr.config;
	char key[80], *value, *copy;
	uint32_t i;

	put(raw, NULL, e->raw_size);
	memcpy(raw->data, &type, 2);
	memcpy(raw->data + 4, &tid, 4);
	for (i = 0; i < e->nr_fields; i++) {
		snprintf(key, sizeof(key), ".%s", e->fields[i].name);
		value = option(words, nr, key);
		copy = checked(strdup(value ? value : ""));
		if (e->fields[i].text && (value || e->fields[i].dynamic))
			put_field_text(raw, &e->fields[i], copy);
		else if (value)
			put_field_numbers(raw, &e->fields[i], copy, pid);
		free(copy);
	}
	value = option(words, nr, "bytes");
	if (value && number(value) < raw->len)
		raw->len = number(value);
}

/* Events */

static struct event *find_event(const char *name)
{
	const char *mark = strrchr(name, '#');
	uint32_t i, number = mark ? (uint32_t)atoi(mark + 1) : 1;
	size_t len = mark ? (size_t)(mark - name) : strlen(name);

	for (i = 0; i < nr_events; i++)
		if (strlen(events[i].name) == len && !memcmp(events[i].name, name, len) &&
		    !--number)
			return &events[i];
	die("no event is called '%s'", name);
	return NULL;
}

static uint64_t id_of(const struct event *e)
{
	return 100 + (uint64_t)(e - events);
}

static void set_flag(struct event *e, unsigned int bit)
{
	((uint64_t *)(void *)&e->attr)[5] |= 1ull << bit;
}

static void read_event_attr(struct event *e, char **words, uint32_t nr)
{
	struct perf_event_attr *a = &e->attr;
	char *v;

	if ((v = option(words, nr, "type")))
		a->type = isdigit((unsigned char)*v)
				  ? (uint32_t)number(v)
				  : (uint32_t)find_word(types, COUNT(types), v, strlen(v));
	if ((v = option(words, nr, "config")))
		a->config = number(v);
	if ((v = option(words, nr, "period")))
		a->sample_period = number(v);
	if ((v = option(words, nr, "freq"))) {
		a->sample_freq = number(v);
		set_flag(e, 10);
	}
	if ((v = option(words, nr, "exclude")))
		((uint64_t *)(void *)a)[5] |= sum_words(excluded, COUNT(excluded), v, ',');
	if ((v = option(words, nr, "precise")))
		((uint64_t *)(void *)a)[5] |= number(v) << 15;
	if ((v = option(words, nr, "with")))
		a->sample_type |= sum_words(sample_fields, COUNT(sample_fields), v, ',');
	if ((v = option(words, nr, "only")))
		a->sample_type = sum_words(sample_fields, COUNT(sample_fields), v, ',');
	if (option(words, nr, "inherit"))
		set_flag(e, 1);
	if (a->sample_type & READ)
		a->read_format =
			PERF_FORMAT_ID | (option(words, nr, "alone") ? 0 : PERF_FORMAT_GROUP);
	if (a->sample_type & BRANCH)
		a->branch_sample_type =
			option(words, nr, "calls")
				? PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK
				: PERF_SAMPLE_BRANCH_ANY;
}

static void line_event(char **words, uint32_t nr, const char *dir)
{
	struct event *e = &events[nr_events++];
	char *format = option(words, nr, "format"), path[4096];

	if (nr_events == EVENTS)
		die("too many events");
	e->name = words[0];
	e->attr.size = ATTR;
	e->attr.sample_type = IDENTIFIER | IP | TID | TIME | CPU | PERIOD;
	e->attr.sample_period = 1;
	e->in_group = option(words, nr, "group") != NULL;
	set_flag(e, 18); /* sample_id_all */
	if (format) {
		e->attr.type = PERF_TYPE_TRACEPOINT;
		e->attr.sample_type |= RAW;
		snprintf(path, sizeof(path), "%s/%s", *format == '/' ? "" : dir, format);
		read_format(e, path);
	}
	read_event_attr(e, words, nr);
}

/* Records */

static size_t begin(uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};
	size_t at = records.len;

	put(&records, &h, sizeof(h));
	return at;
}

static void end(size_t at)
{
	size_t size = records.len - at;
	uint16_t size16 = (uint16_t)size;

	if (size > 0xffff)
		die("a record of more than 64 KiB");
	memcpy(records.data + at + 6, &size16, 2);
}

/* What stands behind records that are no samples: of the first event. */
static void end_other(size_t at, uint32_t pid, uint32_t tid, const struct event *e)
{
	uint64_t type = e->attr.sample_type;

	if (type & TID) {
		put32(&records, pid);
		put32(&records, tid);
	}
	if (type & TIME)
		put64(&records, now);
	if (type & ID)
		put64(&records, id_of(e));
	if (type & STREAM)
		put64(&records, 0);
	if (type & CPU)
		put64(&records, now_cpu);
	if (type & IDENTIFIER)
		put64(&records, id_of(e));
	end(at);
}

static void line_comm(char **words, uint16_t misc)
{
	size_t at = begin(PERF_RECORD_COMM, misc);
	uint32_t pid, tid;

	ids_of(words[0], &pid, &tid);
	put32(&records, pid);
	put32(&records, tid);
	put_text(&records, words[1]);
	align(&records, 8);
	end_other(at, pid, tid, events);
}

static void line_fork(char **words, uint32_t type)
{
	size_t at = begin(type, 0);
	uint32_t pid, tid, ppid, ptid;

	ids_of(words[0], &pid, &tid);
	ids_of(words[1], &ppid, &ptid);
	put32(&records, pid);
	put32(&records, ppid);
	put32(&records, tid);
	put32(&records, ptid);
	put64(&records, now);
	end_other(at, pid, tid, events);
}

/* In place of device, inode and its generation. */
static void put_build_id(const char *hex)
{
	uint8_t id[20] = {0};
	size_t i;

	for (i = 0; i < sizeof(id) && hex[2 * i] && hex[2 * i + 1]; i++)
		if (sscanf(hex + 2 * i, "%2hhx", &id[i]) != 1)
			die("'%s' is no build-id", hex);
	put32(&records, (uint32_t)i); /* its size, in one byte */
	put(&records, id, sizeof(id));
}

static void line_mmap(char **words, uint32_t nr)
{
	struct map *m = &maps[nr_maps++];
	bool data = nr > 5 && !strcmp(words[5], "data"), has_id = nr > 5 && !data;
	size_t at;

	if (nr_maps == COUNT(maps))
		die("too many maps");
	*m = (struct map){(int64_t)number(words[0]), number(words[1]), number(words[2]),
			  number(words[3]), words[4]};
	at = begin(PERF_RECORD_MMAP2,
		   (m->pid == -1 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
			   (data ? 1 << 13 : 0) | (has_id ? 1 << 14 : 0));
	put32(&records, (uint32_t)m->pid);
	put32(&records, m->pid == -1 ? 0 : (uint32_t)m->pid);
	put64(&records, m->start);
	put64(&records, m->size);
	put64(&records, m->offset);
	if (has_id) {
		put_build_id(words[5]);
	} else {
		put32(&records, 8); /* device */
		put32(&records, 1);
		put64(&records, 1000 + nr_maps); /* inode */
		put64(&records, 0);
	}
	put32(&records, data ? 3 : 5); /* rw- or r-x */
	put32(&records, 2);            /* private */
	put_text(&records, m->path);
	align(&records, 8);
	end_other(at, (uint32_t)m->pid, (uint32_t)m->pid, events);
}

static void line_lost(char **words)
{
	const struct event *e = find_event(words[0]);
	size_t at = begin(PERF_RECORD_LOST, 0);

	put64(&records, id_of(e));
	put64(&records, number(words[1]));
	end_other(at, 0, 0, e);
}

static void line_cgroup(char **words)
{
	size_t at = begin(19, 0);

	put64(&records, number(words[0]));
	put_text(&records, words[1]);
	align(&records, 8);
	end_other(at, 0, 0, events);
}

static void line_switch(char **words)
{
	size_t at = begin(PERF_RECORD_SWITCH,
			  !strcmp(words[0], "out") ? PERF_RECORD_MISC_SWITCH_OUT : 0);
	uint32_t pid, tid;

	ids_of(words[1], &pid, &tid);
	end_other(at, pid, tid, events);
	set_flag(events, 26); /* context_switch */
}

static void line_throttle(uint32_t type)
{
	size_t at = begin(type, 0);

	put64(&records, now);
	put64(&records, id_of(events));
	put64(&records, 0);
	end_other(at, 0, 0, events);
}

/* Samples */

static bool is_kernel(uint64_t addr)
{
	return addr >> 63;
}

/* a<b<c, with the contexts between them. */
static uint32_t read_chain(char *s, int64_t pid, uint64_t *chain, uint32_t max)
{
	uint32_t nr = 0;
	int before = -1;
	char *one, *save = NULL;
	uint64_t addr;

	for (one = strtok_r(s, "<", &save); one; one = strtok_r(NULL, "<", &save)) {
		if (nr + 2 > max)
			die("a call chain of more than %u addresses", max);
		addr = address(one, pid);
		if (addr < (uint64_t)-4096 && is_kernel(addr) != before) {
			before = is_kernel(addr);
			chain[nr++] = before ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
		}
		chain[nr++] = addr;
	}
	return nr;
}

static void put_branches(char *s, int64_t pid)
{
	size_t count_at = records.len;
	char *one, *save = NULL, *to, *flags;
	uint64_t bits, nr = 0;

	put64(&records, 0);
	for (one = strtok_r(s, ",", &save); one; one = strtok_r(NULL, ",", &save), nr++) {
		to = strchr(one, '>');
		if (!to)
			die("'%s' is no FROM>TO", one);
		*to++ = '\0';
		flags = strchr(to, ':');
		if (flags)
			*flags++ = '\0';
		for (bits = 0; flags && *flags; flags++) {
			if (*flags == 'c')
				bits |= strtoull(flags + 1, &flags, 10) << 4, flags--;
			else
				bits |= *flags == 'm'   ? 1
					: *flags == 'p' ? 2
					: *flags == 'x' ? 4
							: 8;
		}
		put64(&records, address(one, pid));
		put64(&records, address(to, pid));
		put64(&records, bits);
	}
	memcpy(records.data + count_at, &nr, 8);
}

static void put_read(const struct event *e, char *s)
{
	size_t count_at = records.len;
	char *one, *save = NULL;
	uint64_t nr = 0;

	if (!(e->attr.read_format & PERF_FORMAT_GROUP)) {
		put64(&records, number(s));
		put64(&records, id_of(e));
		return;
	}
	put64(&records, 0);
	for (one = strtok_r(s, ",", &save); one; one = strtok_r(NULL, ",", &save), nr++) {
		put64(&records, number(one));
		put64(&records, id_of(e) + nr);
	}
	memcpy(records.data + count_at, &nr, 8);
}

/* A number, or DW,W1,W2. */
static void put_weight(const struct event *e, const char *s)
{
	unsigned long long v[3] = {0};

	sscanf(s, "%llu,%llu,%llu", &v[0], &v[1], &v[2]);
	put64(&records, e->attr.sample_type & WEIGHT ? v[0] : v[2] << 48 | v[1] << 32 | v[0]);
}

struct sample {
	const struct event *e;
	char **words;
	uint32_t nr, pid, tid;
	uint64_t ip, chain[512];
	uint32_t nr_chain;
};

static char *value_of(const struct sample *s, const char *key)
{
	return option(s->words, s->nr, key);
}

static void put_value(const struct sample *s, uint64_t bit, const char *key, uint64_t otherwise)
{
	const char *v = value_of(s, key);

	if (s->e->attr.sample_type & bit)
		put64(&records, v ? address(v, s->pid) : otherwise);
}

static void put_words(const struct sample *s)
{
	uint64_t type = s->e->attr.sample_type;

	if (type & IDENTIFIER)
		put64(&records, id_of(s->e));
	if (type & IP)
		put64(&records, s->ip);
	if (type & TID) {
		put32(&records, s->pid);
		put32(&records, s->tid);
	}
	if (type & TIME)
		put64(&records, now);
	put_value(s, ADDR, "addr", 0);
	if (type & ID)
		put64(&records, id_of(s->e));
	put_value(s, STREAM, "stream", 0);
	put_value(s, CPU, "cpu", 0);
	put_value(s, PERIOD, "period", s->e->attr.sample_period);
}

static void put_variable(const struct sample *s)
{
	uint64_t type = s->e->attr.sample_type;
	struct buf raw = {0};
	char *v;

	if (type & READ)
		put_read(s->e, checked(strdup((v = value_of(s, "read")) ? v : "")));
	if (type & CHAIN) {
		put64(&records, s->nr_chain);
		put(&records, s->chain, s->nr_chain * 8);
	}
	if (type & RAW) {
		put_raw(&raw, s->e, s->words, s->nr, s->pid, s->tid);
		/* with its size in 4 bytes, a multiple of 8 */
		while ((raw.len + 4) % 8)
			put(&raw, NULL, 1);
		put32(&records, (uint32_t)raw.len);
		put(&records, raw.data, raw.len);
		free(raw.data);
	}
	if (type & BRANCH)
		put_branches(checked(strdup((v = value_of(s, "branch")) ? v : "")), s->pid);
}

static void put_rest(const struct sample *s)
{
	uint64_t type = s->e->attr.sample_type;
	const char *v = value_of(s, "weight");

	if (type & (WEIGHT | WEIGHT_STRUCT))
		put_weight(s->e, v ? v : "0");
	v = value_of(s, "data_src");
	if (type & DATA_SRC)
		put64(&records, !v ? 0
				: isdigit((unsigned char)*v)
					? number(v)
					: sum_words(memory, COUNT(memory), v, '+'));
	put_value(s, TRANSACTION, "transaction", 0);
	put_value(s, PHYS_ADDR, "phys_addr", 0);
	put_value(s, CGROUP, "cgroup", 0);
	put_value(s, DATA_PAGE_SIZE, "data_page_size", 4096);
	put_value(s, CODE_PAGE_SIZE, "code_page_size", 4096);
}

static void put_sample(struct sample *s)
{
	const char *mode = value_of(s, "mode");
	size_t at = begin(PERF_RECORD_SAMPLE,
			  mode ? (uint16_t)find_word(modes, COUNT(modes), mode, strlen(mode))
			  : is_kernel(s->ip) ? PERF_RECORD_MISC_KERNEL
					     : PERF_RECORD_MISC_USER);

	put_words(s);
	put_variable(s);
	put_rest(s);
	end(at);
	first_time = now < first_time ? now : first_time;
	last_time = now > last_time ? now : last_time;
}

static void line_sample(char **words, uint32_t nr)
{
	struct sample s = {.e = find_event(words[0]), .words = words, .nr = nr};
	uint64_t repeat = 1, step = 1000000;
	char *v, *all[2 * WORDS];

	memcpy(all, defaults, nr_defaults * sizeof(*all));
	memcpy(all + nr_defaults, words + 1, (nr - 1) * sizeof(*all));
	s.words = all;
	s.nr = nr_defaults + nr - 1;
	ids_of((v = value_of(&s, "pid")) ? v : "100", &s.pid, &s.tid);
	if ((v = value_of(&s, "step")))
		step = seconds(v);
	if ((v = value_of(&s, "repeat")))
		repeat = number(v);
	if ((v = value_of(&s, "chain")))
		s.nr_chain = read_chain(checked(strdup(v)), s.pid, s.chain, COUNT(s.chain));
	if (s.nr_chain)
		s.ip = s.chain[s.nr_chain > 1 && s.chain[0] >= (uint64_t)-4096];
	if ((v = value_of(&s, "ip")))
		s.ip = address(v, s.pid);
	v = value_of(&s, "t");
	now = v ? seconds(v) : now + step;
	for (; repeat; repeat--) {
		put_sample(&s);
		if (repeat > 1)
			now += step;
	}
}

/* The text */

static void read_text(const char *path);

static void line_functions(char **words, uint32_t nr, const char *what)
{
	uint32_t i;

	if (*what == 'b')
		add_binary(words[0]);
	for (i = *what == 'k' ? 0 : 1; i < nr; i++)
		add_function(*what == 'k' || *what == 'j' ? "" : words[0], words[i],
			     *what == 'j' ? (uint32_t)number(words[0]) : 0, *what == 'o');
}

static bool line_about(const char *what, char **words, uint32_t nr)
{
	if (!strcmp(what, "host"))
		memcpy(host, words, (nr < COUNT(host) ? nr : COUNT(host)) * sizeof(*host));
	else if (!strcmp(what, "command"))
		memcpy(command, words, (nr_command = nr) * sizeof(*words));
	else if (!strcmp(what, "wall"))
		wall = words[0];
	else if (!strcmp(what, "sockets"))
		sockets = words[0];
	else if (!strcmp(what, "at"))
		now = seconds(words[0]), now_cpu = nr > 1 ? number(words[1]) : 0;
	else if (!strcmp(what, "with"))
		memcpy(defaults, words, (nr_defaults = nr) * sizeof(*words));
	else
		return false;
	return true;
}

static void line(char **words, uint32_t nr, const char *dir)
{
	static const struct word needs[] = {
		{"comm", 2},    {"exec", 2},  {"fork", 2},    {"exit", 2},
		{"mmap", 5},    {"lost", 2},  {"cgroup", 2},  {"switch", 2},
		{"sample", 1},  {"event", 1}, {"include", 1}, {"binary", 1},
		{"objects", 1}, {"code", 3},  {"jit", 1},     {"host", 3},
	};
	const char *what = *words++;
	char path[4096];
	size_t i;

	nr--;
	for (i = 0; i < COUNT(needs); i++)
		if (!strcmp(what, needs[i].name) && nr < needs[i].value)
			die("%s needs %u words", what, (unsigned int)needs[i].value);
	if (line_about(what, words, nr))
		return;
	if (!strcmp(what, "include")) {
		snprintf(path, sizeof(path), "%s/%s", dir, words[0]);
		read_text(path);
	} else if (!strcmp(what, "kernel") || !strcmp(what, "binary") || !strcmp(what, "objects") ||
		   !strcmp(what, "jit")) {
		line_functions(words, nr, what);
	} else if (!strcmp(what, "code")) {
		line_code(words, nr);
	} else if (!strcmp(what, "event")) {
		line_event(words, nr, dir);
	} else if (!nr_events) {
		die("before the first record there must be an event");
	} else if (!strcmp(what, "comm")) {
		line_comm(words, 0);
	} else if (!strcmp(what, "exec")) {
		line_comm(words, PERF_RECORD_MISC_COMM_EXEC);
	} else if (!strcmp(what, "fork")) {
		line_fork(words, PERF_RECORD_FORK);
	} else if (!strcmp(what, "exit")) {
		line_fork(words, PERF_RECORD_EXIT);
	} else if (!strcmp(what, "mmap")) {
		line_mmap(words, nr);
	} else if (!strcmp(what, "lost")) {
		line_lost(words);
	} else if (!strcmp(what, "cgroup")) {
		line_cgroup(words);
	} else if (!strcmp(what, "switch")) {
		line_switch(words);
	} else if (!strcmp(what, "throttle")) {
		line_throttle(PERF_RECORD_THROTTLE);
	} else if (!strcmp(what, "unthrottle")) {
		line_throttle(PERF_RECORD_UNTHROTTLE);
	} else if (!strcmp(what, "sample")) {
		line_sample(words, nr);
	} else {
		die("unknown word '%s'", what);
	}
}

static void read_text(const char *path)
{
	const char *file_before = in_file, *dir = dirname(checked(strdup(path)));
	unsigned int line_before = in_line;
	char text[16384], *words[WORDS];
	FILE *f = fopen(path, "r");
	uint32_t nr;

	if (!f)
		die("%s: %s", path, strerror(errno));
	in_file = path;
	in_line = 0;
	while (fgets(text, sizeof(text), f)) {
		in_line++;
		nr = split(checked(strdup(text)), words);
		if (nr)
			line(words, nr, dir);
	}
	fclose(f);
	in_file = file_before;
	in_line = line_before;
}

/* The files */

static void write_file(const char *path, const struct buf *b, const char *mode)
{
	FILE *f = fopen(path, mode);

	if (!f || fwrite(b->data, 1, b->len, f) != b->len || fclose(f))
		die("%s: %s", path, strerror(errno));
}

static void make_folders(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

/* What is in a kernel of that release's /proc/kallsyms, as far as it is named. */
static void write_kallsyms(const char *dir)
{
	char path[4096], text[512];
	struct buf b = {0};
	uint32_t i;

	for (i = 0; i < nr_functions; i++) {
		if (*functions[i].file || functions[i].pid)
			continue;
		snprintf(text, sizeof(text), "%016llx T %s\n",
			 (unsigned long long)functions[i].start, functions[i].name);
		put(&b, text, strlen(text));
	}
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	if (!b.len && access(path, F_OK))
		put(&b, "ffffffff81000000 T _text\n", 25);
	if (b.len)
		write_file(path, &b, "w");
}

static void write_map(const char *dir, uint32_t pid)
{
	char path[4096], text[512];
	struct buf b = {0};
	uint32_t i;

	for (i = 0; i < nr_functions; i++) {
		if (functions[i].pid != pid)
			continue;
		snprintf(text, sizeof(text), "%llx %llx %s\n",
			 (unsigned long long)functions[i].start,
			 (unsigned long long)functions[i].size, functions[i].name);
		put(&b, text, strlen(text));
	}
	snprintf(path, sizeof(path), "%s/root/tmp/perf-%u.map", dir, pid);
	make_folders(path);
	write_file(path, &b, "w");
}

static uint32_t put_name(struct buf *names, const char *name)
{
	uint32_t at = (uint32_t)names->len;

	put_text(names, name);
	return at;
}

/* An ELF file whose addresses are offsets: 64 KiB of nothing as text, as much as data, a symbol table. */
static void write_binary(const char *dir, const char *file)
{
	enum { CODE = 0x10000, DATA = 0x10000, SECTIONS = 6 };
	struct buf b = {0}, syms = {0}, names = {0}, heads = {0};
	Elf64_Ehdr h = {.e_ident = ELFMAG,
			.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT};
	Elf64_Phdr ph[2] = {
		{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = CODE, .p_memsz = CODE},
		{.p_type = PT_LOAD,
		 .p_flags = PF_R | PF_W,
		 .p_offset = CODE,
		 .p_vaddr = CODE,
		 .p_filesz = DATA,
		 .p_memsz = DATA}};
	Elf64_Shdr sh[SECTIONS] = {{0}};
	Elf64_Sym sym = {0};
	char path[4096];
	uint32_t i;

	put(&names, NULL, 1);
	put(&syms, &sym, sizeof(sym));
	for (i = 0; i < nr_functions; i++) {
		if (strcmp(functions[i].file, file) != 0)
			continue;
		sym = (Elf64_Sym){.st_name = put_name(&names, functions[i].name),
				  .st_info = ELF64_ST_INFO(
					  STB_GLOBAL, functions[i].object ? STT_OBJECT : STT_FUNC),
				  .st_shndx = functions[i].object ? 2 : 1,
				  .st_value = functions[i].start,
				  .st_size = functions[i].size};
		put(&syms, &sym, sizeof(sym));
	}
	sh[1] = (Elf64_Shdr){.sh_name = put_name(&names, ".text"),
			     .sh_type = SHT_PROGBITS,
			     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			     .sh_addr = 0x1000,
			     .sh_offset = 0x1000,
			     .sh_size = CODE - 0x1000};
	sh[2] = (Elf64_Shdr){.sh_name = put_name(&names, ".data"),
			     .sh_type = SHT_PROGBITS,
			     .sh_flags = SHF_ALLOC | SHF_WRITE,
			     .sh_addr = CODE,
			     .sh_offset = CODE,
			     .sh_size = DATA};
	sh[3] = (Elf64_Shdr){.sh_name = put_name(&names, ".symtab"),
			     .sh_type = SHT_SYMTAB,
			     .sh_link = 4,
			     .sh_info = 1,
			     .sh_offset = CODE + DATA,
			     .sh_size = syms.len,
			     .sh_entsize = sizeof(sym)};
	sh[4] = (Elf64_Shdr){.sh_name = put_name(&names, ".strtab"),
			     .sh_type = SHT_STRTAB,
			     .sh_offset = CODE + DATA + syms.len,
			     .sh_size = names.len};
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	h.e_ident[EI_VERSION] = EV_CURRENT;
	h.e_ehsize = sizeof(h);
	h.e_phoff = sizeof(h);
	h.e_phentsize = sizeof(ph[0]);
	h.e_phnum = 2;
	h.e_shentsize = sizeof(sh[0]);
	h.e_shnum = SECTIONS - 1;
	h.e_shstrndx = 4;
	h.e_shoff = (CODE + DATA + syms.len + names.len + 7) / 8 * 8;
	put(&heads, &h, sizeof(h));
	put(&heads, ph, sizeof(ph));
	put(&b, heads.data, heads.len);
	put(&b, NULL, CODE + DATA - heads.len);
	put(&b, syms.data, syms.len);
	put(&b, names.data, names.len);
	align(&b, 8);
	put(&b, sh, sizeof(sh[0]) * (SECTIONS - 1));
	for (i = 0; i < nr_codes; i++)
		if (!strcmp(codes[i].file, file) && codes[i].at + codes[i].len <= b.len)
			memcpy(b.data + codes[i].at, codes[i].bytes, codes[i].len);
	snprintf(path, sizeof(path), "%s/root%s", dir, file);
	make_folders(path);
	write_file(path, &b, "w");
}

static void write_images(const char *dir)
{
	uint32_t i, j;

	for (i = 0; i < nr_binaries; i++)
		write_binary(dir, binaries[i]);
	for (i = 0; i < nr_functions; i++) {
		for (j = 0; j < i && functions[j].pid != functions[i].pid; j++)
			;
		if (functions[i].pid && j == i)
			write_map(dir, functions[i].pid);
	}
	write_kallsyms(dir);
}

/* perf.data */

static void put_tracing(struct buf *b)
{
	uint32_t i, nr = 0;
	char system[64];

	put(b, "\x17\x08\x44tracing0.6", 14);
	put(b, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "\1" : "\0", 1);
	put(b, "\x08", 1);
	put32(b, 4096);
	put_text(b, "header_page");
	put64(b, 0);
	put_text(b, "header_event");
	put64(b, 0);
	put32(b, 0);
	for (i = 0; i < nr_events; i++)
		nr += events[i].format.len > 0;
	put32(b, nr); /* a system for each */
	for (i = 0; i < nr_events; i++) {
		if (!events[i].format.len)
			continue;
		snprintf(system, sizeof(system), "%.*s", (int)strcspn(events[i].name, ":"),
			 events[i].name);
		put_text(b, system);
		put32(b, 1);
		put64(b, events[i].format.len);
		put(b, events[i].format.data, events[i].format.len);
	}
	put32(b, 0); /* kallsyms */
	put32(b, 0); /* printk formats */
	put64(b, 0); /* names of tasks */
}

static void put_names(struct buf *b)
{
	uint32_t i;

	put32(b, nr_events);
	put32(b, ATTR);
	for (i = 0; i < nr_events; i++) {
		put_attr(b, &events[i].attr);
		put32(b, 1);
		put_string(b, events[i].name);
		put64(b, id_of(&events[i]));
	}
}

static void put_groups(struct buf *b)
{
	uint32_t i, members, nr = 0;
	size_t at = b->len;

	put32(b, 0);
	for (i = 0; i < nr_events; i += members) {
		for (members = 1; i + members < nr_events && events[i + members].in_group;
		     members++)
			;
		if (members == 1)
			continue;
		put_string(b, "{anon_group}");
		put32(b, i);
		put32(b, members);
		nr++;
	}
	memcpy(b->data + at, &nr, 4);
}

static void put_topology(struct buf *b)
{
	const char *s = sockets;
	char *end;

	put32(b, 0);
	put32(b, 0);
	for (; *s; s = end + (*end == ',')) {
		put32(b, 0); /* core */
		put32(b, (uint32_t)strtoul(s, &end, 10));
	}
}

/* Have all events times, or none? Else the recording does not tell the first and the last time. */
static bool times_are_even(void)
{
	uint32_t i, timed = 0;

	for (i = 0; i < nr_events; i++)
		timed += (events[i].attr.sample_type & TIME) != 0;
	return !timed || timed == nr_events;
}

/* Returns false if there is no such feature. */
static bool put_feature(struct buf *b, int feature)
{
	uint32_t i, nr = 0;

	for (i = 0; i < nr_events; i++)
		nr += events[i].format.len > 0;
	switch (feature) {
	case 1:
		return nr ? put_tracing(b), true : false;
	case 3:
	case 4:
		return host[0] ? put_string(b, host[feature - 3]), true : false;
	case 6:
		return put_string(b, host[3] ? host[3] : "x86_64"), true;
	case 7:
		if (host[2])
			put32(b, (uint32_t)number(host[2])), put32(b, (uint32_t)number(host[2]));
		return host[2] != NULL;
	case 11:
		put32(b, nr_command);
		for (i = 0; i < nr_command; i++)
			put_string(b, command[i]);
		return nr_command > 0;
	case 12:
		return put_names(b), true;
	case 13:
		return sockets ? put_topology(b), true : false;
	case 17:
		return put_groups(b), true;
	case 21:
		if (first_time == NONE || !times_are_even())
			return false;
		put64(b, first_time), put64(b, last_time);
		return true;
	case 29:
		if (wall)
			put32(b, 1), put32(b, 1), put64(b, number(wall)), put64(b, 0);
		return wall != NULL;
	}
	return false;
}

static void write_perfdata(const char *path)
{
	enum { HEADER = 104, FEATURES = 30, ENTRY = ATTR + 16 };
	uint64_t attrs = HEADER, ids = attrs + (uint64_t)nr_events * ENTRY,
		 data = ids + 8ull * nr_events, bits = 0, at;
	struct buf b = {0}, sections = {0}, table = {0};
	uint32_t i;

	for (i = 0; i < FEATURES; i++) {
		at = sections.len;
		if (!put_feature(&sections, (int)i))
			continue;
		bits |= 1ull << i;
		put64(&table, at); /* the table's size is added below */
		put64(&table, sections.len - at);
	}
	for (i = 0; i < table.len; i += 16)
		*(uint64_t *)(void *)(table.data + i) += data + records.len + table.len;
	put64(&b, 0x32454c4946524550ull); /* "PERFILE2" */
	put64(&b, HEADER);
	put64(&b, ENTRY);
	put64(&b, attrs);
	put64(&b, ids - attrs);
	put64(&b, data);
	put64(&b, records.len);
	put(&b, NULL, 16);
	put64(&b, bits);
	put(&b, NULL, 24);
	for (i = 0; i < nr_events; i++) {
		put_attr(&b, &events[i].attr);
		put64(&b, ids + 8ull * i);
		put64(&b, 8);
	}
	for (i = 0; i < nr_events; i++)
		put64(&b, id_of(&events[i]));
	put(&b, records.data, records.len);
	put(&b, table.data, table.len);
	put(&b, sections.data, sections.len);
	write_file(path, &b, "w");
}

int main(int argc, char **argv)
{
	char path[4096], *name;

	if (argc != 3) {
		fprintf(stderr, "usage: make_recording TEXT DIR\n");
		return 1;
	}
	read_text(argv[1]);
	if (!nr_events)
		die("%s names no event", argv[1]);
	name = basename(checked(strdup(argv[1])));
	snprintf(path, sizeof(path), "%s/%.*s.data", argv[2], (int)strcspn(name, "."), name);
	write_perfdata(path);
	write_images(argv[2]);
	return 0;
}
