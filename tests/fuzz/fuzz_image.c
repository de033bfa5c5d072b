// SPDX-License-Identifier: GPL-2.0
/* Damaged ELF files, from memory and from a file; their names go through the demangler. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/image/image.h"
#include "util/image/image_symbols.h"
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

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 id[IMAGE_BUILD_ID_MAX];
	struct image img;
	int fd;

	image_build_id_from_notes(data, size, false, id);
	image_build_id_from_notes(data, size, true, id);
	if (!image_open_memory(&img, data, size, NULL)) {
		try_image(&img, SYMTAB_NESTED);
		image_close(&img);
	}
	fd = memfd_create("image", MFD_CLOEXEC);
	if (fd < 0 || io_write(fd, data, size))
		abort();
	image_build_id_fd(fd, id);
	if (!image_open_fd(&img, fd, NULL)) {
		try_image(&img, SYMTAB_PERF);
		image_close(&img);
	}
	return 0;
}
