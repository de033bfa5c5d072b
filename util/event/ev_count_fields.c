// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "util/event/ev_expr_internal.h"

/*
 * What a raw tracepoint's arguments, which programs get, have to do with the fields of the tracepoint: the kernel computes
 * these in code that no format shows. NAME is the argument of that name, NAME=EXPRESSION another one. Fields that are
 * strings of any length are not among them. Source: TP_fast_assign() in Linux' include/trace/events.
 */
static const struct {
	const char *system, *names, *fields;
} known[] = {
	{"raw_syscalls", "sys_enter", "id"},
	{"raw_syscalls", "sys_exit", "ret"},
	{"sched", "sched_switch",
	 "prev_comm=prev->comm,prev_pid=prev->pid,prev_prio=prev->prio,"
	 "next_comm=next->comm,next_pid=next->pid,next_prio=next->prio"},
	{"sched", "sched_wakeup,sched_waking,sched_wakeup_new",
	 "comm=p->comm,pid=p->pid,prio=p->prio,target_cpu=p->thread_info.cpu"},
	{"sched", "sched_stat_runtime", "pid=tsk->pid,runtime"},
	{"sched", "sched_stat_wait,sched_stat_sleep,sched_stat_iowait,sched_stat_blocked",
	 "pid=tsk->pid,delay"},
	{"sched", "sched_migrate_task",
	 "pid=p->pid,prio=p->prio,orig_cpu=p->thread_info.cpu,dest_cpu"},
	{"sched", "sched_process_exit", "comm=p->comm,pid=p->pid,prio=p->prio,group_dead"},
	{"sched", "sched_process_fork", "parent_pid=parent->pid,child_pid=child->pid"},
	{"skb", "kfree_skb", "skbaddr=skb,location,rx_sk,protocol=skb->protocol,reason"},
	{"skb", "consume_skb", "skbaddr=skb,location"},
	{"net", "netif_receive_skb,netif_rx,net_dev_queue", "skbaddr=skb,len=skb->len"},
	{"net", "net_dev_xmit", "skbaddr=skb,len=skb_len,rc"},
	{"irq", "irq_handler_entry", "irq"},
	{"irq", "irq_handler_exit", "irq,ret"},
	{"irq", "softirq_entry,softirq_exit,softirq_raise", "vec=vec_nr"},
	{"kmem", "kmalloc", "call_site,ptr,bytes_req,bytes_alloc"},
	{"kmem", "kmem_cache_alloc", "call_site,ptr,bytes_req=s->object_size,bytes_alloc=s->size"},
	{"kmem", "kfree", "call_site,ptr"},
	{"kmem", "mm_page_alloc", "order,migratetype"},
	{"block", "block_rq_issue,block_rq_insert", "bytes=rq->__data_len"},
	{"exceptions", "page_fault_user,page_fault_kernel", "address,ip=regs->ip,error_code"},
	{"signal", "signal_generate", "sig,comm=task->comm,pid=task->pid,group,result"},
	{"power", "cpu_idle", "state,cpu_id"},
	{"power", "cpu_frequency", "state=frequency,cpu_id"},
};

/* Behind the word and its comma; NULL at the end. */
static const char *next_word(const char *list, size_t *len)
{
	if (!list || !*list)
		return NULL;
	*len = strcspn(list, ",");
	return list + *len + (list[*len] == ',');
}

static bool has_name(const char *list, const char *name)
{
	const char *word;
	size_t len;

	for (word = list; (list = next_word(word, &len)); word = list)
		if (strlen(name) == len && !strncmp(word, name, len))
			return true;
	return false;
}

static const char *fields_of(const struct ev_spec *s)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].system, s->tp.system) && has_name(known[i].names, s->tp.name))
			return known[i].fields;
	return NULL;
}

/* The first argument behind the registers: known without types, and so at once. */
static const struct expr *second_argument(struct ev_list *list, const struct tp_field *field)
{
	struct expr *e = arena_alloc(&list->arena, sizeof(*e));

	if (e)
		*e = (struct expr){
			.op = EXPR_CONTEXT,
			.type = {.kind = EXPR_NUMBER,
				 .size = field->size,
				 .is_signed = field->is_signed},
			.value = sizeof(u64),
		};
	return e;
}

/* A field whose value is `from`, as the tracepoint has it. False: it is something else. */
static bool fit_field(const struct probe_field *from, const struct tp_field *field,
		      struct probe_field *to)
{
	const bool is_number = from->what == PROBE_NUMBER && !field->is_array && field->size <= 8;
	const bool is_text =
		from->what == PROBE_STRING && field->is_string && field->size == from->size;

	*to = *from;
	to->name = field->name;
	to->offset = field->offset;
	to->size = field->size;
	to->is_signed = field->is_signed;
	return field->loc == TP_LOC_FIXED && (is_number || is_text);
}

/* `item` as the kernel's types have it: 1; 0: they do not; -ENOMEM. */
static int parse_item(struct ev_list *list, const struct ev_spec *s, const struct btf *btf,
		      const char *item, size_t len, const struct tp_field *field,
		      struct probe_field *to)
{
	const struct probe_source from = {.btf = btf, .name = s->tp.name, .arena = &list->arena};
	const char *text = arena_printf(&list->arena, "%.*s)", (int)len, item), *at;
	struct probe one = {0};
	struct err err = {0};
	int ret = text ? probe_parse(&one, &from, &text, &at, &err) : -ENOMEM;

	if (!ret)
		ret = one.fields.nr == 1 && fit_field(&one.fields.v[0], field, to);
	probe_free(&one);
	return ret == -ENOMEM ? ret : ret > 0;
}

static int add_item(struct ev_list *list, struct ev_env *env, struct ev_spec *s,
		    const struct tp_format *f, const char *item, size_t len)
{
	const char *name = arena_strndup(&list->arena, item, MIN(len, strcspn(item, "=,")));
	const struct tp_field *field = name ? tp_format_field(f, name) : NULL;
	struct probe *p = &s->tp.expr->probe;
	struct probe_field found = {.what = PROBE_NUMBER}, *to;
	const struct btf *btf;
	int ret = 1;

	if (!field)
		return name ? 0 : -ENOMEM;
	name = arena_strdup(&list->arena, field->name);
	if (!strcmp(s->tp.system, "raw_syscalls")) {
		found.e = second_argument(list, field);
		found.size = field->size;
		ret = found.e ? fit_field(&found, field, &found) : -ENOMEM;
	} else {
		btf = ev_env_btf(env, NULL);
		ret = btf ? parse_item(list, s, btf, item, len, field, &found) : 0;
	}
	to = ret > 0 && name ? vec_push(&p->fields) : NULL;
	if (!to)
		return ret > 0 ? -ENOMEM : ret;
	*to = found;
	to->name = name;
	p->size = MAX(p->size, field->offset + field->size);
	return 1;
}

int ev_count_add_fields(struct ev_list *list, struct ev_env *env, struct ev_spec *s)
{
	struct tp_format *f = tp_format_parse(s->tp.format, strlen(s->tp.format), NULL);
	const char *item = fields_of(s), *next;
	size_t len;
	int ret = f ? 0 : -ENOMEM;

	for (; ret >= 0 && (next = next_word(item, &len)); item = next)
		ret = add_item(list, env, s, f, item, len);
	tp_format_free(f);
	return MIN(ret, 0);
}
