// SPDX-License-Identifier: BSD-2-Clause
#include "adapter/rewrite.h"

#include "adapter/nat.h"
#include "packet/parse.h"

#include <rte_mbuf.h>
#include <string.h>

enum { TYPE_AT = 12, TAG = 4, FRAME_MIN = 60 };
enum { TYPE_VLAN = 0x8100, TYPE_QINQ = 0x88a8 };

// Whether all of the packet's bytes are ours to write.
static bool is_ours(const struct rte_mbuf *m)
{
	return RTE_MBUF_DIRECT(m) && rte_mbuf_refcnt_read(m) == 1;
}

// Puts a copy in the place of *m, with its headers in the first buffer as far as they fit.
static enum drop copy(struct rte_mbuf **m)
{
	struct rte_mempool *pool = (*m)->pool;
	struct rte_mbuf *new = NULL;

	// A pool for clones has no room for data.
	if (rte_pktmbuf_data_room_size(pool) > RTE_PKTMBUF_HEADROOM)
		new = rte_pktmbuf_copy(*m, pool, 0, UINT32_MAX);
	if (new == NULL)
		return DROP_NO_MBUF;
	rte_pktmbuf_free(*m);
	*m = new;
	return DROP_NONE;
}

// False: no room before the frame.
static bool put_tag(struct rte_mbuf *m, uint16_t tpid, uint16_t tci)
{
	uint8_t *f = (uint8_t *)rte_pktmbuf_prepend(m, TAG);

	if (f == NULL)
		return false;
	memmove(f, f + TAG, TYPE_AT);
	f[TYPE_AT] = (uint8_t)(tpid >> 8);
	f[TYPE_AT + 1] = (uint8_t)tpid;
	f[TYPE_AT + 2] = (uint8_t)(tci >> 8);
	f[TYPE_AT + 3] = (uint8_t)tci;
	return true;
}

// What the port took off is put back, so that the frame is as it came by the wire.
static enum drop put_back(struct rte_mbuf *m)
{
	uint64_t inner = m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED;
	uint64_t outer = m->ol_flags & RTE_MBUF_F_RX_QINQ_STRIPPED;

	if (inner != 0 && !put_tag(m, TYPE_VLAN, m->vlan_tci))
		return DROP_SWITCH;
	if (outer != 0 && !put_tag(m, TYPE_QINQ, m->vlan_tci_outer))
		return DROP_SWITCH;
	m->ol_flags &= ~(inner | outer);
	return DROP_NONE;
}

static enum drop translate(const struct rewrite *r, struct rte_mbuf *m)
{
	uint64_t l4_sum = m->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK;
	uint8_t *f = rte_pktmbuf_mtod(m, uint8_t *);
	struct hdrs h;

	if (packet_parse_head(f, m->data_len, m->pkt_len, &h) != DROP_NONE ||
		h.family != r->family ||
		!nat_packet(r, f, &h, l4_sum == RTE_MBUF_F_RX_L4_CKSUM_NONE))
		return DROP_SWITCH;
	// What the port said of the sums no longer speaks of this packet.
	m->ol_flags &= ~(uint64_t)(RTE_MBUF_F_RX_IP_CKSUM_MASK | RTE_MBUF_F_RX_L4_CKSUM_MASK);
	m->ol_flags |= l4_sum == RTE_MBUF_F_RX_L4_CKSUM_NONE ? l4_sum : 0;
	return DROP_NONE;
}

static void macs(const struct rewrite *r, uint8_t *f)
{
	uint8_t was[MAC_LEN];

	if (r->swapmac) {
		memcpy(was, f, MAC_LEN);
		memcpy(f, f + MAC_LEN, MAC_LEN);
		memcpy(f + MAC_LEN, was, MAC_LEN);
	}
	if (r->has_dmac)
		memcpy(f, r->dmac.b, MAC_LEN);
	if (r->has_smac)
		memcpy(f + MAC_LEN, r->smac.b, MAC_LEN);
}

static bool has_tag(const struct rte_mbuf *m)
{
	const uint8_t *type = rte_pktmbuf_mtod_offset(m, const uint8_t *, TYPE_AT);

	return m->data_len >= TYPE_AT + 2 + TAG &&
	       ((type[0] == 0x81 && type[1] == 0) || (type[0] == 0x88 && type[1] == 0xa8) ||
		       (type[0] == 0x91 && type[1] == 0));
}

static enum drop remove_tag(struct rte_mbuf *m)
{
	uint32_t before = m->pkt_len;
	uint8_t *f = rte_pktmbuf_mtod(m, uint8_t *);
	unsigned pad;
	char *tail;

	memmove(f + TAG, f, TYPE_AT);
	rte_pktmbuf_adj(m, TAG);
	if (before < FRAME_MIN || m->pkt_len >= FRAME_MIN)
		return DROP_NONE;
	pad = FRAME_MIN - m->pkt_len;
	tail = rte_pktmbuf_append(m, (uint16_t)pad);
	if (tail == NULL)
		return DROP_SWITCH;
	memset(tail, 0, pad);
	return DROP_NONE;
}

static enum drop tags(const struct rewrite *r, struct rte_mbuf *m)
{
	uint8_t *tci = rte_pktmbuf_mtod_offset(m, uint8_t *, TYPE_AT + 2);

	switch (r->vlan) {
	case VLAN_KEEP:
		break;
	case VLAN_REMOVE:
		return has_tag(m) ? remove_tag(m) : DROP_NONE;
	case VLAN_REWRITE:
		if (!has_tag(m))
			break;
		tci[0] = (uint8_t)((tci[0] & 0xf0) | r->vlan_id >> 8);
		tci[1] = (uint8_t)r->vlan_id;
		break;
	case VLAN_INSERT:
		if (m->data_len > UINT16_MAX - TAG || !put_tag(m, TYPE_VLAN, r->vlan_id))
			return DROP_SWITCH;
		break;
	}
	return DROP_NONE;
}

enum drop rewrite_packet(const struct rewrite *r, struct rte_mbuf **m)
{
	enum drop why = DROP_NONE;

	if (!is_ours(*m) || (*m)->nb_segs > 1)
		why = copy(m);
	if (why == DROP_NONE && (*m)->data_len < TYPE_AT + 2)
		why = DROP_SWITCH;
	if (why == DROP_NONE)
		why = put_back(*m);
	if (why == DROP_NONE && r->nat != 0)
		why = translate(r, *m);
	if (why != DROP_NONE)
		return why;
	macs(r, rte_pktmbuf_mtod(*m, uint8_t *));
	return tags(r, *m);
}
