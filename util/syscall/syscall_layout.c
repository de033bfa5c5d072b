// SPDX-License-Identifier: GPL-2.0
#include "util/syscall/syscall.h"

#include <stdio.h>
#include <string.h>

#include "arch/arch.h"

#define RAW      "raw_syscalls"
#define OF_ONE   "syscalls"
#define ENTER    "sys_enter_"
#define EXIT     "sys_exit_"
#define NR_FIELD "__syscall_nr"

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

/* What an argument is by its declaration. */
static enum syscall_kind kind_of(const struct tp_field *f)
{
	static const char *const ints[] = {"int", "pid_t", "clockid_t", "key_t", NULL};
	static const char *const longs[] = {"long", "loff_t", "off_t", NULL};
	static const char *const ulongs[] = {"size_t", "unsigned long", "u64", "__u64", NULL};
	const char *type = f->type;

	if (!strncmp(type, "const ", 6))
		type += 6;
	if (strchr(type, '*'))
		return !strcmp(f->type, "const char *") && strstr(f->name, "name") ? SYSCALL_STR
										   : SYSCALL_PTR;
	if (!strcmp(f->name, "fd"))
		return SYSCALL_FD;
	if (!strcmp(f->name, "dfd"))
		return SYSCALL_DIRFD;
	if (strstr(f->name, "flags"))
		return is_one_of(type, longs) || is_one_of(type, ulongs) ? SYSCALL_HEX
									 : SYSCALL_HEX32;
	return !strcmp(type, "umode_t")  ? SYSCALL_MODE
	       : is_one_of(type, ints)   ? SYSCALL_INT
	       : is_one_of(type, longs)  ? SYSCALL_LONG
	       : is_one_of(type, ulongs) ? SYSCALL_ULONG
					 : SYSCALL_UINT;
}

/* __filename_val of filename; names of the format. */
static const struct tp_field *text_of(const struct tp_format *format, const char *arg)
{
	char name[64];

	snprintf(name, sizeof(name), "__%s_val", arg);
	return tp_format_field(format, name);
}

static void find_args(struct syscall_layout *l, const struct tp_format *format)
{
	const struct tp_field *f;
	u32 i, n = 0;

	for (i = 0; i < format->nr_fields && n < SYSCALL_ARGS; i++) {
		f = &format->fields[i];
		if (f->is_common || f == l->nr || f->is_array || f->loc != TP_LOC_FIXED)
			continue;
		l->fields[n] = f;
		l->texts[n] = text_of(format, f->name);
		l->own.args[n] = (struct syscall_arg){f->name, kind_of(f)};
		n++;
	}
}

static void init_raw(struct syscall_layout *l, const char *name, const struct tp_format *format)
{
	bool enter = !strcmp(name, "sys_enter");
	char arg[8];
	u32 i;

	if (!enter && strcmp(name, "sys_exit"))
		return;
	l->nr = tp_format_field(format, "id");
	l->array = enter ? tp_format_field(format, "args") : NULL;
	for (i = 0; enter && !l->array && i < SYSCALL_ARGS; i++) {
		snprintf(arg, sizeof(arg), "arg%u", i + 1);
		l->fields[i] = tp_format_field(format, arg);
	}
	l->path = enter ? tp_format_field(format, "path") : NULL;
	l->result = enter ? NULL : tp_format_field(format, "ret");
	if (l->nr && (l->array || l->fields[0] || l->result))
		l->side = enter ? SYSCALL_ENTER : SYSCALL_EXIT;
}

static void init_one(struct syscall_layout *l, const char *name, const struct tp_format *format)
{
	bool enter = !strncmp(name, ENTER, strlen(ENTER));

	if (!enter && strncmp(name, EXIT, strlen(EXIT)) != 0)
		return;
	/* expressions are shown as these */
	if (tp_format_field(format, "common_unread"))
		return;
	l->nr = tp_format_field(format, NR_FIELD);
	if (!l->nr)
		l->nr = tp_format_field(format, "nr");
	if (!l->nr)
		return;
	name = arch_syscalls_of_tracepoint(name + strlen(enter ? ENTER : EXIT));
	l->call = syscall_signatures_find(name);
	l->own = (struct syscall){.name = name, .result = SYSCALL_LONG};
	if (enter)
		find_args(l, format);
	else
		l->result = tp_format_field(format, "ret");
	if (enter || l->result)
		l->side = enter ? SYSCALL_ENTER : SYSCALL_EXIT;
}

void syscall_layout_init(struct syscall_layout *l, const char *system, const char *name,
			 const struct tp_format *format)
{
	*l = (struct syscall_layout){0};
	if (!strcmp(system, RAW))
		init_raw(l, name, format);
	else if (!strcmp(system, OF_ONE))
		init_one(l, name, format);
}

bool syscall_layout_nr(const struct syscall_layout *l, const void *raw, size_t len, u64 *nr)
{
	return tp_field_int(l->nr, raw, len, nr);
}

bool syscall_layout_result(const struct syscall_layout *l, const void *raw, size_t len, s64 *result)
{
	u64 v;

	if (!tp_field_int(l->result, raw, len, &v))
		return false;
	*result = (s64)v;
	return true;
}

bool syscall_layout_args(const struct syscall_layout *l, const void *raw, size_t len,
			 u64 args[static SYSCALL_ARGS])
{
	u32 i;

	memset(args, 0, SYSCALL_ARGS * sizeof(*args));
	for (i = 0; i < SYSCALL_ARGS; i++) {
		if (l->array) {
			if (!tp_field_elem(l->array, raw, len, i, &args[i]))
				return false;
		} else if (l->fields[i] && !tp_field_int(l->fields[i], raw, len, &args[i])) {
			return false;
		}
	}
	return true;
}
