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

int card_command(struct adapter *a, const char *file, const struct conf_command *c,
	char said[ERR_MSG_MAX], struct err *err)
{
	struct said heard = {.text = said};
	const struct adapter_out out = {.line = hear, .arg = &heard};
	int status;

	said[0] = '\0';
	if (strcmp(c->argv[0], adapter_name(a)) != 0)
		return err_set(err, ENODEV, "%s:%u: there is no %s here: the card is %s", file,
			c->line, c->argv[0], adapter_name(a));
	status = adapter_command(a, c->argc - 1, c->argv + 1, &out);
	return status == 0 ? 0 : err_set(err, status, "%s:%u: %s", file, c->line, said);
}
