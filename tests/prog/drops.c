// SPDX-License-Identifier: GPL-2.0
/*
 * drops - makes the kernel drop packets, a known number of them, and ends by itself.
 *
 *	drops [--udp N] [--tcp N] [--to ADDRESS] [--port P] [--seconds S]
 *
 * UDP datagrams go from three named threads to ports where nobody listens: on loopback each one is
 * dropped with NO_SOCKET. TCP connects to such a port are refused, and the refused SYN is dropped
 * likewise. --seconds spreads both over that time. Prints what was sent: udp=N tcp=M.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { UDP_THREADS = 3 };

static struct sockaddr_in to = {.sin_family = AF_INET};
static double seconds;

struct sender {
	const char *name;
	void *(*run)(void *);
	pthread_t thread;
	unsigned long count; /* how many to send */
	unsigned long sent;
	unsigned short port;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_in address(const struct sender *s)
{
	struct sockaddr_in a = to;

	a.sin_port = htons(s->port);
	return a;
}

static void pause_between(const struct sender *s)
{
	double gap = seconds / (double)s->count;
	struct timespec ts = {(time_t)gap, (long)((gap - (double)(time_t)gap) * 1e9)};

	if (gap > 0)
		nanosleep(&ts, NULL);
}

static void *send_udp(void *arg)
{
	struct sender *s = arg;
	struct sockaddr_in a = address(s);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0)
		die("socket");
	pthread_setname_np(pthread_self(), s->name);
	/* Unconnected, so that the ICMP answer to one does not fail the next. */
	for (; s->sent < s->count; s->sent++) {
		if (sendto(fd, "drop me", 7, 0, (struct sockaddr *)&a, sizeof(a)) < 0 &&
		    errno != ENOBUFS)
			die("sendto");
		pause_between(s);
	}
	close(fd);
	return NULL;
}

static void *connect_tcp(void *arg)
{
	struct sender *s = arg;
	struct sockaddr_in a = address(s);
	int fd;

	pthread_setname_np(pthread_self(), s->name);
	for (; s->sent < s->count; s->sent++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (fd < 0)
			die("socket");
		if (!connect(fd, (struct sockaddr *)&a, sizeof(a)) || errno != ECONNREFUSED) {
			fprintf(stderr, "drops: port %d is not closed\n", s->port);
			exit(1);
		}
		close(fd);
		pause_between(s);
	}
	return NULL;
}

static unsigned long number(const char *s)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	if (end == s || *end) {
		fprintf(stderr, "drops: not a number: %s\n", s);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"udp", required_argument, NULL, 'u'},     {"tcp", required_argument, NULL, 't'},
		{"to", required_argument, NULL, 'a'},      {"port", required_argument, NULL, 'p'},
		{"seconds", required_argument, NULL, 's'}, {0},
	};
	static struct sender senders[UDP_THREADS + 1] = {
		{.name = "dns-query", .run = send_udp},
		{.name = "metrics", .run = send_udp},
		{.name = "syslog", .run = send_udp},
		{.name = "tcp-client", .run = connect_tcp},
	};
	unsigned long udp = 300, tcp = 0, udp_sent = 0, port = 19;
	int i, opt;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'u':
			udp = number(optarg);
			break;
		case 't':
			tcp = number(optarg);
			break;
		case 'a':
			if (inet_pton(AF_INET, optarg, &to.sin_addr) != 1) {
				fprintf(stderr, "drops: not an IPv4 address: %s\n", optarg);
				return 2;
			}
			break;
		case 'p':
			port = number(optarg);
			break;
		case 's':
			seconds = (double)number(optarg);
			break;
		default:
			return 2;
		}
	}
	for (i = 0; i <= UDP_THREADS; i++) {
		struct sender *s = &senders[i];

		s->port = (unsigned short)(i < UDP_THREADS ? port + (unsigned long)i : port);
		s->count = i < UDP_THREADS ? (udp + 2 - (unsigned long)i) / UDP_THREADS : tcp;
		if (pthread_create(&s->thread, NULL, s->run, s))
			die("pthread_create");
	}
	for (i = 0; i <= UDP_THREADS; i++) {
		pthread_join(senders[i].thread, NULL);
		if (i < UDP_THREADS)
			udp_sent += senders[i].sent;
	}
	printf("udp=%lu tcp=%lu\n", udp_sent, senders[UDP_THREADS].sent);
	return 0;
}
