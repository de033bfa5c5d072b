/* SPDX-License-Identifier: GPL-2.0 */
/*
 * otlp_answer.h - what a receiver of OTLP answers, which are messages of protocol buffers.
 *
 * Messages are as sent: they may hold any bytes.
 *
 * Source: opentelemetry-proto 1.11.0, docs/specification.md; google/rpc/status.proto.
 */
#ifndef EXPORT_OTLP_ANSWER_H
#define EXPORT_OTLP_ANSWER_H

#include "util/base/types.h"

struct otlp_answer {
	u64 rejected;        /* profiles that it did not take */
	const char *message; /* in the body; NULL: none */
	size_t len;
};

/* The body of 200: an ExportProfilesServiceResponse. False: it is none. */
bool otlp_answer_success(const void *body, size_t len, struct otlp_answer *a);
/* The body of 4xx and 5xx: a Status, which has a message alone. */
bool otlp_answer_failure(const void *body, size_t len, struct otlp_answer *a);

#endif
