// SPDX-License-Identifier: BSD-2-Clause
// where.c - what a card's ports are attached to, as the kernel tells it.
#include "xdp/card.h"
#include "xdp/dispatch.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *card_port_path(
	const struct xdp_card *c, const char *what, unsigned port, char out[PIN_PATH_MAX])
{
	char file[16];

	snprintf(file, sizeof(file), "%s%u", what, port);
	return pin_path(out, c->dir, file);
}

int card_port_pin(const struct xdp_card *c, const char *what, unsigned port)
{
	char path[PIN_PATH_MAX];

	return bpf_obj_get(card_port_path(c, what, port, path));
}

bool card_is_here(const struct xdp_card *c)
{
	struct stat net;

	return stat("/proc/self/ns/net", &net) == 0 && net.st_dev == c->about.net_dev &&
	       net.st_ino == c->about.net_ino;
}

static void look_at_link(int link, struct xdp_card_port *out)
{
	struct bpf_link_info info = {0};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(link, &info, &len) == 0)
		out->ifindex = info.xdp.ifindex;
	out->gone = out->ifindex == 0;
}

static void look_at_dispatcher(const struct xdp_card *c, unsigned port, struct xdp_card_port *out)
{
	struct card_port at;

	if (bpf_map_lookup_elem(c->ports, &port, &at) != 0 || at.ifindex == 0)
		return;
	switch (dispatch_find(c, at.ifindex, &out->mode)) {
	case DISPATCH_RUNS:
		out->ifindex = at.ifindex;
		out->dispatched = true;
		break;
	case DISPATCH_GONE:
		out->gone = true;
		break;
	case DISPATCH_UNSEEN:
		out->unseen = true;
		break;
	case DISPATCH_NONE:
		break;
	}
}

void card_port_at(const struct xdp_card *c, unsigned port, struct xdp_card_port *out)
{
	int link = card_port_pin(c, "link", port);

	*out = (struct xdp_card_port){.mode = c->about.port[port].mode};
	memcpy(out->iface, c->about.port[port].iface, sizeof(out->iface));
	if (link >= 0) {
		look_at_link(link, out);
		close(link);
	}
	// A card that was in nobody's company may be in a dispatcher on what came back.
	if (out->ifindex == 0)
		look_at_dispatcher(c, port, out);
}

unsigned xdp_card_ports(const struct xdp_card *c, struct xdp_card_port out[ADAPTER_PORTS_MAX])
{
	for (unsigned i = 0; i < c->about.n_ports; i++)
		card_port_at(c, i, &out[i]);
	return c->about.n_ports;
}
