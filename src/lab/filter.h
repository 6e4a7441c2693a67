// SPDX-License-Identifier: BSD-2-Clause
// filter.h - the filter rules of a condition, and what they must do to a frame.
//
// Which rule a frame matches is found here by walking through the rules: this is what a device's
// tables are judged by, so it shares nothing with them but the shape of a rule.
#pragma once

#include "base/err.h"
#include "classify/classify.h"
#include "conf/conf.h"
#include "gen/gen.h"
#include "packet/build.h"

#include <stdbool.h>
#include <stdint.h>

enum lab_rule_action {
	LAB_RULE_PASS,
	LAB_RULE_DROP,
	LAB_RULE_OTHER // sends it elsewhere, or changed: no statement is made about such frames
};

struct lab_rule {
	struct classify_rule match; // its order and id are not looked at
	uint32_t idx;               // the number it goes by
	enum lab_rule_action action;
	bool counted;    // the device counts what it matches
	char words[160]; // "dport 80 proto 6 action pass", cut if longer
};

// Zero-initialised: a condition without a filter.
struct lab_filter {
	char path[560]; // of its script; "" = built in
	char *script;   // its text; NULL = no filter
	struct conf_script commands;
	struct lab_rule *rule; // in the order they are asked
	unsigned n;
	char *nft; // the same rules for nft -f, where the device needs them; NULL = not made
};

void lab_filter_free(struct lab_filter *f);

bool lab_rule_matches(const struct lab_rule *r, const struct classify_key *k);

// "rule 101 (proto 17 action drop)", longer words cut behind one of them; "no rule" for f->n.  Returns out.
enum { LAB_RULE_TEXT = 128 };
const char *lab_rule_text(const struct lab_filter *f, unsigned i, char out[LAB_RULE_TEXT]);

// The first rule that matches; f->n = none, and the frame passes.
unsigned lab_filter_first(const struct lab_filter *f, const struct classify_key *k);

// The fields of the frame that b describes when it comes in by that port of the card.
void lab_key(const struct build *b, unsigned iport, struct classify_key *out);

// What the rules do with the flows of a traffic.
struct lab_flows {
	uint64_t n;     // flows looked at
	bool all;       // that is all there are
	uint64_t *rule; // flows by the first rule that matches them; [filter's n]: by none
};

// Of so many flows at most, evenly taken, the rules are asked.
enum { LAB_FLOWS_MAX = 65536 };

// The fields of the frames are those that the tester's generator gives them.  -ENOMEM; -EINVAL if such
// frames cannot be made.
int lab_flows_make(struct lab_flows *out, const struct lab_filter *f,
	const struct gen_conf *traffic, unsigned iport, struct err *err);
void lab_flows_free(struct lab_flows *f);

// Of `offered` frames of the traffic, sent in its order, how many must have met rule i.  Not all flows
// looked at: 0 to all of them.
void lab_flows_hits(
	const struct lab_flows *f, unsigned i, uint64_t offered, uint64_t *least, uint64_t *most);
