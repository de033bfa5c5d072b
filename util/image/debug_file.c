// SPDX-License-Identifier: GPL-2.0
#include "util/image/debug_file.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/image/debuginfod.h"
#include "util/image/image.h"
#include "util/image/image_unpack.h"

/*
 * the small symbol table that distributions leave in stripped images.
 *
 * The section .gnu_debugdata is an ELF image of its own, compressed with xz, whose .symtab has the
 * functions that .dynsym does not have.
 *
 * Source: the GDB manual, "MiniDebugInfo".
 */

/* The largest that distributions ship are of 20 MB. */
#define UNPACKED_MAX (256u << 20)
#define MEMORY_MAX   (256u << 20)

static int unpack_xz(const u8 *packed, size_t len, u8 **bytes, size_t *size, struct err *err)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&xz, MEMORY_MAX, LZMA_CONCATENATED);
	const u64 limit = MIN(image_unpack_limit(len), (u64)UNPACKED_MAX);
	size_t room = MAX(len, (size_t)4096);
	u8 *grown;

	xz.next_in = packed;
	xz.avail_in = len;
	*bytes = NULL;
	*size = 0;
	while (ret == LZMA_OK && room < limit) {
		room = (size_t)MIN(2 * (u64)room, limit);
		grown = realloc(*bytes, room);
		if (!grown) {
			ret = LZMA_MEM_ERROR;
			break;
		}
		*bytes = grown;
		xz.next_out = grown + *size;
		xz.avail_out = room - *size;
		while (ret == LZMA_OK && xz.avail_out)
			ret = lzma_code(&xz, LZMA_FINISH);
		*size = room - xz.avail_out;
	}
	lzma_end(&xz);
	if (ret == LZMA_STREAM_END)
		return 0;
	free(*bytes);
	return ret == LZMA_MEM_ERROR ? err_nomem(err)
				     : err_set(err, EBADMSG, ".gnu_debugdata is damaged");
}

/* -ENODATA: there is none. image_close() it after success. */
static int debug_data_open(const struct image *img, struct image *data, struct err *err)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, ".gnu_debugdata", &sh);
	Elf_Data *d = scn ? elf_rawdata(scn, NULL) : NULL;
	size_t size;
	u8 *bytes;
	int ret;

	if (scn && !d)
		return image_section_check(img, ".gnu_debugdata", err);
	if (!d || !d->d_buf)
		return err_set(err, ENODATA, "no .gnu_debugdata");
	ret = unpack_xz(d->d_buf, d->d_size, &bytes, &size, err);
	if (!ret)
		ret = image_open_owned(data, bytes, size, err);
	return ret;
}

struct search {
	const struct image *img;
	const struct debug_file_options *options;
	enum debug_file_kind kind;
	struct debug_link link; /* .name empty: none */
	struct buf path;
	struct image *out;
	struct err refused; /* why the first of those that are there is not the one */
};

static void refuse(struct search *s, const struct err *why)
{
	if (!s->refused.code)
		s->refused = *why;
}

/* Likewise for something of the image itself. */
static void refuse_part(struct search *s, const char *path, struct err *why)
{
	if (path)
		err_prefix(why, "%s", path);
	refuse(s, why);
}

bool debug_file_has(const struct image *img, enum debug_file_kind kind)
{
	GElf_Shdr sh;

	if (kind == DEBUG_FILE_SYMBOLS)
		return image_section(img, ".symtab", &sh) && sh.sh_type != SHT_NOBITS;
	return (image_section(img, ".debug_info", &sh) && sh.sh_type != SHT_NOBITS) ||
	       image_section(img, ".zdebug_info", &sh);
}

static bool same_id(const u8 *a, u8 a_len, const u8 *b, u8 b_len)
{
	return a_len == b_len && !memcmp(a, b, a_len);
}

static bool same_file(const struct image *a, const struct image *b)
{
	struct stat x, y;

	return a->fd >= 0 && b->fd >= 0 && !fstat(a->fd, &x) && !fstat(b->fd, &y) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Build-ids are proof, where both have one; else the checksum is. 0, -ESTALE, or why it cannot be known. */
static int check_build(const struct search *s, const struct image *found)
{
	const struct image *img = s->img;
	bool same;
	u32 crc;
	int ret;

	if (img->build_id_len && found->build_id_len) {
		same = same_id(img->build_id, img->build_id_len, found->build_id,
			       found->build_id_len);
		return same ? 0 : -ESTALE;
	}
	if (!s->link.name[0])
		return -ESTALE;
	ret = debug_link_crc_fd(found->fd, &crc);
	return ret ? ret : crc == s->link.crc ? 0 : -ESTALE;
}

/* Is an image that was opened the one? `why` is without its path. */
static int check_image(const struct search *s, const struct image *found, struct err *why)
{
	int damaged, ret;

	if (same_file(s->img, found))
		return -ENODATA;
	damaged = image_check(found, why);
	if (!debug_file_has(found, s->kind))
		return damaged ? damaged : -ENODATA;
	ret = check_build(s, found);
	if (ret == -ESTALE && !found->unread)
		return err_set(why, ESTALE, "debug file of another build; not used");
	return ret == -ESTALE ? damaged : ret ? err_set(why, -ret, "%s", strerror(-ret)) : 0;
}

/* Take the file at s->path if it is the one. */
static bool take_path(struct search *s)
{
	struct err why = {0};
	struct image found;
	int ret;

	if (s->path.failed) {
		err_nomem(&why);
		refuse(s, &why);
		return false;
	}
	ret = image_open(&found, buf_str(&s->path), &why);
	if (ret && ret != -ENOENT && ret != -ENOTDIR)
		refuse(s, &why);
	if (ret)
		return false;
	ret = check_image(s, &found, &why);
	if (!ret) {
		*s->out = found;
		return true;
	}
	if (ret != -ENODATA) {
		err_prefix(&why, "%s", buf_str(&s->path));
		refuse(s, &why);
	}
	image_close(&found);
	return false;
}

static const char *root_of(const struct debug_file_options *o)
{
	return o->root ? o->root : "";
}

/* ".build-id/AB/CDEF" */
static void add_build_id(struct buf *b, const u8 *id, u8 len)
{
	u8 i;

	buf_addf(b, "/.build-id/%02x/", id[0]);
	for (i = 1; i < len; i++)
		buf_addf(b, "%02x", id[i]);
}

static bool find_by_build_id(struct search *s)
{
	const struct image *img = s->img;

	if (img->build_id_len < 2)
		return false;
	buf_reset(&s->path);
	buf_addf(&s->path, "%s/usr/lib/debug", root_of(s->options));
	add_build_id(&s->path, img->build_id, img->build_id_len);
	buf_adds(&s->path, ".debug");
	if (take_path(s))
		return true;
	if (!s->options->cache)
		return false;
	buf_reset(&s->path);
	buf_adds(&s->path, s->options->cache);
	add_build_id(&s->path, img->build_id, img->build_id_len);
	buf_adds(&s->path, "/debug");
	return take_path(s);
}

/* "ROOT" "BEFORE" "FOLDER" "BETWEEN" "NAME" */
static bool take_linked(struct search *s, const char *before, const char *folder, size_t len,
			const char *between)
{
	buf_reset(&s->path);
	buf_addf(&s->path, "%s%s%.*s%s%s", root_of(s->options), before, (int)len, folder, between,
		 s->link.name);
	return take_path(s);
}

static bool find_by_link(struct search *s, const char *path)
{
	static const char usr[] = "/usr/";
	const char *slash = path ? strrchr(path, '/') : NULL;
	size_t len;

	if (!slash || slash - path > DEBUG_LINK_MAX || !s->link.name[0])
		return false;
	len = (size_t)(slash - path) + 1;
	if (take_linked(s, "", path, len, "") || take_linked(s, "", path, len, ".debug/") ||
	    take_linked(s, "/usr/lib/debug", path, len, ""))
		return true;
	/* the package may be older than the merge of / and /usr */
	return !strncmp(path, usr, strlen(usr)) &&
	       take_linked(s, "/usr/lib/debug", path + strlen("/usr"), len - strlen("/usr"), "");
}

static bool find_inside(struct search *s, const char *path)
{
	struct err why = {0};
	struct image found;
	int ret;

	if (s->kind != DEBUG_FILE_SYMBOLS)
		return false;
	ret = debug_data_open(s->img, &found, &why);
	if (ret && ret != -ENODATA)
		refuse_part(s, path, &why);
	if (ret)
		return false;
	if (debug_file_has(&found, s->kind)) {
		*s->out = found;
		return true;
	}
	image_close(&found);
	return false;
}

static bool fetch(struct search *s)
{
	const struct image *img = s->img;
	struct image found;
	int fd;

	if (!s->options->debuginfod || !img->build_id_len)
		return false;
	fd = debuginfod_find(s->options->debuginfod, img->build_id, img->build_id_len,
			     DEBUGINFOD_DEBUGINFO, NULL);
	if (fd < 0 || image_open_fd(&found, fd, NULL))
		return false;
	if (!check_build(s, &found) && debug_file_has(&found, s->kind)) {
		*s->out = found;
		return true;
	}
	image_close(&found);
	return false;
}

/* Put an unpacked copy in the place of an image whose sections libdw cannot read. */
static int unpack(struct image *debug, struct err *err)
{
	struct image unpacked;
	int ret = image_unpack_needed(debug) ? image_unpack(debug, &unpacked, err) : 0;

	if (!image_unpack_needed(debug))
		return 0;
	image_close(debug);
	if (!ret)
		*debug = unpacked;
	return ret;
}

static void read_link(struct search *s, const char *path)
{
	struct err why = {0};
	GElf_Shdr sh;

	if (debug_link_read(s->img, &s->link))
		return;
	s->link.name[0] = '\0';
	if (!image_section(s->img, ".gnu_debuglink", &sh))
		return;
	err_set(&why, EBADMSG, ".gnu_debuglink cannot be read, or is damaged");
	refuse_part(s, path, &why);
}

int debug_file_open(const struct image *img, const char *path, const struct debug_file_options *o,
		    enum debug_file_kind kind, struct image *debug, struct err *err)
{
	struct search s = {.img = img, .options = o, .kind = kind, .out = debug};
	int ret = 0;

	if (debug_file_has(img, kind)) {
		if (kind != DEBUG_FILE_DWARF || !image_unpack_needed(img))
			return err_set(err, ENODATA, "the image has it itself");
		ret = image_unpack(img, debug, err);
		if (ret && path)
			err_prefix(err, "%s", path);
		return ret;
	}
	read_link(&s, path);
	if (find_by_build_id(&s) || find_by_link(&s, path)) {
		ret = kind == DEBUG_FILE_DWARF ? unpack(debug, err) : 0;
		if (ret)
			err_prefix(err, "%s", buf_str(&s.path));
	} else if (find_inside(&s, path) || fetch(&s)) {
		ret = kind == DEBUG_FILE_DWARF ? unpack(debug, err) : 0;
	} else if (s.refused.code) {
		if (err)
			*err = s.refused;
		ret = -s.refused.code;
	} else {
		ret = err_set(err, ENODATA, "no debug file");
	}
	buf_free(&s.path);
	return ret;
}

static bool is_alt(const struct image *img, const struct debug_link_alt *link)
{
	return same_id(img->build_id, img->build_id_len, link->build_id, link->build_id_len);
}

/* `why`: the first that is there, and cannot be read. */
static bool take_alt(const struct debug_link_alt *link, const struct buf *path, struct image *alt,
		     struct err *why)
{
	struct err failed = {0};
	int ret = path->failed ? err_nomem(&failed) : image_open(alt, buf_str(path), &failed);

	if (ret && ret != -ENOENT && ret != -ENOTDIR && !why->code)
		*why = failed;
	if (ret)
		return false;
	if (is_alt(alt, link))
		return true;
	if (alt->unread && !why->code)
		err_set(why, EIO, "%s: its build-id cannot be read", buf_str(path));
	image_close(alt);
	return false;
}

/* What a server sends is looked at, too. */
static bool fetch_alt(const struct debug_link_alt *link, struct debuginfod *server,
		      struct image *alt)
{
	int fd = debuginfod_find(server, link->build_id, link->build_id_len, DEBUGINFOD_DEBUGINFO,
				 NULL);

	if (fd < 0 || image_open_fd(alt, fd, NULL))
		return false;
	if (is_alt(alt, link))
		return true;
	image_close(alt);
	return false;
}

int debug_file_open_alt(const struct image *img, const char *path,
			const struct debug_file_options *o, struct image *alt, struct err *err)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	struct debug_link_alt link;
	struct err why = {0};
	struct buf b = {0};
	GElf_Shdr sh;
	bool found;
	int ret;

	if (!debug_link_read_alt(img, &link)) {
		if (image_section(img, ".gnu_debugaltlink", &sh))
			return err_set(err, EBADMSG,
				       ".gnu_debugaltlink cannot be read, or is damaged");
		return err_set(err, ENODATA, "no .gnu_debugaltlink");
	}
	buf_addf(&b, "%s/usr/lib/debug", root_of(o));
	add_build_id(&b, link.build_id, link.build_id_len);
	buf_adds(&b, ".debug");
	found = take_alt(&link, &b, alt, &why);
	if (!found && (link.name[0] == '/' || slash)) {
		buf_reset(&b);
		buf_adds(&b, root_of(o));
		if (link.name[0] != '/')
			buf_add(&b, path, (size_t)(slash - path) + 1);
		buf_adds(&b, link.name);
		found = take_alt(&link, &b, alt, &why);
	}
	if (!found && o->debuginfod)
		found = fetch_alt(&link, o->debuginfod, alt);
	buf_free(&b);
	if (found) {
		ret = unpack(alt, err);
		if (ret)
			err_prefix(err, "%s", link.name);
		return ret;
	}
	if (why.code && err)
		*err = why;
	if (why.code)
		return -why.code;
	return err_set(err, ENOENT,
		       "%s: not found, or of another build; it has a part of the debug information",
		       link.name);
}

#define CRC_POLYNOMIAL 0xedb88320u
#define CRC_SLICES     8
#define CHUNK          (256u << 10)

/* The section's bytes, with integers in the byte order of the image. */
static bool read_section(const struct image *img, const char *name, struct cur *c)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, name, &sh);
	Elf_Data *d = scn ? elf_rawdata(scn, NULL) : NULL;

	if (!d || !d->d_buf)
		return false;
	*c = cur_init(d->d_buf, d->d_size);
	c->swap = image_foreign_endian(img);
	return true;
}

static bool take_name(struct cur *c, char name[static DEBUG_LINK_MAX])
{
	size_t len;
	const char *s = cur_str(c, &len);

	if (!s || !len || len >= DEBUG_LINK_MAX)
		return false;
	memcpy(name, s, len + 1);
	return true;
}

bool debug_link_read(const struct image *img, struct debug_link *link)
{
	const u8 *start;
	struct cur c;

	if (!read_section(img, ".gnu_debuglink", &c))
		return false;
	start = c.p;
	if (!take_name(&c, link->name) || strchr(link->name, '/'))
		return false;
	cur_skip(&c, -(size_t)(c.p - start) & 3);
	link->crc = cur_u32(&c);
	return !c.bad;
}

bool debug_link_read_alt(const struct image *img, struct debug_link_alt *link)
{
	struct cur c;

	if (!read_section(img, ".gnu_debugaltlink", &c) || !take_name(&c, link->name))
		return false;
	link->build_id_len = (u8)MIN(cur_left(&c), (size_t)IMAGE_BUILD_ID_MAX);
	return link->build_id_len && cur_copy(&c, link->build_id, link->build_id_len);
}

/* slices[n][b]: what byte b does to the checksum when n more bytes follow it. */
static void make_slices(u32 slices[CRC_SLICES][256])
{
	u32 b, n, bit, crc;

	for (b = 0; b < 256; b++) {
		crc = b;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
		slices[0][b] = crc;
	}
	for (n = 1; n < CRC_SLICES; n++)
		for (b = 0; b < 256; b++)
			slices[n][b] = slices[n - 1][b] >> 8 ^ slices[0][slices[n - 1][b] & 0xff];
}

static u32 update_crc(u32 slices[CRC_SLICES][256], u32 crc, const u8 *p, size_t len)
{
	for (; len >= 8; p += 8, len -= 8) {
		crc ^= (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
		crc = slices[7][crc & 0xff] ^ slices[6][crc >> 8 & 0xff] ^
		      slices[5][crc >> 16 & 0xff] ^ slices[4][crc >> 24] ^ slices[3][p[4]] ^
		      slices[2][p[5]] ^ slices[1][p[6]] ^ slices[0][p[7]];
	}
	for (; len; p++, len--)
		crc = crc >> 8 ^ slices[0][(crc ^ *p) & 0xff];
	return crc;
}

int debug_link_crc_fd(int fd, u32 *crc)
{
	u32 slices[CRC_SLICES][256], sum = UINT32_MAX;
	u8 *chunk = malloc(CHUNK);
	u64 at = 0;
	ssize_t n;

	if (!chunk)
		return -ENOMEM;
	make_slices(slices);
	while ((n = io_pread(fd, chunk, CHUNK, at)) > 0) {
		sum = update_crc(slices, sum, chunk, (size_t)n);
		at += (u64)n;
	}
	free(chunk);
	*crc = ~sum;
	return n < 0 ? (int)n : 0;
}
