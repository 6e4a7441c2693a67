// SPDX-License-Identifier: BSD-2-Clause
// hardware.c - flow control, queues and descriptors: sysctl and loader names that speak of drivers.
//
// hw.DRIVER.LEAF holds for all interfaces of a driver, dev.DRIVER.UNIT.LEAF for one and wins.
// igb 2 is the interface igb2; the drivers of Chelsio's cards have other names than their nexus.
#include "conf/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum what { FLOW, PAUSE, PAUSE_RX, PAUSE_TX, QUEUES, RXD, TXD };

static const char no_queues[] =
	"no effect here because the number of a port's queues is not taken from files";

static const struct leaf {
	const char *name;
	enum what what;
} dev_leaves[] =
	{
		{"fc", FLOW},
		{"pause_settings", PAUSE},
		{"rx_pauseframe_control", PAUSE_RX},
		{"tx_pauseframe_control", PAUSE_TX},
		{"iflib.override_nrxqs", QUEUES},
		{"iflib.override_ntxqs", QUEUES},
		{"iflib.override_nrxds", RXD},
		{"iflib.override_ntxds", TXD},
		{"conf.channels", QUEUES},
		{"conf.rx_queue_size", RXD},
		{"conf.tx_queue_size", TXD},
},
  hw_leaves[] = {
	  {"flow_control", FLOW},
	  {"fc_setting", FLOW},
	  {"pause_settings", PAUSE},
	  {"num_queues", QUEUES},
	  {"nrxq", QUEUES},
	  {"ntxq", QUEUES},
	  {"nrxq10g", QUEUES},
	  {"ntxq10g", QUEUES},
	  {"rxd", RXD},
	  {"txd", TXD},
	  {"rx_ring_size", RXD},
	  {"tx_ring_size", TXD},
	  {"qsize_rxq", RXD},
	  {"qsize_txq", TXD},
};

// Whether an interface is one of the driver, by name: DRIVER and a number.
static bool of_driver(const struct conf_iface *i, const char *driver, size_t n)
{
	static const char *const chelsio[] = {"cxgbe", "cxl", "cc"};
	size_t own = strcspn(i->device, "0123456789");

	if (own == strlen(i->device))
		return false;
	if (n == 5 && strncmp(driver, "cxgbe", 5) == 0) {
		for (unsigned k = 0; k < 3; k++)
			if (strlen(chelsio[k]) == own && strncmp(i->device, chelsio[k], own) == 0)
				return true;
		return false;
	}
	return own == n && strncmp(i->device, driver, n) == 0;
}

static void set_bit(int *fc, int bit, bool on)
{
	int now = *fc < 0 ? 3 : *fc; // FreeBSD's default is both directions

	*fc = on ? now | bit : now & ~bit;
}

static void store(struct conf_iface *i, enum what what, long long n)
{
	uint16_t count = (uint16_t)n;

	switch (what) {
	case FLOW:
		i->fc = (int)n;
		break;
	case PAUSE: // bit 0 rx, bit 1 tx, bit 2: negotiate it
		i->fc = (int)(n & 3);
		break;
	case PAUSE_RX:
		set_bit(&i->fc, 1, n != 0);
		break;
	case PAUSE_TX:
		set_bit(&i->fc, 2, n != 0);
		break;
	case QUEUES: // see no_queues
		break;
	case RXD:
		i->n_rxd = count;
		break;
	case TXD:
		i->n_txd = count;
		break;
	}
}

static int value(struct build *b, const struct var *v, enum what what, long long *n)
{
	switch (what) {
	case FLOW:
		return conf_number(b, v, v->value, 0, 3, n);
	case PAUSE:
		return conf_number(b, v, v->value, 0, 7, n);
	case PAUSE_RX:
	case PAUSE_TX:
		return conf_number(b, v, v->value, 0, 1, n);
	case QUEUES: // below 0: as many as there are CPUs, up to that
		return conf_number(b, v, v->value, -1024, 1024, n);
	default:
		return conf_number(b, v, v->value, 0, UINT16_MAX, n);
	}
}

static const struct leaf *leaf_of(const char *name, const struct leaf *table, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

// dev.DRIVER.UNIT.LEAF with a leaf of ours: that interface's name into iface; else NULL.
static const struct leaf *dev_name(const char *name, char *iface)
{
	size_t driver, unit;
	const char *p;

	if (strncmp(name, "dev.", 4) != 0)
		return NULL;
	p = name + 4;
	driver = strcspn(p, ".");
	if (p[driver] == '\0')
		return NULL;
	unit = strspn(p + driver + 1, "0123456789");
	if (unit == 0 || p[driver + 1 + unit] != '.' || driver + unit >= CONF_NAME_MAX)
		return NULL;
	snprintf(iface, CONF_NAME_MAX, "%.*s%.*s", (int)driver, p, (int)unit, p + driver + 1);
	return leaf_of(
		p + driver + unit + 2, dev_leaves, sizeof(dev_leaves) / sizeof(dev_leaves[0]));
}

static int one_interface(struct build *b, struct var *v)
{
	char name[CONF_NAME_MAX];
	const struct leaf *leaf = dev_name(v->name, name);
	struct conf_iface *i = NULL;
	long long n;
	int rc;

	if (leaf == NULL)
		return 0;
	v->used = true;
	rc = value(b, v, leaf->what, &n);
	if (rc != 0)
		return rc;
	for (unsigned k = 0; k < b->c->n_ifaces; k++)
		if (strcmp(b->c->ifaces[k].device, name) == 0)
			i = &b->c->ifaces[k];
	if (i == NULL)
		return conf_note(b, CONF_NO_EFFECT, v,
			"no effect here because rc.conf does not configure %s", name);
	store(i, leaf->what, n);
	return leaf->what == QUEUES ? conf_note(b, CONF_NO_EFFECT, v, "%s", no_queues) : 0;
}

static int whole_driver(struct build *b, struct var *v)
{
	const char *driver, *dot;
	const struct leaf *leaf;
	bool found = false;
	long long n;
	int rc;

	if (strncmp(v->name, "hw.", 3) != 0)
		return 0;
	driver = v->name + 3;
	dot = strchr(driver, '.');
	leaf = dot == NULL ? NULL
			   : leaf_of(dot + 1, hw_leaves, sizeof(hw_leaves) / sizeof(hw_leaves[0]));
	if (leaf == NULL)
		return 0;
	v->used = true;
	rc = value(b, v, leaf->what, &n);
	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < b->c->n_ifaces; i++) {
		if (of_driver(&b->c->ifaces[i], driver, (size_t)(dot - driver))) {
			store(&b->c->ifaces[i], leaf->what, n);
			found = true;
		}
	}
	if (!found)
		return conf_note(b, CONF_NO_EFFECT, v,
			"no effect here because rc.conf configures no interface of the driver %.*s",
			(int)(dot - driver), driver);
	return leaf->what == QUEUES ? conf_note(b, CONF_NO_EFFECT, v, "%s", no_queues) : 0;
}

int conf_build_hardware(struct build *b)
{
	struct vars *files[] = {&b->in->loader, &b->in->sysctl};
	int rc = 0;

	for (unsigned f = 0; f < 2; f++)
		for (unsigned i = 0; i < files[f]->n && rc == 0; i++)
			rc = whole_driver(b, &files[f]->v[i]);
	for (unsigned f = 0; f < 2; f++)
		for (unsigned i = 0; i < files[f]->n && rc == 0; i++)
			rc = one_interface(b, &files[f]->v[i]);
	return rc;
}
