// SPDX-License-Identifier: GPL-2.0
/* What a guardian finds when the recorder is gone: batches and the account that holds. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/capture/shared_batches.h"

static void batches(void **state)
{
	struct shared_batches *h;
	struct batch *b;
	u64 n;

	(void)state;
	assert_int_equal(shared_batches_new(&h, 4, 8, 2, NULL), 0);
	assert_null(shared_batches_batch(h, 1));
	for (n = 1; n <= SHARED_BATCHES; n++) {
		b = shared_batches_place(h, 0);
		assert_non_null(b);
		batch_begin(b, n);
		assert_int_equal(batch_room(b), BATCH_BYTES);
		memset(batch_end(b), (int)n, 64);
		batch_commit(b, 2, n * 64, n * 64 + 64, 64);
		assert_int_equal(b->nr_spans, 1);
		assert_int_equal(b->len, 64);
		assert_int_equal(batch_room(b), BATCH_BYTES - 64);
	}
	assert_null(shared_batches_place(h, 0));
	for (n = 1; n <= SHARED_BATCHES; n++) {
		b = shared_batches_batch(h, n);
		assert_int_equal(b->number, n);
		assert_int_equal(b->spans[0].from, n * 64);
		assert_int_equal(b->data[63], n);
	}
	/* each is still there until its place is used again */
	assert_ptr_equal(shared_batches_place(h, 1), shared_batches_batch(h, 1));
	assert_ptr_equal(shared_batches_place(h, 3), shared_batches_batch(h, 3));
	b = shared_batches_place(h, 3);
	batch_begin(b, n);
	assert_null(shared_batches_batch(h, 3));
	assert_ptr_equal(shared_batches_place(h, 3), shared_batches_batch(h, 2));
	assert_ptr_equal(shared_batches_batch(h, n), b);
	while (batch_room(b))
		batch_commit(b, 0, 0, 0, 0);
	assert_int_equal(b->nr_spans, BATCH_SPANS);
	shared_batches_free(h);
}

/* Where each is written before the one behind it is full, two places do. */
static void warm(void **state)
{
	struct shared_batches *h;
	u64 n;

	(void)state;
	assert_int_equal(shared_batches_new(&h, 4, 8, 2, NULL), 0);
	for (n = 1; n <= 20; n++)
		batch_begin(shared_batches_place(h, n < 2 ? 0 : n - 2), n);
	assert_int_equal(h->batches[0].number + h->batches[1].number, 19 + 20);
	assert_int_equal(h->batches[2].number, 0);
	assert_int_equal(h->batches[3].number, 0);
	shared_batches_free(h);
}

static void commits(void **state)
{
	struct counts counts[2] = {{.event = 0, .samples = 5}, {.event = 1, .samples = 6}};
	struct loss losses[COMMIT_LOSSES + 1] = {{.cause = LOSS_RING, .count = 8}};
	struct commit c = {.batch = 1, .bytes = 100, .nr_losses = COMMIT_LOSSES + 1};
	struct shared_batches *h;
	struct batch *b;

	(void)state;
	assert_int_equal(shared_batches_new(&h, 4, 8, 2, NULL), 0);
	b = shared_batches_place(h, 0);
	assert_int_equal(shared_batches_commit(h)->batch, 0);
	losses[COMMIT_LOSSES].cause = LOSS_DISK;
	shared_batches_set_commit(h, &c, counts, losses);
	assert_int_equal(shared_batches_commit(h)->bytes, 100);
	assert_int_equal(shared_batches_counts(h)[1].samples, 6);
	assert_int_equal(shared_batches_commit(h)->nr_losses, COMMIT_LOSSES);
	assert_int_equal(shared_batches_losses(h)->count, 8);
	c.bytes = 200;
	counts[1].samples = 7;
	losses[0].count = 9;
	losses[COMMIT_LOSSES - 1].count = 10;
	/* the one that held stays whole until the other is */
	assert_int_equal(shared_batches_commit(h)->bytes, 100);
	assert_int_equal(shared_batches_losses(h)->count, 8);
	shared_batches_set_commit(h, &c, counts, losses);
	assert_int_equal(shared_batches_commit(h)->bytes, 200);
	assert_int_equal(shared_batches_counts(h)[1].samples, 7);
	assert_int_equal(shared_batches_losses(h)->count, 9);
	assert_int_equal(shared_batches_losses(h)[COMMIT_LOSSES - 1].count, 10);
	/* none lies where a batch does */
	assert_int_equal(b->number, 0);
	assert_int_equal(b->nr_spans, 0);
	shared_batches_free(h);
}

/* Another process sees it, also when the one that wrote it was killed. */
static void is_shared(void **state)
{
	struct counts counts = {.samples = 42};
	struct commit c = {.batch = 9};
	struct shared_batches *h;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(shared_batches_new(&h, 1, 1, 1, NULL), 0);
	pid = fork();
	if (!pid) {
		batch_begin(shared_batches_place(h, 9), 10);
		memcpy(batch_end(shared_batches_batch(h, 10)), "abcdefgh", 8);
		batch_commit(shared_batches_batch(h, 10), 0, 0, 8, 8);
		shared_batches_set_commit(h, &c, &counts, NULL);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(shared_batches_commit(h)->batch, 9);
	assert_int_equal(shared_batches_counts(h)->samples, 42);
	assert_int_equal(shared_batches_batch(h, 10)->number, 10);
	assert_memory_equal(shared_batches_batch(h, 10)->data, "abcdefgh", 8);
	shared_batches_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches),
		cmocka_unit_test(warm),
		cmocka_unit_test(commits),
		cmocka_unit_test(is_shared),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("shared_batches", tests, NULL, NULL);
}
