// SPDX-License-Identifier: GPL-2.0
/*
 * Print the samples of a recording: event, time, command, thread, and the functions of the call chain, innermost first.
 *
 *	cc perflite-example.c $(pkg-config --cflags --libs perflite) -o example && ./example perf-lite.data
 */
#include <inttypes.h>
#include <perflite.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct perflite_error error;
	struct perflite *p = perflite_open(argc > 1 ? argv[1] : "perf-lite.data", NULL, &error);
	const struct perflite_item *item;
	const struct perflite_frame *frames;
	long i, nr;

	while (p && (item = perflite_next(p, &error))) {
		if (item->kind == PERFLITE_LOSS)
			printf("%" PRIu64 " samples lost: %s\n", item->count, item->text);
		if (item->kind != PERFLITE_SAMPLE)
			continue;
		printf("%s %" PRIu64 " %s %d", perflite_event_name(p, item->event), item->time,
		       item->comm, (int)item->tid);
		nr = perflite_frames(p, &frames, NULL);
		for (i = 0; i < nr; i++)
			printf(" %s", frames[i].symbol ? frames[i].symbol : "[unknown]");
		putchar('\n');
	}
	if (error.code)
		fprintf(stderr, "%s\n%s\n", error.text, error.hint);
	perflite_close(p);
	return error.code != 0;
}
