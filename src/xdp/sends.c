// SPDX-License-Identifier: BSD-2-Clause
// sends.c - whether interfaces can send what native programs switch to them, as the kernel's netdev family
// of generic netlink tells (Linux 6.3 and newer).  Older headers have none of its numbers.
#include "xdp/card.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DEV_GET = 1, DEV_IFINDEX = 1, DEV_XDP_FEATURES = 3, XDP_FEATURE_XMIT = 4 };

struct message {
	struct nlmsghdr head;
	struct genlmsghdr gen;
	uint8_t attrs[4096];
};

// Asks, with one attribute; the answer's attributes are *len bytes in m->attrs.
static int ask(int fd, struct message *m, uint16_t family, uint8_t cmd, const struct nlattr *attr,
	const void *value, size_t *len)
{
	size_t value_len = attr->nla_len - NLA_HDRLEN;
	ssize_t n;

	memset(m, 0, NLMSG_HDRLEN + GENL_HDRLEN + NLA_ALIGN(attr->nla_len));
	m->head = (struct nlmsghdr){.nlmsg_type = family,
		.nlmsg_flags = NLM_F_REQUEST,
		.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN + NLA_ALIGN(attr->nla_len)};
	m->gen = (struct genlmsghdr){.cmd = cmd, .version = 1};
	memcpy(m->attrs, attr, NLA_HDRLEN);
	memcpy(m->attrs + NLA_HDRLEN, value, value_len);
	if (send(fd, m, m->head.nlmsg_len, 0) < 0)
		return -errno;
	n = recv(fd, m, sizeof(*m), 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(m->head) || m->head.nlmsg_type != family ||
		m->head.nlmsg_len > (size_t)n || m->head.nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return -ENOENT;
	*len = m->head.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	return 0;
}

// Copies the attribute's `size` bytes; false: there is none so long.
static bool find(const struct message *m, size_t len, uint16_t type, void *out, size_t size)
{
	struct nlattr a;

	for (size_t at = 0; at + NLA_HDRLEN <= len; at += NLA_ALIGN(a.nla_len)) {
		memcpy(&a, m->attrs + at, sizeof(a));
		if (a.nla_len < NLA_HDRLEN || a.nla_len > len - at)
			return false;
		if ((a.nla_type & NLA_TYPE_MASK) == type && a.nla_len == NLA_HDRLEN + size) {
			memcpy(out, m->attrs + at + NLA_HDRLEN, size);
			return true;
		}
	}
	return false;
}

// False if the kernel does not tell.
static bool features(int fd, uint32_t ifindex, uint64_t *out)
{
	static const char name[] = "netdev";
	const struct nlattr by_name = {
		.nla_len = NLA_HDRLEN + sizeof(name), .nla_type = CTRL_ATTR_FAMILY_NAME};
	const struct nlattr by_index = {
		.nla_len = NLA_HDRLEN + sizeof(ifindex), .nla_type = DEV_IFINDEX};
	struct message m;
	uint16_t family;
	size_t len = 0;

	return ask(fd, &m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, &by_name, name, &len) == 0 &&
	       find(&m, len, CTRL_ATTR_FAMILY_ID, &family, sizeof(family)) &&
	       ask(fd, &m, family, DEV_GET, &by_index, &ifindex, &len) == 0 &&
	       find(&m, len, DEV_XDP_FEATURES, out, sizeof(*out));
}

static void warn_of(const char *iface, void (*say)(void *arg, const char *text), void *arg)
{
	char text[256];

	snprintf(text, sizeof(text),
		"%s: its driver cannot send switched frames as it is, so they are dropped (a veth can "
		"if its other end has an XDP program, or GRO, switched on while it is up)",
		iface);
	say(arg, text);
}

void xdp_card_warn(struct xdp_card *c, void (*say)(void *arg, const char *text), void *arg)
{
	unsigned to = c->new_exits;
	struct xdp_card_port port[ADAPTER_PORTS_MAX];
	unsigned n = xdp_card_ports(c, port);
	bool native = false;
	uint64_t can;
	int fd;

	c->new_exits = 0;
	for (unsigned i = 0; i < n; i++)
		native |= port[i].ifindex != 0 && port[i].mode == XDP_NATIVE;
	if (to == 0 || !native || !card_is_here(c))
		return;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0)
		return;
	for (unsigned i = 0; i < n; i++)
		if ((to >> i & 1) != 0 && port[i].ifindex != 0 &&
			features(fd, port[i].ifindex, &can) && (can & XDP_FEATURE_XMIT) == 0)
			warn_of(port[i].iface, say, arg);
	close(fd);
}
