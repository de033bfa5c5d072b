// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/bpf/bpf_program.h"
#include "util/event/ev_expr_internal.h"
#include "util/event/ev_probe.h"

struct bpf_use ev_expr_use(const struct ev_expr *x)
{
	const struct ev_expr_functions *f = &x->functions;

	if (f->btf_id)
		return (struct bpf_use){.type = BPF_PROG_TYPE_TRACING,
					.at = f->at_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY,
					.btf_id = f->btf_id,
					.module = f->module};
	if (f->file)
		return (struct bpf_use){.type = BPF_PROG_TYPE_KPROBE, .at = BPF_PROGRAM_AT_FILE};
	if (f->nr)
		return (struct bpf_use){.type = BPF_PROG_TYPE_KPROBE, .at = BPF_TRACE_KPROBE_MULTI};
	return (struct bpf_use){.type = x->pmu ? BPF_PROG_TYPE_KPROBE
					       : BPF_PROG_TYPE_RAW_TRACEPOINT};
}

/* Load one that does nothing, and attach it to the first function: 0, or what is refused, whatever the program does. */
static int try_empty(const struct ev_expr *x, struct buf *log)
{
	const struct ev_expr_functions *f = &x->functions;
	const struct bpf_use use = ev_expr_use(x);
	int program = bpf_program_load_empty(&use, log), link;

	if (program < 0)
		return program;
	link = f->btf_id ? bpf_program_at_tracepoint(program, NULL)
	       : f->file ? bpf_program_at_file(program, f->file, f->addrs, 1, f->at_return)
			 : bpf_program_at_functions(program, f->addrs, 1, f->at_return);
	close(program);
	if (link >= 0)
		close(link);
	return MIN(link, 0);
}

/* The first line of what the verifier says, which, of a program that does nothing, is about the function. */
static const char *first_line(const struct buf *log, u32 *len)
{
	static const char sums[] = "processed ";
	const char *line = buf_str(log);

	*len = strncmp(line, sums, strlen(sums)) ? (u32)MIN(strcspn(line, "\n"), (size_t)200) : 0;
	return line;
}

static void hint_probe(const struct ev_expr *x, struct err *err)
{
	const struct ev_expr_functions *f = &x->functions;

	if (io_exists(x->root->fd, "sys/bus/event_source/devices/kprobe"))
		err_hint(err, "%s:%s", f->at_return ? "kretprobe" : "kprobe", f->first);
	else
		err_hint(err,
			 "kprobe:%s would do without, but this kernel has no probes in its "
			 "own code either, only tracepoints",
			 f->first);
}

static int refuse_one(const struct ev_spec *s, int code, const struct buf *log, struct err *err)
{
	const struct ev_expr_functions *f = &s->tp.expr->functions;
	u32 len;
	const char *line = first_line(log, &len);

	switch (code) {
	case EPERM:
	case EACCES:
		err_set(err, code, "%s: this kernel allows no programs at functions%s (fentry)",
			s->name, f->module ? " of modules without CAP_SYS_ADMIN" : "");
		break;
	case EBUSY:
		err_set(err, code, "%s: something else has the beginning of this function",
			s->name);
		break;
	case E2BIG:
		err_set(err, code, "%s: as many programs are at this function as can be", s->name);
		break;
	case EV_KERNEL_ENOTSUPP:
	case EOPNOTSUPP:
		code = EOPNOTSUPP;
		err_set(err, code,
			"%s: this kernel attaches no program there: not on this machine, or not to a "
			"function with such parameters",
			s->name);
		break;
	default:
		err_set(err, code, "%s: this kernel attaches no program there: %.*s", s->name,
			len ? (int)len : (int)strlen(strerror(code)), len ? line : strerror(code));
	}
	hint_probe(s->tp.expr, err);
	return -code;
}

static int refuse_several(const struct ev_spec *s, int code, int empty, struct err *err)
{
	const struct ev_expr_functions *f = &s->tp.expr->functions;
	const char *of = f->file ? "of programs (uprobe_multi, Linux 6.6)"
				 : "(kprobe_multi, Linux 5.18, CONFIG_FPROBE)";

	/* what analyses an instruction says so, and nothing else */
	if (f->file && (code == EV_KERNEL_ENOTSUPP || -empty == EV_KERNEL_ENOTSUPP)) {
		err_set(err, EOPNOTSUPP,
			"%s: of these %u functions, one begins with an instruction at which the kernel puts no probe",
			s->name, f->nr);
		err_hint(err, "a narrower pattern; or name functions one by one: -e %s:%s:%s",
			 f->at_return ? "uretprobe" : "uprobe", f->file, f->first);
		return -EOPNOTSUPP;
	}
	if (empty)
		err_set(err, code, "%s: this kernel has no probe of many functions %s: %s", s->name,
			of, strerror(-empty));
	else
		err_set(err, code, "%s: the kernel attached no program to these %u functions: %s",
			s->name, f->nr, strerror(code));
	if (f->file)
		err_hint(err, "name functions one by one: -e %s:%s:%s",
			 f->at_return ? "uretprobe" : "uprobe", f->file, f->first);
	else
		err_hint(err, "name functions one by one: -e %s:%s",
			 f->at_return ? "kretprobe" : "kprobe", f->first);
	return -code;
}

int ev_expr_refuse_functions(const struct ev_spec *s, int code, bool loaded, const struct buf *log,
			     struct err *err)
{
	const struct ev_expr *x = s->tp.expr;
	struct buf why = {0};
	int empty = try_empty(x, &why), ret;

	/* what is refused is this program alone, or any of them */
	if (!loaded && (!empty || bpf_program_allowed()))
		ret = ev_expr_refuse(s, code, log, err);
	else if (x->functions.btf_id)
		ret = refuse_one(s, empty ? -empty : code, &why, err);
	else
		ret = refuse_several(s, code, empty, err);
	buf_free(&why);
	return ret;
}
