// SPDX-License-Identifier: BSD-2-Clause
// A one's complement sum may be taken over wider words and folded at the end (RFC 1071 2 C), so the
// loop adds eight bytes at a time, as two 32-bit halves whose carries collect in the upper half.
#include "packet/cksum.h"

#include <arpa/inet.h>
#include <string.h>

uint64_t cksum_add(uint64_t sum, const void *data, unsigned len)
{
	const uint8_t *p = data;
	uint16_t last = 0;
	uint32_t w32;
	uint16_t w16;

	for (; len >= 8; len -= 8, p += 8) {
		uint64_t w;

		memcpy(&w, p, 8);
		sum += (w & UINT32_MAX) + (w >> 32);
	}
	if (len & 4) {
		memcpy(&w32, p, 4);
		sum += w32;
		p += 4;
	}
	if (len & 2) {
		memcpy(&w16, p, 2);
		sum += w16;
		p += 2;
	}
	if (len & 1) {
		memcpy(&last, p, 1); // its first byte in memory, whatever the byte order
		sum += last;
	}
	return sum;
}

uint16_t cksum_finish(uint64_t sum)
{
	sum = (sum & UINT32_MAX) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16); // now below 2^18
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

uint16_t cksum_ip4(const void *hdr, unsigned len)
{
	return cksum_finish(cksum_add(0, hdr, len));
}

uint16_t cksum_l4(const void *ip, uint8_t proto, const void *l4, unsigned len)
{
	const uint8_t *h = ip;
	bool v4 = h[0] >> 4 == 4;
	uint64_t sum = v4 ? cksum_add(0, h + 12, 8) : cksum_add(0, h + 8, 32);

	sum += htons(proto);
	sum += htonl(len); // the upper half counts for IPv6 jumbo lengths only
	return cksum_finish(cksum_add(sum, l4, len));
}
