/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image.h - an ELF file: what it is, its build-id, its program headers.
 *
 * Files are read with pread(2), never mapped: one that is cut short while it is read gives an
 * error and not a SIGBUS. Any class and byte order. libelf does the decoding.
 *
 * Source: elf(5), gABI chapters 4 and 5; build-id: a note "GNU" of type NT_GNU_BUILD_ID.
 */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include <gelf.h>

#include "util/base/err.h"
#include "util/base/types.h"
#include "util/base/vec.h"

#define IMAGE_BUILD_ID_MAX 20

struct image {
	Elf *elf;
	int fd;      /* -1: an image in memory */
	void *bytes; /* those of an image that owns its memory */
	GElf_Ehdr ehdr;
	VEC(GElf_Phdr) loads; /* PT_LOAD */
	u8 build_id[IMAGE_BUILD_ID_MAX];
	u8 build_id_len; /* 0: it has none */
	bool unread; /* program headers or notes could not be read: some of them may be missing here */
};

/*
 * Open a regular file; follows symbolic links. image_close() after success only. -EFBIG: a large file
 * nearly all of which is holes, and which would fill memory at no cost to who made it.
 */
int image_open(struct image *img, const char *path, struct err *err);
/* Likewise on a descriptor, which from now on belongs to the image, even if this fails. */
int image_open_fd(struct image *img, int fd, struct err *err);
/* Likewise on bytes that the caller keeps for as long as the image is open. */
int image_open_memory(struct image *img, const void *bytes, size_t len, struct err *err);
/* Likewise on bytes of malloc(3), which from now on belong to the image, even if this fails. */
int image_open_owned(struct image *img, void *bytes, size_t len, struct err *err);
/*
 * The memory of a kernel as /proc/kcore has it, or a copy: a core file (ET_CORE), which may be as large as the address
 * space. Its program headers are read, no notes.
 */
int image_open_core(struct image *img, const char *path, struct err *err);
void image_close(struct image *img);

/* Are its integers in the other byte order than this machine's? */
bool image_foreign_endian(const struct image *img);

/* The byte of the file that is loaded at the virtual address; false if none is. */
bool image_offset(const struct image *img, u64 vaddr, u64 *offset);
/* The virtual address at which a byte of the file is loaded, as code where it is that. Likewise. */
bool image_vaddr(const struct image *img, u64 offset, u64 *vaddr);

/* Bytes of the file from `offset` on: how many, fewer than `len` where it ends; or -errno. */
ssize_t image_read(const struct image *img, u64 offset, void *to, size_t len);

/* The path of its open file; false: it has none. */
bool image_path(const struct image *img, char *path, size_t size);

/* The first program header of that type (PT_*); false: there is none, or it cannot be read. */
bool image_segment(const struct image *img, u32 type, GElf_Phdr *ph);

/* The first section of that name, or NULL. */
Elf_Scn *image_section(const struct image *img, const char *name, GElf_Shdr *shdr);

/*
 * What cannot be read looks as if it were not there. 0, or -EIO if something of the headers, notes and names of sections cannot be
 * read, be it that the image is damaged, a read fails, or memory is out. From then on they stay in memory. The message has no path.
 */
int image_check(const struct image *img, struct err *err);
/* Likewise for the bytes of a section; 0, too, if there is none. */
int image_section_check(const struct image *img, const char *name, struct err *err);

/*
 * A build-id alone, its length or 0 if there is none. The notes are those of /sys/kernel/notes or of a PT_NOTE segment.
 * One that is longer than IMAGE_BUILD_ID_MAX is cut, as the kernel's MMAP2 records have it.
 */
u8 image_build_id_from_notes(const void *notes, size_t len, bool swap,
			     u8 id[static IMAGE_BUILD_ID_MAX]);

/*
 * The [vdso] that the kernel maps into this process, an ELF image without a file (vdso(7), getauxval(3) AT_SYSINFO_EHDR). Its
 * bytes stay there as long as the process lives; NULL: there is none.
 */
const void *image_vdso(size_t *len);

#endif
