// SPDX-License-Identifier: BSD-2-Clause
#include "card_answers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 1024 };

static json_t *typed(const char *type)
{
	return json_pack("{s:s}", "type", type);
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static void line(void *arg, bool to_stderr, const char *text)
{
	json_t *o = json_object();

	ctl_text_set(o, to_stderr ? "err" : "out", text);
	ctl_reply(arg, o);
}

struct adapter_out card_answer_lines(struct ctl_reply *reply)
{
	return (struct adapter_out){.line = line, .arg = reply};
}

// Which rules are asked for; n = 0: all.
struct wanted {
	struct ctl_reply *reply;
	const uint64_t *idx;
	unsigned n;
	uint64_t found; // a bit for each of idx
	bool hash;
};

static bool is_wanted(struct wanted *w, uint32_t idx)
{
	bool yes = w->n == 0;

	for (unsigned i = 0; i < w->n; i++)
		if (w->idx[i] == idx) {
			w->found |= UINT64_C(1) << i;
			yes = true;
		}
	return yes;
}

static void one_rule(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	struct wanted *w = arg;
	char words[WORDS_MAX];
	json_t *o;

	if (!is_wanted(w, idx))
		return;
	o = typed("rule");
	adapter_words(f, words, sizeof(words));
	json_object_set_new(o, "idx", number(idx));
	json_object_set_new(o, "hash", json_boolean(w->hash));
	json_object_set_new(o, "prio", json_boolean(f->prio));
	json_object_set_new(o, "hits", f->count_hits ? number(hits) : json_null());
	json_object_set_new(o, "action", json_string(adapter_action_name(f->action)));
	json_object_set_new(o, "words", json_string(words));
	ctl_reply(w->reply, o);
}

int card_answer_rules(const struct adapter *card, int argc, char **argv, struct ctl_reply *reply)
{
	uint64_t idx[64];
	struct wanted w = {.reply = reply, .idx = idx};

	for (int i = 1; i < argc; i++) {
		char *end;

		if (w.n == sizeof(idx) / sizeof(idx[0]))
			return ctl_fail(reply, E2BIG, "rules: more than %u indices", w.n);
		errno = 0;
		idx[w.n++] = strtoull(argv[i], &end, 0);
		if (argv[i][0] < '0' || argv[i][0] > '9' || *end != '\0' || errno != 0)
			return ctl_fail(reply, EINVAL, "rules: '%s' is no index", argv[i]);
	}
	adapter_each(card, false, one_rule, &w);
	w.hash = true;
	adapter_each(card, true, one_rule, &w);
	for (unsigned i = 0; i < w.n; i++)
		if ((w.found >> i & 1) == 0)
			return ctl_fail(reply, EINVAL, "rules: there is no rule %" PRIu64, idx[i]);
	return 0;
}

// Index and hits in turn, to the first array or the second, of rules of prio 1: a card may keep those
// in a region of their own, where their indices are others'.
static void one_count(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	json_t **arrays = arg;

	if (!f->count_hits || hits == 0)
		return;
	json_array_append_new(arrays[f->prio], number(idx));
	json_array_append_new(arrays[f->prio], number(hits));
}

// Much shorter than the rules: for those who look often.
int card_answer_hits(const struct adapter *card, struct ctl_reply *reply)
{
	for (int hash = 0; hash < 2; hash++) {
		json_t *arrays[] = {json_array(), json_array()};

		adapter_each(card, hash != 0, one_count, arrays);
		for (int prio = 0; prio < 2; prio++) {
			json_t *o = typed("hits");

			json_object_set_new(o, "hash", json_boolean(hash));
			json_object_set_new(o, "prio", json_boolean(prio));
			json_object_set_new(o, "hits", arrays[prio]);
			ctl_reply(reply, o);
		}
	}
	return 0;
}

int card_answer_export(const struct adapter *card, char *const *ifaces, int argc, char **argv,
	struct ctl_reply *reply)
{
	static const char *const kinds[] = {[EXPORT_NFT] = "nft",
		[EXPORT_PF] = "pf",
		[EXPORT_TC] = "tc",
		[EXPORT_ETHTOOL] = "ethtool"};
	struct adapter_out out = card_answer_lines(reply);
	unsigned n = adapter_ports(card);

	if (argc != 2 && argc != 2 + (int)n)
		return ctl_fail(reply, EINVAL,
			"export: needs the kind, and as many interfaces as the card has ports "
			"(%u), or none",
			n);
	if (argc > 2)
		ifaces = argv + 2;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[1], kinds[i]) == 0)
			return adapter_export(card, (enum adapter_export_kind)i, ifaces, &out);
	return ctl_fail(reply, EINVAL, "export: '%s' is none of nft, pf, tc, ethtool", argv[1]);
}
