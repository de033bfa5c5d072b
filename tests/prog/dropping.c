// SPDX-License-Identifier: GPL-2.0
/*
 * dropping - makes the kernel drop packets on loopback for a reason that is known, N of them, and ends by itself.
 *
 *	dropping KIND [N [SECONDS]]	(root; a network namespace of its own with lo up keeps others out)
 *
 *	rcvbuff	  datagrams for a socket that nobody reads	SOCKET_RCVBUFF
 *	filter	  datagrams that a socket's filter refuses	SOCKET_FILTER
 *	checksum  datagrams with a wrong checksum		UDP_CSUM
 *	proto	  frames of the local experimental EtherType	UNHANDLED_PROTO, 0x88b5
 *	lldp	  frames of LLDP				UNHANDLED_PROTO, 0x88cc
 *	header	  frames of IPv4 with no header of it		IP_INHDR
 *	ipproto	  IP packets of a protocol that is not there	IP_NOPROTO
 *	vxlan	  datagrams to the port of VXLAN, which carry
 *		  UDP 10.50.0.1:6001 > 10.50.0.2:1001, vni 300	NO_SOCKET
 *	geneve	  the same of Geneve, with options, which carry
 *		  TCP [fd05::1]:6002 > [fd05::2]:1002, SYN, vni 301	NO_SOCKET
 *	nothing	  netlink messages for nobody			NOT_SPECIFIED, without a protocol
 *
 * SECONDS are what sending N is spread over. Prints "KIND dropped=N"; where a socket counts what is dropped before it
 * (SO_MEMINFO), N is what it says.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

static struct sockaddr_in here = {.sin_family = AF_INET};
static useconds_t gap; /* after each packet */

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_socket(int family, int type, int protocol)
{
	int fd = socket(family, type, protocol);

	if (fd < 0)
		die("socket");
	return fd;
}

/* A bound UDP socket, whose address becomes `here`. */
static int receiver(void)
{
	int fd = open_socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(here);

	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)&here, sizeof(here)) ||
	    getsockname(fd, (struct sockaddr *)&here, &len))
		die("bind");
	return fd;
}

static unsigned int dropped_before(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = {0};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len))
		die("SO_MEMINFO");
	return info[SK_MEMINFO_DROPS];
}

static void send_one(int fd, const void *p, size_t len, const void *to, socklen_t to_len)
{
	if (sendto(fd, p, len, 0, to, to_len) < 0)
		die("sendto");
	if (gap)
		usleep(gap);
}

/* Send until so many were dropped; a buffer that has room takes some before. */
static unsigned int send_datagrams(int to, unsigned int n)
{
	int from = open_socket(AF_INET, SOCK_DGRAM, 0);
	static const char text[512];
	unsigned int sent = 0;

	while (dropped_before(to) < n && sent++ < n + 100000)
		send_one(from, text, sizeof(text), &here, sizeof(here));
	close(from);
	return dropped_before(to);
}

static unsigned int rcvbuff(unsigned int n)
{
	int least = 1, to = receiver();

	if (setsockopt(to, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)))
		die("SO_RCVBUF");
	return send_datagrams(to, n);
}

static unsigned int filter(unsigned int n)
{
	struct sock_filter none = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog program = {1, &none};
	int to = receiver();

	if (setsockopt(to, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)))
		die("SO_ATTACH_FILTER");
	return send_datagrams(to, n);
}

static unsigned int checksum(unsigned int n)
{
	struct {
		struct iphdr ip;
		struct udphdr udp;
		char text[8];
	} packet = {
		.ip = {.version = 4,
		       .ihl = 5,
		       .ttl = 64,
		       .protocol = IPPROTO_UDP,
		       .saddr = htonl(INADDR_LOOPBACK),
		       .daddr = htonl(INADDR_LOOPBACK)},
		.udp = {.source = htons(9),
			.len = htons(sizeof(struct udphdr) + 8),
			.check = htons(0xbad)},
	};
	int to = receiver(), raw = open_socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	unsigned int i;

	packet.udp.dest = here.sin_port;
	for (i = 0; i < n; i++)
		send_one(raw, &packet, sizeof(packet), &here, sizeof(here));
	close(raw);
	close(to);
	return n;
}

static unsigned int send_frames(unsigned int n, unsigned short type)
{
	struct sockaddr_ll lo = {.sll_family = AF_PACKET,
				 .sll_protocol = htons(type),
				 .sll_ifindex = (int)if_nametoindex("lo")};
	struct {
		struct ether_header head;
		char text[46];
	} __attribute__((packed)) frame = {.head.ether_type = htons(type)};
	int raw = open_socket(AF_PACKET, SOCK_RAW, 0);
	unsigned int i;

	for (i = 0; i < n; i++)
		send_one(raw, &frame, sizeof(frame), &lo, sizeof(lo));
	close(raw);
	return n;
}

static unsigned int proto(unsigned int n)
{
	return send_frames(n, 0x88b5);
}

static unsigned int lldp(unsigned int n)
{
	return send_frames(n, 0x88cc);
}

static unsigned int header(unsigned int n)
{
	return send_frames(n, ETHERTYPE_IP);
}

static unsigned int ipproto(unsigned int n)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int raw = open_socket(AF_INET, SOCK_RAW, 253);
	unsigned int i;

	/* what is sent must not come back to this socket: it takes packets of another sender alone */
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(raw,
		    (struct sockaddr *)&(struct sockaddr_in){.sin_family = AF_INET,
							     .sin_addr.s_addr = htonl(0x7f000002)},
		    sizeof(to)))
		die("connect");
	for (i = 0; i < n; i++)
		send_one(raw, "no such", 7, &to, sizeof(to));
	close(raw);
	return n;
}

static unsigned int send_to_port(uint16_t port, const char *p, size_t len, unsigned int n)
{
	int from = open_socket(AF_INET, SOCK_DGRAM, 0);
	unsigned int i;

	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	here.sin_port = htons(port);
	for (i = 0; i < n; i++)
		send_one(from, p, len, &here, sizeof(here));
	close(from);
	return n;
}

static unsigned int vxlan(unsigned int n)
{
	static const char packet[] = "\x08\0\0\0\0\1\x2c\0"             /* VXLAN */
				     "\2\0\0\0\0\7\2\0\0\0\0\6\x08\0"   /* Ethernet */
				     "\x45\0\0\x1c\0\0\0\0\x40\x11\0\0" /* IPv4 */
				     "\x0a\x32\0\1\x0a\x32\0\2"
				     "\x17\x71\x03\xe9\0\x08\0\0"; /* UDP */

	return send_to_port(4789, packet, sizeof(packet) - 1, n);
}

static unsigned int geneve(unsigned int n)
{
	static const char packet[] = "\2\0\x65\x58\0\1\x2d\0"           /* Geneve */
				     "\1\2\3\1\4\5\6\7"                 /* options */
				     "\2\0\0\0\0\7\2\0\0\0\0\6\x86\xdd" /* Ethernet */
				     "\x60\0\0\0\0\x14\6\x40"           /* IPv6 */
				     "\xfd\5\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
				     "\xfd\5\0\0\0\0\0\0\0\0\0\0\0\0\0\2"
				     "\x17\x72\x03\xea\0\0\0\1\0\0\0\0\x50\2\0\0\0\0\0\0"; /* TCP */

	return send_to_port(6081, packet, sizeof(packet) - 1, n);
}

static unsigned int nothing(unsigned int n)
{
	/* no process has such an id, and none of its sockets this port */
	struct sockaddr_nl nobody = {.nl_family = AF_NETLINK, .nl_pid = 0x7ffffff0};
	int fd = open_socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK);
	struct nlmsghdr message = {.nlmsg_len = sizeof(message), .nlmsg_type = NLMSG_MIN_TYPE};
	unsigned int i;

	for (i = 0; i < n; i++)
		if (sendto(fd, &message, sizeof(message), 0, (struct sockaddr *)&nobody,
			   sizeof(nobody)) >= 0 ||
		    errno != ECONNREFUSED)
			die("netlink");
	close(fd);
	return n;
}

static const struct {
	const char *name;
	unsigned int (*drop)(unsigned int n);
} kinds[] = {{"rcvbuff", rcvbuff}, {"filter", filter},  {"checksum", checksum}, {"proto", proto},
	     {"lldp", lldp},       {"header", header},  {"ipproto", ipproto},   {"vxlan", vxlan},
	     {"geneve", geneve},   {"nothing", nothing}};

int main(int argc, char **argv)
{
	unsigned int n = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 10;
	size_t i;

	if (argc > 3 && n)
		gap = (useconds_t)(strtod(argv[3], NULL) * 1e6 / n);
	for (i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			printf("%s dropped=%u\n", argv[1], kinds[i].drop(n));
			return 0;
		}
	fprintf(stderr, "usage: dropping KIND [N [SECONDS]]\n");
	return 2;
}
