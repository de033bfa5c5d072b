// SPDX-License-Identifier: GPL-2.0
/*
 * odd_symbols MS - MS milliseconds of CPU time in functions with symbols of every kind: names of C++, Rust (both ways to
 * code them), Go, D and Swift, very long ones, aliases, indirect functions, labels, none at all.
 */
#include <stdlib.h>
#include <time.h>

#define WORK(id, name)                                              \
	unsigned long id(unsigned long x) __asm__(name);            \
	__attribute__((noinline)) unsigned long id(unsigned long x) \
	{                                                           \
		int i;                                              \
                                                                    \
		for (i = 0; i < 3000; i++)                          \
			x = x * 31 + (unsigned long)i;              \
		return x;                                           \
	}

#define TEN(x) x x x x x x x x x x

WORK(cxx_nested, "_ZN5outer5inner3BoxIiLi4EE3sumERKSt6vectorIiSaIiEE")
WORK(cxx_anonymous, "_ZN12_GLOBAL__N_16hiddenEm")
WORK(cxx_lambda, "_ZZ4mainENKUliE_clEi")
WORK(cxx_clone, "_ZN3foo3barEv.constprop.0")
WORK(cxx_broken, "_ZN5outer5inner")
WORK(rust_legacy, "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE")
WORK(rust_closure, "_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17h1234567890abcdefE")
WORK(rust_v0, "_RNvNtCs1234_7mycrate3foo3bar")
WORK(rust_generic, "_RINvNtC3std3mem8align_ofjEC3foo")
WORK(go_method, "\"main.(*Sq).Area\"")
WORK(go_closure, "main.main.func1")
WORK(d_function, "_D3foo3barFZv")
WORK(swift_function, "$s4main3fooyyF")
WORK(dots, "..dots..")
WORK(very_long, TEN("a_very_long_symbol_name_") TEN("a_very_long_symbol_name_") "end")
WORK(aliased, "aliased")
WORK(indirect, "indirect_implementation")

#define ALIAS(name) unsigned long name(unsigned long x) __attribute__((alias("aliased")));
ALIAS(_aliased)
ALIAS(__aliased)
ALIAS(aliased_)
ALIAS(a)
ALIAS(zzz)
ALIAS(a_longer_alias)
unsigned long a_weak_alias(unsigned long x) __attribute__((weak, alias("aliased")));

static unsigned long (*resolve(void))(unsigned long)
{
	return indirect;
}
unsigned long chosen(unsigned long x) __attribute__((ifunc("resolve")));

/* Of assembler: without a size, with one of 0, a label inside, without a type, without a symbol. */
void nosize(void);
void sized_zero(void);
void sized(void);
void notype(void);
__asm__("	.text\n"
	"	.type nosize, @function\n"
	"nosize:	mov $3000, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	ret\n"
	"	.type sized_zero, @function\n"
	"	.size sized_zero, 0\n"
	"sized_zero:	mov $3000, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	ret\n"
	"	.type sized, @function\n"
	"sized:	mov $3000, %ecx\n"
	"inside:	dec %ecx\n"
	"	jnz inside\n"
	"	ret\n"
	"	.size sized, .-sized\n"
	"	.skip 64, 0x90\n"
	"notype:	mov $3000, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	ret\n");

int main(int argc, char **argv)
{
	static unsigned long (*const all[])(unsigned long) = {
		cxx_nested,     cxx_anonymous, cxx_lambda,   cxx_clone, cxx_broken,   rust_legacy,
		rust_closure,   rust_v0,       rust_generic, go_method, go_closure,   d_function,
		swift_function, dots,          very_long,    zzz,       a_weak_alias, chosen,
	};
	clock_t end = clock() + CLOCKS_PER_SEC / 1000 * (argc > 1 ? atoi(argv[1]) : 50);
	unsigned long x = 1;
	size_t i;

	while (clock() < end) {
		for (i = 0; i < sizeof(all) / sizeof(*all); i++)
			x = all[i](x);
		nosize();
		sized_zero();
		sized();
		notype();
	}
	return x == 42;
}
