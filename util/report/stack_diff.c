// SPDX-License-Identifier: GPL-2.0
#include "util/report/stack_diff.h"

#include <math.h>
#include <stdlib.h>

#include "util/report/stack_diff_internal.h"

/* Of more, several count as one: up to there all doubles are whole numbers. */
#define OBSERVATIONS_MAX 1e15

struct stack_count *stack_diff_count(struct stack_diff *d, u32 row, enum stack_diff_side side)
{
	while (d->rows.nr <= row)
		if (!vec_push(&d->rows))
			return NULL;
	return &d->rows.v[row].count[side];
}

/* A row as numbers of equal and independent samples. */
struct observations {
	double count[STACK_DIFF_SIDES], all[STACK_DIFF_SIDES], time[STACK_DIFF_SIDES];
};

/* Weights of some samples, those of each recording in multiples of its mean one. */
struct moments {
	double sum, squares;
};

static double mean_weight(const struct stack_count *c)
{
	return c->samples ? (double)c->weight / (double)c->samples : 1;
}

/* Of both recordings together, so that one heavy sample does not speak for itself. */
static struct moments moments_of(const struct stack_diff *d, const struct stack_count *count)
{
	struct moments m = {0};
	double unit;
	int i;

	for (i = 0; i < STACK_DIFF_SIDES; i++) {
		unit = mean_weight(&d->all[i]);
		m.sum += (double)count[i].weight / unit;
		m.squares += count[i].squares / (unit * unit);
	}
	return m;
}

static double spread(double squares, double sum)
{
	return sum > 0 && squares > 0 ? squares / sum : 1;
}

/*
 * So many samples are one observation: a sum of weights scatters like that of fewer samples of
 * equal weight. A share scatters with its own weights and with those of all else, by the variance
 * of a ratio of sums; a rate with its own.
 */
static double samples_for_one(const struct stack_diff *d, const struct stack_diff_row *r)
{
	const struct moments own = moments_of(d, r->count), all = moments_of(d, d->all);
	const double share = d->scale == STACK_DIFF_SHARE && all.sum > 0 ? own.sum / all.sum : 0;

	return (1 - share) * spread(own.squares, own.sum) +
	       share * spread(all.squares - own.squares, all.sum - own.sum);
}

static struct observations observe(const struct stack_diff *d, const struct stack_diff_row *r)
{
	const double for_one = samples_for_one(d, r) * (d->burst > 1 ? d->burst : 1);
	struct observations o;
	int i;

	for (i = 0; i < STACK_DIFF_SIDES; i++) {
		const double weight = MAX(mean_weight(&d->all[i]) * for_one,
					  (double)d->all[i].weight / OBSERVATIONS_MAX);

		o.all[i] = round((double)d->all[i].weight / weight);
		o.count[i] = MIN(round((double)r->count[i].weight / weight), o.all[i]);
		o.time[i] = (d->scale == STACK_DIFF_SECOND ? d->seconds[i] : 1) / weight;
	}
	return o;
}

static double chance(const struct stack_diff *d, const struct observations *o)
{
	if (d->scale == STACK_DIFF_SHARE)
		return stack_diff_noise_shares((u64)o->count[0], (u64)o->all[0], (u64)o->count[1],
					       (u64)o->all[1]);
	return stack_diff_noise_rates((u64)o->count[0], o->time[0], (u64)o->count[1], o->time[1]);
}

/* Could any split of these samples be more than noise? */
static bool can_tell(const struct stack_diff *d, const struct observations *o)
{
	const u64 count = (u64)(o->count[0] + o->count[1]);
	double p;

	if (d->scale == STACK_DIFF_SHARE)
		p = stack_diff_noise_least_shares(count, (u64)o->all[0], (u64)o->all[1]);
	else
		p = stack_diff_noise_least_rates(count, o->time[0], o->time[1]);
	return p <= STACK_DIFF_NOISE_LEVEL;
}

/* Old and new are so many standard deviations apart. */
static double distance(const struct stack_diff *d, const struct observations *o)
{
	const double *all = d->scale == STACK_DIFF_SHARE ? o->all : o->time;
	const double both = o->count[0] + o->count[1];
	double p, variance;

	if (!(all[0] > 0) || !(all[1] > 0) || !(both > 0))
		return 0;
	p = both / (all[0] + all[1]);
	variance = p * (d->scale == STACK_DIFF_SHARE ? 1 - p : 1) * (1 / all[0] + 1 / all[1]);
	return variance > 0 ? fabs(o->count[1] / all[1] - o->count[0] / all[0]) / sqrt(variance)
			    : 0;
}

static double value(const struct stack_diff *d, const struct stack_diff_row *r, int i)
{
	const double weight = (double)r->count[i].weight;

	switch (d->scale) {
	case STACK_DIFF_SHARE:
		return d->all[i].weight ? 100 * weight / (double)d->all[i].weight : 0;
	case STACK_DIFF_SECOND:
		return d->seconds[i] > 0 ? weight / d->seconds[i] : 0;
	default:
		return weight;
	}
}

static enum stack_diff_verdict direction(const struct stack_diff_row *r)
{
	if (!r->count[STACK_DIFF_OLD].samples)
		return STACK_DIFF_ADDED;
	if (!r->count[STACK_DIFF_NEW].samples)
		return STACK_DIFF_GONE;
	return r->change > 0 ? STACK_DIFF_MORE : STACK_DIFF_LESS;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool has_both(const struct stack_diff *d)
{
	return d->all[STACK_DIFF_OLD].weight && d->all[STACK_DIFF_NEW].weight;
}

/* Fill in all but the verdict; p[] gets the probabilities of rows with enough samples to show a difference. */
static u32 measure(struct stack_diff *d, double *p)
{
	struct stack_diff_row *r;
	struct observations o;
	u32 i, nr = 0;

	for (i = 0; i < d->rows.nr; i++) {
		r = &d->rows.v[i];
		r->value[STACK_DIFF_OLD] = value(d, r, STACK_DIFF_OLD);
		r->value[STACK_DIFF_NEW] = value(d, r, STACK_DIFF_NEW);
		r->change = r->value[STACK_DIFF_NEW] - r->value[STACK_DIFF_OLD];
		r->p = 1;
		r->needed = 0;
		if (!has_both(d))
			continue;
		o = observe(d, r);
		r->needed = distance(d, &o); /* for now */
		r->p = chance(d, &o);
		if (can_tell(d, &o))
			p[nr++] = r->p;
	}
	return nr;
}

/* How many samples would do, for a change that is `apart` now; 0: more than anyone would take. */
static double samples_needed(const struct stack_diff *d, double apart)
{
	const u64 samples = MAX(d->all[STACK_DIFF_OLD].samples, d->all[STACK_DIFF_NEW].samples);
	double times;

	if (!(apart > 0))
		return 0;
	times = d->apart / apart;
	times *= times;
	/* where so few samples are far apart, only the exact test knows that it may be chance */
	return times > 1e6 ? 0 : ceil((double)samples * MAX(times, 2));
}

int stack_diff_judge(struct stack_diff *d, struct err *err)
{
	double *p = calloc(d->rows.nr + (size_t)1, sizeof(*p)), limit;
	struct stack_diff_row *r;
	u32 i, nr, found;

	if (!p)
		return err_nomem(err);
	nr = measure(d, p);
	qsort(p, nr, sizeof(*p), by_value);
	found = stack_diff_noise_found(p, nr);
	limit = found ? p[found - 1] : -1;
	/* what the next one would have to be */
	d->apart = stack_diff_noise_quantile(STACK_DIFF_NOISE_LEVEL * MIN(found + 1, MAX(nr, 1)) /
					     MAX(nr, 1)) +
		   STACK_DIFF_NOISE_POWER_Z;
	memset(d->nr_verdicts, 0, sizeof(d->nr_verdicts));
	for (i = 0; i < d->rows.nr; i++) {
		r = &d->rows.v[i];
		r->verdict = r->p <= limit && r->change != 0 ? direction(r) : STACK_DIFF_NOISE;
		r->needed = r->verdict == STACK_DIFF_NOISE ? samples_needed(d, r->needed) : 0;
		d->nr_verdicts[r->verdict]++;
	}
	free(p);
	return 0;
}

double stack_diff_visible(const struct stack_diff *d, double percent)
{
	const double p = percent / 100;
	const struct moments all = moments_of(d, d->all);
	double parts = 0;
	int i;

	for (i = 0; i < STACK_DIFF_SIDES; i++) {
		if (!d->all[i].samples)
			return 100;
		parts += spread(all.squares, all.sum) * (d->burst > 1 ? d->burst : 1) /
			 (double)d->all[i].samples;
	}
	return MIN(100, 100 * d->apart * sqrt(p * (1 - p) * parts));
}

const char *stack_diff_verdict_name(enum stack_diff_verdict verdict)
{
	static const char *const names[] = {
		[STACK_DIFF_NOISE] = "within noise", [STACK_DIFF_MORE] = "more",
		[STACK_DIFF_LESS] = "less",          [STACK_DIFF_ADDED] = "new",
		[STACK_DIFF_GONE] = "gone",
	};

	return names[verdict];
}

void stack_diff_free(struct stack_diff *d)
{
	vec_free(&d->rows);
}
