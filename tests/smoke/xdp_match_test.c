// SPDX-License-Identifier: BSD-2-Clause
// The card's program in the kernel and the scalar classifier on the router's key say the same of the same
// frames.  WEIR_SEED repeats a run.
#include "xdp_frames.h"

#include "adapter/key.h"
#include "xdp/set.h"
#include "xdp/xdp.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PORTS = 4, WHOLE = UINT16_MAX, FRAMES = 64 };
enum { N_PAIRS = ORACLE_SLOW ? 4000 : 100000, N_KEYS = N_PAIRS / 4 };
enum { KEY_BYTES = offsetof(struct classify_key, spare) };

static struct xdp_run *run[PORTS];
static uint64_t seed;

static uint64_t mac48(void)
{
	uint64_t v = 0;

	memcpy(&v, rig_mac.b, MAC_LEN);
	return v;
}

struct rules {
	struct classify_rule *rule; // id and order are the place
	enum adapter_action *action;
	size_t n;
};

static uint32_t slot_of(size_t i) // not the rule's number, but of each rule another one
{
	return (uint32_t)(i * 7 + 13) % CARD_SLOTS;
}

// Puts the rules in force for a port.  false: they are too many for a set.
static bool put_in_force(unsigned port, const struct rules *r)
{
	struct err err = {0};
	int fd = card_set_new(&err), rc;
	struct card_set *set = fd >= 0 ? card_set_fill(fd, FLAT_RULES, 0, FLAT_SIZE, &err) : NULL;

	if (set == NULL)
		fail_msg("%s", err.msg);
	rc = classify_flat(r->rule, r->n, set->tables, FLAT_SIZE, &err);
	for (size_t i = 0; i < r->n; i++)
		set->act[i] = (struct card_act){
			.slot = slot_of(i), .action = (uint8_t)r->action[i]};
	if (rc != 0)
		assert_int_equal(rc, -E2BIG);
	else if (xdp_run_use(run[port], fd, &err) != 0)
		fail_msg("%s", err.msg);
	card_set_unmap(set);
	close(fd);
	return rc == 0;
}

static struct xdp_verdict kernel_says(unsigned port, const struct frame *f)
{
	struct xdp_verdict v;
	struct err err = {0};

	if (xdp_run_frame(run[port], f->b, f->n, &v, &err) != 0)
		fail_msg("%s", err.msg);
	return v;
}

static struct classify_key key_of(unsigned port, const struct frame *f)
{
	struct rte_mbuf *m = rig_mbuf(f, WHOLE);
	struct classify_key k;

	key_slow(&m, 1, (uint16_t)port, mac48(), &k);
	rte_pktmbuf_free(m);
	return k;
}

static void print_frame(unsigned port, const struct frame *f)
{
	print_error("port %u, frame of %u:", port, f->n);
	for (unsigned i = 0; i < f->n && i < 160; i++)
		print_error(" %02x", f->b[i]);
	print_error("\n");
}

// A rule that matches this byte of the key alone.
static bool byte_agrees(unsigned port, const struct frame *f, unsigned at)
{
	struct classify_key k = key_of(port, f);
	struct classify_rule one = {.sport_hi = UINT16_MAX, .dport_hi = UINT16_MAX};
	enum adapter_action drop = ADAPTER_DROP;
	struct rules r = {&one, &drop, 1};

	((uint8_t *)&one.value)[at] = ((uint8_t *)&k)[at];
	((uint8_t *)&one.mask)[at] = UINT8_MAX;
	put_in_force(port, &r);
	return kernel_says(port, f).rule == 0;
}

static void fail_key(unsigned port, const struct frame *f)
{
	print_frame(port, f);
	for (unsigned i = 0; i < KEY_BYTES; i++)
		if (!byte_agrees(port, f, i))
			print_error("the byte at %u of the key differs\n", i);
}

static struct rules rules_new(size_t n)
{
	struct rules r = {calloc(n + 1, sizeof(*r.rule)), calloc(n + 1, sizeof(*r.action)), n};

	assert_non_null(r.rule);
	assert_non_null(r.action);
	return r;
}

static void rules_free(struct rules *r)
{
	free(r->rule);
	free(r->action);
}

static struct rules of_the_oracle(size_t n)
{
	struct oracle_set s = oracle_set(&seed, n);
	struct rules r = rules_new(n);

	for (uint32_t i = 0; i < n; i++) {
		r.rule[i] = s.rule[i];
		r.rule[i].order = r.rule[i].id = i;
		r.action[i] = (enum adapter_action)oracle_below(&seed, 3);
		if (oracle_below(&seed, 2)) { // of a port that exists
			r.rule[i].value.iport &= PORTS - 1;
			r.rule[i].mask.iport &= PORTS - 1;
		}
	}
	oracle_free(&s);
	return r;
}

static void put_word(char *words, size_t size, unsigned rare, const char *fmt, unsigned value)
{
	size_t at = strlen(words);

	if (oracle_below(&seed, rare) == 0)
		snprintf(words + at, size - at, fmt, value);
}

// The words behind "filter IDX" for a card in one of the modes below.
static void random_words(unsigned mode, char *words, size_t size)
{
	static const char *const actions[] = {
		" action pass", " action drop", " action switch eport %u"};
	static const unsigned protos[] = {6, 17, 1, 58, 47},
			      types[] = {0x800, 0x86dd, 0x8906, 0x806};
	bool six = oracle_below(&seed, 3) == 0;

	snprintf(words, size, six ? " type ipv6" : " type ipv4");
	put_word(words, size, 3, six ? " sip 2001:db8::%x" : " sip 10.0.0.%u",
		oracle_below(&seed, 8));
	put_word(words, size, 3, six ? " dip 8000::/%u" : " dip 128.0.0.0/%u",
		1 + oracle_below(&seed, 32));
	put_word(words, size, 3, " sport %u", oracle_below(&seed, 3) * 40);
	put_word(words, size, 3, " dport %u:0xc000", oracle_below(&seed, 4) << 14);
	put_word(words, size, 3, " iport %u", oracle_below(&seed, PORTS));
	if (mode != 2)
		put_word(words, size, 4, " frag %u", oracle_below(&seed, 2));
	if (mode == 0 || mode == 3)
		put_word(words, size, 4, " matchtype %u", 2 * oracle_below(&seed, 4));
	if (mode == 0 || mode == 2)
		put_word(words, size, 2, " proto %u", protos[oracle_below(&seed, 5)]);
	if (mode == 0) {
		put_word(words, size, 4, " ivlan %u:0xfff", oracle_below(&seed, 3));
		put_word(words, size, 8, " fcoe %u", oracle_below(&seed, 2));
	}
	if (mode == 1 || mode == 2)
		put_word(words, size, 3, " tos %u", oracle_below(&seed, 3) * 4);
	if (mode == 2)
		put_word(words, size, 3, " ovlan %u:0xfff", oracle_below(&seed, 3));
	if (mode == 1 || mode == 3)
		put_word(words, size, 3, " ethtype %u", types[oracle_below(&seed, 4)]);
	if (mode == 3)
		put_word(words, size, 3, " macidx %u", oracle_below(&seed, 2) * 0x1ff);
	put_word(words, size, 1, actions[oracle_below(&seed, 3)], oracle_below(&seed, PORTS));
}

static void no_line(void *arg, bool to_stderr, const char *text)
{
	(void)arg, (void)to_stderr, (void)text;
}

static bool command(struct adapter *a, char *line)
{
	const struct adapter_out out = {no_line, NULL};
	char *word[ADAPTER_WORDS_MAX * 3];
	int n = 0;

	for (char *w = strtok(line, " "); w != NULL; w = strtok(NULL, " "))
		word[n++] = w;
	word[n] = NULL;
	return adapter_command(a, n, word, &out) == 0;
}

static void take_rule(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	struct rules *r = arg;

	(void)idx, (void)hits;
	adapter_rule(f, &r->rule[r->n]);
	r->rule[r->n].order = r->rule[r->n].id = (uint32_t)r->n;
	r->action[r->n++] = f->action;
}

static struct rules of_a_card(size_t n)
{
	static const char *const modes[] = {"frag matchtype proto vlan iport fcoe",
		"tos ethtype iport frag", "ovlan proto tos iport",
		"macidx matchtype ethtype frag iport"};
	unsigned mode = oracle_below(&seed, 4);
	struct adapter_conf conf = {.name = "t5nex0", .n_ports = PORTS, .place = adapter_nowhere};
	struct adapter *a = adapter_new(&conf, NULL);
	struct rules r = rules_new(n);
	char line[512], words[400];

	assert_non_null(a);
	snprintf(line, sizeof(line), "filter mode %s", modes[mode]);
	assert_true(command(a, line));
	for (unsigned i = 0; i < n; i++) {
		random_words(mode, words, sizeof(words));
		snprintf(line, sizeof(line), "filter %u%s", i * 4, words);
		assert_true(command(a, line));
	}
	r.n = 0;
	adapter_walk(a, take_rule, &r);
	assert_int_equal(r.n, n);
	adapter_free(a);
	return r;
}

struct tally {
	unsigned pairs, sets, matched, six, family0, frag, tagged;
};

static void count(struct tally *t, const struct classify_key *k, uint32_t id)
{
	t->pairs++;
	t->matched += id != CLASSIFY_NONE;
	t->six += k->family == 6;
	t->family0 += k->family == 0;
	t->frag += k->frag;
	t->tagged += (k->vlan_valid & CLASSIFY_HAS_IVLAN) != 0;
}

static void compare(const struct rules *r, const struct classify *c, unsigned port, struct tally *t)
{
	static struct frame f;
	struct xdp_verdict v;
	struct classify_key k;
	uint32_t id;

	xdp_frame(&seed, &r->rule[oracle_below(&seed, (unsigned)r->n)], &f);
	k = key_of(port, &f);
	classify_first(c, &k, 1, &id);
	v = kernel_says(port, &f);
	count(t, &k, id);
	if (v.rule == id && v.action == (id == CLASSIFY_NONE ? ADAPTER_PASS : r->action[id]))
		return;
	fail_key(port, &f);
	fail_msg("the kernel says %s by rule %d, the classifier %s by rule %d of %zu",
		adapter_action_name(v.action), (int)v.rule,
		adapter_action_name(id == CLASSIFY_NONE ? ADAPTER_PASS : r->action[id]), (int)id,
		r->n);
}

static void meet_random_frames(struct rules (*make)(size_t n))
{
	struct tally t = {0};

	while (t.pairs < N_PAIRS / 2) {
		size_t n = 8 + oracle_below(&seed, t.sets % 16 == 0 ? 600 : 80);
		unsigned port = oracle_below(&seed, PORTS);
		struct rules r = make(n);
		struct classify *c = classify_new(NULL, NULL);

		assert_non_null(c);
		assert_int_equal(classify_set(c, r.rule, r.n, NULL), 0);
		if (put_in_force(port, &r)) {
			t.sets++;
			for (unsigned i = 0; i < FRAMES; i++)
				compare(&r, c, port, &t);
		}
		classify_free(c);
		rules_free(&r);
	}
	print_message(
		"%u pairs of %u sets: %u matched; %u IPv6, %u neither, %u fragments, %u tagged\n",
		t.pairs, t.sets, t.matched, t.six, t.family0, t.frag, t.tagged);
	assert_true(t.matched > t.pairs / 10 && t.matched < t.pairs);
	assert_true(t.six > t.pairs / 10 && t.family0 > t.pairs / 50);
	assert_true(t.frag > t.pairs / 50 && t.tagged > t.pairs / 50);
}

static void sets_of_every_kind_of_mask_decide_alike(void **state)
{
	(void)state;
	meet_random_frames(of_the_oracle);
}

static void rules_of_a_card_decide_alike(void **state)
{
	(void)state;
	meet_random_frames(of_a_card);
}

// Rule i asks for every byte of frame i's key, so that each field must be the same.
static void keys_agree_in_every_field(void **state)
{
	static struct frame f[FRAMES];
	struct classify_key key[FRAMES];
	struct rules r = rules_new(FRAMES);

	(void)state;
	for (unsigned done = 0; done < N_KEYS; done += FRAMES) {
		unsigned port = oracle_below(&seed, PORTS);

		memset(r.rule, 0, FRAMES * sizeof(*r.rule));
		for (unsigned i = 0; i < FRAMES; i++) {
			struct classify_rule near = oracle_rule(&seed, oracle_fields(&seed));

			xdp_frame(&seed, &near, &f[i]);
			key[i] = key_of(port, &f[i]);
			r.action[i] = ADAPTER_DROP;
			memset(&r.rule[i].mask, 0xff, KEY_BYTES);
			memcpy(&r.rule[i].value, &key[i], KEY_BYTES);
			r.rule[i].sport_hi = r.rule[i].dport_hi = UINT16_MAX;
		}
		assert_true(put_in_force(port, &r));
		for (unsigned i = 0; i < FRAMES; i++) {
			uint32_t first = 0, got = kernel_says(port, &f[i]).rule;

			while (memcmp(&key[first], &key[i], KEY_BYTES) != 0)
				first++;
			if (got == first)
				continue;
			fail_key(port, &f[i]);
			fail_msg("rule %d instead of %u", (int)got, first);
		}
	}
	rules_free(&r);
}

static void frames_have_a_least_and_a_greatest_length(void **state)
{
	static uint8_t big[ADAPTER_FRAME_MAX];
	struct xdp_verdict v;
	struct err err = {0};
	struct rules none = rules_new(0);

	(void)state;
	put_in_force(0, &none);
	assert_int_equal(xdp_run_frame(run[0], big, 13, &v, &err), -EMSGSIZE);
	assert_string_equal(
		err.msg, "13 bytes: the kernel runs frames from 14 bytes, an Ethernet header");
	for (unsigned n = 14; n <= 1514; n++) {
		assert_int_equal(xdp_run_frame(run[0], big, n, &v, &err), 0);
		assert_int_equal(v.action, ADAPTER_PASS);
		assert_int_equal(v.rule, XDP_RUN_NONE);
	}
	for (unsigned n = 3000; n <= ADAPTER_FRAME_MAX; n += n < 4200 ? 1 : 61)
		assert_int_equal(xdp_run_frame(run[0], big, n, &v, &err), 0);
	assert_int_equal(xdp_run_frame(run[0], big, ADAPTER_FRAME_MAX, &v, &err), 0);
	rules_free(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_a_least_and_a_greatest_length),
		cmocka_unit_test_teardown(keys_agree_in_every_field, rig_all_back),
		cmocka_unit_test_teardown(sets_of_every_kind_of_mask_decide_alike, rig_all_back),
		cmocka_unit_test_teardown(rules_of_a_card_decide_alike, rig_all_back),
	};
	struct err err = {0};
	int failed;

	for (unsigned p = 0; p < PORTS; p++) {
		run[p] = xdp_run_open(p, mac48(), &err);
		if (run[p] != NULL)
			continue;
		printf("%s\n", err.msg);
		return err.code == EPERM ? 77 : 1;
	}
	seed = oracle_seed();
	srandom((unsigned)seed);
	classify_use(CLASSIFY_SCALAR);
	failed = cmocka_run_group_tests_name("xdp_match", tests, rig_eal, NULL);
	for (unsigned p = 0; p < PORTS; p++)
		xdp_run_close(run[p]);
	return failed;
}
