// SPDX-License-Identifier: BSD-2-Clause
// dut_wire.c - an unknown box between two ports.
//
// Nothing is known of it but what comes back.  Ports stay open from one run to the next, since a
// link that went down would make the box learn and negotiate anew.  A condition's setup.sh runs on
// this machine: it is the place to tell the box (by ssh, a serial line, ...) what to be.
#include "lab/lab.h"
#include "lab/pools.h"
#include "lab/setup.h"

#include "base/clock.h"
#include "port/port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ETHERNET_HEADER = 14, ETHERNET_MAX = 1514 };
enum { LINK_WAIT_S = 10, SETUP_TIMEOUT_S = 600 };

struct dut_wire {
	char name[2][128]; // of out and in
	struct mac dmac;
	struct pools pools;
	struct port *port[2];
};

static void close_ports(struct dut_wire *s)
{
	for (unsigned i = 0; i < 2; i++) {
		if (s->port[i] != NULL)
			port_close(s->port[i]);
		s->port[i] = NULL;
	}
}

static int open_ports(struct dut *d, unsigned len, struct err *err)
{
	struct dut_wire *s = d->state;

	if (!pools_fit(&s->pools, len)) {
		close_ports(s);
		if (pools_make(&s->pools, len, err) != 0)
			return -err->code;
	}
	for (unsigned i = 0; i < 2; i++) {
		// Frames may come back to whatever MAC the box was told.
		struct port_conf conf = {.promiscuous = true,
			.mtu = (uint16_t)(len > ETHERNET_MAX ? len - ETHERNET_HEADER : 0),
			.pool = i == 0 ? s->pools.out : s->pools.in};

		if (s->port[i] != NULL)
			continue;
		s->port[i] = port_open(s->name[i], &conf, err);
		if (s->port[i] == NULL)
			return -err->code;
	}
	snprintf(d->tester, sizeof(d->tester), "sends on %.100s, receives on %.100s",
		port_describe(s->port[0]), port_describe(s->port[1]));
	return 0;
}

// A box that was just set up, or a port that was just opened, may need some seconds.
static int await_links(const struct dut_wire *s, struct err *err)
{
	const struct timespec tick = {0, 20000000};
	uint64_t end = clock_ns() + LINK_WAIT_S * UINT64_C(1000000000);

	for (unsigned i = 0; i < 2; i++)
		while (!port_link_up(s->port[i])) {
			if (clock_ns() > end)
				return err_set(err, ENETDOWN,
					"%s: no link after %d s; is the box on, and the cable in?",
					s->name[i], LINK_WAIT_S);
			nanosleep(&tick, NULL);
		}
	return 0;
}

static int start(struct dut *d, const struct lab_condition *c, const struct lab_traffic *t,
	struct lab_ends *ends, struct err *err)
{
	struct dut_wire *s = d->state;
	int rc;

	if (c->dir[0] != '\0' && c->setup[0] == '\0')
		return err_set(err, EINVAL,
			"condition %s: a box takes no settings from files; %.200s/setup.sh must "
			"tell it what to be",
			c->name, c->dir);
	rc = open_ports(d, t->gen.len, err);
	if (rc == 0)
		rc = setup_run(NULL, c, s->name[0], s->name[1], SETUP_TIMEOUT_S, err);
	if (rc == 0)
		rc = await_links(s, err);
	if (rc != 0)
		return rc;
	*ends = (struct lab_ends){
		.out = s->port[0], .in = s->port[1], .pool = s->pools.out, .dmac = s->dmac};
	port_mac(s->port[0], &ends->smac);
	return 0;
}

// Whatever the files say, the box is what it is.
static struct conf_note *notes(const struct lab_condition *c, unsigned *n)
{
	struct conf_note *list = calloc(1, sizeof(*list));

	*n = list != NULL && c->conf.n_ifaces > 0 && c->dir[0] != '\0' ? 1 : 0;
	if (*n == 0)
		return list;
	list->kind = CONF_NO_EFFECT;
	snprintf(list->where, sizeof(list->where), "%.200s", c->dir);
	snprintf(list->what, sizeof(list->what), "settings of %.80s", c->name);
	snprintf(list->why, sizeof(list->why),
		"no effect here because only setup.sh tells the box what to be");
	return list;
}

static void read_nothing(struct dut *d, struct dut_counters *out)
{
	(void)d;
	memset(out, 0, sizeof(*out));
}

static void stop(struct dut *d)
{
	(void)d;
}

int dut_wire(struct dut *d, const struct dut_wire_conf *conf, struct err *err)
{
	const char *const name[] = {conf->out, conf->in};
	struct dut_wire *s;
	char text[ADDR_TEXT_MAX];

	if (strcmp(conf->out, conf->in) == 0)
		return err_set(
			err, EINVAL, "%s: the box lies between two ports, not one", conf->out);
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return err_set(err, ENOMEM, "no memory for the device");
	s->dmac = conf->dmac;
	for (unsigned i = 0; i < 2; i++) {
		if ((size_t)snprintf(s->name[i], sizeof(s->name[i]), "%s", name[i]) >=
			sizeof(s->name[i])) {
			free(s);
			return err_set(err, EINVAL, "%.60s...: too long a port name", name[i]);
		}
	}
	*d = (struct dut){.state = s,
		.settle_s = 0.2,
		.notes = notes,
		.start = start,
		.read = read_nothing,
		.stop = stop};
	snprintf(d->about, sizeof(d->about), "a box (%s) between %.90s and %.90s",
		mac_text(&conf->dmac, text), conf->out, conf->in);
	snprintf(d->tester, sizeof(d->tester), "sends on %.100s, receives on %.100s", conf->out,
		conf->in);
	return 0;
}

void dut_wire_free(struct dut *d)
{
	struct dut_wire *s = d->state;

	if (s == NULL)
		return;
	close_ports(s);
	pools_free(&s->pools);
	free(s);
	d->state = NULL;
}
