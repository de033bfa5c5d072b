/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_usdt.h - the static probes of an ELF image (USDT, SystemTap's <sys/sdt.h>): where they are, and where the note
 * says that their arguments are.
 *
 * A probe is one instruction that does nothing, and a note "stapsdt" of type 3 with its address. Where a compiler
 * made several copies of the code around it, it has as many notes of one name. Names that could not be typed (blanks,
 * ':', ',', '@' and the like) are passed over, and so is all that follows a damaged note.
 *
 * Source: <sys/sdt.h> of SystemTap, and its page UserSpaceProbeImplementation.
 */
#ifndef IMAGE_IMAGE_USDT_H
#define IMAGE_IMAGE_USDT_H

#include "util/base/arena.h"
#include "util/image/image.h"

struct image_usdt_probe {
	const char *provider, *name; /* in the list's arena */
	const char *arguments;       /* as the note has them: "-4@%edi 8@-8(%rbp)"; "" */
	u64 vaddr;                   /* of the instruction */
	u64 semaphore;               /* address of the u16 that says how many watch; 0: none */
};

/* A zero-initialised one is empty. */
struct image_usdt_list {
	VEC(struct image_usdt_probe) probes; /* in the order of the notes */
	struct arena arena;
};

/* Of an image's .note.stapsdt; an image without one has no probes, which is no error. -ENOMEM. */
int image_usdt_load(const struct image *img, struct image_usdt_list *l, struct err *err);
/*
 * Of the bytes of such a section, whose addresses have `word` bytes (4 or 8). `base`: the address of the section
 * .stapsdt.base, 0 if there is none; what it differs from what the notes say is how far the image was moved.
 */
int image_usdt_parse(const void *notes, size_t len, u8 word, bool swap, u64 base,
		     struct image_usdt_list *l);
void image_usdt_free(struct image_usdt_list *l);

#endif
