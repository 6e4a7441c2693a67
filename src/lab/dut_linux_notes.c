// SPDX-License-Identifier: BSD-2-Clause
// dut_linux_notes.c - which settings of FreeBSD have no counterpart in the Linux device.
//
// The notes that conf makes speak of Weir's own router.  What that ignores the Linux device ignores
// too, for another reason; and some that it honours Linux does not.
#include "lab/dut_linux.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char elsewhere[] =
	"no effect here because the Linux device takes only addresses, routes, neighbours and "
	"forwarding switches from these files; setup.sh can do the rest in Linux's own words";
static const char cables[] =
	"no effect here because the device's interfaces are veth pairs, which have one queue, a ring "
	"of 256 frames and no flow control";

static const struct {
	const char *pattern, *why;
} ignored[] = {
	{"net.inet6.ip6.redirect", "no effect here because Linux has no such switch for IPv6; no "
				   "frame of a lab goes back where it came from"},
	{"net.inet.ip.process_options", "no effect here because Linux always processes options"},
	{"net.inet.icmp.icmplim", "no effect here because Linux limits ICMP by net.ipv4.icmp_*"},
	{"net.inet.icmp.quotelen",
		"no effect here because Linux quotes as much as an ICMP message of 576 bytes holds"},
	{"dev.*", cables},
	{"hw.*", cables},
};

// What is said of these holds on any device: a route that nothing lists, an alias after a gap.
static const char *const held[] = {"ifconfig_*", "*route*", "static_*", "ipv4_*", "ipv6_*",
	"cloned_*", "create_args_*", "vlans_*"};

static const char *reason(const struct conf_note *note)
{
	if (note->kind != CONF_NO_EFFECT)
		return note->why;
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		if (fnmatch(held[i], note->what, 0) == 0 && strstr(note->why, "the router") == NULL)
			return note->why;
	return elsewhere;
}

static void add(struct conf_note *to, unsigned *n, enum conf_note_kind kind, const char *where,
	const char *what, const char *why)
{
	struct conf_note *note = &to[(*n)++];

	note->kind = kind;
	snprintf(note->where, sizeof(note->where), "%s", where);
	snprintf(note->what, sizeof(note->what), "%s", what);
	snprintf(note->why, sizeof(note->why), "%s", why);
}

static bool noted(const struct conf_note *list, unsigned n, const struct conf_setting *s)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(list[i].what, s->name) == 0 && strcmp(list[i].where, s->where) == 0)
			return true;
	return false;
}

struct conf_note *dut_linux_notes(const struct lab_condition *c, unsigned *n)
{
	struct conf_setting s;
	struct conf_note *list;
	unsigned room = c->conf.n_notes + 1;

	*n = 0;
	for (unsigned i = 0; conf_setting(&c->conf, i, &s); i++)
		room++;
	list = calloc(room, sizeof(*list));
	if (list == NULL)
		return NULL;
	for (unsigned i = 0; i < c->conf.n_notes; i++) {
		const struct conf_note *note = &c->conf.notes[i];

		add(list, n, note->kind, note->where, note->what, reason(note));
	}
	for (unsigned i = 0; conf_setting(&c->conf, i, &s); i++)
		for (size_t k = 0; k < sizeof(ignored) / sizeof(ignored[0]); k++)
			if (fnmatch(ignored[k].pattern, s.name, 0) == 0 && !noted(list, *n, &s)) {
				add(list, n, CONF_NO_EFFECT, s.where, s.name, ignored[k].why);
				break;
			}
	return list;
}
