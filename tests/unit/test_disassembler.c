// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions of each machine, bytes that are none, and lines of source files that are no text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/annotate/source_text.h"
#include "util/disassemble/disassembler.h"

static void first(const struct disassembler_code *code, const char *bytes, size_t len, u64 addr,
		  struct insn *out)
{
	struct disassembler *d;
	struct err err = {0};

	if (disassembler_check(NULL))
		skip();
	assert_int_equal(disassembler_open(&d, code, &err), 0);
	disassembler_next(d, (const u8 *)bytes, len, addr, out);
	disassembler_close(d);
}

#define FIRST(code, bytes, addr, out) \
	first(&(struct disassembler_code)code, bytes, sizeof(bytes) - 1, addr, out)
#define X86                                          \
	{                                            \
		.machine = EM_X86_64, .bits64 = true \
	}
#define ARM64                                         \
	{                                             \
		.machine = EM_AARCH64, .bits64 = true \
	}
#define PPC64LE                                     \
	{                                           \
		.machine = EM_PPC64, .bits64 = true \
	}
#define S390                                                           \
	{                                                              \
		.machine = EM_S390, .bits64 = true, .big_endian = true \
	}
#define I386                      \
	{                         \
		.machine = EM_386 \
	}
#define ARM                       \
	{                         \
		.machine = EM_ARM \
	}
#define THUMB                                    \
	{                                        \
		.machine = EM_ARM, .thumb = true \
	}
#define P(...) __VA_ARGS__

/* Some of AVX and AVX-512, which capstone knows or not: as long as the assembler made them. */
static void vex(void **state)
{
	static const struct {
		const char *bytes;
		u32 size;
	} cases[] = {
		{"\xc5\xfb\x92\xd1", 4},                 /* kmovd %ecx, %k2 */
		{"\x62\xe1\xfe\x28\x6f\x0e", 6},         /* vmovdqu64 (%rsi), %ymm17 */
		{"\x62\xf3\x75\x22\x3f\x07\x04", 7},     /* vpcmpneqb (%rdi), %ymm17, %k0{%k2} */
		{"\x62\xf3\x75\x20\x3f\x47\x01\x04", 8}, /* ... 0x20(%rdi) ... */
		{"\x62\xf1\x7c\x48\x10\x84\x24\x00\x01\x00\x00",
		 11},                                             /* vmovups 0x100(%rsp), %zmm0 */
		{"\x62\xf1\x7c\x48\x10\x05\x00\x01\x00\x00", 10}, /* vmovups 0x100(%rip), %zmm0 */
		{"\x62\xf1\x7c\x48\x10\x04\x25\x00\x01\x00\x00", 11}, /* vmovups 0x100, %zmm0 */
		{"\xc5\xf8\x77", 3},                                  /* vzeroupper */
		{"\xc4\xe1\xfb\x93\xc0", 5},                          /* kmovq %k0, %rax */
		{"\xc5\xfd\x70\xc1\x4e", 5},     /* vpshufd $0x4e, %ymm1, %ymm0 */
		{"\xc4\xe3\x7d\x39\xc1\x01", 6}, /* vextracti128 $1, %ymm0, %xmm1 */
		{"\xc5\xf5\xc2\xc2\x01", 5},     /* vcmpltpd %ymm2, %ymm1, %ymm0 */
	};
	char bytes[16];
	struct insn i;
	size_t n;

	(void)state;
	for (n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		memset(bytes, 0x90, sizeof(bytes));
		memcpy(bytes, cases[n].bytes, cases[n].size);
		first(&(struct disassembler_code)X86, bytes, sizeof(bytes), 0x1000, &i);
		assert_int_equal(i.size, cases[n].size);
	}
	/* cut short, and in 32 bits bound(1) and what else begins so */
	FIRST(P(X86), "\x62\xf1\x7c", 0x1000, &i);
	assert_true(i.size >= 1 && i.size <= 3);
	FIRST(P(I386), "\x62\x06\x90\x90", 0x1000, &i);
	assert_int_equal(i.size, 2);
}

static void x86(void **state)
{
	struct insn i;

	(void)state;
	FIRST(P(X86), "\x75\xf2\x90", 0x1151, &i);
	assert_int_equal(i.kind, INSN_JUMP);
	assert_int_equal(i.size, 2);
	assert_true(i.has_target);
	assert_int_equal(i.target, 0x1145);
	assert_string_equal(i.mnemonic, "jne");
	assert_string_equal(i.operands, "");
	FIRST(P(X86), "\xe8\x0b\x00\x00\x00", 0x1000, &i);
	assert_int_equal(i.kind, INSN_CALL);
	assert_int_equal(i.target, 0x1010);
	FIRST(P(X86), "\xff\xd0", 0x1000, &i);
	assert_int_equal(i.kind, INSN_CALL);
	assert_false(i.has_target);
	FIRST(P(X86), "\xff\x25\xe2\x2f\x00\x00", 0x1000, &i);
	assert_int_equal(i.kind, INSN_JUMP);
	assert_false(i.has_target);
	assert_true(i.has_data);
	assert_int_equal(i.data, 0x3fe8);
	FIRST(P(X86), "\xc3", 0x1000, &i);
	assert_int_equal(i.kind, INSN_RETURN);
	FIRST(P(I386), "\xe9\xfb\xff\xff\xff", 0x1000, &i);
	assert_int_equal(i.kind, INSN_JUMP);
	assert_int_equal(i.target, 0x1000);
	FIRST({P(.machine = EM_X86_64, .bits64 = true, .intel = true)}, "\x48\x89\xd8", 0, &i);
	assert_string_equal(i.operands, "rax, rbx");
}

static void others(void **state)
{
	struct insn i;

	(void)state;
	FIRST(P(ARM64), "\xc1\xff\xff\x54", 0x1008, &i); /* b.ne 0x1000 */
	assert_int_equal(i.kind, INSN_JUMP);
	assert_int_equal(i.target, 0x1000);
	FIRST(P(ARM64), "\x02\x00\x00\x94", 0x1000, &i); /* bl 0x1008 */
	assert_int_equal(i.kind, INSN_CALL);
	assert_int_equal(i.target, 0x1008);
	FIRST(P(ARM64), "\x40\x00\x18\x36", 0x1000, &i); /* tbz w0, #3, 0x1008 */
	assert_int_equal(i.target, 0x1008);
	assert_string_equal(i.operands, "w0, #3, ");
	FIRST(P(ARM64), "\x00\x02\x1f\xd6", 0x1000, &i); /* br x16 */
	assert_false(i.has_target);
	FIRST(P(ARM), "\xfe\xff\xff\xea", 0x1000, &i); /* b 0x1000 */
	assert_int_equal(i.kind, INSN_JUMP);
	assert_int_equal(i.target, 0x1000);
	FIRST(P(THUMB), "\xfe\xe7", 0x1000, &i); /* b 0x1000 */
	assert_int_equal(i.size, 2);
	assert_int_equal(i.target, 0x1000);
	FIRST(P(PPC64LE), "\x09\x00\x00\x48", 0x1000, &i); /* bl 0x1008 */
	assert_int_equal(i.kind, INSN_CALL);
	assert_int_equal(i.target, 0x1008);
	FIRST(P(PPC64LE), "\x40\x00\x82\x41", 0x1000, &i); /* beq 0x1040 */
	assert_int_equal(i.kind, INSN_JUMP);
	assert_int_equal(i.target, 0x1040);
	FIRST(P(PPC64LE), "\x20\x00\x80\x4e", 0x1000, &i); /* blr */
	assert_int_equal(i.kind, INSN_RETURN);
	FIRST(P(S390), "\xc0\xe5\x00\x00\x00\x04", 0x1000, &i); /* brasl %r14, 0x1008 */
	assert_int_equal(i.kind, INSN_CALL);
	assert_int_equal(i.target, 0x1008);
	FIRST(P(S390), "\xa7\x74\xff\xfc", 0x1008, &i); /* jne 0x1000 */
	assert_int_equal(i.kind, INSN_JUMP);
	assert_int_equal(i.target, 0x1000);
}

static void no_instruction(void **state)
{
	struct insn i;

	(void)state;
	FIRST(P(X86), "\x06", 0x1000, &i);
	assert_int_equal(i.kind, INSN_DATA);
	assert_int_equal(i.size, 1);
	assert_string_equal(i.mnemonic, ".byte");
	assert_string_equal(i.operands, "0x06");
	FIRST(P(X86), "\xe8\x00", 0x1000, &i); /* cut short */
	assert_int_equal(i.size, 1);
	FIRST(P(ARM64), "\xff\xff\xff\xff", 0x1000, &i);
	assert_int_equal(i.size, 4);
	FIRST(P(ARM64), "\xff\xff", 0x1000, &i);
	assert_int_equal(i.size, 2);
}

/* Whatever the bytes are, reading goes on to their end. */
static void any_bytes(void **state)
{
	static const struct disassembler_code codes[] = {X86,   I386, ARM64,  ARM,
							 THUMB, S390, PPC64LE};
	struct disassembler *d;
	u8 bytes[4096];
	struct insn in;
	size_t i, at;

	(void)state;
	if (disassembler_check(NULL))
		skip();
	srand(7);
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (u8)rand();
	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		assert_int_equal(disassembler_open(&d, &codes[i], NULL), 0);
		for (at = 0; at < sizeof(bytes); at += in.size) {
			disassembler_next(d, bytes + at, sizeof(bytes) - at, UINT64_MAX - 64 + at,
					  &in);
			assert_in_range(in.size, 1, sizeof(bytes) - at);
			assert_true(memchr(in.operands, '\0', sizeof(in.operands)) != NULL);
		}
		disassembler_close(d);
	}
}

static void unknown_machine(void **state)
{
	struct disassembler *d;
	struct err err = {0};
	int ret = disassembler_open(&d, &(struct disassembler_code){.machine = 0xfff0}, &err);

	(void)state;
	assert_int_equal(ret, disassembler_check(NULL) ? -ENOSYS : -ENOTSUP);
	assert_true(err.msg[0] && err.hint[0]);
	assert_null(d);
}

static void source_lines(void **state)
{
	static const char text[] = "one\r\n\n\0three";
	char path[] = "/tmp/pl-source.XXXXXX";
	struct source_text t = {0};
	int fd = mkstemp(path);
	const char *s;
	size_t len;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	s = source_text_line(&t, path, 1, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(s, "one", 3);
	assert_non_null(source_text_line(&t, path, 2, &len));
	assert_int_equal(len, 0);
	assert_non_null(source_text_line(&t, path, 3, &len));
	assert_int_equal(len, 6);
	assert_null(source_text_line(&t, path, 4, &len));
	assert_null(source_text_line(&t, path, 0, &len));
	assert_null(source_text_line(&t, path, UINT32_MAX, &len));
	assert_null(source_text_line(&t, "/dev/zero", 1, &len));
	assert_null(source_text_line(&t, "/", 1, &len));
	assert_null(source_text_line(&t, "/nonexistent", 1, &len));
	assert_null(source_text_line(&t, NULL, 1, &len));
	unlink(path);
	source_text_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86),
		cmocka_unit_test(others),
		cmocka_unit_test(no_instruction),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(unknown_machine),
		cmocka_unit_test(vex),
		cmocka_unit_test(source_lines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("disassembler", tests, NULL, NULL);
}
