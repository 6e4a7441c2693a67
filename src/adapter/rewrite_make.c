// SPDX-License-Identifier: BSD-2-Clause
// rewrite_make.c - a rule made ready for the worker or the kernel.  It needs nothing of DPDK, so that commands
// about cards in the kernel do without it.
#include "adapter/rewrite.h"

#include "adapter/nat.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

enum { VID = 0x0fff };

static int address(
	uint8_t *to, const struct ip *ip, const char *what, uint8_t family, struct err *err)
{
	uint32_t v4 = htonl(ip->v4);

	if (ip->family == 0)
		return 0;
	if (ip->family != family)
		return err_set(err, EINVAL, "%s: an IPv%u address in a rule for IPv%u", what,
			ip->family, family);
	if (family == 4)
		memcpy(to, &v4, sizeof(v4));
	else
		memcpy(to, ip->v6.b, IP6_LEN);
	return 0;
}

int rewrite_make(struct rewrite *r, const struct adapter_filter *f, struct err *err)
{
	int rc;

	*r = (struct rewrite){
		.eport = f->eport,
		.vlan = f->vlan,
		.vlan_id = f->vlan_id & VID,
		.swapmac = f->swapmac,
		.has_dmac = f->has_dmac,
		.has_smac = f->has_smac,
		.dmac = f->dmac,
		.smac = f->smac,
		.nat = nat_parts(f->nat),
		.family = f->value.family,
		.has_natseq = f->has_natseq,
		.natflag = f->natflag,
		.natseq = f->natseq,
		.sport_be = htons(f->nat_sport),
		.dport_be = htons(f->nat_dport),
	};
	if (r->nat == 0)
		return 0;
	rc = address(r->src, &f->nat_sip, "nat_sip", r->family, err);
	return rc != 0 ? rc : address(r->dst, &f->nat_dip, "nat_dip", r->family, err);
}
