// SPDX-License-Identifier: BSD-2-Clause
// A running router's counters as OpenMetrics text.
#include "router_answers.h"

#include "card_answers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void port_family(struct ctl_metrics *m, const struct answers *a, const char *name,
	const char *help, const uint64_t *values)
{
	ctl_metrics_family(m, name, "counter", help);
	for (unsigned i = 0; i < a->n_ports; i++)
		ctl_metrics_sample(m, (const char *[]){"port", a->ports[i].iface, NULL}, values[i]);
}

static void ports(struct ctl_metrics *m, const struct answers *a, const struct path_counters *c)
{
	uint64_t v[8][PATH_PORTS_MAX];

	for (unsigned i = 0; i < a->n_ports; i++) {
		struct port_stats s;

		port_stats(a->ports[i].port, &s);
		v[0][i] = c->port[i].rx_packets;
		v[1][i] = c->port[i].rx_bytes;
		v[2][i] = s.rx_missed;
		v[3][i] = s.rx_errors;
		v[4][i] = s.rx_no_buffer;
		v[5][i] = c->port[i].tx_packets;
		v[6][i] = c->port[i].tx_bytes;
		v[7][i] = s.tx_errors;
	}
	port_family(m, a, "weir_port_receive_packets", "Packets received.", v[0]);
	port_family(m, a, "weir_port_receive_bytes", "Bytes received, without checksum.", v[1]);
	port_family(m, a, "weir_port_receive_missed", "Packets lost before the port.", v[2]);
	port_family(m, a, "weir_port_receive_errors", "Packets too long or damaged.", v[3]);
	port_family(m, a, "weir_port_no_buffer", "Times that no packet buffer was left.", v[4]);
	port_family(m, a, "weir_port_transmit_packets", "Packets the port took.", v[5]);
	port_family(m, a, "weir_port_transmit_bytes", "Bytes the port took.", v[6]);
	port_family(m, a, "weir_port_transmit_errors", "Packets the port lost.", v[7]);
}

static void total(struct ctl_metrics *m, const char *name, const char *help, uint64_t value)
{
	ctl_metrics_family(m, name, "counter", help);
	ctl_metrics_sample(m, (const char *[]){NULL}, value);
}

static void totals(struct ctl_metrics *m, const struct answers *a, const struct path_counters *c)
{
	struct router_counters r;

	box_router_counters(a->box, &r);
	total(m, "weir_received_packets", "Packets received from all ports.", c->in);
	total(m, "weir_made_packets", "Packets made here: ICMP errors, fragments.", c->made);
	total(m, "weir_sent_packets", "Packets taken by a port.", c->sent);
	ctl_metrics_family(m, "weir_queued_packets", "gauge", "Packets waiting inside.");
	ctl_metrics_sample(m, (const char *[]){NULL}, c->queued);
	total(m, "weir_icmp_errors", "ICMP errors sent.", r.icmp_sent);
	total(m, "weir_icmp_errors_limited", "ICMP errors held back.", r.icmp_limited);
	total(m, "weir_worker_cpu_nanoseconds", "CPU time of the worker.", box_cpu_ns(a->box));
	total(m, "weir_worker_busy_cycles", "Cycles of turns that moved packets.", c->busy_cycles);
	ctl_metrics_family(m, "weir_dropped_packets", "counter", "Packets dropped for a reason.");
	for (unsigned i = 0; i < DROP_COUNT; i++)
		if (c->drop[i] != 0)
			ctl_metrics_sample(m,
				(const char *[]){"reason", drop_name((enum drop)i), NULL},
				c->drop[i]);
}

static void stages(struct ctl_metrics *m, const struct path_counters *c)
{
	static const struct {
		const char *name, *help;
	} families[] = {{"weir_stage_calls", "Calls of a stage."},
		{"weir_stage_packets", "Packets through a stage."},
		{"weir_stage_cycles", "TSC cycles spent in a stage."}};

	for (unsigned f = 0; f < 3; f++) {
		ctl_metrics_family(m, families[f].name, "counter", families[f].help);
		for (unsigned i = 0; i < STAGE_COUNT; i++) {
			uint64_t v[] = {c->stage[i].calls, c->stage[i].packets, c->stage[i].cycles};

			ctl_metrics_sample(m,
				(const char *[]){
					"stage", path_stage_name((enum path_stage)i), NULL},
				v[f]);
		}
	}
}

struct rules {
	struct ctl_metrics *m;
	const char *card;
	bool hash;
};

static void rule(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	const struct rules *r = arg;
	const char *region;
	char index[16];

	if (!f->count_hits)
		return;
	snprintf(index, sizeof(index), "%u", idx);
	region = r->hash ? "hash" : f->prio ? "prio" : "filter";
	ctl_metrics_sample(r->m,
		(const char *[]){"card", r->card, "region", region, "index", index, NULL}, hits);
}

int answer_metrics(const struct answers *a, struct ctl_reply *reply)
{
	struct ctl_metrics *m = ctl_metrics_new();
	struct rules r = {.m = m, .card = a->name};
	struct adapter_out out = card_answer_lines(reply);
	struct path_counters c;
	const char *text;

	if (m == NULL)
		return ctl_fail(reply, ENOMEM, "no memory for the metrics");
	box_counters(a->box, &c);
	totals(m, a, &c);
	ports(m, a, &c);
	stages(m, &c);
	ctl_metrics_family(m, "weir_rule_hits", "counter", "Packets that a rule matched.");
	adapter_each(box_adapter(a->box), false, rule, &r);
	r.hash = true;
	adapter_each(box_adapter(a->box), true, rule, &r);
	text = ctl_metrics_text(m);
	while (text != NULL && *text != '\0') {
		const char *end = strchr(text, '\n');
		char line[1024];

		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		out.line(out.arg, false, line);
		text = end + 1;
	}
	ctl_metrics_free(m);
	return text == NULL ? ctl_fail(reply, ENOMEM, "no memory for the metrics") : 0;
}
