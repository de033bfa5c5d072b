// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_usdt.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/base/cur.h"

#define NOTE_OWNER "stapsdt"
#define NOTE_TYPE  3u

static bool is_name(const char *s)
{
	const char *p;

	for (p = s; *p; p++)
		if (!isalnum((u8)*p) && !strchr("_-.$", *p))
			return false;
	return p > s;
}

static u64 take_word(struct cur *c, u8 word)
{
	return word == 4 ? cur_u32(c) : cur_u64(c);
}

static int add(struct image_usdt_list *l, const struct image_usdt_probe *p)
{
	struct image_usdt_probe *new = vec_push(&l->probes);

	if (!new)
		return -ENOMEM;
	*new = *p;
	new->provider = arena_strdup(&l->arena, p->provider);
	new->name = arena_strdup(&l->arena, p->name);
	new->arguments = arena_strdup(&l->arena, p->arguments);
	return new->provider &&new->name &&new->arguments ? 0 : -ENOMEM;
}

/* What follows a note's header: three addresses and three strings. */
static int add_note(struct cur desc, u8 word, u64 base, struct image_usdt_list *l)
{
	struct image_usdt_probe p = {0};
	u64 noted_base;

	p.vaddr = take_word(&desc, word);
	noted_base = take_word(&desc, word);
	p.semaphore = take_word(&desc, word);
	p.provider = cur_str(&desc, NULL);
	p.name = cur_str(&desc, NULL);
	p.arguments = cur_str(&desc, NULL);
	if (desc.bad || !is_name(p.provider) || !is_name(p.name))
		return 0;
	if (base && noted_base) {
		p.vaddr += base - noted_base;
		p.semaphore += p.semaphore ? base - noted_base : 0;
	}
	return add(l, &p);
}

int image_usdt_parse(const void *notes, size_t len, u8 word, bool swap, u64 base,
		     struct image_usdt_list *l)
{
	struct cur c = cur_init(notes, len), desc;
	u32 name_len, desc_len, type;
	const char *owner;
	int ret = 0;

	c.swap = swap;
	while (!ret && cur_left(&c)) {
		name_len = cur_u32(&c);
		desc_len = cur_u32(&c);
		type = cur_u32(&c);
		owner = cur_bytes(&c, ALIGN_UP((size_t)name_len, 4));
		desc = cur_sub(&c, desc_len);
		if (c.bad)
			break;
		if (type == NOTE_TYPE && name_len == sizeof(NOTE_OWNER) &&
		    !memcmp(owner, NOTE_OWNER, sizeof(NOTE_OWNER)))
			ret = add_note(desc, word, base, l);
		cur_skip(&c, MIN(cur_left(&c), -(size_t)desc_len & 3));
	}
	return ret;
}

int image_usdt_load(const struct image *img, struct image_usdt_list *l, struct err *err)
{
	u8 word = img->ehdr.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	GElf_Shdr sh, base = {0};
	Elf_Scn *scn = image_section(img, ".note.stapsdt", &sh);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	int ret;

	if (!data || !data->d_buf)
		return 0;
	if (!image_section(img, ".stapsdt.base", &base))
		base.sh_addr = 0;
	ret = image_usdt_parse(data->d_buf, data->d_size, word, image_foreign_endian(img),
			       base.sh_addr, l);
	return ret ? err_nomem(err) : 0;
}

void image_usdt_free(struct image_usdt_list *l)
{
	vec_free(&l->probes);
	arena_free(&l->arena);
}
