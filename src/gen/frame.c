// SPDX-License-Identifier: BSD-2-Clause
#include "gen/frame.h"

#include "packet/cksum.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

enum {
	TOS = 0x10, // as pkt-gen sends them
	PROTO_UDP = 17,
	IP4_LEN = 20,
	IP6_HDR_LEN = 40,
	UDP_LEN = 8,
	OFF_IP4_SRC = FRAME_ETH + 12,
	OFF_IP6_SRC = FRAME_ETH + 8,
};

// Only the offsets of the payload are an interface; its text is for people who find a frame.
static const char text[] = "weir pkt-gen test traffic. A frame on the loose? "
			   "It belongs into a test network (RFC 2544). ";

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v & 0xffff);
}

enum frame_seq frame_seq_kind(const struct gen_conf *conf)
{
	unsigned payload = conf->len_min != 0 ? conf->len_min : conf->len;

	payload -= gen_headers_len(conf->family);
	if (conf->txseq)
		return SEQ_PAYLOAD;
	if (!conf->stamp)
		return SEQ_NONE;
	return payload >= 8 ? SEQ_PAYLOAD : SEQ_LABEL;
}

static void fill_headers(uint8_t *b, const struct gen_conf *conf, uint8_t ttl)
{
	uint8_t *ip = b + FRAME_ETH;

	memcpy(b, conf->dmac.b, MAC_LEN);
	memcpy(b + MAC_LEN, conf->smac.b, MAC_LEN);
	put16(b + 12, conf->family == 4 ? 0x0800 : 0x86dd);
	if (conf->family == 4) {
		ip[0] = 0x45;
		ip[1] = TOS;
		put16(ip + 6, 0x4000); // don't fragment
		ip[8] = ttl;
		ip[9] = PROTO_UDP;
	} else {
		ip[0] = 0x60;
		ip[6] = PROTO_UDP;
		ip[7] = ttl;
		memcpy(ip + 8, conf->src.lo.v6.b, IP6_LEN);
		memcpy(ip + 24, conf->dst.lo.v6.b, IP6_LEN);
	}
}

static void fill_payload(struct frame_tmpl *t, const struct gen_conf *conf, unsigned room)
{
	uint8_t *p = t->bytes + t->headers;

	for (unsigned i = 0; i < room; i++)
		p[i] = (uint8_t)text[i % (sizeof(text) - 1)];
	if (t->seq != SEQ_PAYLOAD)
		return;
	t->seq_off = t->headers;
	if (!conf->txseq) {
		put32(p, conf->run);
		t->seq_off += 4;
	}
	put32(t->bytes + t->seq_off, 0);
}

static void sum_up(struct frame_tmpl *t)
{
	const uint8_t *p = t->bytes + t->headers;
	unsigned n = t->len - t->headers;

	if (t->family == 4)
		t->ip_sum = cksum_add(0, t->bytes + FRAME_ETH, IP4_LEN);
	t->udp_sum = htons(PROTO_UDP);
	for (unsigned i = 0; i < n; i++)
		t->payload_sum[i + 1] = t->payload_sum[i] +
					(i % 2 == 0 ? htons((uint16_t)(p[i] << 8)) : htons(p[i]));
}

int frame_tmpl_init(struct frame_tmpl *t, const struct gen_conf *conf, uint8_t ttl, struct err *err)
{
	unsigned room = (conf->len + FRAME_HEAD - 1u) / FRAME_HEAD * FRAME_HEAD;

	*t = (struct frame_tmpl){.family = conf->family,
		.headers = gen_headers_len(conf->family),
		.len = conf->len,
		.seq = frame_seq_kind(conf),
		.src = conf->src,
		.dst = conf->dst};
	t->udp_cksum_off = t->headers - 2;
	t->bytes = calloc(1, room);
	t->payload_sum = calloc(t->len - t->headers + 1, sizeof(*t->payload_sum));
	if (t->bytes == NULL || t->payload_sum == NULL) {
		frame_tmpl_fini(t);
		return err_set(err, ENOMEM, "no memory for a frame");
	}
	fill_headers(t->bytes, conf, ttl);
	fill_payload(t, conf, room - t->headers);
	sum_up(t);
	return 0;
}

void frame_tmpl_fini(struct frame_tmpl *t)
{
	free(t->bytes);
	free(t->payload_sum);
	t->bytes = NULL;
	t->payload_sum = NULL;
}

// Writes both addresses and returns their sum.
static uint64_t put_addresses(const struct frame_tmpl *t, const struct flow *f, uint8_t *head)
{
	uint8_t *p;

	if (t->family == 4) {
		uint32_t addr[2] = {htonl(f->saddr), htonl(f->daddr)};

		memcpy(head + OFF_IP4_SRC, addr, sizeof(addr));
		return (uint64_t)addr[0] + addr[1];
	}
	p = head + OFF_IP6_SRC;
	put16(p + t->src.group * 2, f->saddr);
	put16(p + IP6_LEN + t->dst.group * 2, f->daddr);
	return cksum_add(0, p, 2 * IP6_LEN);
}

void frame_head(const struct frame_tmpl *t, const struct flow *flow, unsigned len, uint8_t *head)
{
	uint8_t *udp = head + t->headers - UDP_LEN;
	uint16_t ports[2] = {htons(flow->sport), htons(flow->dport)};
	uint16_t udp_len = htons((uint16_t)(len - t->headers + UDP_LEN)), ip_len, sum;
	uint64_t addrs;

	memcpy(head, t->bytes, FRAME_HEAD);
	addrs = put_addresses(t, flow, head);
	if (t->family == 4) {
		ip_len = htons((uint16_t)(len - FRAME_ETH));
		memcpy(head + FRAME_ETH + 2, &ip_len, 2);
		sum = cksum_finish(t->ip_sum + addrs + ip_len);
		memcpy(head + FRAME_ETH + 10, &sum, 2);
	} else {
		ip_len = htons((uint16_t)(len - FRAME_ETH - IP6_HDR_LEN));
		memcpy(head + FRAME_ETH + 4, &ip_len, 2);
	}
	memcpy(udp, ports, sizeof(ports));
	memcpy(udp + 4, &udp_len, 2);
	// The length counts twice: in the pseudo header and in the UDP header.
	sum = cksum_finish(t->udp_sum + addrs + ports[0] + ports[1] + 2u * udp_len +
			   t->payload_sum[len - t->headers]);
	if (sum == 0)
		sum = 0xffff;
	memcpy(udp + 6, &sum, 2);
}

int gen_conf_head(const struct gen_conf *conf, uint64_t i, uint8_t head[GEN_HEAD], struct err *err)
{
	struct frame_tmpl t;
	struct flows flows;
	struct flow flow;
	int rc = frame_tmpl_init(&t, conf, 64, err);

	static_assert((int)GEN_HEAD == (int)FRAME_HEAD, "a head");
	if (rc != 0)
		return rc;
	flows_init(&flows, conf);
	flows_at(&flows, i, &flow);
	frame_head(&t, &flow, conf->len, head);
	frame_tmpl_fini(&t);
	return 0;
}
