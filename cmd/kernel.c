// SPDX-License-Identifier: BSD-2-Clause
#include "kernel.h"

#include "card_answers.h"
#include "check.h"

#include "base/clock.h"
#include "ctl/ctl.h"
#include "xdp/xdp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct kernel {
	const char *name;
	struct xdp_card *card;
	struct err *err; // where no object can tell
};

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static const char *state_of(const struct xdp_card_port *p)
{
	return p->gone           ? "gone"
	       : p->unseen       ? "not seen from this namespace"
	       : p->ifindex == 0 ? "not attached"
				 : "attached";
}

// Whether XDP programs of others can be on the interface too.
static json_t *programs_of(const struct xdp_card_port *p)
{
	return p->ifindex == 0 ? json_null() : json_string(p->dispatched ? "dispatcher" : "alone");
}

static int answer_info(const struct kernel *k, struct ctl_reply *reply)
{
	json_t *o = json_pack(
		       "{s:s, s:s, s:s}", "type", "info", "name", k->name, "place", "kernel"),
	       *ports = json_array(), *modes = json_array(), *states = json_array(),
	       *programs = json_array();
	struct xdp_card_port port[ADAPTER_PORTS_MAX];
	unsigned n = xdp_card_ports(k->card, port);
	uint64_t now = clock_ns(), frames[ADAPTER_PORTS_MAX];

	json_object_set_new(o, "version", json_string(WEIR_VERSION));
	json_object_set_new(o, "ns", number(now));
	json_object_set_new(o, "made_ns", number(xdp_card_made_ns(k->card)));
	json_object_set_new(o, "up_ns", number(now - xdp_card_made_ns(k->card)));
	json_object_set_new(o, "rules", number(adapter_n_rules(xdp_card_adapter(k->card))));
	for (unsigned i = 0; i < n; i++) {
		json_array_append_new(ports, json_string(port[i].iface));
		json_array_append_new(modes, port[i].mode != XDP_ANY
						     ? json_string(xdp_mode_name(port[i].mode))
						     : json_null());
		json_array_append_new(states, json_string(state_of(&port[i])));
		json_array_append_new(programs, programs_of(&port[i]));
	}
	json_object_set_new(o, "ports", ports);
	json_object_set_new(o, "modes", modes);
	json_object_set_new(o, "states", states);
	json_object_set_new(o, "programs", programs);
	if (xdp_card_forwards(k->card, frames)) {
		json_t *forwarded = json_array();

		for (unsigned i = 0; i < n; i++)
			json_array_append_new(forwarded, number(frames[i]));
		json_object_set_new(o, "forwarded", forwarded);
	}
	ctl_reply(reply, o);
	return 0;
}

static int answer_stats(const struct kernel *k, struct ctl_reply *reply)
{
	static const char *const keys[XDP_COUNTS] = {
		[XDP_RX_BYTES] = "rx_bytes",
		[XDP_RX_PACKETS] = "rx_packets",
		[XDP_RX_ERRORS] = "rx_errors",
		[XDP_RX_MISSED] = "rx_missed",
		[XDP_TX_BYTES] = "tx_bytes",
		[XDP_TX_PACKETS] = "tx_packets",
		[XDP_TX_ERRORS] = "tx_errors",
	};
	struct xdp_card_port port[ADAPTER_PORTS_MAX];
	unsigned n = xdp_card_ports(k->card, port);

	answer_info(k, reply);
	for (unsigned i = 0; i < n; i++) {
		json_t *o = json_pack("{s:s, s:s, s:s}", "type", "port", "iface", port[i].iface,
			"port",
			port[i].ifindex != 0 ? xdp_mode_name(port[i].mode) : state_of(&port[i]));
		uint64_t count[XDP_COUNTS];

		// An interface that is gone counts nothing; its row says so.
		if (xdp_card_stats(k->card, i, count, NULL) == 0)
			for (unsigned c = 0; c < XDP_COUNTS; c++)
				json_object_set_new(o, keys[c], number(count[c]));
		ctl_reply(reply, o);
	}
	return 0;
}

// What a command says is told once its changes are in force.
static void hear(void *arg, bool to_stderr, const char *text)
{
	json_t *o = json_object();

	ctl_text_set(o, to_stderr ? "err" : "out", text);
	json_array_append_new(arg, o);
}

static void warn(void *arg, const char *text)
{
	char line[512];

	snprintf(line, sizeof(line), "cxgbetool: warning: %s", text);
	hear(arg, true, line);
}

static int answer_adapter(const struct kernel *k, int argc, char **argv, struct ctl_reply *reply)
{
	json_t *said = json_array(), *o;
	struct adapter_out out = {.line = hear, .arg = said};
	size_t i;
	int status, rc = 0;

	if (argc < 2) {
		json_decref(said);
		return ctl_fail(reply, EINVAL, "adapter: a command is needed, such as filter list");
	}
	status = adapter_command(xdp_card_adapter(k->card), argc - 1, argv + 1, &out);
	if (status == 0)
		rc = xdp_card_publish(k->card, k->err);
	if (status == 0 && rc == 0)
		xdp_card_warn(k->card, warn, said);
	json_array_foreach(said, i, o)
	{
		if (rc == 0)
			ctl_reply(reply, json_incref(o));
	}
	json_decref(said);
	return rc != 0 ? ctl_fail(reply, -rc, "%s; the rules are what they were", k->err->msg)
		       : status;
}

static int answer_export(const struct kernel *k, int argc, char **argv, struct ctl_reply *reply)
{
	struct xdp_card_port port[ADAPTER_PORTS_MAX];
	char *ifaces[ADAPTER_PORTS_MAX];
	unsigned n = xdp_card_ports(k->card, port);

	for (unsigned i = 0; i < n; i++)
		ifaces[i] = port[i].iface;
	return card_answer_export(xdp_card_adapter(k->card), ifaces, argc, argv, reply);
}

static int answer(void *arg, int argc, char **argv, struct ctl_reply *reply)
{
	const struct kernel *k = arg;
	const struct adapter *card = xdp_card_adapter(k->card);
	struct adapter_out out = card_answer_lines(reply);
	const char *w = argv[0];

	if (strcmp(w, "adapter") == 0)
		return answer_adapter(k, argc, argv, reply);
	if (strcmp(w, "rules") == 0)
		return card_answer_rules(card, argc, argv, reply);
	if (strcmp(w, "export") == 0)
		return answer_export(k, argc, argv, reply);
	if (strcmp(w, "check") == 0)
		return check_answer(card, argc, argv, reply);
	if (argc > 1)
		return ctl_fail(reply, EINVAL, "%.80s: '%.80s' is one word too many", w, argv[1]);
	if (strcmp(w, "info") == 0)
		return answer_info(k, reply);
	if (strcmp(w, "stats") == 0)
		return answer_stats(k, reply);
	if (strcmp(w, "hits") == 0)
		return card_answer_hits(card, reply);
	if (strcmp(w, "save") == 0) {
		adapter_save(card, &out);
		return 0;
	}
	return ctl_fail(reply, EINVAL,
		"'%.80s' is none of info, stats, rules, hits, adapter, save, export, check, which a card in "
		"the kernel answers",
		w);
}

int kernel_request(const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err)
{
	struct kernel k = {.name = name, .card = xdp_card_open(name, err), .err = err};
	int status;

	if (k.card == NULL)
		return -err->code;
	status = ctl_here(&(struct ctl_local){answer, &k}, argc, argv, each, arg, err);
	xdp_card_close(k.card);
	return status;
}
