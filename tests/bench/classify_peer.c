// SPDX-License-Identifier: BSD-2-Clause
#include "classify_peer.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <err.h>
#include <rte_acl.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>

enum { PROTO, SRC, DST, SPORT, DPORT, TUPLE, IPORT = TUPLE, FRAG, SPARE, FIELDS };

#define FIELD(kind, bytes, index, group, member)                                                   \
	{                                                                                          \
		.type = RTE_ACL_FIELD_TYPE_##kind, .size = (bytes), .field_index = (index),        \
		.input_index = (group), .offset = offsetof(struct peer_key, member)                \
	}

static const struct rte_acl_field_def fields[FIELDS] = {
	FIELD(BITMASK, 1, PROTO, 0, proto),
	FIELD(MASK, 4, SRC, 1, src),
	FIELD(MASK, 4, DST, 2, dst),
	FIELD(RANGE, 2, SPORT, 3, sport),
	FIELD(RANGE, 2, DPORT, 3, dport),
	FIELD(BITMASK, 1, IPORT, 4, iport),
	FIELD(BITMASK, 1, FRAG, 4, frag),
	FIELD(BITMASK, 2, SPARE, 4, spare),
};

RTE_ACL_RULE_DEF(peer_rule, FIELDS);

struct peer {
	struct rte_acl_ctx *ctx;
};

static const enum rte_acl_classify_alg alg_of[PEER_ALGS] = {RTE_ACL_CLASSIFY_SCALAR,
	RTE_ACL_CLASSIFY_SSE, RTE_ACL_CLASSIFY_AVX2, RTE_ACL_CLASSIFY_AVX512X16,
	RTE_ACL_CLASSIFY_AVX512X32};
const char *const peer_alg_name[PEER_ALGS] = {"scalar", "sse", "avx2", "avx512x16", "avx512x32"};

static unsigned n_fields(const struct set *s)
{
	return s->kind == KIND_CHELSIO ? FIELDS : TUPLE;
}

// Masks of ports are those of a power of two here, so a range says the same.
static void port_field(
	struct rte_acl_field *f, uint16_t value, uint16_t mask, uint16_t lo, uint16_t hi)
{
	uint16_t last = value | (uint16_t)~mask;

	f->value.u16 = value > lo ? value : lo;
	f->mask_range.u16 = last < hi ? last : hi;
}

static void rule_set(struct peer_rule *p, const struct classify_rule *r, size_t i)
{
	memset(p, 0, sizeof(*p));
	p->data.category_mask = 1;
	p->data.priority = RTE_ACL_MAX_PRIORITY - (int32_t)i;
	p->data.userdata = r->id + 1;
	p->field[PROTO].value.u8 = r->value.proto;
	p->field[PROTO].mask_range.u8 = r->mask.proto;
	p->field[SRC].value.u32 = r->value.src[0];
	p->field[SRC].mask_range.u32 = (uint32_t)__builtin_popcount(r->mask.src[0]);
	p->field[DST].value.u32 = r->value.dst[0];
	p->field[DST].mask_range.u32 = (uint32_t)__builtin_popcount(r->mask.dst[0]);
	port_field(&p->field[SPORT], r->value.sport, r->mask.sport, r->sport_lo, r->sport_hi);
	port_field(&p->field[DPORT], r->value.dport, r->mask.dport, r->dport_lo, r->dport_hi);
	p->field[IPORT].value.u8 = r->value.iport;
	p->field[IPORT].mask_range.u8 = r->mask.iport;
	p->field[FRAG].value.u8 = r->value.frag;
	p->field[FRAG].mask_range.u8 = r->mask.frag;
}

static size_t heap_bytes(void)
{
	struct rte_malloc_socket_stats m;

	return rte_malloc_get_socket_stats(0, &m) == 0 ? m.heap_allocsz_bytes : 0;
}

struct peer *peer_new(const struct set *s, uint64_t *cpu_ns, size_t *bytes)
{
	struct rte_acl_param param = {.name = "peer",
		.socket_id = 0,
		.rule_size = RTE_ACL_RULE_SZ(n_fields(s)),
		.max_rule_num = (uint32_t)s->n};
	struct rte_acl_config config = {.num_categories = 1, .num_fields = n_fields(s)};
	struct peer *p = malloc(sizeof(*p));
	struct peer_rule rule;
	uint64_t start;

	if (p == NULL)
		err(1, "rte_acl");
	p->ctx = rte_acl_create(&param);
	if (p->ctx == NULL)
		errx(1, "%s: rte_acl_create: %s", s->name, rte_strerror(rte_errno));
	memcpy(config.defs, fields, n_fields(s) * sizeof(fields[0]));
	*bytes = heap_bytes();
	start = clock_thread_ns();
	for (size_t i = 0; i < s->n; i++) {
		rule_set(&rule, &s->rule[i], i);
		if (rte_acl_add_rules(p->ctx, (const struct rte_acl_rule *)&rule, 1) != 0)
			errx(1, "%s: rte_acl refuses rule %zu", s->name, i);
	}
	if (rte_acl_build(p->ctx, &config) != 0)
		errx(1, "%s: rte_acl_build failed", s->name);
	*cpu_ns = clock_thread_ns() - start;
	*bytes = heap_bytes() - *bytes;
	return p;
}

void peer_free(struct peer *p)
{
	rte_acl_free(p->ctx);
	free(p);
}

void peer_key_set(struct peer_key *p, const struct classify_key *k)
{
	*p = (struct peer_key){.proto = k->proto,
		.src = htonl(k->src[0]),
		.dst = htonl(k->dst[0]),
		.sport = htons(k->sport),
		.dport = htons(k->dport),
		.iport = k->iport,
		.frag = k->frag};
}

bool peer_can(struct peer *p, unsigned alg)
{
	return rte_acl_set_ctx_classify(p->ctx, alg_of[alg]) == 0;
}

void peer_lookup(struct peer *p, unsigned alg, const uint8_t **keys, unsigned n, uint32_t *ids)
{
	if (rte_acl_classify_alg(p->ctx, keys, ids, n, 1, alg_of[alg]) != 0)
		errx(1, "rte_acl_classify failed");
}
