// SPDX-License-Identifier: BSD-2-Clause
#include "router_ctl.h"

#include "router_answers.h"
#include "router_out.h"
#include "router_save.h"

#include "base/clock.h"
#include "xdp/xdp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const uint64_t SAVE_NS = 1000000000; // between two writings of the file

struct router_ctl {
	struct ctl_server *server;
	struct answers answers;
	struct router_save save;
	int signals;
	uint64_t saved_ns;
	bool complained; // of a file that cannot be written
};

struct router_ctl *router_ctl_new(const char *name, const sigset_t *signals, struct err *err)
{
	struct router_ctl *c = calloc(1, sizeof(*c));
	struct err why = {0};

	if (c == NULL) {
		err_set(err, ENOMEM, "no memory for a control socket");
		return NULL;
	}
	if (xdp_card_exists(name)) {
		err_set(err, EADDRINUSE,
			"a card in the kernel is called '%s'; give this router another name, such as "
			"--name t5nex1",
			name);
		free(c);
		return NULL;
	}
	c->answers.name = name;
	c->signals = signalfd(-1, signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (c->signals < 0) {
		err_set(err, errno, "signals: %s", strerror(errno));
		free(c);
		return NULL;
	}
	c->server = ctl_server_new(name, answer, &c->answers, &why);
	if (c->server != NULL && ctl_server_watch(c->server, c->signals, &why) == 0)
		return c;
	if (why.code == EADDRINUSE)
		err_set(err, EADDRINUSE,
			"a router called '%s' is running; give this one another name, such as "
			"--name t5nex1",
			name);
	else
		err_set(err, why.code, "control socket: %s", why.msg);
	router_ctl_free(c);
	return NULL;
}

void router_ctl_serve(struct router_ctl *c, const struct router_ctl_conf *conf)
{
	c->answers.box = conf->box;
	c->answers.ports = conf->ports;
	c->answers.n_ports = conf->n_ports;
	c->answers.start_ns = clock_ns();
	c->answers.load = (struct router_load){.box = conf->box, .note = router_note};
	c->save = (struct router_save){.path = conf->save};
}

void router_ctl_free(struct router_ctl *c)
{
	if (c == NULL)
		return;
	ctl_server_free(c->server);
	router_save_free(&c->save);
	close(c->signals);
	free(c);
}

void router_ctl_end(struct router_ctl *c)
{
	router_load_end(&c->answers.load);
}

int router_ctl_save(struct router_ctl *c, struct err *err)
{
	c->answers.changed = false;
	c->saved_ns = clock_ns();
	return router_save_write(&c->save, router_load_kept(&c->answers.load), err);
}

// A file that cannot be written is tried again every second and at the end, and told once.
static void save_if_due(struct router_ctl *c)
{
	struct err err = {0};

	if (!c->answers.changed || clock_ns() - c->saved_ns < SAVE_NS)
		return;
	if (router_ctl_save(c, &err) == 0) {
		c->complained = false;
		return;
	}
	if (!c->complained)
		fprintf(stderr, "weir router: --save: %s\n", err.msg);
	c->complained = true;
	c->answers.changed = true;
}

bool router_ctl_poll(struct router_ctl *c, int timeout_ms)
{
	struct signalfd_siginfo info;

	ctl_server_poll(c->server, router_load_tick(&c->answers.load, timeout_ms));
	router_load_tick(&c->answers.load, 0);
	save_if_due(c);
	return read(c->signals, &info, sizeof(info)) == sizeof(info);
}
