// SPDX-License-Identifier: GPL-2.0
#include "util/library/drops.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/text.h"

static struct socket_owner *find(const struct drops_owners *o, u64 inode)
{
	const u32 at = hmap_get(&o->by_inode, inode);

	return at == ID_NONE ? NULL : &o->v.v[at];
}

int drops_owners_meet(struct drops_owners *o, const struct tp_format *f, const struct sample *s,
		      struct err *err)
{
	const struct tp_field *field = o->on ? tp_format_field(f, "sk_inode") : NULL;
	struct field_reader reader;
	struct socket_owner *new;
	u64 inode;

	if (!field)
		return 0;
	reader = field_reader_of(field);
	if (reader.kind != FIELD_READER_INT ||
	    !field_reader_int(&reader, s->raw, s->raw_size, &inode) || !inode || find(o, inode))
		return 0;
	/* each drop may be of a new socket */
	if (o->v.nr == DROPS_OWNERS_MAX) {
		o->left_out++;
		return 0;
	}
	new = vec_push(&o->v);
	if (!new || !hmap_set(&o->by_inode, inode, o->v.nr - 1))
		return err_nomem(err);
	*new = (struct socket_owner){.inode = inode};
	return 0;
}

int drops_owners_look(struct drops_owners *o, const struct sysroot *root, struct err *err)
{
	int proc, ret;

	if (o->looked == o->v.nr)
		return 0;
	proc = io_open(root->fd, "proc", O_RDONLY | O_DIRECTORY);
	if (proc < 0)
		return 0;
	ret = socket_owners_find(proc, o->v.v + o->looked, o->v.nr - o->looked, err);
	close(proc);
	o->looked = o->v.nr;
	return ret;
}

void drops_owners_put(const struct drops_owners *o, u64 inode, struct buf *out)
{
	const struct socket_owner *owner = find(o, inode);

	if (owner && owner->pid) {
		text_escape(out, owner->comm, strlen(owner->comm));
		buf_addf(out, " %u", owner->pid);
	} else if (inode) {
		buf_addf(out, "socket:[%llu]", (unsigned long long)inode);
	}
}

const struct socket_owner *drops_owners_find(const struct drops_owners *o, u64 inode)
{
	const struct socket_owner *owner = find(o, inode);

	return owner && owner->pid ? owner : NULL;
}

void drops_owners_reset(struct drops_owners *o)
{
	if (o->v.nr <= DROPS_OWNERS_MAX / 2)
		return;
	o->v.nr = o->looked = 0;
	hmap_clear(&o->by_inode);
}

void drops_owners_free(struct drops_owners *o)
{
	vec_free(&o->v);
	hmap_free(&o->by_inode);
}
