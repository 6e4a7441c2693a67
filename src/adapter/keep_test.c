// SPDX-License-Identifier: BSD-2-Clause
// A card put down and taken up again is the card it was.
#include "adapter/card_test.h"

#include "adapter/words.h"

#include <string.h>

enum { KEPT_MAX = 16 };

// What a place would keep.
struct kept {
	struct adapter_settings settings;
	struct adapter_kept rule[KEPT_MAX];
	size_t n;
	const struct card *card;
};

static void keep(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	struct kept *k = arg;
	struct region *r = f->hash                                 ? &k->card->a->hash
			   : f->prio && table_has_prio(k->card->a) ? &k->card->a->prio
								   : &k->card->a->tcam;

	(void)hits;
	k->rule[k->n++] = (struct adapter_kept){
		.f = *f, .slot = r->at[idx]->slot, .order = r->at[idx]->order};
}

static void put_down(const struct card *c, struct kept *k)
{
	struct err err = {0};

	*k = (struct kept){.card = c};
	assert_int_equal(adapter_settings(c->a, &k->settings, &err), 0);
	adapter_walk(c->a, keep, k);
}

static int take_up(struct card *c, const struct kept *k, struct err *err)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->rule[i].slot < CARD_SLOTS) {
			c->in_use[k->rule[i].slot] = true;
			c->order[k->rule[i].slot] = k->rule[i].order;
		}
	return adapter_restore(c->a, &k->settings, k->rule, k->n, err);
}

static void all_of_it_is_there_again(void **state)
{
	struct card *before = card_new("t6nex0", 64, 0), *after = card_new("t6nex0", 64, 0);
	struct kept kept;
	struct err err = {0};
	char *text;

	(void)state;
	card_must(before, "filter mode proto ethtype");
	card_must(before, "clip hold 2001:db8::1");
	card_must(before, "clip hold 2001:db8::1");
	card_must(before, "filter 9 proto 6 action drop");
	card_must(before, "filter 3 proto 6 prio 1");
	card_must(before, "filter 12 type ipv6 action switch eport 1 swapmac 1");
	card_must(before, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1 dport 2 proto 6");
	card_forget(before);
	adapter_save(before->a, &before->out);
	text = strdup(before->said);
	put_down(before, &kept);
	assert_int_equal(take_up(after, &kept, &err), 0);
	card_forget(after);
	adapter_save(after->a, &after->out);
	assert_string_equal(after->said, text);
	assert_int_equal(card_do(after, "filter 9 proto 6"), 16);
	assert_int_not_equal(
		card_do(after, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1 dport 2 proto 6"), 0);
	card_must(after, "filter 9 delete");
	card_must(after, "hashfilter 0 delete");
	free(text);
	card_free(before);
	card_free(after);
}

// A new rule gets a slot that no rule has, the lowest first.
static void slots_between_rules_are_free(void **state)
{
	struct card *before = card_new("t5nex0", 64, 0), *after = card_new("t5nex0", 64, 0);
	struct kept kept;
	struct err err = {0};

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		char words[32];

		snprintf(words, sizeof(words), "filter %u proto 6", i);
		card_must(before, words);
	}
	card_must(before, "filter 1 delete");
	card_must(before, "filter 3 delete");
	put_down(before, &kept);
	assert_int_equal(take_up(after, &kept, &err), 0);
	card_must(after, "filter 20 proto 6");
	assert_int_equal(after->order[1], after->order[0] + 20);
	card_must(after, "filter 21 proto 6");
	assert_int_equal(after->order[3], after->order[0] + 21);
	card_must(after, "filter 22 proto 6");
	assert_int_equal(after->order[5], after->order[0] + 22);
	card_free(before);
	card_free(after);
}

static void nonsense_is_refused(void **state)
{
	struct card *before = card_new("t5nex0", 64, 0);
	struct kept kept, bad;
	struct err err = {0};

	(void)state;
	card_must(before, "filter 8 proto 6");
	card_must(before, "filter 12 type ipv6");
	put_down(before, &kept);
	for (unsigned i = 0; i < 4; i++) {
		struct card *after = card_new("t5nex0", 64, 0);

		bad = kept;
		if (i == 0)
			bad.rule[1].slot = bad.rule[0].slot; // two of one slot
		else if (i == 1)
			bad.rule[1].slot = 64; // more than there are
		else if (i == 2)
			bad.rule[1].order -= 4; // two of one index
		else
			bad.rule[0].order += 64; // an index that is none
		assert_int_equal(take_up(after, &bad, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "makes no sense"));
		card_free(after);
	}
	card_free(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_is_there_again),
		cmocka_unit_test(slots_between_rules_are_free),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
