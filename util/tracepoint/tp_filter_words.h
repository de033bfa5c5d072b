/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_filter_words.h - names of numbers that are the same in every kernel: protocols, families of
 * addresses, errors, signals.
 *
 * Full names (ETH_P_IP, IPPROTO_TCP, AF_INET, ENOENT, SIGKILL) hold for every field. Short ones (IPv4,
 * TCP, INET, KILL), and without regard to case, for fields that are told to have such values: a
 * `protocol` is that of a packet, of a socket if the event is one of sockets.
 *
 * Source: <linux/if_ether.h>, <netinet/in.h>, <sys/socket.h>, errno(3), signal(7).
 */
#ifndef TRACEPOINT_TP_FILTER_WORDS_H
#define TRACEPOINT_TP_FILTER_WORDS_H

#include "util/tracepoint/tp_format.h"

/* field NULL: full names only; system NULL: not known. */
bool tp_filter_words_find(const char *system, const struct tp_field *field, const char *word,
			  u64 *v);
/* Call `each` with the short names that the field has. */
void tp_filter_words_each(const char *system, const struct tp_field *field,
			  void (*each)(void *arg, const char *name), void *arg);

#endif
