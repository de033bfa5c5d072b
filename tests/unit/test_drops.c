// SPDX-License-Identifier: GPL-2.0
/* Drops of recordings of either byte order, and of more sockets than are looked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/library/drops.h"

static const char probe[] = "name: kfree_skb\n"
			    "ID: 1700\n"
			    "format:\n"
			    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			    "\n"
			    "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
			    "\tfield:u16 protocol;\toffset:16;\tsize:2;\tsigned:0;\n"
			    "\n"
			    "print fmt: \"(%lx) protocol=%u\", REC->__probe_ip, REC->protocol\n";

static bool is_swapped(bool foreign)
{
	struct tp_format *format = tp_format_parse(probe, strlen(probe), NULL);
	struct recording recording = {.foreign = foreign};
	struct source source = {.recording = &recording};
	struct session session = {.source = &source, .formats = &format};
	struct event_desc *desc = vec_push(&recording.events.events);
	struct drops_names names = {0};
	struct drops_event e = {0};
	bool swapped;

	assert_non_null(format);
	assert_non_null(desc);
	desc->name = "probe:kfree_skb";
	assert_int_equal(drops_event_init(&e, &session, 0, "probe:kfree_skb", false, &names, NULL),
			 0);
	assert_int_equal(e.part, DROPS_SOFTWARE);
	swapped = e.swapped;
	drops_event_free(&e);
	vec_free(&recording.events.events);
	tp_format_free(format);
	return swapped;
}

/* A probe reads the two bytes of the packet as an integer of the machine that recorded. */
static void protocol_of_a_probe(void **state)
{
	const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	(void)state;
	assert_int_equal(is_swapped(false), little);
	assert_int_equal(is_swapped(true), !little);
}

static const char of_socket[] = "name: kfree_skb\n"
				"ID: 1700\n"
				"format:\n"
				"\tfield:u64 sk_inode;\toffset:0;\tsize:8;\tsigned:0;\n"
				"\n"
				"print fmt: \"%llu\", REC->sk_inode\n";

static void meet(struct drops_owners *o, const struct tp_format *f, u64 from, u64 until)
{
	u64 inode;
	struct sample s = {.raw = (const u8 *)&inode, .raw_size = sizeof(inode)};

	for (inode = from; inode < until; inode++)
		assert_int_equal(drops_owners_meet(o, f, &s, NULL), 0);
}

static void sockets_without_end(void **state)
{
	struct tp_format *format = tp_format_parse(of_socket, strlen(of_socket), NULL);
	struct drops_owners o = {.on = true};

	(void)state;
	assert_non_null(format);
	meet(&o, format, 1, 100);
	drops_owners_reset(&o);
	assert_int_equal(o.v.nr, 99);
	meet(&o, format, 1, DROPS_OWNERS_MAX + 3);
	assert_int_equal(o.v.nr, DROPS_OWNERS_MAX);
	assert_int_equal(o.left_out, 2);
	/* those that are known are not too many */
	meet(&o, format, 1, 100);
	assert_int_equal(o.left_out, 2);
	/* with a new table there is room for others */
	drops_owners_reset(&o);
	assert_int_equal(o.v.nr, 0);
	meet(&o, format, DROPS_OWNERS_MAX, DROPS_OWNERS_MAX + 3);
	assert_int_equal(o.v.nr, 3);
	assert_int_equal(o.v.v[2].inode, DROPS_OWNERS_MAX + 2);
	assert_int_equal(o.left_out, 2);
	drops_owners_free(&o);
	tp_format_free(format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(protocol_of_a_probe),
					   cmocka_unit_test(sockets_without_end)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
