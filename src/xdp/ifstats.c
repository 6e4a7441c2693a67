// SPDX-License-Identifier: BSD-2-Clause
// ifstats.c - what the interfaces of a card count.  /proc/net/dev is the reading process's network
// namespace's, where /sys/class/net would be that of whoever mounted it.
#include "xdp/card.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// bytes packets errs drop fifo frame compressed multicast, of both directions.
static bool read_line(const char *numbers, uint64_t n[XDP_COUNTS])
{
	uint64_t drop, fifo;

	if (sscanf(numbers,
		    "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%*u%*u%*u%" SCNu64
		    "%" SCNu64 "%" SCNu64,
		    &n[XDP_RX_BYTES], &n[XDP_RX_PACKETS], &n[XDP_RX_ERRORS], &drop, &fifo,
		    &n[XDP_TX_BYTES], &n[XDP_TX_PACKETS], &n[XDP_TX_ERRORS]) != 8)
		return false;
	n[XDP_RX_MISSED] = drop + fifo;
	return true;
}

static bool read_counts(const char *iface, uint64_t n[XDP_COUNTS])
{
	char line[512];
	FILE *f = fopen("/proc/self/net/dev", "re");
	bool found = false;

	if (f == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), f) != NULL) {
		char *name = line + strspn(line, " "), *colon = strrchr(line, ':');

		if (colon == NULL)
			continue;
		*colon = '\0';
		found = strcmp(name, iface) == 0 && read_line(colon + 1, n);
	}
	fclose(f);
	return found;
}

int xdp_card_stats(
	const struct xdp_card *c, unsigned port, uint64_t out[XDP_COUNTS], struct err *err)
{
	const uint64_t *base = c->about.port[port].base;
	const char *iface = c->about.port[port].iface;
	char now[IF_NAMESIZE];
	struct xdp_card_port at;

	if (!card_is_here(c))
		return err_set(err, ENODEV, "%s: it is in another network namespace", iface);
	card_port_at(c, port, &at);
	if (at.ifindex != 0 && if_indextoname(at.ifindex, now) != NULL)
		iface = now; // it may have been renamed
	if (!read_counts(iface, out))
		return err_set(err, ENODEV, "%s: it is gone", iface);
	for (unsigned i = 0; i < XDP_COUNTS; i++)
		out[i] -= base[i] <= out[i] ? base[i] : 0;
	return 0;
}
