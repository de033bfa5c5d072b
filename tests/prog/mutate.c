// SPDX-License-Identifier: GPL-2.0
/*
 * mutate - a file with a few things changed, the same ones for the same number.
 *
 *	mutate NUMBER FILE >CHANGED      bytes, words, and spans changed, in one to eight places
 *	mutate --cut NUMBER OF FILE      its first NUMBER/OF
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

/* splitmix64 */
static uint64_t next(uint64_t below)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % below;
}

static void change(unsigned char *d, size_t len)
{
	static const uint64_t words[] = {0,        1,          7,          8,          0x7f, 0xffff,
					 1u << 31, UINT32_MAX, 1ull << 63, UINT64_MAX, 104,  64};
	size_t at = next(len), to = next(len), n = 1 + next(64);
	size_t width = (size_t)1 << next(4);

	/* headers are where sizes and offsets are, and half of all changes */
	if (next(2))
		at %= 512;
	if (at >= len)
		return;
	switch (next(5)) {
	case 0:
		d[at] ^= (unsigned char)(1u << next(8));
		break;
	case 1:
		d[at] = (unsigned char)next(256);
		break;
	case 2:
		at -= at % width;
		if (at + width <= len)
			memcpy(d + at, &words[next(sizeof(words) / sizeof(*words))], width);
		break;
	case 3:
		if (at + n <= len && to + n <= len)
			memmove(d + at, d + to, n);
		break;
	case 4:
		if (at + n <= len)
			memset(d + at, 0, n);
		break;
	}
}

static int usage(void)
{
	fprintf(stderr, "usage: mutate [--cut NUMBER OF | NUMBER] FILE\n");
	return 2;
}

int main(int argc, char **argv)
{
	int cut = argc > 1 && !strcmp(argv[1], "--cut");
	unsigned char *d;
	size_t len, i, nr;
	long size;
	FILE *f;

	if (argc != (cut ? 5 : 3))
		return usage();
	f = fopen(argv[argc - 1], "rb");
	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) <= 0 || fseek(f, 0, SEEK_SET)) {
		perror(argv[argc - 1]);
		return 1;
	}
	len = (size_t)size;
	d = malloc(len);
	if (!d || fread(d, 1, len, f) != len) {
		perror(argv[argc - 1]);
		return 1;
	}
	fclose(f);
	if (cut) {
		len = len * strtoull(argv[2], NULL, 0) / strtoull(argv[3], NULL, 0);
	} else {
		state = strtoull(argv[1], NULL, 0);
		for (i = 0, nr = 1 + next(8); i < nr; i++)
			change(d, len);
	}
	return fwrite(d, 1, len, stdout) != len;
}
