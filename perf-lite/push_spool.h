/* SPDX-License-Identifier: GPL-2.0 */
/*
 * push_spool.h - a folder of documents that a server does not have yet.
 *
 *	push_spool_open()
 *	-> push_spool_create() -> push_spool_commit()     a new file, or push_spool_forget()
 *	-> push_spool_send()                              all files, the oldest first; then the limit
 *	-> push_spool_close()
 *
 * A file is a document as it is sent; its name holds what else there is to know, and its place in the order. It gets its name
 * when it is whole and on the disk, and is removed when the server has it; what the server does not want is set aside as
 * *.refused. Several processes may use a folder: one has the lock, and sends.
 */
#ifndef PERF_LITE_PUSH_SPOOL_H
#define PERF_LITE_PUSH_SPOOL_H

#include "perf-lite/push.h"

struct push_spool {
	const char *path;
	int dir;
	int lock; /* -1: not held */
};

int push_spool_open(struct push_spool *s, const char *path, struct err *err);
void push_spool_close(struct push_spool *s);
/* A file for a new item; temp: its name until it is whole. A descriptor, or <0. */
int push_spool_create(struct push_spool *s, char temp[static 64], struct err *err);
/* Give it its name: it is whole. */
int push_spool_commit(struct push_spool *s, const char *temp, enum push_form form,
		      struct push_item *item, struct err *err);
void push_spool_forget(struct push_spool *s, const char *temp);
/* Become the one that sends, until push_spool_close(). -EAGAIN: somebody else has it for so long (ns). */
int push_spool_lock(struct push_spool *s, u64 patience, struct err *err);

/* A file of the spool. */
struct push_spooled {
	char name[PUSH_NAME];
	u64 sequence, pid;
	char parts[40];    /* which half of which half it is: "01" */
	u64 size, samples; /* samples 0: a name of an older version */
	u64 from, until;
	char host[65];
	enum push_form form;
	bool refused;
};
struct push_spooled_list {
	struct push_spooled *v;
	u32 nr, cap;
};
/* By age, oldest first. */
int push_spool_list(struct push_spool *s, struct push_spooled_list *list, struct err *err);
int push_spool_get(struct push_spool *s, const struct push_spooled *f, struct push_item *item,
		   struct err *err);
int push_spool_remove(struct push_spool *s, const char *name, struct err *err);
/* Half 0 or 1 of a file: it counts when that file is removed, and is gone if it was not. */
int push_spool_part(struct push_spool *s, const struct push_spooled *of, int which,
		    const struct buf *bytes, u64 samples, struct push_spooled *part,
		    struct err *err);
/* Set it aside: keep it, but never send it. 1; 0: there is no such file. */
int push_spool_refuse(struct push_spool *s, const char *name, struct err *err);
/*
 * Remove what is above the limit: first what alone is, then what is never sent, then the oldest. dropped: what it was, the
 * caller's to free, also if this fails.
 */
int push_spool_trim(struct push_spool *s, u64 limit, struct push_spooled_list *dropped,
		    struct err *err);

/* push_divide.c */

/*
 * Put two files in the place of one. 1; 0: it is one sample; <0. err: what the server said of it, if it did; changed only if
 * it is not divided.
 */
int push_divide_spooled(struct push *c, struct push_spool *s, const struct push_spooled *f,
			struct push_spooled parts[2], struct err *err);

/* push_spool_send.c */

/* Send what there is, as far as the server takes it, and keep the limit; notes and results are in *c. <0: nothing more makes sense. */
int push_spool_send(struct push *c, struct push_spool *s, struct err *first);

#endif
