// SPDX-License-Identifier: GPL-2.0
#include "util/syscall/syscall.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/glob.h"
#include "util/base/hash.h"
#include "util/base/num.h"
#include "util/base/text.h"
#include "util/base/vec.h"
#include "util/tracepoint/tp_filter.h"

/*
 * A call is tested as the record of a tracepoint would be, which has a field for each argument. What is not known of a
 * call lies past the end of its record: a comparison with that is neither true nor false.
 */

enum shape { WHOLE, BEGUN, ENDED, UNTIMED, SHAPES };

#define AT_TID      4
#define AT_SYSCALL  8
#define AT_RESULT   16
#define AT_DURATION 24
#define AT_ARGS     32
#define AT_FILE     (AT_ARGS + 8 * SYSCALL_ARGS)
#define SIZE        (AT_FILE + 8)
#define PAST_END    65000

/* Of the calls with the same arguments. */
struct compiled {
	struct tp_format *format[SHAPES];
	struct tp_filter *filter[SHAPES]; /* NULL: they do not pass */
};

struct syscall_filter {
	char *text;
	bool own_args;     /* what a call has no argument of that name for is an error */
	bool arm;          /* calls of arm64 */
	bool has_files;    /* of descriptors the paths may be known */
	bool no_texts;     /* of arguments that are texts nothing is known */
	struct hmap index; /* address of the arguments -> one of these */
	VEC(struct compiled) compiled;
	bool suited, passed; /* some call: has all arguments that are named; passed */
	struct buf record, format;
};

static bool is_signed(enum syscall_kind kind)
{
	return kind == SYSCALL_INT || kind == SYSCALL_LONG || kind == SYSCALL_FD ||
	       kind == SYSCALL_DIRFD;
}

static void put_field(struct buf *b, const char *type, const char *name, u32 at, u32 size,
		      bool with_sign)
{
	buf_addf(b, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", type, name, at, size,
		 with_sign);
}

static bool has_arg(const struct syscall_arg *args, const char *name)
{
	u32 i;

	for (i = 0; i < SYSCALL_ARGS && args[i].name; i++)
		if (!strcmp(args[i].name, name))
			return true;
	return false;
}

static void put_number(struct buf *b, const struct syscall_arg *arg, u32 at)
{
	struct buf type = {0};

	syscall_filter_put_type(&type, arg->kind);
	put_field(b, buf_str(&type), arg->name, at, 8, is_signed(arg->kind));
	b->failed |= type.failed;
	buf_free(&type);
}

static void put_arg(struct syscall_filter *f, const struct syscall_arg *arg, u32 at)
{
	if (!syscall_is_text(arg->kind))
		put_number(&f->format, arg, at);
	else if (!f->no_texts)
		put_field(&f->format, "__data_loc char[]", arg->name, at, 4, false);
}

static bool is_declared(const struct buf *b, const char *name)
{
	const char *at = buf_str(b);
	size_t len = strlen(name);

	for (; (at = strstr(at, name)); at += len)
		if (at[len] == ';' && at[-1] == ' ')
			return true;
	return false;
}

/* Names that mean the same for all calls, whatever one calls an argument. */
static bool is_general(const char *name)
{
	static const char *const names[] = {"syscall", "ret", "duration", "comm", "cpu", "tid"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Arguments of other calls that the filter may name: of this one they are not known. */
static void put_foreign_args(struct syscall_filter *f, const struct syscall_arg *args)
{
	const struct syscall *s;
	u32 i, k;

	for (i = 0; (s = syscall_signatures_at(i)); i++)
		for (k = 0; k < SYSCALL_ARGS && s->args[k].name; k++)
			if (strstr(f->text, s->args[k].name) && !is_general(s->args[k].name) &&
			    !has_arg(args, s->args[k].name) &&
			    !is_declared(&f->format, s->args[k].name))
				put_arg(f, &s->args[k], PAST_END);
}

static void put_format(struct syscall_filter *f, const struct syscall_arg *args, enum shape shape)
{
	struct buf *b = &f->format;
	bool begun = shape != ENDED, ended = shape != BEGUN;
	u32 i;

	buf_clear(b);
	buf_adds(b, "name: system calls\nID: 1\nformat:\n");
	put_field(b, "unsigned short", "common_type", 0, 2, false);
	put_field(b, "int", "common_pid", AT_TID, 4, true);
	buf_adds(b, "\n");
	put_field(b, "__data_loc char[]", "syscall", AT_SYSCALL, 4, false);
	put_field(b, "long", "ret", ended ? AT_RESULT : PAST_END, 8, true);
	put_field(b, "u64", "duration", shape == WHOLE ? AT_DURATION : PAST_END, 8, false);
	for (i = 0; i < SYSCALL_ARGS && args[i].name; i++)
		put_arg(f, &args[i], begun ? AT_ARGS + 8 * i : PAST_END);
	if (f->has_files)
		put_field(b, "__data_loc char[]", "file", begun ? AT_FILE : PAST_END, 4, false);
	if (!f->own_args)
		put_foreign_args(f, args);
	buf_adds(b, "\nprint fmt: \"\"\n");
}

/* What the text of a filter is checked by. */
struct known {
	const struct syscall_names *names; /* NULL: any may be one */
	bool arm;
};

static bool is_wanted(const char *name, const char *text, bool pattern, struct text_suggest *s)
{
	text_suggest_add(s, name);
	return pattern ? glob_match(text, name) : !strcmp(text, name);
}

/* "syscall_471" is one that has no name here. */
static bool is_number(const char *text, bool pattern)
{
	static const char before[] = "syscall_";
	size_t len = strlen(before), fixed = MIN(len, strcspn(text, "*?["));

	return pattern ? fixed && !strncmp(text, before, fixed)
		       : !strncmp(text, before, len) && text[len] &&
				 !text[len + strspn(text + len, "0123456789")];
}

/* What the number is called, in 257 and syscall_257; NULL: it is no number, or has no name. */
static const char *name_of_number(const struct arch_syscalls *table, const char *text)
{
	u64 nr;

	text += is_number(text, false) ? strlen("syscall_") : 0;
	return num_u64(text, &nr) && nr < ARCH_SYSCALLS_END ? arch_syscalls_name(table, (u32)nr)
							    : NULL;
}

/* Is it the name of a system call? As struct tp_filter_names has it, of struct syscall_names. */
static bool may_be_call(void *arg, const char *field, const char *text, bool pattern,
			const char **meant)
{
	const struct syscall_names *names = ((const struct known *)arg)->names;
	const char *name = pattern ? text : arch_syscalls_of_tracepoint(text);
	const struct syscall *s;
	struct text_suggest suggest;
	bool found = is_number(text, pattern);
	u32 i;

	if (strcmp(field, "syscall") != 0 || !names->table)
		return true;
	*meant = pattern ? NULL : name_of_number(names->table, text);
	if (*meant)
		return false;
	text_suggest_init(&suggest, name);
	for (i = 0; !found && i < ARCH_SYSCALLS_END; i++) {
		name = arch_syscalls_name(names->table, i);
		found = name && is_wanted(name, text, pattern, &suggest);
	}
	for (i = 0; !found && (s = syscall_signatures_at(i)); i++)
		found = is_wanted(s->name, text, pattern, &suggest);
	for (i = 0; !found && i < names->nr; i++)
		found = is_wanted(names->more[i], text, pattern, &suggest);
	*meant = pattern ? NULL : suggest.best;
	return found;
}

static int value_names(void *arg, const char *type, struct tp_name_list *list, struct err *err)
{
	return syscall_filter_names(type, ((const struct known *)arg)->arm, list, err);
}

static int compile_shape(struct syscall_filter *f, const struct syscall_arg *args, enum shape shape,
			 const struct syscall_names *known, struct compiled *c, struct err *err)
{
	struct known all = {.names = known, .arm = f->arm};
	const struct tp_filter_names names = {
		.arg = &all, .of_type = value_names, .text = known ? may_be_call : NULL};
	const struct tp_filter_opts options = {
		.here_only = true, .comm_known = true, .names = &names};
	struct err why = {0};

	put_format(f, args, shape);
	if (f->format.failed)
		return err_nomem(err);
	c->format[shape] = tp_format_parse(f->format.data, f->format.len, &why);
	if (c->format[shape])
		c->filter[shape] = tp_filter_parse(c->format[shape], f->text, &options, &why);
	if (c->filter[shape])
		return 0;
	if (err)
		*err = why;
	return -why.code;
}

static void drop(struct compiled *c)
{
	u32 i;

	for (i = 0; i < SHAPES; i++) {
		tp_filter_free(c->filter[i]);
		tp_format_free(c->format[i]);
	}
}

/* Calls have other values of arguments with the same name: the one that has nearly this value is meant. */
static bool is_guess(const struct err *err)
{
	return !strncmp(err->hint, "did you mean", strlen("did you mean"));
}

/* Is it a filter of some call? Else the error is of one that has the fields, if there is one. */
static int check(struct syscall_filter *f, const struct syscall_names *known, struct err *err)
{
	struct syscall_call none = {0};
	const struct syscall_arg *args = syscall_text_args_of(&none);
	const struct syscall *s;
	struct err last = {0}, why;
	bool has_fields = false;
	struct compiled c;
	int ret;
	u32 i;

	for (i = 0; args; i++) {
		c = (struct compiled){0};
		why = (struct err){0};
		ret = compile_shape(f, args, WHOLE, known, &c, &why);
		drop(&c);
		if (!ret || ret == -ENOMEM)
			return ret ? err_nomem(err) : 0;
		if (ret != -ENOENT && (!has_fields || (is_guess(&why) && !is_guess(&last))))
			last = why;
		has_fields |= ret != -ENOENT;
		s = syscall_signatures_at(i);
		args = s ? s->args : NULL;
	}
	if (has_fields) {
		if (err)
			*err = last;
		return -EINVAL;
	}
	err_set(err, EINVAL, "no system call has all that the filter names: %s", f->text);
	err_hint(err,
		 "syscall, ret, duration, %sand arguments by name, as trace prints them: "
		 "'duration > 10ms && ret < 0'%s",
		 f->has_files ? "file, " : "", f->has_files ? "" : "; with --paths file, too");

	return -EINVAL;
}

struct syscall_filter *syscall_filter_parse(const char *text, const struct syscall_names *names,
					    struct err *err)
{
	struct syscall_filter *f = calloc(1, sizeof(*f));

	if (f) {
		f->text = strdup(text);
		f->has_files = names->has_files;
		f->arm = names->arm;
	}
	if (!f || !f->text)
		err_nomem(err);
	else if (!check(f, names, err))
		return f;
	syscall_filter_free(f);
	return NULL;
}

/* Is it a filter of a call with these arguments? -ENOENT: it names others. */
static int check_args(struct syscall_filter *f, const struct syscall_arg *args)
{
	struct compiled c = {0};
	int ret;

	f->own_args = true;
	ret = compile_shape(f, args, WHOLE, NULL, &c, NULL);
	f->own_args = false;
	drop(&c);
	return ret;
}

int syscall_filter_suits(const char *text, bool every)
{
	static const struct syscall_arg none = {0};
	struct syscall_filter f = {.text = (char *)text, .has_files = true};
	const struct syscall_names names = {0};
	int ret = check_args(&f, &none);

	if (ret && ret != -ENOMEM && !every)
		ret = check(&f, &names, NULL);
	buf_free(&f.format);
	return ret == -ENOMEM ? ret : !ret;
}

int syscall_filter_needs_texts(const char *text)
{
	struct syscall_filter f = {.text = (char *)text, .has_files = true, .no_texts = true};
	const struct syscall_names names = {0};
	int ret = check(&f, &names, NULL);

	buf_free(&f.format);
	return ret == -ENOMEM ? ret : ret != 0;
}

bool syscall_filter_asks_texts(const char *text)
{
	const struct syscall *s;
	u32 i, k;

	for (i = 0; (s = syscall_signatures_at(i)); i++)
		for (k = 0; k < SYSCALL_ARGS && s->args[k].name; k++)
			if (syscall_is_text(s->args[k].kind) && strstr(text, s->args[k].name))
				return true;
	return strstr(text, "file");
}

void syscall_filter_free(struct syscall_filter *f)
{
	u32 i;

	if (!f)
		return;
	for (i = 0; i < f->compiled.nr; i++)
		drop(&f->compiled.v[i]);
	vec_free(&f->compiled);
	hmap_free(&f->index);
	buf_free(&f->record);
	buf_free(&f->format);
	free(f->text);
	free(f);
}

static const struct compiled *find(struct syscall_filter *f, const struct syscall_arg *args,
				   struct err *err)
{
	u32 at = hmap_get(&f->index, (u64)(uintptr_t)args), i;
	struct compiled *c;
	int suits;

	if (at != ID_NONE)
		return &f->compiled.v[at];
	c = vec_push(&f->compiled);
	if (!c || !hmap_set(&f->index, (u64)(uintptr_t)args, f->compiled.nr - 1)) {
		err_nomem(err);
		return NULL;
	}
	for (i = 0; i < SHAPES; i++)
		if (compile_shape(f, args, (enum shape)i, NULL, c, NULL) == -ENOMEM) {
			err_nomem(err);
			return NULL;
		}
	suits = check_args(f, args);
	if (suits == -ENOMEM) {
		err_nomem(err);
		return NULL;
	}
	f->suited |= suits != -ENOENT;
	return c;
}

bool syscall_filter_misses(const struct syscall_filter *f)
{
	return f && f->compiled.nr && !f->suited && !f->passed;
}

static void put_u64(struct buf *b, u32 at, u64 v)
{
	memcpy(b->data + at, &v, sizeof(v));
}

/* Text at the end of the record, where the u32 at `at` says. */
static void put_text(struct buf *b, u32 at, const char *text, size_t len)
{
	u32 where = (u32)(len + 1) << 16 | (u32)b->len;

	if (b->len + len + 1 < PAST_END) {
		buf_add(b, text, len);
		buf_addc(b, '\0');
	} else {
		where = 1u << 16 | PAST_END;
	}
	if (!b->failed)
		memcpy(b->data + at, &where, sizeof(where));
}

static u64 number_of(enum syscall_kind kind, u64 v)
{
	switch (kind) {
	case SYSCALL_INT:
	case SYSCALL_FD:
	case SYSCALL_DIRFD:
		return (u64)(s64)(s32)v;
	case SYSCALL_UINT:
	case SYSCALL_HEX32:
	case SYSCALL_MODE:
	case SYSCALL_UID:
		return (u32)v;
	default:
		return v;
	}
}

static void put_args(struct syscall_filter *f, const struct syscall_call *c)
{
	const struct syscall_arg *args = syscall_text_args_of(c);
	struct buf *b = &f->record, address = {0};
	u32 i;

	if (f->has_files && syscall_file_put(c, &address))
		put_text(b, AT_FILE, buf_str(&address), address.len);
	else
		put_u64(b, AT_FILE, 1u << 16 | PAST_END);
	for (i = 0; i < SYSCALL_ARGS && args[i].name && !b->failed; i++) {
		if (!syscall_is_text(args[i].kind)) {
			put_u64(b, AT_ARGS + 8 * i, number_of(args[i].kind, c->args[i]));
		} else if (!c->texts[i].s) {
			put_u64(b, AT_ARGS + 8 * i, 1u << 16 | PAST_END);
		} else if (args[i].kind == SYSCALL_SOCKADDR) {
			buf_clear(&address);
			syscall_sockaddr_text(c->texts[i].s, c->texts[i].len, &address);
			put_text(b, AT_ARGS + 8 * i, buf_str(&address), address.len);
		} else {
			put_text(b, AT_ARGS + 8 * i, c->texts[i].s, c->texts[i].len);
		}
	}
	b->failed |= address.failed;
	buf_free(&address);
}

int syscall_filter_pass(struct syscall_filter *f, const struct syscall_tested *t, struct err *err)
{
	const struct compiled *c = find(f, syscall_text_args_of(t->call), err);
	enum shape shape = !t->begun ? ENDED : !t->ended ? BEGUN : t->timed ? WHOLE : UNTIMED;
	struct tp_filter_sample s = {.cpu = t->cpu, .tid = t->tid, .comm = t->comm};
	struct buf *b = &f->record, name = {0};
	int ret;

	if (!c)
		return -ENOMEM;
	if (!c->filter[shape])
		return 0;
	buf_clear(b);
	buf_pad(b, '\0', SIZE);
	syscall_text_name(t->call, &name);
	if (b->failed || name.failed) {
		buf_free(&name);
		return err_nomem(err);
	}
	memcpy(b->data + AT_TID, &t->tid, sizeof(t->tid));
	put_u64(b, AT_RESULT, (u64)t->result);
	put_u64(b, AT_DURATION, t->duration);
	put_text(b, AT_SYSCALL, buf_str(&name), name.len);
	buf_free(&name);
	if (t->begun && !b->failed)
		put_args(f, t->call);
	if (b->failed)
		return err_nomem(err);
	s.raw = b->data;
	s.len = b->len;
	ret = tp_filter_pass(c->filter[shape], &s);
	f->passed |= ret > 0;
	return ret;
}
