// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_internal.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "util/image/debug_file.h"
#include "util/image/image_unpack.h"

/*
 * The section .debug_frame: what code has that was compiled without asynchronous unwind tables, and
 * what Go makes. It is read as a whole, decompressed if need be, and indexed at the first search.
 */
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

/* The section .debug_frame of an image or of its separate debug file; NULL: there is none. */
static struct unwind_debug_frame *open_debug_frame(const struct image *img, const char *path,
						   const struct debug_file_options *where)
{
	struct unwind_debug_frame *d = copy_section(img);
	struct image debug;

	if (d || debug_file_open(img, path, where, DEBUG_FILE_DWARF, &debug, NULL))
		return d;
	d = copy_section(&debug);
	image_close(&debug);
	return d;
}

static void close_debug_frame(struct unwind_debug_frame *d)
{
	if (!d)
		return;
	cfi_find_free(&d->find);
	free(d->copy);
	free(d);
}

/*
 * Bytes of _start, where nothing says it: it sets up a few registers and calls. That of glibc's
 * ld.so calls twice, the second time all constructors of libraries; there, all code that a compiler
 * made has unwind information, so that none of it is taken for this.
 */
#define ENTRY_SIZE      32
#define ENTRY_SIZE_LONG 64

static void row_clear(struct cfi_row *row, const struct arch_unwind *arch)
{
	memset(row, 0, sizeof(*row));
	row->ra = arch->ra;
}

/* The return address is the last of `words` words on the stack. */
static bool row_words(struct cfi_row *row, const struct arch_unwind *arch, u32 words)
{
	row_clear(row, arch);
	row->cfa = (struct cfi_rule){.how = CFI_REGISTER,
				     .arg = arch->sp,
				     .value = (s64)(words + arch->cfa_words) * arch->word};
	if (!arch->link)
		row->regs[arch->ra] = (struct cfi_rule){.how = CFI_OFFSET, .value = -arch->word};
	return true;
}

static bool outermost_row(struct cfi_row *row, const struct arch_unwind *arch)
{
	row_words(row, arch, 1);
	row->regs[arch->ra] = (struct cfi_rule){.how = CFI_UNDEFINED};
	return true;
}

/* Not if the entry has unwind information of its own: then this is some other function behind it. */
static bool entry_row(struct unwind_dso *d, u64 vaddr, const struct arch_unwind *arch,
		      struct cfi_row *row)
{
	u64 entry = d->img.ehdr.e_entry;
	struct cfi_fde fde;

	if (!entry || vaddr < entry ||
	    vaddr - entry >= (d->has_eh ? ENTRY_SIZE_LONG : ENTRY_SIZE) ||
	    (d->has_eh && cfi_find(&d->eh, entry, &fde) == CFI_FOUND))
		return false;
	return outermost_row(row, arch);
}

static bool sigreturn_row(struct unwind_dso *d, u64 offset, const struct arch_unwind *arch,
			  struct cfi_row *row)
{
	const struct arch_sigreturn *g;
	const u8 *code;
	u32 i;

	for (g = arch->sigreturns; g->code; g++) {
		code = unwind_bytes_at(&d->bytes, offset, g->len);
		if (!code || memcmp(code, g->code, g->len))
			continue;
		row_clear(row, arch);
		row->signal = true;
		row->cfa = (struct cfi_rule){
			.how = CFI_VAL_EXPR, .arg = g->block_len, .expr = (const u8 *)g->block};
		for (i = 0; i < arch->nr; i++)
			row->regs[i] = (struct cfi_rule){.how = CFI_OFFSET,
							 .value = g->slots[i] * arch->word};
		return true;
	}
	return false;
}

/* Behind its system call, in which the kernel is; i386 has moved the stack pointer by then. */
static bool in_sigreturn_row(struct unwind_dso *d, u64 offset, const struct arch_unwind *arch,
			     struct cfi_row *row)
{
	const struct arch_sigreturn *g;

	for (g = arch->sigreturns; g->code && arch->word == 8; g++)
		if (offset >= g->len && sigreturn_row(d, offset - g->len, arch, row))
			return true;
	return false;
}

/* Instructions of stubs of x86. */
static const struct stub_insn {
	u8 len, nr; /* bytes, of which these say which one it is */
	u8 code[3];
	bool push;
} stub_insns[] = {
	{4, 3, {0xf3, 0x0f, 0x1e}, false}, /* endbr */
	{1, 1, {0xf2}, false},             /* bnd */
	{5, 1, {0x68}, true},              /* push $number */
	{1, 1, {0x51}, true},              /* push %ecx */
	{2, 2, {0x41, 0x53}, true},        /* push %r11 */
	{6, 2, {0xff, 0x35}, true},        /* push address */
	{6, 2, {0xff, 0xb3}, true},        /* push offset(%ebx) */
	{2, 2, {0xff, 0x31}, true},        /* push (%ecx) */
	{5, 1, {0xb9}, false},             /* mov $number,%ecx */
	{6, 2, {0x41, 0xbb}, false},       /* mov $number,%r11d */
	{6, 2, {0x8d, 0x8b}, false},       /* lea offset(%ebx),%ecx */
	{6, 2, {0xff, 0x25}, false},       /* jmp *slot */
	{6, 2, {0xff, 0xa3}, false},       /* jmp *offset(%ebx) */
	{3, 2, {0xff, 0x61}, false},       /* jmp *offset(%ecx) */
	{5, 1, {0xe9}, false},             /* jmp first */
};

static const struct stub_insn *find_stub_insn(const u8 *code)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(stub_insns); i++)
		if (!memcmp(code, stub_insns[i].code, stub_insns[i].nr))
			return &stub_insns[i];
	return NULL;
}

#define STUB 16

/*
 * Entries are "jmp *slot; push number; jmp first", with IBT "endbr; push number; jmp first", and mold's "endbr; mov number;
 * jmp *slot": each push leaves a word below the return address. The first entry finds the number there
 * already, but for mold's, which begins with endbr.
 */
static bool lazy_plt_row(struct unwind_dso *d, const GElf_Shdr *sh, u64 vaddr, u64 offset,
			 const struct arch_unwind *arch, struct cfi_row *row)
{
	const u32 at = (vaddr - sh->sh_addr) % STUB;
	const bool first = vaddr - sh->sh_addr < STUB;
	u8 code[STUB + sizeof(stub_insns->code)] = {0};
	const struct stub_insn *insn;
	u32 words = 1, i;
	const u8 *p;

	p = unwind_bytes_at(&d->bytes, offset - at, STUB);
	if (!p)
		return false;
	memcpy(code, p, STUB);
	if (first && code[0] != 0xf3)
		words++;
	for (i = 0; i < at; i += insn->len) {
		insn = find_stub_insn(code + i);
		if (!insn)
			return false;
		words += insn->push && i + insn->len <= at;
	}
	return row_words(row, arch, words);
}

/* "[endbr]; sub $n,%sp" ... "add $n,%sp; ret", as _init and _fini are put together by the linker. */
static bool init_row(struct unwind_dso *d, u64 at, u64 offset, const struct arch_unwind *arch,
		     struct cfi_row *row)
{
	static const u8 endbr[] = {0xf3, 0x0f, 0x1e}, sub[] = {0x48, 0x83, 0xec};
	u64 begin = offset - at, size = 0;
	const u8 *p;
	u8 bytes;

	if (arch->elf_machine != EM_X86_64)
		return false;
	p = unwind_bytes_at(&d->bytes, begin, 8);
	if (!p)
		return false;
	if (!memcmp(p, endbr, sizeof(endbr)))
		size = 4;
	if (memcmp(p + size, sub, sizeof(sub)))
		return false;
	bytes = p[size + 3];
	if (bytes & 0x87)
		return false;
	p = unwind_bytes_at(&d->bytes, offset, 1);
	if (!p)
		return false;
	if (at < size + 4 || *p == 0xc3)
		return row_words(row, arch, 1);
	return row_words(row, arch, 1 + bytes / 8);
}

/* "[std r2,24(r1)]; addis r12,r2; ld r12; mtctr r12; bctr" or a part of it: lld says nothing of its own. */
static bool ppc64_stub_row(struct unwind_dso *d, u64 offset, const struct arch_unwind *arch,
			   struct cfi_row *row)
{
	static const struct {
		u32 mask, value;
	} known[] = {
		{0xffffffff, 0xf8410018},
		{0xffff0000, 0x3d820000},
		{0xffff0003, 0xe98c0000},
		{0xffffffff, 0x7d8903a6},
	};
	struct cur c;
	const u8 *p;
	u32 insn, i, n;

	if (arch->elf_machine != EM_PPC64 || offset % 4)
		return false;
	for (n = 0; n <= ARRAY_SIZE(known); n++, offset += 4) {
		p = unwind_bytes_at(&d->bytes, offset, 4);
		if (!p)
			return false;
		c = cur_init(p, 4);
		insn = cur_u32(&c);
		if (insn == 0x4e800420)
			return row_words(row, arch, 0);
		for (i = 0; i < ARRAY_SIZE(known); i++)
			if ((insn & known[i].mask) == known[i].value)
				break;
		if (i == ARRAY_SIZE(known))
			return false;
	}
	return false;
}

static bool section_row(struct unwind_dso *d, u64 vaddr, u64 offset, const struct arch_unwind *arch,
			struct cfi_row *row)
{
	static const struct {
		const char *name;
		enum { LAZY_PLT, PLT, INIT } kind;
	} known[] = {
		{".plt", LAZY_PLT}, {".plt.sec", PLT}, {".plt.got", PLT},
		{".iplt", PLT},     {".init", INIT},   {".fini", INIT},
	};
	GElf_Shdr sh;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!image_section(&d->img, known[i].name, &sh) || vaddr < sh.sh_addr ||
		    vaddr - sh.sh_addr >= sh.sh_size)
			continue;
		if (known[i].kind == INIT)
			return init_row(d, vaddr - sh.sh_addr, offset, arch, row);
		if (known[i].kind == LAZY_PLT && !arch->link)
			return lazy_plt_row(d, &sh, vaddr, offset, arch, row);
		return row_words(row, arch, arch->link ? 0 : 1);
	}
	return false;
}

/*
 * What makecontext() starts returns to the first byte of a function. No call lies before it, so nothing has called that function: it is
 * the outermost one, whatever its unwind information says.
 */
static bool coroutine_row(struct unwind_dso *d, u64 vaddr, u64 offset,
			  const struct arch_unwind *arch, struct cfi_row *row)
{
	u32 len = (u32)MIN(offset + 1, (u64)ARCH_UNWIND_CALL);
	struct cfi_fde fde;
	const u8 *code;

	if (!d->has_eh || cfi_find(&d->eh, vaddr + 1, &fde) != CFI_FOUND || fde.start != vaddr + 1)
		return false;
	code = unwind_bytes_at(&d->bytes, offset + 1 - len, len);
	return code && !arch->after_call(code, len) && outermost_row(row, arch);
}

/*
 * Frames of code that comes without unwind information, but is always the same: the procedure
 * linkage table, _init and _fini, the program's entry, and what a signal handler or a coroutine returns to.
 * False: the code at `vaddr`, `offset` in the file, is none of these.
 *
 * Sources: the psABIs; crti.S of glibc and musl; the signal trampolines of the kernel and the C
 * libraries.
 */
static bool make_stub_row(struct unwind_dso *d, u64 vaddr, u64 offset,
			  const struct arch_unwind *arch, struct cfi_row *row)
{
	/* callers are looked up one byte before the return address: the code begins behind it */
	return sigreturn_row(d, offset, arch, row) || sigreturn_row(d, offset + 1, arch, row) ||
	       in_sigreturn_row(d, offset, arch, row) || section_row(d, vaddr, offset, arch, row) ||
	       ppc64_stub_row(d, offset, arch, row) || coroutine_row(d, vaddr, offset, arch, row) ||
	       entry_row(d, vaddr, arch, row);
}

/* Another process may see the file where this one does not: so many of them are asked. */
#define TRIES 4

/* Of the descriptors that a process may have, an eighth for each unwinder, within these. */
#define FILES_MIN 8
#define FILES_MAX 256

void unwind_dsos_init(struct unwind_dsos *s, const struct unwind_options *o)
{
	struct rlimit rl;

	*s = (struct unwind_dsos){.options = o, .max_files = FILES_MAX};
	if (!getrlimit(RLIMIT_NOFILE, &rl))
		s->max_files = (u32)MAX(FILES_MIN, MIN((u64)rl.rlim_cur / 8, FILES_MAX));
}

/* It may be opened again. */
static void dso_close(struct unwind_dsos *s, struct unwind_dso *d)
{
	s->nr_files -= d->img.fd >= 0;
	s->closes++;
	close_debug_frame(d->debug);
	cfi_find_free(&d->eh);
	unwind_bytes_free(&d->bytes);
	image_close(&d->img);
	*d = (struct unwind_dso){.tried_map = ID_NONE};
}

void unwind_dsos_free(struct unwind_dsos *s)
{
	u32 i;

	for (i = 0; i < s->by_id.nr; i++) {
		if (s->by_id.v[i] && s->by_id.v[i]->open)
			dso_close(s, s->by_id.v[i]);
		free(s->by_id.v[i]);
	}
	vec_free(&s->by_id);
}

static bool has_file(const struct unwind_dso *d)
{
	return d && d->open && d->img.fd >= 0;
}

void unwind_dsos_close_unmapped(struct unwind_dsos *s, const struct process_model *m)
{
	bool *mapped = s->nr_files ? calloc(s->by_id.nr, sizeof(*mapped)) : NULL;
	const struct process *p;
	u32 i, j, id;

	if (!mapped)
		return;
	for (i = 0; i < m->processes.nr; i++) {
		p = &m->processes.v[i];
		for (j = 0; j < p->maps.nr; j++) {
			id = m->maps.v[p->maps.v[j]].dso;
			if (id < s->by_id.nr)
				mapped[id] = true;
		}
	}
	for (i = 0; i < s->by_id.nr; i++)
		if (has_file(s->by_id.v[i]) && !mapped[i])
			dso_close(s, s->by_id.v[i]);
	free(mapped);
}

static void close_oldest(struct unwind_dsos *s)
{
	struct unwind_dso *d, *oldest = NULL;
	u32 i;

	for (i = 0; i < s->by_id.nr; i++) {
		d = s->by_id.v[i];
		if (has_file(d) && (!oldest || d->used < oldest->used))
			oldest = d;
	}
	if (oldest)
		dso_close(s, oldest);
}

static bool dso_open(struct unwind_dsos *s, struct unwind_dso *d, const struct process_model *m,
		     u32 map, u32 pid)
{
	if (s->nr_files >= s->max_files)
		close_oldest(s);
	if (s->options->open(s->options->ctx, m, map, pid, &d->img) < 0)
		return false;
	if (unwind_bytes_init(&d->bytes, &d->img, NULL)) {
		image_close(&d->img);
		return false;
	}
	d->nothing = image_foreign_endian(&d->img);
	d->has_eh = !d->nothing && cfi_find_init(&d->eh, &d->bytes, &d->img);
	d->where = &s->options->debug;
	d->open = true;
	s->nr_files += d->img.fd >= 0;
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
	d->used = ++s->uses;
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

enum unwind_dso_result unwind_dso_row(struct unwind_dso *d, const char *path, u64 vaddr, u64 offset,
				      const struct arch_unwind *arch, struct cfi_row *row)
{
	enum unwind_dso_result r = UNWIND_DSO_NO_CFI;

	if (d->nothing || d->img.ehdr.e_machine != arch->elf_machine)
		return UNWIND_DSO_NO_CFI;
	if (d->has_eh)
		r = row_of(&d->eh, vaddr, arch, row);
	if (r != UNWIND_DSO_NO_CFI)
		return r;
	if (!d->debug_sought)
		d->debug = open_debug_frame(&d->img, path, d->where);
	d->debug_sought = true;
	if (d->debug)
		r = row_of(&d->debug->find, vaddr, arch, row);
	if (r == UNWIND_DSO_NO_CFI && make_stub_row(d, vaddr, offset, arch, row)) {
		row->from = vaddr;
		row->to = vaddr + 1;
		r = UNWIND_DSO_ROW;
	}
	return r;
}
