// SPDX-License-Identifier: GPL-2.0
/* A profile, gunzipped and taken apart again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include <cmocka.h>

#include "tests/unit/made_session.h"
#include "util/base/cur.h"
#include "util/export/export_internal.h"
#include "util/export/export_spans.h"

static const u64 work[] = {MADE_USER, MADE_MAIN, MADE_START},
		 call[] = {MADE_SYSTEM, MADE_KERNEL + 5, MADE_USER, MADE_NAKED + 5},
		 cut[] = {MADE_USER, MADE_MAIN, CHAIN_END + CHAIN_NO_FILE};

#define ADD(m, sink, event, time, period, chain) \
	made_session_add(m, sink, event, time, period, chain, ARRAY_SIZE(chain))

static void gunzip(const struct buf *in, struct buf *out)
{
	z_stream z = {.next_in = (Bytef *)in->data, .avail_in = (uInt)in->len};
	int ret = inflateInit2(&z, 15 + 16);

	assert_int_equal(ret, Z_OK);
	while (ret == Z_OK) {
		z.next_out = (Bytef *)buf_room(out, 65536);
		z.avail_out = 65536;
		ret = inflate(&z, Z_NO_FLUSH);
		buf_wrote(out, 65536 - z.avail_out);
	}
	assert_int_equal(ret, Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	inflateEnd(&z);
}

/* Fields whose bytes are no message: strings, and packed integers. */
enum { STRINGS = 6, SAMPLES = 2, LOCATIONS = 4 };

/* A message as text: "1:5 4{1:1 2:12}"; packed integers as "1[1 2]". */
static void put_message(struct cur c, u32 inside, struct buf *out)
{
	while (cur_left(&c)) {
		u64 key = cur_uleb(&c);
		u32 field = (u32)(key >> 3);
		struct cur sub;

		if (out->len && out->data[out->len - 1] != '{')
			buf_addc(out, ' ');
		if (!(key & 7)) {
			buf_addf(out, "%u:%lld", field, (long long)cur_uleb(&c));
			continue;
		}
		assert_int_equal(key & 7, 2);
		sub = cur_sub(&c, (size_t)cur_uleb(&c));
		assert_false(c.bad);
		if (inside == SAMPLES && field <= 2) {
			buf_addf(out, "%u[", field);
			while (cur_left(&sub))
				buf_addf(out, " %lld", (long long)cur_uleb(&sub));
			buf_addc(out, ']');
		} else {
			buf_addf(out, "%u{", field);
			put_message(sub, 0, out);
			buf_addc(out, '}');
		}
	}
	assert_false(c.bad);
}

/* A line for each field of the profile; strings are named in the place where they stand. */
static void put_fields(const struct buf *gz, struct buf *out)
{
	struct buf raw = {0};
	struct cur c, sub;
	u64 key;
	u32 field;

	gunzip(gz, &raw);
	c = cur_init(raw.data, raw.len);
	while (cur_left(&c)) {
		struct buf line = {0};

		key = cur_uleb(&c);
		field = (u32)(key >> 3);
		if (key & 7) {
			size_t len = (size_t)cur_uleb(&c);
			const char *p;

			sub = cur_sub(&c, len);
			if (field == STRINGS) {
				p = cur_bytes(&sub, len);
				buf_addf(out, "%u \"%.*s\"\n", field, (int)len, p ? p : "");
			} else {
				put_message(sub, field, &line);
				buf_addf(out, "%u %s\n", field, buf_str(&line));
			}
		} else {
			buf_addf(out, "%u %lld\n", field, (long long)cur_uleb(&c));
		}
		assert_false(c.bad);
		buf_free(&line);
	}
	buf_free(&raw);
}

static void take_apart(struct sink *sink, struct buf *out)
{
	struct buf gz = {0};

	assert_int_equal(made_session_finish(sink, &gz), 0);
	put_fields(&gz, out);
	buf_free(&gz);
}

static void expect(struct sink *sink, const char *want)
{
	struct buf out = {0};

	take_apart(sink, &out);
	assert_string_equal(buf_str(&out), want);
	buf_free(&out);
}

static void one_event(void **state)
{
	struct made_session m;
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(export_pprof(&m.s, ID_NONE, &sink, NULL), 0);
	ADD(&m, sink, MADE_CLOCK, 1000, 5, work);
	ADD(&m, sink, MADE_CLOCK, 2000, 6, work);
	m.tid = 8;
	m.comm = "other";
	ADD(&m, sink, MADE_CLOCK, 9000, 7, work);
	ADD(&m, sink, MADE_CLOCK, 9000, 0, call);
	/* not the chain's length but what it tells: a stack that is cut, none at all */
	ADD(&m, sink, MADE_CLOCK, 8000, UINT64_MAX, cut);
	made_session_add(&m, sink, MADE_CLOCK, 4000, 9, NULL, 0);
	/* two samples are one, their weights added; a thread under another name is another sample */
	expect(sink,
	       "1 1:3 2:4\n1 1:5 2:6\n11 1:5 2:6\n12 1000000\n14 5\n10 8000\n"
	       "2 1[ 1 2] 2[ 2 11] 3{1:9 2:1} 3{1:10 3:7} 3{1:11 3:7}\n"
	       "2 1[ 3] 2[ 1 9] 3{1:9 2:2} 3{1:10 3:7} 3{1:11 3:8}\n"
	       "2 1[ 1 2] 2[ 1 7] 3{1:9 2:2} 3{1:10 3:7} 3{1:11 3:8}\n"
	       "2 1[ 4 5] 2[ 1 1] 3{1:9 2:2} 3{1:10 3:7} 3{1:11 3:8}\n"
	       "2 1[ 6 7] 2[ 1 9223372036854775807] 3{1:9 2:2} 3{1:10 3:7} 3{1:11 3:8}\n"
	       /* the program, the kernel (from its first byte on), a file without symbols */
	       "3 1:1 2:4194304 3:4259840 4:4096 5:15 6:16 7:1 10:1\n"
	       "3 1:2 2:-2130706432 3:-2130640896 5:17 7:1 10:1\n"
	       "3 1:3 2:6291456 3:6356992 5:18\n"
	       /* where it stood, where it called */
	       "4 1:1 2:1 3:4194576 4{1:1}\n4 1:2 2:1 3:4194319 4{1:2}\n4 1:3 4{1:3}\n"
	       "4 1:4 2:2 3:-2130706427 4{1:4}\n4 1:5 2:3 3:6291461\n"
	       "4 1:6 2:1 3:4194576 4{1:1}\n4 1:7 4{1:5}\n"
	       "5 1:1 2:7 3:7\n5 1:2 2:8 3:8\n5 1:3 2:12 3:12\n5 1:4 2:13 3:13\n5 1:5 2:14 3:14\n"
	       "6 \"\"\n6 \"made\"\n6 \"other\"\n6 \"samples\"\n6 \"count\"\n6 \"cpu-clock\"\n"
	       "6 \"nanoseconds\"\n6 \"main\\x01\\xff;<b>\"\n6 \"_start\"\n6 \"comm\"\n6 \"pid\"\n"
	       "6 \"tid\"\n6 \"[unknown]\"\n6 \"do_work\"\n6 \"[truncated]\"\n"
	       "6 \"/no/such/\"program\"\"\n6 \"0123456789abcdef\"\n6 \"[kernel.kallsyms]\"\n"
	       "6 \"/no/such/naked.so\"\n");
	sink->ops->free(sink);
	made_session_end(&m);
}

static void fact(struct made_session *m, const char *key, const char *value, size_t len)
{
	assert_int_equal(recording_add_fact(m->source.recording, key, value, len), 0);
}

static void several_events(void **state)
{
	struct made_session m;
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	fact(&m, "wall_clock_ns", "1000000000", 10);
	fact(&m, "clock_ns", "500", 3);
	fact(&m, "cmdline", "perf-lite\0record\0a b", 21);
	fact(&m, "hostname", "h\x01", 2);
	m.s.totals.lost = 12;
	assert_int_equal(export_pprof(&m.s, ID_NONE, &sink, NULL), 0);
	ADD(&m, sink, MADE_FAULTS, 600, 4, work);
	ADD(&m, sink, MADE_CLOCK, 700, 5, work);
	/* values of one stack in one sample */
	expect(sink, "1 1:2 2:3\n1 1:4 2:5\n1 1:6 2:3\n1 1:7 2:3\n11 1:4 2:5\n12 1000000\n14 4\n"
		     "9 1000000100\n10 100\n13 8\n13 9\n13 10\n"
		     "2 1[ 1 2] 2[ 1 5 1 4] 3{1:13 2:1} 3{1:14 3:7} 3{1:15 3:7}\n"
		     "3 1:1 2:4194304 3:4259840 4:4096 5:16 6:17 7:1 10:1\n"
		     "4 1:1 2:1 3:4194576 4{1:1}\n4 1:2 2:1 3:4194319 4{1:2}\n"
		     "5 1:1 2:11 3:11\n5 1:2 2:12 3:12\n"
		     "6 \"\"\n6 \"made\"\n6 \"cpu-clock_samples\"\n6 \"count\"\n6 \"cpu-clock\"\n"
		     "6 \"nanoseconds\"\n6 \"page-faults_samples\"\n6 \"page-faults\"\n"
		     "6 \"command: perf-lite record a b\"\n6 \"host: h\\x01\"\n"
		     "6 \"samples lost while recording: 12\"\n"
		     "6 \"main\\x01\\xff;<b>\"\n6 \"_start\"\n6 \"comm\"\n6 \"pid\"\n6 \"tid\"\n"
		     "6 \"/no/such/\"program\"\"\n6 \"0123456789abcdef\"\n");
	sink->ops->free(sink);
	made_session_end(&m);
}

static void no_samples(void **state)
{
	struct made_session m;
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(export_pprof(&m.s, ID_NONE, &sink, NULL), 0);
	expect(sink, "1 1:1 2:2\n6 \"\"\n6 \"samples\"\n6 \"count\"\n");
	sink->ops->free(sink);
	assert_int_equal(export_pprof(&m.s, MADE_FAULTS, &sink, NULL), 0);
	expect(sink, "1 1:1 2:2\n1 1:3 2:2\n11 1:3 2:2\n12 1\n14 3\n"
		     "6 \"\"\n6 \"samples\"\n6 \"count\"\n6 \"page-faults\"\n");
	sink->ops->free(sink);
	made_session_end(&m);
}

static void integers(void **state)
{
	static const u8 want[] = {0x08, 0x01, 0x10, 0xac, 0x02, 0xf8, 0x7f, 0xff,
				  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				  0x01, 0x1a, 0x00, 0x22, 0x02, 'h',  'i'};
	struct buf b = {0}, sub = {0};

	(void)state;
	export_proto_integer(&b, 1, 1);
	export_proto_integer(&b, 2, 300);
	export_proto_integer(&b, 3, 0);
	export_proto_integer(&b, 2047, (u64)-1);
	export_proto_message(&b, 3, &sub);
	buf_adds(&sub, "hi");
	export_proto_message(&b, 4, &sub);
	assert_int_equal(sub.len, 0);
	assert_int_equal(b.len, sizeof(want));
	assert_memory_equal(b.data, want, sizeof(want));
	buf_free(&b);
	buf_free(&sub);
}

/* More than any buffer on the way holds, in pieces of every size; twice the same. */
static void compressed(void **state)
{
	struct buf in = {0}, out[2] = {0}, back = {0};
	struct gzip g;
	size_t at, len;
	u32 i, x = 1, n;

	(void)state;
	for (i = 0; i < 3000000; i++) {
		x = x * 1664525 + 1013904223;
		buf_addc(&in, (char)(x >> 24));
	}
	for (n = 0; n < 2; n++) {
		assert_int_equal(gzip_init(&g, NULL), 0);
		for (at = 0, len = 0; at < in.len; at += len) {
			len = MIN(in.len - at, len * 3 + 1);
			assert_int_equal(gzip_add(&g, in.data + at, len, &out[n], NULL), 0);
		}
		assert_int_equal(gzip_end(&g, &out[n], NULL), 0);
		gzip_free(&g);
	}
	gunzip(&out[0], &back);
	assert_int_equal(back.len, in.len);
	assert_memory_equal(back.data, in.data, in.len);
	assert_int_equal(out[0].len, out[1].len);
	assert_memory_equal(out[0].data, out[1].data, out[0].len);
	buf_free(&in);
	buf_free(&out[0]);
	buf_free(&out[1]);
	buf_free(&back);
}

static void out_of_memory(void **state)
{
	(void)state;
	made_session_out_of_memory(export_pprof, MADE_FAULTS);
}

/* Code of the kernel behind what is said to be its own: the mapping has it. */
static void behind_the_kernel(void **state)
{
	static const u64 chain[] = {MADE_SYSTEM, MADE_KERNEL + 0x20005};
	struct made_session m;
	struct sink *sink;
	struct buf out = {0};

	(void)state;
	made_session_begin(&m);
	assert_int_equal(export_pprof(&m.s, ID_NONE, &sink, NULL), 0);
	ADD(&m, sink, MADE_CLOCK, 5, 10, chain);
	take_apart(sink, &out);
	assert_non_null(strstr(buf_str(&out), "3 1:1 2:-2130706432 3:-2130575354 "));
	assert_non_null(strstr(buf_str(&out), "4 1:1 2:1 3:-2130575355\n"));
	buf_free(&out);
	sink->ops->free(sink);
	made_session_end(&m);
}

/* Rows of spans: labels of text and number, one that is not there; a stack, none, and what is missing of one. */
static void spans(void **state)
{
	static const struct export_spans_key keys[] = {
		{.name = "comm"}, {.name = "tid"}, {.name = "stack"}};
	static const struct export_spans_about about = {
		.name = "waits", .keys = keys, .nr_keys = 3, .stack = true};
	const struct export_spans_value v[] = {{.text = "made"},
					       {.text = "-7", .number = true},
					       {.text = "-"}},
					none[3] = {{0}};
	struct stack_frame frames[2] = {{0}, {.frame = STACK_CUT}};
	struct export_spans_values values[] = {{.v = v, .frames = frames, .nr_frames = 2},
					       {.v = none}};
	struct export_spans_row rows[] = {{2, 3000, &values[0]}, {1, UINT64_MAX, &values[1]}};
	struct buf gz = {0}, out = {0};
	struct export_spans *k = NULL;
	struct made_session m;
	u32 i;

	(void)state;
	made_session_begin(&m);
	frames[0].frame =
		symboliser_address(m.s.symboliser, process_thread(&m.s.model, MADE_PID, 7),
				   PERF_RECORD_MISC_USER, MADE_MAIN);
	assert_int_equal(export_spans_pprof(&m.s, &about, &k, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(k->ops->row(k, &rows[i], &gz, NULL), 0);
	k->from = 1000;
	k->to = 5000;
	assert_int_equal(k->ops->end(k, &gz, NULL), 0);
	put_fields(&gz, &out);
	assert_string_equal(
		buf_str(&out),
		"1 1:1 2:2\n1 1:3 2:4\n14 3\n"
		"2 1[ 1 2] 2[ 2 3000] 3{1:8 2:7} 3{1:9 3:-7}\n2 1[ 3] 2[ 1 9223372036854775807]\n10 4000\n"
		"3 1:1 2:4194304 3:4259840 4:4096 5:11 6:12 7:1 10:1\n"
		"4 1:1 2:1 3:4194576 4{1:1}\n4 1:2 4{1:2}\n4 1:3 4{1:3}\n"
		"5 1:1 2:5 3:5\n5 1:2 2:6 3:6\n5 1:3 2:10 3:10\n"
		"6 \"\"\n6 \"spans\"\n6 \"count\"\n6 \"time\"\n6 \"nanoseconds\"\n"
		"6 \"main\\x01\\xff;<b>\"\n6 \"[truncated]\"\n6 \"made\"\n6 \"comm\"\n6 \"tid\"\n"
		"6 \"[unknown]\"\n6 \"/no/such/\"program\"\"\n6 \"0123456789abcdef\"\n");
	k->ops->free(k);
	buf_free(&gz);
	buf_free(&out);
	made_session_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_event),         cmocka_unit_test(several_events),
		cmocka_unit_test(no_samples),        cmocka_unit_test(integers),
		cmocka_unit_test(compressed),        cmocka_unit_test(out_of_memory),
		cmocka_unit_test(behind_the_kernel), cmocka_unit_test(spans),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
