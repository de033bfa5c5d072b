// SPDX-License-Identifier: GPL-2.0
#include "util/base/num.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool num_u64(const char *s, u64 *v)
{
	char *end;
	u64 n;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	n = strtoull(s, &end, s[0] == '0' && (s[1] | 32) == 'x' ? 16 : 10);
	if (errno || *end)
		return false;
	*v = n;
	return true;
}

bool num_s64(const char *s, s64 *v)
{
	char *end;
	s64 n;

	if (!isdigit((unsigned char)s[*s == '-']))
		return false;
	errno = 0;
	n = strtoll(s, &end, 10);
	if (errno || *end)
		return false;
	*v = n;
	return true;
}

bool num_hex(const char *s, size_t len, u64 *v)
{
	u64 n = 0;
	size_t i;

	if (!len || len > 16)
		return false;
	for (i = 0; i < len; i++) {
		u8 c = (u8)s[i];

		if (!isxdigit(c))
			return false;
		n = n << 4 | (u64)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
	}
	*v = n;
	return true;
}

bool num_size(const char *s, u64 *bytes)
{
	unsigned int shift = 0;
	char *end;
	u64 n;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	n = strtoull(s, &end, 10);
	switch (*end | 32) {
	case 'k':
		shift = 10;
		break;
	case 'm':
		shift = 20;
		break;
	case 'g':
		shift = 30;
		break;
	}
	if (shift)
		end++;
	if ((*end | 32) == 'b')
		end++;
	if (errno || *end || n > UINT64_MAX >> shift)
		return false;
	*bytes = n << shift;
	return true;
}

/* Seconds with decimals as nanoseconds; *end past the number. Exact: no floating point. */
static bool decimal_ns(const char *s, const char **end, u64 unit_ns, u64 *ns)
{
	u64 whole = 0, frac = 0, scale = 1;
	bool digits = false;

	for (; isdigit((unsigned char)*s); s++, digits = true) {
		if (whole > UINT64_MAX / 16 / unit_ns)
			return false;
		whole = whole * 10 + (u64)(*s - '0');
	}
	if (*s == '.') {
		for (s++; isdigit((unsigned char)*s); s++, digits = true) {
			if (scale < 1000000000) {
				frac = frac * 10 + (u64)(*s - '0');
				scale *= 10;
			}
		}
	}
	if (!digits)
		return false;
	*ns = whole * unit_ns + (u64)((unsigned __int128)frac * unit_ns / scale);
	*end = s;
	return true;
}

bool num_milliseconds(const char *s, u64 *ns)
{
	u64 ms;

	/* callers add it to the time of a clock */
	if (!num_u64(s, &ms) || ms > INT64_MAX / 1000000)
		return false;
	*ns = ms * 1000000;
	return true;
}

bool num_duration(const char *s, u64 *ns)
{
	static const struct {
		const char *name;
		u64 ns;
	} units[] = {
		{"", 1000000000},
		{"s", 1000000000},
		{"ms", 1000000},
		{"us", 1000},
		{"ns", 1},
		{"m", 60ull * 1000000000},
		{"h", 3600ull * 1000000000},
	};
	const char *unit = s, *end;
	size_t i;
	u64 v;

	while (isdigit((unsigned char)*unit) || *unit == '.')
		unit++;
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].name))
			continue;
		if (!decimal_ns(s, &end, units[i].ns, &v) || end != unit)
			return false;
		*ns = v;
		return true;
	}
	return false;
}

bool num_time(const char *s, u64 *ns)
{
	const char *end;
	u64 v;

	if (!decimal_ns(s, &end, 1000000000, &v) || *end)
		return false;
	*ns = v;
	return true;
}
