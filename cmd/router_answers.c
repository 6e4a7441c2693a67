// SPDX-License-Identifier: BSD-2-Clause
#include "router_answers.h"

#include "card_answers.h"
#include "check.h"
#include "router_json.h"

#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *typed(const char *type)
{
	return json_pack("{s:s}", "type", type);
}

// The name of the Linux interface a port sits on; where there is none, what the configuration calls it.
static const char *iface_of(const struct box_port *p)
{
	const char *name = port_iface(p->port);

	return name != NULL ? name : p->iface;
}

static int answer_info(const struct answers *a, struct ctl_reply *reply)
{
	json_t *o = typed("info"), *ports = json_array();

	json_object_set_new(o, "name", json_string(a->name));
	json_object_set_new(o, "place", json_string("router"));
	json_object_set_new(o, "version", json_string(WEIR_VERSION));
	json_object_set_new(o, "pid", json_integer(getpid()));
	json_object_set_new(o, "up_ns", router_number(clock_ns() - a->start_ns));
	json_object_set_new(o, "rules", router_number(adapter_n_rules(box_adapter(a->box))));
	for (unsigned i = 0; i < a->n_ports; i++)
		json_array_append_new(ports, json_string(a->ports[i].iface));
	json_object_set_new(o, "ports", ports);
	ctl_reply(reply, o);
	return 0;
}

static void reply_port(const struct answers *a, const struct path_port_counters *c, unsigned i,
	struct ctl_reply *reply)
{
	struct port *p = a->ports[i].port;
	json_t *o = typed("port");
	struct port_stats s;

	port_stats(p, &s);
	router_port_json(o, &a->ports[i], c);
	json_object_set_new(o, "up", json_boolean(port_link_up(p)));
	json_object_set_new(o, "rx_missed", router_number(s.rx_missed));
	json_object_set_new(o, "rx_errors", router_number(s.rx_errors));
	json_object_set_new(o, "rx_no_buffer", router_number(s.rx_no_buffer));
	json_object_set_new(o, "tx_errors", router_number(s.tx_errors));
	ctl_reply(reply, o);
}

static void reply_drops(const struct path_counters *c, struct ctl_reply *reply)
{
	for (unsigned i = 0; i < DROP_COUNT; i++) {
		json_t *o;

		if (c->drop[i] == 0)
			continue;
		o = typed("drop");
		json_object_set_new(o, "reason", json_string(drop_name((enum drop)i)));
		json_object_set_new(o, "packets", router_number(c->drop[i]));
		json_object_set_new(o, "text", json_string(drop_text((enum drop)i)));
		ctl_reply(reply, o);
	}
}

static void reply_stages(const struct path_counters *c, struct ctl_reply *reply)
{
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		json_t *o = typed("stage");

		json_object_set_new(o, "name", json_string(path_stage_name((enum path_stage)i)));
		router_stage_json(o, c, (enum path_stage)i);
		ctl_reply(reply, o);
	}
}

static void reply_total(
	const struct answers *a, const struct path_counters *c, struct ctl_reply *reply)
{
	json_t *o = typed("total");
	uint64_t dropped = 0;

	for (unsigned i = 0; i < DROP_COUNT; i++)
		dropped += c->drop[i];
	json_object_set_new(o, "ns", router_number(clock_ns() - a->start_ns));
	router_total_json(o, a->box, c);
	json_object_set_new(o, "dropped", router_number(dropped));
	ctl_reply(reply, o);
}

static int answer_counters(
	const struct answers *a, bool all, bool drops, bool stages, struct ctl_reply *reply)
{
	struct path_counters c;

	box_counters(a->box, &c);
	if (all) {
		answer_info(a, reply);
		reply_total(a, &c, reply);
		for (unsigned i = 0; i < a->n_ports; i++)
			reply_port(a, &c.port[i], i, reply);
	}
	if (drops)
		reply_drops(&c, reply);
	if (stages)
		reply_stages(&c, reply);
	return 0;
}

static int answer_adapter(struct answers *a, int argc, char **argv, struct ctl_reply *reply)
{
	struct adapter_out out = card_answer_lines(reply);

	if (argc < 2)
		return ctl_fail(reply, EINVAL, "adapter: a command is needed, such as filter list");
	a->changed = true;
	return adapter_command(box_adapter(a->box), argc - 1, argv + 1, &out);
}

static int answer_export(const struct answers *a, int argc, char **argv, struct ctl_reply *reply)
{
	char *ifaces[ADAPTER_PORTS_MAX];

	for (unsigned i = 0; i < adapter_ports(box_adapter(a->box)); i++)
		ifaces[i] = (char *)iface_of(&a->ports[i]);
	return card_answer_export(box_adapter(a->box), ifaces, argc, argv, reply);
}

int answer(void *arg, int argc, char **argv, struct ctl_reply *reply)
{
	struct answers *a = arg;
	struct adapter_out out = card_answer_lines(reply);
	const char *w = argv[0];

	if (strcmp(w, "adapter") == 0)
		return answer_adapter(a, argc, argv, reply);
	if (strcmp(w, "load") == 0) {
		a->changed = true;
		return router_load_answer(&a->load, argc, argv, reply);
	}
	if (strcmp(w, "rules") == 0)
		return card_answer_rules(box_adapter(a->box), argc, argv, reply);
	if (strcmp(w, "export") == 0)
		return answer_export(a, argc, argv, reply);
	if (strcmp(w, "check") == 0)
		return check_answer(box_adapter(a->box), argc, argv, reply);
	if (argc > 1)
		return ctl_fail(reply, EINVAL, "%.80s: '%.80s' is one word too many", w, argv[1]);
	if (strcmp(w, "info") == 0)
		return answer_info(a, reply);
	if (strcmp(w, "stats") == 0)
		return answer_counters(a, true, true, true, reply);
	if (strcmp(w, "drops") == 0)
		return answer_counters(a, false, true, false, reply);
	if (strcmp(w, "stages") == 0)
		return answer_counters(a, false, false, true, reply);
	if (strcmp(w, "hits") == 0)
		return card_answer_hits(box_adapter(a->box), reply);
	if (strcmp(w, "metrics") == 0)
		return answer_metrics(a, reply);
	if (strcmp(w, "save") == 0) {
		adapter_save(box_adapter(a->box), &out);
		return 0;
	}
	return ctl_fail(reply, EINVAL,
		"'%.80s' is none of info, stats, drops, stages, rules, hits, metrics, adapter, "
		"load, save, export, check",
		w);
}
