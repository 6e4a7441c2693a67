// SPDX-License-Identifier: BSD-2-Clause
// other_words.c - the commands that are not about rules, and lines of `stdio`.
#include "adapter/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int adapter_split(char *line, char *argv[ADAPTER_WORDS_MAX + 1], bool *lost)
{
	size_t len = strcspn(line, "\n");
	bool cut = len > ADAPTER_LINE_MAX;
	char *rest = line, *word;
	int n = 0;

	line[cut ? ADAPTER_LINE_MAX : len] = '\0';
	while ((word = strsep(&rest, " \t")) != NULL)
		if (*word != '\0') {
			if (n == ADAPTER_WORDS_MAX) {
				cut = true;
				break;
			}
			argv[n++] = word;
		}
	argv[n] = NULL;
	if (lost != NULL)
		*lost = cut;
	return n;
}

int words_clearstats(struct adapter *a, int argc, char *const *argv, const struct adapter_out *out)
{
	struct err err = {0};
	int64_t port;
	int rc = -EOPNOTSUPP;

	if (argc != 1)
		return say_error(out, "incorrect number of arguments.");
	if (*number_read(argv[0], &port) != '\0')
		return say_error(out, "invalid port id \"%s\"", argv[0]);
	if (port < 0 || port >= a->n_ports)
		rc = err_set(&err, EINVAL, HINT "port %lld: the card's ports are below %u",
			(long long)port, a->n_ports);
	else if (a->place.clear_stats != NULL)
		rc = a->place.clear_stats(a->place.state, (unsigned)port, &err);
	return rc == 0 ? 0 : say_refused(out, "CLEAR_STATS", -rc, &err);
}

static struct clip *clip_find(struct adapter *a, const struct ip6 *ip)
{
	for (size_t i = 0; i < a->n_clip; i++)
		if (memcmp(&a->clip[i].ip, ip, sizeof(*ip)) == 0)
			return &a->clip[i];
	return NULL;
}

static int clip_hold(struct adapter *a, const struct ip6 *ip)
{
	struct clip *c = clip_find(a, ip);

	if (c == NULL) {
		struct clip *grown = realloc(a->clip, (a->n_clip + 1) * sizeof(*grown));

		if (grown == NULL)
			return ENOMEM;
		a->clip = grown;
		c = &grown[a->n_clip++];
		*c = (struct clip){.ip = *ip};
	}
	c->users++;
	return 0;
}

static int clip_release(struct adapter *a, const struct ip6 *ip)
{
	struct clip *c = clip_find(a, ip);

	if (c == NULL)
		return ENOENT;
	if (--c->users == 0) {
		memmove(c, c + 1, (size_t)(a->clip + a->n_clip - (c + 1)) * sizeof(*c));
		a->n_clip--;
	}
	return 0;
}

static int clip_list(const struct adapter *a, const struct adapter_out *out)
{
	char text[ADDR_TEXT_MAX];

	say(out, "%-40s %-5s", "IP address", "Users");
	for (size_t i = 0; i < a->n_clip; i++)
		say(out, "%-40s %5u", ip6_text(&a->clip[i].ip, text), a->clip[i].users);
	return 0;
}

// The addresses a card answers for.  Nothing here looks at them: they are kept and listed.
int words_clip(struct adapter *a, int argc, char *const *argv, const struct adapter_out *out)
{
	bool hold;
	struct ip6 ip;
	int rc;

	if (argc == 1 && strcmp(argv[0], "list") == 0)
		return clip_list(a, out);
	if (argc != 2)
		return say_error(out, "incorrect number of arguments.");
	hold = strcmp(argv[0], "hold") == 0;
	if (!hold && strcmp(argv[0], "rel") != 0 && strcmp(argv[0], "release") != 0)
		return say_error(out, "first argument must be \"hold\" or \"release\"");
	if (strchr(argv[1], ':') == NULL)
		return say_error(out, "address %s is not of expected family IPv6", argv[1]);
	if (ip6_parse(argv[1], &ip, NULL) != 0)
		return say_error(out, "Cannot parse %s IPv6 address %s", argv[0], argv[1]);
	rc = hold ? clip_hold(a, &ip) : clip_release(a, &ip);
	if (rc == 0)
		return 0;
	return say_refused(out, hold ? "HOLD_CLIP_ADDR" : "RELEASE_CLIP_ADDR", rc, NULL);
}
