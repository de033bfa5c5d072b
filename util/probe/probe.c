// SPDX-License-Identifier: GPL-2.0
#include "util/probe/probe_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/tracepoint/tp_field_format.h"

#define NAME_MAX_LEN 64
#define ARRAY_MAX    256u /* bytes of an array that is a field */
#define HEADER       12u  /* the common fields, and common_unread */
#define FORMS        "forms are d, u, x, be, sym, ip, mac, str, hex"

int probe_wrong(struct probe_parser *p, const char *at)
{
	p->scope.wrong = at;
	return p->err && p->err->code ? -p->err->code : -EINVAL;
}

char probe_peek(struct probe_parser *p)
{
	while (isspace((u8)*p->p))
		p->p++;
	return *p->p;
}

bool probe_take(struct probe_parser *p, char c)
{
	if (probe_peek(p) != c)
		return false;
	p->p++;
	return true;
}

size_t probe_word(const char *s)
{
	size_t n = 0;

	while (isalnum((u8)s[n]) || s[n] == '_')
		n++;
	return isdigit((u8)*s) ? 0 : n;
}

/* --- fields --- */

struct probe_field *probe_add_field(struct probe_parser *p, const char *name, const char *at)
{
	struct probe *probe = p->probe;
	struct probe_field *f;
	u32 i;

	for (i = 0; i < probe->fields.nr; i++) {
		if (strcmp(probe->fields.v[i].name, name) != 0)
			continue;
		err_set(p->err, EINVAL, "there are two fields '%s'", name);
		err_hint(p->err, "name one: other_%s=...", name);
		probe_wrong(p, at);
		return NULL;
	}
	if (!strncmp(name, "common_", 7)) {
		err_set(p->err, EINVAL, "names that begin with common_ are those of all events");
		probe_wrong(p, at);
		return NULL;
	}
	if (probe->fields.nr == PROBE_FIELDS_MAX) {
		err_set(p->err, EINVAL, "more than %u fields", PROBE_FIELDS_MAX);
		probe_wrong(p, at);
		return NULL;
	}
	f = vec_push(&probe->fields);
	if (!f) {
		err_nomem(p->err);
		return NULL;
	}
	*f = (struct probe_field){.name = name};
	return f;
}

/* With its size before it, as the kernel stores it, a record ends on a word. */
static u32 rounded(u32 size)
{
	return ALIGN_UP(size + 4, 8) - 4;
}

/* Give the field its place in the record. */
int probe_place(struct probe_parser *p, struct probe_field *f, u32 size, u32 align, const char *at)
{
	struct probe *probe = p->probe;

	f->offset = ALIGN_UP(probe->size, align);
	f->size = size;
	probe->size = f->offset + size;
	if (rounded(probe->size) <= PROBE_BYTES_MAX)
		return 0;
	err_set(p->err, EINVAL, "the fields take more than %u bytes", PROBE_BYTES_MAX);
	return probe_wrong(p, at);
}

static const char *number_type(u32 size, bool is_signed)
{
	static const char *const types[2][4] = {
		{"unsigned char", "unsigned short", "unsigned int", "unsigned long long"},
		{"signed char", "short", "int", "long long"}};

	return types[is_signed][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

/* "__print_symbolic(REC->NAME, ...)" of the tracepoint's own print fmt: the kernel's words for its values; NULL: it has none. */
static const char *own_names(struct probe_parser *p, const char *name)
{
	const struct tp_format *f = p->from->own;
	const char *at = f ? f->print_fmt : "", *end;
	char begin[NAME_MAX_LEN + 32];
	int depth = 0;

	snprintf(begin, sizeof(begin), "__print_symbolic(REC->%s,", name);
	at = strstr(at, begin);
	/* names that the kernel left untranslated have no values */
	end = at ? strstr(at, "{ ") : NULL;
	if (!end || !strchr("-0123456789", end[2]))
		return NULL;
	for (end = at; end && *end; end++) {
		depth += (*end == '(') - (*end == ')');
		if (*end == ')' && !depth)
			return arena_strndup(p->from->arena, at, (size_t)(end + 1 - at));
	}
	return NULL;
}

/* Does that print fmt show the field as an address of code? */
static const char *own_symbol(struct probe_parser *p, const char *name)
{
	const struct tp_field *field = p->from->own ? tp_format_field(p->from->own, name) : NULL;
	const struct tp_opts opts = {0};
	struct tp_field_format shown;
	bool is_symbol;

	if (!field || tp_field_format_compile(p->from->own, field, &opts, &shown, NULL))
		return NULL;
	is_symbol = shown.as == TP_SHOWN_SYMBOL;
	tp_prog_free(shown.prog);
	return is_symbol ? "%pS" : NULL;
}

bool probe_may_quote(const char *s)
{
	for (; *s; s++)
		if (*s == '"' || *s == '\\' || (u8)*s < 0x20)
			return false;
	return true;
}

/* The same of an enum of the kernel or of a program. */
static const char *enum_names(struct probe_parser *p, const char *name, u32 of)
{
	struct btf_type t = btf_type(p->from->btf, of);
	struct buf b = {0};
	const char *text;
	u32 i, nr = 0;

	buf_addf(&b, "__print_symbolic(REC->%s", name);
	for (i = 0; i < t.vlen; i++) {
		struct btf_enumerator e = btf_enumerator(p->from->btf, &t, i);

		if (!probe_may_quote(e.name))
			continue;
		buf_addf(&b, ", { %lld, \"%s\" }", (long long)e.value, e.name);
		nr++;
	}
	buf_addc(&b, ')');
	text = b.failed ? NULL : arena_strndup(p->from->arena, buf_str(&b), b.len);
	buf_free(&b);
	return nr ? text : NULL;
}

static bool is_function(const struct btf *b, u32 of)
{
	return btf_resolve(b, of).kind == BTF_FUNC_PROTO;
}

/* Is it the argument of that name, as it is? The tracepoint's own field of the name is likely to be that. */
static bool is_parameter(struct probe_parser *p, const struct expr *e, const char *name)
{
	const struct expr_argument *a = p->scope.arguments;
	u32 i;

	for (i = 0; i < p->scope.nr_arguments; i++)
		if (a[i].e == e && !strcmp(a[i].name, name))
			return true;
	return false;
}

static void show_number(struct probe_parser *p, struct probe_field *f, const struct expr *e)
{
	const bool own = is_parameter(p, e, f->name);
	const char *names = own ? own_names(p, f->name) : NULL;
	const bool wide = f->size == 8;
	const char *symbol = wide && own ? own_symbol(p, f->name) : NULL;

	if (!names && e->type.kind == EXPR_NUMBER && e->type.of)
		names = enum_names(p, f->name, e->type.of);
	if (names) {
		f->conversion = "%s";
		f->argument = names;
	} else if (symbol) {
		f->conversion = symbol;
	} else if (e->type.kind == EXPR_POINTER) {
		f->conversion =
			!p->from->user && !e->of_user && is_function(p->from->btf, e->type.of)
				? "%ps"
				: "0x%llx";
	} else if (f->is_signed) {
		f->conversion = wide ? "%lld" : "%d";
	} else {
		f->conversion = wide ? "%llu" : "%u";
	}
}

/* --- forms --- */

int probe_bytes_field(struct probe_parser *p, struct probe_field *f, const struct expr *e, u32 size,
		      const char *at)
{
	f->what = PROBE_BYTES;
	f->e = e;
	f->type = "__u8";
	f->is_array = true;
	f->conversion = "%s";
	f->argument = arena_printf(p->from->arena, "__print_hex(REC->%s, %u)", f->name, size);
	return f->argument ? probe_place(p, f, size, 4, at) : err_nomem(p->err);
}

int probe_text_field(struct probe_parser *p, struct probe_field *f, const struct expr *e, u32 size,
		     const char *at)
{
	f->what = p->from->user || e->of_user ? PROBE_USER_STRING : PROBE_STRING;
	f->e = e;
	f->type = "char";
	f->is_array = true;
	f->conversion = "%s";
	return probe_place(p, f, size, size < 8 ? 1 : 8, at);
}

/* An array of six bytes or more, or a pointer to bytes. */
static bool has_bytes(struct probe_parser *p, const struct expr *e)
{
	const struct btf *b = p->from->btf;
	struct btf_type t = btf_type(b, e->type.of);

	if (e->type.kind == EXPR_POINTER)
		return btf_resolve(b, e->type.of).kind == BTF_INT && btf_size(b, e->type.of) == 1;
	return e->type.kind == EXPR_ARRAY && e->type.size >= 6 &&
	       btf_size(b, btf_array(b, &t).type) == 1;
}

static int address_form(struct probe_parser *p, struct probe_field *f, const struct expr *e,
			const char *form, const char *at)
{
	const bool mac = !strcmp(form, "mac");
	const u32 size = e->type.size;
	int ret;

	if (!mac && e->type.kind == EXPR_NUMBER && size == 4) {
		f->e = e;
		f->what = PROBE_NUMBER;
		f->as_stored = e->type.big_endian;
		f->type = "__u8";
		f->is_array = true;
		f->conversion = "%pI4";
		return probe_place(p, f, size, 4, at);
	}
	if (mac ? !has_bytes(p, e)
		: !e->is_place || e->bit_size || (size != 4 && size != 16) ||
			    e->type.kind == EXPR_POINTER) {
		err_set(p->err, EINVAL,
			mac ? "this is not the 6 bytes of a MAC address"
			    : "this is not the 4 or 16 bytes of an IP address");
		return probe_wrong(p, at);
	}
	ret = probe_bytes_field(p, f, e, mac ? 6 : size, at);
	f->argument = NULL;
	f->conversion = mac ? "%pM" : size == 4 ? "%pI4" : "%pI6c";
	return ret;
}

/* A number in another form than that of its type. */
static int apply_form(struct probe_parser *p, struct probe_field *f, const char *form,
		      const char *at)
{
	const bool wide = f->size == 8;

	if (!strcmp(form, "x"))
		f->conversion = wide ? "0x%llx" : "0x%x";
	else if (!strcmp(form, "d"))
		f->conversion = wide ? "%lld" : "%d";
	else if (!strcmp(form, "u"))
		f->conversion = wide ? "%llu" : "%u";
	else if (!strcmp(form, "be") && f->e->type.kind == EXPR_NUMBER && f->size > 1) {
		f->as_stored = !f->e->type.big_endian;
		f->conversion = wide ? "%llu" : "%u";
	} else if (!strcmp(form, "sym") && wide && !p->from->user && !f->e->of_user)
		f->conversion = "%pS";
	else {
		err_set(p->err, EINVAL, "this cannot be shown as '%s'", form);
		err_hint(p->err, FORMS);
		return probe_wrong(p, at);
	}
	f->argument = NULL;
	f->is_signed = *form == 'd' || (f->is_signed && !strchr("uxb", *form));
	f->type = number_type(f->size, f->is_signed);
	return 0;
}

int probe_number_field(struct probe_parser *p, struct probe_field *f, const struct expr *e,
		       const char *form, const char *at)
{
	int ret;

	f->what = PROBE_NUMBER;
	f->e = e;
	f->is_signed = e->type.is_signed;
	f->type = e->type.kind == EXPR_POINTER ? "void *" : number_type(e->type.size, f->is_signed);
	ret = probe_place(p, f, e->type.size, e->type.size, at);
	show_number(p, f, e);
	return ret || !*form ? ret : apply_form(p, f, form, at);
}

static bool is_char(const struct btf *b, u32 id)
{
	struct btf_type t = btf_resolve(b, id);

	return t.kind == BTF_INT && t.size == 1 && !strcmp(t.name, "char");
}

static bool is_text_array(const struct btf *b, const struct expr_type *t)
{
	struct btf_type array = btf_type(b, t->of);

	return is_char(b, btf_array(b, &array).type);
}

/* Of the kernel's pointers it is not known whose memory they are of. */
static bool is_text_pointer(struct probe_parser *p, const struct expr *e)
{
	return (p->from->user || e->of_user) && is_char(p->from->btf, e->type.of);
}

static int no_field(struct probe_parser *p, const struct expr *e, const char *at)
{
	struct buf type = {0}, members = {0};
	const bool has_name = *btf_type(p->from->btf, e->type.of).name;

	expr_type_text(p->from->btf, &e->type, &type);
	err_set(p->err, EINVAL, "this is %s, which is no value", buf_str(&type));
	if (e->type.kind == EXPR_STRUCT && (has_name || p->from->user)) {
		expr_members_hint(p->from->btf, e->type.of, !p->from->user, &members);
		err_hint(p->err, "name one of its members; %s", buf_str(&members));
	} else if (e->type.kind == EXPR_STRUCT) {
		err_hint(p->err, "name one of its members");
	} else {
		err_hint(p->err, "buf(&..., SIZE) shows its bytes");
	}
	buf_free(&members);
	buf_free(&type);
	return probe_wrong(p, at);
}

/* How many bytes of it the field has. */
static u32 array_size(struct probe_parser *p, const struct probe_field *f, const struct expr *e)
{
	const char *before = p->probe->cut;

	if (e->type.size <= ARRAY_MAX)
		return e->type.size;
	p->probe->cut = arena_printf(p->from->arena, "%s%s%s has the first %u of %u bytes",
				     before ? before : "", before ? ", " : "", f->name, ARRAY_MAX,
				     e->type.size);
	p->scope.no_memory |= !p->probe->cut;
	return ARRAY_MAX;
}

static int array_field(struct probe_parser *p, struct probe_field *f, const struct expr *e,
		       const char *form, const char *at)
{
	const u32 size = array_size(p, f, e);

	if (!size)
		return no_field(p, e, at);
	if (!strcmp(form, "str") || (!*form && is_text_array(p->from->btf, &e->type)))
		return probe_text_field(p, f, e, size, at);
	if (!*form)
		return probe_bytes_field(p, f, e, size, at);
	err_set(p->err, EINVAL, "an array cannot be shown as '%s'", form);
	err_hint(p->err, "forms of bytes are ip, mac, str, hex");
	return probe_wrong(p, at);
}

/* The bytes of a place, whatever they are. */
static int hex_field(struct probe_parser *p, struct probe_field *f, const struct expr *e,
		     const char *at)
{
	const struct expr *address;

	if (e->is_place && e->type.kind != EXPR_POINTER && e->type.size && !e->bit_size) {
		address = expr_address(p->from->arena, e);
		return address ? probe_bytes_field(p, f, address, array_size(p, f, e), at)
			       : err_nomem(p->err);
	}
	err_set(p->err, EINVAL, "these are no bytes in memory");
	err_hint(p->err, e->type.kind == EXPR_POINTER
				 ? "buf(POINTER, SIZE) shows those that it leads to"
				 : "x shows a number with the base 16");
	return probe_wrong(p, at);
}

static int value_field(struct probe_parser *p, struct probe_field *f, const struct expr *e,
		       const char *form, const char *at)
{
	if (!strcmp(form, "hex"))
		return hex_field(p, f, e, at);
	if (!strcmp(form, "ip") || !strcmp(form, "mac"))
		return address_form(p, f, e, form, at);
	if (e->type.kind == EXPR_POINTER &&
	    (!strcmp(form, "str") || (!*form && is_text_pointer(p, e))))
		return probe_text_field(p, f, e, PROBE_TEXT, at);
	if (e->type.kind == EXPR_NUMBER || e->type.kind == EXPR_POINTER)
		return probe_number_field(p, f, e, form, at);
	return e->type.kind == EXPR_ARRAY ? array_field(p, f, e, form, at) : no_field(p, e, at);
}

/* --- items --- */

/* The last name of an expression, if that ends with one: of what it is. */
const char *probe_name_of(struct probe_parser *p, const char *from, const char *to)
{
	const char *name;

	while (to > from && isspace((u8)to[-1]))
		to--;
	name = to;
	while (name > from && (isalnum((u8)name[-1]) || name[-1] == '_'))
		name--;
	if (name < to && !isdigit((u8)*name) && to - name < NAME_MAX_LEN)
		return arena_strndup(p->from->arena, name, (size_t)(to - name));
	err_set(p->err, EINVAL, "this has no name");
	err_hint(p->err, "give it one: name=%.*s", (int)MIN(to - from, 60), from);
	probe_wrong(p, from);
	return NULL;
}

static int parse_form(struct probe_parser *p, char form[static NAME_MAX_LEN])
{
	size_t n;

	form[0] = '\0';
	if (!probe_take(p, ':'))
		return 0;
	probe_peek(p);
	n = probe_word(p->p);
	if (!n || n >= NAME_MAX_LEN) {
		err_set(p->err, EINVAL, "a form is expected here");
		err_hint(p->err, FORMS);
		return probe_wrong(p, p->p);
	}
	memcpy(form, p->p, n);
	form[n] = '\0';
	p->p += n;
	return 0;
}

static const struct expr_argument *find_argument(const struct probe_parser *p, const char *name)
{
	const struct expr_argument *a = p->scope.arguments, *end = a + p->scope.nr_arguments;

	for (; a < end; a++)
		if (!strcmp(a->name, name))
			return a;
	return NULL;
}

/* "comm", where nothing else has that name. */
static bool takes_comm(struct probe_parser *p)
{
	static const char comm[] = "comm";
	const size_t n = sizeof(comm) - 1;
	const char *end;

	if (probe_word(p->p) != n || strncmp(p->p, comm, n) != 0 || find_argument(p, comm))
		return false;
	for (end = p->p + n; isspace((u8)*end); end++)
		;
	if (*end != ',' && *end != ')')
		return false;
	p->p = end;
	return true;
}

static int parse_comm(struct probe_parser *p, const char *name, const char *at)
{
	struct probe_field *f = probe_add_field(p, name ? name : "comm", at);

	if (!f)
		return -EINVAL;
	f->what = PROBE_COMM;
	f->type = "char";
	f->is_array = true;
	f->conversion = "%s";
	return probe_place(p, f, PROBE_COMM_SIZE, 8, at);
}

static int parse_value(struct probe_parser *p, const char *name)
{
	const char *at = p->p;
	const struct expr *e = expr_parse(&p->scope, &p->p, p->err);
	struct probe_field *f;
	char form[NAME_MAX_LEN];

	if (!e)
		return -EINVAL;
	if (!name)
		name = probe_name_of(p, at, p->p);
	if (!name || parse_form(p, form))
		return -EINVAL;
	f = probe_add_field(p, name, at);
	return f ? value_field(p, f, e, form, at) : -EINVAL;
}

/* All fields of the tracepoint are known as expressions. */
static bool knows_fields(const struct probe_parser *p)
{
	const struct tp_format *own = p->from->fields ? p->from->own : NULL;
	const struct tp_field *f;
	const struct expr_argument *a;

	for (f = own ? own->fields : NULL; own && f < own->fields + own->nr_fields; f++) {
		if (f->is_common)
			continue;
		a = arguments_is_field(p->from->fields, f->name) ? find_argument(p, f->name) : NULL;
		if (!a || !a->e)
			return false;
	}
	return own != NULL;
}

static int add_fields(struct probe_parser *p, const char *at)
{
	const struct tp_format *own = p->from->own;
	const struct expr_argument *a;
	struct probe_field *f;
	int ret = 0;
	u32 i;

	for (i = 0; i < own->nr_fields && !ret; i++) {
		a = own->fields[i].is_common ? NULL : find_argument(p, own->fields[i].name);
		if (!a)
			continue;
		f = probe_add_field(p, a->name, at);
		ret = f ? value_field(p, f, a->e, "", at) : -EINVAL;
	}
	return ret;
}

static bool has_field(const struct probe *probe, const char *name)
{
	u32 i;

	for (i = 0; i < probe->fields.nr; i++)
		if (!strcmp(probe->fields.v[i].name, name))
			return true;
	return false;
}

/* Names of a program may be no words: Go has "&x" and "~r0". In a format, others would be read as more of it. NULL: memory is out. */
static const char *word_of(struct probe_parser *p, const char *name)
{
	char *word, *c;

	if (probe_word(name) == strlen(name))
		return name;
	word = arena_strdup(p->from->arena, name);
	p->scope.no_memory |= !word;
	for (c = word; c && *c; c++)
		if (!isalnum((u8)*c))
			*c = '_';
	return word;
}

/* Who types "*" gives no names: what cannot have its own gets another. NULL: no field can be made of it, or memory is out. */
static const char *name_parameter(struct probe_parser *p, const char *own)
{
	struct probe *probe = p->probe;
	const char *name = word_of(p, own), *other = name;

	if (!name)
		return NULL;
	if (!probe_word(name) || !strncmp(name, "common_", 7) || has_field(probe, name)) {
		other = arena_printf(p->from->arena, "other_%s", name);
		p->scope.no_memory |= !other;
	}
	if (probe->fields.nr == PROBE_FIELDS_MAX ||
	    rounded(probe->size) + PROBE_TEXT + 8 > PROBE_BYTES_MAX ||
	    (other && (has_field(probe, other) || strlen(other) >= NAME_MAX_LEN))) {
		if (!probe->nr_left_out++)
			probe->left_out = name;
		return NULL;
	}
	if (other && other != own) {
		probe->renamed = probe->renamed ? arena_printf(p->from->arena, "%s, %s",
							       probe->renamed, other)
						: other;
		p->scope.no_memory |= !probe->renamed;
	}
	return other;
}

/* Each argument that is a value; of those that have two names, by the better one. */
static int add_parameters(struct probe_parser *p, const char *at)
{
	const struct expr_argument *a = p->scope.arguments, *end = a + p->scope.nr_arguments;
	const bool named = a < end && !a->spare;
	struct probe_field *f;
	const char *name;
	int ret = 0;

	if (knows_fields(p))
		return add_fields(p, at);
	for (; a < end && !ret; a++) {
		if (!a->e || (named && a->spare) ||
		    (a->e->type.kind != EXPR_NUMBER && a->e->type.kind != EXPR_POINTER))
			continue;
		name = name_parameter(p, a->name);
		if (p->scope.no_memory)
			return err_nomem(p->err);
		if (!name)
			continue;
		f = probe_add_field(p, name, at);
		ret = f ? value_field(p, f, a->e, "", at) : -EINVAL;
	}
	return ret;
}

/* Which of the functions it is. */
static int add_function(struct probe_parser *p)
{
	struct probe_field *f = probe_add_field(p, "function", p->p);

	if (!f)
		return -EINVAL;
	f->what = PROBE_FUNCTION;
	f->type = p->from->names ? "unsigned long long" : "void *";
	f->conversion = p->from->names ? "%s" : "%ps";
	f->argument = p->from->names;
	return probe_place(p, f, sizeof(u64), sizeof(u64), p->p);
}

static int parse_item(struct probe_parser *p)
{
	const char *at = (probe_peek(p), p->p), *name = NULL;
	const struct probe_reader *reader;
	size_t n = probe_word(at), next = n;

	if (*at == '*' && (p->p++, probe_peek(p) == ',' || *p->p == ')'))
		return add_parameters(p, at);
	p->p = at;
	while (isspace((u8)at[next]))
		next++;
	if (n && n < NAME_MAX_LEN && at[next] == '=' && at[next + 1] != '=') {
		name = arena_strndup(p->from->arena, at, n);
		if (!name)
			return err_nomem(p->err);
		p->p = at + next + 1;
		probe_peek(p);
	}
	at = p->p;
	if (takes_comm(p))
		return parse_comm(p, name, at);
	reader = probe_reader_at(p->p);
	if (reader)
		return probe_reader_parse(p, reader, name);
	return probe_reader_check(p) ? -EINVAL : parse_value(p, name);
}

static int parse_list(struct probe_parser *p)
{
	int ret;

	do {
		ret = parse_item(p);
		if (ret)
			return ret;
	} while (probe_take(p, ','));
	if (probe_take(p, ')'))
		return 0;
	err_set(p->err, EINVAL, "',' or ')' is expected here");
	return probe_wrong(p, p->p);
}

static int no_types(const char *tracepoint, struct err *err)
{
	err_set(err, ENOTSUP, "the running kernel has no types of what %s hands over", tracepoint);
	err_hint(err, "events without (...) have the fields of: perf-lite list -v");
	return -ENOTSUP;
}

int probe_parse(struct probe *probe, const struct probe_source *from, const char **text,
		const char **at, struct err *err)
{
	struct probe_parser p = {
		.probe = probe,
		.from = from,
		.p = *text,
		.err = err,
		.scope = {.btf = from->btf,
			  .arena = from->arena,
			  .has_task = !from->user,
			  .wrong = *text},
	};
	struct arguments own = {.arena = from->arena};
	const struct arguments *arguments = from->arguments ? from->arguments : &own;
	struct btf_type function;
	int ret = 0;

	*probe = (struct probe){
		.tracepoint = from->name, .size = HEADER, .user = from->user, .when = from->when};
	if (!from->arguments) {
		function = btf_tracepoint(from->btf, from->name);
		*at = *text;
		ret = function.kind == BTF_FUNC_PROTO
			      ? arguments_tracepoint(&own, from->btf, &function, err)
			      : no_types(from->name, err);
		if (!ret)
			ret = arguments_fields(&own, from->btf, from->own, from->fields, err);
	}
	if (ret)
		return ret;
	p.scope.arguments = arguments->v.v;
	p.scope.nr_arguments = arguments->v.nr;
	p.scope.missing = arguments->missing;
	p.scope.registers = arguments->registers;
	ret = from->several ? add_function(&p) : 0;
	if (!ret && p.p)
		ret = parse_list(&p);
	arguments_free(&own);
	*at = p.scope.wrong;
	*text = p.p;
	probe->size = rounded(probe->size);
	/* nothing else fails without a word */
	if (p.scope.no_memory || (ret && (!err->code || err->code == ENOMEM)))
		return err_nomem(err);
	return ret;
}

void probe_free(struct probe *p)
{
	vec_free(&p->fields);
}

/* --- the format --- */

static void put_line(struct buf *out, const char *type, const char *name, u32 nr, u32 offset,
		     u32 size, bool is_signed)
{
	buf_addf(out, "\tfield:%s %s", type, name);
	if (nr)
		buf_addf(out, "[%u]", nr);
	buf_addf(out, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", offset, size, is_signed);
}

void probe_format(const struct probe *p, struct buf *out)
{
	const struct probe_field *f;

	buf_addf(out, "name: %s\nID: %u\nformat:\n", p->tracepoint, p->id);
	put_line(out, "unsigned short", "common_type", 0, 0, 2, false);
	put_line(out, "unsigned char", "common_flags", 0, 2, 1, false);
	put_line(out, "unsigned char", "common_preempt_count", 0, 3, 1, false);
	put_line(out, "int", "common_pid", 0, 4, 4, true);
	put_line(out, "unsigned int", "common_unread", 0, PROBE_UNREAD_AT, 4, false);
	buf_addc(out, '\n');
	for (f = p->fields.v; f < p->fields.v + p->fields.nr; f++)
		put_line(out, f->type, f->name, f->is_array ? f->size : 0, f->offset, f->size,
			 f->is_signed);
	buf_adds(out, "\nprint fmt: \"");
	for (f = p->fields.v; f < p->fields.v + p->fields.nr; f++)
		buf_addf(out, "%s%s=%s", f > p->fields.v ? " " : "", f->name, f->conversion);
	buf_addc(out, '"');
	for (f = p->fields.v; f < p->fields.v + p->fields.nr; f++) {
		if (f->argument)
			buf_addf(out, ", %s", f->argument);
		else
			buf_addf(out, ", REC->%s", f->name);
	}
	buf_addc(out, '\n');
}
