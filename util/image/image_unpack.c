// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_unpack.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "util/base/cur.h"
#include "util/base/io.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

#define ALIGNMENT 16
/* "ZLIB" and the size, big-endian, before zlib's stream: the form before the gABI's. */
#define ZDEBUG_HEADER 12

struct copy {
	u8 *bytes;
	size_t len, size; /* what is used, what there is room for */
	bool wide;        /* 64-bit headers */
	bool swap;
};

static bool is_packed(Elf_Scn *scn, GElf_Chdr *ch)
{
	GElf_Shdr sh;

	return gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, ch) &&
	       ch->ch_type == ELFCOMPRESS_ZSTD;
}

bool image_unpack_needed(const struct image *img)
{
	Elf_Scn *scn = NULL;
	GElf_Chdr ch;

	while ((scn = elf_nextscn(img->elf, scn)))
		if (is_packed(scn, &ch))
			return true;
	return false;
}

static u64 file_size(const struct image *img)
{
	size_t len = 0;
	struct stat st;

	if (img->fd >= 0)
		return fstat(img->fd, &st) || st.st_size < 0 ? 0 : (u64)st.st_size;
	return elf_rawfile(img->elf, &len) ? len : 0;
}

/* Bytes that a section claims to become, 0 if it is not compressed. */
static u64 claimed_size(const struct image *img, Elf_Scn *scn)
{
	const char *name;
	struct cur c;
	GElf_Shdr sh;
	GElf_Chdr ch;
	Elf_Data *d;

	if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
		return 0;
	if (sh.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &ch) ? ch.ch_size : 0;
	name = elf_strptr(img->elf, img->ehdr.e_shstrndx, sh.sh_name);
	if (!name || strncmp(name, ".zdebug", 7))
		return 0;
	d = elf_rawdata(scn, NULL);
	if (!d || !d->d_buf || d->d_size < ZDEBUG_HEADER)
		return 0;
	c = cur_init(d->d_buf, ZDEBUG_HEADER);
	cur_skip(&c, 4);
	return be64toh(cur_u64(&c));
}

int image_unpack_check(const struct image *img, struct err *err)
{
	u64 limit = image_unpack_limit(file_size(img)), sum = 0, size;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(img->elf, scn))) {
		size = claimed_size(img, scn);
		if (size > limit - sum)
			return err_set(err, EFBIG,
				       "its compressed sections claim more than %llu MiB",
				       (unsigned long long)limit >> 20);
		sum += size;
	}
	return 0;
}

/* elf_rawfile(3) of a file that is read in parts would lose these. */
static bool read_file(const struct image *img, u8 *bytes, size_t len)
{
	const char *raw;

	if (img->fd >= 0)
		return io_pread(img->fd, bytes, len, 0) == (ssize_t)len;
	raw = elf_rawfile(img->elf, NULL);
	if (raw)
		memcpy(bytes, raw, len);
	return raw != NULL;
}

/* The bytes of the file, and room for the sections. */
static int make_copy(const struct image *img, struct copy *c, struct err *err)
{
	Elf_Scn *scn = NULL;
	u64 len = file_size(img), size = len;
	GElf_Chdr ch;
	int ret = image_unpack_check(img, err);

	if (ret)
		return ret;
	while ((scn = elf_nextscn(img->elf, scn)))
		if (is_packed(scn, &ch))
			size += ch.ch_size + ALIGNMENT;
	if (!len || size > SIZE_MAX)
		return err_set(err, EFBIG, "the image is too large");
	*c = (struct copy){.bytes = malloc((size_t)size),
			   .len = (size_t)len,
			   .size = (size_t)size,
			   .wide = gelf_getclass(img->elf) == ELFCLASS64,
			   .swap = image_foreign_endian(img)};
	if (!c->bytes)
		return err_nomem(err);
	if (read_file(img, c->bytes, c->len))
		return 0;
	free(c->bytes);
	return err_set(err, EIO, "the image cannot be read");
}

/* A field of a section header: a word in 32-bit images. */
static void put(const struct copy *c, u8 *at, u64 v)
{
	u32 word = c->swap ? __builtin_bswap32((u32)v) : (u32)v;
	u64 wide = c->swap ? __builtin_bswap64(v) : v;

	memcpy(at, c->wide ? (void *)&wide : (void *)&word, c->wide ? sizeof(wide) : sizeof(word));
}

/* False: it is damaged. */
static bool unpack_section(struct copy *c, Elf_Scn *scn, const GElf_Chdr *ch)
{
	size_t head = c->wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	Elf_Data *d = elf_rawdata(scn, NULL);

	c->len = ALIGN_UP(c->len, (size_t)ALIGNMENT);
	return d && d->d_buf && d->d_size > head && ch->ch_size <= c->size - c->len &&
	       ZSTD_decompress(c->bytes + c->len, (size_t)ch->ch_size, (u8 *)d->d_buf + head,
			       d->d_size - head) == ch->ch_size;
}

static bool move_section(struct copy *c, const struct image *img, size_t index, const GElf_Shdr *sh,
			 const GElf_Chdr *ch)
{
	u64 at = img->ehdr.e_shoff + (u64)index * img->ehdr.e_shentsize;
	size_t header = c->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	u8 *p;

	if (img->ehdr.e_shoff > c->len || at > c->len - header)
		return false;
	p = c->bytes + at;
	put(c, p + offsetof(Elf64_Shdr, sh_flags), sh->sh_flags & ~(u64)SHF_COMPRESSED);
	put(c, p + (c->wide ? offsetof(Elf64_Shdr, sh_offset) : offsetof(Elf32_Shdr, sh_offset)),
	    c->len);
	put(c, p + (c->wide ? offsetof(Elf64_Shdr, sh_size) : offsetof(Elf32_Shdr, sh_size)),
	    ch->ch_size);
	put(c,
	    p + (c->wide ? offsetof(Elf64_Shdr, sh_addralign) : offsetof(Elf32_Shdr, sh_addralign)),
	    ch->ch_addralign);
	c->len += (size_t)ch->ch_size;
	return true;
}

int image_unpack(const struct image *img, struct image *out, struct err *err)
{
	Elf_Scn *scn = NULL;
	struct copy c = {0};
	GElf_Chdr ch;
	GElf_Shdr sh;
	int ret = make_copy(img, &c, err);

	if (ret)
		return ret;
	while ((scn = elf_nextscn(img->elf, scn))) {
		if (!is_packed(scn, &ch) || !gelf_getshdr(scn, &sh))
			continue;
		if (!unpack_section(&c, scn, &ch) ||
		    !move_section(&c, img, elf_ndxscn(scn), &sh, &ch)) {
			free(c.bytes);
			return err_set(err, EBADMSG, "a compressed section is damaged");
		}
	}
	return image_open_owned(out, c.bytes, c.len, err);
}
