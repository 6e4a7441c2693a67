// SPDX-License-Identifier: BSD-2-Clause
// mem.c - in-memory pairs.  What one end sends the other receives, through one ring a queue and
// direction with a single producer and a single consumer.
//
// A pair lives as long as one of its ends is open.  Frames still under way to an end that closes
// are freed there; those it sent itself stay for the other end.
#include "port/internal.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES_MAX = 16, RING_DEFAULT = 1024, RING_MIN = 64, RING_MAX = 1 << 20 };

struct mem_pair {
	struct mem_pair *next;
	char name[SPEC_NAME_MAX];
	bool open[2];
	// [d]: what end d sends.
	struct rte_ring *ring[2][QUEUES_MAX];
	unsigned n[2], size[2];
};

struct mem_end {
	struct mem_pair *pair;
	unsigned end;
};

// Control threads only; port_open() and port_close() are not called in parallel.
static struct mem_pair *pairs;
static unsigned n_made;

static struct mem_pair *find(const char *name)
{
	struct mem_pair *m = pairs;

	while (m != NULL && strcmp(m->name, name) != 0)
		m = m->next;
	return m;
}

static void drain(struct mem_pair *m, unsigned d)
{
	void *frame;

	for (unsigned q = 0; q < m->n[d]; q++)
		while (m->ring[d][q] != NULL && rte_ring_dequeue(m->ring[d][q], &frame) == 0)
			rte_pktmbuf_free(frame);
}

static void pair_free(struct mem_pair *m)
{
	for (struct mem_pair **p = &pairs; *p != NULL; p = &(*p)->next)
		if (*p == m) {
			*p = m->next;
			break;
		}
	for (unsigned d = 0; d < 2; d++) {
		drain(m, d);
		for (unsigned q = 0; q < m->n[d]; q++)
			rte_ring_free(m->ring[d][q]);
	}
	free(m);
}

static int ring_size(const struct port *p, uint16_t asked, unsigned *size, struct err *err)
{
	*size = asked == 0 ? RING_DEFAULT : asked;
	if (*size < RING_MIN || *size > RING_MAX || (*size & (*size - 1)) != 0)
		return err_set(err, EINVAL, "%s: %u descriptors: must be a power of two from %u on",
			p->name, *size, RING_MIN);
	return 0;
}

static struct mem_pair *pair_new(struct port *p, const struct port_conf *conf, struct err *err)
{
	struct mem_pair *m = calloc(1, sizeof(*m));
	char name[RTE_RING_NAMESIZE];

	if (m == NULL) {
		err_set(err, ENOMEM, "%s: out of memory", p->name);
		return NULL;
	}
	snprintf(m->name, sizeof(m->name), "%s", p->spec.name);
	m->next = pairs;
	pairs = m;
	m->n[0] = p->n_txq;
	m->n[1] = p->n_rxq;
	if (ring_size(p, conf->n_txd, &m->size[0], err) < 0 ||
		ring_size(p, conf->n_rxd, &m->size[1], err) < 0)
		goto fail;
	for (unsigned d = 0; d < 2; d++)
		for (unsigned q = 0; q < m->n[d]; q++) {
			snprintf(name, sizeof(name), "weir-mem-%u", n_made++);
			m->ring[d][q] = rte_ring_create(name, m->size[d], (int)rte_socket_id(),
				RING_F_SP_ENQ | RING_F_SC_DEQ);
			if (m->ring[d][q] == NULL) {
				err_set(err, ENOMEM, "%s: no memory for a ring of %u", p->name,
					m->size[d]);
				goto fail;
			}
		}
	return m;
fail:
	pair_free(m);
	return NULL;
}

// The second end must fit what the first one made.
static int check_fit(const struct port *p, const struct mem_pair *m, unsigned end,
	const struct port_conf *conf, struct err *err)
{
	if (m->n[end] != p->n_txq || m->n[1 - end] != p->n_rxq)
		return err_set(err, EINVAL,
			"%s: the other end has %u receive and %u transmit queues, this one %u and %u",
			p->name, m->n[end], m->n[1 - end], p->n_rxq, p->n_txq);
	if ((conf->n_txd != 0 && conf->n_txd != m->size[end]) ||
		(conf->n_rxd != 0 && conf->n_rxd != m->size[1 - end]))
		return err_set(err, EINVAL,
			"%s: the other end was opened with another number of descriptors", p->name);
	return 0;
}

int mem_attach(struct port *p, const struct port_conf *conf, struct err *err)
{
	struct mem_pair *m = find(p->spec.name);
	unsigned end;
	char name[16];
	int id;

	if (p->n_rxq > QUEUES_MAX || p->n_txq > QUEUES_MAX)
		return err_set(err, EINVAL, "%s: at most %u queues", p->name, QUEUES_MAX);
	if (m != NULL && m->open[0] && m->open[1])
		return err_set(err, EBUSY, "%s: both ends of the pair are open", p->name);
	end = m != NULL && m->open[0] ? 1 : 0;
	if (m == NULL)
		m = pair_new(p, conf, err);
	else if (check_fit(p, m, end, conf, err) < 0)
		return -EINVAL;
	if (m == NULL)
		return -err->code;
	p->mem = calloc(1, sizeof(*p->mem));
	if (p->mem == NULL) {
		if (!m->open[0] && !m->open[1])
			pair_free(m);
		return err_set(err, ENOMEM, "%s: out of memory", p->name);
	}
	*p->mem = (struct mem_end){.pair = m, .end = end};
	m->open[end] = true;

	snprintf(name, sizeof(name), "w%u", n_made++);
	snprintf(p->dev, sizeof(p->dev), "net_ring_%s", name);
	id = rte_eth_from_rings(
		name, m->ring[1 - end], p->n_rxq, m->ring[end], p->n_txq, rte_socket_id());
	if (id < 0)
		return err_set(err, ENOMEM, "%s: %s", p->name, rte_strerror(rte_errno));
	p->id = (uint16_t)id;
	p->have_dev = true;
	port_mac_from(p->name, end, &p->mac);
	snprintf(p->describe, sizeof(p->describe), "%s, in memory", p->name);
	return 0;
}

void mem_detach(struct port *p)
{
	struct mem_pair *m;

	if (p->mem == NULL)
		return;
	m = p->mem->pair;
	m->open[p->mem->end] = false;
	if (m->open[0] || m->open[1])
		drain(m, 1 - p->mem->end);
	else
		pair_free(m);
	free(p->mem);
	p->mem = NULL;
}
