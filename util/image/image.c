// SPDX-License-Identifier: GPL-2.0
#include "util/image/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cur.h"
#include "util/base/io.h"

#define HOLES_FREE  (64 << 20)
#define HOLES_RATIO 16u
#define CORE_HEAD   65536 /* of a core file: has its program headers */
/* A build-id is among the first few KiB, but a module's sections may have more notes before it. */
#define NOTE_MAX  (1u << 20)
#define NOTES_MAX (4u << 20)

u8 image_build_id_from_notes(const void *notes, size_t len, bool swap,
			     u8 id[static IMAGE_BUILD_ID_MAX])
{
	struct cur c = cur_init(notes, len);
	u32 name_len, desc_len, type;
	const char *name;
	const u8 *desc;

	c.swap = swap;
	while (cur_left(&c)) {
		name_len = cur_u32(&c);
		desc_len = cur_u32(&c);
		type = cur_u32(&c);
		name = cur_bytes(&c, ALIGN_UP((size_t)name_len, 4));
		desc = cur_bytes(&c, desc_len);
		if (!name || !desc)
			break;
		if (type == NT_GNU_BUILD_ID && name_len == sizeof("GNU") &&
		    !memcmp(name, "GNU", sizeof("GNU"))) {
			desc_len = MIN(desc_len, (u32)IMAGE_BUILD_ID_MAX);
			memcpy(id, desc, desc_len);
			return (u8)desc_len;
		}
		cur_skip(&c, MIN(cur_left(&c), -(size_t)desc_len & 3));
	}
	return 0;
}

bool image_foreign_endian(const struct image *img)
{
	return img->ehdr.e_ident[EI_DATA] !=
	       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
}

/*
 * False: they cannot be read. Headers may name the same bytes again and again, so that only the beginning of
 * large notes is looked at, and *left bytes of all. libelf would keep what it reads until the image is closed.
 */
static bool read_notes(struct image *img, u64 offset, u64 size, u64 *left)
{
	size_t len = (size_t)MIN(size, MIN(*left, (u64)NOTE_MAX));
	u8 *notes, last;
	bool ok;

	if (!size)
		return true;
	if (offset > INT64_MAX || size > INT64_MAX - offset ||
	    image_read(img, offset + size - 1, &last, 1) != 1)
		return false;
	*left -= len;
	if (!len)
		return true;
	notes = malloc(len);
	ok = notes && image_read(img, offset, notes, len) == (ssize_t)len;
	if (ok)
		img->build_id_len = image_build_id_from_notes(notes, len, image_foreign_endian(img),
							      img->build_id);
	free(notes);
	return ok;
}

/* Program headers first: they survive strip; relocatable files have sections only. */
static int read_headers(struct image *img)
{
	Elf_Scn *scn = NULL;
	size_t nr = 0, i;
	u64 left = NOTES_MAX;
	GElf_Phdr ph, *load;
	GElf_Shdr sh;

	if (elf_getphdrnum(img->elf, &nr))
		img->unread = true;
	for (i = 0; i < nr && gelf_getphdr(img->elf, (int)i, &ph); i++) {
		if (ph.p_type == PT_LOAD) {
			load = vec_push(&img->loads);
			if (!load)
				return -ENOMEM;
			*load = ph;
		} else if (ph.p_type == PT_NOTE && !img->build_id_len) {
			img->unread |= !read_notes(img, ph.p_offset, ph.p_filesz, &left);
		}
	}
	img->unread |= i < nr;
	while (!img->build_id_len && (scn = elf_nextscn(img->elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			img->unread = true;
		else if (sh.sh_type == SHT_NOTE)
			img->unread |= !read_notes(img, sh.sh_offset, sh.sh_size, &left);
	}
	return 0;
}

static int open_elf(struct image *img, struct err *err)
{
	int ret;

	if (!img->elf) {
		ret = err_set(err, img->fd < 0 ? ENOEXEC : EIO, "libelf: %s", elf_errmsg(-1));
	} else if (elf_kind(img->elf) != ELF_K_ELF || !gelf_getehdr(img->elf, &img->ehdr)) {
		ret = err_set(err, ENOEXEC, "not an ELF file");
	} else {
		ret = read_headers(img);
		if (ret)
			err_nomem(err);
	}
	if (ret)
		image_close(img);
	return ret;
}

/* Filesystems that compress do not reach this ratio with code; some do not report what is allocated. */
static bool is_hollow(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_blocks && st.st_size > HOLES_FREE &&
	       (u64)st.st_size / HOLES_RATIO > (u64)st.st_blocks * 512;
}

int image_open_fd(struct image *img, int fd, struct err *err)
{
	*img = (struct image){.fd = fd};
	if (is_hollow(fd)) {
		image_close(img);
		return err_set(err, EFBIG, "not read: nearly all of the file is holes");
	}
	if (elf_version(EV_CURRENT) != EV_NONE)
		img->elf = elf_begin(fd, ELF_C_READ, NULL);
	return open_elf(img, err);
}

/* A descriptor, or -errno. */
static int open_regular(const char *path, struct err *err)
{
	/* opening a FIFO or a device must neither wait nor do anything */
	int fd = io_open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return err_set(err, -fd, "%s: %s", path, strerror(-fd));
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return err_set(err, EINVAL, "%s: not a regular file", path);
}

int image_open(struct image *img, const char *path, struct err *err)
{
	int fd = open_regular(path, err), ret;

	if (fd < 0)
		return fd;
	ret = image_open_fd(img, fd, err);
	if (ret)
		err_prefix(err, "%s", path);
	return ret;
}

int image_open_memory(struct image *img, const void *bytes, size_t len, struct err *err)
{
	*img = (struct image){.fd = -1};
	/* libelf takes a plain pointer, but writes only if it is asked to */
	if (elf_version(EV_CURRENT) != EV_NONE)
		img->elf = elf_memory((char *)(uintptr_t)bytes, len);
	return open_elf(img, err);
}

int image_open_owned(struct image *img, void *bytes, size_t len, struct err *err)
{
	*img = (struct image){.fd = -1, .bytes = bytes};
	if (elf_version(EV_CURRENT) != EV_NONE)
		img->elf = elf_memory(bytes, len);
	return open_elf(img, err);
}

int image_open_core(struct image *img, const char *path, struct err *err)
{
	int fd = open_regular(path, err), ret;
	char *head = fd < 0 ? NULL : malloc(CORE_HEAD);
	ssize_t len = head ? io_pread(fd, head, CORE_HEAD, 0) : 0;

	if (fd < 0)
		return fd;
	if (len < 0)
		ret = err_set(err, (int)-len, "%s", strerror((int)-len));
	else
		ret = head ? 0 : err_nomem(err);
	if (ret)
		free(head);
	else
		ret = image_open_owned(img, head, (size_t)len, err);
	if (!ret && img->ehdr.e_type != ET_CORE) {
		image_close(img);
		ret = err_set(err, ENOEXEC, "not a core file");
	}
	if (ret) {
		close(fd);
		err_prefix(err, "%s", path);
		return ret;
	}
	img->fd = fd;
	return 0;
}

void image_close(struct image *img)
{
	if (img->elf)
		elf_end(img->elf);
	if (img->fd >= 0)
		close(img->fd);
	vec_free(&img->loads);
	free(img->bytes);
	img->elf = NULL;
	img->bytes = NULL;
	img->fd = -1;
}

bool image_offset(const struct image *img, u64 vaddr, u64 *offset)
{
	u32 i;

	for (i = 0; i < img->loads.nr; i++) {
		const GElf_Phdr *ph = &img->loads.v[i];

		if (vaddr >= ph->p_vaddr && vaddr - ph->p_vaddr < ph->p_memsz) {
			*offset = vaddr - ph->p_vaddr + ph->p_offset;
			return true;
		}
	}
	return false;
}

bool image_vaddr(const struct image *img, u64 offset, u64 *vaddr)
{
	const GElf_Phdr *ph, *found = NULL;
	u32 i;

	for (i = 0; i < img->loads.nr; i++) {
		ph = &img->loads.v[i];
		if (offset - ph->p_offset < ph->p_filesz && (!found || ph->p_flags & PF_X))
			found = ph;
	}
	if (found)
		*vaddr = offset - found->p_offset + found->p_vaddr;
	return found != NULL;
}

ssize_t image_read(const struct image *img, u64 offset, void *to, size_t len)
{
	const char *bytes;
	size_t size = 0;

	if (offset > INT64_MAX)
		return 0;
	if (img->fd >= 0)
		return io_pread(img->fd, to, len, offset);
	/* what is in memory is not copied for this */
	bytes = elf_rawfile(img->elf, &size);
	if (!bytes || offset >= size)
		return 0;
	len = MIN(len, size - (size_t)offset);
	memcpy(to, bytes + offset, len);
	return (ssize_t)len;
}

bool image_path(const struct image *img, char *path, size_t size)
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", img->fd);
	len = img->fd < 0 ? -1 : readlink(link, path, size - 1);
	path[MAX(len, 0)] = '\0';
	return len > 0 && path[0] == '/';
}

bool image_segment(const struct image *img, u32 type, GElf_Phdr *ph)
{
	size_t nr = 0, i;

	if (elf_getphdrnum(img->elf, &nr))
		return false;
	for (i = 0; i < nr && gelf_getphdr(img->elf, (int)i, ph); i++)
		if (ph->p_type == type)
			return true;
	return false;
}

Elf_Scn *image_section(const struct image *img, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	size_t names;
	const char *s;

	if (elf_getshdrstrndx(img->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(img->elf, scn))) {
		if (!gelf_getshdr(scn, shdr))
			continue;
		s = elf_strptr(img->elf, names, shdr->sh_name);
		if (s && !strcmp(s, name))
			return scn;
	}
	return NULL;
}

int image_check(const struct image *img, struct err *err)
{
	size_t nr = 0, names;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (img->unread)
		return err_set(err, EIO, "its program headers or notes cannot be read");
	if (!img->ehdr.e_shoff)
		return 0;
	if (elf_getshdrnum(img->elf, &nr) || !nr || elf_getshdrstrndx(img->elf, &names))
		return err_set(err, EIO, "its sections cannot be read");
	while ((scn = elf_nextscn(img->elf, scn)))
		if (!gelf_getshdr(scn, &sh))
			return err_set(err, EIO, "its sections cannot be read: %s", elf_errmsg(-1));
	scn = elf_getscn(img->elf, names);
	if (names && !(scn && elf_rawdata(scn, NULL)))
		return err_set(err, EIO, "the names of its sections cannot be read: %s",
			       elf_errmsg(-1));
	return 0;
}

int image_section_check(const struct image *img, const char *name, struct err *err)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, name, &sh);

	if (!scn || sh.sh_type == SHT_NOBITS || elf_rawdata(scn, NULL))
		return 0;
	return err_set(err, EIO, "%s cannot be read: %s", name, elf_errmsg(-1));
}

#define VDSO_MAX (256 << 10)

/*
 * The image ends where its last segment or the table of its section headers ends. The kernel maps
 * whole pages, and these are within them.
 */
const void *image_vdso(size_t *len)
{
	uintptr_t base = getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *eh = (const void *)base;
	const ElfW(Phdr) * ph;
	u64 end;
	int i;

	*len = 0;
	if (!base || memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	end = eh->e_shoff + (u64)eh->e_shnum * eh->e_shentsize;
	ph = (const void *)(base + eh->e_phoff);
	for (i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD)
			end = MAX(end, ph[i].p_offset + ph[i].p_filesz);
	}
	if (end < sizeof(*eh) || end > VDSO_MAX)
		return NULL;
	*len = (size_t)end;
	return eh;
}
