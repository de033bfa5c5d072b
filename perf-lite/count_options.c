// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf-lite/metrics_file.h"
#include "util/base/num.h"
#include "util/base/text.h"

static const char notes[] =
	"Keys: comm, pid, tid, cpu, event, kstack[:N], ustack[:N], stack[:N] (call chains, N frames), sym,\n"
	"dso, and every field of a tracepoint: FIELD, EVENT.FIELD, FIELD.function of an address.\n\n"
	"Examples:\n"
	"  perf-lite count -e skb:kfree_skb --by reason,comm       who drops packets, and why\n"
	"  perf-lite count -e skb:kfree_skb --by kstack:5 --top 3  the paths that most of them take\n"
	"  perf-lite count -e syscalls:sys_exit_read --of ret --hist -p 1234   sizes of reads\n"
	"  perf-lite count -e sched:sched_switch -I 1              how many in each second\n\n"
	"Exit codes: that of the command (128 + signal; 126, 127: it cannot be run), else 0; 1 wrong usage,\n"
	"2 could not start, 3 a recording is damaged (what could be read was counted).\n";

int count_options_on_by(void *value, const char *arg, struct err *err)
{
	struct buf *by = &((struct count_request *)value)->by;

	if (!arg[strspn(arg, ", ")]) {
		err_set(err, EINVAL, "no key is named");
		err_hint(err, "for example --by comm,pid");
		return -EINVAL;
	}
	buf_addf(by, "%s%s", by->len ? "," : "", arg);
	return by->failed ? err_nomem(err) : 0;
}

int count_options_on_hist(void *value, const char *arg, struct err *err)
{
	struct count_request *q = value;

	q->hist = true;
	q->table.what = COUNT_LOG2;
	return arg ? count_table_parse_hist(arg, &q->table, err) : 0;
}

int count_options_on_quantiles(void *value, const char *arg, struct err *err)
{
	struct count_request *q = value;

	q->quantiled = true;
	return arg ? count_text_parse_quantiles(arg, q->quantiles, &q->nr_quantiles, err) : 0;
}

int count_options_on_interval(void *value, const char *arg, struct err *err)
{
	struct count_request *q = value;

	if (num_duration(arg, &q->interval_ns) && q->interval_ns >= 1000000) {
		watching_note_interval(&q->w, arg, q->interval_ns);
		return 0;
	}
	err_set(err, EINVAL, "-I: '%s' is not a time of a millisecond or more", arg);
	err_hint(err, "seconds, as in -I 1 or -I 0.1, or with their unit: -I 100ms");
	return -EINVAL;
}

int count_options_on_sort(void *value, const char *arg, struct err *err)
{
	static const char *const orders[] = {"count", "sum", "mean", "max"};
	struct count_request *q = value;
	struct text_suggest suggest;
	u32 i;

	text_suggest_init(&suggest, arg);
	q->order_given = true;
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		text_suggest_add(&suggest, orders[i]);
		q->order = (enum count_order)i;
		if (!strcmp(arg, orders[i]))
			return 0;
	}
	err_set(err, EINVAL, "--sort takes count, sum, mean or max, not '%s'", arg);
	if (suggest.best)
		err_hint(err, "did you mean --sort %s?", suggest.best);
	return -EINVAL;
}

int count_options_on_engine(void *value, const char *arg, struct err *err)
{
	struct count_request *q = value;

	q->engine = !strcmp(arg, "bpf") ? COUNT_ENGINE_BPF : COUNT_ENGINE_PERF;
	if (!strcmp(arg, "bpf") || !strcmp(arg, "perf"))
		return 0;
	err_set(err, EINVAL, "--engine takes perf or bpf, not '%s'", arg);
	err_hint(err, "without it, the one that costs less and can do what is asked");
	return -EINVAL;
}

static int set_form(void *value, enum count_form form, struct err *err)
{
	struct count_request *q = value;

	if (q->form != COUNT_FORM_TEXT && q->form != form)
		return err_set(
			err, EINVAL,
			"only one of --json, --csv, --folded and --openmetrics can be printed");
	q->form = form;
	return 0;
}

int count_options_on_json(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_form(value, COUNT_FORM_JSON, err);
}

int count_options_on_csv(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_form(value, COUNT_FORM_CSV, err);
}

int count_options_on_folded(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return set_form(value, COUNT_FORM_FOLDED, err);
}

int count_options_on_metrics(void *value, const char *arg, struct err *err)
{
	((struct count_request *)value)->metrics = arg;
	return set_form(value, COUNT_FORM_METRICS, err);
}

/* --- what goes together --- */

static int check_values(struct count_request *q, struct err *err)
{
	if (!q->of && (q->sum || q->hist || q->quantiled))
		return err_refuse(
			err, "--sum, --hist and --quantiles are of a number, and none is named",
			"name a field of the event: --of len --sum; perf-lite list -v EVENT has them");
	if (!q->of && q->order_given && q->order != COUNT_ORDER_NUMBER)
		return err_refuse(err, "--sort: without --of there are only counts to sort by",
				  "name a field of the event: --of len --sort sum");
	if (q->hist && q->quantiled)
		return err_refuse(err, "--hist and --quantiles are two views of the same numbers",
				  "give one of them");
	if (q->of && q->form == COUNT_FORM_FOLDED && (q->hist || q->quantiled))
		return err_refuse(err, "--folded has one number for each stack: a count or a sum",
				  "leave out --hist and --quantiles");
	if (q->quantiled)
		q->table.what = COUNT_QUANTILES;
	else if (q->of && !q->hist)
		q->table.what = COUNT_SUM;
	if (q->table.what == COUNT_SUM && !q->order_given)
		q->order = COUNT_ORDER_SUM;
	return 0;
}

int count_options_form(struct count_request *q, struct err *err)
{
	if (q->form == COUNT_FORM_METRICS) {
		if (q->top)
			return err_refuse(
				err,
				"--openmetrics has a number for each row, and --top leaves out some",
				"leave out --top; fewer keys make fewer rows");
		if (q->order_given)
			return err_refuse(err,
					  "--sort is for a table, and --openmetrics writes none",
					  "leave out --sort");
		if (!q->interval_ns && !q->w.input)
			q->interval_ns = METRICS_INTERVAL_NS;
		q->w.own_output = !strcmp(q->metrics, "-");
		return metrics_file_check(q->metrics, err);
	}
	if (q->interval_ns && q->form == COUNT_FORM_FOLDED)
		return err_refuse(err,
				  "--folded is one set of stacks, -I makes one for each interval",
				  "leave out one of them");
	if (q->interval_ns && q->form == COUNT_FORM_CSV)
		return err_refuse(err, "--csv is one table, -I makes one for each interval",
				  "--json with -I has an object for each interval");
	q->w.own_output = q->interval_ns && q->form == COUNT_FORM_JSON;
	return 0;
}

static bool has_stack(const struct count_keys *k)
{
	u32 i;

	for (i = 0; i < k->nr; i++)
		if (sample_key_is_stack(k->v[i].kind) && !k->v[i].other)
			return true;
	return false;
}

int count_options_keys(struct count_request *q, struct err *err)
{
	bool stacks = q->w.what.attrs.call_chain;
	const char *other = q->keys.other;
	int ret;

	if (!q->by.len && !stacks)
		buf_adds(&q->by, "event");
	ret = q->by.len ? count_keys_parse(&q->keys, buf_str(&q->by), q->of, err) : 0;
	if (ret || !stacks || has_stack(&q->keys))
		return ret;
	buf_addf(&q->by, "%sstack", q->by.len ? "," : "");
	count_keys_free(&q->keys);
	q->keys.other = other;
	return q->by.failed ? err_nomem(err)
			    : count_keys_parse(&q->keys, buf_str(&q->by), q->of, err);
}

static int check(struct count_request *q, const struct opt_rest *rest, struct err *err)
{
	int ret;

	if (!q->w.input && !q->w.what.any_event) {
		err_set(err, EINVAL, "nothing to count: no event is named");
		err_hint(
			err,
			"perf-lite count -e skb:kfree_skb; perf-lite list shows what there is, -i FILE counts "
			"what was recorded");
		return -EINVAL;
	}
	if (rest->argc)
		q->command = rest->argv;
	ret = watching_check(&q->w, err);
	if (!ret)
		ret = watching_events(&q->w, err);
	if (!ret)
		ret = check_values(q, err);
	if (!ret)
		ret = count_options_form(q, err);
	if (!ret)
		ret = count_options_keys(q, err);
	return ret;
}

#define OPT_STRUCT struct count_request

static const struct opt opts[] = {
	OPT_GROUP("What"),
	OPT_INCLUDE(sampling_event_opts, w.what),
	OPT_INCLUDE(watching_input_opts, w),
	OPT_INCLUDE(sampling_rate_opts, w.what),
	OPT_GROUP("Grouping and sums"),
	OPT_CALL(0, "by", "KEY,...", count_options_on_by,
		 "group by comm, pid, cpu, kstack, FIELD ..."),
	OPT_INCLUDE(sampling_stack_opts, w.what),
	OPT_STRING(0, "of", "FIELD", of,
		   "add up this number of each event; period: that of each sample"),
	OPT_FLAG(0, "sum", sum, "print its sum, mean, minimum and maximum (default with --of)"),
	OPT_CALL(0, "hist", "HOW", count_options_on_hist,
		 "print its histogram, by powers of two or linear[:FROM:TO:STEP]",
		 OPT_ARG_OPTIONAL),
	OPT_CALL(0, "quantiles", "P,...", count_options_on_quantiles,
		 "print its exact quantiles (default 50,90,99,99.9,max)", OPT_ARG_OPTIONAL),
	OPT_INCLUDE(watching_target_opts, w),
	OPT_CALL_ON(0, "time", "FROM,TO", w.in, reading_on_time,
		    "with -i, only between these times, in seconds, or a part: 10%/2, 0%-10%"),
	OPT_GROUP("Output"),
	OPT_CALL('I', "interval", "SEC", count_options_on_interval,
		 "print a table for each interval instead of one for the whole"),
	OPT_UINT(0, "top", "N", top, "print the first N rows, and one line for the others"),
	OPT_CALL(0, "sort", "BY", count_options_on_sort, "sort rows by count, sum, mean or max"),
	OPT_CALL(0, "json", NULL, count_options_on_json, "print a JSON object for each table"),
	OPT_CALL(0, "csv", NULL, count_options_on_csv, "print comma-separated values"),
	OPT_CALL(0, "folded", NULL, count_options_on_folded,
		 "print folded stacks (a;b;c 12), for flame graphs"),
	OPT_CALL(0, "openmetrics", "FILE", count_options_on_metrics,
		 "write all since the start to FILE for Prometheus, every 10 s or -I"),
	OPT_CALL_ON(0, "color", "WHEN", colour, terminal_colour_option, "auto, always, never",
		    OPT_ARG_OPTIONAL),
	OPT_UINT(0, "max-stack", "N", w.in.max_stack, "use at most N frames of each stack (all)"),
	OPT_INCLUDE(reading_name_opts, w.in),
	OPT_GROUP("Other"),
	OPT_CALL(0, "engine", "WHICH", count_options_on_engine,
		 "count by bpf (programs in the kernel) or perf (perf events)"),
	OPT_INCLUDE(sampling_busy_buffer_opts, w.what),
	OPT_FLAG('v', "verbose", verbose, "say why programs in the kernel do not count"),
	OPT_INCLUDE(reading_other_opts, w.in),
	OPT_END,
};

static const struct opt_table table = {
	.command = "count",
	.summary = "count events, grouped by field, task or stack",
	.usage = {"[options] -e EVENT [--by KEY,...] [--] [COMMAND [ARG...]]",
		  "[options] -i FILE [--by KEY,...]"},
	.opts = opts,
	.notes = notes,
	.stop_at_operand = true,
};

int count_options(struct count_request *q, int argc, char **argv, struct opt_rest *rest,
		  struct err *err)
{
	int ret = cmd_options(&table, q, argc, argv, rest, err);

	return ret || rest->help ? ret : check(q, rest, err);
}

void count_options_free(struct count_request *q)
{
	count_keys_free(&q->keys);
	buf_free(&q->by);
}
