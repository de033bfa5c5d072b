// SPDX-License-Identifier: GPL-2.0
#include "util/export/pcapng.h"

#include <string.h>

/* Blocks */
#define SECTION    0x0a0d0d0au
#define INTERFACE  1u
#define STATISTICS 5u
#define PACKET     6u

/* Options */
#define OPT_END         0
#define OPT_COMMENT     1
#define SHB_USERAPPL    4
#define IF_NAME         2
#define IF_DESCRIPTION  3
#define IF_TSRESOL      9
#define ISB_IFDROP      5
#define NANOSECONDS     9 /* of a time: 10 to the minus 9 */
#define LINK_ETHERNET   1
#define ETHERNET_SIZE   14u
#define ADDRESSES       12u /* of it, before the tag of a VLAN */
#define TAG_SIZE        4u
#define OPTION_SIZE_MAX 0xfffcu /* of a multiple of 4 */

static void put16(struct buf *out, u16 v)
{
	buf_add(out, &v, sizeof(v));
}

static void put32(struct buf *out, u32 v)
{
	buf_add(out, &v, sizeof(v));
}

static void put_big16(struct buf *out, u16 v)
{
	const u8 bytes[2] = {(u8)(v >> 8), (u8)v};

	buf_add(out, bytes, sizeof(bytes));
}

static void put_padded(struct buf *out, const void *p, size_t len)
{
	buf_add(out, p, len);
	buf_pad(out, '\0', -len & 3);
}

static void put_option(struct buf *out, u16 code, const void *p, size_t len)
{
	len = MIN(len, OPTION_SIZE_MAX);
	put16(out, code);
	put16(out, (u16)len);
	put_padded(out, p, len);
}

static void put_text_option(struct buf *out, u16 code, const char *text)
{
	if (*text)
		put_option(out, code, text, strlen(text));
}

/* Returns where the block begins; end_block() fills in its length. */
static size_t begin_block(struct buf *out, u32 type)
{
	const size_t at = out->len;

	put32(out, type);
	put32(out, 0);
	return at;
}

static void end_block(struct buf *out, size_t at)
{
	const u32 len = (u32)(out->len - at + sizeof(u32));

	put32(out, len);
	if (!out->failed)
		memcpy(out->data + at + sizeof(u32), &len, sizeof(len));
}

static void put_time(struct buf *out, u64 time)
{
	put32(out, (u32)(time >> 32));
	put32(out, (u32)time);
}

void pcapng_begin(struct buf *out, const char *program)
{
	const u64 unknown = UINT64_MAX; /* length of the section */
	const size_t at = begin_block(out, SECTION);

	put32(out, 0x1a2b3c4d);
	put16(out, 1);
	put16(out, 0);
	buf_add(out, &unknown, sizeof(unknown));
	put_text_option(out, SHB_USERAPPL, program);
	put32(out, OPT_END);
	end_block(out, at);
}

static void put_interface(const struct pcapng_packet *k, struct buf *out)
{
	const size_t at = begin_block(out, INTERFACE);
	const u8 resolution = NANOSECONDS;

	put16(out, LINK_ETHERNET);
	put16(out, 0);
	put32(out, 0);
	put_text_option(out, IF_NAME, k->device);
	put_text_option(out, IF_DESCRIPTION, k->network);
	put_option(out, IF_TSRESOL, &resolution, 1);
	put32(out, OPT_END);
	end_block(out, at);
}

/* ID_NONE: out of memory. */
static u32 find_interface(struct pcapng *p, const struct pcapng_packet *k, struct buf *out)
{
	const u32 nr = p->interfaces.nr;
	struct buf name = {0};
	u32 number;

	buf_addf(&name, "%s\n%s", k->device, k->network);
	number = name.failed ? ID_NONE : strtab_add(&p->interfaces, buf_str(&name), name.len);
	if (number == nr)
		put_interface(k, out);
	buf_free(&name);
	return number;
}

/* What there is none of: without addresses. */
static void put_ethernet(const struct pcapng_packet *k, struct buf *out)
{
	const u8 version = k->len ? k->bytes[0] >> 4 : 0;
	const u16 guess = version == 4 ? 0x0800 : version == 6 ? 0x86dd : 0;

	buf_pad(out, '\0', ETHERNET_SIZE - 2);
	put_big16(out, k->protocol ? k->protocol : guess);
}

/* Returns how many bytes come to those of the packet. */
static u32 bytes_more(const struct pcapng_packet *k)
{
	if (!k->is_ethernet)
		return ETHERNET_SIZE;
	return k->has_tag && k->len >= ADDRESSES ? TAG_SIZE : 0;
}

static void put_bytes(const struct pcapng_packet *k, u32 more, struct buf *out)
{
	u32 done = 0;

	if (!k->is_ethernet) {
		put_ethernet(k, out);
	} else if (more) {
		done = ADDRESSES;
		buf_add(out, k->bytes, done);
		put_big16(out, k->tag_type);
		put_big16(out, k->tag);
	}
	buf_add(out, k->bytes + done, k->len - done);
	buf_pad(out, '\0', -(k->len + more) & 3);
}

int pcapng_put(struct pcapng *p, const struct pcapng_packet *k, struct buf *out, struct err *err)
{
	const u32 number = find_interface(p, k, out), more = bytes_more(k);
	size_t at;

	if (number == ID_NONE)
		return err_nomem(err);
	at = begin_block(out, PACKET);
	put32(out, number);
	put_time(out, k->time);
	put32(out, k->len + more);
	put32(out, MAX(k->size, k->len) + more);
	put_bytes(k, more, out);
	put_text_option(out, OPT_COMMENT, k->comment);
	put32(out, OPT_END);
	end_block(out, at);
	return out->failed ? err_nomem(err) : 0;
}

void pcapng_end(const struct pcapng *p, u64 time, u64 lost, struct buf *out)
{
	size_t at;

	/* tcpdump and Wireshark read no file without an interface */
	if (!lost && !p->interfaces.nr)
		put_interface(&(struct pcapng_packet){.device = "any", .network = ""}, out);
	if (!lost)
		return;
	/* nobody knows of which device */
	put_interface(&(struct pcapng_packet){.device = "lost", .network = ""}, out);
	at = begin_block(out, STATISTICS);
	put32(out, p->interfaces.nr);
	put_time(out, time);
	put_option(out, ISB_IFDROP, &lost, sizeof(lost));
	put32(out, OPT_END);
	end_block(out, at);
}

void pcapng_free(struct pcapng *p)
{
	strtab_free(&p->interfaces);
}
