// SPDX-License-Identifier: BSD-2-Clause
#include "adapter/nat.h"

#include "base/load.h"
#include "packet/cksum.h"

#include <string.h>

enum { P_TCP = 6, P_UDP = 17, P_ICMP6 = 58, TCP_FIN = 1, TCP_RST = 4 };

unsigned nat_parts(enum adapter_nat mode)
{
	static const uint8_t parts[] = {
		[NAT_NONE] = 0,
		[NAT_DIP] = NAT_PART_DIP,
		[NAT_DIP_DP] = NAT_PART_DIP | NAT_PART_DPORT,
		[NAT_DIP_DP_SIP] = NAT_PART_DIP | NAT_PART_DPORT | NAT_PART_SIP,
		[NAT_DIP_DP_SP] = NAT_PART_DIP | NAT_PART_DPORT | NAT_PART_SPORT,
		[NAT_SIP_SP] = NAT_PART_SIP | NAT_PART_SPORT,
		[NAT_DIP_SIP_SP] = NAT_PART_DIP | NAT_PART_SIP | NAT_PART_SPORT,
		[NAT_ALL] = NAT_PART_DIP | NAT_PART_DPORT | NAT_PART_SIP | NAT_PART_SPORT,
	};

	return parts[mode];
}

static bool has_l4(const struct hdrs *h)
{
	return h->l4 != 0 && !h->l4_short && h->frag != FRAG_LATER;
}

// Where the checksum that covers addresses lies in an upper-layer header; 0: the protocol has none.
static unsigned sum_offset(const struct hdrs *h)
{
	if (h->proto == P_TCP)
		return 16;
	if (h->proto == P_UDP)
		return 6;
	return h->proto == P_ICMP6 && h->family == 6 ? 2 : 0;
}

// Whether natseq and natflag allow it.
static bool allowed(const struct rewrite *r, const uint8_t *frame, const struct hdrs *h)
{
	const uint8_t *tcp = frame + h->l4;
	unsigned data;

	if (h->proto != P_TCP || !has_l4(h))
		return true;
	if (r->natflag && (h->tcp_flags & (TCP_FIN | TCP_RST)) != 0)
		return false;
	data = h->l4 + (tcp[12] >> 4) * 4u;
	return !r->has_natseq ||
	       load_be32(tcp + 4) + (uint64_t)(h->end > data ? h->end - data : 0) < r->natseq;
}

// A checksum field that follows changes of what it covers.
struct field {
	uint8_t *at; // NULL: none
	bool complemented, zero_is_none;
};

static void follow(const struct field *f, uint16_t old, uint16_t new)
{
	uint16_t sum;

	if (f->at == NULL)
		return;
	sum = load16(f->at);
	if (f->complemented)
		sum = cksum_fix16(sum, old, new);
	else
		sum = (uint16_t)~cksum_fix16((uint16_t)~sum, old, new);
	memcpy(f->at, &sum, sizeof(sum));
}

static void write_words(uint8_t *at, const uint8_t *new, unsigned len, const struct field *ip,
	const struct field *l4)
{
	for (unsigned i = 0; i < len; i += 2) {
		uint16_t was = load16(at + i), is = load16(new + i);

		follow(ip, was, is);
		follow(l4, was, is);
	}
	memcpy(at, new, len);
}

static struct field l4_field(uint8_t *frame, const struct hdrs *h, bool partial)
{
	struct field f = {.complemented = !partial};

	if (!has_l4(h) || sum_offset(h) == 0)
		return f;
	f.at = frame + h->l4 + sum_offset(h);
	f.zero_is_none = h->proto == P_UDP && !partial;
	if (f.zero_is_none && load16(f.at) == 0)
		f.at = NULL;
	return f;
}

static void addresses(const struct rewrite *r, uint8_t *ip, const struct hdrs *h,
	const struct field *ip_sum, const struct field *l4)
{
	unsigned len = h->family == 4 ? 4 : IP6_LEN, src = h->family == 4 ? 12 : 8;

	if (r->nat & NAT_PART_SIP)
		write_words(ip + src, r->src, len, ip_sum, l4);
	if (r->nat & NAT_PART_DIP)
		write_words(ip + src + len, r->dst, len, ip_sum, l4);
}

static void ports(const struct rewrite *r, uint8_t *l4, const struct field *sum)
{
	const struct field none = {0};

	if (r->nat & NAT_PART_SPORT)
		write_words(l4, (const uint8_t *)&r->sport_be, 2, &none, sum);
	if (r->nat & NAT_PART_DPORT)
		write_words(l4 + 2, (const uint8_t *)&r->dport_be, 2, &none, sum);
}

bool nat_packet(const struct rewrite *r, uint8_t *frame, const struct hdrs *h, bool partial)
{
	uint8_t *ip = frame + h->l3;
	struct field none = {0}, l4 = l4_field(frame, h, partial);
	struct field ip_sum = {.at = h->family == 4 ? ip + 10 : NULL, .complemented = true};

	if (h->l4_short && sum_offset(h) != 0)
		return false;
	if (!allowed(r, frame, h))
		return true;
	addresses(r, ip, h, &ip_sum, &l4);
	if (has_l4(h) && (h->proto == P_TCP || h->proto == P_UDP))
		ports(r, frame + h->l4, partial ? &none : &l4);
	if (l4.at != NULL && l4.zero_is_none && load16(l4.at) == 0)
		memset(l4.at, 0xff, 2);
	return true;
}
