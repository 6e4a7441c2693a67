// SPDX-License-Identifier: BSD-2-Clause
// card.bpf.c - a port of a card in the kernel: each frame meets the rules before the kernel has
// allocated anything for it.
#include "xdp/forward.bpf.h"
#include "xdp/rewrite.bpf.h"

// The set of rules in force, alone in a map of maps: one update replaces all of it.
struct inner {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(struct card_set));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__array(values, struct inner);
} sets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, CARD_SLOTS);
	__type(key, uint32_t);
	__type(value, uint64_t);
} hits SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CARD_PORTS);
	__type(key, uint32_t);
	__type(value, struct card_port);
} ports SEC(".maps");

const volatile uint32_t iport = 0; // which port this program is attached to

// The set in force, or NULL.
FLAT_INLINE const struct card_set *card_set(void)
{
	uint32_t zero = 0;
	void *inner = bpf_map_lookup_elem(&sets, &zero);

	return inner ? bpf_map_lookup_elem(inner, &zero) : NULL;
}

// The number of the first rule that matches; FLAT_NONE: none does.  Verified once by itself, as
// card_parse_any() is.
__attribute__((noinline)) uint32_t card_first(
	const struct card_set *set, const struct classify_key *key)
{
	if (!set || !key)
		return FLAT_NONE;
	return flat_first((const struct flat_head *)set->tables, key);
}

// What the filter lets through.
FLAT_INLINE int card_pass(struct xdp_md *ctx, const struct classify_key *key)
{
	return forward ? card_forward(ctx, key) : XDP_PASS;
}

FLAT_INLINE int card_frame(struct xdp_md *ctx, bool resizes)
{
	const void *data = (const void *)(long)ctx->data, *end = (const void *)(long)ctx->data_end;
	uint32_t in = iport & (CARD_PORTS - 1), looks, n;
	const struct card_port *port = bpf_map_lookup_elem(&ports, &in);
	const struct card_set *set = card_set();
	const struct flat_head *tables;
	struct flat_plain_key plain;
	struct classify_key key;
	uint64_t *count;

	if (!port || !set)
		return XDP_PASS;
	tables = (const struct flat_head *)set->tables;
	// As a value of its own, for what is read of it to be found by small offsets.
	asm volatile("" : "+r"(tables));
	looks = FLAT_MORE;
	if (parse_plain(data, end, port->mac48, in, &plain))
		looks = flat_plain_looks(tables, &plain);
	if (looks & FLAT_MORE) {
		key = (struct classify_key){.iport = (uint8_t)in};
		card_parse_any(ctx, port->mac48, &key);
		n = card_first(set, &key);
	} else {
		if (forward)
			plain_key(data, &plain, &key);
		n = flat_plain_first(tables, &plain, looks);
	}
	if (n >= FLAT_RULES)
		return card_pass(ctx, &key);
	count = bpf_map_lookup_elem(&hits, &set->act[n].slot);
	if (count)
		++*count;
	if (set->act[n].action == CARD_SWITCH)
		return resizes ? card_switch(ctx, &set->act[n])
			       : card_switch_fixed(ctx, &set->act[n]);
	return set->act[n].action == CARD_DROP ? XDP_DROP : card_pass(ctx, &key);
}

SEC("xdp") int weir_card(struct xdp_md *ctx)
{
	return card_frame(ctx, true);
}

// The same for a dispatcher that was verified as if frames stay as long as they are: that of libxdp 1.3, for
// which newer kernels (Debian's 6.12) take no other program.
SEC("?xdp") int weir_card_fixed(struct xdp_md *ctx)
{
	return card_frame(ctx, false);
}

char _license[] SEC("license") = "Dual BSD/GPL";
