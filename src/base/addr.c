// SPDX-License-Identifier: BSD-2-Clause
#include "base/addr.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mac_parse(const char *text, struct mac *out, struct err *err)
{
	const char *p = text;
	struct mac mac;
	char sep = 0;

	for (int i = 0; i < MAC_LEN; i++) {
		unsigned v = 0;
		int n = 0;

		for (; n < 2 && isxdigit((unsigned char)*p); n++, p++)
			v = v * 16 + (unsigned)(isdigit((unsigned char)*p)
							? *p - '0'
							: tolower((unsigned char)*p) - 'a' + 10);
		if (n == 0)
			goto bad;
		mac.b[i] = (uint8_t)v;
		if (i == MAC_LEN - 1)
			break;
		if ((*p != ':' && *p != '-') || (sep != 0 && *p != sep))
			goto bad;
		sep = *p++;
	}
	if (*p != '\0')
		goto bad;
	*out = mac;
	return 0;
bad:
	return err_set(
		err, EINVAL, "'%s' is not a MAC address (six hex bytes, aa:bb:cc:dd:ee:ff)", text);
}

int ip4_parse(const char *text, uint32_t *out, struct err *err)
{
	const char *p = text;
	uint32_t ip = 0;

	for (int i = 0; i < 4; i++) {
		unsigned v = 0;
		int n = 0;

		for (; n < 3 && isdigit((unsigned char)*p); n++, p++)
			v = v * 10 + (unsigned)(*p - '0');
		if (n == 0 || v > 255 || (n > 1 && p[-n] == '0'))
			goto bad;
		ip = ip << 8 | v;
		if (i < 3 && *p++ != '.')
			goto bad;
	}
	if (*p != '\0')
		goto bad;
	*out = ip;
	return 0;
bad:
	return err_set(err, EINVAL, "'%s' is not an IPv4 address (four numbers 0 to 255)", text);
}

int ip6_parse(const char *text, struct ip6 *out, struct err *err)
{
	struct in6_addr in;

	if (inet_pton(AF_INET6, text, &in) != 1)
		return err_set(err, EINVAL, "'%s' is not an IPv6 address", text);
	memcpy(out->b, &in, IP6_LEN);
	return 0;
}

int ip_parse(const char *text, struct ip *out, struct err *err)
{
	struct ip ip = {.family = strchr(text, ':') != NULL ? 6 : 4};
	int rc = ip.family == 6 ? ip6_parse(text, &ip.v6, err) : ip4_parse(text, &ip.v4, err);

	if (rc == 0)
		*out = ip;
	return rc;
}

int prefix_parse(const char *text, struct prefix *out, struct err *err)
{
	const char *slash = strchr(text, '/');
	char addr[ADDR_TEXT_MAX];
	struct prefix p;
	uint64_t len;
	unsigned max;
	size_t n = slash != NULL ? (size_t)(slash - text) : strlen(text);

	if (n >= sizeof(addr))
		return err_set(err, EINVAL, "'%.80s' is not an address", text);
	memcpy(addr, text, n);
	addr[n] = '\0';
	if (ip_parse(addr, &p.addr, err) != 0)
		return -EINVAL;
	max = p.addr.family == 4 ? 32 : 128;
	len = max;
	if (slash != NULL && text_u64(slash + 1, max, &len, NULL) != 0)
		return err_set(err, EINVAL, "'%s': the prefix length must be 0 to %u", text, max);
	p.len = (uint8_t)len;
	*out = p;
	return 0;
}

int netmask_parse(const char *text, uint8_t *len, struct err *err)
{
	uint32_t mask;
	char *end;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		unsigned long long v;

		errno = 0;
		v = strtoull(text, &end, 16);
		if (errno != 0 || *end != '\0' || end == text + 2 || v > UINT32_MAX)
			goto bad;
		mask = (uint32_t)v;
	} else if (ip4_parse(text, &mask, NULL) != 0) {
		goto bad;
	}
	if ((~mask & (~mask + 1)) != 0)
		return err_set(err, EINVAL, "netmask '%s' is not contiguous", text);
	*len = (uint8_t)__builtin_popcount(mask);
	return 0;
bad:
	return err_set(err, EINVAL, "'%s' is not a netmask (255.255.255.0 or 0xffffff00)", text);
}

const char *mac_text(const struct mac *mac, char *out)
{
	const uint8_t *b = mac->b;

	snprintf(out, ADDR_TEXT_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
		b[5]);
	return out;
}

const char *ip4_text(uint32_t ip, char *out)
{
	snprintf(out, ADDR_TEXT_MAX, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255,
		ip & 255);
	return out;
}

const char *ip6_text(const struct ip6 *ip, char *out)
{
	return inet_ntop(AF_INET6, ip->b, out, ADDR_TEXT_MAX);
}

const char *ip_text(const struct ip *ip, char *out)
{
	return ip->family == 4 ? ip4_text(ip->v4, out) : ip6_text(&ip->v6, out);
}

const char *prefix_text(const struct prefix *p, char *out)
{
	size_t n;

	ip_text(&p->addr, out);
	n = strlen(out);
	snprintf(out + n, ADDR_TEXT_MAX - n, "/%u", p->len);
	return out;
}

bool ip_equal(const struct ip *a, const struct ip *b)
{
	if (a->family != b->family)
		return false;
	return a->family == 4 ? a->v4 == b->v4 : memcmp(a->v6.b, b->v6.b, IP6_LEN) == 0;
}

// Clears all but the first len bits of the n bytes at b.
static void mask_bytes(uint8_t *b, unsigned n, unsigned len)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned keep = len > i * 8 ? len - i * 8 : 0;

		if (keep < 8)
			b[i] &= (uint8_t)(0xff00 >> keep);
	}
}

void prefix_mask(struct prefix *p)
{
	if (p->addr.family == 4)
		p->addr.v4 &= p->len == 0 ? 0 : UINT32_MAX << (32 - p->len);
	else
		mask_bytes(p->addr.v6.b, IP6_LEN, p->len);
}

bool prefix_contains(const struct prefix *p, const struct ip *ip)
{
	struct prefix a = *p, b = {.addr = *ip, .len = p->len};

	if (a.addr.family != b.addr.family) // an IPv6 length means nothing to an IPv4 address
		return false;
	prefix_mask(&a);
	prefix_mask(&b);
	return ip_equal(&a.addr, &b.addr);
}
