// SPDX-License-Identifier: BSD-2-Clause
#include "router/options.h"

#include "base/load.h"
#include "packet/cksum.h"
#include "router/icmp.h"

#include <string.h>

enum option4 { EOL = 0, NOP = 1, RR = 7, TS = 68, LSRR = 131, SSRR = 137, ROUTER_ALERT = 148 };
enum { COPIED = 0x80, IP4_HDR = 20, SOURCE_ROUTE_FAILED = 5 };
enum ts_kind { TS_ONLY = 0, TS_ADDRESS = 1, TS_PRESPECIFIED = 3 };
// RFC 791: the top bit says that it is not milliseconds since midnight UT.
#define TS_NONSTANDARD (1u << 31)

static unsigned header_len(const uint8_t *ip)
{
	return (ip[0] & 15) * 4u;
}

static enum drop malformed(struct icmp_error *e, unsigned at)
{
	*e = (struct icmp_error){.type = ICMP4_PARAMETER, .word = (uint32_t)at << 24};
	return DROP_IP4_OPTION;
}

// Room of `need` bytes at the pointer, or none at all; at is the option's offset.
static enum drop check_rr(const uint8_t *ip, unsigned at, unsigned len, struct icmp_error *e)
{
	if (len < 3)
		return malformed(e, at + 1);
	if (ip[at + 2] < 4 || (ip[at + 2] <= len && ip[at + 2] + 3u > len))
		return malformed(e, at + 2);
	return DROP_NONE;
}

static enum drop check_ts(const uint8_t *ip, unsigned at, unsigned len, struct icmp_error *e)
{
	unsigned ptr, kind, need;

	if (len < 4)
		return malformed(e, at + 1);
	ptr = ip[at + 2];
	kind = ip[at + 3] & 15;
	if (ptr < 5)
		return malformed(e, at + 2);
	if (kind != TS_ONLY && kind != TS_ADDRESS && kind != TS_PRESPECIFIED)
		return malformed(e, at + 3);
	need = kind == TS_ONLY ? 4 : 8;
	if (ptr <= len)
		return ptr + need - 1 > len ? malformed(e, at + 2) : DROP_NONE;
	// Full: the routers without room are counted, and the count is full too.
	return ip[at + 3] >> 4 == 15 ? malformed(e, at + 3) : DROP_NONE;
}

enum drop options_check(const uint8_t *ip, struct icmp_error *e)
{
	unsigned end = header_len(ip), len;

	for (unsigned at = IP4_HDR; at < end && ip[at] != EOL; at += len) {
		enum drop why = DROP_NONE;

		len = 1;
		if (ip[at] == NOP)
			continue;
		if (at + 1 == end)
			return malformed(e, at);
		len = ip[at + 1];
		if (len < 2 || at + len > end)
			return malformed(e, at + 1);
		switch (ip[at]) {
		case RR:
			why = check_rr(ip, at, len, e);
			break;
		case TS:
			why = check_ts(ip, at, len, e);
			break;
		case ROUTER_ALERT:
			why = len != 4 ? malformed(e, at + 1) : DROP_NONE;
			break;
		case LSRR:
		case SSRR:
			*e = (struct icmp_error){
				.type = ICMP4_UNREACHABLE, .code = SOURCE_ROUTE_FAILED};
			why = DROP_IP4_SRCROUTE;
			break;
		default: // RFC 1812 4.2.2.1: what a router does not know it passes on
			break;
		}
		if (why != DROP_NONE)
			return why;
	}
	return DROP_NONE;
}

static void put32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

static void record_route(uint8_t *opt, uint32_t own4)
{
	if (opt[2] > opt[1])
		return;
	put32(opt + opt[2] - 1, own4);
	opt[2] += 4;
}

static void record_time(const struct router *r, uint8_t *opt, uint32_t own4, uint32_t ms)
{
	unsigned kind = opt[3] & 15;
	uint8_t *slot = opt + opt[2] - 1;

	if (opt[2] > opt[1]) {
		opt[3] += 1 << 4;
		return;
	}
	if (kind == TS_PRESPECIFIED && fib4_find(r->fib4, load_be32(slot)) != HOP_LOCAL)
		return;
	if (kind != TS_ONLY) {
		if (kind == TS_ADDRESS)
			put32(slot, own4);
		slot += 4;
		opt[2] += 4;
	}
	put32(slot, ms | TS_NONSTANDARD);
	opt[2] += 4;
}

void options_record(const struct router *r, uint8_t *ip, uint32_t own4, uint32_t ms)
{
	unsigned end = header_len(ip), len;
	uint16_t sum;

	for (unsigned at = IP4_HDR; at < end && ip[at] != EOL; at += len) {
		len = ip[at] == NOP ? 1 : ip[at + 1];
		if (ip[at] == RR)
			record_route(ip + at, own4);
		else if (ip[at] == TS)
			record_time(r, ip + at, own4, ms);
	}
	memset(ip + 10, 0, 2);
	sum = cksum_ip4(ip, end);
	memcpy(ip + 10, &sum, 2);
}

unsigned options_copied(const uint8_t *ip, uint8_t *out)
{
	unsigned end = header_len(ip), len, n = 0;

	for (unsigned at = IP4_HDR; at < end && ip[at] != EOL; at += len) {
		len = ip[at] == NOP ? 1 : at + 1 < end ? ip[at + 1] : 0;
		if (len == 0 || at + len > end)
			break; // unchecked options (process_options 0) end where they stop making sense
		if (ip[at] & COPIED) {
			memcpy(out + n, ip + at, len);
			n += len;
		}
	}
	while (n % 4 != 0)
		out[n++] = EOL;
	return n;
}

enum drop hopopts_check(const uint8_t *ip, unsigned len, bool *answer, struct icmp_error *e)
{
	enum { IP6_HDR = 40, PAD1 = 0, PADN = 1, ALERT = 5, SKIP = 0, DISCARD = 1, UNKNOWN = 2 };
	unsigned end, at = IP6_HDR + 2;

	// What is malformed is a field that is wrong, code 0: first the header's length.
	*answer = true;
	*e = (struct icmp_error){.type = ICMP6_PARAMETER, .word = IP6_HDR + 1};
	if (len < IP6_HDR + 8u)
		return DROP_IP6_EXT;
	end = IP6_HDR + (ip[IP6_HDR + 1] + 1u) * 8;
	if (end > len)
		return DROP_IP6_EXT;
	while (at < end) {
		uint8_t type = ip[at];

		if (type == PAD1) {
			at++;
			continue;
		}
		e->word = at + 1 < end ? at + 1 : at; // its length, if there is one
		if (at + 2 > end || at + 2 + ip[at + 1] > end)
			return DROP_IP6_EXT;
		if (type != PADN && type != ALERT && type >> 6 != SKIP) {
			// 10 always answers, 11 not to a group, and groups do not come this far.
			*answer = type >> 6 != DISCARD;
			*e = (struct icmp_error){
				.type = ICMP6_PARAMETER, .code = UNKNOWN, .word = at};
			return DROP_IP6_OPTION;
		}
		at += 2u + ip[at + 1];
	}
	*answer = false;
	return DROP_NONE;
}
