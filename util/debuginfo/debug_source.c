// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debug_source.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base/buf.h"

/* The path of an open file; false: it has none. */
static bool path_of(const struct image *img, char *path, size_t size)
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", img->fd);
	len = img->fd < 0 ? -1 : readlink(link, path, size - 1);
	path[MAX(len, 0)] = '\0';
	return len > 0 && path[0] == '/';
}

/* `path` is below the root of `o`, or NULL. */
static void open_alt(struct debug_source *s, const char *path, const struct debug_file_options *o)
{
	s->has_alt =
		!debug_file_open_alt(s->has_debug ? &s->debug : &s->image, path, o, &s->alt, NULL);
}

/* A package has the name of the program: "prog.dwp", and never that of "prog.debug" alone. */
static bool open_beside(const char *path, struct image *package)
{
	struct buf name = {0};
	bool found;

	buf_adds(&name, path);
	buf_adds(&name, ".dwp");
	found = !name.failed && !image_open(package, AT_FDCWD, buf_str(&name), NULL);
	buf_free(&name);
	return found;
}

/* Which units it has is told by their ids, so that it need not be asked whose it is. */
static void open_package(struct debug_source *s, const char *debug)
{
	char path[4096];

	s->has_package = path_of(&s->image, path, sizeof(path)) && open_beside(path, &s->package);
	if (!s->has_package && debug)
		s->has_package = open_beside(debug, &s->package);
}

void debug_source_open(struct debug_source *s, const struct image *image, const char *path,
		       const struct debug_file_options *o)
{
	size_t root = o->root ? strlen(o->root) : 0;
	char real[4096];
	bool known;

	*s = (struct debug_source){.image = *image};
	if (!debug_file_has(&s->image, DEBUG_FILE_DWARF)) {
		s->has_debug =
			!debug_file_open(&s->image, path, o, DEBUG_FILE_DWARF, &s->debug, NULL);
		if (!s->has_debug)
			return;
	}
	known = path_of(s->has_debug ? &s->debug : &s->image, real, sizeof(real));
	if (s->has_debug)
		path = known ? real + (strncmp(real, o->root ? o->root : "", root) ? 0 : root)
			     : NULL;
	open_alt(s, path, o);
	open_package(s, known ? real : NULL);
	if (known)
		*strrchr(real, '/') = '\0';
	debuginfo_open(&s->info,
		       &(struct debuginfo_images){
			       .image = &s->image,
			       .debug = s->has_debug ? &s->debug : NULL,
			       .alt = s->has_alt ? &s->alt : NULL,
			       .package = s->has_package ? &s->package : NULL,
			       .folder = known ? real : NULL,
		       },
		       NULL);
}

void debug_source_close(struct debug_source *s)
{
	debuginfo_close(s->info);
	if (s->has_package)
		image_close(&s->package);
	if (s->has_alt)
		image_close(&s->alt);
	if (s->has_debug)
		image_close(&s->debug);
	image_close(&s->image);
}

u32 debug_source_find(struct debug_source *s, u64 offset, struct debug_frame *out, u32 max)
{
	u64 vaddr;

	if (!s->info || !image_vaddr(&s->image, offset, &vaddr))
		return 0;
	return debuginfo_find(s->info, vaddr, out, max);
}
