// SPDX-License-Identifier: BSD-2-Clause
// card_test.h - a card whose place only remembers, and what it says.
#pragma once

#include "adapter/adapter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CARD_SLOTS = 16384, CARD_TEXT = 1 << 21 };

struct card {
	struct adapter *a;
	struct adapter_out out;
	bool in_use[CARD_SLOTS];
	uint32_t order[CARD_SLOTS];
	uint64_t hits[CARD_SLOTS];
	unsigned n; // rules in force
	int refuse; // what add() and remove() say, if not 0
	unsigned cleared[ADAPTER_PORTS_MAX];
	char said[CARD_TEXT], complained[CARD_TEXT];
	size_t n_said, n_complained;
};

static inline int card_add(
	void *state, uint32_t slot, uint32_t order, const struct adapter_filter *f, struct err *err)
{
	struct card *c = state;

	(void)f;
	if (c->refuse != 0)
		return err_set(err, c->refuse, "the place says no");
	assert_true(slot < CARD_SLOTS);
	assert_false(c->in_use[slot]);
	c->in_use[slot] = true;
	c->order[slot] = order;
	c->hits[slot] = 0;
	c->n++;
	return 0;
}

static inline int card_remove(void *state, uint32_t slot, uint32_t order, struct err *err)
{
	struct card *c = state;

	if (c->refuse != 0)
		return err_set(err, c->refuse, "the place says no");
	assert_true(c->in_use[slot]);
	assert_int_equal(c->order[slot], order);
	c->in_use[slot] = false;
	c->n--;
	return 0;
}

static inline uint64_t card_hits(void *state, uint32_t slot)
{
	return ((struct card *)state)->hits[slot];
}

static inline int card_clear(void *state, unsigned port, struct err *err)
{
	(void)err;
	((struct card *)state)->cleared[port]++;
	return 0;
}

static inline void card_line(void *arg, bool to_stderr, const char *text)
{
	struct card *c = arg;
	char *to = to_stderr ? c->complained : c->said;
	size_t *n = to_stderr ? &c->n_complained : &c->n_said;

	assert_true(*n + strlen(text) + 2 < CARD_TEXT);
	*n += (size_t)sprintf(to + *n, "%s\n", text);
}

static inline void card_forget(struct card *c)
{
	c->n_said = c->n_complained = 0;
	c->said[0] = c->complained[0] = '\0';
}

// n_prio: as in struct adapter_conf.
static inline struct card *card_new(const char *name, unsigned n_filters, int n_prio)
{
	struct card *c = calloc(1, sizeof(*c));
	struct err err = {0};

	assert_non_null(c);
	c->out = (struct adapter_out){card_line, c};
	c->a = adapter_new(&(struct adapter_conf){.name = name,
				   .n_ports = 2,
				   .n_queues = 8,
				   .n_filters = n_filters,
				   .n_prio = n_prio,
				   .place = {.state = c,
					   .add = card_add,
					   .remove = card_remove,
					   .hits = card_hits,
					   .clear_stats = card_clear}},
		&err);
	if (c->a == NULL)
		fail_msg("%s", err.msg);
	return c;
}

static inline void card_free(struct card *c)
{
	adapter_free(c->a);
	free(c);
}

// Words parted by blanks; '' stands for an empty one.
static inline int card_do(struct card *c, const char *words)
{
	char *line = strdup(words), *rest = line, *word, *argv[64];
	int argc = 0, status;

	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0')
			argv[argc++] = strcmp(word, "''") == 0 ? word + 2 : word;
	argv[argc] = NULL;
	card_forget(c);
	status = adapter_command(c->a, argc, argv, &c->out);
	free(line);
	return status;
}

// What must work.
static inline void card_must(struct card *c, const char *words)
{
	if (card_do(c, words) != 0)
		fail_msg("%s: %s", words, c->complained);
}
