// SPDX-License-Identifier: GPL-2.0
#include "util/library/reading.h"

int reading_on_pids(void *reading, const char *arg, struct err *err)
{
	return sample_filter_numbers(&((struct reading *)reading)->filter.pids, arg, "process id",
				     err);
}

int reading_on_tids(void *reading, const char *arg, struct err *err)
{
	return sample_filter_numbers(&((struct reading *)reading)->filter.tids, arg, "thread id",
				     err);
}

int reading_on_cpus(void *reading, const char *arg, struct err *err)
{
	return sample_filter_numbers(&((struct reading *)reading)->filter.cpus, arg, "CPU number",
				     err);
}

int reading_on_comms(void *reading, const char *arg, struct err *err)
{
	return sample_filter_comms(&((struct reading *)reading)->filter, arg, err);
}

int reading_on_time(void *reading, const char *arg, struct err *err)
{
	struct reading *r = reading;

	if (r->prints_times && time_form_is_word(arg)) {
		r->time_word = arg;
		return time_form_parse(&r->time_form, arg, err);
	}
	r->times = arg;
	return sample_filter_time(&r->filter, arg, err);
}

static int on_parallelism(void *reading, const char *arg, struct err *err)
{
	return sample_filter_numbers(&((struct reading *)reading)->filter.running, arg,
				     "number of threads", err);
}

static int on_filter(void *reading, const char *arg, struct err *err)
{
	if (!reading_fields_add(&((struct reading *)reading)->select.fields, NULL, arg))
		return err_nomem(err);
	return 0;
}

int reading_on_symbols(void *reading, const char *arg, struct err *err)
{
	return name_list_choose(&((struct reading *)reading)->select.places.symbols, arg, err);
}

int reading_on_dsos(void *reading, const char *arg, struct err *err)
{
	return name_list_choose(&((struct reading *)reading)->select.places.dsos, arg, err);
}

static int on_no_idle(void *reading, const char *arg, struct err *err)
{
	(void)arg;
	return place_filter_no_idle(&((struct reading *)reading)->select.places, err);
}

#define OPT_STRUCT struct session_options

const struct opt reading_symbol_opts[] = {
	OPT_STRING(0, "symfs", "DIR", symfs, "look for binaries under DIR instead of /"),
	OPT_FLAG(0, "debuginfod", debuginfod,
		 "fetch missing debug files from the servers in DEBUGINFOD_URLS"),
	OPT_STRING(0, "kallsyms", "FILE", kallsyms, "read kernel symbols from FILE"),
	OPT_STRING('k', "vmlinux", "FILE", vmlinux, "read kernel symbols from this image"),
	OPT_END,
};

#undef OPT_STRUCT
#define OPT_STRUCT struct reading

const struct opt reading_input_opts[] = {
	OPT_GROUP("Input"),
	OPT_STRING('i', "input", "FILE", session.path,
		   "the recording; - is standard input (default perf-lite.data)"),
	OPT_INCLUDE(reading_symbol_opts, session),
	OPT_END,
};

const struct opt reading_sample_opts[] = {
	OPT_GROUP("Which samples"),
	OPT_STRING(0, "event", "NAME", event, "only this event"),
	OPT_CALL('c', "comms", "NAME,...", reading_on_comms,
		 "only these commands; '!LIST' (here and below): all others"),
	OPT_CALL(0, "pid", "PID,...", reading_on_pids, "only these processes"),
	OPT_CALL(0, "tid", "TID,...", reading_on_tids, "only these threads"),
	OPT_CALL('C', "cpu", "CPU,...", reading_on_cpus, "only these CPUs (0,2-4)"),
	OPT_CALL(0, "parallelism", "N,...", on_parallelism,
		 "only while so many threads ran (record --latency)"),
	OPT_CALL(0, "time", "FROM,TO", reading_on_time,
		 "only between these times, in seconds, or a part: 10%/2, 0%-10%"),
	OPT_CALL(0, "filter", "EXPR", on_filter,
		 "only tracepoints that match: 'reason == NO_SOCKET'"),
	OPT_CALL('S', "symbols", "NAME,...", reading_on_symbols, "only samples in these functions"),
	OPT_CALL(0, "dsos", "FILE,...", reading_on_dsos, "only samples in these files"),
	OPT_CALL(0, "no-idle", NULL, on_no_idle, "leave out idle CPUs"),
	OPT_STRING(0, "switch-on", "NAME", select.switch_on,
		   "start at the first sample of this event"),
	OPT_STRING(0, "switch-off", "NAME", select.switch_off,
		   "stop at the next sample of this event"),
	OPT_FLAG(0, "show-on-off-events", select.show_switches,
		 "include the samples of these two events"),
	OPT_UINT(0, "limit", "N", select.limit, "only the first N", OPT_POSITIVE),
	OPT_END,
};

const struct opt reading_weight_opts[] = {
	OPT_FLAG(0, "latency", session.threads.latency,
		 "weigh samples by wall-clock time: their period, divided by the threads that ran"),
	OPT_END,
};

const struct opt reading_time_opts[] = {
	OPT_CALL(
		0, "time", "FORM", reading_on_time,
		"print times as wall, utc, boot, mono, tai, reltime (since the first), delta or raw"),
	OPT_END,
};

const struct opt reading_name_opts[] = {
	OPT_FLAG(0, "inline", inlines, "show inlined functions in all stacks"),
	OPT_FLAG(0, "no-inline", no_inlines, "hide inlined functions"),
	OPT_FLAG(0, "no-demangle", session.resolve.no_demangle, "do not demangle names"),
	OPT_END,
};

const struct opt reading_other_opts[] = {
	OPT_UINT('j', "jobs", "N", session.want.threads,
		 "read with N threads (default as many as are useful)"),
	OPT_FLAG('q', "quiet", quiet, "print no notes on standard error"),
	OPT_IGNORED('f', "force", NULL),
	OPT_END,
};
