// SPDX-License-Identifier: BSD-2-Clause
#include "router_out.h"

#include "router_json.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void router_note(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "%s\n", text);
}

void router_conf_notes(const struct conf *c)
{
	unsigned host = 0;

	for (unsigned i = 0; i < c->n_notes; i++) {
		const struct conf_note *n = &c->notes[i];

		if (n->kind == CONF_HOST)
			host++;
		else
			fprintf(stderr, "%s: %s: %s\n", n->where, n->what, n->why);
	}
	if (host > 0)
		fprintf(stderr, "%u setting%s of the host that runs the router: no effect here\n",
			host, host == 1 ? "" : "s");
}

void router_no_fc(const char *iface, const char *port)
{
	fprintf(stderr, "%s: flow control: no effect here because %s is no NIC\n", iface, port);
}

void router_script_note(const char *script, const char *save)
{
	fprintf(stderr, "%s: not carried out: the rules come from %s\n", script, save);
}

void router_hello(const struct box_port *ports, unsigned n)
{
	fprintf(stderr, "%s\n", port_env_text());
	for (unsigned i = 0; i < n; i++) {
		char mac_buf[ADDR_TEXT_MAX];
		struct mac mac;

		port_mac(ports[i].port, &mac);
		fprintf(stderr, "%s: %s, %s, MTU %u\n", ports[i].iface,
			port_describe(ports[i].port), mac_text(&mac, mac_buf),
			port_mtu(ports[i].port));
	}
}

static struct router_window window_of(const struct box *b)
{
	struct path_counters c;

	box_counters(b, &c);
	return (struct router_window){
		.ns = clock_ns(), .cpu_ns = box_cpu_ns(b), .in = c.in, .sent = c.sent};
}

void router_window_start(struct router_window *w, const struct box *b)
{
	*w = window_of(b);
}

void router_window_print(struct router_window *w, const struct box *b)
{
	struct router_window now = window_of(b);

	printf("{\"ns\":%" PRIu64 ",\"cpu_ns\":%" PRIu64 ",\"in\":%" PRIu64 ",\"sent\":%" PRIu64
	       "}\n",
		now.ns - w->ns, now.cpu_ns - w->cpu_ns, now.in - w->in, now.sent - w->sent);
	fflush(stdout);
	*w = now;
}

static json_t *ports_json(const struct path_counters *c, const struct box_port *ports, unsigned n)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < n; i++) {
		json_t *p = json_object();

		router_port_json(p, &ports[i], &c->port[i]);
		json_array_append_new(all, p);
	}
	return all;
}

static json_t *stages_json(const struct path_counters *c)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		json_t *s = json_object();

		router_stage_json(s, c, (enum path_stage)i);
		json_object_set_new(all, path_stage_name((enum path_stage)i), s);
	}
	return all;
}

static json_t *drops_json(const struct path_counters *c)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < DROP_COUNT; i++)
		if (c->drop[i] != 0)
			json_object_set_new(
				all, drop_name((enum drop)i), router_number(c->drop[i]));
	return all;
}

static void account_json(const struct box *b, const struct path_counters *c,
	const struct box_port *ports, unsigned n)
{
	json_t *all = json_object();
	char *text;

	json_object_set_new(all, "ports", ports_json(c, ports, n));
	router_total_json(all, b, c);
	json_object_set_new(all, "drops", drops_json(c));
	json_object_set_new(all, "stages", stages_json(c));
	text = json_dumps(all, 0);
	if (text != NULL)
		puts(text);
	free(text);
	json_decref(all);
}

static const char *s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void account_text(const struct path_counters *c, const struct router_counters *r,
	const struct box_port *ports, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		printf("%-10s received %" PRIu64 " packet%s, %" PRIu64 " bytes; sent %" PRIu64
		       " packet%s, %" PRIu64 " bytes\n",
			ports[i].iface, c->port[i].rx_packets, s(c->port[i].rx_packets),
			c->port[i].rx_bytes, c->port[i].tx_packets, s(c->port[i].tx_packets),
			c->port[i].tx_bytes);
	printf("in %" PRIu64 ", made here %" PRIu64 ", sent %" PRIu64 ", queued %" PRIu64 "\n",
		c->in, c->made, c->sent, c->queued);
	for (unsigned i = 0; i < DROP_COUNT; i++)
		if (c->drop[i] != 0)
			printf("dropped %" PRIu64 " %s: %s\n", c->drop[i], drop_name((enum drop)i),
				drop_text((enum drop)i));
	if (r->icmp_sent + r->icmp_limited > 0)
		printf("ICMP errors: %" PRIu64 " sent, %" PRIu64 " held back by the limit\n",
			r->icmp_sent, r->icmp_limited);
	if (r->fragmented > 0)
		printf("fragmented %" PRIu64 " packet%s into %" PRIu64 "\n", r->fragmented,
			s(r->fragmented), r->fragments);
	for (unsigned i = 0; i < STAGE_COUNT; i++)
		if (c->stage[i].packets != 0)
			printf("%-7s %" PRIu64 " call%s, %" PRIu64
			       " packet%s, %.1f cycles a packet\n",
				path_stage_name((enum path_stage)i), c->stage[i].calls,
				s(c->stage[i].calls), c->stage[i].packets, s(c->stage[i].packets),
				(double)c->stage[i].cycles / (double)c->stage[i].packets);
}

void router_account(const struct box *b, const struct box_port *ports, unsigned n, bool json)
{
	struct path_counters c;
	struct router_counters r;

	box_counters(b, &c);
	if (json) {
		account_json(b, &c, ports, n);
		return;
	}
	box_router_counters(b, &r);
	account_text(&c, &r, ports, n);
}
