// SPDX-License-Identifier: BSD-2-Clause
// dut_linux_conf.c - FreeBSD's settings in Linux's words, as text for ip(8) and values for sysctl.
//
// The tester's interfaces get MAC addresses of their own, not those of the stations they play:
// to its kernel the frames that come back are then for another host, and end early.
#include "lab/dut_linux.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATIONS_MAX = 4096 }; // neighbours that are made up

struct writer {
	struct batch *b;
	FILE *f;
	size_t size;
	bool failed;
};

static int writer_open(struct writer *w, struct batch *b, struct err *err)
{
	*b = (struct batch){0};
	*w = (struct writer){.b = b};
	w->f = open_memstream(&b->text, &w->size);
	return w->f != NULL ? 0 : err_set(err, ENOMEM, "no memory for the device's settings");
}

static void line(struct writer *w, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void line(struct writer *w, const char *where, const char *fmt, ...)
{
	const char **more = realloc(w->b->where, (w->b->n + 1) * sizeof(*more));
	va_list ap;

	if (more == NULL) {
		w->failed = true;
		return;
	}
	w->b->where = more;
	more[w->b->n++] = where;
	va_start(ap, fmt);
	vfprintf(w->f, fmt, ap);
	va_end(ap);
	putc('\n', w->f);
}

static int writer_close(struct writer *w, struct err *err)
{
	bool failed = ferror(w->f) || w->failed;

	if (fclose(w->f) == 0 && !failed)
		return 0;
	batch_free(w->b);
	return err_set(err, ENOMEM, "no memory for the device's settings");
}

void batch_free(struct batch *b)
{
	free(b->text);
	free(b->where);
	*b = (struct batch){0};
}

// FreeBSD's loopback is Linux's; any other name that Linux cannot have is replaced.
static bool is_loopback(const struct conf *c, unsigned i)
{
	return strcmp(c->ifaces[i].name, "lo0") == 0;
}

void dut_linux_iface(const struct conf *c, unsigned i, char out[IFACE_NAME_SIZE])
{
	static const char *const taken[] = {"lo", "all", "default", ".", ".."};
	const char *name = c->ifaces[i].name;
	bool fits = strlen(name) < IFACE_NAME_SIZE && strpbrk(name, "/: \t") == NULL;

	for (unsigned k = 0; k < sizeof(taken) / sizeof(taken[0]); k++)
		fits = fits && strcmp(name, taken[k]) != 0;
	if (is_loopback(c, i))
		snprintf(out, IFACE_NAME_SIZE, "lo");
	else if (fits)
		snprintf(out, IFACE_NAME_SIZE, "%s", name);
	else
		snprintf(out, IFACE_NAME_SIZE, "port%u", i);
}

void dut_linux_cable(unsigned i, char out[IFACE_NAME_SIZE])
{
	snprintf(out, IFACE_NAME_SIZE, "weir%u", i);
}

// Locally administered; `kind` tells whose it is.
static void made_up(uint8_t kind, unsigned i, struct mac *out)
{
	*out = (struct mac){{0x02, 'w', 'e', kind, (uint8_t)(i >> 8), (uint8_t)i}};
}

void dut_linux_mac(const struct conf *c, unsigned i, struct mac *out)
{
	if (c->ifaces[i].has_ether)
		*out = c->ifaces[i].ether;
	else
		made_up('d', i, out);
}

void dut_linux_station(const struct lab_topo *t, bool sources, struct mac *out)
{
	if (sources ? t->has_in_mac : t->has_out_mac)
		*out = sources ? t->in_mac : t->out_mac;
	else
		made_up('s', sources ? t->in : t->out, out);
}

int dut_linux_links(
	const struct conf *c, pid_t tester, pid_t device, struct batch *out, struct err *err)
{
	struct writer w;
	int rc = writer_open(&w, out, err);

	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < c->n_ifaces; i++) {
		char name[IFACE_NAME_SIZE], cable[IFACE_NAME_SIZE];

		if (is_loopback(c, i))
			continue;
		dut_linux_iface(c, i, name);
		dut_linux_cable(i, cable);
		// One queue each, so that one thread does the forwarding.
		line(&w, c->ifaces[i].where,
			"link add name %s netns %d numtxqueues 1 numrxqueues 1 type veth "
			"peer name %s netns %d numtxqueues 1 numrxqueues 1",
			cable, (int)tester, name, (int)device);
	}
	return writer_close(&w, err);
}

int dut_linux_tester(
	const struct conf *c, const struct lab_topo *topo, struct batch *out, struct err *err)
{
	const unsigned ends[] = {topo->in, topo->out};
	struct writer w;
	int rc = writer_open(&w, out, err);

	if (rc != 0)
		return rc;
	for (unsigned k = 0; k < 2; k++) {
		const struct conf_iface *f = &c->ifaces[ends[k]];
		char cable[IFACE_NAME_SIZE], text[ADDR_TEXT_MAX];
		struct mac mac;

		dut_linux_cable(ends[k], cable);
		made_up('t', ends[k], &mac);
		line(&w, f->where, "link set dev %s address %s mtu %u arp off multicast off up",
			cable, mac_text(&mac, text), f->mtu != 0 ? f->mtu : 1500);
	}
	return writer_close(&w, err);
}

static void iface_lines(struct writer *w, const struct conf *c, unsigned i)
{
	const struct conf_iface *f = &c->ifaces[i];
	char name[IFACE_NAME_SIZE], text[ADDR_TEXT_MAX];
	struct mac mac;

	dut_linux_iface(c, i, name);
	dut_linux_mac(c, i, &mac);
	if (!is_loopback(c, i)) {
		line(w, f->where, "link set dev %s address %s", name, mac_text(&mac, text));
		if (f->mtu != 0)
			line(w, f->where, "link set dev %s mtu %u", name, f->mtu);
	}
	if (f->up)
		line(w, f->where, "link set dev %s up", name);
	for (unsigned k = 0; k < f->n_addrs; k++) {
		const struct prefix *p = &f->addrs[k];
		const char *more = p->addr.family == 6 ? " nodad" : p->len < 31 ? " brd +" : "";

		line(w, f->where, "addr replace %s dev %s%s", prefix_text(p, text), name, more);
	}
}

// The Linux name of an interface of the settings.
static void iface_of(const struct conf *c, const char *name, char out[IFACE_NAME_SIZE])
{
	snprintf(out, IFACE_NAME_SIZE, "%.15s", name);
	for (unsigned i = 0; i < c->n_ifaces; i++)
		if (strcmp(c->ifaces[i].name, name) == 0)
			dut_linux_iface(c, i, out);
}

static void route_line(struct writer *w, const struct conf *c, const struct conf_route *r)
{
	char dst[ADDR_TEXT_MAX], gw[ADDR_TEXT_MAX], dev[IFACE_NAME_SIZE];

	prefix_text(&r->dst, dst);
	iface_of(c, r->iface, dev);
	switch (r->kind) {
	case CONF_REJECT:
		line(w, r->where, "route add unreachable %s", dst);
		break;
	case CONF_BLACKHOLE:
		line(w, r->where, "route add blackhole %s", dst);
		break;
	case CONF_IFACE:
		line(w, r->where, "route add %s dev %s", dst, dev);
		break;
	case CONF_GATEWAY:
		line(w, r->where, "route add %s via %s%s%s%s", dst,
			r->gateway.family == 6 && r->dst.addr.family == 4 ? "inet6 " : "",
			ip_text(&r->gateway, gw), r->iface[0] != '\0' ? " dev " : "",
			r->iface[0] != '\0' ? dev : "");
		break;
	}
}

// The interface whose net holds ip, by the longest prefix; -1 = none.
static int net_of(const struct conf *c, const struct ip *ip)
{
	int found = -1, len = -1;

	for (unsigned i = 0; i < c->n_ifaces; i++)
		for (unsigned k = 0; k < c->ifaces[i].n_addrs; k++) {
			const struct prefix *p = &c->ifaces[i].addrs[k];

			if (prefix_contains(p, ip) && p->len > len) {
				found = (int)i;
				len = p->len;
			}
		}
	return found;
}

static void neigh_line(struct writer *w, const char *where, const struct ip *ip,
	const struct mac *mac, const char *dev)
{
	char addr[ADDR_TEXT_MAX], text[ADDR_TEXT_MAX];

	line(w, where, "neigh replace %s lladdr %s dev %s nud permanent", ip_text(ip, addr),
		mac_text(mac, text), dev);
}

static int neigh_lines(struct writer *w, const struct conf *c, struct err *err)
{
	for (unsigned i = 0; i < c->n_neighs; i++) {
		const struct conf_neigh *n = &c->neighs[i];
		char dev[IFACE_NAME_SIZE], text[ADDR_TEXT_MAX];
		int k = net_of(c, &n->ip);

		if (n->zone[0] != '\0')
			iface_of(c, n->zone, dev);
		else if (k >= 0)
			dut_linux_iface(c, (unsigned)k, dev);
		else
			return err_set(err, EINVAL, "%s: no interface leads to %s", n->where,
				ip_text(&n->ip, text));
		neigh_line(w, n->where, &n->ip, &n->mac, dev);
	}
	return 0;
}

static bool has_neigh(const struct conf *c, const struct ip *ip)
{
	for (unsigned i = 0; i < c->n_neighs; i++)
		if (ip_equal(&c->neighs[i].ip, ip))
			return true;
	return false;
}

// The next address of a range; false after the last.
static bool next_address(const struct gen_range *r, struct ip *ip)
{
	uint8_t *group = &ip->v6.b[r->group * 2];

	if (ip_equal(ip, &r->hi))
		return false;
	if (ip->family == 4)
		ip->v4++;
	else if (++group[1] == 0)
		group[0]++;
	return true;
}

// A tester answers no ARP and no neighbour solicitation: stations the settings do not name are
// made permanent too.
static int station_lines(struct writer *w, const struct conf *c, const struct lab_topo *topo,
	const struct gen_range *range, bool sources, struct err *err)
{
	const struct ip *hop = sources ? &topo->in_hop : &topo->out_hop;
	char dev[IFACE_NAME_SIZE];
	struct ip ip = *hop;
	struct mac mac;
	unsigned n = 0;

	dut_linux_iface(c, sources ? topo->in : topo->out, dev);
	dut_linux_station(topo, sources, &mac);
	do {
		if (++n > STATIONS_MAX)
			return err_set(err, EINVAL,
				"more than %u addresses lie directly at %s; give them a gateway",
				STATIONS_MAX, dev);
		if (!has_neigh(c, &ip))
			neigh_line(w, "", &ip, &mac, dev);
	} while (ip_equal(hop, &range->lo) && next_address(range, &ip));
	return 0;
}

int dut_linux_device(const struct conf *c, const struct lab_traffic *t, const struct lab_topo *topo,
	struct batch *out, struct err *err)
{
	struct writer w;
	int rc = writer_open(&w, out, err);

	if (rc != 0)
		return rc;
	line(&w, "", "link set dev lo up");
	for (unsigned i = 0; i < c->n_ifaces; i++)
		iface_lines(&w, c, i);
	for (unsigned i = 0; i < c->n_routes; i++)
		route_line(&w, c, &c->routes[i]);
	rc = neigh_lines(&w, c, err);
	if (rc == 0)
		rc = station_lines(&w, c, topo, &t->gen.src, true, err);
	if (rc == 0)
		rc = station_lines(&w, c, topo, &t->gen.dst, false, err);
	if (writer_close(&w, rc == 0 ? err : NULL) != 0 && rc == 0)
		rc = -ENOMEM;
	if (rc != 0)
		batch_free(out);
	return rc;
}

// ip says "Error: Nexthop has invalid gateway." or "RTNETLINK answers: File exists", and then
// "Command failed -:7".
int batch_error(const struct batch *b, const char *said, struct err *err)
{
	const char *failed = strstr(said, "Command failed -:"), *text = b->text;
	unsigned long n = failed != NULL ? strtoul(failed + 17, NULL, 10) : 0;
	const char *why = said;

	if (n == 0 || n > b->n)
		return err_set(err, EINVAL, "ip: %.300s", said);
	for (unsigned long i = 1; i < n; i++)
		text = strchr(text, '\n') + 1;
	if (strncmp(why, "Error: ", 7) == 0)
		why += 7;
	if (strncmp(why, "RTNETLINK answers: ", 19) == 0)
		why += 19;
	return err_set(err, EINVAL, "%s%sip %.*s: %.*s", b->where[n - 1],
		b->where[n - 1][0] != '\0' ? ": " : "", (int)strcspn(text, "\n"), text,
		(int)strcspn(why, "\n"), why);
}
