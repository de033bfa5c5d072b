// SPDX-License-Identifier: GPL-2.0
#include "util/annotate/source_text.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"

static bool find_lines(struct source_text_file *f)
{
	const char *text = buf_str(&f->text), *at = text, *end = text + f->text.len;
	u32 *line;

	while (at < end) {
		line = vec_push(&f->lines);
		if (!line)
			return false;
		*line = (u32)(at - text);
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : end;
	}
	return true;
}

static void read_file(struct source_text_file *f, const char *path)
{
	/* a FIFO or a device must neither wait nor do anything */
	int fd = io_open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !io_read_fd(fd, &f->text, SOURCE_TEXT_MAX) &&
	    !f->text.failed && find_lines(f)) {
		f->there = true;
		f->modified = io_modified(&st);
	}
	close(fd);
}

const struct source_text_file *source_text_file(struct source_text *t, const char *path)
{
	struct source_text_file *f;
	struct buf whole = {0};
	u32 id = path ? strtab_add(&t->paths, path, strlen(path)) : ID_NONE;

	if (id == ID_NONE)
		return NULL;
	if (id >= t->files.nr) {
		f = vec_push(&t->files);
		if (!f)
			return NULL;
		if (t->root)
			buf_adds(&whole, t->root);
		if (t->root && *path != '/')
			buf_addc(&whole, '/');
		buf_adds(&whole, path);
		/* where a path without a root began is not known: not here */
		if (!whole.failed && *buf_str(&whole) == '/')
			read_file(f, buf_str(&whole));
		buf_free(&whole);
	}
	return t->files.v[id].there ? &t->files.v[id] : NULL;
}

const char *source_text_line(struct source_text *t, const char *path, u32 line, size_t *len)
{
	const struct source_text_file *f = source_text_file(t, path);
	const char *at, *end;

	if (!f || !line || line > f->lines.nr)
		return NULL;
	at = f->text.data + f->lines.v[line - 1];
	end = line < f->lines.nr ? f->text.data + f->lines.v[line] : f->text.data + f->text.len;
	if (end > at && end[-1] == '\n')
		end--;
	if (end > at && end[-1] == '\r')
		end--;
	*len = (size_t)(end - at);
	return at;
}

void source_text_free(struct source_text *t)
{
	u32 i;

	for (i = 0; i < t->files.nr; i++) {
		buf_free(&t->files.v[i].text);
		vec_free(&t->files.v[i].lines);
	}
	vec_free(&t->files);
	strtab_free(&t->paths);
}
