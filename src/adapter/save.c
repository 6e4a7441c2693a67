// SPDX-License-Identifier: BSD-2-Clause
// save.c - the commands that rebuild a card.
#include "adapter/words.h"

#include <stdio.h>

struct saving {
	const struct adapter *a;
	const struct adapter_out *out;
	bool hash;
};

static void save_rule(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	const struct saving *s = arg;
	char words[1024];

	(void)hits;
	adapter_words(f, words, sizeof(words));
	if (s->hash)
		say(s->out, "cxgbetool %s hashfilter %s", s->a->name, words);
	else
		say(s->out, "cxgbetool %s filter %u %s", s->a->name, idx, words);
}

static void save_mode(const struct adapter *a, bool hash, const struct adapter_out *out)
{
	char words[256];

	mode_words(a, hash, words, sizeof(words));
	say(out, "cxgbetool %s %sfilter mode %s", a->name, hash ? "hash" : "", words);
}

void adapter_save(const struct adapter *a, const struct adapter_out *out)
{
	struct saving s = {.a = a, .out = out};
	char text[ADDR_TEXT_MAX];

	if (a->mode != mode_default())
		save_mode(a, false, out);
	// A change of the mode takes from the hash's mask what is no longer there.
	if (a->chip > 4 && a->hash_mask != (mode_hash_default(a->chip) & a->mode))
		save_mode(a, true, out);
	adapter_each(a, false, save_rule, &s);
	s.hash = true;
	adapter_each(a, true, save_rule, &s);
	for (size_t i = 0; i < a->n_clip; i++)
		for (unsigned n = 0; n < a->clip[i].users; n++)
			say(out, "cxgbetool %s clip hold %s", a->name,
				ip6_text(&a->clip[i].ip, text));
}
