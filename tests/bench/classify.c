// SPDX-License-Identifier: BSD-2-Clause
// classify.c - Weir's classifier beside DPDK's rte_acl: the same rules, the same keys, one process.
// usage: bench_classify [EAL options] -- [--kind K]... [--size N]... | --rules F --keys F
//
// Keys are copied to a small buffer just before they are looked up, outside of the time taken, in the
// form each side wants: a parser would have left them in the cache as well.  Weir looks keys up twice:
// in the tables alone, and with the results of earlier keys kept, as a router's worker does.  The
// variants of both sides take turns, pass by pass; figures are those of each batch's quickest pass,
// medians those of whole passes.  Results are compared for every key, and with a linear scan for
// some.  Writes one JSON object a line; cycles are those of the TSC for one lookup.
#include "base/clock.h"
#include "classify/oracle_test.h"
#include "classify_peer.h"
#include "classify_sets.h"

#include <err.h>
#include <getopt.h>
#include <rte_eal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BULK = 32, BATCH = 256, PASSES_MAX = 99, SAMPLE = 1000, UPDATES = 50, SIZES_MAX = 8 };
// Of tables, with results kept, and of the peer.
enum { ISAS = CLASSIFY_AVX512 + 1, KEPT = ISAS, PEER = 2 * ISAS, VARIANTS = PEER + PEER_ALGS };
enum { FLOWS = 2000, FLOW_LOOKUPS = 32768, MANY_KEYS = 200000 };

struct options {
	bool kind[KIND_COUNT];
	size_t size[SIZES_MAX], n_sizes;
	const char *rules, *keys;
	unsigned passes;
	uint64_t seed;
};

struct work {
	const struct set *set;
	struct classify *weir;
	struct classify_cache *cache; // one for all keys and instructions
	struct peer *peer;
	const struct classify_key *keys;
	uint32_t *turn; // which key is looked up next
	size_t n_keys, n_turns;
	uint32_t *ids; // by key
	bool can[VARIANTS];
	double cycles[VARIANTS][PASSES_MAX]; // a lookup, by pass
	uint32_t *quick[VARIANTS];           // the least cycles each batch took in any pass
};

static const char *variant_name(unsigned v)
{
	return v < PEER ? classify_isa_name(v % ISAS) : peer_alg_name[v - PEER];
}

static bool variant_use(struct work *w, unsigned v)
{
	return v < PEER ? classify_use(v % ISAS) : peer_can(w->peer, v - PEER);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

// Sorts; q of 0 is the minimum, 0.5 the median.
static double quantile(double *x, size_t n, double q)
{
	qsort(x, n, sizeof(*x), by_value);
	return x[(size_t)(q * (double)(n - 1) + 0.5)];
}

static void look_up(const struct work *w, unsigned v, const struct classify_key *keys, unsigned n,
	const uint8_t **peer_keys, uint32_t *ids)
{
	if (v < KEPT)
		classify_first(w->weir, keys, n, ids);
	else if (v < PEER)
		classify_cache_first(w->cache, keys, n, ids);
	else
		peer_lookup(w->peer, v - PEER, peer_keys, n, ids);
}

// One batch of keys from turn t on; returns its cycles.  ids as classify_first gives them.
static uint64_t batch(const struct work *w, unsigned v, size_t t, unsigned n, uint32_t *ids)
{
	static struct classify_key hot[BATCH];
	static struct peer_key peer_hot[BATCH];
	const uint8_t *at[BATCH];
	uint64_t start, end;

	for (unsigned i = 0; i < n; i++)
		if (v < PEER)
			hot[i] = w->keys[w->turn[t + i]];
		else
			peer_key_set(&peer_hot[i], &w->keys[w->turn[t + i]]);
	for (unsigned i = 0; i < n; i++)
		at[i] = (const uint8_t *)&peer_hot[i];
	start = clock_cycles();
	for (unsigned i = 0; i < n; i += BULK)
		look_up(w, v, hot + i, n - i < BULK ? n - i : BULK, at + i, ids + i);
	end = clock_cycles();
	if (v >= PEER)
		for (unsigned i = 0; i < n; i++)
			ids[i]--; // 0, none, becomes CLASSIFY_NONE
	return end - start;
}

static double pass(struct work *w, unsigned v)
{
	uint32_t ids[BATCH];
	uint64_t cycles = 0, took;

	for (size_t t = 0; t < w->n_turns; t += BATCH) {
		unsigned n = w->n_turns - t < BATCH ? (unsigned)(w->n_turns - t) : BATCH;

		took = batch(w, v, t, n, ids);
		cycles += took;
		if (took < w->quick[v][t / BATCH])
			w->quick[v][t / BATCH] = (uint32_t)took;
	}
	return (double)cycles / (double)w->n_turns;
}

static void check(struct work *w)
{
	const struct oracle_set scanned = {w->set->rule, w->set->n};
	uint32_t ids[BATCH];
	bool first = true;

	for (unsigned v = 0; v < VARIANTS; v++) {
		if (!w->can[v])
			continue;
		variant_use(w, v);
		for (size_t t = 0; t < w->n_turns; t += BATCH) {
			unsigned n = w->n_turns - t < BATCH ? (unsigned)(w->n_turns - t) : BATCH;

			batch(w, v, t, n, ids);
			for (unsigned i = 0; i < n; i++) {
				uint32_t *known = &w->ids[w->turn[t + i]];

				if (first)
					*known = ids[i];
				else if (*known != ids[i])
					errx(1, "%s, %zu rules, key %u: %s says %d, %s says %d",
						w->set->name, w->set->n, w->turn[t + i],
						variant_name(0), (int)*known, variant_name(v),
						(int)ids[i]);
			}
		}
		first = false;
	}
	for (size_t t = 0; t < w->n_turns && t < SAMPLE; t++) {
		uint32_t want = oracle_first(&scanned, &w->keys[w->turn[t]]),
			 id = w->ids[w->turn[t]];

		if (want != id)
			errx(1, "%s, %zu rules, key %u: the scan says %d, the lookups %d",
				w->set->name, w->set->n, w->turn[t], (int)want, (int)id);
	}
}

// Cycles a lookup without what other processes took: each batch as quick as in its best pass.
static double quickest(const struct work *w, unsigned v)
{
	double sum = 0;

	for (size_t t = 0; t < w->n_turns; t += BATCH)
		sum += w->quick[v][t / BATCH];
	return sum / (double)w->n_turns;
}

static unsigned best_isa(void)
{
	unsigned v = CLASSIFY_AVX512;

	while (!classify_use(v))
		v--;
	return v;
}

static void print_all(const struct work *w, unsigned from, unsigned to)
{
	const char *comma = "";

	for (unsigned v = from; v < to; v++)
		if (w->can[v]) {
			printf("%s\"%s\":%.1f", comma, variant_name(v), quickest(w, v));
			comma = ",";
		}
}

static void print_lookups(struct work *w, unsigned passes)
{
	unsigned isa = best_isa(), weir = KEPT + isa, peer = PEER;

	for (unsigned v = PEER; v < VARIANTS; v++)
		if (w->can[v] && quickest(w, v) < quickest(w, peer))
			peer = v;
	printf("{\"what\":\"lookup\",\"set\":\"%s\",\"rules\":%zu,\"keys\":%zu,"
	       "\"weir\":%.1f,\"weir_median\":%.1f,\"weir_alg\":\"%s\",\"tables\":%.1f,"
	       "\"peer\":%.1f,\"peer_median\":%.1f,\"peer_alg\":\"%s\",\"ratio\":%.3f,\"weir_all\":{",
		w->set->name, w->set->n, w->n_keys, quickest(w, weir),
		quantile(w->cycles[weir], passes, 0.5), variant_name(weir), quickest(w, isa),
		quickest(w, peer), quantile(w->cycles[peer], passes, 0.5), variant_name(peer),
		quickest(w, weir) / quickest(w, peer));
	print_all(w, KEPT, PEER);
	printf("},\"tables_all\":{");
	print_all(w, 0, KEPT);
	printf("},\"peer_all\":{");
	print_all(w, PEER, VARIANTS);
	printf("}}\n");
	fflush(stdout);
}

static void measure_keys(struct work *w, const struct classify_key *keys, size_t n_keys,
	size_t n_turns, const struct options *o)
{
	uint64_t rnd = o->seed * 2 + 1;

	w->keys = keys;
	w->n_keys = n_keys;
	w->n_turns = n_turns;
	w->turn = calloc(n_turns, sizeof(*w->turn));
	w->ids = calloc(n_keys, sizeof(*w->ids));
	if (w->turn == NULL || w->ids == NULL)
		err(1, "%zu lookups", n_turns);
	for (unsigned v = 0; v < VARIANTS; v++) {
		w->quick[v] = malloc(n_turns / BATCH * sizeof(uint32_t) + sizeof(uint32_t));
		if (w->quick[v] == NULL)
			err(1, "%zu lookups", n_turns);
		memset(w->quick[v], UINT8_MAX,
			n_turns / BATCH * sizeof(uint32_t) + sizeof(uint32_t));
	}
	for (size_t t = 0; t < n_turns; t++)
		w->turn[t] = n_turns == n_keys ? (uint32_t)t
					       : (uint32_t)((draw(&rnd) >> 16) % n_keys);
	check(w);
	for (unsigned p = 0; p < o->passes; p++)
		for (unsigned v = 0; v < VARIANTS; v++)
			if (w->can[v] && variant_use(w, v))
				w->cycles[v][p] = pass(w, v);
	print_lookups(w, o->passes);
	for (unsigned v = 0; v < VARIANTS; v++)
		free(w->quick[v]);
	free(w->turn);
	free(w->ids);
}

// The CPU time of one rule added, and deleted again, at some place among the others.  rte_acl would
// build its tables anew.
static void measure_updates(const struct set *s, const struct options *o, uint64_t peer_ns)
{
	double add[UPDATES], del[UPDATES];
	uint64_t rnd = o->seed * 2 + 99, start;
	struct err e = {0};
	struct classify *c = classify_new(NULL, &e);

	if (c == NULL || classify_set(c, s->rule, s->n, &e) != 0)
		errx(1, "%s: %s", s->name, e.msg);
	for (unsigned i = 0; i < UPDATES; i++) {
		struct classify_rule r = set_another(s, &rnd);

		r.order = (uint32_t)(draw(&rnd) % s->n) * ORDER_STEP + 1;
		r.id = (uint32_t)s->n;
		start = clock_thread_ns();
		if (classify_add(c, &r, &e) != 0)
			errx(1, "%s: %s", s->name, e.msg);
		add[i] = (double)(clock_thread_ns() - start) / 1e3;
		start = clock_thread_ns();
		if (classify_delete(c, r.order, &e) != 0)
			errx(1, "%s: %s", s->name, e.msg);
		del[i] = (double)(clock_thread_ns() - start) / 1e3;
	}
	printf("{\"what\":\"update\",\"set\":\"%s\",\"rules\":%zu,\"add_us\":%.1f,\"add_p90_us\":%.1f,"
	       "\"delete_us\":%.1f,\"delete_p90_us\":%.1f,\"peer_us\":%.1f}\n",
		s->name, s->n, quantile(add, UPDATES, 0.5), quantile(add, UPDATES, 0.9),
		quantile(del, UPDATES, 0.5), quantile(del, UPDATES, 0.9), (double)peer_ns / 1e3);
	fflush(stdout);
	classify_free(c);
}

static void measure_set(const struct set *s, const struct options *o)
{
	struct work *w = calloc(1, sizeof(*w));
	struct err e = {0};
	uint64_t start, weir_ns, peer_ns;
	size_t peer_bytes, n;
	struct classify_key *keys;

	if (w == NULL)
		err(1, "%s", s->name);
	w->set = s;
	w->peer = peer_new(s, &peer_ns, &peer_bytes);
	w->weir = classify_new(NULL, &e);
	start = clock_thread_ns();
	if (w->weir == NULL || classify_set(w->weir, s->rule, s->n, &e) != 0)
		errx(1, "%s: %s", s->name, e.msg);
	weir_ns = clock_thread_ns() - start;
	w->cache = classify_cache_new(w->weir, &e);
	if (w->cache == NULL)
		errx(1, "%s: %s", s->name, e.msg);
	printf("{\"what\":\"build\",\"set\":\"%s\",\"rules\":%zu,\"weir_ms\":%.2f,\"peer_ms\":%.2f,"
	       "\"weir_mb\":%.3f,\"peer_mb\":%.3f}\n",
		s->name, s->n, (double)weir_ns / 1e6, (double)peer_ns / 1e6,
		(double)classify_bytes(w->weir) / 1e6, (double)peer_bytes / 1e6);
	for (unsigned v = 0; v < VARIANTS; v++)
		w->can[v] = variant_use(w, v);
	if (o->keys != NULL) {
		keys = keys_read(o->keys, &n);
		measure_keys(w, keys, n, n, o);
		free(keys);
	} else {
		keys = keys_make(s, MANY_KEYS, o->seed);
		measure_keys(w, keys, FLOWS, FLOW_LOOKUPS, o);
		measure_keys(w, keys, MANY_KEYS, MANY_KEYS, o);
		free(keys);
	}
	measure_updates(s, o, peer_ns);
	peer_free(w->peer);
	classify_cache_free(w->cache);
	classify_free(w->weir);
	free(w);
}

static void usage(void)
{
	fprintf(stderr,
		"usage: bench_classify [EAL options] -- [--kind chelsio|hosts|wild|ranges]... [--size N]...\n"
		"           [--rules FILE --keys FILE] [--passes N] [--seed N]\n");
	exit(2);
}

static unsigned long number(const char *text, unsigned long max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text == '-' || *end != '\0' || end == text || n < 1 || n > max)
		errx(2, "%s: not a number of 1 to %lu", text, max);
	return n;
}

static void add_kind(struct options *o, const char *text)
{
	for (unsigned k = 0; k < KIND_COUNT; k++)
		if (strcmp(text, kind_name[k]) == 0) {
			o->kind[k] = true;
			return;
		}
	errx(2, "%s: no such kind of set", text);
}

static void read_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {{"kind", required_argument, NULL, 'k'},
		{"size", required_argument, NULL, 'n'}, {"rules", required_argument, NULL, 'r'},
		{"keys", required_argument, NULL, 't'}, {"passes", required_argument, NULL, 'p'},
		{"seed", required_argument, NULL, 's'}, {NULL, 0, NULL, 0}};
	bool any = false;
	int c;

	*o = (struct options){.passes = 9, .seed = 1};
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (c) {
		case 'k':
			add_kind(o, optarg);
			any = true;
			break;
		case 'n':
			if (o->n_sizes == SIZES_MAX)
				errx(2, "at most %d sizes", SIZES_MAX);
			o->size[o->n_sizes++] = number(optarg, 1000000);
			break;
		case 'r':
			o->rules = optarg;
			break;
		case 't':
			o->keys = optarg;
			break;
		case 'p':
			o->passes = (unsigned)number(optarg, PASSES_MAX);
			break;
		case 's':
			o->seed = number(optarg, UINT32_MAX);
			break;
		default:
			usage();
		}
	if (optind != argc || (o->rules == NULL) != (o->keys == NULL))
		usage();
	for (unsigned k = 0; k < KIND_COUNT; k++)
		o->kind[k] |= !any;
	if (o->n_sizes == 0) {
		o->n_sizes = 4;
		memcpy(o->size, (const size_t[]){100, 500, 1000, 10000}, 4 * sizeof(size_t));
	}
}

static void measure_kind(enum kind kind, const struct options *o)
{
	for (size_t i = 0; i < (kind == KIND_CHELSIO ? 1 : o->n_sizes); i++) {
		struct set s = set_make(
			kind, kind == KIND_CHELSIO ? CHELSIO_RULES : o->size[i], o->seed);

		measure_set(&s, o);
		set_free(&s);
	}
}

int main(int argc, char **argv)
{
	struct options o;
	int used = rte_eal_init(argc, argv);

	if (used < 0)
		errx(1, "rte_eal_init failed");
	argv[used] = argv[0];
	read_options(&o, argc - used, argv + used);
	if (o.rules != NULL) {
		struct set s = set_read(o.rules);

		measure_set(&s, &o);
		set_free(&s);
	} else {
		for (unsigned k = 0; k < KIND_COUNT; k++)
			if (o.kind[k])
				measure_kind(k, &o);
	}
	rte_eal_cleanup();
	return 0;
}
