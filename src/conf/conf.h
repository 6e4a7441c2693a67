// SPDX-License-Identifier: BSD-2-Clause
// conf.h - FreeBSD's rc.conf, sysctl.conf and loader.conf, read into plain data.
// Nothing is skipped in silence: every line has its effect, or a note that names file, line and
// reason.
#pragma once

#include "base/addr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct conf_iface {
	char name[32]; // as in the file: igb2
	struct prefix *addrs;
	unsigned n_addrs;
	uint16_t mtu; // 0 = not given
	bool has_ether;
	struct mac ether;
	bool up;
	int fc; // dev.X.N.fc: -1 not given, 0 none, 1 rx, 2 tx, 3 both
	// Offloads, as the words say: -1 not given, 0 off, 1 on.
	int tso4, tso6, lro, rxcsum, txcsum, vlanhwtso;
};

enum conf_route_kind { CONF_GATEWAY, CONF_IFACE, CONF_REJECT, CONF_BLACKHOLE };

struct conf_route {
	char name[32];
	struct prefix dst;
	enum conf_route_kind kind;
	struct ip gateway;
	char iface[32];  // CONF_IFACE, or the zone of a link-local gateway; "" = none
	char where[256]; // "rc.conf:12"
};

struct conf_neigh {
	struct ip ip;
	struct mac mac;
	char zone[32];
	char where[256];
};

// One thing that was read and has no effect here, or not the whole effect.
struct conf_note {
	char where[256]; // "sysctl.conf:3"
	char what[128];  // the name
	char why[200];   // "no effect here because ..."
};

struct conf {
	char hostname[256];
	struct conf_iface *ifaces;
	unsigned n_ifaces;
	struct conf_route *routes;
	unsigned n_routes;
	struct conf_neigh *neighs;
	unsigned n_neighs;
	bool forward4, forward6;
	bool redirect4, redirect6; // FreeBSD's default is on
	uint8_t ttl, hlim;
	uint8_t process_options;
	uint32_t icmp_limit_pps;
	uint16_t icmp_quote_bytes;
	bool icmp_reply_from_interface;
	uint16_t n_rxq, n_txq, n_rxd, n_txd; // 0 = not given
	struct conf_note *notes;
	unsigned n_notes;
};

// Reads what is there of DIR/{etc/,}rc.conf, rc.conf.local, sysctl.conf, and
// DIR/{boot/,}loader.conf, loader.conf.local.  -ENOENT if none of them is; any malformed line is an
// error with "file:line: ...", and *out is then untouched.
int conf_read_dir(const char *dir, struct conf *out, struct err *err);

// The three parsers by themselves, for text with the name it is to be called by in messages; each
// adds to *c, which must have been given its defaults by conf_init.
void conf_init(struct conf *c);
int conf_rc(struct conf *c, const char *file, const char *text, struct err *err);
int conf_sysctl(struct conf *c, const char *file, const char *text, struct err *err);
int conf_loader(struct conf *c, const char *file, const char *text, struct err *err);

void conf_free(struct conf *c);
