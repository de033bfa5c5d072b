// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_debug_frame.h"

#include <stdlib.h>

#include "util/image/debug_file.h"
#include "util/image/image_unpack.h"

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

	if (image_unpack_check(img, NULL))
		return NULL;
	scn = image_section(img, ".debug_frame", &sh);
	if (scn && sh.sh_type != SHT_NOBITS && sh.sh_size) {
		if (sh.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
			return NULL;
	} else {
		scn = image_section(img, ".zdebug_frame", &sh);
		if (!scn || elf_compress_gnu(scn, 0, 0) < 0)
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
