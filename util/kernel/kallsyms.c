// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/kallsyms.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/base/num.h"
#include "util/base/text.h"
#include "util/kernel/limits.h"

#define TEXT_MAX (256 << 20)
#define HEAD_LEN 4096 /* what tells a list of symbols from other files */

struct line {
	u64 addr;
	char type;
	const char *name, *module;
	size_t name_len, module_len; /* module_len 0: of the kernel itself */
	/* The first eight digits of the line before, as text and as a value: few lines have others. */
	u64 digits, high;
};

/* The value of each hexadecimal digit + 1. */
static const u8 hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

#define EACH_BYTE(x) ((x)*0x0101010101010101ull)

/* Eight digits at once, as 99 of 100 lines have them; false: they are not all digits. */
static bool hex8(u64 x, u64 *v)
{
	u64 d;

	x = le64toh(x);
	/* letters have bit 6; what is made of the digits again must be what was there */
	d = (x & EACH_BYTE(0xf)) + (x >> 6 & EACH_BYTE(1)) * 9;
	if (d & EACH_BYTE(0xf0) ||
	    d + EACH_BYTE(0x30) + ((d + EACH_BYTE(6)) >> 4 & EACH_BYTE(1)) * 0x27 != x)
		return false;
	/* the first digit is the lowest byte: pairs, fours, all */
	d = (d << 4 | d >> 8) & 0x00ff00ff00ff00ffull;
	d = (d << 8 | d >> 16) & 0x0000ffff0000ffffull;
	*v = (d << 16 | d >> 32) & UINT32_MAX;
	return true;
}

static bool hex16(const char *s, struct line *l)
{
	u64 first, second, low;

	memcpy(&first, s, sizeof(first));
	memcpy(&second, s + 8, sizeof(second));
	if (first != l->digits) {
		if (!hex8(first, &l->high))
			return false;
		l->digits = first;
	}
	if (!hex8(second, &low))
		return false;
	l->addr = l->high << 32 | low;
	return true;
}

/* The digits at the front of a line; how many. */
static size_t parse_address(const char *s, size_t len, struct line *l)
{
	const size_t most = MIN(len, (size_t)16);
	size_t n = 0;
	u8 digit;

	if (len > 16 && s[16] == ' ' && hex16(s, l))
		return 16;
	for (l->addr = 0; n < most && (digit = hex_digits[(u8)s[n]]); n++)
		l->addr = l->addr << 4 | (u64)(digit - 1);
	return n;
}

/* "ffffffff81000080 T entry_SYSCALL_64", with "\t[module]" behind what a module defines. */
static bool parse_line(const char *s, size_t len, struct line *l)
{
	const char *end = s + len, *p = s + parse_address(s, len, l);

	if (p == s || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	l->type = p[1];
	l->name = p + 3;
	while (end > l->name && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	l->name_len = (size_t)(end - l->name);
	l->module = l->name_len && end[-1] == ']' ? memchr(l->name, '\t', l->name_len) : NULL;
	l->module_len = 0;
	if (l->module) {
		l->name_len = (size_t)(l->module - l->name);
		l->module++;
		l->module_len = (size_t)(end - l->module);
	}
	/* "$x" and the like mark instruction sets */
	return l->name_len > 0 && l->name[0] != '$';
}

static bool starts_with(const struct line *l, const char *prefix)
{
	size_t n = strlen(prefix);

	return l->name_len >= n && !memcmp(l->name, prefix, n);
}

static bool ends_with(const struct line *l, const char *suffix)
{
	size_t n = strlen(suffix);

	return l->name_len >= n && !memcmp(l->name + l->name_len - n, suffix, n);
}

/* Names that the linker script gives to the bounds of sections, and compilers to padding. */
static bool is_marker(const struct line *l)
{
	static const char *const bounds[] = {"_text",      "_stext",       "_etext",
					     "_sinittext", "_einittext",   "_end",
					     "__pi__text", "__init_begin", "__init_end"};
	size_t i;

	if (l->name[0] != '_')
		return false;
	if (starts_with(l, "__pfx_") || starts_with(l, "__cfi_"))
		return true;
	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		if (l->name_len == strlen(bounds[i]) && starts_with(l, bounds[i]))
			return true;
	}
	return starts_with(l, "__") && (ends_with(l, "text_start") || ends_with(l, "text_end") ||
					ends_with(l, "text_begin"));
}

const char *kallsyms_syscall_prefix(u32 i)
{
	static const char *const entries[] = {"__x64_sys_", "__arm64_sys_", "__riscv_sys_"};

	return i < ARRAY_SIZE(entries) ? entries[i] : NULL;
}

static bool is_syscall(const struct line *l)
{
	const char *prefix;
	u32 i;

	if (l->name[0] != '_')
		return false;
	for (i = 0; (prefix = kallsyms_syscall_prefix(i)); i++)
		if (starts_with(l, prefix))
			return true;
	return false;
}

/* perf takes data too: that is what ends its last function. */
static bool is_wanted(char type, bool perf)
{
	switch (type | 0x20) {
	case 't':
	case 'w':
		return true;
	case 'd':
	case 'b':
		return perf;
	default:
		return false;
	}
}

static bool add_line(struct symtab *st, char *text, const struct line *l, enum symtab_view view)
{
	bool perf = view == SYMTAB_PERF;
	u64 end = l->addr;
	u8 flags = 0;

	if (!is_wanted(l->type, perf))
		return true;
	if (l->type == 'W')
		flags |= SYM_WEAK;
	else if (l->type < 'a')
		flags |= SYM_GLOBAL;
	if (!perf) {
		flags |= SYM_NOSIZE;
		end = UINT64_MAX;
		if (l->type == 'w')
			flags |= SYM_WEAK;
		if (is_marker(l))
			flags |= SYM_MARKER;
		else if (is_syscall(l))
			flags |= SYM_PREFER;
	}
	/* "name\t[module]": both become strings where they are */
	text[l->name + l->name_len - text] = '\0';
	if (l->module_len) {
		text[l->module + l->module_len - text] = '\0';
		flags |= SYM_MODULE;
	}
	return symtab_add_adopted(st, l->addr, end, l->name, flags);
}

bool kallsyms_is_marker(const char *name, size_t len)
{
	struct line l = {.name = name, .name_len = len};

	return len && is_marker(&l);
}

/* How many bytes a line has at least, on average. */
#define LINE_LEN 32

static int add_lines(struct symtab *st, char *text, size_t len, enum symtab_view view,
		     struct err *err)
{
	struct cur c = cur_init(text, strnlen(text, len)); /* no name has a NUL in it */
	bool any_address = false;
	const char *s;
	struct line l = {0};
	size_t n;

	if (!symtab_reserve(st, len / LINE_LEN))
		return err_nomem(err);
	while (cur_line(&c, &s, &n)) {
		if (!parse_line(s, n, &l))
			continue;
		any_address |= l.addr != 0;
		if (!add_line(st, text, &l, view))
			return err_nomem(err);
	}
	if (st->syms.nr && !any_address) {
		err_set(err, EPERM, "the kernel hides its addresses: they are all zero");
		return -EPERM;
	}
	if (!st->syms.nr)
		return err_set(err, ENODATA, "no kernel functions found");
	if (view == SYMTAB_PERF && symtab_settle(st, true))
		return err_nomem(err);
	return symtab_finish(st, view) ? err_nomem(err) : 0;
}

int kallsyms_take(struct symtab *st, struct buf *text, enum symtab_view view, struct err *err)
{
	char *bytes = text->data;
	size_t len = text->len;

	*text = (struct buf){0};
	if (!bytes)
		return err_set(err, ENODATA, "no kernel functions found");
	if (!symtab_adopt(st, bytes))
		return err_nomem(err);
	return add_lines(st, bytes, len, view, err);
}

static void hint_hidden(int rootfd, struct err *err)
{
	const struct sysroot root = {.fd = rootfd};
	struct limits l = {0};

	limits_read(&root, &l, NULL);
	if (l.kptr_restrict > 1)
		err_hint(err, "sudo sysctl kernel.kptr_restrict=1");
	else
		limits_hint(&l, err, "SYSLOG",
			    "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
}

void kallsyms_hidden(struct err *err)
{
	struct sysroot root;

	if (sysroot_open(&root, "/", NULL))
		return;
	hint_hidden(root.fd, err);
	sysroot_close(&root);
}

int kallsyms_load(struct symtab *st, int dirfd, const char *path, enum symtab_view view,
		  struct err *err)
{
	struct buf text = {0};
	int ret = io_read_file(dirfd, path, &text, TEXT_MAX);

	if (ret) {
		err_set(err, -ret, "cannot read the kernel's symbols: %s", strerror(-ret));
	} else {
		ret = kallsyms_take(st, &text, view, err);
	}
	if (ret == -EACCES || ret == -EPERM)
		hint_hidden(dirfd, err);
	if (ret)
		err_prefix(err, "%s%s", *path == '/' ? "" : "/", path);
	buf_free(&text);
	return ret;
}

static bool has_line(const char *text, size_t len)
{
	struct cur c = cur_init(text, len);
	struct line l = {0};
	const char *s;
	size_t n;

	while (cur_line(&c, &s, &n))
		if (parse_line(s, n, &l))
			return true;
	return false;
}

int kallsyms_check(int dirfd, const char *path, struct err *err)
{
	char head[HEAD_LEN];
	ssize_t len = 0;
	struct stat st;
	int fd = fstatat(dirfd, path, &st, 0) ? -errno : 0;

	if (!fd && S_ISFIFO(st.st_mode))
		return 0;
	if (!fd)
		fd = io_open(dirfd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0) {
		len = io_read(fd, head, sizeof(head));
		close(fd);
	}
	if (fd < 0 || len < 0) {
		len = fd < 0 ? fd : len;
		return err_set(err, (int)-len, "%s: cannot read the kernel's symbols: %s", path,
			       strerror((int)-len));
	}
	if (has_line(head, (size_t)len))
		return 0;
	err_set(err, ENOEXEC, "%s: it holds no symbols of a kernel", path);
	err_hint(err, "make a copy of /proc/kallsyms as root on the recorded machine");
	return -ENOEXEC;
}

u64 kallsyms_address(const char *text, size_t len, const char *name)
{
	/* the bounds of code are data where they lie in a section of their own */
	static const char *const kinds[] = {"T", "t", "D", "d"};
	char line[96];
	const char *p;
	u64 addr;
	size_t i;
	int n;

	/* "ffffffff81000000 T _text" */
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		n = snprintf(line, sizeof(line), " %s %s\n", kinds[i], name);
		if (n >= (int)sizeof(line))
			return 0;
		p = memmem(text, len, line, (size_t)n);
		if (p && p - text >= 16 && num_hex(p - 16, 16, &addr))
			return addr;
	}
	return 0;
}

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

bool kallsyms_next(struct cur *text, struct kallsyms_function *f)
{
	struct line l = {0};
	const char *s;
	size_t n;

	while (cur_line(text, &s, &n)) {
		if (!parse_line(s, n, &l) || !is_code(l.type))
			continue;
		*f = (struct kallsyms_function){l.addr, l.name, l.module, l.name_len, l.module_len};
		return true;
	}
	return false;
}

/* A name like the one that is not there. */
static const char *like_name(const char *text, size_t len, const char *name, struct arena *arena)
{
	struct text_suggest suggest;
	struct cur c = cur_init(text, len);
	struct line l = {0};
	const char *s;
	char copy[128];
	size_t n;

	text_suggest_init(&suggest, name);
	while (cur_line(&c, &s, &n)) {
		if (!parse_line(s, n, &l) || !is_code(l.type) || l.name_len >= sizeof(copy))
			continue;
		memcpy(copy, l.name, l.name_len);
		copy[l.name_len] = '\0';
		text_suggest_add(&suggest, copy);
		/* the suggestion keeps what it was given */
		if (suggest.best == copy)
			suggest.best = arena_strdup(arena, copy);
	}
	return suggest.best;
}

int kallsyms_function(const char *text, size_t len, const char *name, u64 *start, u64 *end,
		      struct arena *arena, const char **meant)
{
	struct cur c = cur_init(text, len);
	const size_t name_len = strlen(name);
	bool found = false;
	struct line l = {0};
	const char *s;
	size_t n;

	*meant = NULL;
	while (!found && cur_line(&c, &s, &n))
		found = parse_line(s, n, &l) && is_code(l.type) && l.name_len == name_len &&
			!memcmp(l.name, name, name_len);
	if (!found) {
		*meant = like_name(text, len, name, arena);
		return 0;
	}
	if (!l.addr)
		return -EPERM;
	*start = l.addr;
	*end = UINT64_MAX;
	c = cur_init(text, len);
	while (cur_line(&c, &s, &n))
		if (parse_line(s, n, &l) && l.addr > *start)
			*end = MIN(*end, l.addr);
	return 1;
}
