// SPDX-License-Identifier: BSD-2-Clause
// adapter.c - making and freeing a card.
#include "adapter/adapter.h"

#include "adapter/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILTERS_MAX = 1 << 24, PRIO_DEFAULT = 64 };

// A number without sign or blanks; its end, or NULL.
static const char *digits(const char *p, unsigned *out)
{
	const char *begin = p;
	uint64_t v = 0;

	for (; *p >= '0' && *p <= '9' && v < UINT32_MAX; p++)
		v = v * 10 + (unsigned)(*p - '0');
	*out = (unsigned)v;
	return p == begin || v > INT32_MAX ? NULL : p;
}

static int name_read(const char *name, unsigned *chip, struct err *err)
{
	unsigned unit;
	const char *p = name[0] == 't' ? digits(name + 1, chip) : NULL;

	if (p != NULL && strncmp(p, "nex", 3) == 0)
		p = digits(p + 3, &unit);
	else
		p = NULL;
	if (p == NULL || *p != '\0' || strlen(name) > ADAPTER_NAME_MAX)
		return err_set(err, EINVAL, "invalid nexus \"%s\"", name);
	if (*chip < 4 || *chip > 6)
		return err_set(err, EINVAL, "invalid nexus \"%s\": the chip is t4, t5 or t6", name);
	return 0;
}

int adapter_name_check(const char *name, struct err *err)
{
	unsigned chip;

	return name_read(name, &chip, err);
}

static bool region_new(struct region *r, uint32_t size, uint32_t base)
{
	r->size = size;
	r->base = base;
	r->at = calloc(size + 1, sizeof(struct entry *));
	return r->at != NULL;
}

static bool tables_new(struct adapter *a, const struct adapter_conf *conf, uint32_t n)
{
	uint32_t n_prio = conf->n_prio == 0 ? PRIO_DEFAULT : conf->n_prio < 0 ? 0 : conf->n_prio;

	a->n_slots = n;
	for (a->n_buckets = 1; a->n_buckets < n;)
		a->n_buckets *= 2;
	a->free_slot = calloc(n, sizeof(*a->free_slot));
	a->bucket = calloc(a->n_buckets, sizeof(struct entry *));
	return a->free_slot != NULL && a->bucket != NULL &&
	       region_new(&a->prio, a->chip >= 6 ? n_prio : 0, 0) &&
	       region_new(&a->hash, n, FILTERS_MAX) && region_new(&a->tcam, n, 2u * FILTERS_MAX);
}

struct adapter *adapter_new(const struct adapter_conf *conf, struct err *err)
{
	uint32_t n = conf->n_filters != 0 ? conf->n_filters : ADAPTER_FILTERS;
	unsigned chip;
	struct adapter *a;

	if (name_read(conf->name, &chip, err) != 0)
		return NULL;
	if (conf->n_ports < 1 || conf->n_ports > ADAPTER_PORTS_MAX) {
		err_set(err, EINVAL, "%s: %u ports: a card has 1 to %d", conf->name, conf->n_ports,
			ADAPTER_PORTS_MAX);
		return NULL;
	}
	if (n > FILTERS_MAX || conf->n_prio > FILTERS_MAX) {
		err_set(err, EINVAL, "%s: %u filters: a card has at most %d", conf->name, n,
			FILTERS_MAX);
		return NULL;
	}
	a = calloc(1, sizeof(*a));
	if (a == NULL)
		goto no_memory;
	strcpy(a->name, conf->name); // name_read() has looked at the length
	a->chip = chip;
	a->n_ports = conf->n_ports;
	a->n_queues = conf->n_queues != 0 ? conf->n_queues : 1;
	a->place = conf->place;
	a->mode = mode_default();
	a->hash_mask = mode_hash_default(chip);
	if (tables_new(a, conf, n))
		return a;
	adapter_free(a);
no_memory:
	err_set(err, ENOMEM, "%s: no memory for %u filters", conf->name, n);
	return NULL;
}

static void region_free(struct region *r)
{
	for (uint32_t i = 0; i < r->end; i++)
		free(r->at[i]);
	free(r->at);
}

void adapter_free(struct adapter *a)
{
	if (a == NULL)
		return;
	region_free(&a->prio);
	region_free(&a->hash);
	region_free(&a->tcam);
	free(a->bucket);
	free(a->free_slot);
	free(a->clip);
	free(a);
}

const char *adapter_name(const struct adapter *a)
{
	return a->name;
}

unsigned adapter_ports(const struct adapter *a)
{
	return a->n_ports;
}
