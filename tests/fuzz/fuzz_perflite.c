// SPDX-License-Identifier: GPL-2.0
/*
 * Whole files through libperflite: all items with their frames and fields, and once more as a table, and as counts. What must hold for
 * any bytes: texts are UTF-8 without controls, a table has as many rows as there are samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/text.h"
#include "util/library/perflite.h"
#include "util/library/version.h"

#define ITEMS_MAX 20000

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

const char *version_string(void)
{
	return "fuzz";
}

static void check_text(const char *text)
{
	if (text && !text_is_plain(text, strlen(text)))
		abort();
}

static void look_at_sample(struct perflite *p, const struct perflite_item *item)
{
	const struct perflite_frame *frames;
	const char *name = perflite_event_name(p, item->event);
	uint64_t number;
	long i, nr = perflite_frames(p, &frames, NULL);
	int field;

	check_text(name);
	if (!name || nr < 0)
		abort();
	for (i = 0; i < nr; i++) {
		check_text(frames[i].symbol);
		check_text(frames[i].file);
		check_text(frames[i].source);
	}
	for (field = 0; field < 4; field++) {
		perflite_number(p, field, &number);
		check_text(perflite_text(p, field));
	}
}

static u32 read_items(const char *path, const char *const *options)
{
	const struct perflite_item *item;
	struct perflite_error error = {0};
	struct perflite *p = perflite_open(path, options, &error);
	u32 nr = 0, samples = 0;

	if (!p && !error.code)
		abort();
	if (!p)
		return 0;
	perflite_field(p, "comm", NULL);
	perflite_field(p, "sym", NULL);
	perflite_field(p, "trace", NULL);
	if (perflite_event_field(p, 0, 0))
		perflite_field(p, perflite_event_field(p, 0, 0), NULL);
	while (nr++ < ITEMS_MAX && (item = perflite_next(p, &error))) {
		check_text(item->comm);
		check_text(item->text);
		if (item->kind != PERFLITE_SAMPLE)
			continue;
		samples++;
		look_at_sample(p, item);
	}
	check_text(perflite_fact(p, "hostname"));
	perflite_notes(p);
	perflite_close(p);
	return nr > ITEMS_MAX ? UINT32_MAX : samples;
}

static void read_tables(const char *path, const char *const *options, u32 samples)
{
	struct perflite *p = perflite_open(path, options, NULL);
	struct perflite_table *t;

	if (!p)
		return;
	t = perflite_samples(p, NULL, "time,comm,event,cpu", ITEMS_MAX, NULL);
	if (t && samples != UINT32_MAX && perflite_table_rows(t) != samples)
		abort();
	perflite_table_free(t);
	t = perflite_count(p, "comm,sym", "period", NULL);
	perflite_table_free(t);
	perflite_close(p);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char *const options[] = {"symfs=/proc/self/fd/nowhere", "jobs=1", NULL};
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[32];
	u32 samples;

	if (fd < 0 || io_write(fd, data, size))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	samples = read_items(path, options);
	read_tables(path, options, samples);
	close(fd);
	return 0;
}
