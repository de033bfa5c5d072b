// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_dso.h"

#include <stdlib.h>

#include "util/unwind/unwind_debug_frame.h"
#include "util/unwind/unwind_stub.h"

/* Another process may see the file where this one does not: so many of them are asked. */
#define TRIES 4

static void dso_free(struct unwind_dso *d)
{
	if (!d)
		return;
	if (d->open) {
		unwind_debug_frame_close(d->debug);
		cfi_find_free(&d->eh);
		unwind_bytes_free(&d->bytes);
		image_close(&d->img);
	}
	free(d);
}

void unwind_dsos_free(struct unwind_dsos *s)
{
	u32 i;

	for (i = 0; i < s->by_id.nr; i++)
		dso_free(s->by_id.v[i]);
	vec_free(&s->by_id);
}

static bool find_phdr(const struct image *img, u32 type, GElf_Phdr *ph)
{
	size_t nr = 0, i;

	if (elf_getphdrnum(img->elf, &nr))
		return false;
	for (i = 0; i < nr && gelf_getphdr(img->elf, (int)i, ph); i++)
		if (ph->p_type == type)
			return true;
	return false;
}

/* The section begins at that address and ends with what is loaded there, if not before. */
static bool place_by_segment(struct unwind_dso *d, u64 vaddr)
{
	u32 i;

	for (i = 0; i < d->img.loads.nr; i++) {
		const GElf_Phdr *ph = &d->img.loads.v[i];

		if (vaddr < ph->p_vaddr || vaddr - ph->p_vaddr >= ph->p_filesz)
			continue;
		d->eh.section.vaddr = vaddr;
		d->eh.section.offset = vaddr - ph->p_vaddr + ph->p_offset;
		d->eh.section.size = ph->p_filesz - (vaddr - ph->p_vaddr);
		return true;
	}
	return false;
}

static bool place_by_section(struct unwind_dso *d)
{
	GElf_Shdr sh;

	if (!image_section(&d->img, ".eh_frame", &sh) || sh.sh_type == SHT_NOBITS ||
	    sh.sh_flags & SHF_COMPRESSED)
		return false;
	d->eh.section.vaddr = sh.sh_addr;
	d->eh.section.offset = sh.sh_offset;
	d->eh.section.size = sh.sh_size;
	return true;
}

static bool find_eh_frame(struct unwind_dso *d)
{
	u64 eh_frame = 0;
	GElf_Phdr ph;
	bool table;

	d->eh.section.bytes = &d->bytes;
	d->eh.section.address = d->img.ehdr.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	if (find_phdr(&d->img, PT_GNU_EH_FRAME, &ph)) {
		table = cfi_find_header(&d->eh, ph.p_offset, ph.p_filesz, ph.p_vaddr, &eh_frame);
		if (eh_frame && place_by_segment(d, eh_frame))
			return true;
		if (table)
			d->eh.nr = 0;
	}
	return place_by_section(d);
}

static bool dso_open(struct unwind_dsos *s, struct unwind_dso *d, const struct process_model *m,
		     u32 map, u32 pid)
{
	if (s->options->open(s->options->ctx, m, map, pid, &d->img) < 0)
		return false;
	if (unwind_bytes_init(&d->bytes, &d->img, NULL)) {
		image_close(&d->img);
		return false;
	}
	d->nothing = image_foreign_endian(&d->img);
	d->has_eh = !d->nothing && find_eh_frame(d);
	d->open = true;
	return true;
}

struct unwind_dso *unwind_dsos_get(struct unwind_dsos *s, const struct process_model *m, u32 map,
				   u32 pid)
{
	u32 id = m->maps.v[map].dso;
	struct unwind_dso *d;

	if (id >= s->by_id.nr) {
		if (!vec_reserve(&s->by_id, (u64)id + 1))
			return NULL;
		memset(s->by_id.v + s->by_id.nr, 0, (id + 1 - s->by_id.nr) * sizeof(*s->by_id.v));
		s->by_id.nr = id + 1;
	}
	d = s->by_id.v[id];
	if (!d) {
		d = s->by_id.v[id] = calloc(1, sizeof(*d));
		if (!d)
			return NULL;
		d->tried_map = ID_NONE;
	}
	if (d->open)
		return d;
	if (d->tries == TRIES || d->tried_map == map)
		return NULL;
	d->tried_map = map;
	if (dso_open(s, d, m, map, pid))
		return d;
	d->tries++;
	return NULL;
}

static enum unwind_dso_result make_row(const struct cfi_fde *fde, u64 vaddr,
				       const struct arch_unwind *arch, struct cfi_row *row)
{
	return cfi_row_make(fde, vaddr, arch, row) ? UNWIND_DSO_ROW : UNWIND_DSO_BAD_CFI;
}

static enum unwind_dso_result row_of(struct cfi_find *f, u64 vaddr, const struct arch_unwind *arch,
				     struct cfi_row *row)
{
	struct cfi_fde fde;

	switch (cfi_find(f, vaddr, &fde)) {
	case CFI_FOUND:
		return make_row(&fde, vaddr, arch, row);
	case CFI_DAMAGED:
		return UNWIND_DSO_BAD_CFI;
	case CFI_NO_MEMORY:
		return UNWIND_DSO_NO_MEMORY;
	default:
		return UNWIND_DSO_NO_CFI;
	}
}

static struct cfi_find *debug_frame(struct unwind_dso *d)
{
	if (!d->debug_sought)
		d->debug = unwind_debug_frame_open(&d->img);
	d->debug_sought = true;
	return unwind_debug_frame_find(d->debug);
}

enum unwind_dso_result unwind_dso_row(struct unwind_dso *d, u64 vaddr, u64 offset,
				      const struct arch_unwind *arch, struct cfi_row *row)
{
	enum unwind_dso_result r = UNWIND_DSO_NO_CFI;
	struct cfi_find *debug;

	if (d->nothing || d->img.ehdr.e_machine != arch->elf_machine)
		return UNWIND_DSO_NO_CFI;
	if (d->has_eh)
		r = row_of(&d->eh, vaddr, arch, row);
	if (r != UNWIND_DSO_NO_CFI)
		return r;
	debug = debug_frame(d);
	if (debug)
		r = row_of(debug, vaddr, arch, row);
	if (r == UNWIND_DSO_NO_CFI && unwind_stub_row(d, vaddr, offset, arch, row)) {
		row->from = vaddr;
		row->to = vaddr + 1;
		r = UNWIND_DSO_ROW;
	}
	return r;
}
