// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_internal.h"

#include "util/file/block.h"
#include "util/record/deferred.h"

/* A record has no room for more. */
#define STACK_MAX (UINT16_MAX / 8)
/* A tree of more nodes has not come from records of one block. */
#define NODES_MAX (8u << 20)

void columns_halves_clear(struct columns_halves *h)
{
	columns_table_clear(&h->known);
	columns_table_clear(&h->nodes);
	columns_table_clear(&h->ips);
	h->words.nr = h->halves.nr = h->parents.nr = h->counts.nr = 0;
	h->tree.nr = h->addresses.nr = h->last = 0;
	h->path.nr = h->path_half = 0;
	h->failed = false;
}

void columns_halves_free(struct columns_halves *h)
{
	columns_table_free(&h->known);
	columns_table_free(&h->nodes);
	columns_table_free(&h->ips);
	vec_free(&h->words);
	vec_free(&h->halves);
	vec_free(&h->parents);
	vec_free(&h->counts);
	vec_free(&h->tree);
	vec_free(&h->addresses);
	vec_free(&h->path);
}

static inline u64 word_at(const u8 *p, u32 i)
{
	u64 v;

	memcpy(&v, p + (size_t)i * 8, 8);
	return v;
}

u32 columns_halves_cut(const u8 *p, u32 nr)
{
	u32 i = 0;

	for (; i + 4 <= nr; i += 4)
		if (word_at(p, i) == (u64)PERF_CONTEXT_USER ||
		    word_at(p, i + 1) == (u64)PERF_CONTEXT_USER ||
		    word_at(p, i + 2) == (u64)PERF_CONTEXT_USER ||
		    word_at(p, i + 3) == (u64)PERF_CONTEXT_USER)
			break;
	while (i < nr && word_at(p, i) != (u64)PERF_CONTEXT_USER)
		i++;
	/* only the last one can be this */
	if (nr && i == nr && word_at(p, nr - 1) == DEFERRED_CONTEXT)
		i--;
	return i;
}

/*
 * Sums of products of pairs, each with numbers of its place: the multiplications do not wait for
 * each other.
 */
static u64 hash_words(const u8 *p, u32 nr)
{
	const u64 step = 0x9e3779b97f4a7c15ull;
	u64 a = nr * step, b = 0, k = step;
	u32 i;

	for (i = 0; i + 4 <= nr; i += 4, k += step) {
		a += (word_at(p, i) + k) * (word_at(p, i + 1) + (k << 17 | k >> 47));
		b += (word_at(p, i + 2) - k) * (word_at(p, i + 3) ^ (k << 31 | k >> 33));
	}
	for (; i < nr; i++, k += step)
		a = (a ^ word_at(p, i) ^ k) * 0xff51afd7ed558ccdull;
	return hash_u64(a) + b * step;
}

/*
 * The child of `parent` with that address, ID_NONE if there is none yet. One that was made right
 * after its parent, as most are, is found without the table, and is not in it.
 */
static u32 find_node(const struct columns_halves *h, u32 parent, u64 address, u64 key,
		     struct columns_slot **slot)
{
	u32 at = columns_table_at(&h->nodes, key), step = 0;
	const struct columns_node *n;

	while ((*slot = columns_table_next(&h->nodes, key, &at, &step))) {
		if ((*slot)->time != h->nodes.time)
			return ID_NONE;
		n = &h->tree.v[(*slot)->value - 1];
		if (n->parent == parent && n->address == address)
			return (*slot)->value;
	}
	return ID_NONE;
}

/* Room has been made for one more address. */
static u32 refer(struct columns_halves *h, u64 address)
{
	struct columns_slot *slot;
	u32 ip;

	if (!columns_table_ready(&h->ips)) {
		h->failed = true;
		return 0;
	}
	ip = columns_table_find(&h->ips, address, &slot);
	if (ip != ID_NONE)
		return h->addresses.nr - ip;
	if (slot)
		columns_table_put(&h->ips, slot, address, h->addresses.nr);
	h->addresses.v[h->addresses.nr++] = address;
	return 0;
}

/* All addresses of new nodes are looked for, each somewhere else in memory. */
static void ask_for_addresses(const struct columns_halves *h, const u8 *p, u32 nr)
{
	u32 i;

	for (i = 0; h->ips.slots && i < nr; i++)
		__builtin_prefetch(&h->ips.slots[columns_table_at(&h->ips, word_at(p, i))]);
}

static bool tree_room(struct columns_halves *h, u32 nr)
{
	u32 *parent = vec_push(&h->parents), *count = vec_push(&h->counts);

	return parent && count && vec_reserve(&h->tree, (u64)h->tree.nr + nr) &&
	       vec_reserve(&h->addresses, (u64)h->addresses.nr + nr) && vec_reserve(&h->path, nr);
}

/* How many nodes the half has in common with the one that grew last: most often all outer ones. */
static u32 common_path(const struct columns_halves *h, const u8 *p, u32 nr)
{
	const struct columns_half *f;
	const u64 *end;
	u32 n = 0;

	if (!h->path_half)
		return 0;
	f = &h->halves.v[h->path_half - 1];
	end = &h->words.v[f->at] + f->nr;
	while (n < nr && n < f->nr && word_at(p, nr - 1 - n) == end[-1 - (s64)n])
		n++;
	return n;
}

/* Put a new half, of that number, into the tree. Nodes count from 1, 0 is the root. */
static void grow_tree(struct columns_halves *h, const u8 *p, u32 nr, u32 half)
{
	u32 depth, node, next, nodes = h->tree.nr;
	const struct columns_node *n;
	struct columns_slot *slot;
	u64 address, key = 0;

	if (!tree_room(h, nr)) {
		h->failed = true;
		return;
	}
	depth = common_path(h, p, nr);
	node = depth ? h->path.v[depth - 1] : 0;
	for (nr -= depth; nr; nr--, node = next, h->path.v[depth++] = node) {
		address = word_at(p, nr - 1);
		slot = NULL;
		if (node < nodes) {
			n = &h->tree.v[node];
			next = node + 1;
			if (n->parent == node && n->address == address)
				continue;
			key = hash_u64(address) + (u64)node * 0x9e3779b97f4a7c15ull;
			if (!columns_table_ready(&h->nodes)) {
				h->failed = true;
				return;
			}
			next = find_node(h, node, address, key, &slot);
			if (next != ID_NONE)
				continue;
		}
		if (h->tree.nr == nodes) {
			h->parents.v[h->parents.nr - 1] = node;
			ask_for_addresses(h, p, nr);
		}
		h->tree.v[h->tree.nr++] = (struct columns_node){node, refer(h, address), address};
		next = h->tree.nr;
		if (slot)
			columns_table_put(&h->nodes, slot, key, next);
	}
	if (h->tree.nr == nodes)
		h->parents.v[h->parents.nr - 1] = node;
	h->counts.v[h->counts.nr - 1] = h->tree.nr - nodes;
	h->path_half = half;
}

static u32 add_half(struct columns_halves *h, const u8 *p, u32 nr)
{
	struct columns_half *half;
	u32 at = h->words.nr;

	half = vec_push(&h->halves);
	if (!half || !vec_reserve(&h->words, (u64)at + nr)) {
		h->failed = true;
		return 0;
	}
	memcpy(&h->words.v[at], p, (size_t)nr * 8);
	h->words.nr += nr;
	*half = (struct columns_half){at, nr};
	grow_tree(h, p, nr, h->halves.nr);
	return h->halves.nr;
}

static bool is_half(const struct columns_halves *h, u32 half, const u8 *p, u32 nr)
{
	const struct columns_half *f = &h->halves.v[half - 1];

	return f->nr == nr && !memcmp(&h->words.v[f->at], p, (size_t)nr * 8);
}

u32 columns_halves_add(struct columns_halves *h, const u8 *p, u32 nr, bool *is_new)
{
	struct columns_slot *slot;
	u32 at, step = 0;
	u64 key;

	*is_new = false;
	if (!nr)
		return 0;
	if (!columns_table_ready(&h->known)) {
		h->failed = true;
		return 0;
	}
	key = hash_words(p, nr);
	at = columns_table_at(&h->known, key);
	while ((slot = columns_table_next(&h->known, key, &at, &step))) {
		if (slot->time != h->known.time)
			break;
		if (is_half(h, slot->value, p, nr))
			return h->last = slot->value;
	}
	*is_new = true;
	h->last = add_half(h, p, nr);
	if (slot && !h->failed)
		columns_table_put(&h->known, slot, key, h->last);
	return h->last;
}

void columns_halves_put(struct columns_halves *h, struct columns_out *o)
{
	u32 i;

	columns_put_varint(o->to, h->halves.nr);
	columns_put_varint(o->to, h->tree.nr);
	columns_put_varint(o->to, h->addresses.nr);
	columns_put_u32s(o, h->parents.v, h->parents.nr);
	columns_put_u32s(o, h->counts.v, h->counts.nr);
	if (!columns_out_room(o, h->tree.nr))
		return;
	for (i = 0; i < h->tree.nr; i++)
		o->scratch[0][i] = h->tree.v[i].ip;
	columns_put_ints(o, o->scratch[0], h->tree.nr);
	columns_put_addresses(o, h->addresses.v, h->addresses.nr);
}

void columns_known_free(struct columns_known *k)
{
	vec_free(&k->halves);
	vec_free(&k->parents);
	vec_free(&k->addresses);
	vec_free(&k->words);
}

/* Addresses of the nodes, from their references; `ips` are the addresses there are. */
static bool resolve_nodes(struct columns_known *k, const u64 *refs, u32 nodes, const u64 *ips,
			  u32 nr_ips)
{
	u32 i, fresh = 0;

	for (i = 0; i < nodes; i++) {
		if (refs[i] > fresh)
			return false;
		if (!refs[i] && fresh == nr_ips)
			return false;
		k->addresses.v[i] = refs[i] ? ips[fresh - refs[i]] : ips[fresh];
		fresh += !refs[i];
	}
	return true;
}

/* Halves, whose node and nr hold what was read: the node it grows from, and the new ones. */
static bool resolve_halves(struct columns_known *k, struct columns_in *in, u32 halves, u32 nodes)
{
	u32 i, j, parent, depth, at = 0;
	u32 *depths = calloc((size_t)nodes + 1, sizeof(*depths));
	bool ok = depths;

	in->nomem |= !depths;
	for (i = 0; ok && i < halves; i++) {
		struct columns_found *f = &k->halves.v[i];

		parent = f->node;
		ok = parent <= at && f->nr <= nodes - at;
		if (!ok)
			break;
		depth = depths[parent];
		for (j = 0; j < f->nr; j++) {
			k->parents.v[at++] = parent;
			depths[at] = ++depth;
			parent = at;
		}
		ok = depth <= STACK_MAX;
		*f = (struct columns_found){parent, depth, ID_NONE};
	}
	free(depths);
	return ok && at == nodes;
}

bool columns_known_get(struct columns_known *k, struct columns_in *in, struct cur *c)
{
	u64 halves = columns_get_varint(c), nodes = columns_get_varint(c);
	u64 nr_ips = columns_get_varint(c);
	u64 *v = NULL;
	u32 i;

	k->words.nr = k->halves.nr = 0;
	if (c->bad || halves > NODES_MAX || nodes > NODES_MAX || nr_ips > nodes)
		return !(c->bad = true);
	v = malloc((MAX(halves, nodes) + nr_ips + 1) * sizeof(*v));
	in->nomem |= !v || !vec_reserve(&k->halves, halves) || !vec_reserve(&k->parents, nodes) ||
		     !vec_reserve(&k->addresses, nodes);
	if (in->nomem)
		goto bad;
	if (!columns_get_ints(in, c, v, halves))
		goto bad;
	for (i = 0; i < halves; i++)
		k->halves.v[i].node = (u32)MIN(v[i], (u64)UINT32_MAX);
	if (!columns_get_ints(in, c, v, halves))
		goto bad;
	for (i = 0; i < halves; i++)
		k->halves.v[i].nr = (u32)MIN(v[i], (u64)UINT32_MAX);
	if (!columns_get_ints(in, c, v, nodes) || !columns_get_ints(in, c, v + nodes, nr_ips) ||
	    !resolve_nodes(k, v, (u32)nodes, v + nodes, (u32)nr_ips) ||
	    !resolve_halves(k, in, (u32)halves, (u32)nodes))
		goto bad;
	k->halves.nr = (u32)halves;
	free(v);
	return true;
bad:
	free(v);
	c->bad = true;
	return false;
}

bool columns_known_half(struct columns_known *k, struct columns_in *in, u32 half, const u64 **words,
			u32 *nr)
{
	struct columns_found *f;
	u32 i, node;

	*words = NULL;
	*nr = 0;
	if (!half)
		return true;
	if (half > k->halves.nr)
		return false;
	f = &k->halves.v[half - 1];
	if (f->at == ID_NONE) {
		if (!vec_reserve(&k->words, (u64)k->words.nr + f->nr)) {
			in->nomem = true;
			return false;
		}
		f->at = k->words.nr;
		for (i = 0, node = f->node; i < f->nr; i++, node = k->parents.v[node - 1])
			k->words.v[f->at + i] = k->addresses.v[node - 1];
		k->words.nr += f->nr;
	}
	*words = &k->words.v[f->at];
	*nr = f->nr;
	return true;
}

bool columns_known_second(const struct columns_known *k, const u32 halves[COLUMNS_HALVES],
			  u64 *word)
{
	const struct columns_found *f;
	u32 i, skip = 1;

	*word = 0;
	for (i = 0; i < COLUMNS_HALVES; i++) {
		if (halves[i] > k[i].halves.nr)
			return false;
		if (!halves[i])
			continue;
		f = &k[i].halves.v[halves[i] - 1];
		if (f->nr <= skip) {
			skip -= f->nr;
			continue;
		}
		*word = k[i].addresses.v[(skip ? k[i].parents.v[f->node - 1] : f->node) - 1];
		return true;
	}
	return true;
}

void columns_blobs_clear(struct columns_blobs *b)
{
	columns_table_clear(&b->known);
	buf_reset(&b->bytes);
	b->blobs.nr = 0;
	b->failed = false;
}

void columns_blobs_free(struct columns_blobs *b)
{
	columns_table_free(&b->known);
	vec_free(&b->blobs);
	buf_free(&b->bytes);
}

u32 columns_blobs_add(struct columns_blobs *b, const void *p, u32 len)
{
	u64 key = hash_bytes(p, len);
	struct columns_blob *blob;
	struct columns_slot *slot;
	u32 at, step = 0;

	if (!columns_table_ready(&b->known)) {
		b->failed = true;
		return 0;
	}
	at = columns_table_at(&b->known, key);
	while ((slot = columns_table_next(&b->known, key, &at, &step))) {
		if (slot->time != b->known.time)
			break;
		blob = &b->blobs.v[slot->value];
		if (blob->len == len && (!len || !memcmp(b->bytes.data + blob->at, p, len)))
			return slot->value;
	}
	blob = vec_push(&b->blobs);
	if (!blob) {
		b->failed = true;
		return 0;
	}
	*blob = (struct columns_blob){(u32)b->bytes.len, len};
	buf_add(&b->bytes, p, len);
	b->failed |= b->bytes.failed;
	if (slot && !b->failed)
		columns_table_put(&b->known, slot, key, b->blobs.nr - 1);
	return b->blobs.nr - 1;
}

void columns_blobs_put(struct columns_blobs *b, struct columns_out *o)
{
	u32 i;

	columns_put_varint(o->to, b->blobs.nr);
	columns_put_varint(o->to, b->bytes.len);
	if (!columns_out_room(o, b->blobs.nr))
		return;
	for (i = 0; i < b->blobs.nr; i++)
		o->scratch[0][i] = b->blobs.v[i].len;
	columns_put_ints(o, o->scratch[0], b->blobs.nr);
	columns_put_stream(o, b->bytes.data, b->bytes.len);
}

bool columns_blobs_get(struct columns_blobs *b, struct columns_in *in, struct cur *c)
{
	u64 nr = columns_get_varint(c), len = columns_get_varint(c), at = 0;
	const u8 *p;
	u32 i;

	b->blobs.nr = 0;
	buf_reset(&b->bytes);
	if (c->bad || nr > BLOCK_SIZE_MAX / 8 || len > BLOCK_SIZE_MAX)
		return !(c->bad = true);
	if (!columns_in_room(in, nr) || !vec_reserve(&b->blobs, nr)) {
		in->nomem = c->bad = true;
		return false;
	}
	if (!columns_get_ints(in, c, in->scratch[0], nr))
		return false;
	for (i = 0; i < nr; i++) {
		u64 n = in->scratch[0][i];

		if (n > len - at)
			return !(c->bad = true);
		b->blobs.v[i] = (struct columns_blob){(u32)at, (u32)n};
		at += n;
	}
	b->blobs.nr = (u32)nr;
	if (at != len)
		return !(c->bad = true);
	if (!len)
		return true;
	p = columns_get_stream(in, c, len);
	if (!p)
		return false;
	buf_add(&b->bytes, p, len);
	in->nomem |= b->bytes.failed;
	c->bad |= b->bytes.failed;
	return !c->bad;
}
