/* SPDX-License-Identifier: GPL-2.0 */
/*
 * export.h - the samples of a session as files of other programs: one sink for each format.
 *
 * A sink takes the samples of `event`, or of all that are asked for (ID_NONE). The session stays the caller's; the sink
 * is freed by its ops->free(), even if making it fails, when *sink is not NULL. Names are escaped as
 * text_escape() does.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "util/format/sink.h"

/*
 * Samples as comma-separated values: a row for each, below a row of names.
 *
 *	event,time_ns,cpu,pid,tid,comm,period,ip,symbol,dso,stack
 *
 * Where all samples are of one tracepoint, a column fields.NAME follows for each of its fields: its
 * name for numbers that have names, else as script prints it. A cell is empty where nothing is known.
 * Times are ns of the recording's clock, ip is hexadecimal. A stack is its functions, outermost
 * first, with ';' between them; ';' in names is ':'. As names are escaped, no cell holds a line break.
 *
 * Source: RFC 4180; lines end with CR LF.
 */
int export_csv(struct session *s, u32 event, struct sink **sink, struct err *err);

/*
 * Samples as a trace: the JSON of chrome://tracing, which Perfetto and many others read.
 *
 *	traceEvents	each sample is an instant of its thread, with its CPU, period and, of tracepoints, fields; where
 *			sched:sched_switch was recorded, a slice of its CPU for each time that a task ran; names of
 *			processes and threads
 *	samples		the same samples once more, with their weights, for those who draw profiles
 *	stackFrames	the functions that "sf" of both names, each with its caller; the category is the file
 *
 * Times are microseconds of the recording's clock, with three decimals. CPUs are threads of a
 * process of their own, whose number no process has. A slice whose end was not recorded is left
 * out.
 *
 * Source: Trace Event Format, docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
 */
int export_chrome(struct session *s, u32 event, struct sink **sink, struct err *err);

/*
 * Samples as pprof reads them: perftools.profiles.Profile, a protocol buffer in gzip.
 *
 * A sample there is one stack of one thread under one name, labels "comm", "pid" and "tid", with
 * two values for each event: how many samples, and their weight. Types are called "samples" and
 * EVENT, with several events "EVENT_samples" and EVENT, or "EVENT#1" (session_put_event()). Locations are the addresses of frames (of
 * calls, not of where they return to), in the mapping they were in, with their functions and lines,
 * inlined ones first; an address without a symbol has none. Kernel code has no file offset.
 *
 * Source: github.com/google/pprof, proto/profile.proto.
 */
int export_pprof(struct session *s, u32 event, struct sink **sink, struct err *err);

/*
 * Samples as OpenTelemetry sends them: one ExportProfilesServiceRequest, a protocol buffer, which is the same bytes as ProfilesData.
 *
 *	Resource	host.name, host.arch, os.type, os.description, service.name
 *	Profile		one for each event: sample_type is (EVENT, nanoseconds or count), period_type the same, period that of each
 *			sample, or the mean; profile_id is made of the contents: the same samples have the same
 *			id; where of the time of day nothing is known but when the file was changed last, that is taken for
 *			the end of the profile
 *	Sample		one for each: a value, its weight; its time, if the time of day is known; thread.name, thread.id,
 *			process.pid, cpu.logical_number
 *
 * Stacks, locations and mappings are those of pprof; profile.frame.type of a location is "kernel" or "native",
 * process.executable.build_id.gnu of a mapping its build-id. Attributes of each profile are of the whole recording:
 * perf_lite.samples.lost, and in pprof.profile.comment the command, the machine, and a line for each cause of loss. What
 * one message cannot hold (2 GiB) is -EFBIG.
 *
 * Samples of one stack are not put together: Pyroscope takes no sample of several values.
 *
 * Source: opentelemetry-proto 1.11.0, profiles/v1development (numbers as of 1.10.0); semantic conventions 1.44.0.
 */
int export_otlp(struct session *s, u32 event, struct sink **sink, struct err *err);
/* service.name, "perf-lite" by default; the caller's up to the end. */
void export_otlp_service(struct sink *sink, const char *service);

/*
 * Samples as speedscope reads them: its own JSON.
 *
 * A profile for each event and each thread under one name, those of most weight first; in it the
 * stacks in order of time, as lists of functions, outermost first. Neighbours that have the same
 * stack are one entry with the sum of their weights. The file of a function is that of its source,
 * or the one it was loaded from.
 *
 * Source: https://www.speedscope.app/file-format-schema.json, "type": "sampled".
 */
int export_speedscope(struct session *s, u32 event, struct sink **sink, struct err *err);

/*
 * Samples as profiler.firefox.com reads them: a "processed profile" of version 61, which
 * every later one takes.
 *
 * A track for each thread and event, named after the last command of the thread. Times are ms since
 * the first sample, with all digits of the ns. The weight of a sample is in ms for clocks
 * ("tracing-ms"), which also say how much CPU time passed since the sample before; else a number.
 * Categories distinguish kernel, user and JIT code. A sample of a tracepoint is a marker, too, with
 * its fields as text, its CPU and its stack; of other events the CPU is not written.
 *
 * Stacks are one table for all threads. What is kept of each sample is compressed (spool.h).
 *
 * Source: firefox-devtools/profiler, docs-developer/processed-profile-format.md,
 * CHANGELOG-formats.md, src/types/profile.ts.
 */
int export_gecko(struct session *s, u32 event, struct sink **sink, struct err *err);

/*
 * Samples as a table of Apache Parquet: a row for each, in order of time, columns with types, missing where nothing is known.
 *
 *	host, boot, event, time, clock_offset, cpu, pid, tid, comm, period, ip, symbol, dso, build_id
 *	stack, stack_dso, stack_build_id	lists, as long as each other, innermost frame first
 *	FIELD					each field of tracepoints, of all events that have it; field_FIELD where
 *						a column above is called so
 *
 * Times are of day, in UTC; minus clock_offset they are ns of the recording's clock. Where the time of day is not known
 * they are that, as if since 1970, and clock_offset is missing. Fields are numbers, or text where values have names or
 * are no numbers (trace_fields.h).
 *
 * Memory is that of one group of rows (parquet.h), beside what is known of tasks and frames.
 */
int export_parquet(struct session *s, u32 event, struct sink **sink, struct err *err);

/*
 * What the recording does not hold, likewise, by its begin: a row for each entry, of `event` and of no event. It takes no
 * samples: all is written at the end, when they have been read.
 *
 *	host, boot, event, time, until, clock_offset, cpu, count, cause
 */
int export_parquet_losses(struct session *s, u32 event, struct sink **sink, struct err *err);

#endif
