// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_debug_frame.h"

#include <stdlib.h>

#include "util/image/debug_file.h"

/* A section that is larger is not read. */
#define SIZE_LIMIT ((u64)1 << 30)

struct unwind_debug_frame {
	struct unwind_bytes bytes;
	struct cfi_find find;
	void *copy; /* of the section: the image it came from may go */
};

static const Elf_Data *section_data(const struct image *img)
{
	const Elf_Data *data;
	GElf_Shdr sh;
	Elf_Scn *scn;

	scn = image_section(img, ".debug_frame", &sh);
	if (scn && sh.sh_type != SHT_NOBITS && sh.sh_size && sh.sh_size <= SIZE_LIMIT) {
		GElf_Chdr ch;

		if (sh.sh_flags & SHF_COMPRESSED &&
		    (!gelf_getchdr(scn, &ch) || ch.ch_size > SIZE_LIMIT ||
		     elf_compress(scn, 0, 0) < 0))
			return NULL;
	} else {
		/* as compressed before the gABI knew of it: "ZLIB", the size in big-endian */
		const u8 *p;

		scn = image_section(img, ".zdebug_frame", &sh);
		data = scn && sh.sh_size <= SIZE_LIMIT ? elf_rawdata(scn, NULL) : NULL;
		if (!data || !data->d_buf || data->d_size < 12)
			return NULL;
		p = data->d_buf;
		if (p[4] || p[5] || p[6] || p[7] || p[8] & 0xc0 || elf_compress_gnu(scn, 0, 0) < 0)
			return NULL;
	}
	data = elf_rawdata(scn, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

static struct unwind_debug_frame *copy_section(const struct image *img)
{
	const Elf_Data *data = section_data(img);
	struct unwind_debug_frame *d = data ? calloc(1, sizeof(*d)) : NULL;

	if (!d)
		return NULL;
	d->copy = malloc(data->d_size);
	if (!d->copy) {
		free(d);
		return NULL;
	}
	memcpy(d->copy, data->d_buf, data->d_size);
	d->bytes = (struct unwind_bytes){.mem = d->copy, .size = data->d_size, .fd = -1};
	d->find.section = (struct cfi_section){
		.bytes = &d->bytes,
		.size = data->d_size,
		.address = img->ehdr.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8,
		.debug_frame = true,
	};
	return d;
}

struct unwind_debug_frame *unwind_debug_frame_open(const struct image *img)
{
	struct unwind_debug_frame *d = copy_section(img);
	static const struct debug_file_options options = {0};
	struct image debug;

	if (d || debug_file_open(img, NULL, &options, DEBUG_FILE_DWARF, &debug, NULL))
		return d;
	d = copy_section(&debug);
	image_close(&debug);
	return d;
}

void unwind_debug_frame_close(struct unwind_debug_frame *d)
{
	if (!d)
		return;
	cfi_find_free(&d->find);
	free(d->copy);
	free(d);
}

struct cfi_find *unwind_debug_frame_find(struct unwind_debug_frame *d)
{
	return d ? &d->find : NULL;
}
