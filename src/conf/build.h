// SPDX-License-Identifier: BSD-2-Clause
// build.h - from the settings read to struct conf; private to conf.
// Each conf_build_* takes its names out of the settings, marks them used, and fills its fields.
// 0, or -errno with *b->err set; the caller then throws *b->c away.
#pragma once

#include "conf/vars.h"

#include <stdbool.h>
#include <stddef.h>

struct conf_vars {
	struct vars rc, unset; // unset: names rc.conf refers to that nobody set
	struct vars sysctl, loader;
};

struct build {
	struct conf *c;
	struct conf_vars *in;
	struct err *err;
};

int conf_build_hardware(struct build *b); // after the interfaces
int conf_build_ifaces(struct build *b);
int conf_build_neighs(struct build *b); // after the interfaces
int conf_build_routes(struct build *b); // after the interfaces
int conf_build_switches(struct build *b);

// Notes on what nobody else has used: by the tables of notes.c, or as unknown.
int conf_build_notes(struct build *b);

// The words of an ifconfig command line, added to *i.  `family` is the one meant where no word
// says so; several addresses only if `many`, with ranges A.B.C.D-E/LEN and ...:A-B/LEN if `ranges`.
struct ifconfig_mode {
	int family;
	bool many, ranges;
};
int conf_ifconfig(struct build *b, struct conf_iface *i, const struct var *v,
	const struct ifconfig_mode *mode);

// Words of an address list (ipv4_addrs_IF), ranges allowed.
int conf_addr_list(struct build *b, struct conf_iface *i, const struct var *v);

// Adds an address, or gives one that is there its new length.  Refuses groups and the unspecified.
int conf_iface_add_addr(
	struct build *b, struct conf_iface *i, const struct var *v, const struct prefix *p);

struct conf_iface *conf_iface_at(struct conf *c, const char *name);

// `why` is a format.
int conf_note(struct build *b, enum conf_note_kind kind, const struct var *v, const char *why, ...)
	__attribute__((format(printf, 4, 5)));

// A variable of rc.conf that is set to something else than the empty string, marked used; else
// NULL.  The name is put together from up to three parts, with . - / + of the second as _.
struct var *conf_rc_var(struct build *b, const char *before, const char *name, const char *after);

// FreeBSD's checkyesno: YES TRUE ON 1, NO FALSE OFF 0 in any case; not set is no; anything else is
// no with a note, as FreeBSD warns.
int conf_rc_yes(struct build *b, const char *name, bool *yes);

// -EINVAL "where: name: ...".
int conf_bad(struct build *b, const struct var *v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// A whole number lo..hi, decimal or 0x hexadecimal, with a sign.
int conf_number(struct build *b, const struct var *v, const char *text, long long lo, long long hi,
	long long *out);

// Room for one more behind array[n]; array may move.  NULL with ENOMEM set.
void *conf_grow(struct build *b, void *array, unsigned n, size_t size);

// An address with a zone, ADDR or ADDR%ZONE; zone[CONF_NAME_MAX] is "" without.
int conf_zoned_ip(
	struct build *b, const struct var *v, const char *text, struct ip *ip, char *zone);

bool ip6_is_link_local(const struct ip *ip);
