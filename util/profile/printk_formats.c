// SPDX-License-Identifier: GPL-2.0
#include "util/profile/printk_formats.h"

#include "util/base/cur.h"
#include "util/base/num.h"

/* The text between the quotes of 0xADDR : "TEXT", without a newline at its end. */
static bool parse_line(const char *line, size_t len, u64 *addr, const char **text, size_t *text_len)
{
	static const char between[] = " : \"";
	const char *sep = memmem(line, len, between, sizeof(between) - 1);
	size_t digits;

	if (!sep || len < 3 || memcmp(line, "0x", 2))
		return false;
	digits = (size_t)(sep - line) - 2;
	if (!num_hex(line + 2, digits, addr))
		return false;
	*text = sep + sizeof(between) - 1;
	*text_len = (size_t)(line + len - *text);
	if (!*text_len || (*text)[*text_len - 1] != '"')
		return false;
	--*text_len;
	if (*text_len >= 2 && !memcmp(*text + *text_len - 2, "\\n", 2))
		*text_len -= 2;
	return true;
}

bool printk_formats_parse(struct printk_formats *f, const char *text, size_t len)
{
	struct cur c = cur_init(text, len);
	const char *line, *s;
	size_t line_len, s_len;
	u64 addr;
	u32 id;

	while (cur_line(&c, &line, &line_len)) {
		if (!parse_line(line, line_len, &addr, &s, &s_len))
			continue;
		id = strtab_add(&f->texts, s, s_len);
		if (id == ID_NONE || !hmap_set(&f->by_addr, addr, id))
			return false;
	}
	return true;
}

const char *printk_formats_find(const struct printk_formats *f, u64 addr)
{
	u32 id = hmap_get(&f->by_addr, addr);

	return id == ID_NONE ? NULL : strtab_get(&f->texts, id);
}

void printk_formats_free(struct printk_formats *f)
{
	hmap_free(&f->by_addr);
	strtab_free(&f->texts);
}
