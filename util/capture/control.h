/* SPDX-License-Identifier: GPL-2.0 */
/*
 * control.h - commands to a running recording: --control fifo:CTL[,ACK] or fd:CTL[,ACK].
 *
 * Commands are lines (a NUL ends one too): "enable", "enable NAME", "disable", "disable NAME",
 * "stop", "ping", "snapshot", "evlist", "evlist -v", "-g" or "-F". Each is answered by "ack\n" once
 * the caller has carried it out; what is not known is not answered, as perf does it. Nothing here
 * blocks, and an ACK that nobody reads harms nobody.
 *
 * Source: perf-record(1), --control.
 */
#ifndef CAPTURE_CONTROL_H
#define CAPTURE_CONTROL_H

#include "util/base/err.h"
#include "util/base/types.h"

#define CONTROL_LINE_MAX 4096 /* a longer line is no command */

enum control_kind {
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_SNAPSHOT,
	CONTROL_EVLIST,
	CONTROL_UNKNOWN, /* say so: "--control: there is no command 'TEXT'"; no ack */
};

struct control_command {
	enum control_kind kind;
	/* enable, disable: the event, "" means all; else the line. Until the next call. */
	const char *text;
	bool verbose, frequency; /* evlist: -v, -F; -g changes nothing */
};

struct control {
	int ctl, ack;    /* -1: closed, none */
	bool own;        /* the descriptors are closed with the control */
	int blocking[2]; /* that were handed in so, and do not block until the end; -1: none */
	bool skipping;
	u32 len, taken; /* bytes in `in`, those of them that were returned as lines */
	char in[CONTROL_LINE_MAX];
};

/* `text` as behind --control. */
int control_open(const char *text, struct control *c, struct err *err);

/* To poll for POLLIN; -1 once the other end has closed it. */
int control_fd(const struct control *c);

/* The next command, 1; 0 if there is none now. */
int control_next(struct control *c, struct control_command *out);

/* It is done. What cannot be written is dropped: nobody waits for it, or the reader does not read. */
void control_ack(struct control *c);

void control_close(struct control *c);

#endif
