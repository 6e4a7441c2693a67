// SPDX-License-Identifier: BSD-2-Clause
#include "router/hop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int hops_init(struct hops *h, unsigned max, struct err *err)
{
	void *hop = NULL;

	*h = (struct hops){.max = max};
	if (posix_memalign(&hop, 64, max * sizeof(struct hop)) != 0)
		return err_set(err, ENOMEM, "no memory for %u next hops", max);
	h->hop = hop;
	h->via = calloc(max, sizeof(*h->via));
	if (h->via == NULL) {
		hops_free(h);
		return err_set(err, ENOMEM, "no memory for %u next hops", max);
	}
	for (h->n = 0; h->n < HOP_FIXED; h->n++)
		h->hop[h->n] = (struct hop){.kind = (uint8_t)h->n};
	return 0;
}

void hops_free(struct hops *h)
{
	free(h->hop);
	free(h->via);
	*h = (struct hops){0};
}

int hops_add(struct hops *h, uint16_t port, const struct ip *via, uint32_t *index, struct err *err)
{
	if (h->n == h->max)
		return err_set(err, ENOSPC, "more than %u next hops", h->max);
	h->hop[h->n] = (struct hop){.kind = HOP_NO_NEIGHBOUR, .port = port};
	h->via[h->n] = via != NULL ? *via : (struct ip){0};
	*index = h->n++;
	return 0;
}

void hops_undo(struct hops *h)
{
	h->n--;
}

void hops_resolve(
	struct hops *h, uint32_t index, const struct mac *dst, const struct mac *src, uint16_t mtu)
{
	struct hop *hop = &h->hop[index];

	memcpy(hop->eth, dst->b, MAC_LEN);
	memcpy(hop->eth + MAC_LEN, src->b, MAC_LEN);
	hop->kind = HOP_FORWARD;
	hop->mtu = mtu;
}
