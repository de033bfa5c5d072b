// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/cfi.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cur.h"
#include "util/base/hash.h"

#define SIZE_LIMIT ((u64)4 << 30)

static int reserve(struct unwind_bytes *b, struct err *err)
{
	u64 chunks = ALIGN_UP(b->size, (u64)UNWIND_BYTES_CHUNK) / UNWIND_BYTES_CHUNK;
	void *p;

	b->have = calloc((size_t)(chunks + 63) / 64, sizeof(*b->have));
	if (!b->have)
		return err_nomem(err);
	p = mmap(NULL, (size_t)chunks * UNWIND_BYTES_CHUNK, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) {
		free(b->have);
		return err_nomem(err);
	}
	b->mem = p;
	return 0;
}

int unwind_bytes_init(struct unwind_bytes *b, const struct image *img, struct err *err)
{
	size_t size = 0;
	struct stat st;
	int ret;

	*b = (struct unwind_bytes){.fd = img->fd};
	if (img->fd < 0) {
		b->mem = (const u8 *)elf_rawfile(img->elf, &size);
		b->size = b->mem ? size : 0;
		return 0;
	}
	if (fstat(img->fd, &st) || st.st_size <= 0)
		return 0;
	b->size = MIN((u64)st.st_size, SIZE_LIMIT);
	ret = reserve(b, err);
	if (ret)
		*b = (struct unwind_bytes){.fd = -1};
	return ret;
}

void unwind_bytes_free(struct unwind_bytes *b)
{
	if (b->have)
		munmap((void *)(uintptr_t)b->mem,
		       (size_t)ALIGN_UP(b->size, (u64)UNWIND_BYTES_CHUNK));
	free(b->have);
	*b = (struct unwind_bytes){.fd = -1};
}

static bool read_chunk(struct unwind_bytes *b, u64 chunk)
{
	u64 offset = chunk * UNWIND_BYTES_CHUNK;
	u64 len = MIN((u64)UNWIND_BYTES_CHUNK, b->size - offset), done = 0;
	u8 *to = (u8 *)(uintptr_t)b->mem + offset;
	ssize_t n;

	while (done < len) {
		n = pread(b->fd, to + done, (size_t)(len - done), (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (u64)n;
	}
	b->have[chunk / 64] |= 1ull << chunk % 64;
	return true;
}

bool unwind_bytes_read(struct unwind_bytes *b, u64 offset, u64 len)
{
	u64 chunk = offset / UNWIND_BYTES_CHUNK;
	u64 last = len ? (offset + len - 1) / UNWIND_BYTES_CHUNK : chunk;

	/* an empty range at the very end of the file lies in no chunk */
	if (!len)
		return true;
	for (; chunk <= last; chunk++)
		if (!(b->have[chunk / 64] >> chunk % 64 & 1) && !read_chunk(b, chunk))
			return false;
	return true;
}

/* An entry that is longer is damage. */
#define ENTRY_LIMIT ((u64)1 << 24)
/*
 * Any number of FDEs may name a CIE, each another one: no CIE may take long to read. A compiler makes CIEs of some
 * 30 bytes, and that includes the instructions behind the head.
 */
#define CIE_LIMIT      ((u64)64 << 10)
#define CIE_HEAD_LIMIT 256

static u64 read_format(struct cur *c, u8 format, u8 address)
{
	switch (format) {
	case DW_EH_PE_absptr:
		return address == 4 ? cur_u32(c) : cur_u64(c);
	case DW_EH_PE_signed:
		return address == 4 ? (u64)(s32)cur_u32(c) : cur_u64(c);
	case DW_EH_PE_uleb128:
		return cur_uleb(c);
	case DW_EH_PE_sleb128:
		return (u64)cur_sleb(c);
	case DW_EH_PE_udata2:
		return cur_u16(c);
	case DW_EH_PE_sdata2:
		return (u64)(s16)cur_u16(c);
	case DW_EH_PE_udata4:
		return cur_u32(c);
	case DW_EH_PE_sdata4:
		return (u64)(s32)cur_u32(c);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cur_u64(c);
	default:
		c->bad = true;
		return 0;
	}
}

u64 cfi_pointer(struct cur *c, u8 encoding, u8 address, u64 vaddr, u64 base)
{
	u64 v = 0;

	if (encoding == DW_EH_PE_omit)
		return 0;
	if (encoding == DW_EH_PE_aligned) {
		cur_skip(c, -vaddr & (address - 1u));
		return read_format(c, DW_EH_PE_absptr, address);
	}
	if (encoding & DW_EH_PE_indirect) {
		c->bad = true;
		return 0;
	}
	v = read_format(c, encoding & 0x0f, address);
	switch (encoding & 0x70) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		v += vaddr;
		break;
	case DW_EH_PE_datarel:
		if (!base)
			c->bad = true;
		v += base;
		break;
	default:
		c->bad = true;
	}
	return address == 4 ? (u32)v : v;
}

/* An entry's bytes behind its length. */
struct entry {
	struct cur c;
	u64 at; /* offset in the section of the first of them */
	u8 offset_size;
};

static u64 entry_vaddr(const struct cfi_section *s, const struct entry *e, const u8 *begin)
{
	return s->vaddr + e->at + (u64)(e->c.p - begin);
}

static bool section_bytes(const struct cfi_section *s, u64 offset, u64 len, struct cur *c)
{
	const u8 *p;

	if (offset > s->size || len > s->size - offset)
		return false;
	p = unwind_bytes_at(s->bytes, s->offset + offset, len);
	if (!p)
		return false;
	*c = cur_init(p, (size_t)len);
	return true;
}

/* CFI_FDE means an entry of either kind here. */
static enum cfi_kind read_entry(const struct cfi_section *s, u64 offset, u64 limit, u64 *next,
				struct entry *e)
{
	u64 len, head = 4;
	struct cur c;

	if (!section_bytes(s, offset, 4, &c))
		return CFI_END;
	len = cur_u32(&c);
	if (!len)
		return CFI_END;
	e->offset_size = 4;
	if (len == 0xffffffff) {
		if (!section_bytes(s, offset + 4, 8, &c))
			return CFI_BAD;
		len = cur_u64(&c);
		head = 12;
		e->offset_size = 8;
	}
	e->at = offset + head;
	if (len > limit || !section_bytes(s, e->at, len, &e->c))
		return CFI_BAD;
	*next = e->at + len;
	return CFI_FDE;
}

/* The field that distinguishes CIEs from FDEs: in .eh_frame it is always 4 bytes. */
static u64 read_id(const struct cfi_section *s, struct entry *e, bool *is_cie)
{
	u64 id;

	if (s->debug_frame && e->offset_size == 8) {
		id = cur_u64(&e->c);
		*is_cie = id == ~0ull;
	} else {
		id = cur_u32(&e->c);
		*is_cie = id == (s->debug_frame ? 0xffffffff : 0);
	}
	return id;
}

/* What the letters of the augmentation say; after an unknown one 'z' still gives the length. */
static void read_augmentation(const struct cfi_section *s, struct cfi_cie *cie, struct entry *e,
			      const u8 *begin, const char *letters)
{
	struct cur all = e->c, rest;

	if (*letters != 'z') {
		/* "eh", of gcc 2: not understood */
		if (*letters)
			e->c.bad = true;
		return;
	}
	cie->augmented = true;
	rest = cur_sub(&e->c, (size_t)cur_uleb(&e->c));
	all = e->c;
	e->c = rest;
	for (letters++; *letters && !e->c.bad; letters++) {
		if (*letters == 'R') {
			cie->pointer = cur_u8(&e->c);
		} else if (*letters == 'S') {
			cie->signal = true;
		} else if (*letters == 'L') {
			cur_u8(&e->c);
		} else if (*letters == 'P') {
			u8 encoding = cur_u8(&e->c) & (u8)~DW_EH_PE_indirect;

			/* where it lies does not matter, only how long it is */
			cfi_pointer(&e->c, encoding, s->address, entry_vaddr(s, e, begin), 1);
		} else if (*letters != 'B' && *letters != 'G') {
			break;
		}
	}
	all.bad |= e->c.bad;
	e->c = all;
}

static bool read_cie(const struct cfi_section *s, u64 offset, struct cfi_cie *cie)
{
	struct entry e;
	const char *letters;
	const u8 *begin;
	size_t len;
	bool is_cie;
	u64 next;
	u8 version;

	if (read_entry(s, offset, CIE_LIMIT, &next, &e) != CFI_FDE)
		return false;
	begin = e.c.p;
	len = cur_left(&e.c);
	e.c = cur_init(begin, MIN(len, (size_t)CIE_HEAD_LIMIT));
	read_id(s, &e, &is_cie);
	version = cur_u8(&e.c);
	letters = cur_str(&e.c, NULL);
	if (!is_cie || !letters || (version != 1 && version != 3 && version != 4))
		return false;
	*cie = (struct cfi_cie){.address = s->address, .pointer = DW_EH_PE_absptr};
	if (version == 4) {
		cie->address = cur_u8(&e.c);
		/* no machine here has segments */
		if ((cie->address != 4 && cie->address != 8) || cur_u8(&e.c))
			return false;
	}
	cie->code_align = cur_uleb(&e.c);
	cie->data_align = cur_sleb(&e.c);
	cie->ra = version == 1 ? cur_u8(&e.c) : cur_uleb(&e.c);
	read_augmentation(s, cie, &e, begin, letters);
	cie->insn = cur_init(e.c.p, len - (size_t)(e.c.p - begin));
	return !e.c.bad;
}

static bool find_cie(struct cfi_section *s, u64 offset, struct cfi_cie *cie)
{
	struct cfi_known_cie *k = &s->cies[hash_u64(offset) % CFI_CIES];

	if (!k->known || k->offset != offset) {
		k->offset = offset;
		k->known = true;
		k->bad = !read_cie(s, offset, &k->cie);
	}
	*cie = k->cie;
	return !k->bad;
}

enum cfi_kind cfi_read(struct cfi_section *s, u64 offset, u64 *next, struct cfi_fde *fde)
{
	struct entry e;
	enum cfi_kind kind = read_entry(s, offset, ENTRY_LIMIT, next, &e);
	const u8 *begin;
	bool is_cie;
	u64 id;

	if (kind != CFI_FDE)
		return kind;
	begin = e.c.p;
	id = read_id(s, &e, &is_cie);
	if (e.c.bad)
		return CFI_BAD;
	if (is_cie)
		return CFI_CIE;
	/* in .eh_frame the distance back from this very field */
	if (!s->debug_frame && id > e.at)
		return CFI_BAD;
	if (!find_cie(s, s->debug_frame ? id : e.at - id, &fde->cie))
		return CFI_BAD;
	fde->start =
		cfi_pointer(&e.c, fde->cie.pointer, fde->cie.address, entry_vaddr(s, &e, begin), 0);
	fde->end = fde->start + cfi_pointer(&e.c, fde->cie.pointer & 0x0f, fde->cie.address, 0, 0);
	if (fde->cie.augmented)
		cur_skip(&e.c, (size_t)cur_uleb(&e.c));
	fde->insn = e.c;
	return e.c.bad || fde->end < fde->start ? CFI_BAD : CFI_FDE;
}

/* Searches after which a table is read as a whole, and after which it is cut into buckets. */
#define WHOLE_AFTER   32
#define BUCKETS_AFTER 256
/* Entries of one bucket, about: they and the bucket are a cache line each. */
#define BUCKET_ENTRIES 4

bool cfi_find_header(struct cfi_find *f, u64 offset, u64 size, u64 vaddr, u64 *eh_frame)
{
	struct cfi_section *s = &f->section;
	/* 4 bytes, two encoded numbers of at most 8 bytes each: only then the table */
	u64 head = MIN(size, (u64)20), nr;
	const u8 *p = unwind_bytes_at(s->bytes, offset, head);
	u8 pointer, count, table;
	struct cur c;

	*eh_frame = 0;
	if (!p)
		return false;
	c = cur_init(p, (size_t)head);
	if (cur_u8(&c) != 1)
		return false;
	pointer = cur_u8(&c);
	count = cur_u8(&c);
	table = cur_u8(&c);
	*eh_frame = cfi_pointer(&c, pointer, s->address, vaddr + (u64)(c.p - p), vaddr);
	if (c.bad)
		*eh_frame = 0;
	nr = cfi_pointer(&c, count, s->address, vaddr + (u64)(c.p - p), vaddr);
	if (c.bad || count == DW_EH_PE_omit || table != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return false;
	f->table = offset + (u64)(c.p - p);
	f->base = vaddr;
	f->nr = MIN(nr, (size - (u64)(c.p - p)) / 8);
	return f->nr > 0;
}

/* The first or second address of an entry. */
static inline bool table_address(struct cfi_find *f, u64 i, u32 which, u64 *vaddr)
{
	u64 at = i * 8 + which * 4;
	const u8 *p = f->all ? f->all + at : unwind_bytes_at(f->section.bytes, f->table + at, 4);
	s32 distance;

	if (!p)
		return false;
	memcpy(&distance, p, sizeof(distance));
	*vaddr = f->base + (u64)(s64)distance;
	if (f->section.address == 4)
		*vaddr = (u32)*vaddr;
	return true;
}

static u32 bucket_of(const struct cfi_find *f, u64 vaddr)
{
	u64 bucket = (vaddr - f->first) >> f->shift;

	return (u32)MIN(bucket, (u64)f->nr_buckets - 1);
}

/*
 * Where the entries of each stretch of addresses begin: a search of the whole table waits for memory at
 * every step. A table out of order, which only damage makes, is left as it is, and so is one for which
 * there is no memory.
 */
static void make_buckets(struct cfi_find *f)
{
	u64 last, start, before, i;
	u32 bucket = 0, *v;

	if (f->nr < 2 * BUCKET_ENTRIES || f->nr >= UINT32_MAX ||
	    !table_address(f, 0, 0, &f->first) || !table_address(f, f->nr - 1, 0, &last) ||
	    last < f->first)
		return;
	f->nr_buckets = (u32)(f->nr / BUCKET_ENTRIES);
	while ((last - f->first) >> f->shift >= f->nr_buckets)
		f->shift++;
	v = malloc(((size_t)f->nr_buckets + 1) * sizeof(*v));
	if (!v)
		return;
	for (i = 0, before = f->first; i < f->nr; i++, before = start) {
		if (!table_address(f, i, 0, &start) || start < before) {
			free(v);
			return;
		}
		while (bucket <= bucket_of(f, start))
			v[bucket++] = (u32)i;
	}
	while (bucket <= f->nr_buckets)
		v[bucket++] = (u32)f->nr;
	f->buckets = v;
}

/* A file of which little is asked is read here and there. */
static void learn_table(struct cfi_find *f)
{
	if (f->searches == BUCKETS_AFTER)
		return;
	f->searches++;
	if (f->searches == WHOLE_AFTER)
		f->all = unwind_bytes_at(f->section.bytes, f->table, f->nr * 8);
	else if (f->searches == BUCKETS_AFTER && f->all)
		make_buckets(f);
}

static enum cfi_found search_table(struct cfi_find *f, u64 vaddr, u64 *offset)
{
	u64 lo = 0, left, half, start, fde;
	u32 bucket;

	learn_table(f);
	left = f->nr;
	if (f->buckets && vaddr >= f->first) {
		/* the entry before the first of a bucket may reach into it */
		bucket = bucket_of(f, vaddr);
		lo = f->buckets[bucket] - (f->buckets[bucket] > 0);
		left = f->buckets[bucket + 1] - lo;
	}
	/* the last entry that begins at or below vaddr; which half that is in nobody can predict */
	for (; left > 1; left -= half) {
		half = left / 2;
		if (!table_address(f, lo + half, 0, &start))
			return CFI_DAMAGED;
		lo += half & -(u64)(start <= vaddr);
	}
	if (!table_address(f, lo, 0, &start) || !table_address(f, lo, 1, &fde))
		return CFI_DAMAGED;
	*offset = fde - f->section.vaddr;
	return start <= vaddr ? CFI_FOUND : CFI_NOT_FOUND;
}

static int by_start(const void *a, const void *b)
{
	const struct cfi_index_entry *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static enum cfi_found make_index(struct cfi_find *f)
{
	u64 offset = 0, next = 0;
	struct cfi_index_entry *e;
	struct cfi_fde fde;
	enum cfi_kind kind;

	for (; (kind = cfi_read(&f->section, offset, &next, &fde)) != CFI_END; offset = next) {
		/* behind an entry that is not understood the next one begins all the same */
		if (kind == CFI_BAD && next <= offset)
			break;
		/* what the linker left out stays behind at address 0 */
		if (kind != CFI_FDE || fde.start == fde.end || !fde.start)
			continue;
		e = vec_push(&f->index);
		if (!e) {
			vec_free(&f->index);
			return CFI_NO_MEMORY;
		}
		*e = (struct cfi_index_entry){fde.start, fde.end, offset};
	}
	if (f->index.nr)
		qsort(f->index.v, f->index.nr, sizeof(*f->index.v), by_start);
	f->indexed = true;
	return CFI_FOUND;
}

static enum cfi_found search_index(struct cfi_find *f, u64 vaddr, u64 *offset)
{
	u32 lo = 0, hi, mid;
	enum cfi_found found = f->indexed ? CFI_FOUND : make_index(f);

	if (found != CFI_FOUND)
		return found;
	hi = f->index.nr;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (f->index.v[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || f->index.v[lo - 1].end <= vaddr)
		return CFI_NOT_FOUND;
	*offset = f->index.v[lo - 1].fde;
	return CFI_FOUND;
}

enum cfi_found cfi_find(struct cfi_find *f, u64 vaddr, struct cfi_fde *fde)
{
	enum cfi_found found;
	u64 offset = 0, next;

	found = f->nr ? search_table(f, vaddr, &offset) : search_index(f, vaddr, &offset);
	if (found != CFI_FOUND)
		return found;
	if (cfi_read(&f->section, offset, &next, fde) != CFI_FDE)
		return CFI_DAMAGED;
	return vaddr >= fde->start && vaddr < fde->end ? CFI_FOUND : CFI_NOT_FOUND;
}

/* The section begins at that address and ends with what is loaded there, if not before. */
static bool place_by_segment(struct cfi_section *s, const struct image *img, u64 vaddr)
{
	u32 i;

	for (i = 0; i < img->loads.nr; i++) {
		const GElf_Phdr *ph = &img->loads.v[i];

		if (vaddr < ph->p_vaddr || vaddr - ph->p_vaddr >= ph->p_filesz)
			continue;
		s->vaddr = vaddr;
		s->offset = vaddr - ph->p_vaddr + ph->p_offset;
		s->size = ph->p_filesz - (vaddr - ph->p_vaddr);
		return true;
	}
	return false;
}

static bool place_by_section(struct cfi_section *s, const struct image *img)
{
	GElf_Shdr sh;

	if (!image_section(img, ".eh_frame", &sh) || sh.sh_type == SHT_NOBITS ||
	    sh.sh_flags & SHF_COMPRESSED)
		return false;
	s->vaddr = sh.sh_addr;
	s->offset = sh.sh_offset;
	s->size = sh.sh_size;
	return true;
}

bool cfi_find_init(struct cfi_find *f, struct unwind_bytes *bytes, const struct image *img)
{
	u64 eh_frame = 0;
	GElf_Phdr ph;
	bool table;

	f->section.bytes = bytes;
	f->section.address = img->ehdr.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	if (image_segment(img, PT_GNU_EH_FRAME, &ph)) {
		table = cfi_find_header(f, ph.p_offset, ph.p_filesz, ph.p_vaddr, &eh_frame);
		if (eh_frame && place_by_segment(&f->section, img, eh_frame))
			return true;
		if (table)
			f->nr = 0;
	}
	return place_by_section(&f->section, img);
}

void cfi_find_free(struct cfi_find *f)
{
	vec_free(&f->index);
	free(f->buckets);
	f->buckets = NULL;
}
