// SPDX-License-Identifier: BSD-2-Clause
// Conditions: folders of FreeBSD-style files.
#include "lab/condition.h"
#include "lab/condition_hint.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONDITIONS_MAX = 64 };

void lab_conditions_free(struct lab_conditions *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		conf_free(&c->list[i].conf);
		lab_filter_free(&c->list[i].filter);
	}
	free(c->list);
	*c = (struct lab_conditions){0};
}

bool condition_listed(const char *list, const char *word)
{
	if (list == NULL)
		return true;
	size_t len = strlen(word);

	for (const char *p = list; p != NULL; p = strchr(p, ','), p = p != NULL ? p + 1 : NULL)
		if (strncmp(p, word, len) == 0 && (p[len] == ',' || p[len] == '\0'))
			return true;
	return false;
}

static bool have(const struct lab_conditions *c, const char *name, size_t len)
{
	for (unsigned i = 0; i < c->n; i++)
		if (strlen(c->list[i].name) == len && memcmp(c->list[i].name, name, len) == 0)
			return true;
	return false;
}

const char *condition_missing(const struct lab_conditions *c, const char *list, int *len)
{
	while (list != NULL) {
		size_t n = strcspn(list, ",");

		*len = (int)n;
		if (!have(c, list, n))
			return list;
		list = list[n] == ',' ? list + n + 1 : NULL;
	}
	return NULL;
}

// Adds a folder's files; with may_lack it need not have any (a set-up script, or what the base
// says, is all there is).
static int add_dir(struct conf *conf, const char *dir, bool may_lack, struct err *err)
{
	struct err why = {0};
	int rc = conf_add_dir(conf, dir, &why);

	if (rc == 0 || (rc == -ENOENT && may_lack))
		return 0;
	return err_set(err, why.code, "%s", why.msg);
}

static int read_one(const char *dir, const char *name, struct lab_condition *c, struct err *err)
{
	char base[PATH_MAX], own[PATH_MAX];
	struct stat st;
	int rc = 0;

	if (strlen(name) >= sizeof(c->name) || strlen(dir) + strlen(name) + 2 > sizeof(c->dir))
		return err_set(err, ENAMETOOLONG, "%s/%s: the name is too long", dir, name);
	for (const char *p = name; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return err_set(
				err, EINVAL, "%s/%s: a control character in its name", dir, name);
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->dir, sizeof(c->dir), "%s/%s", dir, name);
	snprintf(base, sizeof(base), "%s/base", dir);
	snprintf(own, sizeof(own), "%s/setup.sh", c->dir);
	if (access(own, F_OK) != 0)
		snprintf(own, sizeof(own), "%s/setup.sh", base);
	if (access(own, F_OK) == 0)
		snprintf(c->setup, sizeof(c->setup), "%s", own);
	snprintf(own, sizeof(own), "%s/%s", c->dir, CONF_SCRIPT);
	if (access(own, F_OK) != 0)
		snprintf(own, sizeof(own), "%s/%s", base, CONF_SCRIPT);
	if (access(own, F_OK) == 0)
		snprintf(c->filter.path, sizeof(c->filter.path), "%s", own);
	if (stat(base, &st) == 0)
		rc = add_dir(&c->conf, base, c->setup[0] != '\0', err);
	if (rc == 0)
		rc = add_dir(&c->conf, c->dir, c->setup[0] != '\0' || c->conf.n_ifaces > 0, err);
	// A box on the wire is set up by its script alone.
	if (rc == 0 && c->conf.n_ifaces == 0 && c->setup[0] == '\0')
		rc = err_set(err, EINVAL, "%s: the settings name no interface", c->dir);
	if (rc != 0)
		conf_free(&c->conf);
	return rc;
}

static int no_baseline(const struct lab_conditions *c, const char *name, struct err *err)
{
	char known[320] = "";
	size_t n = 0;

	for (unsigned i = 0; i < c->n && n < sizeof(known); i++)
		n += (size_t)snprintf(
			known + n, sizeof(known) - n, "%s%s", i > 0 ? ", " : "", c->list[i].name);
	return err_set(err, EINVAL, "the baseline '%s' is none of the conditions %s", name, known);
}

int condition_choose_baseline(struct lab_conditions *c, const char *name, struct err *err)
{
	static const char suffix[] = "-default";
	unsigned best = c->n;

	for (unsigned i = 0; i < c->n && best == c->n; i++) {
		size_t len = strlen(c->list[i].name);
		const char *tail = len >= strlen(suffix) ? c->list[i].name + len - strlen(suffix)
							 : "";

		if (name != NULL ? strcmp(c->list[i].name, name) == 0 : strcmp(tail, suffix) == 0)
			best = i;
	}
	if (best == c->n && name != NULL)
		return no_baseline(c, name, err);
	if (best == c->n)
		best = 0;
	c->list[best].baseline = true;
	return 0;
}

int lab_conditions_read(const char *dir, const char *only, const char *baseline,
	struct lab_conditions *out, struct err *err)
{
	struct lab_conditions c = {0};
	struct dirent **entry = NULL;
	int n = scandir(dir, &entry, NULL, alphasort), rc = 0, len;
	const char *missing;
	char known[320];

	if (n < 0)
		return err_set(err, errno, "%s: %s", dir, strerror(errno));
	c.list = calloc(CONDITIONS_MAX, sizeof(*c.list));
	if (c.list == NULL)
		rc = err_set(err, ENOMEM, "no memory for the conditions");
	for (int i = 0; i < n && rc == 0; i++) {
		const char *name = entry[i]->d_name;

		if (!condition_named(dir, name) || !condition_listed(only, name))
			continue;
		if (c.n == CONDITIONS_MAX)
			rc = err_set(
				err, E2BIG, "%s: more than %d conditions", dir, CONDITIONS_MAX);
		else
			rc = read_one(dir, name, &c.list[c.n], err);
		c.n += rc == 0;
	}
	for (int i = 0; i < n; i++)
		free(entry[i]);
	free(entry);
	missing = rc == 0 ? condition_missing(&c, only, &len) : NULL;
	if (missing != NULL)
		rc = err_set(err, EINVAL, "%s: there is no condition '%.*s'; there is %s", dir, len,
			missing, condition_names(dir, known, sizeof(known)));
	if (rc == 0 && c.n == 0)
		rc = err_set(err, ENOENT, "%s: no folder in it is a condition", dir);
	if (rc < 0 && c.n == 0)
		rc = condition_hint(dir, err);
	if (rc == 0)
		rc = condition_choose_baseline(&c, baseline, err);
	if (rc != 0) {
		lab_conditions_free(&c);
		return rc;
	}
	*out = c;
	return 0;
}
