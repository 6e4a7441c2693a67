// SPDX-License-Identifier: BSD-2-Clause
// Any line is split or refused in words; what was split survives being joined and split again.
#include "ctl/ctl.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctl_words w, again;
	struct err err = {0};
	char *line;

	if (ctl_words_split((const char *)data, size, &w, &err) != 0) {
		if (err.msg[0] == '\0' || w.argc != 0)
			abort();
		return 0;
	}
	line = ctl_words_join(w.argc, w.argv);
	if (line == NULL)
		abort();
	// Escaped, it may be longer than a line may be.
	if (strlen(line) <= CTL_LINE_MAX) {
		if (ctl_words_split(line, strlen(line), &again, &err) != 0 || again.argc != w.argc)
			abort();
		for (int i = 0; i < w.argc; i++)
			if (strcmp(w.argv[i], again.argv[i]) != 0)
				abort();
		ctl_words_free(&again);
	}
	free(line);
	ctl_words_free(&w);
	return 0;
}
