// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_reference_internal.h"

#include <errno.h>

#ifdef __x86_64__

#include <libunwind.h>
#include <stdlib.h>

#include "util/base/hash.h"

/* In the library, in no header of it. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di,
				       unw_proc_info_t *pi, int need_unwind_info, void *arg);

#define EH_PE_TABLE 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4: what every linker writes */

/* Of an image: where the table of its .eh_frame_hdr lies. */
struct table {
	bool found;
	u64 header, entries; /* virtual addresses */
	u64 nr;
};

struct placed {
	struct unwind_module *mod;
	u64 bias;
};

/* What libunwind caches is of one process, as long as its mappings stay. */
struct space {
	unw_addr_space_t as;
	u64 maps; /* hash of them */
	/*
	 * The modules met in it. The process model may know where their code is mapped and not
	 * where their unwind information is, which libunwind reads at any time.
	 */
	VEC(struct placed) placed;
};

struct unwind_libunwind {
	struct unwind_modules modules;
	VEC(struct space) by_process;
	/* of the walk under way */
	const struct process_model *m;
	const struct thread *t;
	struct unwind_registers regs;
	struct unwind_stack stack;
	u32 process;        /* index in by_process */
	bool no_info;       /* the step's address has no unwind information */
	enum chain_end why; /* the step failed */
};

static bool read_table(struct unwind_module *mod, struct table *tab)
{
	GElf_Phdr ph;
	struct cur c;
	const u8 *p;

	/* version, three encodings, the address of .eh_frame (4 bytes), the number of entries */
	if (!image_segment(&mod->img, PT_GNU_EH_FRAME, &ph) ||
	    !(p = unwind_module_bytes(mod, ph.p_vaddr, 12)))
		return false;
	c = cur_init(p, 12);
	if (cur_u8(&c) != 1 || (cur_u8(&c) & 7) != 3 || cur_u8(&c) != 3 ||
	    cur_u8(&c) != EH_PE_TABLE)
		return false;
	cur_skip(&c, 4);
	tab->header = ph.p_vaddr;
	tab->entries = ph.p_vaddr + 12;
	tab->nr = cur_u32(&c);
	return tab->nr > 0;
}

static const struct table *find_table(struct unwind_module *mod)
{
	struct table *tab = mod->engine;

	if (!tab) {
		tab = mod->engine = calloc(1, sizeof(*tab));
		if (!tab)
			return NULL;
		tab->found = read_table(mod, tab);
	}
	return tab->found ? tab : NULL;
}

/* The module at an address of code: valid until the next one is looked up. */
static const struct placed *find_module(struct unwind_libunwind *e, u64 addr, enum chain_end *why)
{
	struct space *s = &e->by_process.v[e->process];
	struct unwind_module *mod;
	struct placed *p;
	u64 bias;
	u32 i;

	mod = unwind_modules_find(&e->modules, e->m, e->t, addr, &bias, why);
	if (!mod)
		return NULL;
	for (i = 0; i < s->placed.nr; i++)
		if (s->placed.v[i].mod == mod && s->placed.v[i].bias == bias)
			return &s->placed.v[i];
	p = vec_push(&s->placed);
	if (p)
		*p = (struct placed){.mod = mod, .bias = bias};
	return p;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need,
			  void *arg)
{
	struct unwind_libunwind *e = arg;
	const struct placed *p = find_module(e, ip, &e->why);
	const struct table *tab = p ? find_table(p->mod) : NULL;
	unw_dyn_info_t di = {.format = UNW_INFO_FORMAT_REMOTE_TABLE, .end_ip = UINT64_MAX};
	int ret = -UNW_ENOINFO;

	if (p)
		e->why = CHAIN_NO_CFI;
	if (tab) {
		di.u.rti.segbase = tab->header + p->bias;
		di.u.rti.table_data = tab->entries + p->bias;
		di.u.rti.table_len = tab->nr * 8 / sizeof(unw_word_t);
		ret = UNW_OBJ(dwarf_search_unwind_table)(as, ip, &di, pi, need, arg);
	}
	if (ret == -UNW_ENOINFO)
		e->no_info = true;
	return ret;
}

/* A word of an image; behind the end of a segment there are zeros. */
static bool read_placed(const struct placed *p, u64 addr, u64 *value)
{
	const u8 *bytes = NULL;
	u32 len;

	for (len = 8; len; len--) {
		bytes = unwind_module_bytes(p->mod, addr - p->bias, len);
		if (bytes)
			break;
	}
	*value = 0;
	if (bytes)
		memcpy(value, bytes, len);
	return bytes != NULL;
}

static bool read_image(struct unwind_libunwind *e, u64 addr, u64 *value)
{
	const struct space *s = &e->by_process.v[e->process];
	const struct placed *p;
	enum chain_end why;
	u32 i;

	for (i = s->placed.nr; i--;)
		if (read_placed(&s->placed.v[i], addr, value))
			return true;
	p = find_module(e, addr, &why);
	return p && read_placed(p, addr, value);
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *value, int write, void *arg)
{
	struct unwind_libunwind *e = arg;

	(void)as;
	if (!write && (unwind_stack_read(&e->stack, addr, sizeof(*value), value) ||
		       read_image(e, addr, value)))
		return 0;
	if (!e->no_info)
		e->why = unwind_stack_why(&e->stack, addr);
	return -UNW_EINVAL;
}

/* libunwind's numbers of the registers are DWARF's. */
static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write,
		      void *arg)
{
	const struct unwind_libunwind *e = arg;

	(void)as;
	if (write || reg < 0 || !unwind_register_known(&e->regs, (u32)reg))
		return -UNW_EBADREG;
	*value = e->regs.value[reg];
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)as, (void)reg, (void)value, (void)write, (void)arg;
	return -UNW_EBADREG;
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *addr, void *arg)
{
	(void)as, (void)addr, (void)arg;
	return -UNW_ENOINFO;
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as, (void)pi, (void)arg;
}

static int resume(unw_addr_space_t as, unw_cursor_t *c, void *arg)
{
	(void)as, (void)c, (void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t addr, char *buf, size_t len,
			 unw_word_t *offset, void *arg)
{
	(void)as, (void)addr, (void)buf, (void)len, (void)offset, (void)arg;
	return -UNW_EINVAL;
}

static const unw_accessors_t accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = put_unwind_info,
	.get_dyn_info_list_addr = get_dyn_info_list_addr,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = access_fpreg,
	.resume = resume,
	.get_proc_name = get_proc_name,
};

struct unwind_libunwind *unwind_libunwind_new(const struct unwind_options *o, struct err *err)
{
	struct unwind_libunwind *e = calloc(1, sizeof(*e));

	if (!e) {
		err_nomem(err);
		return NULL;
	}
	e->modules.options = o;
	return e;
}

void unwind_libunwind_free(struct unwind_libunwind *e)
{
	u32 i;

	if (!e)
		return;
	for (i = 0; i < e->by_process.nr; i++) {
		if (e->by_process.v[i].as)
			unw_destroy_addr_space(e->by_process.v[i].as);
		vec_free(&e->by_process.v[i].placed);
	}
	vec_free(&e->by_process);
	unwind_modules_free(&e->modules);
	free(e);
}

static unw_addr_space_t find_space(struct unwind_libunwind *e)
{
	const struct process *p = &e->m->processes.v[e->t->process];
	u64 maps = hash_bytes(p->maps.v, p->maps.nr * sizeof(*p->maps.v));
	struct space *s;

	while (e->by_process.nr <= e->t->process)
		if (!vec_push(&e->by_process))
			return NULL;
	s = &e->by_process.v[e->t->process];
	if (!s->as) {
		/* it copies the accessors, and takes them by a plain pointer */
		s->as = unw_create_addr_space((unw_accessors_t *)(uintptr_t)&accessors, 0);
		if (!s->as)
			return NULL;
		unw_set_caching_policy(s->as, UNW_CACHE_GLOBAL);
	} else if (s->maps != maps) {
		unw_flush_cache(s->as, 0, 0);
		s->placed.nr = 0;
	}
	s->maps = maps;
	return s->as;
}

/* One frame up; false: w->why says why not. */
static bool step_to_caller(struct unwind_libunwind *e, unw_cursor_t *c)
{
	int ret;

	e->no_info = false;
	e->why = CHAIN_BAD_CFI;
	ret = unw_step(c);
	/* without unwind information it goes on by the frame pointer: a guess */
	if (e->no_info)
		return false;
	if (!ret)
		e->why = CHAIN_ROOT;
	return ret > 0;
}

static u32 walk_frames(struct unwind_libunwind *e, unw_cursor_t *c, u64 *chain, u32 max)
{
	unw_word_t ip, sp = 0, was;
	bool signal = false;
	u32 nr = 0;

	for (;;) {
		was = sp;
		/* said of the frame that was interrupted, not of the trampoline */
		signal = nr && unw_is_signal_frame(c) > 0;
		e->why = CHAIN_BAD_STACK;
		if (unw_get_reg(c, UNW_REG_IP, &ip) || unw_get_reg(c, UNW_REG_SP, &sp) ||
		    /* only the first may have no frame, with its return address in a register */
		    (nr && !signal && (nr == 1 ? sp < was : sp <= was)))
			break;
		e->why = CHAIN_ROOT;
		if (nr && !ip)
			break;
		e->why = CHAIN_LIMIT;
		if (nr + 2 + signal > max)
			break;
		if (signal)
			chain[nr++] = CHAIN_SIGNAL;
		chain[nr++] = ip;
		if (!step_to_caller(e, c))
			break;
	}
	chain[nr++] = CHAIN_END + e->why;
	return nr;
}

u32 unwind_libunwind_chain(struct unwind_libunwind *e, const struct process_model *m,
			   const struct thread *t, const struct unwind_input *in, u64 *chain,
			   u32 max)
{
	const struct arch_unwind *k = &arch_unwind_x86_64;
	unw_addr_space_t as;
	unw_cursor_t c;

	e->m = m;
	e->t = t;
	e->process = t->process;
	as = find_space(e);
	if (as && arch_unwind_find(e->modules.options->arch, in->abi) == k &&
	    unwind_registers_load(&e->regs, k, in)) {
		e->stack = (struct unwind_stack){.start = e->regs.value[k->sp],
						 .size = in->size,
						 .bytes = in->stack,
						 .cut = in->cut};
		if (!unw_init_remote(&c, as, e))
			return walk_frames(e, &c, chain, max);
	}
	chain[0] = CHAIN_END + CHAIN_NO_UNWIND;
	return 1;
}

#else /* libunwind unwinds only what the machine runs that it was built for */

struct unwind_libunwind *unwind_libunwind_new(const struct unwind_options *o, struct err *err)
{
	(void)o;
	err_set(err, ENOTSUP, "libunwind unwinds x86-64 alone, and on x86-64 alone");
	return NULL;
}

void unwind_libunwind_free(struct unwind_libunwind *e)
{
	(void)e;
}

u32 unwind_libunwind_chain(struct unwind_libunwind *e, const struct process_model *m,
			   const struct thread *t, const struct unwind_input *in, u64 *chain,
			   u32 max)
{
	(void)e, (void)m, (void)t, (void)in, (void)max;
	chain[0] = CHAIN_END + CHAIN_NO_UNWIND;
	return 1;
}

#endif
