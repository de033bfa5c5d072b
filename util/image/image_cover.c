// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_symbols.h"

#include <stdlib.h>

#include "util/base/io.h"
#include "util/base/radix.h"

/* Of code, for each of which there is an index. */
#define PAGE_SHIFT 12
/* Symbols to read at a time. */
#define SYMBOLS 2048u
/* Limits of an image: symbols, and sections that they may be in. */
#define SYMBOLS_MAX (1u << 24)
#define SECTIONS    256u

struct section {
	u64 addr, end; /* in memory */
	bool code;
};

struct maker {
	const struct image *img;
	struct image_cover *cover;
	struct section sections[SECTIONS];
	u32 nr_sections;
	GElf_Shdr dynsym;
	u32 nr_stubs; /* ranges that are of no symbol of .dynsym */
};

static bool is_readable(const struct image *img)
{
	const u8 *ident = img->ehdr.e_ident;

	return img->fd >= 0 && ident[EI_CLASS] == ELFCLASS64 &&
	       (ident[EI_DATA] == ELFDATA2LSB) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/* The bytes of the file that are code. */
static bool find_code(struct maker *m)
{
	struct image_cover *c = m->cover;
	u64 end = 0, first = UINT64_MAX;
	const GElf_Phdr *ph;

	for (ph = m->img->loads.v; ph < m->img->loads.v + m->img->loads.nr; ph++) {
		if (!(ph->p_flags & PF_X) || ph->p_filesz > UINT64_MAX - ph->p_offset)
			continue;
		first = MIN(first, ph->p_offset);
		end = MAX(end, ph->p_offset + ph->p_filesz);
	}
	if (first >= end || end - first > UINT32_MAX)
		return false;
	c->first = first;
	c->size = (u32)(end - first);
	return true;
}

static u64 range(u32 start, u32 end)
{
	return (u64)start << 32 | end;
}

/* What is outside of the code does not count. False: memory is out. */
static bool cover(struct image_cover *c, u64 start, u64 size)
{
	u64 end = start + MIN(size, UINT64_MAX - start), *to;

	start = MAX(start, c->first);
	end = MIN(end, c->first + c->size);
	if (start >= end)
		return true;
	to = vec_push(&c->ranges);
	if (to)
		*to = range((u32)(start - c->first), (u32)(end - c->first));
	return to;
}

/* Stubs have names, too. */
static bool read_sections(struct maker *m)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(m->img->elf, &names))
		return false;
	m->nr_sections = 1; /* number 0 is none */
	while ((scn = elf_nextscn(m->img->elf, scn))) {
		if (m->nr_sections == SECTIONS || !gelf_getshdr(scn, &sh))
			return false;
		name = elf_strptr(m->img->elf, names, sh.sh_name);
		/* Go's own table has names of all code */
		if (!name || sh.sh_type == SHT_SYMTAB || strstr(name, "gopclntab"))
			return false;
		if (sh.sh_type == SHT_DYNSYM && !m->dynsym.sh_size)
			m->dynsym = sh;
		if (strstr(name, "plt") && !cover(m->cover, sh.sh_offset, sh.sh_size))
			return false;
		m->sections[m->nr_sections++] = (struct section){
			.addr = sh.sh_addr,
			.end = sh.sh_addr + MIN(sh.sh_size, UINT64_MAX - sh.sh_addr),
			.code = sh.sh_flags & SHF_EXECINSTR};
	}
	m->nr_stubs = m->cover->ranges.nr;
	return m->dynsym.sh_size && !(m->dynsym.sh_flags & SHF_COMPRESSED);
}

/* False: who knows where it is; or memory is out. */
static bool add(struct maker *m, const Elf64_Sym *sym)
{
	u32 type = ELF64_ST_TYPE(sym->st_info);
	const struct section *s;
	u64 offset, size = sym->st_size;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
		return true;
	if (sym->st_shndx >= m->nr_sections)
		return false;
	s = &m->sections[sym->st_shndx];
	if (type == STT_NOTYPE && !s->code)
		return true;
	if (!image_offset(m->img, sym->st_value, &offset))
		return false;
	/* one without a size may reach to the end of its section */
	if (!size)
		size = s->end > sym->st_value ? s->end - sym->st_value : 0;
	return cover(m->cover, offset, size);
}

static bool read_symbols(struct maker *m)
{
	u64 at = m->dynsym.sh_offset, left = m->dynsym.sh_size / sizeof(Elf64_Sym), nr, i;
	Elf64_Sym *syms = malloc(SYMBOLS * sizeof(*syms));
	bool ok = syms && left <= SYMBOLS_MAX;

	for (; ok && left; left -= nr, at += nr * sizeof(*syms)) {
		nr = MIN(left, (u64)SYMBOLS);
		ok = io_pread(m->img->fd, syms, nr * sizeof(*syms), at) ==
		     (ssize_t)(nr * sizeof(*syms));
		for (i = 0; ok && i < nr; i++)
			ok = add(m, &syms[i]);
	}
	free(syms);
	return ok && m->cover->ranges.nr > m->nr_stubs;
}

/* By address, each byte in one of them at most. */
static bool sort_ranges(struct image_cover *c)
{
	u64 *spare = malloc(c->ranges.nr * sizeof(*spare)), *v;
	u32 i, start, end, nr = 0, last = 0;

	if (!spare)
		return false;
	v = radix_sort(c->ranges.v, spare, c->ranges.nr, 32,
		       64 - (unsigned int)__builtin_clz(c->size));
	for (i = 0; i < c->ranges.nr; i++) {
		start = (u32)(v[i] >> 32);
		end = (u32)v[i];
		if (nr && start <= last) {
			last = MAX(last, end);
			c->ranges.v[nr - 1] = range((u32)(c->ranges.v[nr - 1] >> 32), last);
		} else {
			c->ranges.v[nr++] = v[i];
			last = end;
		}
	}
	c->ranges.nr = nr;
	free(spare);
	return true;
}

/* The first range that ends behind the begin of each page of code. */
static bool index_pages(struct image_cover *c)
{
	u32 i, at = 0, nr = (c->size >> PAGE_SHIFT) + 1;

	c->pages = malloc(nr * sizeof(*c->pages));
	for (i = 0; c->pages && i < nr; i++) {
		while (at < c->ranges.nr && (u32)c->ranges.v[at] <= (u64)i << PAGE_SHIFT)
			at++;
		c->pages[i] = at;
	}
	return c->pages;
}

bool image_cover_make(struct image_cover *c, const struct image *img)
{
	struct maker m = {.img = img, .cover = c};

	*c = (struct image_cover){0};
	if (is_readable(img) && find_code(&m) && read_sections(&m) && read_symbols(&m) &&
	    sort_ranges(c) && index_pages(c))
		return true;
	image_cover_free(c);
	return false;
}

void image_cover_free(struct image_cover *c)
{
	vec_free(&c->ranges);
	free(c->pages);
	c->pages = NULL;
}

bool image_cover_is_gap(const struct image_cover *c, u64 offset)
{
	u32 at;

	if (!c->pages || offset < c->first || offset - c->first >= c->size)
		return false;
	offset -= c->first;
	at = c->pages[offset >> PAGE_SHIFT];
	while (at < c->ranges.nr && (u32)c->ranges.v[at] <= offset)
		at++;
	return at == c->ranges.nr || c->ranges.v[at] >> 32 > offset;
}
