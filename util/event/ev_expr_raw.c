// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "util/event/ev_expr_internal.h"
#include "util/tracepoint/tp_filter.h"

/*
 * prev_state as the event has it: 256 of a thread that could have gone on, 128 of one that is idle, else the bit of its state.
 * Source: __trace_sched_switch_state() in include/trace/events/sched.h, __task_state_index() in include/linux/sched.h.
 */
#define PREV_STATE                                                                                   \
	"prev_state=(preempt<<8)?:(((prev_state&0x402)==0x402)<<7)?:(((prev_state&0x9000)!=0)<<1)?:" \
	"((prev_state|prev->exit_state)&0x7f)"

/* Of requests that are the driver's own, or have no sector, it is 0. Source: blk_rq_trace_sector(). */
#define DEV    "dev=((rq->q->disk->major<<20)|rq->q->disk->first_minor)?:0"
#define SECTOR "sector=rq->__sector*((rq->cmd_flags&254)!=34&&rq->__sector+1!=0)"

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
	 "next_comm=next->comm,next_pid=next->pid,next_prio=next->prio," PREV_STATE},
	{"sched", "sched_wakeup,sched_waking,sched_wakeup_new",
	 "comm=p->comm,pid=p->pid,prio=p->prio,target_cpu=p->thread_info.cpu"},
	{"sched", "sched_stat_runtime", "pid=tsk->pid,runtime"},
	{"sched", "sched_stat_wait,sched_stat_sleep,sched_stat_iowait,sched_stat_blocked",
	 "pid=tsk->pid,delay"},
	{"sched", "sched_migrate_task",
	 "pid=p->pid,prio=p->prio,orig_cpu=p->thread_info.cpu,dest_cpu"},
	{"sched", "sched_process_exit", "comm=p->comm,pid=p->pid,prio=p->prio,group_dead"},
	{"sched", "sched_process_exec", "pid=p->pid,old_pid"},
	{"sched", "sched_process_fork", "parent_pid=parent->pid,child_pid=child->pid"},
	{"skb", "kfree_skb", "skbaddr=skb,location,rx_sk,protocol=skb->protocol,reason"},
	{"skb", "consume_skb", "skbaddr=skb,location"},
	{"net", "netif_receive_skb,netif_rx,net_dev_queue", "skbaddr=skb,len=skb->len"},
	{"net", "net_dev_start_xmit", "skbaddr=skb,len=skb->len"},
	{"net", "net_dev_xmit", "skbaddr=skb,len=skb_len,rc"},
	{"irq", "irq_handler_entry", "irq"},
	{"irq", "irq_handler_exit", "irq,ret"},
	{"irq", "softirq_entry,softirq_exit,softirq_raise", "vec=vec_nr"},
	{"kmem", "kmalloc", "call_site,ptr,bytes_req,bytes_alloc"},
	{"kmem", "kmem_cache_alloc", "call_site,ptr,bytes_req=s->object_size,bytes_alloc=s->size"},
	{"kmem", "kfree", "call_site,ptr"},
	{"kmem", "mm_page_alloc", "order,migratetype"},
	{"block", "block_rq_issue,block_rq_insert", DEV "," SECTOR ",bytes=rq->__data_len"},
	{"block", "block_rq_requeue,block_io_start,block_io_done", DEV "," SECTOR},
	{"block", "block_rq_complete,block_rq_error", DEV ",sector=rq->__sector"},
	{"lock", "contention_begin", "lock_addr=lock,flags"},
	{"lock", "contention_end", "lock_addr=lock,ret"},
	{"workqueue", "workqueue_queue_work,workqueue_activate_work,workqueue_execute_start",
	 "work,function=work->func"},
	{"workqueue", "workqueue_execute_end", "work,function"},
	{"sock", "inet_sock_set_state", "skaddr=sk,oldstate,newstate"},
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

const char *ev_raw_expressions(const char *system, const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].system, system) && has_name(known[i].names, name))
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

static int add_fields(struct ev_list *list, struct ev_env *env, struct ev_spec *s)
{
	struct tp_format *f = tp_format_parse(s->tp.format, strlen(s->tp.format), NULL);
	const char *item = ev_raw_expressions(s->tp.system, s->tp.name), *next;
	size_t len;
	int ret = f ? 0 : -ENOMEM;

	for (; ret >= 0 && (next = next_word(item, &len)); item = next)
		ret = add_item(list, env, s, f, item, len);
	tp_format_free(f);
	return MIN(ret, 0);
}

/* Is there a tracepoint of its name? Not of such systems, and not of what users have made. */
static bool is_raw(const struct ev_spec *s, struct ev_env *env)
{
	const struct tracefs *t = ev_env_tracefs(env, NULL);
	static const char *const others[] = {"syscalls", "ftrace", "kprobes", "uprobes",
					     "synthetic"};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(s->tp.system, others[i]))
			return false;
	return s->class == EV_TRACEPOINT && s->attr.type == PERF_TYPE_TRACEPOINT && t &&
	       !tracefs_is_dynamic(t, s->tp.system, s->tp.name, NULL);
}

/*
 * Of these, perf events of a thread see the hits that are about it, whoever runs.
 * Source: __perf_task() in include/trace/events/sched.h, the only uses of it in Linux.
 */
static bool is_of_another(const struct ev_spec *s)
{
	return !strcmp(s->tp.system, "sched") &&
	       (!strncmp(s->tp.name, "sched_stat_", 11) ||
		!strncmp(s->tp.name, "sched_wakeup", 12) || !strcmp(s->tp.name, "sched_waking"));
}

int ev_raw_add(struct ev_list *list, struct ev_env *env, struct ev_spec *s, bool fields,
	       bool by_thread, struct buf *why)
{
	if (!is_raw(s, env)) {
		buf_addf(why, "%s is no tracepoint of which a program is given the arguments",
			 s->name);
		return 0;
	}
	if (by_thread && is_of_another(s)) {
		buf_addf(why, "%s of threads may be hit while others run", s->name);
		return 0;
	}
	s->tp.expr = ev_expr_new(list, env);
	if (!s->tp.expr)
		return -ENOMEM;
	s->tp.expr->probe.tracepoint = s->tp.name;
	return fields && add_fields(list, env, s) ? -ENOMEM : 1;
}

u32 ev_raw_field(const struct ev_spec *s, const char *name)
{
	const struct probe *p = &s->tp.expr->probe;
	u32 i;

	for (i = 0; i < p->fields.nr; i++)
		if (!strcmp(p->fields.v[i].name, name))
			return i;
	return ID_NONE;
}

bool ev_raw_has_field(const struct ev_spec *s, const char *name)
{
	struct tp_format *f = tp_format_parse(s->tp.format, strlen(s->tp.format), NULL);
	bool has = !f || tp_format_field(f, name);

	tp_format_free(f);
	return has;
}

bool ev_raw_lacks(const struct ev_spec *s, const char *what, struct buf *why)
{
	buf_addf(why, "%s: programs cannot read the field %s%s", s->name, what,
		 s->attr.type == PERF_TYPE_TRACEPOINT ? ", only expressions of its arguments" : "");
	return false;
}

/* --- filters --- */

static u32 next_test(u32 number)
{
	return number == TP_FILTER_TEST_PASS   ? PROBE_TEST_PASS
	       : number == TP_FILTER_TEST_FAIL ? PROBE_TEST_FAIL
					       : number;
}

bool ev_raw_tests(const struct ev_spec *s, const struct tp_filter *f, struct probe_test *to,
		  u32 *nr, struct buf *why)
{
	static const enum probe_test_op ops[] = {
		[TP_FILTER_TEST_EQ] = PROBE_TEST_EQ,     [TP_FILTER_TEST_NE] = PROBE_TEST_NE,
		[TP_FILTER_TEST_LT] = PROBE_TEST_LT,     [TP_FILTER_TEST_LE] = PROBE_TEST_LE,
		[TP_FILTER_TEST_GT] = PROBE_TEST_GT,     [TP_FILTER_TEST_GE] = PROBE_TEST_GE,
		[TP_FILTER_TEST_BITS] = PROBE_TEST_BITS,
	};
	struct tp_filter_test tests[PROBE_TESTS_MAX];
	u32 i, at;

	*nr = tp_filter_tests(f, tests, ARRAY_SIZE(tests));
	if (*nr == ID_NONE) {
		buf_addf(why, "%s: programs test only numbers of fields, and at most %d of them",
			 s->name, PROBE_TESTS_MAX);
		return false;
	}
	for (i = 0; i < *nr; i++) {
		at = ev_raw_field(s, tests[i].field->name);
		if (at == ID_NONE || s->tp.expr->probe.fields.v[at].what != PROBE_NUMBER)
			return ev_raw_lacks(s, tests[i].field->name, why);
		to[i] = (struct probe_test){at,
					    ops[tests[i].op],
					    tests[i].number,
					    next_test(tests[i].yes),
					    next_test(tests[i].no),
					    tests[i].lacking};
	}
	return true;
}

bool ev_raw_filter(const struct ev_spec *s, const char *text, struct probe_test *to, u32 *nr,
		   struct buf *why)
{
	const struct tp_filter_opts opts = {.system = s->tp.system, .here_only = true};
	struct tp_format *f = tp_format_parse(s->tp.format, strlen(s->tp.format), NULL);
	struct tp_filter *filter = f ? tp_filter_parse(f, text, &opts, NULL) : NULL;
	bool ok = filter && ev_raw_tests(s, filter, to, nr, why);

	if (!filter)
		buf_addf(why, "%s: programs cannot test its filter", s->name);
	tp_filter_free(filter);
	tp_format_free(f);
	return ok;
}
