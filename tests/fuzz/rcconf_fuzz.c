// SPDX-License-Identifier: BSD-2-Clause
// Any text is read as rc.conf: taken with notes, or refused in words, and never half.
#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct err err = {0};
	struct conf c;

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	conf_init(&c);
	if (conf_rc(&c, "f", text, &err) != 0) {
		if (err.msg[0] == '\0' || c.vars != NULL || c.n_notes != 0)
			abort();
	} else if (conf_rc(&c, "g", "", &err) != 0) { // what was taken once can be computed again
		abort();
	}
	conf_free(&c);
	free(text);
	return 0;
}
