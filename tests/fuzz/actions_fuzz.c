// SPDX-License-Identifier: BSD-2-Clause
// Any frame under any rule: the burst's account is right, no buffer is lost, lengths make sense, and
// checksums that were right are right afterwards.
#include "adapter/adapter.h"
#include "packet/build.h"
#include "packet/cksum.h"
#include "packet/parse.h"
#include "port/port.h"

#include <assert.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { POOL = 1023, HEAD = 48, FRAME_MAX = 1800, N_PORTS = 2, P_UDP = 17 };
enum { REPAIR = 1, CUT = 2, SHARE = 4, STRIPPED = 8, OTHER_PORT = 16 }; // of the first byte

static const struct mac mac = {{2, 0, 0, 0, 0, 1}};
static struct rte_mempool *pool;
static struct adapter_path *path;
static struct adapter_place place;
static struct drops drops;

static void start(void)
{
	struct port_env env = {.first_cpu = -1};

	if (port_init(&env, NULL) != 0)
		abort();
	pool = port_pool("fuzz", POOL, 2048, NULL);
	path = adapter_path_new(16, N_PORTS, NULL, NULL);
	if (pool == NULL || path == NULL)
		abort();
	for (unsigned i = 0; i < N_PORTS; i++)
		adapter_path_mac(path, i, &mac);
	adapter_path_place(path, &place);
}

// From HEAD bytes.
static struct adapter_filter filter(const uint8_t *d)
{
	uint8_t family = d[1] & 1 ? 6 : 4;
	struct adapter_filter f = {.value.family = family,
		.mask.family = d[1] & 8 ? 0xff : 0,
		.vlan = (enum adapter_vlan)(d[1] >> 4 & 3),
		.nat = (enum adapter_nat)(d[2] & 7),
		.has_dmac = d[2] & 8,
		.has_smac = d[2] & 16,
		.swapmac = d[2] & 32,
		.has_natseq = d[2] & 64,
		.natflag = d[2] & 128,
		.eport = d[3] & 1,
		.nat_sip.family = d[3] & 2 ? family : 0,
		.nat_dip.family = d[3] & 4 ? family : 0,
		.vlan_id = (uint16_t)(d[4] << 4 | d[5] >> 4)};

	f.action = d[1] & 6 ? ADAPTER_SWITCH : d[1] & 128 ? ADAPTER_DROP : ADAPTER_PASS;
	if (f.mask.family == 0)
		f.value.family = 0, f.nat = NAT_NONE;
	memcpy(&f.nat_sport, d + 6, 2);
	memcpy(&f.nat_dport, d + 8, 2);
	memcpy(&f.natseq, d + 10, 4);
	memcpy(&f.nat_sip.v6, d + 14, IP6_LEN);
	memcpy(&f.nat_sip.v4, d + 14, 4);
	memcpy(&f.nat_dip.v6, d + 30, IP6_LEN);
	memcpy(&f.nat_dip.v4, d + 30, 4);
	f.dmac.b[5] = d[46];
	f.smac.b[5] = d[47];
	return f;
}

static void repair(uint8_t *f, unsigned len)
{
	struct hdrs h;
	uint8_t *ip;
	uint16_t sum;

	memcpy(f, mac.b, len < MAC_LEN ? len : MAC_LEN);
	if (packet_parse(f, len, &h) != DROP_NONE || h.family == 0)
		return;
	ip = f + h.l3;
	if (h.family == 4) {
		memset(ip + 10, 0, 2);
		sum = cksum_ip4(ip, (ip[0] & 15) * 4u);
		memcpy(ip + 10, &sum, 2);
	}
	if (h.frag == FRAG_NONE && h.l4 != 0 && !h.l4_short)
		build_l4_cksum(ip, h.proto, f + h.l4, h.end - h.l4);
}

struct sums {
	bool ip, l4, none;
};

// Which checksums of a whole packet are there and right.
static struct sums sums_of(const uint8_t *f, unsigned len)
{
	struct sums s = {0};
	struct hdrs h;
	bool udp;

	if (packet_parse(f, len, &h) != DROP_NONE || h.family == 0)
		return s;
	s.ip = h.family == 6 || cksum_ip4(f + h.l3, (f[h.l3] & 15) * 4u) == 0;
	if (h.frag != FRAG_NONE || h.l4 == 0 || h.l4_short)
		return s;
	udp = h.proto == P_UDP;
	s.none = udp && f[h.l4 + 6] == 0 && f[h.l4 + 7] == 0;
	if (udp || h.proto == 6 || (h.proto == 58 && h.family == 6))
		s.l4 = !s.none && cksum_l4(f + h.l3, h.proto, f + h.l4, h.end - h.l4) == 0;
	return s;
}

static struct rte_mbuf *packet(const uint8_t *data, unsigned len, unsigned cut)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool), *tail;
	unsigned first = cut < len ? cut : len;

	memcpy(rte_pktmbuf_append(m, (uint16_t)first), data, first);
	if (first == len)
		return m;
	tail = rte_pktmbuf_alloc(pool);
	memcpy(rte_pktmbuf_append(tail, (uint16_t)(len - first)), data + first, len - first);
	assert(rte_pktmbuf_chain(m, tail) == 0);
	return m;
}

static void check_out(struct rte_mbuf *m, const uint8_t *in, unsigned len, unsigned stripped)
{
	static uint8_t copy[FRAME_MAX + 100];
	struct sums before = sums_of(in, len), after;
	const uint8_t *f = rte_pktmbuf_read(m, 0, m->pkt_len, copy);
	struct hdrs h;

	rte_mbuf_sanity_check(m, 1);
	assert(f != NULL && m->pkt_len + 4 >= len && m->pkt_len <= len + stripped + 64);
	after = sums_of(f, m->pkt_len);
	// A third tag is more than the parser reads.
	if (packet_parse(f, m->pkt_len, &h) == DROP_VLAN_DEPTH)
		return;
	assert(!before.ip || after.ip);
	assert(!before.l4 || after.l4);
	assert(before.none == after.none);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frame[FRAME_MAX];
	struct burst b = {.drops = &drops};
	struct rte_mbuf *other = NULL;
	struct adapter_filter f;
	unsigned len;

	if (path == NULL)
		start();
	if (size <= HEAD || size > HEAD + FRAME_MAX)
		return 0;
	len = (unsigned)(size - HEAD);
	memcpy(frame, data + HEAD, len);
	if (data[0] & REPAIR)
		repair(frame, len);
	f = filter(data);
	if (place.add(place.state, 3, 7, &f, NULL) != 0)
		return 0;
	b.in = data[0] & OTHER_PORT ? 1 : 0;
	b.pkt[b.n++] = packet(frame, len, data[0] & CUT ? 1 + data[3] : FRAME_MAX);
	if (data[0] & SHARE)
		rte_pktmbuf_refcnt_update(other = b.pkt[0], 1);
	if (data[0] & STRIPPED) {
		b.pkt[0]->ol_flags |= RTE_MBUF_F_RX_VLAN_STRIPPED;
		b.pkt[0]->vlan_tci = 5;
	}
	adapter_in(path, &b);
	assert(b.n + b.n_dropped + b.n_switched == 1);
	assert(place.hits(place.state, 3) <= 1);
	if (b.n_switched == 1) {
		assert(b.switched_out[0] == f.eport);
		check_out(b.switched[0], frame, len, data[0] & STRIPPED ? 4 : 0);
	}
	if (other != NULL && b.n == 0 && b.n_dropped == 0) { // not written
		const uint8_t *p = rte_pktmbuf_mtod(other, const uint8_t *);

		assert(memcmp(p, frame, other->data_len) == 0);
	}
	rte_pktmbuf_free_bulk(b.pkt, b.n);
	rte_pktmbuf_free_bulk(b.dropped, b.n_dropped);
	rte_pktmbuf_free_bulk(b.switched, b.n_switched);
	rte_pktmbuf_free(other);
	assert(place.remove(place.state, 3, 7, NULL) == 0);
	assert(rte_mempool_avail_count(pool) == POOL);
	return 0;
}
