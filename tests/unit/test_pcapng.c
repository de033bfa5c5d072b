// SPDX-License-Identifier: GPL-2.0
/* util/export/pcapng: files of packets while memory runs out at each place in turn. What a file has, tests/cli/drops-packet.t asks. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/cur.h"
#include "util/export/pcapng.h"

#define PACKETS 40u

/* Of many devices and both kinds, with and without a tag. */
static struct pcapng_packet packet_of(u32 i, const char *device)
{
	static const u8 bytes[64] = {0x45};

	return (struct pcapng_packet){
		.time = 1000000000ull * i,
		.device = device,
		.network = i % 2 ? "net:[4026531840]" : "",
		.is_ethernet = i % 3 == 0,
		.has_tag = i % 6 == 0,
		.tag = 7,
		.tag_type = 0x8100,
		.protocol = 0x0800,
		.bytes = bytes,
		.len = 20 + i,
		.size = 1500,
		.comment = i % 4 ? "NO_SOCKET at f+0x4\nCPU 0" : "",
	};
}

static int write_all(struct pcapng *p, struct buf *out, struct err *err)
{
	char device[2] = "a";
	struct pcapng_packet k;
	int ret = 0;
	u32 i;

	pcapng_begin(out, "perf-lite");
	for (i = 0; i < PACKETS && !ret; i++) {
		device[0] = (char)('a' + i % 26);
		k = packet_of(i, device);
		ret = pcapng_put(p, &k, out, err);
		assert_true(ret || !out->failed);
	}
	if (!ret)
		pcapng_end(p, 1, 5, out);
	return ret;
}

/* Blocks by kind; each is whole. */
static void count_blocks(const struct buf *out, u32 nr[7])
{
	struct cur c = cur_init(out->data, out->len);
	u32 type, len;

	while (cur_left(&c)) {
		type = cur_u32(&c);
		len = cur_u32(&c);
		assert_true(len >= 12 && len % 4 == 0);
		cur_skip(&c, len - 12);
		assert_int_equal(cur_u32(&c), len);
		assert_false(c.bad);
		nr[MIN(type, 6u)]++;
	}
}

static void fail_each(void (*refuse)(unsigned int), const struct buf *want)
{
	struct pcapng p;
	struct buf out;
	struct err err;
	unsigned int n;
	int ret;

	for (n = 0;; n++) {
		p = (struct pcapng){0};
		out = (struct buf){0};
		err = (struct err){0};
		refuse(n);
		ret = write_all(&p, &out, &err);
		if (!oom_stop())
			break;
		/* the end says so by the buffer alone */
		assert_true(ret == -ENOMEM || (!ret && out.failed));
		assert_int_equal(err.code, -ret);
		pcapng_free(&p);
		buf_free(&out);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(out.len, want->len);
	assert_memory_equal(out.data, want->data, out.len);
	/* the names, their entries and slots, and the file */
	assert_true(n > PACKETS);
	pcapng_free(&p);
	buf_free(&out);
}

static void without_memory(void **state)
{
	struct pcapng p = {0};
	struct buf want = {0};
	u32 nr[7] = {0};

	(void)state;
	assert_int_equal(write_all(&p, &want, NULL), 0);
	pcapng_free(&p);
	count_blocks(&want, nr);
	assert_int_equal(nr[1], 26 + 1); /* devices, and that of lost packets */
	assert_int_equal(nr[5], 1);
	assert_int_equal(nr[6], PACKETS + 1); /* and the section */
	fail_each(oom_after, &want);
	fail_each(oom_only, &want);
	buf_free(&want);
}

/* What a packet lacked memory for, it can be put again. */
static void again(void **state)
{
	const struct pcapng_packet k = packet_of(1, "eth0");
	struct buf out = {0}, want = {0};
	struct pcapng p = {0};
	unsigned int n;
	int ret;

	(void)state;
	assert_int_equal(pcapng_put(&p, &k, &want, NULL), 0);
	pcapng_free(&p);
	for (n = 0;; n++) {
		buf_clear(&out);
		assert_non_null(buf_room(&out, 4096));
		oom_only(n);
		ret = pcapng_put(&p, &k, &out, NULL);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_int_equal(out.len, 0);
		assert_int_equal(pcapng_put(&p, &k, &out, NULL), 0);
		assert_int_equal(out.len, want.len);
		assert_memory_equal(out.data, want.data, out.len);
		pcapng_free(&p);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 2);
	pcapng_free(&p);
	buf_free(&out);
	buf_free(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_memory),
		cmocka_unit_test(again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
