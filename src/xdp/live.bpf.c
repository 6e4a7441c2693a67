// SPDX-License-Identifier: BSD-2-Clause
// live.bpf.c - makes the frames of the kernel's live-frame test run, and counts what the device took.
//
// The kernel runs live_make() once a frame, on a page of its own, and bundles up to 16 frames for the
// device.  A page comes back as the receiver left it.  So every byte of a frame is written each time,
// and the buffer is longer than any frame: its end always moves, which makes the kernel take note of
// the length anew.
//
// Whether a device took a frame is told by tracepoints only.  All bundles of a batch are offered
// before the kernel lets deferred work run on that CPU.  So what a tracepoint tells there is about our
// frames as long as some are undecided, and about somebody else's otherwise.
#include "xdp/live_state.h"

#include <linux/bpf.h>
#include <linux/errno.h>

#include <bpf/bpf_helpers.h>

struct row {
	__u64 head[LIVE_HEAD / 8];
	__u8 tail[];
};

// The user sets how many rows there are and how long they are, and as many lengths if those vary.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, LIVE_HEAD);
} live_rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
} live_lengths SEC(".maps");

// The device itself: a number of it would mean another one in the namespace of another thread.
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} live_device SEC(".maps");

const volatile struct live_consts consts;
struct live_state state;

static __always_inline __u64 length_of(__u32 at)
{
	__u64 *own;

	if (consts.len != 0)
		return consts.len;
	own = bpf_map_lookup_elem(&live_lengths, &at);
	return own != NULL ? *own : 0;
}

SEC("xdp")
int live_make(struct xdp_md *ctx)
{
	__u32 at = state.at;
	__u64 bytes = length_of(at), *to, *end;
	struct row *row = bpf_map_lookup_elem(&live_rows, &at);

	if (bpf_xdp_adjust_head(ctx, LIVE_SHIFT) != 0)
		return XDP_ABORTED;
	to = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	if (row == NULL || to + LIVE_HEAD / 8 > end)
		return XDP_ABORTED;
	for (int i = 0; i < LIVE_HEAD / 8; i++)
		to[i] = row->head[i];
	if (consts.tail_max != 0 && bytes > LIVE_HEAD) {
		__s64 rest = bytes - LIVE_HEAD;

		// The helper wants at least 1.  Linux 6.1 concludes that neither from the
		// condition above nor from one for inequality; the compiler does, and would leave
		// this one out.
		asm volatile("" : "+r"(rest));
		if (rest < 1 || rest > consts.tail_max ||
			bpf_xdp_store_bytes(ctx, LIVE_HEAD, row->tail, rest) != 0)
			return XDP_ABORTED;
	}
	if (bpf_xdp_adjust_tail(ctx, (int)bytes - (int)consts.room) != 0)
		return XDP_ABORTED;
	if (consts.len == 0)
		state.len[state.next % LIVE_FLYING] = bytes;
	if (state.next == state.first)
		state.cpu = bpf_get_smp_processor_id();
	state.at = at + 1 == consts.n_rows ? 0 : at + 1;
	state.tried++;
	if (bpf_redirect_map(&live_device, 0, XDP_DROP) == XDP_DROP) {
		state.refused++;
		state.error = -ENODEV;
		return XDP_DROP;
	}
	state.next++;
	return XDP_REDIRECT;
}

static __always_inline int ours(void)
{
	return state.next != state.first && state.cpu == bpf_get_smp_processor_id();
}

// (from, to, sent, not sent, error): a bundle was offered to the device, which took the first ones.
SEC("raw_tp/xdp_devmap_xmit")
int live_offered(struct bpf_raw_tracepoint_args *a)
{
	__u32 sent = a->args[2], left = a->args[3];
	int error = a->args[4];

	if (!ours())
		return 0;
	if (consts.len == 0)
		for (__u32 i = 0; i < LIVE_FLYING && i < sent; i++)
			state.bytes += state.len[(state.first + i) % LIVE_FLYING];
	state.first += sent + left;
	state.taken += sent;
	if (error < 0) {
		state.refused += left;
		state.error = error;
	} else {
		state.full += left;
	}
	return 0;
}

// (device, program, target, error, ...): the newest frame did not get into a bundle.
SEC("raw_tp/xdp_redirect_err")
int live_refused(struct bpf_raw_tracepoint_args *a)
{
	if (!ours())
		return 0;
	state.next--;
	state.refused++;
	state.error = a->args[3];
	return 0;
}

char terms[] SEC("license") = "Dual BSD/GPL";
