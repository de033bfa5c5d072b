// SPDX-License-Identifier: GPL-2.0
#include "util/format/syscall_summary.h"

#include <errno.h>
#include <string.h>

#include "util/base/text.h"

/* ---- which keys ---- */

static bool is_of_task(enum sample_key_kind kind)
{
	return kind >= KEY_COMM && kind <= KEY_CPU;
}

static int no_such_key(const char *name, struct err *err)
{
	struct text_suggest suggest;
	const struct syscall *what;
	u32 i, k;

	/* what filters call it */
	if (!strcmp(name, "syscall")) {
		err_set(err, EINVAL, "--by syscall: each system call has its row already");
		err_hint(err, "leave it out; other keys split these rows: --by comm,fd");
		return -EINVAL;
	}
	text_suggest_init(&suggest, name);
	text_suggest_add(&suggest, "file");
	for (i = 0; (what = syscall_signatures_at(i)); i++)
		for (k = 0; k < SYSCALL_ARGS && what->args[k].name; k++)
			text_suggest_add(&suggest, what->args[k].name);
	err_set(err, EINVAL, "system calls cannot be grouped by '%s'", name);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		err_hint(err,
			 "give comm, pid, tid, cpu, file, ret or arguments by name, such as fd");
	return -EINVAL;
}

int syscall_summary_by(struct syscall_summary *s, const char *by, struct err *err)
{
	int ret = count_keys_parse(&s->keys, by, NULL, err);
	struct sample_key *key;
	bool file, arg;
	u32 i;

	/* one more is the name of the call */
	if (!ret && s->keys.nr == COUNT_KEYS_MAX)
		return err_set(err, EINVAL, "too many keys: at most %u", COUNT_KEYS_MAX - 1);
	for (i = 0; !ret && i < s->keys.nr; i++) {
		key = &s->keys.v[i];
		if (is_of_task(key->kind))
			continue;
		file = !strcmp(key->name, "file");
		arg = file || syscall_signatures_has_arg(key->name);
		if (!arg && strcmp(key->name, "ret") != 0)
			return no_such_key(key->name, err);
		*key = (struct sample_key){.kind = KEY_TEXT, .name = key->name};
		s->by_args |= arg;
		s->by_file |= file;
		s->by_texts |= file || syscall_signatures_has_text(key->name);
	}
	return ret;
}

/* ---- what they are of a call ---- */

/* The argument of that name, SYSCALL_ARGS: the call does not look at one. */
static u32 find_arg(const struct syscall_call *c, const char *name)
{
	const struct syscall_arg *args = syscall_text_args_of(c);
	u32 i, nr = syscall_text_nr_args(c);

	for (i = 0; i < nr && strcmp(args[i].name, name) != 0; i++)
		;
	return i < nr ? i : SYSCALL_ARGS;
}

/* A text without its quotes. False: it is not known. */
static bool put_arg(const struct syscall_call *c, u32 arg, struct buf *out)
{
	const struct syscall_string *text = &c->texts[arg];
	enum syscall_kind kind = syscall_text_args_of(c)[arg].kind;

	if (!syscall_is_text(kind)) {
		syscall_text_value(c, arg, out);
		return true;
	}
	if (!text->s) {
		if (!c->args[arg])
			buf_adds(out, "NULL");
		return !c->args[arg];
	}
	if (kind == SYSCALL_SOCKADDR)
		syscall_sockaddr_text(text->s, text->len, out);
	else
		text_escape(out, text->s, text->len);
	if (text->cut)
		buf_adds(out, "...");
	return true;
}

static bool put_file(struct syscall_summary *s, const struct syscall_call *c, struct buf *out)
{
	buf_clear(&s->one);
	if (!syscall_file_put(c, &s->one))
		return false;
	text_escape(out, buf_str(&s->one), s->one.len);
	out->failed |= s->one.failed;
	return true;
}

static bool put_key(struct syscall_summary *s, const char *name, const struct syscall_made *made,
		    struct buf *out)
{
	u32 arg;

	if (!strcmp(name, "syscall")) {
		syscall_text_name(made->call, out);
		return true;
	}
	if (!strcmp(name, "ret")) {
		if (made->ended)
			syscall_text_outcome(made->call, made->result, out);
		return made->ended;
	}
	if (!strcmp(name, "file"))
		return put_file(s, made->call, out);
	arg = made->begun ? find_arg(made->call, name) : SYSCALL_ARGS;
	return arg < SYSCALL_ARGS && put_arg(made->call, arg, out);
}

int syscall_summary_give(struct syscall_summary *s, const struct syscall_made *made,
			 struct err *err)
{
	size_t at[COUNT_KEYS_MAX];
	bool has[COUNT_KEYS_MAX] = {0};
	u32 i;

	buf_clear(&s->texts);
	for (i = 0; i < s->keys.nr; i++) {
		at[i] = s->texts.len;
		if (s->keys.v[i].kind != KEY_TEXT)
			continue;
		has[i] = put_key(s, s->keys.v[i].name, made, &s->texts);
		buf_addc(&s->texts, '\0');
	}
	if (s->texts.failed)
		return err_nomem(err);
	for (i = 0; i < s->keys.nr; i++)
		s->given[i] = has[i] ? buf_str(&s->texts) + at[i] : NULL;
	return 0;
}
