// SPDX-License-Identifier: BSD-2-Clause
#include "router_save.h"

#include "privileges.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void line(void *arg, bool to_stderr, const char *text)
{
	if (!to_stderr)
		fprintf(arg, "%s\n", text);
}

void router_save_head(FILE *out, const char *by)
{
	fprintf(out, "#!/bin/sh\n# Rebuilds the rules of the card.  Written by %s.\nset -e\n", by);
}

// malloc'd; NULL: no memory.
static char *text_of(const struct adapter *card)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct adapter_out out = {.line = line, .arg = f};
	int bad;

	if (f == NULL)
		return NULL;
	router_save_head(f, "weir router");
	adapter_save(card, &out);
	bad = ferror(f);
	if (fclose(f) != 0 || bad) {
		free(text);
		return NULL;
	}
	return text;
}

int router_save_write(struct router_save *s, const struct adapter *card, struct err *err)
{
	char *text;
	int rc;

	if (s->path == NULL)
		return 0;
	text = text_of(card);
	if (text == NULL)
		return err_set(err, ENOMEM, "%s: no memory for the rules", s->path);
	if (s->last != NULL && strcmp(text, s->last) == 0) {
		free(text);
		return 0;
	}
	privileges_raise(); // the file may lie in somebody else's folder
	rc = text_write_file(s->path, text, strlen(text), err);
	privileges_lower();
	if (rc != 0) {
		free(text);
		return rc;
	}
	free(s->last);
	s->last = text;
	return 0;
}

void router_save_free(struct router_save *s)
{
	free(s->last);
	s->last = NULL;
}
