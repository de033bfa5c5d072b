// SPDX-License-Identifier: GPL-2.0
#include "util/profile/place_filter.h"

#include <string.h>

#include "util/base/num.h"
#include "util/profile/frame_text.h"
#include "util/profile/symboliser.h"

/*
 * functions in which an idle CPU is.
 *
 * Source: the loops of kernel/sched/idle.c and what drivers of cpuidle(9) call; x86, arm64, ppc64, s390x.
 */

#define IDLE_FUNCTIONS                                                                           \
	"do_idle,cpu_idle,cpu_idle_poll,poll_idle,default_idle,default_idle_call,arch_cpu_idle," \
	"native_safe_halt,pv_native_safe_halt,xen_safe_halt,kvm_safe_halt,pvm_safe_halt_hc,"     \
	"default_enter_idle,"                                                                    \
	"mwait_idle,mwait_idle_with_hints,intel_idle,intel_idle_ibrs,intel_idle_irq,"            \
	"acpi_idle_do_entry,acpi_safe_halt,acpi_processor_ffh_cstate_enter,haltpoll_enter_idle," \
	"cpu_do_idle,psci_cpu_suspend_enter,psci_enter_idle_state,pseries_dedicated_idle_sleep," \
	"ppc64_runlatch_off,power7_idle_insn,power9_idle_type,psw_idle,psw_idle_exit"

/* A function is named, or said by its first address in its file. */
static bool symbol_listed(const struct name_list *l, const struct frame *f)
{
	u64 addr;
	u32 i;

	if (!f->symbol)
		return false;
	if (name_list_matches(l, f->symbol))
		return true;
	for (i = 0; i < l->nr; i++)
		if (!strncmp(l->v[i], "0x", 2) && num_u64(l->v[i], &addr) &&
		    addr == f->addr - f->offset)
			return true;
	return false;
}

static bool dso_listed(const struct name_list *l, const struct symboliser *r, const struct frame *f)
{
	struct buf file = {0};
	const char *name, *slash;
	bool listed;

	if (f->dso == ID_NONE)
		return false;
	name = r->model->dsos.v[f->dso].name;
	slash = strrchr(name, '/');
	if (name_list_has(l, name) || (slash && name_list_has(l, slash + 1)))
		return true;
	/* a module is known by its name, too */
	if (!slash || r->model->dsos.v[f->dso].kind != DSO_MODULE)
		return false;
	frame_text_file(&r->model->dsos.v[f->dso], &file);
	listed = name_list_has(l, buf_str(&file));
	buf_free(&file);
	return listed;
}

int place_filter_no_idle(struct place_filter *f, struct err *err)
{
	return f->idle.nr ? 0 : name_list_add(&f->idle, IDLE_FUNCTIONS, err);
}

int place_filter_look(const struct place_filter *f, struct symboliser *r,
		      const struct session_sample *s, struct err *err)
{
	u16 cpumode = s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct frame *frame;
	u32 id;

	id = symboliser_address(r, s->thread, cpumode, s->sample->ip);
	if (id == ID_NONE)
		return err_nomem(err);
	frame = &r->frames.v[id];
	if (f->symbols.nr && symbol_listed(&f->symbols, frame) == f->symbols.except)
		return 0;
	if (f->idle.nr && frame->symbol && name_list_has(&f->idle, frame->symbol))
		return 0;
	return !f->dsos.nr || dso_listed(&f->dsos, r, frame) != f->dsos.except;
}

void place_filter_free(struct place_filter *f)
{
	name_list_free(&f->symbols);
	name_list_free(&f->dsos);
	name_list_free(&f->idle);
}
