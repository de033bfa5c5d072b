/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made_elf.h - small ELF images with unwind information, made by hand.
 *
 *	0x0000  header, program headers     one PT_LOAD, executable: virtual addresses are file offsets
 *	0x0200  code: nops                  MADE_ELF_CODE .. MADE_ELF_EH_FRAME
 *	0x1000  .eh_frame                   a CIE, then the FDEs
 *	...     .eh_frame_hdr               if made_elf_header() is asked for it
 *
 *	...     sections                    if made_elf_section() is asked for them; ELFCLASS64 only
 *
 * made_elf_begin() -> made_elf_cie(), made_elf_fde() -> made_elf_end(). Host-endian.
 */
#ifndef TESTS_UNIT_MADE_ELF_H
#define TESTS_UNIT_MADE_ELF_H

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/buf.h"

#define MADE_ELF_CODE     0x200
#define MADE_ELF_EH_FRAME 0x1000
#define MADE_ELF_FDES     64
#define MADE_ELF_SECTIONS 9

struct made_elf {
	struct buf b;
	u16 machine;
	u8 word; /* 4: ELFCLASS32 */
	u64 entry;
	u32 cie; /* offset of the CIE that FDEs belong to */
	u32 nr;
	struct {
		u32 start, fde;
	} fdes[MADE_ELF_FDES];
	u32 header, header_size;
	Elf64_Shdr sections[MADE_ELF_SECTIONS]; /* the first is none, the last the names */
	u32 nr_sections;
	struct buf names;
};

static inline void made_elf_u32_at(struct made_elf *e, size_t at, u32 v)
{
	memcpy(e->b.data + at, &v, sizeof(v));
}

static inline void made_elf_begin(struct made_elf *e, u16 machine, u8 word)
{
	*e = (struct made_elf){.machine = machine, .word = word};
	buf_pad(&e->b, '\0', MADE_ELF_CODE);
	buf_pad(&e->b, '\x90', MADE_ELF_EH_FRAME - MADE_ELF_CODE);
	if (e->b.failed)
		exit(2);
}

/* Code at an address. */
static inline void made_elf_code(struct made_elf *e, u32 at, const char *code, size_t len)
{
	memcpy(e->b.data + at, code, len);
}

static inline void made_elf_entry_end(struct made_elf *e, size_t at)
{
	while ((e->b.len - at) % 8 != 4)
		buf_u8(&e->b, 0);
	made_elf_u32_at(e, at, (u32)(e->b.len - at - 4));
}

/* Instructions behind the usual head; augmentation "zR" or "zRS". */
static inline void made_elf_cie(struct made_elf *e, s8 data_align, u8 ra, bool signal,
				const char *insn, size_t len)
{
	size_t at = e->b.len;

	e->cie = (u32)at;
	buf_u32(&e->b, 0);
	buf_u32(&e->b, 0);
	buf_u8(&e->b, 1);
	buf_add(&e->b, signal ? "zRS" : "zR", signal ? 4 : 3);
	buf_u8(&e->b, 1);
	buf_u8(&e->b, (u8)data_align & 0x7f);
	buf_u8(&e->b, ra);
	buf_u8(&e->b, 1);
	buf_u8(&e->b, 0x1b); /* relative to itself, 4 bytes, signed */
	buf_add(&e->b, insn, len);
	made_elf_entry_end(e, at);
}

static inline void made_elf_fde(struct made_elf *e, u32 start, u32 size, const char *insn,
				size_t len)
{
	size_t at = e->b.len;

	if (e->nr == MADE_ELF_FDES)
		exit(2);
	e->fdes[e->nr].start = start;
	e->fdes[e->nr++].fde = (u32)at;
	buf_u32(&e->b, 0);
	buf_u32(&e->b, (u32)(e->b.len - e->cie));
	buf_u32(&e->b, start - (u32)e->b.len);
	buf_u32(&e->b, size);
	buf_u8(&e->b, 0);
	buf_add(&e->b, insn, len);
	made_elf_entry_end(e, at);
}

/* .eh_frame_hdr; without a table it says only where .eh_frame is. FDEs were made in rising order. */
static inline void made_elf_header(struct made_elf *e, bool table)
{
	u32 i;

	buf_u32(&e->b, 0); /* the end of .eh_frame */
	e->header = (u32)e->b.len;
	buf_u8(&e->b, 1);
	buf_u8(&e->b, 0x1b);
	buf_u8(&e->b, table ? 0x03 : 0xff);
	buf_u8(&e->b, table ? 0x3b : 0xff);
	buf_u32(&e->b, MADE_ELF_EH_FRAME - (u32)e->b.len);
	if (table)
		buf_u32(&e->b, e->nr);
	for (i = 0; table && i < e->nr; i++) {
		buf_u32(&e->b, e->fdes[i].start - e->header);
		buf_u32(&e->b, e->fdes[i].fde - e->header);
	}
	e->header_size = (u32)e->b.len - e->header;
}

/* A part of the file as a section, not loaded unless flags say SHF_ALLOC. */
static inline void made_elf_section(struct made_elf *e, const char *name, u64 flags, u64 offset,
				    u64 size)
{
	Elf64_Shdr *sh = &e->sections[++e->nr_sections];

	if (e->nr_sections >= MADE_ELF_SECTIONS - 1)
		exit(2);
	if (!e->names.len)
		buf_u8(&e->names, 0);
	*sh = (Elf64_Shdr){.sh_name = (u32)e->names.len,
			   .sh_type = SHT_PROGBITS,
			   .sh_flags = flags,
			   .sh_addr = flags & SHF_ALLOC ? offset : 0,
			   .sh_offset = offset,
			   .sh_size = size,
			   .sh_addralign = 1};
	buf_add(&e->names, name, strlen(name) + 1);
}

/* Write the section headers; returns where. */
static inline size_t made_elf_sections(struct made_elf *e)
{
	size_t at;

	made_elf_section(e, ".shstrtab", 0, e->b.len, 0);
	e->sections[e->nr_sections].sh_type = SHT_STRTAB;
	e->sections[e->nr_sections].sh_size = e->names.len;
	buf_add(&e->b, e->names.data, e->names.len);
	buf_pad(&e->b, '\0', -e->b.len & 7);
	at = e->b.len;
	buf_add(&e->b, e->sections, (e->nr_sections + 1) * sizeof(*e->sections));
	buf_free(&e->names);
	return at;
}

static inline void made_elf_headers_32(const struct made_elf *e, const u8 *ident)
{
	Elf32_Ehdr h = {.e_type = ET_DYN,
			.e_machine = e->machine,
			.e_version = EV_CURRENT,
			.e_entry = (u32)e->entry,
			.e_phoff = sizeof(h),
			.e_ehsize = sizeof(h),
			.e_phentsize = sizeof(Elf32_Phdr),
			.e_phnum = 2};
	Elf32_Phdr p[2] = {{.p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_filesz = (u32)e->b.len,
			    .p_memsz = (u32)e->b.len},
			   {.p_type = e->header ? PT_GNU_EH_FRAME : PT_NULL,
			    .p_offset = e->header,
			    .p_vaddr = e->header,
			    .p_filesz = e->header_size,
			    .p_memsz = e->header_size}};

	memcpy(h.e_ident, ident, EI_NIDENT);
	memcpy(e->b.data, &h, sizeof(h));
	memcpy(e->b.data + sizeof(h), p, sizeof(p));
}

static inline void made_elf_headers_64(struct made_elf *e, const u8 *ident)
{
	size_t sections = e->nr_sections ? made_elf_sections(e) : 0;
	Elf64_Ehdr h = {.e_type = ET_DYN,
			.e_machine = e->machine,
			.e_version = EV_CURRENT,
			.e_entry = e->entry,
			.e_phoff = sizeof(h),
			.e_ehsize = sizeof(h),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 2,
			.e_shoff = sections,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = sections ? (u16)(e->nr_sections + 1) : 0,
			.e_shstrndx = sections ? (u16)e->nr_sections : 0};
	Elf64_Phdr p[2] = {{.p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_filesz = e->b.len,
			    .p_memsz = e->b.len},
			   {.p_type = e->header ? PT_GNU_EH_FRAME : PT_NULL,
			    .p_offset = e->header,
			    .p_vaddr = e->header,
			    .p_filesz = e->header_size,
			    .p_memsz = e->header_size}};

	memcpy(h.e_ident, ident, EI_NIDENT);
	memcpy(e->b.data, &h, sizeof(h));
	memcpy(e->b.data + sizeof(h), p, sizeof(p));
}

/* Fill in the headers: the image is e->b. */
static inline void made_elf_end(struct made_elf *e)
{
	u8 ident[EI_NIDENT] = {
		ELFMAG0,
		ELFMAG1,
		ELFMAG2,
		ELFMAG3,
		e->word == 4 ? ELFCLASS32 : ELFCLASS64,
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
		EV_CURRENT,
	};

	if (e->b.failed)
		exit(2);
	if (e->word == 4)
		made_elf_headers_32(e, ident);
	else
		made_elf_headers_64(e, ident);
}

#endif
