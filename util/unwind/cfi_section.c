// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/cfi_section.h"

#include <dwarf.h>

#include "util/base/hash.h"
#include "util/base/leb128.h"

/* An entry that is longer is damage. */
#define ENTRY_LIMIT ((u64)1 << 24)

static u64 read_format(struct cur *c, u8 format, u8 address)
{
	switch (format) {
	case DW_EH_PE_absptr:
		return address == 4 ? cur_u32(c) : cur_u64(c);
	case DW_EH_PE_signed:
		return address == 4 ? (u64)(s32)cur_u32(c) : cur_u64(c);
	case DW_EH_PE_uleb128:
		return leb128_u(c);
	case DW_EH_PE_sleb128:
		return (u64)leb128_s(c);
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

/* CFI_FDE stands for an entry of either kind here. */
static enum cfi_kind read_entry(const struct cfi_section *s, u64 offset, u64 *next, struct entry *e)
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
	if (len > ENTRY_LIMIT || !section_bytes(s, e->at, len, &e->c))
		return CFI_BAD;
	*next = e->at + len;
	return CFI_FDE;
}

/* The field that tells CIEs and FDEs apart: in .eh_frame it is always 4 bytes. */
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

/* What the letters of the augmentation say; behind an unknown one 'z' still tells the length. */
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
	rest = cur_sub(&e->c, (size_t)leb128_u(&e->c));
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
	bool is_cie;
	u64 next;
	u8 version;

	if (read_entry(s, offset, &next, &e) != CFI_FDE)
		return false;
	begin = e.c.p;
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
	cie->code_align = leb128_u(&e.c);
	cie->data_align = leb128_s(&e.c);
	cie->ra = version == 1 ? cur_u8(&e.c) : leb128_u(&e.c);
	read_augmentation(s, cie, &e, begin, letters);
	cie->insn = e.c;
	return !e.c.bad;
}

static bool find_cie(struct cfi_section *s, u64 offset, struct cfi_cie *cie)
{
	struct cfi_known_cie *k = &s->cies[hash_u64(offset) % CFI_CIES];

	if (!k->known || k->offset != offset) {
		k->offset = offset;
		k->known = read_cie(s, offset, &k->cie);
	}
	*cie = k->cie;
	return k->known;
}

enum cfi_kind cfi_read(struct cfi_section *s, u64 offset, u64 *next, struct cfi_fde *fde)
{
	struct entry e;
	enum cfi_kind kind = read_entry(s, offset, next, &e);
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
		cur_skip(&e.c, (size_t)leb128_u(&e.c));
	fde->insn = e.c;
	return e.c.bad || fde->end < fde->start ? CFI_BAD : CFI_FDE;
}
