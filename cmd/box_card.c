// SPDX-License-Identifier: BSD-2-Clause
#include "box_card.h"

#include <errno.h>
#include <stdlib.h>

struct box_card *box_card_make(const struct box_card_conf *conf, struct err *err)
{
	struct adapter_conf a = {.name = conf->name, .n_ports = conf->n_ports};
	struct box_card *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		err_set(err, ENOMEM, "no memory for a card");
		return NULL;
	}
	if (a.n_ports > ADAPTER_PORTS_MAX)
		a.n_ports = ADAPTER_PORTS_MAX;
	c->path = adapter_path_new(a.n_filters, conf->n_ports, &conf->readers, err);
	if (c->path == NULL) {
		free(c);
		return NULL;
	}
	adapter_path_clear(c->path, conf->clear, conf->arg);
	for (unsigned i = 0; i < conf->n_ports; i++)
		adapter_path_mac(c->path, i, &conf->mac[i]);
	adapter_path_place(c->path, &a.place);
	c->adapter = adapter_new(&a, err);
	if (c->adapter != NULL)
		return c;
	box_card_free(c);
	return NULL;
}

void box_card_free(struct box_card *c)
{
	if (c == NULL)
		return;
	adapter_free(c->adapter);
	adapter_path_free(c->path);
	free(c);
}

void box_card_gather(struct box_card *c)
{
	adapter_path_gather(c->path);
	c->gathers = true;
}

int box_card_release(struct box_card *c, struct err *err)
{
	int rc = c->gathers ? adapter_path_release(c->path, err) : 0;

	if (rc == 0)
		c->gathers = false;
	return rc;
}

struct adapter *box_card_adapter(const struct box_card *c)
{
	return c->adapter;
}
