// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/file/reorder.h"

/* A source of made records: times, and in between how far the order has come. */
struct step {
	u64 time, order; /* order: raised to this before the record is given; 0: as it was */
	u64 id;          /* 0: a COMM that the recorder made itself */
};

struct made_source {
	struct source source;
	struct recording recording;
	const struct step *steps;
	u32 nr, at;
	u32 repeat; /* over and over, times moved on by `stride` each time */
	u64 stride;
	bool told; /* the order of this step */
	int end;   /* what the end returns: 0 or an error */
	struct buf b;
};

static int made_next(struct source *s, struct rec *rec, struct err *err)
{
	struct made_source *m = (struct made_source *)s;
	u32 round = m->at / m->nr;
	const struct step *step = &m->steps[m->at % m->nr];
	u64 shift = round * m->stride;

	if (round > m->repeat)
		return m->end ? err_set(err, -m->end, "no more") : SOURCE_END;
	if (step->order && !m->told) {
		s->order = step->order + shift;
		m->told = true;
		return SOURCE_WAIT;
	}
	m->told = false;
	m->at++;
	buf_clear(&m->b);
	if (step->id) {
		made_sample(&m->b, &(struct made_sample){.id = step->id,
							 .time = step->time + shift,
							 .ip = m->at});
	} else {
		struct sample_layout p = made_layout(MADE_TYPE);

		rec_build_comm(&m->b, &p, NULL, 0, 1, 1, "a comm");
	}
	if (m->b.failed)
		return err_nomem(err);
	assert_true(rec_view(rec, m->b.data, m->b.len));
	rec->cpu = m->at % 5;
	return SOURCE_RECORD;
}

static const struct source_ops made_ops = {.next = made_next};

static void source_init(struct made_source *m, const struct step *steps, u32 nr)
{
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	static const u64 one = 7, two = 8;

	*m = (struct made_source){.source.ops = &made_ops, .steps = steps, .nr = nr};
	m->source.recording = &m->recording;
	event_set_add(&m->recording.events, &attr, sizeof(attr), "one", &one, 1, NULL);
	event_set_add(&m->recording.events, &attr, sizeof(attr), "two", &two, 1, NULL);
}

static void source_free(struct made_source *m)
{
	recording_free(&m->recording);
	buf_free(&m->b);
}

/* "time@taken ..." for every record; `taken`: how many the reorder had read by then. */
static char *sort(struct made_source *m, struct buf *out)
{
	struct sample_layout p = made_layout(MADE_TYPE);
	struct err err = {0};
	struct source *s;
	struct rec rec;
	int ret;

	buf_clear(out);
	s = &m->source;
	assert_int_equal(reorder_wrap(&s, NULL), 0);
	while ((ret = source_next(s, &rec, &err)) > 0) {
		assert_int_equal((uintptr_t)rec.data % 8, 0);
		buf_addf(out, "%llu@%u ", (unsigned long long)sample_layout_time(&p, &rec), m->at);
	}
	assert_int_equal(ret, m->end);
	if (!ret)
		assert_int_equal(source_next(s, &rec, &err), 0);
	made_unwrap(&s);
	return out->data ? out->data : "";
}

static void only_at_the_end(void **state)
{
	static const struct step steps[] = {{3, 0, 7}, {1, 0, 7}, {2, 0, 8}, {0, 0, 0}};
	struct made_source m;
	struct buf out = {0};

	(void)state;
	source_init(&m, steps, 4);
	assert_string_equal(sort(&m, &out), "0@4 1@4 2@4 3@4 ");
	source_free(&m);
	source_init(&m, steps, 0);
	m.nr = 1;
	m.at = 1;
	m.steps = steps;
	assert_string_equal(sort(&m, &out), "");
	source_free(&m);
	buf_free(&out);
}

/* A record comes out as soon as nothing can come before it, and not sooner. */
static void streaming(void **state)
{
	static const struct step steps[] = {
		{0, 0, 0},   {20, 0, 7}, {10, 0, 7},  {15, 15, 7}, /* lets 0 and 10 go, not 15 */
		{40, 0, 7},  {30, 0, 7}, {31, 31, 7},              /* lets 15, 20, 30 go */
		{50, 60, 7},                                       /* lets 31, 40 go */
	};
	struct made_source m;
	struct buf out = {0};

	(void)state;
	source_init(&m, steps, ARRAY_SIZE(steps));
	assert_string_equal(sort(&m, &out), "0@3 10@3 15@6 20@6 30@6 31@7 40@7 50@8 ");
	source_free(&m);
	buf_free(&out);
}

/* Records of one time stay in the order of the file. */
static void ties(void **state)
{
	static const struct step steps[] = {{5, 0, 7}, {5, 0, 8}, {4, 0, 7}, {5, 0, 7},
					    {5, 5, 8}, {5, 0, 7}, {4, 0, 7}};
	static const u64 want[] = {3, 7, 1, 2, 4, 5, 6};
	struct made_source m;
	struct source *s;
	struct rec rec;
	u32 i;

	(void)state;
	source_init(&m, steps, ARRAY_SIZE(steps));
	s = &m.source;
	assert_int_equal(reorder_wrap(&s, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		u64 ip;

		assert_int_equal(source_next(s, &rec, NULL), 1);
		memcpy(&ip, rec.data + 16, sizeof(ip));
		assert_int_equal(ip, want[i]);
		assert_int_equal(rec.event, steps[ip - 1].id - 7);
	}
	assert_int_equal(source_next(s, &rec, NULL), 0);
	made_unwrap(&s);
	source_free(&m);
}

/* No order at all: of each time the records come in the order of the file, none is lost. */
static void any_order(void **state)
{
	static const u32 sizes[] = {2, 3, 64, 65, 1000, 4096};
	struct step steps[4096];
	u32 i, j, nr;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct made_source m;
		struct source *s;
		struct rec rec;
		u64 time, ip, last_time = 0, last_ip = 0;

		for (j = 0; j < sizes[i]; j++)
			steps[j] = (struct step){1 + hash_u64(j + i * 77777) % 97, 0, 7};
		source_init(&m, steps, sizes[i]);
		s = &m.source;
		assert_int_equal(reorder_wrap(&s, NULL), 0);
		for (nr = 0; source_next(s, &rec, NULL) > 0; nr++) {
			memcpy(&ip, rec.data + 16, sizeof(ip));
			memcpy(&time, rec.data + 32, sizeof(time));
			assert_true(time > last_time || (time == last_time && ip > last_ip));
			assert_int_equal(rec.cpu, ip % 5);
			assert_int_equal(rec.event, 0);
			last_time = time;
			last_ip = ip;
		}
		assert_int_equal(nr, sizes[i]);
		made_unwrap(&s);
		source_free(&m);
	}
}

/* Memory that a record lies in, while somebody looks at it. */
struct made_loan {
	struct record_buffer record_buffer;
	struct lending *of;
	struct buf b;
};

struct lending {
	struct made_source made;
	u32 out, most; /* loans that have not come back, and the most that there were */
};

static void come_back(struct record_buffer *l)
{
	struct made_loan *loan = (struct made_loan *)l;

	loan->of->out--;
	buf_free(&loan->b);
	free(loan);
}

static int lending_next(struct source *s, struct rec *rec, struct err *err)
{
	struct lending *l = (struct lending *)s;
	struct made_loan *loan;
	int ret;

	record_buffer_put(s->record_buffer);
	s->record_buffer = NULL;
	ret = made_next(s, rec, err);
	if (ret != SOURCE_RECORD)
		return ret;
	loan = calloc(1, sizeof(*loan));
	assert_non_null(loan);
	loan->record_buffer = (struct record_buffer){.refs = 1, .back = come_back};
	loan->of = l;
	buf_add(&loan->b, rec->data, rec->size);
	rec->data = (const u8 *)loan->b.data;
	s->record_buffer = &loan->record_buffer;
	l->out++;
	l->most = MAX(l->most, l->out);
	return SOURCE_RECORD;
}

static const struct source_ops lending_ops = {.next = lending_next};

/* Records that are record_buffer are not copied; all come back, also when nobody reads to the end. */
static void record_buffer_records(void **state)
{
	static const struct step steps[] = {{10, 0, 7}, {5, 0, 7}, {30, 11, 7}, {20, 0, 8}};
	struct lending l = {0};
	struct err err = {0};
	struct buf out = {0};
	struct source *s;
	struct rec rec;

	(void)state;
	source_init(&l.made, steps, 4);
	l.made.source.ops = &lending_ops;
	assert_string_equal(sort(&l.made, &out), "5@2 10@2 20@4 30@4 ");
	record_buffer_put(l.made.source.record_buffer);
	l.made.source.record_buffer = NULL;
	assert_int_equal(l.out, 0);
	assert_int_equal(l.most, 2);

	l.made.at = 0;
	l.made.source.order = 0;
	s = &l.made.source;
	assert_int_equal(reorder_wrap(&s, NULL), 0);
	assert_int_equal(source_next(s, &rec, &err), 1);
	assert_int_equal(l.out, 2);
	made_unwrap(&s);
	record_buffer_put(l.made.source.record_buffer);
	assert_int_equal(l.out, 0);
	source_free(&l.made);
	buf_free(&out);
}

static void unknown_events(void **state)
{
	static const struct step steps[] = {{5, 0, 99}, {4, 0, 7}};
	struct made_source m;
	struct source *s;
	struct rec rec;

	(void)state;
	source_init(&m, steps, ARRAY_SIZE(steps));
	s = &m.source;
	assert_int_equal(reorder_wrap(&s, NULL), 0);
	assert_int_equal(source_next(s, &rec, NULL), 1);
	assert_int_equal(rec.event, 0);
	assert_int_equal(source_next(s, &rec, NULL), 0);
	assert_int_equal(m.recording.damage.unknown, 1);
	made_unwrap(&s);
	source_free(&m);
}

/* A long stream takes no more memory than what may still be overtaken. */
static void bounded_memory(void **state)
{
	struct step steps[64];
	struct made_source m;
	size_t start, now, most = 0;
	struct source *s;
	struct rec rec;
	u64 nr = 0, last = 0;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(steps); i++)
		steps[i] = (struct step){1000 + (i * 37) % 64, 0, 7};
	steps[0].order = 1000;
	source_init(&m, steps, ARRAY_SIZE(steps));
	m.repeat = 8000;
	m.stride = 64;
	s = &m.source;
	assert_int_equal(reorder_wrap(&s, NULL), 0);
	start = mallinfo2().uordblks + mallinfo2().hblkhd;
	while (source_next(s, &rec, NULL) > 0) {
		u64 time;

		memcpy(&time, rec.data + 32, sizeof(time));
		assert_true(time >= last);
		last = time;
		if (++nr % 1000 == 0) {
			now = mallinfo2().uordblks + mallinfo2().hblkhd;
			most = MAX(most, now);
		}
	}
	assert_int_equal(nr, 64 * 8001);
	/* 40 MB went through */
	assert_true(most < start + (4 << 20));
	made_unwrap(&s);
	source_free(&m);
}

/* An error comes through, and what was held back is freed. */
static void source_fails(void **state)
{
	static const struct step steps[] = {{3, 0, 7}, {1, 0, 7}, {5, 5, 7}};
	struct made_source m;
	struct buf out = {0};

	(void)state;
	source_init(&m, steps, ARRAY_SIZE(steps));
	m.end = -EIO;
	assert_string_equal(sort(&m, &out), "1@2 3@2 ");
	source_free(&m);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_at_the_end),
		cmocka_unit_test(streaming),
		cmocka_unit_test(ties),
		cmocka_unit_test(any_order),
		cmocka_unit_test(record_buffer_records),
		cmocka_unit_test(unknown_events),
		cmocka_unit_test(bounded_memory),
		cmocka_unit_test(source_fails),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("reorder", tests, NULL, NULL);
}
