// SPDX-License-Identifier: BSD-2-Clause
// flat_field.c - classes of all fields at once: a sweep over the values at which the set of matching
// rules changes.  A set is known by the exclusive or of its rules' hashes, and compared to be sure.
#include "classify/flat_build.h"
#include "classify/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// What one rule asks of a field.
struct ask {
	uint32_t rule;
	struct bits_part part;
};

struct asks {
	struct ask *list;
	size_t n, max;
};

// A rule begins or ceases to match at a value, which may be one more than the last: value << RULE_BITS | rule.
typedef uint64_t change;
enum { RULE_BITS = 12 };
_Static_assert(FLAT_RULES <= 1 << RULE_BITS, "a rule's number fits");

// The row at a place of the sweep, and where to look up whether it has been seen.
struct sweep {
	uint64_t row[FLAT_WORDS];
	uint64_t hash;
	uint64_t *hashes; // of the classes
	uint32_t *slot;   // class + 1
	uint32_t n_slots; // a power of two
};

static void flip(uint64_t *row, uint32_t rule)
{
	row[rule / 64] ^= UINT64_C(1) << rule % 64;
}

static int ask(struct asks *a, uint32_t rule, const struct bits_part *part)
{
	if (a->n == a->max) {
		size_t max = a->max > 0 ? a->max * 2 : 64;
		struct ask *list = realloc(a->list, max * sizeof(*list));

		if (list == NULL)
			return -ENOMEM;
		a->list = list;
		a->max = max;
	}
	a->list[a->n++] = (struct ask){.rule = rule, .part = *part};
	return 0;
}

static int gather(struct flat_build *b, struct asks *asks)
{
	struct bits_part part[BITS_FIELDS];

	for (uint32_t r = 0; r < b->n; r++) {
		if (!rules_can_match(&b->rule[r]))
			continue;
		flip(b->used, r);
		b->hash[r] = bits_rule_hash(&(struct classify_rule){.order = r});
		b->head->low_for_all |= bits_low_words(&b->rule[r]);
		bits_parts(&b->rule[r], part);
		for (unsigned f = 0; f < BITS_FIELDS; f++)
			if (!part[f].any && ask(&asks[f], r, &part[f]) != 0)
				return -ENOMEM;
	}
	return 0;
}

// Room for a field of at most n cells, and a sweep that begins with the rules that ask nothing.
static int begin(const struct flat_build *b, const struct asks *a, size_t n, struct flat_field *f,
	struct sweep *s)
{
	*s = (struct sweep){.n_slots = 4};
	while (s->n_slots < 2 * n)
		s->n_slots *= 2;
	f->end = malloc(n * sizeof(*f->end));
	f->cls = malloc(n * sizeof(*f->cls));
	f->rows = malloc(n * b->words * sizeof(*f->rows));
	s->hashes = malloc(n * sizeof(*s->hashes));
	s->slot = calloc(s->n_slots, sizeof(*s->slot));
	if (f->end == NULL || f->cls == NULL || f->rows == NULL || s->hashes == NULL ||
		s->slot == NULL)
		return -ENOMEM;
	memcpy(s->row, b->used, b->words * sizeof(*s->row));
	for (size_t i = 0; i < a->n; i++)
		flip(s->row, a->list[i].rule);
	return 0;
}

static void end(struct sweep *s)
{
	free(s->hashes);
	free(s->slot);
}

static uint16_t class_of_row(const struct flat_build *b, struct flat_field *f, struct sweep *s)
{
	size_t bytes = b->words * sizeof(*s->row);
	uint32_t i = (uint32_t)s->hash & (s->n_slots - 1);

	for (; s->slot[i] != 0; i = (i + 1) & (s->n_slots - 1)) {
		uint32_t class = s->slot[i] - 1;

		if (s->hashes[class] == s->hash &&
			memcmp(&f->rows[(size_t) class * b->words], s->row, bytes) == 0)
			return (uint16_t) class;
	}
	memcpy(&f->rows[(size_t)f->n_classes * b->words], s->row, bytes);
	s->hashes[f->n_classes] = s->hash;
	s->slot[i] = ++f->n_classes;
	return (uint16_t)(f->n_classes - 1);
}

// The values up to `last` have the sweep's row.
static void cell(const struct flat_build *b, struct flat_field *f, struct sweep *s, uint32_t last)
{
	uint16_t class = class_of_row(b, f, s);

	if (f->n_cells > 0 && f->cls[f->n_cells - 1] == class)
		f->n_cells--;
	f->cls[f->n_cells] = class;
	f->end[f->n_cells++] = last;
}

static int by_value(const void *x, const void *y)
{
	const change *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

// The last rule that asks something of the field and is in the row, and 1 more; 0: there is none.
static uint32_t last_rule(const uint64_t *row, const uint64_t *any, unsigned words)
{
	for (unsigned w = words; w-- > 0;)
		if ((row[w] & ~any[w]) != 0)
			return w * 64 + 64 - (uint32_t)__builtin_clzll(row[w] & ~any[w]);
	return 0;
}

// Numbers the classes by their last rule: so one more rule at the end of the list, and one fewer, leave most
// of them their number, wherever in the field it matches.  any: the rules that ask nothing of it.  The sweep is over:
// its slots serve as memory.
static void number_classes(
	const struct flat_build *b, struct flat_field *f, struct sweep *s, const uint64_t *any)
{
	uint32_t first[FLAT_RULES + 2] = {0}, *last = s->slot, *number = s->slot + f->n_classes;
	uint64_t row[FLAT_WORDS];
	size_t bytes = b->words * sizeof(*row);

	for (uint32_t c = 0; c < f->n_classes; c++) {
		last[c] = last_rule(&f->rows[(size_t)c * b->words], any, b->words);
		first[last[c] + 1]++;
	}
	for (uint32_t r = 0; r <= FLAT_RULES; r++)
		first[r + 1] += first[r];
	for (uint32_t c = 0; c < f->n_classes; c++)
		number[c] = first[last[c]]++;
	for (uint32_t i = 0; i < f->n_cells; i++)
		f->cls[i] = (uint16_t)number[f->cls[i]];
	// Each row is swapped to where it belongs.
	for (uint32_t c = 0; c < f->n_classes; c++) {
		while (number[c] != c) {
			uint32_t to = number[c];
			uint64_t *here = &f->rows[(size_t)c * b->words],
				 *there = &f->rows[(size_t)to * b->words];

			memcpy(row, there, bytes);
			memcpy(there, here, bytes);
			memcpy(here, row, bytes);
			number[c] = number[to];
			number[to] = to;
		}
	}
}

static int ranges(const struct flat_build *b, const struct asks *a, struct flat_field *f)
{
	change *at = malloc(2 * a->n * sizeof(*at));
	uint64_t any[FLAT_WORDS];
	struct sweep s;
	int rc = begin(b, a, 2 * a->n + 1, f, &s);

	if (at == NULL || rc != 0) {
		free(at);
		end(&s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < a->n; i++) {
		const struct ask *k = &a->list[i];

		at[2 * i] = (change)k->part.lo << RULE_BITS | k->rule;
		at[2 * i + 1] = ((change)k->part.hi + 1) << RULE_BITS | k->rule;
	}
	qsort(at, 2 * a->n, sizeof(*at), by_value);
	memcpy(any, s.row, sizeof(any));
	for (size_t i = 0; i < 2 * a->n && at[i] >> RULE_BITS <= UINT32_MAX;) {
		uint64_t value = at[i] >> RULE_BITS;

		if (value > 0)
			cell(b, f, &s, (uint32_t)(value - 1));
		for (; i < 2 * a->n && at[i] >> RULE_BITS == value; i++) {
			uint32_t rule = at[i] & ((1 << RULE_BITS) - 1);

			flip(s.row, rule);
			s.hash ^= b->hash[rule];
		}
	}
	cell(b, f, &s, UINT32_MAX);
	number_classes(b, f, &s, any);
	free(at);
	end(&s);
	return 0;
}

static int by_part(const void *x, const void *y)
{
	const struct ask *a = x, *b = y;

	return (a->part.mask << 8 | a->part.value) - (b->part.mask << 8 | b->part.value);
}

// Rules that ask the same of a byte: they come and go together.
struct together {
	uint8_t mask, value;
	uint64_t hash;
	uint64_t *rules; // their bits
};

// Returns how many there are, in *out, with the bits in *rows.  0: no memory.
static size_t gather_equal(
	const struct flat_build *b, const struct asks *a, struct together **out, uint64_t **rows)
{
	struct together *t;
	size_t n = 0;

	qsort(a->list, a->n, sizeof(*a->list), by_part);
	for (size_t i = 0; i < a->n; i++)
		n += i == 0 || by_part(&a->list[i - 1], &a->list[i]) != 0;
	*out = calloc(n, sizeof(**out));
	*rows = calloc(n, b->words * sizeof(**rows));
	if (*out == NULL || *rows == NULL)
		return 0;
	t = *out - 1;
	for (size_t i = 0; i < a->n; i++) {
		const struct ask *k = &a->list[i];

		if (i == 0 || by_part(k - 1, k) != 0) {
			t++;
			t->mask = k->part.mask;
			t->value = k->part.value;
			t->rules = *rows + (size_t)(t - *out) * b->words;
		}
		flip(t->rules, k->rule);
		t->hash ^= b->hash[k->rule];
	}
	return n;
}

static int bytes(const struct flat_build *b, const struct asks *a, struct flat_field *f)
{
	struct together *t = NULL;
	uint64_t *rows = NULL, none[FLAT_WORDS];
	size_t n = gather_equal(b, a, &t, &rows);
	struct sweep s;
	int rc = begin(b, a, 256, f, &s);

	memcpy(none, s.row, sizeof(none));
	for (unsigned value = 0; rc == 0 && n > 0 && value < 256; value++) {
		memcpy(s.row, none, sizeof(none));
		s.hash = 0;
		for (size_t i = 0; i < n; i++) {
			if ((value & t[i].mask) != t[i].value)
				continue;
			for (unsigned w = 0; w < b->words; w++)
				s.row[w] |= t[i].rules[w];
			s.hash ^= t[i].hash;
		}
		cell(b, f, &s, value < 255 ? value : UINT32_MAX);
	}
	free(t);
	free(rows);
	end(&s);
	return n > 0 ? rc : -ENOMEM;
}

int flat_fields(struct flat_build *b)
{
	struct asks asks[BITS_FIELDS] = {0};
	int rc = gather(b, asks);

	for (unsigned i = 0; i < BITS_FIELDS && rc == 0; i++)
		if (asks[i].n > 0)
			rc = (i < BITS_RANGES ? ranges : bytes)(b, &asks[i], &b->field[i]);
	for (unsigned i = 0; i < BITS_FIELDS; i++)
		free(asks[i].list);
	return rc;
}

void flat_fields_free(struct flat_build *b)
{
	for (unsigned i = 0; i < BITS_FIELDS; i++) {
		free(b->field[i].end);
		free(b->field[i].cls);
		free(b->field[i].rows);
	}
}
