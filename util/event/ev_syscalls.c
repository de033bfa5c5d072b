// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_syscalls.h"

#include <errno.h>
#include <string.h>

#include "arch/arch_syscalls.h"
#include "util/base/glob.h"

#define ENTER "sys_enter_"
#define EXIT  "sys_exit_"
#define BITS  (8 * sizeof(((struct ev_syscalls *)NULL)->enter))

static bool has(const u8 *bits, u32 nr)
{
	return bits[nr / 8] >> nr % 8 & 1;
}

/* Note the call of one tracepoint that matched. */
static int choose(struct ev_syscalls *c, const struct arch_syscalls *table, const char *tracepoint)
{
	bool enter = !strncmp(tracepoint, ENTER, strlen(ENTER));
	const char *name;
	u32 nr;

	if (!enter && strncmp(tracepoint, EXIT, strlen(EXIT)) != 0)
		return -ENOTSUP;
	name = tracepoint + strlen(enter ? ENTER : EXIT);
	nr = arch_syscalls_number(table, arch_syscalls_of_tracepoint(name));
	if (nr >= BITS)
		return -ENOTSUP;
	if (enter) {
		c->enter[nr / 8] |= (u8)(1u << nr % 8);
		c->nr_enter++;
	} else {
		c->exit[nr / 8] |= (u8)(1u << nr % 8);
		c->nr_exit++;
	}
	return 0;
}

int ev_syscalls_match(struct ev_syscalls *c, const struct tracefs *t, const char *machine,
		      const char *pattern, struct err *err)
{
	const struct arch_syscalls *table = arch_syscalls_find(machine);
	struct tracefs_events all = {0};
	const char *name;
	int ret;
	u32 i;

	*c = (struct ev_syscalls){0};
	if (!table)
		return -ENOTSUP;
	if (!strcmp(pattern, "*")) {
		c->nr_enter = c->nr_exit = c->most = table->nr;
		memset(c->enter, 0xff, sizeof(c->enter));
		memset(c->exit, 0xff, sizeof(c->exit));
		return 0;
	}
	ret = tracefs_glob(t, "syscalls", "*", &all, err);
	for (i = 0; !ret && i < all.events.nr; i++) {
		name = all.events.v[i].name;
		c->most += !strncmp(name, ENTER, strlen(ENTER));
		if (glob_match(pattern, name))
			ret = choose(c, table, name);
	}
	tracefs_events_free(&all);
	return !ret && !c->nr_enter && !c->nr_exit ? -ENOENT : ret;
}

bool ev_syscalls_named(struct ev_syscalls *c, const char *machine, const char *pattern)
{
	const struct arch_syscalls *table = arch_syscalls_find(machine);
	bool any = false;
	u32 nr;

	for (c->most = nr = 0; table && nr < MIN(table->nr, (u32)BITS); nr++) {
		c->most += table->names[nr] != NULL;
		if (!table->names[nr] || !glob_match(pattern, table->names[nr]))
			continue;
		any = true;
		c->nr_enter += !has(c->enter, nr);
		c->enter[nr / 8] |= (u8)(1u << nr % 8);
	}
	memcpy(c->exit, c->enter, sizeof(c->exit));
	c->nr_exit = c->nr_enter;
	return any;
}

void ev_syscalls_invert(struct ev_syscalls *c)
{
	u32 i;

	for (i = 0; i < sizeof(c->enter); i++) {
		c->enter[i] = (u8)~c->enter[i];
		c->exit[i] = (u8)~c->exit[i];
	}
	c->nr_enter = c->most - c->nr_enter;
	c->nr_exit = c->most - c->nr_exit;
}

void ev_syscalls_filter(const u8 bits[static 128], struct buf *out)
{
	const char *between = "";
	u32 from, to;

	for (from = 0; from < BITS; from = to + 1) {
		to = from;
		if (!has(bits, from))
			continue;
		while (to + 1 < BITS && has(bits, to + 1))
			to++;
		buf_addf(out, from == to ? "%sid == %u" : "%s(id >= %u && id <= %u)", between, from,
			 to);
		between = " || ";
	}
}
