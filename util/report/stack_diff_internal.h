/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_diff_internal.h - what the pages of stack_diff.h share.
 *
 * stack_diff_noise.c: may two counts differ by the chance of sampling alone?
 *
 * Exact tests, so that a handful of samples is judged as rightly as a million: the probability,
 * were nothing different, of counts at least as far apart as these, twice that of the side on
 * which they are, at most 1. Nothing is allocated; a call takes about as many steps as the
 * standard deviation of the counts.
 */
#ifndef REPORT_STACK_DIFF_INTERNAL_H
#define REPORT_STACK_DIFF_INTERNAL_H

#include "util/base/types.h"

/* Of so many samples in both recordings, wrongly called different is at most this part of all
 * that are called so (Benjamini and Hochberg, 1995). */
#define STACK_DIFF_NOISE_LEVEL 0.05

/* The chance of finding a difference that the number of samples is called enough for. */
#define STACK_DIFF_NOISE_POWER_Z 0.8416 /* of 80 %, in standard deviations */

/* old_count of old_all samples, new_count of new_all: Fisher's exact test. */
double stack_diff_noise_shares(u64 old_count, u64 old_all, u64 new_count, u64 new_all);
/* Counts over times, or whatever they should be proportional to: both above 0. */
double stack_diff_noise_rates(u64 old_count, double old_time, u64 new_count, double new_time);
/* The smallest probability that `count` samples of both together could give. */
double stack_diff_noise_least_shares(u64 count, u64 old_all, u64 new_all);
double stack_diff_noise_least_rates(u64 count, double old_time, double new_time);

/*
 * How many of nr probabilities, in rising order, show a difference at STACK_DIFF_NOISE_LEVEL.
 */
u32 stack_diff_noise_found(const double *p, u32 nr);
/* The distance from the mean, in standard deviations, that is passed to both sides with probability p. */
double stack_diff_noise_quantile(double p);

#endif
