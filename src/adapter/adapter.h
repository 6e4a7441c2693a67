// SPDX-License-Identifier: BSD-2-Clause
// adapter.h - a card: up to four ports, a table of filters with hit counters and actions, driven by
// the words of FreeBSD's cxgbetool(8).
//
// A card is a table (adapter_*: rules, names, limits, the words) with a place where packets meet it,
// behind struct adapter_place: the path of a running router (adapter_path_*), or the kernel.
#pragma once

#include "base/addr.h"
#include "base/err.h"
#include "classify/classify.h"
#include "packet/burst.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct adapter;

enum { ADAPTER_PORTS_MAX = 4, ADAPTER_NAME_MAX = 16 };
enum { ADAPTER_FILTERS = 131072 }; // that a card has if nobody says how many

enum adapter_action { ADAPTER_PASS, ADAPTER_DROP, ADAPTER_SWITCH };
const char *adapter_action_name(enum adapter_action action); // "pass"
enum adapter_steer { STEER_RSS, STEER_RSS_REGION, STEER_QUEUE, STEER_HASH };
enum adapter_vlan { VLAN_KEEP, VLAN_REMOVE, VLAN_INSERT, VLAN_REWRITE };
// What is rewritten: in the order of the card's modes 1-7.
enum adapter_nat {
	NAT_NONE,
	NAT_DIP,
	NAT_DIP_DP,
	NAT_DIP_DP_SIP,
	NAT_DIP_DP_SP,
	NAT_SIP_SP,
	NAT_DIP_SIP_SP,
	NAT_ALL
};

// One rule as the words gave it, after cutting to the card's widths.  Host byte order but MACs and
// addresses in base/addr.h's shapes.
struct adapter_filter {
	struct classify_key value, mask; // family is always matched; see adapter_rule()
	enum adapter_action action;
	enum adapter_steer steer;
	enum adapter_vlan vlan;
	enum adapter_nat nat;
	uint16_t queue; // context id, or the begin of the RSS region
	uint16_t vlan_id;
	uint16_t nat_sport, nat_dport;
	struct ip nat_sip, nat_dip; // family 0: not given, and not needed by the mode
	struct mac dmac, smac;
	uint8_t eport;
	uint32_t natseq;
	bool has_dmac, has_smac, swapmac, has_natseq, natflag, count_hits, prio, report_tid;
	bool hash; // an exact-match rule of the hash region
};

// Where packets meet the rules.  Slots are dense numbers of rules, below adapter_conf.n_filters,
// given out by the table and used again only after remove() has returned.
struct adapter_place {
	void *state;
	// Puts a rule in force, first to match among those of higher order.  -ENOMEM, -EAGAIN, ...
	int (*add)(void *state, uint32_t slot, uint32_t order, const struct adapter_filter *f,
		struct err *err);
	// Takes it out; after the return nothing matches it and nothing counts for it.
	int (*remove)(void *state, uint32_t slot, uint32_t order, struct err *err);
	// Packets that the rule in a slot has matched since it was added.
	uint64_t (*hits)(void *state, uint32_t slot);
	// Zeroes the counters of a port, not those of rules.
	int (*clear_stats)(void *state, unsigned port, struct err *err);
	// See adapter_verdict().  *slot: of the rule that decides, or PLACE_NO_SLOT.  May be NULL.
	int (*verdict)(void *state, unsigned port, const void *frame, size_t len, uint32_t *slot,
		struct err *err);
};
#define PLACE_NO_SLOT UINT32_MAX

// The place of a card that no packet meets: it takes every rule, and that is all.
extern const struct adapter_place adapter_nowhere;

struct adapter_conf {
	const char *name;   // "t5nex0": t, chip number 4 to 6, nex, unit
	unsigned n_ports;   // 1..ADAPTER_PORTS_MAX
	unsigned n_filters; // indices are below; 0 = ADAPTER_FILTERS
	unsigned n_queues;  // receive queues; 0 = 1
	int n_prio;         // T6: indices of the region of `prio 1`; 0 = 64, negative = none
	struct adapter_place place;
};

// NULL with *err set: EINVAL, ENOMEM.  All calls on an adapter come from one thread, but those on
// the worker's side of its place.
struct adapter *adapter_new(const struct adapter_conf *conf, struct err *err);
void adapter_free(struct adapter *a);

// 0 if the name is a nexus: "t<chip>nex<unit>"; else -EINVAL with a sentence.
int adapter_name_check(const char *name, struct err *err);

// Where a command's lines go; text has no newline at its end.
struct adapter_out {
	void (*line)(void *arg, bool to_stderr, const char *text);
	void *arg;
};

// Carries out the words behind "cxgbetool NEXUS": argv[0] is "filter", "hashfilter", ...  Prints what
// cxgbetool prints.  Returns the exit status: 0 or an errno number as FreeBSD's cxgbetool has it.
int adapter_command(struct adapter *a, int argc, char *const *argv, const struct adapter_out *out);

// A line of `stdio` cut into words in place, as cxgbetool does it: blanks, tabs and line ends part
// words; at most 127 characters and ADAPTER_WORDS_MAX words count.  argv gets a NULL behind them.
// Returns their number; *lost (may be NULL): something did not fit.
enum { ADAPTER_WORDS_MAX = 15, ADAPTER_LINE_MAX = 127 };
int adapter_split(char *line, char *argv[ADAPTER_WORDS_MAX + 1], bool *lost);

// The commands that rebuild mode, rules and held addresses, each a line to stdout:
// "cxgbetool t5nex0 filter 0 frag 1 action drop".  Hash rules may get other indices.
void adapter_save(const struct adapter *a, const struct adapter_out *out);

// --- a card that is put down and taken up again ---

enum { ADAPTER_CLIPS_KEPT = 64 };

// A rule as a place keeps it: what add() was given.
struct adapter_kept {
	struct adapter_filter f;
	uint32_t slot, order;
};

// What a card consists of beside its rules.
struct adapter_settings {
	uint32_t mode, hash_mask; // match fields, as bits
	uint32_t vnic_is_function;
	uint32_t n_clip;
	struct {
		struct ip6 ip;
		uint32_t users;
	} clip[ADAPTER_CLIPS_KEPT];
};

// -E2BIG: more addresses are held than that.
int adapter_settings(const struct adapter *a, struct adapter_settings *out, struct err *err);

// Makes an empty card what it was.  The place has the rules and is not called.  -EINVAL two rules of one
// slot or index, or one that the card has not; -ENOMEM.  The card is then good for adapter_free() only.
int adapter_restore(struct adapter *a, const struct adapter_settings *settings,
	const struct adapter_kept *rules, size_t n, struct err *err);

// Of an empty card, the slots below n that rules get last: those in which the rules before count.
void adapter_slots_last(struct adapter *a, const bool *last, uint32_t n);

// The rules for another firewall, equivalent in what they drop and pass, in its own syntax.
// ifaces[0..n_ports-1] name the interfaces behind the card's ports.  A rule that cannot be said
// there is named to stderr with the word in the way; then nothing goes to stdout.  Returns an exit
// status as adapter_command does.
enum adapter_export_kind { EXPORT_NFT, EXPORT_PF, EXPORT_TC, EXPORT_ETHTOOL };
int adapter_export(const struct adapter *a, enum adapter_export_kind kind, char *const *ifaces,
	const struct adapter_out *out);

const char *adapter_name(const struct adapter *a);
unsigned adapter_ports(const struct adapter *a);
size_t adapter_n_rules(const struct adapter *a); // TCAM and hash region

// Calls back for each rule in the order of the listing.  hash: of the hash region, else of the TCAM.
void adapter_each(const struct adapter *a, bool hash,
	void (*rule)(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits),
	void *arg);

// The same for all rules, in the order in which packets are compared with them.
void adapter_walk(const struct adapter *a,
	void (*rule)(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits),
	void *arg);

// The rule as words that cxgbetool takes: "iport 0 dport 80 proto 6 action pass".  Cut at size;
// returns the length it needs.
size_t adapter_words(const struct adapter_filter *f, char *out, size_t size);

// What the rules in force say of a frame that comes in by a port.  Asking counts nowhere and sends nothing.
enum { ADAPTER_FRAME_MIN = 14, ADAPTER_FRAME_MAX = 16 << 10 };
struct adapter_verdict {
	enum adapter_action action; // of the rule
	bool met;                   // false: no rule matches, and the frame passes
	uint32_t idx;
	bool hash, prio; // the rule is in the hash region, or of prio 1
};
// -EINVAL no such port, -EMSGSIZE a length outside of these bounds, -ENOTSUP no packet meets this card.
int adapter_verdict(const struct adapter *a, unsigned port, const void *frame, size_t len,
	struct adapter_verdict *out, struct err *err);

// A rule for classify: family and everything else its words constrain.  order and id are the caller's.
void adapter_rule(const struct adapter_filter *f, struct classify_rule *out);

// --- the place in a router's path ---

struct adapter_path;

// readers: see classify.h.  n_filters as in adapter_conf; n_ports of the path.
struct adapter_path *adapter_path_new(unsigned n_filters, unsigned n_ports,
	const struct classify_readers *readers, struct err *err);
void adapter_path_free(struct adapter_path *p);
void adapter_path_place(struct adapter_path *p, struct adapter_place *out);
// Between the two rules are only gathered, and come in force together, the tables being made once: for
// many rules, where no packet comes yet.  No adapter_in before the release has succeeded.  -ENOMEM.
void adapter_path_gather(struct adapter_path *p);
int adapter_path_release(struct adapter_path *p, struct err *err);

// The MAC a port goes by: frames to it are this router's own.  Before packets come.
void adapter_path_mac(struct adapter_path *p, unsigned port, const struct mac *mac);

// Who zeroes the counters of a port, which are not the card's.
void adapter_path_clear(struct adapter_path *p, void (*clear)(void *arg, unsigned port), void *arg);

// Worker side: whether any rule is set.  While none is, adapter_in need not be called.
bool adapter_path_active(const struct adapter_path *p);

// Worker side: matches, counts, drops, rewrites.  Dropped packets go to b->dropped, those that leave by
// another port at once to b->switched; the rest stays in b->pkt.  Touches nothing where no rule is set.
void adapter_in(struct adapter_path *p, struct burst *b);
