// SPDX-License-Identifier: GPL-2.0
#include "util/library/drops.h"

#include <errno.h>
#include <string.h>

#include "util/event/drop_fields.h"
#include "util/event/ev_expr.h"
#include "util/profile/drop_companions.h"

#define HARDWARE_EVENT "devlink:devlink_trap_report"

/* The drops of devices, where this kernel reports them. */
static int add_hardware(struct sampling *what, struct err *err)
{
	const struct tracefs *t = ev_env_tracefs(&what->env, NULL);
	u32 id;

	if (!t || tracefs_id(t, "devlink", "devlink_trap_report", &id, NULL))
		return 0;
	return sampling_on_event(what, HARDWARE_EVENT, err);
}

/* One for all events: what is dropped is dropped for a task of the cgroup or is not. */
static int choose_cgroup(struct sampling *what, const char *name, struct err *err)
{
	if (!strchr(name, ','))
		return sampling_on_cgroup(what, name, err);
	err_set(err, EINVAL, "-G takes one cgroup, not '%s'", name);
	err_hint(err, "a cgroup includes all that are below it");
	return -EINVAL;
}

/*
 * Packets are dropped by whoever is at hand, most of them by interrupts: the drops of a command are
 * not those in its own code, so everybody's are counted while it runs.
 */
static void choose_whom(struct sampling *what)
{
	if (sampling_named(what))
		what->all_cpus = false;
}

/* Where no program may read the packet: the tracepoints that name some packets, as far as this kernel has them. */
static int add_companions(struct sampling *what, struct err *err)
{
	const struct tracefs *t = ev_env_tracefs(&what->env, NULL);
	const struct drop_companion_name *name;
	struct buf event = {0};
	u32 i, id;
	int ret = 0;

	for (i = 0; t && !ret && (name = drop_companions_name(i)); i++) {
		if (tracefs_id(t, name->system, name->name, &id, NULL))
			continue;
		buf_clear(&event);
		buf_addf(&event, "%s:%s", name->system, name->name);
		ret = event.failed ? err_nomem(err) : sampling_on_event(what, event.data, err);
	}
	buf_free(&event);
	return ret;
}

/* Do keys or the filter name what companions say? */
static bool wants_companions(const struct drops_table *t, const char *filter, u32 asked)
{
	u32 flow = 0, i;

	drop_fields_ask(&flow, "saddr", strlen("saddr"));
	for (i = 0; i < t->nr_keys; i++)
		if (drop_companions_gives(t->keys[i].name))
			return true;
	return asked & flow || (filter && strstr(filter, "flow_via"));
}

/*
 * skb:kfree_skb, with what the packet was if keys or the filter ask for it, or nobody asks otherwise. *joins: what the packet was
 * comes of other tracepoints.
 */
static int choose_default(struct drops_table *t, const struct drops_choice *c,
			  struct sampling *what, bool *joins, struct err *err)
{
	struct tp_format *own = drop_fields_own(&what->env, NULL);
	const bool everybody = what->all_cpus;
	struct err *why = &t->no_fields;
	struct buf event = {0};
	u32 asked = 0, compared = 0;
	int ret = -ENOENT;

	/* the device by itself is not worth a refusal */
	if (own && (t->chosen || everybody))
		drops_table_lacks(t, own, &asked);
	if (own && c->filter)
		drop_fields_ask_filter(&asked, c->filter);
	if (own && c->packets)
		drop_fields_ask_packet(&asked);
	if (own && c->compared)
		drops_compare_ask(&compared);
	tp_format_free(own);
	if ((asked || compared) && !ev_expr_allowed(&what->env, everybody, why) &&
	    !drop_fields_event(&what->env, asked | compared, &event, why))
		ret = sampling_on_event(what, arena_strdup(&t->arena, buf_str(&event)), why);
	buf_free(&event);
	if (!ret)
		return 0;
	ret = sampling_on_event(what, DROP_FIELDS_EVENT, err);
	if (!ret && wants_companions(t, c->filter, asked)) {
		*joins = true;
		ret = add_companions(what, err);
	}
	return ret;
}

int drops_choose_filter(const struct drops_choice *c, struct reading_fields *fields,
			struct err *err)
{
	const char *event = c->event ? c->event : DROP_FIELDS_EVENT;

	return !c->filter || reading_fields_add(fields, event, c->filter) ? 0 : err_nomem(err);
}

/* The event has those fields alone that the filter named: say which there are. */
static void hint_fields(struct err *err)
{
	struct buf names = {0};

	drop_fields_names(&names);
	err_hint(
		err,
		"fields are reason, protocol, location, location.function, %s; flow and owner are keys of --by",
		buf_str(&names));
	buf_free(&names);
}

/* What the keys are made of. */
static void choose_attrs(const struct drops_table *t, struct watching *w)
{
	struct ev_record_options *attrs = &w->what.attrs;
	const bool asked = attrs->call_chain;

	attrs->call_chain |= t->needs.kernel_chains || t->needs.user_chains;
	if (!asked && attrs->call_chain) {
		attrs->no_kernel_chain = !t->needs.kernel_chains;
		attrs->no_user_chain = !t->needs.user_chains;
	}
	if (t->needs.ip) {
		attrs->sample_ip = true;
		w->mappings = true;
	}
	watching_need(w, &t->needs.samples);
}

int drops_choose_events(struct drops_table *t, const struct drops_choice *c, struct watching *w,
			struct err *err)
{
	struct sampling *what = &w->what;
	bool joins = false;
	int ret;

	choose_whom(what);
	ret = c->event ? sampling_on_event(what, c->event, err)
		       : choose_default(t, c, what, &joins, err);
	if (ret == -ENOENT && !c->event) {
		err_set(err, ENOENT, "this kernel has no tracepoint " DROP_FIELDS_EVENT);
		err_hint(err, "it is there where the kernel is built with CONFIG_NET; "
			      "perf-lite check shows what is missing");
	}
	/* a drop that the kernel leaves out would not end what is known of its packet */
	if (!ret && joins)
		ret = drops_choose_filter(c, &w->in.select.fields, err);
	else if (!ret && c->filter)
		ret = sampling_on_filter(what, c->filter, err);
	if (ret && !joins && !c->event && c->filter && err->code == ENOENT &&
	    strncmp(err->hint, "did you mean", strlen("did you mean")) != 0)
		hint_fields(err);
	if (!ret && !c->event && !c->filter)
		ret = add_hardware(what, err);
	if (!ret && c->cgroup)
		ret = choose_cgroup(what, c->cgroup, err);
	choose_attrs(t, w);
	return ret;
}
