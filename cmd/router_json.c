// SPDX-License-Identifier: BSD-2-Clause
#include "router_json.h"

#include "base/clock.h"
#include "ctl/ctl.h"

json_t *router_number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

void router_port_json(json_t *o, const struct box_port *p, const struct path_port_counters *c)
{
	ctl_text_set(o, "iface", p->iface);
	ctl_text_set(o, "port", port_name(p->port));
	json_object_set_new(o, "rx_packets", router_number(c->rx_packets));
	json_object_set_new(o, "rx_bytes", router_number(c->rx_bytes));
	json_object_set_new(o, "tx_packets", router_number(c->tx_packets));
	json_object_set_new(o, "tx_bytes", router_number(c->tx_bytes));
}

void router_stage_json(json_t *o, const struct path_counters *c, enum path_stage s)
{
	json_object_set_new(o, "calls", router_number(c->stage[s].calls));
	json_object_set_new(o, "packets", router_number(c->stage[s].packets));
	json_object_set_new(o, "cycles", router_number(c->stage[s].cycles));
}

void router_total_json(json_t *o, const struct box *b, const struct path_counters *c)
{
	struct router_counters r;

	box_router_counters(b, &r);
	json_object_set_new(o, "in", router_number(c->in));
	json_object_set_new(o, "made", router_number(c->made));
	json_object_set_new(o, "sent", router_number(c->sent));
	json_object_set_new(o, "queued", router_number(c->queued));
	json_object_set_new(o, "icmp_sent", router_number(r.icmp_sent));
	json_object_set_new(o, "icmp_limited", router_number(r.icmp_limited));
	json_object_set_new(o, "fragmented", router_number(r.fragmented));
	json_object_set_new(o, "fragments", router_number(r.fragments));
	json_object_set_new(o, "slow", router_number(r.slow));
	json_object_set_new(o, "cpu_ns", router_number(box_cpu_ns(b)));
	json_object_set_new(o, "busy_cycles", router_number(c->busy_cycles));
	json_object_set_new(o, "cycles_per_second", router_number(clock_cycles_hz()));
}
