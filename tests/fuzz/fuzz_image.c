// SPDX-License-Identifier: GPL-2.0
/* Damaged ELF files, from memory and from a file; their names go through the demangler. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/image/debug_file.h"
#include "util/image/image.h"
#include "util/image/image_symbols.h"
#include "util/image/image_unpack.h"
#include "util/symbol/demangle.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void try_image(const struct image *img, enum symtab_view view)
{
	struct symtab st = {0};
	struct buf b = {0};
	u32 i;

	if (!image_symbols_load(img, NULL, &st, view, NULL)) {
		for (i = 0; i < st.syms.nr; i++) {
			const struct sym *sym = symtab_find(&st, st.syms.v[i].start);

			if (sym && sym->start > st.syms.v[i].start)
				abort();
			buf_clear(&b);
			demangle(&b, st.syms.v[i].name, DEMANGLE_PARAMS);
			if (b.len > DEMANGLE_OUT_MAX)
				abort();
		}
	}
	symtab_free(&st);
	buf_free(&b);
}

/* Where an image says that its symbols and its DWARF are. */
static void try_links(const struct image *img)
{
	const struct debug_file_options o = {.root = "/nonexistent"};
	struct debug_link_alt alt;
	struct debug_link link;
	struct image found;

	if (debug_link_read(img, &link) && !link.name[0])
		abort();
	if (debug_link_read_alt(img, &alt) && !alt.build_id_len)
		abort();
	if (image_unpack_needed(img) && !image_unpack(img, &found, NULL)) {
		try_image(&found, SYMTAB_NESTED);
		image_close(&found);
	}
	if (!debug_file_open(img, "/bin/image", &o, DEBUG_FILE_SYMBOLS, &found, NULL)) {
		struct symtab st = {0};

		image_symbols_load(img, &found, &st, SYMTAB_NESTED, NULL);
		symtab_free(&st);
		image_close(&found);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 id[IMAGE_BUILD_ID_MAX];
	struct image img;
	int fd;

	image_build_id_from_notes(data, size, false, id);
	image_build_id_from_notes(data, size, true, id);
	if (!image_open_memory(&img, data, size, NULL)) {
		try_image(&img, SYMTAB_NESTED);
		try_links(&img);
		image_close(&img);
	}
	fd = memfd_create("image", MFD_CLOEXEC);
	if (fd < 0 || io_write(fd, data, size))
		abort();
	if (!image_open_fd(&img, fd, NULL)) {
		try_image(&img, SYMTAB_PERF);
		try_image(&img, SYMTAB_NESTED);
		image_close(&img);
	}
	return 0;
}
