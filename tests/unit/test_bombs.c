// SPDX-License-Identifier: GPL-2.0
/* Small files that claim gigabytes: what reading them costs is bounded by their size. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/made_elf.h"
#include "util/base/hash.h"
#include "util/file/block.h"
#include "util/file/compress.h"
#include "util/file/reorder.h"
#include "util/file/verify.h"
#include "util/image/image_unpack.h"

/* LARGE is refused by its length alone; SMALL just not, behind PADDING bytes that do not compress. */
#if defined(__SANITIZE_ADDRESS__)
/* Only what reads and writes outside is looked for here: each allocation has a red zone, freed ones wait. */
#define LARGE         (15u << 20)
#define PADDING       (240u << 10)
#define SMALL         (768u << 10)
#define SLACK         5
#define BLOCKS        1
#define SAMPLE_BLOCKS 2
#else
/* Together more than the memory that may be used. */
#define LARGE         (60u << 20)
#define PADDING       (960u << 10)
#define SMALL         (3u << 20)
#define SLACK         1
#define BLOCKS        4
#define SAMPLE_BLOCKS 14
#endif
#define MEMORY_KB (200u << 10)
/* Blocks of 60 MiB, a few of which are decoded ahead. */
#define SAMPLES_KB (700u << 10)

/* One item of a payload, repeated until the block is full. */
static void fill(struct buf *raw, const struct buf *item, size_t size)
{
	struct buf many = {0};

	assert_true(item->len > 0);
	while (many.len < 64u << 10)
		buf_add(&many, item->data, item->len);
	while (raw->len + many.len <= size)
		buf_add(raw, many.data, many.len);
	while (raw->len + item->len <= size)
		buf_add(raw, item->data, item->len);
	assert_false(raw->failed || many.failed);
	buf_free(&many);
}

static void add_block(struct buf *file, u16 type, u64 seq, const struct buf *raw)
{
	struct compressor c;
	struct buf packed = {0};
	struct block k = {.type = type, .flags = BLOCK_ZSTD, .seq = seq};

	assert_int_equal(compress_init(&c, 1, NULL), 0);
	assert_int_equal(compress_frame(&c, raw->data, raw->len, &packed, NULL), 0);
	k.stored_size = (u32)packed.len;
	k.raw_size = (u32)raw->len;
	k.payload_hash = hash_bytes(packed.data, packed.len);
	for (u32 i = 0; i < BLOCKS; i++) {
		k.seq = seq + i;
		block_put_header(file, &k);
		buf_add(file, packed.data, packed.len);
		buf_pad(file, '\0', ALIGN_UP(file->len, (size_t)8) - file->len);
	}
	compress_free(&c);
	buf_free(&packed);
}

static void read_all(const char *path)
{
	struct err err = {0};
	struct source *s = source_open(path, &err);
	struct rec rec;

	if (!s || reorder_wrap(&s, &err))
		_exit(2);
	while (source_next(s, &rec, &err) > 0)
		;
	source_close(s);
	_exit(err.msg[0] ? 3 : 0);
}

static void verify_all(const char *path)
{
	struct blocks_item it;
	struct err err = {0};
	struct verify v;

	if (verify_open(&v, path, &err))
		_exit(2);
	while (verify_next(&v, &it, &err) > 0)
		;
	_exit(err.msg[0] ? 3 : 0);
}

/* In a process of its own, whose memory nobody else has used. */
static void cost(const struct buf *file, void (*read)(const char *path), long limit_kb)
{
	struct rusage used = {0};
	char path[32];
	int fd = memfd_create("bomb", 0), status = 0;
	pid_t pid;

	assert_true(fd >= 0 && !io_write(fd, file->data, file->len));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	pid = fork();
	if (!pid)
		read(path);
	assert_int_equal(wait4(pid, &status, 0, &used), pid);
	assert_int_equal(status, 0);
	print_message("# %zu bytes: %ld KiB\n", file->len, used.ru_maxrss);
	assert_true(used.ru_maxrss < limit_kb * SLACK);
	close(fd);
}

/* A fact that is as long in memory as in the file. */
static void add_padding(struct buf *file)
{
	struct block k = {.type = BLOCK_META};
	struct buf value = {0}, fact = {0};
	u64 i;

	for (i = 0; value.len < PADDING; i++)
		buf_u64(&value, hash_u64(i * i + 1));
	buf_lstr(&fact, "padding", 7);
	buf_lstr(&fact, value.data, value.len);
	k.stored_size = k.raw_size = (u32)fact.len;
	k.payload_hash = hash_bytes(fact.data, fact.len);
	block_put_header(file, &k);
	buf_add(file, fact.data, fact.len);
	buf_pad(file, '\0', ALIGN_UP(file->len, (size_t)8) - file->len);
	buf_free(&value);
	buf_free(&fact);
}

static void explode_to(u16 type, const struct buf *head, const struct buf *item, size_t size)
{
	struct file_header h = {.major = FILE_MAJOR};
	struct buf file = {0}, raw = {0};

	block_put_file_header(&file, &h);
	if (size == SMALL)
		add_padding(&file);
	if (head)
		buf_add(&raw, head->data, head->len);
	fill(&raw, item, size);
	add_block(&file, type, 1, &raw);
	/* what the test took is not the reader's */
	buf_free(&raw);
	assert_true(file.len < 1u << 20);
	cost(&file, read_all, MEMORY_KB);
	cost(&file, verify_all, MEMORY_KB);
	buf_free(&file);
}

static void explode(u16 type, const struct buf *head, const struct buf *item)
{
	explode_to(type, head, item, LARGE);
	explode_to(type, head, item, SMALL);
}

static void facts(void **state)
{
	struct buf item = {0};

	(void)state;
	made_fact(&item, "", "");
	explode(BLOCK_META, NULL, &item);
	buf_clear(&item);
	made_fact(&item, "k", "");
	explode(BLOCK_META, NULL, &item);
	buf_free(&item);
}

static void events(void **state)
{
	struct perf_event_attr attr = made_attr(0);
	struct buf item = {0};
	u64 ids[512], i;

	(void)state;
	buf_pad(&item, '\0', 16);
	explode(BLOCK_ATTR, NULL, &item);
	buf_clear(&item);
	made_event(&item, 0, &attr, "", NULL, 0);
	explode(BLOCK_ATTR, NULL, &item);
	buf_clear(&item);
	for (i = 0; i < 512; i++)
		ids[i] = i << 20;
	made_event(&item, 0, &attr, "", ids, 512);
	explode(BLOCK_ATTR, NULL, &item);
	buf_free(&item);
}

static void formats(void **state)
{
	struct buf item = {0};

	(void)state;
	buf_pad(&item, '\0', 16);
	explode(BLOCK_TPFMT, NULL, &item);
	buf_free(&item);
}

static void functions(void **state)
{
	struct buf raw = {0}, head = {0};

	(void)state;
	/* one DSO, whose functions take three bytes each */
	made_functions(&head, 0, 0, "[kernel.kallsyms]", "", NULL, 0);
	buf_add(&raw, head.data, head.len - 1);
	buf_add(&raw, "\x80\xf8\x3f", 3); /* a varint: 1,047,552 */
	buf_clear(&head);
	buf_addc(&head, '\0');
	explode(BLOCK_SYMS, &raw, &head);
	buf_free(&raw);
	buf_free(&head);
}

static void frames(void **state)
{
	struct buf head = {0}, item = {0};

	(void)state;
	made_dso(&head, 1, 12, "/bin/cat", "0123456789");
	buf_le32(&head, 0);
	buf_pad(&item, '\0', 12);
	explode(BLOCK_FRAMES, &head, &item);
	buf_free(&head);
	buf_free(&item);
}

static void dsos(void **state)
{
	struct buf item = {0};
	char name[16];
	u32 i;

	(void)state;
	for (i = 0; i < 1024; i++) {
		snprintf(name, sizeof(name), "%u", i);
		made_dso(&item, 1, i, name, "");
		buf_lstr(&item, "", 0);
	}
	explode(BLOCK_DSO, NULL, &item);
	buf_free(&item);
}

static void accounts(void **state)
{
	struct buf item = {0};

	(void)state;
	buf_pad(&item, '\0', 40);
	explode(BLOCK_LOSS, NULL, &item);
	buf_clear(&item);
	loss_put_counts(&item, &(struct counts){0});
	explode(BLOCK_COUNTS, NULL, &item);
	buf_free(&item);
}

/* Samples that are all the same, all of one time: columns of nothing. */
static void samples(void **state)
{
	struct file_header h = {.major = FILE_MAJOR};
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	struct buf file = {0}, raw = {0}, records = {0};
	struct made_sample s = {.id = 7, .pid = 1, .tid = 1, .time = 1};
	struct event_set set = {0};
	struct writer_data d;
	struct block k = {.type = BLOCK_ATTR};
	static const u64 id = 7;
	u32 i;

	(void)state;
	block_put_file_header(&file, &h);
	made_event(&raw, 0, &attr, "made", &id, 1);
	k.stored_size = k.raw_size = (u32)raw.len;
	k.payload_hash = hash_bytes(raw.data, raw.len);
	block_put_header(&file, &k);
	buf_add(&file, raw.data, raw.len);
	buf_pad(&file, '\0', ALIGN_UP(file.len, (size_t)8) - file.len);
	made_events(&set, MADE_TYPE, &id, 1);
	while (records.len < LARGE)
		made_sample(&records, &s);
	d = made_data(&raw, &set, NULL, 1, records.data, records.len);
	buf_free(&records);
	for (i = 1; i <= SAMPLE_BLOCKS; i++) {
		k = (struct block){.type = BLOCK_DATA,
				   .seq = i,
				   .records = d.records,
				   .samples_before = (i - 1) * (u64)d.records,
				   .stored_size = (u32)d.len,
				   .raw_size = (u32)d.raw_size,
				   .payload_hash = hash_bytes(d.payload, d.len)};
		block_put_header(&file, &k);
		buf_add(&file, d.payload, d.len);
		buf_pad(&file, '\0', ALIGN_UP(file.len, (size_t)8) - file.len);
	}
	cost(&file, read_all, SAMPLES_KB);
	cost(&file, verify_all, SAMPLES_KB);
	event_set_free(&set);
	buf_free(&raw);
	buf_free(&file);
}

/* An image that claims so many bytes for a section of each of the two forms, in MiB. */
static int claim(u64 chdr_mb, u64 zdebug_mb)
{
	Elf64_Chdr ch = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = chdr_mb << 20, .ch_addralign = 1};
	u64 size = htobe64(zdebug_mb << 20);
	struct err err = {0};
	struct made_elf e;
	struct image img;
	size_t at;
	int ret;

	made_elf_begin(&e, EM_X86_64, 8);
	at = e.b.len;
	buf_add(&e.b, &ch, sizeof(ch));
	made_elf_section(&e, ".debug_info", SHF_COMPRESSED, at, sizeof(ch));
	at = e.b.len;
	buf_adds(&e.b, "ZLIB");
	buf_add(&e.b, &size, sizeof(size));
	made_elf_section(&e, ".zdebug_line", 0, at, 12);
	buf_pad(&e.b, '\0', ALIGN_UP(e.b.len, (size_t)8) - e.b.len);
	made_elf_end(&e);
	assert_int_equal(image_open_memory(&img, e.b.data, e.b.len, NULL), 0);
	ret = image_unpack_check(&img, &err);
	assert_true(!ret == !err.msg[0]);
	image_close(&img);
	buf_free(&e.b);
	return ret;
}

/* libelf and libdw allocate what a section claims: it has to be asked about before. */
static void images(void **state)
{
	(void)state;
	assert_int_equal(claim(1, 1), 0);
	assert_int_equal(claim(1000, 0), -EFBIG);
	assert_int_equal(claim(0, 1000), -EFBIG);
	assert_int_equal(claim(3, 3), -EFBIG);
	assert_int_equal(claim(UINT64_MAX >> 20, UINT64_MAX >> 20), -EFBIG);
}

static void open_image(const char *path)
{
	struct image img;

	if (image_open(&img, path, NULL))
		_exit(2);
	_exit(img.build_id_len || img.unread);
}

/* Headers whose notes are all nearly all of the file. */
static void notes(void **state)
{
	Elf64_Phdr *ph;
	struct buf file = {0};
	u32 i, n = 100;
	Elf64_Ehdr h = {.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = sizeof(h),
			.e_ehsize = sizeof(h),
			.e_phentsize = sizeof(*ph),
			.e_phnum = (u16)n};

	(void)state;
	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = htole16(1) == 1 ? ELFDATA2LSB : ELFDATA2MSB;
	h.e_ident[EI_VERSION] = EV_CURRENT;
	buf_add(&file, &h, sizeof(h));
	buf_pad(&file, '\0', 8u << 20);
	assert_false(file.failed);
	ph = (Elf64_Phdr *)(void *)(file.data + sizeof(h));
	for (i = 0; i < n; i++)
		ph[i] = (Elf64_Phdr){.p_type = PT_NOTE,
				     .p_offset = sizeof(h) + n * sizeof(*ph) + i * 8,
				     .p_filesz = 7u << 20};
	cost(&file, open_image, MEMORY_KB);
	buf_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts),     cmocka_unit_test(events), cmocka_unit_test(formats),
		cmocka_unit_test(functions), cmocka_unit_test(frames), cmocka_unit_test(dsos),
		cmocka_unit_test(accounts),  cmocka_unit_test(images), cmocka_unit_test(samples),
		cmocka_unit_test(notes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("bombs", tests, NULL, NULL);
}
