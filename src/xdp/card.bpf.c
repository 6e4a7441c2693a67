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

// The act of the first rule that matches: all of it if it is a switch, else its first words.  0: none
// does.  Verified once by itself, as card_parse_any() is; what the set was is settled in here.
__attribute__((noinline)) int card_match(const struct classify_key *key, struct card_act *act)
{
	const struct card_set *set;
	const struct card_act *found;
	uint32_t zero = 0, n;
	void *inner = bpf_map_lookup_elem(&sets, &zero);

	if (!inner || !key || !act)
		return 0;
	set = bpf_map_lookup_elem(inner, &zero);
	if (!set)
		return 0;
	n = flat_first((const struct flat_head *)set->tables, key);
	if (n >= FLAT_RULES)
		return 0;
	found = &set->act[n];
	if (found->action == CARD_SWITCH) {
		*act = *found;
	} else {
		act->slot = found->slot;
		act->action = found->action;
	}
	return 1;
}

// What the filter lets through.
FLAT_INLINE int card_pass(struct xdp_md *ctx, const struct classify_key *key)
{
	return forward ? card_forward(ctx, key) : XDP_PASS;
}

FLAT_INLINE int card_frame(struct xdp_md *ctx, bool resizes)
{
	const void *data = (const void *)(long)ctx->data, *end = (const void *)(long)ctx->data_end;
	uint32_t in = iport & (CARD_PORTS - 1);
	struct classify_key key = {.iport = (uint8_t)in};
	const struct card_port *port = bpf_map_lookup_elem(&ports, &in);
	struct card_act act;
	uint64_t *n;

	if (!port)
		return XDP_PASS;
	if (!parse_plain(data, end, port->mac48, &key))
		card_parse_any(ctx, port->mac48, &key);
	if (!card_match(&key, &act))
		return card_pass(ctx, &key);
	n = bpf_map_lookup_elem(&hits, &act.slot);
	if (n)
		++*n;
	if (act.action == CARD_SWITCH)
		return resizes ? card_switch(ctx, &act) : card_switch_fixed(ctx, &act);
	return act.action == CARD_DROP ? XDP_DROP : card_pass(ctx, &key);
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
