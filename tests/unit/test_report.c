// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/format/report_export.h"
#include "util/format/report_text.h"
#include "util/report/report_order.h"

static int parse(struct report_keys *k, const char *sort, const char *list, struct err *err)
{
	const struct report_asked asked = {.sort = sort, .fields = list};

	*k = (struct report_keys){0};
	return report_keys_parse(k, &asked, err);
}

static void put_columns(const struct report_keys *k, const struct report_columns *l, struct buf *b)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		buf_addf(b, "%s%s", i ? "," : "", report_keys_name(k, &l->v[i]));
}

/* What is shown, and the order. */
static void expect_columns(const char *sort, const char *list, const char *want)
{
	struct report_keys k;
	struct err err = {0};
	struct buf b = {0};

	assert_int_equal(parse(&k, sort, list, &err), 0);
	put_columns(&k, &k.shown, &b);
	buf_addc(&b, ' ');
	put_columns(&k, &k.order, &b);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
	report_keys_free(&k);
}

static void keys_as_perf_takes_them(void **state)
{
	(void)state;
	expect_columns(NULL, NULL, "overhead,comm,dso,symbol overhead,comm,dso,symbol");
	expect_columns("sym", NULL, "overhead,symbol overhead,symbol");
	expect_columns("+cpu", NULL, "overhead,comm,dso,symbol,cpu overhead,comm,dso,symbol,cpu");
	expect_columns("comm,comm, dso", NULL, "overhead,comm,dso overhead,comm,dso");
	expect_columns(NULL, "comm,overhead", "comm,overhead comm,overhead");
	/* a number that is a key stands where it was asked for, and so decides */
	expect_columns("comm,overhead", NULL, "overhead,comm comm,overhead");
	expect_columns("overhead_us,comm", NULL,
		       "overhead,overhead_us,comm overhead_us,comm,overhead");
	expect_columns("sym", "comm", "comm,symbol symbol,comm");
	expect_columns("sym,dso", "dso,period", "dso,period,symbol symbol,dso,period");
	/* what is added stands behind the shares, and decides last */
	expect_columns(NULL, "+cpu", "overhead,cpu,comm,dso,symbol overhead,comm,dso,symbol,cpu");
	expect_columns("sym", "+period,sym", "overhead,period,symbol overhead,symbol,period");
	expect_columns("prev_comm,reason", NULL,
		       "overhead,prev_comm,reason overhead,prev_comm,reason");
	/* the key comes before the field of that name, which has to say its event */
	expect_columns("comm,sched_wakeup.comm", NULL,
		       "overhead,comm,sched_wakeup.comm overhead,comm,sched_wakeup.comm");
}

static void unknown_keys(void **state)
{
	struct report_keys k;
	struct err err = {0};

	(void)state;
	assert_int_equal(parse(&k, "comm,ipc_lbr", NULL, &err), -ENOTSUP);
	report_keys_free(&k);
	/* one letter is the beginning of nothing */
	assert_int_equal(parse(&k, "c", NULL, &err), 0);
	assert_int_equal(k.keys.v[0].kind, KEY_FIELD);
	report_keys_free(&k);
	/* of nothing there are the shares, but not where columns are chosen */
	assert_int_equal(parse(&k, "", NULL, &err), 0);
	report_keys_free(&k);
	assert_int_equal(parse(&k, "", "", &err), -EINVAL);
	report_keys_free(&k);
}

/* A recording of two programs, whose stacks are made by hand. */
struct made {
	struct session session;
	struct sample_values values;
	struct symboliser symboliser;
	struct stack_tree stacks;
	struct report_keys keys;
	struct report_places places;
	struct report_samples samples;
	struct report_entries entries;
	u32 comms[2], dso;
};

static void set_up(struct made *m, const char *sort, bool children)
{
	const struct report_asked asked = {.sort = sort, .children = children, .nr_samples = true};

	*m = (struct made){0};
	assert_int_equal(process_init(&m->session.model, NULL), 0);
	m->comms[0] = strtab_add(&m->session.model.comms, "ls", 2);
	m->comms[1] = strtab_add(&m->session.model.comms, "a,\"b\n", 5);
	m->dso = process_dso(&m->session.model, "/usr/bin/ls", 11, DSO_FILE, 0, 0, 0);
	m->symboliser.model = &m->session.model;
	assert_int_equal(stack_tree_init(&m->stacks, &m->symboliser, NULL), 0);
	assert_int_equal(report_keys_parse(&m->keys, &asked, NULL), 0);
	report_places_init(&m->places, &m->keys, &m->stacks);
	m->values = (struct sample_values){
		.session = &m->session, .keys = m->keys.keys.v, .nr = m->keys.keys.nr};
	report_samples_init(&m->samples, &m->keys, &m->stacks, &m->values, true);
}

static void tear_down(struct made *m)
{
	report_entries_free(&m->entries);
	report_samples_free(&m->samples);
	report_places_free(&m->places);
	report_keys_free(&m->keys);
	stack_tree_free(&m->stacks);
	vec_free(&m->symboliser.frames);
	process_free(&m->session.model);
}

/* A frame in a function that begins at `start`; NULL: in none. */
static u32 add_frame(struct made *m, const char *symbol, u64 start, u64 addr)
{
	struct frame *f = vec_push(&m->symboliser.frames);

	*f = (struct frame){.ip = 0x550000 + addr,
			    .addr = addr,
			    .dso = m->dso,
			    .map = ID_NONE,
			    .symbol = symbol,
			    .offset = addr - start,
			    .place = ID_NONE};
	return m->symboliser.frames.nr - 1;
}

static u32 add_node(struct made *m, u32 parent, u32 frame)
{
	struct stack_node *n = vec_push(&m->stacks.nodes);

	*n = (struct stack_node){.parent = parent, .frame = frame};
	return m->stacks.nodes.nr - 1;
}

static void add_samples(struct made *m, u32 comm, u32 node, u32 nr, u64 weight)
{
	u32 root, i;

	for (root = 0; root < m->samples.nr_roots; root++)
		if (!m->keys.nr_sample || m->samples.values.v[root] == m->comms[comm])
			break;
	if (root == m->samples.nr_roots) {
		if (m->keys.nr_sample)
			*vec_push(&m->samples.values) = m->comms[comm];
		m->samples.nr_roots++;
	}
	for (i = 0; i < nr; i++)
		stack_weights_add(&m->samples.weights, root, node, STACK_CUT, weight);
	m->samples.all_samples += nr;
	m->samples.all_weight += nr * weight;
}

static struct report_view view_of(struct made *m, bool children)
{
	return (struct report_view){
		.keys = &m->keys,
		.samples = &m->samples,
		.places = &m->places,
		.entries = &m->entries,
		.event = "cpu-clock",
		.samples_in_all = m->entries.samples,
		.weight_in_all = m->entries.weight,
		.children = children,
	};
}

/* main calls work, which calls itself, by two addresses; another program has main alone. */
static void make_recursion(struct made *m)
{
	u32 in_main = add_frame(m, "main", 0x100, 0x110), work = add_frame(m, "work", 0x200, 0x210);
	u32 again = add_frame(m, "work", 0x200, 0x220), leaf = add_frame(m, NULL, 0, 0x999);
	u32 a = add_node(m, 0, in_main), b = add_node(m, a, work), c = add_node(m, b, again);
	u32 d = add_node(m, c, leaf);

	add_samples(m, 0, c, 3, 10);
	add_samples(m, 0, d, 1, 10);
	add_samples(m, 0, a, 2, 10);
	add_samples(m, 1, a, 4, 10);
	add_samples(m, 0, 0, 1, 10);
}

static void expect_text(struct made *m, bool children, const char *separator, const char *want)
{
	struct report_view v = view_of(m, children);
	struct report_text t = {.colours = {"", "", ""}, .separator = separator, .no_titles = true};
	struct buf b = {0};

	assert_int_equal(report_entries_make(&m->entries, &m->samples, &m->places, children, NULL),
			 0);
	v.samples_in_all = m->entries.samples;
	v.weight_in_all = m->entries.weight;
	assert_true(report_order_sort(&v));
	report_text_event(&t, &v, &b);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void recursion_counts_once(void **state)
{
	struct made m;

	(void)state;
	set_up(&m, "comm,sym", true);
	make_recursion(&m);
	expect_text(&m, true, "|",
		    " 54.55% | 18.18% | 2          |ls      |[.] main\n"
		    " 36.36% | 36.36% | 4          |a,\"b\\x0a|[.] main\n"
		    " 36.36% | 27.27% | 3          |ls      |[.] work\n"
		    " 9.09%  | 9.09%  | 1          |ls      |[.] 0000000000000000\n"
		    " 9.09%  | 9.09%  | 1          |ls      |[.] 0x0000000000000999\n\n\n");
	tear_down(&m);
	set_up(&m, "sym", false);
	make_recursion(&m);
	expect_text(&m, false, NULL,
		    "    54.55%             6  [.] main\n"
		    "    27.27%             3  [.] work\n"
		    "     9.09%             1  [.] 0000000000000000\n"
		    "     9.09%             1  [.] 0x0000000000000999\n\n\n");
	tear_down(&m);
	set_up(&m, "comm", true);
	make_recursion(&m);
	expect_text(&m, true, "|",
		    " 63.64% | 63.64% | 7          |ls      \n"
		    " 36.36% | 36.36% | 4          |a,\"b\\x0a\n\n\n");
	tear_down(&m);
}

/* Functions of one name are told apart by where they begin, and shown in that order. */
static void functions_of_one_name(void **state)
{
	struct made m;
	u32 a, b, c;

	(void)state;
	set_up(&m, "dso,sym", false);
	a = add_node(&m, 0, add_frame(&m, "helper", 0x300, 0x301));
	b = add_node(&m, 0, add_frame(&m, "helper", 0x200, 0x202));
	c = add_node(&m, 0, add_frame(&m, "helper", 0x200, 0x203));
	add_samples(&m, 0, a, 1, 1);
	add_samples(&m, 0, b, 2, 1);
	add_samples(&m, 0, c, 1, 1);
	expect_text(&m, false, "|",
		    " 75.00% | 3          |ls           |[.] helper\n"
		    " 25.00% | 1          |ls           |[.] helper\n\n\n");
	tear_down(&m);
}

static void inlined_functions(void **state)
{
	struct made m;
	struct place *p;
	struct frame *f;
	u32 a, i;

	(void)state;
	set_up(&m, "sym", true);
	a = add_node(&m, 0, add_frame(&m, "outer", 0x100, 0x110));
	m.stacks.nodes.v[a].inlines = true;
	f = &m.symboliser.frames.v[0];
	f->place = 0;
	f->nr_places = 2;
	for (i = 0; i < 2; i++) {
		p = vec_push(&m.symboliser.places);
		p->function = i ? "outer" : "inner";
	}
	add_samples(&m, 0, a, 5, 2);
	expect_text(&m, true, "|",
		    " 100.00%| 100.00%| 5          |[.] outer\n"
		    " 100.00%| 0.00%  | 0          |[.] inner (inlined)\n\n\n");
	vec_free(&m.symboliser.places);
	tear_down(&m);
}

static void limits_and_widths(void **state)
{
	const u32 widths[] = {0, 4, 3, 6}; /* 3: of the command, which has no column */
	struct made m;
	struct report_view v;
	struct report_text t = {.colours = {"<", "(", ">"},
				.widths = widths,
				.nr_widths = 4,
				.percent_limit = 20,
				.elided = {.comm = "x"}};
	struct buf b = {0};

	(void)state;
	set_up(&m, "comm,sym", false);
	make_recursion(&m);
	assert_int_equal(report_entries_make(&m.entries, &m.samples, &m.places, false, NULL), 0);
	v = view_of(&m, false);
	assert_true(report_order_sort(&v));
	report_text_head(&t, &m.keys, 7, &b);
	report_text_event(&t, &v, &b);
	assert_string_equal(buf_str(&b),
			    "# comm: x\n#\n# Total Lost Samples: 7\n#\n"
			    "# Samples: 11  of event 'cpu-clock'\n# Event count (approx.): 110\n#\n"
			    "# Overhead  Samples  Symbol\n# ........  .......  ......\n#\n"
			    "  <  36.36%>     4     [.] ma\n"
			    "  <  27.27%>     3     [.] wo\n\n\n");
	buf_free(&b);
	tear_down(&m);
}

static void for_programs(void **state)
{
	struct report_export x = {.children = true, .percent_limit = 30};
	struct made m;
	struct report_view v;
	struct buf b = {0};

	(void)state;
	set_up(&m, "comm,sym", true);
	make_recursion(&m);
	assert_int_equal(report_entries_make(&m.entries, &m.samples, &m.places, true, NULL), 0);
	v = view_of(&m, true);
	v.weight_in_all = 100; /* rounder shares */
	assert_true(report_order_sort(&v));
	report_export_csv_head(&x, &m.keys, &b);
	report_export_csv(&x, &v, &b);
	assert_string_equal(buf_str(&b),
			    "event,overhead,samples,period,children_overhead,children_samples,"
			    "children_period,comm,symbol\n"
			    "cpu-clock,20,2,20,60,6,60,ls,main\n"
			    "cpu-clock,40,4,40,40,4,40,\"a,\"\"b\\x0a\",main\n"
			    "cpu-clock,30,3,30,40,4,40,ls,work\n");
	buf_clear(&b);
	x.percent_limit = 50;
	report_export_json(&x, &v, &b);
	assert_string_equal(
		buf_str(&b),
		"{\"event\":\"cpu-clock\",\"samples\":11,\"period\":100,"
		"\"keys\":[\"comm\",\"symbol\"],\"entries\":[{\"overhead\":20,"
		"\"samples\":2,\"period\":20,\"children\":{\"overhead\":60,\"samples\":6,"
		"\"period\":60},\"comm\":\"ls\",\"symbol\":\"main\",\"level\":\".\"}]}");
	buf_free(&b);
	report_export_free(&x);
	tear_down(&m);
}

/* Many functions that weigh little, some of the same names, some of none. */
static void make_many(struct made *m)
{
	static const char *const names[] = {"b", "a", NULL, "ab", "", NULL, "a::b", "c"};
	u32 i, frame;

	for (i = 0; i < 400; i++) {
		frame = add_frame(m, names[i * 7 % 8], i * 37 % 400 * 16, i * 37 % 400 * 16);
		add_samples(m, i % 3 == 1, add_node(m, 0, frame), 1, i % 5 + 1);
	}
}

static int sign_of(s64 difference)
{
	return (difference > 0) - (difference < 0);
}

/* How two rows stand by weight, command, function, address. */
static int expected_order(const struct made *m, const struct report_entry *x,
			  const struct report_entry *y)
{
	const struct report_symbol *a = &m->places.symbols.v[m->places.values.v[x->place]];
	const struct report_symbol *b = &m->places.symbols.v[m->places.values.v[y->place]];
	/* "a..." before "ls" */
	bool x_ls = m->samples.values.v[x->root] == m->comms[0];
	bool y_ls = m->samples.values.v[y->root] == m->comms[0];

	if (x->weight != y->weight)
		return sign_of((s64)(y->weight - x->weight));
	if (x_ls != y_ls)
		return x_ls - y_ls;
	if (!a->name != !b->name)
		return !a->name - !b->name;
	if (a->name && strcmp(a->name, b->name))
		return strcmp(a->name, b->name);
	return sign_of((s64)(a->start - b->start));
}

static void rows_that_weigh_the_same(void **state)
{
	struct made m;
	struct report_view v;
	u32 with_callees, i, nr;

	(void)state;
	for (with_callees = 0; with_callees < 2; with_callees++) {
		set_up(&m, "comm,sym", with_callees);
		make_many(&m);
		/* what a row called is its own here, so that both ways give one order */
		assert_int_equal(
			report_entries_make(&m.entries, &m.samples, &m.places, false, NULL), 0);
		for (i = 0; i < m.entries.v.nr; i++)
			m.entries.v.v[i].all_weight = m.entries.v.v[i].weight;
		nr = m.entries.v.nr;
		assert_int_equal(nr, 400);
		v = view_of(&m, with_callees);
		assert_true(report_order_sort(&v));
		assert_int_equal(m.entries.v.nr, nr);
		for (i = 1; i < nr; i++)
			assert_true(expected_order(&m, &m.entries.v.v[i - 1], &m.entries.v.v[i]) <
				    0);
		tear_down(&m);
	}
}

/* Of rows of one thread that weigh the same with what they called, the rank decides; of others, what they show. */
static void callers_first(void **state)
{
	const struct report_entry *a, *b;
	struct report_view v;
	struct made m;
	u32 i, j, nr;

	(void)state;
	set_up(&m, "comm,sym", true);
	make_many(&m);
	assert_int_equal(report_entries_make(&m.entries, &m.samples, &m.places, false, NULL), 0);
	nr = m.entries.v.nr;
	for (i = 0; i < nr; i++) {
		m.entries.v.v[i].all_weight = 1 + i % 3;
		/* weights of threads are their own */
		m.entries.v.v[i].thread = i % 3 < 2 ? i % 3 : i;
		m.entries.v.v[i].rank = (s32)(hash_u64(i) % 7) - 3;
	}
	v = view_of(&m, true);
	assert_true(report_order_sort(&v));
	for (i = 1; i < nr; i++) {
		a = &m.entries.v.v[i - 1];
		b = &m.entries.v.v[i];
		assert_true(a->all_weight >= b->all_weight);
		if (a->all_weight != b->all_weight)
			continue;
		assert_true(a->thread != b->thread || a->rank <= b->rank);
		if (a->thread != b->thread || a->rank == b->rank)
			assert_true(expected_order(&m, a, b) < 0);
	}
	/* none is lost */
	for (i = 0; i < nr; i++)
		for (j = 0; j < i; j++)
			assert_true(m.entries.v.v[i].root != m.entries.v.v[j].root ||
				    m.entries.v.v[i].place != m.entries.v.v[j].place);
	tear_down(&m);
}

static void shuffle(struct report_entry *v, u32 nr, u64 seed)
{
	struct report_entry e;
	u32 i, j;

	for (i = nr; i > 1; i--) {
		j = (u32)(hash_u64(seed * 1000 + i) % i);
		e = v[i - 1];
		v[i - 1] = v[j];
		v[j] = e;
	}
}

/* Threads whose ranks contradict the order of what else they show: there is one order all the same. */
static void one_order_of_callers(void **state)
{
	struct report_entry first[60], *v;
	struct report_view view;
	struct made m;
	u32 i, j, round;

	(void)state;
	set_up(&m, "comm,sym", true);
	make_many(&m);
	assert_int_equal(report_entries_make(&m.entries, &m.samples, &m.places, false, NULL), 0);
	m.entries.v.nr = ARRAY_SIZE(first);
	v = m.entries.v.v;
	view = view_of(&m, true);
	for (i = 0; i < ARRAY_SIZE(first); i++) {
		v[i].all_weight = 1 + hash_u64(i) % 2;
		v[i].thread = (u32)(hash_u64(i + 1000) % 4);
		v[i].rank = (s32)(hash_u64(i + 2000) % 9) - 4;
	}
	for (round = 0; round < 50; round++) {
		shuffle(v, ARRAY_SIZE(first), round);
		assert_true(report_order_sort(&view));
		if (!round)
			memcpy(first, v, sizeof(first));
		assert_memory_equal(first, v, sizeof(first));
	}
	for (i = 0; i < ARRAY_SIZE(first); i++)
		for (j = i + 1; j < ARRAY_SIZE(first); j++) {
			assert_true(first[i].all_weight >= first[j].all_weight);
			assert_true(first[i].all_weight != first[j].all_weight ||
				    first[i].thread != first[j].thread ||
				    first[i].rank < first[j].rank ||
				    (first[i].rank == first[j].rank &&
				     expected_order(&m, &first[i], &first[j]) < 0));
		}
	tear_down(&m);
}

/* The rows are as they were. */
static void no_memory_to_sort(void **state)
{
	struct report_entry was[400];
	struct report_view v;
	struct made m;
	unsigned int n, with_callees;
	bool ok, out;

	(void)state;
	for (n = with_callees = 0; with_callees < 2; n++) {
		set_up(&m, "comm,sym", with_callees);
		make_many(&m);
		assert_int_equal(
			report_entries_make(&m.entries, &m.samples, &m.places, false, NULL), 0);
		assert_true(m.entries.v.nr <= ARRAY_SIZE(was));
		memcpy(was, m.entries.v.v, m.entries.v.nr * sizeof(*was));
		v = view_of(&m, false);
		oom_after(n);
		ok = report_order_sort(&v);
		out = oom_stop();
		/* qsort_r() goes on without */
		assert_true(ok || out);
		assert_int_equal(!ok, !memcmp(was, m.entries.v.v, m.entries.v.nr * sizeof(*was)));
		tear_down(&m);
		if (!out) {
			assert_true(ok && n > 5);
			n = 0;
			with_callees++;
		}
	}
}

static void memory_runs_out(void **state)
{
	struct made m;
	struct err err = {0};
	unsigned int n;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		set_up(&m, "comm,dso,sym", true);
		make_recursion(&m);
		oom_after(n);
		ret = report_entries_make(&m.entries, &m.samples, &m.places, true, &err);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		tear_down(&m);
	}
	assert_int_equal(ret, 0);
	tear_down(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_as_perf_takes_them),
		cmocka_unit_test(unknown_keys),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(functions_of_one_name),
		cmocka_unit_test(inlined_functions),
		cmocka_unit_test(limits_and_widths),
		cmocka_unit_test(for_programs),
		cmocka_unit_test(rows_that_weigh_the_same),
		cmocka_unit_test(callers_first),
		cmocka_unit_test(one_order_of_callers),
		cmocka_unit_test(no_memory_to_sort),
		cmocka_unit_test(memory_runs_out),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
