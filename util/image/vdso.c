// SPDX-License-Identifier: GPL-2.0
#include "util/image/vdso.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#define VDSO_MAX (256 << 10)

/*
 * The image ends where its last segment or the table of its section headers ends. The kernel maps
 * whole pages, and these are within them.
 */
const void *vdso_image(size_t *len)
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
