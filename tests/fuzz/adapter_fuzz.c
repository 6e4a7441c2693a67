// SPDX-License-Identifier: BSD-2-Clause
// Lines of words on cards of each chip.  The first byte chooses the card.  A command that fails changes
// nothing; the words a card is saved in make the same card; exports do not crash.
#include "adapter/adapter.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILTERS = 64 };

struct text {
	char *p;
	size_t len, size;
};

static void put_line(void *arg, bool to_stderr, const char *text)
{
	struct text *t = arg;
	size_t n = strlen(text);

	if (to_stderr)
		return;
	if (t->len + n + 2 > t->size) {
		t->size = (t->len + n + 2) * 2;
		t->p = realloc(t->p, t->size);
		assert(t->p != NULL);
	}
	memcpy(t->p + t->len, text, n);
	t->len += n;
	t->p[t->len++] = '\n';
	t->p[t->len] = '\0';
}

static bool in_use[FILTERS]; // by the slots of the card that was made last

static int add(
	void *state, uint32_t slot, uint32_t order, const struct adapter_filter *f, struct err *err)
{
	bool *used = state;
	struct classify_rule rule;

	(void)order;
	(void)err;
	assert(slot < FILTERS && !used[slot]);
	adapter_rule(f, &rule);
	used[slot] = true;
	return 0;
}

static int take_out(void *state, uint32_t slot, uint32_t order, struct err *err)
{
	bool *used = state;

	(void)order;
	(void)err;
	assert(used[slot]);
	used[slot] = false;
	return 0;
}

static uint64_t hits(void *state, uint32_t slot)
{
	(void)state;
	(void)slot;
	return 0;
}

static int clear_stats(void *state, unsigned port, struct err *err)
{
	(void)state;
	(void)port;
	(void)err;
	return 0;
}

static struct adapter *card(const char *name)
{
	struct adapter_conf conf = {.name = name,
		.n_ports = 2,
		.n_filters = FILTERS,
		.n_queues = 4,
		.place = {.state = in_use,
			.add = add,
			.remove = take_out,
			.hits = hits,
			.clear_stats = clear_stats}};
	struct adapter *a = adapter_new(&conf, NULL);

	memset(in_use, 0, sizeof(in_use));
	assert(a != NULL);
	return a;
}

static int run(struct adapter *a, char *line)
{
	struct text t = {NULL, 0, 0};
	struct adapter_out out = {put_line, &t};
	char *argv[ADAPTER_WORDS_MAX + 1];
	int argc = adapter_split(line, argv, NULL);
	int status = adapter_command(a, argc, argv, &out);

	free(t.p);
	return status;
}

// All the words of a line, however many there are.
static int run_saved(struct adapter *a, char *line, const struct adapter_out *out)
{
	char *argv[128], *rest = line, *word;
	int argc = 0;

	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0')
			argv[argc++] = word;
	assert(argc > 2 && argc < 128 && strcmp(argv[0], "cxgbetool") == 0);
	return adapter_command(a, argc - 2, argv + 2, out);
}

static char *saved(const struct adapter *a)
{
	struct text t = {NULL, 0, 0};
	struct adapter_out out = {put_line, &t};

	adapter_save(a, &out);
	put_line(&t, false, "");
	return t.p;
}

static void save_and_load(const struct adapter *a, const char *name)
{
	char *want = saved(a), *copy = strdup(want), *rest = copy, *line, *got;
	struct adapter *b = card(name);
	struct text t = {NULL, 0, 0};
	struct adapter_out out = {put_line, &t};

	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0' && run_saved(b, line, &out) != 0) {
			fprintf(stderr, "%s", want);
			abort();
		}
	got = saved(b);
	assert(strcmp(got, want) == 0);
	adapter_free(b);
	free(got);
	free(copy);
	free(want);
	free(t.p);
}

static void export_all(const struct adapter *a)
{
	char eth0[] = "eth0", eth1[] = "eth1", *ifaces[] = {eth0, eth1};
	struct text t = {NULL, 0, 0};
	struct adapter_out out = {put_line, &t};

	for (unsigned kind = EXPORT_NFT; kind <= EXPORT_ETHTOOL; kind++)
		adapter_export(a, kind, ifaces, &out);
	free(t.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"t4nex0", "t5nex0", "t6nex0"};
	const char *name;
	struct adapter *a;
	char *text, *rest, *line;

	if (size < 2 || size > 4096)
		return 0;
	name = names[data[0] % 3];
	a = card(name);
	text = strndup((const char *)data + 1, size - 1);
	rest = text;
	while ((line = strsep(&rest, "\n")) != NULL) {
		char *before = saved(a), *after;

		if (run(a, line) != 0) {
			after = saved(a);
			assert(strcmp(before, after) == 0);
			free(after);
		}
		free(before);
	}
	export_all(a);
	save_and_load(a, name);
	adapter_free(a);
	free(text);
	return 0;
}
