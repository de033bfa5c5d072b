/* SPDX-License-Identifier: GPL-2.0 */
/*
 * eu_search.h - functions that elfutils 0.192 has forgotten in its static libraries: libdw.a and libelf.a call them, and
 * no archive has them. The linker takes these where it finds no others.
 *
 * Source: lib/eu-search.h of elfutils. A tree begins with its root; the lock behind that is used by builds for
 * threads alone, which are not the default.
 */
#ifndef DEBUGINFO_EU_SEARCH_H
#define DEBUGINFO_EU_SEARCH_H

struct eu_tree {
	void *root;
};

typedef int eu_compare_fn(const void *a, const void *b);

void *eu_tsearch(const void *key, struct eu_tree *tree, eu_compare_fn *compare);
void *eu_tfind(const void *key, struct eu_tree *tree, eu_compare_fn *compare);
void *eu_tdelete(const void *key, struct eu_tree *tree, eu_compare_fn *compare);
void eu_search_tree_init(struct eu_tree *tree);
void eu_search_tree_fini(struct eu_tree *tree, void (*free_node)(void *node));

#endif
