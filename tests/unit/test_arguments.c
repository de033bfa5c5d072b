// SPDX-License-Identifier: GPL-2.0
/* What names mean at probes: registers, the rules of calls, and the operands of static probes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_btf.h"
#include "tests/unit/oom.h"
#include "util/probe/arguments.h"

static void put(const struct expr *e, struct buf *out)
{
	switch (e->op) {
	case EXPR_CONSTANT:
		buf_addf(out, "%lld", (long long)e->value);
		break;
	case EXPR_CONTEXT:
		buf_addf(out, "@%llu", (unsigned long long)e->value);
		break;
	case EXPR_WORD:
		buf_addf(out, "#%llu", (unsigned long long)e->value);
		break;
	case EXPR_FOLLOW:
		buf_addc(out, '*');
		put(e->a, out);
		break;
	case EXPR_BINARY:
		buf_addc(out, '(');
		put(e->a, out);
		buf_addc(out, e->sign);
		put(e->b, out);
		buf_addc(out, ')');
		break;
	default:
		buf_adds(out, "?");
	}
	if (e->op == EXPR_CONTEXT || e->op == EXPR_WORD || e->op == EXPR_FOLLOW)
		buf_addf(out, ":%c%u", e->type.is_signed ? 's' : 'u', e->type.size);
}

/* "arg1=@112:s4 arg2=-", what cannot be read is '-'. */
static void is_list(const struct arguments *l, const char *want)
{
	struct buf got = {0};
	u32 i;

	for (i = 0; i < l->v.nr; i++) {
		buf_addf(&got, "%s%s=", i ? " " : "", l->v.v[i].name);
		if (l->v.v[i].e)
			put(l->v.v[i].e, &got);
		else
			buf_addc(&got, '-');
	}
	assert_string_equal(buf_str(&got), want);
	buf_free(&got);
}

static void is_usdt(const struct arch *arch, const char *text, const char *want)
{
	struct arena arena = {0};
	struct arguments l = {.arena = &arena};

	assert_int_equal(arguments_usdt(&l, arch->call, text, NULL), 0);
	is_list(&l, want);
	arguments_free(&l);
	arena_free(&arena);
}

static void operands(void **state)
{
	(void)state;
	is_usdt(&arch_x86_64, "", "");
	is_usdt(&arch_x86_64, "-4@%edi 8@%rsi 1@%al 2@%r9w",
		"arg1=@112:s4 arg2=@104:u8 arg3=@80:u1 arg4=@64:u2");
	is_usdt(&arch_x86_64, "-4@$-5 8@$0x10", "arg1=-5 arg2=16");
	/* shown as numbers with a sign here, whatever their types */
	is_usdt(&arch_x86_64, "4@$-1 1@$-56 -4@$-1 2@$-1 8@$-1 -1@$200 8@$18446744073709551615 $-5",
		"arg1=4294967295 arg2=200 arg3=-1 arg4=65535 arg5=-1 arg6=-56 arg7=-1 arg8=-5");
	is_usdt(&arch_x86_64, "-4@-12(%rbp) 8@(%rsp)",
		"arg1=*(@32:u8+-12):s4 arg2=*(@152:u8+0):u8");
	is_usdt(&arch_x86_64, "8@8(%rax,%rbx) 4@(%rax,%rcx,2) 4@16(,%rcx,2)",
		"arg1=*((@80:u8+@40:u8)+8):u8 arg2=*((@80:u8+(@88:u8+@88:u8))+0):u4 "
		"arg3=*((@88:u8+@88:u8)+16):u4");
	/* what is not known does not hide what follows */
	is_usdt(&arch_x86_64, "8f@%xmm0 4@%eax", "arg1=- arg2=@80:u4");
	is_usdt(&arch_x86_64, "4@sum(%rip) 8@%fs:0 1@%ah 3@%eax 4@%eaxx 4@ @ 4 4@$ 4@8(%rax 4@%eax",
		"arg1=- arg2=- arg3=- arg4=- arg5=- arg6=- arg7=- arg8=4 arg9=- arg10=-");
	is_usdt(&arch_x86_64, "4@(%rax,%rcx,9) 4@(%rax,%rcx,0) 4@()", "arg1=- arg2=- arg3=-");
	is_usdt(&arch_arm64, "-4@w0 8@x19 8@[sp, 16] 4@[x2] 8@[x1, #-8] -8@7",
		"arg1=@0:s4 arg2=@152:u8 arg3=*(@248:u8+16):u8 arg4=*(@16:u8+0):u4 "
		"arg5=*(@8:u8+-8):u8 arg6=7");
	is_usdt(&arch_riscv64, "-8@a0 4@-20(s0) 8@zero",
		"arg1=@80:s8 arg2=*(@64:u8+-20):u4 arg3=-");
	is_usdt(&arch_s390x, "8@%r2 8@160(%r15)", "arg1=@40:u8 arg2=*(@144:u8+160):u8");
}

static void registers(void **state)
{
	static const struct {
		const struct arch *arch;
		const char *arguments, *result;
	} of[] = {
		{&arch_x86_64,
		 "arg1=@112:s8 arg2=@104:s8 arg3=@96:s8 arg4=@88:s8 arg5=@72:s8 arg6=@64:s8",
		 "retval=@80:s8"},
		{&arch_s390x, "arg1=@40:s8 arg2=@48:s8 arg3=@56:s8 arg4=@64:s8 arg5=@72:s8",
		 "retval=@40:s8"},
		{&arch_arm64,
		 "arg1=@0:s8 arg2=@8:s8 arg3=@16:s8 arg4=@24:s8 arg5=@32:s8 arg6=@40:s8 "
		 "arg7=@48:s8 arg8=@56:s8",
		 "retval=@0:s8"},
	};
	struct arena arena = {0};
	struct arguments l;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		l = (struct arguments){.arena = &arena};
		assert_int_equal(arguments_registers(&l, of[i].arch->call, false, NULL), 0);
		is_list(&l, of[i].arguments);
		arguments_free(&l);
		assert_int_equal(arguments_registers(&l, of[i].arch->call, true, NULL), 0);
		is_list(&l, of[i].result);
		arguments_free(&l);
	}
	arena_free(&arena);
}

static u32 add_ints(struct made *m, u32 *lng)
{
	u32 id = add(m, "int", BTF_INT, 0, false, 4);

	buf_u32(&m->types, 1u << 24 | 32);
	*lng = add(m, "long", BTF_INT, 0, false, 8);
	buf_u32(&m->types, 1u << 24 | 64);
	return id;
}

/* f(int a, double b, struct pair c, long d, struct large e, int f, ... k): what is in registers, on the stack, or nowhere. */
static void rules(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
	struct arena arena = {0};
	struct arguments l = {.arena = &arena};
	struct arguments_function f = {0};
	struct debug_location where[11] = {{DEBUG_BY_RULE, 0, 0, 0}};
	u32 i32, i64, dbl, pair, large, types[11], i;
	struct made m;

	(void)state;
	begin(&m);
	i32 = add_ints(&m, &i64);
	dbl = add(&m, "double", BTF_FLOAT, 0, false, 8);
	pair = add(&m, "pair", BTF_STRUCT, 2, false, 16);
	member(&m, "x", i64, 0), member(&m, "y", i64, 64);
	large = add(&m, "large", BTF_STRUCT, 3, false, 24);
	member(&m, "x", i64, 0), member(&m, "y", i64, 64), member(&m, "z", i64, 128);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		types[i] = i == 1 ? dbl : i == 2 ? pair : i == 3 ? i64 : i == 4 ? large : i32;
	f.id = add(&m, "", BTF_FUNC_PROTO, ARRAY_SIZE(names), false, i32);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		more(&m, names[i], types[i]);
	assert_int_equal(finish(&m, NULL), 0);
	f.b = &m.b;
	assert_int_equal(arguments_typed(&l, arch_x86_64.call, &f, false, NULL), 0);
	is_list(&l, "a=@112:s4 b=- c=- d=@88:s8 e=*(@152:u8+8):u24 f=@72:s4 g=@64:s4 "
		    "h=*(@152:u8+32):s4 i=*(@152:u8+40):s4 j=*(@152:u8+48):s4 k=*(@152:u8+56):s4");
	arguments_free(&l);
	assert_int_equal(arguments_typed(&l, arch_arm64.call, &f, false, NULL), 0);
	is_list(&l, "a=@0:s4 b=- c=- d=@24:s8 e=*@32:u8:u24 f=@40:s4 g=@48:s4 h=@56:s4 "
		    "i=*(@248:u8+0):s4 j=*(@248:u8+8):s4 k=*(@248:u8+16):s4");
	arguments_free(&l);
	/* where DWARF says; a result in memory takes a register before all */
	f.where = where;
	f.hides_result = true;
	where[1] = (struct debug_location){DEBUG_IN_REGISTER, 17, 0, 8};
	where[2] = (struct debug_location){DEBUG_IN_MEMORY, DEBUG_CFA, 16, 8};
	where[3] = (struct debug_location){DEBUG_CONSTANT, 0, -7, 8};
	where[4].align = 8;
	where[5] = (struct debug_location){DEBUG_NOWHERE, 0, 0, 4};
	where[6] = (struct debug_location){DEBUG_IN_MEMORY, 5, -8, 4};
	where[7] = (struct debug_location){DEBUG_IN_REGISTER, 0, 0, 4};
	assert_int_equal(arguments_typed(&l, arch_x86_64.call, &f, false, NULL), 0);
	l.v.nr = 8;
	is_list(&l, "a=@104:s4 b=- c=*(@152:u8+24):u16 d=-7 e=*(@152:u8+8):u24 f=- "
		    "g=*(@112:u8+-8):s4 h=@80:s4");
	arguments_free(&l);
	/* a struct of which calls want more than words lies there, or it is not known where */
	where[7] = where[8] = (struct debug_location){.where = DEBUG_BY_RULE, .align = 4};
	where[4].align = 16;
	where[5].where = where[6].where = DEBUG_BY_RULE;
	f.hides_result = false;
	assert_int_equal(arguments_typed(&l, arch_x86_64.call, &f, false, NULL), 0);
	l.v.nr = 8;
	is_list(&l, "a=@112:s4 b=- c=*(@152:u8+24):u16 d=-7 e=*(@152:u8+8):u24 f=@72:s4 g=@64:s4 "
		    "h=*(@152:u8+32):s4");
	arguments_free(&l);
	where[4].align = 0;
	assert_int_equal(arguments_typed(&l, arch_x86_64.call, &f, false, NULL), 0);
	l.v.nr = 8;
	is_list(&l, "a=@112:s4 b=- c=*(@152:u8+24):u16 d=-7 e=- f=- g=- h=-");
	arguments_free(&l);
	assert_int_equal(arguments_typed(&l, arch_x86_64.call, &f, true, NULL), 0);
	is_list(&l, "retval=@80:s4");
	arguments_free(&l);
	arena_free(&arena);
	end(&m);
}

/* f(int a): which results take the first register. */
static void results(void **state)
{
	struct arena arena = {0};
	struct arguments l = {.arena = &arena};
	struct arguments_function f = {0};
	u32 i32, i64, i8, vector, types[5], protos[5], i;
	struct debug_location where = {.where = DEBUG_BY_RULE, .align = 4};
	static const char *const first = "a=@112:s4", *const second = "a=@104:s4";
	const char *const want[5] = {"a=-", second, first, second, second};
	struct made m;

	(void)state;
	begin(&m);
	i32 = add_ints(&m, &i64);
	i8 = add(&m, "char", BTF_INT, 0, false, 1);
	buf_u32(&m.types, 1u << 24 | 8);
	types[0] = vector = add_array(&m, i64, 4, i32);
	/* packed: a number within is not where such belong */
	types[1] = add(&m, "packed", BTF_STRUCT, 2, false, 9);
	member(&m, "c", i8, 0), member(&m, "l", i64, 8);
	types[2] = add(&m, "bytes", BTF_STRUCT, 2, false, 9);
	member(&m, "l", i64, 0), member(&m, "c", i8, 64);
	types[3] = add(&m, "within", BTF_STRUCT, 2, false, 12);
	member(&m, "c", i8, 0), member(&m, "p", types[2], 8);
	types[4] = add(&m, "large", BTF_STRUCT, 1, false, 32);
	member(&m, "v", vector, 0);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		protos[i] = add(&m, "", BTF_FUNC_PROTO, 1, false, types[i]);
		more(&m, "a", i32);
	}
	assert_int_equal(finish(&m, NULL), 0);
	f.b = &m.b;
	f.where = &where;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		f.id = protos[i];
		f.result_align = 8;
		assert_int_equal(arguments_typed(&l, arch_x86_64.call, &f, false, NULL), 0);
		is_list(&l, want[i]);
		arguments_free(&l);
	}
	/* with a vector in it */
	f.result_align = 0;
	assert_int_equal(arguments_typed(&l, arch_x86_64.call, &f, false, NULL), 0);
	is_list(&l, "a=-");
	arguments_free(&l);
	arena_free(&arena);
	end(&m);
}

/* f(int a, struct pair b, long c, struct small d, int): what tracing programs get, the result behind it. */
static void words(void **state)
{
	struct arena arena = {0};
	struct arguments l = {.arena = &arena};
	u32 i32, i64, pair, small, proto, nothing;
	struct made m;

	(void)state;
	begin(&m);
	i32 = add_ints(&m, &i64);
	pair = add(&m, "pair", BTF_STRUCT, 2, false, 16);
	member(&m, "x", i64, 0), member(&m, "y", i64, 64);
	small = add(&m, "small", BTF_STRUCT, 1, false, 4);
	member(&m, "x", i32, 0);
	proto = add(&m, "", BTF_FUNC_PROTO, 5, false, i32);
	more(&m, "a", i32), more(&m, "b", pair), more(&m, "c", i64), more(&m, "d", small);
	more(&m, "", i32);
	nothing = add(&m, "", BTF_FUNC_PROTO, 0, false, 0);
	assert_int_equal(finish(&m, NULL), 0);
	assert_int_equal(arguments_words(&l, &m.b, proto, false, NULL), 0);
	is_list(&l, "a=#0:s4 b=- c=#24:s8 d=- arg1=#0:s8 arg2=#8:s8 arg3=#16:s8 arg4=#24:s8 "
		    "arg5=#32:s8 arg6=#40:s8");
	assert_false(l.v.v[0].spare);
	assert_true(l.v.v[4].spare);
	arguments_free(&l);
	assert_int_equal(arguments_words(&l, &m.b, proto, true, NULL), 0);
	l.v.nr = 5;
	is_list(&l, "a=#0:s4 b=- c=#24:s8 d=- retval=#48:s4");
	arguments_free(&l);
	assert_int_equal(arguments_words(&l, &m.b, nothing, true, NULL), 0);
	is_list(&l, "retval=-");
	assert_string_equal(l.v.v[0].why, "the function returns nothing");
	arguments_free(&l);
	arena_free(&arena);
	end(&m);
}

static void little_memory(void **state)
{
	struct arena arena = {0};
	struct arguments l;
	struct err err;
	unsigned int n;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		l = (struct arguments){.arena = &arena};
		err = (struct err){0};
		oom_after(n);
		ret = arguments_usdt(&l, arch_x86_64.call, "8@8(%rax,%rbx,2) 4@%xmm0 4@$1", &err);
		if (!ret)
			ret = arguments_registers(&l, arch_x86_64.call, false, &err);
		arguments_free(&l);
		arena_free(&arena);
		arena = (struct arena){0};
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_int_equal(err.code, ENOMEM);
	}
	assert_int_equal(ret, 0);
}

/* The arguments of a call on each machine, where its registers are named so. */
static int calls_of(const struct made *m, const struct arch *arch, bool at_exit, struct err *err)
{
	static const char format[] =
		"name: sys_enter_x\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:const char * name;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:struct sk_buff * skb;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\tfield:nosuch_t odd;\toffset:40;\tsize:8;\tsigned:0;\n"
		"\tfield:const char *const * argv;\toffset:48;\tsize:8;\tsigned:0;\n"
		"\tfield:unsigned short last;\toffset:56;\tsize:8;\tsigned:0;\n"
		"\tfield:long none;\toffset:64;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc char[] __name_val;\toffset:72;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"\"\n";
	static const char *const names[] = {"fd", "name", "skb", "odd", "argv", "last"};
	struct tp_format *f = tp_format_parse(format, strlen(format), NULL);
	struct arena arena = {0};
	struct arguments l = {.arena = &arena};
	const struct expr *when = NULL;
	const struct expr_argument *a;
	int ret = f ? arguments_syscall(&l, &m->b,
					&(struct arguments_syscall){.machine = arch->syscall,
								    .enter = f,
								    .number = 3,
								    .at_exit = at_exit},
					&when, err)
		    : -ENOMEM;
	u32 i;

	if (!ret) {
		assert_non_null(when);
		assert_int_equal(l.v.nr, 6 + at_exit);
		for (a = l.v.v, i = 0; i < 6; i++, a++) {
			assert_string_equal(a->name, names[i]);
			assert_int_equal(a->e->of_user, i == 1 || i == 2 || i == 4);
		}
		a = l.v.v;
		assert_true(a[0].e->type.size == 4 && a[0].e->type.is_signed);
		assert_true(a[1].e->type.kind == EXPR_POINTER && a[1].e->type.of);
		assert_true(a[2].e->type.kind == EXPR_POINTER && a[2].e->type.of);
		assert_true(a[3].e->type.kind == EXPR_NUMBER && a[3].e->type.size == 8);
		/* to a pointer */
		assert_true(a[4].e->type.kind == EXPR_POINTER && !a[4].e->type.of);
		assert_true(a[5].e->type.size == 2);
		if (at_exit)
			assert_string_equal(a[6].name, "ret");
	}
	tp_format_free(f);
	arguments_free(&l);
	arena_free(&arena);
	return ret;
}

static void calls(void **state)
{
	static const struct arch *const machines[] = {&arch_x86_64, &arch_arm64, &arch_riscv64,
						      &arch_s390x, &arch_ppc64le};
	struct made m, none;
	struct err err = {0};
	unsigned int n;
	int ret;
	u32 i;

	(void)state;
	begin(&m);
	add_kernel(&m);
	assert_int_equal(finish(&m, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		assert_int_equal(calls_of(&m, machines[i], false, &err), 0);
		assert_int_equal(calls_of(&m, machines[i], true, &err), 0);
	}
	for (n = 0;; n++) {
		oom_after(n);
		err = (struct err){0};
		ret = calls_of(&m, &arch_x86_64, true, &err);
		if (!oom_stop())
			break;
		/* of the words of a message, no one misses any */
		assert_true(ret == -ENOMEM || !ret);
	}
	assert_int_equal(ret, 0);
	end(&m);
	begin(&none);
	add_int(&none, "int", 4);
	assert_int_equal(finish(&none, NULL), 0);
	assert_int_equal(calls_of(&none, &arch_x86_64, false, &err), -ENOTSUP);
	assert_string_equal(err.msg, "the running kernel has no types of system calls");
	end(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands),      cmocka_unit_test(registers),
		cmocka_unit_test(words),         cmocka_unit_test(rules),
		cmocka_unit_test(results),       cmocka_unit_test(calls),
		cmocka_unit_test(little_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
