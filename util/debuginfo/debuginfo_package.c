// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debuginfo_internal.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/io.h"

/* ---- the sections of DWARF that we read ourselves: bytes of one file ---- */

/* One section by its name, if it is there and not compressed. They live as long as the image. */
static struct debug_bytes debug_sections_bytes(const struct image *img, const char *name)
{
	struct debug_bytes none = {0};
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, name, &sh);
	Elf_Data *d;

	if (!scn || sh.sh_type == SHT_NOBITS || sh.sh_flags & SHF_COMPRESSED)
		return none;
	d = elf_rawdata(scn, NULL);
	return d && d->d_buf ? (struct debug_bytes){d->d_buf, d->d_size} : none;
}

/* Sections that were compressed in the old way keep their names, those of split DWARF have others. */
static const char *const around[][2] = {{".debug_", ""}, {".zdebug_", ""}, {".debug_", ".dwo"}};

int debug_sections_check(const struct image *img, struct err *err)
{
	static const char *const used[] = {"info",   "abbrev",   "addr", "aranges",
					   "line",   "line_str", "str",  "str_offsets",
					   "ranges", "rnglists", "types"};
	char full[64];
	size_t i, j;
	int ret = image_check(img, err);

	for (i = 0; i < ARRAY_SIZE(used); i++) {
		for (j = 0; j < ARRAY_SIZE(around) && !ret; j++) {
			snprintf(full, sizeof(full), "%s%s%s", around[j][0], used[i], around[j][1]);
			ret = image_section_check(img, full, err);
		}
	}
	return ret;
}

static struct debug_bytes find(const struct image *img, const char *name)
{
	struct debug_bytes b = {0};
	char full[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(around) && !b.p; i++) {
		snprintf(full, sizeof(full), "%s%s%s", around[i][0], name, around[i][1]);
		b = debug_sections_bytes(img, full);
	}
	return b;
}

void debug_sections_get(struct debug_sections *s, Elf *elf)
{
	struct image img = {.elf = elf, .fd = -1};

	*s = (struct debug_sections){
		.info = find(&img, "info"),
		.abbrev = find(&img, "abbrev"),
		.line = find(&img, "line"),
		.line_str = find(&img, "line_str"),
		.str = find(&img, "str"),
		.ranges = find(&img, "ranges").len + find(&img, "rnglists").len,
	};
	if (gelf_getehdr(elf, &img.ehdr))
		s->swap = image_foreign_endian(&img);
}

/* ---- a .dwp file: the .dwo files of a program, put together, with an index by dwo_id ---- */

#define COLUMNS_MAX 16u

/* Numbers of sections in the index. */
#define SECTION_INFO        1u
#define SECTION_ABBREV      3u
#define SECTION_LINE        4u
#define SECTION_STR_OFFSETS 6u
#define SECTION_RNGLISTS    8u /* of DWARF 5; before, of macros */

static const char *const names[PACKAGE_PARTS] = {
	[PACKAGE_INFO] = ".debug_info.dwo",
	[PACKAGE_ABBREV] = ".debug_abbrev.dwo",
	[PACKAGE_LINE] = ".debug_line.dwo",
	[PACKAGE_STR_OFFSETS] = ".debug_str_offsets.dwo",
	[PACKAGE_RNGLISTS] = ".debug_rnglists.dwo",
};

static const u32 numbers[PACKAGE_PARTS] = {
	[PACKAGE_INFO] = SECTION_INFO,         [PACKAGE_ABBREV] = SECTION_ABBREV,
	[PACKAGE_LINE] = SECTION_LINE,         [PACKAGE_STR_OFFSETS] = SECTION_STR_OFFSETS,
	[PACKAGE_RNGLISTS] = SECTION_RNGLISTS,
};

const char *debug_package_section(enum debug_package_part part)
{
	return names[part];
}

static struct debug_bytes take_section(const struct image *img, const char *name, int *ret,
				       struct err *err)
{
	if (!*ret)
		*ret = image_section_check(img, name, err);
	return debug_sections_bytes(img, name);
}

int debug_package_get(struct debug_package *p, const struct image *img, struct err *err)
{
	int ret = image_check(img, err);
	u32 i;

	for (i = 0; i < PACKAGE_PARTS; i++)
		p->sections[i] = take_section(img, names[i], &ret, err);
	p->str = take_section(img, ".debug_str.dwo", &ret, err);
	p->index = take_section(img, ".debug_cu_index", &ret, err);
	p->swap = image_foreign_endian(img);
	return ret;
}

struct index {
	u32 version, columns, units, slots;
	struct cur ids, rows, sections, offsets, sizes;
};

static struct cur table(struct cur *c, u64 nr, u32 size)
{
	return cur_sub(c, nr > cur_left(c) / size ? SIZE_MAX : (size_t)nr * size);
}

static bool read_index(const struct debug_package *p, struct index *x)
{
	struct cur c = cur_init(p->index.p, p->index.p ? p->index.len : 0);

	c.swap = p->swap;
	x->version = cur_u32(&c);
	/* it was a word, and is half of one since */
	if (x->version != 2) {
		c = cur_init(p->index.p, p->index.p ? p->index.len : 0);
		c.swap = p->swap;
		x->version = cur_u16(&c);
		cur_u16(&c);
	}
	x->columns = cur_u32(&c);
	x->units = cur_u32(&c);
	x->slots = cur_u32(&c);
	if (c.bad || (x->version != 2 && x->version != 5) || x->columns > COLUMNS_MAX)
		return false;
	x->ids = table(&c, x->slots, 8);
	x->rows = table(&c, x->slots, 4);
	x->sections = table(&c, x->columns, 4);
	x->offsets = table(&c, (u64)x->units * x->columns, 4);
	x->sizes = table(&c, (u64)x->units * x->columns, 4);
	return !c.bad;
}

/* The row of an id, from 1; 0: there is none. A table of hashes, but looked at once for each unit. */
static u32 find_row(struct index *x, u64 dwo_id)
{
	u32 row;

	while (cur_left(&x->ids)) {
		row = cur_u32(&x->rows);
		if (cur_u64(&x->ids) == dwo_id && row)
			return row <= x->units ? row : 0;
	}
	return 0;
}

static void take_part(const struct debug_package *p, struct debug_package_unit *u, u32 version,
		      u32 section, u64 offset, u64 size)
{
	const struct debug_bytes *all;
	u32 i;

	if (section == SECTION_RNGLISTS && version < 5)
		return;
	for (i = 0; i < PACKAGE_PARTS; i++) {
		all = &p->sections[i];
		if (numbers[i] == section && all->p && offset <= all->len &&
		    size <= all->len - offset)
			u->parts[i] = (struct debug_bytes){all->p + offset, (size_t)size};
	}
}

int debug_package_find(const struct debug_package *p, u64 dwo_id, struct debug_package_unit *out)
{
	struct index x;
	u32 row, i;

	*out = (struct debug_package_unit){0};
	if (!p->index.p)
		return -ENODATA;
	if (!read_index(p, &x))
		return -EBADMSG;
	row = find_row(&x, dwo_id);
	if (!row)
		return -ENODATA;
	cur_skip(&x.offsets, (size_t)(row - 1) * x.columns * 4);
	cur_skip(&x.sizes, (size_t)(row - 1) * x.columns * 4);
	for (i = 0; i < x.columns; i++)
		take_part(p, out, x.version, cur_u32(&x.sections), cur_u32(&x.offsets),
			  cur_u32(&x.sizes));
	return out->parts[PACKAGE_INFO].p && out->parts[PACKAGE_ABBREV].p ? 0 : -EBADMSG;
}

/* ---- a unit of a .dwp file as libdw reads it ---- */

/*
 * Of tables that do not say where a unit's part of them ends, so much is taken: more than any
 * compiler has put into one.
 */
#define SHARE_MAX (4u << 20)
/* Of the strings of a small package. */
#define STRINGS_SPARE (64u << 10)

#define SECTIONS_MAX 9

static void align(struct buf *b)
{
	buf_pad(b, '\0', ALIGN_UP(b->len, (size_t)8) - b->len);
}

/* An ELF file that is nothing but sections. */
struct made_elf {
	struct buf bytes, names;
	Elf64_Shdr headers[SECTIONS_MAX];
	u16 nr;
};

static void elf_begin_made(struct made_elf *m)
{
	static const Elf64_Ehdr room;

	*m = (struct made_elf){.nr = 1};
	buf_add(&m->bytes, &room, sizeof(room));
	buf_addc(&m->names, '\0');
}

static void elf_add(struct made_elf *m, const char *name, const void *bytes, size_t len)
{
	Elf64_Shdr *h = &m->headers[m->nr++];

	align(&m->bytes);
	*h = (Elf64_Shdr){
		.sh_name = (Elf64_Word)m->names.len,
		.sh_type = SHT_PROGBITS,
		.sh_offset = m->bytes.len,
		.sh_size = len,
		.sh_addralign = 1,
	};
	buf_add(&m->names, name, strlen(name) + 1);
	buf_add(&m->bytes, bytes, len);
}

/* False when memory is out. */
static bool elf_end_made(struct made_elf *m, u16 machine)
{
	Elf64_Ehdr e = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
			    EV_CURRENT},
		.e_type = ET_REL,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(e),
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	static const char own[] = ".shstrtab";

	e.e_shstrndx = m->nr;
	m->headers[m->nr].sh_name = (Elf64_Word)m->names.len;
	buf_add(&m->names, own, sizeof(own));
	align(&m->bytes);
	m->headers[m->nr].sh_type = SHT_STRTAB;
	m->headers[m->nr].sh_offset = m->bytes.len;
	m->headers[m->nr++].sh_size = m->names.len;
	buf_add(&m->bytes, m->names.data, m->names.len);
	align(&m->bytes);
	e.e_shoff = m->bytes.len;
	e.e_shnum = m->nr;
	buf_add(&m->bytes, m->headers, m->nr * sizeof(m->headers[0]));
	if (m->bytes.failed || m->names.failed)
		return false;
	memcpy(m->bytes.data, &e, sizeof(e));
	return true;
}

static void elf_free_made(struct made_elf *m)
{
	buf_free(&m->bytes);
	buf_free(&m->names);
}

/*
 * The unit's strings alone, and where they are: those of all units are too many to copy. False: damaged. A string may be the end
 * of another one, but offsets whose strings are several times all that there are were made to fill memory.
 */
static bool copy_strings(const struct debug_package *p, const struct debug_bytes *offsets,
			 bool header, struct buf *new_offsets, struct buf *strings)
{
	struct cur c = cur_init(offsets->p, offsets->p ? offsets->len : 0), str;
	bool dwarf64 = header && cur_left(&c) >= 4 && cur_u32(&c) == UINT32_MAX;
	u64 left = 2 * (u64)p->str.len + STRINGS_SPARE, at;
	const char *s;
	size_t len, rest;

	c = cur_init(offsets->p, offsets->p ? offsets->len : 0);
	if (header) {
		len = MIN((size_t)(dwarf64 ? 16 : 8), cur_left(&c));
		buf_add(new_offsets, c.p, len);
		cur_skip(&c, len);
	}
	while (cur_left(&c) >= (dwarf64 ? 8u : 4u)) {
		at = dwarf64 ? cur_u64(&c) : cur_u32(&c);
		str = cur_init(p->str.p, p->str.p ? p->str.len : 0);
		cur_skip(&str, at < p->str.len ? (size_t)at : p->str.len);
		rest = cur_left(&str);
		s = cur_str(&str, &len);
		/* one without an end is looked through as well */
		if ((s ? len : rest) > left)
			return false;
		left -= s ? len : rest;
		if (dwarf64)
			buf_u64(new_offsets, strings->len);
		else
			buf_u32(new_offsets, (u32)strings->len);
		buf_add(strings, s ? s : "", s ? len : 0);
		buf_addc(strings, '\0');
	}
	return true;
}

/* The .dwo file, as a descriptor; or -errno. */
static int make_dwo(const struct debug_package *p, const struct debug_package_unit *u, u16 version,
		    u16 machine)
{
	struct buf offsets = {0}, strings = {0};
	struct made_elf m;
	int fd = -ENOMEM, ret;
	u32 i;

	if (!copy_strings(p, &u->parts[PACKAGE_STR_OFFSETS], version >= 5, &offsets, &strings)) {
		buf_free(&offsets);
		buf_free(&strings);
		return -EBADMSG;
	}
	elf_begin_made(&m);
	for (i = 0; i < PACKAGE_PARTS; i++) {
		if (i == PACKAGE_STR_OFFSETS)
			elf_add(&m, debug_package_section(i), buf_str(&offsets), offsets.len);
		else if (u->parts[i].p)
			elf_add(&m, debug_package_section(i), u->parts[i].p, u->parts[i].len);
	}
	elf_add(&m, ".debug_str.dwo", buf_str(&strings), strings.len);
	if (elf_end_made(&m, machine) && !offsets.failed && !strings.failed)
		fd = memfd_create("dwo", MFD_CLOEXEC);
	if (fd == -1)
		fd = -errno;
	ret = fd >= 0 ? io_write(fd, m.bytes.data, m.bytes.len) : 0;
	if (ret) {
		close(fd);
		fd = ret;
	}
	elf_free_made(&m);
	buf_free(&offsets);
	buf_free(&strings);
	return fd;
}

static void put_attribute(struct buf *b, u8 name, u8 form)
{
	buf_u8(b, name);
	buf_u8(b, form);
}

/* Those of GNU have numbers of two bytes in LEB128. */
static void put_gnu_attribute(struct buf *b, u32 name, u8 form)
{
	buf_u8(b, (u8)(name | 0x80));
	buf_u8(b, (u8)(name >> 7 | 0x80));
	buf_u8(b, (u8)(name >> 14));
	buf_u8(b, form);
}

/* What the skeleton is made of. */
struct skeleton {
	u16 version;
	u8 address_size;
	u64 dwo_id, low_pc;
	char name[64]; /* of the .dwo file */
};

static void put_abbrev(struct buf *b, const struct skeleton *s)
{
	bool gnu = s->version < 5;

	buf_u8(b, 1);
	buf_u8(b, gnu ? DW_TAG_compile_unit : DW_TAG_skeleton_unit);
	buf_u8(b, 0); /* no children */
	if (gnu) {
		put_gnu_attribute(b, DW_AT_GNU_dwo_name, DW_FORM_string);
		put_gnu_attribute(b, DW_AT_GNU_dwo_id, DW_FORM_data8);
		put_gnu_attribute(b, DW_AT_GNU_addr_base, DW_FORM_sec_offset);
		put_gnu_attribute(b, DW_AT_GNU_ranges_base, DW_FORM_sec_offset);
	} else {
		put_attribute(b, DW_AT_dwo_name, DW_FORM_string);
		put_attribute(b, DW_AT_addr_base, DW_FORM_sec_offset);
	}
	put_attribute(b, DW_AT_comp_dir, DW_FORM_string);
	put_attribute(b, DW_AT_low_pc, DW_FORM_addr);
	buf_u16(b, 0);
	buf_u8(b, 0);
}

static void put_info(struct buf *b, const struct skeleton *s)
{
	struct buf unit = {0};

	buf_u16(&unit, s->version);
	if (s->version >= 5) {
		buf_u8(&unit, DW_UT_skeleton);
		buf_u8(&unit, s->address_size);
	}
	buf_u32(&unit, 0); /* abbreviations */
	if (s->version >= 5)
		buf_u64(&unit, s->dwo_id);
	else
		buf_u8(&unit, s->address_size);
	buf_u8(&unit, 1);
	buf_add(&unit, s->name, strlen(s->name) + 1);
	if (s->version < 5)
		buf_u64(&unit, s->dwo_id);
	buf_u32(&unit, 0); /* addresses */
	if (s->version < 5)
		buf_u32(&unit, 0); /* ranges */
	buf_add(&unit, "/", 2);
	if (s->address_size == 4)
		buf_u32(&unit, (u32)s->low_pc);
	else
		buf_u64(&unit, s->low_pc);
	buf_u32(b, (u32)unit.len);
	buf_add(b, unit.data, unit.len);
	b->failed |= unit.failed;
	buf_free(&unit);
}

static void add_share(struct made_elf *m, const char *name, Elf *elf, u64 base)
{
	struct image img = {.elf = elf, .fd = -1};
	struct debug_bytes all = debug_sections_bytes(&img, name);

	if (all.p && base < all.len)
		elf_add(m, name, all.p + base, MIN(all.len - (size_t)base, (size_t)SHARE_MAX));
}

/* The skeleton's own file. -ENOMEM, -EBADMSG. */
static int make_skeleton(struct debug_unpacked *out, const struct skeleton *s, Dwarf_Die *real,
			 u16 machine)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(real->cu));
	struct buf info = {0}, abbrev = {0};
	struct made_elf m;
	bool ok;

	put_info(&info, s);
	put_abbrev(&abbrev, s);
	elf_begin_made(&m);
	elf_add(&m, ".debug_info", buf_str(&info), info.len);
	elf_add(&m, ".debug_abbrev", buf_str(&abbrev), abbrev.len);
	add_share(&m, ".debug_addr", elf,
		  debug_entry_number(real, s->version < 5 ? DW_AT_GNU_addr_base : DW_AT_addr_base));
	if (s->version < 5)
		add_share(&m, ".debug_ranges", elf,
			  debug_entry_number(real, DW_AT_GNU_ranges_base));
	ok = elf_end_made(&m, machine) && !info.failed && !abbrev.failed;
	if (ok) {
		out->bytes = m.bytes;
		out->elf = elf_memory(out->bytes.data, out->bytes.len);
		out->dwarf = out->elf ? dwarf_begin_elf(out->elf, DWARF_C_READ, NULL) : NULL;
		m.bytes = (struct buf){0};
	}
	elf_free_made(&m);
	buf_free(&info);
	buf_free(&abbrev);
	return !ok ? -ENOMEM : out->dwarf ? 0 : -EBADMSG;
}

/* As libdw finds it, which has it open from then on. */
static bool find_split(struct debug_unpacked *out, Dwarf_Die *split)
{
	Dwarf_CU *next;

	if (dwarf_get_units(out->dwarf, NULL, &next, NULL, NULL, NULL, split))
		return false;
	return split->cu;
}

int debug_package_unpack(struct debug_unpacked *out, const struct debug_package *p,
			 Dwarf_Die *skeleton, Dwarf_Die *split)
{
	struct debug_package_unit unit;
	struct skeleton s = {0};
	GElf_Ehdr e;
	uint8_t type;
	Dwarf_Addr low;
	int fd, ret;

	if (p->swap ||
	    dwarf_cu_info(skeleton->cu, &s.version, &type, NULL, NULL, &s.dwo_id, &s.address_size,
			  NULL) ||
	    type != DW_UT_skeleton ||
	    !gelf_getehdr(dwarf_getelf(dwarf_cu_getdwarf(skeleton->cu)), &e))
		return -ENODATA;
	ret = debug_package_find(p, s.dwo_id, &unit);
	if (ret)
		return ret;
	s.low_pc = dwarf_lowpc(skeleton, &low) ? 0 : low;
	fd = make_dwo(p, &unit, s.version, e.e_machine);
	if (fd < 0)
		return fd;
	snprintf(s.name, sizeof(s.name), "/proc/self/fd/%d", fd);
	*split = (Dwarf_Die){0};
	ret = make_skeleton(out, &s, skeleton, e.e_machine);
	if (!ret && !find_split(out, split))
		ret = -EBADMSG;
	if (ret)
		*split = (Dwarf_Die){0};
	close(fd);
	return ret;
}

void debug_unpacked_free(struct debug_unpacked *u)
{
	dwarf_end(u->dwarf);
	elf_end(u->elf);
	buf_free(&u->bytes);
}
