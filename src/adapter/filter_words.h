// SPDX-License-Identifier: BSD-2-Clause
// filter_words.h - what the two halves of the parser of rules share: what is matched, what is done.
#pragma once

#include "adapter/words.h"

struct parse {
	struct adapter_filter *f;
	bool hash;
	uint8_t family;                     // 0: no word has said
	bool queue, tcbhash, tcbrss, eport; // named
	uint16_t iq;                        // of the last of these
	struct remarks *remarks;
	const struct adapter_out *out;
};

// REFUSED: said all there is to say.  UNFIT: said what is wrong with the value; the name is still
// to be called invalid, as cxgbetool does.
enum outcome { TAKEN, REFUSED, UNFIT };

// masks: "value:mask" is allowed.  A bare value gets UINT32_MAX.
enum outcome parse_val_mask(struct parse *p, const char *name, const char *text, bool masks,
	uint32_t *value, uint32_t *mask);
enum outcome parse_val(struct parse *p, const char *name, const char *text, uint32_t *value);
// The low bits of a value, with a remark if that is not all of it.
uint32_t parse_cut(struct parse *p, const char *name, uint32_t value, unsigned bits);
// An address of the rule's family, which it also settles.
enum outcome parse_addr(
	struct parse *p, const char *name, const char *text, bool masks, struct prefix *out);

// A pair that is no match: action and what belongs to it.
enum outcome parse_action_pair(struct parse *p, const char *name, const char *text);
// All pairs are read: do they go together?  0 or EINVAL, said.
int parse_actions_done(struct parse *p);
