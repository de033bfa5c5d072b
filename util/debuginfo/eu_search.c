// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/eu_search.h"

#include <search.h>
#include <stddef.h>

void *eu_tsearch(const void *key, struct eu_tree *tree, eu_compare_fn *compare)
{
	return tsearch(key, &tree->root, compare);
}

void *eu_tfind(const void *key, struct eu_tree *tree, eu_compare_fn *compare)
{
	return tfind(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, struct eu_tree *tree, eu_compare_fn *compare)
{
	return tdelete(key, &tree->root, compare);
}

void eu_search_tree_init(struct eu_tree *tree)
{
	tree->root = NULL;
}

void eu_search_tree_fini(struct eu_tree *tree, void (*free_node)(void *node))
{
	tdestroy(tree->root, free_node);
	tree->root = NULL;
}
