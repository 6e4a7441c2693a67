// SPDX-License-Identifier: BSD-2-Clause
// conf.h - FreeBSD's rc.conf, sysctl.conf and loader.conf, read into plain data.
// Nothing is skipped in silence: every setting has its effect in a field below, or a note that
// names file, line and reason.  What is malformed is an error with "file:line: ..." and changes
// nothing.  weir-conf.5 lists the names.
#pragma once

#include "base/addr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { CONF_NAME_MAX = 32, CONF_WHERE_MAX = 256 };

struct conf_iface {
	char name[CONF_NAME_MAX];   // as the rest of the file calls it: igb2
	char device[CONF_NAME_MAX]; // its name before ifconfig_IF_name; mostly the same
	char where[CONF_WHERE_MAX]; // the first line that names it, "rc.conf:12"
	struct prefix *addrs;       // host bits kept; no address twice
	unsigned n_addrs;
	uint16_t mtu; // 72..65535; 0 = not given
	bool has_ether;
	struct mac ether;
	bool up;    // false: only named, no variable gives it a value (FreeBSD leaves it down)
	bool inet6; // it has an IPv6 address or ifconfig_IF_ipv6, or ipv6_activate_all_interfaces
		    // is on; else FreeBSD keeps IPv6 off on it
	int fc;     // Ethernet flow control: -1 not given, 0 none, 1 rx, 2 tx, 3 both
	// Offloads, as the words say: -1 not given, 0 off, 1 on.
	int tso4, tso6, lro, rxcsum, txcsum, vlanhwtso;
	uint16_t n_rxd, n_txd; // descriptors asked for; 0 = not given
};

enum conf_route_kind { CONF_GATEWAY, CONF_IFACE, CONF_REJECT, CONF_BLACKHOLE };

struct conf_route {
	char name[CONF_NAME_MAX]; // route_NAME, cut if longer; "default" for defaultrouter
	struct prefix dst;        // host bits cleared; no destination twice
	enum conf_route_kind kind;
	struct ip gateway;         // CONF_GATEWAY
	char iface[CONF_NAME_MAX]; // CONF_IFACE, or the zone of a link-local gateway; "" = none
	char where[CONF_WHERE_MAX];
};

// A permanent neighbour.  Its address lies in the net of one of the interfaces, or is link-local
// with a zone; no address twice in a zone.
struct conf_neigh {
	struct ip ip;
	struct mac mac;
	char zone[CONF_NAME_MAX]; // "" = none
	char where[CONF_WHERE_MAX];
};

enum conf_note_kind {
	CONF_NO_EFFECT, // known, and without effect here
	CONF_PARTIAL,   // has its effect, with a remark (FreeBSD would warn too)
	CONF_HOST,      // known, and a matter of the host that runs the router
	CONF_UNKNOWN,   // not a name this version knows
};

struct conf_note {
	enum conf_note_kind kind;
	char where[CONF_WHERE_MAX]; // "sysctl.conf:3"
	char what[128];             // the name, cut if longer
	char why[200];              // "no effect here because ...", or the remark
};

// All text read so far, before it is interpreted; private to conf.
struct conf_vars;

struct conf {
	struct conf_iface *ifaces;
	unsigned n_ifaces;
	struct conf_route *routes;
	unsigned n_routes;
	struct conf_neigh *neighs;
	unsigned n_neighs;
	bool forward4, forward6;
	bool redirect4, redirect6; // FreeBSD's default is on
	uint8_t ttl, hlim;         // of packets made by the box; 1..255, default 64
	uint8_t process_options;   // 0 ignore, 1 process (default), 2 refuse
	uint32_t icmp_limit_pps;   // 200; 0 = no limit
	uint16_t icmp_quote_bytes; // 548
	bool icmp_reply_from_interface;
	struct conf_note *notes;
	unsigned n_notes;
	struct conf_vars *vars;
};

// FreeBSD's defaults, nothing read.  Goes with conf_free.
void conf_init(struct conf *c);
void conf_free(struct conf *c);

// Each reads one more text into *c; `file` is what messages call it.  The fields are then computed
// anew from all text read so far: of one name the last value counts, whichever file it stands in;
// between the kinds of files FreeBSD's order holds (loader.conf, then rc.conf, then sysctl.conf),
// whatever the order of the calls.  -EINVAL with "file:line: ..." for a malformed line or value,
// -ENOMEM; *c is then as it was.
int conf_rc(struct conf *c, const char *file, const char *text, struct err *err);
int conf_sysctl(struct conf *c, const char *file, const char *text, struct err *err);
int conf_loader(struct conf *c, const char *file, const char *text, struct err *err);

// Reads what is there of rc.conf, rc.conf.local, sysctl.conf, sysctl.conf.local in DIR or DIR/etc,
// and loader.conf, loader.conf.local in DIR or DIR/boot, on top of what *c holds (so a folder may
// carry only the difference to a base).  Notes call the files by their names within DIR, errors by
// their paths.  -ENOENT if none of them is there, -EINVAL as above or if
// one is in both places, or the error of reading; *c is then as it was.
int conf_add_dir(struct conf *c, const char *dir, struct err *err);

// The same onto FreeBSD's defaults: *out need not be initialised, and on an error is left alone.
int conf_read_dir(const char *dir, struct conf *out, struct err *err);

// The interface of that name, else the one of that device; or NULL.
const struct conf_iface *conf_iface_find(const struct conf *c, const char *name);

// A setting as it stands in the files, whatever its effect: of each name the value that counts.
struct conf_setting {
	const char *file; // the kind: "rc.conf", "sysctl.conf" or "loader.conf"
	const char *name, *value, *where;
};

// The i-th of them, from 0, kind by kind; false behind the last.  Valid until *c is read into again.
bool conf_setting(const struct conf *c, unsigned i, struct conf_setting *out);

// A start script of a filtering card: the lines `cxgbetool NEXUS WORDS` of a shell script.
#define CONF_SCRIPT "cxgbetool.sh" // in a configuration's folder

struct conf_command {
	unsigned line;
	int argc;    // without cxgbetool: the nexus and what it is told
	char **argv; // argc words and a NULL
};

struct conf_script {
	struct conf_command *commands;
	unsigned n;
};

// Reads such a script.  Comments, empty lines, `set` with options (set -euf) and cxgbetool by its name
// or path are understood, words quoted and continued as sh has it.  Anything else of the shell's
// language is -EINVAL with "file:line: ..." and says to run the script against the running router
// instead.  *out is untouched on failure; else it goes with conf_script_free.
int conf_script_text(const char *file, const char *text, struct conf_script *out, struct err *err);
int conf_script_read(const char *path, struct conf_script *out, struct err *err);
void conf_script_free(struct conf_script *s);
