// SPDX-License-Identifier: GPL-2.0
/* util/unwind: CFI entries, rows, the search for them, expressions, rules. */
#include <dwarf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_elf.h"
#include "tests/unit/oom.h"
#include "util/unwind/unwind_internal.h"

#define BYTES(s) s, sizeof(s) - 1

/* x86-64: DW_CFA_def_cfa r7 ofs 8, DW_CFA_offset r16 at cfa-8 */
static const char cie_64[] = "\x0c\x07\x08\x90\x01";

static void test_pointers(void **state)
{
	static const struct {
		u8 encoding, address;
		u8 bytes[8];
		u64 vaddr, base, want;
		bool bad;
	} cases[] = {
		{DW_EH_PE_absptr, 8, {1, 2, 3, 4, 5, 6, 7, 8}, 0, 0, 0x0807060504030201, false},
		{DW_EH_PE_absptr, 4, {1, 2, 3, 0x84}, 0, 0, 0x84030201, false},
		{DW_EH_PE_udata2, 8, {0xff, 0xff}, 0, 0, 0xffff, false},
		{DW_EH_PE_sdata2, 8, {0xff, 0xff}, 0, 0, ~0ull, false},
		{DW_EH_PE_sdata2, 4, {0xff, 0xff}, 0, 0, 0xffffffff, false},
		{DW_EH_PE_udata4, 8, {0, 0, 0, 0x80}, 0, 0, 0x80000000, false},
		{DW_EH_PE_sdata4, 8, {0, 0, 0, 0x80}, 0, 0, 0xffffffff80000000, false},
		{DW_EH_PE_udata8, 8, {1}, 0, 0, 1, false},
		{DW_EH_PE_uleb128, 8, {0x80, 0x01}, 0, 0, 128, false},
		{DW_EH_PE_sleb128, 8, {0x7f}, 0, 0, ~0ull, false},
		{DW_EH_PE_pcrel | DW_EH_PE_sdata4,
		 8,
		 {0xfc, 0xff, 0xff, 0xff},
		 0x1000,
		 0,
		 0xffc,
		 false},
		{DW_EH_PE_datarel | DW_EH_PE_sdata4, 8, {4}, 0x1000, 0x2000, 0x2004, false},
		{DW_EH_PE_datarel | DW_EH_PE_sdata4, 8, {4}, 0x1000, 0, 4, true},
		{DW_EH_PE_textrel | DW_EH_PE_sdata4, 8, {4}, 0, 0, 4, true},
		{DW_EH_PE_indirect | DW_EH_PE_sdata4, 8, {4}, 0, 0, 0, true},
		{DW_EH_PE_aligned, 4, {0, 0, 5}, 0x1002, 0, 5, false},
		{DW_EH_PE_omit, 8, {1}, 0, 0, 0, false},
		{0x05, 8, {1}, 0, 0, 0, true},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cur c = cur_init(cases[i].bytes, sizeof(cases[i].bytes));
		u64 v = cfi_pointer(&c, cases[i].encoding, cases[i].address, cases[i].vaddr,
				    cases[i].base);

		assert_int_equal(c.bad, cases[i].bad);
		assert_int_equal(v, cases[i].want);
	}
}

static struct unwind_bytes bytes;

static struct cfi_section section_of(const void *p, size_t len, bool debug_frame)
{
	bytes = (struct unwind_bytes){.mem = p, .size = len, .fd = -1};
	return (struct cfi_section){.bytes = &bytes,
				    .size = len,
				    .vaddr = debug_frame ? 0 : 0x8000,
				    .address = 8,
				    .debug_frame = debug_frame};
}

/* A CIE of those bytes behind its id, and an FDE of start 0x1000, size 0x100, that has no data. */
static size_t debug_frame(u8 *out, const char *cie, size_t len)
{
	u32 head[2] = {(u32)len + 4, 0xffffffff}, fde[2] = {4 + 16, 0};
	u64 range[2] = {0x1000, 0x100};

	memcpy(out, head, 8);
	memcpy(out + 8, cie, len);
	memcpy(out + 8 + len, fde, 8);
	memcpy(out + 16 + len, range, 16);
	return 32 + len;
}

static void test_entries(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		bool good;
	} cies[] = {
		{BYTES("\x01\0\x01\x78\x10\x0c\x07\x08"), true},
		{BYTES("\x03\0\x01\x78\x90\x01\x0c\x07\x08"), false}, /* register 144 */
		{BYTES("\x03\0\x01\x78\x10\x0c\x07\x08"), true},
		{BYTES("\x04\0\x08\0\x01\x78\x10\x0c\x07\x08"), true},
		{BYTES("\x04\0\x03\0\x01\x78\x10\x0c\x07\x08"), false},   /* addresses of 3 bytes */
		{BYTES("\x04\0\x08\x01\x01\x78\x10\x0c\x07\x08"), false}, /* segments */
		{BYTES("\x02\0\x01\x78\x10\x0c\x07\x08"), false},
		{BYTES("\x01"
		       "eh\0\x01\x78\x10\x0c\x07\x08"),
		 false},
		{BYTES("\x01\0\x01\x78"), false},
		{BYTES("\x01"
		       "abc"),
		 false},
	};
	u8 b[256];
	struct cfi_section s;
	struct cfi_fde fde;
	struct cfi_row row;
	u64 next;
	size_t i, len;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cies); i++) {
		enum cfi_kind kind;
		bool good;

		len = debug_frame(b, cies[i].bytes, cies[i].len);
		s = section_of(b, len, true);
		assert_int_equal(cfi_read(&s, 0, &next, &fde), CFI_CIE);
		kind = cfi_read(&s, next, &next, &fde);
		good = kind == CFI_FDE && cfi_row_make(&fde, 0x1010, &arch_unwind_x86_64, &row);
		assert_int_equal(good, cies[i].good);
		assert_int_equal(next, len);
		assert_int_equal(cfi_read(&s, next, &next, &fde), CFI_END);
		if (!good)
			continue;
		assert_int_equal(fde.start, 0x1000);
		assert_int_equal(fde.end, 0x1100);
		assert_int_equal(row.cfa.arg, 7);
		assert_int_equal(row.cfa.value, 8);
		assert_int_equal(row.ra, 16);
	}
	/* a length that goes beyond the section, one of 64 bits, an FDE of no CIE */
	len = debug_frame(b, cies[0].bytes, cies[0].len);
	b[8 + cies[0].len]++;
	s = section_of(b, len, true);
	assert_int_equal(cfi_read(&s, 8 + cies[0].len, &next, &fde), CFI_BAD);
	b[8 + cies[0].len]--;
	b[8 + cies[0].len + 4] = 8;
	assert_int_equal(cfi_read(&s, 8 + cies[0].len, &next, &fde), CFI_BAD);
	memset(b, 0xff, 4);
	memset(b + 4, 0, 8);
	b[4] = 0x08;
	memset(b + 12, 0xff, 8);
	assert_int_equal(cfi_read(&s, 0, &next, &fde), CFI_CIE);
	assert_int_equal(next, 20);
	memset(b + 4, 0xff, 8);
	assert_int_equal(cfi_read(&s, 0, &next, &fde), CFI_BAD);
}

/* A CIE, with a head or instructions of so many bytes more, and an FDE: is it read? */
static bool read_long(u32 letters, u32 padding, u32 instructions)
{
	struct buf b = {0};
	struct cfi_section s;
	struct cfi_fde fde;
	enum cfi_kind kind;
	u64 next;
	size_t at;

	buf_u32(&b, 0);
	buf_u32(&b, 0);
	buf_u8(&b, 1);
	buf_addc(&b, 'z');
	buf_pad(&b, 'B', letters);
	buf_addc(&b, '\0');
	buf_pad(&b, '\x80', padding);
	buf_add(&b, "\x01\x78\x10\0", 4);
	buf_pad(&b, '\0', instructions);
	memcpy(b.data, &(u32){(u32)b.len - 4}, 4);
	at = b.len;
	buf_u32(&b, 4 + 16 + 1);
	buf_u32(&b, (u32)at + 4);
	buf_u64(&b, 0x9000);
	buf_u64(&b, 0x10);
	buf_u8(&b, 0);
	assert_false(b.failed);
	s = section_of(b.data, b.len, false);
	kind = cfi_read(&s, at, &next, &fde);
	assert_int_equal(next, b.len);
	assert_true(kind == CFI_FDE || kind == CFI_BAD);
	assert_true(kind == CFI_BAD || cur_left(&fde.cie.insn) == instructions);
	/* the same again, of the CIE that is known now, whatever has become of it */
	b.data[8] ^= 1;
	assert_int_equal(cfi_read(&s, at, &next, &fde), kind);
	buf_free(&b);
	return kind == CFI_FDE;
}

/* Each of many FDEs may make its CIE be read: what would take long is damage. */
static void test_long_cies(void **state)
{
	(void)state;
	assert_true(read_long(10, 0, 0));
	assert_true(read_long(10, 10, 4000));
	assert_false(read_long(1000, 0, 0));
	assert_false(read_long(0, 1000, 0));
	assert_false(read_long(0, 0, 100000));
}

/* Personality, language data and more in the augmentation; 'S'; letters that nobody knows. */
static void test_augmentation(void **state)
{
	static const struct {
		const char *letters, *data;
		u8 len;
		u8 pointer;
		bool signal;
	} cases[] = {
		{"zPLR", "\x9b\1\2\3\4\x1b\x1b", 7, 0x1b, false},
		{"zR", "\x03", 1, 0x03, false},
		{"zRS", "\x1b", 1, 0x1b, true},
		{"zRB", "\x1b", 1, 0x1b, false},
		{"zR?", "\x1b\xff\xff", 3, 0x1b, false},
		{"zLPR", "\x1b\x00\1\2\3\4\5\6\7\10\x1b", 11, 0x1b, false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b = {0};
		struct cfi_section s;
		struct cfi_fde fde;
		u64 next;
		size_t at;

		buf_u32(&b, 0);
		buf_u32(&b, 0);
		buf_u8(&b, 1);
		buf_add(&b, cases[i].letters, strlen(cases[i].letters) + 1);
		buf_add(&b, "\x01\x78\x10", 3);
		buf_u8(&b, cases[i].len);
		buf_add(&b, cases[i].data, cases[i].len);
		buf_add(&b, BYTES(cie_64));
		memcpy(b.data, &(u32){(u32)b.len - 4}, 4);
		at = b.len;
		buf_u32(&b, 4 + 8 + 1 + 2);
		buf_u32(&b, (u32)at + 4);
		buf_u32(&b, cases[i].pointer == 0x1b ? 0x9000 - 0x8000 - (u32)b.len : 0x9000);
		buf_u32(&b, 0x10);
		buf_add(&b, "\x00\x0e\x10", 3);
		s = section_of(b.data, b.len, false);
		assert_int_equal(cfi_read(&s, at, &next, &fde), CFI_FDE);
		assert_int_equal(fde.start, 0x9000);
		assert_int_equal(fde.end, 0x9010);
		assert_int_equal(fde.cie.signal, cases[i].signal);
		assert_int_equal(cur_left(&fde.insn), 2);
		assert_int_equal(cur_left(&fde.cie.insn), sizeof(cie_64) - 1);
		buf_free(&b);
	}
}

static bool run(const char *insn, size_t len, u64 at, struct cfi_row *row)
{
	struct cfi_fde fde = {.start = 0x1000,
			      .end = 0x100000,
			      .insn = cur_init(insn, len),
			      .cie = {.code_align = 1,
				      .data_align = -8,
				      .ra = 16,
				      .address = 8,
				      .insn = cur_init(BYTES(cie_64))}};

	return cfi_row_make(&fde, at, &arch_unwind_x86_64, row);
}

static bool same_row(const struct cfi_row *a, const struct cfi_row *b)
{
	return !memcmp(&a->cfa, &b->cfa, sizeof(a->cfa)) &&
	       !memcmp(a->regs, b->regs, sizeof(a->regs)) && a->from == b->from && a->to == b->to;
}

/* As many times DW_CFA_remember_state. */
#define STATES_8 "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"

static void test_rows(void **state)
{
	/* register `reg` and CFA, at an address */
	static const struct {
		const char *insn;
		size_t len;
		u64 at;
		u32 cfa_reg;
		s64 cfa_offset;
		u32 reg;
		enum cfi_how how;
		s64 value;
	} cases[] = {
		/* a prologue: push %rbp; mov %rsp,%rbp */
		{BYTES("\x41\x0e\x10\x86\x02\x43\x0d\x06"), 0x1000, 7, 8, 6, CFI_UNSPECIFIED, 0},
		{BYTES("\x41\x0e\x10\x86\x02\x43\x0d\x06"), 0x1001, 7, 16, 6, CFI_OFFSET, -16},
		{BYTES("\x41\x0e\x10\x86\x02\x43\x0d\x06"), 0x1003, 7, 16, 6, CFI_OFFSET, -16},
		{BYTES("\x41\x0e\x10\x86\x02\x43\x0d\x06"), 0x1004, 6, 16, 6, CFI_OFFSET, -16},
		/* advance_loc1, 2, 4 */
		{BYTES("\x02\x40\x0e\x10\x03\x00\x01\x0e\x18\x04\0\0\1\0\x0e\x20"), 0x1040, 7, 16,
		 16, CFI_OFFSET, -8},
		{BYTES("\x02\x40\x0e\x10\x03\x00\x01\x0e\x18\x04\0\0\1\0\x0e\x20"), 0x113f, 7, 16,
		 16, CFI_OFFSET, -8},
		{BYTES("\x02\x40\x0e\x10\x03\x00\x01\x0e\x18\x04\0\0\1\0\x0e\x20"), 0x1140, 7, 24,
		 16, CFI_OFFSET, -8},
		{BYTES("\x02\x40\x0e\x10\x03\x00\x01\x0e\x18\x04\0\0\1\0\x0e\x20"), 0x11140, 7, 32,
		 16, CFI_OFFSET, -8},
		/* remember, change, restore */
		{BYTES("\x0a\x0e\x30\x86\x03\x41\x0b"), 0x1000, 7, 48, 6, CFI_OFFSET, -24},
		{BYTES("\x0a\x0e\x30\x86\x03\x41\x0b"), 0x1001, 7, 8, 6, CFI_UNSPECIFIED, 0},
		{BYTES(STATES_8 STATES_8 STATES_8 STATES_8 "\x0e\x30\x41\x0b"), 0x1001, 7, 8, 6,
		 CFI_UNSPECIFIED, 0},
		/* restore to what the CIE says */
		{BYTES("\x90\x05\x41\xd0"), 0x1000, 7, 8, 16, CFI_OFFSET, -40},
		{BYTES("\x90\x05\x41\xd0"), 0x1001, 7, 8, 16, CFI_OFFSET, -8},
		{BYTES("\x90\x05\x06\x10"), 0x1001, 7, 8, 16, CFI_OFFSET, -8},
		{BYTES("\x05\x06\x80\x01"), 0x1001, 7, 8, 6, CFI_OFFSET, -1024},
		{BYTES("\x07\x10"), 0x1000, 7, 8, 16, CFI_UNDEFINED, 0},
		{BYTES("\x08\x06"), 0x1000, 7, 8, 6, CFI_SAME, 0},
		{BYTES("\x09\x10\x01"), 0x1000, 7, 8, 16, CFI_REGISTER, 0},
		{BYTES("\x11\x06\x7e"), 0x1000, 7, 8, 6, CFI_OFFSET, 16},
		{BYTES("\x12\x06\x7e"), 0x1000, 6, 16, 6, CFI_UNSPECIFIED, 0},
		{BYTES("\x13\x7c"), 0x1000, 7, 32, 6, CFI_UNSPECIFIED, 0},
		{BYTES("\x14\x07\x02"), 0x1000, 7, 8, 7, CFI_VAL_OFFSET, -16},
		{BYTES("\x15\x07\x7f"), 0x1000, 7, 8, 7, CFI_VAL_OFFSET, 8},
		{BYTES("\x2e\x20\x2d\x00\x0e\x18"), 0x1000, 7, 24, 7, CFI_UNSPECIFIED, 0},
		{BYTES("\x2c\x0e\x18"), 0x1000, 7, 24, 7, CFI_UNSPECIFIED, 0},
		{BYTES("\x2f\x06\x02"), 0x1000, 7, 8, 6, CFI_OFFSET, 16},
		/* registers of vectors are read over */
		{BYTES("\xb1\x04\x05\xff\x01\x02\x0e\x18"), 0x1000, 7, 24, 6, CFI_UNSPECIFIED, 0},
	};
	static const struct {
		const char *insn;
		size_t len;
	} bad[] = {
		{BYTES("\x3f")}, /* no such instruction */
		{BYTES("\x0b")}, /* nothing was remembered */
		{BYTES(STATES_8 STATES_8 STATES_8 STATES_8 "\x0a")},
		{BYTES("\x0e")},                 /* ends within */
		{BYTES("\x0f\x05\x77\x08")},     /* likewise an expression */
		{BYTES("\x0f\x01\x96\x0e\x08")}, /* an offset of no register */
		{BYTES("\x01\0\0\0\0\0\0\0\0")}, /* DW_CFA_set_loc */
	};
	struct cfi_row row, other;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(run(cases[i].insn, cases[i].len, cases[i].at, &row));
		/* it holds from its first to its last address */
		assert_in_range(cases[i].at, row.from, row.to - 1);
		assert_true(run(cases[i].insn, cases[i].len, row.from, &other));
		assert_true(same_row(&other, &row));
		assert_true(run(cases[i].insn, cases[i].len, row.to - 1, &other));
		assert_true(same_row(&other, &row));
		assert_int_equal(row.cfa.how, CFI_REGISTER);
		assert_int_equal(row.cfa.arg, cases[i].cfa_reg);
		assert_int_equal(row.cfa.value, cases[i].cfa_offset);
		assert_int_equal(row.regs[cases[i].reg].how, cases[i].how);
		assert_int_equal(row.regs[cases[i].reg].value, cases[i].value);
	}
	assert_true(run(cases[2].insn, cases[2].len, cases[2].at, &row));
	assert_int_equal(row.from, 0x1001);
	assert_int_equal(row.to, 0x1004);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(run(bad[i].insn, bad[i].len, 0x1000, &row));
	assert_true(run(BYTES("\x0f\x02\x76\x00\x10\x03\x03\x70\x01\x06\x16\x06\x01\x30"), 0x1000,
			&row));
	assert_int_equal(row.cfa.how, CFI_VAL_EXPR);
	assert_int_equal(row.cfa.arg, 2);
	assert_memory_equal(row.cfa.expr, "\x76\x00", 2);
	assert_int_equal(row.regs[3].how, CFI_EXPR);
	assert_memory_equal(row.regs[3].expr, "\x70\x01\x06", 3);
	assert_int_equal(row.regs[6].how, CFI_VAL_EXPR);
	/* an address before the FDE */
	assert_false(run(BYTES("\x0e\x10"), 0xfff, &row));
}

/* A program that is longer than any compiler's must not take long. */
static void test_steps(void **state)
{
	size_t len = 4 << 20;
	char *insn = calloc(1, len);
	struct cfi_row row;

	(void)state;
	assert_non_null(insn);
	assert_false(run(insn, len, 0x1000, &row));
	free(insn);
}

static bool expr_register(void *ctx, u64 reg, u64 *value)
{
	*value = 0x1000 * reg;
	return ctx && reg < 17;
}

static bool expr_load(void *ctx, u64 addr, u32 size, u64 *value)
{
	(void)ctx;
	*value = size == 8 ? addr + 0x100000000 : addr + size;
	return addr < 0x100000;
}

static void test_expressions(void **state)
{
	static const struct cfi_expr_ops ops = {.reg = expr_register, .load = expr_load};
	static const struct {
		const char *code;
		size_t len;
		u8 address;
		enum cfi_expr_result result;
		u64 want;
	} cases[] = {
		{BYTES("\x77\x08"), 8, CFI_EXPR_OK, 0x7008},
		{BYTES("\x92\x10\x7f"), 8, CFI_EXPR_OK, 0xffff},
		{BYTES("\x92\x11\x00"), 8, CFI_EXPR_VALUE, 0},
		{BYTES("\x77\x00\x06"), 8, CFI_EXPR_OK, 0x100007000},
		{BYTES("\x77\x00\x94\x04"), 8, CFI_EXPR_OK, 0x7004},
		{BYTES("\x77\x00\x94\x09"), 8, CFI_EXPR_BAD, 0},
		{BYTES("\x77\x00\x94\x00"), 8, CFI_EXPR_BAD, 0},
		{BYTES("\x0c\0\0\0\x80\x06"), 8, CFI_EXPR_VALUE, 0},
		/* what linkers say of the procedure linkage table */
		{BYTES("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), 8, CFI_EXPR_OK, 0x7008},
		{BYTES("\x08\xff\x09\xff\x22"), 8, CFI_EXPR_OK, 0xfe},
		{BYTES("\x0a\xff\xff\x0b\xff\xff\x22"), 8, CFI_EXPR_OK, 0xfffe},
		{BYTES("\x0c\xff\xff\xff\xff\x0d\xff\xff\xff\xff\x22"), 8, CFI_EXPR_OK, 0xfffffffe},
		{BYTES("\x0e\1\0\0\0\0\0\0\1"), 8, CFI_EXPR_OK, 0x0100000000000001},
		{BYTES("\x10\x80\x01\x11\x7f\x1e"), 8, CFI_EXPR_OK, (u64)-128},
		{BYTES("\x03\1\2\3\4\0\0\0\0"), 8, CFI_EXPR_OK, 0x04030201},
		{BYTES("\x03\1\2\3\4"), 4, CFI_EXPR_OK, 0x04030201},
		{BYTES("\x35\x32\x12\x22\x22"), 8, CFI_EXPR_OK, 9}, /* 5 2 dup + + */
		{BYTES("\x35\x32\x14\x1c\x1c"), 8, CFI_EXPR_OK, 8}, /* over */
		{BYTES("\x35\x32\x13"), 8, CFI_EXPR_OK, 5},
		{BYTES("\x35\x32\x16\x1c"), 8, CFI_EXPR_OK, (u64)-3},
		{BYTES("\x31\x32\x33\x17"), 8, CFI_EXPR_OK, 2},
		{BYTES("\x31\x32\x33\x15\x02"), 8, CFI_EXPR_OK, 1},
		{BYTES("\x31\x32\x33\x15\x03"), 8, CFI_EXPR_BAD, 0},
		{BYTES("\x09\xf9\x19"), 8, CFI_EXPR_OK, 7},
		{BYTES("\x37\x1f"), 8, CFI_EXPR_OK, (u64)-7},
		{BYTES("\x30\x20"), 8, CFI_EXPR_OK, ~0ull},
		{BYTES("\x30\x20"), 4, CFI_EXPR_OK, 0xffffffff},
		{BYTES("\x37\x23\x80\x01"), 8, CFI_EXPR_OK, 135},
		{BYTES("\x37\x33\x1b"), 8, CFI_EXPR_OK, 2},
		{BYTES("\x09\xf9\x33\x1b"), 8, CFI_EXPR_OK, (u64)-2},
		{BYTES("\x09\xf9\x33\x1b"), 4, CFI_EXPR_OK, 0xfffffffe},
		{BYTES("\x37\x30\x1b"), 8, CFI_EXPR_BAD, 0},
		{BYTES("\x37\x30\x1d"), 8, CFI_EXPR_BAD, 0},
		{BYTES("\x0e\0\0\0\0\0\0\0\x80\x09\xff\x1b"), 8, CFI_EXPR_OK, 1ull << 63},
		{BYTES("\x37\x33\x1d"), 8, CFI_EXPR_OK, 1},
		{BYTES("\x36\x33\x1a"), 8, CFI_EXPR_OK, 2},
		{BYTES("\x36\x33\x21"), 8, CFI_EXPR_OK, 7},
		{BYTES("\x36\x33\x27"), 8, CFI_EXPR_OK, 5},
		{BYTES("\x31\x08\x40\x24"), 8, CFI_EXPR_OK, 0},
		{BYTES("\x31\x08\x40\x25"), 8, CFI_EXPR_OK, 0},
		{BYTES("\x09\xf0\x32\x26"), 8, CFI_EXPR_OK, (u64)-4},
		{BYTES("\x09\xff\x30\x2d"), 8, CFI_EXPR_OK, 1}, /* -1 < 0 */
		{BYTES("\x09\xff\x30\x2b"), 8, CFI_EXPR_OK, 0},
		{BYTES("\x31\x31\x29"), 8, CFI_EXPR_OK, 1},
		{BYTES("\x31\x31\x2e"), 8, CFI_EXPR_OK, 0},
		{BYTES("\x31\x31\x2c"), 8, CFI_EXPR_OK, 1},
		{BYTES("\x37\x2f\x01\x00\x38\x96"), 8, CFI_EXPR_OK, 7}, /* skip */
		{BYTES("\x37\x31\x28\x01\x00\x38"), 8, CFI_EXPR_OK, 7}, /* bra */
		{BYTES("\x37\x30\x28\x01\x00\x38"), 8, CFI_EXPR_OK, 8},
		{BYTES("\x37\x2f\x02\x00\x38"), 8, CFI_EXPR_BAD, 0},
		{BYTES("\x96\x2f\xfc\xff"), 8, CFI_EXPR_BAD, 0}, /* for ever */
		{BYTES("\x2f\xfb\xff"), 8, CFI_EXPR_BAD, 0},
		{BYTES("\x30\x2f\xfc\xff"), 8, CFI_EXPR_BAD, 0}, /* a stack without end */
		{BYTES("\x22"), 8, CFI_EXPR_BAD, 0},
		{BYTES(""), 8, CFI_EXPR_BAD, 0},
		{BYTES("\x08"), 8, CFI_EXPR_BAD, 0},
		{BYTES("\xe0"), 8, CFI_EXPR_BAD, 0},
	};
	u64 v = 0, initial = 0x500;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cur c = cur_init(cases[i].code, cases[i].len);

		assert_int_equal(cfi_expr(c, cases[i].address, &ops, &v, NULL, &v),
				 cases[i].result);
		if (cases[i].result == CFI_EXPR_OK)
			assert_int_equal(v, cases[i].want);
	}
	assert_int_equal(cfi_expr(cur_init(BYTES("\x38\x1c")), 8, &ops, NULL, &initial, &v),
			 CFI_EXPR_OK);
	assert_int_equal(v, 0x4f8);
	assert_int_equal(cfi_expr(cur_init(BYTES("\x77\0")), 8, &ops, NULL, NULL, &v),
			 CFI_EXPR_VALUE);
}

static void make_three(struct made_elf *e, bool table)
{
	made_elf_begin(e, EM_X86_64, 8);
	made_elf_cie(e, -8, 16, false, BYTES(cie_64));
	made_elf_fde(e, 0x200, 0x20, BYTES("\x44\x0e\x10"));
	made_elf_fde(e, 0x220, 0x10, BYTES("\x0e\x20"));
	made_elf_fde(e, 0x300, 0x100, BYTES("\x0e\x30"));
	made_elf_header(e, table);
	made_elf_end(e);
}

static bool find_in(struct cfi_find *f, const struct made_elf *e)
{
	u64 eh_frame;
	bool table;

	bytes = (struct unwind_bytes){.mem = (const u8 *)e->b.data, .size = e->b.len, .fd = -1};
	*f = (struct cfi_find){.section = {.bytes = &bytes,
					   .offset = MADE_ELF_EH_FRAME,
					   .vaddr = MADE_ELF_EH_FRAME,
					   .size = e->header - MADE_ELF_EH_FRAME,
					   .address = 8}};
	table = cfi_find_header(f, e->header, e->header_size, e->header, &eh_frame);
	assert_int_equal(eh_frame, MADE_ELF_EH_FRAME);
	return table;
}

static void test_find(void **state)
{
	static const struct {
		u64 at;
		s64 cfa; /* 0: no FDE */
	} cases[] = {{0, 0},      {0x1ff, 0},  {0x200, 8}, {0x204, 16}, {0x21f, 16},
		     {0x220, 32}, {0x22f, 32}, {0x230, 0}, {0x2ff, 0},  {0x300, 48},
		     {0x3ff, 48}, {0x400, 0},  {~0ull, 0}};
	struct made_elf e;
	struct cfi_find f;
	struct cfi_fde fde;
	struct cfi_row row;
	size_t i, n;
	int table;

	(void)state;
	for (table = 0; table < 2; table++) {
		make_three(&e, table);
		assert_int_equal(find_in(&f, &e), table);
		/* a table that is asked often is read as a whole */
		for (n = 0; n < 5 * ARRAY_SIZE(cases); n++) {
			i = n % ARRAY_SIZE(cases);
			assert_int_equal(cfi_find(&f, cases[i].at, &fde),
					 cases[i].cfa ? CFI_FOUND : CFI_NOT_FOUND);
			if (!cases[i].cfa)
				continue;
			assert_true(cfi_row_make(&fde, cases[i].at, &arch_unwind_x86_64, &row));
			assert_int_equal(row.cfa.value, cases[i].cfa);
		}
		assert_int_equal(f.all != NULL, table);
		cfi_find_free(&f);
		buf_free(&e.b);
	}
}

#define MANY 61

static void make_many(struct made_elf *e)
{
	u32 i;

	made_elf_begin(e, EM_X86_64, 8);
	made_elf_cie(e, -8, 16, false, BYTES(cie_64));
	/* some close together, some with much room behind them */
	for (i = 0; i < MANY; i++)
		made_elf_fde(e, 0x1000 + i * i * i / 8 * 0x10, 0x10, BYTES("\x0e\x10"));
	made_elf_header(e, true);
	made_elf_end(e);
}

/* What covers an address, by the list of what was made; a start that comes twice is that of the later. */
static u32 fde_at(const struct made_elf *e, u64 vaddr)
{
	u32 i;

	for (i = e->nr; i-- > 0;)
		if (vaddr >= e->fdes[i].start)
			return vaddr < e->fdes[i].start + 0x10 ? i : ID_NONE;
	return ID_NONE;
}

/* All that it finds is what was made. */
static void expect_many(const struct made_elf *e, struct cfi_find *f)
{
	struct cfi_fde fde;
	u64 at;
	u32 i;

	for (at = 0xff0; at < e->fdes[MANY - 1].start + 0x20u; at += 8) {
		i = fde_at(e, at);
		assert_int_equal(cfi_find(f, at, &fde), i == ID_NONE ? CFI_NOT_FOUND : CFI_FOUND);
		if (i != ID_NONE)
			assert_int_equal(fde.start, e->fdes[i].start);
	}
	assert_int_equal(cfi_find(f, 0, &fde), CFI_NOT_FOUND);
	assert_int_equal(cfi_find(f, ~0ull, &fde), CFI_NOT_FOUND);
}

/* A table that is asked still more often is cut into buckets. */
static void test_find_buckets(void **state)
{
	struct made_elf e;
	struct cfi_find f;

	(void)state;
	make_many(&e);
	assert_true(find_in(&f, &e));
	expect_many(&e, &f);
	assert_non_null(f.buckets);
	expect_many(&e, &f);
	cfi_find_free(&f);
	/* but not without memory */
	assert_true(find_in(&f, &e));
	oom_after(0);
	expect_many(&e, &f);
	assert_true(oom_stop());
	assert_null(f.buckets);
	cfi_find_free(&f);
	/* nor one that is out of order */
	made_elf_u32_at(&e, e.header + 12 + 8 * 40, 0);
	assert_true(find_in(&f, &e));
	while (f.searches < 256)
		cfi_find(&f, e.fdes[f.searches % MANY].start, &(struct cfi_fde){0});
	assert_null(f.buckets);
	cfi_find_free(&f);
	buf_free(&e.b);
}

/* Tables that lie, and what the index does without memory. */
static void test_find_damaged(void **state)
{
	struct made_elf e;
	struct cfi_find f;
	struct cfi_fde fde;
	u64 eh_frame;
	bool refused;
	u32 n;

	(void)state;
	make_three(&e, true);
	/* more entries than there is room for: none of them is read */
	made_elf_u32_at(&e, e.header + 8, 0x40000000);
	find_in(&f, &e);
	assert_int_equal(f.nr, 3);
	/* an entry that leads out of the section */
	made_elf_u32_at(&e, e.header + 12 + 4, 0x70000000);
	find_in(&f, &e);
	assert_int_equal(cfi_find(&f, 0x200, &fde), CFI_DAMAGED);
	assert_int_equal(cfi_find(&f, 0x220, &fde), CFI_FOUND);
	/* the CIE instead of an FDE */
	made_elf_u32_at(&e, e.header + 12 + 4, MADE_ELF_EH_FRAME - e.header);
	assert_int_equal(cfi_find(&f, 0x200, &fde), CFI_DAMAGED);
	/* an address before its FDE */
	made_elf_u32_at(&e, e.header + 12, 0x1f0 - e.header);
	made_elf_u32_at(&e, e.header + 12 + 4, e.fdes[0].fde - e.header);
	assert_int_equal(cfi_find(&f, 0x1f8, &fde), CFI_NOT_FOUND);
	assert_int_equal(cfi_find(&f, 0x208, &fde), CFI_FOUND);
	/* another version */
	e.b.data[e.header] = 2;
	assert_false(cfi_find_header(&f, e.header, e.header_size, e.header, &eh_frame));
	assert_int_equal(eh_frame, 0);
	assert_false(cfi_find_header(&f, e.header, 3, e.header, &eh_frame));
	assert_false(cfi_find_header(&f, e.b.len, 12, e.b.len, &eh_frame));
	buf_free(&e.b);

	make_three(&e, false);
	for (n = 0;; n++) {
		enum cfi_found found;

		find_in(&f, &e);
		oom_after(n);
		found = cfi_find(&f, 0x200, &fde);
		refused = oom_stop();
		assert_int_equal(found, refused ? CFI_NO_MEMORY : CFI_FOUND);
		assert_int_equal(cfi_find(&f, 0x200, &fde), CFI_FOUND);
		cfi_find_free(&f);
		if (!refused)
			break;
	}
	assert_true(n > 0);
	buf_free(&e.b);
}

static void test_rules(void **state)
{
	static const struct {
		const char *insn;
		size_t len;
		enum unwind_rule_kind kind;
		u32 cfa, fp, ra;
	} cases[] = {
		{BYTES(""), UNWIND_RULE_SP, 1, 0, 1},
		{BYTES("\x0e\x10\x86\x02"), UNWIND_RULE_SP, 2, 2, 1},
		{BYTES("\x0e\x10\x86\x02\x0d\x06"), UNWIND_RULE_FP, 2, 2, 1},
		{BYTES("\x0e\xf8\xff\x03"), UNWIND_RULE_SP, 0x1fff, 0, 1},
		{BYTES("\x0e\x80\x80\x04"), UNWIND_RULE_SLOW, 0, 0, 0},
		{BYTES("\x0e\x0c"), UNWIND_RULE_SLOW, 0, 0, 0},
		{BYTES("\x0d\x0a"), UNWIND_RULE_SLOW, 0, 0, 0},
		{BYTES("\x07\x10"), UNWIND_RULE_END, 0, 0, 0},
		{BYTES("\x90\x02"), UNWIND_RULE_SLOW, 0, 0, 0},
		{BYTES("\x09\x10\x01"), UNWIND_RULE_SLOW, 0, 0, 0},
		{BYTES("\x86\xff\x01"), UNWIND_RULE_SP, 1, 255, 1},
		{BYTES("\x86\x80\x02"), UNWIND_RULE_SLOW, 0, 0, 0},
		{BYTES("\x0f\x02\x76\x00"), UNWIND_RULE_SLOW, 0, 0, 0},
		{BYTES("\x10\x06\x02\x76\x00"), UNWIND_RULE_SLOW, 0, 0, 0},
		{BYTES("\x14\x07\x00"), UNWIND_RULE_SP, 1, 0, 1},
		{BYTES("\x14\x07\x01"), UNWIND_RULE_SLOW, 0, 0, 0},
		{BYTES("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), UNWIND_RULE_SP, 2,
		 0, 1},
		{BYTES("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3e\x2a\x33\x24\x22"), UNWIND_RULE_SP, 1,
		 0, 1},
		{BYTES("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x1c"), UNWIND_RULE_SLOW, 0,
		 0, 0},
	};
	struct cfi_row row;
	size_t i;
	u32 rule;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(run(cases[i].insn, cases[i].len, 0x100b, &row));
		rule = unwind_rule_make(&row, &arch_unwind_x86_64, 0x100b);
		assert_int_equal(unwind_rule_kind(rule), cases[i].kind);
		assert_int_equal(unwind_rule_top(rule), cases[i].cfa);
		assert_int_equal(unwind_rule_fp(rule), cases[i].fp);
		assert_int_equal(unwind_rule_ra(rule), cases[i].ra);
	}
	row.signal = true;
	assert_int_equal(unwind_rule_make(&row, &arch_unwind_x86_64, 0x100b), UNWIND_RULE_SLOW);
	rule = unwind_rule_none(CHAIN_NO_FILE);
	assert_int_equal(unwind_rule_kind(rule), UNWIND_RULE_NONE);
	assert_int_equal(unwind_rule_top(rule), CHAIN_NO_FILE);
}

static void test_after_call(void **state)
{
	static const struct {
		const struct arch_unwind *arch;
		const char *code;
		size_t len;
		bool call;
	} cases[] = {
		{&arch_unwind_x86_64, BYTES("\xe8\1\2\3\4"), true},
		{&arch_unwind_x86_64, BYTES("\xff\xd0"), true},     /* *%rax */
		{&arch_unwind_x86_64, BYTES("\x41\xff\xd7"), true}, /* *%r15 */
		{&arch_unwind_x86_64, BYTES("\xff\x10"), true},     /* *(%rax) */
		{&arch_unwind_x86_64, BYTES("\xff\x50\x08"), true}, /* *8(%rax) */
		{&arch_unwind_x86_64, BYTES("\xff\x90\0\1\0\0"), true},
		{&arch_unwind_x86_64, BYTES("\xff\x15\1\2\3\4"), true}, /* *x(%rip) */
		{&arch_unwind_x86_64, BYTES("\xff\x54\x24\x08"), true}, /* *8(%rsp) */
		{&arch_unwind_x86_64, BYTES("\xff\x14\xc5\1\2\3\4"), true},
		{&arch_unwind_x86_64, BYTES("\xff\x14\x24"), true},
		{&arch_unwind_x86_64, BYTES("\x90\x90\xff\xe0"), false}, /* jmp */
		{&arch_unwind_x86_64, BYTES("\x90\x90\x90\x90\x90\x90\x90"), false},
		{&arch_unwind_x86_64, BYTES("\xe8"), false},
		{&arch_unwind_x86_64, BYTES(""), false},
		{&arch_unwind_arm64, BYTES("\x01\0\0\x94"), true},
		{&arch_unwind_arm64, BYTES("\x00\x02\x3f\xd6"), true}, /* blr x16 */
		{&arch_unwind_arm64, BYTES("\x1f\x0b\x3f\xd6"), true}, /* blraaz x24 */
		{&arch_unwind_arm64, BYTES("\x01\0\0\x14"), false},
		{&arch_unwind_arm64, BYTES("\0\x94"), false},
		{&arch_unwind_riscv64, BYTES("\xef\x10\x20\x03"), true},        /* jal ra */
		{&arch_unwind_riscv64, BYTES("\xe7\x80\x07\x00"), true},        /* jalr a5 */
		{&arch_unwind_riscv64, BYTES("\x82\x97"), true},                /* c.jalr a5 */
		{&arch_unwind_riscv64, BYTES("\x82\x87"), false},               /* c.jr a5 */
		{&arch_unwind_s390x, BYTES("\xc0\xe5\x12\x34\x56\x78"), true},  /* brasl %r14 */
		{&arch_unwind_s390x, BYTES("\xa7\xe5\x12\x34"), true},          /* bras %r14 */
		{&arch_unwind_s390x, BYTES("\x0d\xe1"), true},                  /* basr %r14,%r1 */
		{&arch_unwind_s390x, BYTES("\x07\xf1"), false},                 /* br %r1 */
		{&arch_unwind_s390x, BYTES("\xc0\xf4\x12\x34\x56\x78"), false}, /* jg */
		{&arch_unwind_ppc64, BYTES("\x01\0\0\x48"), true},              /* bl */
		{&arch_unwind_ppc64, BYTES("\x48\0\0\x01"), true},     /* of the other byte order */
		{&arch_unwind_ppc64, BYTES("\x21\x04\x80\x4e"), true}, /* bctrl */
		{&arch_unwind_ppc64, BYTES("\0\0\0\x48"), false},      /* b */
		{&arch_unwind_ppc64, BYTES("\x20\0\x80\x4e"), false},  /* blr */
		{&arch_unwind_ppc64, BYTES("\0\x48"), false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(
			cases[i].arch->after_call((const u8 *)cases[i].code, (u32)cases[i].len),
			cases[i].call);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pointers),     cmocka_unit_test(test_entries),
		cmocka_unit_test(test_augmentation), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_steps),        cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_find),         cmocka_unit_test(test_find_buckets),
		cmocka_unit_test(test_find_damaged), cmocka_unit_test(test_rules),
		cmocka_unit_test(test_after_call),   cmocka_unit_test(test_long_cies),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("cfi", tests, NULL, NULL);
}
