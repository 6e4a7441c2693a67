// SPDX-License-Identifier: BSD-2-Clause
#include "lab/settings.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_MAX_BYTES = 1 << 20 };

// Copies text; what does not fit ends behind a line, or else behind a word, and then "...".
static void fit(char *out, size_t size, const char *text)
{
	size_t n = strlen(text), room = size - 5, at;

	if (n < size) {
		memcpy(out, text, n + 1);
		return;
	}
	for (at = room; at > 0 && text[at] != '\n'; at--)
		;
	if (at > 0)
		at++; // the dots get a line of their own
	for (n = room; at == 0 && n > 0; n--)
		at = text[n] == ' ' ? n + 1 : 0;
	for (n = room; at == 0; n--) // between two characters of UTF-8
		at = n == 0 || ((unsigned char)text[n] & 0xc0) != 0x80 ? n : 0;
	memcpy(out, text, at);
	strcpy(out + at, "...");
}

static int add(struct lab_results *r, const struct lab_condition *c, const struct conf_setting *s,
	bool differs, struct err *err)
{
	struct lab_setting *more = realloc(r->setting, (r->n_settings + 1) * sizeof(*r->setting));

	if (more == NULL)
		return err_set(err, ENOMEM, "no memory for the settings");
	r->setting = more;
	more += r->n_settings++;
	*more = (struct lab_setting){.differs = differs};
	snprintf(more->condition, sizeof(more->condition), "%s", c->name);
	snprintf(more->file, sizeof(more->file), "%s", s->file);
	fit(more->name, sizeof(more->name), s->name);
	fit(more->value, sizeof(more->value), s->value);
	return 0;
}

static bool same_in(const struct conf *base, const struct conf_setting *s)
{
	struct conf_setting t;

	for (unsigned i = 0; conf_setting(base, i, &t); i++)
		if (strcmp(t.file, s->file) == 0 && strcmp(t.name, s->name) == 0)
			return strcmp(t.value, s->value) == 0;
	return false;
}

// The script's text, "" without one.  NULL with *err set.
static char *script(const struct lab_condition *c, struct err *err)
{
	char *text;

	if (c->setup[0] != '\0')
		return text_read_file(c->setup, SCRIPT_MAX_BYTES, NULL, err);
	text = strdup("");
	if (text == NULL)
		err_set(err, ENOMEM, "no memory for the settings");
	return text;
}

static int one(struct lab_results *r, const struct lab_condition *c,
	const struct lab_condition *base, const char *base_script, struct err *err)
{
	struct conf_setting s;
	char *text;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && conf_setting(&c->conf, i, &s); i++)
		rc = add(r, c, &s, c != base && !same_in(&base->conf, &s), err);
	text = rc == 0 ? script(c, err) : NULL;
	if (rc == 0 && text == NULL)
		return -err->code;
	if (rc == 0 && text[0] != '\0') {
		s = (struct conf_setting){.file = "setup.sh", .name = "", .value = text};
		rc = add(r, c, &s, strcmp(text, base_script) != 0, err);
	}
	free(text);
	if (rc == 0 && c->filter.script != NULL) {
		s = (struct conf_setting){
			.file = CONF_SCRIPT, .name = "", .value = c->filter.script};
		rc = add(r, c, &s,
			base->filter.script == NULL ||
				strcmp(c->filter.script, base->filter.script) != 0,
			err);
	}
	return rc;
}

int lab_settings(struct lab_results *r, const struct lab_conditions *c, struct err *err)
{
	const struct lab_condition *base = NULL;
	char *base_script;
	int rc;

	for (unsigned i = 0; i < c->n; i++)
		if (c->list[i].baseline)
			base = &c->list[i];
	if (base == NULL)
		return err_set(err, EINVAL, "none of the conditions is the baseline");
	base_script = script(base, err);
	if (base_script == NULL)
		return -err->code;
	rc = one(r, base, base, base_script, err);
	for (unsigned i = 0; i < c->n && rc == 0; i++)
		if (&c->list[i] != base)
			rc = one(r, &c->list[i], base, base_script, err);
	free(base_script);
	return rc;
}
