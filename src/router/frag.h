// SPDX-License-Identifier: BSD-2-Clause
// frag.h - cutting an IPv4 packet into fragments (RFC 791 3.2).
#pragma once

#include <stdint.h>

struct rte_mbuf;
struct rte_mempool;

// Cuts the packet of the frame in m, whose IPv4 header (options valid) lies at offset l3, into
// pieces of at most mtu (>= 68) bytes.  m becomes the first piece; the others, with the same bytes
// in front of the IP header, come from pool into out[].  Returns how many those are, or
// -ENOMEM (no buffer) or -ENOSPC (more than max), m being as it was.
int frag4(struct rte_mbuf *m, unsigned l3, unsigned mtu, struct rte_mempool *pool,
	struct rte_mbuf **out, unsigned max);
