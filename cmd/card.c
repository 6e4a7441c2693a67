// SPDX-License-Identifier: BSD-2-Clause
#include "card.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Kept, for an error is known only at its end.
struct said {
	char *text;
	size_t n;
};

static void hear(void *arg, bool to_stderr, const char *text)
{
	struct said *s = arg;

	if (to_stderr && s->n < ERR_MSG_MAX)
		s->n += (size_t)snprintf(
			s->text + s->n, ERR_MSG_MAX - s->n, "%s%s", s->n > 0 ? "; " : "", text);
}

static int run(void *arg, int argc, char *const *argv, const struct adapter_out *out)
{
	return adapter_command(arg, argc, argv, out);
}

struct card_far card_near(struct adapter *a)
{
	return (struct card_far){.name = adapter_name(a), .run = run, .arg = a};
}

int card_far_command(const struct card_far *card, const char *file, const struct conf_command *c,
	char said[ERR_MSG_MAX], struct err *err)
{
	struct said heard = {.text = said};
	const struct adapter_out out = {.line = hear, .arg = &heard};
	int status;

	said[0] = '\0';
	if (strcmp(c->argv[0], card->name) != 0)
		return err_set(err, ENODEV, "%s:%u: there is no %s here: the card is %s", file,
			c->line, c->argv[0], card->name);
	status = card->run(card->arg, c->argc - 1, c->argv + 1, &out);
	return status == 0 ? 0 : err_set(err, status, "%s:%u: %s", file, c->line, said);
}

int card_command(struct adapter *a, const char *file, const struct conf_command *c,
	char said[ERR_MSG_MAX], struct err *err)
{
	const struct card_far card = card_near(a);

	return card_far_command(&card, file, c, said, err);
}

int card_script(const struct card_far *card, const char *program, const char *path, struct err *err)
{
	struct conf_script script;
	char said[ERR_MSG_MAX];
	int rc = conf_script_read(path, &script, err);

	if (rc != 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < script.n; i++) {
		rc = card_far_command(card, path, &script.commands[i], said, err);
		if (rc == 0 && said[0] != '\0')
			fprintf(stderr, "%s: %s:%u: %s\n", program, path, script.commands[i].line,
				said);
	}
	conf_script_free(&script);
	return rc;
}
