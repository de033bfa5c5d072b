// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_reference_internal.h"

#include <stdlib.h>
#include <string.h>

#include "util/image/image_unpack.h"

/* A register of the sample, by perf's number. */
static bool input_register(const struct unwind_input *in, u32 word, u32 perf, u64 *value)
{
	if (perf >= 64 || !(in->mask >> perf & 1))
		return false;
	memcpy(value, in->regs + __builtin_popcountll(in->mask & ((1ull << perf) - 1)),
	       sizeof(*value));
	/* the upper halves are nothing that a 32-bit process has */
	if (word == 4)
		*value = (u32)*value;
	return true;
}

bool unwind_registers_load(struct unwind_registers *r, const struct arch_unwind *k,
			   const struct unwind_input *in)
{
	u32 i;

	*r = (struct unwind_registers){0};
	for (i = 0; i < k->nr; i++)
		if (input_register(in, k->word, k->perf[i], &r->value[i]))
			r->known |= 1ull << i;
	return input_register(in, k->word, k->pc, &r->ip) && unwind_register_known(r, k->sp);
}

bool unwind_stack_read(const struct unwind_stack *s, u64 addr, u32 len, u64 *value)
{
	u64 at = addr - s->start;

	if (at >= s->size || s->size - at < len)
		return false;
	*value = 0;
	memcpy(value, s->bytes + at, len);
	return true;
}

enum chain_end unwind_stack_why(const struct unwind_stack *s, u64 addr)
{
	if (!s->size)
		return CHAIN_NO_STACK;
	return s->cut && addr >= s->start ? CHAIN_CUT : CHAIN_BAD_STACK;
}

static struct unwind_module *module_of(struct unwind_modules *s, u32 dso)
{
	while (s->by_dso.nr <= dso)
		if (!vec_push(&s->by_dso))
			return NULL;
	if (!s->by_dso.v[dso])
		s->by_dso.v[dso] = calloc(1, sizeof(struct unwind_module));
	return s->by_dso.v[dso];
}

static void module_open(struct unwind_modules *s, struct unwind_module *mod,
			const struct process_model *m, u32 map, u32 pid)
{
	const struct dso *d = &m->dsos.v[m->maps.v[map].dso];

	mod->tried = true;
	mod->why = CHAIN_NO_CFI;
	if (!dso_has_image(d))
		return;
	mod->why = d->kind == DSO_MEMFD ? CHAIN_NO_CFI : CHAIN_NO_FILE;
	if (s->options->open(s->options->ctx, m, map, pid, &mod->img) < 0)
		return;
	mod->open = true;
	mod->segments = calloc(mod->img.loads.nr + 1, sizeof(Elf_Data *));
	if (!image_unpack_check(&mod->img, NULL))
		mod->dwarf = dwarf_begin_elf(mod->img.elf, DWARF_C_READ, NULL);
	mod->debug = mod->dwarf ? dwarf_getcfi(mod->dwarf) : NULL;
	mod->eh = dwarf_getcfi_elf(mod->img.elf);
}

struct unwind_module *unwind_modules_find(struct unwind_modules *s, const struct process_model *m,
					  const struct thread *t, u64 addr, u64 *bias,
					  enum chain_end *why)
{
	u32 id = process_find_map(m, t, addr);
	struct unwind_module *mod;
	u64 vaddr;

	*why = CHAIN_NO_MAP;
	if (id == ID_NONE)
		return NULL;
	mod = module_of(s, m->maps.v[id].dso);
	*why = CHAIN_NO_FILE;
	if (!mod)
		return NULL;
	if (!mod->tried)
		module_open(s, mod, m, id, t->pid);
	*why = mod->why;
	if (!mod->open)
		return NULL;
	if (!image_vaddr(&mod->img, map_offset(&m->maps.v[id], addr), &vaddr)) {
		*why = CHAIN_NO_CFI;
		return NULL;
	}
	*bias = addr - vaddr;
	return mod;
}

static void module_free(struct unwind_module *mod)
{
	if (mod->eh)
		dwarf_cfi_end(mod->eh);
	if (mod->dwarf)
		dwarf_end(mod->dwarf);
	if (mod->open)
		image_close(&mod->img);
	free(mod->segments);
	free(mod->engine);
	free(mod);
}

void unwind_modules_free(struct unwind_modules *s)
{
	u32 i;

	for (i = 0; i < s->by_dso.nr; i++)
		if (s->by_dso.v[i])
			module_free(s->by_dso.v[i]);
	vec_free(&s->by_dso);
}

const u8 *unwind_module_bytes(struct unwind_module *mod, u64 vaddr, size_t len)
{
	u32 i;

	for (i = 0; mod->segments && i < mod->img.loads.nr; i++) {
		const GElf_Phdr *ph = &mod->img.loads.v[i];
		u64 at = vaddr - ph->p_vaddr;

		if (at >= ph->p_filesz || ph->p_filesz - at < len)
			continue;
		if (!mod->segments[i])
			mod->segments[i] = elf_getdata_rawchunk(mod->img.elf, (s64)ph->p_offset,
								(size_t)ph->p_filesz, ELF_T_BYTE);
		return mod->segments[i] && mod->segments[i]->d_buf
			       ? (const u8 *)mod->segments[i]->d_buf + at
			       : NULL;
	}
	return NULL;
}
