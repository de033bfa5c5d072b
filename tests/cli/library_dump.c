// SPDX-License-Identifier: GPL-2.0
/*
 * library_dump --watch OPTION... [-- COMMAND...] - likewise of the running system
 * library_dump ... --latency PRESET OPTION... [-- COMMAND...] - rows of time between events, and their account; PRESET may be empty
 * library_dump ... --drops OPTION... [-- COMMAND...] - rows of dropped packets, and their account
 * library_dump RECORDING [OPTION... | --count BY [OF] | --table | --arrow EVENT FIELDS] - what libperflite says of it, an object of JSON a
 * line: each item, with all fields of a sample's event and its frames, or each row. library.py compares it with what the
 * commands print. tests/golden/oom.c takes it into a program in which memory runs out.
 */
#include <inttypes.h>
#include <perflite.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"", "sample", "loss", "gap", "process", "other", "wait"};

static bool failed;

static void give_up(const struct perflite_error *error)
{
	fprintf(stderr, "%d: %s\n%s\n", error->code, error->text, error->hint);
	failed = true;
}

static void string(const char *key, const char *text)
{
	printf(",\"%s\":", key);
	if (!text) {
		printf("null");
		return;
	}
	putchar('"');
	for (; *text; text++)
		printf(strchr("\"\\", *text) ? "\\%c" : "%c", *text);
	putchar('"');
}

static void put_fields(struct perflite *p, const struct perflite_item *item, int **handles)
{
	const char *name, *event = perflite_event_name(p, item->event);
	struct perflite_error error = {0};
	char whole[512];
	uint64_t number;
	uint32_t i;

	printf(",\"fields\":{\"\":0");
	for (i = 0; (name = perflite_event_field(p, item->event, i)); i++) {
		if (!handles[item->event])
			handles[item->event] = calloc(1024, sizeof(int));
		if (!handles[item->event]) {
			fputs("out of memory\n", stderr);
			failed = true;
			return;
		}
		if (!handles[item->event][i]) {
			snprintf(whole, sizeof(whole), "%s.%s", event, name);
			handles[item->event][i] = perflite_field(p, whole, &error) + 1;
			if (error.code)
				give_up(&error);
		}
		printf(",\"%s\":{\"\":0", name);
		if (perflite_number(p, handles[item->event][i] - 1, &number))
			printf(perflite_is_signed(p, handles[item->event][i] - 1)
				       ? ",\"number\":%" PRId64
				       : ",\"number\":%" PRIu64,
			       number);
		string("text", perflite_text(p, handles[item->event][i] - 1));
		putchar('}');
	}
	putchar('}');
}

static void put_frames(struct perflite *p)
{
	struct perflite_error error = {0};
	const struct perflite_frame *f;
	long i, nr = perflite_frames(p, &f, &error);

	if (nr < 0)
		give_up(&error);

	printf(",\"frames\":[");
	for (i = 0; i < nr; i++) {
		printf("%s{\"ip\":\"0x%" PRIx64 "\",\"offset\":%" PRIu64, i ? "," : "",
		       f[i].address, f[i].offset);
		string("symbol", f[i].symbol);
		string("dso", f[i].file);
		string("source", f[i].source);
		printf(",\"line\":%u,\"inlined\":%s}", f[i].line,
		       f[i].flags & PERFLITE_INLINED ? "true" : "false");
	}
	printf("]");
}

static void put_item(struct perflite *p, const struct perflite_item *item, int **handles)
{
	printf("{\"kind\":\"%s\",\"time\":%" PRIu64 ",\"cpu\":%" PRId64 ",\"pid\":%d,\"tid\":%d",
	       item->kind < 7 ? kinds[item->kind] : "?", item->time,
	       item->cpu == PERFLITE_NONE ? -1 : (int64_t)item->cpu, (int)item->pid,
	       (int)item->tid);
	string("comm", item->comm);
	string("text", item->text);
	printf(",\"count\":%" PRIu64 ",\"parent\":%d", item->count, (int)item->parent);
	if (item->kind == PERFLITE_SAMPLE) {
		string("event", perflite_event_name(p, item->event));
		printf(",\"period\":%" PRIu64 ",\"ip\":\"0x%" PRIx64 "\"", item->period,
		       item->address);
		put_fields(p, item, handles);
		put_frames(p);
	}
	puts("}");
}

static void dump_items(struct perflite *p)
{
	const struct perflite_item *item;
	struct perflite_error error = {0};
	int *handles[1024] = {0}, i;

	while (!failed && (item = perflite_next(p, &error)))
		put_item(p, item, handles);
	for (i = 0; i < 1024; i++)
		free(handles[i]);
	if (error.code)
		give_up(&error);
}

static void put_cell(const struct perflite_column *c, uint64_t row)
{
	const void *v = c->values;

	if (c->valid && !(c->valid[row / 8] >> row % 8 & 1)) {
		printf(",\"%s\":null", c->name);
		return;
	}
	switch (c->type) {
	case PERFLITE_UNSIGNED32:
		printf(",\"%s\":%" PRIu32, c->name, ((const uint32_t *)v)[row]);
		break;
	case PERFLITE_SIGNED32:
		printf(",\"%s\":%" PRId32, c->name, ((const int32_t *)v)[row]);
		break;
	case PERFLITE_UNSIGNED64:
		printf(",\"%s\":%" PRIu64, c->name, ((const uint64_t *)v)[row]);
		break;
	case PERFLITE_SIGNED64:
		printf(",\"%s\":%" PRId64, c->name, ((const int64_t *)v)[row]);
		break;
	case PERFLITE_TEXT:
		string(c->name, c->texts[((const int32_t *)v)[row]]);
		break;
	}
}

static void dump_table(struct perflite_table *t, const struct perflite_error *error)
{
	const struct perflite_column *c;
	uint64_t row;
	uint32_t i;

	if (!t) {
		give_up(error);
		return;
	}
	for (row = 0; row < perflite_table_rows(t); row++) {
		printf("{\"\":%" PRIu64, row);
		for (i = 0; (c = perflite_table_column(t, i)); i++)
			put_cell(c, row);
		puts("}");
	}
	perflite_table_free(t);
}

static void put_account(const struct perflite_account *a)
{
	const struct {
		const char *name;
		uint64_t nr;
	} v[] = {{"begins", a->begins},
		 {"ends", a->ends},
		 {"restarts", a->restarts},
		 {"ends_without_begin", a->ends_without_begin},
		 {"given_up", a->given_up},
		 {"open", a->open},
		 {"open_across_loss", a->open_across_loss},
		 {"oldest_open_ns", a->oldest_open_ns},
		 {"across_loss", a->across_loss},
		 {"reordered", a->reordered},
		 {"no_room", a->no_room},
		 {"passed", a->passed},
		 {"skipped", a->skipped},
		 {"repeated", a->repeated},
		 {"out_of_order", a->out_of_order},
		 {"below_min", a->below_min},
		 {"left_out", a->left_out}};
	size_t i;

	printf("{\"account\":{\"spans\":%" PRIu64, a->spans);
	for (i = 0; i < sizeof(v) / sizeof(*v); i++)
		printf(",\"%s\":%" PRIu64, v[i].name, v[i].nr);
	puts("}}");
}

static void dump_latency(struct perflite *p, const char *const *words)
{
	struct perflite_error error = {0};
	struct perflite_table *t =
		perflite_latency(p, *words[0] ? words[0] : NULL, words + 1, &error);

	if (t)
		put_account(perflite_table_account(t));
	dump_table(t, &error);
}

static void dump_drops(struct perflite *p, const char *const *words)
{
	struct perflite_error error = {0};
	struct perflite_table *t = perflite_drops(p, words, &error);
	const struct perflite_drops_account *a = t ? perflite_table_drops(t) : NULL;

	if (a)
		printf("{\"account\":{\"drops\":%" PRIu64 ",\"hidden\":%" PRIu64
		       ",\"lost\":%" PRIu64 "}}\n",
		       a->drops, a->hidden, a->lost);
	dump_table(t, &error);
}

/* As arrow.apache.org/docs/format/CDataInterface.html has them. */
struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

static void put_arrow_text(const char *name, const struct ArrowArray *texts, int32_t number)
{
	const int64_t *at = texts->buffers[1];
	const char *bytes = texts->buffers[2];
	char *text = strndup(bytes + at[number], (size_t)(at[number + 1] - at[number]));

	string(name, text);
	free(text);
}

static void put_arrow_cell(const struct ArrowSchema *s, const struct ArrowArray *a, int64_t row)
{
	const uint8_t *valid = a->buffers[0];

	if (valid && !(valid[row / 8] >> row % 8 & 1))
		printf(",\"%s\":null", s->name);
	else if (s->dictionary)
		put_arrow_text(s->name, a->dictionary, ((const int32_t *)a->buffers[1])[row]);
	else if (*s->format == 'I')
		printf(",\"%s\":%" PRIu32, s->name, ((const uint32_t *)a->buffers[1])[row]);
	else if (*s->format == 'i')
		printf(",\"%s\":%" PRId32, s->name, ((const int32_t *)a->buffers[1])[row]);
	else if (*s->format == 'L')
		printf(",\"%s\":%" PRIu64, s->name, ((const uint64_t *)a->buffers[1])[row]);
	else
		printf(",\"%s\":%" PRId64, s->name, ((const int64_t *)a->buffers[1])[row]);
}

/* The same rows by way of Arrow, when the table is gone, and each column after it was moved out of the whole. */
static void dump_arrow(struct perflite_table *t, struct perflite_error *error)
{
	struct ArrowArray a, moved;
	struct ArrowSchema s;
	int64_t row, i;

	if (!t || perflite_table_arrow(t, &s, &a, error)) {
		give_up(error);
		perflite_table_free(t);
		return;
	}
	perflite_table_free(t);
	for (row = 0; row < a.length; row++) {
		printf("{\"\":%" PRId64, row);
		for (i = 0; i < s.n_children; i++)
			put_arrow_cell(s.children[i], a.children[i], row);
		puts("}");
	}
	moved = *a.children[0];
	a.children[0]->release = NULL;
	a.release(&a);
	s.release(&s);
	moved.release(&moved);
	failed |= a.release || s.release || moved.release;
}

/* What follows that word, which is cut off; NULL: it is not there. */
static const char *const *after(const char *word, char **words)
{
	for (; *words; words++)
		if (!strcmp(*words, word)) {
			*words = NULL;
			return (const char *const *)words + 1;
		}
	return NULL;
}

/* What follows the recording: --count BY [OF], --table EVENT FIELDS, or options. */
int main(int argc, char **argv)
{
	const char *const *more = (const char *const *)argv + 2;
	const char *options[2] = {NULL};
	struct perflite_error error = {0};
	bool is_count, is_table, is_arrow;
	const char *const *command, *const *latency, *const *drops;
	struct perflite *p;

	if (argc < 2)
		return 2;
	/* FILE no-fields --count KEY */
	if (argc > 4 && (!strcmp(more[1], "--count") || !strcmp(more[1], "--table"))) {
		options[0] = more[0];
		more++;
		argc--;
	}
	is_count = argc > 3 && !strcmp(more[0], "--count");
	is_table = argc > 4 && !strcmp(more[0], "--table");
	is_arrow = argc > 4 && !strcmp(more[0], "--arrow");
	command = after("--", argv + 2);
	latency = after("--latency", argv + 2);
	drops = after("--drops", argv + 2);
	p = !strcmp(argv[1], "--watch")
		    ? perflite_watch(command, more, &error)
		    : perflite_open(argv[1], is_count || is_table || is_arrow ? options : more,
				    &error);
	failed = false;
	if (!p)
		give_up(&error);
	else if (latency)
		dump_latency(p, latency);
	else if (drops)
		dump_drops(p, drops);
	else if (is_count)
		dump_table(perflite_count(p, more[1], more[2], &error), &error);
	else if (is_table)
		dump_table(perflite_samples(p, *more[1] ? more[1] : NULL, more[2], 0, &error),
			   &error);
	else if (is_arrow)
		dump_arrow(perflite_samples(p, *more[1] ? more[1] : NULL, more[2], 0, &error),
			   &error);
	else
		dump_items(p);
	if (p)
		fputs(perflite_notes(p), stderr);
	perflite_close(p);
	fflush(stdout);
	return failed;
}
